// `speclens compare`: several drafters on the same prompts and dice, interleaved with plain decoding.
#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include "app/cli/advise_text.h"
#include "app/cli/commands.h"
#include "app/cli/compare/compare_rows.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "engine/advice/estimate.h"
#include "engine/base/busy.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/reference.h"
#include "engine/lab/time_table.h"
#include "engine/model/precision.h"
#include "kernels/backend.h"

namespace speclens::cli {

namespace {

// Written tokens that a cut output matrix left the drafter no row for.
long outside_of(const std::vector<int>& ids, const std::vector<int>& output) {
    return std::count_if(output.begin(), output.end(), [&](int id) { return !std::binary_search(ids.begin(), ids.end(), id); });
}

// Every K that is asked of a drafter, as far as its head can draft; fixed ones, or the most of K auto. As for other commands --k N is the
// most where --k-auto stands beside it, and `auto` has the usual most.
struct Lengths {
    std::vector<int> fixed, most;
};
Lengths lengths_of(const Options& options, const Models& models, const std::string& drafter, int default_length) {
    if (drafter == kNoDrafter) return {{0}, {}};
    const bool bounds = options.has("--k-auto");
    Lengths lengths;
    const auto add = [](std::vector<int>& list, int k) {
        if (std::ranges::find(list, k) == list.end()) list.push_back(k);
    };
    for (const int asked : options.lengths) add(bounds ? lengths.most : lengths.fixed, possible_k(options, models, drafter, asked));
    if (options.unbounded_auto || (bounds && options.lengths.empty())) { // nobody typed a number: nothing to say where the head makes fewer
        const auto network = models.network(drafter);
        add(lengths.most, network ? std::min(kMostAuto, network->config.most_drafts()) : kMostAuto);
    }
    if (lengths.fixed.empty() && lengths.most.empty()) lengths.fixed.push_back(possible_k(options, models, drafter, default_length));
    return lengths;
}

// As in a race, a drafter that the rule does not suit is judged by one that does; where it suits none of
// them, whoever asked for it hears that.
bool suits_somebody(const std::string& rule, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& name) { return name != kNoDrafter && judging_rule(rule, name) == rule; });
}

// A run of a model that reads so much a pass takes seconds: everything is measured once, since a run has passes enough for its times, and
// of the drafters that copy and of those that need no head only one is measured where none is named.
constexpr std::size_t kLargePass = 500'000'000;
constexpr std::array kVariants = {"skip", "suffix", "sam", "ngram_mod", "ngram_map"};
bool is_large(const Models& models) { return models.target && models.target->bytes.per_token >= kLargePass; }

std::vector<Contestant> contestants_of(const Options& options, const Models& models) {
    std::vector<std::string> names{kNoDrafter};
    if (options.drafters.empty()) {
        const auto left_out = [&](const char* name) {
            return is_large(models) && std::ranges::find(kVariants, std::string_view(name)) != kVariants.end();
        };
        for (const DrafterInfo& info : drafter_list())
            if (std::string(info.name) != kNoDrafter && !left_out(info.name)) names.emplace_back(info.name);
        if (is_large(models))
            say("runs of this model take seconds: each once (--repeats), and without skip, suffix, sam, ngram_mod and ngram_map "
                "(--drafters)");
    } else {
        for (const DrafterChoice& choice : options.drafters)
            if (std::find(names.begin(), names.end(), choice.name) == names.end()) names.push_back(choice.name);
    }
    const bool suits = suits_somebody(options.run.rule, names);
    std::vector<Contestant> all;
    for (const std::string& name : names) {
        Contestant one;
        one.name = one.label = name;
        one.folder = folder_of(options, name);
        one.head = models.drafter_fingerprint(name);
        one.settings = run_settings(options, name, 0);
        if (suits) one.settings.rule = judging_rule(options.run.rule, name);
        one.settings.trace_top = name == kNoDrafter ? 0 : RefusedRanks::kListed; // recorded beside what is timed
        one.settings.timing = true;
        one.problem = models.why_not(name);
        if (!one.problem.empty()) {
            all.push_back(std::move(one));
            continue;
        }
        const std::shared_ptr<const FrequentIds> ranked = models.ids_for(one.settings.options);
        if (const int ids = draft_ids(one.settings.options); ids > 0 && ranked) one.ids = ranked->first(ids);
        const Lengths lengths = lengths_of(options, models, name, one.settings.k);
        const bool several = lengths.fixed.size() + lengths.most.size() > 1;
        for (const bool automatic : {false, true})
            for (const int k : automatic ? lengths.most : lengths.fixed) {
                one.settings.k = k;
                one.settings.k_auto = automatic;
                const std::string most = automatic ? lengths.most.size() > 1 ? "auto≤" : "auto" : "";
                if (several) one.label = name + " K=" + most + (most == "auto" ? "" : std::to_string(k));
                all.push_back(one);
            }
    }
    return all;
}

// All repeats of all contestants on one prompt; nobody is always first.
std::vector<std::vector<Sample>> measure_all(const std::shared_ptr<const Models>& models, const std::vector<Contestant>& contestants,
                                             const Prompt& prompt, int repeats) {
    std::vector<std::vector<Sample>> samples(contestants.size());
    for (int r = 0; r < repeats; ++r)
        for (std::size_t c = 0; c < contestants.size(); ++c) {
            const std::size_t turn = (c + static_cast<std::size_t>(r)) % contestants.size();
            if (!contestants[turn].problem.empty()) continue;
            samples[turn].push_back(measure(models, with_prompt(contestants[turn].settings, prompt)));
        }
    return samples;
}

// A model whose passes take long is asked as many of the ready-made prompts as fit into this time, but never fewer: so many
// tell drafters apart.
constexpr double kMostSeconds = 300;
constexpr std::size_t kFewestPrompts = 20;

// Measures prompt after prompt until something ends it: the time is over (`limited`), Ctrl+C, a server that went away. What was
// thrown is handed back, so that the finished prompts can be told first; where there are none, it is thrown.
std::exception_ptr run_all(const std::shared_ptr<const Models>& models, std::vector<Contestant>& contestants,
                           const std::vector<ListedPrompt>& prompts, int repeats, TimeTable& table, bool limited) {
    const double start = now_ms();
    ProgressBar bar;
    bar.show("warming up", 0, 0, "");
    for (const Contestant& c : contestants) { // warm-up: first touches of weights and caches
        if (!c.problem.empty()) continue;
        RunSettings settings = with_prompt(c.settings, prompts[0].ask);
        settings.max_tokens = std::min(settings.max_tokens, 4);
        (void)measure(models, settings);
    }
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        const double spent = now_ms() - start, one = p > 0 ? spent / static_cast<double>(p) : 0;
        if (limited && p >= kFewestPrompts && spent + one > 1000 * kMostSeconds) break;
        bar.show("measuring", static_cast<double>(p), static_cast<double>(prompts.size()), "prompts");
        std::vector<std::vector<Sample>> samples;
        try {
            samples = measure_all(models, contestants, prompts[p].ask, repeats);
        } catch (...) {
            if (p == 0) throw;
            return std::current_exception();
        }
        for (std::size_t c = 0; c < contestants.size(); ++c) {
            if (samples[c].empty()) continue;
            std::vector<double>& times = contestants[c].repeats.emplace_back();
            for (const Sample& sample : samples[c]) {
                times.push_back(sample.total_ms());
                if (models->target && !models->scorer) table.add(*sample.trace);
            }
            contestants[c].samples.push_back(samples[c].front()); // the same dice: the same tokens in every repeat
        }
    }
    return nullptr;
}

Row row_of(const Contestant& contestant, const Contestant& plain, const std::vector<ListedPrompt>& prompts, const std::string& domain,
           std::uint64_t seed, double busy_cores) {
    Row row{&contestant, domain, {}, {}, 0, true};
    if (!contestant.problem.empty()) return row;
    std::vector<const Sample*> mine, base;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        if (domain != "all" && prompts[p].domain != domain) continue;
        mine.push_back(&contestant.samples[p]);
        base.push_back(&plain.samples[p]);
        if (!contestant.ids.empty()) row.outside += outside_of(contestant.ids, mine.back()->output);
        row.identical = row.identical && mine.back()->output == base.back()->output;
    }
    row.totals = total(mine);
    row.apart = (1 + row.totals.spread) * (1 + total(base).spread) - 1;
    row.busy = busy_cores > kMostBusyCores;
    row.speed = speed_up(base, mine, seed);
    return row;
}

AdviceRuns advice_runs(const Contestant& contestant) {
    const RunSettings& settings = contestant.settings;
    AdviceRuns runs{contestant.name, settings.rule, settings.k, settings.max_tokens, {}, {}};
    for (std::size_t p = 0; p < contestant.samples.size(); ++p) {
        runs.traces.push_back(contestant.samples[p].trace);
        runs.prompts.push_back(static_cast<int>(p));
    }
    return runs;
}

// What was compared, as `speclens advise` would tell it.
Advice advice_of(const std::vector<Contestant>& contestants, const Row& plain, double busy_cores) {
    AdviceEvidence evidence{advice_runs(contestants.front()), {}, contestants.front().settings.seed};
    for (const Contestant& contestant : contestants)
        if (contestant.problem.empty() && contestant.name != "none" && !contestant.settings.k_auto)
            evidence.lengths.push_back(advice_runs(contestant));
    Advice advice;
    advice.prompts = advice.planned = plain.totals.prompts;
    advice.plain_ms = plain.totals.round_ms();
    advice.busy_cores = busy_cores;
    advice.clock = clock_of(evidence);
    advice.cells = estimate_cells(evidence);
    advice.drafters = places_of(evidence);
    advice.complete = true;
    return advice;
}

// What other machines are told where their own figures are in doubt (engine/lab/reference.h).
std::vector<Reference> references_of(const std::vector<Row>& rows, const CompareFacts& facts) {
    const Row* plain = nullptr;
    for (const Row& row : rows)
        if (row.domain == "all" && row.contestant->name == kNoDrafter) plain = &row;
    std::vector<Reference> list;
    std::string doubtful;
    for (const Row& row : rows) {
        if (row.domain != "all" || row.contestant == plain->contestant || row.totals.rounds == 0) continue;
        if (row.contestant->settings.k_auto) continue; // a reference is of one K
        if (!row.possible() || row.in_doubt()) {
            doubtful += (doubtful.empty() ? "" : ", ") + row.contestant->label;
            continue;
        }
        const RunSettings& settings = row.contestant->settings;
        list.push_back({facts.model, row.contestant->name, settings.k, settings.sampling.temperature, row.speed.value,
                        row.totals.tokens_per_round(), plain->totals.round_ms(), row.totals.round_ms(), row.totals.prompts,
                        facts.header.machine, facts.header.date.substr(0, 10), facts.header.precision});
    }
    if (list.empty())
        throw Error("every speed-up is in doubt, so none is a reference", "Run it again when nothing else keeps the cores busy.",
                    Exit::failed);
    if (!doubtful.empty()) say("in doubt, so no reference: " + doubtful);
    return list;
}

} // namespace

Exit command_compare(const Options& asked) {
    Options options = asked;
    std::optional<ResultFile> json, csv, reference; // before anything is measured: can they be written?
    if (!options.json.empty()) json.emplace(options.json);
    if (!options.csv.empty()) csv.emplace(options.csv);
    if (!options.reference.empty()) reference.emplace(options.reference);
    const std::optional<Rent> rent = rent_asked(options);
    std::shared_ptr<const Models> models = load(options);
    if (is_large(*models) && !options.has("--repeats")) options.repeats = 1;
    std::vector<Contestant> contestants = contestants_of(options, *models);
    std::vector<std::string> names;
    for (const Contestant& c : contestants)
        if (c.problem.empty()) names.push_back(c.name);
    check_drafter_options(options, names, models->layers());
    Remembering kept = remembering(options, models, names);
    models = kept.models;
    std::vector<ListedPrompt> prompts = prompts_of(options, *models);
    const std::size_t planned = prompts.size();
    std::vector<RunSettings> runs;
    for (const Contestant& c : contestants) runs.push_back(with_prompt(c.settings, prompts[0].ask));
    settle_costs(options, models, runs);
    const bool times = !models->target_table; // it costs nothing to ask
    if (const std::string warning = busy_warning(busy_cores()); times && !warning.empty()) say(warning);
    TimeTable table; // of all that is timed here: every pass has one time, whoever makes it
    const BusyMeter meter;
    // The built-in prompts of the built-in model take seconds; whoever names prompts gets all of them.
    const bool limited =
        models->bundle.empty() && !models->target_table && options.prompts.empty() && options.set.empty() && !options.prompt;
    const std::exception_ptr ended_by = run_all(models, contestants, prompts, options.repeats, table, limited);
    const double busy = meter.cores();
    table.set_busy(busy);
    if (table.revision() > 0)
        for (Contestant& c : contestants)
            for (Sample& sample : c.samples) {
                table.time(*sample.trace);
                sample.take_times();
            }
    prompts.resize(contestants[0].samples.size());

    std::vector<std::string> domains;
    for (const ListedPrompt& prompt : prompts)
        if (prompt.domain != "all" && std::find(domains.begin(), domains.end(), prompt.domain) == domains.end())
            domains.push_back(prompt.domain);
    domains.emplace_back("all");

    const RunSettings& first = contestants[0].settings;
    const Header header = *Run(models, with_prompt(first, prompts[0].ask)).trace().header();
    TableLook look{.terminal = standard_terminal(options.color),
                   .greedy = first.sampling.temperature == 0,
                   .times = times,
                   .speed_up = times && !models->scorer};
    for (const Contestant& c : contestants) look.name = std::max(look.name, columns(c.label) + 2);
    const Terminal& terminal = look.terminal;
    std::string how_far = ", ";
    if (ended_by)
        how_far = ", then it ended; ";
    else if (prompts.size() < planned)
        how_far = ", as many as fit into five minutes; ";
    std::string text = terminal.paint(Tone::strong, "SpecLens compare") + " · " + models->target_name() +
                       (models->scorer ? "" : " · " + models->backend->description()) +
                       (models->precision() == Precision::f32 ? "" : " · " + precision_words(models->precision())) + " · " +
                       terminal.paint(Tone::muted, "[" + header.tier + "]") + "\n" + std::to_string(prompts.size()) +
                       (prompts.size() < planned ? " of " + std::to_string(planned) : "") + (planned == 1 ? " prompt" : " prompts") +
                       how_far + "temperature " + number(first.sampling.temperature, 2) + ", seed " + std::to_string(first.seed) +
                       ", at most " + std::to_string(first.max_tokens) + " new " + (first.max_tokens == 1 ? "token" : "tokens") +
                       (times ? ", " + counted(options.repeats, "run") + " of each, timed by the lower quartile of a kind of pass; " +
                                    "prefill not counted\n"
                              : "\n") +
                       setting_lines(contestants);
    if (models->scorer && !header.notice.empty()) text += header.notice + "\n";
    std::vector<Row> rows;
    for (const std::string& domain : domains)
        for (const Contestant& c : contestants) rows.push_back(row_of(c, contestants[0], prompts, domain, first.seed, busy));
    const Row* plain = nullptr;
    for (const Row& row : rows)
        if (row.domain == "all" && row.contestant->name == kNoDrafter) plain = &row;
    bool all_identical = true;
    look.interval = has_interval(rows);
    text += "\n" + table_head(look);
    for (const Row& row : rows) {
        all_identical = all_identical && (row.identical || row.contestant->is_cascade());
        if (row.domain == "all") text += table_line(row, look);
    }
    if (look.speed_up) text += speed_notes(rows);
    text += vocabulary_notes(rows, models->vocab(), models->frequent && models->frequent->from_file());
    if (look.speed_up)
        text += formula_table(rows, *plain, look);
    else if (!times)
        text += "\n  no times and no speed-up: a table costs nothing to ask\n";
    else
        text += "\n  no speed-up: here every pass is a request for log-probabilities, also every single token of plain\n"
                "  decoding, and no user of the server waits for those\n";
    text += wire_table(rows, look);
    if (rent && times) text += cost_table(rows, look, *rent, header.tier);
    text += position_table(rows, look);
    text += first_draft_table(rows, look);
    text += one_more_table(rows, look) + spoken_table(rows, look) + paired_table(paired_rows(rows, first.seed), look);
    if (domains.size() > 2) text += domain_table(rows, domains, contestants, look);
    if (look.speed_up && contestants.size() > 1) text += "\n" + verdict_text(advice_of(contestants, *plain, busy), terminal);
    if (options.json != "-" && options.csv != "-") print_results(text);
    const CompareFacts facts{.header = header,
                             .backend = models->backend->name(),
                             .model = models->target_name(),
                             .options = options,
                             .contestants = contestants,
                             .prompts = prompts,
                             .planned = planned,
                             .busy_cores = busy,
                             .times = times,
                             .speed_up = look.speed_up,
                             .rent = rent};
    if (reference) {
        reference->write(references_json(references_of(rows, facts)));
        reference->commit();
    }
    if (json) {
        json->write(compare_json(rows, facts));
        json->commit();
    }
    if (csv) {
        csv->write(compare_csv(rows, facts));
        csv->commit();
    }
    if (kept.memory) {
        for (const Sample& sample : contestants[0].samples) kept.memory->remember(sample.output);
        keep_answers(kept);
    }
    if (look.greedy && !all_identical)
        say("a text differs from plain decoding's: this must not happen, please report it with the command "
            "line");
    if (ended_by) std::rethrow_exception(ended_by);
    return look.greedy && !all_identical ? Exit::failed : Exit::ok;
}

} // namespace speclens::cli
