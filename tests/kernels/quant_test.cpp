// Quantised blocks against what the package gguf widens them to, and halves in both directions.
#include <fstream>

#include <nlohmann/json.hpp>

#include "kernels/quant.h"
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

std::vector<std::byte> bytes_of_hex(const std::string& hex) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

// tests/kernels/golden/quant_blocks.json, made by assets/recipe/quant_goldens.py.
TEST(Quant, WidensEveryTypeToTheBitsOfThePackageGguf) {
    std::ifstream file(SPEC_SOURCE_DIR "/tests/kernels/golden/quant_blocks.json");
    const nlohmann::json golden = nlohmann::json::parse(file).at("blocks");
    int types = 0;
    for (int at = 0; at <= static_cast<int>(DType::q6_k); ++at) {
        const auto dtype = static_cast<DType>(at);
        if (!is_quantised(dtype)) continue;
        ++types;
        ASSERT_GE(golden.at(name_of(dtype)).size(), 3u);
        for (const auto& block : golden.at(name_of(dtype))) {
            const std::vector<std::byte> stored = bytes_of_hex(block.at("stored")), wide = bytes_of_hex(block.at("f32"));
            ASSERT_EQ(stored.size(), block_of(dtype).bytes);
            std::vector<float> want(static_cast<std::size_t>(block_of(dtype).values)), got(want.size());
            ASSERT_EQ(wide.size(), 4 * want.size());
            std::memcpy(want.data(), wide.data(), wide.size());
            widen(dtype, stored.data(), block_of(dtype).values, got.data());
            EXPECT_TRUE(same_bits(got, want)) << name_of(dtype);
        }
    }
    EXPECT_EQ(types, 10);
}

TEST(Quant, NarrowsToTheNearestHalf) {
    for (int bits = 0; bits < 0x7C00; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = widen_f16(half), next = widen_f16(static_cast<std::uint16_t>(half + 1));
        EXPECT_EQ(narrow_f16(value), half);
        EXPECT_EQ(narrow_f16(-value), half | 0x8000);
        if (bits + 1 == 0x7C00) continue;        // the next one is infinite
        const float middle = (value + next) / 2; // exact
        EXPECT_EQ(narrow_f16(middle), half + half % 2) << "ties to even";
        EXPECT_EQ(narrow_f16(std::nextafter(middle, 0.f)), half);
        EXPECT_EQ(narrow_f16(std::nextafter(middle, 1e9f)), half + 1);
    }
    EXPECT_EQ(narrow_f16(65519.996f), 0x7BFF);
    EXPECT_EQ(narrow_f16(65520.f), 0x7C00);
    EXPECT_EQ(narrow_f16(-1e30f), 0xFC00);
    EXPECT_EQ(narrow_f16(-INFINITY), 0xFC00);
}

TEST(Quant, WidensSeveralBlocksFromAnyAddress) {
    Numbers numbers(3);
    std::vector<std::byte> bytes(1 + 3 * 18);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(numbers.bits());
    std::vector<float> all(96), each(96);
    widen(DType::q4_0, bytes.data() + 1, 96, all.data());
    for (std::size_t block = 0; block < 3; ++block) widen(DType::q4_0, bytes.data() + 1 + 18 * block, 32, each.data() + 32 * block);
    EXPECT_EQ(std::memcmp(all.data(), each.data(), sizeof(float) * 96), 0);
    EXPECT_DEATH(widen(DType::q4_0, bytes.data(), 31, all.data()), "a part of a block");
}

} // namespace
} // namespace speclens::test
