// Chooses the GPU of this machine for the tests of this executable, with and without the tensor-core kernels
// and graphs. Without a GPU every test is skipped, with the reason.
#include <cstdlib>

#include "kernels/cuda_module.h"
#include "tests/kernels/support.h"
#include "tests/shared/test_backend.h"

namespace speclens::test {
namespace {

std::unique_ptr<Backend> on_device(const char* plain, const char* graphs) {
    setenv("SPECLENS_CUDA_PLAIN", plain, 1);
    setenv("SPECLENS_CUDA_GRAPHS", graphs, 1);
    return make_backend("cuda");
}

class Device : public ::testing::Environment {
    void SetUp() override {
        std::string why;
        if (load_cuda_backend(why) == nullptr) GTEST_SKIP() << "no GPU to test on: " << why;
    }
};

const bool kChosen = [] {
    backend_makers = [] {
        return std::vector<Maker>{{"plain kernels", [] { return on_device("1", "0"); }},
                                  {"tensor-core kernels and graphs", [] { return on_device("0", "1"); }}};
    };
    test_backend = [](int) { return on_device("0", "1"); };
    ::testing::AddGlobalTestEnvironment(new Device);
    return true;
}();

} // namespace
} // namespace speclens::test
