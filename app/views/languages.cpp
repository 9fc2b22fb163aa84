#include "app/views/languages.h"

#include <algorithm>
#include <cstdlib>

#include "engine/models/models.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::filesystem::path folder() { return assets_folder() / "languages"; }

} // namespace

std::vector<std::string> shipped_languages() {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder(), none))
        if (entry.is_directory()) found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    found.insert(found.begin(), kEnglish);
    return found;
}

std::string language_of_environment() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* value = std::getenv(name);
        if (!value || !*value) continue;
        const std::string word(value);
        const std::string language = word.substr(0, word.find_first_of("_.@-"));
        const std::vector<std::string> all = shipped_languages();
        return std::ranges::find(all, language) == all.end() ? kEnglish : language;
    }
    return kEnglish;
}

std::string language_named(const std::string& word) {
    if (word.empty() || word == "auto") return language_of_environment();
    const std::vector<std::string> all = shipped_languages();
    if (std::ranges::find(all, word) != all.end()) return word;
    std::string known = "auto";
    for (const std::string& language : all) known += ", " + language;
    throw Error("there are no texts in the language '" + word + "'", "There are: " + known + ". docs/languages.md says how one is added.",
                Exit::usage);
}

std::filesystem::path file_of_language(const std::string& language, const std::string& name) { return folder() / language / name; }

} // namespace speclens
