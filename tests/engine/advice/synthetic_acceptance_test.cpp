// Acceptance as vLLM and llama.cpp are told it, from a profile and back.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/advice/synthetic_acceptance.h"
#include "engine/base/json.h"
#include "kernels/error.h"

namespace speclens {
namespace {

SpeculationProfile counted() { return profile_of_counts(1000, {816, 634, 476}); }

std::string acceptance_refused(const std::string& text) {
    try {
        (void)profile_of_synthetic(text, "options.txt");
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "accepted";
}

TEST(SyntheticAcceptance, WritesWhatTheServersTake) {
    EXPECT_EQ(vllm_synthetic(counted()),
              R"({"num_speculative_tokens":3,"rejection_sample_method":"synthetic","synthetic_acceptance_rates":[0.816,0.634,0.476]})");
    EXPECT_EQ(llamacpp_synthetic(counted()), "--draft-max 3 --spec-synth-rates 0.816,0.634,0.476");
}

TEST(SyntheticAcceptance, ReadsBackWhatItWrote) {
    const SpeculationProfile profile = counted();
    for (const std::string& text :
         {vllm_synthetic(profile), llamacpp_synthetic(profile),
          "vllm serve m --speculative-config '" + vllm_synthetic(profile) + "' --port 1",
          R"({"model": "m", "speculative_config": )" + vllm_synthetic(profile) + "}",
          std::string("llama-server -m t.gguf -md d.gguf --draft-max 3 \\\n  --spec-synth-rates=0.816,0.634,0.476 --port 8080"),
          std::string("--spec-synth-rates 0.816,0.634,0.476")}) {
        const SpeculationProfile back = profile_of_synthetic(text, "options.txt");
        EXPECT_EQ(back.k, 3) << text;
        EXPECT_EQ(back.marginal, profile.marginal) << text;
        EXPECT_DOUBLE_EQ(back.mean, profile.mean);
        EXPECT_EQ(broken_identity(back), "");
        // As a file, and opened again.
        const SpeculationProfile saved = read_profile(profile_json(back), "p.json");
        EXPECT_EQ(saved.marginal, profile.marginal);
        EXPECT_EQ(saved.by_k.size(), 3U);
        EXPECT_DOUBLE_EQ(saved.tokens_with(2).value(), 2.45);
    }
}

// The numbers of llama.cpp's own test for a length of 3.4 at K = 4, and vLLM's schedule of the least variance.
TEST(SyntheticAcceptance, SpreadsALengthAsEachServerDoes) {
    const SpeculationProfile llamacpp = profile_of_synthetic("--draft-max 4 --spec-synth-len 3.4", "o");
    const double theirs[] = {0.80581, 0.64933, 0.52323, 0.42163};
    ASSERT_EQ(llamacpp.marginal.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(llamacpp.marginal[i], theirs[i], 1e-5);
    EXPECT_NEAR(llamacpp.mean, 3.4, 1e-9);
    const SpeculationProfile vllm = profile_of_synthetic(
        R"({"num_speculative_tokens":4,"rejection_sample_method":"synthetic","synthetic_acceptance_length":3.4})", "o");
    ASSERT_EQ(vllm.marginal.size(), 4U);
    EXPECT_EQ(vllm.marginal[0], 1);
    EXPECT_EQ(vllm.marginal[1], 1);
    EXPECT_NEAR(vllm.marginal[2], 0.4, 1e-12);
    EXPECT_EQ(vllm.marginal[3], 0);
    for (const SpeculationProfile& profile : {llamacpp, vllm}) EXPECT_EQ(broken_identity(read_profile(profile_json(profile), "p")), "");
    for (const char* whole : {"--draft-max 4 --spec-synth-len 1", "--draft-max 4 --spec-synth-len 5"})
        for (const double rate : profile_of_synthetic(whole, "o").marginal)
            EXPECT_NEAR(rate, std::string(whole).back() == '5', 1e-9) << whole;
}

TEST(SyntheticAcceptance, RefusesWhatNoServerTakes) {
    EXPECT_NE(acceptance_refused("{}").find("no synthetic acceptance"), std::string::npos);
    EXPECT_NE(acceptance_refused("llama-server -m x").find("not valid JSON"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-len 3").find("how many tokens are drafted"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-len 6 --draft-max 4").find("a length of 6"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-rates .5,.6").find("place 2 is 0.6"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-rates 1.5").find("place 1 is 1.5"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-rates .5,x").find("\"x\", which is no number"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-rates .5 --spec-synth-len 1.5").find("of which servers take one"), std::string::npos);
    EXPECT_NE(acceptance_refused("--spec-synth-rates .5,.4 --draft-max 3").find("2 rates with K = 3"), std::string::npos);
    EXPECT_NE(acceptance_refused(R"({"synthetic_acceptance_rates":0.5})").find("expected a list"), std::string::npos);
    EXPECT_NE(acceptance_refused(R"({"num_speculative_tokens":"3","synthetic_acceptance_length":2})").find("no number"), std::string::npos);
    EXPECT_NE(acceptance_refused(R"({"num_speculative_tokens":0,"synthetic_acceptance_length":1})").find("K = 0"), std::string::npos);
}

} // namespace
} // namespace speclens
