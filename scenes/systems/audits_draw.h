// What audits of servers found of draft lengths that are chosen as one goes: published figures, against the same server with a fixed K.
#pragma once

#include <string>
#include <vector>

#include "engine/published/published.h"
#include "scenes/systems/systems_draw.h"

namespace speclens {

struct Audit {
    const PublishedFigure* figure = nullptr; // speed over a fixed K by requests at a time
    std::string name;
};
[[nodiscard]] std::vector<Audit> audits(const Published* figures); // empty: they are not at hand
// The longest of them: where it starts and where it ends.
struct AuditEnds {
    double first = 0, first_at = 0, last = 0, last_at = 0;
};
[[nodiscard]] AuditEnds ends_of(const Audit& audit);

void draw_audits(const SystemsDraw& d, ui::Rect area);
[[nodiscard]] std::string describe_audits(const Published* figures);

} // namespace speclens
