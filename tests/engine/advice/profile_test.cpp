// speculation_profile.json: the identities of its figures, and files that break them.
#include <gtest/gtest.h>

#include "engine/advice/profile.h"
#include "engine/base/json.h"
#include "kernels/error.h"
#include "tests/engine/advice/made_trace.h"

namespace speclens {
namespace {

// The example of the schema's pull request: conditional .816 .777 .750.
Json example() {
    return {{"schema_version", "1.0"},
            {"measured", true},
            {"method", "eagle3"},
            {"num_speculative_tokens", 3},
            {"conditional_accept_rates", {0.816, 0.777, 0.750}},
            {"marginal_accept_rates", {0.816, 0.634032, 0.475524}},
            {"mean_accept_length", 2.925556},
            {"accept_length_model", "chain_analytic"},
            {"accept_length_by_k", {{"1", 1.816}, {"2", 2.450032}, {"3", 2.925556}}},
            {"acceptance_length_histogram", {{"1", 184}, {"2", 182}, {"3", 158}, {"4", 476}}}};
}

std::string refusal(const Json& json) {
    try {
        (void)read_profile(json.dump(), "p.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(SpeculationProfile, ReadsTheExampleOfTheSchema) {
    const SpeculationProfile profile = read_profile(example().dump(), "p.json");
    EXPECT_EQ(profile.k, 3);
    EXPECT_EQ(drafter_of_method(profile.method), "eagle3");
    EXPECT_DOUBLE_EQ(profile.tokens_with(2).value(), 2.450032);
    EXPECT_FALSE(profile.tokens_with(4).has_value());
    EXPECT_EQ(profile.rounds(), 1000);
}

TEST(SpeculationProfile, RefusesWhatBreaksAnIdentityByItsName) {
    Json rises = example();
    rises["marginal_accept_rates"][2] = 0.7;
    EXPECT_EQ(refusal(rises), "p.json: marginal_accept_rates rise at place 3, from 0.634032 to 0.700000");
    Json product = example();
    product["conditional_accept_rates"][1] = 0.9;
    EXPECT_NE(refusal(product).find("the product of the conditional ones is 0.734400"), std::string::npos) << refusal(product);
    Json mean = example();
    mean["mean_accept_length"] = 3.2;
    EXPECT_EQ(refusal(mean), "p.json: mean_accept_length is 3.2000, 1 + the sum of marginal_accept_rates is 2.9256");
    Json histogram = example();
    histogram["acceptance_length_histogram"]["4"] = 900;
    EXPECT_NE(refusal(histogram).find("the histogram gives"), std::string::npos);
    Json longer = example();
    longer["acceptance_length_histogram"]["6"] = 1;
    EXPECT_NE(refusal(longer).find("1 rounds of 6 tokens with K = 3"), std::string::npos);
    Json by_k = example();
    by_k["accept_length_by_k"]["2"] = 2.9;
    EXPECT_EQ(refusal(by_k), "p.json: accept_length_by_k says 2.9000 with K = 2, the places give 2.4500");
    Json stub = example();
    stub["measured"] = false;
    EXPECT_NE(refusal(stub).find("a stub"), std::string::npos);
    Json version = example();
    version["schema_version"] = "2.0";
    EXPECT_NE(refusal(version).find("schema_version"), std::string::npos);
    Json few = example();
    few["marginal_accept_rates"] = {0.816};
    EXPECT_NE(refusal(few).find("marginal_accept_rates"), std::string::npos);
}

// A block drafter's shorter drafts are other drafts: what was measured counts, not the first places.
TEST(SpeculationProfile, MeasuredLengthsNeedNotBePrefixes) {
    Json block = example();
    block["accept_length_model"] = "measured_per_k";
    block["accept_length_by_k"] = {{"2", 2.6}, {"3", 2.925556}};
    EXPECT_DOUBLE_EQ(read_profile(block.dump(), "p.json").tokens_with(2).value(), 2.6);
    EXPECT_FALSE(read_profile(block.dump(), "p.json").tokens_with(1).has_value());
}

TEST(SpeculationProfile, IsWrittenAsItIsRead) {
    const SpeculationProfile one = read_profile(example().dump(), "p.json"), two = read_profile(profile_json(one), "again.json");
    EXPECT_EQ(one.marginal, two.marginal);
    EXPECT_EQ(one.histogram, two.histogram);
    EXPECT_EQ(one.by_k, two.by_k);
    EXPECT_TRUE(Json::parse(profile_json(one))["validation"]["mean_consistency"]["passed"].get<bool>());
}

TEST(SpeculationProfile, LeavesRoundsOutThatTheEndOfATextCut) {
    AdviceEvidence evidence;
    AdviceRuns runs{"eagle3", "token", 3, 64, {}, {0}};
    // The last round had room for one guess.
    runs.traces.push_back(test::made_trace("eagle3", 3, {{3, 3}, {3, 1}, {3, 0}, {1, 1}}));
    evidence.lengths.push_back(runs);
    const SpeculationProfile profile = profile_of(evidence, Advice{}, "eagle3");
    EXPECT_EQ(profile.histogram, (std::map<int, double>{{1, 1}, {2, 1}, {4, 1}}));
    EXPECT_NEAR(profile.mean, 7.0 / 3, 1e-9);
    EXPECT_EQ(broken_identity(profile), "");
    EXPECT_THROW((void)profile_of(evidence, Advice{}, "small"), Error);
}

TEST(SpeculationProfile, OfTheCountersOfAServer) {
    const SpeculationProfile profile = profile_of_counts(100, {80, 50, 20});
    EXPECT_EQ(profile.k, 3);
    EXPECT_NEAR(profile.mean, 2.5, 1e-9);
    EXPECT_EQ(profile.histogram, (std::map<int, double>{{1, 20}, {2, 30}, {3, 30}, {4, 20}}));
    EXPECT_EQ(broken_identity(profile), "");
    EXPECT_THROW((void)profile_of_counts(0, {}), Error);
}

TEST(SpeculationProfile, TakesThePlaceOfWhatWasMeasuredHere) {
    Advice advice;
    advice.plain_ms = 10;
    advice.clock = 0.01;
    for (const int k : {1, 2, 5}) {
        AdviceCell cell;
        cell.drafter = "eagle3", cell.k = k, cell.draft_ms = k, cell.verify_ms = 10;
        advice.cells.push_back(cell);
    }
    AdviceCell other;
    other.drafter = "small", other.k = 1;
    advice.cells.push_back(other);
    take_acceptance(advice, read_profile(example().dump(), "p.json"), "eagle3");
    ASSERT_EQ(advice.cells.size(), 2U); // neither K = 5, which the profile does not tell of, nor another drafter
    EXPECT_NEAR(advice.cells[1].speed_up, 2.450032 * 10 / 12, 1e-9);
    EXPECT_LT(advice.cells[1].low, advice.cells[1].speed_up);
}

} // namespace
} // namespace speclens
