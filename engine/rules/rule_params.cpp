#include "engine/rules/rule_params.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr double kAny = std::numeric_limits<double>::max();

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> list;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) list.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

std::string shortest(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string range_words(const RuleParameter& p) {
    if (p.high == kAny) return p.low == -kAny ? "any number" : shortest(p.low) + " or more";
    return shortest(p.low) + " … " + shortest(p.high);
}

void check_range(const RuleParameter& p, double value, const RuleInfo& rule) {
    if (value >= p.low && value <= p.high && std::isfinite(value)) return;
    throw Error(std::string(p.name) + " of the rule \"" + rule.name + "\" must be " + range_words(p) + ", got " + shortest(value),
                std::string(p.about) + ".", Exit::usage);
}

}  // namespace

std::vector<RuleParameter> parameters_of(const RuleInfo& rule) {
    const std::string_view name = rule.name;
    std::vector<RuleParameter> list;
    for (const std::string_view word : words(rule.parameters)) {
        if (word == "lenience") list.push_back({"lenience", "0 is the token rule, 1 keeps whatever the target does not rule out", &RuleParams::lenience, 0, 1, 1});
        if (word == "epsilon") list.push_back({"epsilon", "a token above this probability is always kept", &RuleParams::epsilon, 0, 1, 1});
        if (word == "delta") list.push_back({"delta", "scales the limit where the target is unsure: delta times exp of minus its entropy", &RuleParams::delta, 0, kAny, 1});
        if (word == "rho") list.push_back({"rho", "0 takes the number of siblings, which is always valid; smaller values of 1 or more keep more", &RuleParams::rho, 0, 64, 8});
        if (word != "alpha") continue;
        RuleParameter alpha{"alpha", "the larger, the more of the draft is kept", &RuleParams::alpha, -1, 1, 1};
        if (name == "cascade_chow" || name == "cascade_tokenV3") alpha.low = 0;
        if (name == "cascade_opt") alpha.low = -kAny, alpha.high = kAny, alpha.most_useful = 4;
        list.push_back(alpha);
    }
    return list;
}

bool takes_verifier(const RuleInfo& rule) { return std::ranges::count(words(rule.parameters), "verifier") > 0; }

void set_parameter(RuleParams& params, const RuleInfo& rule, const std::string& name, const std::string& value) {
    if (name == "verifier" && takes_verifier(rule)) {
        if (value != "token" && value != "block")
            throw Error("verifier must be token or block, got \"" + value + "\"", "For example --rule-param verifier=block.", Exit::usage);
        params.block = value == "block";
        return;
    }
    std::string known;
    for (const RuleParameter& parameter : parameters_of(rule)) {
        known += (known.empty() ? "" : ", ") + std::string(parameter.name);
        if (name != parameter.name) continue;
        double number = 0;
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (problem != std::errc() || end != value.data() + value.size())
            throw Error(name + " must be a number, got \"" + value + "\"", "For example --rule-param " + name + "=0.3.", Exit::usage);
        check_range(parameter, number, rule);
        params.*parameter.value = number;
        return;
    }
    if (takes_verifier(rule)) known += (known.empty() ? "" : ", ") + std::string("verifier");
    throw Error("the rule \"" + std::string(rule.name) + "\" has no parameter \"" + name + "\"",
                known.empty() ? "It takes none." : "It takes: " + known + ".", Exit::usage);
}

void check_parameters(const RuleParams& params, const RuleInfo& rule) {
    for (const RuleParameter& parameter : parameters_of(rule)) check_range(parameter, params.*parameter.value, rule);
}

std::string parameter_words(const RuleInfo& rule) {
    std::string text;
    for (const RuleParameter& parameter : parameters_of(rule))
        text += (text.empty() ? "" : ", ") + std::string(parameter.name) + " (" + range_words(parameter) + ", default " +
                shortest(RuleParams{}.*parameter.value) + ")";
    if (takes_verifier(rule)) text += (text.empty() ? "" : ", ") + std::string("verifier (token or block)");
    return text;
}

std::string to_text(const RuleParams& params, const RuleInfo& rule) {
    std::string text;
    for (const RuleParameter& parameter : parameters_of(rule))
        text += (text.empty() ? "" : " ") + std::string(parameter.name) + "=" + shortest(params.*parameter.value);
    if (takes_verifier(rule) && params.block) text += (text.empty() ? "" : " ") + std::string("verifier=block");
    return text;
}

}  // namespace speclens
