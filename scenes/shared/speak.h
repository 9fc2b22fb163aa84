// Which language the pictures speak: messages, numbers and quotes change together. docs/languages.md
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ui/language/language.h"

namespace speclens {

// assets/languages/de/language.toml. Throws Error, with the line, for a file that is no such table.
[[nodiscard]] std::shared_ptr<const ui::Language> load_language(const std::filesystem::path& file);

// From now on, with the stories of SPECLENS_STORIES over those of the language. "en": English. What is broken in the stories is left out
// and told by story_problems(); a broken language.toml is an Error.
void speak(const std::string& language);

// What `work` says in English, whatever the pictures speak: frames in words, which programs and screen readers read.
[[nodiscard]] std::string in_english(const std::function<std::string()>& work);

// What is still to be translated, or was translated from an English text that is another one now:
// "advice.toml: why.text, case measured", "advice.toml: why.heading (the English text has changed)".
[[nodiscard]] std::vector<std::string> stories_to_translate(const std::filesystem::path& assets, const std::string& language);

// The English texts that the language's stories were translated from, by a mark of each: assets/languages/de/originals.txt.
[[nodiscard]] std::string originals_of(const std::filesystem::path& assets, const std::string& language);

} // namespace speclens
