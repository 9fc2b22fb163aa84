// libFuzzer target: any bytes as a safetensors file are read or refused with Error.
// How to build and run the targets: tests/fuzz.cmake.
#include <cstring>

#include "engine/weights/safetensors.h"
#include "kernels/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> image(size);
    if (size > 0) std::memcpy(image.data(), data, size);
    unsigned sum = 0;
    try {
        const speclens::Safetensors file = speclens::Safetensors::parse(std::move(image), "fuzz.safetensors");
        for (const auto& [name, tensor] : file.tensors())
            for (const std::byte byte : file.read(tensor)) sum += std::to_integer<unsigned>(byte);
    } catch (const speclens::Error&) {
    }
    volatile unsigned keep = sum; // the reads must happen
    static_cast<void>(keep);
    return 0;
}
