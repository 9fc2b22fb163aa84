#include "scenes/eagle3/eagle3_model.h"

#include <algorithm>

#include "scenes/shared/cycle_pick.h"

namespace speclens {

double Eagle3Model::error(int i) const {
    const Internals::Strip* errors_here = round && round->commit ? round->commit->internals.strip("feature error") : nullptr;
    if (!errors_here || i < 0 || i >= static_cast<int>(errors_here->cells.size())) return -1;
    return errors_here->cells[static_cast<std::size_t>(i)];
}

double Eagle3Model::highest_error() const {
    double high = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) high = std::max({high, errors[i], error(static_cast<int>(i))});
    return high;
}

Eagle3Model eagle3_model(const SceneInput& input) {
    Eagle3Model model;
    if (!find_round(model, input, "eagle3")) return model;
    for (const RoundSummary& round : input.whole->round_list) {
        const Internals::Strip* errors = round.commit ? round.commit->internals.strip("feature error") : nullptr;
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

bool errors_add_up(const SceneInput& input, const Eagle3Model& m) {
    constexpr int kEnough = 10;
    const AcceptanceSeries all = acceptance_of(*input.whole);
    std::size_t last = std::min(m.errors.size(), all.judged.size());
    while (last > 0 && (m.known[last - 1] < kEnough || all.judged[last - 1] < kEnough)) --last;
    if (last < 2) return false;
    return m.errors[last - 1] > 1.1 * m.errors.front() && *all.share(last - 1) < *all.share(0) - 0.05;
}

std::optional<TrainedSteps> trained_steps(const SceneInput& input) {
    constexpr int kServed = 7;
    const AblationStudy* study = input.ablations ? input.ablations->find("test_steps") : nullptr;
    if (!study) return {};
    const auto served = [&](const char* name) -> const ServedResult* {
        for (const Arm& arm : study->arms)
            if (arm.name == name && !arm.runs.empty()) return arm.runs.front().result(kServed, false, 0);
        return nullptr;
    };
    const TrainedSteps found{served("steps_1"), served("steps_7")};
    if (!found.one || !found.many || found.one->conditional.size() < 2 || found.many->conditional.size() < 2) return {};
    return found;
}

} // namespace speclens
