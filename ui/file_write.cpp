#include "ui/file_write.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace speclens::ui {

void write_file(const std::string& name, std::span<const std::uint8_t> bytes) {
    std::error_code none;
    const bool special = std::filesystem::exists(name, none) && !std::filesystem::is_regular_file(name, none);
    const std::string path = !special && std::filesystem::is_symlink(name, none)
                                 ? std::filesystem::weakly_canonical(name, none).string()
                                 : name; // what a link leads to is replaced, not the link
    // A pipe or a device is written to: a file in its place would be no use to who reads there.
    const std::string temporary = special ? path : path + ".part" + std::to_string(getpid());
    const auto fail = [&](int error) {
        if (!special) std::remove(temporary.c_str());
        throw std::runtime_error(path + ": cannot be written: " + std::strerror(error));
    };
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) fail(errno);
    errno = 0;
    bool good = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    good =
        good && std::fflush(file) == 0 && (special || fsync(fileno(file)) == 0); // there is nothing to sync
    int error = good ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    if (!good || error != 0) fail(error != 0 ? error : EIO);
    if (special) return;
    if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
}

void write_file(const std::string& path, std::string_view text) {
    write_file(path, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

} // namespace speclens::ui
