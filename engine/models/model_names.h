// Targets by name: what a command line, a link or a lecture says instead of a path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace speclens {

inline constexpr const char* kBuiltInModel = "tiny";

// The file or folder that `word` names: empty for the built-in model ("" or "tiny"), the fetched file of a name that
// engine/fetch knows, else `word` as a path. Throws Error where a known model, or one of a pair, was not fetched yet, and says how.
[[nodiscard]] std::filesystem::path model_file(const std::string& word);
// Its draft model, where the name means a pair; else empty. Throws as model_file().
[[nodiscard]] std::filesystem::path draft_file(const std::string& word);

// What a link calls it: "tiny", a known name (also where the path of its file was given), or display_name() of the file or
// folder, so that a link tells nobody what lies where.
[[nodiscard]] std::string model_word(const std::string& word);

// Whether a link may say `word` and mean the same everywhere: the built-in model or one that engine/fetch knows.
[[nodiscard]] std::vector<std::string> known_models(); // what is_known_model() takes
[[nodiscard]] bool is_known_model(const std::string& word);

// The target of who names none in the window: of fetched models that come with a draft model, or that the program has heads for, the one
// that was fetched last, else the built-in one. Nothing is contacted or loaded.
[[nodiscard]] std::string default_model(const std::filesystem::path& assets);

// How a window begins on a model that was asked for by its name and nothing else: by what was measured of it (assets/models/openings.json).
// What is empty is as for every model.
struct OpeningView {
    std::string drafter, measured; // why that one: tokens a round and speed-up beside the others, where and when
    std::string scene, prompt;     // of a user's turn
};
// Nothing for a model that the file does not name, and where there is none. Throws Error for a broken file.
[[nodiscard]] OpeningView opening_view(const std::string& word, const std::filesystem::path& assets);

// Whether `path` is worth opening as a model rather than as a run: a .gguf file, or a folder with a config.json or a .gguf
// file. Whether it loads is load_models()'s to say.
[[nodiscard]] bool looks_like_model(const std::filesystem::path& path);

} // namespace speclens
