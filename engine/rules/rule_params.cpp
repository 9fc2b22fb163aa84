#include "engine/rules/rule_params.h"

#include <cmath>

#include "engine/base/printed.h"
#include "engine/base/read_number.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::string shortest(double value) { return printed("%.6g", value); }

std::string range_words(const RuleParameter& p) {
    if (p.high == kAnyNumber) return p.low == -kAnyNumber ? "any number" : shortest(p.low) + " or more";
    return shortest(p.low) + " … " + shortest(p.high);
}

void check_range(const RuleParameter& p, double value, const RuleInfo& rule) {
    if (value >= p.low && value <= p.high && std::isfinite(value)) return;
    throw Error(std::string(p.name) + " of the rule \"" + rule.name + "\" must be " + range_words(p) + ", got " + shortest(value),
                std::string(p.about) + ".", Exit::usage);
}

} // namespace

void set_parameter(RuleParams& params, const RuleInfo& rule, const std::string& name, const std::string& value) {
    if (name == "verifier" && rule.takes_verifier) {
        if (value != "token" && value != "block")
            throw Error("verifier must be token or block, got \"" + value + "\"", "For example --rule-param verifier=block.", Exit::usage);
        params.block = value == "block";
        return;
    }
    std::string known;
    for (const RuleParameter& parameter : rule.parameters) {
        known += (known.empty() ? "" : ", ") + std::string(parameter.name);
        if (name != parameter.name) continue;
        double number = 0;
        const auto [end, problem] = read_number(value.data(), value.data() + value.size(), number);
        if (problem != std::errc() || end != value.data() + value.size())
            throw Error(name + " must be a number, got \"" + value + "\"", "For example --rule-param " + name + "=0.3.", Exit::usage);
        check_range(parameter, number, rule);
        params.*parameter.value = number;
        return;
    }
    if (rule.takes_verifier) known += (known.empty() ? "" : ", ") + std::string("verifier");
    throw Error("the rule \"" + std::string(rule.name) + "\" has no parameter \"" + name + "\"",
                known.empty() ? "It takes none." : "It takes: " + known + ".", Exit::usage);
}

void check_parameters(const RuleParams& params, const RuleInfo& rule) {
    for (const RuleParameter& parameter : rule.parameters) check_range(parameter, params.*parameter.value, rule);
}

std::string parameter_words(const RuleInfo& rule) {
    std::string text;
    for (const RuleParameter& parameter : rule.parameters)
        text += (text.empty() ? "" : ", ") + std::string(parameter.name) + " (" + range_words(parameter) + ", default " +
                shortest(RuleParams{}.*parameter.value) + ")";
    if (rule.takes_verifier) text += (text.empty() ? "" : ", ") + std::string("verifier (token or block)");
    return text;
}

std::string to_text(const RuleParams& params, const RuleInfo& rule) {
    std::string text;
    for (const RuleParameter& parameter : rule.parameters)
        text += (text.empty() ? "" : " ") + std::string(parameter.name) + "=" + shortest(params.*parameter.value);
    if (rule.takes_verifier && params.block) text += (text.empty() ? "" : " ") + std::string("verifier=block");
    return text;
}

} // namespace speclens
