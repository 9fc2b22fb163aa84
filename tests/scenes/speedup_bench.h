// A window over a finished run whose draft lengths the speed-up scene studies; the study is answered with given
// figures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "engine/published/published.h"
#include "engine/run/run.h"
#include "scenes/speedup/speedup_draw.h"
#include "tests/scenes/run_window.h"

namespace speclens {

inline std::shared_ptr<const Published> figures() {
    return std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
}

// A window over a finished run of a micro model whose engine only listens.
struct Measured : RunWindow {
    explicit Measured(const std::string& drafter = "small") {
        settings.drafter = drafter;
        settings.rule = judging_rule("token", drafter);
        settings.k = 4;
        settings.max_tokens = 40;
        open("speedup", {"none", "small", "lookup", "eagle3", "domino"});
        bench->controller.figures = figures();
        show();
        beat(kSpeedupBestBeat);
        sent.clear();
    }
    // One pass takes 1 ms, drafting `once` ms and `guess` ms for each, a further row 0.05 ms, and guess i
    // stays in kept[i] of 10 rounds.
    void answer(std::vector<int> kept, std::size_t points = 1000, double guess = 0.1, double once = 0, int tens = 1) {
        Study done{study()->name, static_cast<int>(study()->runs.size()), {}};
        for (const RunSettings& one : study()->runs) {
            if (done.points.size() == points) break;
            StudyPoint p;
            p.settings = one;
            p.rounds = 10 * tens;
            p.verify_ms = 1 + 0.05 * one.k;
            p.draft_ms = one.k > 0 ? once + guess * one.k : 0;
            int reached = 10, tokens = 10;
            for (int i = 0; i < one.k && i < static_cast<int>(kept.size()); ++i) {
                p.judged.push_back(reached * tens);
                reached = std::min(reached, kept[static_cast<std::size_t>(i)]);
                p.kept.push_back(reached * tens);
                tokens += reached;
            }
            p.tokens = tokens * tens;
            done.points.push_back(p);
        }
        published.studies[done.name] = std::make_shared<const Study>(done);
        show();
    }
};

} // namespace speclens
