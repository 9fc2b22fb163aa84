// A scene on the bench with an engine that only listens.
#pragma once

#include "engine/run/full_distributions.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {

struct LiveBench {
    std::vector<Command> sent;
    std::vector<std::int64_t> budgets;
    int cancelled = 0;
    std::uint64_t runs = 1; // begun, the first one by itself
    SceneBench bench;

    explicit LiveBench(const std::string& scene)
        : bench(scene, {.send =
                            [this](Command c) {
                                runs += std::holds_alternative<Restart>(c) || std::holds_alternative<Fork>(c);
                                sent.push_back(std::move(c));
                            },
                        .set_budget = [this](std::int64_t n) { budgets.push_back(n); },
                        .add_budget = [this](std::int64_t n) { budgets.push_back(n); },
                        .cancel_loading = [this] { ++cancelled; }}) {}

    void observe(std::shared_ptr<const Trace> trace, std::shared_ptr<const DistributionPair> distributions = nullptr) {
        Snapshot p;
        p.trace = std::move(trace);
        p.distributions = std::move(distributions);
        p.settings.k = 4;
        p.settings.sampling.temperature = 1;
        p.settings.internals = true; // as every run of a window
        observe(std::move(p));
    }
    void observe(Snapshot p) {
        p.status.state = EngineStatus::State::idle;
        p.status.ready_drafters = {"none", "small", "small_tree", "lookup"};
        p.status.plain_ms_per_token = 8;
        p.runs = runs;
        bench.controller.observe(p, bench.time);
        bench.settle();
    }
    void perform(SceneCommand command) {
        bench.controller.perform({std::move(command)}, bench.time);
        bench.settle();
    }
    void type(const std::string& words) {
        ui::Input input;
        input.typed = words;
        bench.frame(input);
        bench.settle();
    }
    template <class T>
    [[nodiscard]] const T* last() const {
        return sent.empty() ? nullptr : std::get_if<T>(&sent.back());
    }
};

} // namespace speclens
