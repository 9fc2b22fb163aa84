// Reads GGUF files, version 2 and 3: one file, or all parts of a split one. Everything the header claims is checked
// against the size of the file when it is opened; tensors are copied out on demand, as they are stored.
// Layout (ggml/docs/gguf.md of llama.cpp): "GGUF", version, counts of tensors and of metadata; the metadata, each a name, a
// type and a value; the tensors, each a name, a shape (columns first), a type and an offset; then, aligned, the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/progress.h"
#include "engine/weights/stored_file.h"
#include "engine/weights/tensor_files.h"

namespace speclens {

// Numbers of an array, widened to the largest of their kind.
using GgufNumbers = std::variant<std::vector<std::int64_t>, std::vector<double>>;
// std::uint64_t only where the number is too large for std::int64_t.
using GgufValue = std::variant<std::int64_t, std::uint64_t, double, bool, std::string, std::vector<std::string>, GgufNumbers>;

class Gguf final : public TensorFiles {
  public:
    // `file` is the file, or any part of a split one; the others lie beside it. Throws Error: what is wrong, where, and
    // what to try; types of weights that the engine does not read are named.
    // Looks at `progress` between two megabytes of the header, which holds the vocabulary, and throws Cancelled.
    [[nodiscard]] static Gguf open(const std::filesystem::path& file, const Progress& progress = {});
    // The same checks over bytes in memory (tests, fuzzing); one file.
    [[nodiscard]] static Gguf parse(std::vector<std::byte> image, const std::string& name, const Progress& progress = {});

    // ---- metadata of the first part ----
    [[nodiscard]] const std::map<std::string, GgufValue, std::less<>>& metadata() const { return metadata_; }
    [[nodiscard]] const GgufValue* value(std::string_view key) const; // null when absent
    void forget(const std::string& key) { metadata_.erase(key); }     // it is absent from then on
    // Nothing when absent. Throw Error naming the key when it is of another kind or out of range.
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t low, std::int64_t high) const;
    [[nodiscard]] std::optional<double> number(std::string_view key, double low, double high) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<std::string>> take_texts(std::string_view key); // it is empty from then on
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view key, std::int64_t low, std::int64_t high) const;
    [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view key) const;
    [[noreturn]] void fail(std::string_view key, const std::string& what) const; // of the first part

    // ---- tensors of all parts ----
    [[nodiscard]] const StoredTensors& tensors() const override { return tensors_; }
    using TensorFiles::read;
    void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const override;
    [[nodiscard]] const std::string& file_name(const StoredTensor& tensor) const override;
    [[nodiscard]] std::string name() const override { return files_.front()->name(); } // of the first part

  private:
    // Reads the header of one more part; its metadata.
    std::map<std::string, GgufValue, std::less<>> add(std::unique_ptr<StoredFile> file, const Progress& progress);

    std::vector<std::unique_ptr<StoredFile>> files_;
    std::map<std::string, GgufValue, std::less<>> metadata_;
    StoredTensors tensors_;
};

// Whether a file begins as a GGUF file does; false where it cannot be read.
[[nodiscard]] bool looks_like_gguf(const std::filesystem::path& file);

} // namespace speclens
