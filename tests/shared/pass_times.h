// Times of passes that nobody measured.
#pragma once

#include <algorithm>
#include <string>

#include "engine/lab/pass_times.h"

namespace speclens::test {

// A million weights of two bytes. A pass over N tokens takes 2 ms, from N = 8 on 0.3 ms a token; reading alone takes
// 1 ms, the arithmetic of a token 0.02 ms at best.
inline PassTimes made_passes() {
    PassTimes times;
    times.model = "bundle S";
    times.context = 64;
    times.repeats = 20;
    times.weight_bytes = 2e6;
    times.read_bytes = times.weight_bytes;
    times.multiply_adds = 1e6;
    times.bandwidth_gbs = 2;
    times.product_rate = 50;
    for (const int rows : {1, 2, 4, 8, 16, 32, 64}) {
        const double ms = std::max(2.0, rows * 0.3);
        times.passes.push_back({{ms, ms * 1.1, 20}, rows});
    }
    return times;
}

// A model that stays in the cache: every token costs nearly its share.
inline PassTimes passes_in_cache() {
    PassTimes times = made_passes();
    times.cache_limit = 32e6;
    times.bandwidth_gbs = 40;
    times.far_gbs = 12; // of a read that no cache holds
    for (PassTime& pass : times.passes) pass.ms = 0.1 + 0.3 * pass.rows, pass.median = pass.ms;
    return times;
}

// Random weights of a shape that no cache holds: eight tokens as cheap as one.
inline PassTimes passes_of_a_shape() {
    PassTimes times = made_passes();
    times.model = "smollm2-135m";
    times.random_weights = true;
    times.weight_bytes = 269e6;
    times.read_bytes = times.weight_bytes;
    times.multiply_adds = 134.5e6;
    times.product_rate = 100;
    times.bandwidth_gbs = 15;
    times.cache_limit = 32e6;
    for (PassTime& pass : times.passes) pass.ms = std::max(20.0, 2.5 * pass.rows), pass.median = pass.ms;
    return times;
}

// The same shape in so many bytes of 269 MB: one token is quicker, eight are not, and a little dearer than in bf16.
inline PassTimes passes_in_form(DType form, double share) {
    PassTimes times = passes_of_a_shape();
    times.form = form;
    times.weight_bytes = 269e6 * share;
    times.read_bytes = times.weight_bytes;
    for (PassTime& pass : times.passes)
        pass.ms = std::max(20.0 * (share + 0.1) + 0.25 * (pass.rows - 1), 2.75 * pass.rows), pass.median = pass.ms;
    return times;
}

} // namespace speclens::test
