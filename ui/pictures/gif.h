// Several images of one size as an animated GIF, for slides and pages, in the few colours of all of them together
// (ui/pictures/few_colours.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ui/pictures/few_colours.h"
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

// The same, frame by frame: of each one only what changed is kept until the end.
class GifEncoder {
  public:
    void add(const Image& image, int ms);                   // throws Error
    [[nodiscard]] std::vector<std::uint8_t> finish() const; // throws Error

  private:
    struct Box {
        int x0 = 0, y0 = 0, x1 = 0, y1 = 0; // x1, y1 outside
    };
    struct Change {
        Box box;
        std::vector<std::uint16_t> buckets; // of its pixels
        int ms = 0;
    };
    template <typename T>
    [[nodiscard]] Box changed(const std::vector<T>& now, const std::vector<T>& before) const;

    int width_ = 0, height_ = 0;
    ColourCounts counts_;
    std::vector<std::uint16_t> last_; // buckets of the last frame; empty: there is none
    std::vector<Change> changes_;
};

} // namespace speclens::ui
