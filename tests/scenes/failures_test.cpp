// Scene S14: the map over requests and draft length, the entropy of the judges, and the reason that is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/frontend/frontend.h"
#include "engine/lab/pass_times.h"
#include "engine/run/run.h"
#include "kernels/error.h"
#include "scenes/failures/failures_model.h"
#include "tests/scenes/failures_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/scenes_tab.h"
#include "tests/shared/micro.h"
#include "tests/shared/unowned.h"

namespace speclens {
namespace {

TEST(FailuresModel, TheBestOfARowIsTheFastestThatPays) {
    FailuresModel m;
    for (const double first : {1.2, 1.0, 0.9})
        for (std::size_t i = 0; i < std::size(kGuesses); ++i)
            m.cells.push_back({1, kGuesses[i], i == 0 ? first : first > 1.1 ? 1.1 : 0.99});
    EXPECT_EQ(m.best(0), 0);
    EXPECT_EQ(m.best_k(0), 1) << "one guess";
    for (const int row : {1, 2}) {
        EXPECT_EQ(m.best(row), -1) << "nothing pays";
        EXPECT_EQ(m.best_k(row), 0);
    }
}

TEST(Failures, PassesBetweenAndBeyondTheMeasuredWidths) {
    const PassTimes times = bend();
    EXPECT_DOUBLE_EQ(pass_ms(times, 1), 1);
    EXPECT_DOUBLE_EQ(pass_ms(times, 6), 1);
    EXPECT_DOUBLE_EQ(pass_ms(times, 12), 1.5);
    EXPECT_DOUBLE_EQ(pass_ms(times, 64), 8);
    EXPECT_DOUBLE_EQ(pass_ms(times, 128), 16) << "the last slope goes on";
    PassTimes falling = bend();
    falling.passes.back().ms = 3; // noise: the widest pass quicker than the one before
    EXPECT_DOUBLE_EQ(pass_ms(falling, 200), 3) << "but never falls";
}

TEST(Failures, ACellIsTokensAgainstTheRound) {
    const Levers levers{.alpha = 0.8, .draft = 0.1};
    const LoadCell alone = load_cell(bend(), levers, 1, 4);
    EXPECT_NEAR(alone.speedup, expected_tokens(0.8, 4) / (4 * 0.1 + 1), 1e-12);
    EXPECT_FALSE(alone.extrapolated);
    const LoadCell busy = load_cell(bend(), levers, 16, 4); // 80 rows: 10 ms; a plain pass 2 ms
    EXPECT_NEAR(busy.speedup, expected_tokens(0.8, 4) * 2 / (4 * 0.1 * 2 + 10), 1e-12);
    EXPECT_TRUE(busy.extrapolated);
    EXPECT_LT(busy.speedup, 1);
    EXPECT_GT(alone.speedup, 1);
}

// Lookup often has nothing to propose: such a round brings one token and costs a plain pass.
TEST(Failures, RoundsWithoutGuessesCount) {
    const Levers half{.alpha = 0.8, .draft = 0.1, .drafts = 0.5};
    const LoadCell cell = load_cell(bend(), half, 1, 4);
    EXPECT_NEAR(cell.speedup, (expected_tokens(0.8, 4) / 2 + 0.5) / (4 * 0.1 / 2 + 1), 1e-12);
    EXPECT_DOUBLE_EQ(verify_rows(half, 8, 4), 8 * 3);
    EXPECT_LT(cell.speedup, load_cell(bend(), {.alpha = 0.8, .draft = 0.1}, 1, 4).speedup);
}

// A drafter that guesses a block at once takes as long for one guess as for seven, but for its head.
TEST(Failures, ABlockCostsTheSameWhateverK) {
    const Levers levers{.alpha = 0.8, .draft = 0, .block = 0.5};
    const LoadCell one = load_cell(bend(), levers, 1, 1), seven = load_cell(bend(), levers, 1, 7);
    EXPECT_NEAR(one.speedup, expected_tokens(0.8, 1) / 1.5, 1e-12);
    EXPECT_NEAR(seven.speedup, expected_tokens(0.8, 7) / 1.5, 1e-12);
    for (const char* drafter : {"dflash", "small"}) {
        const auto trace = fixtures::toy_run({.name = "block", .drafter = drafter, .k = 4});
        const RunView whole = fold(*trace, trace->size());
        const PassTimes times = bend();
        SceneInput input;
        input.trace = trace.get();
        input.view = input.whole = &whole;
        input.passes = test::unowned(times);
        input.plain.ms_per_token = 9;
        const FailuresModel m = failures_model(input, {});
        ASSERT_TRUE(m.from_run);
        const bool block = drafter == std::string("dflash");
        EXPECT_NEAR(m.levers.block, block ? 4 * 1.5 / 9 : 0, 1e-9) << drafter;
        EXPECT_NEAR(m.levers.draft, block ? 0 : 1.5 / 9, 1e-9) << drafter;
        EXPECT_EQ(map_title(m).subtitle.find("a block costs .67 of a pass") != std::string::npos, block);
        EXPECT_EQ(map_title(m).subtitle.find("set by hand"), std::string::npos);
        FailuresState dragged;
        dragged.alpha = 0.5;
        EXPECT_NE(map_title(failures_model(input, dragged)).subtitle.find(".50 (set by hand)"), std::string::npos);
    }
}

TEST(Failures, EntropyCountsTheRestAsOneToken) {
    const TopEntries even{{{1, std::log(0.5)}, {2, std::log(0.5)}}, 0};
    EXPECT_NEAR(entropy_of(even), std::log(2.0), 1e-9);
    const TopEntries sure{{{1, 0.0}}, 0};
    EXPECT_NEAR(entropy_of(sure), 0, 1e-9);
    const TopEntries cut{{{1, std::log(0.5)}}, 0.5};
    EXPECT_NEAR(entropy_of(cut), std::log(2.0), 1e-9);
}

TEST(FailuresScene, MeasuresFirstAndThenShowsTheMap) {
    Loaded empty(false);
    EXPECT_TRUE(empty.bench->shows("time passes first: M"));
    empty.bench->key(ui::Key::m);
    ASSERT_FALSE(empty.sent.empty());
    EXPECT_TRUE(std::holds_alternative<MeasurePasses>(empty.sent.back()));
    Loaded live(true);
    EXPECT_TRUE(live.bench->shows("1 request, 4 guesses: "));
    EXPECT_TRUE(live.bench->shows("SIM"));
    for (int i = 0; i < 6; ++i) live.bench->key(ui::Key::down);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("64 requests, 4 guesses each"));
    EXPECT_TRUE(live.bench->shows("slower than plain decoding"));
    EXPECT_TRUE(live.bench->shows("beyond the measured widths"));
}

// A pass does all that a narrower one does. One that took longer than a wider one is not believed, and
// marked.
TEST(Failures, BelieveNoPassThatTookLongerThanAWiderOne) {
    PassTimes times = bend();
    times.passes[0].ms = 1.9; // one row slower than two
    times.passes[2].ms = 10;  // four rows
    EXPECT_DOUBLE_EQ(pass_ms(times, 1), 1);
    EXPECT_DOUBLE_EQ(pass_ms(times, 4), 1);
    EXPECT_DOUBLE_EQ(pass_ms(times, 16), 2);
    EXPECT_TRUE(outrun_pass(times, 1));
    EXPECT_FALSE(outrun_pass(times, 2));
    EXPECT_TRUE(outrun_pass(times, 3));
    EXPECT_FALSE(outrun_pass(times, 8));
    EXPECT_TRUE(load_cell(times, {.alpha = 0.18, .draft = 0}, 1, 1).outrun);
    EXPECT_FALSE(load_cell(times, {.alpha = 0.18, .draft = 0}, 8, 1).outrun);
    for (const int requests : kRequests)
        for (const int k : kGuesses)
            EXPECT_LE(load_cell(times, {.alpha = 0.18, .draft = 0}, requests, k).speedup, expected_tokens(0.18, k) + 1e-9)
                << requests << " requests, K = " << k;
}

// Nor does one that took longer than several narrower ones which do the same, the widest of all among them.
TEST(Failures, BelieveNoPassThatTookLongerThanSeveralNarrowerOnes) {
    PassTimes times = bend();
    const PassTime widest = times.passes.back();
    times.passes.back().ms *= 3;
    EXPECT_DOUBLE_EQ(pass_ms(times, widest.rows), widest.ms);
    EXPECT_TRUE(outrun_pass(times, widest.rows));
    EXPECT_FALSE(outrun_pass(times, widest.rows / 2));
    for (const int k : kGuesses) {
        const LoadCell cell = load_cell(times, {.alpha = 0.86, .draft = 0.1}, widest.rows, k);
        EXPECT_FALSE(cell.pays()) << "K = " << k;
        EXPECT_TRUE(cell.outrun) << "K = " << k;
    }
}

TEST(FailuresScene, NamesNoFactorForSureThatStandsOnTimesInDoubt) {
    Loaded live(true);
    const SceneInput input = live.bench->controller.frame(live.bench->time).scene;
    FailuresModel m = failures_model(input, {});
    EXPECT_EQ(map_title(m).title.find("perhaps"), std::string::npos);
    PassTimes times = bend();
    times.other_cores = 1.4;
    m.times = &times;
    EXPECT_NE(map_title(m).title.find("1 request, 4 guesses: perhaps "), std::string::npos) << map_title(m).title;
    EXPECT_NE(map_title(m).subtitle.find("in doubt: other programs kept 1.4 cores busy"), std::string::npos);
}

TEST(Failures, CallsACellNearOneNeitherFasterNorSlower) {
    for (const double near : {0.996, 1.0, 1.004}) {
        LoadCell cell;
        cell.speedup = near;
        EXPECT_FALSE(cell.pays()) << near;
        EXPECT_FALSE(cell.loses()) << near;
    }
    LoadCell cell;
    cell.speedup = 1.006;
    EXPECT_TRUE(cell.pays());
    cell.speedup = 0.994;
    EXPECT_TRUE(cell.loses());
}

TEST(Failures, SaysWhatTheGuessesShowOnlyWhereTheyDo) {
    const std::vector<EntropyBin> few = {{0, 0.1, 26, 23}, {0.7, 1.2, 2, 1}, {1.2, 2, 3, 2}, {2, 99, 4, 3}};
    EXPECT_EQ(entropy_finding(few).shown, EntropyFinding::Shown::too_few);
    EXPECT_EQ(entropy_finding(few).sure.kept, 23);
    EXPECT_EQ(entropy_finding(few).unsure.judged, 9);
    std::vector<EntropyBin> more = few;
    more[2] = {1.2, 2, 30, 6};
    EXPECT_EQ(entropy_finding(more).shown, EntropyFinding::Shown::falls);
    more[2] = {1.2, 2, 30, 28};
    EXPECT_EQ(entropy_finding(more).shown, EntropyFinding::Shown::nothing);
    FailuresModel m;
    const SceneInput input;
    SceneInput at = input;
    at.beat = 3;
    m.bins = few;
    EXPECT_TRUE(failures_story(at, m, nullptr).text.starts_with("Too few here to tell: 23 of 26"));
    m.bins = more;
    EXPECT_TRUE(failures_story(at, m, nullptr).text.starts_with("This run shows no clear fall"));
}

TEST(Frames, HaveNoBeatBeyondTheLast) {
    FrameRequest request;
    request.scene = "failures";
    const auto told = [&](int beat) {
        request.beat = beat;
        return describe_frame(request, fixtures::mixed(), RunSettings{}, EngineStatus{});
    };
    EXPECT_NE(told(kFailuresBeats), told(kFailuresBeats - 1));
    EXPECT_THROW((void)told(kFailuresBeats + 1), Error);
}

TEST(FailuresScene, MarksAsManyGuessesAsTheRunMakes) {
    for (const auto& [k, shown] : {std::pair{15, 15}, {12, 12}, {11, 10}, {6, 6}, {1, 1}}) {
        EXPECT_EQ(kGuesses[guesses_at_most(k)], shown);
        Header header;
        header.k = k;
        RunView whole;
        whole.header = &header;
        SceneInput input;
        input.whole = &whole;
        EXPECT_EQ(failures_model(input, {}).guesses(), shown);
    }
}

TEST(FailuresScene, CountsGuessesInWholeNumbers) {
    Loaded live(true);
    const FailuresModel m = failures_model(live.bench->controller.frame(0).scene, {});
    for (const EntropyBin& bin : m.bins)
        if (bin.judged > 0) {
            EXPECT_TRUE(live.bench->shows(std::to_string(bin.kept) + " of " + std::to_string(bin.judged))) << live.bench->words;
        }
}

TEST(FailuresScene, CountsNothingOfNothingAndOneRequestAsOne) {
    Loaded live(true);
    const SceneInput input = live.bench->controller.frame(0).scene;
    FailuresModel m = failures_model(input, {});
    m.bins = {{0, 0.1, 5, 4}, {0.1, 0.3, 0, 0}};
    const std::string words = failures_description(input, m);
    EXPECT_NE(words.find("Entropy from 0.1 to 0.3: none judged"), std::string::npos) << words;
    EXPECT_NE(words.find("Entropy from 0.0 to 0.1: kept 4 of 5"), std::string::npos) << words;
    m.row = 0;
    ASSERT_EQ(m.marked().requests, 1);
    EXPECT_EQ(map_title(m).title.find(" each"), std::string::npos) << map_title(m).title;
    m.row = 1;
    EXPECT_NE(map_title(m).title.find(" each: "), std::string::npos) << map_title(m).title;
}

TEST(FailuresScene, CountsTheRunsGuessesByEntropy) {
    Loaded live(true);
    const FailuresModel m = failures_model(live.bench->controller.frame(0).scene, {});
    int judged = 0, kept = 0;
    for (const EntropyBin& bin : m.bins) judged += bin.judged, kept += bin.kept;
    const RunView view = fold(live.run->trace(), live.run->trace().size());
    int checks = 0;
    for (const RoundSummary& round : view.round_list)
        for (const DraftSlot& slot : round.drafts) checks += slot.check != nullptr;
    EXPECT_EQ(judged, checks);
    EXPECT_EQ(kept, view.accepted_drafts);
}

// A heading that the numbers below it deny is worse than none.
TEST(FailuresScene, TheHeadingAboutTheBestKIsTrueHere) {
    Loaded live(true);
    SceneInput input = live.bench->controller.frame(0).scene;
    input.beat = 2;
    const auto told = [&](const FailuresModel& m) { return failures_story(input, m, nullptr); };
    FailuresState state;
    state.alpha = 0.9;
    FailuresModel m = failures_model(input, state);
    ASSERT_GT(m.best_k(0), m.best_k(kMostBusy));
    EXPECT_EQ(told(m).heading, "The best K falls with load");
    EXPECT_NE(told(m).text.find("the best K is " + std::to_string(m.best_k(0)) + " for one request"), std::string::npos) << told(m).text;
    state.alpha = 0;
    m = failures_model(input, state);
    ASSERT_FALSE(m.pays_anywhere());
    EXPECT_EQ(told(m).heading, "Here no K pays, whatever the load");
    EXPECT_EQ(told(m).text.find("best K"), std::string::npos) << told(m).text;
    for (LoadCell& cell : m.cells)
        if (cell.requests == 64 && cell.k == 2) cell.speedup = 1.2; // where times are noise
    ASSERT_LT(m.best_k(0), m.best_k(kMostBusy));
    EXPECT_EQ(told(m).heading, "The best K depends on the load");
}

// Times in doubt find no best K, and no sentence claims one.
TEST(FailuresScene, ClaimsNoBestKByTimesInDoubt) {
    Loaded live(true);
    SceneInput input = live.bench->controller.frame(0).scene;
    input.beat = kMapBeat;
    FailuresModel m = failures_model(input, {});
    EXPECT_FALSE(m.doubtful());
    PassTimes times = bend();
    times.other_cores = 1.5;
    m.times = &times;
    const Story story = failures_story(input, m, nullptr);
    EXPECT_NE(story.text.find("not known: its times are in doubt"), std::string::npos) << story.text;
    EXPECT_EQ(story.text.find("the best K is"), std::string::npos) << story.text;
    EXPECT_EQ(failure_reason(m).find("Guessing pays"), std::string::npos) << failure_reason(m);
    PassTimes held_up = bend();
    held_up.passes.front().ms *= 2; // a pass over one token that took longer than one over two
    m.times = &held_up;
    m.cells.clear();
    for (const int requests : kRequests)
        for (const int k : kGuesses) m.cells.push_back(load_cell(held_up, m.levers, requests, k));
    EXPECT_EQ(m.doubtful(), m.best(0) >= 0);
}

// What the bars tell is told by the controls too, or not at all.
TEST(FailuresScene, OffersTheCellOfItsBarsOrNone) {
    Loaded live(true);
    for (int beat = 0; beat < kFailuresBeats - 1; ++beat) {
        live.beat(beat);
        EXPECT_EQ(live.bench->shows("Guesses K"), shows_map(beat)) << "beat " << beat + 1;
    }
    live.beat(kSharedBeat);
    EXPECT_EQ(kRequests[failures_model(live.bench->controller.frame(0).scene, {}).row], 64) << "as in its bar";
    live.bench->key(ui::Key::up);
    live.beat(kMapBeat);
    EXPECT_TRUE(live.bench->shows("32 requests")) << "what was chosen there stays";
}

TEST(FailuresScene, TabStopsAtNoCell) {
    Loaded live(true);
    const auto id = [&](const std::string& name) { return id_in(*live.bench, "failures", name); };
    const std::set<ui::Id> stops = tab_stops(*live.bench);
    EXPECT_TRUE(stops.contains(id("measure")));
    for (int row = 0; row <= kMostBusy; ++row)
        for (const int k : kGuesses)
            EXPECT_FALSE(stops.contains(id("cell " + std::to_string(row) + " " + std::to_string(k)))) << row << ", " << k;
}

TEST(FailuresScene, NothingCollidesWhereEverythingIsShown) {
    for (const Size& s : kSizes) {
        Loaded live(true, {0, 0, s.w, s.h});
        for (int beat = 0; beat < kFailuresBeats; ++beat) {
            live.bench->controller.perform({SceneCommand{SetBeat{beat}}}, live.bench->time);
            live.bench->settle();
            look(*live.bench, std::string("failures ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
        }
    }
}

} // namespace
} // namespace speclens
