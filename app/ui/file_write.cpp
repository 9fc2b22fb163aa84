#include "app/ui/file_write.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace speclens::ui {

void write_file(const std::string& name, std::span<const std::uint8_t> bytes) {
    std::error_code no_link;
    const std::string path = std::filesystem::is_symlink(name, no_link)
                                 ? std::filesystem::weakly_canonical(name, no_link).string()
                                 : name; // what a link leads to is replaced, not the link
    const std::string temporary = path + ".part" + std::to_string(getpid());
    const auto fail = [&](int error) {
        std::remove(temporary.c_str());
        throw std::runtime_error(path + ": cannot be written: " + std::strerror(error));
    };
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) fail(errno);
    errno = 0;
    bool good = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    good = good && std::fflush(file) == 0 && fsync(fileno(file)) == 0;
    int error = good ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    if (!good || error != 0) fail(error != 0 ? error : EIO);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
}

void write_file(const std::string& path, std::string_view text) {
    write_file(path, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

} // namespace speclens::ui
