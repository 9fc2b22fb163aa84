// Two distributions side by side in the details region: one row per token, target bar over draft bar, both numbers.
#pragma once

#include <string>

#include "scenes/shared/scene_input.h"
#include "scenes/shared/words.h"

namespace speclens {

struct DistributionsPanel {
    std::string heading;           // "Position 3, both models"
    TopEntries target, draft;      // either may be empty
    int marked = -1;               // token whose row is raised
    std::string empty;             // what to say when nothing was recorded
    std::string note;              // last line: "bars at T = 1"
    std::optional<double> overlap; // exact value, where the full distributions are known
};
void draw_distributions_panel(const SceneInput& input, ui::Ui& ui, const DistributionsPanel& panel);

} // namespace speclens
