#include "scenes/shared/methods.h"

#include "engine/drafters/drafter_info.h"
#include "engine/run/drafter_comparison.h"
#include "scenes/shared/told.h"

namespace speclens {

ui::Icon method_mark(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? ui::icon_called(info->icon) : ui::Icon::diamond;
}

Message method_title(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? message(info->short_title) : Message(drafter);
}

Message no_guess_words(const ComparisonRow* answer, bool can_ask, bool asking) {
    if (answer && !answer->problem.empty()) return shared_says("asked.problem"_t, "problem"_v = answer->problem);
    if (asking) return shared_says("asked.asking"_t);
    if (!can_ask) return shared_says("asked.saved"_t);
    return answer ? shared_says("asked.nothing_left"_t) : shared_says("asked.not_asked"_t);
}

} // namespace speclens
