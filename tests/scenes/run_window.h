// A window over a finished run of the micro models, whose engine only listens: what it was asked lies in
// `sent`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/session/session.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/shared/micro.h"

namespace speclens {

struct RunWindow {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    RunWindow() { settings.prompt.token_ids = {5, 6, 7, 8, 9}; }
    RunWindow(const RunWindow&) = delete;
    RunWindow& operator=(const RunWindow&) = delete;

    // Runs `settings` and opens the scene; show() follows, once all is published.
    void open(const std::string& scene, std::vector<std::string> ready_drafters, ui::Rect screen = {0, 0, 1600, 1000}) {
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>(scene, port, screen);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = std::move(ready_drafters);
    }
    void show() {
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, bench->time);
        bench->settle();
    }
    // Of the beat on screen, or of another.
    [[nodiscard]] SceneInput input(std::optional<int> beat = {}) {
        SceneInput input = bench->controller.frame(0).scene;
        input.beat = beat.value_or(input.beat);
        return input;
    }
    // The study that the scene asked for last; null if the last command was another.
    [[nodiscard]] const RunStudy* study() const { return sent.empty() ? nullptr : std::get_if<RunStudy>(&sent.back()); }
};

} // namespace speclens
