// What limits the passes of a model on this machine, by measured numbers alone: reading its weights, or arithmetic.
#pragma once

#include <cstdint>

#include "engine/lab/pass_times.h"

namespace speclens {

enum class Bound : std::uint8_t {
    memory,     // what a pass reads comes from memory, and a pass over one token reads it at half the bandwidth or more
    arithmetic, // the cache holds it, and from four rows on the arithmetic takes longer than reading
    neither     // something else takes the time, or it is not known
};
[[nodiscard]] Bound bound_of(const PassTimes& times);

// Whether the cache holds what a pass reads: a read of as many bytes was 1.5 times as quick as one of four times as many, in the same
// run, and the largest cache is as large. False where that was not measured.
[[nodiscard]] bool stays_in_cache(const PassTimes& times);
// Whether it comes from memory: it is larger than every cache, or those two reads were equally quick, within a tenth. Between the two
// nothing can be told.
[[nodiscard]] bool comes_from_memory(const PassTimes& times);
// Rows from which on the arithmetic takes longer than reading, both at the best rate measured; 0: unknown.
[[nodiscard]] double rows_that_fill(const PassTimes& times);
// Time of a pass over so many rows by that of one; 0: not measured.
[[nodiscard]] double pass_factor(const PassTimes& times, int rows);
// Whether checking several tokens costs so little that drafts can pay: a pass over four costs less than two over one,
// by times that are not in doubt. False where that was not measured.
[[nodiscard]] bool leaves_room(const PassTimes& times);
// Up to here every measured pass takes less than twice a pass over one row; 0: nothing measured.
[[nodiscard]] int cheap_rows(const PassTimes& times);

} // namespace speclens
