#include "ui/file_write.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens::ui {
namespace {

// A pipe or a device: a file in its place would be no use to who reads there.
void write_into(const std::string& name, std::string_view bytes) {
    const auto fail = [&](int error) { throw Error(name + ": cannot be written: " + std::strerror(error), "Write somewhere else."); };
    std::FILE* file = std::fopen(name.c_str(), "wb");
    if (file == nullptr) fail(errno);
    errno = 0;
    const bool good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
    int error = good ? 0 : errno != 0 ? errno : EIO;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    if (error != 0) fail(error);
}

} // namespace

void write_file(const std::string& path, std::string_view text) {
    std::error_code none;
    if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none)) return write_into(path, text);
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

void write_file(const std::string& path, std::span<const std::uint8_t> bytes) {
    write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

} // namespace speclens::ui
