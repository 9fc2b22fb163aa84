// Scene S14: the map over requests and draft length, the entropy of the judges, and the reason that is given.
//
// What stood in the description that was written by hand, and which message has it now:
//
//     {title} {subtitle} "Data: …"                        idle.title … map.title, subtitle.bars, map.subtitle, shared.words.data
//     "A round beside plain decoding …, assumed: …"       bars.title, bars.unit {rows}, subtitle.bars:assumed {why}
//     "Healthy, 1 request, K = 5, a guess stays with .8"  bars.bar {bar} {requests} {k} {alpha}
//     "3.69 tokens; draft .40 + verify 1 = 1.40: 2.64×"   bars.bar {tokens} {draft} {verify} {round} {times} {sign}
//     "1 request: best K 4; 1.20 1.31* ~1.40 (measured)"  load.row {requests} {best}: load.in_row {k} {times} {perhaps} {beyond} {low}
//     "Entropy from 0.1 to 0.3: kept 4 of 5"              entropy.bin {low} {high} {kept} {judged}
//     "The batch: 4 texts at once, 12 rounds; 9 rows …"   lanes.under {texts}, lanes.sum {refused} {rows} {share} {prompt}
//     "5 rows: 1/4 - p17"                                 lanes.round {round} {rows}: lanes.seat {kept} {guesses}, {rows}
//     "From bytes to arithmetic: memory brings …"         roofline.roofs {bandwidth} {peak} {knee}
//     "without guesses: 4.0 rows a pass, …"               roofline.at {guesses} {rows} {intensity} {rate} {memory} {simulated}
//     "DSpark, K = 7: 2.54× (4) …; conditions; source"    published.curve {curve}: published.point {times} {requests}; published.cited
//     "EAGLE-3: 1.38× (64); source"                       published.figure {value}: published.method {method} {requests}
//     "Why: …"                                            bars.reason, reason.…
//     "Set-up A: 1.10 tokens per round, draft …"          set_up.case {tokens} {draft} {verify} {doubt} {times} {share}
//     "kept by position: 1: 1 of 10", "named: … (right)"  shared.charts.stayed, set_up.case {named} {right} {wrong}
//     "Causes to choose from: …", the verdict             causes.all {causes}, game.verdict: game.change {before} {after}
//
// Nobody told of these before: ms of a batch's rounds, the timed passes of the roofline, the interval of a measured cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/frontend/frontend.h"
#include "engine/lab/pass_times.h"
#include "engine/run/run.h"
#include "kernels/error.h"
#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "tests/scenes/failures_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/scenes_tab.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/micro.h"
#include "tests/shared/unowned.h"
#include "ui/format.h"

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
        const Said said = map_title(m).subtitle.said, cost = test::inner(said, "cost");
        EXPECT_EQ(said.id(), "failures.map.subtitle:simulated");
        EXPECT_EQ(test::maybe<double>(cost, "block"), if_measured(m.levers.block));
        EXPECT_EQ(test::maybe<double>(cost, "alone"), block ? std::nullopt : std::optional(m.levers.draft));
        EXPECT_EQ(test::maybe<double>(cost, "each"), std::nullopt) << "a block has no price for each guess";
        EXPECT_NE(message(cost).find(block ? ", a block costs .67 of a pass" : " and costs .17 of a pass"), std::string::npos);
        EXPECT_EQ(test::whole(said, "by_hand"), 0);
        EXPECT_EQ(test::whole(said, "from_run"), 1);
        FailuresState dragged;
        dragged.alpha = 0.5;
        const Said by_hand = map_title(failures_model(input, dragged)).subtitle.said;
        EXPECT_EQ(test::real(by_hand, "alpha"), 0.5);
        EXPECT_EQ(test::whole(by_hand, "by_hand"), 1);
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
    EXPECT_FALSE(test::maybe<std::vector<Said>>(test::only_said(told_of(*empty.bench), "failures.load.slot"), "untimed"));
    empty.bench->key(ui::Key::m);
    ASSERT_FALSE(empty.sent.empty());
    EXPECT_TRUE(std::holds_alternative<MeasurePasses>(empty.sent.back()));
    Loaded live(true);
    const auto expect_title = [&](int requests, bool beyond) {
        const ToldFrame told = told_of(*live.bench);
        const Said title = test::only_said(told, "failures.map.title:simulated");
        const LoadCell cell{requests, 4, test::real(title, "times")};
        EXPECT_EQ(test::whole(title, "requests"), requests);
        EXPECT_EQ(test::whole(title, "k"), 4);
        EXPECT_EQ(test::whole(title, "slower"), cell.loses());
        EXPECT_EQ(test::whole(title, "even"), !cell.pays() && !cell.loses());
        EXPECT_EQ(test::whole(title, "perhaps"), 0);
        EXPECT_EQ(test::whole(test::only_said(told, "failures.map.subtitle:simulated"), "beyond"), beyond);
        EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), "SIM");
        EXPECT_TRUE(live.bench->shows("SIM"));
        return cell;
    };
    (void)expect_title(1, false);
    EXPECT_TRUE(live.bench->shows("1 request, 4 guesses: "));
    for (int i = 0; i < 6; ++i) live.bench->key(ui::Key::down);
    live.bench->settle();
    EXPECT_TRUE(expect_title(64, true).loses());
    EXPECT_TRUE(live.bench->shows("64 requests, 4 guesses each"));
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
    EXPECT_EQ(test::whole(map_title(m).title.said, "perhaps"), 0);
    PassTimes times = bend();
    times.other_cores = 1.4;
    m.times = &times;
    const Said title = map_title(m).title.said, doubt = test::inner(map_title(m).subtitle.said, "doubt");
    EXPECT_EQ(title.id(), "failures.map.title:simulated");
    EXPECT_EQ(test::whole(title, "requests"), 1);
    EXPECT_EQ(test::whole(title, "k"), 4);
    EXPECT_EQ(test::whole(title, "perhaps"), 1);
    EXPECT_EQ(doubt.id(), "shared.doubt.busy");
    EXPECT_EQ(test::real(doubt, "cores"), 1.4);
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
    const auto expect_found = [&](const std::vector<EntropyBin>& bins, const std::string& found, int unsure_kept, int unsure) {
        m.bins = bins;
        const Said said = test::inner(failures_story(at, m, nullptr).text.said, "entropy");
        EXPECT_EQ(said.id(), "failures.words.entropy:" + found);
        EXPECT_EQ(test::whole(said, "sure_kept"), 23);
        EXPECT_EQ(test::whole(said, "sure"), 26);
        EXPECT_EQ(test::whole(said, "unsure_kept"), unsure_kept);
        EXPECT_EQ(test::whole(said, "unsure"), unsure);
        EXPECT_EQ(test::real(said, "edge"), kUnsure);
    };
    expect_found(few, "too_few", 6, 9);
    EXPECT_TRUE(failures_story(at, m, nullptr).text.starts_with("Too few here to tell: 23 of 26 guesses kept where"));
    expect_found(more, "nothing", 32, 36);
    more[2] = {1.2, 2, 30, 6};
    expect_found(more, "falls", 10, 36);
}

TEST(Frames, HaveNoBeatBeyondTheLast) {
    FrameRequest request;
    request.scene = "failures";
    const auto told = [&](int beat) {
        request.beat = beat;
        return describe_frame(request, {fixtures::mixed(), RunSettings{}, EngineStatus{}});
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
    for (const EntropyBin& bin : m.bins) {
        const Said said = entropy_words(bin).said;
        EXPECT_EQ(said.id(), "failures.entropy.bin");
        EXPECT_EQ(test::real(said, "low"), bin.low);
        EXPECT_EQ(test::maybe<double>(said, "high"), bin.high);
        EXPECT_EQ(test::whole(said, "kept"), bin.kept);
        EXPECT_EQ(test::whole(said, "judged"), bin.judged);
    }
    EXPECT_EQ(entropy_words(m.bins[1]).words(), "Entropy from 0.1 to 0.3: none judged");
    EXPECT_EQ(entropy_words(m.bins[0]).words(), "Entropy from 0.0 to 0.1: kept 4 of 5");
    m.row = 0;
    ASSERT_EQ(m.marked().requests, 1);
    EXPECT_EQ(test::whole(map_title(m).title.said, "requests"), 1);
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
    EXPECT_EQ(told(m).heading.said.id(), "failures.map.heading:falls");
    const auto expect_best = [&](const std::string& found) {
        const Said text = told(m).text.said;
        EXPECT_EQ(text.id(), "failures.map.text:" + found);
        EXPECT_EQ(test::whole(text, "alone"), m.best_k(0));
        EXPECT_EQ(test::whole(text, "busy"), m.best_k(kMostBusy));
        EXPECT_EQ(test::whole(text, "few"), 1);
        EXPECT_EQ(test::whole(text, "many"), 64);
    };
    expect_best("falls");
    state.alpha = 0;
    m = failures_model(input, state);
    ASSERT_FALSE(m.pays_anywhere());
    EXPECT_EQ(told(m).heading.said.id(), "failures.map.heading:nowhere");
    EXPECT_EQ(told(m).text.said.id(), "failures.map.text:nowhere");
    EXPECT_EQ(told(m).text.find("best K"), std::string::npos) << told(m).text;
    for (LoadCell& cell : m.cells)
        if (cell.requests == 64 && cell.k == 2) cell.speedup = 1.2; // where times are noise
    ASSERT_LT(m.best_k(0), m.best_k(kMostBusy));
    EXPECT_EQ(told(m).heading.said.id(), "failures.map.heading:depends");
    expect_best("depends");
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
    EXPECT_EQ(story.text.said.id(), "failures.map.text:doubtful");
    EXPECT_EQ(story.text.find("the best K is"), std::string::npos) << story.text;
    EXPECT_EQ(failure_reason(m).said.id(), "failures.reason.doubtful");
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
        EXPECT_EQ(says(told_of(*live.bench), "failures.controls.guesses"), shows_map(beat)) << "beat " << beat + 1;
    }
    live.beat(kSharedBeat);
    EXPECT_EQ(kRequests[failures_model(live.bench->controller.frame(0).scene, {}).row], 64) << "as in its bar";
    live.bench->key(ui::Key::up);
    live.beat(kMapBeat);
    EXPECT_EQ(test::whole(test::only_said(told_of(*live.bench), "failures.map.title:simulated"), "requests"), 32)
        << "what was chosen there stays";
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

void expect_bars(const ToldFrame& told, const FailuresModel& m, int beat) {
    const LossBars all = loss_bars(m);
    const std::vector<Said> bars = test::all_said(told, "failures.bars.bar");
    constexpr const char* kKinds[] = {"healthy", "full_pass", "bad_guesses", "dear_draft"};
    ASSERT_EQ(bars.size(), all.bars.size());
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const LossBar& bar = all.bars[i];
        EXPECT_EQ(test::inner(bars[i], "bar").id(), std::string("failures.bars.kind:") + kKinds[i]);
        EXPECT_EQ(test::inner(bars[i], "sign").id(), std::string("failures.bars.sign:") + kKinds[i]);
        EXPECT_EQ(test::whole(bars[i], "requests"), bar.requests);
        EXPECT_EQ(test::whole(bars[i], "k"), bar.k);
        EXPECT_EQ(test::real(bars[i], "alpha"), bar.levers.alpha);
        EXPECT_EQ(test::real(bars[i], "tokens"), bar.tokens);
        EXPECT_EQ(test::real(bars[i], "draft"), bar.draft);
        EXPECT_EQ(test::real(bars[i], "verify"), bar.verify);
        EXPECT_EQ(test::real(bars[i], "round"), bar.draft + bar.verify);
        EXPECT_EQ(test::real(bars[i], "times"), bar.speedup());
    }
    const auto about = static_cast<std::size_t>(loss_of_beat(beat).value_or(Loss::dear_draft));
    const LossBar& bar = all.bars[about];
    const Said why = test::only_said(told, "failures.bars.reason");
    EXPECT_EQ(test::inner(why, "bar").id(), std::string("failures.bars.kind:") + kKinds[about]);
    EXPECT_EQ(test::whole(why, "requests"), bar.requests);
    EXPECT_EQ(test::whole(why, "k"), bar.k);
    EXPECT_EQ(test::real(why, "rows"), verify_rows(bar.levers, bar.requests, bar.k));
    EXPECT_EQ(test::real(why, "verify"), bar.verify);
    EXPECT_EQ(test::real(why, "draft"), bar.draft);
    EXPECT_EQ(test::real(why, "tokens"), bar.tokens);
    EXPECT_EQ(test::real(why, "times"), bar.speedup());
    // What each set-up has of its own, below its name.
    for (const auto& [text, of] : {std::pair{0U, 0U}, {1U, 1U}}) {
        const Said change = test::all_said(told, "failures.bars.change:load")[text];
        EXPECT_EQ(test::whole(change, "requests"), all.bars[of].requests);
        EXPECT_EQ(test::whole(change, "k"), all.bars[of].k);
    }
    EXPECT_EQ(test::real(test::only_said(told, "failures.bars.change:alpha"), "alpha"), all.bars[2].levers.alpha);
    EXPECT_EQ(test::real(test::only_said(told, "failures.bars.change:draft"), "draft"), all.bars[3].levers.draft);
    const char* const title = beat == 0 ? "idle" : beat == kSharedBeat ? "shared" : "unsure";
    if (beat == kDashboardBeat) return;
    const Said said = test::only_said(told, std::string("failures.") + title + ".title");
    EXPECT_EQ(test::real(said, "gain"), bar.speedup());
    if (beat == kSharedBeat) {
        EXPECT_EQ(test::whole(said, "requests"), bar.requests);
    }
}

void expect_map(const ToldFrame& told, const FailuresModel& m) {
    const std::vector<Said> rows = test::all_said(told, "failures.load.row");
    ASSERT_EQ(rows.size(), m.times ? std::size(kRequests) : 0);
    for (int row = 0; row < std::ssize(rows); ++row) {
        const Said& said = rows[static_cast<std::size_t>(row)];
        EXPECT_EQ(test::whole(said, "requests"), kRequests[row]);
        EXPECT_EQ(test::whole(said, "best"), m.best_k(row));
        const std::vector<Said> cells = test::list(said, "cells");
        ASSERT_EQ(cells.size(), std::size(kGuesses));
        for (int column = 0; column < kLoadColumns; ++column) {
            const LoadCell& cell = m.cell(row, column);
            const Said& one = cells[static_cast<std::size_t>(column)];
            EXPECT_EQ(test::whole(one, "k"), kGuesses[column]);
            EXPECT_EQ(test::real(one, "times"), cell.speedup);
            EXPECT_EQ(test::whole(one, "perhaps"), cell.in_doubt());
            EXPECT_EQ(test::whole(one, "beyond"), cell.extrapolated);
            EXPECT_EQ(test::maybe<double>(one, "low"), std::nullopt) << "simulated";
            EXPECT_EQ(test::maybe<double>(one, "high"), std::nullopt);
        }
    }
}

void expect_bins(const ToldFrame& told, const FailuresModel& m) {
    const std::vector<Said> bins = test::all_said(told, "failures.entropy.bin");
    ASSERT_EQ(bins.size(), m.bins.size());
    for (std::size_t i = 0; i < bins.size(); ++i) EXPECT_EQ(bins[i], entropy_words(m.bins[i]).said);
    ASSERT_FALSE(bins.empty());
    EXPECT_EQ(test::maybe<double>(bins.back(), "high"), std::nullopt) << "the last one is open";
}

// At every beat, also what is not in its picture.
TEST(FailuresTold, TellsItsBarsItsMapAndTheRunsGuessesInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const bool measured : {true, false}) {
            const test::Speaking speaking(language);
            Loaded live(measured);
            for (int beat = 0; beat < kFailuresBeats - 1; ++beat) {
                SCOPED_TRACE(std::string(language) + " " + std::to_string(beat));
                live.beat(beat);
                const ToldFrame told = told_of(*live.bench);
                const FailuresModel m = failures_model(live.input(), {});
                expect_map(told, m);
                expect_bins(told, m);
                if (tells_in_bars(beat)) {
                    expect_bars(told, m, beat);
                    const bool own = loss_bars(m).measured;
                    EXPECT_EQ(says(told, "failures.subtitle.bars:measured"), own);
                    if (own) continue;
                    const Said why = test::only_said(told, "failures.subtitle.bars:assumed");
                    EXPECT_EQ(test::inner(why, "why").id(), measured ? "failures.assumed.unlike" : "failures.assumed.unmeasured");
                    EXPECT_EQ(test::whole(why, "map"), measured);
                } else if (!measured) {
                    EXPECT_TRUE(says(told, "failures.reason.unmeasured"));
                } else {
                    const LoadCell& cell = m.marked();
                    const Said why = failure_reason(m).said, text = test::inner(why, "text");
                    EXPECT_EQ(test::only_said(told, why.id()), why);
                    EXPECT_EQ(text.id(), "failures.reason.simulated");
                    const double plain = pass_ms(*m.times, cell.requests), rows = verify_rows(m.levers, cell.requests, cell.k);
                    EXPECT_EQ(test::whole(text, "requests"), cell.requests);
                    EXPECT_EQ(test::whole(text, "k"), cell.k);
                    EXPECT_EQ(test::real(text, "rows"), rows);
                    EXPECT_EQ(test::whole(text, "mean"), m.levers.drafts < 1);
                    EXPECT_EQ(test::real(text, "verify"), pass_ms(*m.times, rows) / plain);
                    EXPECT_EQ(test::real(text, "draft"), m.levers.draft_cost(cell.k));
                    EXPECT_EQ(test::real(text, "tokens"), m.levers.tokens(cell.k));
                    EXPECT_EQ(test::real(text, "times"), cell.speedup);
                    const Said title = test::only_said(told, "failures.map.title:simulated");
                    EXPECT_EQ(test::real(title, "times"), cell.speedup);
                    EXPECT_EQ(test::real(test::only_said(told, "failures.map.subtitle:simulated"), "alpha"), m.levers.alpha);
                    EXPECT_EQ(test::real(test::only_said(told, "shared.words.guess_stays"), "alpha"), m.levers.alpha);
                    EXPECT_EQ(test::all_said(told, "failures.controls.at").size(), 2U);
                    EXPECT_EQ(test::whole(test::all_said(told, "failures.controls.at")[0], "at"), cell.requests);
                    EXPECT_EQ(test::whole(test::all_said(told, "failures.controls.at")[1], "at"), cell.k);
                }
            }
        }
}

// Which number stands where, in words.
TEST(FailuresTold, SaysItsNumbersInTheirPlaces) {
    struct Lines {
        const char* language;
        std::vector<std::string> lines;
    };
    for (const auto& [language, lines] :
         {Lines{
              "en",
              {"Healthy, 1 request, K = 5, a guess stays with .80: 3.69 tokens; draft 0.40 + verify 1.00 = 1.40 plain passes: 2.64× (short "
               "draft, verify like a plain pass)\n",
               "The pass is full, 64 requests, K = 5, a guess stays with .80: 3.69 tokens; draft 0.40 + verify 6.00 = 6.40 plain passes: "
               "0.58× (the verify bar is long)\n",
               "Bad guesses, 1 request, K = 5, a guess stays with .20: 1.25 tokens; ",
               "The pass is full: 64 requests, K = 5. The verify pass has 384 rows and takes 6.00× a plain one of 64 rows, drafting 0.40×. "
               "For that a text grows by 3.69 tokens: 0.58×.\n",
               "The same guesses with 64 requests: 0.58×\n", "an assumed machine, because this machine is not measured\n"}},
          Lines{
              "de",
              {"Durchlauf voll, 64 Anfragen, K = 5, ein Vorschlag bleibt mit 0,80: 3,69 Token; Entwurf 0,40 + Prüfung 6,00 = 6,40 normale "
               "Durchläufe: 0,58× (der Prüfbalken ist lang)\n",
               "Oft falsch, 1 Anfrage, K = 5, ein Vorschlag bleibt mit 0,20: 1,25 Token; ",
               "Durchlauf voll: 64 Anfragen, K = 5. Der Prüfdurchlauf hat 384 Zeilen und braucht 6,00× eines normalen mit 64 Zeilen, "
               "Vorschlagen 0,40×. Dafür wächst ein Text um 3,69 Token: 0,58×.\n",
               "Dieselben Vorschläge mit 64 Anfragen: 0,58×\n"}}}) {
        const test::Speaking speaking(language);
        Loaded live(false);
        live.beat(kSharedBeat);
        const std::string words = in_words(told_of(*live.bench));
        for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
    }
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        const bool german = std::string_view(language) == "de";
        Loaded live(true);
        const FailuresModel m = failures_model(live.input(), {});
        const std::string words = in_words(told_of(*live.bench));
        const LoadCell &first = m.cell(1, 0), &second = m.cell(1, 1);
        std::string row = german ? "2 Anfragen: bestes K " : "2 requests: best K ";
        row += m.best_k(1) > 0 ? std::to_string(m.best_k(1)) : german ? "keines" : "none";
        row += "; K = 1 " + ui::speed_up(first.speedup) + (german ? "; K = 2 " : ", K = 2 ") + ui::speed_up(second.speedup);
        EXPECT_NE(words.find(row), std::string::npos) << row << "\n" << words;
        const LoadCell& marked = m.marked();
        const double verify = pass_ms(*m.times, verify_rows(m.levers, 1, 4)) / pass_ms(*m.times, 1);
        const std::string rows = ui::number(verify_rows(m.levers, 1, 4), m.levers.drafts < 1 ? 1 : 0);
        const std::string mean = m.levers.drafts < 1 ? (german ? "im Mittel " : " on average") : "";
        const std::string why =
            german ? "1 Anfrage, K = 4: der Prüfdurchlauf hat " + mean + rows + " Zeilen und braucht " + ui::speed_up(verify) +
                         " eines normalen; Vorschlagen " + ui::speed_up(m.levers.draft_cost(4)) + ". Dafür wächst ein Text um " +
                         ui::number(m.levers.tokens(4), 2) + " Token: " + ui::speed_up(marked.speedup) + "."
                   : "1 request, K = 4: the verify pass has " + rows + " rows" + mean + " and takes " + ui::speed_up(verify) +
                         " a plain one; drafting " + ui::speed_up(m.levers.draft_cost(4)) + ". For that a text grows by " +
                         ui::number(m.levers.tokens(4), 2) + " tokens: " + ui::speed_up(marked.speedup) + ".";
        EXPECT_NE(words.find(why), std::string::npos) << why << "\n" << words;
        for (const EntropyBin& bin : m.bins) {
            const std::string high = bin.open() ? (german ? "" : " on") : (german ? " bis " : " to ") + ui::number(bin.high, 1);
            const std::string of = std::to_string(bin.kept) + (german ? " von " : " of ") + std::to_string(bin.judged);
            const std::string kept = bin.judged == 0 ? (german ? "keiner geprüft" : "none judged")
                                     : german        ? of + " behalten"
                                                     : "kept " + of;
            const std::string line = (german ? "Entropie ab " : "Entropy from ") + ui::number(bin.low, 1) + high + ": " + kept + "\n";
            EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        }
    }
}

TEST(FailuresTold, SaysEveryNumberThatIsDrawn) {
    for (const bool measured : {true, false}) {
        Loaded live(measured);
        for (int beat = 0; beat < kFailuresBeats - 1; ++beat) {
            const std::size_t seen = test::expect_drawn_numbers_told("failures", live.input(beat));
            if (beat != kMapBeat || measured) {
                EXPECT_GT(seen, 2U) << beat;
            }
        }
    }
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
