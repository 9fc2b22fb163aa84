#include "scenes/shared/methods.h"

#include "engine/drafters/drafter_info.h"
#include "engine/run/drafter_comparison.h"
#include "scenes/shared/told.h"
#include "ui/language/language.h"

namespace speclens {

ui::Icon method_mark(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? ui::icon_called(info->icon) : ui::Icon::diamond;
}

std::string method_title(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->short_title : drafter;
}

Message no_guess_words(const ComparisonRow* answer, bool can_ask, bool asking) {
    if (answer && !answer->problem.empty()) // looked up here: it may stand in a message whose names stay
        return shared_tells("asked.problem"_t, "problem"_v = ui::language().label(answer->problem));
    if (asking) return shared_says("asked.asking"_t);
    if (!can_ask) return shared_says("asked.saved"_t);
    return answer ? shared_says("asked.nothing_left"_t) : shared_says("asked.not_asked"_t);
}

} // namespace speclens
