// Windows over runs of which the accept-rule scene shows the distributions: toy runs that were saved, and micro models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "scenes/accept/accept_draw.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {

// A window over the same toy run, with so many entries recorded of each distribution.
struct Saved {
    SceneBench bench{"accept-rule"};

    explicit Saved(int top) {
        const std::shared_ptr<const Trace> trace = fixtures::toy_run({.name = "saved", .cycles = 12, .top = top});
        bench.show(trace, trace->size());
    }
    void look_at(const Position& position, int beat) { // the cursor follows
        bench.controller.perform({SceneCommand{Select{position}}, SceneCommand{SetBeat{beat}}}, bench.time);
        bench.settle();
    }
    [[nodiscard]] bool reads(const std::string& text) const { // exactly so, somewhere
        return std::ranges::any_of(bench.texts, [&](const ui::RecordedText& shown) { return shown.text == text; });
    }
    [[nodiscard]] SceneInput at(const Position& position, int beat = 0) {
        SceneInput input = bench.controller.frame(0).scene;
        input.selected = position;
        input.beat = beat;
        return input;
    }
    [[nodiscard]] std::vector<Position> positions() { return judged_positions(*bench.controller.frame(0).scene.view); }
    [[nodiscard]] AcceptView view(const Position& position) { return accept_view(at(position), {}, -1); }
    [[nodiscard]] std::string told(const Position& position, int beat) {
        return accept_description(at(position, beat), view(position), {});
    }
};

// A finished run of a micro model in a window whose engine only listens.
struct Judged : RunWindow {
    // `cut`: the draft ranks so many of the ids, 0: as many as it can.
    Judged(const std::string& drafter, const std::string& rule, double temperature, std::uint64_t seed = 7, int cut = 0) {
        settings.options.fr_spec = cut;
        settings.drafter = drafter;
        settings.rule = rule;
        settings.k = drafter == "none" ? 0 : 4;
        settings.max_tokens = 24;
        settings.sampling.temperature = temperature;
        settings.trace_top = 64;
        settings.seed = seed;
        open("accept-rule", {"none", "small", "lookup"});
        show();
        sent.clear();
    }
};

inline bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

} // namespace speclens
