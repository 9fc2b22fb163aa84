// What models are called: by what their files say, without how these are packed.
#include "engine/base/display_name.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/shared/said_values.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

TEST(DisplayName, IsWhatTheFileSaysWithoutItsPacking) {
    EXPECT_EQ(display_name("15.gguf", "Qwen2.5 Coder 1.5B Instruct GGUF", "Qwen2.5-Coder"), "Qwen2.5-Coder 1.5B Instruct");
    EXPECT_EQ(display_name("05.gguf", "Qwen2.5 Coder 0.5B Instruct AWQ", "Qwen2.5-Coder"), "Qwen2.5-Coder 0.5B Instruct");
    EXPECT_EQ(display_name("x.gguf", "Qwen3 4B Instruct 2507"), "Qwen3 4B Instruct 2507");
    EXPECT_EQ(display_name("x.gguf", "Qwen3-4B-Instruct-2507", "Qwen3-4B-Instruct-2507"), "Qwen3-4B-Instruct-2507");
    EXPECT_EQ(display_name("x.gguf", "Tiny Llama Q4_K_M gguf"), "Tiny Llama");
    EXPECT_EQ(display_name("x.gguf", "Tiny-Llama-BF16"), "Tiny-Llama");
    EXPECT_EQ(display_name("x.gguf", "Qwen/Qwen3-4B"), "Qwen3-4B");
    EXPECT_EQ(display_name("x.gguf", "Tiny Llamas", "Tiny-Llama"), "Tiny Llamas") << "the basename ends inside a word";
    EXPECT_EQ(display_name("x.gguf", "Gutenberg", "Gutenberg"), "Gutenberg");
    EXPECT_EQ(display_name("x.gguf", "Smollm2 135M 8k Lc100K Mix1 Ep2", "smollm2"), "SmolLM2-135M-Instruct");
    EXPECT_EQ(display_name("x.gguf", "Qwen 2 q"), "Qwen 2 q") << "no way of quantising";
}

TEST(DisplayName, IsTheNameOfTheFileWhereItSaysNothingUseful) {
    for (const std::string name : {"", "Models", "ggml-model", "15", ".", "\x1b[31mred", "\xff\xfe", "-"})
        EXPECT_EQ(display_name("some/qwen3-4b-instruct-q4_k_m.gguf", name), "qwen3-4b-instruct") << name;
    EXPECT_EQ(display_name("x.gguf", std::string(300, 'n')), "x");
    EXPECT_EQ(display_name("SmolLM2-135M-Instruct.Q4_1.gguf"), "SmolLM2-135M-Instruct");
    EXPECT_EQ(display_name("qwen3-4b-iq2_xxs-00001-of-00002.gguf"), "qwen3-4b");
    EXPECT_EQ(display_name("q4_0.gguf"), "q4_0") << "all that there is";
    EXPECT_EQ(display_name("15.gguf"), "model 15") << "never a bare number";
}

TEST(DisplayName, IsTheNameOfAFolder) {
    const TempFolder temp;
    const fs::path hub = temp / "models--Qwen--Qwen3-4B/snapshots/9d4c6bb4a1f8f1d7";
    fs::create_directories(hub);
    fs::create_directories(temp / "Qwen2.5-Coder-1.5B-Instruct");
    fs::create_directory_symlink(temp / "Qwen2.5-Coder-1.5B-Instruct", temp / "current");
    fs::create_directories(temp / "snapshots/mine");
    EXPECT_EQ(display_name(hub), "Qwen3-4B") << "of a hub, not the hash";
    EXPECT_EQ(display_name(temp / "Qwen2.5-Coder-1.5B-Instruct"), "Qwen2.5-Coder-1.5B-Instruct");
    EXPECT_EQ(display_name(temp / "Qwen2.5-Coder-1.5B-Instruct/"), "Qwen2.5-Coder-1.5B-Instruct");
    EXPECT_EQ(display_name(temp / "current"), "Qwen2.5-Coder-1.5B-Instruct");
    EXPECT_EQ(display_name(temp / "snapshots/mine"), "mine");
    EXPECT_EQ(display_name("nowhere/Qwen3-4B-GGUF"), "Qwen3-4B");
}

TEST(DisplayName, ThatAnOlderVersionWroteMeansTheSame) {
    EXPECT_TRUE(called_alike("SmolLM2-135M-Instruct.Q4_1", "SmolLM2-135M-Instruct"));
    EXPECT_TRUE(called_alike("qwen2.5-coder-1.5b-instruct-q4_k_m", "Qwen2.5-Coder 1.5B Instruct"));
    EXPECT_TRUE(called_alike("bundle S", "bundle S"));
    EXPECT_FALSE(called_alike("bundle S", "bundle M"));
    EXPECT_FALSE(called_alike("Qwen2.5-Coder 0.5B Instruct", "Qwen2.5-Coder 1.5B Instruct"));
}

// A recording writes where it was made as one text; how many cores that were is said in every language.
TEST(DisplayName, OfAMachineAndItsCores) {
    const std::vector<Said> said = machine_said("Intel(R) Xeon(R) Processor, 16 cores");
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].id(), "shared.machine.cores");
    EXPECT_EQ(whole(said[0], "cores"), 16);
    EXPECT_EQ(inner(said[0], "name"), machine_said("Intel(R) Xeon(R) Processor").at(0));
    for (const char* name : {"one core of an EPYC", "two cores", "EPYC, many cores", "CPU,  cores", " cores", "EPYC, 99999999999 cores"}) {
        const std::vector<Said> whole_name = machine_said(name);
        ASSERT_EQ(whole_name.size(), 1U) << name;
        EXPECT_EQ(whole_name[0].id(), "shared.machine.name");
        EXPECT_EQ(words(whole_name[0], "english"), name);
    }
    EXPECT_TRUE(machine_said("").empty());
}

TEST(DisplayName, OfADeviceAndItsThreads) {
    const std::vector<Said> counted = device_said("CPU · AVX-512 + AMX · 2 threads");
    ASSERT_EQ(counted.size(), 1U);
    EXPECT_EQ(counted[0].id(), "shared.machine.threads");
    EXPECT_EQ(words(counted[0], "device"), "CPU · AVX-512 + AMX");
    EXPECT_EQ(whole(counted[0], "threads"), 2);
    for (const char* name : {"", "NVIDIA H200", "avx2, 2 threads", "CPU · AVX2 · many threads"})
        EXPECT_TRUE(device_said(name).empty()) << name;
}

} // namespace
} // namespace speclens::test
