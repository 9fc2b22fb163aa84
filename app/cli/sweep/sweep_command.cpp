// `speclens sweep`: many texts at once, and the number of them at which speculation stops paying.
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/sweep/alone.h"
#include "app/cli/sweep/sweep_text.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/models/models.h"

namespace speclens::cli {

namespace {

constexpr int kDefaultConcurrency[] = {1, 2, 4, 8, 16};
constexpr double kDefaultSeconds = 120;
constexpr double kProofShare = 0.2, kLeastProofSeconds = 5; // of --for: runs alone that texts are compared with
constexpr std::size_t kPrompts = 24;                        // as many texts are run alone

std::vector<std::string> drafters_of(const Options& options, const Models& models) {
    std::vector<std::string> names;
    if (options.drafters.empty()) {
        names = usual_drafters(models.ready_drafters());
    } else {
        for (const DrafterChoice& choice : options.drafters) {
            if (const std::string problem = models.why_not(choice.name); !problem.empty())
                throw Error("the drafter '" + choice.name + "' cannot run: " + problem, "Leave it out.", Exit::usage);
            if (std::ranges::find(names, choice.name) == names.end()) names.push_back(choice.name);
        }
    }
    std::erase(names, std::string(kNoDrafter));
    return names;
}

std::vector<SweepMethod> methods_of(const Options& options, const Models& models) {
    std::vector<SweepMethod> methods{{.drafter = kNoDrafter, .rule = "token", .k = 0}};
    const std::vector<std::string> drafters = drafters_of(options, models);
    check_drafter_options(options, drafters, models.layers());
    for (const std::string& name : drafters)
        for (const int asked : options.lengths.empty() ? std::vector<int>{run_settings(options, name, 0).k} : options.lengths) {
            const int k = possible_k(options, models, name, asked);
            const bool known = std::ranges::any_of(methods, [&](const SweepMethod& m) { return m.drafter == name && m.k == k; });
            if (k > 0 && !known) methods.push_back({.drafter = name, .rule = judging_rule(options.run.rule, name), .k = k});
        }
    if (methods.size() == 1) throw Error("no drafter was named that drafts", "Name some: --drafters lookup,eagle3.", Exit::usage);
    return methods;
}

SweepPlan sweep_plan(const Options& options, const Models& models, std::vector<std::string>& domains) {
    SweepPlan plan;
    plan.methods = methods_of(options, models);
    plan.concurrency = options.concurrency;
    if (plan.concurrency.empty()) plan.concurrency.assign(std::begin(kDefaultConcurrency), std::end(kDefaultConcurrency));
    std::ranges::sort(plan.concurrency);
    plan.concurrency.erase(std::unique(plan.concurrency.begin(), plan.concurrency.end()), plan.concurrency.end());
    plan.repeats = options.repeats;
    const double seconds = options.for_seconds.value_or(kDefaultSeconds);
    plan.seconds = (1 - kProofShare) * seconds;
    plan.proof_seconds = std::max(kLeastProofSeconds, kProofShare * seconds);
    if (options.blocks) plan.blocks = *options.blocks;
    plan.film = plan.in_time = true;
    const std::vector<ListedPrompt> prompts = prompts_of(options, models);
    const std::size_t count = std::min(prompts.size(), kPrompts);
    for (std::size_t i = 0; i < count; ++i) { // spread over the list, which goes domain by domain
        RunSettings text = with_prompt(run_settings(options, kNoDrafter, 0), prompts[i * prompts.size() / count].ask);
        text.seed += i; // texts that are asked alike differ
        plan.texts.push_back(text);
        domains.push_back(prompts[i * prompts.size() / count].domain);
    }
    if (options.adaptive) { // of the first drafter, with the longest drafts
        const SweepMethod& method = plan.methods[1];
        int most = 0;
        for (const SweepMethod& other : plan.methods)
            if (other.drafter == method.drafter) most = std::max(most, other.k);
        plan.adaptive = adaptive_plan(models, plan.texts, method.drafter, method.rule, most);
        plan.adaptive->repeats = plan.repeats;
        plan.adaptive->automatic = true;
        if (plan.concurrency.back() == 1) plan.adaptive->seats = 1; // single runs
    }
    return plan;
}

SweepFacts facts_of(const std::shared_ptr<const Models>& models, const SweepPlan& plan) {
    RunSettings first = plan.texts.front();
    first.drafter = kNoDrafter;
    first.k = 0;
    SweepFacts facts;
    facts.header = *Run(models, first).trace().header();
    facts.prompts = plan.texts.size();
    return facts;
}

// Ctrl+C ends it; what was measured by then is told.
Sweep measured(const std::shared_ptr<const Models>& models, const SweepPlan& plan, double seconds) {
    constexpr double kLate = 1.1; // of the time of the slices; one turn of each fills it where there is no other
    ProgressBar bar;
    SweepMeasurement measurement(models, plan);
    const double first = now_ms();
    double begun = first;
    bool told = false;
    while (measurement.step()) {
        if (interrupted().load()) measurement.stop();
        bar.show(measurement.doing(), std::round(100 * measurement.done()), 100, "%");
        if (measurement.filming()) begun = now_ms();
        // What every cell takes once, by those that there are; the later ones, of more texts, take longer.
        const double cells = static_cast<double>(measurement.batches()) / plan.repeats,
                     done = static_cast<double>(measurement.batches_done());
        const double takes = done > 0 ? (now_ms() - begun) / 1000 / done * cells : 0;
        const double film = (begun - first) / 1000;
        if (told || done >= cells || film + takes < kLate * plan.seconds) continue;
        told = true;
        say(number(seconds, 0) + " s are too short here: to measure each of the " + number(cells, 0) + " cells once takes " +
            number(std::ceil(takes), 0) + " s or more (fewer drafters, lengths or texts at once: --drafters, --k, --concurrency)");
    }
    return measurement.sweep();
}

std::string heading(const SweepFacts& facts, const Terminal& terminal) {
    return terminal.paint(Tone::strong, "SpecLens sweep") + " · " + facts.header.model + " · " + facts.header.backend +
           (facts.header.precision == Precision::f32 ? "" : " · " + precision_words(facts.header.precision)) + " · " +
           terminal.paint(Tone::muted, "[" + facts.header.tier + "]") + "\n";
}

} // namespace

Exit command_sweep(const Options& options) {
    for (const char* option : {"--develop", "--held-out"})
        if (options.has(option) && !options.alone)
            throw Error(std::string(option) + " is for runs of one text", "Add --alone.", Exit::usage);
    if (options.alone) return command_alone(options);
    std::optional<ResultFile> json, csv; // before anything is measured: can they be written?
    if (!options.json.empty()) json.emplace(options.json);
    if (!options.csv.empty()) csv.emplace(options.csv);
    const std::optional<Rent> rent = rent_asked(options);
    const std::shared_ptr<const Models> models = load(options);
    std::vector<std::string> domains;
    const SweepPlan plan = sweep_plan(options, *models, domains);
    SweepFacts facts = facts_of(models, plan);
    facts.domains = std::move(domains);
    facts.rent = rent;
    const Sweep sweep = measured(models, plan, options.for_seconds.value_or(kDefaultSeconds));
    if (!sweep.complete && std::ranges::none_of(sweep.cells, &SweepCell::measured)) {
        say("ended before the first of " + std::to_string(sweep.cells.size()) + " cells: nothing was measured");
        throw Interrupted{};
    }
    if (const std::string warning = busy_warning(sweep.busy_cores); !warning.empty()) say(warning);
    if (options.json != "-" && options.csv != "-") {
        const Terminal terminal = standard_terminal(options.color);
        print_results(heading(facts, terminal) + sweep_text(sweep, plan, facts, terminal));
    }
    if (json) {
        json->write(sweep_json(sweep, plan, facts));
        json->commit();
    }
    if (csv) {
        csv->write(sweep_csv(sweep, plan, facts));
        csv->commit();
    }
    if (!sweep.complete) throw Interrupted{};
    return texts_compared(sweep) == texts_equal(sweep) ? Exit::ok : Exit::failed;
}

} // namespace speclens::cli
