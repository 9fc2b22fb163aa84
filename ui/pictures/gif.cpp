#include "ui/pictures/gif.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <gif_lib.h>

#include "kernels/error.h"
#include "ui/file_write.h"

namespace speclens::ui {
namespace {

constexpr GifByteType kAsBefore = 255; // a colour that means "as before"
const char* const kGifRemedy = "Choose a smaller size, or single pictures as .png.";

void check(bool fine, GifFileType* file) {
    if (fine) return;
    const char* why = file && file->Error ? GifErrorString(file->Error) : nullptr;
    throw Error(std::string("the pictures could not be encoded as GIF") + (why ? std::string(": ") + why : ""), kGifRemedy);
}

} // namespace

// What changed; one pixel where nothing did, since a frame needs one.
template <typename T>
GifEncoder::Box GifEncoder::changed(const std::vector<T>& now, const std::vector<T>& before) const {
    if (before.empty()) return {0, 0, width_, height_};
    Box box{width_, height_, 0, 0};
    std::size_t at = 0;
    for (int y = 0; y < height_; ++y)
        for (int x = 0; x < width_; ++x, ++at) {
            if (now[at] == before[at]) continue;
            box = {std::min(box.x0, x), std::min(box.y0, y), std::max(box.x1, x + 1), std::max(box.y1, y + 1)};
        }
    return box.x1 > box.x0 ? box : Box{0, 0, 1, 1};
}

void GifEncoder::add(const Image& image, int ms) {
    if (image.width < 1 || image.height < 1 || image.width > 65535 || image.height > 65535)
        throw Error("a GIF is at most 65535 pixels wide and high", kGifRemedy);
    if (!last_.empty() && (image.width != width_ || image.height != height_))
        throw Error("the pictures of a GIF must be of one size", kGifRemedy);
    width_ = image.width;
    height_ = image.height;
    counts_.add(image);
    std::vector<std::uint16_t> now(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = bucket(image.rgba.data() + 4 * i);
    Change change{changed(now, last_), {}, ms};
    const auto [x0, y0, x1, y1] = change.box;
    for (int y = y0; y < y1; ++y) {
        const auto row = now.begin() + std::ptrdiff_t{y} * width_;
        change.buckets.insert(change.buckets.end(), row + x0, row + x1);
    }
    changes_.push_back(std::move(change));
    last_ = std::move(now);
}

std::vector<std::uint8_t> GifEncoder::finish() const {
    if (changes_.empty()) throw Error("a GIF needs a picture", kGifRemedy);
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

    const FewColours few = counts_.choose();
    std::array<GifColorType, 256> colours{};
    std::ranges::transform(few.rgb, colours.begin(), [](const auto& rgb) { return GifColorType{rgb[0], rgb[1], rgb[2]}; });
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(GifMakeMapObject(256, colours.data()), &GifFreeMapObject);
    check(map && EGifPutScreenDesc(file.get(), width_, height_, 8, 0, map.get()) == GIF_OK, file.get());
    const GifByteType for_ever[] = {1, 0, 0};
    check(EGifPutExtensionLeader(file.get(), APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
              EGifPutExtensionBlock(file.get(), 11, "NETSCAPE2.0") == GIF_OK && EGifPutExtensionBlock(file.get(), 3, for_ever) == GIF_OK &&
              EGifPutExtensionTrailer(file.get()) == GIF_OK,
          file.get());

    std::vector<GifByteType> before, now(last_.size()), line(static_cast<std::size_t>(width_));
    for (const Change& change : changes_) {
        const int wide = change.box.x1 - change.box.x0;
        for (std::size_t i = 0; i < change.buckets.size(); ++i) {
            const int x = change.box.x0 + static_cast<int>(i) % wide, y = change.box.y0 + static_cast<int>(i) / wide;
            now[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] =
                static_cast<GifByteType>(few.near[change.buckets[i]]);
        }
        const Box box = changed(now, before); // buckets that differ may have one colour
        GraphicsControlBlock control{};
        control.DisposalMode = DISPOSE_DO_NOT;
        control.DelayTime = std::clamp(change.ms / 10, 2, 65535);
        control.TransparentColor = before.empty() ? NO_TRANSPARENT_COLOR : kAsBefore;
        std::array<GifByteType, 4> block{};
        check(EGifGCBToExtension(&control, block.data()) == 4 &&
                  EGifPutExtension(file.get(), GRAPHICS_EXT_FUNC_CODE, 4, block.data()) == GIF_OK &&
                  EGifPutImageDesc(file.get(), box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0, false, nullptr) == GIF_OK,
              file.get());
        for (int y = box.y0; y < box.y1; ++y) {
            const auto row = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
            for (int x = box.x0; x < box.x1; ++x) {
                const std::size_t at = row + static_cast<std::size_t>(x);
                line[static_cast<std::size_t>(x - box.x0)] = !before.empty() && now[at] == before[at] ? kAsBefore : now[at];
            }
            check(EGifPutLine(file.get(), line.data(), box.x1 - box.x0) == GIF_OK, file.get());
        }
        before = now;
    }
    check(EGifCloseFile(file.release(), &problem) == GIF_OK, nullptr);
    return out;
}

std::vector<std::uint8_t> encode_gif(std::span<const GifFrame> frames) {
    GifEncoder encoder;
    for (const GifFrame& frame : frames) encoder.add(frame.image, frame.ms);
    return encoder.finish();
}

void write_gif(const std::string& path, std::span<const GifFrame> frames) { write_file(path, encode_gif(frames)); }

} // namespace speclens::ui
