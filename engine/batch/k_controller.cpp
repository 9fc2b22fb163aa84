#include "engine/batch/k_controller.h"

#include <algorithm>
#include <numeric>

namespace speclens {
namespace {

constexpr std::size_t kWindow = 100;
constexpr std::size_t kWarmUp = 10;
constexpr double kFade = 0.99; // per round: half of it is gone after 70
constexpr double kGain = 1.02; // below it K stays

} // namespace

double tokens_of_round(double alpha, int k) {
    double sum = 1, power = 1;
    for (int i = 0; i < k; ++i) sum += power *= alpha;
    return sum;
}

int ArticleController::update(int accepted, int proposed) {
    rates_.push_back(proposed > 0 ? static_cast<double>(accepted) / proposed : 0);
    if (rates_.size() > kWindow) rates_.pop_front();
    if (rates_.size() < kWarmUp) return k_;
    const double rate = std::accumulate(rates_.begin(), rates_.end(), 0.0) / static_cast<double>(rates_.size());
    if (rate > 0.9 && k_ < most_)
        ++k_;
    else if (rate > 0.8)
        return k_;
    else if (rate > 0.6 && k_ > 3)
        --k_;
    else if (rate <= 0.6 && k_ > least_)
        k_ = std::max(least_, k_ - 2);
    return k_;
}

double FormulaController::alpha() const { return accepted_ + stopped_ > 0 ? accepted_ / (accepted_ + stopped_) : 0.5; }

void FormulaController::saw(int accepted, int proposed) {
    accepted_ = accepted_ * kFade + accepted;
    stopped_ = stopped_ * kFade + (accepted < proposed ? 1 : 0);
}

int FormulaController::decide(const RoundCost& cost) {
    if (accepted_ + stopped_ < static_cast<double>(kWarmUp)) return k_;
    const auto speed = [&](int k) { return tokens_of_round(alpha(), k) / cost(k); };
    int best = least_;
    for (int k = least_ + 1; k <= most_; ++k)
        if (speed(k) > speed(best)) best = k;
    if (speed(best) > kGain * speed(k_)) k_ = best;
    return k_;
}

void GainController::saw(int accepted, int proposed) {
    for (int place = 0; place < std::min({proposed, accepted + 1, static_cast<int>(kept_.size())}); ++place) {
        double& mean = kept_[static_cast<std::size_t>(place)];
        mean += kShare * ((place < accepted ? 1 : 0) - mean);
    }
}

int GainController::decide(const RoundCost& cost) {
    double tokens = 1, reached = 1, best = 1 / cost(0);
    int k = 0;
    for (int i = 0; i < static_cast<int>(kept_.size()); ++i) {
        reached *= kept_[static_cast<std::size_t>(i)];
        tokens += reached;
        if (const double speed = tokens / cost(i + 1); speed > best) best = speed, k = i + 1;
    }
    idle_ = k == 0 ? idle_ + 1 : 0;
    if (idle_ < kProbe) return k;
    idle_ = 0;
    return 1;
}

} // namespace speclens
