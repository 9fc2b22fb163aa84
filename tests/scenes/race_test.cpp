// The race: its numbers and its words.
//
// What stood in the description that was written by hand, and which message has it now (RaceTold, RaceWords):
//
//     "Race. Domino needs the fewest rounds and …"       outcome.best {drafter} {alike} {wins} and the others, title.*
//     "same prompt, same dice, K = 2 to 5 · T = 0.7, …"  subtitle.clock {k}: words.k {least} {most}; {dice}: words.dice {temperature}
//     {drafts} {seed}; {tokens}: words.tokens {tokens} {up_to}; {lossy}: words.lossy {rule}; {now}: subtitle.now {rounds} {part} {ms}
//     {home} {over}; {doubt}; {pace}: subtitle.pace {slower}            subtitle.stepped {step} {texts} "Recorded 2026-11-25 on … Prompt:
//     …"               header.recorded {date} {machine}, header.asked {prompt} "TEXTS DIFFER after 3 tokens" texts.differ {tokens},
//     texts.part {tokens} {lossless} "Lane 4, Domino (5 guesses, …), chosen: "          lane.told {lane} {drafter} {about}: cost.gru {k}
//     {tree}; {chosen} {what} "12 of 12 tokens so far; 6.00 tokens per round"    lane.run {tokens} {of} {rate} {per_second}, lane.so_far
//     {rounds} {done}
//     ", finished after 33.6 ms, 3.32× the speed of …"   lane.end {done} {to_come} {stopped} {rounds} {ms}, lane.speed {times} {note}
//     "Over 40 prompts: 6.00 tokens per round (95 % …)"  lane.average {prompts} {tokens} {low} {high} {times}
//     "a round takes 16.75 ms: draft 7.30, head 0.20, …" costs.bar {round} {draft} {head} {search} {verify} {accept} {rest}
//     "Speed-up by the formula: 6.00 × 9.25 ÷ 16.75 …"   words.formula {tokens} {plain} {round} {predicted} {measured}
//     "Kept at position 1, 2, …: .90 of 80 …"            positions.line {places}: positions.place {kept} {judged}
//     "Guess 1 after: prompt .10, full round 1.00"       positions.first_guess {cases}: first_guess.prompt, full_round, refusal {kept}
//     "2 prompts skipped: too long for toy target"       words.skipped {prompts} {why}
//     "In one sentence: …"                               conclusion.*
//     "Pictures, over 40 prompts: …; …; …"               averages.over {prompts}, scatter.*, positions.*, costs.drafting {share}
//     "Published, …: EAGLE-3 3.40 tokens per round, …"   scatter.published {conditions} {method} {source} {round}: shared.round.whole
//
// Nobody told of these before: the marks of the scatter (scatter.point) and its lines (scatter.lines), the text of a lane with its hues
// (lane.written), its row on the clock (clock.row), the score of a stepped race (steps.row), the chips of its round (round.told).
#include <gtest/gtest.h>

#include <algorithm>

#include "app/frontend/frontend.h"
#include "engine/base/display_name.h"
#include "scenes/shared/methods.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"
#include "tests/shared/toy_race.h"
#include "ui/format.h"

namespace speclens::race_words {
namespace {

using test::all_said;
using test::inner;
using test::list;
using test::maybe;
using test::only_said;
using test::real;
using test::whole;

using Names = std::vector<std::pair<std::string_view, std::string>>; // values that are a name

void expect_said(const Said& said, std::string_view text, const Names& names = {}) {
    EXPECT_EQ(said.id(), "race." + std::string(text));
    for (const auto& [value, name] : names) EXPECT_EQ(test::words(said, value), name) << said.id() << " {" << value << "}";
}
// A title that names who wins, and how.
void expect_outcome(const Message& title, std::string_view text, const Names& names, std::string_view wins) {
    expect_said(title.said, text, names);
    expect_said(inner(title.said, "wins"), wins);
}

RaceModel model_at(const RaceView& race, double ms) { return race_model(input_at(race, ms)); }
// What a lane is told of: "lane.told" of its number, from 1.
Said lane_said(const RaceView& race, double ms, int lane) {
    for (const Said& one : all_said(race_told(input_at(race, ms)), "race.lane.told"))
        if (whole(one, "lane") == lane) return one;
    ADD_FAILURE() << lane;
    return {};
}
// Of a list of messages the one that has this name in this value.
Said said_of(const std::vector<Said>& all, std::string_view value, const std::string& name) {
    for (const Said& one : all)
        if (test::words(one, value) == name) return one;
    ADD_FAILURE() << "nothing of " << name;
    return {};
}

TEST(RaceClock, ARaceThatHasNotBegunTakesNoTime) {
    RaceView race;
    EXPECT_EQ(race_end(race), 0);
    race.lanes.emplace_back(); // not its turn yet
    EXPECT_EQ(race_end(race), 0);
    EXPECT_EQ(race_rest(race), 0);
    EXPECT_EQ(race_stops(race), std::vector<double>{0});
    race.settings.stepped = true;
    EXPECT_EQ(race_end(race), 0);
}

// Plain: 9.3 ms a token. eagle3: 2 × 1.5 + 9 + 0.3 = 12.3 a round of 3. dflash: 13.8 a round of 1.
// domino: 16.8, 6.
TEST(RaceModel, CountsWhatIsOverAtTheClock) {
    const auto race = toy_race();
    EXPECT_NEAR(race_end(*race), 12 * 13.8, 1e-9);
    EXPECT_NEAR(race_rest(*race), 2 * 16.8, 1e-9) << "domino is home first";
    const RaceModel m = race_model(input_at(*race, 2 * 16.8));
    EXPECT_EQ(m.lanes[0].tokens_shown, 3);
    EXPECT_EQ(m.lanes[1].tokens_shown, 6);
    EXPECT_EQ(m.lanes[2].tokens_shown, 2);
    EXPECT_EQ(m.lanes[3].tokens_shown, 12);
    EXPECT_EQ(m.just_done, 3);
    EXPECT_EQ(m.fastest, 3);
    EXPECT_EQ(m.plain, 0);
    EXPECT_TRUE(m.identical);
    EXPECT_FALSE(m.over);
    EXPECT_NEAR(m.lanes[3].speed_up.figure.value, 12 * 9.3 / (2 * 16.8), 1e-9);
    EXPECT_TRUE(race_model(input_at(*race, race_end(*race))).over);
}

TEST(RaceModel, StopsAtTheEndOfEveryRound) {
    const auto race = toy_race();
    const std::vector<double> all = race_stops(*race), domino = race_stops(*race, 3);
    ASSERT_EQ(domino.size(), 3U);
    EXPECT_NEAR(domino[1], 16.8, 1e-9);
    EXPECT_NEAR(domino[2], 33.6, 1e-9);
    EXPECT_EQ(all.size(), 1 + 12 + 4 + 12 + 2U) << "no two rounds of this race end together";
    EXPECT_TRUE(std::ranges::is_sorted(all));
}

TEST(RaceModel, SaysWhereTextsPart) {
    auto race = toy_race(false);
    race->lanes[1].trace = another_text();
    const RaceModel m = model_at(*race, 1);
    EXPECT_FALSE(m.identical);
    const auto texts = [&] { return race_texts(model_at(*race, 1)).said; };
    const auto expect_parts = [&](std::string_view text) {
        expect_said(texts(), text);
        EXPECT_EQ(whole(texts(), "tokens"), m.same_tokens);
    };
    expect_parts("texts.differ"); // greedy lanes must agree
    race->settings.base.sampling.temperature = 1;
    expect_parts("texts.part");
    EXPECT_EQ(whole(texts(), "lossless"), 1) << "only the distribution is shared";
    race->settings.base.rule = "typical";
    expect_parts("texts.part");
    EXPECT_EQ(whole(texts(), "lossless"), 0);
    race->settings.base.sampling.temperature = 0;
    expect_parts("texts.differ"); // at temperature 0 it is the greedy rule
    race->settings.base.rule = "cascade_opt";
    expect_parts("texts.part");
    EXPECT_EQ(whole(texts(), "lossless"), 0);
    EXPECT_EQ(only_said(race_told(input_at(*race, 1)), "race.texts.part"), texts());
}

TEST(RaceModel, ComparesOnlyLanesThatRanToTheirEnd) {
    auto race = toy_race(false);
    race->lanes[1].trace = another_text();
    race->lanes[1].problem = "no memory is left";
    expect_said(race_texts(model_at(*race, 1)).said, "texts.identical"); // of the other three
    for (RaceLane& lane : race->lanes) lane.problem = "the prompt is too long";
    EXPECT_TRUE(race_texts(model_at(*race, 1)).empty()) << "there is no text";
    race->settings.stepped = true;
    EXPECT_TRUE(race_texts(model_at(*race, 1)).empty());
}

TEST(RaceWords, AskFirstAndAnswerWhenTheFirstLaneIsHome) {
    const auto race = toy_race();
    const auto title = [&](double ms) { return race_title(model_at(*race, ms)); };
    expect_said(title(5).said, "title.who_first");
    EXPECT_EQ(race_told(input_at(*race, 5)).front().message.said.text, "title.who_first") << "a frame in words begins with it";
    expect_outcome(title(2 * 16.8), "outcome.best", {{"drafter", "Domino"}}, "wins.first");
    EXPECT_EQ(whole(title(2 * 16.8).said, "alike"), 1) << "the fewest rounds";
    race->lanes.erase(race->lanes.begin() + 3);
    expect_outcome(title(60), "outcome.best", {{"drafter", "EAGLE-3"}}, "wins.first");
    EXPECT_EQ(whole(title(60).said, "alike"), 1);
    race->lanes.erase(race->lanes.begin() + 1);
    expect_outcome(title(120), "outcome.plain", {}, "wins.first");
    race->lanes.erase(race->lanes.begin() + 1);
    expect_said(title(120).said, "title.alone", {{"lane", method_title(kNoDrafter)}});
}

TEST(RaceWords, TellHowTheDraftsAreMadeWhereThatIsNotTheTargetsWay) {
    const auto race = toy_race();
    Sampling& target = race->settings.base.sampling;
    const auto dice = [&] {
        const SceneInput input = input_at(*race, 120);
        return inner(race_subtitle(input, race_model(input)).said, "dice");
    };
    expect_said(dice(), "words.greedy");
    target.temperature = 0.7;
    race->settings.base.seed = 23;
    const auto expect_dice = [&](bool likeliest, std::optional<double> drafts, const std::string& words) {
        expect_said(dice(), "words.dice");
        EXPECT_EQ(real(dice(), "temperature"), 0.7);
        EXPECT_EQ(whole(dice(), "likeliest"), likeliest);
        EXPECT_EQ(maybe<double>(dice(), "drafts"), drafts);
        EXPECT_EQ(whole(dice(), "seed"), 23);
        EXPECT_EQ(message(dice()), words);
    };
    expect_dice(false, {}, "T = 0.7, seed 23");
    race->settings.base.draft_sampling = Sampling{.temperature = 0};
    expect_dice(true, {}, "T = 0.7, likeliest drafts, seed 23");
    race->settings.base.draft_sampling->temperature = 0.3;
    expect_dice(false, 0.3, "T = 0.7, drafts at T = 0.3, seed 23");
}

TEST(RaceWords, CallNoLeadWhatTwoLanesShare) {
    const auto race = toy_race();
    race->lanes.pop_back();
    race->lanes[2].trace = race->lanes[1].trace; // DFlash exactly like EAGLE-3
    const Message shared = race_title(model_at(*race, 120));
    expect_outcome(shared, "outcome.shared", {{"drafter", "EAGLE-3"}, {"other", "DFlash"}}, "wins.first");
    EXPECT_EQ(whole(shared.said, "alike"), 1) << "in as many rounds";
    const auto apart = toy_race();
    RaceModel m = model_at(*apart, 120);
    m.fastest = 1;
    expect_outcome(race_title(m), "outcome.richer", {{"other", "Domino"}, {"drafter", "EAGLE-3"}}, "wins.first");
    EXPECT_EQ(whole(race_title(m).said, "alike"), 1) << "fewer rounds";
}

// Asking a table takes no time worth a word: its race counts rounds, and says nothing of speed.
TEST(RaceWords, CountRoundsWhereTheTargetIsATable) {
    const auto race = toy_race(/*averages=*/false, "TABLE");
    EXPECT_TRUE(race_of_table(*race));
    EXPECT_FALSE(race_of_table(*toy_race()));
    RaceBench live;
    live.observe(race);
    live.bench.key(ui::Key::end);
    const SceneInput input = live.bench.controller.frame(live.bench.time).scene;
    EXPECT_TRUE(input.race_rounds);
    EXPECT_NEAR(input.race_ms, 12, 1e-9) << "rounds of plain decoding";
    const std::vector<ui::ToldMessage> told = race_told(input);
    expect_outcome(race_title(race_model(input)), "outcome.table", {{"drafter", "Domino"}}, "wins.fewest_rounds");
    for (const Said& lane : all_said(told, "race.lane.told")) {
        const Said run = inner(lane, "what"), end = inner(run, "end");
        EXPECT_EQ(maybe<double>(run, "per_second"), std::nullopt);
        EXPECT_FALSE(maybe<std::string>(run, "speed"));
        EXPECT_EQ(maybe<double>(end, "ms"), std::nullopt);
        if (test::words(lane, "drafter") == "Domino") {
            EXPECT_EQ(whole(end, "rounds"), 2);
        }
    }
    for (const Said& row : all_said(told, "race.clock.row"))
        for (const char* time : {"draft", "verify", "rest"}) EXPECT_EQ(maybe<double>(row, time), std::nullopt) << time;
    for (const char* absent : {"race.header.asked", "race.wins.first", "race.lane.average", "race.scatter.point"})
        EXPECT_TRUE(all_said(told, absent).empty()) << absent;
    live.bench.key(ui::Key::s);
    EXPECT_TRUE(live.bench.controller.frame(live.bench.time).scene.race_rounds) << "no clock in ms";
}

// Home first with half of the text is no victory: then speeds are compared, and said so.
TEST(RaceWords, CompareSpeedsWhereTextsDifferInLength) {
    const auto race = toy_race();
    RaceModel m = model_at(*race, 120);
    m.lanes[3].tokens = m.lanes[3].tokens_shown = m.lanes[3].whole.output_tokens = 24;
    expect_outcome(race_title(m), "outcome.best", {{"drafter", "Domino"}}, "wins.fastest");
    EXPECT_EQ(whole(race_title(m).said, "alike"), 0) << "tokens a round, no rounds";
    expect_outcome(race_title_short(m), "title.short", {{"lane", "Domino"}}, "wins.fastest");
    EXPECT_EQ(whole(race_title_short(m).said, "once"), 0);
    m.fastest = 1;
    expect_outcome(race_title(m), "outcome.richer", {{"other", "Domino"}, {"drafter", "EAGLE-3"}}, "wins.fastest");
    EXPECT_EQ(whole(race_title(m).said, "alike"), 0);
    m.fastest = 0;
    const Message once = race_title(m); // one race against the averages beside it
    expect_outcome(once, "outcome.plain_this_time", {{"drafter", "Domino"}}, "wins.fastest");
    EXPECT_EQ(whole(once.said, "prompts"), 40);
    EXPECT_EQ(real(inner(once.said, "times"), "times"), race->lanes[3].average->speed_up.value);
    EXPECT_EQ(whole(race_title_short(m).said, "once"), 1);
}

// People expect the first guess to be the easiest; where it is not, the card says why.
TEST(RaceWords, SayWhyTheFirstGuessIsTheHardest) {
    const auto race = toy_race();
    const auto give = [&](std::size_t lane, int kept_first, FirstDrafts first) {
        Totals& t = race->lanes[lane].average->totals;
        t.judged_at = {100, 100, 100};
        t.accepted_at = {kept_first, 95, 95};
        t.conditional = {kept_first / 100.0, .95, .95};
        t.first = first;
    };
    const auto title = [&] { return positions_title(model_at(*race, 0)).said; };
    const auto expect_cases = [&](const std::vector<std::pair<std::string, double>>& cases) {
        const RaceModel m = model_at(*race, 0);
        const RaceLaneModel* lane = first_guess_lane(m);
        ASSERT_TRUE(lane);
        const Said said = first_guess_words(*lane).said;
        expect_said(said, "positions.first_guess", {{"drafter", "DFlash"}});
        const std::vector<Said> told = list(said, "cases");
        ASSERT_EQ(told.size(), cases.size());
        for (std::size_t i = 0; i < cases.size(); ++i) {
            expect_said(told[i], "first_guess." + cases[i].first);
            EXPECT_EQ(real(told[i], "kept"), cases[i].second);
        }
        EXPECT_EQ(std::ranges::count(all_said(race_told(input_at(*race, 0)), "race.positions.first_guess"), said), 1);
    };
    const FirstDrafts apart{.after_full = 50, .kept_after_full = 48, .after_refusal = 40, .kept_after_refusal = 28};
    for (std::size_t lane : {1, 2, 3}) give(lane, 95, apart);
    EXPECT_EQ(title().id(), "shared.charts.kept");
    EXPECT_EQ(all_said(race_told(input_at(*race, 0)), "race.positions.first_guess").size(), 3U) << "told of every lane";
    give(2, 80, apart);
    expect_said(title(), "positions.first", {{"drafter", "DFlash"}});
    expect_cases({{"full_round", 48.0 / 50}, {"refusal", 28.0 / 40}});
    const RaceModel m = model_at(*race, 0);
    EXPECT_EQ(first_guess_words(*first_guess_lane(m)), "DFlash, guess 1 after: full round .96, refusal .70");
    give(2, 80, {.at_start = 60, .kept_at_start = 6, .after_full = 50, .kept_after_full = 50});
    expect_cases({{"prompt", 0.1}, {"full_round", 1}});
    give(2, 80, {.after_full = 50, .kept_after_full = 40, .after_refusal = 40, .kept_after_refusal = 32});
    EXPECT_EQ(title().id(), "shared.charts.kept"); // not the reason
    give(2, 80, {.after_full = 10, .kept_after_full = 10, .after_refusal = 40, .kept_after_refusal = 20});
    EXPECT_EQ(title().id(), "shared.charts.kept"); // too few rounds
}

// A title is no noise: who loses most has to lose more than the others beyond chance, as far as all of them were judged.
TEST(RaceWords, NameWhoLosesMostOnlyBeyondChance) {
    const auto race = toy_race();
    const auto give = [&](std::size_t lane, int rounds, double first, double last, int farther = 0) {
        Totals& t = race->lanes[lane].average->totals;
        t.judged_at = {rounds, rounds, rounds};
        t.conditional = {first, (first + last) / 2, last};
        if (farther > 0) t.judged_at.push_back(farther), t.conditional.push_back(0);
        t.accepted_at.clear();
        for (std::size_t i = 0; i < t.conditional.size(); ++i) t.accepted_at.push_back(static_cast<int>(t.conditional[i] * t.judged_at[i]));
        t.first = {};
    };
    const auto title = [&] { return positions_title(model_at(*race, 0)).said; };
    give(1, 47, 0.40, 0.27);
    give(2, 47, 0.38, 0.23); // as SmolLM2's were after three prompts
    give(3, 47, 0.38, 0.21);
    EXPECT_EQ(title().id(), "shared.charts.kept");
    give(3, 4700, 0.38, 0.21);
    EXPECT_EQ(title().id(), "shared.charts.kept"); // the others' few rounds
    for (const std::size_t lane : {1, 2}) give(lane, 4700, 0.38, 0.30);
    expect_said(title(), "positions.falls", {{"drafter", "Domino"}});
    give(2, 4700, 0.38, 0.30, 4700);
    expect_said(title(), "positions.falls", {{"drafter", "Domino"}}); // a place that only one has says nothing of the others
    for (const std::size_t lane : {1, 2, 3}) give(lane, 4700, 0.38, 0.38);
    EXPECT_EQ(title().id(), "shared.charts.kept"); // nobody loses anything
}

TEST(RaceWords, CountTheGuessesThatARunMakes) {
    const auto race = toy_race();
    race->lanes[2].settings.k = 16; // asked for; the block has room for fewer
    RaceModel m = model_at(*race, 0);
    expect_said(race_about(m.lanes[2]).said, "cost.block");
    EXPECT_EQ(whole(race_about(m.lanes[2]).said, "k"), 3);
    EXPECT_EQ(race_about(m.lanes[2]), "3 guesses, one pass");
    EXPECT_EQ(race_about(m.lanes[2], true), "3 in one pass");
    RaceLane& tree = race->lanes[1];
    tree.settings.drafter = "small_tree";
    tree.settings.k = 1;
    tree.settings.options.tree_budget = 8;
    tree.trace = fixtures::toy_run({.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 1, .cycles = 3, .nodes = 8});
    const std::size_t made = fold(*tree.trace, tree.trace->size()).round_list.front().drafts.size();
    ASSERT_LT(made, 8U);
    m = model_at(*race, 0);
    expect_said(race_about(m.lanes[1]).said, "cost.tree");
    EXPECT_EQ(whole(race_about(m.lanes[1]).said, "tree"), static_cast<std::int64_t>(made));
    EXPECT_EQ(race_about(m.lanes[1]), "a tree of " + std::to_string(made) + " guesses");
    tree.settings.drafter = "lookup+small";
    const Said chain = race_about(model_at(*race, 0).lanes[1]).said;
    expect_said(chain, "cost.chain");
    expect_said(inner(chain, "first"), "cost.copies");
    expect_said(inner(chain, "second"), "cost.passes");
    EXPECT_EQ(whole(chain, "then"), 0);
}

// Every drafter says what it costs, in both languages and where there is little room.
TEST(RaceWords, EveryDrafterSaysWhatItCosts) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        for (const DrafterInfo& info : drafter_list()) {
            ASSERT_TRUE(info.cost) << info.name;
            for (const bool brief : {false, true}) {
                const Said said = info.cost({.k = 17, .tree = 19, .brief = brief});
                EXPECT_EQ(whole(said, "k"), 17) << info.name;
                EXPECT_EQ(whole(said, "tree"), 19) << info.name;
                const std::string words = message(said), number = info.tree ? "19" : "17";
                EXPECT_EQ(words.find(number) != std::string::npos, info.drafts()) << info.name << ": " << words;
            }
        }
    }
}

TEST(RaceWords, DescribeEveryLaneAndItsAverages) {
    const auto race = toy_race();
    const SceneInput input = input_at(*race, 2 * 16.8);
    const RaceModel m = race_model(input);
    const std::vector<ui::ToldMessage> told = race_told(input);
    const std::vector<Said> lanes = all_said(told, "race.lane.told"), averages = all_said(told, "race.lane.average"),
                            bars = all_said(told, "race.costs.bar"), lines = all_said(told, "race.positions.line"),
                            marks = all_said(told, "race.scatter.point");
    ASSERT_EQ(lanes.size(), 4U);
    ASSERT_EQ(averages.size(), 4U);
    ASSERT_EQ(bars.size(), 4U);
    ASSERT_EQ(lines.size(), 3U);
    ASSERT_EQ(marks.size(), 3U);
    for (std::size_t i = 0; i < m.lanes.size(); ++i) {
        const RaceLaneModel& lane = m.lanes[i];
        EXPECT_EQ(whole(lanes[i], "lane"), static_cast<int>(i) + 1);
        EXPECT_EQ(test::words(lanes[i], "drafter"), lane.title);
        EXPECT_EQ(inner(lanes[i], "about"), race_about(lane).said);
        EXPECT_EQ(whole(lanes[i], "chosen"), static_cast<int>(i) == m.focus);
        const Said run = inner(lanes[i], "what"), end = inner(run, "end");
        expect_said(run, "lane.run");
        EXPECT_EQ(whole(run, "tokens"), lane.tokens_shown);
        EXPECT_EQ(whole(run, "of"), 12);
        EXPECT_EQ(maybe<double>(run, "rate"), lane.shown.tokens_per_round());
        EXPECT_EQ(maybe<double>(run, "per_second"), lane.tokens_per_second);
        EXPECT_EQ(maybe<double>(end, "ms"), lane.total_ms);
        EXPECT_EQ(whole(end, "done"), lane.done);
        EXPECT_EQ(whole(end, "to_come"), !lane.done);
        EXPECT_EQ(whole(end, "stopped"), 0);
        EXPECT_EQ(whole(end, "rounds"), 0) << "the clock counts ms";
        if (lane.done) {
            EXPECT_EQ(real(inner(inner(run, "speed"), "times"), "times"), lane.speed_up.figure.value);
        } else {
            EXPECT_FALSE(maybe<std::string>(run, "speed"));
        }
        const LaneAverage& a = *lane.lane->average;
        EXPECT_EQ(test::words(averages[i], "drafter"), lane.title);
        EXPECT_EQ(whole(averages[i], "prompts"), 40);
        EXPECT_EQ(real(averages[i], "tokens"), a.tokens_per_round.value);
        EXPECT_EQ(whole(averages[i], "interval"), a.tokens_per_round.interval);
        EXPECT_EQ(real(averages[i], "low"), a.tokens_per_round.low);
        EXPECT_EQ(real(averages[i], "high"), a.tokens_per_round.high);
        const Said bar = said_of(bars, "drafter", lane.title);
        for (const auto& [value, ms] : {std::pair<const char*, double>{"draft", a.totals.draft_ms - a.totals.head_ms},
                                        {"head", a.totals.head_ms},
                                        {"verify", a.totals.verify_ms},
                                        {"accept", a.totals.accept_ms},
                                        {"rest", a.totals.other_ms - a.totals.accept_ms},
                                        {"tokens", a.totals.tokens_per_round()}})
            EXPECT_EQ(real(bar, value), ms) << lane.title << " " << value;
        EXPECT_NEAR(real(bar, "round"), a.totals.round_ms(), 1e-12);
        EXPECT_NEAR(real(bar, "each"), a.totals.round_ms() / a.totals.tokens_per_round(), 1e-12);
        EXPECT_EQ(whole(bar, "search"), 0);
        if (lane.plain()) {
            EXPECT_FALSE(maybe<std::string>(averages[i], "times"));
            continue;
        }
        EXPECT_EQ(real(inner(averages[i], "times"), "times"), a.speed_up.value);
        const Totals& base = m.lanes[0].lane->average->totals;
        const Said formula = inner(bar, "formula");
        expect_said(formula, "words.formula");
        EXPECT_EQ(real(formula, "tokens"), a.totals.tokens_per_pass());
        EXPECT_EQ(real(formula, "plain"), base.round_ms());
        EXPECT_EQ(real(formula, "round"), a.totals.round_ms());
        EXPECT_EQ(real(formula, "predicted"), a.totals.predicted_speed_up(base));
        EXPECT_EQ(real(inner(formula, "measured"), "times"), a.speed_up.value);
        for (const auto& [printed, value] : {std::pair("printed_tokens", a.totals.tokens_per_pass()),
                                             {"printed_plain", base.round_ms()},
                                             {"printed_round", a.totals.round_ms()}})
            EXPECT_NEAR(std::stod(test::words(formula, printed)), value, 0.005) << printed;
        const std::vector<Said> places = list(said_of(lines, "drafter", lane.title), "places");
        ASSERT_EQ(places.size(), a.totals.conditional.size());
        for (std::size_t k = 0; k < places.size(); ++k) {
            EXPECT_EQ(real(places[k], "kept"), a.totals.conditional[k]);
            EXPECT_EQ(whole(places[k], "judged"), a.totals.judged_at[k]);
            EXPECT_EQ(whole(places[k], "interval"), a.totals.judged_at[k] >= 30);
            const Interval interval = wilson(a.totals.accepted_at[k], a.totals.judged_at[k]);
            if (a.totals.judged_at[k] < 30) continue;
            EXPECT_EQ(real(places[k], "low"), interval.low);
            EXPECT_EQ(real(places[k], "high"), interval.high);
        }
        const Said mark = said_of(marks, "lane", lane.title);
        EXPECT_EQ(real(mark, "tokens"), a.tokens_per_round.value);
        EXPECT_EQ(real(mark, "low"), a.tokens_per_round.low);
        EXPECT_EQ(real(mark, "high"), a.tokens_per_round.high);
        EXPECT_EQ(real(mark, "draft"), a.totals.draft_ms);
        EXPECT_EQ(real(inner(mark, "times"), "times"), a.speed_up.value);
    }
    for (const char* under : {"race.scatter.under", "race.positions.under", "race.costs.under"})
        EXPECT_EQ(whole(inner(only_said(told, under), "over"), "prompts"), 40) << under;
    EXPECT_EQ(test::words(only_said(told, "race.scatter.axis"), "tier"), "LIVE");
    for (const char* key : {"race.key.drafting", "race.key.target", "race.key.kept"}) EXPECT_EQ(all_said(told, key).size(), 1U) << key;
    EXPECT_EQ(whole(only_said(told, "race.clock.unit"), "rounds"), 0);
    EXPECT_EQ(all_said(told, "race.header.kind:stepped").size(), 1U) << "where a click leads";
    EXPECT_EQ(all_said(told, "race.header.run:again").size(), 1U);
    EXPECT_EQ(all_said(told, "race.texts.identical").size(), 1U);
    expect_said(only_said(told, "race.header.asked"), "header.asked", {{"prompt", " the cat sat on the"}});
    EXPECT_TRUE(all_said(told, "race.header.recorded").empty()) << "it is live";
    const Said lines_said = only_said(told, "race.scatter.lines"); // without published figures
    EXPECT_NEAR(real(lines_said, "fixed"), 9.25, 1e-9);
    EXPECT_NEAR(real(lines_said, "plain"), 9.25, 1e-9);
}

// What is on the clock so far, in time and tokens; and the text with the hues of its tokens.
TEST(RaceTold, SaysWhatIsDrawnOfALane) {
    const auto race = toy_race();
    const SceneInput input = input_at(*race, 2 * 16.8);
    const std::vector<ui::ToldMessage> told = race_told(input);
    for (const RaceLaneModel& lane : race_model(input).lanes) {
        const Said row = said_of(all_said(told, "race.clock.row"), "drafter", lane.title);
        EXPECT_EQ(whole(row, "rounds"), lane.shown.rounds);
        double draft = 0, verify = 0, rest = 0;
        std::vector<std::int64_t> brought;
        for (const RoundSummary& round : lane.shown.round_list)
            if (round.commit) {
                draft += round.draft_ms, verify += round.verify_ms, rest += round.other_ms;
                brought.push_back(std::ssize(round.commit->tokens));
            }
        EXPECT_EQ(maybe<double>(row, "draft").value_or(0), draft);
        EXPECT_EQ(maybe<double>(row, "verify").value_or(0), verify);
        EXPECT_EQ(maybe<double>(row, "rest").value_or(0), rest);
        std::vector<std::int64_t> said;
        for (const Said& one : list(row, "tokens")) said.push_back(whole(one, "tokens"));
        EXPECT_EQ(said, lane.plain() ? std::vector<std::int64_t>() : brought);
        const Said text = said_of(all_said(told, "race.lane.written"), "drafter", lane.title);
        int kept = 0, bonus = 0;
        for (int i = 0; i < lane.tokens_shown; ++i) {
            const Origin origin = lane.whole.tokens[static_cast<std::size_t>(lane.whole.prompt_tokens + i)].origin;
            kept += origin == Origin::accepted, bonus += origin == Origin::bonus;
        }
        EXPECT_EQ(whole(text, "kept"), kept);
        EXPECT_EQ(whole(text, "bonus"), bonus);
        EXPECT_EQ(whole(text, "kept") + whole(text, "bonus") + whole(text, "residual") + whole(text, "own"), lane.tokens_shown);
    }
}

// What is to come is not told while it is asked who is first.
TEST(RaceTold, SaysNothingToComeBeforeTheFirstLaneIsHome) {
    const auto race = toy_race(false);
    for (const double ms : {0.0, 12.3, 33.0}) {
        const SceneInput input = input_at(*race, ms);
        const RaceModel m = race_model(input);
        ASSERT_TRUE(m.undecided);
        const std::vector<ui::ToldMessage> told = race_told(input);
        for (const RaceLaneModel& lane : m.lanes) {
            EXPECT_EQ(whole(said_of(all_said(told, "race.clock.row"), "drafter", lane.title), "rounds"), lane.shown.rounds);
            for (const Said& one : all_said(told, "race.lane.told"))
                if (test::words(one, "drafter") == lane.title) {
                    EXPECT_FALSE(maybe<std::string>(inner(one, "what"), "end"));
                    EXPECT_EQ(whole(inner(one, "what"), "tokens"), lane.tokens_shown);
                }
        }
    }
}

// As the lane's card has it: the rate so far, and no end before there is one.
TEST(RaceWords, DescribeALaneThatIsUnderWayAsFarAsItIs) {
    const auto race = toy_race(false);
    race->lanes[1].trace = fixtures::toy_run({.name = "eagle3", .rule = "token", .drafter = "eagle3", .k = 4, .cycles = 6, .top = 0});
    const auto told = [&](double ms) { return inner(lane_said(*race, ms, 2), "what"); };
    const double end = model_at(*race, 0).lanes[1].end;
    EXPECT_FALSE(maybe<std::string>(told(0), "end")) << "it is asked who is first";
    double first = 1e9; // lane home: the others' ends may be told
    for (const RaceLaneModel& lane : model_at(*race, 0).lanes) first = std::min(first, lane.end);
    EXPECT_EQ(whole(inner(told(first), "end"), "to_come"), 1);
    int others = 0;
    for (const double stop : race_stops(*race, 1)) {
        const RaceLaneModel lane = model_at(*race, stop).lanes[1];
        others += lane.shown.tokens_per_round() != lane.whole.tokens_per_round();
        if (stop > 0) {
            EXPECT_EQ(maybe<double>(told(stop), "rate"), lane.shown.tokens_per_round());
        }
        const bool decided = !model_at(*race, stop).undecided, home = stop > end - 1e-6;
        EXPECT_EQ(decided && whole(inner(told(stop), "end"), "done") == 1, home);
        const Said run = told(stop);
        const auto speed = std::ranges::find(run.values, "speed", &SaidValue::name);
        EXPECT_EQ(speed->there(), home);
    }
    EXPECT_GT(others, 0) << "or nothing was tried";
}

TEST(RaceWords, TellLengthsThatHoldForEveryLane) {
    const auto race = toy_race(false);
    const auto subtitle = [&] {
        const SceneInput input = input_at(*race, 120);
        return race_subtitle(input, race_model(input)).said;
    };
    const auto expect_lengths = [&](int least, int most, int tokens, bool up_to) {
        const Said k = inner(subtitle(), "k"), text = inner(subtitle(), "tokens");
        EXPECT_EQ(whole(k, "least"), least);
        EXPECT_EQ(whole(k, "most"), most);
        EXPECT_EQ(whole(text, "tokens"), tokens);
        EXPECT_EQ(whole(text, "up_to"), up_to);
    };
    expect_lengths(2, 5, 12, false);
    race->lanes.resize(2);
    race->lanes[1].settings.k = 15; // asked for; its run makes two
    expect_lengths(2, 0, 12, false);
    race->lanes[1].trace = another_text();
    ASSERT_NE(model_at(*race, 0).lanes[1].tokens, 12);
    expect_lengths(2, 0, 12, true);
}

// Where the hand of the clock is, and how fast it goes.
TEST(RaceWords, TellWhereTheClockIs) {
    const auto race = toy_race(false);
    SceneInput input = input_at(*race, 2 * 16.8);
    const auto now = [&] { return inner(race_subtitle(input, race_model(input)).said, "now"); };
    EXPECT_EQ(real(now(), "ms"), 2 * 16.8);
    EXPECT_EQ(test::words(now(), "home"), "Domino");
    EXPECT_EQ(whole(now(), "over"), 0);
    input.race_ms = 200;
    EXPECT_EQ(whole(now(), "over"), 1);
    EXPECT_EQ(test::words(now(), "home"), "");
    input.race_rounds = true;
    input.race_ms = 2;
    EXPECT_EQ(real(now(), "rounds"), 2);
    EXPECT_EQ(maybe<double>(now(), "ms"), std::nullopt);
    EXPECT_EQ(maybe<double>(now(), "part"), std::nullopt);
    input.race_ms = 1.5;
    EXPECT_EQ(real(now(), "part"), 1.5);
    EXPECT_EQ(maybe<double>(now(), "rounds"), std::nullopt);
    input.race_rounds = false;
    const auto pace = [&] { return inner(race_subtitle(input, race_model(input)).said, "pace"); };
    input.race_pace = 50;
    EXPECT_EQ(real(pace(), "slower"), 20);
    EXPECT_EQ(message(pace()), "slowed down 20×");
    input.race_pace = 1000;
    EXPECT_EQ(maybe<double>(pace(), "slower"), std::nullopt);
    EXPECT_EQ(message(pace()), "in real time");
    input.race_pace = 0;
    EXPECT_FALSE(maybe<std::string>(race_subtitle(input, race_model(input)).said, "pace"));
}

TEST(RaceWords, SayThatARuleGivesSomethingAway) {
    const auto race = toy_race(false);
    const auto lossy = [&]() -> std::string {
        const SceneInput input = input_at(*race, 120);
        const Said subtitle = race_subtitle(input, race_model(input)).said;
        const auto value = std::ranges::find(subtitle.values, "lossy", &SaidValue::name);
        return value->there() ? test::words(inner(subtitle, "lossy"), "rule") : "";
    };
    EXPECT_EQ(lossy(), "");
    race->settings.base.sampling.temperature = 1;
    race->settings.base.rule = "cascade_chow";
    EXPECT_EQ(lossy(), "") << "no lane is judged by it";
    for (RaceLane& lane : race->lanes) lane.settings.rule = "cascade_chow";
    EXPECT_EQ(lossy(), "cascade_chow");
}

TEST(RaceWords, CallTheTimeOfDartsSearchASearch) {
    const auto race = toy_race();
    race->lanes[3].settings.drafter = "dart";
    const std::vector<Said> bars = all_said(race_told(input_at(*race, 9)), "race.costs.bar");
    const Said dart = said_of(bars, "drafter", method_title("dart"));
    EXPECT_EQ(whole(dart, "search"), 1);
    EXPECT_NEAR(real(dart, "head"), 0.2, 1e-9);
    EXPECT_NE(message(dart).find(", search 0.200, verify"), std::string::npos) << message(dart);
    EXPECT_EQ(whole(said_of(bars, "drafter", "EAGLE-3"), "search"), 0);
}

// Beside lanes that have none of the published drafters their figures would say nothing of this race.
TEST(RaceWords, QuotesFiguresOnlyOfDraftersThatRace) {
    const auto race = toy_race();
    SceneInput input = input_at(*race, 1e6);
    const Published figures = Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published");
    input.figures = &figures;
    const std::vector<Said> told = all_said(race_told(input), "race.scatter.published");
    const PublishedRace paper = published_race(&figures);
    ASSERT_EQ(told.size(), paper.points.size());
    ASSERT_EQ(told.size(), 3U);
    for (std::size_t i = 0; i < told.size(); ++i) {
        const PublishedPoint& p = paper.points[i];
        EXPECT_EQ(test::words(told[i], "method"), method_title(p.method));
        EXPECT_EQ(test::words(told[i], "conditions"), paper.conditions);
        EXPECT_EQ(inner(told[i], "source"), paper.source.said);
        const Said parts = inner(inner(told[i], "round"), "parts"), gain = inner(inner(told[i], "round"), "gain");
        EXPECT_EQ(real(parts, "draft"), p.draft);
        EXPECT_EQ(whole(parts, "derived"), p.derived);
        EXPECT_EQ(maybe<double>(parts, "head").value_or(0), p.head);
        EXPECT_EQ(real(parts, "verify"), p.verify);
        EXPECT_EQ(real(gain, "tokens"), p.tokens);
        EXPECT_EQ(real(gain, "times"), p.speed_up);
    }
    EXPECT_EQ(all_said(race_told(input), "race.scatter.lines").size(), 2U) << "of either panel";
    for (RaceLane& lane : race->lanes)
        if (lane.settings.drafter != "none") lane.settings.drafter = "small";
    EXPECT_TRUE(all_said(race_told(input), "race.scatter.published").empty());
}

// Whiskers that meet make no winner.
TEST(RaceWords, TheScatterCallsNoWinnerWhereWhiskersMeet) {
    const auto race = toy_race();
    const auto title = [&] { return scatter_title(model_at(*race, 0)).said; };
    expect_said(title(), "scatter.both", {{"drafter", "Domino"}});
    LaneAverage &eagle = *race->lanes[1].average, &domino = *race->lanes[3].average;
    const Estimate tokens = eagle.tokens_per_round;
    eagle.tokens_per_round.high = domino.tokens_per_round.low + 0.1;
    expect_said(title(), "scatter.fastest", {{"drafter", "Domino"}});
    eagle.speed_up.high = domino.speed_up.low + 0.1;
    expect_said(title(), "scatter.close");
    eagle.tokens_per_round = tokens;
    expect_said(title(), "scatter.most", {{"drafter", "Domino"}});
    EXPECT_EQ(only_said(race_told(input_at(*race, 0)), "race.scatter.most"), title());
}

TEST(RaceWords, TheCostsNameWhoDraftsLongest) {
    const auto race = toy_race();
    const Said said = costs_title(model_at(*race, 0)).said;
    expect_said(said, "costs.drafting", {{"drafter", "Domino"}});
    EXPECT_EQ(real(said, "share"), race->lanes[3].average->totals.draft_ms / race->lanes[3].average->totals.round_ms());
    expect_said(costs_title(model_at(*toy_race(false), 0)).said, "costs.any");
}

// The last stop says who won, by how much and from what; or that nothing tells.
TEST(RaceWords, TheEndDrawsAConclusion) {
    const auto race = toy_race();
    const auto said = [&](double ms) { return race_conclusion(model_at(*race, ms)).said; };
    expect_said(said(0), "conclusion.open");
    EXPECT_EQ(said(33), said(0));
    EXPECT_EQ(said(33.6), said(1e6)) << "a lecture stops where the first lane is home, and has its answer";
    const Said won = said(1e6);
    const LaneAverage &plain = *race->lanes[0].average, &eagle = *race->lanes[1].average;
    LaneAverage& domino = *race->lanes[3].average;
    expect_said(won, "conclusion.won", {{"drafter", "Domino"}, {"other", "EAGLE-3"}});
    const auto expect_place = [&](const Said& times, const Said& why, const LaneAverage& of) {
        EXPECT_EQ(real(times, "value"), of.speed_up.value);
        EXPECT_EQ(whole(times, "interval"), 1);
        EXPECT_EQ(real(times, "low"), of.speed_up.low);
        EXPECT_EQ(real(times, "high"), of.speed_up.high);
        EXPECT_EQ(real(why, "tokens"), of.tokens_per_round.value);
        EXPECT_EQ(real(why, "cost"), of.totals.round_ms() / plain.totals.round_ms());
    };
    const auto expect_where = [&](const Said& of) {
        expect_said(inner(of, "where"), "conclusion.where:prompts");
        EXPECT_EQ(whole(inner(of, "where"), "prompts"), 40);
    };
    expect_where(won);
    EXPECT_EQ(whole(won, "perhaps"), 0);
    expect_place(inner(won, "times"), inner(won, "why"), domino);
    expect_place(inner(won, "other_times"), inner(won, "other_why"), eagle);
    EXPECT_EQ(only_said(race_told(input_at(*race, 1e6)), "race.conclusion.won"), won);
    const Estimate own = domino.speed_up;
    domino.speed_up.low = eagle.speed_up.high - 0.01;
    const Said alike = said(1e6);
    expect_said(alike, "conclusion.alike", {{"drafter", "Domino"}, {"other", "EAGLE-3"}});
    expect_where(alike);
    expect_place(inner(alike, "times"), inner(alike, "why"), domino);
    expect_place(inner(alike, "other_times"), inner(alike, "other_why"), eagle);
    domino.speed_up = own;
    race->busy_cores = 1.5;
    const Said doubt = said(1e6);
    expect_said(doubt, "conclusion.doubt");
    EXPECT_EQ(real(inner(doubt, "doubt"), "cores"), 1.5);
    const Said most = inner(doubt, "most");
    expect_said(most, "conclusion.most", {{"drafter", "Domino"}});
    EXPECT_EQ(real(most, "tokens"), 6);
    EXPECT_EQ(whole(most, "rounds"), 2);
    EXPECT_EQ(whole(most, "whole"), 0) << "as the lanes have it";
    EXPECT_EQ(whole(inner(said(33.6), "most"), "whole"), 1) << "lanes show what is so far";
}

TEST(RaceWords, PlainDecodingWinsTheConclusionWhereNoDrafterPays) {
    const auto race = toy_race();
    for (RaceLane& lane : race->lanes)
        if (lane.settings.drafter != "none") lane.average->speed_up = {0.8, 0.7, 0.9, true};
    const Said said = race_conclusion(model_at(*race, 1e6)).said;
    expect_said(said, "conclusion.plain", {{"drafter", "EAGLE-3"}});
    EXPECT_EQ(whole(inner(said, "where"), "prompts"), 40);
    EXPECT_EQ(real(inner(said, "times"), "value"), 0.8);
    EXPECT_EQ(real(inner(said, "times"), "low"), 0.7);
    EXPECT_EQ(real(inner(said, "times"), "high"), 0.9);
}

TEST(RaceWords, ATablesRaceConcludesOnRoundsAlone) {
    const auto race = toy_race(/*averages=*/false, "TABLE");
    const Message said = race_conclusion(model_at(*race, 1e6));
    expect_said(said.said, "conclusion.table");
    const Said most = inner(said.said, "most");
    expect_said(most, "conclusion.most", {{"drafter", "Domino"}});
    EXPECT_EQ(real(most, "tokens"), 6);
    EXPECT_EQ(whole(most, "rounds"), 2);
    EXPECT_EQ(said, "Only rounds count, a table takes no time. Domino brings the most: 6.00 tokens a round, in 2 rounds.");
}

TEST(RaceScene, ShowsItsConclusionAtTheEndInEveryWindow) {
    for (const auto& [w, h] : {std::pair{1600.0F, 1000.0F}, {1280.0F, 720.0F}, {896.0F, 504.0F}}) {
        RaceBench b({0, 0, w, h});
        b.observe(toy_race());
        b.bench.controller.perform({SceneCommand{SetRaceClock{1e6}}}, b.bench.time);
        b.bench.settle();
        const std::string words = race_conclusion(race_model(b.bench.controller.frame(b.bench.time).scene));
        EXPECT_TRUE(b.bench.shows(words.substr(0, words.find(" (")))) << w; // who, and by how much
    }
}

// A picture, too, has a clock that counts rounds.
TEST(RaceWords, APictureOfATablesRaceCountsRounds) {
    FrameRequest request;
    request.scene = "race";
    request.race = toy_race(/*averages=*/false, "TABLE");
    const std::string told = describe_frame(request, {nullptr, RunSettings{}, EngineStatus{}});
    SceneInput input = input_at(*request.race, 2);
    input.race_rounds = true;
    const Said now = inner(race_subtitle(input, race_model(input)).said, "now");
    EXPECT_EQ(real(now, "rounds"), 2);
    EXPECT_EQ(test::words(now, "home"), "Domino");
    EXPECT_NE(told.find(message(now)), std::string::npos) << told;
    EXPECT_EQ(race_stop_times(*request.race).size(), 13u) << "ends of rounds: 1 to 12";
}

TEST(RaceWords, SayOnceHowManyPromptsWereSkipped) {
    auto race = toy_race();
    race->skipped = 2;
    race->skipped_for = "toy target";
    const Message said = skipped_words(model_at(*race, 5));
    expect_said(said.said, "words.skipped", {{"why", "toy target"}});
    EXPECT_EQ(whole(said.said, "prompts"), 2);
    EXPECT_EQ(only_said(race_told(input_at(*race, 5)), "race.words.skipped"), said.said);
    RaceBench b;
    b.observe(race);
    EXPECT_EQ(std::ranges::count(b.bench.texts, said.words(), &ui::RecordedText::text), 1);
}

TEST(RaceWords, SayWhyACardOfAveragesIsEmpty) {
    const auto race = toy_race(false);
    const auto words = [&] { return no_averages_words(model_at(*race, 0)).said; };
    expect_said(words(), "averages.needs");
    race->prompts = 40;
    expect_said(words(), "averages.measuring"); // the lanes are done
    race->lanes[1].finished = false;
    expect_said(words(), "averages.later");
    race->lanes.erase(race->lanes.begin() + 1, race->lanes.end());
    expect_said(words(), "averages.no_drafter");
}

TEST(RaceWords, SayOverHowManyPromptsTheCardsAre) {
    const auto race = toy_race();
    const auto over = [&] { return averages_words(model_at(*race, 0)).said; };
    expect_said(over(), "averages.over");
    EXPECT_EQ(whole(over(), "prompts"), 40);
    EXPECT_EQ(whole(over(), "more"), 0);
    EXPECT_EQ(whole(over(), "stopped"), 0);
    race->prompts = 50;
    EXPECT_EQ(whole(over(), "more"), 1);
    race->ended_early = true;
    EXPECT_EQ(whole(over(), "more"), 0);
    EXPECT_EQ(whole(over(), "stopped"), 1);
    expect_said(averages_words(model_at(*toy_race(false), 0)).said, "averages.one");
}

// A lane that has no token yet says what it waits for.
TEST(RaceTold, SaysWhatALaneWaitsFor) {
    auto race = toy_race(false);
    race->lanes[2].problem = "these models have no DFlash head";
    for (const std::size_t lane : {2, 3}) race->lanes[lane].trace = nullptr, race->lanes[lane].finished = false;
    const auto what = [&](int lane) { return inner(lane_said(*race, 0, lane), "what"); };
    expect_said(what(3), "lane.cannot", {{"why", "these models have no DFlash head"}});
    expect_said(what(4), "lane.state:waits");
    race->warming = 3;
    expect_said(what(4), "lane.state:warms");
    race->running = 3;
    expect_said(what(4), "lane.state:reads");
    expect_said(race_subtitle(input_at(*race, 0), model_at(*race, 0)).said, "subtitle.running", {{"lane", "Domino"}});
    race->ended_early = true;
    expect_said(what(4), "lane.state:not_run");
    const Said cut = inner(inner(lane_said(*race, 0, 2), "what"), "end"); // finished before the race was stopped
    EXPECT_EQ(whole(cut, "done") + whole(cut, "to_come"), 1);
}

// A race of a file says when and where it ran.
TEST(RaceTold, SaysWhereItWasRecorded) {
    const auto race = toy_race(false, "RECORDED");
    const SceneInput input = input_at(*race, 5);
    const Header& header = *race_header(*race);
    const Said recorded = only_said(race_told(input), "race.header.recorded");
    expect_said(recorded, "header.recorded", {{"date", header.date}});
    EXPECT_EQ(test::list(recorded, "machine"), machine_said(header.machine));
}

// A number that is drawn and that no message has would be one that only eyes see.
TEST(RaceTold, EveryNumberThatIsDrawnIsToldAsWell) {
    const auto race = toy_race();
    const Published figures = Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published");
    std::size_t seen = 0;
    for (const double ms : {0.0, 20.0, 33.6, 200.0}) {
        SceneInput input = input_at(*race, ms);
        input.figures = &figures;
        seen += test::expect_drawn_numbers_told("race", input);
    }
    EXPECT_GT(seen, 40U) << "or nothing was tried";
}

// Which number stands where, in words; in German with a comma.
TEST(RaceTold, SaysItsNumbersInTheirPlaces) {
    const auto race = toy_race();
    LaneAverage& a = *race->lanes[3].average; // whose prompts are too alike for an interval
    a.tokens_per_round.low = 5.5, a.tokens_per_round.high = 6.5;
    a.speed_up.low = a.speed_up.value - 0.1, a.speed_up.high = a.speed_up.value + 0.2;
    const std::vector<std::string> english = {
        "Lane 4, Domino (5 guesses, one pass + GRU head): 12 of 12 tokens so far; 6.00 tokens per round, 357.14 tok/s, finished after "
        "33.6 ms, 3.32× the speed of plain decoding.",
        "Lane 2, EAGLE-3 (2 guesses, one pass each): 6 of 12 tokens so far; 3.00 tokens per round, 178.57 tok/s, will finish after 49.2 "
        "ms.",
        "Domino over 40 prompts: 6.00 tokens per round (95 % 5.50 to 6.50), ",
        "Domino: draft 7.300, head 0.200, verify 9.000, distributions, verdicts and resampling 0.000, the rest 0.250 ms; a round takes "
        "16.750 ms and brings 6.00 tokens: 2.792 ms / token; ",
        "Domino on the clock: 2 rounds of +6, +6 tokens, "};
    const std::vector<std::string> german = {
        "Bahn 4, Domino (5 Vorschläge, ein Durchlauf + GRU-Head): bisher 12 von 12 Token; 6,00 Token pro Runde, 357,14 Tok/s, im Ziel nach "
        "33,6 ms, 3,32× so schnell wie normales Decoding.",
        "Bahn 2, EAGLE-3 (2 Vorschläge, je ein Durchlauf): bisher 6 von 12 Token; 3,00 Token pro Runde, 178,57 Tok/s, wird im Ziel sein "
        "nach "
        "49,2 ms.",
        "Domino über 40 Prompts: 6,00 Token pro Runde (95 %: 5,50 bis 6,50), ",
        "Domino: Entwurf 7,300, Head 0,200, Prüfen 9,000, Verteilungen, Urteile und Ersatz 0,000, der Rest 0,250 ms; eine Runde dauert "
        "16,750 ms und bringt 6,00 Token: 2,792 ms / Token; ",
        "Domino auf der Uhr: 2 Runden mit +6, +6 Token, "};
    for (const char* language : {"en", "de"}) {
        const bool in_english = std::string_view(language) == "en";
        const test::Speaking speaking(language);
        const SceneInput input = input_at(*race, 2 * 16.8);
        const RaceModel m = race_model(input);
        const std::vector<ui::ToldMessage> told = race_told(input);
        const std::string words = in_words(told);
        for (const std::string& line : in_english ? english : german)
            EXPECT_NE(words.find("\n" + line), std::string::npos) << line << " in\n" << words;
        EXPECT_EQ(race_title(m), in_english ? "Domino needs the fewest rounds and finishes first"
                                            : "Domino braucht die wenigsten Runden und ist zuerst im Ziel");
        EXPECT_EQ(race_title_short(m), in_english ? "Domino finishes first" : "Domino ist zuerst im Ziel");
        EXPECT_EQ(race_subtitle(input, m),
                  in_english ? "same prompt, same dice, K = 2 to 5 · greedy, 12 tokens · at 33.6 ms, as Domino finishes"
                             : "gleicher Prompt, gleiche Würfel, K = 2 bis 5 · greedy, 12 Token · bei 33,6 ms, wenn Domino im Ziel ist");
        const auto n = [](double value) { return ui::number(value, 2); };
        const std::string speed = ui::speed_up(a.speed_up.value), between = in_english ? " to " : " bis ";
        const std::string interval = " (" + n(a.speed_up.low) + between + n(a.speed_up.high) + "): ";
        const std::string cost = n(a.totals.round_ms() / race->lanes[0].average->totals.round_ms());
        const std::string won = in_english ? "Over 40 prompts Domino wins with " + speed + interval +
                                                 "6.00 tokens a round, and a round costs " + cost + " plain passes. Next is EAGLE-3 with "
                                           : "Über 40 Prompts gewinnt Domino mit " + speed + interval +
                                                 "6,00 Token pro Runde, und eine Runde kostet " + cost +
                                                 " normale Durchläufe. Dahinter EAGLE-3 mit ";
        EXPECT_EQ(race_conclusion(m).words().substr(0, won.size()), won);
        const std::string mark = in_english ? "Domino: 6.00 tokens per round (5.50 to 6.50), 7.500 ms of drafting, " + speed + "."
                                            : "Domino: 6,00 Token pro Runde (5,50 bis 6,50), Vorschlagen 7,500 ms, " + speed + ".";
        EXPECT_NE(words.find("\n" + mark), std::string::npos) << mark << " in\n" << words;
        const Totals& t = a.totals;
        const Interval kept = wilson(t.accepted_at[0], t.judged_at[0]);
        const std::string place = ui::probability(t.conditional[0]) + (in_english ? " of " : " von ") + std::to_string(t.judged_at[0]) +
                                  " (" + ui::probability(kept.low) + between + ui::probability(kept.high) + ")";
        const std::string line = in_english ? "Domino, kept at position 1, 2, … once all before it were: " + place
                                            : "Domino, behalten an Position 1, 2, …, wenn alle davor blieben: " + place;
        EXPECT_NE(words.find("\n" + line), std::string::npos) << line << " in\n" << words;
        const Message formula = formula_words(m, m.lanes[3]);
        const auto printed = [&](const char* value) { return test::words(formula.said, value); };
        EXPECT_EQ(formula, printed("printed_tokens") + (in_english ? " tokens × " : " Token × ") + printed("printed_plain") + " ms ÷ " +
                               printed("printed_round") + " ms = " + n(t.predicted_speed_up(race->lanes[0].average->totals)) +
                               (in_english ? "×, measured " : "×, gemessen ") + speed);
    }
}

} // namespace
} // namespace speclens::race_words
