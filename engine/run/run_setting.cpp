#include "engine/run/run_setting.h"

#include <algorithm>
#include <limits>

#include "engine/base/values.h"
#include "engine/length/draft_sizes.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using R = RunSettings;

// ---- types ----

template <typename T>
SettingValue setting_value(const T& value) {
    if constexpr (std::is_same_v<T, int>)
        return std::int64_t{value};
    else
        return SettingValue(value);
}

template <typename T>
void take_setting(T& to, const SettingValue& value) {
    if constexpr (std::is_same_v<T, int>)
        to = static_cast<int>(std::get<std::int64_t>(value));
    else
        to = std::get<T>(value);
}

// ---- where a setting means something ----

bool asked_as_text(const R& s) { return s.prompt.token_ids.empty(); }
bool in_a_chat(const R& s) { return asked_as_text(s) && s.prompt.chat; }
bool of_a_chain(const R& s) { return s.drafter != kNoDrafter && s.options.tree_depth == 0; } // that says it too
bool where_the_rule_takes_any(const R& s) { // at temperature 0 only cascades ask for more than what the target ranks first
    const RuleInfo* rule = find_rule(s.rule);
    return rule != nullptr && (s.sampling.temperature > 0 || rule->is_cascade());
}

bool who_drafts(const DrafterInfo& info) { return info.drafts(); }
bool who_drafts_ahead(const DrafterInfo& info) { return info.ahead; }
bool who_draws(const DrafterInfo& info) { return info.drafts() && info.draws; }

// ---- what is more than a member ----

SettingValue get_drafter(const R& s) { return s.drafter; }
void set_drafter(R& s, const SettingValue& value) { s.drafter = std::get<std::string>(value); }

SettingValue get_rule(const R& s) { return s.rule; }
void set_rule(R& s, const SettingValue& value) { s.rule = std::get<std::string>(value); }

// A file may name what a later version has; whoever types a name means one that is there.
void check_name(const RunSetting& setting, const std::string& name) {
    const std::string_view option = setting.option;
    if (option == "drafter") refuse_chain(name);
    if (option == "drafter" && find_drafter(name) == nullptr)
        throw Error("unknown drafter '" + name + "'", "See: speclens list drafters.", Exit::usage);
    if (option == "rule" && find_rule(name) == nullptr)
        throw Error("unknown rule '" + name + "'", "See: speclens list rules.", Exit::usage);
    if (option == "k-rounds") (void)draft_sizes(name);
}

SettingValue get_draft_temperature(const R& s) { // of the target where nothing else is said
    if (!s.draft_sampling || s.draft_sampling->temperature == s.sampling.temperature) return {};
    return s.draft_sampling->temperature;
}
void set_draft_temperature(R& s, const SettingValue& value) {
    s.draft_sampling.reset();
    if (std::holds_alternative<std::monostate>(value)) return;
    s.draft_sampling = s.sampling;
    s.draft_sampling->temperature = std::get<double>(value);
}

SettingValue get_rule_params(const R& s) { // those that the rule reads and that are not as usual
    const RuleInfo* rule = find_rule(s.rule);
    if (rule == nullptr) return {};
    const RuleParams defaults;
    std::string changed;
    const auto add = [&](const std::string& what) { changed += (changed.empty() ? "" : ",") + what; };
    for (const RuleParameter& p : rule->parameters)
        if (s.rule_params.*p.value != defaults.*p.value) add(p.name + ("=" + shortest(s.rule_params.*p.value)));
    if (rule->takes_verifier && s.rule_params.block) add("verifier=block");
    if (changed.empty()) return {};
    return changed;
}
void set_rule_params(R& s, const SettingValue& value) {
    const RuleInfo* rule = find_rule(s.rule);
    if (rule == nullptr || std::holds_alternative<std::monostate>(value)) return;
    for (const std::string& part : split(std::get<std::string>(value), ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0)
            throw Error("'" + part + "' is not NAME=VALUE", "For example alpha=0.4.", Exit::usage);
        set_parameter(s.rule_params, *rule, part.substr(0, equals), part.substr(equals + 1));
    }
}

bool takes_auto(const RunSetting& setting) { return std::string_view(setting.value).ends_with("|auto"); } // another one says it
bool takes_all(const RunSetting& setting) { return std::string_view(setting.value).ends_with("|all"); }   // it is -1

// ---- the rows ----

void add_settings_of_drafters(std::vector<RunSetting>& rows) {
    for (const DrafterSetting& setting : drafter_settings()) {
        RunSetting row{{.value = setting.value, .least = setting.least, .most = setting.most},
                       RunSetting::Of::run,
                       setting.key,
                       setting.option,
                       nullptr,
                       setting.about};
        row.of_drafter = &setting;
        row.kind = std::visit(
            [](auto member) -> std::size_t {
                if constexpr (std::is_same_v<decltype(member), IntPair>)
                    return SettingValue(std::vector<int>()).index();
                else
                    return setting_value(DrafterOptions{}.*member).index();
            },
            setting.member);
        row.get = [&setting](const R& s) -> SettingValue {
            if (is_unset(setting, s.options)) return {};
            return std::visit(
                [&](auto member) -> SettingValue {
                    if constexpr (std::is_same_v<decltype(member), IntPair>)
                        return std::vector<int>{s.options.*member.first, s.options.*member.second};
                    else
                        return setting_value(s.options.*member);
                },
                setting.member);
        };
        row.set = [&setting](R& s, const SettingValue& value) {
            if (std::holds_alternative<std::monostate>(value)) return copy(setting, {}, s.options);
            std::visit(
                [&](auto member) {
                    if constexpr (std::is_same_v<decltype(member), IntPair>) {
                        const auto& both = std::get<std::vector<int>>(value);
                        s.options.*member.first = both.at(0), s.options.*member.second = both.at(1);
                    } else
                        take_setting(s.options.*member, value);
                },
                setting.member);
        };
        row.needs = [&setting](const R& s) { return setting.needs == nullptr || s.options.*setting.needs; };
        row.read = [&setting](const DrafterInfo& info) { return info.reads_setting(setting.id); };
        rows.push_back(std::move(row));
    }
}

std::vector<RunSetting> all_settings() {
    using enum RunSetting::Of;
    using enum RunSetting::Written;
    std::vector<RunSetting> rows;
#define SETTING(type, member, default_value, option, group, commands, about, ...)                                                          \
    PLACED(member, #member, "", option, group, commands, set, about, __VA_ARGS__)
#define PLACED(place, key, within, option, group, commands, setter, about, ...)                                                            \
    rows.push_back({{__VA_ARGS__},                                                                                                         \
                    run,                                                                                                                   \
                    key,                                                                                                                   \
                    option,                                                                                                                \
                    within,                                                                                                                \
                    about,                                                                                                                 \
                    setting_value(R{}.place).index(),                                                                                      \
                    [](const R& s) { return setting_value(s.place); },                                                                     \
                    [](R& s, const SettingValue& v) { take_setting(s.place, v); }});
#define OTHER(name, key, within, example, option, group, commands, setter, about, ...)                                                     \
    rows.push_back({{__VA_ARGS__}, run, key, option, within, about, setting_value(example).index(), get_##name, set_##name});
#define OPPOSITE(of, word, group, commands, about) std::ranges::find(rows, std::string_view(of), &RunSetting::option)->opposite = word;
#define OF_MODELS(name, typed, links, group, commands, setter, about)                                                                      \
    rows.push_back({{.value = typed, .linked = links, .saved = never}, models, name, name, nullptr, about});
#define OF_RACE(name, typed, links, group, commands, setter, about)                                                                        \
    rows.push_back({{.value = typed, .linked = links, .saved = never}, race, name, name, nullptr, about});
#define DRAFTERS add_settings_of_drafters(rows);
#include "engine/run/run_settings.inc"
    return rows;
}

} // namespace

const std::vector<RunSetting>& run_setting_list() {
    static const std::vector<RunSetting> list = all_settings();
    return list;
}

const RunSetting* find_run_setting(std::string_view option) {
    const auto found = std::ranges::find_if(run_setting_list(), [&](const RunSetting& setting) {
        return option == setting.option || (*setting.opposite != '\0' && option == setting.opposite);
    });
    return found == run_setting_list().end() ? nullptr : &*found;
}

bool is_default(const RunSetting& setting, const RunSettings& settings) {
    static const RunSettings defaults;
    return setting.get(settings) == setting.get(defaults);
}

std::string readers_of(const RunSetting& setting) {
    std::string with, without;
    int others = 0;
    for (const DrafterInfo& info : drafter_list()) {
        std::string& names = setting.read(info) ? with : without;
        names += (names.empty() ? "" : ", ") + std::string(info.name);
        others += setting.read(info) ? 0 : 1;
    }
    if (others == 0) return "";
    return others == 1 ? "every drafter but " + without : with;
}

std::string text_of(const RunSetting& setting, const RunSettings& settings) {
    if (setting.of_drafter != nullptr && !is_unset(*setting.of_drafter, settings.options))
        return text_of(*setting.of_drafter, settings.options);
    struct Words {
        const RunSetting& setting;
        std::string operator()(std::monostate) const { return ""; }
        std::string operator()(bool) const { return ""; }
        std::string operator()(std::int64_t value) const { return value < 0 && takes_all(setting) ? "all" : std::to_string(value); }
        std::string operator()(std::uint64_t value) const { return std::to_string(value); }
        std::string operator()(double value) const { return shortest(value); }
        std::string operator()(const std::string& value) const { return value; }
        std::string operator()(const std::vector<int>& values) const {
            std::string text;
            for (const int value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
            return text;
        }
    };
    return std::visit(Words{setting}, setting.get(settings));
}

void take_text(const RunSetting& setting, const std::string& name, const std::string& text, RunSettings& to) {
    if (setting.of_drafter != nullptr) return take_text(*setting.of_drafter, name, text, to.options);
    constexpr long long kMost = std::numeric_limits<long long>::max();
    const long long most = setting.most < static_cast<double>(kMost) ? static_cast<long long>(setting.most) : kMost;
    const auto least = static_cast<long long>(setting.least);
    const bool all = text == "all" && takes_all(setting);
    if (text == "auto" && takes_auto(setting)) {
        to.k_auto = true;
        return setting.set(to, std::int64_t{kMostAuto});
    }
    static const RunSettings defaults;
    switch (setting.kind) {
    case kKindOf<bool>: return setting.set(to, !std::get<bool>(setting.get(defaults)));
    case kKindOf<std::int64_t>: return setting.set(to, std::int64_t{all ? -1 : whole(name, text, least, most)});
    case kKindOf<std::uint64_t>: return setting.set(to, static_cast<std::uint64_t>(whole(name, text, least, most)));
    case kKindOf<double>: return setting.set(to, real(name, text, setting.least, setting.most));
    case kKindOf<std::string>: check_name(setting, text); return setting.set(to, text);
    default: return setting.set(to, whole_list(name, text, least, most));
    }
}

} // namespace speclens
