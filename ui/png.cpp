#include "ui/png.h"

#include "kernels/error.h"
#include "ui/file_write.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace speclens::ui {

std::vector<std::uint8_t> encode_png(const Image& image) {
    std::vector<std::uint8_t> out;
    const auto collect = [](void* context, void* data, int size) {
        auto& bytes = *static_cast<std::vector<std::uint8_t>*>(context);
        const auto* from = static_cast<const std::uint8_t*>(data);
        bytes.insert(bytes.end(), from, from + size);
    };
    if (stbi_write_png_to_func(collect, &out, image.width, image.height, 4, image.rgba.data(),
                               image.width * 4) == 0)
        throw Error("the picture could not be encoded as PNG", "Choose a smaller size, or .svg.");
    return out;
}

void write_png(const std::string& path, const Image& image) {
    write_file(path, encode_png(image));
}

} // namespace speclens::ui
