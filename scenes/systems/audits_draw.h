// What audits of servers found of draft lengths that are chosen as one goes: published figures, against the same server with a fixed K.
#pragma once

#include <vector>

#include "engine/published/published.h"
#include "scenes/systems/systems_draw.h"

namespace speclens {

struct Audit {
    const PublishedFigure* figure = nullptr; // speed over a fixed K by requests at a time
    Message name;
};
[[nodiscard]] std::vector<Audit> audits(const Published* figures); // empty: they are not at hand
// The longest of them: where it starts and where it ends.
struct AuditEnds {
    double first = 0, first_at = 0, last = 0, last_at = 0;
};
[[nodiscard]] AuditEnds ends_of(const Audit& audit);

void draw_audits(const SystemsDraw& d, ui::Rect area); // and tells them

} // namespace speclens
