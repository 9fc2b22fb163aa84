// Matrices of bytes with a scale for each row: what is read of them, and what is said of broken pairs.
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_write.h"
#include "engine/weights/scaled_tensors.h"
#include "kernels/bf16.h"
#include "kernels/quant.h"
#include "tests/shared/model_support.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

template <class T>
TensorToWrite tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape, std::vector<T> values) {
    return {name, dtype, std::move(shape), [values] {
                const auto bytes = std::as_bytes(std::span(values));
                return std::vector<std::byte>(bytes.begin(), bytes.end());
            }};
}

class ScaledTensorsFile : public ::testing::Test {
  protected:
    Safetensors written(std::vector<TensorToWrite> tensors) {
        write_safetensors(temp_ / "model.safetensors", std::move(tensors));
        return Safetensors::open(temp_ / "model.safetensors");
    }
    void refused(std::vector<TensorToWrite> tensors, std::vector<std::string> words) {
        const Safetensors file = written(std::move(tensors));
        words.push_back("folder/model.safetensors");
        expect_error([&] { const ScaledTensors scaled(file); }, words);
    }
    const TempFolder temp_;
};

const TensorToWrite kMatrix = tensor<std::uint8_t>("a.weight", DType::u8, {2, 3}, {1, 128, 129, 192, 255, 125});
const TensorToWrite kScale = tensor<float>("a.weight_scale", DType::f32, {2}, {0.5f, 0.0123f});

TEST_F(ScaledTensorsFile, AreReadAsRoundedMatrices) {
    const Safetensors file = written({kMatrix, kScale, tensor<std::int64_t>("d2t", DType::i64, {1}, {7})});
    const ScaledTensors scaled(file);
    ASSERT_EQ(scaled.tensors().size(), 2u) << "the scales are no tensor of their own";
    const StoredTensor* matrix = scaled.find("a.weight");
    ASSERT_NE(matrix, nullptr);
    EXPECT_EQ(matrix->dtype, DType::bf16);
    EXPECT_EQ(matrix->shape, (std::vector<std::int64_t>{2, 3}));
    std::vector<std::uint16_t> values(6);
    ASSERT_EQ(matrix->bytes, 12u);
    scaled.read(*matrix, 0, std::as_writable_bytes(std::span(values)));
    const float exact[] = {-63.5f, 0, 0.5f, 64 * 0.0123f, 127 * 0.0123f, -3 * 0.0123f};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values[i], narrow_bf16(exact[i])) << i;
    std::uint16_t part[2];
    scaled.read(*matrix, 4, std::as_writable_bytes(std::span(part))); // across two rows
    EXPECT_EQ(part[0], values[2]);
    EXPECT_EQ(part[1], values[3]);
    std::int64_t offset = 0;
    scaled.read(*scaled.find("d2t"), 0, std::as_writable_bytes(std::span(&offset, 1)));
    EXPECT_EQ(offset, 7);
}

// Blocks of 32 with the row's scale in f16, where whoever reads keeps them; a scale that f16 cannot say and a row of another length are
// widened.
TEST_F(ScaledTensorsFile, AreKeptAsBlocksOfEightBits) {
    std::vector<std::uint8_t> bytes(2 * 64);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(1 + (i * 37) % 255);
    const Safetensors file =
        written({kMatrix, kScale, tensor<std::uint8_t>("wide", DType::u8, {2, 64}, bytes),
                 tensor<float>("wide_scale", DType::f32, {2}, {0.5f, 0.0123f}), tensor<std::uint8_t>("tiny", DType::u8, {2, 64}, bytes),
                 tensor<float>("tiny_scale", DType::f32, {2}, {0.5f, 1e-6f}), tensor<std::uint8_t>("other", DType::u8, {2, 64}, bytes),
                 tensor<float>("other_scale", DType::f32, {2}, {0.5f, 0})});
    const ScaledTensors scaled(file, [](const std::string& name, std::int64_t) { return name != "other"; });
    for (const char* name : {"a.weight", "tiny", "other"}) EXPECT_EQ(scaled.find(name)->dtype, DType::bf16) << name;
    const StoredTensor* wide = scaled.find("wide");
    ASSERT_EQ(wide->dtype, DType::q8_0);
    ASSERT_EQ(wide->bytes, 4u * 34);
    std::vector<std::byte> blocks(wide->bytes);
    scaled.read(*wide, 0, blocks);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::uint16_t scale = 0;
        std::memcpy(&scale, blocks.data() + i / 32 * 34, 2);
        EXPECT_EQ(scale, narrow_f16(i < 64 ? 0.5f : 0.0123f)) << i;
        EXPECT_EQ(static_cast<std::int8_t>(blocks[i / 32 * 34 + 2 + i % 32]), bytes[i] - 128) << i;
    }
    std::vector<std::byte> third(34);
    scaled.read(*wide, 2 * 34, third);
    EXPECT_TRUE(std::equal(third.begin(), third.end(), blocks.begin() + 2 * 34));
}

// What reads states of a target has columns that differ as those do: such a matrix is widened, since blocks have one scale for all columns.
TEST_F(ScaledTensorsFile, MayHaveAScaleForEachColumnToo) {
    std::vector<std::uint8_t> bytes(2 * 32, 129);
    std::vector<float> columns(32, 1);
    columns[3] = 1000, columns[4] = 0;
    const Safetensors file =
        written({tensor<std::uint8_t>("fc", DType::u8, {2, 32}, bytes), tensor<float>("fc_scale", DType::f32, {2}, {0.5f, 0.0123f}),
                 tensor<float>("fc_column_scale", DType::f32, {32}, columns)});
    const ScaledTensors scaled(file, [](const std::string&, std::int64_t) { return true; });
    ASSERT_EQ(scaled.tensors().size(), 1u);
    ASSERT_EQ(scaled.find("fc")->dtype, DType::bf16);
    std::vector<std::uint16_t> values(64);
    scaled.read(*scaled.find("fc"), 0, std::as_writable_bytes(std::span(values)));
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(values[i], narrow_bf16((i < 32 ? 0.5f : 0.0123f) * columns[i % 32])) << i;
    refused({tensor<std::uint8_t>("fc", DType::u8, {2, 32}, bytes), tensor<float>("fc_scale", DType::f32, {2}, {0.5f, 0.0123f}),
             tensor<float>("fc_column_scale", DType::f32, {2}, {1, 1})},
            {"fc_column_scale", "(2)", "expected f32", "(32)"});
}

TEST_F(ScaledTensorsFile, RefusesBytesWithoutTheirScales) {
    refused({kMatrix}, {"a.weight", "there is no a.weight_scale"});
    refused({kMatrix, tensor<float>("a.weight_scale", DType::f32, {3}, {1, 1, 1})}, {"a.weight_scale", "(3)", "expected f32", "(2)"});
    refused({kMatrix, tensor<std::uint16_t>("a.weight_scale", DType::bf16, {2}, {1, 1})}, {"bf16", "expected f32"});
    refused({kMatrix, tensor<float>("a.weight_scale", DType::f32, {2}, {1, std::numeric_limits<float>::infinity()})},
            {"a.weight_scale[1]"});
}

// Marks of ids are lists of bytes, or columns of them.
TEST_F(ScaledTensorsFile, LeavesListsOfBytes) {
    const Safetensors file =
        written({tensor<std::uint8_t>("t2d", DType::u8, {3}, {1, 0, 1}), tensor<std::uint8_t>("marks", DType::u8, {2, 1}, {1, 0})});
    const ScaledTensors scaled(file);
    EXPECT_EQ(scaled.find("t2d")->dtype, DType::u8);
    EXPECT_EQ(std::to_integer<int>(scaled.read(*scaled.find("marks"))[0]), 1);
}

// A scale beside a matrix that needs none is somebody's tensor: whoever reads the head says that it does not know it.
TEST_F(ScaledTensorsFile, KeepsAScaleOfNothing) {
    const Safetensors file = written({tensor<float>("c_scale", DType::f32, {1}, {2})});
    EXPECT_NE(ScaledTensors(file).find("c_scale"), nullptr);
}

} // namespace
} // namespace speclens::test
