// Where a lecture stands, beside the sentence of a presenter: the frame writes it, and the sentence keeps clear of it.
#pragma once

#include "scenes/shared/told.h"

namespace speclens {

// "lecture 3 of 12"; "lecture 3 (away)" while its step is left. Step from 1 on.
[[nodiscard]] inline Message lecture_count(int step, int steps, bool away) {
    return shared_says("lecture.count"_t, "step"_v = step, "of"_v = steps, "away"_v = away);
}

} // namespace speclens
