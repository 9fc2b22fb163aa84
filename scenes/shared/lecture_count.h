// Where a lecture stands, beside the sentence of a presenter: the frame writes it, and the sentence keeps clear of it.
#pragma once

#include <string>

namespace speclens {

// "lecture 3 of 12"; "lecture 3 (away)" while its step is left. Step from 1 on.
[[nodiscard]] inline std::string lecture_count(int step, int steps, bool away) {
    return "lecture " + std::to_string(step) + (away ? " (away)" : " of " + std::to_string(steps));
}

} // namespace speclens
