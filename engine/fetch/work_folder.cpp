#include "engine/fetch/work_folder.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/error.h"

namespace speclens {

namespace {

[[noreturn]] void fail(const std::string& doing, const std::filesystem::path& path, int reason) {
    throw Error("cannot " + doing + " " + path.string() + ": " + std::strerror(reason),
                "Free some space, look at the permissions, or set XDG_DATA_HOME to a folder that can be written.");
}

} // namespace

WorkFolder::WorkFolder(const std::filesystem::path& place, const std::function<void()>& waiting, const std::function<void()>& tick)
    : path_(place / ".get") {
    std::error_code problem;
    std::filesystem::create_directories(place, problem);
    if (problem) fail("make", place, problem.value());
    const std::filesystem::path lock = place / ".get.lock";
    lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock_ < 0) fail("make", lock, errno);
    try {
        for (bool said = false; flock(lock_, LOCK_EX | LOCK_NB) != 0;) {
            if (errno != EWOULDBLOCK && errno != EINTR) fail("lock", lock, errno);
            if (!said && waiting) waiting();
            said = true;
            if (tick) tick();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        std::filesystem::remove_all(path_, problem);
        if (problem) fail("remove", path_, problem.value());
        if (mkdir(path_.c_str(), 0700) != 0) fail("make", path_, errno);
    } catch (...) {
        close(lock_);
        throw;
    }
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    close(lock_);
}

} // namespace speclens
