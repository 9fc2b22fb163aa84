// The backend on which the tests of models, drafters and distributions run: the CPU, unless the executable chose
// another before they start (cuda_emulated.cpp, cuda_device.cpp).
#pragma once

#include <functional>
#include <memory>

#include "kernels/backend.h"

namespace speclens::test {

inline std::function<std::unique_ptr<Backend>(int threads)> test_backend = [](int threads) {
    return make_cpu_backend({.threads = threads});
};

} // namespace speclens::test
