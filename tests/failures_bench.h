// A window over a finished run and the passes of a machine, for the map of failures and its game.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/pass_times.h"
#include "engine/run.h"
#include "scenes_bench.h"
#include "tests/micro.h"

namespace speclens {

// Flat up to 8 rows, then a millisecond for every 8 more.
inline PassTimes bend() {
    PassTimes times;
    times.repeats = 3;
    for (const int rows : {1, 2, 4, 8, 16, 32, 64})
        times.passes.push_back({rows, rows <= 8 ? 1.0 : rows / 8.0, 1, 1});
    return times;
}

struct Loaded {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;
    explicit Loaded(bool measured, ui::Rect screen = {0, 0, 1600, 1000}) {
        settings.token_ids = {5, 6, 7, 8, 9};
        settings.max_tokens = 30;
        settings.sampling.temperature = 1;
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("failures", port, screen);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "small", "lookup"};
        if (measured) published.passes = std::make_shared<const PassTimes>(bend());
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
};

} // namespace speclens
