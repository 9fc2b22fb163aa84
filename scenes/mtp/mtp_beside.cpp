// MTP beside EAGLE-3 and Medusa at one round, and beside what others measured.
#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "scenes/mtp/mtp_draw.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

std::string why_not(const MtpBeside& beside, const MtpBesideRow& row) {
    if (row.guess && !row.guess->problem.empty()) return row.guess->problem;
    if (row.guess) return "nothing is left to guess";
    return beside.can_ask ? "asking…" : "a saved run: no models to ask";
}

void draw_guesses(const MtpDraw& d, const MtpBesideRow& row, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RoundSummary* round = row.round();
    if (!round || round->drafts.empty()) {
        ui::fitted_text(canvas, {r.x, r.y + 18}, why_not(d.frame.beside, row), Font::text, 14, theme.muted, r.w);
        return;
    }
    const auto count = static_cast<float>(round->drafts.size());
    const float pitch = std::min(170.0F, (r.w + 8) / count);
    float x = r.x;
    for (const DraftSlot& slot : round->drafts) {
        const Rect chip{x, r.y, pitch - 8, 28};
        ui::chip(canvas, theme, chip, label_of(*d.frame.run.trace, slot.draft->token), {.role = role_of(slot.state)});
        const auto q = claimed(*d.frame.run.whole->header, *slot.draft);
        ui::fitted_text(canvas, {chip.center().x, chip.bottom() + 17}, "q " + (q ? ui::probability(*q) : std::string("–")), Font::mono, 14,
                        theme.muted, chip.w, Align::center);
        ui::tooltip(d.ui, {chip.x, chip.y, chip.w, 48}, quoted(*d.frame.run.trace, slot.draft->token) + ": " + fate_words(slot.state));
        x += pitch;
    }
}

} // namespace

void draw_mtp_beside(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const auto count = static_cast<float>(d.frame.beside.rows.size());
    const float pitch = std::min(190.0F, r.h / count), names = r.w >= 760 ? 190.0F : 132.0F, tokens = 92;
    const double verify = d.frame.model.verify_ms;
    double longest = 0;
    for (const MtpBesideRow& row : d.frame.beside.rows) longest = std::max(longest, row.guess ? row.guess->draft_ms + verify : 0);
    float y = r.y;
    for (const MtpBesideRow& row : d.frame.beside.rows) {
        if (y > r.y) canvas.line({r.x, y + 0.5F}, {r.right(), y + 0.5F}, theme.hairline());
        const std::string name = row.info->name;
        ui::icon(canvas, method_mark(name), {r.x + 8, y + 25}, 14, theme.ink);
        ui::fitted_text(canvas, {r.x + 24, y + 30}, method_title(name), Font::text_bold, 15, theme.ink, names - 32);
        if (row.guess) {
            const std::string ms =
                row.guess->draft_ms > 0 ? ui::number(row.guess->draft_ms, row.guess->draft_ms < 0.1 ? 3 : 2) + " ms" : "not timed";
            ui::fitted_text(canvas, {r.x + 24, y + 52}, ms, Font::mono, 14, theme.ink, names - 32);
            if (pitch >= 84)
                ui::fitted_text(canvas, {r.x + 24, y + 73}, "stores " + stored_words(row), Font::text, 14, theme.muted, names - 32);
        }
        const float x = r.x + names, w = r.w - names - tokens;
        ui::fitted_text(canvas, {x, y + 22}, reads_words(row), Font::text, 14, theme.muted, w);
        draw_guesses(d, row, {x, y + 32, w - 12, 28});
        if (pitch >= 130 && row.guess && row.guess->draft_ms > 0) { // its round by the clock; the same check for all
            const std::vector<ui::Segment> parts{{0, row.guess->draft_ms, Role::draft, "", ""},
                                                 {row.guess->draft_ms, verify, Role::target, "verify", ""}};
            ui::gantt_lane(canvas, theme, ui::Scale{0, longest, x, x + w - 12}, y + 92, 22, parts, 1.5F, d.ui.input.mouse);
        }
        if (const int brought = row.tokens(); brought > 0)
            ui::fitted_text(canvas, {r.right(), y + 51}, counted(brought, "token"), Font::text_bold, 15, theme.ink, tokens, Align::right);
        y += pitch;
    }
}

void draw_mtp_published(const MtpDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (d.frame.published.empty()) return ui::slot(canvas, theme, {r.x, r.y, r.w, 60}, "no published figures are loaded");
    constexpr float kKey = 20; // above the first bar
    const auto figures = static_cast<float>(d.frame.published.size());
    const bool bars = r.h - kKey >= 60 * figures; // hatched, on one scale, with a line where plain decoding stands
    const float pitch = std::clamp((r.h - (bars ? kKey : 0)) / figures, 46.0F, 92.0F);
    double most = 1;
    for (const PublishedFigure* figure : d.frame.published) most = std::max(most, middle(*figure));
    float y = r.y + (bars ? kKey : 0);
    for (const PublishedFigure* figure : d.frame.published) {
        if (y + 44 > r.bottom() + 4) break;
        const Rect box{r.x, y + 6, 116, 24};
        canvas.hatch(box, theme.role(Role::target).alpha(0.25F));
        canvas.outline(box, {theme.role(Role::target), 1}, 3);
        ui::fitted_text(canvas, {box.right() - 8, box.y + 17}, published_value(*figure), Font::mono, 14, theme.ink, box.w - 14,
                        Align::right);
        const float x = box.right() + 16, w = r.right() - x;
        if (bars) {
            const Rect bar{x, y + 45, w * static_cast<float>(middle(*figure) / most), pitch >= 70 ? 12.0F : 9.0F};
            canvas.hatch(bar, theme.role(Role::target).alpha(0.45F), 5);
            canvas.outline(bar, {theme.role(Role::target), 1}, 2);
            const float plain = x + w / static_cast<float>(most);
            canvas.line({plain, bar.y - 3}, {plain, bar.bottom() + 3}, {theme.ink, 1.5F});
            if (figure == d.frame.published.front()) canvas.text({plain, r.y + 12}, "1× plain", Font::text, 14, theme.muted, Align::center);
        }
        std::vector<std::string> source{published_citation(*figure, d.frame.run.figures->source_of(*figure))};
        if (figure->standing != Standing::as_published) source.insert(source.begin(), source.front() + "; " + published_standing(*figure));
        ui::fitted_text(canvas, {x, y + 18}, published_conditions(*figure), Font::text, 14, theme.ink, w);
        ui::fitted_text(canvas, {x, y + 37}, ui::fitting(canvas, source, Font::text, 14, w), Font::text, 14, theme.muted, w);
        ui::tooltip(d.ui, {r.x, y, r.w, 44}, figure->claim);
        y += pitch;
    }
}

} // namespace speclens
