// The scenes of DFlash and EAGLE-3: numbers are those of the trace, keys ask the engine to measure, and what
// was measured is drawn.
//
// What stood here in English prose, and the message that has it now:
//
//     "press M"                                        dflash.draft_times.how, eagle3.draft_times.how
//     "EAGLE-3", "DFlash", "Domino" beside the lines   shared.charts.took {series}
//     "with the target's states", "without them"       shared.charts.stayed {series}: dflash.acceptance.with, without
//     "no states"                                      dflash.block.no_states
//     "sees the target's states at "                   dflash.sight.mask {mask} {places} {slots} {before}
//     "Of the text the small network gets …"           dflash.states.text:some {places} {layers}
//     " of 4", "1–7 of 15"                             shared.guess.columns {first} {last} {of}
//     "Taps: layers", "Feature error over the run"     eagle3.taps.strip {layer}, eagle3.drift.bar:run {step} {error} {rounds}
//     "Clock: draft", "Kept by position"               shared.head.clock:told {draft} {passes} {verify}, shared.charts.stayed {kept}
//     {judged} "Guesses K: 4"                                   shared.guess.k {k} "Draft time of a round in ms, by guesses K"
//     shared.charts.times "bars: run, rings: round"                        eagle3.drift.key:run
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/run/run.h"
#include "scenes/dflash/dflash_model.h"
#include "scenes/eagle3/eagle3_model.h"
#include "scenes/shared/cycle_pick.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/heads_bench.h"

namespace speclens {
namespace {

TEST(DFlashScene, MeasuresOnDemandAndDrawsWhatWasMeasured) {
    Live live("dflash", settings_for("dflash"));
    EXPECT_TRUE(says(told_of(*live.bench), "dflash.draft_times.how"));
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    EXPECT_EQ(live.study()->name, kTimeStudy);
    std::vector<std::string> drafters;
    for (const RunSettings& run : live.study()->runs) {
        drafters.push_back(run.drafter);
        EXPECT_EQ(run.sampling.temperature, 0);
        EXPECT_TRUE(run.timing);
        EXPECT_EQ(run.trace_top, 0) << "times without recording";
    }
    for (const char* drafter : {"eagle3", "dflash", "domino"}) EXPECT_EQ(std::ranges::count(drafters, drafter), 3 * 6) << drafter;
    live.answer();
    const ToldFrame told = told_of(*live.bench);
    EXPECT_FALSE(says(told, "dflash.draft_times.how"));
    for (const char* name : {"EAGLE-3", "DFlash", "Domino"}) {
        EXPECT_TRUE(std::ranges::any_of(test::all_said(told, "shared.charts.took"), [&](const Said& said) {
            return message(test::inner(said, "series")) == name;
        })) << name;
        EXPECT_TRUE(live.bench->shows(name)) << name;
    }
}

// A block of 8 has 7 guesses: the lengths 8, 12 and 15 are all 7, and one of them tells how long that takes.
TEST(DFlashScene, TimesABlockUpToItsOwnLength) {
    Live live("dflash", settings_for("dflash"));
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    Study study{kTimeStudy, static_cast<int>(live.study()->runs.size()), {}};
    for (const RunSettings& run : live.study()->runs) {
        StudyPoint& point = study.points.emplace_back();
        point.settings = run;
        point.draft_ms = 1 + 0.1 * run.k;
        if (run.drafter == "dflash" && run.k > 7) point.most = 7;
        if (run.drafter == "domino" && run.k > 8) point.most = 8; // one of the lengths
    }
    SceneInput input = live.bench->controller.frame(0).scene;
    input.studies = {{kTimeStudy, std::make_shared<const Study>(study)}};
    std::map<std::string, std::vector<std::pair<int, double>>> points;
    for (const TimeSeries& one : time_series(input, "dflash")) points[one.name] = one.points;
    const std::vector<std::pair<int, double>> whole{{1, 1.1}, {2, 1.2}, {4, 1.4}, {7, 1.8}};
    EXPECT_EQ(points["DFlash"], whole);
    ASSERT_EQ(points["Domino"].size(), 4u);
    EXPECT_EQ(points["Domino"].back(), (std::pair<int, double>{8, 1.8}));
    EXPECT_EQ(points["EAGLE-3"].back().first, 15);
}

TEST(DFlashScene, ComparesWithAndWithoutTheTargetsStates) {
    Live live("dflash", settings_for("dflash"));
    live.bench->key(ui::Key::c);
    ASSERT_NE(live.study(), nullptr);
    ASSERT_EQ(live.study()->runs.size(), 2u);
    RunSettings on = live.study()->runs[0], off = live.study()->runs[1];
    EXPECT_TRUE(on.options.conditioning);
    EXPECT_FALSE(off.options.conditioning);
    off.options.conditioning = true;
    EXPECT_EQ(on, off) << "nothing else differs: same prompt, same dice";
    live.answer();
    const ToldFrame told = told_of(*live.bench);
    for (const std::string name : {"dflash.acceptance.with", "dflash.acceptance.without"})
        EXPECT_TRUE(std::ranges::any_of(test::all_said(told, "shared.charts.stayed"), [&](const Said& said) {
            return test::inner(said, "series").id() == name;
        })) << name;
}

TEST(DFlashScene, SaysHowMuchOfTheTextTheBlockSees) {
    RunSettings settings = settings_for("dflash");
    Live all("dflash", settings);
    const DFlashModel whole = dflash_model(all.bench->controller.frame(0).scene);
    EXPECT_EQ(whole.seen, whole.text);
    const auto* verified = whole.round->verify;
    ASSERT_NE(verified, nullptr);
    EXPECT_EQ(whole.text, whole.round->commit->kv_before) << "the block sees what the target has run on";
    EXPECT_EQ(whole.slots, whole.guesses() + 1);
    settings.options.context_last = 2;
    Live last("dflash", settings);
    EXPECT_EQ(dflash_model(last.bench->controller.frame(0).scene).seen, 2);
    settings.options = {};
    settings.options.conditioning = false;
    Live none("dflash", settings);
    EXPECT_EQ(dflash_model(none.bench->controller.frame(0).scene).seen, 0);
    EXPECT_TRUE(says(told_of(*none.bench), "dflash.block.no_states"));
}

// Above temperature 0 the guess need not be the favourite: its probability is what the story is about.
TEST(DFlashScene, ListsTheDraftedTokenInEveryDistribution) {
    RunSettings settings = settings_for("dflash");
    settings.sampling.temperature = 1;
    Live live("dflash", settings);
    int others = 0;
    for (const RoundSummary& round : fold(*live.published.trace, live.published.trace->size()).round_list)
        for (const DraftSlot& slot : round.drafts)
            for (const int rows : {1, 2, 3}) {
                const std::vector<int> ids = dflash_tokens(slot, rows);
                EXPECT_LE(static_cast<int>(ids.size()), rows);
                EXPECT_NE(std::ranges::find(ids, slot.draft->token), ids.end());
                others += favourite(at_one(*slot.draft)) != slot.draft->token;
            }
    EXPECT_GT(others, 0);
}

TEST(HeadScenes, SpeakOfOneGuessAsOne) {
    for (const char* drafter : {"dflash", "domino"}) {
        RunSettings settings = settings_for(drafter);
        settings.k = 1;
        Live live(drafter, settings);
        for (int beat = 0; beat < find_scene(drafter)->make()->beats(live.input()); ++beat) {
            live.beat(beat);
            const std::string told = find_scene(drafter)->make()->describe(live.input(beat));
            for (const char* part :
                 {"all 2 slots", "later ones", "guesses before it", "1 rows", "next position", "where they do not", "fills every"}) {
                EXPECT_EQ(told.find(part), std::string::npos) << part << " in " << told;
                EXPECT_FALSE(live.bench->shows(part)) << part << " in " << live.bench->words;
            }
            for (const ui::RecordedText& text : live.bench->texts)
                EXPECT_FALSE(text.text.starts_with("fills") && text.text.ends_with("…")) << text.text;
        }
    }
}

TEST(DFlashScene, SaysWhichColumnsAreShownAndWhatTheBlockGets) {
    Live live("dflash", settings_for("dflash"));
    SceneInput input = live.bench->controller.frame(0).scene;
    const DFlashModel model = dflash_model(input);
    const Said sees = dflash_mask_words(model).said;
    EXPECT_EQ(sees.id(), "dflash.sight.mask");
    EXPECT_EQ(test::whole(sees, "mask"), model.selected + 1);
    EXPECT_EQ(test::whole(sees, "places"), model.seen) << "the target's states there, never the text itself";
    EXPECT_EQ(test::whole(sees, "before"), model.selected);
    EXPECT_EQ(test::whole(test::inner(sees, "slots"), "slots"), model.slots);
    input.beat = kDFlashStatesBeat;
    const Said states = dflash_story(input, model).text.said;
    EXPECT_EQ(states.id(), "dflash.states.text:some");
    EXPECT_EQ(test::whole(states, "places"), model.seen);
    EXPECT_EQ(test::whole(states, "layers"), std::ssize(model.taps));
    input.stage = {0, 0, 420, 600}; // room for two columns of four
    ui::RecordCanvas canvas(steady_fonts(), {0, 0, 420, 600});
    ui::WidgetState widgets;
    const ui::Input mouse;
    ui::Ui ui(canvas, mouse, ui::theme(ui::ThemeKind::dark), widgets, {0, 0, 420, 600});
    std::vector<SceneCommand> out;
    draw_dflash_block({input, model, ui, out}, 80);
    const Said columns = test::only_said(canvas.told(), "shared.guess.columns");
    EXPECT_EQ(test::whole(columns, "of"), model.guesses());
    EXPECT_EQ(test::whole(columns, "last") - test::whole(columns, "first"), 1);
}

TEST(DFlashScene, ShowsLongGuessesWholeWhereShortOnesLeaveRoom) {
    SceneBench bench("dflash");
    bench.show(recorded("dflash"));
    std::ptrdiff_t most = 0;
    for (int round = 0; round < 9; ++round) {
        bench.key(ui::Key::left, {.shift = true});
        most = std::max(most, std::ranges::count_if(
                                  bench.texts, [](const ui::RecordedText& t) { return t.box.y < 400 && t.text.ends_with("divisor"); }));
    }
    EXPECT_GE(most, 9) << "three guesses of one round, each in its distribution, its chip and its verdict";
}

TEST(DFlashScene, ShowsAPresentersAudienceWhatTheSentenceIsAbout) {
    expect_presented("dflash", {{kDFlashMasksBeat, "The check sees"}, {kDFlashTimesBeat, "Draft time"}, {5, "Acceptance by position"}});
}

TEST(Eagle3Scene, ShowsAPresentersAudienceWhatTheSentenceIsAbout) {
    expect_presented("eagle3", {{kEagle3FirstStepBeat, "Feature"},
                                {kEagle3ErrorsBeat, "How far its own features drift"},
                                {kEagle3TimesBeat, "Draft time of a round"},
                                {5, "Acceptance by position"}});
}

// The story begins with the first step, so that is the one that is marked.
// What comes of the drift, ".06 stay, with seven steps .85", is the evidence of that beat: a room sees it beside the drift.
TEST(Eagle3Scene, ShowsARoomWhatComesOfTheDrift) {
    const float scale = presenter_scale({1280, 720});
    SceneBench bench("eagle3", {}, {0, 0, 1280 / scale, 720 / scale});
    bench.controller.window = {1280, 720};
    bench.controller.ablations =
        std::make_shared<const Ablations>(load_experiments(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models"));
    bench.show(recorded("eagle3"));
    bench.key(ui::Key::f5);
    bench.controller.perform({SceneCommand{SetBeat{kEagle3ErrorsBeat}}}, bench.time);
    bench.settle();
    for (const char* words : {"How far its own features drift", "two heads trained", "one step", "seven steps"})
        EXPECT_TRUE(bench.shows(words)) << words << "\n" << bench.words;
    look(bench, "eagle3 errors for a room", false);
}

TEST(Eagle3Scene, MarksTheStepThatTheStoryIsAbout) {
    SceneBench bench("eagle3");
    bench.show(recorded("eagle3"));
    for (const auto& [beat, step] : {std::pair{0, 0}, std::pair{kEagle3FirstStepBeat, 0}, std::pair{2, 1}}) {
        bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
        bench.settle();
        EXPECT_EQ(eagle3_model(bench.controller.frame(0).scene).selected, step) << beat;
    }
}

TEST(Eagle3Scene, AveragesTheErrorsOfItsOwnFeatures) {
    const auto trace = recorded("eagle3");
    SceneBench bench("eagle3");
    bench.show(trace);
    const Eagle3Model model = eagle3_model(bench.controller.frame(0).scene);
    ASSERT_FALSE(model.errors.empty());
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < trace->size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&(*trace)[i]))
            if (const Internals::Strip* errors = commit->internals.strip("feature error")) {
                sum += errors->cells.front();
                ++count;
                EXPECT_LE(static_cast<int>(errors->cells.size()), commit->accepted_drafts + 1);
            }
    ASSERT_GT(count, 2);
    EXPECT_EQ(model.known.front(), count);
    EXPECT_NEAR(model.errors.front(), sum / count, 1e-9);
    const ToldFrame told = told_of(bench);
    for (const char* id : {"eagle3.taps.layer", "eagle3.drift.bar:run", "shared.head.clock:told", "shared.charts.stayed"})
        EXPECT_TRUE(says(told, id)) << id;
    EXPECT_EQ(test::real(test::all_said(told, "eagle3.drift.bar:run").at(0), "error"), model.errors.front());
}

TEST(Eagle3Scene, StepsWithTheKeysAndMeasures) {
    Live live("eagle3", settings_for("eagle3"));
    const int at = eagle3_model(live.bench->controller.frame(0).scene).selected;
    live.bench->key(ui::Key::down);
    EXPECT_EQ(eagle3_model(live.bench->controller.frame(0).scene).selected, at + 1);
    live.sent.clear();
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer();
    EXPECT_TRUE(says(told_of(*live.bench), "shared.charts.took"));
}

TEST(Eagle3Scene, ShowsInASmallWindowWhatWasMeasuredAndWhichColumnsAreShown) {
    RunSettings settings = settings_for("eagle3");
    settings.k = 15;
    Live live("eagle3", settings, {0, 0, 1280, 720});
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer();
    for (const char* words : {"Draft time of a round in ms, by guesses K", "bars: run, rings: round", "1–7 of 15"})
        EXPECT_TRUE(live.bench->shows(words)) << words << "\n" << live.bench->words;
    look(*live.bench, "eagle3 1280x720", false);
}

TEST(Eagle3Scene, CallsTheNumberOfGuessesKAndNamesItsAxes) {
    Live live("eagle3", settings_for("eagle3"));
    EXPECT_EQ(test::whole(test::only_said(told_of(*live.bench), "shared.guess.k"), "k"), 4);
    EXPECT_FALSE(live.bench->shows("γ"));
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer();
    EXPECT_TRUE(says(told_of(*live.bench), "shared.charts.times"));
}

// Where the rings of a picture are.
class RingCanvas : public ui::RecordCanvas {
  public:
    using RecordCanvas::RecordCanvas;
    std::vector<ui::Vec2> rings;
    void ring(ui::Vec2 center, float radius, const ui::Stroke& stroke) override {
        rings.push_back(center);
        RecordCanvas::ring(center, radius, stroke);
    }
};

TEST(Eagle3Scene, DrawsARoundsDriftAtItsValueAlsoAboveTheRunsMean) {
    Committed commit;
    commit.internals.strips.push_back({.name = "feature error", .cells = {0.4, 1.2}});
    RoundSummary round;
    round.commit = &commit;
    round.drafts.resize(2);
    Eagle3Model model;
    model.round = &round;
    model.errors = {0.2, 0.3};
    model.known = {3, 3};
    const SceneInput input;
    const ui::Rect screen{0, 0, 400, 300};
    RingCanvas canvas(scene_fonts(), screen);
    ui::WidgetState widgets;
    const ui::Input nothing;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, screen);
    std::vector<SceneCommand> out;
    draw_eagle3_errors({input, model, ui, out}, screen);
    ASSERT_EQ(canvas.rings.size(), 2u);
    const float bottom = screen.bottom() - 50; // where the plot stands on its axis
    EXPECT_NEAR((bottom - canvas.rings[1].y) / (bottom - canvas.rings[0].y), 3, 0.01);
    EXPECT_GT(canvas.rings[1].y, 24) << "within the plot";
}

} // namespace
} // namespace speclens
