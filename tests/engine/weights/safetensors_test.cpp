// Safetensors files: what is read, and every way a file can be wrong, with the message the user gets.
#include <algorithm>
#include <span>

#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

// A file from its header text and as many data bytes (0, 1, 2, …).
std::string file_of(const std::string& header, std::size_t data_bytes, std::uint64_t claimed = 0) {
    std::uint64_t length = claimed != 0 ? claimed : header.size();
    std::string text(8, '\0');
    for (char& byte : text) {
        byte = static_cast<char>(length & 0xFF);
        length >>= 8;
    }
    text += header;
    for (std::size_t i = 0; i < data_bytes; ++i) text.push_back(static_cast<char>(i));
    return text;
}
// Spaces behind the header make the data start at a multiple of 8, as writers do.
std::string aligned(std::string header) {
    header.resize((header.size() + 7) / 8 * 8, ' ');
    return header;
}
Safetensors parse(const std::string& text) {
    std::vector<std::byte> image(text.size());
    std::ranges::copy(std::as_bytes(std::span(text)), image.begin());
    return Safetensors::parse(std::move(image), "toy/model.safetensors");
}
void expect_refused(const std::string& text, std::vector<std::string> words) {
    words.push_back("toy/model.safetensors");
    expect_error([&] { static_cast<void>(parse(text)); }, words);
}
std::string one(const std::string& description) { return aligned("{\"a.weight\":{" + description + "}}"); }

TEST(SafetensorsFile, ReadsEveryDtypeScalarsAndEmptyTensors) {
    const std::string header =
        aligned(R"({"__metadata__":{"format":"pt"},)"
                R"("i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"f":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},)"
                R"("g":{"dtype":"I32","shape":[],"data_offsets":[16,20]},"b":{"dtype":"BF16","shape":[2],"data_offsets":[20,24]},)"
                R"("h":{"dtype":"F16","shape":[1],"data_offsets":[24,26]},"u":{"dtype":"U8","shape":[1],"data_offsets":[26,27]},)"
                R"("t":{"dtype":"BOOL","shape":[1],"data_offsets":[27,28]},"e":{"dtype":"F32","shape":[0,7],"data_offsets":[28,28]}})");
    const Safetensors file = parse(file_of(header, 28));
    EXPECT_EQ(file.tensors().size(), 8u);
    EXPECT_EQ(file.find("f")->shape, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(file.find("b")->dtype, DType::bf16);
    EXPECT_EQ(std::to_integer<int>(file.read(*file.find("u"))[0]), 26);
    EXPECT_EQ(file.find("g")->bytes, 4u);
    EXPECT_EQ(file.find("__metadata__"), nullptr);
}

TEST(SafetensorsFile, RefusesBrokenFilesByName) {
    expect_refused("", {"0 bytes"});
    expect_refused("1234567", {"7 bytes"});
    expect_refused(file_of("{}", 0, 1000), {"header", "1000"});
    expect_refused(file_of("{}", 0, 100'000'001), {"100 MB"});
    expect_refused(file_of("{}", 0, ~0ull), {"100 MB"});
    expect_refused(file_of("{\"a\":", 0), {"not valid JSON"});
    expect_refused(file_of("{\"a\xff\":1}", 0), {"not valid JSON"});
    expect_refused(file_of("[1,2,3]", 0), {"not a JSON object"});
    expect_refused(file_of("[", 0), {"not valid JSON"});
    expect_refused("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 7\n", {"Git LFS pointer"});
    expect_refused(file_of(std::string(100'000, '['), 0), {"nested too deeply"});
}

TEST(SafetensorsFile, RefusesBrokenDescriptionsNamingTheTensor) {
    const auto refused = [](const std::string& description, std::size_t bytes, std::vector<std::string> words) {
        words.push_back("a.weight");
        expect_refused(file_of(one(description), bytes), words);
    };
    refused(R"("dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4])", 4, {"unknown dtype", "F8_E4M3"});
    refused(R"("shape":[4],"data_offsets":[0,4])", 4, {"no dtype"});
    refused(R"("dtype":"U8","data_offsets":[0,4])", 4, {"no shape"});
    refused(R"("dtype":"U8","shape":[-4],"data_offsets":[0,4])", 4, {"shape", "-4"});
    refused(R"("dtype":"U8","shape":[4.0],"data_offsets":[0,4])", 4, {"shape", "4.0"});
    refused(R"("dtype":"U8","shape":[4])", 4, {"data_offsets"});
    refused(R"("dtype":"U8","shape":[4],"data_offsets":[0])", 4, {"data_offsets"});
    refused(R"("dtype":"U8","shape":[4],"data_offsets":[-1,3])", 4, {"data_offsets"});
    refused(R"("dtype":"U8","shape":[4],"data_offsets":[0,5])", 4, {"outside the file", "5", "4 bytes"});
    refused(R"("dtype":"U8","shape":[4],"data_offsets":[18446744073709551612,18446744073709551615])", 4, {"outside the file"});
    refused(R"("dtype":"U8","shape":[4],"data_offsets":[4,0])", 4, {"ends before it begins"});
    refused(R"("dtype":"F32","shape":[4],"data_offsets":[0,4])", 4, {"4 bytes", "(4)", "16"});
    refused(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])", 4, {"too large"});
    refused(R"("dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0])", 4, {"too large"});
    refused(R"("dtype":"F32","shape":[1],"data_offsets":[2,6])", 8, {"misaligned"});
}

TEST(SafetensorsFile, RefusesDuplicateAndOverlappingTensors) {
    expect_refused(
        file_of(aligned(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})"), 2),
        {"tensor a", "twice"});
    expect_refused(
        file_of(aligned(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})"), 3),
        {"a and b", "overlap"});
}

TEST(SafetensorsFile, MissingFilesAndFoldersAreNamed) {
    const TempFolder folder;
    expect_error([&] { static_cast<void>(Safetensors::open(folder / "none.safetensors")); }, {"none.safetensors", "No such file"});
    expect_error([&] { static_cast<void>(Safetensors::open("/dev/null")); }, {"/dev/null is not a file"});
    expect_error([&] { static_cast<void>(Safetensors::open_folder(folder.path())); }, {"model.safetensors", "index.json"});
    write_file(folder / "model.safetensors", "");
    expect_error([&] { static_cast<void>(Safetensors::open_folder(folder.path())); }, {"folder/model.safetensors", "0 bytes"});
}

TEST(SafetensorsFile, PartsOfATensorAreReadWhereTheyLie) {
    const Safetensors file = parse(file_of(aligned(R"({"a":{"dtype":"U8","shape":[6],"data_offsets":[2,8]}})"), 9));
    std::byte part[2];
    file.read(*file.find("a"), 3, part);
    EXPECT_EQ(std::to_integer<int>(part[0]), 5);
    EXPECT_EQ(std::to_integer<int>(part[1]), 6);
}

// A mapped file would end the whole program with SIGBUS here.
TEST(SafetensorsFile, AFileThatIsCutAfterItWasOpenedIsAnErrorNotASignal) {
    const ModelFolder folder("micro_qwen3");
    const Safetensors file = Safetensors::open_folder(folder.path());
    const StoredTensor& tensor = *file.find("model.embed_tokens.weight");
    std::vector<std::byte> whole = file.read(tensor);
    fs::resize_file(folder / "model.safetensors", tensor.begin + tensor.bytes / 2);
    expect_error([&] { static_cast<void>(file.read(tensor)); }, {"folder/model.safetensors", "shorter"});
    file.read(tensor, 0, std::span(whole).first(tensor.bytes / 2)); // what is left can still be read
    fs::resize_file(folder / "model.safetensors", 0);
    expect_error([&] { file.read(tensor, 0, std::span(whole).first(1)); }, {"shorter"});
}

class Shards : public ::testing::Test {
  protected:
    Shards() {
        write_file(folder_ / "one.safetensors", file_of(aligned(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})"), 1));
        write_file(folder_ / "two.safetensors", file_of(aligned(R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})"), 2));
        index(R"({"a":"one.safetensors","b":"two.safetensors"})");
    }
    void index(const std::string& map) const {
        write_file(folder_ / "model.safetensors.index.json", R"({"metadata":{},"weight_map":)" + map + "}");
    }
    void expect_index_error(const std::vector<std::string>& words) const {
        expect_error([&] { static_cast<void>(Safetensors::open_folder(folder_.path())); }, words);
    }
    TempFolder folder_;
};

TEST_F(Shards, AreReadAsOneSetOfTensors) {
    const Safetensors file = Safetensors::open_folder(folder_.path());
    EXPECT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(file.file_name(*file.find("b")), "folder/two.safetensors");
    EXPECT_EQ(std::to_integer<int>(file.read(*file.find("b"))[1]), 1);
}

TEST_F(Shards, BrokenIndexesAreRefused) {
    index(R"({"a":"one.safetensors","b":"three.safetensors"})");
    expect_index_error({"index.json", "three.safetensors", "missing"});
    index(R"({"a":"one.safetensors","b":"two.safetensors","c":"two.safetensors"})");
    expect_index_error({"index.json", "tensor c", "two.safetensors"});
    index(R"({"a":"two.safetensors","b":"one.safetensors"})");
    expect_index_error({"index.json", "tensor a", "two.safetensors"});
    index(R"({"a":"../folder/one.safetensors"})");
    expect_index_error({"index.json", "not a file name"});
    index(R"({"a":7})");
    expect_index_error({"index.json", "7"});
    index("{}");
    expect_index_error({"index.json", "weight_map"});
    write_file(folder_ / "two.safetensors", read_file(folder_ / "one.safetensors"));
    index(R"({"a":"one.safetensors","b":"two.safetensors"})");
    expect_index_error({"two.safetensors", "tensor a", "another shard"});
    write_file(folder_ / "model.safetensors.index.json", "{");
    expect_index_error({"index.json", "not valid JSON"});
}

} // namespace
} // namespace speclens
