// What the speed-up scene makes of its figures: of a run, and of a study of draft lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/lab/study.h"
#include "engine/run/run.h"
#include "scenes/speedup/speedup_draw.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/speedup_bench.h"
#include "ui/format.h"

namespace speclens {
namespace {

// Lookup finds nothing to propose in some rounds: each brings one token and costs a plain pass.
TEST(SpeedupScene, RoundsWithoutGuessesCount) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2});
    Study sparse = *live.published.studies.at(kSpeedupStudy);
    for (StudyPoint& p : sparse.points)
        if (p.settings.k > 0) p.without = 30, p.rounds += 30, p.tokens += 30; // beside ten with guesses
    live.published.studies[sparse.name] = std::make_shared<const Study>(sparse);
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    ASSERT_TRUE(m.measured());
    EXPECT_DOUBLE_EQ(m.levers.drafts, 0.25);
    EXPECT_NEAR(m.levers.draft, 0.1, 1e-9) << "of a guess that is made";
    const SpeedupPoint* three = m.point(3);
    ASSERT_NE(three, nullptr);
    EXPECT_NEAR(three->tokens, 1 + 2.3 / 4, 1e-9);
    EXPECT_NEAR(three->draft, 0.3 / 4, 1e-9);
    EXPECT_NEAR(three->verify, 1 + 0.15 / 4, 1e-9);
    EXPECT_NEAR(three->speedup, (1 + 2.3 / 4) / (1 + 0.45 / 4), 1e-9);
    EXPECT_NEAR(m.tokens[2], three->tokens, 1e-9) << "the line meets the point";
    EXPECT_NEAR(m.speedup[2], three->speedup, 1e-9);
    SceneInput input = live.input();
    input.beat = 1;
    const std::string text = speedup_story(input, m).text;
    EXPECT_NE(text.find("in " + ui::percent(0.25) + " of the rounds"), std::string::npos) << text;
    for (const ui::Rect& screen : {ui::Rect{0, 0, 1100, 700}, {0, 0, 1280, 720}, {0, 0, 1600, 1000}}) {
        SceneBench bench("speedup", {}, screen);
        bench.controller.observe(live.published, bench.time);
        bench.settle();
        const auto caption = std::ranges::find_if(bench.texts, [](const ui::RecordedText& shown) {
            return shown.text.find("dashed: one α of ") != std::string::npos;
        });
        ASSERT_NE(caption, bench.texts.end()) << screen.w << "\n" << bench.words;
        EXPECT_FALSE(caption->text.ends_with("…")) << caption->text;
    }
}

// A curve that leaves the plot at the top has its name there.
TEST(SpeedupScene, EveryCurveHasItsName) {
    Measured live;
    live.bench->key(ui::Key::m);
    for (const std::vector<int>& kept :
         {std::vector{2, 1}, {9, 8, 6, 4}, {10, 10, 10, 10, 10, 10, 10, 10, 9, 9}}) {
        live.answer(kept);
        for (const char* name : {"α .50", "α .70", "α .90"})
            EXPECT_TRUE(live.bench->shows(name)) << name << " of " << kept.size() << "\n"
                                                 << live.bench->words;
    }
}

// The last token of a text has no room for a guess: whoever drafts, that round says nothing of the drafter.
TEST(SpeedupScene, NoDrafterIsBlamedForTheLastToken) {
    const auto models = test::micro_models(1);
    RunSettings settings;
    settings.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = "small";
    int ended_alone = 0;
    for (settings.max_tokens = 1; settings.max_tokens <= 12; ++settings.max_tokens) {
        const StudyPoint point = study_point(models, settings);
        ASSERT_TRUE(point.problem.empty()) << point.problem;
        EXPECT_EQ(point.without, 0) << settings.max_tokens;
        ended_alone += !point.judged.empty() && point.judged.front() < point.rounds;
    }
    EXPECT_GT(ended_alone, 0) << "some text did end so";
}

TEST(SpeedupScene, ARunSaysHowManyOfItsRoundsGuessed) {
    const auto trace = fixtures::toy_run({.name = "lookup", .drafter = "lookup", .k = 4});
    CycleView whole = fold(*trace, trace->size());
    SceneInput input;
    input.trace = trace.get();
    input.view = input.whole = &whole;
    input.plain.ms_per_token = 9;
    whole.cycles[1].drafts.clear(); // nothing was found there
    int with = 0, rounds = 0;
    for (const CycleSummary& cycle : whole.cycles)
        if (cycle.complete()) ++rounds, with += !cycle.drafts.empty();
    ASSERT_EQ(with, rounds - 1);
    const SpeedupModel m = speedup_model(input, {});
    ASSERT_EQ(m.source, SpeedupModel::Source::run);
    EXPECT_DOUBLE_EQ(m.levers.drafts, static_cast<double>(with) / rounds);
    whole = fold(*trace, trace->size());
    whole.cycles.back().drafts.clear(); // the last token has no room for a guess, whoever drafts
    EXPECT_DOUBLE_EQ(speedup_model(input, {}).levers.drafts, 1);
}

// One pass that the machine held up must not turn what the run says into its opposite.
TEST(SpeedupScene, OneHeldUpRoundDecidesNoLever) {
    for (const char* drafter : {"small", "dflash"}) {
        const auto model = [&](int held_up) {
            const auto trace =
                fixtures::toy_run({.name = "held", .drafter = drafter, .k = 4, .held_up = held_up});
            const CycleView whole = fold(*trace, trace->size());
            SceneInput input;
            input.trace = trace.get();
            input.view = input.whole = &whole;
            input.plain.ms_per_token = 8;
            return speedup_model(input, {});
        };
        const SpeedupModel calm = model(-1), shaken = model(2);
        ASSERT_EQ(calm.source, SpeedupModel::Source::run);
        EXPECT_GT(calm.levers.verify, 0);
        EXPECT_EQ(shaken.levers.alpha, calm.levers.alpha) << drafter << ": the same guesses";
        EXPECT_NEAR(shaken.levers.draft, calm.levers.draft, 1e-9) << drafter;
        EXPECT_NEAR(shaken.levers.block, calm.levers.block, 1e-9) << drafter;
        EXPECT_NEAR(shaken.levers.verify, calm.levers.verify, 1e-9) << drafter;
        EXPECT_NEAR(shaken.speedup_at(shaken.best), calm.speedup_at(calm.best), 1e-9) << drafter;
    }
}

// A pass over a block takes as long for one guess as for fifteen: no guess has a price of its own.
TEST(SpeedupScene, ABlockIsPaidOnceARound) {
    const auto trace = fixtures::toy_run({.name = "block", .drafter = "dflash", .k = 4});
    const CycleView whole = fold(*trace, trace->size());
    SceneInput input;
    input.trace = trace.get();
    input.view = input.whole = &whole;
    input.plain.ms_per_token = 9;
    const SpeedupModel m = speedup_model(input, {});
    ASSERT_EQ(m.source, SpeedupModel::Source::run);
    EXPECT_GT(m.levers.block, 0);
    EXPECT_EQ(m.levers.draft, 0);
    EXPECT_DOUBLE_EQ(m.draft_cost(1), m.draft_cost(12));
    EXPECT_EQ(drafting_words(m.levers), ui::number(m.levers.block, 2) + " of a target pass for a block");
}

// Levers are shares of a plain pass: a machine of half the speed has the same. A block takes .4 ms and .1 ms
// for a guess beside a pass of 1 ms, here all of it twice.
TEST(SpeedupScene, MeasuresTheSameLeversOnASlowerMachine) {
    Measured live("dflash");
    live.published.status.ready_drafters.emplace_back("dflash");
    live.show();
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer({9, 8, 7, 6}, 1000, 0.1, 0.4);
    Study slow = *live.published.studies.begin()->second;
    for (StudyPoint& p : slow.points) p.verify_ms *= 2, p.draft_ms *= 2, p.head_ms *= 2;
    live.published.studies[slow.name] = std::make_shared<const Study>(slow);
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    ASSERT_EQ(m.source, SpeedupModel::Source::study);
    EXPECT_DOUBLE_EQ(m.plain_ms, 2);
    EXPECT_NEAR(m.levers.draft, 0.1, 1e-9);
    EXPECT_NEAR(m.levers.block, 0.4, 1e-9);
    EXPECT_NEAR(m.levers.verify, 0.05, 1e-9);
}

// Beside a server or a table no time of plain decoding is one to compare with.
TEST(SpeedupScene, NamesNoSpeedUpBesideAServerOrATable) {
    for (const char* tier : {"REMOTE", "TABLE"}) {
        Measured live;
        live.published.status.plain_ms_per_token = 0.5;
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 6, 4});
        SceneInput input = live.input();
        CycleView whole = *input.whole;
        Header header = *whole.header;
        header.tier = tier;
        whole.header = &header;
        input.whole = &whole;
        input.beat = 3;
        const SpeedupModel m = speedup_model(input, {});
        EXPECT_EQ(m.source, SpeedupModel::Source::assumed) << tier;
        EXPECT_TRUE(speedup_study(input).runs.empty()) << tier;
        EXPECT_TRUE(speedup_title(input, m).title.starts_with("No speed-up of this run")) << tier;
        const std::string text = speedup_story(input, m).text;
        EXPECT_NE(text.find("no speed-up to name"), std::string::npos) << text;
        EXPECT_EQ(text.find("×"), std::string::npos) << text;
    }
}

TEST(SpeedupScene, AGuessNeverCostsLessThanNothing) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.05, -0.2, 10); // by chance a pass over two was quicker
    SceneInput input = live.input();
    input.beat = 3;
    const std::string text = speedup_story(input, speedup_model(input, {})).text;
    EXPECT_NE(text.find("costs nothing measurable"), std::string::npos) << text;
    EXPECT_EQ(text.find("−"), std::string::npos) << text;
}

// The mean guess is no reason for what the first one brings and costs, nor the other way round.
TEST(SpeedupScene, TheReasonWhyItPaysIsMeasured) {
    const auto reason = [](Measured& live) {
        SceneInput input = live.input();
        input.beat = 3;
        const SpeedupModel m = speedup_model(input, {});
        EXPECT_TRUE(m.measured());
        EXPECT_GT(m.speedup_at(m.best), 1);
        return speedup_story(input, m).text;
    };
    Measured fading; // the first guess costs .45 and stays with .50, the later ones cost .62 and hardly stay
    fading.bench->key(ui::Key::m);
    fading.answer({5, 2, 1}, 1000, 0.57, -0.17, 1000);
    EXPECT_LT(speedup_model(fading.input(), {}).levers.alpha, 0.5);
    std::string words = reason(fading);
    EXPECT_NE(words.find("One guess alone pays: it brings 0.50 tokens a round and costs 0.45 passes."),
              std::string::npos)
        << words;
    EXPECT_NE(words.find("for 0.62 passes, would not."), std::string::npos) << words;
    EXPECT_EQ(words.find("once a round"), std::string::npos) << words;

    Measured once; // half a pass before the first guess, next to nothing for further ones
    once.bench->key(ui::Key::m);
    once.answer({5, 5, 5, 5, 5, 5}, 1000, 0.02, 0.5, 1000);
    words = reason(once);
    EXPECT_NE(
        words.find("One guess alone does not pay: it brings 0.50 tokens a round and costs 0.57 passes."),
        std::string::npos)
        << words;
    EXPECT_NE(
        words.find("0.50 tokens each for 0.07 passes: most of the first one's cost is paid once a round."),
        std::string::npos)
        << words;

    Measured plain; // as by the levers
    plain.bench->key(ui::Key::m);
    plain.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.1, 0, 1000);
    words = reason(plain);
    EXPECT_TRUE(words.ends_with("One guess alone pays: it brings 0.90 tokens a round and costs 0.15 passes."))
        << words;
}

TEST(SpeedupScene, AStudyOfAnotherPromptIsNotShown) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4});
    SceneInput input = live.input();
    ASSERT_TRUE(speedup_model(input, {}).measured());
    RunSettings other = *input.settings;
    other.k = 9; // every length is measured anyway
    input.settings = &other;
    EXPECT_TRUE(speedup_model(input, {}).measured());
    other.token_ids = {9, 9, 9};
    EXPECT_FALSE(speedup_model(input, {}).measured());
}

// Two lengths with one judged guess each say nothing of any position.
TEST(SpeedupScene, TooFewJudgedGuessesAreNoMeasurement) {
    Measured live;
    live.bench->key(ui::Key::m);
    Study few{kSpeedupStudy, static_cast<int>(live.study()->runs.size()), {}};
    for (std::size_t i = 0; i < 3; ++i) {
        StudyPoint p;
        p.settings = live.study()->runs[i];
        p.rounds = 2;
        p.tokens = 3;
        p.verify_ms = 1;
        p.draft_ms = 0.1;
        if (p.settings.k > 0) p.judged = {1}, p.kept = {1};
        few.points.push_back(p);
    }
    live.published.studies[few.name] = std::make_shared<const Study>(few);
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    EXPECT_FALSE(m.measured());
    EXPECT_TRUE(m.points.empty());
    EXPECT_EQ(m.plain_ms, 0) << "nothing of it is used";
    for (int beat = 0; beat < kSpeedupBeats; ++beat) {
        live.bench->controller.perform({SceneCommand{SetBeat{beat}}}, 0);
        live.bench->settle();
    }
}

// Positions are known up to 8 here; longer drafts were measured at 10, 12 and 15 only.
TEST(SpeedupScene, MarksOnlyLengthsOfWhichSomethingIsKnown) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 1});
    SpeedupState state;
    for (int k = 1; k <= kLongestDraft; ++k) {
        state.k = k;
        const SpeedupModel m = speedup_model(live.input(), state);
        ASSERT_TRUE(m.measured());
        EXPECT_TRUE(m.known(m.marked)) << k;
        EXPECT_GT(m.tokens_at(m.marked), 1) << k;
        EXPECT_LE(m.marked, k);
        const std::string text = speedup_story(live.input(4), m).text;
        EXPECT_EQ(text.find(" tokens, the positions ") != std::string::npos, m.marked <= 8) << text;
        EXPECT_EQ(text.find(" were seen.") != std::string::npos, m.point(m.marked) != nullptr) << text;
    }
    state.k = 16;
    EXPECT_EQ(speedup_model(live.input(), state).marked, 15);
    for (int i = 0; i < kLongestDraft; ++i) live.bench->key(ui::Key::up);
    EXPECT_TRUE(live.bench->shows("A round with 15 guesses")) << live.bench->words;
    live.bench->key(ui::Key::down);
    EXPECT_TRUE(live.bench->shows("A round with 12 guesses")) << live.bench->words;
}

TEST(SpeedupScene, AnUnfinishedStudyShowsWhatThereIs) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4}, 2);
    EXPECT_FALSE(speedup_model(live.input(), {}).measured()) << "one length is no curve";
    live.sent.clear();
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4}, 4);
    const SpeedupModel m = speedup_model(live.input(), {});
    EXPECT_TRUE(m.measured());
    EXPECT_TRUE(m.measuring);
    EXPECT_EQ(m.points.size(), 3u);
}

} // namespace
} // namespace speclens
