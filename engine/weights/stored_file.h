// One open file of weights, or bytes in memory (tests, fuzzing). The file is read, never mapped: a mapping of a file
// that somebody cuts meanwhile kills the process. Internal to the engine.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace speclens {

class StoredFile {
  public:
    // Throws Error where the file cannot be opened or is no regular file; `kind` is "a safetensors file".
    StoredFile(const std::filesystem::path& path, const std::string& kind);
    StoredFile(std::vector<std::byte> image, std::string name);
    StoredFile(const StoredFile&) = delete;
    StoredFile& operator=(const StoredFile&) = delete;
    ~StoredFile();

    // Copies to.size() bytes from byte `at` of the file on, which were there when it was opened. Throws Error where the
    // file became shorter since or cannot be read.
    void read(std::size_t at, std::span<std::byte> to) const;
    [[nodiscard]] const std::string& name() const { return name_; } // "folder/file", for messages
    [[nodiscard]] std::size_t size() const { return size_; }        // when it was opened

  private:
    std::string name_;
    int descriptor_ = -1; // -1: the bytes are in image_
    std::size_t size_ = 0;
    std::vector<std::byte> image_;
};

} // namespace speclens
