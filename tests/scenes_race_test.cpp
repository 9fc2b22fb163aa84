// The race scene: its numbers, its words, its keys, and that it fits every window.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/format.h"
#include "engine/race.h"
#include "scenes/race_draw.h"
#include "scenes_fixtures.h"
#include "scenes_look.h"
#include "temp_folder.h"

namespace speclens {
namespace {

struct ToyLane {
    const char* drafter;
    int k, cycles;
    double noise;
};
// Twelve tokens each, the same ones: guesses are all right or all wrong.
constexpr ToyLane kToyLanes[] = {
    {"none", 0, 12, 0}, {"eagle3", 2, 4, 0}, {"dflash", 3, 12, 1}, {"domino", 5, 2, 0}};

Sample toy_sample(const ToyLane& lane, int tokens, double draft_ms) {
    Sample s;
    s.tokens = tokens;
    s.rounds = tokens / (lane.noise < 1 ? lane.k + 1 : 1);
    s.draft_ms = draft_ms * s.rounds;
    s.head_ms = std::string(lane.drafter) == "domino" ? 0.2 * s.rounds : 0;
    s.verify_ms = 9.0 * s.rounds;
    s.other_ms = 0.25 * s.rounds;
    for (int i = 0; i < lane.k; ++i) {
        s.judged_at.push_back(s.rounds - i);
        s.accepted_at.push_back(static_cast<int>((s.rounds - i) * (0.9 - 0.1 * i)));
    }
    return s;
}

std::shared_ptr<RaceView> toy_race(bool averages = true) {
    auto race = std::make_shared<RaceView>();
    race->settings.base.prompt = " the cat sat on the";
    race->settings.base.max_tokens = 12;
    race->model = "toy target";
    race->backend = "toy backend";
    std::vector<Sample> plain;
    for (int i = 0; i < 40; ++i) plain.push_back(toy_sample(kToyLanes[0], 12 + 6 * (i % 3), 0));
    for (const ToyLane& toy : kToyLanes) {
        RaceLane lane;
        lane.settings.drafter = toy.drafter;
        lane.settings.k = toy.k;
        lane.trace = fixtures::toy_run({.name = toy.drafter,
                                        .rule = "greedy",
                                        .drafter = toy.drafter,
                                        .k = toy.k,
                                        .cycles = toy.cycles,
                                        .temperature = 0,
                                        .noise = toy.noise,
                                        .top = 0});
        lane.finished = true;
        race->settings.lanes.push_back({toy.drafter, "greedy", toy.k});
        if (averages) {
            std::vector<Sample> mine;
            for (int i = 0; i < 40; ++i) mine.push_back(toy_sample(toy, 12 + 6 * (i % 3), 1.5 * toy.k));
            std::vector<const Sample*> a, b;
            for (std::size_t i = 0; i < mine.size(); ++i) {
                a.push_back(&plain[i]);
                b.push_back(&mine[i]);
            }
            lane.average = LaneAverage{total(b), speed_up(a, b, 7), tokens_per_round(b, 7)};
        }
        race->lanes.push_back(std::move(lane));
    }
    race->prompts = race->prompts_done = averages ? 40 : 0;
    return race;
}

struct RaceBench {
    std::vector<Command> sent;
    SceneBench bench;
    explicit RaceBench(ui::Rect screen = {0, 0, 1600, 1000})
        : bench("race",
                {.send = [this](Command c) { sent.push_back(std::move(c)); },
                 .set_budget = {},
                 .add_budget = {},
                 .cancel_loading = {}},
                screen) {
        bench.controller.figures = std::make_shared<const Published>(
            Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    }
    void observe(std::shared_ptr<const RaceView> race) {
        Snapshot s;
        s.race = std::move(race);
        s.status.state = EngineStatus::State::idle;
        s.status.ready_drafters = {"none", "small", "lookup", "eagle3", "dflash", "domino"};
        bench.controller.observe(s, bench.time);
        bench.settle();
    }
    [[nodiscard]] double clock() { return bench.controller.frame(bench.time).scene.race_ms; }
    template <class T>
    [[nodiscard]] std::vector<const T*> all() const {
        std::vector<const T*> found;
        for (const Command& c : sent)
            if (const T* t = std::get_if<T>(&c)) found.push_back(t);
        return found;
    }
};

SceneInput input_at(const RaceView& race, double ms) {
    SceneInput in;
    in.race = &race;
    in.race_ms = ms;
    return in;
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
    EXPECT_NEAR(m.lanes[3].speed_up, 12 * 9.3 / (2 * 16.8), 1e-9);
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
    race->lanes[1].trace = fixtures::toy_run({.name = "x",
                                              .rule = "token",
                                              .drafter = "eagle3",
                                              .k = 2,
                                              .cycles = 4,
                                              .temperature = 2,
                                              .noise = 0.9,
                                              .top = 0});
    const RaceModel m = race_model(input_at(*race, 1));
    EXPECT_FALSE(m.identical);
    EXPECT_NE(race_texts(m).find("TEXTS DIFFER after"), std::string::npos) << "greedy lanes must agree";
    race->settings.base.sampling.temperature = 1;
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("only the law is shared"), std::string::npos);
    race->settings.base.rule = "typical";
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("this rule is not lossless"),
              std::string::npos);
    race->settings.base.sampling.temperature = 0;
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("TEXTS DIFFER after"), std::string::npos)
        << "at temperature 0 it is the greedy rule";
    race->settings.base.rule = "cascade_opt";
    EXPECT_NE(race_texts(race_model(input_at(*race, 1))).find("this rule is not lossless"),
              std::string::npos);
}

TEST(RaceWords, AskFirstAndAnswerWhenTheFirstLaneIsHome) {
    const auto race = toy_race();
    EXPECT_EQ(race_title(race_model(input_at(*race, 5))), "Who finishes first?");
    EXPECT_EQ(race_title(race_model(input_at(*race, 2 * 16.8))),
              "Domino needs the fewest rounds and finishes first");
    race->lanes.erase(race->lanes.begin() + 3);
    EXPECT_EQ(race_title(race_model(input_at(*race, 60))),
              "EAGLE-3 needs the fewest rounds and finishes first");
    race->lanes.erase(race->lanes.begin() + 1);
    EXPECT_EQ(race_title(race_model(input_at(*race, 120))),
              "Plain decoding finishes first: no drafter pays here");
}

TEST(RaceWords, CallNoLeadWhatTwoLanesShare) {
    const auto race = toy_race();
    race->lanes.pop_back();
    race->lanes[2].trace = race->lanes[1].trace; // DFlash exactly like EAGLE-3
    EXPECT_EQ(race_title(race_model(input_at(*race, 120))),
              "EAGLE-3 finishes first, in as many rounds as DFlash");
    const auto apart = toy_race();
    RaceModel m = race_model(input_at(*apart, 120));
    m.fastest = 1;
    EXPECT_EQ(race_title(m), "Domino needs fewer rounds, EAGLE-3 finishes first");
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
    EXPECT_EQ(race_title(m), "Plain decoding writes fastest: no drafter pays here");
}

TEST(RaceWords, DescribeEveryLaneAndItsAverages) {
    const auto race = toy_race();
    const std::string text =
        race_description(input_at(*race, 2 * 16.8), race_model(input_at(*race, 2 * 16.8)));
    for (const char* part : {"Lane 4, Domino", "12 of 12 tokens", "6.00 tokens per round", "Texts identical",
                             "Over 40 prompts", "head 0.20", "verify 9.00"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(RaceWords, SayOnceHowManyPromptsWereSkipped) {
    auto race = toy_race();
    race->skipped = 2;
    race->skipped_for = "toy target";
    const std::string said = "2 prompts skipped: longer than the context of toy target";
    EXPECT_NE(race_description(input_at(*race, 5), race_model(input_at(*race, 5))).find(said),
              std::string::npos);
    RaceBench b;
    b.observe(race);
    EXPECT_EQ(std::ranges::count(b.bench.texts, said, &ui::RecordedText::text), 1);
}

TEST(RaceScene, LooksAsRecordedAndNothingCollides) {
    std::string golden;
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
                const std::string what =
                    "race " + name + " " + s.name + " at " + std::to_string(static_cast<int>(ms));
                look(b.bench, what, s.w < 1000);
                const std::string dark = b.bench.words;
                b.bench.controller.theme = ui::ThemeKind::light;
                b.bench.frame();
                EXPECT_EQ(b.bench.words, dark) << "the theme changes colours only";
                if (s.w < 1280 || s.w == 1500 || ms > 100) continue;
                b.bench.fonts = &steady_fonts();
                b.bench.frame();
                golden += "== " + what + "\n" + b.bench.words + "\n";
            }
    expect_golden("race", golden);
}

TEST(RaceScene, GivesEveryMeasuredLaneItsCostsBeforeThePublishedOnes) {
    for (const Size& s : {Size{1600, 1000, "1600x1000"}, Size{1100, 700, "1100x700"}}) {
        RaceBench b({0, 0, s.w, s.h});
        b.observe(toy_race());
        b.bench.settle();
        for (const char* tokens : {"÷ 1.00", "÷ 3.00", "÷ 6.00"})
            EXPECT_TRUE(b.bench.shows(tokens)) << s.name << ": " << tokens;
        const auto title = std::ranges::find_if(b.bench.texts, [](const ui::RecordedText& text) {
            return text.text.ends_with("finishes first");
        });
        EXPECT_NE(title, b.bench.texts.end()) << s.name << ": a title to its end";
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

TEST(RaceScene, TellsAPresentersAudienceHowEveryLaneGuesses) {
    const auto race = toy_race();
    for (const char* drafter : {"dspark", "medusa", "small", "lookup", "skip", "dart", "eagle3_tree"}) {
        race->lanes.back().settings.drafter = drafter;
        for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1920, 1080, "1920x1080"}}) {
            const float scale = presenter_scale({s.w, s.h}, find_scene("race")->make()->presenter_stage());
            RaceBench b({0, 0, s.w / scale, s.h / scale});
            b.bench.controller.window = {s.w, s.h};
            b.observe(race);
            b.bench.key(ui::Key::f5);
            const RaceModel m = race_model(b.bench.controller.frame(b.bench.time).scene);
            for (const RaceLaneModel& lane : m.lanes)
                EXPECT_TRUE(b.bench.shows(race_about(lane)) || b.bench.shows(race_about_short(lane)))
                    << s.name << ": " << race_about(lane);
        }
    }
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
    EXPECT_TRUE(b.bench.shows("after 2 rounds"));
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

TEST(SteppedRaceScene, SaysWhetherTheTextsAgreeSoFar) {
    const auto race = stepped_race(6);
    for (const double step : {0.0, 3.0, 6.0}) {
        const RaceModel m = race_model(input_at(*race, step));
        EXPECT_TRUE(m.stepped);
        EXPECT_TRUE(m.identical) << step;
        EXPECT_EQ(race_texts(m), "texts identical so far");
        EXPECT_EQ(m.lanes[3].speed_up, 0) << "nothing is timed";
        const std::string words = race_description(input_at(*race, step), m);
        EXPECT_EQ(words.find("ms"), std::string::npos) << words;
        EXPECT_NE(words.find("step " + std::to_string(static_cast<int>(step)) + ", not timed"),
                  std::string::npos);
    }
    const RaceModel m = race_model(input_at(*race, 6));
    EXPECT_EQ(m.lanes[3].shown.rounds, 1);
    EXPECT_EQ(m.lanes[0].shown.rounds, 6) << "as many tokens, but a pass for each";
    race->lanes[1].trace = fixtures::toy_run({.name = "x",
                                              .rule = "token",
                                              .drafter = "eagle3",
                                              .k = 2,
                                              .cycles = 4,
                                              .temperature = 2,
                                              .noise = 0.9,
                                              .top = 0});
    EXPECT_NE(race_texts(race_model(input_at(*race, 6))).find("TEXTS DIFFER after"), std::string::npos);
}

TEST(SteppedRaceScene, LooksAsRecordedAndNothingCollides) {
    std::string golden;
    for (const Size& s : kSizes)
        for (const std::size_t steps : {std::size_t{0}, std::size_t{5}, std::size_t{40}}) {
            SteppedBench b({0, 0, s.w, s.h});
            RaceSettings wish;
            wish.stepped = true;
            b.bench.controller.expect_race(wish);
            b.step_to(stepped_race(steps));
            const std::string what =
                "stepped race " + std::string(s.name) + " after " + std::to_string(steps);
            look(b.bench, what, s.w < 1000);
            if (s.w != 1600 && s.w != 1280) continue;
            b.bench.fonts = &steady_fonts();
            b.bench.frame();
            golden += "== " + what + "\n" + b.bench.words + "\n";
        }
    expect_golden("race-stepped", golden);
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
    b.bench.click(b.bench.find("Run again"));
    EXPECT_EQ(b.all<StartRace>().size(), starts + 1) << "the same race, on this machine";
    b.observe(toy_race());
    EXPECT_EQ(race_model(b.bench.controller.frame(b.bench.time).scene).tier, ui::Tier::live);
    ::unsetenv("XDG_DATA_HOME");
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

TEST(RaceKeys, KAndTemperatureHoldForAllLanes) {
    RaceBench b;
    b.observe(toy_race());
    const int k = b.all<StartRace>().back()->settings.base.k;
    b.bench.key(ui::Key::k);
    EXPECT_EQ(b.all<StartRace>().back()->settings.base.k, k + 1);
    EXPECT_EQ(b.all<StartRace>().back()->settings.lanes[1].k, k + 1);
    EXPECT_TRUE(b.all<Restart>().empty()) << "the run of the other scenes stays";
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

// The lanes write one prompt, the cards below are about many: that is said where a card begins.
TEST(RaceScene, SaysOverHowManyPromptsItsCardsAre) {
    for (const Size& s : {Size{1600, 1000, "1600x1000"}, Size{1280, 720, "1280x720"}}) {
        RaceBench b({0, 0, s.w, s.h});
        b.observe(toy_race());
        const auto count = std::ranges::count_if(b.bench.texts, [](const ui::RecordedText& text) {
            return text.text.starts_with("over 40 prompts ·") || text.text.starts_with("40 prompts ·");
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
    for (const Size& s :
         {Size{1600, 1000, "1600x1000"}, Size{1500, 880, "1500x880"}, Size{1280, 720, "1280x720"}}) {
        RaceBench b({0, 0, s.w, s.h});
        auto race = toy_race();
        for (RaceLane& lane : race->lanes) lane.average = {}; // nothing of its own in the card
        b.observe(race);
        // In a low panel the name may stand without the figure, but it stands there.
        const ui::Rect panel = s.w > 1280 ? ui::Rect{0, 0, s.w, s.h} : ui::Rect{300, 300, 220, 240};
        for (const std::string name : {"EAGLE-3", "DFlash", "Domino"})
            EXPECT_EQ(std::ranges::count_if(b.bench.texts,
                                            [&](const ui::RecordedText& text) {
                                                return panel.contains(text.box.center()) &&
                                                       text.text.starts_with(s.w > 1280 ? name + " 3."
                                                                                        : name);
                                            }),
                      1)
                << s.name << ": " << name;
    }
}

TEST(SteppedRaceScene, CutsNoWordsOfARoundInNarrowLanes) {
    const float scale = presenter_scale({1280, 720}, find_scene("race")->make()->presenter_stage());
    SteppedBench b({0, 0, 1280 / scale, 720 / scale});
    b.bench.controller.window = {1280, 720};
    RaceSettings wish;
    wish.stepped = true;
    b.bench.controller.expect_race(wish);
    b.bench.key(ui::Key::f5);
    for (std::size_t steps = 1; steps < 9; ++steps) {
        b.step_to(stepped_race(steps, 1));
        for (const ui::RecordedText& text : b.bench.texts)
            if (text.text.starts_with("round ")) {
                EXPECT_FALSE(text.text.ends_with("…")) << text.text;
            }
        EXPECT_FALSE(b.bench.shows("0.00")) << b.bench.words;
    }
}

// Equal texts of lanes that are not equally far begin at the same line, and "…" says what is above it.
TEST(RaceScene, ScrollsEqualTextsAlike) {
    const float scale = presenter_scale({1280, 720}, find_scene("race")->make()->presenter_stage());
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
                if (std::abs(text.baseline - above[i]->baseline - 21) < 0.5F &&
                    text.box.x >= above[i]->box.x - 1 && (i == 1 || text.box.x < above[1]->box.x - 1))
                    first[i] += text.text;
        scrolled += first[0] == first[1];
    }
    EXPECT_GT(scrolled, 0);
}

} // namespace
} // namespace speclens
