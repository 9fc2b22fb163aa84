#include "engine/batch/margin_controller.h"

#include <algorithm>
#include <cmath>

namespace speclens {
namespace {

constexpr double kWidest = 40; // beyond it a row is as clear as can be
constexpr double kRidge = 1e-3;

double clipped(double margin) { return std::min(margin, kWidest); }

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

} // namespace

double MarginModel::keeps(double margin) const { return logistic(slope_ * clipped(margin) + level_); }

void MarginModel::saw(double margin, bool kept) {
    const std::pair<double, bool> answer{clipped(margin), kept};
    if (seen_.size() < kMost)
        seen_.push_back(answer);
    else
        seen_[next_] = answer;
    next_ = (next_ + 1) % kMost;
}

void MarginModel::refit() {
    if (seen_.size() < kFewest) return;
    double slope = slope_, level = level_;
    for (int step = 0; step < 20; ++step) {
        double by_slope = -kRidge * slope, by_level = -kRidge * level; // gradient of the log-likelihood
        double ss = kRidge, sl = 0, ll = kRidge;                       // its curvature, the other way round
        for (const auto& [margin, kept] : seen_) {
            const double p = logistic(slope * margin + level), weight = p * (1 - p), error = (kept ? 1 : 0) - p;
            by_slope += error * margin, by_level += error;
            ss += weight * margin * margin, sl += weight * margin, ll += weight;
        }
        const double determinant = ss * ll - sl * sl;
        const double d_slope = (ll * by_slope - sl * by_level) / determinant, d_level = (ss * by_level - sl * by_slope) / determinant;
        const double shorter =
            std::min(1.0, 4 / std::max(1e-9, std::max(std::abs(d_slope), std::abs(d_level)))); // far off, a step leads too far
        slope += shorter * d_slope, level += shorter * d_level;
        if (std::abs(d_slope) + std::abs(d_level) < 1e-9) break;
    }
    if (!std::isfinite(slope) || !std::isfinite(level)) return;
    slope_ = slope, level_ = level;
}

void MarginController::begin_round(const RoundCost& cost) {
    if (seen_ >= kRefit) {
        for (MarginModel& place : places_) place.refit();
        ++refits_;
        seen_ = 0;
    }
    cost_.clear();
    for (int k = 0; k <= static_cast<int>(places_.size()); ++k) cost_.push_back(cost(k));
    in_full_ = refits_ < kWarm || ++rounds_ % kProbe == 0;
}

bool MarginController::goes_on(Hand& hand, int place, double margin) const {
    if (place == 0) hand = {};
    if (place >= static_cast<int>(places_.size())) return false;
    hand.margins.push_back(margin);
    const auto at = static_cast<std::size_t>(place);
    const double reached = hand.reached * places_[at].keeps(margin), tokens = hand.tokens + reached;
    // More tokens for the time of the round with this place than without.
    if (!in_full_ && tokens * cost_[at] <= hand.tokens * cost_[at + 1]) return false;
    hand.reached = reached, hand.tokens = tokens;
    return true;
}

void MarginController::saw(const Hand& hand, int accepted, int drafted) {
    const int judged = std::min({accepted + 1, drafted, static_cast<int>(hand.margins.size())});
    for (int i = 0; i < judged; ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (refits_ >= kWarm) forecasts_.emplace_back(places_[place].keeps(hand.margins[place]), i < accepted);
        places_[place].saw(hand.margins[place], i < accepted);
    }
    ++seen_;
}

std::optional<double> MarginController::auc() const {
    constexpr long kFew = 10;
    std::vector<std::pair<double, bool>> sorted = forecasts_;
    std::ranges::sort(sorted);
    double refused = 0, kept = 0, better = 0;
    for (auto from = sorted.begin(); from != sorted.end();) {
        const auto to = std::ranges::find_if(from, sorted.end(), [&](const auto& one) { return one.first != from->first; });
        const auto good = static_cast<double>(std::count_if(from, to, [](const auto& one) { return one.second; }));
        const double bad = static_cast<double>(to - from) - good;
        better += good * (refused + bad / 2); // equal forecasts count half
        refused += bad, kept += good;
        from = to;
    }
    if (refused < kFew || kept < kFew) return {};
    return better / (refused * kept);
}

} // namespace speclens
