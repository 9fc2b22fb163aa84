// Who chooses K for the rounds to come, from what earlier rounds kept: as an article on serving prints it, the same purpose by the
// formula, and by the gain that measured costs promise. A decision looks at earlier rounds only, never at what is drafted now, so that the
// distribution of a text stays the target's.
#pragma once

#include <deque>
#include <functional>
#include <vector>

namespace speclens {

// The controller of the cluster article: mean of accepted ÷ proposed over a window.
class ArticleController {
  public:
    explicit ArticleController(int start = 5, int least = 1, int most = 10) : k_(start), least_(least), most_(most) {}
    int update(int accepted, int proposed); // K for the next round
    [[nodiscard]] int k() const { return k_; }

  private:
    std::deque<double> rates_;
    int k_, least_, most_;
};

// What a round with K drafts takes, in any unit; of as many texts as the round has.
using RoundCost = std::function<double(int k)>;

// The same purpose from the formula: alpha estimated from accepted drafts and rounds that stopped early, then
// the K that is fastest for it; K changes only for a gain of 2 %.
class FormulaController {
  public:
    explicit FormulaController(int start = 5, int most = 10, int least = 1) : k_(start), least_(least), most_(most) {}
    void saw(int accepted, int proposed);
    int decide(const RoundCost& cost); // K for the next round
    [[nodiscard]] int k() const { return k_; }
    [[nodiscard]] double alpha() const;

  private:
    double accepted_ = 0, stopped_ = 0; // both fade with a half life of 70 rounds
    int k_, least_, most_;
};

// Expected gain place by place (goodput; vLLM's adaptive K): the chance that the draft at a place is kept where all before it were, as a
// moving mean, and the K with the most expected tokens for the cost. 0 is a choice: then every twentieth round drafts one, to see
// whether times have changed.
class GainController {
  public:
    explicit GainController(int most) : kept_(static_cast<std::size_t>(most), kPrior) {}
    void saw(int accepted, int proposed);
    int decide(const RoundCost& cost);
    [[nodiscard]] double kept(int place) const { return kept_[static_cast<std::size_t>(place)]; }

  private:
    static constexpr double kPrior = 0.7, kShare = 0.1;
    static constexpr int kProbe = 20; // rounds
    std::vector<double> kept_;
    int idle_ = 0; // rounds with K = 0
};

// Expected tokens of a round whose drafts are kept with alpha each: (1 − α^(K+1)) ÷ (1 − α).
[[nodiscard]] double tokens_of_round(double alpha, int k);

} // namespace speclens
