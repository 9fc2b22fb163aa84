// Public oracles of whole trees, sampled through the production cycle on their tables: emitted distributions by chi-square, the expected
// number of accepted drafts within five standard errors. All of them are held against the exact figures in exact_oracle_test.cpp.
#include <gtest/gtest.h>

#include "tests/shared/oracles.h"
#include "tests/shared/statistics.h"

namespace speclens {
namespace {

TEST(Oracle, OneRoundOfEveryPublicTreeHasTheExactDistribution) {
    constexpr long kSamples = 60000;
    int cases = 0;
    for (test::PublicOracle& oracle : test::public_oracles()) {
        if (oracle.settings.drafter != "small_tree") continue;
        ++cases;
        std::map<std::string, long> counted;
        double accepted = 0, accepted_squared = 0;
        for (long sample = 0; sample < kSamples; ++sample) {
            oracle.settings.seed = static_cast<std::uint64_t>(sample);
            speclens::Run run(oracle.models, oracle.settings);
            const Committed* commit = nullptr;
            while (!commit) {
                run.step();
                commit = std::get_if<Committed>(&run.trace()[run.trace().size() - 1]);
                if (!commit) commit = std::get_if<Committed>(&run.trace()[run.trace().size() - 2]);
            }
            ++counted[test::context_key(commit->tokens)];
            accepted += commit->accepted_drafts;
            accepted_squared += commit->accepted_drafts * commit->accepted_drafts;
        }
        const test::Fit fit = test::fit(oracle.emitted, counted, kSamples);
        EXPECT_EQ(fit.impossible, 0) << oracle.id;
        EXPECT_GT(fit.p_value, 1e-4) << oracle.id << " TV " << fit.total_variation;
        const double mean = accepted / kSamples;
        const double error = std::sqrt(std::max(0.0, accepted_squared / kSamples - mean * mean) / kSamples);
        EXPECT_NEAR(mean, oracle.accepted, 5 * error + 1e-9) << oracle.id;
    }
    EXPECT_EQ(cases, 3);
}

} // namespace
} // namespace speclens
