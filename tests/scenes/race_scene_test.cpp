// The race scene: that it fits every window, its keys and its files.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/scenes/scenes_golden.h"
#include "tests/scenes/scenes_tab.h"
#include "tests/shared/said_values.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/toy_race.h"
#include "ui/format.h"

namespace speclens {
namespace {

TEST(RaceScene, LooksAsRecordedAndNothingCollides) {
    Golden golden;
    auto waiting = toy_race(false);
    waiting->lanes[2].problem = "these models have no DFlash head";
    waiting->lanes[2].trace = nullptr;
    waiting->lanes[2].finished = false;
    waiting->lanes[3].trace = nullptr;
    waiting->lanes[3].finished = false;
    waiting->running = 3;
    const std::vector<std::pair<std::string, std::shared_ptr<RaceView>>> races = {
        {"none", nullptr}, {"waiting", waiting}, {"measured", toy_race()}};
    for (const Size& s : kSizes)
        for (const auto& [name, race] : races)
            for (const double ms : {0.0, 33.6, 200.0}) {
                RaceBench b({0, 0, s.w, s.h});
                b.observe(race);
                b.bench.controller.perform({SceneCommand{SetRaceClock{ms}}}, b.bench.time);
                b.bench.settle();
                const std::string what = "race " + name + " " + s.name + " at " + std::to_string(static_cast<int>(ms));
                look(b.bench, what, s.w < 1000);
                const std::string dark = b.bench.words;
                b.bench.controller.theme = ui::ThemeKind::light;
                b.bench.frame();
                EXPECT_EQ(b.bench.words, dark) << "the theme changes colours only";
                if (s.w < 1280 || s.w == 1500 || ms > 100) continue;
                add_race(golden, b.bench, s.name, name, std::to_string(static_cast<int>(ms)) + " ms");
            }
    expect_golden("race", golden.text());
}

TEST(RaceScene, GivesEveryMeasuredLaneItsCostsBeforeThePublishedOnes) {
    for (const Size& s : {Size{1600, 1000, "1600x1000"}, Size{1100, 700, "1100x700"}}) {
        RaceBench b({0, 0, s.w, s.h});
        b.observe(toy_race());
        b.bench.settle();
        for (const char* tokens : {"÷ 1.00", "÷ 3.00", "÷ 6.00"}) EXPECT_TRUE(b.bench.shows(tokens)) << s.name << ": " << tokens;
        const std::string end = race_says("wins.first"_t);
        EXPECT_TRUE(std::ranges::any_of(b.bench.texts, [&](const ui::RecordedText& text) { return text.text.ends_with(end); }))
            << s.name << ": a title to its end";
    }
}

TEST(RaceScene, KeepsItsBadgeBesideABanner) {
    for (const Size& s : kSizes) {
        if (s.w < 1100) continue;
        RaceBench b({0, 0, s.w, s.h});
        b.observe(toy_race());
        b.bench.controller.complain("something went wrong", "try something else");
        b.bench.settle();
        ASSERT_TRUE(b.bench.shows("something went wrong"));
        EXPECT_GT(b.bench.find("LIVE").x, b.bench.find("Dismiss").x) << s.name;
    }
}

// Lanes are held against each other by what stands below them: where one has its rate, all have.
TEST(RaceScene, GivesTheSameFiguresInEveryLane) {
    for (const Size& s : kSizes) {
        if (s.w < 1000) continue; // the stage pans
        for (const double ms : {20.0, 33.6, 60.0, 200.0}) {
            RaceBench b({0, 0, s.w, s.h});
            b.observe(toy_race());
            b.bench.controller.perform({SceneCommand{SetRaceClock{ms}}}, b.bench.time);
            b.bench.settle();
            const auto times = [&](const Message& words) { return std::ranges::count(b.bench.texts, words, &ui::RecordedText::text); };
            const auto rates = times(race_says("number.unit"_t));
            EXPECT_TRUE(rates == 4 || rates == 0) << s.name << " at " << ms << ": " << rates;
            const auto per_round = [](bool brief) { return race_says("number.per_round"_t, "brief"_v = brief); };
            EXPECT_EQ(times(per_round(false)) + times(per_round(true)), 4) << s.name << " at " << ms;
        }
    }
}

TEST(RaceScene, TellsAPresentersAudienceHowEveryLaneGuesses) {
    const auto race = toy_race();
    for (const char* drafter : {"dspark", "medusa", "small", "lookup", "skip", "dart", "eagle3_tree"}) {
        race->lanes.back().settings.drafter = drafter;
        for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1920, 1080, "1920x1080"}}) {
            const float scale = presenter_scale({s.w, s.h});
            RaceBench b({0, 0, s.w / scale, s.h / scale});
            b.bench.controller.window = {s.w, s.h};
            b.observe(race);
            b.bench.key(ui::Key::f5);
            const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
            for (const RaceLaneModel& lane : m.lanes)
                EXPECT_TRUE(b.bench.shows(race_about(lane)) || b.bench.shows(race_about(lane, true))) << s.name << ": " << race_about(lane);
        }
    }
}

// A room sees bars of two hues above all: they are named where not all have room.
TEST(RaceScene, KeepsTheBeginningOfItsLegendForARoom) {
    for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1920, 1080, "1920x1080"}}) {
        const float scale = presenter_scale({s.w, s.h});
        RaceBench b({0, 0, s.w / scale, s.h / scale});
        b.bench.controller.window = {s.w, s.h};
        b.observe(toy_race());
        b.bench.key(ui::Key::f5);
        for (const std::string& words :
             {race_says("key.drafting"_t).words(), race_says("key.target"_t).words(), race_says("key.rest"_t, "brief"_v = true).words()})
            EXPECT_TRUE(std::ranges::any_of(b.bench.texts, [&](const ui::RecordedText& text) { return text.text.ends_with(words); }))
                << s.name << ": " << words << "\n"
                << b.bench.words;
    }
}

// Who is asked who finishes first must find out by watching.
TEST(RaceScene, ShowsNothingToComeBeforeTheFirstLaneIsHome) {
    RaceBench b;
    const auto race = toy_race();
    b.observe(race);
    std::size_t written = 0;
    for (const double ms : {0.0, 9.3, 20.0, 33.0}) {
        b.bench.controller.perform({SceneCommand{SetRaceClock{ms}}}, b.bench.time);
        b.bench.settle();
        const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
        ASSERT_TRUE(m.undecided) << ms;
        const ui::Vec2 lanes = b.bench.find(race_says("number.per_round"_t, "brief"_v = false));
        std::size_t tokens = 0, rounds = 0, shown_tokens = 0, shown_rounds = 0;
        for (const RaceLaneModel& lane : m.lanes) {
            shown_tokens += static_cast<std::size_t>(lane.tokens_shown);
            if (!lane.plain()) shown_rounds += static_cast<std::size_t>(lane.shown.rounds) + 1; // a check that is over, verdicts to come
            EXPECT_FALSE(b.bench.shows(ui::milliseconds(lane.total_ms) + " ms")) << ms << ": " << lane.title;
        }
        for (const ui::RecordedText& text : b.bench.texts) {
            if (text.font == ui::Font::mono && text.size == 17 && text.baseline < lanes.y) ++tokens;
            if (text.text.size() == 2 && text.text[0] == '+' && text.seen.w > 0) ++rounds;
        }
        EXPECT_LE(tokens, shown_tokens) << ms;
        EXPECT_LE(rounds, shown_rounds) << ms;
        written = std::max(written, tokens);
    }
    EXPECT_GT(written, 6U) << "or nothing was tried";
    b.bench.controller.perform({SceneCommand{SetRaceClock{33.6}}}, b.bench.time);
    b.bench.settle();
    EXPECT_TRUE(b.bench.shows(ui::milliseconds(race_model(b.bench.controller.frame(b.bench.time).scene).lanes[0].total_ms) + " ms"))
        << "the question is answered: " << b.bench.words;
}

TEST(RaceKeys, ArrowsMoveTheClockFromRoundToRound) {
    RaceBench b;
    b.observe(toy_race());
    EXPECT_NEAR(b.clock(), 33.6, 1e-9) << "rests where the first lane is home";
    b.bench.key(ui::Key::home);
    EXPECT_EQ(b.clock(), 0);
    b.bench.key(ui::Key::right);
    EXPECT_NEAR(b.clock(), 9.3, 1e-9);
    b.bench.key(ui::Key::right);
    EXPECT_NEAR(b.clock(), 12.3, 1e-9);
    b.bench.key(ui::Key::left);
    EXPECT_NEAR(b.clock(), 9.3, 1e-9);
    b.bench.key(ui::Key::right, {.shift = true});
    EXPECT_NEAR(b.clock(), 16.8, 1e-9) << "the chosen lane is the last one";
    b.bench.key(ui::Key::end);
    EXPECT_NEAR(b.clock(), 12 * 13.8, 1e-9);
}

TEST(RaceKeys, SCountsRoundsInsteadOfTime) {
    RaceBench b;
    b.observe(toy_race());
    b.bench.key(ui::Key::s);
    EXPECT_NEAR(b.clock(), 2, 1e-9) << "domino needs two rounds";
    const SceneInput input = b.bench.controller.frame(b.bench.time).scene;
    const Message subtitle = race_subtitle(input, race_model(input));
    EXPECT_NEAR(test::real(test::inner(subtitle.said, "now"), "rounds"), 2, 1e-9);
    EXPECT_TRUE(b.bench.shows(message(test::inner(subtitle.said, "now"))));
    b.bench.key(ui::Key::home);
    b.bench.key(ui::Key::right);
    EXPECT_NEAR(b.clock(), 1, 1e-9);
    const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
    EXPECT_EQ(m.lanes[0].tokens_shown, 1);
    EXPECT_EQ(m.lanes[1].tokens_shown, 3);
    EXPECT_EQ(m.lanes[3].tokens_shown, 6) << "after one target pass each";
    b.bench.key(ui::Key::end);
    EXPECT_NEAR(b.clock(), 12, 1e-9);
    b.bench.key(ui::Key::s);
    EXPECT_NEAR(b.clock(), 33.6, 1e-9);
}

TEST(RaceKeys, PlayingRunsTheClockToTheEndAndStops) {
    RaceBench b;
    b.observe(toy_race());
    b.bench.key(ui::Key::end);
    b.bench.key(ui::Key::p);
    const double early = b.clock();
    EXPECT_LT(early, 60) << "starts again from the left";
    for (int i = 0; i < 80; ++i) b.bench.frame();
    EXPECT_NEAR(b.clock(), 12 * 13.8, 1e-9);
    EXPECT_FALSE(b.bench.controller.frame(b.bench.time).playing);
}

TEST(RaceScene, AClickOnAMarkOfTheScatterChoosesItsLane) {
    RaceBench b;
    b.observe(toy_race());
    const auto lane = [&] { return b.bench.controller.frame(b.bench.time).scene.race_lane; };
    EXPECT_EQ(lane(), 3);
    const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
    // The name of a mark stands beside it; the mark is looked for around it.
    const ui::Vec2 name = b.bench.find("EAGLE-3 " + ui::speed_up(m.lanes[1].lane->average->speed_up.value));
    bool found = false;
    for (float dx = -90; dx <= 90 && !found; dx += 6)
        for (float dy = -40; dy <= 40 && !found; dy += 10) {
            b.bench.click({name.x + dx, name.y + dy});
            found = lane() == 1;
        }
    EXPECT_TRUE(found);
}

TEST(RaceFiles, AreSavedWhenTheRaceIsOverAndOpenedAsRecorded) {
    const test::TempFolder folder;
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    RaceBench b;
    auto running = toy_race();
    running->lanes[2].finished = false;
    b.observe(running);
    b.bench.key(ui::Key::s, {.ctrl = true});
    EXPECT_NE(b.bench.controller.chrome.message.find("still running"), std::string::npos);
    b.observe(toy_race());
    b.bench.key(ui::Key::s, {.ctrl = true});
    std::filesystem::path file;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
        if (entry.path().extension() == ".json") file = entry.path();
    ASSERT_FALSE(file.empty()) << b.bench.controller.chrome.message;
    b.bench.controller.perform({OpenFile{file.string()}}, b.bench.time);
    b.bench.settle();
    const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
    EXPECT_EQ(m.tier, ui::Tier::recorded);
    EXPECT_NEAR(m.lanes[3].total_ms, 2 * 16.8, 1e-9);
    EXPECT_TRUE(b.bench.shows("RECORDED"));
    const std::size_t starts = b.all<StartRace>().size();
    b.bench.click(b.bench.find(race_says("header.run:again"_t)));
    EXPECT_EQ(b.all<StartRace>().size(), starts + 1) << "the same race, on this machine";
    b.observe(toy_race());
    EXPECT_EQ(race_model(b.bench.controller.frame(b.bench.time).scene).tier, ui::Tier::live);
    ::unsetenv("XDG_DATA_HOME");
}

TEST(RaceScene, AStoppedRaceIsOver) {
    RaceBench b;
    auto stopped = toy_race();
    stopped->lanes[3].finished = false;
    stopped->ended_early = true;
    b.observe(stopped);
    EXPECT_TRUE(b.bench.shows(race_says("title.stopped"_t))) << b.bench.words;
    EXPECT_TRUE(b.bench.shows(race_says("header.run:again"_t)));
    EXPECT_FALSE(b.bench.shows(race_says("header.run:stop"_t) + "\n"));
    b.bench.key(ui::Key::s, {.ctrl = true});
    EXPECT_NE(b.bench.controller.chrome.message.find("was stopped"), std::string::npos) << b.bench.controller.chrome.message;
    b.bench.key(ui::Key::home);
    b.bench.key(ui::Key::p);
    EXPECT_TRUE(b.bench.controller.frame(b.bench.time).playing);
    for (int i = 0; i < 80; ++i) b.bench.frame();
    EXPECT_FALSE(b.bench.controller.frame(b.bench.time).playing) << "the window would be drawn for ever";
}

// A timed race waits for a training; a stepped one waits for the user as well, and is none of what runs.
TEST(RaceKeys, EscapeStopsTheRaceOnScreenBeforeTheTrainingThatItWaitsFor) {
    RaceBench b;
    Snapshot p;
    p.status.state = EngineStatus::State::idle;
    p.status.ready_drafters = {"none", "small", "lookup", "eagle3", "dflash", "domino"};
    p.training = std::make_shared<const HeadTrainingView>();
    const auto press = [&](const std::shared_ptr<RaceView>& race) {
        (race->settings.stepped ? p.stepped : p.race) = race;
        b.bench.controller.observe(p, b.bench.time);
        b.bench.settle();
        b.sent.clear();
        b.bench.key(ui::Key::escape);
        return std::pair(b.all<StopRace>().size(), b.all<Cancel>().size());
    };
    const std::pair<std::size_t, std::size_t> race{1, 0}, training{0, 1}, nothing{0, 0};
    auto going = toy_race();
    going->lanes[3].finished = false;
    EXPECT_EQ(press(going), race);
    auto stopped = std::make_shared<RaceView>(*going);
    stopped->ended_early = true;
    EXPECT_EQ(press(stopped), training);
    b.bench.controller.perform({SceneCommand{ToggleStepped{}}}, b.bench.time);
    auto stepped = std::make_shared<RaceView>(*going);
    stepped->settings.stepped = true;
    EXPECT_EQ(press(stepped), training);
    p.training = nullptr;
    EXPECT_EQ(press(stepped), race);
    b.bench.controller.perform({SceneCommand{ToggleStepped{}}}, b.bench.time);
    EXPECT_EQ(press(stopped), nothing);
}

TEST(RaceKeys, OpenTheChosenLaneInTheLoop) {
    RaceBench b;
    b.observe(toy_race());
    b.bench.key(ui::Key::up);
    b.bench.key(ui::Key::enter);
    const auto restarts = b.all<Restart>();
    ASSERT_EQ(restarts.size(), 1U);
    EXPECT_EQ(restarts[0]->settings.drafter, "dflash");
    EXPECT_EQ(b.bench.controller.frame(b.bench.time).scene_name, "loop");
}

// Arrows choose a lane: Tab does not stop at the cards, where Enter would choose one unseen.
TEST(RaceKeys, TabStopsAtNoLane) {
    RaceBench b;
    b.observe(toy_race());
    const std::set<ui::Id> stops = tab_stops(b.bench);
    EXPECT_TRUE(stops.contains(id_in(b.bench, "race", "run")));
    for (int lane = 0; lane < 4; ++lane) EXPECT_FALSE(stops.contains(id_in(b.bench, "race", "lane " + std::to_string(lane)))) << lane;
}

TEST(RaceKeys, DigitsPutDraftersInAndOut) {
    RaceBench b;
    b.observe(nullptr);
    ASSERT_EQ(b.all<StartRace>().size(), 1U) << "starts by itself as soon as the models are there";
    const auto lanes = [&] {
        std::string names;
        for (const RaceEntry& lane : b.all<StartRace>().back()->settings.lanes) names += lane.drafter + " ";
        return names;
    };
    EXPECT_EQ(lanes(), "none eagle3 dflash domino ");
    b.observe(toy_race());
    b.bench.key(ui::Key::d1);
    EXPECT_EQ(lanes(), "eagle3 dflash domino ");
    b.bench.key(ui::Key::d2);
    EXPECT_EQ(lanes(), "eagle3 dflash domino small ");
    b.bench.key(ui::Key::d4);
    EXPECT_EQ(lanes(), "eagle3 dflash domino small ") << "four lanes are all there are";
    EXPECT_NE(b.bench.controller.chrome.message.find("take one out"), std::string::npos);
}

TEST(RaceKeys, AForkIsOfOneLanesRun) {
    RaceBench b;
    b.observe(toy_race());
    Snapshot published; // with a run of the other scenes behind the race
    published.trace = fixtures::mixed();
    published.race = toy_race();
    published.status.state = EngineStatus::State::idle;
    published.status.ready_drafters = {"none", "small"};
    b.bench.controller.observe(published, b.bench.time);
    b.bench.settle();
    b.bench.key(ui::Key::f);
    EXPECT_EQ(b.bench.controller.chrome.popup, Popup::none);
    EXPECT_NE(b.bench.controller.chrome.message.find("Open a lane with Enter"), std::string::npos);
}

TEST(RaceKeys, KAndTemperatureHoldForAllLanes) {
    RaceBench b;
    b.observe(toy_race());
    const int k = b.all<StartRace>().back()->settings.base.k;
    b.bench.key(ui::Key::k);
    EXPECT_EQ(b.all<StartRace>().back()->settings.base.k, k + 1);
    EXPECT_EQ(b.all<StartRace>().back()->settings.lanes[1].k, k + 1);
    EXPECT_TRUE(b.all<Restart>().empty()) << "the run of the other scenes stays";
}

// The lanes write one prompt, the cards below are about many: that is said where a card begins.
TEST(RaceScene, SaysOverHowManyPromptsItsCardsAre) {
    for (const Size& s : {Size{1600, 1000, "1600x1000"}, Size{1280, 720, "1280x720"}}) {
        RaceBench b({0, 0, s.w, s.h});
        b.observe(toy_race());
        const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
        EXPECT_EQ(test::whole(averages_words(m).said, "prompts"), 40);
        const auto count = std::ranges::count_if(b.bench.texts, [&](const ui::RecordedText& text) {
            return text.text.starts_with(averages_words(m) + " ·") || text.text.starts_with(averages_words(m, true) + " ·");
        });
        EXPECT_EQ(count, 3) << s.name << b.bench.words;
    }
}

TEST(RaceScene, GivesNoAverageBeforeTheFirstRound) {
    RaceBench b;
    b.observe(toy_race());
    b.bench.controller.perform({SceneCommand{SetRaceClock{0}}}, b.bench.time);
    b.bench.settle();
    EXPECT_FALSE(b.bench.shows("0.00")) << b.bench.words;
    EXPECT_TRUE(b.bench.shows("–"));
}

// Published points stand close together, and one of them used to be left without its name.
TEST(RaceScene, NamesEveryPublishedPointOnce) {
    for (const Size& s : {Size{1600, 1000, "1600x1000"}, Size{1500, 880, "1500x880"}, Size{1280, 720, "1280x720"}}) {
        RaceBench b({0, 0, s.w, s.h});
        auto race = toy_race();
        for (RaceLane& lane : race->lanes) lane.average = {}; // nothing of its own in the card
        b.observe(race);
        // In a low panel the name may stand without the figure, but it stands there.
        const ui::Rect panel = s.w > 1280 ? ui::Rect{0, 0, s.w, s.h} : ui::Rect{332, 300, 220, 240};
        for (const std::string name : {"EAGLE-3", "DFlash", "Domino"})
            EXPECT_EQ(std::ranges::count_if(b.bench.texts,
                                            [&](const ui::RecordedText& text) {
                                                return panel.contains(text.box.center()) &&
                                                       text.text.starts_with(s.w > 1280 ? name + " 3." : name);
                                            }),
                      1)
                << s.name << ": " << name;
    }
}

// The lane that was chosen lost its name when another one was as good for as much time.
TEST(RaceScene, NamesLanesWhoseMarksLieOverEachOther) {
    for (const Size& s : {Size{1600, 1000, "1600x1000"}, Size{1280, 720, "1280x720"}}) {
        RaceBench b({0, 0, s.w, s.h});
        auto race = toy_race();
        race->lanes[2].average = race->lanes[3].average = race->lanes[1].average;
        b.observe(race);
        const std::string speed = ui::speed_up(race->lanes[1].average->speed_up.value);
        for (const std::string name : {"EAGLE-3 ", "DFlash ", "Domino "})
            EXPECT_EQ(std::ranges::count_if(b.bench.texts, [&](const ui::RecordedText& text) { return text.text == name + speed; }), 1)
                << s.name << ": " << name << speed;
    }
}

// Equal texts of lanes that are not equally far begin at the same line, and "…" says what is above it.
TEST(RaceScene, ScrollsEqualTextsAlike) {
    const float scale = presenter_scale({1280, 720});
    auto race = toy_race(false);
    race->lanes.erase(race->lanes.begin() + 2);
    race->lanes.erase(race->lanes.begin());
    for (RaceLane& lane : race->lanes)
        lane.trace = fixtures::toy_run({.name = lane.settings.drafter,
                                        .rule = "greedy",
                                        .drafter = lane.settings.drafter,
                                        .k = lane.settings.k,
                                        .cycles = 120 / (lane.settings.k + 1),
                                        .temperature = 0,
                                        .noise = 0,
                                        .top = 0});
    RaceBench b({0, 0, 1280 / scale, 720 / scale});
    b.bench.controller.window = {1280, 720};
    b.observe(race);
    b.bench.key(ui::Key::f5);
    int scrolled = 0;
    for (double ms = 10; ms < 340; ms += 10) {
        b.bench.controller.perform({SceneCommand{SetRaceClock{ms}}}, b.bench.time);
        b.bench.settle();
        std::vector<const ui::RecordedText*> above;
        for (const ui::RecordedText& text : b.bench.texts)
            if (text.text == "…" && text.font == ui::Font::mono) above.push_back(&text);
        if (above.size() != 2) continue;
        std::vector<std::string> first(2);
        for (std::size_t i = 0; i < 2; ++i)
            for (const ui::RecordedText& text : b.bench.texts)
                if (std::abs(text.baseline - above[i]->baseline - 21) < 0.5F && text.box.x >= above[i]->box.x - 1 &&
                    (i == 1 || text.box.x < above[1]->box.x - 1))
                    first[i] += text.text;
        scrolled += first[0] == first[1];
    }
    EXPECT_GT(scrolled, 0);
}

} // namespace
} // namespace speclens
