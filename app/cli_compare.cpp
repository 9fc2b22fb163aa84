// `speclens compare`: several drafters on the same prompts and dice, interleaved with plain decoding.
#include <algorithm>
#include <map>

#include "app/cli_commands.h"
#include "app/cli_compare_rows.h"
#include "app/cli_measure.h"
#include "app/cli_output.h"
#include "app/cli_setup.h"
#include "app/cli_terminal.h"
#include "engine/drafter.h"

namespace speclens::cli {

namespace {

// Written tokens that `fr_spec` left the drafter no row for.
long outside_of(const std::vector<int>& ids, const std::vector<int>& output) {
    return std::count_if(output.begin(), output.end(),
                         [&](int id) { return !std::binary_search(ids.begin(), ids.end(), id); });
}

std::vector<Contestant> contestants_of(const Options& options, const Models& models) {
    std::vector<std::string> names{"none"};
    if (options.drafters.empty()) {
        for (const DrafterInfo& info : drafter_list())
            if (std::string(info.name) != "none") names.emplace_back(info.name);
    } else {
        for (const DrafterChoice& choice : options.drafters)
            if (std::find(names.begin(), names.end(), choice.name) == names.end())
                names.push_back(choice.name);
    }
    std::vector<Contestant> all;
    for (const std::string& name : names) {
        Contestant one;
        one.name = name;
        one.settings = run_settings(options, name, 0);
        one.settings.trace_top = 0;
        one.settings.timing = true;
        one.problem = models.why_not(name);
        if (one.problem.empty() && one.settings.options.fr_spec > 0 && models.frequent)
            one.ids = models.frequent->first(one.settings.options.fr_spec);
        all.push_back(std::move(one));
    }
    return all;
}

void run_all(const std::shared_ptr<const Models>& models, std::vector<Contestant>& contestants,
             const std::vector<Prompt>& prompts, int repeats) {
    ProgressBar bar;
    for (const Contestant& c : contestants) { // warm-up: first touches of weights and caches
        if (!c.problem.empty()) continue;
        RunSettings settings = with_prompt(c.settings, prompts[0]);
        settings.max_tokens = std::min(settings.max_tokens, 4);
        (void)measure(models, settings);
    }
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        bar.show("measuring", static_cast<double>(p), static_cast<double>(prompts.size()), "prompts");
        std::vector<std::vector<Sample>> samples(contestants.size());
        for (int r = 0; r < repeats; ++r)
            for (std::size_t c = 0; c < contestants.size(); ++c) {
                const std::size_t turn =
                    (c + static_cast<std::size_t>(r)) % contestants.size(); // nobody is always first
                if (!contestants[turn].problem.empty()) continue;
                samples[turn].push_back(measure(models, with_prompt(contestants[turn].settings, prompts[p])));
            }
        for (std::size_t c = 0; c < contestants.size(); ++c)
            if (!samples[c].empty()) contestants[c].samples.push_back(median_sample(samples[c]));
    }
}

Row row_of(const Contestant& contestant, const Contestant& plain, const std::vector<Prompt>& prompts,
           const std::string& domain, std::uint64_t seed) {
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
    row.speed = speed_up(base, mine, seed);
    return row;
}

} // namespace

Exit command_compare(const Options& options) {
    const std::shared_ptr<const Models> models = load(options);
    std::vector<Contestant> contestants = contestants_of(options, *models);
    std::vector<std::string> names;
    for (const Contestant& c : contestants)
        if (c.problem.empty()) names.push_back(c.name);
    check_drafter_options(options, names, models->layers());
    const std::vector<Prompt> prompts = prompts_of(options, *models);
    const double busy = busy_cores();
    if (const std::string warning = busy_warning(busy); !warning.empty()) say(warning);
    run_all(models, contestants, prompts, options.repeats);

    std::vector<std::string> domains;
    for (const Prompt& prompt : prompts)
        if (prompt.domain != "all" &&
            std::find(domains.begin(), domains.end(), prompt.domain) == domains.end())
            domains.push_back(prompt.domain);
    domains.emplace_back("all");

    const RunSettings& first = contestants[0].settings;
    const bool greedy = first.sampling.temperature == 0;
    const Header header = *Run(models, with_prompt(first, prompts[0])).trace().header();
    const Terminal terminal = standard_terminal(options.color);
    std::string text =
        terminal.paint(Tone::strong, "SpecLens compare") + " · " + models->target_name() + " · " +
        models->backend->description() + " · " + terminal.paint(Tone::muted, "[" + header.tier + "]") + "\n" +
        std::to_string(prompts.size()) + (prompts.size() == 1 ? " prompt, " : " prompts, ") + "temperature " +
        number(first.sampling.temperature, 2) + ", seed " + std::to_string(first.seed) + ", at most " +
        std::to_string(first.max_tokens) + " new tokens, median of " + std::to_string(options.repeats) +
        (options.repeats == 1 ? " run" : " runs") + "; prefill not counted\n" + setting_lines(contestants);
    std::vector<Row> rows;
    for (const std::string& domain : domains)
        for (const Contestant& c : contestants)
            rows.push_back(row_of(c, contestants[0], prompts, domain, first.seed));
    const Row* plain = nullptr;
    for (const Row& row : rows)
        if (row.domain == "all" && row.contestant->name == "none") plain = &row;
    bool all_identical = true;
    text += "\n" + table_head(terminal);
    for (const Row& row : rows) {
        all_identical = all_identical && (row.identical || row.contestant->mixes());
        if (row.domain == "all") text += table_line(row, greedy, terminal);
    }
    if (models->frequent) text += cut_notes(rows, models->vocab(), models->frequent->from_file());
    text += formula_table(rows, *plain, terminal);
    text += position_table(rows, terminal);
    if (domains.size() > 2) text += domain_table(rows, domains, contestants, terminal);
    const auto to_file = [](const std::string& name, const std::string& words) {
        if (name.empty()) return;
        ResultFile file(name);
        file.write(words);
        file.commit();
    };
    to_file(options.json, compare_json(rows, {header, models->backend->name(), models->target_name(), first,
                                              options.repeats, busy}));
    to_file(options.csv, compare_csv(rows));
    if (options.json != "-" && options.csv != "-") print(text);
    if (greedy && !all_identical) {
        say("a text differs from plain decoding's: this must not happen, please report it with the command "
            "line");
        return Exit::failed;
    }
    return Exit::ok;
}

} // namespace speclens::cli
