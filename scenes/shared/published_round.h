// One round as others published it: tokens, drafting, head and verifying of one experiment, drawn hollow and
// hatched on a scale of its own, below a round measured here. Another machine and another model: the two
// share no axis.
#pragma once

#include <string>
#include <vector>

#include "engine/published/published.h"
#include "engine/run/run_view.h"
#include "scenes/shared/told.h"
#include "ui/widgets.h"

namespace speclens {

// The mean round of a run, in ms; no head in `draft`, `accept` is a part of the rest. All 0 where no round is over.
struct MeanRound {
    double draft = 0, head = 0, verify = 0, rest = 0, accept = 0, tokens = 0;
    int rounds = 0;
    [[nodiscard]] double all() const { return draft + head + verify + rest; }
};
[[nodiscard]] MeanRound mean_round(const RunView& whole);

// Points of the matched comparison that the published files hold: tokens per round, drafting time and verify
// time from one experiment with all three of EAGLE-3, DFlash and Domino. Empty: there is none.
struct PublishedPoint {
    std::string method;
    bool derived = false; // the drafting time is not printed in the source but follows from its other figures
    double tokens = 0, draft = 0, head = 0, verify = 0, target = 0, speed_up = 0; // times in ms
    [[nodiscard]] double round() const { return draft + head + verify; }
};
struct PublishedRace {
    std::vector<PublishedPoint> points;
    std::string model, hardware, conditions; // model and hardware
    Message source;
    [[nodiscard]] const PublishedPoint* of(const std::string& method) const; // null: not among them
};
[[nodiscard]] PublishedRace published_race(const Published* figures);

// Speed-ups that were published for a method: from the lowest value to the highest, over all their
// conditions, those among them that are two printed rates divided. Left out are figures that are wrong in their source, derived in another
// way, or without any source, and variants of a method that has figures of its own.
struct PublishedRange {
    double low = 0, high = 0; // low 0: only upper bounds are known
    bool below = false;       // the lowest figure says only that it is below `low`
    std::vector<const PublishedFigure*> figures;
    [[nodiscard]] bool empty() const { return figures.empty(); }
    [[nodiscard]] Message words() const; // "1.3–2.16×", "<1–6.5×", "up to 2×"
};
[[nodiscard]] PublishedRange published_speed_ups(const Published* figures, const std::string& drafter);

// The hatched bar, with its caption above and room for `name` px at its left. Returns the y below.
float draw_published_bar(ui::Ui& ui, ui::Rect r, const PublishedRace& race, const PublishedPoint& point, float name);
// "16.4 (derived) draft + 35.5 verify"; times in ms
[[nodiscard]] Message published_parts_words(const PublishedPoint& point);
// "16.4 (derived) draft + 35.5 verify: 4.86 tokens per round, 3.28×"
[[nodiscard]] Message published_round_words(const PublishedPoint& point);

// A mean round of this run as a solid bar, and below a divider the published one with its citation.
void draw_rounds_beside(ui::Ui& ui, ui::Rect r, const RunView& whole, const Published* figures);
// The room it takes; 0 where no times were recorded or nobody published a round of this drafter.
[[nodiscard]] float rounds_height(const RunView& whole, const Published* figures);
// What it says with all its numbers, and how far apart the published speed-ups lie: those of published_speed_ups().
// `own`: the rounds are the run's; else only what was published.
void tell_published(ui::Ui& ui, ui::Rect r, const RunView& whole, const Published* figures, bool own = true);

} // namespace speclens
