// The race: its numbers and its words.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/frontend/frontend.h"
#include "tests/shared/toy_race.h"
#include "ui/format.h"

namespace speclens {
namespace {

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
    const RaceModel m = race_model(input_at(*race, 1));
    EXPECT_FALSE(m.identical);
    EXPECT_NE(race_texts(m).find("TEXTS DIFFER after"), std::string::npos) << "greedy lanes must agree";
    race->settings.base.sampling.temperature = 1;
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("only the distribution is shared"), std::string::npos);
    race->settings.base.rule = "typical";
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("this rule is not lossless"), std::string::npos);
    race->settings.base.sampling.temperature = 0;
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("TEXTS DIFFER after"), std::string::npos)
        << "at temperature 0 it is the greedy rule";
    race->settings.base.rule = "cascade_opt";
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("this rule is not lossless"), std::string::npos);
}

TEST(RaceModel, ComparesOnlyLanesThatRanToTheirEnd) {
    auto race = toy_race(false);
    race->lanes[1].trace = another_text();
    race->lanes[1].problem = "no memory is left";
    EXPECT_EQ(race_texts(race_model(input_at(*race, 1))), "texts identical") << "of the other three";
    for (RaceLane& lane : race->lanes) lane.problem = "the prompt is too long";
    EXPECT_EQ(race_texts(race_model(input_at(*race, 1))), "") << "there is no text";
    race->settings.stepped = true;
    EXPECT_EQ(race_texts(race_model(input_at(*race, 1))), "");
}

TEST(RaceWords, AskFirstAndAnswerWhenTheFirstLaneIsHome) {
    const auto race = toy_race();
    EXPECT_EQ(race_title(race_model(input_at(*race, 5))), "Who finishes first?");
    EXPECT_EQ(race_title(race_model(input_at(*race, 2 * 16.8))), "Domino needs the fewest rounds and finishes first");
    race->lanes.erase(race->lanes.begin() + 3);
    EXPECT_EQ(race_title(race_model(input_at(*race, 60))), "EAGLE-3 needs the fewest rounds and finishes first");
    race->lanes.erase(race->lanes.begin() + 1);
    EXPECT_EQ(race_title(race_model(input_at(*race, 120))), "Plain decoding finishes first: no drafter pays here");
}

TEST(RaceWords, TellHowTheDraftsAreMadeWhereThatIsNotTheTargetsWay) {
    const auto race = toy_race();
    Sampling& target = race->settings.base.sampling;
    const auto subtitle = [&] {
        const SceneInput input = input_at(*race, 120);
        return race_subtitle(input, race_model(input));
    };
    target.temperature = 0.7;
    EXPECT_NE(subtitle().find(" · T = 0.7, seed "), std::string::npos) << subtitle();
    race->settings.base.draft_sampling = Sampling{.temperature = 0};
    EXPECT_NE(subtitle().find(" · T = 0.7, likeliest drafts, seed "), std::string::npos) << subtitle();
    race->settings.base.draft_sampling->temperature = 0.3;
    EXPECT_NE(subtitle().find(" · T = 0.7, drafts at T = 0.3, seed "), std::string::npos) << subtitle();
}

TEST(RaceWords, CallNoLeadWhatTwoLanesShare) {
    const auto race = toy_race();
    race->lanes.pop_back();
    race->lanes[2].trace = race->lanes[1].trace; // DFlash exactly like EAGLE-3
    EXPECT_EQ(race_title(race_model(input_at(*race, 120))), "EAGLE-3 finishes first, in as many rounds as DFlash");
    const auto apart = toy_race();
    RaceModel m = race_model(input_at(*apart, 120));
    m.fastest = 1;
    EXPECT_EQ(race_title(m), "Domino needs fewer rounds, EAGLE-3 finishes first");
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
    const std::string words = race_description(input, race_model(input));
    EXPECT_NE(words.find("Domino needs the fewest rounds."), std::string::npos) << words;
    EXPECT_NE(words.find("finished after 2 rounds"), std::string::npos) << words;
    const std::string own = words.substr(0, words.find("Published, "));
    for (const char* part : {" ms", "×", "Prompt:", "finishes first"})
        EXPECT_EQ(own.find(part), std::string::npos) << part << " in " << own;
    live.bench.key(ui::Key::s);
    EXPECT_TRUE(live.bench.controller.frame(live.bench.time).scene.race_rounds) << "no clock in ms";
}

// Home first with half of the text is no victory: then speeds are compared, and said so.
TEST(RaceWords, CompareSpeedsWhereTextsDifferInLength) {
    const auto race = toy_race();
    RaceModel m = race_model(input_at(*race, 120));
    m.lanes[3].tokens = m.lanes[3].tokens_shown = m.lanes[3].whole.output_tokens = 24;
    EXPECT_EQ(race_title(m), "Domino brings the most tokens per round and writes fastest");
    EXPECT_EQ(race_title_short(m), "Domino writes fastest");
    m.fastest = 1;
    EXPECT_EQ(race_title(m), "Domino brings more tokens per round, EAGLE-3 writes fastest");
    m.fastest = 0;
    const std::string many = ui::speed_up(race->lanes[3].average->speed_up.value);
    EXPECT_EQ(race_title(m), "Plain decoding writes fastest this time; over 40 prompts Domino is at " + many)
        << "one race against the averages beside it";
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
    const FirstDrafts apart{.after_full = 50, .kept_after_full = 48, .after_refusal = 40, .kept_after_refusal = 28};
    for (std::size_t lane : {1, 2, 3}) give(lane, 95, apart);
    EXPECT_EQ(positions_title(race_model(input_at(*race, 0))), "Acceptance by position");
    give(2, 80, apart);
    RaceModel m = race_model(input_at(*race, 0));
    EXPECT_EQ(positions_title(m), "DFlash's first guess is its hardest");
    ASSERT_TRUE(first_guess_lane(m));
    EXPECT_EQ(first_guess_lane(m)->title, "DFlash");
    EXPECT_EQ(first_guess_words(*first_guess_lane(m)), "guess 1 after: full round .96, refusal .70");
    EXPECT_NE(race_description(input_at(*race, 0), m).find("Guess 1 after: full round .96, refusal .70."), std::string::npos);
    give(2, 80, {.at_start = 60, .kept_at_start = 6, .after_full = 50, .kept_after_full = 50});
    EXPECT_EQ(first_guess_words(*first_guess_lane(race_model(input_at(*race, 0)))), "guess 1 after: prompt .10, full round 1.00");
    give(2, 80, {.after_full = 50, .kept_after_full = 40, .after_refusal = 40, .kept_after_refusal = 32});
    EXPECT_EQ(positions_title(race_model(input_at(*race, 0))), "Acceptance by position") << "not the reason";
    give(2, 80, {.after_full = 10, .kept_after_full = 10, .after_refusal = 40, .kept_after_refusal = 20});
    EXPECT_EQ(positions_title(race_model(input_at(*race, 0))), "Acceptance by position") << "too few rounds";
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
    const auto title = [&] { return positions_title(race_model(input_at(*race, 0))); };
    give(1, 47, 0.40, 0.27);
    give(2, 47, 0.38, 0.23); // as SmolLM2's were after three prompts
    give(3, 47, 0.38, 0.21);
    EXPECT_EQ(title(), "Acceptance by position");
    give(3, 4700, 0.38, 0.21);
    EXPECT_EQ(title(), "Acceptance by position") << "the others' few rounds";
    for (const std::size_t lane : {1, 2}) give(lane, 4700, 0.38, 0.30);
    EXPECT_EQ(title(), "Domino loses most with the distance");
    give(2, 4700, 0.38, 0.30, 4700);
    EXPECT_EQ(title(), "Domino loses most with the distance") << "a place that only one has says nothing of the others";
    for (const std::size_t lane : {1, 2, 3}) give(lane, 4700, 0.38, 0.38);
    EXPECT_EQ(title(), "Acceptance by position") << "nobody loses anything";
}

TEST(RaceWords, CountTheGuessesThatARunMakes) {
    const auto race = toy_race();
    race->lanes[2].settings.k = 16; // asked for; the block has room for fewer
    RaceModel m = race_model(input_at(*race, 0));
    EXPECT_EQ(race_about(m.lanes[2]), "3 guesses, one pass");
    RaceLane& tree = race->lanes[1];
    tree.settings.drafter = "small_tree";
    tree.settings.k = 1;
    tree.settings.options.tree_budget = 8;
    tree.trace = fixtures::toy_run({.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 1, .cycles = 3, .nodes = 8});
    const std::size_t made = fold(*tree.trace, tree.trace->size()).round_list.front().drafts.size();
    ASSERT_LT(made, 8U);
    m = race_model(input_at(*race, 0));
    EXPECT_EQ(race_about(m.lanes[1]), "a tree of " + std::to_string(made) + " guesses");
}

TEST(RaceWords, EndAQuestionOnce) {
    const auto race = toy_race();
    const SceneInput input = input_at(*race, 0);
    const std::string told = race_description(input, race_model(input));
    EXPECT_NE(told.find("Who finishes first? same prompt"), std::string::npos) << told;
}

TEST(RaceWords, DescribeEveryLaneAndItsAverages) {
    const auto race = toy_race();
    const std::string text = race_description(input_at(*race, 2 * 16.8), race_model(input_at(*race, 2 * 16.8)));
    for (const char* part :
         {"Lane 4, Domino", "12 of 12 tokens", "6.00 tokens per round", "Texts identical", "Over 40 prompts", "head 0.20", "verify 9.00"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

// As the lane's card has it: the rate so far, and no end before there is one.
TEST(RaceWords, DescribeALaneThatIsUnderWayAsFarAsItIs) {
    const auto race = toy_race(false);
    race->lanes[1].trace = fixtures::toy_run({.name = "eagle3", .rule = "token", .drafter = "eagle3", .k = 4, .cycles = 6, .top = 0});
    const auto told = [&](double ms) {
        const std::string text = race_description(input_at(*race, ms), race_model(input_at(*race, ms)));
        const std::size_t at = text.find("Lane 2, ");
        return text.substr(at, text.find('\n', at) - at);
    };
    const double end = race_model(input_at(*race, 0)).lanes[1].end;
    EXPECT_EQ(told(0).find("finish"), std::string::npos) << "it is asked who is first: " << told(0);
    double first = 1e9; // lane home: the others' ends may be told
    for (const RaceLaneModel& lane : race_model(input_at(*race, 0)).lanes) first = std::min(first, lane.end);
    EXPECT_NE(told(first).find(", will finish after "), std::string::npos) << told(first);
    int others = 0;
    for (const double stop : race_stops(*race, 1)) {
        const RaceLaneModel lane = race_model(input_at(*race, stop)).lanes[1];
        const std::string rate = ui::per_round(lane.shown.tokens_per_round());
        others += rate != ui::per_round(lane.whole.tokens_per_round());
        if (stop > 0) {
            EXPECT_NE(told(stop).find("; " + rate + " tokens per round"), std::string::npos) << told(stop);
        }
        EXPECT_EQ(told(stop).find("finished after") != std::string::npos, stop > end - 1e-6) << told(stop);
        EXPECT_EQ(told(stop).find("the speed of plain") != std::string::npos, stop > end - 1e-6) << told(stop);
    }
    EXPECT_GT(others, 0) << "or nothing was tried";
}

TEST(RaceWords, TellLengthsThatHoldForEveryLane) {
    const auto race = toy_race(false);
    const auto subtitle = [&] {
        const SceneInput input = input_at(*race, 120);
        return race_subtitle(input, race_model(input));
    };
    EXPECT_NE(subtitle().find(", K = 2 to 5 · "), std::string::npos) << subtitle();
    EXPECT_NE(subtitle().find(", 12 tokens"), std::string::npos) << subtitle();
    race->lanes.resize(2);
    race->lanes[1].settings.k = 15; // asked for; its run makes two
    EXPECT_NE(subtitle().find(", K = 2 · "), std::string::npos) << subtitle();
    race->lanes[1].trace = another_text();
    ASSERT_NE(race_model(input_at(*race, 0)).lanes[1].tokens, 12);
    EXPECT_NE(subtitle().find(", up to 12 tokens"), std::string::npos) << subtitle();
}

TEST(RaceWords, SayThatARuleGivesSomethingAway) {
    const auto race = toy_race(false);
    const auto subtitle = [&] {
        const SceneInput input = input_at(*race, 120);
        return race_subtitle(input, race_model(input));
    };
    EXPECT_EQ(subtitle().find("lossless"), std::string::npos) << subtitle();
    race->settings.base.sampling.temperature = 1;
    race->settings.base.rule = "cascade_chow";
    EXPECT_EQ(subtitle().find("lossless"), std::string::npos) << "no lane is judged by it";
    for (RaceLane& lane : race->lanes) lane.settings.rule = "cascade_chow";
    EXPECT_NE(subtitle().find(" · cascade_chow: NOT lossless"), std::string::npos) << subtitle();
}

TEST(RaceWords, CallTheTimeOfDartsSearchASearch) {
    const auto race = toy_race();
    race->lanes[3].settings.drafter = "dart";
    const std::string text = race_description(input_at(*race, 9), race_model(input_at(*race, 9)));
    EXPECT_NE(text.find(", search 0.20, verify"), std::string::npos) << text;
    EXPECT_EQ(text.find("head 0.20"), std::string::npos) << text;
}

// Beside lanes that have none of the published drafters their figures would say nothing of this race.
TEST(RaceWords, QuotesFiguresOnlyOfDraftersThatRace) {
    const auto race = toy_race();
    SceneInput input = input_at(*race, 1e6);
    const Published figures = Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published");
    input.figures = &figures;
    EXPECT_NE(race_description(input, race_model(input)).find("Published, "), std::string::npos);
    for (RaceLane& lane : race->lanes)
        if (lane.settings.drafter != "none") lane.settings.drafter = "small";
    EXPECT_EQ(race_description(input, race_model(input)).find("Published, "), std::string::npos);
}

// Whiskers that meet make no winner.
TEST(RaceWords, TheScatterCallsNoWinnerWhereWhiskersMeet) {
    const auto race = toy_race();
    const auto title = [&] { return scatter_title(race_model(input_at(*race, 0))); };
    EXPECT_EQ(title(), "Domino brings the most and is the fastest");
    LaneAverage &eagle = *race->lanes[1].average, &domino = *race->lanes[3].average;
    const Estimate tokens = eagle.tokens_per_round;
    eagle.tokens_per_round.high = domino.tokens_per_round.low + 0.1;
    EXPECT_EQ(title(), "Domino is the fastest; tokens too close to call");
    eagle.speed_up.high = domino.speed_up.low + 0.1;
    EXPECT_EQ(title(), "Who is ahead is too close to call");
    eagle.tokens_per_round = tokens;
    EXPECT_EQ(title(), "Domino brings the most; speed too close to call");
}

// The last stop says who won, by how much and from what; or that nothing tells.
TEST(RaceWords, TheEndDrawsAConclusion) {
    const auto race = toy_race();
    const auto said = [&](double ms) { return race_conclusion(race_model(input_at(*race, ms))); };
    EXPECT_EQ(said(0), "What decides: tokens a round, and what a round costs. The sum is drawn when the first lane is home.");
    EXPECT_EQ(said(33), said(0));
    EXPECT_EQ(said(33.6), said(1e6)) << "a lecture stops where the first lane is home, and has its answer";
    const std::string won = said(1e6);
    const LaneAverage &plain = *race->lanes[0].average, &eagle = *race->lanes[1].average;
    LaneAverage& domino = *race->lanes[3].average;
    EXPECT_TRUE(won.starts_with("Over 40 prompts Domino wins with " + ui::speed_up(domino.speed_up.value) + " (")) << won;
    EXPECT_NE(won.find(ui::per_round(domino.tokens_per_round.value) + " tokens a round, and a round costs " +
                       ui::number(domino.totals.round_ms() / plain.totals.round_ms(), 2) + " plain passes"),
              std::string::npos)
        << won;
    EXPECT_NE(won.find("Next is EAGLE-3 with " + ui::speed_up(eagle.speed_up.value)), std::string::npos) << won;
    EXPECT_NE(race_description(input_at(*race, 1e6), race_model(input_at(*race, 1e6))).find(won), std::string::npos);
    const Estimate own = domino.speed_up;
    domino.speed_up.low = eagle.speed_up.high - 0.01;
    EXPECT_TRUE(said(1e6).starts_with("Over 40 prompts Domino and EAGLE-3 are within noise: ")) << said(1e6);
    domino.speed_up = own;
    race->busy_cores = 1.5;
    EXPECT_TRUE(said(1e6).starts_with("Who is faster cannot be told: ")) << said(1e6);
    EXPECT_EQ(said(1e6).find("wins"), std::string::npos) << said(1e6);
    EXPECT_EQ(said(1e6).find("over the whole text"), std::string::npos) << "as the lanes have it";
    EXPECT_NE(said(33.6).find("brings the most over the whole text: "), std::string::npos) << "lanes show what is so far: " << said(33.6);
}

TEST(RaceWords, PlainDecodingWinsTheConclusionWhereNoDrafterPays) {
    const auto race = toy_race();
    for (RaceLane& lane : race->lanes)
        if (lane.settings.drafter != "none") lane.average->speed_up = {0.8, 0.7, 0.9, true};
    const std::string said = race_conclusion(race_model(input_at(*race, 1e6)));
    EXPECT_TRUE(said.starts_with("Over 40 prompts plain decoding wins. The best drafter, ")) << said;
}

TEST(RaceWords, ATablesRaceConcludesOnRoundsAlone) {
    const auto race = toy_race(/*averages=*/false, "TABLE");
    const std::string said = race_conclusion(race_model(input_at(*race, 1e6)));
    EXPECT_EQ(said, "Only rounds count, a table takes no time. Domino brings the most: 6.00 tokens a round, in 2 rounds.");
}

TEST(RaceScene, ShowsItsConclusionAtTheEndInEveryWindow) {
    for (const auto& [w, h] : {std::pair{1600.0F, 1000.0F}, {1280.0F, 720.0F}, {896.0F, 504.0F}}) {
        RaceBench b({0, 0, w, h});
        b.observe(toy_race());
        b.bench.controller.perform({SceneCommand{SetRaceClock{1e6}}}, b.bench.time);
        b.bench.settle();
        EXPECT_TRUE(b.bench.shows("Over 40 prompts Domino wins with")) << w;
    }
}

// A picture, too, has a clock that counts rounds.
TEST(RaceWords, APictureOfATablesRaceCountsRounds) {
    FrameRequest request;
    request.scene = "race";
    request.race = toy_race(/*averages=*/false, "TABLE");
    const auto told = [&] { return describe_frame(request, nullptr, RunSettings{}, EngineStatus{}); };
    EXPECT_NE(told().find(" · after 2 rounds, as Domino finishes"), std::string::npos) << told();
    EXPECT_EQ(race_stop_times(*request.race).size(), 13u) << "ends of rounds: 1 to 12";
}

TEST(RaceWords, SayOnceHowManyPromptsWereSkipped) {
    auto race = toy_race();
    race->skipped = 2;
    race->skipped_for = "toy target";
    const std::string said = "2 prompts skipped: too long for toy target";
    EXPECT_NE(race_description(input_at(*race, 5), race_model(input_at(*race, 5))).find(said), std::string::npos);
    RaceBench b;
    b.observe(race);
    EXPECT_EQ(std::ranges::count(b.bench.texts, said, &ui::RecordedText::text), 1);
}

TEST(RaceWords, SayWhyACardOfAveragesIsEmpty) {
    const auto race = toy_race(false);
    const auto words = [&] { return no_averages_words(race_model(input_at(*race, 0))); };
    EXPECT_EQ(words(), "needs rounds from more prompts");
    race->prompts = 40;
    EXPECT_EQ(words(), "the prompts are being measured") << "the lanes are done";
    race->lanes[1].finished = false;
    EXPECT_EQ(words(), "measured as soon as the lanes are done");
    race->lanes.erase(race->lanes.begin() + 1, race->lanes.end());
    EXPECT_EQ(words(), "no lane drafts");
}

} // namespace
} // namespace speclens
