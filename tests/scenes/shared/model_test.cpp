// What the scenes calculate: sandbox, flips, clock, first step to look at, and how long a frame takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "engine/base/statistics.h"
#include "engine/run/run_clock.h"
#include "scenes/accept/accept_model.h"
#include "scenes/loop/loop_model.h"
#include "scenes/shared/words.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {
namespace {

std::vector<AcceptBar> bars(const std::vector<std::pair<double, double>>& distributions) {
    std::vector<AcceptBar> list;
    int id = 0;
    for (const auto& [p, q] : distributions) list.push_back({id++, p, q, std::min(p, q), false, false});
    return list;
}

double sum_p(const std::vector<AcceptBar>& list) {
    double sum = 0;
    for (const AcceptBar& bar : list) sum += bar.p;
    return sum;
}

TEST(SetBar, KeepsTheSumAndTheLockedBars) {
    auto list = bars({{.5, .2}, {.3, .3}, {.2, .5}});
    list[1].locked = true;
    set_bar(list, 0, ModelSide::target, 0.6);
    EXPECT_NEAR(list[0].p, .6, 1e-12);
    EXPECT_NEAR(list[1].p, .3, 1e-12);
    EXPECT_NEAR(list[2].p, .1, 1e-12);
    set_bar(list, 0, ModelSide::target, 0.95); // more than the lock leaves
    EXPECT_NEAR(list[0].p, .7, 1e-12);
    EXPECT_NEAR(sum_p(list), 1, 1e-12);
    EXPECT_NEAR(list[0].kept, .2, 1e-12);
}

TEST(SetBar, CannotMoveWhatTheLocksLeaveNoRoomFor) {
    auto list = bars({{.5, .2}, {.3, .3}, {.2, .5}});
    list[1].locked = list[2].locked = true;
    for (const double wanted : {0.1, 0.9}) {
        set_bar(list, 0, ModelSide::target, wanted);
        EXPECT_NEAR(list[0].p, .5, 1e-12) << wanted;
        EXPECT_NEAR(sum_p(list), 1, 1e-12);
    }
}

TEST(AcceptChoice, IsTheBarThatWasChosenOrTheDraftedOne) {
    const auto trace = fixtures::toy_run({.name = "chosen", .cycles = 12});
    const RunView view = fold(*trace, trace->size());
    SceneInput input;
    input.trace = trace.get();
    input.view = input.whole = &view;
    int elsewhere = 0;
    for (const Position& position : judged_positions(view)) {
        input.selected = position;
        const AcceptView drafted = accept_view(input, {}, -1);
        ASSERT_GE(drafted.drafted, 0);
        EXPECT_EQ(drafted.chosen, drafted.drafted);
        const auto bars = static_cast<int>(drafted.bars.size());
        EXPECT_EQ(accept_view(input, {}, bars).chosen, drafted.drafted) << "no such bar";
        for (int bar = 0; bar < bars; ++bar) EXPECT_EQ(accept_view(input, {}, bar).chosen, bar);
        elsewhere += drafted.drafted > 0;
    }
    EXPECT_GT(elsewhere, 0);
}

TEST(SetBar, SharesOutEvenlyWhenTheOthersHaveNothing) {
    auto list = bars({{1, .2}, {0, .3}, {0, .5}});
    set_bar(list, 0, ModelSide::target, 0.4);
    EXPECT_NEAR(list[1].p, .3, 1e-12);
    EXPECT_NEAR(list[2].p, .3, 1e-12);
}

TEST(Flips, GoToTheTargetWhateverTheDraftClaims) {
    AcceptView view;
    view.bars = bars({{.38, .14}, {.18, .45}, {.30, .01}, {.14, .40}});
    view.edited = true;
    FlipCounts counts;
    flip(view, 7, 20000, counts);
    const DistributionTest test = test_flips(view, counts);
    EXPECT_LT(test.total_variation, 0.02);
    EXPECT_GT(test.p_value, 1e-4);
    // A kept draft is the overlap.
    EXPECT_NEAR(static_cast<double>(counts.kept_total()) / counts.flips, .14 + .18 + .01 + .14, 0.02);
}

TEST(Flips, ContinueTheSameDice) {
    AcceptView view;
    view.bars = bars({{.6, .3}, {.4, .7}});
    view.edited = true;
    FlipCounts at_once, in_parts;
    flip(view, 3, 500, at_once);
    for (int i = 0; i < 5; ++i) flip(view, 3, 100, in_parts);
    EXPECT_EQ(at_once.kept, in_parts.kept);
    EXPECT_EQ(at_once.resampled, in_parts.resampled);
}

TEST(ChiSquared, MatchesTables) {
    EXPECT_NEAR(chi_square_tail(3.841, 1), .05, 1e-4);
    EXPECT_NEAR(chi_square_tail(18.307, 10), .05, 1e-4);
    EXPECT_NEAR(chi_square_tail(0, 4), 1, 1e-12);
    EXPECT_NEAR(chi_square_tail(29.588, 10), .001, 1e-5);
}

TEST(Clock, CursorAndTimeAgree) {
    for (const fixtures::Toy& toy : fixtures::toys()) {
        const auto trace = fixtures::toy_run(toy);
        const RunView whole = fold(*trace, trace->size());
        const RunClock clock(*trace, whole);
        double before = 0;
        for (std::size_t cursor = 0; cursor <= trace->size(); ++cursor) {
            const double at = clock.at(cursor);
            EXPECT_GE(at, before) << toy.name;
            EXPECT_LE(at, clock.total() + 1e-9) << toy.name;
            before = at;
        }
        if (!whole.round_list.empty()) {
            EXPECT_NEAR(clock.at(trace->size()), clock.total(), 1e-9) << toy.name;
            for (double share : {0.1, 0.5, 0.9}) {
                const double time = clock.total() * share;
                EXPECT_GE(clock.at(clock.cursor(time)) + 1e-9, time) << toy.name;
            }
        }
    }
}

// A head's time, and that of a draft that proposed nothing, lie on the clock where they were spent.
TEST(Clock, EveryRoundEndsWhereTheNextOneBegins) {
    Trace trace([](int) { return std::string(); });
    trace.append(Header{});
    trace.append(Prefill{2, 3});
    for (int round = 0; round < 3; ++round) {
        const bool silent = round == 1;
        for (int i = 0; i < (silent ? 0 : 3); ++i) {
            Drafted draft;
            draft.round = round;
            draft.index = i;
            draft.parent = i - 1;
            draft.ms = i == 0 ? 1 : 0;
            draft.head_ms = 0.5;
            trace.append(draft);
        }
        trace.append(Verified{round, silent ? 1 : 4, 4, silent ? 2.0 : 0.0});
        TargetToken own;
        own.round = round;
        trace.append(own);
        Committed commit;
        commit.round = round;
        commit.tokens = {1};
        commit.ms = 0.25;
        trace.append(commit);
    }
    const RunView whole = fold(trace, trace.size());
    for (const RunClock::Unit unit : {RunClock::Unit::ms, RunClock::Unit::rounds}) {
        const RunClock clock(trace, whole, unit);
        for (const RoundSummary& round : whole.round_list) {
            const RunClock::Span span = clock.span(round);
            EXPECT_NEAR(clock.at(round.end_event), span.end(), 1e-9) << round.round;
            // In the middle of the bar of the pass: the event of the pass.
            const auto verify = round.first_event + round.drafts.size();
            EXPECT_EQ(clock.cursor(span.start + span.draft + span.verify / 2), verify + 1) << round.round;
            if (round.drafts.empty()) continue;
            EXPECT_NEAR(clock.at(verify), span.start + span.draft, 1e-9) << round.round;
            EXPECT_EQ(clock.cursor(clock.at(round.first_event + 2) - 1e-6), round.first_event + 2);
        }
    }
}

TEST(MostInstructive, ShowsTheReplacementAfterTheFirstInterestingRejection) {
    const auto trace = fixtures::toy_run(fixtures::toys().front());
    const RunView whole = fold(*trace, trace->size());
    const MostInstructive telling = telling_cursor(whole);
    EXPECT_TRUE(telling.settled);
    EXPECT_TRUE(std::holds_alternative<TargetToken>((*trace)[telling.cursor - 1]));
}

// At temperature 0 the greedy rule does every rule's work: no coin is thrown, so none may be told of.
TEST(Loop, TellsNoCoinsAtTemperatureZero) {
    for (const char* rule : {"token", "block", "match", "typical"}) {
        const auto trace = fixtures::toy_run({.name = rule, .rule = rule, .temperature = 0, .top = 0});
        int judged = 0;
        for (std::size_t cursor = 1; cursor <= trace->size(); ++cursor) {
            SceneBench bench("loop");
            bench.show(trace, cursor);
            const LoopModel model = loop_model(bench.controller.frame(0).scene);
            EXPECT_EQ(model.rule, RuleKind::greedy) << rule;
            if (model.phase != Phase::accept && model.phase != Phase::resample) continue;
            ++judged;
            for (const char* never : {"oin had", "hatever the coin", "itself drew", "by the coin"})
                EXPECT_FALSE(bench.shows(never)) << rule << " step " << cursor << ": " << never;
        }
        EXPECT_GT(judged, 4) << rule;
    }
}

// Who sees the coin in the strip of the residual looks for the token that it picked.
TEST(Loop, NamesTheDrawnTokenBesideTheDistributionItWasDrawnFrom) {
    const auto trace = fixtures::toy_run({.name = "drawn", .k = 4, .cycles = 40, .noise = 0.8});
    int seen = 0;
    for (std::size_t i = 0; i < trace->size(); ++i) {
        const auto* own = std::get_if<TargetToken>(&(*trace)[i]);
        if (!own || own->from != TargetToken::From::residual || own->top.entries.size() < 2) continue;
        if (own->top.entries.front().id == own->token) continue; // named in its own share
        SceneBench bench("loop");
        bench.show(trace, i + 1);
        bench.settle();
        const std::string name = label_of(*trace, own->token);
        const auto caption = std::ranges::find_if(bench.texts, [](const ui::RecordedText& t) { return t.text.starts_with("residual"); });
        ASSERT_NE(caption, bench.texts.end());
        const bool inside = std::any_of(bench.texts.begin(), caption, [&](const ui::RecordedText& t) {
            const float above = caption->box.y - t.box.y;
            return above > 10 && above < 40 && t.box.x >= caption->box.x - 1 && name.ends_with(t.text);
        });
        ASSERT_NE(caption + 1, bench.texts.end());
        const std::string beside = (caption + 1)->text;
        seen += inside || name.ends_with(beside);
        // Where there is no room for it, none of the others stands there.
        for (const TopEntries::Entry& entry : own->top.entries) {
            const std::string other = label_of(*trace, entry.id);
            EXPECT_FALSE(!inside && entry.id != own->token && other.ends_with(beside)) << name << " but " << beside;
        }
    }
    EXPECT_GT(seen, 3);
}

TEST(Loop, AFileThatAsksForABillionGuessesGetsAPictureOfBoundedSize) {
    for (const bool tree : {false, true}) {
        Trace trace([](int) { return std::string("x"); });
        Header header;
        header.drafter = "small";
        header.prompt = {0};
        (tree ? header.nodes : header.k) = 1 << 30;
        trace.append(header);
        const RunView view = fold(trace, trace.size());
        SceneInput input;
        input.trace = &trace;
        input.view = input.whole = &view;
        EXPECT_LE(loop_model(input).columns.size(), 256u);
    }
}

TEST(DistributionTable, SumsToOneAndKeepsTheAskedToken) {
    TopEntries target{{{3, std::log(.5)}, {1, std::log(.3)}, {2, std::log(.1)}}, .1};
    TopEntries draft{{{9, std::log(.9)}}, .1};
    const DistributionTable table = distribution_table(target, draft, 3, 9);
    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(table.rows[2].id, 9);
    EXPECT_EQ(table.rows.back().id, -1);
    double sum = 0;
    for (const DistributionRow& row : table.rows) sum += std::max(0.0, row.target.value_or(0));
    EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(DistributionTable, HasNoOthersWhereEveryTokenIsARow) {
    const TopEntries target{{{0, std::log(.7)}, {1, std::log(.2)}, {2, std::log(.1)}}, 0}; // their sum is not quite 1
    const TopEntries draft{{{1, 0}}, 0};
    EXPECT_EQ(distribution_table(target, draft, 3).rows.back().id, 2);
    EXPECT_EQ(distribution_table(target, draft, 2).rows.back().id, -1);
    EXPECT_EQ(distribution_table({}, draft, 3).rows.size(), 1U);
}

TEST(Describe, NamesEveryVisibleProbability) {
    const auto trace = fixtures::toy_run(fixtures::toys().front());
    for (const SceneInfo& info : scene_list()) {
        SceneBench bench(info.name);
        bench.show(trace, 20);
        const std::string words = info.make()->describe(bench.controller.frame(0).scene);
        for (const ui::RecordedText& text : bench.texts) {
            if (!ui::Rect{208, 108, 992, 380}.contains(text.box.center())) continue;
            const bool number = text.text.size() == 3 && text.text[0] == '.';
            // Axis labels are not data.
            if (!number || text.box.x <= 300) continue;
            EXPECT_NE(words.find(text.text), std::string::npos) << info.name << ": " << text.text;
        }
    }
}

TEST(Speed, TenThousandEventsAreReportedNotJudged) {
    const auto trace = fixtures::long_run(10000);
    SceneBench bench("loop");
    bench.show(trace, trace->size());
    const auto time = [&](auto&& work) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 10; ++i) work();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / 10;
    };
    const double still = time([&] { bench.frame(); });
    const double moving = time([&] { bench.key(ui::Key::left); }) / 3;
    const double folded = time([&] { (void)fold(*trace, trace->size()); });
    std::printf("[ REPORT   ] %zu events: frame %.2f ms, with a step %.2f ms, fold %.2f ms\n", trace->size(), still, moving, folded);
    EXPECT_EQ(trace->size(), bench.controller.frame(0).scene.available);
}

} // namespace
} // namespace speclens
