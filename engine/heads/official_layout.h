// A trained head in the layout of its official release: bf16 matrices, whatever they are stored as here, and of an EAGLE-3 head its layers
// in both of the places and counts in which engines look for them. Of a DFlash head also in that of transformers
// (MuseGlimmerAssistantModel, 5.23.0), for generate(assistant_model=…, speculation_type="dflash").
#pragma once

#include <cstdint>
#include <filesystem>

namespace speclens {

enum class HeadLayout : std::uint8_t { official, transformers };
// Reads the head in `from` and writes config.json and model.safetensors into `to`, which is made; values are those that the engine
// computes with. Throws Error: no head, a damaged one, one that the layout cannot hold, or a folder that cannot be written.
void write_head(const std::filesystem::path& from, const std::filesystem::path& to, HeadLayout layout = HeadLayout::official);

} // namespace speclens
