// The choice of a backend by name.
#include "kernels/backend.h"
#include "kernels/cuda_module.h"
#include "kernels/error.h"

namespace speclens {

std::unique_ptr<Backend> make_backend(const std::string& name, const CpuOptions& options) {
    if (name == "cpu") return make_cpu_backend(options);
    if (name != "cuda" && name != "auto") throw Error("unknown backend \"" + name + "\"", "use auto, cpu or cuda", Exit::usage);
    std::string why;
    if (std::unique_ptr<Backend> backend = load_cuda_backend(why)) return backend;
    if (name == "auto") return make_cpu_backend(options);
    throw Error("no CUDA engine: " + why, "use --backend cpu, or auto for the best engine of this machine", Exit::device);
}

} // namespace speclens
