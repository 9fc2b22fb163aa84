#include "engine/run/run_settings.h"

namespace speclens {

const RunSettings& settings_at(int round, const std::vector<EarlierSettings>& earlier, const RunSettings& now) {
    for (const EarlierSettings& old : earlier)
        if (round < old.until) return old.settings;
    return now;
}

} // namespace speclens
