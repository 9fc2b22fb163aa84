#include "ui/pictures/png.h"

#include <cstdlib>
#include <memory>
#include <string_view>

#include "kernels/error.h"
#include "ui/file_write.h"
#include "ui/pictures/few_colours.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace speclens::ui {
namespace {

using Bytes = std::vector<std::uint8_t>;

void add_number(Bytes& to, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::uint8_t>(number >> shift));
}

// The checksum of PNG's specification, annex D, bit by bit.
std::uint32_t checksum(const std::uint8_t* bytes, std::size_t count) {
    std::uint32_t sum = ~0U;
    for (std::size_t i = 0; i < count; ++i) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xEDB88320U : 0U);
    }
    return ~sum;
}

void add_chunk(Bytes& to, std::string_view name, const Bytes& data) {
    add_number(to, static_cast<std::uint32_t>(data.size()));
    const std::size_t begin = to.size();
    to.insert(to.end(), name.begin(), name.end());
    to.insert(to.end(), data.begin(), data.end());
    add_number(to, checksum(to.data() + begin, to.size() - begin));
}

// Rows without a filter, which is best where neighbours are equal rather than near.
Bytes packed_rows(const Image& image, const FewColours& few) {
    constexpr int kThorough = 64;
    Bytes rows;
    for (int y = 0; y < image.height; ++y) {
        rows.push_back(0);
        const std::uint8_t* row = image.rgba.data() + 4 * static_cast<std::ptrdiff_t>(image.width) * y;
        for (int x = 0; x < image.width; ++x) rows.push_back(static_cast<std::uint8_t>(few.near[bucket(row + 4 * x)]));
    }
    int size = 0;
    const std::unique_ptr<unsigned char, decltype(&std::free)> packed(
        stbi_zlib_compress(rows.data(), static_cast<int>(rows.size()), &size, kThorough), &std::free);
    if (!packed) throw Error("the picture could not be encoded as PNG", "Choose a smaller size, or .svg.");
    return {packed.get(), packed.get() + size};
}

} // namespace

Bytes encode_png_with_few_colours(const Image& image) {
    ColourCounts counts;
    counts.add(image);
    const FewColours few = counts.choose();
    Bytes head;
    add_number(head, static_cast<std::uint32_t>(image.width));
    add_number(head, static_cast<std::uint32_t>(image.height));
    head.insert(head.end(), {8, 3, 0, 0, 0}); // bits, a palette, deflate, its filters, no interlacing
    Bytes palette;
    for (const auto& rgb : few.rgb) palette.insert(palette.end(), rgb.begin(), rgb.end());
    Bytes out{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    add_chunk(out, "IHDR", head);
    add_chunk(out, "PLTE", palette);
    add_chunk(out, "IDAT", packed_rows(image, few));
    add_chunk(out, "IEND", {});
    return out;
}

std::vector<std::uint8_t> encode_png(const Image& image) {
    std::vector<std::uint8_t> out;
    const auto collect = [](void* context, void* data, int size) {
        auto& bytes = *static_cast<std::vector<std::uint8_t>*>(context);
        const auto* from = static_cast<const std::uint8_t*>(data);
        bytes.insert(bytes.end(), from, from + size);
    };
    if (stbi_write_png_to_func(collect, &out, image.width, image.height, 4, image.rgba.data(), image.width * 4) == 0)
        throw Error("the picture could not be encoded as PNG", "Choose a smaller size, or .svg.");
    return out;
}

void write_png(const std::string& path, const Image& image) { write_file(path, encode_png(image)); }

} // namespace speclens::ui
