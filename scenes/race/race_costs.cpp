// Where a round's time goes, divided by what it brings: stacked bars of measured phases, and a published one
// beside them on a scale of its own.
#include <algorithm>

#include "scenes/race/race_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

struct Bar {
    const RaceLaneModel* lane;
    double draft, head, verify, accept, rest, tokens;
    [[nodiscard]] double round() const { return draft + head + verify + accept + rest; }
};

// Averages over the prompts; before there are any, this prompt's rounds.
std::optional<Bar> bar_of(const RaceLaneModel& lane) {
    if (lane.lane->average) {
        const Totals& t = lane.lane->average->totals;
        return Bar{&lane,       t.draft_ms - t.head_ms,   t.head_ms,           t.verify_ms,
                   t.accept_ms, t.other_ms - t.accept_ms, t.tokens_per_round()};
    }
    if (!lane.trace || lane.whole.rounds == 0) return std::nullopt;
    Bar bar{&lane, 0, 0, 0, 0, 0, lane.whole.tokens_per_round()};
    for (const CycleSummary& cycle : lane.whole.cycles) {
        if (!cycle.complete()) continue;
        bar.draft += cycle.draft_ms - cycle.head_ms;
        bar.head += cycle.head_ms;
        bar.verify += cycle.verify_ms;
        bar.accept += cycle.commit->accept_ms;
        bar.rest += cycle.commit->ms;
    }
    const double n = lane.whole.rounds;
    bar.draft /= n, bar.head /= n, bar.verify /= n, bar.accept /= n, bar.rest /= n;
    return bar;
}

// Number inside its segment when it fits.
void segment(const RaceDraw& d, float from, float to, float y, float h, ui::Color fill, ui::Color ink,
             double ms) {
    if (to - from < 0.6F) return;
    ui::Canvas& c = d.ui.canvas;
    c.fill({from, y, std::max(1.0F, to - from - 1), h}, fill, 2);
    const std::string words = ui::number(ms, 2);
    if (c.text_width(words, Font::mono, 14) + 8 < to - from)
        c.text({(from + to) / 2, y + h / 2 + 5}, words, Font::mono, 14, ink, Align::center);
}

// The phases, and the speed-up that follows from them beside the measured one.
std::string cost_words(const RaceDraw& d, const Bar& b) {
    std::string words = "draft " + ui::number(b.draft, 3) + ", " + head_word(b.lane->drafter) + " " +
                        ui::number(b.head, 3) + ", verify " + ui::number(b.verify, 3) +
                        ", laws, verdicts and resampling " + ui::number(b.accept, 3) + ", the rest " +
                        ui::number(b.rest, 3) + " ms";
    if (const std::string formula = formula_words(d.model, *b.lane); !formula.empty())
        words += "; " + formula;
    return words;
}

} // namespace

void draw_race_costs(const RaceDraw& d, Rect card) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const std::string unit = "ms / token", over = averages_words(d.model);
    const Rect in = race_card(d, card, costs_title(d.model),
                              {over + " · ms per round ÷ tokens per round", over + " · ms ÷ tokens", over},
                              c.text_width(unit, Font::text, 14) + 16);
    std::vector<Bar> bars;
    double longest = 0;
    for (const RaceLaneModel& lane : d.model.lanes)
        if (const auto bar = bar_of(lane)) {
            bars.push_back(*bar);
            longest = std::max(longest, bar->round());
        }
    if (bars.empty()) {
        ui::slot(c, t, {in.x, in.y + 8, in.w, 32}, "the phases of every lane will stand here");
        return;
    }
    const PublishedRace paper = published_race(d.input.figures);
    constexpr float kPitch = 24, kPaper = 62; // the measured lanes come first
    const bool with_paper =
        !paper.points.empty() && in.h >= kPitch * static_cast<float>(bars.size()) + kPaper;
    const float below = with_paper ? (in.h >= 230 ? 94.0F : kPaper) : 0;
    const float pitch = std::clamp((in.h - below) / static_cast<float>(bars.size()), kPitch, 42.0F);
    const float h = pitch >= 36 ? 22.0F : 18.0F;
    const float name = 92, x0 = in.x + name, x1 = in.right() - 128;
    const ui::Scale x{.lo = 0, .hi = longest, .a = x0, .b = x1};
    c.text({in.right(), card.y + 45}, unit, Font::text, 14, t.muted, Align::right);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Bar& b = bars[i];
        const float y = in.y + 6 + pitch * static_cast<float>(i), base = y + h / 2 + 5;
        if (base > in.bottom() - below) break;
        const bool chosen = &d.model.lanes[static_cast<std::size_t>(d.model.focus)] == b.lane;
        ui::fitted_text(c, {in.x, base}, b.lane->title, chosen ? Font::text_bold : Font::text, 14,
                        chosen ? t.ink : t.muted, name - 8);
        double at = 0;
        const auto part = [&](double ms, ui::Color fill, ui::Color ink) {
            segment(d, x(at), x(at + ms), y, h, fill, ink, ms);
            at += ms;
        };
        part(b.draft, t.role(Role::draft), t.on(Role::draft));
        part(b.head, ui::mix(t.role(Role::draft), t.panel, 0.55F), t.ink);
        part(b.verify, t.role(Role::target), t.on(Role::target));
        part(b.accept, ui::mix(t.muted, t.panel, 0.7F), t.ink);
        part(b.rest, ui::mix(t.muted, t.panel, 0.45F), t.ink);
        ui::tooltip(d.ui, {x0, y, x1 - x0, h}, cost_words(d, b));
        c.text({in.right() - 62, base}, "÷ " + ui::per_round(b.tokens), Font::mono, 14, t.muted,
               Align::right);
        c.text({in.right(), base}, ui::number(b.tokens > 0 ? b.round() / b.tokens : 0, 3), Font::mono, 14,
               t.ink, Align::right);
    }
    if (!with_paper) return;
    const PublishedPoint* p = &paper.points.front();
    for (const PublishedPoint& point : paper.points)
        if (point.head > 0) p = &point;
    const float top = in.bottom() - below + 6;
    const float y = draw_published_bar(d.ui, {in.x, top, in.w, below}, paper, *p, name) - 20;
    if (below < 90) return;
    ui::fitted_text(c, {x0, y + 40},
                    ui::number(p->draft, 1) + " draft + " + ui::number(p->head, 1) + " head + " +
                        ui::number(p->verify, 1) + " verify",
                    Font::text, 14, t.muted, in.right() - x0);
    ui::tooltip(d.ui, {in.x, top, in.w, below - 6}, "source: " + paper.source);
}

} // namespace speclens
