// Several images of one size as an animated GIF, for slides and pages. 255 colours for all frames together,
// chosen by how often they occur: made for drawings with few colours, as ours are, not for photographs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ui/raster.h"

namespace speclens::ui {

struct GifFrame {
    Image image;
    int ms = 1000; // how long it stays; GIF counts hundredths of a second
};

// Plays for ever. Frames must be of one size, at most 65535 pixels wide and high; throws Error.
[[nodiscard]] std::vector<std::uint8_t> encode_gif(std::span<const GifFrame> frames);
void write_gif(const std::string& path,
               std::span<const GifFrame> frames); // whole or not at all; throws Error

} // namespace speclens::ui
