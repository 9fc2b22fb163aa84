// `speclens oracle`: single rounds of the production cycle on the tables of every case, counted, and tested
// against the distributions that the case expects. Nothing here knows a rule: what is counted comes out of Cycle, exactly
// as a run would commit it.
#include <algorithm>
#include <exception>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "engine/base/json.h"
#include "engine/base/statistics.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/table_json.h"
#include "engine/rules/verify.h"
#include "engine/run/cycle.h"

namespace speclens::cli {

namespace {

constexpr Sampling kUnchanged{.temperature = 1, .top_k = 0, .top_p = 1};

struct Counted {
    std::map<std::string, long> emitted; // ids joined by commas
    std::vector<long> accepted;          // by number of accepted drafts
};

std::string joined(const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

// End-of-sequence ids: a number or a list, as a parameter or beside the tables.
std::vector<int> stops_of(const OrderedJson& json) {
    std::vector<int> stops;
    const auto take = [&](const OrderedJson& object) {
        if (!object.is_object()) return;
        for (const char* name : {"eos", "eos_id", "eos_ids", "eos_token", "eos_tokens", "eos_token_id", "stop", "stops"}) {
            const auto found = object.find(name);
            if (found == object.end()) continue;
            if (found->is_number_integer()) stops.push_back(found->get<int>());
            if (!found->is_array()) continue;
            for (const OrderedJson& id : *found)
                if (id.is_number_integer()) stops.push_back(id.get<int>());
        }
    };
    take(json);
    if (json.contains("params")) take(json["params"]);
    return stops;
}

double parameter(const OracleCase& c, const char* name, double otherwise) {
    const auto found = c.params.find(name);
    return found == c.params.end() ? otherwise : found->second;
}

// Cases for trees are full trees of `block` levels with k children per node.
constexpr int kMostNodes = 1000;

bool is_tree(const OracleCase& c) { return c.rule.rfind("tree_", 0) == 0; }

int full_tree(const OracleCase& c) {
    const int k = std::max(1, static_cast<int>(parameter(c, "k", 2)));
    long nodes = 0, level = 1;
    for (int depth = 0; depth < c.block && nodes <= kMostNodes; ++depth) nodes += level *= k;
    return static_cast<int>(std::min<long>(nodes, kMostNodes + 1));
}

bool takes(const RuleInfo& rule, const std::string& name) {
    if (name == "verifier") return rule.takes_verifier;
    return std::ranges::any_of(rule.parameters, [&](const RuleParameter& p) { return name == p.name; });
}

RuleParams rule_params(const OracleCase& c) {
    const RuleInfo& rule = *find_rule(c.rule);
    RuleParams params;
    for (const RuleParameter& p : rule.parameters) params.*p.value = parameter(c, p.name, params.*p.value);
    if (const auto found = c.text_params.find("verifier"); found != c.text_params.end())
        set_parameter(params, rule, "verifier", found->second);
    check_parameters(params, rule);
    return params;
}

// Why this case cannot be run; empty when it can. A parameter that would be ignored is a reason.
std::string problem_of(const OracleCase& c, const OrderedJson& json) {
    if (!find_rule(c.rule)) return "no rule of that name";
    if (json.contains("params") && json["params"].is_object())
        for (const auto& [name, value] : json["params"].items()) {
            const bool known = name == "temperature" || name == "top_k" || name == "top_p" || name.rfind("eos", 0) == 0 ||
                               name.rfind("stop", 0) == 0 || (name == "k" && is_tree(c)) || takes(*find_rule(c.rule), name);
            if (!known) return "parameter '" + name + "' is not known to the rule " + c.rule;
        }
    const bool draft = c.raw_distributions.draft || c.distributions.draft;
    const bool target = c.raw_distributions.target || c.distributions.target;
    if (!target || !draft) return "the case has no tables p and q";
    if (is_tree(c) && full_tree(c) > kMostNodes) return "a tree of more than " + std::to_string(kMostNodes) + " nodes";
    return "";
}

Counted count_rounds(const OracleCase& c, const std::vector<int>& stops, std::int64_t samples, std::uint64_t seed) {
    const Sampling asked{.temperature = parameter(c, "temperature", 1),
                         .top_k = static_cast<int>(parameter(c, "top_k", 0)),
                         .top_p = parameter(c, "top_p", 1)};
    check_sampling(asked);
    CycleSettings settings;
    settings.k = c.block;
    settings.nodes = is_tree(c) ? full_tree(c) : 0;
    settings.sampling = c.raw_distributions.target ? asked : kUnchanged; // p and q are given after the pipeline
    settings.draft_sampling = c.raw_distributions.draft ? asked : kUnchanged;
    settings.rule_params = rule_params(c);
    settings.max_tokens = 4 * (c.block + 1);
    settings.trace_top = 0;
    settings.timing = false;
    settings.stops = stops;
    if (c.rule == "greedy") settings.sampling.temperature = settings.draft_sampling.temperature = 0;
    const RuleInfo& rule = rule_at(*find_rule(c.rule), settings.sampling);

    const std::vector<int> start{0}; // one silent token stands for the beginning; it is no part of the context
    DrafterOptions shape;
    shape.tree_topk = std::max(1, static_cast<int>(parameter(c, "k", 2)));
    constexpr int kSlots = 2 * kMostNodes;
    const auto target = make_table_decoder(c.raw_distributions.target ? c.raw_distributions.target : c.distributions.target, 1, kSlots);
    const auto drafter =
        find_drafter(is_tree(c) ? "small_tree" : "small")
            ->make({*target, make_table_decoder(c.raw_distributions.draft ? c.raw_distributions.draft : c.distributions.draft, 1, kSlots),
                    nullptr, shape});

    Counted counted;
    counted.accepted.assign(static_cast<std::size_t>(c.block) + 1, 0);
    constexpr long kRoundsPerTrace = 10000;
    std::unique_ptr<Trace> trace;
    for (std::int64_t i = 0; i < samples; ++i) {
        if (i % kRoundsPerTrace == 0) {
            stop_if_interrupted();
            trace = std::make_unique<Trace>([](int id) { return std::to_string(id); });
            trace->append(Header{});
        }
        target->truncate(0);
        settings.seed = (seed << 32) + static_cast<std::uint64_t>(i);
        Cycle cycle(*target, *drafter, rule, settings, *trace, start, 1);
        const Committed* committed = nullptr;
        while (!committed && cycle.step()) committed = std::get_if<Committed>(&(*trace)[trace->size() - 1]);
        if (!committed) // the round ended the text: Stopped follows its commit
            committed = std::get_if<Committed>(&(*trace)[trace->size() - 2]);
        CHECK(committed != nullptr, "a round without a commit");
        ++counted.emitted[joined(committed->tokens)];
        ++counted.accepted[static_cast<std::size_t>(committed->accepted_drafts)];
    }
    return counted;
}

// ---- what a case expects: "expect": {"emitted": {"1": 0.5, "0,1": 0.5}, "accepted_pmf": [0.5, 0.5]} ----
constexpr double kOracleAlarm = 1e-6; // of one test: a right engine practically never fails

std::vector<int> key_of(const std::string& ids) {
    return {ids.begin(), ids.end()}; // any will do, as long as both sides use it
}

struct Expected {
    ExactDistribution emitted, accepted; // empty: the case says nothing
};

Expected expected_of(const OracleCase& c) {
    Expected expected;
    const OrderedJson json = OrderedJson::parse(c.json);
    const auto found = json.find("expect");
    if (found == json.end() || !found->is_object()) return expected;
    const auto part = [&](const char* name, bool list) {
        const OrderedJson distribution = found->value(name, list ? OrderedJson::array() : OrderedJson::object());
        bool good = list ? distribution.is_array() : distribution.is_object();
        for (const OrderedJson& p : distribution) good = good && p.is_number() && p.get<double>() >= 0;
        if (!good)
            throw Error("case " + c.id + ": \"" + name + "\" of \"expect\" is no " + (list ? "list" : "object") + " of probabilities",
                        R"(For example "expect": {"emitted": {"1": 0.5, "0,1": 0.5}, "accepted_pmf": [0.5, 0.5]}.)");
        return distribution;
    };
    const OrderedJson emitted = part("emitted", false), accepted = part("accepted_pmf", true);
    for (const auto& [ids, p] : emitted.items()) expected.emitted[key_of(ids)] = p.get<double>();
    for (std::size_t i = 0; i < accepted.size(); ++i) expected.accepted[{static_cast<int>(i)}] = accepted[i].get<double>();
    return expected;
}

enum class Finding { agrees, differs, too_few };

// What a test cannot see: a difference that it would miss, and what lies in the kinds that are too rare. More
// than a quarter of the distribution is no agreement.
constexpr double kMostHidden = 0.25;

Finding finding_of(const DistributionTest& test, const ExactDistribution& distribution, std::int64_t rounds) {
    if (test.p_value < kOracleAlarm) return Finding::differs;
    const auto possible = std::ranges::count_if(distribution, [](const auto& entry) { return entry.second > 0; });
    if (possible < 2) return Finding::agrees; // the only one is what came, else the p-value is 0
    const double hidden = test.rare + least_distance(test.degrees, kOracleAlarm, static_cast<double>(rounds));
    return hidden > kMostHidden ? Finding::too_few : Finding::agrees;
}

// Both distributions of one case against what was counted: a line for people, an object for programs.
struct Tested {
    bool any = false;
    Finding finding = Finding::agrees; // the worse of the two
    OrderedJson json = OrderedJson::object();
    std::string words;
};

Tested test_case(const Expected& expected, const Counted& counted, std::int64_t rounds) {
    Tested tested;
    const auto add = [&](const char* name, const ExactDistribution& distribution, const Counts& seen) {
        if (distribution.empty()) {
            tested.words += pad_left("–", 10);
            return;
        }
        const DistributionTest test = against_distribution(seen, distribution);
        const Finding finding = finding_of(test, distribution, rounds);
        if (tested.finding != Finding::differs && finding != Finding::agrees) tested.finding = finding;
        tested.any = true;
        tested.json[name] = {{"p_value", test.p_value},
                             {"chi_square", test.chi_square},
                             {"degrees", test.degrees},
                             {"total_variation", test.total_variation}};
        tested.words += pad_left(number(test.p_value, 4), 10);
    };
    Counts emitted, accepted;
    for (const auto& [ids, count] : counted.emitted) emitted[key_of(ids)] = count;
    for (std::size_t i = 0; i < counted.accepted.size(); ++i)
        if (counted.accepted[i] > 0) accepted[{static_cast<int>(i)}] = counted.accepted[i];
    add("emitted", expected.emitted, emitted);
    add("accepted", expected.accepted, accepted);
    tested.json["agrees"] = tested.finding == Finding::agrees    ? OrderedJson(true)
                            : tested.finding == Finding::differs ? OrderedJson(false)
                                                                 : OrderedJson(nullptr);
    if (!tested.any)
        tested.words += "   nothing expected";
    else if (tested.finding == Finding::differs)
        tested.words += "   DIFFERS";
    else if (tested.finding == Finding::too_few)
        tested.words += "   too few rounds to tell";
    else
        tested.words += "   agrees";
    return tested;
}

} // namespace

Exit command_oracle(const Options& options) {
    const std::vector<OracleCase> cases = load_oracle_cases(options.words[0]);
    if (cases.empty())
        throw Error(options.words[0] + ": no cases, so nothing would be tested",
                    "\"cases\" is a list with at least one case: speclens oracle --help shows one.");
    std::vector<Expected> expected;
    for (const OracleCase& c : cases) expected.push_back(expected_of(c));
    ResultFile file(options.output);
    OrderedJson result = {
        {"schema", "speclens-oracle/1"}, {"samples", options.samples}, {"seed", options.run.seed}, {"results", OrderedJson::array()}};
    constexpr int kCase = 26, kRule = 18;
    std::string lines =
        "  " + pad("case", kCase) + pad("rule", kRule) + pad_left("emitted", 10) + pad_left("accepted", 10) + "   p-values\n";
    ProgressBar bar;
    std::exception_ptr ended_by; // the finished cases are told first
    int ran = 0, tested = 0, differing = 0, undecided = 0;
    int untested = 0; // skipped, though they expect something
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const OracleCase& c = cases[i];
        bar.show("counting rounds", static_cast<double>(i), static_cast<double>(cases.size()), "cases");
        const std::string name = "  " + pad(printable(c.id), kCase) + pad(printable(c.rule), kRule);
        const OrderedJson json = OrderedJson::parse(c.json);
        if (const std::string problem = problem_of(c, json); !problem.empty()) {
            result["results"].push_back({{"id", c.id}, {"skipped", problem}});
            lines += name + "   skipped: " + printable(problem) + "\n";
            untested += !expected[i].emitted.empty() || !expected[i].accepted.empty();
            continue;
        }
        Counted counted;
        try {
            counted = count_rounds(c, stops_of(json), options.samples, options.run.seed);
        } catch (const Interrupted&) {
            ended_by = std::current_exception();
            break;
        }
        OrderedJson emitted = OrderedJson::object();
        for (const auto& [ids, count] : counted.emitted) emitted[ids] = count;
        OrderedJson one = {{"id", c.id}, {"emitted", emitted}, {"accepted", counted.accepted}};
        const Tested test = test_case(expected[i], counted, options.samples);
        if (test.any) one["test"] = test.json;
        result["results"].push_back(one);
        lines += name + test.words + "\n";
        tested += test.any;
        differing += test.finding == Finding::differs;
        undecided += test.finding == Finding::too_few;
        ++ran;
    }
    bar.clear();
    result["complete"] = !ended_by;
    if (options.output != "-") print_results(lines);
    file.write(result.dump(1) + "\n");
    file.commit();
    if (options.output != "-")
        print(std::to_string(ran) + " of " + counted(static_cast<int>(cases.size()), "case") + " counted, " +
              std::to_string(options.samples) + (options.samples == 1 ? " round" : " rounds") + " each, in " + options.output.string() +
              "\n");
    if (tested > 0) {
        const std::string words =
            std::to_string(differing) + " of " + counted(tested, "case") +
            (tested == 1 ? " differs from what it expects" : " differ from what they expect") + " (a p-value below 0.000001)" +
            (undecided > 0 ? "; too few rounds to tell for " + std::to_string(undecided) + ": use more --samples" : "");
        options.output != "-" ? print(words + "\n") : say(words);
    }
    if (untested > 0) {
        const std::string words = counted(untested, "case") + " with expectations skipped: not tested is not passed";
        options.output != "-" ? print(words + "\n") : say(words);
    }
    if (ended_by) std::rethrow_exception(ended_by);
    return differing + undecided + untested > 0 ? Exit::failed : Exit::ok;
}

} // namespace speclens::cli
