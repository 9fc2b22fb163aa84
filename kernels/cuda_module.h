// The CUDA engine is a module beside the program (speclens_cuda.so), loaded when it is asked for: one build
// serves machines with and without a GPU, a driver or the CUDA toolkit.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace speclens {

class Backend; // kernels/backend.h

// Null when CUDA cannot be used here; `why` then says what is missing, or which operation failed the
// self-test. SPECLENS_CUDA_MODULE names another file.
[[nodiscard]] std::unique_ptr<Backend> load_cuda_backend(std::string& why);

// What the module exports, under the name kCudaEntry. `version` must be kCudaVersion. Writes the reason, cut
// to `size` bytes, when it returns null; otherwise the caller owns the result.
inline constexpr const char* kCudaEntry = "speclens_make_cuda_backend";
inline constexpr int kCudaVersion = 2; // of Backend; raise it when that interface changes
using MakeCudaBackend = Backend* (*)(int version, char* why, std::size_t size);

} // namespace speclens
