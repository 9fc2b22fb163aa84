// Two faults of real engines, put into ours on purpose, and what they do to a greedy text: a wider pass that rounds otherwise, and a
// cache that is set back one row too far. Held against plain decoding they are caught at the first token that is another one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab/fault_study.h"
#include "scenes/lossless/lossless_draw.h"
#include "scenes/shared/words.h"

namespace speclens {

// Plain decoding first, then a drafter that reads no hidden states, with the fault in the target. Empty without models.
[[nodiscard]] RunStudy fault_study(const SceneInput& input, PlantedFault fault);

struct FaultyText {
    std::string drafter, problem;   // a problem: it could not be run
    std::vector<int> plain, faulty; // new tokens of both
    int differs_at = -1;            // first place that is another one; -1: none
    // What plain decoding gave both tokens there, at temperature 1; none: not recorded.
    std::optional<double> plain_p, faulty_p;
    [[nodiscard]] int plain_token() const { return plain[static_cast<std::size_t>(differs_at)]; }
    [[nodiscard]] int faulty_token() const { return faulty[static_cast<std::size_t>(differs_at)]; }
    // The two were so close that another rounding can change their order.
    [[nodiscard]] bool near_tie() const { return plain_p && faulty_p && *plain_p < 1.1 * *faulty_p; }
};
// None: not measured.
[[nodiscard]] std::optional<FaultyText> faulty_text(const SceneInput& input, PlantedFault fault);

// The fault that a beat of the scene is about.
[[nodiscard]] PlantedFault fault_of(int beat);
[[nodiscard]] StageTitle fault_title(const SceneInput& input, PlantedFault fault);
[[nodiscard]] Words fault_words(const SceneInput& input, PlantedFault fault);
[[nodiscard]] std::string fault_description(const SceneInput& input, PlantedFault fault);
void draw_lossless_fault(const LosslessDraw& d, ui::Rect area, PlantedFault fault);

} // namespace speclens
