// A measured batch as lanes: one row for every text, one column for every round. A cell holds the rows that the text brought
// to the pass: its pending token, drafts that were kept, drafts that were refused and so computed for nothing.
#pragma once

#include <vector>

#include "engine/batch/sweep.h"
#include "scenes/failures/failures_model.h"

namespace speclens {

struct BatchLanes {
    struct Round {
        std::vector<const BatchLane*> seats; // null: nobody sat there
        int rows = 0;
        double ms = 0;
    };
    std::vector<Round> rounds; // as many as were kept of the cell
    int seats = 0;
    int rows = 0, refused = 0, prompt = 0; // of all of them
};
// A text keeps its seat; who joins takes one that was left.
[[nodiscard]] BatchLanes batch_lanes(const SweepCell& cell);

void draw_batch_lanes(const FailuresDraw& d, const SweepCell& cell, ui::Rect area);

} // namespace speclens
