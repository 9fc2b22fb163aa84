// The loop scene: what is said of every rule and drafter, and where the coin stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "engine/drafter.h"
#include "engine/run.h"
#include "engine/session.h"
#include "scenes/loop_draw.h"
#include "scenes/loop_story.h"
#include "scenes/words.h"
#include "scenes_bench.h"
#include "scenes_fixtures.h"
#include "scenes_look.h"
#include "tests/micro.h"

namespace speclens {
namespace {

// A finished run of a micro model, looked at step by step.
struct Played {
    RunSettings settings;
    std::shared_ptr<const Trace> trace;

    Played(const std::shared_ptr<const Models>& models, const std::string& drafter, const std::string& rule,
           const std::function<void(RunSettings&)>& change = {}) {
        settings.token_ids = {5, 6, 7};
        settings.drafter = drafter;
        settings.rule = rule;
        settings.k = 4;
        settings.max_tokens = 48;
        settings.sampling.temperature = 1;
        if (change) change(settings);
        speclens::Run run(models, settings);
        run.finish();
        trace = run.shared_trace();
    }
    // The frame in words after `cursor` events.
    [[nodiscard]] std::string told(std::size_t cursor) const {
        SceneBench bench("loop");
        bench.controller.show_saved(trace, settings);
        bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
        bench.frame();
        return find_scene("loop")->make()->describe(bench.controller.frame(0).scene);
    }
    // Of every event of one kind that `wanted` says yes to, at most `most` of them: the frame right behind
    // it.
    template <typename Kind, typename Wanted>
    [[nodiscard]] std::vector<std::string> all(const Wanted& wanted, std::size_t most = 6) const {
        std::vector<std::string> list;
        for (std::size_t i = 0; i < trace->size() && list.size() < most; ++i)
            if (const auto* event = std::get_if<Kind>(&(*trace)[i]); event && wanted(*event))
                list.push_back(told(i + 1));
        return list;
    }
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A round of three guesses under block verification: the coins of the first two fail, the third succeeds.
std::shared_ptr<Trace> rescued_round(int k = 3) {
    auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.rule = "block";
    header.k = k;
    header.prompt = {0};
    header.sampling.temperature = 1;
    trace->append(header);
    for (int i = 0; i < k; ++i) {
        Drafted draft;
        draft.index = i;
        draft.parent = i - 1;
        draft.token = 5 + i;
        draft.q = std::log(0.8);
        draft.u = 0.5;
        trace->append(draft);
    }
    trace->append(Verified{0, k + 1, 0});
    for (int i = 0; i < k; ++i) {
        Checked check;
        check.index = i;
        check.token = 5 + i;
        check.p = std::log(0.4);
        check.q = std::log(0.8);
        check.accepted = true;
        check.u = i + 1 < k ? 0.9 : 0.1;
        check.threshold = i + 1 < k ? 0.3 : 0.2;
        check.joint = std::log(0.5);
        trace->append(check);
    }
    return trace;
}

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

// A round whose last kept guess ends the text: the token behind it was drawn and is not used.
std::shared_ptr<Trace> ending_round() {
    auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.rule = "token";
    header.k = 2;
    header.prompt = {0};
    header.sampling.temperature = 1;
    trace->append(header);
    for (int i = 0; i < 2; ++i) {
        Drafted draft;
        draft.index = i;
        draft.parent = i - 1;
        draft.token = 5 + i;
        trace->append(draft);
    }
    trace->append(Verified{0, 3, 0});
    for (int i = 0; i < 2; ++i) {
        Checked check;
        check.index = i;
        check.token = 5 + i;
        check.accepted = true;
        check.threshold = 1;
        trace->append(check);
    }
    Resampled own;
    own.from = Resampled::From::bonus;
    own.token = 9;
    trace->append(own);
    Committed commit;
    commit.accepted_drafts = 2;
    commit.tokens = {5, 6};
    trace->append(commit);
    Stopped stopped;
    stopped.reason = "end of text";
    stopped.hash = trace->hash(trace->size());
    trace->append(stopped);
    return trace;
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

TEST(LoopRows, ARescuedGuessNamesTheCoinThatKeepsIt) {
    SceneBench bench("loop");
    bench.show(rescued_round(), 6);
    bench.settle();
    EXPECT_TRUE(bench.shows("kept by a later coin")) << "which one is not known yet";
    bench.show(rescued_round(), 8);
    bench.settle();
    EXPECT_TRUE(bench.shows("kept: guess 3 passed")) << bench.words;
    bench.show(rescued_round(8), 18); // eight narrow columns
    bench.settle();
    EXPECT_TRUE(bench.shows("guess 8")) << bench.words;
}

TEST(LoopRows, NarrowColumnsKeepTheThreshold) {
    const auto trace = fixtures::toy_run({.name = "narrow", .k = 8, .cycles = 1, .noise = 0.1});
    SceneBench bench("loop");
    const CycleView whole = fold(*trace, trace->size());
    bench.show(trace, whole.cycles[0].end_event);
    bench.settle();
    int judged = 0, signs = 0;
    for (const DraftSlot& slot : whole.cycles[0].drafts) judged += slot.check != nullptr;
    for (const ui::RecordedText& text : bench.texts)
        signs += text.box.x < 1200 && (has(text.text, "< ") || has(text.text, "≥ "));
    EXPECT_EQ(signs, judged) << bench.words;
}

TEST(LoopRows, ManyGuessesAreShownInPartAndWhole) {
    const auto trace = fixtures::toy_run({.name = "many", .k = 15, .cycles = 1, .noise = 0.1});
    const CycleView whole = fold(*trace, trace->size());
    for (const ui::Rect screen : {ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1600, 1000}}) {
        SceneBench bench("loop", {}, screen);
        bench.show(trace, whole.cycles[0].end_event);
        bench.settle();
        SceneInput input = bench.controller.frame(0).scene;
        input.stage = frame_layout({screen.w, screen.h}).stage;
        const LoopModel model = loop_model(input);
        const ui::RecordCanvas canvas(scene_fonts(), screen);
        const LoopGrid grid = loop_grid(input.stage, model, loop_chip_width(canvas, input, model));
        EXPECT_LT(grid.count, grid.total);
        EXPECT_TRUE(grid.visible(model.selected));
        EXPECT_GE(grid.width, loop_chip_width(canvas, input, model));
        EXPECT_LT(grid.limit - grid.right, grid.pitch / 2) << "no room is left empty";
        for (const ui::RecordedText& text : bench.texts) {
            const bool comparison = text.text.starts_with("< ") || text.text.starts_with("≥ ");
            EXPECT_FALSE(input.stage.contains(text.box.center()) && comparison) << text.text;
        }
    }
}

// Columns take the room there is, up to a width at which a bar still belongs to its number.
TEST(LoopRows, FewGuessesFillTheStage) {
    constexpr float kWidest = 280;
    std::vector<fixtures::Toy> runs = {
        {.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 3, .cycles = 2, .nodes = 8}};
    for (const int k : {1, 4, 7, 15}) runs.push_back({.name = "wide", .k = k, .cycles = 2, .noise = 0.3});
    for (const fixtures::Toy& toy : runs)
        for (const ui::Rect screen : {ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1366, 768},
                                      ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 2560, 1440}}) {
            const auto trace = fixtures::toy_run(toy);
            const CycleView whole = fold(*trace, trace->size());
            for (const CycleSummary& cycle : whole.cycles) {
                SceneBench bench("loop", {}, screen);
                bench.show(trace, cycle.end_event);
                bench.settle();
                SceneInput input = bench.controller.frame(0).scene;
                input.stage = frame_layout({screen.w, screen.h}).stage;
                const LoopModel model = loop_model(input);
                const ui::RecordCanvas canvas(scene_fonts(), screen);
                const LoopGrid grid = loop_grid(input.stage, model, loop_chip_width(canvas, input, model));
                const std::string what =
                    toy.name + std::to_string(toy.k) + " at " + std::to_string(static_cast<int>(screen.w));
                EXPECT_LE(grid.pitch, kWidest) << what;
                EXPECT_LE(grid.right, grid.limit + 0.5F) << what;
                EXPECT_TRUE(grid.pitch == kWidest || grid.limit - grid.right < grid.pitch / 2)
                    << what << ": " << grid.limit - grid.right << " is left empty";
                look(bench, what, false);
            }
        }
}

TEST(LoopRows, AComparisonHasOneSign) {
    EXPECT_EQ(compared_probability(0), "0");
    EXPECT_EQ(compared_probability(3e-9), "nearly 0");
    EXPECT_EQ(compared_probability(0.0042), ".004");
    EXPECT_EQ(compared_probability(0.42), ".42");
    EXPECT_EQ(compared_probability(0.9971), ".997");
    EXPECT_EQ(compared_probability(0.99996), ".99996");
    EXPECT_EQ(compared_probability(0.9999999), "nearly 1");
    EXPECT_EQ(compared_probability(1), "1.00");
}

TEST(LoopStrip, EndsWithTheColumnsAndNamesItsGreyPart) {
    const std::shared_ptr<const Trace> trace = fixtures::mixed();
    const CycleView whole = fold(*trace, trace->size());
    int strips = 0;
    for (const CycleSummary& cycle : whole.cycles) {
        SceneBench bench("loop", {}, {0, 0, 1280, 720});
        bench.show(trace, cycle.end_event);
        bench.settle();
        SceneInput input = bench.controller.frame(0).scene;
        input.stage = frame_layout({1280, 720}).stage;
        const LoopModel model = loop_model(input);
        const ui::RecordCanvas canvas(scene_fonts(), {0, 0, 1280, 720});
        const LoopGrid grid = loop_grid(input.stage, model, loop_chip_width(canvas, input, model));
        if (model.rejected < 0 || grid.right - grid.x(model.rejected) - grid.width < 252) continue;
        ++strips;
        for (const ui::RecordedText& text : bench.texts)
            EXPECT_TRUE(text.box.y < grid.y + 420 || text.box.y > input.stage.bottom() ||
                        text.box.right() <= grid.right + 0.5F)
                << text.text;
        const auto shares = shares_of(model.own->top, model.own->token, model.own->u);
        const auto grey = std::ranges::find_if(shares, [](const Share& s) { return s.id < 0 && s.p > 0.02; });
        EXPECT_TRUE(grey == shares.end() || bench.shows("others")) << bench.words;
    }
    EXPECT_GT(strips, 0);
}

TEST(LoopRows, TypicalAcceptanceShowsBothSides) {
    const Played run(test::micro_models(1), "small", "typical");
    SceneBench bench("loop");
    bench.controller.show_saved(run.trace, run.settings);
    const CycleView whole = fold(*run.trace, run.trace->size());
    bench.controller.perform({SceneCommand{SetCursor{whole.cycles[0].end_event}}}, bench.time);
    bench.settle();
    const std::regex both("(\\.[0-9]+|nearly [01]|1\\.00|0) (>|≤) [^<>]+");
    EXPECT_TRUE(std::ranges::any_of(bench.texts, [&](const ui::RecordedText& text) {
        return std::regex_match(text.text, both);
    })) << bench.words;
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

// Siblings that were chosen, not drawn, are shown with what the draft gave them.
TEST(LoopRows, FavouritesShowTheDraftsOwnProbability) {
    const Played run(test::micro_models(1), "eagle3_tree", "tree_topk");
    SceneBench bench("loop");
    const CycleView whole = fold(*run.trace, run.trace->size());
    for (const CycleSummary& cycle : whole.cycles) {
        bench.controller.show_saved(run.trace, run.settings);
        bench.controller.perform({SceneCommand{SetCursor{cycle.end_event}}}, bench.time);
        const LoopModel model = loop_model(bench.controller.frame(0).scene);
        std::map<int, double> claimed; // by parent
        for (const LoopColumn& column : model.columns) claimed[column.parent] += column.q.value_or(0);
        for (const auto& [parent, sum] : claimed) EXPECT_LE(sum, 1 + 1e-6) << "of one law, after " << parent;
    }
    bench.controller.perform({SceneCommand{SetCursor{whole.cycles[0].end_event}}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("d counts as 1")) << bench.words;
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

TEST(LoopWords, KSeqNamesHowFarAGuessIsHeldBack) {
    const Played run(test::micro_models(1), "small_tree", "tree_kseq");
    const auto judged = run.all<Checked>([](const Checked& e) { return e.threshold > 0 && e.threshold < 1; });
    ASSERT_FALSE(judged.empty());
    int named = 0;
    for (const std::string& told : judged) named += has(told, "rho = ");
    EXPECT_GT(named, 0) << judged.front();
}

TEST(LoopRows, TheCoinRowNamesTheFormulaOfItsRule) {
    LoopModel model;
    Header header;
    model.header = &header;
    std::set<std::string> captions;
    for (const RuleKind rule :
         {RuleKind::greedy, RuleKind::match, RuleKind::token, RuleKind::block, RuleKind::lenient,
          RuleKind::typical, RuleKind::cascade, RuleKind::certain, RuleKind::kseq}) {
        model.rule = rule;
        EXPECT_TRUE(captions.insert(coin_caption(model)).second) << coin_caption(model);
    }
    header.rule_params.block = true;
    model.rule = RuleKind::cascade;
    EXPECT_STREQ(coin_caption(model), "of the prefix");
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

// The coin counts tokens by number; so does the strip, and the knob stands at its number in the drawn share.
TEST(LoopStrip, TheCoinStandsInTheShareThatItPicked) {
    for (const int top : {4, 64}) {
        const Played run(test::micro_models(1), "small", "token", [&](RunSettings& s) { s.trace_top = top; });
        int drawn = 0;
        for (std::size_t i = 0; i < run.trace->size(); ++i) {
            const auto* own = std::get_if<Resampled>(&(*run.trace)[i]);
            if (!own || !own->u) continue;
            const std::vector<Share> shares = shares_of(own->top, own->token, own->u);
            double at = 0;
            int last = -1;
            for (const Share& share : shares) {
                EXPECT_NEAR(share.from, at, 1e-9);
                at += share.p;
                if (share.id < 0) continue;
                EXPECT_GT(share.id, last);
                last = share.id;
                if (share.id != own->token) continue;
                ++drawn;
                EXPECT_GE(*own->u, share.from - 1e-9);
                EXPECT_LE(*own->u, share.from + share.p + 1e-9);
            }
            EXPECT_NEAR(at, 1, 1e-6);
        }
        EXPECT_GT(drawn, 0) << top;
    }
}

} // namespace
} // namespace speclens
