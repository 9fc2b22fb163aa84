#include "engine/advice/profile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/advice/folded_runs.h"
#include "engine/base/json_read.h"
#include "engine/base/printed.h"
#include "engine/drafters/drafter_info.h"
#include "engine/weights/config_fields.h"

namespace speclens {
namespace {

constexpr const char* kRemedy = "Give a file that speclens advise --profile or NVIDIA Model-Optimizer wrote.";
constexpr double kMeanTolerance = 0.02; // of the schema
constexpr double kRounded = 2e-4;       // products of figures with six digits
constexpr double kSpan = 1.645;         // deviations: 90 % of a normal distribution
constexpr std::array<std::pair<const char*, const char*>, 3> kMethods = {
    {{"small", "draft_model"}, {"lookup", "ngram"}, {"small_tree", "draft_model_tree"}}};

double six(double value) { return std::round(value * 1e6) / 1e6; }

bool apart(double a, double b, double tolerance) { return !(std::abs(a - b) <= tolerance); }

double sum(const std::vector<double>& values) {
    double all = 0;
    for (const double value : values) all += value;
    return all;
}

std::string broken_rates(const SpeculationProfile& p) {
    double product = 1, before = 1;
    for (std::size_t i = 0; i < p.marginal.size(); ++i) {
        product *= p.conditional[i];
        if (!(p.conditional[i] >= 0 && p.conditional[i] <= 1) || !(p.marginal[i] >= 0 && p.marginal[i] <= 1))
            return printed("a rate at place %zu is not between 0 and 1", i + 1);
        if (p.marginal[i] > before + kRounded)
            return printed("marginal_accept_rates rise at place %zu, from %.6f to %.6f", i + 1, before, p.marginal[i]);
        if (apart(product, p.marginal[i], kRounded))
            return printed("marginal_accept_rates at place %zu is %.6f, the product of the conditional ones is %.6f", i + 1, p.marginal[i],
                           product);
        before = p.marginal[i];
    }
    return "";
}

std::string broken_histogram(const SpeculationProfile& p) {
    const double all = p.rounds();
    if (p.histogram.empty()) return "";
    if (!(all > 0)) return "acceptance_length_histogram has no rounds";
    double length = 0;
    for (const auto& [tokens, count] : p.histogram) {
        if (tokens < 1 || tokens > p.k + 1 || !(count >= 0))
            return printed("acceptance_length_histogram has %g rounds of %d tokens with K = %d", count, tokens, p.k);
        length += tokens * count / all;
    }
    if (apart(length, p.mean, kMeanTolerance)) return printed("mean_accept_length is %.4f, the histogram gives %.4f", p.mean, length);
    for (std::size_t i = 0; i < p.marginal.size(); ++i) {
        double kept = 0;
        for (const auto& [tokens, count] : p.histogram)
            if (tokens >= static_cast<int>(i) + 2) kept += count / all;
        if (apart(kept, p.marginal[i], kMeanTolerance))
            return printed("marginal_accept_rates at place %zu is %.6f, the histogram gives %.6f", i + 1, p.marginal[i], kept);
    }
    return "";
}

std::string broken_lengths(const SpeculationProfile& p) {
    double before = 1;
    for (const auto& [k, tokens] : p.by_k) {
        if (k < 1 || !(tokens >= 1) || tokens > k + 1 + kRounded)
            return printed("accept_length_by_k says %.4f tokens a round with K = %d", tokens, k);
        if (p.chain && k <= p.k) {
            double prefix = 1;
            for (int i = 0; i < k; ++i) prefix += p.marginal[static_cast<std::size_t>(i)];
            if (apart(prefix, tokens, kMeanTolerance))
                return printed("accept_length_by_k says %.4f with K = %d, the places give %.4f", tokens, k, prefix);
        }
        if (p.chain && tokens < before - kRounded) return printed("accept_length_by_k falls at K = %d", k);
        before = tokens;
    }
    return "";
}

std::vector<double> rates(const Fields& fields, const char* key, int k) {
    const Json* list = fields.find(key);
    if (!list || !list->is_array() || list->size() != static_cast<std::size_t>(k))
        fields.fail(key, "must be a list of num_speculative_tokens numbers");
    std::vector<double> values;
    for (const Json& value : *list) {
        if (!value.is_number()) fields.fail(key, "must be a list of numbers");
        values.push_back(value.get<double>());
    }
    return values;
}

std::map<int, double> counts_by_number(const Fields& fields, const char* key) {
    std::map<int, double> counts;
    const Json* object = fields.find(key);
    if (!object || object->is_null()) return counts;
    if (!object->is_object()) fields.fail(key, "must be an object");
    for (const auto& [name, value] : object->items()) {
        int number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc() || end != name.data() + name.size() || !value.is_number())
            fields.fail(key, "must have numbers as keys and values");
        counts[number] = value.get<double>();
    }
    return counts;
}

void take_rates(SpeculationProfile& p) {
    const double all = p.rounds();
    p.marginal.assign(static_cast<std::size_t>(p.k), 0);
    p.conditional.assign(static_cast<std::size_t>(p.k), 0);
    double before = 1;
    for (int i = 0; i < p.k; ++i) {
        double kept = 0;
        for (const auto& [tokens, count] : p.histogram)
            if (tokens >= i + 2) kept += count;
        const auto at = static_cast<std::size_t>(i);
        p.marginal[at] = all > 0 ? kept / all : 0;
        p.conditional[at] = before > 0 ? p.marginal[at] / before : 0;
        before = p.marginal[at];
    }
    p.mean = 1 + sum(p.marginal);
    if (!p.chain) return;
    double prefix = 1;
    for (int i = 0; i < p.k; ++i) p.by_k[i + 1] = prefix += p.marginal[static_cast<std::size_t>(i)];
}

} // namespace

std::optional<double> SpeculationProfile::tokens_with(int drafts) const {
    if (const auto found = by_k.find(drafts); found != by_k.end()) return found->second;
    if (drafts == k) return mean;
    if (!chain || drafts > k) return {};
    double tokens = 1;
    for (int i = 0; i < drafts; ++i) tokens += marginal[static_cast<std::size_t>(i)];
    return tokens;
}

double SpeculationProfile::rounds() const {
    double all = 0;
    for (const auto& [tokens, count] : histogram) all += count;
    return all;
}

std::string broken_identity(const SpeculationProfile& p) {
    if (std::string wrong = broken_rates(p); !wrong.empty()) return wrong;
    if (const double implied = 1 + sum(p.marginal); apart(implied, p.mean, kMeanTolerance))
        return printed("mean_accept_length is %.4f, 1 + the sum of marginal_accept_rates is %.4f", p.mean, implied);
    if (std::string wrong = broken_histogram(p); !wrong.empty()) return wrong;
    return broken_lengths(p);
}

SpeculationProfile read_profile(std::string_view text, const std::string& name) {
    const Json json = parse_json_object(text, name, kRemedy);
    const Fields fields(json, name, kRemedy);
    if (fields.text_or("schema_version", "").substr(0, 2) != "1.") fields.fail("schema_version", "must be 1.x");
    if (const Json* measured = fields.find("measured"); measured && measured->is_boolean() && !measured->get<bool>())
        throw Error(name + ": a stub, in which nothing is measured", kRemedy);
    SpeculationProfile p;
    p.method = fields.text_or("method", "");
    p.draft_checkpoint = fields.text_or("draft_checkpoint", "");
    p.k = fields.integer("num_speculative_tokens", 1, 1024);
    p.most_k = fields.integer_or("max_supported_k", p.k, 1, 1024);
    p.verification = fields.text_or("verification_method", "longest_prefix");
    p.conditional = rates(fields, "conditional_accept_rates", p.k);
    p.marginal = rates(fields, "marginal_accept_rates", p.k);
    p.mean = fields.number("mean_accept_length", 1, p.k + 1);
    const Json* per_request = fields.find("mean_accept_length_per_request");
    if (per_request && per_request->is_number()) p.mean_per_request = per_request->get<double>();
    p.chain = fields.text_or("accept_length_model", "chain_analytic") == "chain_analytic";
    p.by_k = counts_by_number(fields, "accept_length_by_k");
    p.histogram = counts_by_number(fields, "acceptance_length_histogram");
    if (const std::string wrong = broken_identity(p); !wrong.empty()) throw Error(name + ": " + wrong, kRemedy);
    return p;
}

std::string profile_json(const SpeculationProfile& p) {
    const auto text_or_null = [](const std::string& text) { return text.empty() ? OrderedJson(nullptr) : OrderedJson(text); };
    const auto list = [](const std::vector<double>& values) {
        OrderedJson rounded = OrderedJson::array();
        for (const double value : values) rounded.push_back(six(value));
        return rounded;
    };
    const auto object = [](const std::map<int, double>& values) {
        OrderedJson rounded = OrderedJson::object();
        for (const auto& [key, value] : values)
            rounded[std::to_string(key)] = value == std::floor(value) ? OrderedJson(std::llround(value)) : OrderedJson(six(value));
        return rounded;
    };
    OrderedJson violations = OrderedJson::array();
    const double implied = 1 + sum(p.marginal);
    OrderedJson json = {
        {"schema_version", "1.0"},
        {"measured", true},
        {"method", text_or_null(p.method)},
        {"draft_checkpoint", text_or_null(p.draft_checkpoint)},
        {"target_model", p.target_model.empty() ? OrderedJson(nullptr) : OrderedJson{{"name", p.target_model}}},
        {"num_speculative_tokens", p.k},
        {"max_supported_k", std::max(p.k, p.most_k)},
        {"verification_method", p.verification},
        {"conditional_accept_rates", list(p.conditional)},
        {"marginal_accept_rates", list(p.marginal)},
        {"mean_accept_length", six(p.mean)},
        {"mean_accept_length_per_request", p.mean_per_request ? OrderedJson(six(*p.mean_per_request)) : OrderedJson(nullptr)},
        {"accept_length_model", p.chain ? "chain_analytic" : "measured_per_k"},
        {"accept_length_by_k", object(p.by_k)},
        {"acceptance_length_histogram", object(p.histogram)},
        {"measurement_conditions",
         {{"temperature", p.temperature},
          {"rule", text_or_null(p.rule)},
          {"prompts", p.prompts},
          {"prompts_hash", text_or_null(p.prompts_hash)},
          {"backend", text_or_null(p.backend)},
          {"machine", text_or_null(p.machine)}}},
        {"validation",
         {{"mean_consistency",
           {{"implied_mean_accept_length", six(implied)},
            {"reported_mean_accept_length", six(p.mean)},
            {"abs_delta", six(std::abs(implied - p.mean))},
            {"tolerance", kMeanTolerance},
            {"passed", !apart(implied, p.mean, kMeanTolerance)}}},
          {"marginal_monotonicity", {{"passed", true}, {"violations", violations}}}}}};
    return json.dump(2, BadUtf8::replaced) + "\n";
}

std::string drafter_of_method(const std::string& method) {
    for (const auto& [drafter, name] : kMethods)
        if (method == name) return drafter;
    return method;
}

std::string method_of_drafter(const std::string& drafter) {
    for (const auto& [name, method] : kMethods)
        if (drafter == name) return method;
    return drafter;
}

SpeculationProfile profile_of(const AdviceEvidence& evidence, const Advice& advice, const std::string& drafter) {
    const AdviceRuns* longest = nullptr;
    for (const AdviceRuns& runs : evidence.lengths)
        if (runs.drafter == drafter && !runs.traces.empty() && (!longest || runs.k > longest->k)) longest = &runs;
    SpeculationProfile p;
    if (longest) {
        p.k = p.most_k = longest->k;
        double requests = 0, means = 0;
        for (const FoldedRun& run : fold_runs(*longest).all) {
            double tokens = 0, rounds = 0;
            for (std::size_t i = 0; i < run.rounds.size(); ++i) {
                const DraftedRound& round = run.rounds[i];
                const bool truncated = round.tokens < round.kept + 1 || (i + 1 == run.rounds.size() && round.drafted < longest->k);
                if (truncated) continue;
                ++p.histogram[round.kept + 1];
                tokens += round.kept + 1;
                rounds += 1;
            }
            if (rounds > 0) means += tokens / rounds, requests += 1;
        }
        if (requests > 0) p.mean_per_request = means / requests;
        p.rule = longest->rule;
    }
    if (!(p.rounds() > 0)) throw Error("there is no whole round of " + drafter + " to make a profile of", "Measure more prompts.");
    p.method = method_of_drafter(drafter);
    p.target_model = advice.model;
    p.verification = p.rule == "block" ? "block" : "longest_prefix";
    // A block's shorter drafts are other drafts, and what copies the text begins elsewhere; these two draft token by token.
    // A model or a head that drafts one token after the other: its acceptance is about the same at every place.
    const DrafterInfo* info = find_drafter(drafter);
    p.chain = info && info->chains_passes();
    take_rates(p);
    if (!p.chain) {
        for (const AdviceCell& cell : advice.cells)
            if (cell.drafter == drafter && cell.k < p.k) p.by_k[cell.k] = cell.tokens_per_round;
        p.by_k[p.k] = p.mean;
    }
    p.temperature = advice.temperature;
    p.backend = advice.backend;
    p.machine = advice.machine;
    p.prompts = advice.prompts;
    return p;
}

SpeculationProfile profile_of_counts(double rounds, const std::vector<double>& accepted_at) {
    SpeculationProfile p;
    p.k = p.most_k = static_cast<int>(accepted_at.size());
    if (!(rounds > 0) || accepted_at.empty()) throw Error("there are no counts by place to make a profile of", "");
    double before = rounds;
    for (int i = 0; i < p.k; ++i) {
        const double kept = accepted_at[static_cast<std::size_t>(i)];
        if (before - kept > 0) p.histogram[i + 1] = before - kept;
        before = kept;
    }
    if (before > 0) p.histogram[p.k + 1] = before;
    take_rates(p);
    return p;
}

void take_acceptance(Advice& advice, const SpeculationProfile& p, const std::string& drafter) {
    std::erase_if(advice.cells, [&](const AdviceCell& cell) { return cell.drafter != drafter || !p.tokens_with(cell.k); });
    double squares = 0;
    for (const auto& [tokens, count] : p.histogram) squares += (tokens - p.mean) * (tokens - p.mean) * count;
    const double rounds = p.rounds();
    // Of the mean of so many rounds, which come in texts: their number counts by half.
    const double lengths = rounds > 1 ? std::sqrt(2 * squares / rounds / rounds) / p.mean : 0.1;
    const double all = std::hypot(std::sqrt(2.0) * lengths, advice.clock, 0.015);
    for (AdviceCell& cell : advice.cells) {
        cell.tokens_per_round = *p.tokens_with(cell.k);
        cell.worked_out = true;
        cell.ranks = {}; // of another acceptance
        cell.speed_up = cell.tokens_per_round * advice.plain_ms / cell.round_ms();
        cell.low = cell.speed_up * std::exp(-kSpan * all);
        cell.high = cell.speed_up * std::exp(kSpan * all);
    }
    advice.contexts.clear();
    advice.domains.clear();
    for (AdviceDrafter& of : advice.drafters) {
        if (of.name != drafter || !of.problem.empty()) continue;
        of.judged.assign(static_cast<std::size_t>(p.k), 0);
        of.kept = of.judged;
        double before = 1;
        for (std::size_t i = 0; i < p.marginal.size(); ++i) {
            of.judged[i] = static_cast<int>(std::lround(before * std::max(rounds, 1.0)));
            of.kept[i] = static_cast<int>(std::lround(p.marginal[i] * std::max(rounds, 1.0)));
            before = p.marginal[i];
        }
    }
}

} // namespace speclens
