// Tokens a round along an answer: rounds put together by where they stood in it.
#include <gtest/gtest.h>

#include "scenes/dflash/dflash_model.h"

namespace speclens {
namespace {

// Rounds of so many tokens each, in their order.
RunView rounds(const std::vector<int>& tokens, std::vector<Committed>& commits) {
    static const Verified verified{};
    RunView view;
    commits.clear();
    commits.reserve(tokens.size());
    for (const int n : tokens) {
        commits.emplace_back().tokens.resize(static_cast<std::size_t>(n));
        RoundSummary& round = view.round_list.emplace_back();
        round.round = static_cast<int>(view.round_list.size());
        round.verify = &verified;
        round.commit = &commits.back();
        round.draft_ms = 2;
    }
    return view;
}

TEST(DFlashLong, PutsRoundsTogetherByThePlaceInTheAnswer) {
    std::vector<Committed> commits;
    std::vector<int> tokens(128, 2);    // 256 tokens
    tokens.insert(tokens.end(), 64, 4); // 256 more
    tokens.insert(tokens.end(), 3, 1);
    const std::vector<Stretch> found = stretches_of(rounds(tokens, commits));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_DOUBLE_EQ(found[0].tokens, 2);
    EXPECT_EQ(found[0].rounds, 128);
    EXPECT_DOUBLE_EQ(found[1].tokens, 4);
    EXPECT_EQ(found[1].from, 256);
    EXPECT_EQ(found[1].to, 512);
    EXPECT_DOUBLE_EQ(found[2].tokens, 1);
    EXPECT_EQ(found[2].to, 515) << "as far as the answer goes";
    EXPECT_DOUBLE_EQ(found[0].draft_ms, 2);
}

TEST(DFlashLong, ARoundBelongsWhereItBegan) {
    std::vector<Committed> commits;
    std::vector<int> tokens(51, 5); // the last one begins at 250 and ends at 255
    tokens.push_back(9);            // begins at 255
    tokens.push_back(3);            // begins at 264
    const std::vector<Stretch> found = stretches_of(rounds(tokens, commits));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].rounds, 52);
    EXPECT_EQ(found[1].rounds, 1);
    EXPECT_TRUE(stretches_of(RunView{}).empty());
}

} // namespace
} // namespace speclens
