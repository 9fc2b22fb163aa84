// Reads safetensors files: one file, or the shards that model.safetensors.index.json names. Everything the
// header claims is checked when the file is opened; tensors are copied out on demand.
// Layout: 8 bytes little-endian header length n, n bytes of JSON, then the data; offsets count from there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/weights/stored_file.h"
#include "engine/weights/tensor_files.h"

namespace speclens {

class Safetensors final : public TensorFiles {
  public:
    // All three throw Error: what is wrong, in which file, and what to try.
    [[nodiscard]] static Safetensors open(const std::filesystem::path& file);
    // model.safetensors, or the shards of model.safetensors.index.json.
    [[nodiscard]] static Safetensors open_folder(const std::filesystem::path& folder);
    // The same checks over bytes in memory (tests, fuzzing).
    [[nodiscard]] static Safetensors parse(std::vector<std::byte> image, const std::string& name);

    [[nodiscard]] const StoredTensors& tensors() const override { return tensors_; }
    using TensorFiles::read;
    void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const override;
    [[nodiscard]] const std::string& file_name(const StoredTensor& tensor) const override;
    [[nodiscard]] std::string name() const override { return files_.size() == 1 ? files_.front()->name() : "model.safetensors"; }

  private:
    void add(std::unique_ptr<StoredFile> file);

    std::vector<std::unique_ptr<StoredFile>> files_;
    StoredTensors tensors_;
};

} // namespace speclens
