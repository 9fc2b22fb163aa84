#include "scenes/eagle3/eagle3_model.h"

#include <algorithm>

#include "scenes/shared/cycle_pick.h"

namespace speclens {

double Eagle3Model::error(int i) const {
    const Lens::Strip* errors_here =
        cycle && cycle->commit ? cycle->commit->lens.strip("feature error") : nullptr;
    if (!errors_here || i < 0 || i >= static_cast<int>(errors_here->cells.size())) return -1;
    return errors_here->cells[static_cast<std::size_t>(i)];
}

double Eagle3Model::highest_error() const {
    double high = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
        high = std::max({high, errors[i], error(static_cast<int>(i))});
    return high;
}

Eagle3Model eagle3_model(const SceneInput& input) {
    Eagle3Model model;
    if (!find_cycle(model, input, "eagle3")) return model;
    model.draft_ms = model.cycle->draft_ms;
    for (int i = 1; i < model.steps(); ++i) model.further_ms += model.slot(i).ms / (model.steps() - 1);
    const Lens& first = model.slot(0).draft->lens;
    model.lens = !first.empty();
    for (const Lens::Strip& strip : first.strips)
        if (strip.name.starts_with("tap ")) model.taps.push_back(&strip);
    for (const CycleSummary& cycle : input.whole->cycles) {
        const Lens::Strip* errors = cycle.commit ? cycle.commit->lens.strip("feature error") : nullptr;
        if (!errors) continue;
        if (model.errors.size() < errors->cells.size()) {
            model.errors.resize(errors->cells.size());
            model.known.resize(errors->cells.size());
        }
        for (std::size_t i = 0; i < errors->cells.size(); ++i) {
            model.errors[i] += errors->cells[i];
            ++model.known[i];
        }
    }
    for (std::size_t i = 0; i < model.errors.size(); ++i) model.errors[i] /= model.known[i];
    choose_guess(model, input, input.beat <= kEagle3FirstStepBeat ? 0 : 1);
    return model;
}

} // namespace speclens
