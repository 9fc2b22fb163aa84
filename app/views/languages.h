// Which languages there are texts in: English, and every folder of assets/languages (docs/languages.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace speclens {

inline constexpr const char* kEnglish = "en";

[[nodiscard]] std::vector<std::string> shipped_languages(); // English first
// The first of LC_ALL, LC_MESSAGES and LANG that is set says which: de_DE.UTF-8 is "de". English where there are no texts in it.
[[nodiscard]] std::string language_of_environment();
// "de" as it is; "auto" and nothing: that of the environment. Throws Error (usage) for a language without texts.
[[nodiscard]] std::string language_named(const std::string& word);

// A file of the language's own: assets/languages/de/glossary.json. It may be missing.
[[nodiscard]] std::filesystem::path file_of_language(const std::string& language, const std::string& name);

} // namespace speclens
