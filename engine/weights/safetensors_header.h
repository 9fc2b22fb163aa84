// The JSON header of a safetensors file: from bytes to checked tensor descriptions (internal to
// safetensors.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/weights/safetensors.h"

namespace speclens {

inline constexpr std::size_t kHeaderStart = 8; // bytes of the length in front of the header

// Bytes of the header, from the first kHeaderStart bytes of a file of `file_size` bytes (`start` has fewer
// when the file has). Throws Error when that cannot be.
[[nodiscard]] std::size_t safetensors_header_length(std::span<const std::byte> start, std::size_t file_size, const std::string& name);
// `header` follows the length. Throws Error for everything that would make a later read wrong.
[[nodiscard]] std::map<std::string, StoredTensor, std::less<>> read_safetensors_header(std::string_view header, std::size_t file_size,
                                                                                       const std::string& name);

} // namespace speclens
