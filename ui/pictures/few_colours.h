// At most 255 colours for pictures of formats that number them (GIF, PNG with a palette), chosen by how often they occur: made
// for drawings with few colours, as ours are, not for photographs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ui/raster.h"

namespace speclens::ui {

inline constexpr int kBuckets = 1 << 15; // five bits a channel
// The bucket of a pixel of four bytes.
[[nodiscard]] inline std::uint16_t bucket(const std::uint8_t* rgba) {
    return static_cast<std::uint16_t>((rgba[0] >> 3) << 10 | (rgba[1] >> 3) << 5 | rgba[2] >> 3);
}

struct FewColours {
    std::vector<std::array<std::uint8_t, 3>> rgb;           // at most 255
    std::array<std::int16_t, std::size_t{kBuckets}> near{}; // which of them a bucket has; -1: it does not occur
};

class ColourCounts {
  public:
    void add(const Image& image);
    [[nodiscard]] FewColours choose() const;

  private:
    struct Sum {
        int bucket = 0;
        std::uint64_t count = 0;
        std::array<std::uint64_t, 3> rgb{};
        [[nodiscard]] int channel(int c) const { return bucket >> (10 - 5 * c) & 31; }
    };
    struct Spread;
    static Spread spread(std::span<const Sum> sums);
    static void add_colour(FewColours& to, std::span<const Sum> sums);
    std::vector<Sum> sums_ = std::vector<Sum>(std::size_t{kBuckets});
};

} // namespace speclens::ui
