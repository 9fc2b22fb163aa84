// The loop scene: what its rows and its strip show, and where the coin stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "engine/run/run.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/words.h"
#include "tests/scenes/loop_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

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

TEST(LoopRows, TheBonusOfANarrowColumnIsNotCut) {
    const auto trace = fixtures::toy_run({.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 4, .nodes = 8});
    const RunView whole = fold(*trace, trace->size());
    int bonuses = 0;
    for (const RoundSummary& round : whole.round_list) {
        if (!round.resample || round.resample->from != TargetToken::From::bonus) continue;
        ++bonuses;
        SceneBench bench("loop");
        bench.show(trace, round.end_event - 1);
        bench.settle();
        for (const ui::RecordedText& text : bench.texts)
            EXPECT_FALSE(text.text.starts_with("no guess") && text.text.ends_with("…")) << text.text;
    }
    EXPECT_GT(bonuses, 0);
}

// A refused guess of a block takes nothing with it: every coin is thrown.
TEST(LoopRows, ABlockJudgesTheGuessesBehindARefusedOne) {
    const Played block(test::micro_models(1), "small", "block");
    const Played cascade(test::micro_models(1), "small", "cascade_chow", [](RunSettings& s) { s.rule_params.block = true; });
    for (const Played* run : {&block, &cascade}) {
        int refused = 0;
        for (std::size_t i = 0; i < run->trace->size(); ++i) {
            const auto* check = std::get_if<Checked>(&(*run->trace)[i]);
            if (!check || check->accepted || !std::holds_alternative<Checked>((*run->trace)[i + 1])) continue;
            ++refused;
            const std::string told = run->told(i + 1);
            EXPECT_FALSE(has(told, "discarded unread")) << told;
            EXPECT_TRUE(has(told, ": not judged yet")) << told;
            const RunView view = fold(*run->trace, i + 1);
            EXPECT_EQ(view.current()->drafts.back().state, DraftSlot::State::drafted);
        }
        EXPECT_GT(refused, 0);
    }
}

TEST(LoopRows, NarrowColumnsKeepTheThreshold) {
    const auto trace = fixtures::toy_run({.name = "narrow", .k = 8, .cycles = 1, .noise = 0.1});
    SceneBench bench("loop");
    const RunView whole = fold(*trace, trace->size());
    bench.show(trace, whole.round_list[0].end_event);
    bench.settle();
    int judged = 0, signs = 0;
    for (const DraftSlot& slot : whole.round_list[0].drafts) judged += slot.check != nullptr;
    for (const ui::RecordedText& text : bench.texts) signs += text.box.x < 1200 && (has(text.text, "< ") || has(text.text, "≥ "));
    EXPECT_EQ(signs, judged) << bench.words;
}

TEST(LoopRows, ManyGuessesAreShownInPartAndWhole) {
    const auto trace = fixtures::toy_run({.name = "many", .k = 15, .cycles = 1, .noise = 0.1});
    const RunView whole = fold(*trace, trace->size());
    for (const ui::Rect screen : {ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1600, 1000}}) {
        SceneBench bench("loop", {}, screen);
        bench.show(trace, whole.round_list[0].end_event);
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
    std::vector<fixtures::Toy> runs = {{.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 3, .cycles = 2, .nodes = 8}};
    for (const int k : {1, 4, 7, 15}) runs.push_back({.name = "wide", .k = k, .cycles = 2, .noise = 0.3});
    for (const fixtures::Toy& toy : runs)
        for (const ui::Rect screen :
             {ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1366, 768}, ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 2560, 1440}}) {
            const auto trace = fixtures::toy_run(toy);
            const RunView whole = fold(*trace, trace->size());
            for (const RoundSummary& round : whole.round_list) {
                SceneBench bench("loop", {}, screen);
                bench.show(trace, round.end_event);
                bench.settle();
                SceneInput input = bench.controller.frame(0).scene;
                input.stage = frame_layout({screen.w, screen.h}).stage;
                const LoopModel model = loop_model(input);
                const ui::RecordCanvas canvas(scene_fonts(), screen);
                const LoopGrid grid = loop_grid(input.stage, model, loop_chip_width(canvas, input, model));
                const std::string what = toy.name + std::to_string(toy.k) + " at " + std::to_string(static_cast<int>(screen.w));
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
    EXPECT_EQ(beside_a_sign(3e-9), "nearly 0");
    EXPECT_EQ(compared_probability(0.0042), ".004");
    EXPECT_EQ(compared_probability(0.42), ".42");
    EXPECT_EQ(compared_probability(0.9971), ".997");
    EXPECT_EQ(compared_probability(0.99996), ".99996");
    EXPECT_EQ(beside_a_sign(0.9999999), "nearly 1");
    EXPECT_EQ(compared_probability(1), "1.00");
}

TEST(LoopStrip, EndsWithTheColumnsAndNamesItsGreyPart) {
    const std::shared_ptr<const Trace> trace = fixtures::mixed();
    const RunView whole = fold(*trace, trace->size());
    int strips = 0;
    for (const RoundSummary& round : whole.round_list) {
        SceneBench bench("loop", {}, {0, 0, 1280, 720});
        bench.show(trace, round.end_event);
        bench.settle();
        SceneInput input = bench.controller.frame(0).scene;
        input.stage = frame_layout({1280, 720}).stage;
        const LoopModel model = loop_model(input);
        const ui::RecordCanvas canvas(scene_fonts(), {0, 0, 1280, 720});
        const LoopGrid grid = loop_grid(input.stage, model, loop_chip_width(canvas, input, model));
        if (model.rejected < 0 || grid.right - grid.x(model.rejected) - grid.width < 252) continue;
        ++strips;
        for (const ui::RecordedText& text : bench.texts)
            EXPECT_TRUE(text.box.y < grid.rows.own || text.box.y > input.stage.bottom() || text.box.right() <= grid.right + 0.5F)
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
    const RunView whole = fold(*run.trace, run.trace->size());
    bench.controller.perform({SceneCommand{SetCursor{whole.round_list[0].end_event}}}, bench.time);
    bench.settle();
    const std::regex both("(\\.[0-9]+|nearly [01]|1\\.00|0) (>|≤) [^<>]+");
    EXPECT_TRUE(std::ranges::any_of(bench.texts, [&](const ui::RecordedText& text) { return std::regex_match(text.text, both); }))
        << bench.words;
}

// Siblings that were chosen, not drawn, are shown with what the draft gave them.
TEST(LoopRows, FavouritesShowTheDraftsOwnProbability) {
    const Played run(test::micro_models(1), "eagle3_tree", "tree_topk");
    SceneBench bench("loop");
    const RunView whole = fold(*run.trace, run.trace->size());
    for (const RoundSummary& round : whole.round_list) {
        bench.controller.show_saved(run.trace, run.settings);
        bench.controller.perform({SceneCommand{SetCursor{round.end_event}}}, bench.time);
        const LoopModel model = loop_model(bench.controller.frame(0).scene);
        std::map<int, double> claimed; // by parent
        for (const LoopColumn& column : model.columns) claimed[column.parent] += column.q.value_or(0);
        for (const auto& [parent, sum] : claimed) EXPECT_LE(sum, 1 + 1e-6) << "of one distribution, after " << parent;
    }
    bench.controller.perform({SceneCommand{SetCursor{whole.round_list[0].end_event}}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("d counts as 1")) << bench.words;
}

TEST(LoopRows, TheCoinRowNamesTheFormulaOfItsRule) {
    LoopModel model;
    Header header;
    model.header = &header;
    std::set<std::string> captions;
    for (const RuleKind rule : {RuleKind::greedy, RuleKind::match, RuleKind::token, RuleKind::block, RuleKind::lenient, RuleKind::typical,
                                RuleKind::cascade, RuleKind::certain, RuleKind::kseq}) {
        model.rule = rule;
        EXPECT_TRUE(captions.insert(coin_caption(model)).second) << coin_caption(model);
    }
    header.rule_params.block = true;
    model.rule = RuleKind::cascade;
    EXPECT_EQ(coin_caption(model), "of the prefix");
}

// The coin counts tokens by number; so does the strip, and the knob stands at its number in the drawn share.
TEST(LoopStrip, TheCoinStandsInTheShareThatItPicked) {
    for (const int top : {4, 64}) {
        const Played run(test::micro_models(1), "small", "token", [&](RunSettings& s) { s.trace_top = top; });
        int drawn = 0;
        for (std::size_t i = 0; i < run.trace->size(); ++i) {
            const auto* own = std::get_if<TargetToken>(&(*run.trace)[i]);
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
