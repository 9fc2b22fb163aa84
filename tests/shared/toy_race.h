// A race of toy runs whose times are given, and a window that shows it.
#pragma once

#include <gtest/gtest.h>

#include "engine/lab/race.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/in_words.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {

struct ToyLane {
    const char* drafter;
    int k, cycles;
    double noise;
};
// Twelve tokens each, the same ones: guesses are all right or all wrong.
inline constexpr ToyLane kToyLanes[] = {{"none", 0, 12, 0}, {"eagle3", 2, 4, 0}, {"dflash", 3, 12, 1}, {"domino", 5, 2, 0}};

inline Sample toy_sample(const ToyLane& lane, int tokens, double draft_ms) {
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

inline std::shared_ptr<RaceView> toy_race(bool averages = true, const std::string& tier = "") {
    auto race = std::make_shared<RaceView>();
    race->settings.base.prompt.text = " the cat sat on the";
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
                                        .top = 0,
                                        .tier = tier});
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

// A run of EAGLE-3 that writes something else than the lanes do.
inline std::shared_ptr<const Trace> another_text() {
    return fixtures::toy_run(
        {.name = "x", .rule = "token", .drafter = "eagle3", .k = 2, .cycles = 4, .temperature = 2, .noise = 0.9, .top = 0});
}

struct RaceBench {
    std::vector<Command> sent;
    Work work; // beside the run
    SceneBench bench;
    explicit RaceBench(ui::Rect screen = {0, 0, 1600, 1000})
        : bench("race",
                {.send = [this](Command c) { sent.push_back(std::move(c)); }, .set_budget = {}, .add_budget = {}, .cancel_loading = {}},
                screen) {
        bench.controller.figures =
            std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    }
    void observe(std::shared_ptr<const RaceView> race) {
        Snapshot s;
        s.race = std::move(race);
        s.status.state = EngineStatus::State::idle;
        s.status.work = work;
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

// What the scene says of it, told beside the drawing calls.
inline std::vector<ui::ToldMessage> race_told(const SceneInput& input) { return find_scene("race")->make()->told(input); }

inline SceneInput input_at(const RaceView& race, double ms) {
    SceneInput in;
    in.race = &race;
    in.race_ms = ms;
    return in;
}

} // namespace speclens
