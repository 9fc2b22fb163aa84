#include "engine/run/run_settings.h"

namespace speclens {

RunSettings RunSettings::with_fixed_k() const {
    RunSettings fixed = *this;
    fixed.k_auto = false;
    fixed.k_rounds.clear();
    fixed.k_costs.reset();
    return fixed;
}

const RunSettings& settings_at(int round, const std::vector<EarlierSettings>& earlier, const RunSettings& now) {
    for (const EarlierSettings& old : earlier)
        if (round < old.until) return old.settings;
    return now;
}

} // namespace speclens
