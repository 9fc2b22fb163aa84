#include "kernels/cuda_module.h"

#include <array>
#include <cstdlib>
#include <filesystem>

#if defined(__EMSCRIPTEN__)
#define SPEC_NO_MODULES 1 // a page loads none
#else
#include <dlfcn.h>
#endif

#include "kernels/self_test.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;

#if !defined(SPEC_NO_MODULES)
// Beside the program, in the folder above it (the tests of a build are one folder down), or where a package puts it.
fs::path module_file() {
    if (const char* named = std::getenv("SPECLENS_CUDA_MODULE")) return named;
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return {};
    const fs::path here = program.parent_path(), above = here.parent_path();
    for (const fs::path& folder : {here, above, above / "lib" / "speclens"})
        if (fs::exists(folder / "speclens_cuda.so", failed)) return folder / "speclens_cuda.so";
    return {};
}
#endif

} // namespace

#if defined(SPEC_NO_MODULES)
std::unique_ptr<Backend> load_cuda_backend(std::string& why) {
    why = "a page in a browser has no CUDA";
    return nullptr;
}
#else
std::unique_ptr<Backend> load_cuda_backend(std::string& why) {
    const fs::path file = module_file();
    if (file.empty()) {
        why = "speclens_cuda.so is not beside the program (a build without a CUDA compiler has none)";
        return nullptr;
    }
    // Never closed: the code of every object it made lives in it.
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        why = std::string("its module cannot be loaded: ") + dlerror();
        return nullptr;
    }
    const auto make = reinterpret_cast<MakeCudaBackend>(dlsym(module, kCudaEntry));
    if (make == nullptr) {
        why = file.string() + " is not a module of this program";
        return nullptr;
    }
    std::array<char, 512> reason{};
    std::unique_ptr<Backend> backend(make(kCudaVersion, reason.data(), reason.size()));
    if (!backend) {
        why = reason.data();
        return nullptr;
    }
    const std::unique_ptr<Backend> cpu = make_cpu_backend({.threads = 1});
    if (const std::string failure = self_test(*backend, *cpu); !failure.empty()) {
        why = backend->description() + " failed the self-test: " + failure;
        return nullptr;
    }
    return backend;
}
#endif

} // namespace speclens
