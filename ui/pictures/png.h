// Images as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/raster.h"

namespace speclens::ui {

[[nodiscard]] std::vector<std::uint8_t> encode_png(const Image& image);
// In at most 255 colours (ui/pictures/few_colours.h) and without transparency, for pages that carry many of them.
[[nodiscard]] std::vector<std::uint8_t> encode_png_with_few_colours(const Image& image);
void write_png(const std::string& path, const Image& image); // whole or not at all; throws Error

} // namespace speclens::ui
