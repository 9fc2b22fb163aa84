#include "remote/client/passes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace speclens {
namespace {

constexpr int kMostDrafted = 4096;       // of one window
constexpr int kMostTokens = 64;          // of one window in which something was drafted
constexpr std::size_t kMostStates = 512; // of one window: beyond it nothing is certain any more

// Between two events: tokens written, drafted and accepted.
struct Window {
    int tokens = 0, drafted = 0, accepted = 0;
};

// What happened in one: `rounds` with a draft and `alone` passes without.
struct Step {
    int rounds = 0, alone = 0;
    int left = 0; // tokens of the last round that come later, its own included
};

// Whether `rounds` rounds of at most `k` drafts can be split so. Those before the last wrote all their tokens here,
// the last one `last` of them.
bool can_split(const Window& w, int fresh, const Step& s, int last, int k) {
    const int last_kept = s.left + last - 1, others = w.accepted - last_kept, n = s.rounds - 1;
    if (last < 1 || last_kept < 0 || last_kept > k || others < 0 || (n == 0 && others > 0)) return false;
    if (others + n + last + s.alone != fresh) return false;
    if (n > 0 && others > n * k) return false;
    // A round that kept nothing drafted one token at least.
    const int idle = std::max(0, n - others) + (last_kept == 0 ? 1 : 0);
    return w.accepted + idle <= w.drafted && w.drafted <= s.rounds * k;
}

template <typename F>
void each_last(const Window& w, int fresh, const Step& s, int k, const F& take) {
    for (int last = 1; last <= fresh; ++last)
        if (can_split(w, fresh, s, last, k)) take(last);
}

// All steps from `left` tokens of an unfinished round.
std::vector<Step> steps_of(const Window& w, int left, int k) {
    std::vector<Step> out;
    const int covered = std::min(left, w.tokens), fresh = w.tokens - covered;
    if (w.drafted == 0) {
        if (w.accepted == 0) out.push_back({0, fresh, left - covered});
        return out;
    }
    for (int rounds = 1; rounds <= std::min(fresh, w.drafted); ++rounds)
        for (int alone = 0; alone + rounds <= fresh; ++alone) {
            const Step s{rounds, alone, w.accepted + rounds + alone - fresh};
            if (s.left < 0) continue;
            bool any = false;
            each_last(w, fresh, s, k, [&](int) { any = true; });
            if (any) out.push_back(s);
        }
    return out;
}

// Steps of passes that draft as much as they may (PassFacts), by rounds, passes without a draft and what is left.
struct Typical {
    int k = 0, limit = 0;
    std::set<std::tuple<int, int, int>> found;
    int tries = 0;
    void walk(int written, int fresh, int drafted, int accepted, int rounds, int alone) {
        constexpr int kMostTries = 20'000;
        if (++tries > kMostTries) return;
        if (fresh <= 0) {
            if (drafted == 0 && accepted == 0) found.emplace(rounds, alone, -fresh);
            return;
        }
        const int may = limit > 0 ? std::clamp(limit - written - 1, 0, k) : k;
        if (may == 0) return walk(written + 1, fresh - 1, drafted, accepted, rounds, alone + 1);
        if (may > drafted) return;
        for (int kept = 0; kept <= std::min(may, accepted); ++kept)
            walk(written + kept + 1, fresh - kept - 1, drafted - may, accepted - kept, rounds + 1, alone);
    }
};

using State = std::pair<int, int>; // tokens left, rounds so far

struct Way {
    Step step; // the cheapest
    State from;
    std::vector<State> all_from; // whatever the cost; once for every step
    int atypical = 0, alone = 0; // windows that are not as usual, and passes without a draft, until here
    [[nodiscard]] auto cost() const { return std::pair(atypical, alone); }
};
using Layer = std::map<State, Way>;

struct Layers {
    std::vector<Layer> behind; // of every window the states that can be behind it, with their cheapest ways
    bool impossible = false, too_many = false;
    [[nodiscard]] bool found() const { return !impossible && !too_many; }
};

Layers layers_of(const std::vector<Window>& windows, int k, int default_k, int limit) {
    Layers out;
    out.behind = {{{{0, 0}, {}}}};
    int written = 1;
    for (const Window& w : windows) {
        Layer next;
        for (const auto& [state, way] : out.behind.back()) {
            const int covered = std::min(state.first, w.tokens), fresh = w.tokens - covered;
            if (w.drafted > 0 && fresh > kMostTokens) {
                out.too_many = true;
                return out;
            }
            Typical typical{default_k, limit, {}, 0};
            if (default_k > 0 && fresh > 1) typical.walk(written + covered, fresh, w.drafted, w.accepted, 0, 0);
            for (const Step& step : steps_of(w, state.first, k)) {
                const bool is_typical = fresh <= 1 || typical.found.contains({step.rounds, step.alone, step.left});
                Way come{step, state, {state}, way.atypical + (is_typical ? 0 : 1), way.alone + step.alone};
                const auto [at, fresh_state] = next.try_emplace({step.left, state.second + step.rounds}, come);
                if (fresh_state) continue;
                come.all_from = std::move(at->second.all_from);
                come.all_from.push_back(state);
                if (come.cost() < at->second.cost())
                    at->second = std::move(come);
                else
                    at->second.all_from = std::move(come.all_from);
            }
        }
        written += w.tokens;
        out.impossible = next.empty();
        out.too_many = next.size() > kMostStates;
        if (!out.found()) return out;
        out.behind.push_back(std::move(next));
    }
    return out;
}

int totals_of(const Layer& layer) {
    std::set<int> rounds;
    for (const auto& [state, way] : layer) rounds.insert(state.second);
    return static_cast<int>(rounds.size());
}

// Whether nothing but one way leads to the ends with so many rounds.
bool only_way(const std::vector<Layer>& layers, int rounds) {
    std::set<State> alive;
    for (const auto& [state, way] : layers.back())
        if (state.second == rounds) alive.insert(state);
    for (std::size_t i = layers.size(); i-- > 1;) {
        if (alive.size() != 1) return false;
        const std::vector<State>& from = layers[i].at(*alive.begin()).all_from;
        if (from.size() != 1) return false;
        alive = {from.front()};
    }
    return true;
}

// The passes of one step; whether it says how many each kept, but for the order.
bool write_step(const Window& w, int left, const Step& s, int k, std::vector<Pass>& out) {
    const int fresh = w.tokens - std::min(left, w.tokens);
    for (int i = 0; i < s.alone; ++i) out.push_back({});
    if (s.rounds == 0) return true;
    std::set<std::multiset<int>> kinds;
    std::vector<int> kept;
    each_last(w, fresh, s, k, [&](int last) {
        const int last_kept = s.left + last - 1;
        int others = w.accepted - last_kept;
        std::vector<int> one;
        for (int i = 0; i + 1 < s.rounds; ++i) {
            one.push_back(std::min(k, others));
            others -= one.back();
        }
        one.push_back(last_kept);
        kinds.insert({one.begin(), one.end()});
        if (kept.empty()) kept = one;
    });
    // With three rounds or more the kept ones may be spread in other ways, unless they are none or all.
    const int others = w.accepted - kept.back();
    const bool known = kinds.size() == 1 && (s.rounds <= 2 || others == 0 || others == (s.rounds - 1) * k);
    int drafted = w.drafted, rounds = s.rounds;
    for (const int one : kept) {
        const int most = drafted - (rounds - 1), share = std::clamp(std::max(one, std::min(k, most)), 1, std::max(1, most));
        out.push_back({share, one, one + 1});
        drafted -= share;
        --rounds;
    }
    out.back().drafted += drafted;
    return known;
}

} // namespace

Passes find_passes(std::span<const Seen> seen, PassFacts facts) {
    Passes out;
    std::vector<Window> windows;
    Seen before{1, 0, 0, 0}; // behind token 1
    for (const Seen& now : seen) {
        if (now.written < 1) continue;
        const Window w{now.written - before.written, static_cast<int>(std::min(now.drafted - before.drafted, 1e6)),
                       static_cast<int>(std::min(now.accepted - before.accepted, 1e6))};
        if (w.tokens < 0 || w.drafted < 0 || w.accepted < 0 || w.accepted > w.drafted || w.drafted > kMostDrafted ||
            (w.tokens == 0 && w.drafted > 0)) {
            out.contradiction = true;
            return out;
        }
        if (w.tokens > 0) windows.push_back(w);
        before = now;
    }
    if (windows.empty()) return out;
    // One token that the totals grew with is one round.
    int k = 0;
    for (const Window& w : windows)
        if (w.tokens == 1) k = std::max(k, w.drafted);
    const Layers all = layers_of(windows, kMostDrafted, k, facts.limit);
    out.contradiction = all.impossible;
    if (all.impossible) return out;
    const Layers fitting = k > 0 ? layers_of(windows, k, k, facts.limit) : all;
    const Layers& layers = fitting.found() ? fitting : all;
    if (!layers.found()) return out;
    const Layer& last = layers.behind.back();
    const auto reported = [&](const auto& entry) { return facts.rounds && entry.first.second == *facts.rounds; };
    const bool counted = std::ranges::any_of(last, reported);
    if (counted || (all.found() && totals_of(all.behind.back()) == 1))
        out.sure = Passes::Sure::exact;
    else if (k > 0 && fitting.found())
        out.sure = Passes::Sure::inferred;
    else
        return out;
    const auto best = std::ranges::min_element(
        last, {}, [&](const auto& entry) { return std::tuple(counted && !reported(entry), entry.second.cost(), entry.first.first); });
    State state = best->first;
    std::vector<std::pair<Step, int>> steps;
    for (std::size_t i = layers.behind.size(); i-- > 1;) {
        const Way& way = layers.behind[i].at(state);
        steps.emplace_back(way.step, way.from.first);
        state = way.from;
    }
    out.places = only_way(layers.behind, best->first.second);
    const int most = k > 0 && fitting.found() ? k : kMostDrafted;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const auto& [step, left] = steps[windows.size() - 1 - i];
        out.places = write_step(windows[i], left, step, most, out.passes) && out.places;
    }
    if (!out.passes.empty()) out.passes.back().written -= best->first.first;
    return out;
}

} // namespace speclens
