// The one symbol of the module: see kernels/cuda_module.h.
#include "kernels/cuda_module.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/error.h"

namespace {

bool set_to(const char* variable, const char* value) {
    const char* found = std::getenv(variable);
    return found != nullptr && std::strcmp(found, value) == 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) speclens::Backend* speclens_make_cuda_backend(int version, char* why, std::size_t size) {
    std::string reason;
    try {
        if (version != speclens::kCudaVersion) {
            reason = "its module belongs to another build of the program";
        } else {
            const speclens::cuda::CudaOptions options = {.graphs = !set_to("SPECLENS_CUDA_GRAPHS", "0"),
                                                         .tensor_cores = !set_to("SPECLENS_CUDA_PLAIN", "1")};
            if (auto backend = speclens::cuda::make_cuda_backend(options, reason)) return backend.release();
        }
    } catch (const speclens::Error& error) {
        reason = error.what();
    }
    std::snprintf(why, size, "%s", reason.c_str());
    return nullptr;
}
