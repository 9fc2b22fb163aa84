// The program on a GPU, which is emulated here: it finds the module, runs, measures, and says what is wrong.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {
namespace {

Outcome on_gpu(std::vector<std::string> arguments, const std::string& memory = "") {
    Start start;
    start.arguments = std::move(arguments);
    start.environment["SPECLENS_CUDA_MODULE"] = SPECLENS_EMULATED_CUDA;
    if (!memory.empty()) start.environment["EMULATED_MEMORY"] = memory;
    return speclens(start);
}

std::vector<std::string> run(const std::string& backend, const std::string& drafter) {
    // clang-format off
    return {"run",    "--model", micro_model(),  "--drafter", drafter,       "--backend", backend,
            "--temp", "0",       "--max-tokens", "8",         "--token-ids", "1,2,3,1,2", "--no-timing",
            "--precision", "f32", // what both have, whatever the processor
            "--json", "-"};
    // clang-format on
}

std::vector<int> tokens_of(const Outcome& outcome) {
    std::vector<int> tokens;
    std::istringstream in(outcome.out);
    for (std::string line; std::getline(in, line);) {
        const Json event = Json::parse(line);
        if (event["kind"] != "commit") continue;
        for (const Json& token : event["tokens"]) tokens.push_back(token.get<int>());
    }
    return tokens;
}

TEST(Cuda, WritesTheTextOfTheCpu) {
    const Outcome cpu = speclens(run("cpu", "none"));
    ASSERT_EQ(cpu.code, 0) << cpu.err;
    for (const char* drafter : {"none", "lookup", "skip"}) {
        const Outcome gpu = on_gpu(run("cuda", drafter));
        ASSERT_EQ(gpu.code, 0) << gpu.err;
        EXPECT_NE(gpu.out.find("CUDA · emulated"), std::string::npos);
        EXPECT_EQ(tokens_of(gpu), tokens_of(cpu)) << drafter;
        EXPECT_FALSE(tokens_of(gpu).empty());
    }
}

TEST(Cuda, IsWhatAutoChoosesWhereThereIsAGpu) {
    const Outcome check = on_gpu({"check", "--model", micro_model()});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
    EXPECT_NE(check.out.find("engine       CUDA · emulated"), std::string::npos) << check.out;
    EXPECT_NE(check.out.find("GPU          CUDA · emulated · 1.0 GB"), std::string::npos) << check.out;
    EXPECT_NE(check.out.find("free on the GPU"), std::string::npos) << check.out;
}

// Medusa's heads are of no layers: they need no room for a context.
TEST(Cuda, IsCheckedWithHeadsThatHaveNoAttention) {
    const std::filesystem::path golden = std::filesystem::path(micro_model()).parent_path();
    const Outcome check =
        on_gpu({"check", "--model", (golden / "micro_qwen3").string(), "--drafter", "medusa=" + (golden / "micro_medusa").string()});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
    EXPECT_NE(check.out.find("medusa       MedusaModel"), std::string::npos) << check.out;
    EXPECT_NE(check.out.find("memory       "), std::string::npos) << check.out;
}

TEST(Cuda, IsMeasuredByOneCommand) {
    const Outcome outcome = on_gpu({"bench", "--backend", "cuda", "--geometry", "micro", "--context", "20", "--rows", "3", "--drafters",
                                    "domino", "--k", "3", "--repeats", "1", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["backend"], "cuda");
    EXPECT_EQ(json["context"], 20);
    ASSERT_EQ(json["draft"].size(), 1u);
    EXPECT_GT(json["draft"][0]["net_ms"].get<double>(), 0);
    EXPECT_GT(json["draft"][0]["head_ms"].get<double>(), 0);
}

TEST(Cuda, SaysWhatDoesNotFit) {
    const Outcome outcome = on_gpu(run("cuda", "none"), "4096");
    EXPECT_EQ(outcome.code, 4);
    EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.err;
}

// A fault of the device is final for the process: the run ends with the reason, and what happened before is kept.
TEST(Cuda, KeepsTheTraceWhenTheDeviceFails) {
    const std::filesystem::path file = fresh_folder() / "trace.jsonl";
    std::vector<std::string> arguments = run("cuda", "lookup");
    arguments.back() = file.string();
    Start start;
    start.arguments = arguments;
    start.environment["SPECLENS_CUDA_MODULE"] = SPECLENS_EMULATED_CUDA;
    start.environment["EMULATED_FAULT"] = "400"; // behind the self-test and the first round
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_NE(outcome.err.find("an illegal memory access was encountered"), std::string::npos) << outcome.err;
    const std::string trace = read_file(file);
    EXPECT_NE(trace.find("\"kind\":\"commit\""), std::string::npos) << trace;
    EXPECT_NE(trace.find("illegal memory access"), std::string::npos) << trace;
}

TEST(Cuda, MultipliesInF32AndRefusesTheOthers) {
    const Outcome usual = on_gpu({"check", "--model", micro_model()});
    EXPECT_NE(usual.out.find("f32 products"), std::string::npos) << usual.out << usual.err;
    const Outcome rounded = on_gpu({"run", "--model", micro_model(), "--backend", "cuda", "--token-ids", "1,2", "--precision", "bf16"});
    EXPECT_EQ(rounded.code, 4);
    EXPECT_NE(rounded.err.find("multiplies in f32 only, not in bf16"), std::string::npos) << rounded.err;
    EXPECT_NE(rounded.err.find("--precision f32"), std::string::npos) << rounded.err;
}

TEST(Cuda, SaysWhyItIsMissing) {
    Start start;
    start.arguments = run("cuda", "none");
    start.environment["SPECLENS_CUDA_MODULE"] = table_file(); // a file, but no module
    const Outcome outcome = speclens(start);
    EXPECT_EQ(outcome.code, 4);
    EXPECT_NE(outcome.err.find("no CUDA engine: its module cannot be loaded"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("--backend cpu"), std::string::npos);
}

} // namespace
} // namespace speclens::test
