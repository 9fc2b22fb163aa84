#include "app/frame/controller_files.h"

#include <cstdlib>
#include <ctime>
#include <utility>

#include "engine/lab/race_json.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::string stamp() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
    return text;
}

// Two files of one second are two files.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& stem, const std::string& ending) {
    std::filesystem::path file = folder / (stem + ending);
    std::error_code gone; // the folder
    for (int n = 2; std::filesystem::exists(file, gone); ++n) file = folder / (stem + "-" + std::to_string(n) + ending);
    return file;
}

} // namespace

std::filesystem::path data_folder(const std::string& kind) {
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    std::filesystem::path folder = data && *data ? std::filesystem::path(data)
                                   : home        ? std::filesystem::path(home) / ".local" / "share"
                                                 : std::filesystem::current_path();
    folder = folder / "speclens" / kind;
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        throw Error("cannot create " + folder.string() + ": " + problem.message(), "Set XDG_DATA_HOME to a folder that can be written.");
    return folder;
}

void FilesPart::refresh() {
    try {
        list_ = saved_files(data_folder("sessions"));
    } catch (const Error&) { // no such folder: paths can still be typed
        list_.clear();
    }
}

std::string FilesPart::export_name(const std::string& scene) const {
    std::error_code gone; // the folder it was started in
    return new_file(std::filesystem::current_path(gone), "speclens-" + scene, ".png").string();
}

void FilesPart::save(const Trace& trace, double now) const {
    const std::filesystem::path file = new_file(data_folder("sessions"), "run-" + stamp(), ".jsonl");
    save_trace(trace, file);
    common_.say(frame_says("notice.saved"_t, "path"_v = file.string()), now);
}

void FilesPart::save(const RaceView& race, double now) const {
    const std::filesystem::path file = new_file(data_folder("sessions"), "race-" + stamp(), ".json");
    save_race(race, file);
    common_.say(frame_says("notice.saved"_t, "path"_v = file.string()), now);
}

void FilesPart::screenshot(const std::function<void(const std::filesystem::path&)>& export_frame, double now) const {
    if (!export_frame) return;
    const std::filesystem::path file = new_file(data_folder("shots"), "speclens-" + stamp(), ".png");
    export_frame(file);
    common_.say(frame_says("notice.screenshot"_t, "path"_v = file.string()), now);
}

std::filesystem::path FilesPart::share_folder() const { return new_file(data_folder("shared"), "round-" + stamp(), ""); }

void FilesPart::browse() {
    if (!common_.port.browse) return;
    FileQuestion question{FileQuestion::For::open, frame_says("files.ask:run"_t), ""};
    browsed_ = common_.chrome.popup;
    if (browsed_ == Popup::lengths) question = {FileQuestion::For::open, frame_says("files.ask:costs"_t), ""};
    if (browsed_ == Popup::models) question = {FileQuestion::For::model, frame_says("files.ask:model"_t), ""};
    if (browsed_ == Popup::export_frame) question = {FileQuestion::For::save, frame_says("export.title"_t), common_.chrome.query};
    if (browsed_ == Popup::open_file) {
        try {
            question.start = data_folder("sessions").string() + "/";
        } catch (const Error&) { // it begins where the program of the dialog likes
        }
    }
    question.known = frame_says("files.known"_t);
    question.every = frame_says("files.every"_t);
    common_.port.browse(question);
}

std::optional<FrameCommand> FilesPart::chosen(const std::string& path) {
    const Popup asked = std::exchange(browsed_, Popup::none);
    Popup& open = common_.chrome.popup;
    if (path.empty()) return {};
    if (asked == Popup::export_frame) {
        if (open == asked) open = Popup::none; // else it would stand in the picture
        return ExportFile{path.ends_with(".png") || path.ends_with(".svg") ? path : path + ".png"};
    }
    if (asked == Popup::models) {
        if (open == asked) open = Popup::none;
        return PickModel{path};
    }
    if (open == Popup::open_file || open == Popup::lengths) common_.chrome.query = path;
    if (asked == Popup::lengths) return UseCosts{path};
    return OpenFile{path};
}

} // namespace speclens
