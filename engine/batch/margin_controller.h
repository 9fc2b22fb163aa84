// Where to stop a draft, from how clear each of its rows is: the log-odds of a row's two likeliest tokens (its margin) foretell whether
// the target will keep what is drawn there (vLLM's adaptive verification without a head). What they foretell is learnt while texts are
// written.
//
// Honest on three counts. A decision reads the row that a token is about to be drawn from, what was drawn before it and earlier rounds,
// never the token or a later row, so the distribution of a text stays the target's. A forecast was fitted on earlier rounds only:
// auc() counts what was said before the answer was known. And places behind a stop are never judged, so the first rounds are judged in
// full, and one of twenty later on.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/batch/k_controller.h"

namespace speclens {

// Of one place of a draft: the chance that its token is kept, those before it being kept, 1 ÷ (1 + e^−(slope · margin + level)).
class MarginModel {
  public:
    [[nodiscard]] double keeps(double margin) const;
    void saw(double margin, bool kept);
    void refit(); // on the latest kMost answers, by Newton steps with a small ridge; fewer than kFewest: it stays as it is
    [[nodiscard]] double slope() const { return slope_; }
    [[nodiscard]] double level() const { return level_; }

    static constexpr std::size_t kFewest = 30, kMost = 2000;

  private:
    std::vector<std::pair<double, bool>> seen_; // a ring
    std::size_t next_ = 0;                      // where the next answer stands in it
    double slope_ = 0, level_ = 1.5;
};

class MarginController {
  public:
    explicit MarginController(int most) : places_(static_cast<std::size_t>(most)) {}

    // The draft of one text in one round.
    struct Hand {
        std::vector<double> margins;    // of the places that were asked about
        double reached = 1, tokens = 1; // chance that all so far are kept; expected tokens of the round
    };
    // Of a batch. Refits where it is time to; all texts of the round are foretold alike.
    void begin_round(const RoundCost& cost);
    // Whether to draft at `place`, the next one; 0 begins a hand anew.
    [[nodiscard]] bool goes_on(Hand& hand, int place, double margin) const;
    void saw(const Hand& hand, int accepted, int drafted);
    [[nodiscard]] const MarginModel& place(int i) const { return places_[static_cast<std::size_t>(i)]; }
    // Of two judged places, one kept and one refused, how often the kept one had been given the better chance; none: too few yet.
    [[nodiscard]] std::optional<double> auc() const;

  private:
    static constexpr int kRefit = 32, kWarm = 3, kProbe = 20; // rounds of a text; refits; rounds
    std::vector<MarginModel> places_;
    std::vector<double> cost_;                       // by drafts
    std::vector<std::pair<double, bool>> forecasts_; // after the warm-up
    int rounds_ = 0, seen_ = 0, refits_ = 0;         // seen_: since the last refit
    bool in_full_ = true;                            // this round
};

} // namespace speclens
