// A window over a finished run and the passes of a machine, for the map of failures and its game.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/lab/pass_times.h"
#include "engine/run/run.h"
#include "scenes/failures/failures_model.h"
#include "tests/shared/heads_bench.h"
#include "tests/shared/speaking.h"

namespace speclens {

// Flat up to 8 rows, then a millisecond for every 8 more.
inline PassTimes bend() {
    PassTimes times;
    times.repeats = 3;
    for (const int rows : {1, 2, 4, 8, 16, 32, 64}) {
        const double ms = rows <= 8 ? 1.0 : rows / 8.0;
        times.passes.push_back({{ms, ms, 3}, rows});
    }
    return times;
}

inline StageTitle map_title(const FailuresModel& model) {
    SceneInput input;
    input.beat = kMapBeat;
    return failures_title(input, model);
}

struct Loaded : RunWindow {
    explicit Loaded(bool measured, ui::Rect screen = {0, 0, 1600, 1000}) {
        settings.max_tokens = 30;
        settings.sampling.temperature = 1;
        open("failures", {"none", "small", "lookup"}, screen);
        if (measured) published.passes = std::make_shared<const PassTimes>(bend());
        show();
        beat(kMapBeat);
        sent.clear();
    }
};

} // namespace speclens
