// The JSON header of a safetensors file: from bytes to checked tensor descriptions (internal to
// safetensors.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "engine/safetensors.h"

namespace speclens {

// `file` are all bytes of the file. Throws Error for everything that would make a later read wrong.
[[nodiscard]] std::map<std::string, StoredTensor, std::less<>>
read_safetensors_header(std::span<const std::byte> file, const std::string& name);

} // namespace speclens
