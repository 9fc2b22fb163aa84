// The enumeration of coins itself, on computations that are small enough to see: weights, keys that are asked twice, and reports that are
// wrong.
#include <gtest/gtest.h>

#include "tests/shared/coin_intervals.h"

namespace speclens::test {
namespace {

CoinKey at(std::uint32_t position) { return {.position = position}; }

// Calls a coin heads below `cut`, and reports that it does so below `reported`.
Played one_coin(const Coins& coins, double cut, double reported) {
    const bool heads = coins(at(0)) < cut;
    Played played;
    played.reports.push_back({at(0), {reported}, heads ? "heads" : "tails", "the coin"});
    played.text = {heads};
    return played;
}

struct Found {
    std::map<std::vector<int>, double> texts;
    std::string problem;
    long leaves = 0, runs = 0;
};

Found found(const CoinEnumeration::Play& play) {
    Found result;
    CoinEnumeration all(play, [&](const Played& played, const CoinIntervals&, double weight) { result.texts[played.text] += weight; });
    all.run();
    result.problem = all.problem(), result.leaves = all.leaves(), result.runs = all.runs();
    return result;
}

TEST(CoinIntervals, AWeightIsTheProductOfItsIntervals) {
    const Found all = found([](const Coins& coins) {
        Played played;
        const bool first = coins(at(0)) < 0.25;
        played.reports.push_back({at(0), {0.25}, std::to_string(first), "the first"});
        const double u = coins(at(1)); // below its own cuts only where the first fell so
        const int second = !first ? 9 : u < 0.5 ? 0 : u < 0.75 ? 1 : 2;
        played.reports.push_back(
            {at(1), first ? std::vector<double>{0.5, 0.75} : std::vector<double>{}, std::to_string(second), "the second"});
        played.text = {first, second};
        return played;
    });
    EXPECT_EQ(all.problem, "");
    EXPECT_EQ(all.leaves, 4);
    EXPECT_EQ(all.runs, 2 + 3 * 4) << "every leaf in its middle and at both ends; two nodes above them";
    EXPECT_EQ(all.texts, (std::map<std::vector<int>, double>{{{0, 9}, 0.75}, {{1, 0}, 0.125}, {{1, 1}, 0.0625}, {{1, 2}, 0.0625}}));
}

TEST(CoinIntervals, TheSameKeyAskedTwiceIsTheSameNumber) {
    const Found all = found([](const Coins& coins) {
        Played played;
        for (const double cut : {0.5, 0.25}) {
            const bool below = coins(at(0)) < cut;
            played.reports.push_back({at(0), {cut}, std::to_string(below), "below " + std::to_string(cut)});
            played.text.push_back(below);
        }
        return played;
    });
    EXPECT_EQ(all.problem, "");
    EXPECT_EQ(all.texts, (std::map<std::vector<int>, double>{{{0, 0}, 0.5}, {{1, 0}, 0.25}, {{1, 1}, 0.25}}));
}

TEST(CoinIntervals, AReportThatRoundsIsTakenAndOneThatIsOffIsNot) {
    const double cut = 0.3;
    for (const double by : {0.0, 0x1p-52, -0x1p-51})
        EXPECT_EQ(found([=](const Coins& coins) { return one_coin(coins, cut, cut + by); }).problem, "") << by;
    for (const double by : {0x1p-40, -0x1p-40, 0x1p-30, 0.1, 0.6})
        EXPECT_EQ(found([=](const Coins& coins) { return one_coin(coins, cut, cut + by); }).problem,
                  "reports what it does not do: the coin, one outcome for an interval that has two")
            << by;
}

TEST(CoinIntervals, ACutThatIsNotReportedIsFound) {
    EXPECT_EQ(found([](const Coins& coins) { return one_coin(coins, 0.3, 1); }).problem,
              "reports what it does not do: the coin, one outcome for an interval that has two");
}

TEST(CoinIntervals, AReportedCutWhereNothingChangesIsFound) {
    EXPECT_TRUE(found([](const Coins& coins) { return one_coin(coins, 2, 0.3); }).problem.ends_with("where nothing changes"));
}

TEST(CoinIntervals, WhatNoReportSaysIsSeenInTheText) {
    const Found all = found([](const Coins& coins) {
        Played played;
        played.reports.push_back({at(0), {}, "drawn", "the coin"});
        played.text = {coins(at(0)) < 0.3};
        return played;
    });
    EXPECT_EQ(all.problem, "reports what it does not do: the coin, the end of a text that has two");
}

// Rounds that were cut before keep their intervals, and weights are those of what follows.
TEST(CoinIntervals, GoesOnBehindAnEntry) {
    const auto play = [](const Coins& coins) {
        Played played;
        for (int round = 0; round < 2; ++round) {
            const CoinKey key = at(static_cast<std::uint32_t>(round));
            const bool below = coins(key) < 0.25;
            played.reports.push_back({key, {0.25}, std::to_string(below), "round " + std::to_string(round), round});
            played.text.push_back(below);
        }
        return played;
    };
    std::map<std::vector<int>, double> texts;
    CoinEnumeration all(play, [&](const Played& played, const CoinIntervals&, double weight) { texts[played.text] += weight; });
    all.run({{at(0), {0.25, 1}}}, 1);
    EXPECT_EQ(all.problem(), "");
    EXPECT_EQ(texts, (std::map<std::vector<int>, double>{{{0, 0}, 0.75}, {{0, 1}, 0.25}}));
}

} // namespace
} // namespace speclens::test
