#include "engine/advice/synthetic_acceptance.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/json_read.h"
#include "engine/base/read_number.h"

namespace speclens {
namespace {

constexpr const char* kSynthetic =
    "vLLM's --speculative-config with \"rejection_sample_method\": \"synthetic\" is read, and llama.cpp's --spec-synth-rates or "
    "--spec-synth-len with --draft-max.";
constexpr int kMostPlaces = 1024;

std::vector<double> six_digits(const std::vector<double>& rates) {
    std::vector<double> six;
    for (const double rate : rates) six.push_back(std::round(rate * 1e6) / 1e6);
    return six;
}

// What somebody said, before it is known whether that is whole.
struct Told {
    std::optional<int> k;
    std::vector<double> rates;
    std::optional<double> length;
    bool equal_chances = false; // a length is spread as llama.cpp does it
};

double number_of(std::string_view word, const std::string& name, const std::string& option) {
    double value = 0;
    const auto [end, error] = read_number(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || word.empty())
        throw Error(name + ": " + option + " has \"" + std::string(word.substr(0, 40)) + "\", which is no number", kSynthetic);
    return value;
}

// The word behind an option, after a blank or "=", without quotes.
std::optional<std::string> value_of(std::string_view line, std::string_view option) {
    for (std::size_t at = line.find(option); at != std::string_view::npos; at = line.find(option, at + 1)) {
        const std::size_t behind = at + option.size();
        const bool begins = at == 0 || std::string_view(" \t\n\r'\"").find(line[at - 1]) != std::string_view::npos;
        if (!begins || behind >= line.size() || std::string_view("= \t\n\r").find(line[behind]) == std::string_view::npos) continue;
        const std::size_t from = line.find_first_not_of("= \t\n\r'\"\\", behind);
        if (from == std::string_view::npos) return "";
        const std::size_t to = line.find_first_of(" \t\n\r'\"\\", from);
        return std::string(line.substr(from, to == std::string_view::npos ? to : to - from));
    }
    return {};
}

Told llamacpp_told(std::string_view line, const std::string& name) {
    Told told;
    told.equal_chances = true;
    for (const char* option : {"--draft-max", "--spec-draft-n-max", "--draft-n", "--draft"})
        if (const auto word = value_of(line, option); word && !told.k) told.k = static_cast<int>(number_of(*word, name, option));
    if (const auto word = value_of(line, "--spec-synth-len")) told.length = number_of(*word, name, "--spec-synth-len");
    if (const auto word = value_of(line, "--spec-synth-rates"))
        for (std::string_view rest = *word; !rest.empty();) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            told.rates.push_back(number_of(rest.substr(0, comma), name, "--spec-synth-rates"));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    if (!told.k && !told.rates.empty()) told.k = static_cast<int>(told.rates.size());
    return told;
}

Told vllm_told(std::string_view text, const std::string& name) {
    Json json = parse_json_object(text, name, kSynthetic);
    for (const char* key : {"speculative_config", "speculative-config"})
        if (const auto inner = json.find(key); inner != json.end() && inner->is_object()) json = Json(*inner);
    Told told;
    const auto number = [&](const Json& value, const char* key) {
        if (!value.is_number()) throw Error(name + ": " + key + " is " + shown(value) + ", which is no number", kSynthetic);
        return value.get<double>();
    };
    if (const auto k = json.find("num_speculative_tokens"); k != json.end() && !k->is_null())
        told.k = static_cast<int>(number(*k, "num_speculative_tokens"));
    if (const auto length = json.find("synthetic_acceptance_length"); length != json.end() && !length->is_null())
        told.length = number(*length, "synthetic_acceptance_length");
    if (const auto rates = json.find("synthetic_acceptance_rates"); rates != json.end() && !rates->is_null()) {
        if (!rates->is_array()) throw Error(name + ": synthetic_acceptance_rates is " + shown(*rates) + ", expected a list", kSynthetic);
        for (const Json& rate : *rates) told.rates.push_back(number(rate, "synthetic_acceptance_rates"));
    }
    return told;
}

// The chance of each place, once all before it were kept, that makes a round write so many tokens.
double equal_chance(double length, int k) {
    double low = 0, high = 1;
    for (int step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        double tokens = 1, kept = 1;
        for (int i = 0; i < k; ++i) tokens += kept *= middle;
        (tokens < length ? low : high) = middle;
    }
    return (low + high) / 2;
}

std::vector<double> rates_of_length(const Told& told, const std::string& name) {
    if (!told.k) throw Error(name + ": a length, and not how many tokens are drafted", kSynthetic);
    const double length = *told.length;
    if (!(length >= 1 && length <= *told.k + 1))
        throw Error(name + ": a length of " + shown(Json(length)) + " with K = " + std::to_string(*told.k),
                    "A round writes 1 to K + 1 tokens.");
    std::vector<double> rates;
    double kept = 1;
    for (int i = 0; i < *told.k; ++i) {
        if (told.equal_chances)
            kept *= equal_chance(length, *told.k);
        else
            kept = std::clamp(length - 1 - i, 0.0, 1.0);
        rates.push_back(kept);
    }
    return rates;
}

// A bracketed part of a command line: what vLLM is given as one word.
std::string_view json_part(std::string_view text) {
    const std::size_t from = text.find('{'), to = text.rfind('}');
    return from == std::string_view::npos || to == std::string_view::npos || to < from ? text : text.substr(from, to + 1 - from);
}

} // namespace

std::string vllm_synthetic(const SpeculationProfile& profile) {
    return OrderedJson{{"num_speculative_tokens", profile.k},
                       {"rejection_sample_method", "synthetic"},
                       {"synthetic_acceptance_rates", six_digits(profile.marginal)}}
        .dump();
}

std::string llamacpp_synthetic(const SpeculationProfile& profile) {
    std::string rates;
    for (const double rate : six_digits(profile.marginal)) rates += (rates.empty() ? "" : ",") + OrderedJson(rate).dump();
    return "--draft-max " + std::to_string(profile.k) + " --spec-synth-rates " + rates;
}

SpeculationProfile profile_of_synthetic(std::string_view text, const std::string& name) {
    const bool llamacpp = text.find("--spec-synth-") != std::string_view::npos;
    const Told told = llamacpp ? llamacpp_told(text, name) : vllm_told(json_part(text), name);
    if (told.rates.empty() && !told.length) throw Error(name + ": no synthetic acceptance in it", kSynthetic);
    if (!told.rates.empty() && told.length) throw Error(name + ": rates and a length, of which servers take one", kSynthetic);
    if (told.k && (*told.k < 1 || *told.k > kMostPlaces))
        throw Error(name + ": K = " + std::to_string(*told.k), "Servers draft 1 to " + std::to_string(kMostPlaces) + " tokens.");
    SpeculationProfile p;
    p.marginal = told.rates.empty() ? rates_of_length(told, name) : told.rates;
    p.k = p.most_k = static_cast<int>(p.marginal.size());
    if (told.k && *told.k != p.k)
        throw Error(name + ": " + std::to_string(p.k) + " rates with K = " + std::to_string(*told.k), "Servers take one for every place.");
    double before = 1;
    for (std::size_t i = 0; i < p.marginal.size(); ++i) {
        const double rate = p.marginal[i];
        if (!(rate >= 0 && rate <= before))
            throw Error(name + ": the rate of place " + std::to_string(i + 1) + " is " + shown(Json(rate)) + ", behind " +
                            shown(Json(before)),
                        "They are of all rounds, so they lie between 0 and 1 and never rise.");
        p.conditional.push_back(before > 0 ? rate / before : 0);
        p.mean += rate;
        before = rate;
    }
    p.mean += 1;
    double prefix = 1;
    for (int i = 0; i < p.k; ++i) p.by_k[i + 1] = prefix += p.marginal[static_cast<std::size_t>(i)];
    p.rule = "synthetic";
    return p;
}

} // namespace speclens
