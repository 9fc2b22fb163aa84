#include "engine/run/options_json.h"

#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

#include "engine/rules/verify.h"
#include "engine/run/trace_fields.h"

namespace speclens {
namespace {

// Calls `field(key, member)` for every number, switch and list of the settings.
template <typename Field>
void each_member(const DrafterSetting& setting, const Field& field) {
    if (const auto* pair = std::get_if<IntPair>(&setting.member)) {
        field(setting.low_key, pair->first);
        field(setting.high_key, pair->second);
        return;
    }
    std::visit(
        [&](auto member) {
            if constexpr (!std::is_same_v<decltype(member), IntPair>) field(setting.key, member);
        },
        setting.member);
}

template <typename Field>
void each_option(const Field& field) {
    for (const DrafterSetting& setting : drafter_settings()) each_member(setting, field);
}

struct ReadOption {
    const trace_file::Reader& from;
    void operator()(const char* name, int& to) const {
        const double value = from.finite(name); // a shift may be negative
        if (value != std::trunc(value) || std::abs(value) > 1e6)
            throw trace_file::Malformed{std::string("\"") + name + "\" must be an integer up to a million"};
        to = static_cast<int>(value);
    }
    void operator()(const char* name, bool& to) const { to = from.flag(name); }
    void operator()(const char* name, double& to) const { to = from.finite(name); }
    void operator()(const char* name, std::vector<int>& to) const { to = from.ids(name); }
};

} // namespace

OrderedJson options_json(const DrafterOptions& options) {
    const DrafterOptions defaults;
    OrderedJson changed = OrderedJson::object();
    each_option([&](const char* name, auto member) {
        if (options.*member != defaults.*member) changed[name] = options.*member;
    });
    return changed;
}

OrderedJson value_json(const RunSetting& setting, const RunSettings& settings) {
    return std::visit(
        [](const auto& value) -> OrderedJson {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                return nullptr;
            else
                return value;
        },
        setting.get(settings));
}

void take_json(const RunSetting& setting, const OrderedJson& object, RunSettings& to) {
    const trace_file::Reader from(object);
    const OrderedJson& value = from.field(setting.key);
    if (value.is_null()) return setting.set(to, setting.get(RunSettings()));
    switch (setting.kind) {
    case kKindOf<bool>: return setting.set(to, from.flag(setting.key));
    case kKindOf<std::int64_t>: return setting.set(to, std::int64_t{from.integer(setting.key)});
    case kKindOf<std::uint64_t>: return setting.set(to, value.is_number_unsigned() ? value.get<std::uint64_t>() : std::uint64_t{0});
    case kKindOf<double>: return setting.set(to, from.finite(setting.key));
    case kKindOf<std::string>: return setting.set(to, from.text(setting.key));
    default: return setting.set(to, from.ids(setting.key));
    }
}

OrderedJson rule_params_json(const std::string& rule, const RuleParams& params) {
    OrderedJson values = OrderedJson::object();
    const RuleInfo* info = find_rule(rule);
    if (info == nullptr) return values;
    for (const RuleParameter& parameter : info->parameters) values[parameter.name] = params.*parameter.value;
    if (info->takes_verifier) values["verifier"] = params.block ? "block" : "token";
    return values;
}

void take_rule_params(const OrderedJson& object, const std::string& rule, RuleParams& to) {
    const RuleInfo* info = find_rule(rule);
    if (info == nullptr) return;
    if (!object.is_object()) throw trace_file::Malformed{"\"rule_params\" must be an object"};
    const trace_file::Reader values(object);
    for (const RuleParameter& parameter : info->parameters) {
        double& value = to.*parameter.value;
        value = values.number_or(parameter.name, value);
        if (!(value >= parameter.low && value <= parameter.high))
            throw trace_file::Malformed{std::string("\"") + parameter.name + "\" is outside its range"};
    }
    if (info->takes_verifier) to.block = values.text_or("verifier") == "block";
}

DrafterOptions drafter_options_of(const OrderedJson& object) {
    if (!object.is_object()) throw trace_file::Malformed{"\"options\" must be an object"};
    DrafterOptions options;
    const trace_file::Reader reader(object);
    each_option([&](const char* name, auto member) {
        if (object.contains(name)) ReadOption{reader}(name, options.*member);
    });
    return options;
}

} // namespace speclens
