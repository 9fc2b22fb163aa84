// The public oracles through the production cycle on their tables, over all coins of one round: what it writes and how many drafts it
// keeps, to 1e-12 (tests/shared/enumerated.h). Foretold: at most 63 leaves a chain of two over three tokens, some thousand for a full tree
// of six nodes.
#include <gtest/gtest.h>

#include "tests/shared/enumerated.h"
#include "tests/shared/oracles.h"

namespace speclens {
namespace {

TEST(ExactOracle, OneRoundOfEveryPublicCase) {
    int cases = 0;
    for (const test::PublicOracle& oracle : test::public_oracles()) {
        ++cases;
        test::EnumeratedCycle one;
        one.models = oracle.models;
        one.settings = oracle.settings;
        std::map<std::string, double> written;
        double weight = 0, accepted = 0;
        test::CoinEnumeration all([&](const test::Coins& coins) { return test::play_rounds(one, 1, coins); },
                                  [&](const test::Played& played, const test::CoinIntervals&, double part) {
                                      written[test::context_key(played.text)] += part;
                                      weight += part;
                                      accepted += part * played.rounds.front().second;
                                  });
        all.run();
        EXPECT_EQ(all.problem(), "") << oracle.id;
        EXPECT_NEAR(weight, 1, test::kExact) << oracle.id;
        for (const auto& [text, part] : written)
            EXPECT_NEAR(part, oracle.emitted.contains(text) ? oracle.emitted.at(text) : 0, test::kExact) << oracle.id << " " << text;
        for (const auto& [text, part] : oracle.emitted)
            EXPECT_TRUE(part <= test::kExact || written.contains(text)) << oracle.id << " " << text;
        EXPECT_NEAR(accepted, oracle.accepted, test::kExact) << oracle.id;
        test::tell(oracle.id, {.leaves = all.leaves(), .runs = all.runs(), .weight = weight});
    }
    EXPECT_EQ(cases, 12) << "every public case is of a rule that exists";
}

} // namespace
} // namespace speclens
