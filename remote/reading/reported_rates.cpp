#include "remote/reading/reported_rates.h"

#include <algorithm>
#include <cmath>

#include "remote/reading/reported_number.h"

namespace speclens {
namespace {

constexpr double kLongestDraft = 128;

// The K that a formula allows.
struct DraftRange {
    double low = 1, high = kLongestDraft;
    [[nodiscard]] bool any() const { return low <= high; }
};

// rate = (length - 1 + own) ÷ (K + own), all figures rounded.
DraftRange allowed(DraftRange range, const std::vector<ReportedAverage>& averages, double own, double rounding) {
    for (const ReportedAverage& reported : averages) {
        const double kept = reported.length - 1 + own;
        range.low = std::max(range.low, (kept - rounding) / (reported.rate + rounding) - own);
        if (reported.rate > rounding) range.high = std::min(range.high, (kept + rounding) / (reported.rate - rounding) - own);
    }
    return {std::ceil(range.low), std::floor(range.high)};
}

} // namespace

std::optional<double> drafts_of_settings(std::optional<double> draft_tokens, std::optional<double> steps) {
    if (draft_tokens && *draft_tokens > 1) return *draft_tokens - 1;
    return steps && *steps > 0 ? steps : std::nullopt;
}

std::optional<double> ReportedRates::share(std::optional<double> length, std::optional<double> rate) const {
    if (length && *length <= 1) return 0;                                 // the target's own token alone, whatever K
    if (length && drafts) return reported_share((*length - 1) / *drafts); // longer than K: K is of another run
    return drafts_only ? rate : std::nullopt;
}

std::string ReportedRates::words() const {
    static const std::string kBefore = "before pull request 23530 (April 2026)";
    if (drafts)
        return "accepted is (acceptance length − 1) ÷ K with K = " + std::to_string(std::lround(*drafts)) +
               (inferred ? ", the only K that fits SGLang's lengths and rates" : " by SGLang's settings") +
               (own_token ? "; its own accept rate counts the target's token in, as SGLang did " + kBefore : "");
    if (drafts_only) return "accepted is SGLang's own accept rate";
    return "SGLang's own accept rate: " + kBefore + " it counted the target's own token in" + (own_token ? ", and so it does here" : "");
}

ReportedRates read_reported_rates(const std::vector<ReportedAverage>& averages, std::optional<double> drafts, double rounding) {
    const DraftRange all = drafts ? DraftRange{*drafts, *drafts} : DraftRange{};
    const DraftRange before = allowed(all, averages, 1, rounding), now = allowed(all, averages, 0, rounding);
    ReportedRates out;
    out.inferred = !drafts;
    if (!before.any() && !now.any()) return out;
    const double low = std::min(before.any() ? before.low : kLongestDraft, now.any() ? now.low : kLongestDraft),
                 high = std::max(before.any() ? before.high : 0, now.any() ? now.high : 0);
    if (low == high) out.drafts = low;
    out.own_token = !now.any();
    out.drafts_only = !before.any();
    return out;
}

} // namespace speclens
