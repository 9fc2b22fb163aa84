// Scene S5: the formulas, what becomes of a run and of a measured study, and the controls.
//
// What stood in the description that was written by hand, and which message has it now (TellsEveryLengthWithItsNumbersInBothLanguages):
//
//     "Chance that a guess stays …; drafting costs …, a further row …"     details.row {name} {value}
//     "K = 3 (marked): 3.30 tokens per round, 2.28×"                       chart.length {k} {marked} {tokens} {times} {measured}
//     "; measured 3.30 in 10 rounds, draft …, head …, verify … ms, … (… to …, few rounds)"
//                                        chart.measured {tokens} {rounds} {draft} {head} {verify} {times} {low} {high} {few}
//     "Stays by position: 1: .90 of 10 (few)"                              chart.stays {places}: chart.place {place} {stays} {judged} {few}
//     "Round: 3.30 tokens × 1.00 ms ÷ (…) = …"                             sum.ms, sum.passes {tokens} {pass} {draft} {verify} {times}
//     "Formula: …"                                                         formula.*, assumes.*
//     ".70:  K = 5 3.16 (2.94)"                                            table.row {alpha} {cells}: table.cell {k} {printed} {formula}
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>

#include "engine/lab/study.h"
#include "engine/run/run.h"
#include "scenes/shared/in_words.h"
#include "scenes/speedup/printed_table.h"
#include "scenes/speedup/speedup_draw.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/scenes_tab.h"
#include "tests/scenes/speedup_bench.h"
#include "tests/shared/finished.h"
#include "tests/shared/micro.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"
#include "ui/format.h"

namespace speclens {
namespace {

TEST(Speedup, TokensPerRoundFollowTheirFormulas) {
    EXPECT_DOUBLE_EQ(expected_tokens(0.0, 5), 1);
    EXPECT_DOUBLE_EQ(expected_tokens(1.0, 5), 6);
    EXPECT_NEAR(expected_tokens(0.8, 4), 1 + 0.8 + 0.64 + 0.512 + 0.4096, 1e-12);
    EXPECT_NEAR(expected_tokens(0.7, 5), 2.94, 0.005);
    const double stays[] = {0.5, 0.8};
    EXPECT_DOUBLE_EQ(expected_tokens(stays, 1), 1.5);
    EXPECT_DOUBLE_EQ(expected_tokens(stays, 2), 1.9);
    EXPECT_DOUBLE_EQ(expected_tokens(stays, 9), 1.9) << "nothing is known of later positions";
    const double even[] = {0.6, 0.6, 0.6};
    EXPECT_NEAR(expected_tokens(even, 3), expected_tokens(0.6, 3), 1e-12);
}

TEST(Speedup, TheLeversFindTheBestLength) {
    const auto best = [](double alpha, double draft, double verify) {
        const Levers levers{alpha, draft, verify};
        int k = 1;
        for (int other = 2; other <= 30; ++other)
            if (levers.speedup(other) > levers.speedup(k)) k = other;
        return k;
    };
    EXPECT_EQ(best(0.5, 2.0 / 15, 0), 2);
    EXPECT_EQ(best(0.8, 2.0 / 15, 0), 5); // 4: 3.36 ÷ 1.53, 5: 3.69 ÷ 1.67, 6: 3.95 ÷ 1.80
    EXPECT_GT(best(0.95, 2.0 / 15, 0), best(0.8, 2.0 / 15, 0));
    EXPECT_LT(best(0.8, 0.3, 0.1), best(0.8, 0.1, 0.1));
    EXPECT_LT((Levers{0.2, 0.3, 0.1}.speedup(1)), 1) << "a guess that costs more than it stays";
    EXPECT_GT((Levers{0.5, 0.3, 0.1}.speedup(1)), 1);
}

TEST(Speedup, ThePrintedTableIsHeldAgainstItsFormula) {
    const PrintedTable table = printed_table(figures().get());
    ASSERT_EQ(table.columns, (std::vector<int>{3, 5, 7, 10}));
    ASSERT_EQ(table.rows.size(), 5u);
    EXPECT_DOUBLE_EQ(table.rows.front().alpha, 0.5);
    EXPECT_DOUBLE_EQ(table.rows.back().alpha, 0.95);
    EXPECT_EQ(table.cells, 20);
    EXPECT_EQ(table.wrong, 16) << "only the row of .5 follows";
    EXPECT_DOUBLE_EQ(table.rows[1].printed[1], 3.16);
    EXPECT_NEAR(table.rows[1].formula[1], 2.94, 0.005);
    EXPECT_TRUE(printed_table(nullptr).rows.empty());
}

// Before anything is measured the run on the screen gives the three numbers.
TEST(SpeedupScene, BeginsWithTheRunOnTheScreen) {
    Measured live;
    live.published.status.plain_ms_per_token = 0.5;
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    ASSERT_EQ(m.source, SpeedupModel::Source::run);
    int judged = 0, kept = 0;
    for (const RoundSummary& round : live.input().whole->round_list)
        for (const DraftSlot& slot : round.drafts)
            if (slot.check) ++judged, kept += slot.check->accepted;
    EXPECT_NEAR(m.levers.alpha, std::min(0.999, static_cast<double>(kept) / judged), 1e-12);
    EXPECT_TRUE(live.bench->shows("fed with what the run on screen accepted and cost at K = 4"));
    EXPECT_TRUE(live.bench->shows("SIM"));
}

TEST(SpeedupScene, MeasuresEveryLengthOfItsOwnRunBesidePlainDecoding) {
    Measured live;
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    EXPECT_EQ(live.study()->name, kSpeedupStudy);
    int plain = 0, longest = 0;
    for (const RunSettings& run : live.study()->runs) {
        EXPECT_EQ(run.prompt.token_ids, live.settings.prompt.token_ids);
        EXPECT_EQ(run.sampling, live.settings.sampling);
        EXPECT_EQ(run.seed, live.settings.seed);
        EXPECT_EQ(run.trace_top, 0) << "times without recording";
        EXPECT_EQ(run.drafter, run.k == 0 ? "none" : "small");
        plain += run.k == 0;
        longest = std::max(longest, run.k);
    }
    EXPECT_GE(plain, 1);
    EXPECT_EQ(longest, 15);
}

// Whoever stops it has not done it, and is told so; what was in doubt stays so.
TEST(SpeedupScene, SaysThatItWasStopped) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2}, 7);
    Study ended = *live.published.studies.at(kSpeedupStudy);
    ended.left_out = ended.planned - static_cast<int>(ended.points.size());
    ended.planned = static_cast<int>(ended.points.size());
    for (StudyPoint& point : ended.points) point.busy_cores = 1.7;
    live.published.studies[kSpeedupStudy] = std::make_shared<const Study>(ended);
    live.show();
    EXPECT_TRUE(live.bench->shows("of ten, stopped before the others")) << live.bench->words;
    EXPECT_FALSE(live.bench->shows("it ends too soon")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("in doubt: other programs kept 1.7 cores")) << live.bench->words;
    EXPECT_FALSE(speedup_story(live.input(), speedup_model(live.input(), {})).task_done);
}

TEST(SpeedupScene, DrawsWhatWasMeasured) {
    Measured live;
    EXPECT_FALSE(speedup_model(live.input(), {}).measured());
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2});
    const SpeedupModel m = speedup_model(live.input(), {});
    ASSERT_TRUE(m.measured());
    EXPECT_DOUBLE_EQ(m.plain_ms, 1);
    EXPECT_NEAR(m.levers.draft, 0.1, 1e-9);
    EXPECT_NEAR(m.levers.verify, 0.05, 1e-9);
    ASSERT_GE(m.stays.size(), 3u);
    EXPECT_NEAR(m.stays[0], 0.9, 1e-9);
    EXPECT_NEAR(m.stays[1], 8.0 / 9, 1e-9);
    EXPECT_NEAR(m.stays[2], 6.0 / 8, 1e-9);
    const SpeedupPoint* three = m.point(3);
    ASSERT_NE(three, nullptr);
    EXPECT_NEAR(three->tokens, 1 + 0.9 + 0.8 + 0.6, 1e-9);
    EXPECT_NEAR(three->speedup, 3.3 / (0.3 + 1.15), 1e-9);
    EXPECT_NEAR(m.tokens[2], three->tokens, 1e-9) << "position by position gives what was seen";
    for (const SpeedupPoint& p : m.points) EXPECT_LE(p.speedup, m.point(m.best)->speedup);
    EXPECT_TRUE(live.bench->shows(as_fast_words(m) + (m.alike ? " are about as fast here, up to" : " within the noise")))
        << "of ten rounds";
    Measured long_run;
    long_run.bench->key(ui::Key::m);
    long_run.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.1, 0, 10000);
    EXPECT_TRUE(long_run.bench->shows("Small draft model is fastest here with " + std::to_string(m.best) + " guesses"));
    EXPECT_TRUE(live.bench->shows(speedup_sum(m).words));
    EXPECT_TRUE(live.bench->shows("LIVE"));
    const std::string words = find_scene("speedup")->make()->describe(live.input());
    EXPECT_NE(words.find("K = 3"), std::string::npos);
    EXPECT_NE(words.find("measured 3.30 in 10 rounds"), std::string::npos) << words;
    EXPECT_EQ(words.find("K = 5 3.16 (2.94)"), std::string::npos) << "another beat is about that table: " << words;
    const std::string table = find_scene("speedup")->make()->describe(live.input(kSpeedupBeats - 1));
    EXPECT_NE(table.find("K = 5 3.16 (2.94)"), std::string::npos) << table;
}

// Every number that is drawn, or behind what is drawn.
TEST(SpeedupScene, TellsEveryLengthWithItsNumbersInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        Measured live;
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 6, 4, 3, 3, 2, 2});
        const SceneInput input = live.input();
        const SpeedupModel m = speedup_model(input, {});
        const std::vector<ui::ToldMessage> told = find_scene("speedup")->make()->told(input);
        int k = 0;
        for (const Said& said : test::all_said(told, "speedup.chart.length")) {
            do ++k;
            while (!m.known(k));
            EXPECT_EQ(test::whole(said, "k"), k);
            EXPECT_EQ(test::whole(said, "marked"), k == m.marked);
            if (const auto i = static_cast<std::size_t>(k - 1); i < m.tokens.size()) {
                EXPECT_EQ(test::real(said, "tokens"), m.tokens[i]);
                EXPECT_EQ(test::real(said, "times"), m.speedup[i]);
            }
            const SpeedupPoint* p = m.point(k);
            if (!p) continue;
            const Said seen = test::inner(said, "measured");
            const std::pair<const char*, double> numbers[] = {{"tokens", p->tokens}, {"draft", p->draft},   {"head", p->head},
                                                              {"verify", p->verify}, {"times", p->speedup}, {"low", p->low},
                                                              {"high", p->high}};
            for (const auto& [name, value] : numbers) EXPECT_EQ(test::real(seen, name), value) << k << " " << name;
            EXPECT_EQ(test::whole(seen, "rounds"), p->rounds);
            EXPECT_EQ(test::whole(seen, "few"), p->few());
        }
        EXPECT_EQ(k, 15) << "the longest that was measured";
        ASSERT_EQ(test::all_said(told, "speedup.chart.stays").size(), 1U);
        const std::vector<Said> places = test::list(test::all_said(told, "speedup.chart.stays")[0], "places");
        ASSERT_EQ(places.size(), m.stays.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            EXPECT_EQ(test::whole(places[i], "place"), static_cast<int>(i) + 1);
            EXPECT_EQ(test::real(places[i], "stays"), m.stays[i]);
            EXPECT_EQ(test::whole(places[i], "judged"), m.judged[i]);
            EXPECT_EQ(test::whole(places[i], "few"), m.judged[i] < 30);
        }
        std::vector<double> levers;
        for (const Said& said : test::all_said(told, "speedup.details.row"))
            if (const Said value = test::inner(said, "value"); value.text != "details.count") levers.push_back(test::real(value, "value"));
        EXPECT_EQ(levers, (std::vector{m.levers.alpha, m.levers.draft, m.levers.verify, m.plain_ms}));
        const std::vector<Said> sums = test::all_said(told, "speedup.sum.ms");
        ASSERT_EQ(sums.size(), 1U);
        EXPECT_EQ(test::real(sums[0], "tokens"), m.tokens_at(m.marked));
        EXPECT_EQ(test::real(sums[0], "pass"), m.plain_ms);
        EXPECT_EQ(test::real(sums[0], "draft"), m.draft_cost(m.marked) * m.plain_ms);
        EXPECT_EQ(test::real(sums[0], "verify"), m.verify_cost(m.marked) * m.plain_ms);
        EXPECT_EQ(test::real(sums[0], "times"), m.speedup_at(m.marked));

        const PrintedTable table = printed_table(input.figures);
        const std::vector<Said> rows =
            test::all_said(find_scene("speedup")->make()->told(live.input(kSpeedupBeats - 1)), "speedup.table.row");
        ASSERT_EQ(rows.size(), table.rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(test::real(rows[i], "alpha"), table.rows[i].alpha);
            const std::vector<Said> cells = test::list(rows[i], "cells");
            ASSERT_EQ(cells.size(), table.columns.size());
            for (std::size_t c = 0; c < cells.size(); ++c) {
                EXPECT_EQ(test::whole(cells[c], "k"), table.columns[c]);
                EXPECT_EQ(test::real(cells[c], "printed"), table.rows[i].printed[c]);
                if (i == 0) continue; // the row of .5 follows from the formula
                EXPECT_EQ(test::real(cells[c], "formula"), table.rows[i].formula[c]);
            }
        }
    }
}

// Which number stands where, in words.
TEST(SpeedupScene, SaysItsNumbersInTheirPlaces) {
    for (const auto& [language, a_round, measured, in, to] :
         {std::array{"en", " tokens per round, ", "×; measured ", " in 10 rounds, draft ", " to "},
          std::array{"de", " Token pro Runde, ", "×; gemessen ", " in 10 Runden, Entwurf ", " bis "}}) {
        const test::Speaking speaking(language);
        Measured live;
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 6, 4, 3, 3, 2, 2});
        const SpeedupModel m = speedup_model(live.input(), {});
        const SpeedupPoint& p = *m.point(3);
        ASSERT_LT(p.low, p.high);
        const auto two = [](double x) { return ui::number(x, 2); };
        const std::string words = find_scene("speedup")->make()->describe(live.input());
        for (const std::string& part :
             {": " + two(m.tokens[2]) + a_round + two(m.speedup[2]) + measured + two(p.tokens) + in + ui::number(p.draft, 3) + ", ",
              ui::number(p.verify, 3) + " ms, " + two(p.speedup) + "× (" + two(p.low) + to + two(p.high)})
            EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
    }
}

// Whoever works out the printed sum gets the printed result.
TEST(SpeedupScene, ItsSumIsAsPrinted) {
    for (const double plain : {0.0123, 0.124, 0.84, 7.3, 31.0}) {
        SpeedupModel m;
        m.source = SpeedupModel::Source::run;
        m.plain_ms = plain;
        m.levers = {.alpha = 0.81, .draft = 0.113, .verify = 0.057};
        for (int k = 1; k <= kLongestDraft; ++k) {
            m.tokens.push_back(expected_tokens(m.levers.alpha, k));
            m.marked = k;
            const std::string words = speedup_sum(m).words;
            double tokens = 0, pass = 0, draft = 0, verify = 0, result = 0;
            ASSERT_EQ(std::sscanf(words.c_str(), "%lf tokens × %lf ms ÷ (%lf + %lf ms) = %lf", &tokens, &pass, &draft, &verify, &result), 5)
                << words;
            EXPECT_NEAR(tokens * pass / (draft + verify), result, 0.005 + 1e-9) << words;
            EXPECT_NEAR(tokens, m.tokens_at(k), 0.006) << words;
        }
    }
}

TEST(SpeedupScene, KeysMarkALengthAndTakeNumbersByHand) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2});
    const int best = speedup_model(live.input(), {}).best;
    live.bench->key(ui::Key::up);
    EXPECT_TRUE(live.bench->shows("A round with " + std::to_string(best + 1) + " guesses, and plain decoding of as many tokens"))
        << live.bench->words;
    live.bench->key(ui::Key::h);
    EXPECT_TRUE(live.bench->shows("the formula, with your numbers")) << live.bench->words;
    SpeedupState by_hand;
    by_hand.by_hand = true;
    EXPECT_TRUE(speedup_story(live.input(), speedup_model(live.input(), by_hand)).task_done)
        << "measured is measured, whatever is looked at";
    EXPECT_FALSE(live.bench->shows("LIVE"));
    live.bench->key(ui::Key::h);
    EXPECT_TRUE(live.bench->shows("LIVE"));
}

TEST(SpeedupScene, ATreeIsStudiedAsAChain) {
    Measured live("small_tree");
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    for (const RunSettings& run : live.study()->runs) EXPECT_EQ(run.drafter, run.k == 0 ? "none" : "small");
}

// A length that chance may have put behind is named beside the best one.
TEST(SpeedupScene, NamesTheLengthsThatAreAboutAsFast) {
    std::size_t before = 100;
    for (const int tens : {1, 10, 100, 10000}) { // the more rounds, the fewer
        Measured live;
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.1, 0, tens);
        const SpeedupModel m = speedup_model(live.input(), {});
        EXPECT_LE(m.as_fast.size(), before) << tens;
        EXPECT_NE(std::ranges::find(m.as_fast, m.best), m.as_fast.end());
        before = m.as_fast.size();
        for (const SpeedupPoint& p : m.points) {
            EXPECT_EQ(std::ranges::find(m.as_fast, p.k) != m.as_fast.end(), p.high >= m.point(m.best)->low);
            EXPECT_EQ(p.few(), tens == 1);
        }
        EXPECT_EQ(live.bench->shows("rings: under 30 rounds"), tens == 1) << live.bench->words;
        const std::string words = find_scene("speedup")->make()->describe(live.input());
        EXPECT_EQ(words.find(", few rounds)") != std::string::npos, tens == 1) << words;
    }
    EXPECT_EQ(before, 1U);
}

// One round says little, but no speed-up is 0 or less.
TEST(SpeedupScene, NoIntervalReachesZero) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2});
    Study few = *live.published.studies[kSpeedupStudy];
    for (StudyPoint& p : few.points)
        if (p.settings.k == 8) p.rounds = 1, p.tokens = 3;
    live.published.studies[kSpeedupStudy] = std::make_shared<const Study>(few);
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    ASSERT_TRUE(m.measured());
    for (const SpeedupPoint& p : m.points) {
        EXPECT_GT(p.low, 0.01) << p.k;
        EXPECT_NEAR(p.low * p.high, p.speedup * p.speedup, 1e-9) << p.k << ": as far either way";
    }
}

TEST(SpeedupScene, DoubtsTimesOfWhichTheWiderIsQuicker) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.1, 0, 100);
    EXPECT_FALSE(live.bench->shows("timing in doubt"));
    Study slow = *live.published.studies[kSpeedupStudy];
    for (StudyPoint& p : slow.points)
        if (p.settings.k == 2) p.verify_ms = 2.5;
    live.published.studies[kSpeedupStudy] = std::make_shared<const Study>(slow);
    live.show();
    EXPECT_TRUE(live.bench->shows("timing in doubt: a wider pass was quicker")) << live.bench->words;
}

// On a CPU the widest passes cost the most by far. What is said of a row is true of the lengths in the
// middle.
TEST(SpeedupScene, TellsOfARowWhatMostLengthsPay) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2});
    Study bent = *live.published.studies[kSpeedupStudy];
    for (StudyPoint& p : bent.points)
        if (p.settings.k >= 12) p.verify_ms *= 1.8;
    live.published.studies[kSpeedupStudy] = std::make_shared<const Study>(bent);
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    ASSERT_TRUE(m.measured());
    EXPECT_NEAR(m.levers.verify, 0.05, 1e-9);
    EXPECT_NEAR(m.point(4)->verify, m.levers.verify_cost(4), 1e-9) << "the bars and the words agree";
}

// One try of a length took longer than the others: its quickest counts, and says less for certain.
TEST(SpeedupScene, TriesThatLieApartAreNoise) {
    Measured live;
    live.bench->key(ui::Key::m);
    live.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.1, 0, 100);
    const SpeedupModel calm = speedup_model(live.input(), {});
    Study shaken = *live.published.studies[kSpeedupStudy];
    for (std::size_t i = 11; i < shaken.points.size(); ++i) shaken.points[i].verify_ms *= 1.3;
    live.published.studies[kSpeedupStudy] = std::make_shared<const Study>(shaken);
    live.show();
    const SpeedupModel m = speedup_model(live.input(), {});
    EXPECT_GT(m.as_fast.size(), calm.as_fast.size());
    EXPECT_DOUBLE_EQ(m.point(m.best)->speedup, calm.point(calm.best)->speedup);
}

// Whom a finding is about is said where the run on the screen has another drafter.
TEST(SpeedupScene, SaysWhoWasMeasuredInstead) {
    const std::pair<const char*, const char*> cases[] = {{"small", ""},
                                                         {"small_tree", "this run drafts a tree; measured here: its chain"},
                                                         {"none", "this run drafts nothing; measured here: EAGLE-3"}};
    for (const auto& [drafter, words] : cases) {
        Measured live(drafter);
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 6, 4, 3, 3, 2, 2});
        const SpeedupModel m = speedup_model(live.input(), {});
        ASSERT_TRUE(m.measured()) << drafter;
        const bool said = find_scene("speedup")->make()->describe(live.input()).find("measured here") != std::string::npos;
        EXPECT_EQ(said, *words != 0) << drafter;
        EXPECT_TRUE(live.bench->shows(words)) << drafter << "\n" << live.bench->words;
    }
}

TEST(SpeedupScene, NamesTheSourceOfItsTableWholeWhereItIsShown) {
    Measured live;
    SceneBench bench("speedup", {}, {0, 0, 1600, 1000});
    bench.controller.figures = figures();
    bench.controller.observe(live.published, bench.time);
    bench.controller.perform({SceneCommand{SetBeat{kSpeedupBeats - 1}}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("(of a series on NVIDIA Dynamo)")) << bench.words;
    for (const char* value : {"2.53", "8.62"}) EXPECT_TRUE(bench.shows(value)) << value;
}

// Who reads "this table" sees one, also where no details are beside the stage.
TEST(SpeedupScene, TheTableIsWhereItIsSpokenOf) {
    const float scale = presenter_scale({1280, 720});
    struct Window {
        ui::Rect screen;
        bool presenter, drawer;
    };
    for (const Window& w : {Window{{0, 0, 1600, 1000}, false, false}, Window{{0, 0, 1280, 720}, false, false},
                            Window{{0, 0, 1280, 720}, false, true}, Window{{0, 0, 1280 / scale, 720 / scale}, true, false}}) {
        SceneBench bench("speedup", {}, w.screen);
        bench.controller.figures = figures();
        bench.show(fixtures::mixed());
        if (w.presenter) {
            bench.controller.window = {1280, 720};
            bench.key(ui::Key::f5);
        }
        bench.controller.chrome.layout.details = w.drawer;
        bench.controller.perform({SceneCommand{SetBeat{kSpeedupBeats - 1}}}, bench.time);
        bench.settle();
        const std::string what = std::to_string(w.screen.w) + (w.presenter ? " presenter" : "") + (w.drawer ? " with details" : "");
        const auto times = [&](const std::string& words) {
            return std::ranges::count_if(bench.texts, [&](const ui::RecordedText& text) { return text.text == words; });
        };
        EXPECT_EQ(times("A printed table, checked"), 1) << what;
        EXPECT_GE(times("3.16"), 1) << what << ": printed";
        EXPECT_GE(times("2.94"), 1) << what << ": by the formula";
        EXPECT_EQ(times("Tokens per round"), 0) << what << ": the beat is about the table";
        EXPECT_TRUE(bench.shows("16 of 20 printed cells miss their own formula")) << what;
        EXPECT_TRUE(bench.shows("PUBLISHED tokens per round")) << what;
        look(bench, what, false);
        bench.controller.perform({SceneCommand{SetBeat{0}}}, bench.time);
        bench.settle();
        EXPECT_EQ(times("Tokens per round"), 1) << what << ": other beats keep their charts";
        EXPECT_EQ(times("A printed table, checked"), 0) << what << ": whose table, nobody has said yet";
    }
}

TEST(SpeedupScene, TabStopsAtNoColumn) {
    Measured live;
    const auto id = [&](const std::string& name) { return id_in(*live.bench, "speed-up", name); };
    const std::set<ui::Id> stops = tab_stops(*live.bench);
    EXPECT_TRUE(stops.contains(id("measure")));
    for (const char* chart : {"tokens", "speed"})
        for (int k = 1; k <= kLongestDraft; ++k) EXPECT_FALSE(stops.contains(id(chart + std::to_string(k)))) << chart << k;
}

TEST(SpeedupScene, ItsTitlesSpeakOfNoise) {
    SpeedupModel m;
    m.source = SpeedupModel::Source::study;
    m.drafter = "small";
    m.plain_ms = 1;
    m.points = {{.k = 3, .rounds = 10, .tokens = 1.8125, .draft = 0.3, .verify = 1.15, .speedup = 1.25}};
    m.best = m.marked = 3;
    m.as_fast = {1, 2, 3, 4};
    m.alike = m.close = false;
    SceneInput input;
    input.beat = kSpeedupBestBeat;
    EXPECT_NE(speedup_title(input, m).title.find("1.25× with 3 guesses here; "), std::string::npos);
    EXPECT_TRUE(speedup_title(input, m).title.ends_with(" within the noise")) << speedup_title(input, m).title;
    m.even = true;
    EXPECT_EQ(speedup_title(input, m).title.substr(speedup_title(input, m).title.find(':')),
              ": 1.25× with 3 guesses, within the noise of plain decoding");
}

TEST(SpeedupScene, NothingCollidesWhereEverythingIsShown) {
    for (const Size& s : kSizes) {
        Measured live;
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 6, 4, 3, 3, 2, 2});
        SceneBench bench("speedup", {}, {0, 0, s.w, s.h});
        bench.controller.figures = figures();
        bench.controller.observe(live.published, bench.time);
        for (int beat = 0; beat < kSpeedupBeats; ++beat) {
            bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
            bench.settle();
            look(bench, std::string("speed-up, measured, ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
        }
    }
}

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
        const auto caption = std::ranges::find_if(
            bench.texts, [](const ui::RecordedText& shown) { return shown.text.find("dashed: one α of ") != std::string::npos; });
        ASSERT_NE(caption, bench.texts.end()) << screen.w << "\n" << bench.words;
        EXPECT_FALSE(caption->text.ends_with("…")) << caption->text;
    }
}

// A curve that leaves the plot at the top has its name there.
TEST(SpeedupScene, EveryCurveHasItsName) {
    Measured live;
    live.bench->key(ui::Key::m);
    for (const std::vector<int>& kept : {std::vector{2, 1}, {9, 8, 6, 4}, {10, 10, 10, 10, 10, 10, 10, 10, 9, 9}}) {
        live.answer(kept);
        for (const char* name : {"α .50", "α .70", "α .90"})
            EXPECT_TRUE(live.bench->shows(name)) << name << " of " << kept.size() << "\n" << live.bench->words;
    }
}

// The last token of a text has no room for a guess: whoever drafts, that round says nothing of the drafter.
TEST(SpeedupScene, NoDrafterIsBlamedForTheLastToken) {
    const auto models = test::micro_models(1);
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
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
    RunView whole = fold(*trace, trace->size());
    SceneInput input;
    input.trace = trace.get();
    input.view = input.whole = &whole;
    input.plain.ms_per_token = 9;
    whole.round_list[1].drafts.clear(); // nothing was found there
    int with = 0, rounds = 0;
    for (const RoundSummary& round : whole.round_list)
        if (round.complete()) ++rounds, with += !round.drafts.empty();
    ASSERT_EQ(with, rounds - 1);
    const SpeedupModel m = speedup_model(input, {});
    ASSERT_EQ(m.source, SpeedupModel::Source::run);
    EXPECT_DOUBLE_EQ(m.levers.drafts, static_cast<double>(with) / rounds);
    whole = fold(*trace, trace->size());
    whole.round_list.back().drafts.clear(); // the last token has no room for a guess, whoever drafts
    EXPECT_DOUBLE_EQ(speedup_model(input, {}).levers.drafts, 1);
}

// One pass that the machine held up must not turn what the run says into its opposite.
TEST(SpeedupScene, OneHeldUpRoundDecidesNoLever) {
    for (const char* drafter : {"small", "dflash"}) {
        const auto model = [&](int held_up) {
            const auto trace = fixtures::toy_run({.name = "held", .drafter = drafter, .k = 4, .held_up = held_up});
            const RunView whole = fold(*trace, trace->size());
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
    const RunView whole = fold(*trace, trace->size());
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
        RunView whole = *input.whole;
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
    EXPECT_NE(words.find("One guess alone pays: it brings 0.50 tokens a round and costs 0.45 passes."), std::string::npos) << words;
    EXPECT_NE(words.find("for 0.62 passes, would not."), std::string::npos) << words;
    EXPECT_EQ(words.find("once a round"), std::string::npos) << words;

    Measured once; // half a pass before the first guess, next to nothing for further ones
    once.bench->key(ui::Key::m);
    once.answer({5, 5, 5, 5, 5, 5}, 1000, 0.02, 0.5, 1000);
    words = reason(once);
    EXPECT_NE(words.find("One guess alone does not pay: it brings 0.50 tokens a round and costs 0.57 passes."), std::string::npos) << words;
    EXPECT_NE(words.find("0.50 tokens each for 0.07 passes: most of the first one's cost is paid once a round."), std::string::npos)
        << words;

    Measured plain; // as by the levers
    plain.bench->key(ui::Key::m);
    plain.answer({9, 8, 6, 4, 3, 3, 2, 2}, 1000, 0.1, 0, 1000);
    words = reason(plain);
    EXPECT_TRUE(words.ends_with("One guess alone pays: it brings 0.90 tokens a round and costs 0.15 passes.")) << words;
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
    other.prompt.token_ids = {9, 9, 9};
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
        // The length at which they differ most is told of, whichever is marked.
        const int told = one_number_miss(m).k;
        const std::string text = speedup_story(live.input(kSpeedupPlacesBeat), m).text;
        EXPECT_GE(told, 1);
        EXPECT_LE(told, 8) << "no position behind is known";
        EXPECT_NE(text.find("They differ most for K = " + std::to_string(told) + ":"), std::string::npos) << text;
        EXPECT_EQ(text.find(" were seen.") != std::string::npos, m.point(told) != nullptr) << text;
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
    for (const bool german : {false, true}) {
        std::optional<test::Speaking> speaking;
        if (german) speaking.emplace("de");
        live.beat(kSpeedupBestBeat);
        EXPECT_TRUE(live.bench->shows(german ? "Sie werden gemessen" : "They are being measured")) << live.bench->words;
        EXPECT_TRUE(live.bench->shows(german ? "bis sie gemessen sind" : "until they are measured")) << live.bench->words;
        const Story story = speedup_story(live.input(), speedup_model(live.input(), {}));
        EXPECT_NE(story.text.find(german ? "normales Decoding zuerst" : "plain decoding first"), std::string::npos) << story.text;
    }
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
