// MTP beside EAGLE-3 and Medusa at one round, and beside what others measured.
#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/panel.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// What it takes from the target.
Message reads_words(const MtpBesideRow& row) {
    const std::string name = row.info->name;
    if (name == "mtp") return mtp_says("heads.reads:mtp"_t);
    if (name == "medusa") return mtp_says("heads.reads:medusa"_t);
    return mtp_says("heads.reads:eagle3"_t, "layers"_v = row.guess ? row.guess->taps.size() : 0);
}

Message stored_words(const MtpBesideRow& row) {
    if (!row.guess) return {};
    return row.guess->bytes > 0 ? size_words(row.guess->bytes) : mtp_says("heads.nothing"_t);
}

Message took_words(const MtpBesideRow& row) {
    if (!row.guess) return {};
    const double ms = row.guess->draft_ms;
    if (ms <= 0) return mtp_says("heads.took:untimed"_t);
    return ms < 0.1 ? mtp_says("heads.took:short"_t, "ms"_v = ms) : mtp_says("heads.took:long"_t, "ms"_v = ms);
}

bool drafted(const MtpBesideRow& row) { return row.round() && !row.round()->drafts.empty(); }

Message why_not(const MtpBeside& beside, const MtpBesideRow& row) {
    return no_guess_words(row.guess, beside.can_ask || row.guess, beside.can_ask && !row.guess);
}

Message guess_words(const MtpDraw& d, const DraftSlot& slot) {
    const SceneInput& run = *d.model.run;
    return mtp_says("heads.guess"_t, "token"_v = word(run, slot.draft->token), "q"_v = claimed(*run.whole->header, *slot.draft),
                    "fate"_v = fate_words(slot.state));
}

Message row_words(const MtpDraw& d, const MtpBesideRow& row) {
    const auto guesses =
        drafted(row) ? each_said(row.round()->drafts, [&](const DraftSlot& slot) { return guess_words(d, slot); }) : std::vector<Said>();
    const bool timed = row.guess && row.guess->draft_ms > 0;
    return mtp_says("heads.told"_t, "drafter"_v = method_title(row.info->name).words(), "reads"_v = reads_words(row),
                    "stored"_v = stored_words(row), "took"_v = took_words(row),
                    "verify"_v = timed ? if_measured(d.model.verify_ms) : std::nullopt, "guesses"_v = guesses,
                    "why"_v = guesses.empty() ? why_not(d.model.beside, row) : Message(), "tokens"_v = row.tokens());
}

void draw_guesses(const MtpDraw& d, const MtpBesideRow& row, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (!drafted(row)) return cell(d.ui, {r.x, r.y + 18}, why_not(d.model.beside, row).words(), r.w, {theme.muted});
    const SceneInput& run = *d.model.run;
    const auto count = static_cast<float>(row.round()->drafts.size());
    const float pitch = std::min(170.0F, (r.w + 8) / count);
    float x = r.x;
    for (const DraftSlot& slot : row.round()->drafts) {
        const Rect chip{x, r.y, pitch - 8, 28};
        ui::chip(canvas, theme, chip, label_of(*run.trace, slot.draft->token), {.role = role_of(slot.state)});
        const Message q = mtp_says("heads.q"_t, "q"_v = claimed(*run.whole->header, *slot.draft));
        cell(d.ui, {chip.center().x, chip.bottom() + 17}, q.words(), chip.w, {theme.muted, 14, Font::mono, Align::center});
        ui::tooltip(d.ui, {chip.x, chip.y, chip.w, 48}, guess_words(d, slot));
        x += pitch;
    }
}

} // namespace

void draw_mtp_beside(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<MtpBesideRow>& rows = d.model.beside.rows;
    const auto count = static_cast<float>(rows.size());
    const float pitch = std::min(190.0F, r.h / count), names = r.w >= 760 ? 190.0F : 132.0F, tokens = 92;
    const double verify = d.model.verify_ms;
    double longest = 0;
    for (const MtpBesideRow& row : rows) longest = std::max(longest, row.guess ? row.guess->draft_ms + verify : 0);
    float y = r.y;
    for (const MtpBesideRow& row : rows) {
        if (y > r.y) canvas.line({r.x, y + 0.5F}, {r.right(), y + 0.5F}, theme.hairline());
        canvas.tell(row_words(d, row), {r.x, y, r.w, pitch}, ui::Canvas::Told::drawn);
        const std::string name = row.info->name;
        ui::icon(canvas, method_mark(name), {r.x + 8, y + 25}, 14, theme.ink);
        cell(d.ui, {r.x + 24, y + 30}, method_title(name), names - 32, {theme.ink, 15, Font::text_bold});
        if (row.guess) {
            cell(d.ui, {r.x + 24, y + 52}, took_words(row).words(), names - 32, {theme.ink, 14, Font::mono});
            if (pitch >= 84)
                cell(d.ui, {r.x + 24, y + 73}, mtp_says("heads.stores"_t, "stored"_v = stored_words(row)).words(), names - 32,
                     {theme.muted});
        }
        const float x = r.x + names, w = r.w - names - tokens;
        cell(d.ui, {x, y + 22}, reads_words(row).words(), w, {theme.muted});
        draw_guesses(d, row, {x, y + 32, w - 12, 28});
        if (pitch >= 130 && row.guess && row.guess->draft_ms > 0) { // its round by the clock; the same check for all
            const std::vector<ui::Segment> parts{{0, row.guess->draft_ms, Role::draft, "", ""},
                                                 {row.guess->draft_ms, verify, Role::target, shared_says("head.clock:verify"_t), ""}};
            ui::gantt_lane(canvas, theme, ui::Scale{0, longest, x, x + w - 12}, y + 92, 22, parts, 1.5F, d.ui.input.mouse);
        }
        if (const int brought = row.tokens(); brought > 0)
            cell(d.ui, {r.right(), y + 51}, mtp_says("heads.tokens"_t, "tokens"_v = brought).words(), tokens,
                 {theme.ink, 15, Font::text_bold, Align::right});
        y += pitch;
    }
}

void draw_mtp_published(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<const PublishedFigure*>& all = d.model.published;
    if (all.empty()) return ui::slot(canvas, theme, {r.x, r.y, r.w, 60}, mtp_says("figures.none"_t));
    constexpr float kKey = 20; // above the first bar
    const auto figures = static_cast<float>(all.size());
    const bool bars = r.h - kKey >= 60 * figures; // hatched, on one scale, with a line where plain decoding stands
    const float pitch = std::clamp((r.h - (bars ? kKey : 0)) / figures, 46.0F, 92.0F);
    double most = 1;
    for (const PublishedFigure* figure : all) most = std::max(most, middle(*figure));
    float y = r.y + (bars ? kKey : 0);
    for (const PublishedFigure* figure : all) {
        const auto value = "value"_v = value_said(*figure);
        const auto source = "source"_v = citation_said(*figure, d.input.figures->source_of(*figure));
        const auto conditions = "conditions"_v = conditions_said(*figure);
        const bool printed = figure->standing == Standing::as_published;
        const auto standing = "standing"_v = printed ? std::vector<Said>() : std::vector<Said>{standing_said(*figure)};
        const Message row = mtp_says("figures.row"_t, value, "claim"_v = claim_said(*figure), conditions, source, standing);
        if (y + 44 > r.bottom() + 4) {
            canvas.tell(row, r);
            continue;
        }
        const Rect box{r.x, y + 6, 116, 24};
        canvas.hatch(box, theme.role(Role::target).alpha(0.25F));
        canvas.outline(box, {theme.role(Role::target), 1}, 3);
        cell(d.ui, {box.right() - 8, box.y + 17}, message(value_said(*figure)).words(), box.w - 14,
             {theme.ink, 14, Font::mono, Align::right});
        const float x = box.right() + 16, w = r.right() - x;
        if (bars) {
            const Rect bar{x, y + 45, w * static_cast<float>(middle(*figure) / most), pitch >= 70 ? 12.0F : 9.0F};
            canvas.hatch(bar, theme.role(Role::target).alpha(0.45F), 5);
            canvas.outline(bar, {theme.role(Role::target), 1}, 2);
            const float plain = x + w / static_cast<float>(most);
            canvas.line({plain, bar.y - 3}, {plain, bar.bottom() + 3}, {theme.ink, 1.5F});
            if (figure == all.front())
                canvas.text({plain, r.y + 12}, mtp_says("figures.plain"_t), Font::text, 14, theme.muted, Align::center);
        }
        cell(d.ui, {x, y + 18}, mtp_says("figures.conditions"_t, conditions).words(), w, {theme.ink});
        const Message ways[] = {mtp_says("figures.source"_t, source, standing),
                                mtp_says("figures.source"_t, source, "standing"_v = std::vector<Said>())};
        cell(d.ui, {x, y + 37}, ui::fitting(canvas, ways, Font::text, 14, w).words(), w, {theme.muted});
        ui::thing(d.ui, {r.x, y, r.w, 44}, row);
        y += pitch;
    }
}

} // namespace speclens
