// The roofline of this machine (Williams, Waterman, Patterson, CACM 52(4), 2009): what a pass may do at most, by how much it computes for
// each byte of weights that it reads. Left of the knee memory decides, right of it arithmetic. Drafts and requests move a pass to the
// right.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "scenes/failures/failures_model.h"

namespace speclens {

struct RooflinePoint {
    double rows = 0;      // of the pass
    double intensity = 0; // multiply-adds per byte of weights
    double rate = 0;      // 1e9 multiply-adds a second that it did
};
struct Roofline {
    double bandwidth = 0, peak = 0;             // 1e9 bytes, 1e9 multiply-adds a second; measured
    std::vector<RooflinePoint> passes;          // of one text, by width
    std::optional<RooflinePoint> plain, marked; // the marked cell's requests without guesses, and with them
    bool measured = false; // the two are of a batch that was decoded here; else of the timed passes, at the cell's rows
    [[nodiscard]] double knee() const { return peak / bandwidth; } // multiply-adds per byte
    [[nodiscard]] bool bound_by_memory(const RooflinePoint& at) const { return at.intensity < knee(); }
    [[nodiscard]] double roof(double intensity) const { return std::min(peak, bandwidth * intensity); }
};
// Empty where no passes were timed, or one of the two roofs is not known.
[[nodiscard]] std::optional<Roofline> roofline(const SceneInput& input, const FailuresModel& model);

void draw_roofline(const FailuresDraw& d, const Roofline& roofline, ui::Rect area);

} // namespace speclens
