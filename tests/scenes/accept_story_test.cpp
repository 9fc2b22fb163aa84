// What the beats of scene S3 say of two laws: parts of an area, small numbers, tasks.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scenes/accept_bench.h"

namespace speclens {
namespace {

TEST(AcceptStory, NoTaskIsDoneBeforeItBegins) {
    for (const char* rule : {"token", "block"}) {
        Judged live("small", rule, 1);
        for (const Position& position : judged_positions(*live.input().view)) {
            SceneInput input = live.input();
            input.selected = position;
            const AcceptView view = accept_view(input, {}, -1);
            const Story story = accept_story(input, view, {});
            const bool always = view.threshold() >= 1;
            EXPECT_FALSE(always && says(story.task, "until it is always kept")) << story.task;
            EXPECT_FALSE(story.task_done);
        }
    }
}

TEST(AcceptStory, MostIsMoreThanHalf) {
    Saved whole(64);
    int most = 0, largest = 0;
    for (const Position& position : whole.positions()) {
        const AcceptView view = whole.view(position);
        if (view.kept > 0.99) continue;
        const std::string text = accept_story(whole.at(position, 4), view, {}).text;
        double over = 0, owed = 0;
        for (const AcceptBar& bar : view.bars)
            over = std::max(over, bar.over()), owed = std::max(owed, bar.owed());
        const auto expect = [&](const char* area, double mass) {
            const bool majority = mass > (1 - view.kept) / 2, all = mass > 1 - view.kept - 1e-6;
            ++(majority ? most : largest);
            EXPECT_TRUE(says(text, std::string(area) + (all        ? ", all of it on"
                                                        : majority ? ", most of it on"
                                                                   : ", the largest part on")))
                << text;
        };
        expect("(hatched)", over);
        expect("(dotted)", owed);
    }
    EXPECT_GT(most, 0);
    EXPECT_GT(largest, 0);
}

// A copied guess is certain for the draft: what it claims too much is all of that one token.
TEST(AcceptStory, ACopiedGuessClaimsAllOfIt) {
    Judged copied("lookup", "token", 1);
    int tried = 0;
    for (const Position& position : judged_positions(*copied.input().view)) {
        SceneInput input = copied.input(kBooksBeat);
        input.selected = position;
        const AcceptView view = accept_view(input, {}, -1);
        if (view.kept > 0.99) continue;
        ++tried;
        const std::string text = accept_story(input, view, {}).text;
        EXPECT_TRUE(says(text, "too much (hatched), all of it on ")) << text;
        EXPECT_FALSE(says(text, "exactly >") || says(text, "exactly <")) << text;
    }
    EXPECT_GT(tried, 0) << "or nothing was tried";
}

// "Only <.01 of the <.01 is deserved" says nothing.
TEST(AcceptStory, DividesNumbersThatHaveDigits) {
    Saved whole(64);
    int tried = 0;
    for (const Position& position : whole.positions()) {
        const SceneInput input = whole.at(position, 2);
        AcceptEdit edit;
        edit.bars = whole.view(position).bars;
        const auto drafted = static_cast<std::size_t>(whole.view(position).drafted);
        edit.bars[drafted].p = edit.bars[drafted].kept = 0.00123;
        edit.bars[drafted].q = 0.00456;
        const std::string text = accept_story(input, accept_view(input, edit, -1), {}).text;
        EXPECT_TRUE(says(text, "target .00123, draft .00456. Only .00123 of the .00456 is")) << text;
        ++tried;
    }
    EXPECT_GT(tried, 0) << "or nothing was tried";
}

} // namespace
} // namespace speclens
