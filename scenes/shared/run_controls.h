// The controls of a live run: prompt, drafter, rule, K, temperature, seed, step. A change restarts the run.
#pragma once

#include <vector>

#include "scenes/shared/scene.h"

namespace speclens {

void draw_run_controls(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out);

// The same changes for keys and palette. They stay compatible: greedy needs T = 0, a drafter of trees a rule that
// judges trees, which a drafter of chains after it does not keep. Another drafter starts with its default options.
[[nodiscard]] RunSettings with_drafter(RunSettings settings, const std::string& drafter);
[[nodiscard]] RunSettings with_draft_length(RunSettings settings, int k);
[[nodiscard]] RunSettings with_temperature(RunSettings settings, double temperature);
// Drafts of argmax under a target that is sampled, as most servers make them; or drawn again, with the target's settings.
[[nodiscard]] RunSettings with_likeliest_drafts(RunSettings settings, bool likeliest);
[[nodiscard]] bool likeliest_drafts(const RunSettings& settings);
[[nodiscard]] RunSettings with_rule(RunSettings settings, const std::string& rule);

} // namespace speclens
