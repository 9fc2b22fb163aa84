#include "engine/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>

#include "kernels/error.h"

namespace speclens {

AtomicFile::AtomicFile(std::filesystem::path file) : file_(std::move(file)) {
    temporary_ = file_;
    temporary_ += "." + std::to_string(::getpid()) + ".part";
    out_ = std::fopen(temporary_.c_str(), "wb");
    if (!out_) fail("create");
}

AtomicFile::~AtomicFile() {
    if (!out_) return;
    std::fclose(out_);
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size()) fail("write");
}

void AtomicFile::commit() {
    if (std::fflush(out_) != 0 || ::fsync(::fileno(out_)) != 0) fail("write");
    std::fclose(out_);
    out_ = nullptr;
    std::error_code error;
    std::filesystem::rename(temporary_, file_, error);
    if (error) {
        std::error_code ignored;
        std::filesystem::remove(temporary_, ignored);
        errno = error.value();
        fail("rename");
    }
}

void AtomicFile::fail(const char* doing) const {
    throw Error(std::string("cannot ") + doing + " " + file_.string() + ": " + std::strerror(errno),
                "Check the folder, its permissions and the free space; an existing file was left as it was.", Exit::model);
}

}  // namespace speclens
