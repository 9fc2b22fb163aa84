// Runs of the micro Domino head and a frame of them.
#pragma once

#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/scenes/scenes_bench.h"

namespace speclens {

inline RunSettings domino_settings(double temperature) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = "domino";
    settings.k = 5;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 40;
    settings.internals = true;
    return settings;
}

struct DominoFrame {
    std::shared_ptr<const Trace> trace;
    RunView view, whole;
    RunSettings settings;
    EngineStatus status;
    SceneInput input;

    DominoFrame(std::shared_ptr<const Trace> shown, RunSettings of, std::size_t cursor)
        : trace(std::move(shown)), view(fold(*trace, cursor)), whole(fold(*trace, trace->size())), settings(std::move(of)) {
        status.ready_drafters = {"none", "domino"};
        input.trace = trace.get();
        input.view = &view;
        input.whole = &whole;
        input.settings = &settings;
        input.status = &status;
    }
};

inline std::shared_ptr<const Trace> recorded() {
    return load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl");
}

} // namespace speclens
