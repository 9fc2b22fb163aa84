#include "remote/reading/reported_rates.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/printed.h"
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

std::string decimals(double value) { return printed("%.2f", value); }

std::string whole(double value) { return std::to_string(std::lround(value)); }

const char* const kBefore = "before pull request 23530 (April 2026)";

} // namespace

bool DraftSettings::tree() const {
    if (topk) return *topk > 1;
    return draft_tokens && steps && *draft_tokens - 1 > *steps;
}

std::optional<double> DraftSettings::nodes() const {
    if (draft_tokens && *draft_tokens > 1) return *draft_tokens - 1;
    return !tree() && steps && *steps > 0 ? steps : std::nullopt; // of a chain as many as steps
}

std::optional<double> DraftSettings::depth() const {
    if (steps && *steps > 0) return steps;
    return topk && *topk == 1 ? nodes() : std::nullopt;
}

DraftShape DraftSettings::shape() const {
    using Kind = DraftShape::Kind;
    if (tree()) return {.kind = Kind::tree, .depth = depth(), .nodes = nodes()};
    // One of the settings alone is a tree's as well as a chain's.
    if (topk ? *topk != 1 || !told() : !draft_tokens || !steps) return {.kind = Kind::open};
    const std::optional<double> k = nodes() ? nodes() : depth();
    return {.kind = k ? Kind::chain : Kind::open, .depth = k, .nodes = k};
}

std::optional<double> ReportedRates::share(std::optional<double> length, std::optional<double> rate) const {
    if (length && *length <= 1) return 0;                                 // the target's own token alone, whatever K
    if (length && drafts) return reported_share((*length - 1) / *drafts); // longer than K: K is of another run
    return drafts_only ? rate : std::nullopt;
}

std::string ReportedRates::words() const {
    const std::string own = own_token ? std::string("; its own accept rate counts the target's token in, as SGLang did ") + kBefore : "";
    if (tree && drafts)
        return "a tree of " + (depth ? "depth " + whole(*depth) + ", " : std::string()) + whole(*drafts) +
               " nodes checked a round, by SGLang's settings; accepted is (acceptance length − 1) ÷ " + whole(*drafts) + ", of the nodes" +
               (depth ? ", and no length is above " + whole(*depth + 1) : std::string()) +
               (own_token     ? own + ", and its K are the nodes"
                : drafts_only ? "; its own accept rate is of the depth alone, as SGLang tells it since April 2026 (pull request 23530)"
                              : "");
    if (tree) return "a tree, by SGLang's settings; its own accept rate is of another number of drafts";
    if (drafts && inferred) {
        const bool wide = own_token && *drafts >= 2 * longest;
        return "accepted is (acceptance length − 1) ÷ K with K = " + whole(*drafts) + ", the only K that fits SGLang's lengths and rates" +
               own +
               (wide ? "; with lengths up to " + decimals(longest) +
                           " those are most likely the nodes of a tree (speculative_eagle_topk, which "
                           "is not told): since April 2026 the same server tells a rate of its depth alone, so compare lengths, not rates"
                     : "; of a tree that is " + std::string(own_token ? "its nodes" : "its depth") +
                           ", and speculative_eagle_topk, which would say whether it is one, is not told");
    }
    if (drafts) return "accepted is (acceptance length − 1) ÷ K with K = " + whole(*drafts) + " by SGLang's settings" + own;
    if (drafts_only) return "accepted is SGLang's own accept rate";
    return std::string("SGLang's own accept rate: ") + kBefore + " it counted the target's own token in" +
           (own_token ? ", and so it does here" : "");
}

ReportedRates read_reported_rates(const std::vector<ReportedAverage>& averages, const DraftSettings& settings, double rounding) {
    const std::optional<double> nodes = settings.nodes(), depth = settings.depth();
    ReportedRates out;
    for (const ReportedAverage& reported : averages) out.longest = std::max(out.longest, reported.length);
    out.tree = settings.tree();
    out.depth = depth;
    out.inferred = !settings.told();
    if (settings.told()) {
        // Of a tree either formula may be of its nodes or of its depth.
        const auto fits = [&](double own) {
            return std::ranges::any_of(std::array{nodes, depth}, [&](const std::optional<double>& k) {
                return k && allowed({*k, *k}, averages, own, rounding).any();
            });
        };
        const bool before = fits(1), now = fits(0);
        if (!before && !now) return out;
        out.drafts = nodes;
        out.own_token = !now;
        out.drafts_only = !before;
        return out;
    }
    const DraftRange before = allowed({}, averages, 1, rounding), now = allowed({}, averages, 0, rounding);
    if (!before.any() && !now.any()) return out;
    const double low = std::min(before.any() ? before.low : kLongestDraft, now.any() ? now.low : kLongestDraft),
                 high = std::max(before.any() ? before.high : 0, now.any() ? now.high : 0);
    if (low == high) out.drafts = low;
    out.own_token = !now.any();
    out.drafts_only = !before.any();
    return out;
}

} // namespace speclens
