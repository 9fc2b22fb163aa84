// Windows over runs of which the accept-rule scene shows the distributions: toy runs that were saved, and micro models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/run/full_distributions.h"
#include "engine/run/run.h"
#include "scenes/accept/accept_draw.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/said_values.h"
#include "tests/shared/told_said.h"

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
    [[nodiscard]] std::vector<ui::ToldMessage> told(const Position& position, int beat) {
        return find_scene("accept-rule")->make()->told(at(position, beat));
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

// The window of a finished run, with the whole distributions of a place.
inline SceneInput with_distributions(Judged& live, const Position& position) {
    SceneInput input = live.input(kReachBeat);
    input.view = input.whole;
    input.selected = position;
    input.distributions = std::make_shared<const DistributionPair>(
        full_distributions(live.models, live.settings, live.run->trace(), position.round, position.index));
    return input;
}

// Whether such a message is among them: "gauge.told".
inline bool tells(const std::vector<ui::ToldMessage>& told, const std::string& id) {
    return !test::all_said(told, "accept-rule." + id).empty();
}
inline bool is(const Message& message, const std::string& id) { return message.said.id() == "accept-rule." + id; }

} // namespace speclens
