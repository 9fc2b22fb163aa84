// The table of what a user may set about drafters (settings.inc). The command line, links, saved runs, JSON and pictures go
// through it and name no setting themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/drafters/drafter_options.h"

namespace speclens {

enum class Setting : int {
#define SWITCH(member, ...) member,
#define WHOLE(member, ...) member,
#define REAL(member, ...) member,
#define LAYERS(member, ...) member,
#define PAIR(id, ...) id,
#include "engine/drafters/settings.inc"
#undef SWITCH
#undef WHOLE
#undef REAL
#undef LAYERS
#undef PAIR
};

using IntPair = std::pair<int DrafterOptions::*, int DrafterOptions::*>; // the smaller first
using SettingMember =
    std::variant<bool DrafterOptions::*, int DrafterOptions::*, double DrafterOptions::*, std::vector<int> DrafterOptions::*, IntPair>;

struct DrafterSetting {
    Setting id;
    const char* key;    // in files: "head_pool"
    const char* option; // on the command line and in links, without the dashes: "head-pool"
    const char* value;  // placeholder of its value: "N"; empty for a switch
    SettingMember member;
    double least, most;            // of what may be typed; numbers only
    bool DrafterOptions::*needs;   // it does nothing while this is off; null: it always counts
    const char* words;             // of a run where it differs from the default; {}: the value
    const char* about;             // help, without who reads it
    const char* low_key = nullptr; // of a pair: the keys of its two numbers
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
// What was set, as pictures say it: " · pool of 64 · head off"; empty where all is as usual.
[[nodiscard]] std::string words_of(const DrafterOptions& options);
// Throws Error (usage) where a number is out of its range.
void check_range(const DrafterSetting& setting, const DrafterOptions& options);

} // namespace speclens
