#include "app/frame/preferences.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "app/views/languages.h"
#include "app/views/link.h"
#include "engine/base/json.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {

std::filesystem::path preferences_file() {
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    const std::filesystem::path folder = config && *config ? std::filesystem::path(config)
                                         : home            ? std::filesystem::path(home) / ".config"
                                                           : std::filesystem::path(".");
    return folder / "speclens" / "preferences.json";
}

Preferences load_preferences(const std::filesystem::path& file) {
    Preferences kept;
    std::ifstream in(file, std::ios::binary);
    const Json json = in ? Json::parse_or_discard(in) : Json();
    if (!json.is_object()) return kept;
    const auto flag = [&](const char* name, bool& to) {
        if (const auto found = json.find(name); found != json.end() && found->is_boolean()) to = found->get<bool>();
    };
    if (const auto found = json.find("theme"); found != json.end() && found->is_string())
        kept.theme = ui::theme_of(found->get<std::string>()).value_or(kept.theme);
    if (const auto found = json.find("zoom"); found != json.end() && found->is_number())
        if (const double zoom = found->get<double>(); zoom >= 0.7 && zoom <= 3) kept.zoom = static_cast<float>(zoom);
    if (const auto found = json.find("language"); found != json.end() && found->is_string()) {
        const std::vector<std::string> all = shipped_languages();
        if (std::ranges::find(all, found->get<std::string>()) != all.end()) kept.language = found->get<std::string>();
    }
    if (const auto found = json.find("links_to"); found != json.end() && found->is_string() && is_page_address(found->get<std::string>()))
        kept.links_to = found->get<std::string>();
    flag("reduced_motion", kept.reduced_motion);
    flag("swapped_letters", kept.swapped_letters);
    flag("introduced", kept.introduced);
    return kept;
}

void save_preferences(const Preferences& preferences, const std::filesystem::path& file) {
    std::error_code problem;
    std::filesystem::create_directories(file.parent_path(), problem);
    if (problem)
        throw Error("cannot make " + file.parent_path().string() + ": " + problem.message(),
                    "Set XDG_CONFIG_HOME to a folder that can be written.");
    OrderedJson json = {{"theme", ui::theme_name(preferences.theme)},
                        {"reduced_motion", preferences.reduced_motion},
                        {"swapped_letters", preferences.swapped_letters},
                        {"introduced", preferences.introduced}};
    if (!preferences.language.empty()) json["language"] = preferences.language;
    if (!preferences.links_to.empty()) json["links_to"] = preferences.links_to;
    if (preferences.zoom > 0) json["zoom"] = std::round(preferences.zoom * 100) / 100.0;
    AtomicFile out(file);
    out.write(json.dump(1) + "\n");
    out.commit();
}

} // namespace speclens
