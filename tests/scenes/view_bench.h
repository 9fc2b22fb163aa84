// A window that remembers what it asked the engine, and a lecture of three steps.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenes/scenes_bench.h"

namespace speclens {

struct ViewBench {
    std::vector<Command> sent;
    std::vector<std::string> fetched; // models
    bool work_first = false;          // as the window said last
    SceneBench bench;

    explicit ViewBench(const std::string& scene)
        : bench(scene, {.send = [this](Command c) { sent.push_back(std::move(c)); },
                        .set_budget = [](std::int64_t) {},
                        .add_budget = [](std::int64_t) {},
                        .cancel_loading = [] {},
                        .put_work_first = [this](bool first) { work_first = first; },
                        .fetch = [this](const std::string& name) { fetched.push_back(name); }}) {}

    void observe(std::shared_ptr<const Trace> trace, const RunSettings& settings) {
        Snapshot p;
        p.trace = std::move(trace);
        p.settings = settings;
        p.status.state = EngineStatus::State::idle;
        p.status.ready_drafters = {"none", "small", "lookup", "domino"};
        bench.controller.observe(p, bench.time);
        bench.settle();
    }
    template <class T>
    [[nodiscard]] std::vector<T> all() const {
        std::vector<T> found;
        for (const Command& command : sent)
            if (const T* one = std::get_if<T>(&command)) found.push_back(*one);
        return found;
    }
    [[nodiscard]] FrameInput now() { return bench.controller.frame(bench.time); }
};

inline RunSettings other_dice(RunSettings settings = {}) {
    settings.seed = 99;
    return settings;
}

inline LectureView three_steps() {
    LectureView lecture;
    lecture.title = "A lecture";
    lecture.steps = {{"First", "Say this.", 2, {.scene = "loop", .place = {.at = 4}}},
                     {"Second", "", 3, {.scene = "bottleneck", .place = {.beat = 3}}},
                     {"Third", "Say that.\n", 0, {.scene = "loop", .place = {.at = 7}, .settings = other_dice()}}};
    return lecture;
}

} // namespace speclens
