#include "engine/base/rng.h"

namespace speclens {
namespace {

struct Block {
    std::uint32_t x[4];
};

// Philox-4x32-10: ten rounds of two 32x32 multiplications and a key schedule.
Block philox(Block counter, std::uint32_t key0, std::uint32_t key1) {
    constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
    constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{kMultiplier0} * counter.x[0];
        const std::uint64_t b = std::uint64_t{kMultiplier1} * counter.x[2];
        counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.x[1] ^ key0, static_cast<std::uint32_t>(b),
                    static_cast<std::uint32_t>(a >> 32) ^ counter.x[3] ^ key1, static_cast<std::uint32_t>(a)}};
        key0 += kWeyl0;
        key1 += kWeyl1;
    }
    return counter;
}

} // namespace

double uniform(const CoinKey& key) {
    const Block counter{{key.position, static_cast<std::uint32_t>(key.purpose) | key.lane << 8, key.attempt, key.fork}};
    const Block bits = philox(counter, static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32));
    const std::uint64_t word = (std::uint64_t{bits.x[0]} << 32) | bits.x[1];
    return static_cast<double>(word >> 11) * 0x1.0p-53;
}

} // namespace speclens
