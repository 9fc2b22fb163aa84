#include "engine/weights/stored_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/json_read.h"
#include "kernels/error.h"

namespace speclens {

StoredFile::StoredFile(const std::filesystem::path& path, const std::string& kind) : name_(short_name(path)) {
    const auto fail = [&] {
        throw Error(name_ + ": cannot be opened (" + std::strerror(errno) + ")",
                    "Check the path and the permissions; a model folder holds model.safetensors or its shards.");
    };
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait for its writer
    if (descriptor_ < 0) fail();
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor_);
        throw wrong_path(path, "a file", "Give the path of " + kind + ".");
    }
    size_ = static_cast<std::size_t>(status.st_size);
}

StoredFile::StoredFile(std::vector<std::byte> image, std::string name)
    : name_(std::move(name)), size_(image.size()), image_(std::move(image)) {}

StoredFile::~StoredFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

void StoredFile::read(std::size_t at, std::span<std::byte> to) const {
    CHECK(at <= size_ && to.size() <= size_ - at, "a read outside the file");
    if (descriptor_ < 0) {
        std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
        return;
    }
    while (!to.empty()) {
        const ssize_t got = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            throw Error(name_ + ": cannot be read (" + std::strerror(errno) + ")",
                        "Check the disk or the network drive, then load the model again.");
        if (got == 0) // the end, before all that was there when the file was opened
            throw Error(name_ + ": became shorter while it was being loaded",
                        "Wait until the download or copy is complete, then load the model again.");
        at += static_cast<std::size_t>(got);
        to = to.subspan(static_cast<std::size_t>(got));
    }
}

} // namespace speclens
