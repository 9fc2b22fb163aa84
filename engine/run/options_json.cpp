#include "engine/run/options_json.h"

#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

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

}  // namespace

nlohmann::ordered_json options_json(const DrafterOptions& options) {
    const DrafterOptions usual;
    nlohmann::ordered_json changed = nlohmann::ordered_json::object();
    each_option([&](const char* name, auto member) {
        if (options.*member != usual.*member) changed[name] = options.*member;
    });
    return changed;
}

nlohmann::ordered_json setting_json(const DrafterSetting& setting, const DrafterOptions& options) {
    if (is_unset(setting, options)) return nullptr;
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    each_member(setting, [&](const char*, auto member) { values.push_back(options.*member); });
    return values.size() == 1 ? values[0] : values;
}

DrafterOptions drafter_options_of(const nlohmann::ordered_json& object) {
    if (!object.is_object()) throw trace_file::Malformed{"\"options\" must be an object"};
    DrafterOptions options;
    const trace_file::Reader reader(object);
    each_option([&](const char* name, auto member) {
        if (object.contains(name)) ReadOption{reader}(name, options.*member);
    });
    return options;
}

}  // namespace speclens
