#include "engine/run/measured_costs.h"

#include <algorithm>
#include <mutex>
#include <span>

#include "engine/base/clock.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/models/models.h"
#include "engine/run/options_json.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"

namespace speclens {

namespace {

// The same run with one of its two chained drafters.
PreparedRun alone(const PreparedRun& run, std::size_t part) {
    PreparedRun one = run;
    const DrafterInfo& drafter = *run.plan.drafter->parts()[part];
    one.settings.draft_with(drafter.name);
    one.settings.rule = judging_rule(run.settings.rule, drafter.name);
    one.settings.options = {};
    take_options(drafter.name, run.settings.options, one.settings.options);
    one.plan.drafter = &drafter;
    one.plan.k = std::min(run.plan.k, run.plan.most[part]);
    one.plan.nodes = drafter.tree ? run.plan.nodes : 0;
    one.plan.most = {run.plan.most[part], run.plan.most[part]};
    return one;
}

// Of two chained drafters, each measured alone; a copier's passes tap no states.
template <typename Costs>
DraftCosts costs_of_both(const PreparedRun& run, const Costs& costs_alone) {
    const DraftCosts first = costs_alone(alone(run, 0)), second = costs_alone(alone(run, 1));
    return {run.plan.drafter->second->copies() ? first.pass : second.pass, first.draft, second.draft};
}

} // namespace

DraftCosts nominal_costs(const Models& models, const PreparedRun& run) {
    DraftCosts costs{.pass = {{1, 1}, {2, 1.02}}, .draft = {}};
    const DrafterInfo& drafter = *run.plan.drafter;
    if (drafter.chained()) return costs_of_both(run, [&](const PreparedRun& one) { return nominal_costs(models, one); });
    if (drafter.copies()) return costs;
    double share = 0.1; // of what nobody can weigh: a table, a server
    const auto network = models.network(drafter.name);
    if (models.target && drafter.needs_draft_model() && models.draft)
        share = static_cast<double>(models.draft->bytes.all) / static_cast<double>(models.target->bytes.all);
    else if (models.target && network)
        share = static_cast<double>(network->bytes.all) / static_cast<double>(models.target->bytes.all);
    costs.draft = {{1, share}, {2, drafter.at_once() ? share : 2 * share}};
    return costs;
}

namespace {

using Points = std::vector<DraftCosts::Point>;

// Less work takes no more time: what a clock adds is what others did meanwhile.
void lower(Points& points) {
    for (std::size_t i = points.size(); i-- > 1;) points[i - 1].ms = std::min(points[i].ms, points[i - 1].ms);
}

// Of rounds that were played twice the quicker one, by rows of the pass and by draft tokens in a row.
DraftCosts costs_of(const Trace& trace) {
    DraftCosts costs;
    const auto see = [](Points& points, int n, double ms) {
        const auto at = std::ranges::lower_bound(points, n, {}, &DraftCosts::Point::n);
        if (at == points.end() || at->n != n)
            points.insert(at, {n, ms});
        else
            at->ms = std::min(at->ms, ms);
    };
    const RunView view = fold(trace, trace.size());
    for (std::size_t i = 1; i < view.round_list.size(); ++i) { // the first one finds nothing in the caches
        const RoundSummary& round = view.round_list[i];
        if (!round.complete()) continue;
        see(costs.pass, round.verify->rows, round.verify_ms + round.other_ms);
        int depth = 0;
        for (const DraftSlot& slot : round.drafts) depth = std::max(depth, slot.depth);
        if (depth > 0) see(costs.draft, depth, round.draft_ms);
    }
    lower(costs.pass);
    lower(costs.draft);
    return costs;
}

// A copier drafts where there is something to copy; what is timed for it are passes, over the tokens of its prompt.
DraftCosts costs_of_passes(const Models& models, std::span<const int> prompt, int most) {
    DraftCosts costs;
    const auto target = make_model_decoder(models.target, static_cast<int>(prompt.size()) + most + 2);
    target->prefill(prompt);
    const int length = target->length();
    for (int rows = 1, round = 0; rows <= most + 1; rows = rows == most + 1 ? most + 2 : std::min(2 * rows, most + 1)) {
        double best = 0;
        for (int i = 0; i < (rows == 1 ? 3 : 2); ++i, ++round) {
            const std::vector<int> tokens(static_cast<std::size_t>(rows), prompt.front());
            const Stopwatch watch;
            (void)target->forward({.tokens = tokens}).argmax();
            if (round > 0) best = best == 0 ? watch.ms() : std::min(best, watch.ms());
            target->truncate(length);
        }
        costs.pass.push_back({rows, best});
    }
    lower(costs.pass);
    return costs;
}

using Told = std::function<void(int, int)>; // rounds that are done, of all; empty: nobody is

DraftCosts measure(const std::shared_ptr<const Models>& models, const PreparedRun& run, const Told& told) {
    constexpr std::size_t kPrompt = 32;
    const DraftSize most{run.plan.k, run.plan.nodes};
    PreparedRun timed = run;
    std::vector<int>& ids = timed.prompt.ids;
    if (ids.size() > kPrompt) ids.erase(ids.begin(), ids.end() - kPrompt);
    if (run.plan.drafter->copies()) return costs_of_passes(*models, ids, most.k);
    std::vector<DraftSize> sizes(3);
    for (int k = 1; k <= most.k; k = k == most.k ? k + 1 : std::min(2 * k + 1, most.k))
        for (int twice = 0; twice < 2; ++twice)
            sizes.push_back({k, most.nodes > 0 ? std::clamp(most.nodes * k / most.k, std::min(k, most.nodes), most.nodes) : 0});
    int tokens = 1;
    for (const DraftSize& size : sizes) tokens += size.k + 1;
    RunSettings& settings = timed.settings;
    settings.k_costs = nominal_costs(*models, run);
    settings.k_auto = false;
    settings.k_rounds = text_of(sizes);
    settings.timing = true;
    settings.trace_top = 0;
    settings.internals = false;
    settings.max_tokens = tokens;
    timed.ends = false;
    timed.capacity = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(models->holds()),
                                                            ids.size() + static_cast<std::size_t>(tokens + most.k + most.nodes + 1)));
    if (told) told(0, static_cast<int>(sizes.size()));
    Run runs(models, std::move(timed));
    const int all = static_cast<int>(sizes.size());
    for (int done = 0; done < all && runs.step();) {
        const int rounds = fold(runs.trace(), runs.trace().size()).rounds;
        if (std::exchange(done, rounds) != rounds && told) told(rounds, all);
    }
    return costs_of(runs.trace());
}

} // namespace

namespace {

// What was measured or given in this process, so that every run of it goes by the same figures.
class KnownCosts {
  public:
    struct Of {
        const Models& models;
        std::string drafter, settings; // settings empty: any
        int k = 0;                     // costs of longer drafts hold for shorter ones
    };
    std::optional<DraftCosts> find(const Of& of) {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [](const Entry& one) { return one.target.expired(); });
        for (const Entry& one : known_)
            if (one.is(of)) return one.costs;
        return {};
    }
    DraftCosts add(const Of& of, const DraftCosts& costs) {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [&](const Entry& one) { return one.is(of); });
        known_.insert(of.settings.empty() ? known_.begin() : known_.end(),
                      Entry{of.models.target, of.models.draft, of.models.network(of.drafter), of.drafter, of.settings, of.k, costs});
        return costs;
    }
    void forget(const Of& of) {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [&](const Entry& one) { return one.is(of); });
    }

  private:
    struct Entry {
        std::weak_ptr<const void> target, draft, network; // what comes later may lie at the address of what has gone
        std::string drafter, settings;
        int k = 0;
        DraftCosts costs;
        [[nodiscard]] bool is(const Of& of) const {
            return target.lock() == of.models.target && draft.lock() == of.models.draft && drafter == of.drafter &&
                   network.lock() == of.models.network(of.drafter) &&
                   (settings.empty() || of.settings.empty() || (settings == of.settings && k >= of.k));
        }
    };
    std::mutex mutex_;
    std::vector<Entry> known_;
};

KnownCosts& known_costs() {
    static KnownCosts known;
    return known;
}

} // namespace

namespace {

DraftCosts known_or_measured(const std::shared_ptr<const Models>& models, const PreparedRun& run, const Told& told) {
    if (!models->target || models->scorer) return nominal_costs(*models, run);
    const std::string settings = std::to_string(run.plan.nodes) + (run.settings.sampling.temperature > 0 ? " drawn " : " ") +
                                 options_json(run.settings.options).dump();
    const KnownCosts::Of of{*models, run.plan.drafter->name, settings, run.plan.k};
    if (const std::optional<DraftCosts> costs = known_costs().find(of)) return *costs;
    if (run.plan.drafter->chained()) // known by its parts
        return costs_of_both(run, [&](const PreparedRun& one) { return known_or_measured(models, one, told); });
    DraftCosts costs = measure(models, run, told);
    if (costs.pass.size() < 2 || costs.pass.front().n != 1 || !(costs.pass.front().ms > 0)) costs = nominal_costs(*models, run);
    return known_costs().add(of, costs);
}

} // namespace

DraftCosts measured_costs(const std::shared_ptr<const Models>& models, const PreparedRun& run) {
    return known_or_measured(models, run, {});
}

void measure_costs(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Told& told) {
    if (!settings.k_auto || settings.k_costs || !models->target || models->scorer) return;
    const PreparedRun run = prepared_run(*models, settings);
    if (run.plan.drafts()) (void)known_or_measured(models, run, told);
}

void give_costs(const Models& models, const std::string& drafter, const DraftCosts& costs) {
    if (models.target) (void)known_costs().add({models, drafter, ""}, costs);
}

void forget_costs(const Models& models, const std::string& drafter) {
    if (!models.target) return;
    known_costs().forget({models, drafter, ""});
    for (const int part : {0, 1})
        if (const DrafterInfo* one = part_of(drafter, part)) known_costs().forget({models, one->name, ""});
}

} // namespace speclens
