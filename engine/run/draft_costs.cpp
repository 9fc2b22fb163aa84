#include "engine/run/draft_costs.h"

#include <algorithm>
#include <mutex>
#include <span>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/base/values.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/models/models.h"
#include "engine/run/options_json.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::size_t kMostBytes = 1U << 20; // of a file

using Points = std::vector<DraftCosts::Point>;

double along(std::span<const DraftCosts::Point> points, int n) {
    const auto after = std::ranges::lower_bound(points, n, {}, &DraftCosts::Point::n);
    const auto high = std::clamp(after, points.begin() + 1, points.end() - 1), low = high - 1;
    return std::max(0.0, low->ms + (high->ms - low->ms) * (n - low->n) / (high->n - low->n));
}

} // namespace

double DraftCosts::pass_ms(int rows) const { return pass.size() == 1 ? pass.front().ms : along(pass, rows); }

double DraftCosts::draft_ms(int k) const {
    if (k <= 0 || draft.empty()) return 0;
    if (draft.size() == 1) return draft.front().ms * k / draft.front().n;
    return along(draft, k);
}

DraftCosts nominal_costs(const Models& models, const PreparedRun& run) {
    DraftCosts costs{.pass = {{1, 1}, {2, 1.02}}, .draft = {}};
    const DrafterInfo& drafter = *run.plan.drafter;
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

DraftCosts measure(const std::shared_ptr<const Models>& models, const PreparedRun& run) {
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
    Run runs(models, std::move(timed));
    while (runs.trace().size() == 0 || runs.step()) {
        const RunView view = fold(runs.trace(), runs.trace().size());
        if (view.rounds >= static_cast<int>(sizes.size())) break;
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
                      Entry{of.models.target, of.models.draft.get(), of.models.network(of.drafter).get(), of.drafter, of.settings, costs});
        return costs;
    }

  private:
    struct Entry {
        std::weak_ptr<const Model> target;
        const void *draft, *network;
        std::string drafter, settings;
        DraftCosts costs;
        [[nodiscard]] bool is(const Of& of) const {
            return target.lock() == of.models.target && draft == of.models.draft.get() && drafter == of.drafter &&
                   network == of.models.network(of.drafter).get() && (settings.empty() || settings == of.settings);
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

DraftCosts measured_costs(const std::shared_ptr<const Models>& models, const PreparedRun& run) {
    if (!models->target || models->scorer) return nominal_costs(*models, run);
    const std::string settings = std::to_string(run.plan.k) + " " + std::to_string(run.plan.nodes) +
                                 (run.settings.sampling.temperature > 0 ? " drawn " : " ") + options_json(run.settings.options).dump();
    const KnownCosts::Of of{*models, run.plan.drafter->name, settings};
    if (const std::optional<DraftCosts> costs = known_costs().find(of)) return *costs;
    DraftCosts costs = measure(models, run);
    if (costs.pass.size() < 2 || costs.pass.front().n != 1 || !(costs.pass.front().ms > 0)) costs = nominal_costs(*models, run);
    return known_costs().add(of, costs);
}

void give_costs(const Models& models, const std::string& drafter, const DraftCosts& costs) {
    if (models.target) (void)known_costs().add({models, drafter, ""}, costs);
}

// ---- files ----

namespace {

constexpr const char* kSchema = "speclens-k-costs/1";

OrderedJson read_costs(const std::filesystem::path& file, const std::string& model) {
    const std::string remedy = "Give the file of another run with --k-costs, or a new name: what is missing is measured and written there.";
    const OrderedJson all = OrderedJson::parse_or_discard(read_text_file(file, kMostBytes));
    const auto text = [&](const char* key) {
        return all.is_object() && all.contains(key) && all.at(key).is_string() ? all.at(key).get<std::string>() : std::string();
    };
    if (text("schema") != kSchema || !all.contains("drafters") || !all.at("drafters").is_object())
        throw Error(short_name(file) + " holds no costs of rounds (schema " + kSchema + ")", remedy, Exit::usage);
    if (text("model") != model)
        throw Error(short_name(file) + " has the costs of " + text("model") + ", the target is " + model, remedy, Exit::usage);
    return all;
}

} // namespace

std::optional<DraftCosts> costs_in(const std::filesystem::path& file, const std::string& model, const std::string& drafter) {
    if (!std::filesystem::exists(file)) return {};
    const OrderedJson all = read_costs(file, model);
    if (!all.at("drafters").contains(drafter)) return {};
    const std::optional<DraftCosts> costs = costs_of_json(all.at("drafters").at(drafter));
    if (!costs)
        throw Error(short_name(file) + ": the costs of " + drafter + " are no lists of [rows or tokens, milliseconds] that ascend from 1",
                    "Take its entry out: it is measured again.", Exit::usage);
    return costs;
}

void add_costs(const std::filesystem::path& file, const std::string& model, const std::string& drafter, const DraftCosts& costs) {
    OrderedJson all = std::filesystem::exists(file)
                          ? read_costs(file, model)
                          : OrderedJson{{"schema", kSchema}, {"model", model}, {"drafters", OrderedJson::object()}};
    all["drafters"][drafter] = costs_json(costs);
    AtomicFile out(file);
    out.write(all.dump(1) + "\n");
    out.commit();
}

} // namespace speclens
