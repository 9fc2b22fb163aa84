// Token ids as bits, one behind the other, the lowest bit first: a third of what 32-bit numbers take, and less than text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

[[nodiscard]] int bits_of_ids(int vocab); // that an id below `vocab` takes: 18 for 151936

// ceil(ids.size() · bits_of_ids(vocab) / 8) bytes; the bits behind the last id are 0. Every id is 0 … vocab - 1.
[[nodiscard]] std::string packed_ids(std::span<const int> ids, int vocab);
struct UnpackedIds {
    std::vector<int> ids;
    const char* problem = nullptr; // why the bytes are not what packed_ids() makes of so many ids; null: they are
};
[[nodiscard]] UnpackedIds unpacked_ids(std::string_view bytes, std::size_t count, int vocab);

} // namespace speclens
