// The race whose lanes go on together, step by step.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/shared/words.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/said_values.h"
#include "tests/shared/told_said.h"
#include "tests/shared/toy_race.h"

namespace speclens {
namespace {

// Whole toy runs, cut into steps of so many events.
std::shared_ptr<RaceView> stepped_race(std::size_t steps, std::size_t events = 3) {
    std::shared_ptr<RaceView> race = toy_race(false);
    race->settings.stepped = true;
    for (RaceLane& lane : race->lanes) lane.finished = false;
    std::vector<std::size_t> at(race->lanes.size(), 2);
    race->steps.push_back(at);
    for (std::size_t i = 0; i < steps; ++i) {
        for (std::size_t lane = 0; lane < at.size(); ++lane) {
            at[lane] = std::min(race->lanes[lane].trace->size(), at[lane] + events);
            race->lanes[lane].finished = at[lane] == race->lanes[lane].trace->size();
        }
        race->steps.push_back(at);
    }
    return race;
}

struct SteppedBench : RaceBench {
    using RaceBench::RaceBench;
    void step_to(std::shared_ptr<const RaceView> race) {
        Snapshot s;
        s.stepped = std::move(race);
        s.status.state = EngineStatus::State::idle;
        s.status.ready_drafters = {"none", "small", "lookup", "eagle3", "dflash", "domino"};
        bench.controller.observe(s, bench.time);
        bench.settle();
    }
};

TEST(RaceKeys, LStepsAllLanesTogether) {
    SteppedBench b;
    b.observe(toy_race());
    b.bench.key(ui::Key::l);
    ASSERT_FALSE(b.all<StartRace>().empty());
    EXPECT_TRUE(b.all<StartRace>().back()->settings.stepped);
    b.step_to(stepped_race(0));
    EXPECT_EQ(b.clock(), 0);
    b.bench.key(ui::Key::right);
    ASSERT_EQ(b.all<StepRace>().size(), 1U);
    EXPECT_EQ(b.all<StepRace>().back()->stride, Stride::phase);
    b.step_to(stepped_race(1));
    EXPECT_EQ(b.clock(), 1) << "the newest step is shown";
    b.bench.key(ui::Key::right, {.shift = true});
    ASSERT_EQ(b.all<StepRace>().size(), 2U);
    EXPECT_EQ(b.all<StepRace>().back()->stride, Stride::round);
    b.step_to(stepped_race(4));
    EXPECT_EQ(b.clock(), 4);
    b.bench.key(ui::Key::left);
    EXPECT_EQ(b.clock(), 3);
    b.bench.key(ui::Key::right);
    EXPECT_EQ(b.clock(), 4) << "a step that was made already is only shown";
    EXPECT_EQ(b.all<StepRace>().size(), 2U);
    b.bench.key(ui::Key::home);
    EXPECT_EQ(b.clock(), 0);
    b.bench.key(ui::Key::end);
    EXPECT_EQ(b.all<StepRace>().back()->stride, Stride::end);
    b.bench.key(ui::Key::l);
    EXPECT_EQ(b.all<EndSteppedRace>().size(), 1U);
}

// C: the lane has ended a round.
//   step      0  1  2  3  4  5  6
//   lane 0       .  C  .  C  done
//   lane 1       .  .  C  .  .  C
TEST(SteppedRace, ARoundEndsWhereEveryLaneHasEndedOne) {
    RaceView race;
    race.settings.stepped = true;
    for (const std::string& events : {std::string(".C.C"), std::string("..C..C")}) {
        auto trace = std::make_shared<Trace>([](int) { return std::string("a"); });
        for (const char event : events) {
            if (event == 'C')
                trace->append(Committed{});
            else
                trace->append(Verified{});
        }
        race.lanes.emplace_back().trace = trace;
    }
    for (std::size_t step = 0; step <= 6; ++step) race.steps.push_back({std::min<std::size_t>(step, 4), step});
    EXPECT_EQ(next_round(race, 0), 3);
    EXPECT_EQ(next_round(race, 3), 6);
    EXPECT_EQ(next_round(race, 6), 6);
    // Backwards to where every lane had a round less, or was done already.
    EXPECT_EQ(previous_round(race, 6), 5) << "the first lane is done";
    EXPECT_EQ(previous_round(race, 5), 2);
    EXPECT_EQ(previous_round(race, 3), 1);
    EXPECT_EQ(previous_round(race, 1), 0);
    EXPECT_EQ(previous_round(race, 0), 0);
}

TEST(SteppedRaceScene, SaysWhetherTheTextsAgreeSoFar) {
    const auto race = stepped_race(6);
    for (const double step : {0.0, 3.0, 6.0}) {
        const RaceModel m = race_model(input_at(*race, step));
        EXPECT_TRUE(m.stepped);
        EXPECT_TRUE(m.identical) << step;
        EXPECT_EQ(race_texts(m).said.id(), "race.texts.identical_so_far");
        EXPECT_FALSE(m.lanes[3].speed_up.figure.known()) << "nothing is timed";
        const std::vector<ui::ToldMessage> told = race_told(input_at(*race, step));
        const Said subtitle = test::only_said(told, "race.subtitle.stepped");
        EXPECT_EQ(test::whole(subtitle, "step"), static_cast<std::int64_t>(step));
        EXPECT_EQ(test::inner(subtitle, "texts"), race_texts(m).said);
        for (const char* timed : {"race.clock.row", "race.lane.run", "race.lane.average", "race.costs.bar", "race.scatter.point"})
            EXPECT_TRUE(test::all_said(told, timed).empty()) << timed;
        EXPECT_EQ(in_words(told).find(" ms"), std::string::npos) << in_words(told);
    }
    const RaceModel m = race_model(input_at(*race, 6));
    EXPECT_EQ(m.lanes[3].shown.rounds, 1);
    EXPECT_EQ(m.lanes[0].shown.rounds, 6) << "as many tokens, but a pass for each";
    race->lanes[1].trace = another_text();
    const RaceModel parted = race_model(input_at(*race, 6));
    EXPECT_EQ(race_texts(parted).said.id(), "race.texts.differ");
    EXPECT_EQ(test::whole(race_texts(parted).said, "tokens"), parted.same_tokens);
}

// Of each lane: how far it is, what it went through, and what became of the tokens of its round.
TEST(SteppedRaceScene, SaysWhatEveryLaneWentThrough) {
    const auto race = stepped_race(6);
    std::size_t seen = 0; // numbers that are drawn
    for (const double step : {0.0, 1.0, 4.0, 6.0}) {
        const SceneInput input = input_at(*race, step);
        const RaceModel m = race_model(input);
        const std::vector<ui::ToldMessage> told = race_told(input);
        const std::vector<Said> lanes = test::all_said(told, "race.lane.told"), rows = test::all_said(told, "race.steps.row");
        ASSERT_EQ(lanes.size(), 4U);
        ASSERT_EQ(rows.size(), 4U);
        std::size_t rounds = 0;
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const RaceLaneModel& lane = m.lanes[i];
            const Said what = test::inner(lanes[i], "what");
            EXPECT_EQ(what.id(), "race.lane.so_far");
            EXPECT_EQ(test::whole(what, "tokens"), lane.tokens_shown);
            EXPECT_EQ(test::whole(what, "rounds"), lane.shown.rounds);
            EXPECT_EQ(test::maybe<double>(what, "rate"), lane.shown.rounds ? std::optional(lane.shown.tokens_per_round()) : std::nullopt);
            EXPECT_EQ(test::whole(what, "done"), lane.done);
            const auto now = static_cast<std::size_t>(step);
            int passes = 0, kept = 0, refused = 0, own = 0, tokens = 0, drafting = 0;
            for (std::size_t e = race->steps[0][i]; e < race->steps[now][i]; ++e) {
                const Event& event = (*lane.trace)[e];
                drafting += std::holds_alternative<Drafted>(event) &&
                            (e == race->steps[0][i] || !std::holds_alternative<Drafted>((*lane.trace)[e - 1]));
                passes += std::holds_alternative<Verified>(event);
                own += std::holds_alternative<TargetToken>(event);
                if (const auto* check = std::get_if<Checked>(&event)) (check->accepted ? kept : refused) += 1;
                if (const auto* commit = std::get_if<Committed>(&event)) tokens += static_cast<int>(commit->tokens.size());
            }
            EXPECT_EQ(test::words(rows[i], "drafter"), lane.title);
            EXPECT_EQ(test::whole(rows[i], "step"), static_cast<std::int64_t>(now));
            EXPECT_EQ(test::whole(rows[i], "drafting"), drafting);
            EXPECT_EQ(test::whole(rows[i], "passes"), passes);
            EXPECT_EQ(test::whole(rows[i], "kept"), kept);
            EXPECT_EQ(test::whole(rows[i], "refused"), refused);
            EXPECT_EQ(test::whole(rows[i], "own") + test::whole(rows[i], "bonus") + test::whole(rows[i], "residual"), own);
            EXPECT_EQ(test::whole(rows[i], "tokens"), tokens);
            const RoundSummary* round = lane.shown.current();
            if (!round || (round->drafts.empty() && !round->resample)) continue;
            const std::vector<Said> chips = test::list(test::all_said(told, "race.round.told").at(rounds++), "tokens");
            ASSERT_EQ(chips.size(), round->drafts.size() + (round->resample ? 1 : 0));
            for (std::size_t k = 0; k < round->drafts.size(); ++k) {
                using State = DraftSlot::State;
                const State state = round->drafts[k].state;
                EXPECT_EQ(chips[k].id(), std::string("race.round.token:") + (state == State::accepted    ? "accepted"
                                                                             : state == State::rejected  ? "rejected"
                                                                             : state == State::discarded ? "discarded"
                                                                                                         : "drafted"));
            }
        }
        std::vector<std::string> phases, expected; // of the lanes that are not done
        for (const Said& at : test::all_said(told, "race.round.at")) phases.push_back(test::inner(at, "phase").id());
        for (const RaceLaneModel& lane : m.lanes) {
            if (lane.done || !lane.shown.current()) continue;
            const Phase phase = lane.shown.phase;
            expected.push_back(std::string("race.round.phase:") + (phase == Phase::draft      ? "draft"
                                                                   : phase == Phase::verify   ? "verify"
                                                                   : phase == Phase::accept   ? "accept"
                                                                   : phase == Phase::resample ? "resample"
                                                                   : phase == Phase::commit   ? "commit"
                                                                                              : "begins"));
        }
        EXPECT_EQ(phases, expected);
        seen += test::expect_drawn_numbers_told("race", input);
        EXPECT_EQ(test::all_said(told, "race.round.told").size(), rounds);
    }
    EXPECT_GT(seen, 4U) << "or nothing was tried";
}

// Lanes whose first round is over, a plain one and one whose text ends with a guess: its bonus is dropped.
struct EndedLanes {
    std::shared_ptr<RaceView> race = toy_race(false);
    explicit EndedLanes(bool dropped) {
        race->settings.stepped = true;
        race->lanes.resize(2);
        const std::size_t all = race->lanes[1].trace->size();
        auto cut = std::make_shared<Trace>([whole = race->lanes[1].trace](int id) { return whole->text(id); });
        for (std::size_t i = 0; i < all; ++i) {
            Event event = (*race->lanes[1].trace)[i];
            auto* commit = std::get_if<Committed>(&event);
            if (commit && dropped) commit->tokens.resize(static_cast<std::size_t>(commit->accepted_drafts));
            cut->append(event);
            if (commit) break;
        }
        race->lanes[1].trace = cut;
        std::size_t pass = 0; // of the plain lane, one past it
        while (!std::holds_alternative<Verified>((*race->lanes[0].trace)[pass])) ++pass;
        race->steps = {{pass + 1, cut->size()}};
    }
};

TEST(SteppedRaceScene, ShowsATokenThatWasNotWrittenAsDropped) {
    const auto muted = [](bool dropped) {
        const EndedLanes ended(dropped);
        SteppedBench b;
        RaceSettings wish;
        wish.stepped = true;
        b.bench.controller.expect_race(wish);
        b.step_to(ended.race);
        const auto heading = [](bool over) {
            const Message pass = race_says("round.phase:verify"_t, "narrow"_v = false, "over"_v = over);
            return race_says("round.at"_t, "round"_v = 1, "phase"_v = pass);
        };
        EXPECT_TRUE(b.bench.shows(heading(false))) << b.bench.words;
        EXPECT_FALSE(b.bench.shows(heading(true))) << "nothing was guessed";
        const std::vector<Said> told = test::all_said(race_told(b.bench.controller.frame(b.bench.time).scene), "race.round.told");
        EXPECT_EQ(test::list(told.back(), "tokens").back().id(), dropped ? "race.round.token:discarded" : "race.round.token:bonus");
        const RunView lane = fold(*ended.race->lanes[1].trace, ended.race->steps[0][1]);
        const std::string own = label_of(*ended.race->lanes[1].trace, lane.current()->resample->token);
        const ui::RecordedText* last = nullptr; // the chips of the round stand below the text, this one last
        for (const ui::RecordedText& text : b.bench.texts)
            if (text.text == own && (!last || text.baseline >= last->baseline)) last = &text;
        return last && last->color == ui::theme(b.bench.controller.theme).muted;
    };
    EXPECT_TRUE(muted(true));
    EXPECT_FALSE(muted(false));
}

TEST(SteppedRaceScene, LooksAsRecordedAndNothingCollides) {
    Golden golden;
    for (const Size& s : kSizes)
        for (const std::size_t steps : {std::size_t{0}, std::size_t{5}, std::size_t{40}}) {
            SteppedBench b({0, 0, s.w, s.h});
            RaceSettings wish;
            wish.stepped = true;
            b.bench.controller.expect_race(wish);
            b.step_to(stepped_race(steps));
            const std::string what = "stepped race " + std::string(s.name) + " after " + std::to_string(steps);
            look(b.bench, what, s.w < 1000);
            if (s.w != 1600 && s.w != 1280) continue;
            add_race(golden, b.bench, s.name, "stepped", std::to_string(steps) + " steps");
        }
    expect_golden("race-stepped", golden.text());
}

TEST(SteppedRaceScene, CutsNoWordsOfARoundInNarrowLanes) {
    const float scale = presenter_scale({1280, 720});
    SteppedBench b({0, 0, 1280 / scale, 720 / scale});
    b.bench.controller.window = {1280, 720};
    RaceSettings wish;
    wish.stepped = true;
    b.bench.controller.expect_race(wish);
    b.bench.key(ui::Key::f5);
    for (std::size_t steps = 1; steps < 9; ++steps) {
        b.step_to(stepped_race(steps, 1));
        for (const ui::RecordedText& text : b.bench.texts)
            if (text.text.starts_with(race_says("round.at"_t, "round"_v = 1, "phase"_v = Message()).words().substr(0, 6))) {
                EXPECT_FALSE(text.text.ends_with("…")) << text.text;
            }
        EXPECT_FALSE(b.bench.shows("0.00")) << b.bench.words;
    }
}

} // namespace
} // namespace speclens
