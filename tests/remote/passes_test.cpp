// Totals beside pieces of text, and the passes of the target that made them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "remote/client/passes.h"

namespace speclens::test {

namespace {

// What a server would tell of these passes, where a piece comes behind the tokens in `told` only (a character of several
// tokens, a piece held back).
std::vector<Seen> seen_of(const std::vector<Pass>& passes, const std::vector<bool>& told) {
    std::vector<Seen> out;
    int written = 1;
    double drafted = 0, accepted = 0;
    const auto tell = [&] {
        const auto at = static_cast<std::size_t>(written);
        if (at >= told.size() || told[at]) out.push_back({written, drafted, accepted, out.size() + 1});
    };
    tell();
    for (const Pass& pass : passes) {
        drafted += pass.drafted;
        accepted += pass.accepted;
        for (int i = 0; i < pass.written; ++i) {
            ++written;
            tell();
        }
    }
    if (out.empty() || out.back().written < written) out.push_back({written, drafted, accepted, out.size() + 1});
    return out;
}

int rounds_of(const std::vector<Pass>& passes) {
    return static_cast<int>(std::ranges::count_if(passes, [](const Pass& pass) { return pass.drafted > 0; }));
}

std::vector<int> kept_of(const std::vector<Pass>& passes) { // sorted: places do not depend on the order
    std::vector<int> out;
    for (const Pass& pass : passes)
        if (pass.drafted > 0) out.push_back(pass.accepted);
    std::ranges::sort(out);
    return out;
}

} // namespace

TEST(PassesTest, FindsEveryPassWhereEveryTokenIsTold) {
    std::mt19937 random(3);
    for (int run = 0; run < 300; ++run) {
        std::vector<Pass> passes;
        for (int i = 0; i < 12; ++i) {
            const int drafted = static_cast<int>(random() % 6), accepted = drafted > 0 ? static_cast<int>(random()) % (drafted + 1) : 0;
            passes.push_back({drafted, std::abs(accepted), std::abs(accepted) + 1});
        }
        passes.back().written = 1 + static_cast<int>(random() % static_cast<unsigned>(passes.back().accepted + 1));
        const Passes found = find_passes(seen_of(passes, {}));
        ASSERT_EQ(found.sure, Passes::Sure::exact);
        EXPECT_TRUE(found.places);
        ASSERT_EQ(found.passes.size(), passes.size());
        for (std::size_t i = 0; i < passes.size(); ++i) {
            EXPECT_EQ(found.passes[i].drafted, passes[i].drafted) << i;
            EXPECT_EQ(found.passes[i].accepted, passes[i].accepted) << i;
            EXPECT_EQ(found.passes[i].written, passes[i].written) << i;
        }
    }
}

// Pieces of one to four tokens: what is called exact is the truth, and so are the places that are called known.
TEST(PassesTest, CallsNothingExactThatIsNot) {
    std::mt19937 random(5);
    int exact = 0, right = 0, runs = 0;
    for (const bool usual : {true, false})
        for (int run = 0; run < 300; ++run, ++runs) {
            const int k = 1 + static_cast<int>(random() % 5), limit = 40;
            std::vector<Pass> passes;
            for (int written = 1; written < limit;) {
                const int room = limit - written - 1, most = std::min(k, room),
                          drafted = most <= 0 ? 0
                                    : usual   ? most
                                              : static_cast<int>(random() % static_cast<unsigned>(most + 1)),
                          accepted = static_cast<int>(random() % static_cast<unsigned>(drafted + 1));
                passes.push_back({drafted, accepted, accepted + 1});
                written += accepted + 1;
            }
            std::vector<bool> told;
            while (told.size() < 60) {
                const bool wide = random() % 4 == 0;
                for (int i = wide ? static_cast<int>(random() % 3) : 0; i > 0; --i) told.push_back(false);
                told.push_back(true);
            }
            const Passes found = find_passes(seen_of(passes, told), {.limit = limit});
            EXPECT_FALSE(found.contradiction);
            if (found.sure == Passes::Sure::no) continue;
            if (found.sure == Passes::Sure::exact) {
                ++exact;
                EXPECT_EQ(rounds_of(found.passes), rounds_of(passes));
            }
            right += rounds_of(found.passes) == rounds_of(passes);
            // With the number of rounds from the server's counters.
            const Passes counted = find_passes(seen_of(passes, told), {.limit = limit, .rounds = rounds_of(passes)});
            EXPECT_EQ(counted.sure, Passes::Sure::exact);
            EXPECT_EQ(rounds_of(counted.passes), rounds_of(passes));
            if (usual && counted.places) {
                EXPECT_EQ(kept_of(counted.passes), kept_of(passes)) << run;
            }
        }
    EXPECT_GT(exact, runs / 10) << "or the test says nothing";
    EXPECT_GT(right, runs / 2);
}

TEST(PassesTest, SaysWhatCannotBe) {
    for (const std::vector<Seen>& seen : {std::vector<Seen>{{1, 0, 0, 1}, {2, 3, 4, 2}}, // more accepted than drafted
                                          {{1, 0, 0, 1}, {5, 3, 1, 2}, {4, 6, 1, 3}},    // tokens go back
                                          {{1, 0, 0, 1}, {2, 3, 1, 2}, {3, 2, 1, 3}},    // drafts go back
                                          {{1, 0, 0, 1}, {2, 3, 3, 2}, {3, 6, 3, 3}}}) { // a round inside a round
        EXPECT_TRUE(find_passes(seen).contradiction);
        EXPECT_TRUE(find_passes(seen).passes.empty());
    }
    EXPECT_EQ(find_passes({}).sure, Passes::Sure::no);
    // Totals at the end alone: many numbers of rounds make them.
    EXPECT_EQ(find_passes(std::vector<Seen>{{40, 60, 20, 1}}).sure, Passes::Sure::no);
    EXPECT_EQ(find_passes(std::vector<Seen>{{4000, 6000, 2000, 1}}).sure, Passes::Sure::no);
}

} // namespace speclens::test
