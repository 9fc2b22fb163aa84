#include "engine/heads/official_layout.h"

#include "engine/base/json_read.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_write.h"
#include "engine/weights/scaled_tensors.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace fs = std::filesystem;

void write_official_layout(const fs::path& from, const fs::path& to) {
    constexpr std::size_t kLargest = 1 << 20;
    const std::string config = read_text_file(from / "config.json", kLargest);
    const Safetensors file = Safetensors::open_folder(from);
    const ScaledTensors scaled(file);
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, stored] : scaled.tensors())
        tensors.push_back({name, stored.dtype, stored.shape, [&scaled, &stored] { return scaled.read(stored); }});
    std::error_code failure;
    fs::create_directories(to, failure);
    if (failure) throw Error("cannot make " + to.string() + ": " + failure.message(), "Choose another folder.");
    AtomicFile copy(to / "config.json");
    copy.write(config);
    copy.commit();
    write_safetensors(to / "model.safetensors", std::move(tensors));
}

} // namespace speclens
