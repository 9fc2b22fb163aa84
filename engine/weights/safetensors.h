// Reads safetensors files: one file, or the shards that model.safetensors.index.json names. Everything the
// header claims is checked when the file is opened; tensors are copied out on demand. The file is read, never
// mapped: a mapping of a file that somebody cuts meanwhile kills the process.
// Layout: 8 bytes little-endian header length n, n bytes of JSON, then the data; offsets count from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.h"

namespace speclens {

struct StoredTensor {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape; // empty: a scalar
    std::size_t begin = 0;           // first byte, counted from the start of the file
    std::size_t bytes = 0;
    int file = 0; // which shard
};
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape); // "(512, 64)"

class Safetensors {
  public:
    // All three throw Error: what is wrong, in which file, and what to try.
    [[nodiscard]] static Safetensors open(const std::filesystem::path& file);
    // model.safetensors, or the shards of model.safetensors.index.json.
    [[nodiscard]] static Safetensors open_folder(const std::filesystem::path& folder);
    // The same checks over bytes in memory (tests, fuzzing).
    [[nodiscard]] static Safetensors parse(std::vector<std::byte> image, const std::string& name);

    Safetensors(Safetensors&&) noexcept;
    Safetensors& operator=(Safetensors&&) noexcept;
    ~Safetensors();

    [[nodiscard]] const std::map<std::string, StoredTensor, std::less<>>& tensors() const { return tensors_; }
    [[nodiscard]] const StoredTensor* find(std::string_view name) const; // null when absent
    // Copies to.size() bytes of the tensor, from its byte `first` on. Throws Error when the file became
    // shorter since it was opened or cannot be read.
    void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const;
    [[nodiscard]] std::vector<std::byte> read(const StoredTensor& tensor) const; // all of it
    [[nodiscard]] const std::string& file_name(const StoredTensor& tensor) const;

  private:
    struct File;
    Safetensors();
    void add(std::unique_ptr<File> file);

    std::vector<std::unique_ptr<File>> files_;
    std::map<std::string, StoredTensor, std::less<>> tensors_;
};

} // namespace speclens
