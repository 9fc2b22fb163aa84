#include "engine/run/drafter_comparison.h"

#include <algorithm>

#include "engine/base/lists.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/model/prompt_cache.h"
#include "engine/run/one_round.h"
#include "engine/run/run_view.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// Everybody but plain decoding, which drafts nothing.
std::vector<const DrafterInfo*> compared_drafters() {
    std::vector<const DrafterInfo*> list;
    for (const DrafterInfo& info : drafter_list())
        if (info.drafts()) list.push_back(&info);
    return list;
}

constexpr int kShownEntries = 4; // of each distribution, in the round that is shown

double draft_time(const RunView& round) { return sum_over<double>(round.round_list, &RoundSummary::draft_ms); }

// What the drafter needs and reads, from the models and the config of its head.
void describe_needs(const Models& models, const DrafterInfo& info, ComparisonRow& row) {
    if (info.needs_draft_model() && models.draft) row.bytes = models.draft->bytes.stored();
    if (const auto network = models.network(info.name); network && info.needs_network()) {
        row.bytes = network->bytes.stored() + (network->ngrams ? network->ngrams->bytes() : 0);
        row.taps = network->config.taps;
        row.ranks = network->config.draft_vocab;
    }
    if (const int ids = draft_ids(row.settings.options); ids > 0) row.ranks = ids;
    if (reads_setting(row.drafter, Setting::exit_layer)) row.plan = skip_plan(row.settings.options, models.layers());
}

void check_exit_layer(const Models& models, int exit_layer) {
    DrafterOptions options;
    options.exit_layer = exit_layer;
    check_options("skip", options, models.layers());
}

} // namespace

DrafterComparison empty_comparison(const Models& models, const Trace& trace, const CompareDrafters& wanted) {
    const int round = wanted.round;
    check_exit_layer(models, wanted.exit_layer);
    bool found = round == 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i])) found = found || commit->round + 1 == round;
    if (!found || round < 0)
        throw Error("round " + std::to_string(round + 1) + " is not in this run", "Choose a round that was decoded.", Exit::usage);
    DrafterComparison comparison;
    comparison.round = round;
    comparison.of = &trace;
    comparison.target_layers = models.layers();
    comparison.exit_layer = wanted.exit_layer;
    comparison.planned = static_cast<int>(compared_drafters().size());
    return comparison;
}

namespace {

ComparisonRow ask(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                  const DrafterComparison& so_far, const DrafterInfo& info, const std::function<bool()>& go_on) {
    ComparisonRow row;
    row.drafter = info.name;
    row.settings = settings;
    row.settings.drafter = info.name;
    row.settings.rule = judging_rule(settings.rule, info.name);
    row.settings.k = settings.k > 0 ? settings.k : default_k(info.name);
    if (row.drafter != settings.drafter) row.settings.options = {};
    if (reads_setting(row.drafter, Setting::exit_layer) && so_far.exit_layer > 0) {
        row.settings.options = {};
        row.settings.options.exit_layer = so_far.exit_layer;
    }
    row.settings.trace_top = 0; // recorded distributions would be in the times
    row.settings.internals = false;
    describe_needs(*models, info, row);
    row.problem = models->why_not(info.name);
    if (!row.problem.empty()) return row;
    try {
        for (int i = 0; row.settings.timing && i < kDraftTries; ++i) {
            const auto round = one_round(models, settings, row.settings, trace, so_far.round, go_on);
            const double ms = draft_time(fold(*round, round->size()));
            row.draft_ms = i == 0 ? ms : std::min(row.draft_ms, ms);
        }
        RunSettings shown = row.settings; // once more with what each draft token was drawn from
        shown.trace_top = kShownEntries;
        row.trace = one_round(models, settings, shown, trace, so_far.round, go_on);
    } catch (const Error& error) { // of one drafter: the others may do
        row.trace = nullptr;
        row.problem = error.what();
    }
    return row;
}

} // namespace

ComparisonRow compare_next(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                           const DrafterComparison& so_far, const std::function<bool()>& go_on) {
    CHECK(!so_far.complete(), "every drafter was asked");
    return ask(models, settings, trace, so_far, *compared_drafters()[so_far.rows.size()], go_on);
}

double expected_passes(const Models& models, const RunSettings& settings, int text, int row) {
    const DrafterInfo& info = *compared_drafters()[static_cast<std::size_t>(row)];
    if (!models.why_not(info.name).empty()) return 0;
    if (!models.target) return 1;
    const Model& target = *models.target;
    double share = 0; // of the target's weights that a pass of the draft reads
    const auto network = models.network(info.name);
    if (reads_setting(info.name, Setting::exit_layer))
        share = 2.0 / 3; // of its layers, by default
    else if (info.needs_draft_model() && models.draft)
        share = static_cast<double>(models.draft->bytes.all) / static_cast<double>(target.bytes.all);
    else if (network)
        share = static_cast<double>(network->bytes.all) / static_cast<double>(target.bytes.all);
    constexpr double kRows = 8; // that a pass reads for little more than one of them
    const bool kept = text >= PromptCache::shortest(target.bytes.per_token);
    const double reading = kept ? 0 : text / kRows; // each try reads it
    const int k = settings.k > 0 ? settings.k : default_k(info.name);
    return 1 + reading + share * ((info.at_once() ? 1 : k) + (info.needs_draft_model() ? reading : 0));
}

DrafterComparison with_exit_layer(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                                  DrafterComparison answered, int exit_layer, const std::function<bool()>& go_on) {
    check_exit_layer(*models, exit_layer);
    answered.exit_layer = exit_layer;
    for (ComparisonRow& row : answered.rows)
        if (row.drafter == "skip") row = ask(models, settings, trace, answered, *find_drafter("skip"), go_on);
    return answered;
}

} // namespace speclens
