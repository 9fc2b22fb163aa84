// A trained head in the layout of its official release: bf16 matrices, whatever they are stored as here.
#pragma once

#include <filesystem>

namespace speclens {

// Reads the head in `from` and writes config.json and model.safetensors into `to`, which is made; values are those that the engine
// computes with. Throws Error: no head, a damaged one, or a folder that cannot be written.
void write_official_layout(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace speclens
