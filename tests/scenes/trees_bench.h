// A run whose rounds the Trees scene shows, and its study answered with given figures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "engine/lab/study.h"
#include "engine/run/run.h"
#include "scenes/trees/trees_model.h"
#include "tests/scenes/run_window.h"
#include "tests/shared/heads_bench.h"

namespace speclens {

struct JudgedTrees : RunWindow {
    explicit JudgedTrees(const std::string& drafter, const std::string& rule, ui::Rect screen = {0, 0, 1600, 1000}, int k = 4,
                         double temperature = 1, bool cascade_of_blocks = false, int budget = 0, int topk = 6) {
        settings.drafter = drafter;
        settings.rule = rule;
        settings.k = k;
        settings.max_tokens = 20;
        settings.sampling.temperature = temperature;
        settings.rule_params.block = cascade_of_blocks;
        if (budget > 0) settings.options.tree_budget = budget, settings.options.tree_topk = topk;
        open("trees", {"none", "small", "lookup", "small_tree", "domino"}, screen);
        published.status.plain_ms_per_token = 1; // quick, whatever else the machine does: it decides how many seeds are measured
        show();
        sent.clear();
    }
    // Asks for the study of the scene and answers it; `tokens` in ten rounds of each run.
    void measure(const std::function<int(const RunSettings&)>& tokens = [](const RunSettings& one) {
        return one.rule == "block" ? 35 : 30;
    }) {
        sent.clear();
        bench->key(ui::Key::m);
        const auto asked = std::ranges::find_if(sent, [](const Command& c) { return std::holds_alternative<RunStudy>(c); });
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
        show();
    }
    [[nodiscard]] ToldFrame told() { return told_of(*bench); }
    [[nodiscard]] Said said(const std::string& id) { return test::only_said(told(), "trees." + id); }
    [[nodiscard]] bool says(const std::string& id) { return speclens::says(told(), "trees." + id); }
    [[nodiscard]] RunView view() const { return fold(run->trace(), run->trace().size()); }
};

} // namespace speclens
