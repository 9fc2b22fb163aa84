#include "engine/fetch/part_file.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/error.h"

namespace speclens {

PartFile::PartFile(std::filesystem::path file, std::uint64_t whole) : file_(std::move(file)), whole_(whole) {
    fd_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    struct stat facts {};
    if (fd_ < 0 || fstat(fd_, &facts) != 0) {
        if (fd_ >= 0) close(fd_);
        fail("open");
    }
    size_ = static_cast<std::uint64_t>(facts.st_size);
    if (size_ > whole_) cut(0);
}

PartFile::~PartFile() {
    close(fd_);
    if (size_ == 0) unlink(file_.c_str());
}

void PartFile::append(std::string_view bytes) {
    CHECK(bytes.size() <= left(), "more than the whole file");
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t wrote = pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(size_ + done));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            const int reason = wrote < 0 ? errno : ENOSPC;
            [[maybe_unused]] const int cut = ftruncate(fd_, static_cast<off_t>(size_));
            errno = reason;
            fail("write");
        }
        done += static_cast<std::size_t>(wrote);
    }
    size_ += bytes.size();
}

void PartFile::cut(std::uint64_t size) {
    if (ftruncate(fd_, static_cast<off_t>(size)) != 0) fail("shorten");
    size_ = size;
}

void PartFile::sync() {
    if (fsync(fd_) != 0) fail("write");
}

void PartFile::fail(const char* doing) const {
    throw Error(std::string("cannot ") + doing + " " + file_.string() + ": " + std::strerror(errno),
                "Check the permissions and the free space of its folder, or set XDG_DATA_HOME to one on another disk: what is there is "
                "not fetched again.");
}

} // namespace speclens
