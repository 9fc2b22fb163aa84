// Chooses the emulated device for the tests of this executable: without and with the tensor-core kernels, the
// lanes of a block in two orders.
#include "kernels/cuda/cuda_backend.h"
#include "kernels/simt/simt.h"
#include "tests/kernels/support.h"
#include "tests/shared/test_backend.h"

namespace speclens::test {
namespace {

std::unique_ptr<Backend> emulated(bool tensor_cores, simt::Order order) {
    simt::order = order;
    std::string why;
    return cuda::make_cuda_backend({.graphs = true, .tensor_cores = tensor_cores}, why);
}

const bool kChosen = [] {
    backend_makers = [] {
        return std::vector<Maker>{{"plain kernels, lanes shuffled", [] { return emulated(false, simt::Order::shuffled); }},
                                  {"tensor-core kernels, lanes descending", [] { return emulated(true, simt::Order::descending); }}};
    };
    test_backend = [](int) { return emulated(true, simt::Order::ascending); };
    return true;
}();

} // namespace
} // namespace speclens::test
