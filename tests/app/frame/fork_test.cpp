// Forks: another guess or coin at a round, where the window looks then, and the way back.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/frame/popups.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"

namespace speclens {
namespace {

// A round that the window would not choose by itself, and the run forked there.
struct Branch {
    std::shared_ptr<const Trace> base = fixtures::mixed();
    int round = 0;
    std::shared_ptr<Trace> trace = std::make_shared<Trace>([base = base](int id) { return base->text(id); });

    Branch() {
        const RunView whole = fold(*base, base->size());
        const std::size_t telling = telling_cursor(whole).cursor;
        std::size_t begins = 0;
        for (const RoundSummary& c : whole.round_list) {
            if (!c.complete() || (c.first_event < telling && telling <= c.end_event)) continue;
            round = c.round;
            begins = c.first_event;
        }
        for (std::size_t i = 0; i < base->size(); ++i) {
            if (i == begins) trace->append(Commanded{"fork"});
            Event event = (*base)[i];
            if (auto* guess = std::get_if<Drafted>(&event); guess && guess->round == round && guess->index == 1) guess->extra = "forced";
            trace->append(std::move(event));
        }
    }
    [[nodiscard]] Fork fork() const { return {.round = round, .force_draft = std::pair{1, 3}}; }
};

TEST(Fork, StaysAtTheGuessThatWasForced) {
    const Branch branch;
    LiveBench live("loop");
    live.observe(branch.base);
    live.bench.key(ui::Key::home);
    live.perform(Command{branch.fork()});
    EXPECT_EQ(live.bench.cursor(), 1U) << "the new branch is not there yet";
    live.observe(branch.trace);
    const FrameInput now = live.bench.controller.frame(live.bench.time);
    ASSERT_TRUE(now.scene.view->current());
    EXPECT_EQ(now.scene.view->current()->round, branch.round);
    ASSERT_TRUE(now.scene.selected);
    EXPECT_EQ(*now.scene.selected, (Position{branch.round, 1}));
    live.bench.time += 10; // the message is gone
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("fork at round " + std::to_string(branch.round + 1) + ": “")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("forced")) << live.bench.words;
}

TEST(Fork, IsTakenBackAndMadeAgainLikeAnyChange) {
    const Branch branch;
    LiveBench live("loop");
    live.observe(branch.base);
    const RunSettings first = *live.bench.controller.frame(live.bench.time).scene.settings;
    live.bench.key(ui::Key::k);
    live.bench.key(ui::Key::z, {.ctrl = true});
    live.observe(Branch().base);
    live.perform(SetCursor{7});
    live.perform(Command{branch.fork()});
    std::size_t sent = live.sent.size();
    live.bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(live.sent.size(), sent) << "the longer drafts were of the run before";
    live.observe(branch.trace);
    live.bench.key(ui::Key::z, {.ctrl = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings, first);
    EXPECT_TRUE(live.bench.shows("Back to the run before the fork at round " + std::to_string(branch.round + 1))) << live.bench.words;
    live.observe(Branch().base);
    EXPECT_EQ(live.bench.cursor(), 7U) << "where the run was forked";
    sent = live.sent.size();
    live.bench.key(ui::Key::y, {.ctrl = true});
    ASSERT_GE(live.sent.size(), sent + 2);
    EXPECT_TRUE(std::holds_alternative<Restart>(live.sent[sent]));
    const auto* fork = std::get_if<Fork>(&live.sent[sent + 1]);
    ASSERT_TRUE(fork);
    EXPECT_EQ(fork->round, branch.round);
    EXPECT_EQ(fork->force_draft, branch.fork().force_draft);
}

TEST(Fork, ListsTokensAndSendsTheForcedOne) {
    LiveBench live("loop");
    const auto trace = fixtures::mixed();
    live.observe(trace);
    live.bench.key(ui::Key::f);
    EXPECT_TRUE(live.bench.shows("Fork here"));
    live.bench.key(ui::Key::down);
    live.bench.key(ui::Key::down);
    live.bench.key(ui::Key::enter);
    const auto* fork = live.last<Fork>();
    ASSERT_TRUE(fork);
    EXPECT_TRUE(fork->force_draft || fork->force_coin);
}

// It stood at the first guess of the round, which nobody had chosen.
TEST(Fork, OffersEveryGuessWhileTheirPassIsOnScreen) {
    const auto trace = fixtures::mixed();
    LiveBench live("loop");
    live.observe(trace);
    const RunView whole = fold(*trace, trace->size());
    const auto round = std::ranges::find_if(whole.round_list, [](const RoundSummary& one) { return one.drafts.size() > 1; });
    ASSERT_NE(round, whole.round_list.end());
    std::size_t pass = round->first_event;
    while (!std::holds_alternative<Verified>((*trace)[pass])) ++pass;
    live.perform(SetCursor{pass + 1});
    const auto guesses = [&] {
        std::set<int> forced;
        for (const PaletteRow& row : fork_rows(live.bench.controller.frame(live.bench.time))) {
            const Fork& fork = std::get<Fork>(std::get<Command>(std::get<SceneCommand>(row.command)));
            EXPECT_EQ(fork.round, round->round);
            if (fork.force_draft) forced.insert(fork.force_draft->first);
        }
        return forced;
    };
    EXPECT_EQ(guesses().size(), round->drafts.size());
    live.perform(Select{Position{round->round, 1}});
    EXPECT_EQ(guesses(), std::set<int>{1}) << "somebody chose it";
}

} // namespace
} // namespace speclens
