// The beginning of a file that is being fetched, on the disk until all of it is there: whoever fetched it, the next one goes on behind
// it. What it holds is known to be right only at the end, by its SHA-256.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace speclens {

class PartFile {
  public:
    // Opens or makes `file`; what is there stays, unless it is longer than `whole` bytes. Throws Error where it cannot.
    PartFile(std::filesystem::path file, std::uint64_t whole);
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    ~PartFile(); // an empty one is removed

    [[nodiscard]] const std::filesystem::path& path() const { return file_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t left() const { return whole_ - size_; }
    // Throws Error: the disk is full or broken, and the file ends as before; or there would be more than the whole.
    void append(std::string_view bytes);
    void cut(std::uint64_t size); // down to so much
    void sync();                  // it is on the disk

  private:
    [[noreturn]] void fail(const char* doing) const; // errno says why

    std::filesystem::path file_;
    std::uint64_t whole_, size_ = 0;
    int fd_ = -1;
};

} // namespace speclens
