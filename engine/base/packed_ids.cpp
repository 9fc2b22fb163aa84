#include "engine/base/packed_ids.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace speclens {

int bits_of_ids(int vocab) { return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(vocab - 1)))); }

std::string packed_ids(std::span<const int> ids, int vocab) {
    const auto bits = static_cast<unsigned>(bits_of_ids(vocab));
    std::string out;
    std::uint64_t held = 0;
    unsigned count = 0;
    for (const int id : ids) {
        held |= static_cast<std::uint64_t>(id) << count;
        for (count += bits; count >= 8; count -= 8, held >>= 8) out += static_cast<char>(held & 0xFF);
    }
    if (count > 0) out += static_cast<char>(held & 0xFF);
    return out;
}

UnpackedIds unpacked_ids(std::string_view bytes, std::size_t count, int vocab) {
    const auto bits = static_cast<unsigned>(bits_of_ids(vocab));
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    UnpackedIds out;
    if (bytes.size() != (count * bits + 7) / 8) return {{}, "it has more or fewer ids than its header says"};
    out.ids.reserve(count);
    std::uint64_t held = 0;
    unsigned filled = 0;
    for (const char byte : bytes) {
        held |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << filled;
        for (filled += 8; filled >= bits && out.ids.size() < count; filled -= bits, held >>= bits) {
            out.ids.push_back(static_cast<int>(held & mask));
            if (out.ids.back() >= vocab) out.problem = "an id is outside of its vocabulary";
        }
    }
    if (held != 0) out.problem = "something stands behind its last id";
    return out;
}

} // namespace speclens
