// The loop scene: what is said of every rule and drafter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter.h"
#include "engine/run/run.h"
#include "scenes/loop/loop_story.h"
#include "scenes/loop/loop_tree.h"
#include "scenes/shared/words.h"
#include "tests/scenes/loop_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

TEST(LoopWords, OnlyTheFirstMissIsWhereTheTokenRuleWouldHaveStopped) {
    const auto trace = rescued_round();
    for (const std::size_t checked : {1u, 2u}) {
        SceneBench bench("loop");
        bench.show(trace, 5 + checked);
        const SceneInput input = bench.controller.frame(0).scene;
        const std::string told = find_scene("loop")->make()->describe(input);
        EXPECT_TRUE(has(told, "a later one keeps it")) << told;
        EXPECT_EQ(has(told, "The token rule would have stopped here"), checked == 1) << told;
    }
}

// Whoever adds up the printed times comes to the printed gain, also before the round is over.
TEST(LoopWords, TheClockAddsUp) {
    const auto trace = fixtures::mixed();
    int told = 0;
    for (std::size_t shown = 1; shown <= trace->size(); ++shown) {
        SceneBench bench("loop");
        bench.show(trace, shown);
        SceneInput input = bench.controller.frame(0).scene;
        input.plain.ms_per_token = 9;
        const std::string words = find_scene("loop")->make()->describe(input);
        const std::size_t at = words.find("Clock: ");
        double draft = 0, verify = 0, rest = 0, plain = 0, gain = 0;
        if (at == std::string::npos ||
            std::sscanf(
                words.c_str() + at,
                "Clock: drafting %lf ms, verify %lf ms, rest %lf ms; plain decoding %lf ms per token; %lf",
                &draft, &verify, &rest, &plain, &gain) != 5)
            continue;
        ++told;
        double nearest = 1e9; // whatever the number of tokens
        for (int tokens = 1; tokens <= 5; ++tokens)
            nearest = std::min(nearest, std::abs(std::abs(tokens * plain - draft - verify - rest) - gain));
        EXPECT_LT(nearest, 0.02) << words.substr(at, 160);
    }
    EXPECT_GT(told, 6);
}

TEST(LoopWords, NoBonusCountsBehindTheEndOfTheText) {
    const auto trace = ending_round();
    const std::size_t drawn = trace->size() - 2;
    for (const std::size_t cursor : {drawn, drawn + 1}) {
        SceneBench bench("loop");
        bench.show(trace, cursor);
        bench.settle();
        EXPECT_TRUE(bench.shows("two tokens from one check")) << bench.words;
        EXPECT_FALSE(bench.shows("+1 bonus")) << bench.words;
        EXPECT_TRUE(bench.shows("not used")) << bench.words;
        EXPECT_TRUE(bench.shows("1 in · 2 out")) << bench.words;
        EXPECT_TRUE(has(find_scene("loop")->make()->describe(bench.controller.frame(0).scene),
                        "Not used, the text ended before it"));
    }
}

TEST(DraftersWords, NoTokenFollowsTheEndOfTheText) {
    const auto trace = ending_round();
    SceneBench bench("drafters");
    bench.show(trace, trace->size());
    const std::string told = find_scene("drafters")->make()->describe(bench.controller.frame(0).scene);
    EXPECT_TRUE(has(told, "2 of 2 guesses kept, and the text ends there: 2 tokens")) << told;
    EXPECT_FALSE(has(told, "the target's own")) << told;
}

TEST(LoopWords, CountOneAndTwoAsPeopleDo) {
    EXPECT_EQ(all_guesses(1), "the guess");
    EXPECT_EQ(all_guesses(2), "both guesses");
    EXPECT_EQ(all_guesses(3), "all three guesses");
    LoopModel model;
    const auto trace = ending_round();
    const CycleView view = fold(*trace, trace->size());
    model.header = view.header;
    model.cycle = view.current();
    model.tree = true;
    model.drafted = model.produced = 1;
    EXPECT_EQ(loop_title(model), "A tree of one guess, one check: one token");
}

TEST(StatusBar, GivesTheHashThatTheRunEndedWith) {
    const auto trace = ending_round();
    SceneBench bench("loop");
    bench.show(trace, trace->size() - 1);
    const std::uint64_t before = bench.controller.frame(0).hash;
    bench.show(trace, trace->size());
    EXPECT_EQ(bench.controller.frame(0).hash, trace->hash(trace->size() - 1));
    EXPECT_EQ(bench.controller.frame(0).hash, before);
}

// tree_topk on a chain keeps with the target's p alone: the draft's claim is no part of it.
TEST(LoopWords, TopTokensOnAChainAreNotTheTokenRule) {
    const auto models = test::micro_models(1);
    const Played run(models, "small", "tree_topk", [](RunSettings& s) { s.sampling.temperature = 0.8; });
    const auto judged = run.all<Checked>([](const Checked&) { return true; });
    ASSERT_GT(judged.size(), 3u);
    for (const std::string& told : judged) {
        EXPECT_TRUE(has(told, "counts as certain")) << told;
        EXPECT_FALSE(has(told, "may stay with probability") || has(told, "whatever the coin")) << told;
    }
    const auto replaced =
        run.all<Resampled>([](const Resampled& e) { return e.from == Resampled::From::residual; });
    ASSERT_GT(replaced.size(), 1u);
    for (const std::string& told : replaced) EXPECT_TRUE(has(told, "struck out of the target's law")) << told;
}

TEST(LoopWords, ABonusWithoutADraftLawBehindItIsTheTargets) {
    const auto models = test::micro_models(1);
    const auto keep_all = [](RunSettings& s) { s.rule_params.alpha = 1; };
    const auto bonus = [](const Resampled& e) { return e.from == Resampled::From::bonus; };
    const auto heads = Played(models, "medusa", "cascade_chow", keep_all).all<Resampled>(bonus, 2);
    const auto asked = Played(models, "small", "cascade_chow", keep_all).all<Resampled>(bonus, 2);
    ASSERT_FALSE(heads.empty());
    ASSERT_FALSE(asked.empty());
    for (const std::string& told : heads) {
        EXPECT_TRUE(has(told, "from the target's own law")) << told;
        EXPECT_FALSE(has(told, "asked once more")) << told;
    }
    for (const std::string& told : asked) EXPECT_TRUE(has(told, "asked once more")) << told;
    const auto whole = [](const Committed& e) { return e.accepted_drafts == 4; };
    for (const std::string& told :
         Played(models, "medusa", "cascade_chow", keep_all).all<Committed>(whole, 2))
        EXPECT_TRUE(has(told, "plus the target's own token")) << told;
}

TEST(LoopWords, ACascadeJudgedAsABlockIsToldAsABlock) {
    const Played run(test::micro_models(1), "small", "cascade_tokenV3", [](RunSettings& s) {
        s.rule_params.alpha = 0.3;
        s.rule_params.block = true;
    });
    const auto judged = run.all<Checked>([](const Checked&) { return true; });
    ASSERT_GT(judged.size(), 3u);
    for (const std::string& told : judged) {
        EXPECT_TRUE(has(told, "A mixture of the two laws judges") && has(told, "coefficient")) << told;
        EXPECT_FALSE(has(told, "by the mixture\n")) << told;
    }
    const auto replaced =
        run.all<Resampled>([](const Resampled& e) { return e.from == Resampled::From::residual; }, 2);
    ASSERT_FALSE(replaced.empty());
    for (const std::string& told : replaced)
        EXPECT_TRUE(has(told, "its coefficient times the mixture")) << told;
}

TEST(LoopWords, ALenienceOfZeroIsTheTokenRule) {
    const Played run(test::micro_models(1), "small", "lenience",
                     [](RunSettings& s) { s.rule_params.lenience = 0; });
    for (std::size_t cursor = 1; cursor <= 40; ++cursor)
        for (const char* never : {"the sum is off", "more was kept", "more than the target", "lenience\n"})
            EXPECT_FALSE(has(run.told(cursor), never)) << cursor << ": " << never;
}

TEST(LoopWords, TheSubtitleNamesWhatWasTakenFromTheDrafter) {
    const auto subtitle = [](const std::string& drafter, const std::function<void(RunSettings&)>& change) {
        return Played(test::micro_models(1), drafter, "token", change).told(10);
    };
    EXPECT_TRUE(
        has(subtitle("small", [](RunSettings& s) { s.options.fr_spec = 20; }), " · FR-Spec 20 · seed"));
    EXPECT_TRUE(has(subtitle("dflash", [](RunSettings& s) { s.options.conditioning = false; }),
                    " · no target states · seed"));
    EXPECT_TRUE(
        has(subtitle("domino", [](RunSettings& s) { s.options.correction = false; }), " · head off · seed"));
    EXPECT_TRUE(
        has(subtitle("domino", [](RunSettings& s) { s.options.head_pool = 5; }), " · pool of 5 · seed"));
    const std::string plain = subtitle("small", [](RunSettings& s) { s.k = 0; });
    EXPECT_TRUE(has(plain, " · plain decoding · T = ")) << plain;
    EXPECT_FALSE(has(plain, "none drafter")) << plain;
}

// The longest story of a guess: a head corrected it, a coin drew it, and its time is known.
TEST(LoopWords, TheStoryOfACorrectedGuessEndsInItsPlace) {
    const Played run(test::micro_models(1), "dspark", "token");
    for (std::size_t i = 0; i < run.trace->size(); ++i) {
        const auto* guess = std::get_if<Drafted>(&(*run.trace)[i]);
        if (!guess || guess->cycle > 1) continue;
        SceneBench bench("loop");
        bench.controller.show_saved(run.trace, run.settings);
        bench.controller.perform({SceneCommand{SetCursor{i + 1}}}, bench.time);
        bench.settle();
        expect_whole_story(bench, "guess " + std::to_string(guess->index + 1));
    }
}

// The places of a tree have no order, and at one of them there may be a single guess.
TEST(LoopWords, ATreeIsToldGuessByGuess) {
    const auto residual = [](const Resampled& e) { return e.from == Resampled::From::residual; };
    for (const int children : {1, 3}) {
        const Played run(test::micro_models(1), "small_tree", "tree_wor", [&](RunSettings& s) {
            s.options.tree_budget = 12;
            s.options.tree_topk = children;
        });
        const auto replaced = run.all<Resampled>(residual, 20);
        ASSERT_FALSE(replaced.empty());
        for (const std::string& told : replaced) {
            EXPECT_FALSE(has(told, "law: Coin")) << told;
            EXPECT_TRUE(has(told, "law: coin")) << told;
            EXPECT_TRUE(children > 1 || has(told, "the one guess was rejected")) << told;
            EXPECT_FALSE(has(told, "Position ")) << told;
        }
        for (const std::string& told : run.all<Checked>([](const Checked&) { return true; }))
            EXPECT_TRUE(has(told, "\nGuess ") && has(told, ", target and draft:")) << told;
    }
}

TEST(LoopWords, KSeqNamesHowFarAGuessIsHeldBack) {
    const Played run(test::micro_models(1), "small_tree", "tree_kseq");
    const auto judged = run.all<Checked>([](const Checked& e) { return e.threshold > 0 && e.threshold < 1; });
    ASSERT_FALSE(judged.empty());
    int named = 0;
    for (const std::string& told : judged) named += has(told, "rho = ");
    EXPECT_GT(named, 0) << judged.front();
}

// What a guess that stays for sure was held back by shows at another one beside it, if at all.
TEST(LoopWords, KSeqGivesAValueOrABoundOfRho) {
    const Trace trace([](int id) { return " word" + std::to_string(id); });
    SceneInput input;
    input.trace = &trace;
    Header header;
    header.rule_params.rho = 1.5;
    LoopModel model;
    model.header = &header;
    model.rule = RuleKind::kseq;
    model.tree = true;
    model.drafted = 3;
    std::vector<Drafted> drafts(3);
    std::vector<Checked> checks(3);
    for (std::size_t i = 0; i < 3; ++i) {
        checks[i].p = std::log(0.4);
        checks[i].q = std::log(0.2);
        checks[i].threshold = 1;
        LoopColumn column;
        column.draft = &drafts[i];
        model.columns.push_back(column);
    }
    const auto told = [&](int newest) {
        model.newest = newest;
        model.columns[static_cast<std::size_t>(newest)].check = &checks[static_cast<std::size_t>(newest)];
        Story story;
        tell_tree_check(input, model, story);
        return story.text;
    };
    EXPECT_TRUE(has(told(0), "counts rho, at least 1.50, times with three guesses")) << told(0);
    header.rule_params.rho = 0;
    EXPECT_TRUE(has(told(0), "counts rho = 3 times")) << told(0);
    header.rule_params.rho = 1.5;
    checks[0].threshold = 0.8; // 2 / rho
    EXPECT_TRUE(has(told(1), "counts rho = 2.50 times")) << told(1);
}

// What a block knows, and what a head did to it, is a matter of the run and not of the drafter's name.
TEST(LoopWords, SayWhatABlockWasFilledFrom) {
    const auto models = test::micro_models(1);
    const auto any = [](const Drafted&) { return true; };
    for (const bool states : {true, false})
        for (const std::string& told : Played(models, "dflash", "token", [&](RunSettings& s) {
                                           s.options.conditioning = states;
                                       }).all<Drafted>(any)) {
            EXPECT_FALSE(has(told, "from the text alone")) << told;
            EXPECT_EQ(has(told, "from the target's states"), states) << told;
            EXPECT_EQ(has(told, "from the newest token alone"), !states) << told;
        }
    for (const char* drafter : {"domino", "dspark"})
        for (const std::string& told : Played(models, drafter, "token", [](RunSettings& s) {
                                           s.options.correction = false;
                                       }).all<Drafted>(any)) {
            EXPECT_TRUE(has(told, "no head corrected them")) << told;
            EXPECT_FALSE(has(told, "corrected this") || has(told, "corrects")) << told;
        }
}

TEST(LoopWords, SayThatTheMarkovHeadReadsOneGuess) {
    int corrected = 0;
    for (const std::string& told :
         Played(test::micro_models(1), "dspark", "token").all<Drafted>([](const Drafted&) { return true; })) {
        EXPECT_FALSE(has(told, "by the guesses before it")) << told;
        corrected += has(told, "by the guess right before it");
    }
    EXPECT_GT(corrected, 0);
}

TEST(LoopWords, SayWhichSlotsOfDominoTheHeadCorrected) {
    const auto some = test::micro_models(1);
    for (const int prefix : {0, 1, 2}) {
        auto models = std::make_shared<Models>(*some);
        DraftConfig config = test::micro_head(DraftConfig::Method::domino, models->target->config);
        config.prefix = prefix;
        models->networks["domino"] = DraftNetwork::random(models->target, config, "domino", 7);
        const auto first_round =
            Played(models, "domino", "token").all<Drafted>([](const Drafted& e) { return e.cycle == 0; });
        ASSERT_EQ(first_round.size(), 4u);
        for (int i = 0; i < 4; ++i) {
            const std::string& told = first_round[static_cast<std::size_t>(i)];
            EXPECT_EQ(has(told, "as the pass left it"), i < prefix) << "prefix " << prefix << "\n" << told;
        }
    }
}

} // namespace
} // namespace speclens
