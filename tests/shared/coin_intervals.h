// All that a computation can do which draws its numbers by key (engine/base/rng.h), each outcome with its exact weight. Every key has an
// interval of [0, 1), the same key asked twice is the same number, and an outcome weighs the product of its intervals. What is reported
// of a coin, the threshold it is compared with or the cumulative sums of what it draws from, only says where an interval should be cut.
// It counts for nothing by itself: the computation is run in the middle of every interval and kEdge inside both of its ends, where it
// must do the same, and another outcome must begin behind every cut. What does not is the enumeration's problem.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/rng.h"

namespace speclens::test {

// How near to a cut its two sides are run. A threshold is a quotient and rounds in its last bits; nothing here is off by more.
inline constexpr double kEdge = 0x1p-48;

struct CoinInterval {
    double low = 0, high = 1;
    [[nodiscard]] double length() const { return high - low; }
};

struct CoinOrder {
    bool operator()(const CoinKey& a, const CoinKey& b) const {
        const auto all = [](const CoinKey& k) { return std::tie(k.seed, k.position, k.purpose, k.lane, k.attempt, k.fork); };
        return all(a) < all(b);
    }
};
using CoinIntervals = std::map<CoinKey, CoinInterval, CoinOrder>; // a key that is missing: [0, 1)
using Coins = std::function<double(const CoinKey&)>;

// What is said of a coin, and what came of it. The same key may be reported twice: two nodes of a tree share one.
struct CoinReport {
    CoinKey key;
    std::vector<double> cuts; // ascending: where by the report another outcome begins
    std::string outcome;
    std::string what; // "draft 1 of round 0"
    int round = 0;
};

struct Played {
    std::vector<CoinReport> reports; // a report may depend on those before it, never on those behind it
    std::vector<int> text;
    std::vector<std::pair<int, int>> rounds; // drafts in a row, and how many of them were kept
};

// Calls `leaf` for each outcome with its weight until there is a problem.
class CoinEnumeration {
  public:
    using Play = std::function<Played(const Coins& coins)>;
    using Leaf = std::function<void(const Played& played, const CoinIntervals& at, double weight)>;
    CoinEnumeration(Play play, Leaf leaf) : play_(std::move(play)), leaf_(std::move(leaf)) {}

    // entry: where the rounds before `first_round` were cut already; weights are those of what follows.
    void run(const CoinIntervals& entry = {}, int first_round = 0) {
        entry_ = entry;
        first_round_ = first_round;
        CoinIntervals at = entry;
        explore(at, nullptr, 0);
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] long leaves() const { return leaves_; }
    [[nodiscard]] long runs() const { return runs_; }

  private:
    enum class Where { low, middle, high };

    Played play(const CoinIntervals& at, Where where) {
        ++runs_;
        return play_([&at, where](const CoinKey& key) {
            const auto found = at.find(key);
            const CoinInterval interval = found == at.end() ? CoinInterval{} : found->second;
            if (where == Where::middle) return interval.low + interval.length() / 2;
            return where == Where::low ? interval.low + kEdge : interval.high - kEdge;
        });
    }

    // The cuts of a report that lie inside its key's interval.
    static std::vector<double> inner_cuts(const CoinReport& report, const CoinIntervals& at) {
        const auto found = at.find(report.key);
        const CoinInterval interval = found == at.end() ? CoinInterval{} : found->second;
        std::vector<double> inner;
        for (const double cut : report.cuts)
            if (cut - (inner.empty() ? interval.low : inner.back()) > kEdge && interval.high - cut > kEdge) inner.push_back(cut);
        return inner;
    }

    // above: the report that was cut on the way here, at `index`; its outcome is given back in it.
    void explore(CoinIntervals& at, CoinReport* above, std::size_t index) {
        const Played played = play(at, Where::middle);
        if (above) {
            if (index >= played.reports.size() || played.reports[index].what != above->what)
                return fail(*above, "and then is not drawn at all");
            above->outcome = played.reports[index].outcome;
        }
        for (std::size_t i = 0; i < played.reports.size(); ++i) {
            const CoinReport& report = played.reports[i];
            if (report.round < first_round_) continue;
            if (const std::vector<double> cuts = inner_cuts(report, at); !cuts.empty()) return split(at, report, i, cuts);
        }
        close(at, played);
    }

    void split(CoinIntervals& at, const CoinReport& report, std::size_t index, std::vector<double> cuts) {
        const auto [place, fresh] = at.try_emplace(report.key);
        const CoinInterval whole = place->second;
        cuts.push_back(whole.high);
        std::string before;
        double low = whole.low;
        for (std::size_t i = 0; i < cuts.size() && problem_.empty(); ++i) {
            place->second = {low, cuts[i]};
            CoinReport child = report;
            explore(at, &child, index);
            if (problem_.empty() && i > 0 && child.outcome == before)
                fail(report, "cut at " + std::to_string(low) + ", where nothing changes");
            before = child.outcome;
            low = cuts[i];
        }
        if (fresh)
            at.erase(place);
        else
            place->second = whole;
    }

    // Nothing is left to cut: all coins together at the lower ends of their intervals, and at the upper ones.
    void close(const CoinIntervals& at, const Played& played) {
        for (const Where where : {Where::low, Where::high}) {
            const Played other = play(at, where);
            for (std::size_t i = 0; i < std::min(played.reports.size(), other.reports.size()); ++i)
                if (played.reports[i].what != other.reports[i].what || played.reports[i].outcome != other.reports[i].outcome)
                    return fail(played.reports[i], "one outcome for an interval that has two");
            if (played.text != other.text || played.reports.size() != other.reports.size())
                return fail(played.reports.back(), "the end of a text that has two");
        }
        double weight = 1;
        for (const auto& [key, interval] : at) {
            const auto before = entry_.find(key);
            weight *= interval.length() / (before == entry_.end() ? 1 : before->second.length());
        }
        ++leaves_;
        leaf_(played, at, weight);
    }

    void fail(const CoinReport& report, const std::string& how) {
        if (problem_.empty()) problem_ = "reports what it does not do: " + report.what + ", " + how;
    }

    Play play_;
    Leaf leaf_;
    CoinIntervals entry_;
    int first_round_ = 0;
    std::string problem_;
    long leaves_ = 0, runs_ = 0;
};

} // namespace speclens::test
