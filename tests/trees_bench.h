// A run whose rounds the Trees scene shows, and its study answered with given figures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "engine/run.h"
#include "engine/study.h"
#include "scenes/trees_model.h"
#include "scenes_bench.h"
#include "tests/micro.h"

namespace speclens {

struct Judged {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;
    explicit Judged(const std::string& drafter, const std::string& rule, ui::Rect screen = {0, 0, 1600, 1000},
                    int k = 4, double temperature = 1, bool cascade_of_blocks = false, int budget = 0,
                    int topk = 6) {
        settings.token_ids = {5, 6, 7, 8, 9};
        settings.drafter = drafter;
        settings.rule = rule;
        settings.k = k;
        settings.max_tokens = 20;
        settings.sampling.temperature = temperature;
        settings.rule_params.block = cascade_of_blocks;
        if (budget > 0) settings.options.tree_budget = budget, settings.options.tree_topk = topk;
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("trees", port, screen);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "small", "lookup", "small_tree", "domino"};
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    // Asks for the study of the scene and answers it; `tokens` in ten rounds of each run.
    void measure(const std::function<int(const RunSettings&)>& tokens = [](const RunSettings& one) {
        return one.rule == "block" ? 35 : 30;
    }) {
        sent.clear();
        bench->key(ui::Key::m);
        const auto asked =
            std::ranges::find_if(sent, [](const Command& c) { return std::holds_alternative<RunStudy>(c); });
        ASSERT_NE(asked, sent.end());
        const RunStudy& study = std::get<RunStudy>(*asked);
        Study done{study.name, static_cast<int>(study.runs.size()), {}};
        for (const RunSettings& one : study.runs) {
            StudyPoint p;
            p.settings = one;
            p.rounds = 10;
            p.tokens = tokens(one);
            p.verify_ms = one.drafter == "none" ? 1 : 1.5;
            p.draft_ms = one.drafter == "none" ? 0 : 0.5;
            p.head_ms = p.draft_ms / 2; // counted in draft_ms
            p.timed = p.rounds - 1;
            done.points.push_back(p);
        }
        published.studies[done.name] = std::make_shared<const Study>(done);
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
    [[nodiscard]] CycleView view() const { return fold(run->trace(), run->trace().size()); }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, bench->time);
        bench->settle();
    }
};

} // namespace speclens
