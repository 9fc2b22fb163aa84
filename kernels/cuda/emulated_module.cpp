// The CUDA module of the program with the emulated device in it: SPECLENS_CUDA_MODULE names it in the tests
// that start the program with --backend cuda. EMULATED_MEMORY: bytes of the device.
#include "kernels/cuda/module.cu"

namespace {

[[maybe_unused]] const bool kDeviceChosen = [] {
    if (const char* bytes = std::getenv("EMULATED_MEMORY")) simt::device.memory = std::strtoull(bytes, nullptr, 10);
    if (const char* launches = std::getenv("EMULATED_FAULT")) simt::device.fault_after = std::atoi(launches);
    return true;
}();

} // namespace
