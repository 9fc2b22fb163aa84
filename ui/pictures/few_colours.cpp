#include "ui/pictures/few_colours.h"

#include <algorithm>
#include <utility>

namespace speclens::ui {
namespace {

constexpr std::size_t kColours = 255;
constexpr std::size_t kSurfaces = 128; // of them: colours that are met as they are

} // namespace

struct ColourCounts::Spread {
    int channel = 0, width = 0; // the channel in which the buckets differ most
};

void ColourCounts::add(const Image& image) {
    for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) {
        const std::uint8_t* p = image.rgba.data() + i;
        Sum& sum = sums_[bucket(p)];
        sum.bucket = bucket(p);
        ++sum.count;
        for (std::size_t c = 0; c < 3; ++c) sum.rgb[c] += p[c];
    }
}

// One colour more: the mean of these buckets.
void ColourCounts::add_colour(FewColours& to, std::span<const Sum> sums) {
    Sum all;
    for (const Sum& sum : sums) {
        to.near[static_cast<std::size_t>(sum.bucket)] = static_cast<std::int16_t>(to.rgb.size());
        all.count += sum.count;
        for (std::size_t c = 0; c < 3; ++c) all.rgb[c] += sum.rgb[c];
    }
    const auto mean = [&](std::size_t c) { return static_cast<std::uint8_t>(all.rgb[c] / all.count); };
    to.rgb.push_back({mean(0), mean(1), mean(2)});
}

ColourCounts::Spread ColourCounts::spread(std::span<const Sum> sums) {
    Spread widest;
    for (int c = 0; c < 3; ++c) {
        const auto [low, high] = std::ranges::minmax_element(sums, {}, [&](const Sum& s) { return s.channel(c); });
        if (const int width = high->channel(c) - low->channel(c); width > widest.width) widest = {c, width};
    }
    return widest;
}

// Surfaces first: the most frequent buckets get a colour each. What is left, edges and gradients, shares the
// rest by median cut: the box of buckets that differs most is halved, again and again.
FewColours ColourCounts::choose() const {
    std::vector<Sum> sums = sums_;
    std::erase_if(sums, [](const Sum& sum) { return sum.count == 0; });
    std::ranges::stable_sort(sums, [](const Sum& a, const Sum& b) { return a.count > b.count; });
    FewColours colours;
    colours.near.fill(-1);
    const std::size_t own = sums.size() > kColours ? kSurfaces : sums.size();
    for (std::size_t i = 0; i < own; ++i) add_colour(colours, {&sums[i], 1});
    if (own == sums.size()) return colours;
    std::vector<std::span<Sum>> boxes{std::span(sums).subspan(own)};
    while (boxes.size() + own < kColours) {
        const auto widest = std::ranges::max_element(boxes, {}, [](const auto& box) { return spread(box).width; });
        const Spread widest_spread = spread(*widest);
        if (widest_spread.width == 0) break;
        const std::span<Sum> box = *widest;
        std::ranges::sort(box, {}, [&](const Sum& s) { return std::pair(s.channel(widest_spread.channel), s.bucket); });
        *widest = box.first(box.size() / 2);
        boxes.push_back(box.subspan(box.size() / 2));
    }
    for (const auto& box : boxes) add_colour(colours, box);
    return colours;
}

} // namespace speclens::ui
