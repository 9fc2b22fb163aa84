// Writes a safetensors file: tensors in the order in which they are added, the data at a multiple of 8 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/types.h"

namespace speclens {

struct TensorToWrite {
    std::string name;
    DType dtype = DType::bf16; // none of the quantised ones
    std::vector<std::int64_t> shape;
    std::function<std::vector<std::byte>()> bytes; // asked for once, when its turn comes
};

// Replaces `file` as a whole. Widest types first, as the format's own writer has them, so that every tensor is aligned. Throws
// Error: the folder cannot be written, the disk is full.
void write_safetensors(const std::filesystem::path& file, std::vector<TensorToWrite> tensors);

} // namespace speclens
