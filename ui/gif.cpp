#include "ui/gif.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <gif_lib.h>

#include "kernels/error.h"
#include "ui/file_write.h"

namespace speclens::ui {
namespace {

constexpr std::size_t kColours = 255;  // and one that means "as before"
constexpr std::size_t kSurfaces = 128; // of them: colours that are met as they are
constexpr GifByteType kAsBefore = 255;
constexpr int kBuckets = 1 << 15; // five bits a channel
const char* const kGifRemedy = "Choose a smaller size, or single pictures as .png.";

int bucket(const std::uint8_t* rgba) {
    return (rgba[0] >> 3) << 10 | (rgba[1] >> 3) << 5 | rgba[2] >> 3;
}

struct Palette {
    std::vector<GifColorType> colours;       // at most kColours
    std::array<std::int16_t, kBuckets> near; // of each bucket that occurs
};

struct Sum {
    int bucket = 0;
    std::uint64_t count = 0;
    std::array<std::uint64_t, 3> rgb{};
    [[nodiscard]] int channel(int c) const { return bucket >> (10 - 5 * c) & 31; }
};

// One colour of the palette: the mean of these buckets.
void add(Palette& palette, std::span<const Sum> sums) {
    Sum all;
    for (const Sum& sum : sums) {
        palette.near[static_cast<std::size_t>(sum.bucket)] =
            static_cast<std::int16_t>(palette.colours.size());
        all.count += sum.count;
        for (std::size_t c = 0; c < 3; ++c) all.rgb[c] += sum.rgb[c];
    }
    const auto mean = [&](std::size_t c) { return static_cast<GifByteType>(all.rgb[c] / all.count); };
    palette.colours.push_back({mean(0), mean(1), mean(2)});
}

struct Spread {
    int channel = 0, width = 0; // the channel in which the buckets differ most
};
Spread spread(std::span<const Sum> sums) {
    Spread widest;
    for (int c = 0; c < 3; ++c) {
        const auto [low, high] =
            std::ranges::minmax_element(sums, {}, [&](const Sum& s) { return s.channel(c); });
        if (const int width = high->channel(c) - low->channel(c); width > widest.width) widest = {c, width};
    }
    return widest;
}

// Surfaces first: the most frequent buckets get a colour each. What is left, edges and gradients, shares the
// rest by median cut: the box of buckets that differs most is halved, again and again.
Palette palette_of(std::span<const GifFrame> frames) {
    std::vector<Sum> sums(kBuckets);
    for (const GifFrame& frame : frames)
        for (std::size_t i = 0; i + 3 < frame.image.rgba.size(); i += 4) {
            const std::uint8_t* p = frame.image.rgba.data() + i;
            Sum& sum = sums[static_cast<std::size_t>(bucket(p))];
            sum.bucket = bucket(p);
            ++sum.count;
            for (std::size_t c = 0; c < 3; ++c) sum.rgb[c] += p[c];
        }
    std::erase_if(sums, [](const Sum& sum) { return sum.count == 0; });
    std::ranges::stable_sort(sums, [](const Sum& a, const Sum& b) { return a.count > b.count; });
    Palette palette;
    palette.near.fill(-1);
    const std::size_t own = sums.size() > kColours ? kSurfaces : sums.size();
    for (std::size_t i = 0; i < own; ++i) add(palette, {&sums[i], 1});
    if (own == sums.size()) return palette;
    std::vector<std::span<Sum>> boxes{std::span(sums).subspan(own)};
    while (boxes.size() + own < kColours) {
        const auto widest =
            std::ranges::max_element(boxes, {}, [](const auto& box) { return spread(box).width; });
        const Spread cut = spread(*widest);
        if (cut.width == 0) break;
        const std::span<Sum> box = *widest;
        std::ranges::sort(box, {}, [&](const Sum& s) { return std::pair(s.channel(cut.channel), s.bucket); });
        *widest = box.first(box.size() / 2);
        boxes.push_back(box.subspan(box.size() / 2));
    }
    for (const auto& box : boxes) add(palette, box);
    return palette;
}

GifByteType index_of(const Palette& palette, const std::uint8_t* rgba) {
    return static_cast<GifByteType>(palette.near[static_cast<std::size_t>(bucket(rgba))]);
}

struct Box {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0; // x1, y1 outside
};

// What changed; one pixel where nothing did, since a frame needs one.
Box changed(const std::vector<GifByteType>& now, const std::vector<GifByteType>& before, int width,
            int height) {
    if (before.empty()) return {0, 0, width, height};
    Box box{width, height, 0, 0};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const auto at =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
            if (now[at] == before[at]) continue;
            box = {std::min(box.x0, x), std::min(box.y0, y), std::max(box.x1, x + 1),
                   std::max(box.y1, y + 1)};
        }
    return box.x1 > box.x0 ? box : Box{0, 0, 1, 1};
}

void check(bool fine, GifFileType* file) {
    if (fine) return;
    const char* why = file && file->Error ? GifErrorString(file->Error) : nullptr;
    throw Error(std::string("the pictures could not be encoded as GIF") + (why ? std::string(": ") + why : ""),
                kGifRemedy);
}

} // namespace

std::vector<std::uint8_t> encode_gif(std::span<const GifFrame> frames) {
    if (frames.empty()) throw Error("a GIF needs a picture", kGifRemedy);
    const int width = frames[0].image.width, height = frames[0].image.height;
    if (width < 1 || height < 1 || width > 65535 || height > 65535)
        throw Error("a GIF is at most 65535 pixels wide and high", kGifRemedy);
    for (const GifFrame& frame : frames)
        if (frame.image.width != width || frame.image.height != height)
            throw Error("the pictures of a GIF must be of one size", kGifRemedy);

    std::vector<std::uint8_t> out;
    const OutputFunc collect = [](GifFileType* file, const GifByteType* bytes, int count) {
        auto& to = *static_cast<std::vector<std::uint8_t>*>(file->UserData);
        to.insert(to.end(), bytes, bytes + count);
        return count;
    };
    int problem = 0;
    const auto close = [](GifFileType* file) { (void)EGifCloseFile(file, nullptr); };
    std::unique_ptr<GifFileType, decltype(close)> file(EGifOpen(&out, collect, &problem), close);
    check(file != nullptr, nullptr);
    EGifSetGifVersion(file.get(), true);

    const Palette palette = palette_of(frames);
    std::array<GifColorType, 256> colours{};
    std::ranges::copy(palette.colours, colours.begin());
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(256, colours.data()), &GifFreeMapObject);
    check(map && EGifPutScreenDesc(file.get(), width, height, 8, 0, map.get()) == GIF_OK, file.get());
    const GifByteType for_ever[] = {1, 0, 0};
    check(EGifPutExtensionLeader(file.get(), APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
              EGifPutExtensionBlock(file.get(), 11, "NETSCAPE2.0") == GIF_OK &&
              EGifPutExtensionBlock(file.get(), 3, for_ever) == GIF_OK &&
              EGifPutExtensionTrailer(file.get()) == GIF_OK,
          file.get());

    const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<GifByteType> before, now(pixels), line(static_cast<std::size_t>(width));
    for (const GifFrame& frame : frames) {
        for (std::size_t i = 0; i < pixels; ++i) now[i] = index_of(palette, frame.image.rgba.data() + 4 * i);
        const Box box = changed(now, before, width, height);
        GraphicsControlBlock control{};
        control.DisposalMode = DISPOSE_DO_NOT;
        control.DelayTime = std::clamp(frame.ms / 10, 2, 65535);
        control.TransparentColor = before.empty() ? NO_TRANSPARENT_COLOR : kAsBefore;
        std::array<GifByteType, 4> block{};
        check(EGifGCBToExtension(&control, block.data()) == 4 &&
                  EGifPutExtension(file.get(), GRAPHICS_EXT_FUNC_CODE, 4, block.data()) == GIF_OK &&
                  EGifPutImageDesc(file.get(), box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0, false,
                                   nullptr) == GIF_OK,
              file.get());
        for (int y = box.y0; y < box.y1; ++y) {
            const auto row = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
            for (int x = box.x0; x < box.x1; ++x) {
                const std::size_t at = row + static_cast<std::size_t>(x);
                line[static_cast<std::size_t>(x - box.x0)] =
                    !before.empty() && now[at] == before[at] ? kAsBefore : now[at];
            }
            check(EGifPutLine(file.get(), line.data(), box.x1 - box.x0) == GIF_OK, file.get());
        }
        before = now;
    }
    check(EGifCloseFile(file.release(), &problem) == GIF_OK, nullptr);
    return out;
}

void write_gif(const std::string& path, std::span<const GifFrame> frames) {
    write_file(path, encode_gif(frames));
}

} // namespace speclens::ui
