#include "scenes/eagle3_model.h"

#include <algorithm>

#include "scenes/cycle_pick.h"

namespace speclens {

double Eagle3Model::error(int i) const {
    const Lens::Strip* errors_here =
        cycle && cycle->commit ? cycle->commit->lens.strip("feature error") : nullptr;
    if (!errors_here || i < 0 || i >= static_cast<int>(errors_here->cells.size())) return -1;
    return errors_here->cells[static_cast<std::size_t>(i)];
}

Eagle3Model eagle3_model(const SceneInput& input) {
    Eagle3Model model;
    model.header = input.whole->header;
    if (!model.header) {
        model.empty = Eagle3Model::Empty::no_run;
        return model;
    }
    if (model.header->drafter != "eagle3") {
        model.empty = Eagle3Model::Empty::other_drafter;
        return model;
    }
    model.cycle = shown_cycle(input);
    if (!model.cycle || model.cycle->drafts.empty()) {
        model.empty = Eagle3Model::Empty::no_cycle;
        return model;
    }
    model.greedy = model.header->sampling.temperature == 0;
    model.anchor = anchor_of(*input.whole, *model.cycle);
    model.draft_ms = model.cycle->draft_ms;
    model.verify_ms = model.cycle->verify_ms;
    for (int i = 1; i < model.steps(); ++i) model.further_ms += model.slot(i).draft->ms / (model.steps() - 1);
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
    const int last = model.steps() - 1;
    model.selected = std::min(1, last);
    if (input.selected && input.selected->cycle == model.cycle->cycle)
        model.selected = std::clamp(input.selected->index, 0, last);
    return model;
}

} // namespace speclens
