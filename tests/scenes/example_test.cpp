// What a beat takes as its example: the place that its criterion finds, in this run or in another, and nothing that
// was not checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/run/engine_status.h"
#include "scenes/accept/accept_draw.h"
#include "scenes/dflash/dflash_model.h"
#include "scenes/domino/domino_model.h"
#include "scenes/eagle3/eagle3_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/speedup/speedup_draw.h"
#include "scenes/trees/trees_model.h"
#include "tests/scenes/failures_bench.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/speedup_bench.h"
#include "tests/shared/finished.h"
#include "tests/shared/heads_bench.h"
#include "tests/shared/said_values.h"
#include "tests/shared/told_said.h"

namespace speclens {
namespace {

// A round of `distributions.size()` guesses: the favourite's probability of each, and the guess that is refused.
struct MadeRound {
    std::vector<Drafted> drafts;
    RoundSummary round;
    MadeRound(int number, const std::vector<double>& favourites, int refused) : drafts(favourites.size()) {
        round.round = number;
        for (std::size_t i = 0; i < favourites.size(); ++i) {
            drafts[i].round = number;
            drafts[i].index = drafts[i].token = static_cast<int>(i);
            drafts[i].top.entries = {{static_cast<int>(i), std::log(favourites[i])}};
            DraftSlot slot;
            slot.draft = &drafts[i];
            const int at = static_cast<int>(i);
            slot.state = refused < 0 || at < refused ? DraftSlot::State::accepted
                         : at == refused             ? DraftSlot::State::rejected
                                                     : DraftSlot::State::discarded;
            round.drafts.push_back(slot);
        }
    }
    MadeRound(const MadeRound&) = delete;
    MadeRound& operator=(const MadeRound&) = delete;
};

TEST(BlindRefusal, NeedsARefusedGuessBehindAnOpenPlace) {
    const auto holds = [](const std::vector<double>& favourites, int refused) {
        const MadeRound round(0, favourites, refused);
        return blind_refusal().holds(round.round);
    };
    EXPECT_EQ(holds({.5, .9, .9}, 1), (Position{0, 1}));
    EXPECT_FALSE(holds({.99, .5, .9}, 1)) << "the guess itself was open, what stood before it was not";
    EXPECT_FALSE(holds({.5, .9, .9}, 0)) << "nothing was guessed before it";
    EXPECT_FALSE(holds({.5, .9, .9}, -1)) << "nothing was refused";
    EXPECT_FALSE(holds({.5, .9, .9}, 2)) << "the open place is not right before it";
}

TEST(BlindRefusal, TakesTheMostOpenPlaceOfTheRun) {
    const MadeRound first(0, {.75, .9}, 1), second(1, {.4, .9}, 1), third(2, {.6, .9}, 1);
    RunView whole;
    whole.round_list = {first.round, second.round, third.round};
    EXPECT_EQ(find_in(whole, blind_refusal()), (Position{1, 1}));
    whole.round_list = {};
    EXPECT_FALSE(find_in(whole, blind_refusal()));
}

// In the recorded run every guess that was refused stands behind a certain one.
TEST(DFlashScene, BlamesNoIgnoranceWhereTheEarlierPlaceWasCertain) {
    const auto trace = recorded("dflash");
    const RunView whole = fold(*trace, trace->size());
    for (const RoundSummary& round : whole.round_list) {
        SceneBench bench("dflash");
        bench.show(trace, round.end_event);
        SceneInput input = bench.controller.frame(0).scene;
        input.beat = kDFlashTwiceBeat;
        const DFlashModel model = dflash_model(input);
        if (model.empty != HeadModel::Empty::no || model.refused() < 1) continue;
        const Said text = dflash_story(input, model).text.said;
        const bool open = open_before(*model.round, model.refused());
        EXPECT_EQ(text.id(), open ? "dflash.twice.text:blind" : "dflash.twice.text:sure");
        EXPECT_EQ(test::whole(text, "place"), model.refused() + 1);
    }
}

// With dice: what is drawn in an open place is a matter of chance, so some run of these seeds has an example.
TEST(DFlashScene, OffersARunThatHasAnExampleWhereThisOneHasNone) {
    RunSettings settings = settings_for("dflash");
    settings.sampling.temperature = 1;
    Live live("dflash", settings);
    Criterion never = blind_refusal();
    never.name = "never";
    never.holds = [](const RoundSummary&) { return std::optional<Position>(); };
    EXPECT_FALSE(find_in(*live.input().whole, never));
    const RunStudy study = search_elsewhere(live.input(), never);
    ASSERT_EQ(study.runs.size(), 8U);
    for (const RunSettings& run : study.runs) EXPECT_NE(run.seed, settings.seed);
    EXPECT_NE(without_example_words(live.input(), never).find("This run has no"), std::string::npos);

    const auto measure = [&](const Criterion& criterion) {
        Study done{criterion.name, static_cast<int>(study.runs.size()), {}};
        for (const RunSettings& one : study.runs) done.points.push_back(study_point(live.models, one));
        live.published.studies[done.name] = std::make_shared<const Study>(done);
        live.show();
    };
    measure(never);
    EXPECT_FALSE(found_elsewhere(live.input(), never).settings);
    EXPECT_NE(without_example_words(live.input(), never).find("Nor have 8 other seeds"), std::string::npos);
    measure(blind_refusal());
    const FoundElsewhere found = found_elsewhere(live.input(), blind_refusal());
    ASSERT_TRUE(found.settings);
    EXPECT_EQ(found.which, "seed " + std::to_string(found.settings->seed));
    const StudyPoint again = study_point(live.models, *found.settings);
    EXPECT_TRUE(find_in(fold(*again.trace, again.trace->size()), blind_refusal()));
    Story story;
    offer_example(story, live.input(), blind_refusal());
    ASSERT_EQ(story.on_task.size(), 1U);
    EXPECT_EQ(std::get<Restart>(std::get<Command>(story.on_task[0])).settings.seed, found.settings->seed);
}

// The window goes to the round that the beat is about, once, and stays where the user goes from there.
TEST(DFlashScene, GoesToItsExampleWhenTheBeatOpens) {
    RunSettings settings = settings_for("dflash");
    settings.sampling.temperature = 1;
    for (settings.seed = 1; settings.seed < 40; ++settings.seed) {
        Live live("dflash", settings);
        const RunView& whole = *live.input().whole;
        const auto at = find_in(whole, blind_refusal());
        const auto other = std::ranges::find_if(whole.round_list, [](const RoundSummary& c) { return !blind_refusal().holds(c); });
        if (!at || other == whole.round_list.end()) continue;
        live.bench->controller.perform({SceneCommand{SetCursor{other->end_event}}}, live.bench->time);
        live.bench->settle();
        ASSERT_EQ(shown_round(live.input())->round, other->round);
        live.beat(kDFlashTwiceBeat);
        EXPECT_EQ(shown_round(live.input())->round, at->round);
        EXPECT_EQ(dflash_model(live.input()).selected, at->index);
        const Said text = dflash_story(live.input(), dflash_model(live.input())).text.said;
        EXPECT_EQ(text.id(), "dflash.twice.text:blind");
        EXPECT_EQ(test::whole(text, "open"), at->index);
        live.bench->controller.perform({SceneCommand{SetCursor{1}}}, live.bench->time);
        live.bench->settle();
        EXPECT_EQ(live.input().cursor, 1U) << "the user chose another place";
        return;
    }
    FAIL() << "no seed has an example and another round";
}

// ---- the accept rule ----

TEST(AcceptScene, OpensOnAGuessOnWhichTheTwoModelsDiffer) {
    const auto trace = fixtures::toy_run({.name = "contested", .cycles = 12});
    SceneBench bench("accept-rule");
    bench.show(trace);
    const RunView whole = fold(*trace, trace->size());
    const auto at = find_in(whole, contested_guess());
    ASSERT_TRUE(at) << "the toy models differ";
    bench.controller.perform({SceneCommand{SetBeat{0}}}, bench.time);
    bench.settle();
    const SceneInput input = bench.controller.frame(0).scene;
    const AcceptView view = accept_view(input, {}, -1);
    ASSERT_TRUE(view.source.position);
    EXPECT_TRUE(tells_much(whole, *view.source.position));
    EXPECT_GT(view.kept, 0.15);
    EXPECT_LT(view.kept, 0.9);
}

TEST(AcceptScene, ACertainGuessIsNoExample) {
    const auto certain = fixtures::toy_run({.name = "certain", .cycles = 6, .noise = 0});
    EXPECT_FALSE(find_in(fold(*certain, certain->size()), contested_guess())) << "both models say the same";
    const auto foreign = fixtures::toy_run({.name = "foreign", .cycles = 6, .noise = 1});
    EXPECT_FALSE(find_in(fold(*foreign, foreign->size()), contested_guess())) << "they share nothing";
}

// What a key shows, the words tell: a coin opens the beat of the coin, a thousand that of the count.
TEST(AcceptScene, AThrownCoinBringsTheWordsAlong) {
    const auto trace = fixtures::toy_run({.name = "coins", .cycles = 12});
    SceneBench bench("accept-rule");
    bench.show(trace, trace->size());
    bench.controller.perform({SceneCommand{SetBeat{0}}}, bench.time);
    bench.settle();
    bench.key(ui::Key::c);
    EXPECT_EQ(bench.controller.frame(0).scene.beat, kCoinBeat);
    EXPECT_TRUE(bench.shows("The coin decides"));
    bench.key(ui::Key::m);
    EXPECT_EQ(bench.controller.frame(0).scene.beat, kCountBeat);
    EXPECT_TRUE(bench.shows("Now count"));
}

TEST(AcceptScene, UndoBringsBackTheCoinsThatWereThrown) {
    const auto trace = fixtures::toy_run({.name = "coins", .cycles = 12});
    SceneBench bench("accept-rule");
    bench.show(trace, trace->size());
    bench.controller.perform({SceneCommand{SetBeat{kCountBeat}}}, bench.time);
    bench.settle();
    bench.key(ui::Key::m);
    const auto flips = [&] {
        const auto told = test::all_said(bench.controller.frame(0).active->told(bench.controller.frame(0).scene), "accept-rule.flips.told");
        return !told.empty() && test::whole(told[0], "flips") == 1000;
    };
    EXPECT_TRUE(flips());
    bench.key(ui::Key::equal); // another distribution: its coins are others
    EXPECT_FALSE(flips());
    bench.key(ui::Key::z);
    EXPECT_TRUE(flips()) << "undo takes back the distribution and brings its coins";
}

// ---- what scenes ask of their own accord ----

// Nothing is left in it of the prompt on the screen, here a conversation that a client of our server had.
TEST(ScenesOwnPrompts, AreWholePrompts) {
    RunSettings now;
    now.prompt = {.text = "said", .system = "Be brief.", .thinking = true, .parts = {{"said", true}}, .token_ids = {5, 6}};
    now.sampling.temperature = 0;
    EngineStatus status;
    status.ready_drafters = {"none", "eagle3", "dflash", "domino"};
    const std::vector<GalleryPrompt> gallery = {{"code", "sum(", "Be brief.", true}};
    SceneInput input;
    input.settings = &now;
    input.status = &status;
    input.gallery = &gallery;
    const auto head = std::get<Restart>(std::get<Command>(example_run(input)));
    EXPECT_EQ(head.settings.prompt, (Prompt{.text = kHeadPrompt, .chat = true, .chat_if_possible = true}));
    const RunStudy times = time_study(input), search = search_elsewhere(input, blind_refusal());
    ASSERT_FALSE(times.runs.empty());
    EXPECT_EQ(times.runs[0].prompt, (Prompt{.text = times.runs[0].prompt.text, .chat = true, .chat_if_possible = true}));
    ASSERT_EQ(search.runs.size(), 1U);
    EXPECT_EQ(search.runs[0].prompt,
              (Prompt{.text = "sum(", .system = "Be brief.", .chat = true, .chat_if_possible = true, .thinking = true}));
}

// ---- blocks ----

TEST(TreesScene, TeachesTheBlockByAGuessThatItRescues) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.rule = "block";
    settings.sampling.temperature = 1;
    settings.max_tokens = 40;
    const std::shared_ptr<const Models> models = test::micro_models(1);
    int rescued = 0, none = 0;
    for (settings.seed = 1; settings.seed < 12; ++settings.seed) {
        const StudyPoint point = study_point(models, settings);
        ASSERT_TRUE(point.trace) << point.problem;
        SceneBench bench("trees");
        bench.show(point.trace);
        for (int beat = 0; beat <= kTreesRescueBeat; ++beat) {
            bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
            bench.settle();
            const SceneInput input = bench.controller.frame(0).scene;
            const TreesModel model = trees_model(input, {});
            EXPECT_GT(model.verdict().block_kept, model.verdict().token_kept) << "seed " << settings.seed;
            EXPECT_EQ(model.block.has_value(), !model.none_rescued);
            model.none_rescued ? ++none : ++rescued;
        }
    }
    EXPECT_GT(rescued, 0);
}

// ---- when it fails ----

TEST(LossBars, ShowOneThatGainsAndThreeThatLoseEachInItsWay) {
    FailuresModel unmeasured;
    const LossBars assumed = loss_bars(unmeasured);
    EXPECT_FALSE(assumed.measured);
    EXPECT_FALSE(assumed.why_assumed.empty());
    const auto& [healthy, full, bad, dear] = assumed.bars;
    EXPECT_GT(healthy.speedup(), 1.1);
    for (const LossBar* bar : {&full, &bad, &dear}) EXPECT_LT(bar->speedup(), 1) << loss_name(bar->kind);
    EXPECT_GT(full.verify, 2 * healthy.verify) << "the verify bar is long";
    const ui::Scale scale = loss_scale(assumed, 0, 1000);
    for (const LossBar& bar : assumed.bars) {
        EXPECT_NEAR(bar.speedup() * scale.length(bar.round()), scale.length(bar.tokens), 0.01) << "lengths say the factor";
        EXPECT_LE(scale(std::max(bar.round(), bar.tokens)), 1000) << loss_name(bar.kind);
    }
    EXPECT_DOUBLE_EQ(full.tokens, healthy.tokens);
    EXPECT_LT(bad.tokens, healthy.tokens / 2) << "the plain bar is short";
    EXPECT_DOUBLE_EQ(bad.round(), healthy.round());
    EXPECT_GT(dear.draft, 2 * healthy.draft) << "the draft bar is long";
    EXPECT_DOUBLE_EQ(dear.tokens, healthy.tokens);
    EXPECT_DOUBLE_EQ(assumed_pass(1), 1);
    EXPECT_DOUBLE_EQ(assumed_pass(kIdleRows), 1);
    EXPECT_DOUBLE_EQ(assumed_pass(4 * kIdleRows), 4);
}

// By this machine's passes only where they show what the names say.
TEST(LossBars, AreOfThisMachineWhereItShowsAllFour) {
    const PassTimes times = bend();
    FailuresModel m;
    m.times = &times;
    m.levers = {.alpha = 0.8, .draft = 0.1};
    for (const int requests : kRequests)
        for (const int k : kGuesses) m.cells.push_back(load_cell(times, m.levers, requests, k));
    const LossBars own = loss_bars(m);
    EXPECT_TRUE(own.measured) << own.why_assumed;
    EXPECT_NEAR(own.bars[0].speedup(), load_cell(times, m.levers, 1, m.best_k(0)).speedup, 1e-12);
    m.levers.alpha = 0.1; // nothing pays here
    m.cells.clear();
    for (const int requests : kRequests)
        for (const int k : kGuesses) m.cells.push_back(load_cell(times, m.levers, requests, k));
    const LossBars other = loss_bars(m);
    EXPECT_FALSE(other.measured);
    EXPECT_NE(other.why_assumed, "");
}

// ---- speed-up ----

TEST(SpeedupScene, KeepsItsFormulaAndWhatItAssumesWhenNumbersAreMeasured) {
    Measured live;
    live.beat(kSpeedupTokensBeat);
    EXPECT_TRUE(live.bench->shows("Assumes that every guess stays with the same chance")) << live.bench->words;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 7, 6, 5, 4, 3, 2, 1});
    live.beat(kSpeedupTokensBeat);
    EXPECT_TRUE(live.bench->shows("Assumes that every guess stays with the same chance")) << live.bench->words;
    live.beat(0);
    EXPECT_TRUE(live.bench->shows("speed-up = tokens"));
}

TEST(SpeedupScene, TellsTheLengthForWhichOneNumberMisleadsMost) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({3, 3, 3, 3, 3, 3, 3, 3}); // a bad start, then nothing is lost
    const SpeedupModel uneven = speedup_model(live.input(), {});
    EXPECT_TRUE(one_number_miss(uneven).matters());
    SceneInput input = live.input(kSpeedupPlacesBeat);
    EXPECT_EQ(speedup_story(input, uneven).heading, "One number is not enough");
    EXPECT_NE(speedup_story(input, uneven).text.find("They differ most for K = " + std::to_string(one_number_miss(uneven).k)),
              std::string::npos);
    EXPECT_FALSE(one_number_miss(SpeedupModel{}).matters()) << "nothing was measured";
}

// ---- EAGLE-3 ----

// The recorded run's features are off by their own length from the first step on, and its guesses stay.
TEST(Eagle3Scene, ClaimsNoErrorsThatAddUpWhereGuessesStay) {
    SceneBench bench("eagle3");
    bench.show(recorded("eagle3"));
    SceneInput input = bench.controller.frame(0).scene;
    input.beat = kEagle3ErrorsBeat;
    const Eagle3Model model = eagle3_model(input);
    EXPECT_FALSE(errors_add_up(input, model));
    EXPECT_EQ(eagle3_story(input, model).heading.said.id(), "eagle3.errors.heading:off");
}

TEST(Eagle3Scene, ShowsWhatAHeadTrainedOnOneStepLoses) {
    const Ablations ablations = load_ablations(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "ablations.json");
    SceneBench bench("eagle3");
    bench.show(recorded("eagle3"));
    SceneInput input = bench.controller.frame(0).scene;
    EXPECT_FALSE(trained_steps(input)) << "no experiments are at hand";
    input.ablations = &ablations;
    const auto heads = trained_steps(input);
    ASSERT_TRUE(heads);
    EXPECT_LT(heads->one->conditional[1], 0.2);
    EXPECT_GT(heads->many->conditional[1], 0.7);
    input.beat = kEagle3ErrorsBeat;
    const Said text = eagle3_story(input, eagle3_model(input)).text.said;
    EXPECT_EQ(text.id(), "eagle3.errors.text:trained");
    EXPECT_EQ(test::real(text, "one"), heads->one->conditional[1]);
    EXPECT_EQ(test::real(text, "many"), heads->many->conditional[1]);
}

} // namespace
} // namespace speclens
