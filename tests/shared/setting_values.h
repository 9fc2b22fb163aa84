// A run in which one setting has another value than usual, and everything is as it must be for that to mean something.
#pragma once

#include <algorithm>

#include "engine/rules/verify.h"
#include "engine/run/run_setting.h"

namespace speclens::test {

inline SettingValue another_value(const RunSetting& setting, const RunSettings& now) {
    const SettingValue before = setting.get(now);
    const std::string_view option = setting.option;
    switch (setting.kind) {
    case 1: return !std::get<bool>(before);
    case 2: {
        const auto* number = std::get_if<std::int64_t>(&before);
        const std::int64_t more = std::max<std::int64_t>(number ? *number : 0, static_cast<std::int64_t>(setting.least)) + 2;
        return more <= static_cast<std::int64_t>(setting.most) ? more : static_cast<std::int64_t>(setting.most) - 1;
    }
    case 3: return std::get<std::uint64_t>(before) + 5;
    case 4: {
        const auto* number = std::get_if<double>(&before);
        const double more = (number ? *number : setting.least) + 0.25;
        return more <= setting.most ? more : setting.most - 0.25;
    }
    case 5:
        if (option == "drafter") return std::string("lookup");
        if (option == "rule") return std::string("match");
        if (option == "k-rounds") return std::string("4*3,0*20,2");
        if (option == "rule-param") return std::string("lenience=0.5");
        return std::string("some, words");
    default: return std::vector<int>{2, 4};
    }
}

inline RunSettings run_with(const RunSetting& setting) {
    RunSettings settings;
    settings.sampling.temperature = 0.8;
    const auto reader = std::ranges::find_if(drafter_list(), [&](const DrafterInfo& info) { return info.drafts() && setting.read(info); });
    if (reader != drafter_list().end()) settings.drafter = reader->name;
    settings.rule = judging_rule("token", settings.drafter);
    settings.k = default_k(settings.drafter);
    if (std::string_view(setting.option) == "rule-param") settings.rule = "lenience";
    settings.prompt.chat = !setting.needs(settings); // where it is of a chat
    setting.set(settings, another_value(setting, settings));
    if (settings.options.tree_depth > 0) settings.k = settings.options.tree_depth; // two words for one number
    return settings;
}

// A setting that nobody wrote into a file, link or text, to show that the tests notice.
inline RunSetting planted_setting() {
    RunSetting planted = *find_run_setting("max-tokens");
    planted.key = planted.option = "planted-one";
    planted.get = [](const RunSettings& s) { return SettingValue(std::int64_t{s.fork}); };
    planted.set = [](RunSettings& s, const SettingValue& value) { s.fork = static_cast<std::uint32_t>(std::get<std::int64_t>(value)); };
    return planted;
}

} // namespace speclens::test
