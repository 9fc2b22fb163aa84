// A file that is written beside its final place and renamed at the end: a full disk, a crash or an error in
// between leaves the old file as it was.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace speclens {

// A new file beside `file`, whose name goes to `temporary`: "o.json.4711.part". Never one that is there already,
// somebody else's or left by a crash. nullptr: errno says why not.
enum class Readers : unsigned char { anybody, owner }; // owner: mode 0600
[[nodiscard]] std::FILE* create_beside(const std::filesystem::path& file, std::filesystem::path& temporary,
                                       Readers readers = Readers::anybody);

// Removes from `folder` what create_beside() made there for processes that were killed: names that end in .PID.part or .PID-N.part, where
// no such process runs any more. What cannot be looked at or removed stays.
void remove_left_beside(const std::filesystem::path& folder);

// The file that a link leads to, which is what is replaced; of anything else the path itself.
[[nodiscard]] std::filesystem::path behind_links(const std::filesystem::path& file);

class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path file, Readers readers = Readers::anybody); // throws Error when the folder cannot be written
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile(); // removes the unfinished file unless committed

    void write(std::string_view bytes); // throws Error (disk full, …)
    void commit();                      // flushes, syncs and renames; throws Error

  private:
    [[noreturn]] void fail(const char* doing) const;
    std::filesystem::path file_;
    std::filesystem::path temporary_;
    std::FILE* out_ = nullptr;
};

} // namespace speclens
