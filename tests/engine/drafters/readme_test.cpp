// The drafter of README.md is the one that the tests of this program run.
#include <gtest/gtest.h>

#include "engine/drafters/drafter.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

TEST(Readme, ShowsADrafterThatDrafts) {
    ASSERT_EQ(drafter_list().size(), 2u) << "plain decoding and the one of README.md";
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

} // namespace
} // namespace speclens
