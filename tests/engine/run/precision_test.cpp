// In which precision models are loaded, and what a trace says of it: the built-in model is f32 everywhere and hashes as ever.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "engine/drafters/draft_network.h"
#include "engine/model/model.h"
#include "engine/model/precision.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

std::filesystem::path golden_model(const std::string& name = "micro_qwen3") {
    return std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden" / name;
}

std::shared_ptr<const Trace> short_run(const std::shared_ptr<const Models>& models) {
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9, 7, 8, 9};
    settings.drafter = "lookup";
    settings.max_tokens = 8;
    settings.timing = false;
    speclens::Run run(models, settings);
    run.finish();
    return run.shared_trace();
}

std::string first_line(const Trace& trace) { return TraceWriter(trace).line(trace[0]); }

std::shared_ptr<Trace> read_again(const std::string& text) {
    std::istringstream in(text);
    return read_trace(in, "run.jsonl");
}

std::string refused_load(const std::function<void()>& load, const std::string& remedy) {
    try {
        load();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::usage);
        EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.remedy();
        return error.what();
    }
    return "nothing";
}

TEST(Precision, HasAWordForEach) {
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
        EXPECT_EQ(find_precision(name_of(precision)), precision);
    for (const char* other : {"", "fp32", "BF16", "f32 "}) EXPECT_EQ(find_precision(other), std::nullopt) << other;
    const auto backend = make_cpu_backend({.threads = 1});
    EXPECT_EQ(default_precision(*backend), backend->has_products(Precision::bf16) ? Precision::bf16 : Precision::f32);
}

TEST(Precision, OfTheBuiltInModelIsF32UnlessAskedForByWord) {
    const Models usual = load_models({.threads = 1});
    EXPECT_EQ(usual.precision(), Precision::f32);
    for (const auto& [name, network] : usual.networks) EXPECT_EQ(network->target->precision, Precision::f32) << name;
    const auto trace = short_run(std::make_shared<const Models>(usual));
    EXPECT_EQ(first_line(*trace).find("precision"), std::string::npos) << first_line(*trace);

    const Models asked = load_models({.threads = 1, .precision = Precision::bf16});
    EXPECT_EQ(asked.precision(), Precision::bf16);
    EXPECT_EQ(asked.draft->precision, Precision::bf16);
    EXPECT_EQ(asked.target->head().precision, Precision::bf16);
    EXPECT_EQ(asked.target->layer[0].down.view().precision, Precision::bf16);
    EXPECT_EQ(asked.networks.at("domino")->layer[0].wq.view().precision, Precision::bf16) << "heads follow their target";
}

TEST(Precision, OfOtherModelsIsWhatTheDeviceMultiplies) {
    const Models usual = load_models({.target = golden_model(), .heads = {{"domino", golden_model("micro_domino")}}, .threads = 1});
    EXPECT_EQ(usual.precision(), default_precision(*usual.backend));
    EXPECT_EQ(usual.networks.at("domino")->layer[0].wq.view().precision, usual.precision());
    const Models f32 = load_models({.target = golden_model(), .draft = golden_model(), .threads = 1, .precision = Precision::f32});
    EXPECT_EQ(f32.precision(), Precision::f32);
    EXPECT_EQ(f32.draft->precision, Precision::f32);
}

TEST(Precision, StandsInTheHeaderAndInTheHashWhereItIsNotF32) {
    const auto f32 = short_run(test::precise_models(1, Precision::f32)), bf16 = short_run(test::precise_models(1, Precision::bf16));
    EXPECT_EQ(bf16->header()->precision, Precision::bf16);
    EXPECT_NE(first_line(*bf16).find("\"precision\":\"bf16\""), std::string::npos) << first_line(*bf16);
    Header other = *bf16->header();
    EXPECT_NE(bf16->hash(1), f32->hash(1)) << "of the headers alone";
    other.precision = Precision::f32;
    Trace same([](int) { return std::string(); });
    same.append(other);
    EXPECT_EQ(same.hash(1), f32->hash(1)) << "nothing else differs";

    EXPECT_EQ(read_again(first_line(*bf16))->header()->precision, Precision::bf16);
    EXPECT_EQ(read_again(first_line(*bf16))->hash(1), bf16->hash(1));
    EXPECT_EQ(read_again(first_line(*f32))->header()->precision, Precision::f32) << "a header without the word";
    std::string broken = first_line(*bf16);
    broken.replace(broken.find("\"bf16\""), 6, "\"fp4\"");
    EXPECT_THROW((void)read_again(broken), Error);
}

TEST(Precision, Int8NeedsMatricesThatAreQuantised) {
    for (const WeightForm form : {WeightForm::by_default, WeightForm::bf16})
        EXPECT_NE(refused_load(
                      [&] { (void)load_models({.target = golden_model(), .threads = 1, .weights = form, .precision = Precision::int8}); },
                      "--weights keep")
                      .find("loaded as bf16 or f32"),
                  std::string::npos);
    EXPECT_NE(
        refused_load(
            [&] { (void)load_models({.target = golden_model(), .threads = 1, .weights = WeightForm::keep, .precision = Precision::int8}); },
            "--weights q8")
            .find("micro_qwen3 has none: they are bf16"),
        std::string::npos);
    EXPECT_NE(refused_load([&] { (void)load_models({.threads = 1, .precision = Precision::int8}); }, "--precision bf16").find("built-in"),
              std::string::npos);
    const Models eight = load_models({.target = golden_model(), .threads = 1, .weights = WeightForm::q8, .precision = Precision::int8});
    EXPECT_EQ(eight.precision(), Precision::int8);
    EXPECT_EQ(eight.target->layer[0].wq.view().dtype, DType::q8_0);
    EXPECT_EQ(eight.target->layer[0].wq.view().precision, Precision::int8);
}

} // namespace
} // namespace speclens
