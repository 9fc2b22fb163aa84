// The family of drafters as a table: what each takes from the target, what it does one after the other, what it keeps, when it was
// published and who serves with it.

#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/panel.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

enum class Part : std::uint8_t { takes, sequential, keeps, year, served, source };
struct Column {
    Part part;
    float share; // of the room behind the names
};

// Of this room, in the units of a frame. Large type has no room for all: then those that the title names.
std::vector<Column> columns_for(bool presenter, float room) {
    using enum Part;
    if (!presenter && room >= 920)
        return {{takes, 0.152F}, {sequential, 0.163F}, {keeps, 0.165F}, {year, 0.047F}, {served, 0.243F}, {source, 0.23F}};
    if (!presenter) return {{takes, 0.21F}, {sequential, 0.215F}, {keeps, 0.207F}, {year, 0.058F}, {served, 0.31F}};
    if (room >= 580) return {{takes, 0.3F}, {sequential, 0.31F}, {keeps, 0.3F}, {year, 0.09F}};
    if (room >= 440) return {{takes, 0.33F}, {sequential, 0.34F}, {keeps, 0.33F}};
    return {{takes, 0.5F}, {sequential, 0.5F}};
}

// A source is as long as there is room for it: "github.com/ggml-org/llama.cpp", "ggml-org/llama.cpp".
std::string cell_words(const ui::Canvas& canvas, Part part, const DrafterKin& kin, float room) {
    const Said* const said[] = {&kin.takes, &kin.sequential, &kin.keeps};
    if (part <= Part::keeps) return message(*said[static_cast<int>(part)]);
    if (part == Part::year) return kin.year > 0 ? std::to_string(kin.year) : "";
    if (part == Part::served) return served_words(kin);
    constexpr std::string_view kHost = "github.com/";
    std::string words = kin.source;
    const auto wide = [&] { return canvas.printed_width(words, Font::text, 14) > room; };
    if (words.starts_with(kHost) && wide())
        if (words = words.substr(kHost.size()); wide()) words = "GitHub";
    return words;
}

// Gemma 4's assistants (transformers 5.23, SinglePositionMultiTokenCandidateGenerator): their layers attend to the target's own keys and
// values from one position that does not move. No target here has them.
DrafterRow assistants_row() {
    static const DrafterInfo info{.name = "",
                                  .title = drafter_said("assistants.title"_t),
                                  .short_title = drafter_said("assistants.title"_t),
                                  .about = {},
                                  .kin = {.takes = drafter_said("kin.takes:cache"_t),
                                          .sequential = drafter_said("kin.sequential:layers"_t),
                                          .keeps = drafter_said("kin.keeps:nothing"_t),
                                          .year = 2026,
                                          .source = "github.com/huggingface/transformers",
                                          .served = "vLLM, SGLang, llama.cpp"},
                                  .make = nullptr};
    DrafterRow row;
    row.info = &info;
    row.title = message(info.short_title);
    return row;
}

} // namespace

void draw_drafter_family(const DraftersDraw& d, float top) {
    const float left = d.input.stage.x + 24 + kDrafterName, room = d.input.stage.w - 48 - kDrafterName;
    const ui::Color color = d.ui.theme.muted;
    const Message heads[] = {drafters_says("kin.column:takes"_t),  drafters_says("kin.column:sequential"_t),
                             drafters_says("kin.column:keeps"_t),  drafters_says("kin.column:year"_t),
                             drafters_says("kin.column:served"_t), drafters_says("kin.column:source"_t)};
    const auto each = [&](const auto& draw) {
        float x = left;
        for (const auto& [part, share] : columns_for(d.input.presenter, room)) draw(part, x, room * share - 6), x += room * share;
    };
    each([&](Part part, float x, float w) {
        ui::fitted_text(d.ui.canvas, {x, top + 12}, heads[static_cast<int>(part)], Font::text, 14, color, w);
    });
    const DrafterRow behind = assistants_row();
    draw_table(d, top,
               {.lowest = d.input.presenter ? 25.0F : 17.0F, // all of them at 1280x720
                .highest = 44,
                .say = [&](int i) -> Message {
                    const DrafterRow& row = i < std::ssize(d.model.rows) ? d.model.rows[static_cast<std::size_t>(i)] : behind;
                    const std::vector<Said> kin = each_said(kin_words(row.info->kin), std::identity());
                    return kin.empty() ? Message() : drafters_says("kin.row"_t, "drafter"_v = row.title, "kin"_v = kin);
                },
                .cells =
                    [&](const DrafterRow& row, Rect band) {
                        const DrafterKin& kin = row.info->kin;
                        each([&](Part part, float x, float w) {
                            cell(d.ui, {x, band.center().y + 5}, cell_words(d.ui.canvas, part, kin, w), w, {color});
                        });
                        if (*kin.source) ui::tooltip(d.ui, band, drafters_says("words.source"_t, "source"_v = kin.source));
                    },
                .behind = &behind});
}

} // namespace speclens
