// The family of drafters as a table: what each takes from the target, what it does one after the other, what it keeps, when it was
// published and who serves with it.
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "scenes/drafters/drafters_draw.h"
#include "scenes/shared/kin_words.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;

constexpr const char* kSource = "Source";

struct Column {
    const char* title;
    float share; // of the room behind the names
    std::string (*words)(const DrafterKin& kin);
};

constexpr float kName = 152, kLowest = 18, kLowestInARoom = 25, kHint = 20;

// A source as far as there is room: "github.com/ggml-org/llama.cpp", "ggml-org/llama.cpp".
std::string source_words(const ui::Canvas& canvas, const std::string& source, float room) {
    constexpr std::string_view kHost = "github.com/";
    std::vector<std::string> words{source};
    if (source.starts_with(kHost)) words.push_back(source.substr(kHost.size())), words.emplace_back("GitHub");
    return ui::fitting(canvas, words, Font::text, 14, room);
}

// Of this room, in the units of a frame. Large type has no room for all: then those that the title names.
std::vector<Column> columns(bool presenter, float room) {
    const auto column = [](const char* title, float share, std::string (*words)(const DrafterKin& kin)) {
        return Column{title, share, words};
    };
    const auto takes = [&](float share) {
        return column("Takes from the target", share, [](const DrafterKin& kin) { return std::string(kin.takes); });
    };
    const auto sequential = [&](float share) {
        return column("One after the other", share, [](const DrafterKin& kin) { return std::string(kin.sequential); });
    };
    const auto keeps = [&](float share) { return column("Keeps", share, [](const DrafterKin& kin) { return std::string(kin.keeps); }); };
    const auto year = [&](float share) {
        return column("Year", share, [](const DrafterKin& kin) { return kin.year > 0 ? std::to_string(kin.year) : std::string(); });
    };
    const auto served = [&](float share) { return column("Served by", share, [](const DrafterKin& kin) { return served_words(kin); }); };
    const auto source = [&](float share) { return column(kSource, share, [](const DrafterKin& kin) { return std::string(kin.source); }); };
    if (!presenter && room >= 920) return {takes(0.152F), sequential(0.163F), keeps(0.165F), year(0.047F), served(0.243F), source(0.23F)};
    if (!presenter) return {takes(0.21F), sequential(0.215F), keeps(0.207F), year(0.058F), served(0.31F)};
    if (room >= 580) return {takes(0.3F), sequential(0.31F), keeps(0.3F), year(0.09F)};
    if (room >= 440) return {takes(0.33F), sequential(0.34F), keeps(0.33F)};
    return {takes(0.5F), sequential(0.5F)};
}

void draw_member(const DraftersDraw& d, const DrafterRow& row, Rect band, bool selected) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const ui::Touch touched = ui::touch(d.ui, d.ui.id(row.name()), band, {.grow = false});
    if (selected || touched.hovered) canvas.fill(band, theme.raised.alpha(selected ? 1.0F : 0.45F), 6);
    if (touched.focused) ui::focus_ring(canvas, theme, band);
    if (touched.clicked) d.choice.drafter = row.name();
    const float y = band.center().y, left = band.x + 8;
    ui::icon(canvas, row.mark, {left + 8, y}, 14, theme.ink);
    ui::fitted_text(canvas, {left + 28, y + 5}, row.title, row.of_run ? Font::text_bold : Font::text, 15, theme.ink, kName - 32);
    const float room = band.w - 16 - kName;
    float x = left + kName;
    for (const Column& column : columns(d.input.presenter, room)) {
        const float w = room * column.share - 6;
        std::string words = column.words(row.info->kin);
        if (column.title == kSource) words = source_words(canvas, words, w);
        ui::fitted_text(canvas, {x, y + 5}, words, Font::text, 14, theme.muted, w);
        x += room * column.share;
    }
    if (*row.info->kin.source) ui::tooltip(d.ui, band, row.info->kin.source);
}

} // namespace

void draw_drafter_family(const DraftersDraw& d, float top) {
    const Rect stage = d.input.stage;
    const float left = stage.x + 24, w = stage.w - 48, room_of_columns = w - kName;
    float x = left + kName;
    for (const Column& column : columns(d.input.presenter, room_of_columns)) {
        ui::fitted_text(d.ui.canvas, {x, top + 12}, column.title, Font::text, 14, d.ui.theme.muted, room_of_columns * column.share - 6);
        x += room_of_columns * column.share;
    }
    d.ui.canvas.line({left, top + 21.5F}, {left + w, top + 21.5F}, d.ui.theme.hairline());
    std::vector<const DrafterRow*> members; // plain decoding is no drafter
    int selected = 0;
    for (const DrafterRow& row : d.model.rows) {
        if (!row.info->drafts()) continue;
        if (&row == d.model.row()) selected = static_cast<int>(members.size());
        members.push_back(&row);
    }
    const int n = static_cast<int>(members.size());
    if (n == 0) return;
    float room = stage.bottom() - 8 - (top + 28);
    const float lowest = d.input.presenter ? kLowestInARoom : kLowest;
    const bool hidden = static_cast<float>(n) * lowest > room;
    if (hidden) room -= kHint;
    const int fit = std::clamp(static_cast<int>(room / lowest), 1, n), from = std::clamp(selected - fit / 2, 0, n - fit);
    const float pitch = std::min(44.0F, room / static_cast<float>(fit));
    if (hidden)
        ui::fitted_text(d.ui.canvas, {left, stage.bottom() - 10},
                        std::to_string(from + 1) + " to " + std::to_string(from + fit) + " of " + std::to_string(n) +
                            ": ↑ ↓ brings the others",
                        Font::text, 14, d.ui.theme.muted, w);
    for (int i = 0; i < fit; ++i) {
        const DrafterRow& row = *members[static_cast<std::size_t>(from + i)];
        draw_member(d, row, {left - 8, top + 28 + pitch * static_cast<float>(i), w + 16, pitch - 2}, &row == d.model.row());
    }
}

std::string describe_family(const DraftersModel& model) {
    std::ostringstream out;
    for (const DrafterRow& row : model.rows) {
        if (const std::string words = kin_line(row.info->kin); !words.empty()) out << row.title << ". " << words << "\n";
    }
    return out.str();
}

} // namespace speclens
