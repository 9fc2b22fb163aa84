// One block of DFlash as the picture shows it. A pure function of the trace and of the run's settings.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/example.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/told.h"

namespace speclens {

inline constexpr StoryOf<"dflash", "masks", "states", "sight", "twice", "times", "conditioning", "long"> dflash_says;

struct DFlashModel : HeadModel {
    int text = 0;  // positions of the text before the anchor
    int seen = 0;  // of them, those whose states the block is given
    int slots = 0; // rows of the block: the anchor's and the masks'
    bool conditioned = true;
    double draft_ms = 0;
    std::vector<const Internals::Strip*> taps;
    [[nodiscard]] int guesses() const { return round ? static_cast<int>(round->drafts.size()) : 0; }
    [[nodiscard]] const DraftSlot& slot(int i) const { return round->drafts[static_cast<std::size_t>(i)]; }
    // The position that the target refused after keeping those before; -1: none.
    [[nodiscard]] int refused() const;
};
// Below this a favourite leaves its place open: one draft in five is another token.
inline constexpr double kOpenPlace = 0.8;
// Whether the block left open what stands right before guess `index`.
[[nodiscard]] bool open_before(const RoundSummary& round, int index);
// A guess that the target refused after keeping those before it, where the block had left open what stands right
// before: what this guess could not know was a matter of chance.
[[nodiscard]] const Criterion& blind_refusal();
[[nodiscard]] DFlashModel dflash_model(const SceneInput& input);
inline constexpr const char* kConditioning = "conditioning"; // a study
[[nodiscard]] RunStudy conditioning_study(const SceneInput& input);
[[nodiscard]] std::vector<AcceptanceSeries> conditioning_series(const SceneInput& input);

} // namespace speclens
