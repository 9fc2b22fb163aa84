#include "files/atomic_file.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "kernels/error.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#endif

namespace speclens {
namespace {

// In a page a file is in memory: app/page/page.js keeps it or makes it a download. Under node, and elsewhere, nobody is told.
void tell_page([[maybe_unused]] const std::filesystem::path& file) {
#if defined(__EMSCRIPTEN__)
    MAIN_THREAD_EM_ASM(
        {
            if (Module['page']) Module['page'].wrote(UTF8ToString($0));
        },
        file.c_str());
#endif
}

} // namespace

std::FILE* create_beside(const std::filesystem::path& file, std::filesystem::path& temporary, Readers readers) {
    constexpr int kTries = 1000;
    const std::string own = "." + std::to_string(::getpid());
    for (int i = 0; i < kTries; ++i) {
        temporary = file;
        temporary += own + (i > 0 ? "-" + std::to_string(i) : "") + ".part";
        const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readers == Readers::owner ? 0600 : 0666);
        if (fd >= 0) return ::fdopen(fd, "wb");
        if (errno != EEXIST) break;
    }
    return nullptr;
}

namespace {

// The process in "o.json.4711.part" or "o.json.4711-3.part"; nothing for any other name.
std::optional<pid_t> process_of(std::string_view name) {
    constexpr std::string_view kEnding = ".part";
    if (!name.ends_with(kEnding)) return {};
    name.remove_suffix(kEnding.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return {};
    const char* const from = name.data() + dot + 1;
    const char* const to = name.data() + name.size();
    const auto number = [&](const char* at, auto& value) {
        const auto [end, failed] = std::from_chars(at, to, value);
        return failed == std::errc() && value > 0 ? end : nullptr;
    };
    pid_t process = 0;
    int again = 0;
    const char* end = number(from, process);
    if (end != nullptr && end != to && *end == '-') end = number(end + 1, again);
    if (end != to) return {};
    return process;
}

} // namespace

void remove_left_beside(const std::filesystem::path& folder) {
    std::error_code failed, ignored;
    for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        const std::optional<pid_t> process = process_of(at->path().filename().string());
        if (process && at->is_regular_file(ignored) && ::kill(*process, 0) != 0 && errno == ESRCH)
            std::filesystem::remove(at->path(), ignored);
    }
}

std::filesystem::path behind_links(const std::filesystem::path& file) {
    std::error_code failed;
    if (!std::filesystem::is_symlink(file, failed)) return file;
    std::filesystem::path there = std::filesystem::weakly_canonical(file, failed);
    return failed ? file : there;
}

AtomicFile::AtomicFile(std::filesystem::path file, Readers readers) : file_(behind_links(file)) {
    std::error_code ignored;
    if (std::filesystem::exists(file_, ignored) && !std::filesystem::is_regular_file(file_, ignored))
        throw Error(file_.string() + " is there and is no file", "Choose another name.", Exit::model);
    out_ = create_beside(file_, temporary_, readers);
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
    const bool closed = std::fclose(std::exchange(out_, nullptr)) == 0;
    const int reason = errno;
    std::error_code error, ignored;
    if (closed) std::filesystem::rename(temporary_, file_, error);
    if (closed && !error) return tell_page(file_);
    std::filesystem::remove(temporary_, ignored);
    errno = closed ? error.value() : reason;
    fail(closed ? "rename" : "write");
}

void AtomicFile::fail(const char* doing) const {
    throw Error(std::string("cannot ") + doing + " " + file_.string() + ": " + std::strerror(errno),
                "Check the folder, its permissions and the free space; an existing file was left as it was.", Exit::model);
}

} // namespace speclens
