// What a process that loads a quantised file and computes with it has at its peak, beside what stays. Bytes, no times; in a process of
// its own, because a peak never goes down.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "engine/models/memory_forecast.h"
#include "engine/models/models.h"
#include "kernels/backend.h"
#include "kernels/process_memory.h"
#include "tests/shared/gguf_writer.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens {
namespace {

using namespace test;

constexpr const char* kFile = "SPEC_PEAK_FILE";
constexpr int kVocab = 16384, kHidden = 1024, kFfn = 2816, kHeads = 16, kKvHeads = 4, kDim = 64, kLayers = 4, kContext = 4096;

// Some 80 MB of Q8_0, embedding and head apart, with a vocabulary that is long for them.
void write_model(const std::filesystem::path& to) {
    GgufWriter file;
    const auto u32 = [&](const char* name, int value) { file.u32(std::string("llama") + name, static_cast<std::uint32_t>(value)); };
    file.text("general.architecture", "llama");
    u32(".block_count", kLayers);
    u32(".embedding_length", kHidden);
    u32(".feed_forward_length", kFfn);
    u32(".attention.head_count", kHeads);
    u32(".attention.head_count_kv", kKvHeads);
    u32(".context_length", kContext);
    file.f32("llama.attention.layer_norm_rms_epsilon", 1e-6F);
    std::vector<std::string> tokens, merges = {"a b"};
    for (int id = 0; id < kVocab; ++id)
        tokens.push_back(id < 26 ? std::string(1, static_cast<char>('a' + id)) : id == 26 ? "ab" : "x" + std::to_string(id));
    file.text("tokenizer.ggml.model", "gpt2");
    file.text("tokenizer.ggml.pre", "qwen2");
    file.texts("tokenizer.ggml.tokens", tokens);
    file.array("tokenizer.ggml.token_type", 5, std::vector<std::int32_t>(kVocab, 1));
    file.texts("tokenizer.ggml.merges", merges);
    const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t cols) {
        std::vector<std::byte> bytes(bytes_of(DType::q8_0, rows * cols));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = i % 34 < 2 ? std::byte{0x11} : static_cast<std::byte>(i * 37 % 61); // small scales
        file.tensor(name + ".weight", {rows, cols}, DType::q8_0, bytes);
    };
    const auto ones = [&](const std::string& name) {
        const std::vector<float> values(kHidden, 1);
        file.tensor(name + ".weight", {kHidden}, DType::f32, std::as_bytes(std::span(values)));
    };
    matrix("token_embd", kVocab, kHidden);
    ones("output_norm");
    matrix("output", kVocab, kHidden);
    for (int l = 0; l < kLayers; ++l) {
        const std::string layer = "blk." + std::to_string(l) + ".";
        ones(layer + "attn_norm");
        matrix(layer + "attn_q", kHeads * kDim, kHidden);
        matrix(layer + "attn_k", kKvHeads * kDim, kHidden);
        matrix(layer + "attn_v", kKvHeads * kDim, kHidden);
        matrix(layer + "attn_output", kHidden, kHeads * kDim);
        ones(layer + "ffn_norm");
        matrix(layer + "ffn_gate", kFfn, kHidden);
        matrix(layer + "ffn_up", kFfn, kHidden);
        matrix(layer + "ffn_down", kHidden, kFfn);
    }
    file.write(to);
}

// Run by the test below: prints its peak, what it has at the end, and what stays by count.
TEST(PeakOf, DISABLED_AProcess) {
    const std::string file = std::getenv(kFile) ? std::getenv(kFile) : "";
    std::size_t stays = 0;
    if (!file.empty()) {
        const Models models = load_models({.target = file, .backend = "cpu", .threads = 2});
        EXPECT_GT(models.kept_kernels() + static_cast<int>(models.target->precision == Precision::f32), 0) << "kept as it is stored";
        const auto decoder = make_model_decoder(models.target, kContext);
        decoder->prefill(std::vector<int>(100, 5));
        EXPECT_EQ(decoder->forward({.tokens = std::vector<int>(5, 7)}).argmax().size(), 5u);
        stays = forecast_memory(models, kContext, 0).stays(kContext);
    }
    const ProcessMemory memory = process_memory();
    std::printf("PEAK %zu %zu %zu\n", memory.most, memory.now, stays);
}

struct Peak {
    std::size_t most = 0, now = 0, stays = 0;
};
Peak peak_with(const std::string& file) {
    const Variable told(kFile, file);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "'" + self + "' --gtest_also_run_disabled_tests --gtest_filter=PeakOf.DISABLED_AProcess";
    Peak peak;
    FILE* const out = popen(command.c_str(), "r");
    char line[512];
    while (out != nullptr && std::fgets(line, sizeof line, out) != nullptr)
        (void)std::sscanf(line, "PEAK %zu %zu %zu", &peak.most, &peak.now, &peak.stays);
    EXPECT_EQ(out == nullptr ? -1 : pclose(out), 0);
    return peak;
}

TEST(Peak, OfAProcessThatLoadsAndComputesIsHardlyMoreThanWhatStays) {
    if (std::string_view(SPEC_SANITIZER) == "address") GTEST_SKIP() << "the sanitizer's own memory hides it";
    const TempFolder folder;
    write_model(folder / "model.gguf");
    const Peak none = peak_with(""), model = peak_with((folder / "model.gguf").string());
    ASSERT_GT(none.most, 0u);
    ASSERT_GT(model.stays, 80'000'000u);
    const auto peak = static_cast<double>(model.most - none.most), stays = static_cast<double>(model.stays);
    std::printf("[ REPORT   ] a peak of %.1f MB, %.1f at the end, where %.1f MB stay\n", peak / 1e6,
                static_cast<double>(model.now - none.most) / 1e6, stays / 1e6);
    EXPECT_LE(peak, 1.25 * stays);
    EXPECT_GT(peak, .8 * stays) << "of that file";
}

} // namespace
} // namespace speclens
