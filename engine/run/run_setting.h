// The table of what a user may set about a run: run_settings.inc and, among them, the settings of drafters (engine/drafters/settings.inc).
// The command line, links, lectures, saved runs, races, comparisons and the palette go through it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run_settings.h"

namespace speclens {

// monostate: not set.
using SettingValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<int>>;
template <class T, class... Kinds>
[[nodiscard]] consteval std::size_t index_among(const std::variant<Kinds...>* /*only its type*/) {
    std::size_t index = 0;
    (void)((std::is_same_v<T, Kinds> || (++index, false)) || ...);
    return index;
}
template <class T>
inline constexpr std::size_t kKindOf = index_among<T>(static_cast<const SettingValue*>(nullptr)); // RunSetting::kind

// What may be typed behind an option, where it is written, and when it counts.
struct RunSettingForm {
    enum class Written : std::uint8_t { never, changed, always };                            // changed: where it differs from the default
    const char* value = "";                                                                  // placeholder; empty for a switch
    double least = 0, most = 1;                                                              // numbers only
    Written linked = Written::changed, saved = Written::changed;                             // in links, in files
    std::function<bool(const RunSettings&)> needs = [](const RunSettings&) { return true; }; // it means something
    std::function<bool(const DrafterInfo&)> read = [](const DrafterInfo&) { return true; };  // who reads it
};

struct RunSetting : RunSettingForm {
    enum class Of : std::uint8_t { run, models, race }; // models, race: no member of RunSettings, so `get` and `set` are empty
    Of of = Of::run;
    const char* key = "";         // in files
    const char* option = "";      // on the command line and in links, without the dashes: "top-p"
    const char* within = nullptr; // in a trace's header: the object that has it, "": the header itself; null: not by this table
    const char* about = "";       // help
    std::size_t kind = 0;         // of its values: SettingValue::index()
    std::function<SettingValue(const RunSettings&)> get = {};
    std::function<void(RunSettings&, const SettingValue&)> set = {}; // throws Error (usage)
    const DrafterSetting* of_drafter = nullptr;                      // it is one of those
    const char* opposite = "";                                       // the switch that takes this one back, or empty
    [[nodiscard]] bool is_switch() const { return *value == '\0'; }
};

[[nodiscard]] const std::vector<RunSetting>& run_setting_list(); // in the order of links
// By its option or the opposite of it, without dashes; null: there is none.
[[nodiscard]] const RunSetting* find_run_setting(std::string_view option);
[[nodiscard]] bool is_default(const RunSetting& setting, const RunSettings& settings);
// "every drafter but none", "small, skip"; "" where everyone does.
[[nodiscard]] std::string readers_of(const RunSetting& setting);
// As it is typed behind the option; empty for a switch and for what is not set.
[[nodiscard]] std::string text_of(const RunSetting& setting, const RunSettings& settings);
// Sets what text_of() says; a switch is taken away from its default. `name`: for messages. Throws Error (usage).
void take_text(const RunSetting& setting, const std::string& name, const std::string& text, RunSettings& to);

} // namespace speclens
