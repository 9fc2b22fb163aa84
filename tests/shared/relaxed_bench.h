// A window over a run whose distributions were recorded, for the relaxed rules.
#pragma once

#include <string>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "tests/scenes/run_window.h"

namespace speclens {

// A window over a finished run of a micro model whose engine only listens.
struct Sampled : RunWindow {
    explicit Sampled(double temperature = 1, int trace_top = 64, const std::string& drafter = "small") {
        settings.drafter = drafter;
        settings.rule = judging_rule("token", drafter);
        settings.k = 4;
        settings.max_tokens = 24;
        settings.sampling.temperature = temperature;
        settings.trace_top = trace_top;
        open("relaxed", {"none", "small", "lookup", "small_tree"});
        published.status.plain_ms_per_token = 1; // quick, whatever else the machine does: it decides how many seeds are measured
        show();
        sent.clear();
    }
};

} // namespace speclens
