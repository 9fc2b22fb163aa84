#include "engine/lab/pass_bound.h"

namespace speclens {

namespace {

bool has_room(const PassTimes& times) { return times.cache_limit > 0 && times.weight_bytes + times.cache_bytes <= times.cache_limit; }

// How much quicker a read of the weights' size is than one that no cache helps; 0: not measured.
double gain_of_cache(const PassTimes& times) {
    return times.far_gbs > 0 && times.bandwidth_gbs > 0 ? times.bandwidth_gbs / times.far_gbs : 0;
}

} // namespace

bool stays_in_cache(const PassTimes& times) {
    constexpr double kClearly = 1.5;
    return has_room(times) && gain_of_cache(times) >= kClearly;
}

bool comes_from_memory(const PassTimes& times) {
    constexpr double kAlike = 1.1;
    if (!has_room(times)) return true;
    const double gain = gain_of_cache(times);
    return gain > 0 && gain < kAlike;
}

double rows_that_fill(const PassTimes& times) {
    if (!(times.product_rate > 0) || times.floor_ms() <= 0 || times.multiply_adds <= 0) return 0;
    return times.floor_ms() / (times.multiply_adds / times.product_rate / 1e6);
}

double pass_factor(const PassTimes& times, int rows) {
    const PassTime *one = times.of(1), *many = times.of(rows);
    return one && many && one->ms > 0 ? many->ms / one->ms : 0;
}

bool leaves_room(const PassTimes& times) {
    const double factor = pass_factor(times, 4);
    return factor > 0 && factor < 2 && times.in_doubt().empty();
}

int cheap_rows(const PassTimes& times) {
    int cheap = 0;
    for (const PassTime& pass : times.passes) {
        if (pass.ms >= 2 * times.passes.front().ms) break;
        cheap = pass.rows;
    }
    return cheap;
}

Bound bound_of(const PassTimes& times) {
    constexpr double kMostlyReading = 0.5;
    constexpr int kFew = 4;
    const PassTime* one = times.of(1);
    if (!one) return Bound::neither;
    if (stays_in_cache(times)) {
        const double fill = rows_that_fill(times);
        return fill > 0 && fill < kFew ? Bound::arithmetic : Bound::neither;
    }
    return comes_from_memory(times) && times.read_share(*one) >= kMostlyReading ? Bound::memory : Bound::neither;
}

} // namespace speclens
