// The right token is on the list, and nobody picked it: how often the target's token is the first choice of a block and how often it is
// among its first ones, for every block drafter that is loaded, and who picks how much of that by a correction from left to right.
#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "scenes/dflash/dflash_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/run_controls.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;

constexpr const char* kOwn = "dflash";

const ListRecall* best_picker(const std::vector<ListRecall>& all) {
    const ListRecall* best = nullptr;
    for (const ListRecall& one : all)
        if (one.corrected() && (!best || one.share(one.picked) > best->share(best->picked))) best = &one;
    return best;
}

Message row_words(const ListRecall& one) {
    return dflash_says("list.row"_t, "drafter"_v = one.info->short_title, "places"_v = one.places, "first"_v = one.share(one.first),
                       "picked"_v = one.share(one.picked), "listed"_v = one.share(one.listed), "deep"_v = ListRecall::kDeep,
                       "corrected"_v = one.corrected(), "by"_v = one.info->head_reads);
}

// First choice hollow, what was picked full, the end of the list a stroke.
void draw_recall(const DFlashDraw& d, const ListRecall& one, Rect row, const ui::Scale& x) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float y = row.center().y;
    const bool own = one.info->name == std::string_view(kOwn);
    cell(d.ui, {row.x, y + 5}, message(one.info->short_title), x.a - row.x - 12, {theme.ink, 14, own ? Font::text_bold : Font::text});
    const float first = x(one.share(one.first)), picked = x(one.share(one.picked)), listed = x(one.share(one.listed));
    canvas.line({std::min(first, picked), y}, {listed, y}, {theme.role(ui::Role::draft).alpha(0.35F), 3});
    if (picked > first) canvas.line({first, y}, {picked, y}, {theme.role(ui::Role::accepted), 3});
    canvas.line({listed, y - 8}, {listed, y + 8}, {theme.ink, 2});
    canvas.disc({first, y}, 5, theme.bg);
    canvas.ring({first, y}, 5, {theme.role(ui::Role::draft), 2});
    if (one.corrected()) canvas.disc({picked, y}, 5, theme.role(ui::Role::accepted));
    const Message numbers =
        dflash_says("list.numbers"_t, "first"_v = one.share(one.first),
                    "picked"_v = one.corrected() ? std::optional(one.share(one.picked)) : std::nullopt, "listed"_v = one.share(one.listed));
    cell(d.ui, {row.right(), y + 5}, numbers, row.right() - x.b - 12, {theme.muted, 14, Font::mono, ui::Align::right});
    ui::thing(d.ui, row, row_words(one));
}

} // namespace

ListRecall list_recall(const RunView& view) {
    ListRecall found;
    for (const RoundSummary& round : view.round_list) {
        if (!round.complete()) continue;
        for (std::size_t i = 0; i < round.judged_in_order(); ++i) {
            const DraftSlot& slot = round.drafts[i];
            const bool kept = slot.check->accepted;
            if (!kept && !round.resample) continue;
            const int token = kept ? slot.draft->token : round.resample->token;
            const TopEntries& list = slot.draft->base_top.entries.empty() ? at_one(*slot.draft) : slot.draft->base_top;
            if (list.entries.empty()) continue;
            const auto at = std::ranges::find(list.entries, token, &TopEntries::Entry::id) - list.entries.begin();
            const bool listed = at < std::min<std::ptrdiff_t>(ListRecall::kDeep, std::ssize(list.entries));
            ++found.places;
            found.first += at == 0;
            found.listed += listed;
            found.picked += kept;
        }
    }
    return found;
}

RunStudy list_study(const SceneInput& input) {
    RunStudy study{kLists, {}};
    if (!drafter_ready(input, kOwn) || !input.settings) return study;
    for (const DrafterInfo& info : drafter_list()) {
        if (!info.block || info.tree || !drafter_ready(input, info.name)) continue;
        RunSettings settings = with_drafter(with_temperature(*input.settings, 0), info.name);
        settings.options = {};
        settings.k = default_k(info.name);
        settings.max_tokens = 96;
        settings.trace_top = ListRecall::kDeep;
        settings.internals = false;
        study.runs.push_back(std::move(settings));
    }
    return study;
}

std::vector<ListRecall> list_recalls(const SceneInput& input) {
    std::vector<ListRecall> all;
    const Study* study = study_of(input, list_study(input));
    if (!study || !study->complete()) return all;
    for (const StudyPoint& point : study->points) {
        if (!point.trace) continue;
        ListRecall one = list_recall(fold(*point.trace, point.trace->size()));
        one.info = find_drafter(point.settings.drafter);
        if (one.info && one.places > 0) all.push_back(one);
    }
    return all;
}

Words list_words(const SceneInput& input) {
    const std::vector<ListRecall> all = list_recalls(input);
    if (all.empty()) return dflash_says.beat("list:unmeasured"_t, "deep"_v = ListRecall::kDeep);
    const ListRecall &own = all.front(), *best = best_picker(all);
    return dflash_says.beat("list:measured"_t, "places"_v = own.places, "first"_v = own.share(own.first),
                            "listed"_v = own.share(own.listed), "deep"_v = ListRecall::kDeep,
                            "best"_v = best ? message(best->info->short_title) : Message(),
                            "best_first"_v = best ? best->share(best->first) : 0, "picked"_v = best ? best->share(best->picked) : 0);
}

Message list_title(const SceneInput& input) {
    const std::vector<ListRecall> all = list_recalls(input);
    if (all.empty()) return dflash_says("list.title:unmeasured"_t);
    const ListRecall& own = all.front();
    return dflash_says("list.title:measured"_t, "first"_v = own.share(own.first), "listed"_v = own.share(own.listed),
                       "deep"_v = ListRecall::kDeep);
}

void draw_dflash_lists(const DFlashDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const std::vector<ListRecall> all = list_recalls(d.input);
    part_head(d.ui, r, dflash_says("list.head"_t, "deep"_v = ListRecall::kDeep));
    const Rect plot{r.x, r.y + 26, r.w, r.h - 26};
    if (all.empty())
        return ui::slot(canvas, d.ui.theme, {plot.x, plot.y + 4, plot.w, std::max(24.0F, plot.h - 8)},
                        unmeasured_words(d.input, study_named(d.input, kLists), dflash_says("list.how"_t)));
    constexpr float kNumbers = 172, kAxis = 26;
    float name = 0;
    for (const ListRecall& one : all) name = std::max(name, canvas.text_width(message(one.info->short_title), Font::text_bold, 14));
    const float pitch = std::min(34.0F, (plot.h - kAxis) / static_cast<float>(all.size()));
    const ui::Scale x{0, 1, r.x + std::min(name + 20, r.w * 0.3F), r.right() - kNumbers};
    float y = plot.y;
    for (const ListRecall& one : all) {
        if (pitch < 16) {
            canvas.tell(row_words(one), r);
            continue;
        }
        draw_recall(d, one, {r.x, y, r.w, pitch}, x);
        y += pitch;
    }
    if (pitch >= 16) ui::axis_x(canvas, d.ui.theme, x, y + 2, ui::ticks(0, 1, 5), {});
    ui::plotted(canvas, {x.a, plot.y, x.b - x.a, y - plot.y}, ui::PlotMark::rows, "", all, [](const ListRecall& one) {
        return ui::PlotDatum{.x = one.share(one.picked),
                             .low = one.share(one.first),
                             .high = one.share(one.listed),
                             .label = message(one.info->short_title).words()};
    });
}

} // namespace speclens
