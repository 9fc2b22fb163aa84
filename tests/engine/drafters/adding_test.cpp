// The drafters and the rule of docs/adding.md are the ones that the tests of this program run.
#include <gtest/gtest.h>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "tests/shared/micro.h"
#include "ui/stories/story_book.h"

namespace speclens {
namespace {

TEST(Adding, ShowsADrafterThatDrafts) {
    ASSERT_EQ(drafter_list().size(), 3u) << "plain decoding and the two of docs/adding.md";
    const DrafterInfo& shown = drafter_list().back();
    EXPECT_EQ(find_drafter("echo"), &shown);
    EXPECT_EQ(shown.needs, DrafterNeeds::nothing);
    const auto models = test::micro_models(1);
    const auto target = make_model_decoder(models->target, 64);
    const auto drafter = shown.make({*target, nullptr, nullptr, {}, nullptr});
    const std::vector<int> sequence{3, 4, 5};
    const std::pair<int, int> forced{1, 9};
    drafter->begin(sequence);
    const Draft draft = drafter->draft({.sequence = sequence, .k = 3, .sampling = {}, .coin = {}, .force = {&forced, 1}});
    ASSERT_EQ(draft.nodes.size(), 3u);
    EXPECT_TRUE(draft.is_chain());
    EXPECT_EQ(draft.nodes[0].token, 5);
    EXPECT_EQ(draft.nodes[1].token, 9);
}

TEST(Adding, ShowsTheWordsOfItsDrafter) {
    const StoryLayer words = read_stories(SPEC_ADDING_WORDS); // throws for a text that nobody asks for
    for (const std::string& lacking : missing_texts(words)) EXPECT_FALSE(lacking.starts_with("drafter-names.toml: echo.")) << lacking;
    EXPECT_EQ(words.scenes.at("drafter-names").texts.at("echo.short").at("*").source(), "echo");
}

TEST(Adding, ShowsADrafterThatUsesAnotherOnesHead) {
    EXPECT_EQ(network_of("half_block"), "dflash");
    EXPECT_TRUE(reads_setting("half_block", Setting::conditioning));
    EXPECT_EQ(test::micro_models(1)->why_not("half_block"), "");
}

TEST(Adding, ShowsARuleThatKeepsTheTargetsDistribution) {
    const RuleInfo* rule = find_rule("skeptic");
    ASSERT_NE(rule, nullptr);
    EXPECT_TRUE(rule->lossless());
    const Distribution p{0.5, 0.3, 0.2}, q{0.1, 0.1, 0.8};
    const std::vector<int> drafts{2};
    Round round;
    round.drafts = drafts;
    round.p = [&](int) -> const Distribution& { return p; };
    round.q = [&](int) -> const Distribution& { return q; };
    std::vector<int> counts(3);
    constexpr int kCoins = 1000;
    for (int i = 0; i < kCoins; ++i) {
        round.accept_coin = [](int) { return 0.0; };
        round.resample_coin = [&](int) { return (i + 0.5) / kCoins; };
        const Verdict verdict = rule->verify(round);
        EXPECT_EQ(verdict.accepted(), 0);
        ++counts[static_cast<std::size_t>(verdict.token)];
    }
    EXPECT_EQ(counts, (std::vector<int>{500, 300, 200}));
}

TEST(Adding, ShowsTheWordsOfItsRule) {
    const StoryLayer words = read_stories(SPEC_ADDING_WORDS); // throws for a text that nobody asks for
    for (const std::string& lacking : missing_texts(words)) EXPECT_FALSE(lacking.starts_with("rule-names.toml: skeptic.")) << lacking;
    EXPECT_EQ(words.scenes.at("rule-names").texts.at("skeptic.title").at("*").source(), "Skeptic");
}

} // namespace
} // namespace speclens
