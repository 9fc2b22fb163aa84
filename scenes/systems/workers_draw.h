// Draft workers on a target elsewhere: a lane each, with what it drafted, when it waited, what went over the line and what was drafted for
// nothing; below them how many passes the target had at once.
#pragma once

#include <vector>

#include "engine/batch/worker_pool.h"
#include "scenes/systems/systems_draw.h"

namespace speclens {

// Which part of the pool's time is shown: all of it, or its last rounds where these would be too narrow.
struct PoolSpan {
    double from = 0, to = 0; // ms
};
[[nodiscard]] PoolSpan pool_span(const PoolFilm& film, float width); // pixels

// From there on so many passes were under way.
struct PoolStep {
    double ms = 0;
    int passes = 0;
};
[[nodiscard]] std::vector<PoolStep> passes_at_once(const PoolFilm& film); // by time; the last one ends at film.ms
[[nodiscard]] Message worker_words(const PoolWorker& worker);             // "12 rounds, 7 of 24 kept, 1200 B; 6 of 20 ahead wasted"

void draw_workers(const SystemsDraw& d, ui::Rect area);
void tell_workers(const SystemsDraw& d);

} // namespace speclens
