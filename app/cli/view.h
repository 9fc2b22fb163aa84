// Which frame the options ask for: a scene, a place in it, and the run it is drawn from.
#pragma once

#include <functional>
#include <string>

#include "app/cli/options.h"
#include "app/frontend/frontend.h"

namespace speclens::cli {

// "domino:4", "S9:4": the scene's own name and the beat. Throws Error (usage).
struct SceneWord {
    std::string scene;
    int beat = -1; // -1: none was typed
};
[[nodiscard]] SceneWord scene_word(const std::string& word);

// The drafter that a scene is drawn with where no other one was asked for: a scene that is made for one
// drafter has its name, the scene of trees needs a tree. Empty: any will do, or this one is not `ready`.
using Ready = std::function<bool(const std::string& drafter)>;
[[nodiscard]] std::string own_drafter(const Options& options, const std::string& scene, const Ready& ready);
// The run of a frame: `drafter` as chosen for the scene, and a prompt that shows it where none was typed.
[[nodiscard]] RunSettings scene_settings(const Options& options, const std::string& scene, const std::string& drafter);

// The window's frame, before anything is loaded.
[[nodiscard]] SceneView view_of(const Options& options);

} // namespace speclens::cli
