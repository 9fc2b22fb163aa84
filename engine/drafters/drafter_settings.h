// The table of what a user may set about drafters (settings.inc). The command line, links, saved runs, JSON and pictures go
// through it and name no setting themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/drafters/drafter_options.h"
#include "kernels/said.h"

namespace speclens {

enum class Setting : int {
#define SETTING(type, member, ...) member,
#define PAIR(id, ...) id,
#include "engine/drafters/settings.inc"
#undef SETTING
#undef QUIET
#undef PAIR
};

using IntPair = std::pair<int DrafterOptions::*, int DrafterOptions::*>; // the smaller first
using SettingMember =
    std::variant<bool DrafterOptions::*, int DrafterOptions::*, double DrafterOptions::*, std::vector<int> DrafterOptions::*, IntPair>;

// What may be typed behind an option, and when it counts.
struct SettingForm {
    const char* value = "";                // placeholder: "N"; empty for a switch
    double least = 0, most = 1;            // numbers only
    bool DrafterOptions::*needs = nullptr; // it does nothing while this is off; null: it always counts
};

struct DrafterSetting : SettingForm {
    Setting id;
    const char* key;    // in files: "head_pool"
    const char* option; // on the command line and in links, without the dashes: "head-pool"
    const char* about;  // help, without who reads it
    SettingMember member;
    Said (*words)(const DrafterOptions&) = nullptr; // of a run where it differs from the default; null: no picture speaks of it
    const char* low_key = nullptr;                  // of a pair: the keys of its two numbers
    const char* high_key = nullptr;
    [[nodiscard]] bool is_switch() const { return *value == '\0'; }
};

[[nodiscard]] const std::vector<DrafterSetting>& drafter_settings();
[[nodiscard]] const DrafterSetting& row_of(Setting setting);
[[nodiscard]] const DrafterSetting* find_setting(std::string_view option); // without dashes; nullptr: unknown

[[nodiscard]] bool is_default(const DrafterSetting& setting, const DrafterOptions& options);
// Differs from the default, and the switch that it needs is on.
[[nodiscard]] bool counts(const DrafterSetting& setting, const DrafterOptions& options);
// A number that says "not set" by 0, which nobody may type.
[[nodiscard]] bool is_unset(const DrafterSetting& setting, const DrafterOptions& options);
void copy(const DrafterSetting& setting, const DrafterOptions& from, DrafterOptions& to);
// As it is typed behind the option: "64", "1,3", "0.25"; empty for a switch.
[[nodiscard]] std::string text_of(const DrafterSetting& setting, const DrafterOptions& options);
// Sets what text_of() says; a switch is taken away from its default. `name`: for messages. Throws Error (usage).
void take_text(const DrafterSetting& setting, const std::string& name, const std::string& text, DrafterOptions& to);
// What was set, as pictures say it: " · pool of 64 · head off", each in the one before; none where all is by default.
[[nodiscard]] std::vector<Said> words_of(const DrafterOptions& options);
// Throws Error (usage) where a number is out of its range.
void check_range(const DrafterSetting& setting, const DrafterOptions& options);

} // namespace speclens
