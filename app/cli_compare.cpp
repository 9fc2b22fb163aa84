// `speclens compare`: several drafters on the same prompts and dice, interleaved with plain decoding.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli_commands.h"
#include "app/cli_measure.h"
#include "app/cli_output.h"
#include "app/cli_setup.h"
#include "app/cli_terminal.h"
#include "engine/drafter.h"

namespace speclens::cli {

namespace {

using Json = nlohmann::ordered_json;

// One drafter: its samples in the order of the prompts, or why there are none.
struct Contestant {
    std::string name;
    RunSettings settings;
    std::string problem;
    std::vector<int> ids; // that a cut draft head ranks; empty: all
    std::vector<Sample> samples;
};

struct Row {
    const Contestant* contestant = nullptr;
    std::string domain;
    Totals totals;
    Estimate speed;
    long outside = 0;      // written tokens that a cut draft head has no row for
    bool identical = true; // at temperature 0
};

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

Json json_of(const Row& row, bool greedy) {
    const Contestant& c = *row.contestant;
    Json json = {{"drafter", c.name}, {"rule", c.settings.rule}, {"k", c.settings.k}, {"domain", row.domain}};
    if (!c.problem.empty()) {
        json["problem"] = c.problem;
        return json;
    }
    const Totals& t = row.totals;
    json["prompts"] = t.prompts;
    json["rounds"] = t.rounds;
    json["tokens"] = t.tokens;
    json["drafted"] = t.drafted;
    json["accepted_drafts"] = t.accepted;
    json["tokens_per_round"] = t.tokens_per_round();
    json["acceptance_by_position"] = t.acceptance;
    json["conditional_by_position"] = t.conditional;
    if (!c.ids.empty()) {
        json["draft_ids"] = c.ids.size();
        json["tokens_outside_draft_ids"] = row.outside;
    }
    json["draft_ms"] = t.draft_ms - t.head_ms;
    json["head_ms"] = t.head_ms;
    json["verify_ms"] = t.verify_ms;
    json["other_ms"] = t.other_ms;
    json["tokens_per_second"] = t.tokens_per_second;
    json["speedup"] = row.speed.value;
    json["speedup_low"] = row.speed.interval ? Json(row.speed.low) : Json(nullptr);
    json["speedup_high"] = row.speed.interval ? Json(row.speed.high) : Json(nullptr);
    json["greedy_identical"] = greedy ? Json(row.identical) : Json(nullptr);
    return json;
}

constexpr int kFullWidth = 99; // of the table with the column of positions

std::string positions(const std::vector<double>& acceptance) {
    constexpr std::size_t kMost = 4;
    std::string text;
    for (std::size_t i = 0; i < acceptance.size() && i < kMost; ++i)
        text += (i ? " " : "") + probability(acceptance[i]);
    if (acceptance.size() > kMost) text += "…";
    return text.empty() ? "–" : text;
}

constexpr int kName = 10; // of a drafter

std::string table_line(const Row& row, bool greedy, const Terminal& terminal) {
    const Contestant& c = *row.contestant;
    std::string line = "  " + pad(c.name, kName);
    if (!c.problem.empty()) return line + terminal.paint(Tone::muted, "cannot run: " + c.problem) + "\n";
    const Totals& t = row.totals;
    line += pad_left(number(t.tokens_per_round(), 2), 6);
    line +=
        pad_left(c.name == "none" ? "–" : std::to_string(t.accepted) + "/" + std::to_string(t.drafted), 10) +
        "  ";
    if (terminal.width >= kFullWidth) line += pad(positions(t.acceptance), 17);
    line += pad_left(number(t.draft_ms, 2), 6) + pad_left(number(t.verify_ms, 2), 7) +
            pad_left(number(t.other_ms, 2), 6);
    line += pad_left(number(t.tokens_per_second, 0), 7);
    const std::string interval =
        row.speed.interval && c.name != "none"
            ? " [" + number(row.speed.low, 2) + ", " + number(row.speed.high, 2) + "]"
            : "";
    const Tone tone = c.name == "none" ? Tone::plain : row.speed.value >= 1 ? Tone::accepted : Tone::rejected;
    line += "  " + terminal.paint(tone, pad(number(row.speed.value, 2) + "×" + interval, 19));
    if (!greedy) return line + "–\n";
    return line +
           terminal.paint(row.identical ? Tone::accepted : Tone::rejected, row.identical ? "yes" : "NO") +
           "\n";
}

std::string table_head(const Terminal& terminal) {
    const bool full = terminal.width >= kFullWidth;
    const std::string first = "  " + pad("drafter", kName) + pad_left("tok/", 6) + pad_left("accepted/", 10) +
                              "  " + (full ? pad("accepted at", 17) : "") + pad_left("ms per round", 19) +
                              pad_left("tok/s", 7) + "  " + pad("speed-up", 19) + "same";
    const std::string second = pad("", kName + 2) + pad_left("round", 6) + pad_left("drafted", 10) + "  " +
                               (full ? pad("position 1 2 3 4", 17) : "") + pad_left("draft", 6) +
                               pad_left("verify", 7) + pad_left("other", 6) + pad("", 7) + "  " +
                               pad("[95 % interval]", 19) + "text";
    return terminal.paint(Tone::muted, first) + "\n" + terminal.paint(Tone::muted, second) + "\n";
}

// What FR-Spec took away: tokens that were written although the drafter could never have guessed them.
std::string cut_notes(const std::vector<Row>& rows, int vocab, bool from_file) {
    std::string text;
    for (const Row& row : rows) {
        if (row.domain != "all" || row.contestant->ids.empty() || row.totals.tokens == 0) continue;
        text += "  " + row.contestant->name + " ranks " + std::to_string(row.contestant->ids.size()) +
                " of " + std::to_string(vocab) + " ids; " + std::to_string(row.outside) + " of " +
                std::to_string(row.totals.tokens) + " written tokens are not among them\n";
    }
    if (!text.empty() && !from_file)
        text += "  no frequent.json with the target: these are the ids with the lowest numbers\n";
    return text.empty() ? "" : "\n" + text;
}

// Tokens per round and speed-up of every drafter in every domain; the rest is in the JSON.
std::string domain_table(const std::vector<Row>& rows, const std::vector<std::string>& domains,
                         const std::vector<Contestant>& contestants, const Terminal& terminal) {
    constexpr int kDomain = 12, kCell = 14;
    std::string head = "  " + pad("by domain", kDomain);
    for (const Contestant& c : contestants)
        if (c.problem.empty() && c.name != "none") head += pad_left(c.name, kCell);
    std::string text = "\n" + terminal.paint(Tone::muted, head + "   (tokens per round, speed-up)") + "\n";
    for (const std::string& domain : domains) {
        if (domain == "all") continue;
        text += "  " + pad(clip(domain, kDomain - 1), kDomain);
        for (const Row& row : rows)
            if (row.domain == domain && row.contestant->problem.empty() && row.contestant->name != "none")
                text += pad_left(number(row.totals.tokens_per_round(), 2) + "  " +
                                     number(row.speed.value, 2) + "×",
                                 kCell);
        text += "\n";
    }
    return text;
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
    Json json = {{"schema", "speclens-compare/1"},
                 {"machine", header.machine},
                 {"backend", models->backend->name()},
                 {"device", models->backend->description()},
                 {"model", models->target_name()},
                 {"date", header.date},
                 {"tier", header.tier},
                 {"temperature", first.sampling.temperature},
                 {"top_k", first.sampling.top_k},
                 {"top_p", first.sampling.top_p},
                 {"seed", first.seed},
                 {"max_tokens", first.max_tokens},
                 {"repeats", options.repeats},
                 {"busy_cores", busy},
                 {"rows", Json::array()}};
    const Terminal terminal = standard_terminal(options.color);
    std::string text =
        terminal.paint(Tone::strong, "SpecLens compare") + " · " + models->target_name() + " · " +
        models->backend->description() + " · " + terminal.paint(Tone::muted, "[" + header.tier + "]") + "\n" +
        std::to_string(prompts.size()) + (prompts.size() == 1 ? " prompt, " : " prompts, ") + "temperature " +
        number(first.sampling.temperature, 2) + ", seed " + std::to_string(first.seed) + ", at most " +
        std::to_string(first.max_tokens) + " new tokens, median of " + std::to_string(options.repeats) +
        (options.repeats == 1 ? " run" : " runs") + "; prefill not counted\n";
    std::vector<Row> rows;
    for (const std::string& domain : domains)
        for (const Contestant& c : contestants)
            rows.push_back(row_of(c, contestants[0], prompts, domain, first.seed));
    bool all_identical = true;
    text += "\n" + table_head(terminal);
    for (const Row& row : rows) {
        json["rows"].push_back(json_of(row, greedy));
        all_identical = all_identical && row.identical;
        if (row.domain == "all") text += table_line(row, greedy, terminal);
    }
    if (models->frequent) text += cut_notes(rows, models->vocab(), models->frequent->from_file());
    if (domains.size() > 2) text += domain_table(rows, domains, contestants, terminal);
    if (!options.json.empty()) {
        ResultFile file(options.json);
        file.write(json.dump(2) + "\n");
        file.commit();
    }
    if (options.json != "-") print(text);
    if (greedy && !all_identical) {
        say("a text differs from plain decoding's: this must not happen, please report it with the command "
            "line");
        return Exit::failed;
    }
    return Exit::ok;
}

} // namespace speclens::cli
