// Times that stand still: what the table makes of samples that something disturbed, which figures are in doubt, and that
// repeats of a run tell about every one of its passes.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/lab/repeats.h"
#include "engine/lab/time_table.h"
#include "engine/run/run_clock.h"
#include "engine/run/speed_up.h"
#include "engine/run/trace_json.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

// Rounds of two guesses, of which one is accepted; `factor`: how much longer everything takes.
std::shared_ptr<Trace> speculative(double factor, int rounds = 4) {
    auto trace = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.rule = "token";
    header.k = 2;
    header.prompt = {1, 2, 3};
    header.max_tokens = 100;
    trace->append(header);
    trace->append(Prefill{2, 50});
    int kv = 2;
    for (int c = 0; c < rounds; ++c) {
        for (int i = 0; i < 2; ++i) {
            Drafted draft;
            draft.round = c, draft.index = i, draft.parent = i - 1, draft.token = i, draft.ms = 1 * factor;
            trace->append(draft);
        }
        trace->append(Verified{c, 3, 12 * factor, 0});
        for (int i = 0; i < 2; ++i) {
            Checked check;
            check.round = c, check.index = i, check.accepted = i == 0;
            trace->append(check);
        }
        TargetToken own;
        own.round = c, own.from = TargetToken::From::residual;
        trace->append(own);
        Committed commit;
        commit.round = c, commit.accepted_drafts = 1, commit.tokens = {0, 9};
        commit.kv_before = kv, commit.kv_after = kv += 2;
        commit.ms = 0.5 * factor, commit.accept_ms = 0.5 * factor;
        trace->append(commit);
    }
    return trace;
}
std::shared_ptr<Trace> plain(double factor, int rounds = 8) {
    auto trace = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header;
    header.drafter = "none";
    header.rule = "token";
    header.prompt = {1, 2, 3};
    header.max_tokens = 100;
    trace->append(header);
    trace->append(Prefill{2, 50});
    for (int c = 0; c < rounds; ++c) {
        trace->append(Verified{c, 1, 9 * factor, 0});
        TargetToken own;
        own.round = c;
        trace->append(own);
        Committed commit;
        commit.round = c, commit.tokens = {9};
        commit.kv_before = 2 + c, commit.kv_after = 3 + c;
        commit.ms = 0.5 * factor, commit.accept_ms = 0.5 * factor;
        trace->append(commit);
    }
    return trace;
}

TEST(TimeTable, FiveOfEightRunsMayBeDisturbed) {
    TimeTable table;
    for (const double factor : {1.0, 3.0, 1.0, 5.0, 1.01, 40.0, 2.5, 2.0}) {
        table.add(*speculative(factor));
        table.add(*plain(factor));
    }
    const auto shown = speculative(7);
    table.time(*shown);
    const RunView view = fold(*shown, shown->size());
    ASSERT_EQ(view.round_list.size(), 4u);
    for (const RoundSummary& round : view.round_list) {
        EXPECT_NEAR(round.draft_ms, 2, 0.05) << round.round;
        EXPECT_NEAR(round.verify_ms, 12, 0.2) << round.round;
        EXPECT_NEAR(round.other_ms, 1, 0.05) << round.round;
        EXPECT_NEAR(round.drafts[1].ms, 1, 0.05) << round.round;
    }
    EXPECT_NEAR(shown->plain_ms(), 10, 0.2);
    EXPECT_EQ(view.prefill_ms, 50) << "not timed again";
    EXPECT_NEAR(RunClock(*shown, view).total(), 4 * 15, 1);
    const SpeedUp figure = speed_up(view, *shown);
    EXPECT_NEAR(figure.value, 2 * 10 / 15.0, 0.03);
    EXPECT_LT(figure.low, figure.value);
    EXPECT_EQ(figure.doubt, SpeedUp::Doubt::spread) << "the repeats lie far apart, and so it says";
    EXPECT_FALSE(figure.sure());
}

TEST(TimeTable, QuietRunsAreSure) {
    TimeTable table;
    for (const double factor : {1.0, 1.02, 1.0, 1.04, 1.01}) {
        table.add(*speculative(factor));
        table.add(*plain(factor));
    }
    const auto shown = speculative(1.3);
    table.time(*shown);
    const SpeedUp figure = speed_up(fold(*shown, shown->size()), *shown);
    EXPECT_TRUE(figure.sure());
    EXPECT_NEAR(figure.value, 4 / 3.0, 0.03);
    EXPECT_LT(figure.high / figure.low, 1.1);
}

TEST(TimeTable, WhatItDoesNotKnowKeepsItsOwnTime) {
    TimeTable table;
    table.add(*plain(1));
    const auto shown = speculative(1);
    table.time(*shown);
    const RunView view = fold(*shown, shown->size());
    EXPECT_EQ(view.round_list[0].verify_ms, 12);
    EXPECT_EQ(view.round_list[0].draft_ms, 2);
    const auto untimed = speculative(1);
    TimeTable().time(*untimed);
    EXPECT_FALSE(speed_up(fold(*untimed, untimed->size()), *untimed).known()) << "plain decoding was never timed";
}

// A longer text costs more, so its passes are not mixed with those of a short one; the nearest one that was timed stands
// in for a length that was not.
TEST(TimeTable, KeepsLengthsOfTextApart) {
    using Part = PassKind::Part;
    TimeTable table;
    auto long_text = plain(2, 3);
    const auto far = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header = *long_text->header();
    header.prompt.assign(2000, 1);
    far->append(header);
    far->append(Verified{0, 1, 30, 0});
    table.add(*plain(1));
    table.add(*far);
    EXPECT_EQ(table.of({Part::verify, "", 1, 0, 0}).ms, 9);
    PassKind behind{Part::verify, "", 1, 0, 0};
    for (behind.context = 1; table.of(behind).ms == 9; ++behind.context) ASSERT_LT(behind.context, 100);
    EXPECT_EQ(table.of(behind).ms, 30);
    EXPECT_GT(behind.context, 1);
}

// Of two chained drafters each has its own times: a copy takes none, also where the other one drafts at the same place.
TEST(TimeTable, KeepsTheTimesOfChainedDraftersApart) {
    const auto chained = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header;
    header.drafter = "lookup+small";
    chained->append(header);
    for (int round = 0; round < 8; ++round) {
        Drafted draft;
        draft.round = round, draft.ms = round % 2 == 0 ? 0 : 4, draft.by = round % 2;
        chained->append(draft);
        chained->append(Verified{round, 2, 12, 0});
    }
    TimeTable table;
    table.add(*chained);
    const TraceTimes times = table.times_of(*chained);
    EXPECT_EQ(times.events.at(1).ms, 0);
    EXPECT_EQ(times.events.at(3).ms, 4);
}

TEST(SpeedUpFigure, IsInDoubtForAReason) {
    TraceTimes times;
    times.plain_ms = 10;
    times.repeats = 12;
    RunView view;
    view.total_ms = 100;
    view.rounds = 8;
    view.output_tokens = 20; // 2.5 a round
    using Doubt = SpeedUp::Doubt;
    EXPECT_EQ(speed_up(view, times).doubt, Doubt::none);
    EXPECT_DOUBLE_EQ(speed_up(view, times).value, 2);
    EXPECT_TRUE(doubt_said(speed_up(view, times), &times).empty());
    const auto doubt = [&](auto change) {
        TraceTimes changed = times;
        RunView seen = view;
        change(changed, seen);
        const SpeedUp figure = speed_up(seen, changed);
        EXPECT_EQ(figure.sure(), figure.doubt == Doubt::none);
        EXPECT_EQ(doubt_said(figure, &changed).empty(), figure.sure());
        return figure.doubt;
    };
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.repeats = 3; }), Doubt::few);
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.busy_cores = 0.8; }), Doubt::busy);
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.spread = 0.2; }), Doubt::spread);
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.to_recorded = 1.7; }), Doubt::slower);
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.to_recorded = 1.1; }), Doubt::none);
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.spread = t.plain_spread = 0.05; }), Doubt::none);
    EXPECT_EQ(doubt([](TraceTimes&, RunView& v) { v.total_ms = 70; }), Doubt::impossible) << "2.86 of 2.5 tokens";
    EXPECT_EQ(doubt([](TraceTimes& t, RunView&) { t.repeats = 0; }), Doubt::none) << "as it was recorded";
}

TEST(TimeTable, TimesAreSavedWithTheRunAndReadBack) {
    TimeTable table;
    for (int i = 0; i < 5; ++i) {
        table.add(*speculative(1 + 0.01 * i));
        table.add(*plain(1));
    }
    table.set_busy(0.1);
    const auto shown = speculative(9);
    table.time(*shown);
    TraceWriter writer(*shown);
    std::string text;
    for (std::size_t i = 0; i < shown->size(); ++i) text += writer.line((*shown)[i]) + "\n";
    text += writer.closing_lines();
    std::istringstream in(text);
    const std::shared_ptr<Trace> again = read_trace(in, "saved");
    ASSERT_NE(again->times(), nullptr);
    EXPECT_EQ(*again->times(), *shown->times());
    EXPECT_EQ(fold(*again, again->size()).total_ms, fold(*shown, shown->size()).total_ms);
    EXPECT_EQ(again->plain_ms(), shown->plain_ms());
    for (const char* broken : {"\"events\":[[1]]", "\"events\":[[-1,0]]", "\"events\":3"}) {
        std::string bad = text;
        const auto from = bad.rfind("\"events\":");
        bad.replace(from, bad.rfind('}') - from, broken);
        std::istringstream damaged(bad);
        EXPECT_THROW((void)read_trace(damaged, "damaged"), Error) << broken;
    }
}

constexpr double kHour = 3.6e6;
Event slowed(Event event) {
    if (auto* draft = std::get_if<Drafted>(&event)) draft->ms = draft->head_ms = kHour;
    if (auto* verify = std::get_if<Verified>(&event)) verify->ms = kHour, verify->draft_ms *= 1e9;
    if (auto* commit = std::get_if<Committed>(&event)) commit->ms = commit->accept_ms = kHour;
    return event;
}

TEST(Repeats, TimeEveryPassOfTheRunAndPlainDecoding) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"small", "lookup", "none"}) {
        RunSettings settings;
        settings.prompt.token_ids = {5, 6, 7, 5, 6};
        settings.drafter = drafter;
        settings.k = drafter == std::string("none") ? 0 : 3;
        settings.max_tokens = 40;
        TimeTable table;
        Repeats repeats(models, settings, table, {.seconds = 60, .generations = 6, .most_seconds = 60});
        repeats.finish();
        EXPECT_EQ(repeats.done(), 1);
        speclens::Run run(models, settings);
        run.finish();
        const TraceTimes times = table.times_of(run.trace());
        EXPECT_GE(times.repeats, 5) << drafter;
        EXPECT_GT(times.plain_ms, 0) << drafter;
        ASSERT_EQ(times.events.size(), run.trace().size());
        // The same run on a machine that took an hour for everything: what the table does not know would stay.
        Trace slow([](int) { return std::string(); });
        for (std::size_t i = 0; i < run.trace().size(); ++i) slow.append(slowed(run.trace()[i]));
        const TraceTimes known = table.times_of(slow);
        for (std::size_t i = 2; i < slow.size(); ++i) // the prefill is not timed again
            EXPECT_LT(known.events[i].ms + known.events[i].aside, kHour) << drafter << " event " << i << " was not timed";
        const std::uint64_t hash = run.trace().hash(run.trace().size());
        table.time(run.trace());
        EXPECT_EQ(run.trace().hash(run.trace().size()), hash) << "times are no part of what happened";
    }
}

TEST(Repeats, EndWithTheirTime) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7};
    settings.drafter = "small";
    TimeTable table;
    Repeats repeats(test::micro_models(1), settings, table, {.seconds = 0, .generations = 1000, .most_seconds = 0});
    int steps = 0;
    while (repeats.step()) ASSERT_LT(++steps, 1000);
    EXPECT_LT(steps, 2);
}

TEST(Repeats, AreNotDoneWhileTheFirstOfThemTakesLonger) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7};
    settings.drafter = "small";
    settings.k = 3;
    TimeTable table;
    Repeats repeats(test::micro_models(1), settings, table, {.seconds = 1e-9, .generations = 1000, .most_seconds = 600});
    ASSERT_TRUE(repeats.step());
    EXPECT_LT(repeats.done(), 0.5) << "100 % that stand still";
    repeats.finish();
    EXPECT_EQ(repeats.done(), 1);
}

} // namespace
} // namespace speclens
