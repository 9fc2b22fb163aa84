// libFuzzer target: any bytes as a GGUF file are read or refused with Error.
// How to build and run the targets: tests/fuzz.cmake.
#include <cstring>

#include "engine/model/gguf_model.h"
#include "kernels/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> image(size);
    if (size > 0) std::memcpy(image.data(), data, size);
    unsigned sum = 0;
    try {
        speclens::Gguf file = speclens::Gguf::parse(std::move(image), "fuzz.gguf");
        for (const auto& [name, tensor] : file.tensors())
            for (const std::byte byte : file.read(tensor)) sum += std::to_integer<unsigned>(byte);
        const speclens::ModelConfig config = speclens::gguf_config(file);
        const speclens::VocabularyTable table = speclens::take_gguf_vocabulary(file);
        const speclens::RowTensors rows(
            file, speclens::gguf_tensors(file, config, [](const speclens::StoredTensor&) { return speclens::DType::bf16; }));
        for (const auto& [name, tensor] : rows.tensors())
            for (const std::byte byte : rows.read(tensor)) sum += std::to_integer<unsigned>(byte);
        sum += static_cast<unsigned>(table.tokens.size());
    } catch (const speclens::Error&) {
    }
    volatile unsigned keep = sum; // the reads must happen
    static_cast<void>(keep);
    return 0;
}
