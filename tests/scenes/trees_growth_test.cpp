// How a tree grows out of a block: what each guess adds, and where the next one costs more than it brings.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/trees/trees_model.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/heads_bench.h"
#include "tests/shared/speaking.h"
#include "ui/format.h"

namespace speclens {
namespace {

// Two first tokens, .6 and .3; behind the first one .5 and .1.
struct GrowingRound {
    std::vector<Drafted> drafted;
    RoundSummary round;
    GrowingRound() {
        const auto add = [&](int parent, int token, std::vector<std::pair<int, double>> row) {
            Drafted one;
            one.parent = parent;
            one.token = token;
            one.top = {{{token, 0.0}}, 0};
            for (const auto& [id, p] : row) one.raw_top.entries.push_back({id, std::log(p)});
            drafted.push_back(one);
        };
        add(-1, 1, {{1, 0.6}, {2, 0.3}});
        add(0, 3, {{3, 0.5}, {4, 0.1}});
        add(-1, 2, {{1, 0.6}, {2, 0.3}});
        add(0, 4, {{3, 0.5}, {4, 0.1}});
        for (const Drafted& one : drafted) {
            DraftSlot slot;
            slot.draft = &one;
            slot.parent = one.parent;
            round.drafts.push_back(slot);
        }
        round.draft_ms = 1;
    }
};

PassTimes passes_of(std::initializer_list<std::pair<int, double>> widths) {
    PassTimes times;
    for (const auto& [rows, ms] : widths) {
        PassTime one;
        one.rows = rows;
        one.ms = ms;
        times.passes.push_back(one);
    }
    return times;
}

TEST(TreeGrowth, EveryGuessAddsTheProbabilityOfItsPath) {
    const GrowingRound round;
    const TreeGrowth growth = tree_growth(round.round, nullptr);
    ASSERT_EQ(growth.path.size(), 4u);
    const double paths[] = {0.6, 0.3, 0.3, 0.06};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(growth.path[i], paths[i], 1e-12) << i;
    EXPECT_NEAR(growth.expected(0), 1, 1e-12);
    EXPECT_NEAR(growth.expected(2), 1.9, 1e-12);
    EXPECT_NEAR(growth.expected(9), 2.26, 1e-12) << "no more than there are";
    EXPECT_TRUE(growth.needed.empty());
    EXPECT_EQ(growth.best, 4);
}

// A row costs a tenth of a pass of 9 ms, drafting 1: with n guesses 10 + .9 n ms. By hand: .1, .1256, .1458, .1617 tokens a ms, then .1661.
TEST(TreeGrowth, PaysWhileAGuessBringsMoreThanItsRowCosts) {
    const GrowingRound round;
    const PassTimes cheap = passes_of({{1, 9}, {11, 18}});
    const TreeGrowth growth = tree_growth(round.round, &cheap);
    ASSERT_EQ(growth.needed.size(), 4u);
    EXPECT_NEAR(growth.needed[0], 0.9 * 1 / 10, 1e-9);
    EXPECT_NEAR(growth.needed[1], 0.9 * 1.6 / 10.9, 1e-9);
    EXPECT_NEAR(growth.needed[3], 0.9 * 2.2 / 12.7, 1e-9);
    EXPECT_EQ(growth.best, 3) << "a path of .06 where .156 is needed";
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(growth.path[i] > growth.needed[i], static_cast<int>(i) < growth.best) << i;
    const PassTimes free = passes_of({{1, 9}, {11, 9}});
    EXPECT_EQ(tree_growth(round.round, &free).best, 4);
    const PassTimes dear = passes_of({{1, 9}, {2, 18}});
    EXPECT_EQ(tree_growth(round.round, &dear).best, 0);
}

TEST(TreeGrowth, NeedsTheRowsAndNoGuessPutThereByHand) {
    GrowingRound round;
    round.drafted[1].token = 77;
    EXPECT_TRUE(tree_growth(round.round, nullptr).path.empty());
    EXPECT_TRUE(grows_by_paths("dflash_tree"));
    EXPECT_FALSE(grows_by_paths("small_tree"));
    EXPECT_FALSE(grows_by_paths("dflash"));
    EXPECT_FALSE(grows_by_paths("nobody"));
}

// A run whose blocks are trees.
struct Growing : RunWindow {
    Growing() {
        settings.drafter = "dflash_tree";
        settings.rule = judging_rule("token", "dflash_tree");
        settings.k = 4;
        settings.max_tokens = 12;
        settings.options.tree_budget = 6;
        open("trees", {"none", "dflash", "dflash_tree"}, {0, 0, 1600, 1000});
        show();
        beat(kTreesGrowthBeat);
    }
    void time_passes(std::initializer_list<std::pair<int, double>> widths) {
        published.passes = std::make_shared<const PassTimes>(passes_of(widths));
        show();
    }
    [[nodiscard]] TreeGrowth growth() {
        const SceneInput seen = input();
        return tree_growth(*shown_round(seen), seen.passes.get());
    }
};

// The beat shows its own round, and names no guess that is not there.
TEST(TreesScene, TellsHowATreeGrewAndWhereItStopsPaying) {
    Growing live;
    EXPECT_TRUE(says(told_of(*live.bench), "trees.growth.title"));
    EXPECT_TRUE(live.bench->shows("Time passes of 1 to 64 rows: M")) << live.bench->words;
    EXPECT_FALSE(says(told_of(*live.bench), "trees.growth.line"));
    live.time_passes({{1, 9}, {11, 18}});
    EXPECT_TRUE(live.bench->shows("needed to pay for its row")) << live.bench->words;
    const Said title = test::only_said(told_of(*live.bench), "trees.grown.title:timed");
    EXPECT_EQ(test::whole(title, "guesses"), 6);
    EXPECT_EQ(test::whole(title, "best"), live.growth().best);
    look(*live.bench, "growth", false);
    expect_whole_story(*live.bench, "growth");
}

// What stood in the description that was written by hand: "Guess 1: path .60, 1.60 tokens a round expected; pays from .09 on", which
// growth.guess {guess} {path} {expected} {needed} has now. Nobody told of the sum below the bars before.
TEST(TreesTold, TellsEveryGuessOfAGrownTreeInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const double row_ms : {-1.0, 0.0, 0.9, 9.0}) { // of a pass; negative: nobody timed it
            const test::Speaking speaking(language);
            SCOPED_TRACE(std::string(language) + " " + std::to_string(row_ms));
            Growing live;
            const bool timed = row_ms >= 0;
            if (timed) live.time_passes({{1, 9}, {11, 9 + 10 * row_ms}});
            const bool german = std::string_view(language) == "de";
            const TreeGrowth growth = live.growth();
            const ToldFrame told = told_of(*live.bench);
            const std::vector<Said> guesses = test::all_said(told, "trees.growth.guess");
            ASSERT_EQ(guesses.size(), growth.path.size());
            ASSERT_EQ(guesses.size(), 6U);
            const std::string words = in_words(told);
            for (std::size_t i = 0; i < guesses.size(); ++i) {
                EXPECT_EQ(test::whole(guesses[i], "guess"), static_cast<std::int64_t>(i) + 1);
                EXPECT_EQ(test::real(guesses[i], "path"), growth.path[i]);
                EXPECT_EQ(test::real(guesses[i], "expected"), growth.expected(i + 1));
                EXPECT_EQ(test::maybe<double>(guesses[i], "needed"), timed ? std::optional(growth.needed[i]) : std::nullopt);
                const std::string line = (german ? "Vorschlag " : "Guess ") + std::to_string(i + 1) + (german ? ": Pfad " : ": path ") +
                                         ui::probability(growth.path[i]) + ", " + ui::number(growth.expected(i + 1), 2) +
                                         (german ? " Token pro Runde erwartet" : " tokens a round expected") +
                                         (!timed   ? ""
                                          : german ? "; lohnt sich ab " + ui::probability(growth.needed[i])
                                                   : "; pays from " + ui::probability(growth.needed[i]) + " on") +
                                         "\n";
                EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
            }
            const bool some = growth.best > 0, all = growth.best == 6;
            const Said sum = test::only_said(told, all ? "trees.growth.sum:all" : some ? "trees.growth.sum:some" : "trees.growth.sum:none");
            EXPECT_EQ(test::real(sum, "all"), growth.expected(6));
            if (some && !all) {
                EXPECT_EQ(test::whole(sum, "first"), growth.best);
                const double first = growth.expected(static_cast<std::size_t>(growth.best));
                EXPECT_EQ(test::real(sum, "some"), first);
                const std::string n = growth.best > 1 ? " " + std::to_string(growth.best) : "";
                const std::string part =
                    german ? " mit " + std::string(growth.best > 1 ? "den ersten" : "dem ersten") + n : " with the first" + n;
                EXPECT_EQ(message(sum).words(),
                          ui::number(growth.expected(6), 2) +
                              (german ? " Token pro Runde mit allen erwartet, " : " tokens a round expected with all of them, ") +
                              ui::number(first, 2) + part);
            }
            const Said title = test::only_said(told, timed ? "trees.grown.title:timed" : "trees.grown.title:untimed");
            EXPECT_EQ(test::whole(title, "guesses"), 6);
            const Said pays = test::inner(test::only_said(told, "trees.grown.text:told"), "pays");
            EXPECT_EQ(pays.text, !timed ? "words.pays:untimed" : !some ? "words.pays:none" : all ? "words.pays:all" : "words.pays:some");
            if (timed) {
                EXPECT_EQ(test::whole(title, "best"), growth.best);
                if (some) {
                    EXPECT_EQ(test::whole(pays, all ? "guesses" : "best"), growth.best);
                }
            }
            if (row_ms == 0) {
                EXPECT_TRUE(all);
            }
            if (row_ms == 9) {
                EXPECT_FALSE(all);
            }
            // But for those of its axis.
            const auto of_an_axis = [](const SceneInput&, const ui::RecordedText& text, const std::string& number) {
                return text.text == number && text.font == ui::Font::mono;
            };
            if (std::string_view(language) == "en") {
                EXPECT_GT(test::expect_drawn_numbers_told("trees", live.input(), of_an_axis), 0U);
            }
        }
}

} // namespace
} // namespace speclens
