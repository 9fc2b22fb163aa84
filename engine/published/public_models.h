// Public checkpoints whose layout the engine reads: assets/public/models.json, for `speclens list models`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace speclens {

struct PublicModel {
    std::string repository; // "Qwen/Qwen3-4B"
    std::string kind;       // "target" or "head"
    std::string drafter;    // heads: the name in drafters.inc
    std::string target;     // heads: repository of the target
    std::string about;
    std::string source;    // where name and layout come from
    double parameters = 0; // 0: not known
};

// Throws Error naming the file and the field.
[[nodiscard]] std::vector<PublicModel> read_public_models(const std::filesystem::path& file);

} // namespace speclens
