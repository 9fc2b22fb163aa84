// GGUF files: what is read, and every way a file can be wrong, with the message the user gets.
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "engine/weights/row_tensors.h"
#include "kernels/bf16.h"
#include "kernels/quant.h"
#include "tests/shared/gguf_writer.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

std::vector<std::byte> counting(std::size_t bytes) {
    std::vector<std::byte> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>(i * 7 + 1);
    return result;
}

GgufWriter small_file() {
    GgufWriter file;
    file.text("general.architecture", "llama");
    file.u32("llama.block_count", 2);
    file.texts("tokenizer.ggml.tokens", {"a", "b", "ab"});
    file.tensor("a.weight", {2, 3}, DType::f32, counting(24));
    file.tensor("b.weight", {2, 32}, DType::q4_0, counting(36));
    return file;
}

// A vocabulary is megabytes of the header.
TEST(GgufFile, ACancelIsSeenWhileItsHeaderIsRead) {
    GgufWriter file = small_file();
    file.texts("tokenizer.ggml.merges", std::vector<std::string>(300'000, "ab cd"));
    const std::string whole = file.bytes();
    std::atomic<bool> cancelled = true;
    const auto read = [&](const std::string& text) {
        std::vector<std::byte> image(text.size());
        std::memcpy(image.data(), text.data(), text.size());
        return Gguf::parse(std::move(image), "toy.gguf", {.report = nullptr, .cancelled = &cancelled});
    };
    EXPECT_THROW((void)read(whole), Cancelled);
    const std::string half = whole.substr(0, whole.size() / 2);
    EXPECT_THROW((void)read(half), Cancelled) << "before its end is missed";
    cancelled = false;
    EXPECT_THROW((void)read(half), Error);
    EXPECT_EQ(read(whole).tensors().size(), 2U);
}

void expect_gguf_refused(const std::string& file, std::vector<std::string> words) {
    words.push_back("toy/model.gguf");
    expect_error([&] { static_cast<void>(parse_gguf(file)); }, words);
}

TEST(GgufFile, ReadsEveryKindOfValueAndTypeOfTensor) {
    for (const std::uint32_t version : {2u, 3u}) {
        GgufWriter file;
        file.version = version;
        file.number<std::uint8_t>("u8", 0, 200);
        file.number<std::int8_t>("i8", 1, -5);
        file.number<std::uint16_t>("u16", 2, 65535);
        file.number<std::int16_t>("i16", 3, -3);
        file.u32("u32", 4'000'000'000u);
        file.number<std::int32_t>("i32", 5, -7);
        file.f32("f32", .5f);
        file.flag("flag", true);
        file.text("text", "Zeile\n");
        file.number<std::uint64_t>("u64", 10, ~std::uint64_t{0});
        file.number<std::int64_t>("i64", 11, -9);
        file.number<double>("f64", 12, 1e300);
        file.texts("texts", {"", "b"});
        file.array<std::int32_t>("ints", 5, {1, -2, 3});
        file.array<float>("floats", 6, {.25f, 4});
        file.array<std::uint8_t>("flags", 7, {1, 0});
        const DType types[] = {DType::f32,  DType::f16,  DType::bf16, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1,
                               DType::q8_0, DType::q2_k, DType::q3_k, DType::q4_k, DType::q5_k, DType::q6_k};
        for (const DType type : types) file.tensor(std::string("t.") + name_of(type), {2, 256}, type, counting(bytes_of(type, 512)));
        Gguf read = parse_gguf(file.bytes());
        EXPECT_EQ(read.integer("u8", 0, 255), 200);
        EXPECT_EQ(read.integer("i8", -9, 9), -5);
        EXPECT_EQ(read.integer("u16", 0, 65535), 65535);
        EXPECT_EQ(read.integer("i16", -9, 9), -3);
        EXPECT_EQ(read.integer("u32", 0, std::int64_t{1} << 32), 4'000'000'000);
        EXPECT_EQ(read.integer("i32", -9, 9), -7);
        EXPECT_EQ(read.number("f32", 0, 1), .5);
        EXPECT_EQ(read.number("i32", -9, 9), -7);
        EXPECT_EQ(read.flag("flag"), true);
        EXPECT_EQ(read.text("text"), "Zeile\n");
        EXPECT_EQ(std::get<std::uint64_t>(*read.value("u64")), ~std::uint64_t{0});
        EXPECT_EQ(read.integer("i64", -9, 9), -9);
        EXPECT_EQ(read.number("f64", 0, 1e301), 1e300);
        EXPECT_EQ(read.take_texts("texts"), (std::vector<std::string>{"", "b"}));
        EXPECT_EQ(read.take_texts("texts"), std::vector<std::string>()) << "taken";
        EXPECT_EQ(*read.integers("ints", -9, 9), (std::vector<std::int64_t>{1, -2, 3}));
        EXPECT_EQ(*read.numbers("floats"), (std::vector<double>{.25, 4}));
        EXPECT_EQ(*read.numbers("ints"), (std::vector<double>{1, -2, 3}));
        EXPECT_EQ(*read.integers("flags", 0, 1), (std::vector<std::int64_t>{1, 0}));
        EXPECT_FALSE(read.integer("absent", 0, 1));
        EXPECT_FALSE(read.take_texts("absent"));
        for (const DType type : types) {
            const StoredTensor* tensor = read.find(std::string("t.") + name_of(type));
            ASSERT_NE(tensor, nullptr) << name_of(type);
            EXPECT_EQ(tensor->dtype, type);
            EXPECT_EQ(tensor->shape, (std::vector<std::int64_t>{2, 256}));
            EXPECT_EQ(read.read(*tensor), counting(bytes_of(type, 512))) << name_of(type);
        }
    }
}

TEST(GgufFile, SaysWhichKeyHasAnotherKindOrIsOutOfRange) {
    Gguf file = parse_gguf(small_file().bytes());
    expect_error([&] { (void)file.integer("general.architecture", 0, 9); }, {"toy/model.gguf", "general.architecture"});
    expect_error([&] { (void)file.text("llama.block_count"); }, {"llama.block_count", "no text"});
    expect_error([&] { (void)file.integer("llama.block_count", 3, 9); }, {"llama.block_count", "2", "3 to 9"});
    expect_error([&] { (void)file.flag("llama.block_count"); }, {"neither true nor false"});
    expect_error([&] { (void)file.take_texts("llama.block_count"); }, {"no list of texts"});
    expect_error([&] { (void)file.numbers("tokenizer.ggml.tokens"); }, {"no list of numbers"});
    expect_error([&] { (void)file.number("llama.block_count", 5, 6); }, {"makes no sense"});
}

TEST(GgufFile, RefusesWhatIsNoGgufFile) {
    const std::string whole = small_file().bytes();
    expect_gguf_refused("", {"0 bytes"});
    expect_gguf_refused("GGUF", {"4 bytes"});
    expect_gguf_refused("ggml" + whole.substr(4), {"no GGUF file"});
    expect_gguf_refused("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 7\n", {"Git LFS pointer"});
    const auto version = [&](std::uint32_t number) {
        GgufWriter file = small_file();
        file.version = number;
        return file.bytes();
    };
    expect_gguf_refused(version(1), {"version 1"});
    expect_gguf_refused(version(4), {"version 4"});
    expect_gguf_refused(version(0x03000000), {"big-endian"});
}

TEST(GgufFile, RefusesEveryShorterFile) {
    const std::string whole = small_file().bytes();
    static_cast<void>(parse_gguf(whole));
    // The last 28 bytes fill up to the alignment and may be missing, as some writers have it.
    for (std::size_t size = 0; size + 28 < whole.size(); ++size)
        EXPECT_THROW(static_cast<void>(parse_gguf(whole.substr(0, size))), Error) << size;
}

TEST(GgufFile, RefusesClaimsThatTheFileCannotHold) {
    const auto with = [](std::size_t at, std::uint64_t number) {
        std::string file = small_file().bytes();
        std::memcpy(file.data() + at, &number, 8);
        return file;
    };
    expect_gguf_refused(with(8, ~std::uint64_t{0}), {"claims", "tensors"});
    expect_gguf_refused(with(16, std::uint64_t{1} << 40), {"claims", "metadata"});
    GgufWriter array;
    std::string claim;
    GgufWriter::put<std::uint32_t>(claim, 5);
    GgufWriter::put<std::uint64_t>(claim, std::uint64_t{1} << 61);
    array.raw("list", 9, claim);
    expect_gguf_refused(array.bytes(), {"list", "elements"});
    GgufWriter nested;
    claim.clear();
    GgufWriter::put<std::uint32_t>(claim, 9);
    GgufWriter::put<std::uint64_t>(claim, 0);
    nested.raw("list", 9, claim);
    expect_gguf_refused(nested.bytes(), {"list", "type 9"});
    GgufWriter strange;
    strange.raw("odd", 77, "");
    expect_gguf_refused(strange.bytes() + std::string(64, '\0'), {"odd", "type 77"});
    GgufWriter twice;
    twice.u32("same", 1);
    twice.u32("same", 2);
    expect_gguf_refused(twice.bytes(), {"same", "twice"});
}

TEST(GgufFile, RefusesTensorsThatCannotBe) {
    const auto file = [](const std::vector<std::int64_t>& shape, std::uint32_t type, std::size_t bytes) {
        GgufWriter writer;
        writer.tensor("w", shape, type, counting(bytes));
        return writer.bytes();
    };
    expect_gguf_refused(file({2, 33}, 2, 64), {"w", "33", "Q4_0"});
    expect_gguf_refused(file({2, 32}, 16, 64), {"w", "IQ2_XXS"});
    for (const auto& [type, name] :
         {std::pair{39U, "MXFP4"}, {40U, "NVFP4"}, {41U, "Q1_0"}, {42U, "Q2_0"}, {34U, "TQ1_0"}, {23U, "IQ4_XS"}})
        expect_gguf_refused(file({2, 256}, type, 512), {"w", name});
    expect_gguf_refused(file({2, 32}, 77, 64), {"w", "type 77"});
    expect_gguf_refused(file({2, 32, 1, 1, 1}, 0, 256), {"w", "5 dimensions"});
    expect_gguf_refused(file({std::int64_t{1} << 40, std::int64_t{1} << 40}, 0, 64), {"w", "shape"});
    expect_gguf_refused(file({0, 4}, 0, 64), {"w", "shape"});
    expect_gguf_refused(file({100, 4}, 0, 64), {"w", "outside the file"});
    GgufWriter twice;
    twice.tensor("w", {1}, DType::f32, counting(4));
    twice.tensor("w", {1}, DType::f32, counting(4));
    expect_gguf_refused(twice.bytes(), {"w", "twice"});
    GgufWriter aligned;
    aligned.u32("general.alignment", 48);
    expect_gguf_refused(aligned.bytes(), {"general.alignment"});
}

TEST(GgufFile, TheWayOutStandsBesideARefusedType) {
    GgufWriter writer;
    writer.tensor("w", {2, 32}, 20, counting(64));
    try {
        static_cast<void>(parse_gguf(writer.bytes()));
        FAIL() << "IQ4_NL was read";
    } catch (const Error& error) {
        EXPECT_NE(error.remedy().find("llama-server"), std::string::npos);
        EXPECT_NE(error.remedy().find("attach"), std::string::npos);
    }
}

TEST(GgufFile, ReadsAllPartsOfASplitFile) {
    const TempFolder folder;
    const auto part = [&](int number, int count, const std::string& tensor) {
        GgufWriter file;
        file.text("general.architecture", "llama");
        file.number<std::uint16_t>("split.no", 2, static_cast<std::uint16_t>(number - 1));
        file.number<std::uint16_t>("split.count", 2, static_cast<std::uint16_t>(count));
        file.number<std::int32_t>("split.tensors.count", 5, 2);
        file.tensor(tensor, {4}, DType::f32, counting(16));
        return file;
    };
    const fs::path first = folder / "toy-00001-of-00002.gguf", second = folder / "toy-00002-of-00002.gguf";
    part(1, 2, "a").write(first);
    expect_error([&] { (void)Gguf::open(first); }, {"toy-00002-of-00002.gguf", "missing"});
    part(2, 2, "b").write(second);
    for (const fs::path& file : {first, second}) {
        const Gguf whole = Gguf::open(file);
        EXPECT_EQ(whole.tensors().size(), 2u);
        EXPECT_EQ(whole.read(*whole.find("b")), counting(16));
        EXPECT_NE(whole.file_name(*whole.find("b")).find("00002-of"), std::string::npos);
    }
    part(1, 2, "b").write(second);
    expect_error([&] { (void)Gguf::open(first); }, {"00002", "part 1"});
    part(2, 2, "a").write(second);
    expect_error([&] { (void)Gguf::open(first); }, {"a", "another part"});
    fs::rename(first, folder / "one.gguf");
    expect_error([&] { (void)Gguf::open(folder / "one.gguf"); }, {"split.count", "name"});
    fs::remove(folder / "one.gguf");
    expect_error([&] { (void)Gguf::open(second); }, {"00001-of-00002", "missing"});
}

TEST(GgufFile, IsAnErrorWhenItShrinksWhileItIsRead) {
    const TempFolder folder;
    const fs::path file = folder / "toy.gguf";
    GgufWriter writer;
    writer.tensor("w", {64, 1024}, DType::f32, counting(64 * 4096));
    writer.write(file);
    const Gguf open = Gguf::open(file);
    ASSERT_EQ(truncate(file.c_str(), 5000), 0);
    expect_error([&] { (void)open.read(*open.find("w")); }, {"toy.gguf", "shorter"});
}

TEST(GgufFile, IsNoFolderAndNoPipe) {
    const TempFolder folder;
    expect_error([&] { (void)Gguf::open(folder / "none.gguf"); }, {"none.gguf", "cannot be opened"});
    fs::create_directory(folder / "folder.gguf");
    EXPECT_THROW((void)Gguf::open(folder / "folder.gguf"), Error);
    EXPECT_FALSE(looks_like_gguf(folder / "folder.gguf"));
    EXPECT_FALSE(looks_like_gguf(folder / "none.gguf"));
}

std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

TEST(RowTensors, PutRowsOfPairsBackIntoHalves) {
    // Two heads of four rows: as llama.cpp writes them, row 0 1 2 3 of Hugging Face stand as 0 2 1 3.
    std::vector<float> rows;
    for (const float row : {0.f, 2.f, 1.f, 3.f, 10.f, 12.f, 11.f, 13.f}) rows.insert(rows.end(), {row, row + .5f});
    GgufWriter writer;
    writer.tensor("q", {8, 2}, DType::f32, std::as_bytes(std::span(rows)));
    const Gguf file = parse_gguf(writer.bytes());
    const RowTensors tensors(file, {{"q_proj", {"q", DType::f32, 4}}});
    const StoredTensor& q = *tensors.find("q_proj");
    const std::vector<float> expected = {0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 10, 10.5, 11, 11.5, 12, 12.5, 13, 13.5};
    EXPECT_EQ(as_floats(tensors.read(q)), expected);
    for (std::size_t first = 0; first < 8; ++first) // and any rows of it
        for (std::size_t count = 1; first + count <= 8; ++count) {
            std::vector<std::byte> some(count * 8);
            tensors.read(q, first * 8, some);
            EXPECT_EQ(as_floats(some), std::vector<float>(expected.begin() + static_cast<std::ptrdiff_t>(2 * first),
                                                          expected.begin() + static_cast<std::ptrdiff_t>(2 * (first + count))));
        }
    EXPECT_THROW(RowTensors(file, {{"q_proj", {"q", DType::f32, 6}}}), Error);
}

TEST(RowTensors, WidenToBf16AndNarrowToEightBits) {
    GgufWriter writer;
    const auto blocks = [] { // two rows of 32, finite scales
        std::vector<std::byte> bytes = counting(2 * 20);
        for (const std::size_t at : {0, 2, 20, 22}) bytes[at] = std::byte{0x12}, bytes[at + 1] = std::byte{0x2A};
        return bytes;
    }();
    writer.tensor("w", {2, 32}, DType::q4_1, blocks);
    writer.tensor("n", {33}, DType::f32, counting(132));
    const Gguf file = parse_gguf(writer.bytes());
    std::vector<float> wide(64);
    widen(DType::q4_1, blocks.data(), 64, wide.data());
    EXPECT_EQ(
        as_floats(RowTensors(file, {{"w", {"w", DType::f32}}}).read(StoredTensor(*RowTensors(file, {{"w", {"w", DType::f32}}}).find("w")))),
        wide);
    const RowTensors narrow(file, {{"w", {"w", DType::bf16}}});
    const std::vector<std::byte> bf16 = narrow.read(*narrow.find("w"));
    for (std::size_t i = 0; i < wide.size(); ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, bf16.data() + 2 * i, 2);
        EXPECT_EQ(bits, narrow_bf16(wide[i])) << i;
    }
    const RowTensors eight(file, {{"w", {"w", DType::q8_0}}});
    const std::vector<std::byte> q8 = eight.read(*eight.find("w"));
    std::vector<float> back(64);
    widen(DType::q8_0, q8.data(), 64, back.data());
    float largest = 0;
    for (const float value : wide) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < wide.size(); ++i) EXPECT_NEAR(back[i], wide[i], largest / 127 * .51) << i;
    EXPECT_THROW(RowTensors(file, {{"n", {"n", DType::q8_0}}}), Error) << "33 values are no blocks";
    EXPECT_EQ(RowTensors(file, {{"m", {"absent", DType::bf16}}}).find("m"), nullptr);
}

TEST(Quantised, HalvesRoundToTheNearestAndBack) {
    for (int bits = 0; bits < 0x7C00; ++bits) { // every finite one comes back
        const float wide = widen_f16(static_cast<std::uint16_t>(bits));
        ASSERT_EQ(narrow_f16(wide), bits);
        ASSERT_EQ(narrow_f16(-wide), bits | 0x8000);
        const float next = widen_f16(static_cast<std::uint16_t>(bits + 1));
        if (bits + 1 < 0x7C00) { // in the middle of two: the even one
            ASSERT_EQ(narrow_f16((wide + next) / 2), bits % 2 == 0 ? bits : bits + 1);
        }
    }
    EXPECT_EQ(narrow_f16(65519.f), 0x7BFF);
    EXPECT_EQ(narrow_f16(65520.f), 0x7C00);
    EXPECT_EQ(narrow_f16(1e30f), 0x7C00);
}

} // namespace
} // namespace speclens
