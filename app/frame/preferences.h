// How somebody likes the window, kept from one day to the next in
// $XDG_CONFIG_HOME/speclens/preferences.json. What the command line says goes first. Pictures that are drawn
// without a window know nothing of it.
#pragma once

#include <filesystem>
#include <string>

#include "ui/theme.h"

namespace speclens {

struct Preferences {
    ui::ThemeKind theme = ui::ThemeKind::dark;
    float zoom = 0; // 0.7 … 3; 0: as it fits the window
    bool reduced_motion = false;
    bool swapped_letters = false; // p for the draft, q for the target
    bool introduced = false;      // the opening was seen
    std::string language = {};    // "de"; empty: that of the environment
    std::string links_to = {};    // address of a page that links are copied for; empty: speclens://
    bool operator==(const Preferences&) const = default;
};

[[nodiscard]] std::filesystem::path preferences_file();
// What is not in the file, or makes no sense there, is as usual; so is everything when there is no file.
[[nodiscard]] Preferences load_preferences(const std::filesystem::path& file);
// Throws Error.
void save_preferences(const Preferences& preferences, const std::filesystem::path& file);

} // namespace speclens
