// The controller's answers to what a frame asked for, and the files that it writes.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "app/frame/controller.h"
#include "app/frame/file_kind.h"
#include "app/views/lecture.h"
#include "engine/lab/race_json.h"
#include "engine/model/precision.h"
#include "engine/run/model_names.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "scenes/race/race_model.h"

namespace speclens {
namespace {

constexpr double kReadWord = 0.25; // seconds per word of a story, at speed 1

std::string stamp() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
    return text;
}

// Two files of one second are two files.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& stem,
                               const std::string& ending) {
    std::filesystem::path file = folder / (stem + ending);
    std::error_code gone; // the folder
    for (int n = 2; std::filesystem::exists(file, gone); ++n)
        file = folder / (stem + "-" + std::to_string(n) + ending);
    return file;
}

bool asks_about_run(const Command& command) {
    return std::holds_alternative<FetchDistributions>(command) || std::holds_alternative<FetchReplay>(command) ||
           std::holds_alternative<FetchOtherDrafterRound>(command) || std::holds_alternative<CompareDrafters>(command);
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
        throw Error("cannot create " + folder.string() + ": " + problem.message(),
                    "Set XDG_DATA_HOME to a folder that can be written.");
    return folder;
}

void Controller::guarded(double now, const std::function<void()>& work) {
    dismiss(); // what was tried before
    try {
        work();
    } catch (const Error& error) {
        complain(error.what(), error.remedy());
    } catch (const std::filesystem::filesystem_error& error) { // its own words name the file twice
        complain(error.path1().string() + ": " + error.code().message(),
                 "Check the path and the permissions.");
    } catch (const std::exception& error) {
        complain(error.what(), "Nothing was lost; try again.");
    }
    (void)now;
}

void Controller::open_popup(Popup popup) {
    keys_.clear(); // it covers the scene
    chrome.popup = popup;
    chrome.menu = -1;
    chrome.opened_now = true;
    chrome.row = 0;
    chrome.query.clear();
    chrome.problem.clear();
    if (popup == Popup::prompt) {
        chrome.prompt = wished().prompt;
        chrome.system = wished().system;
        chrome.chat = wished().chat;
    }
    if (popup == Popup::models || popup == Popup::palette || popup == Popup::prompt) models_ = model_choices();
    if (popup == Popup::open_file) {
        try {
            saved_files_ = saved_files(data_folder("sessions"));
        } catch (const Error&) { // no such folder: paths can still be typed
            saved_files_.clear();
        }
    }
    if (popup == Popup::export_frame) {
        std::error_code gone; // the folder it was started in
        const std::filesystem::path folder = std::filesystem::current_path(gone);
        chrome.query = new_file(folder, "speclens-" + scene_name_, ".png").string();
    }
}

void Controller::open_file(const std::string& path, double now) {
    if (is_link(path) && read.link) return show_view(read.link(path), now);
    if (is_lecture_file(path) && read.lecture) {
        begin_lecture(read.lecture(path), now);
        return show_view(lecture_.steps[0].view, now);
    }
    if (has_engine() && looks_like_model(path)) return open_model(path, now);
    if (is_race_file(path)) {
        show_race(std::make_shared<const RaceView>(load_race(path)));
        return say("Opened " + path, now);
    }
    // A run is text; of anything else it says more what it is than where its first line is wrong.
    if (const std::string kind = file_kind(path); !kind.empty() && kind != "a folder")
        throw Error(std::filesystem::path(path).filename().string() + " is " + kind + ", not a run",
                    "Open a run or race that Ctrl+S kept, a lecture, a model (.gguf, or a folder) or a link.");
    std::string notice;
    const std::shared_ptr<const Trace> trace = load_trace(path, &notice);
    if (!trace->header())
        throw Error(path + " holds no run", "Choose a file saved with Ctrl+S or by speclens run.");
    if (in_race()) open_scene("loop"); // a race shows none
    show_saved(trace, settings_of(*trace->header()));
    say(notice.empty() ? "Opened " + path : notice, now);
    if (saved_in_other_precision()) made_with(trace->header()->precision);
}

// What another precision changes is known only by running. Of another model's run nothing is expected.
bool Controller::saved_in_other_precision() const {
    const Header* run = saved_ ? saved_->header() : nullptr;
    return run && has_engine() && run->model == status_.model && run->precision != status_.precision;
}

void Controller::made_with(Precision precision) {
    complain("this was made with " + precision_words(precision) + ", here a run has " + precision_words(status_.precision) +
                 ": its text may differ",
             std::string("Start the program with --precision ") + name_of(precision) + ".");
}

void Controller::browse() {
    if (!port_.browse) return;
    FileQuestion question{FileQuestion::For::open, "Open a run, a race or a lecture", ""};
    browsed_ = chrome.popup;
    if (browsed_ == Popup::models) question = {FileQuestion::For::model, "Open a model", ""};
    if (browsed_ == Popup::export_frame) question = {FileQuestion::For::save, "Export this frame", chrome.query};
    if (browsed_ == Popup::open_file) {
        try {
            question.start = data_folder("sessions").string() + "/";
        } catch (const Error&) { // it begins where the program of the dialog likes
        }
    }
    port_.browse(question);
}

void Controller::chose(const std::string& path, double now) {
    const Popup asked = std::exchange(browsed_, Popup::none);
    if (path.empty()) return;
    if (asked == Popup::export_frame) {
        std::string file = path;
        if (!file.ends_with(".png") && !file.ends_with(".svg")) file += ".png";
        if (chrome.popup == asked) chrome.popup = Popup::none; // else it would stand in the picture
        return perform({ExportFile{file}}, now);
    }
    if (asked == Popup::models) {
        if (chrome.popup == asked) chrome.popup = Popup::none;
        return perform({PickModel{path}}, now);
    }
    if (chrome.popup == Popup::open_file) chrome.query = path;
    perform({OpenFile{path}}, now);
}

void Controller::save(double now) {
    if (in_race() && race() && !race()->lanes_finished() && race()->cut)
        return say("The race was stopped: run it again to save it", now);
    if (in_race() && race() && !race()->lanes_finished())
        return say("The race is still running: it can be saved when every lane is done", now);
    guarded(now, [&] {
        if (in_race() && race()) {
            const std::filesystem::path file = new_file(data_folder("sessions"), "race-" + stamp(), ".json");
            save_race(*race(), file);
            return say("Saved to " + file.string(), now);
        }
        const std::filesystem::path file = new_file(data_folder("sessions"), "run-" + stamp(), ".jsonl");
        save_trace(source_.trace(), file);
        say("Saved to " + file.string(), now);
    });
}

void Controller::screenshot(double now) {
    guarded(now, [&] {
        if (!export_frame) return;
        const std::filesystem::path file = new_file(data_folder("shots"), "speclens-" + stamp(), ".png");
        export_frame(file);
        say("Screenshot: " + file.string(), now);
    });
}

// The engine holds another run than the saved one on screen.
bool Controller::suits_saved(const Command& command, double now) {
    if (std::holds_alternative<Fork>(command)) {
        say("A saved run cannot be forked: start it again first", now);
        return false;
    }
    if (std::holds_alternative<RunStudy>(command)) {
        const Header* run = saved_->header();
        if (run && run->model == status_.model) return true; // of its settings, with the loaded models
        say("This run is of " + (run ? run->model : std::string("other models")) +
                ", which is not loaded: nothing is measured beside it",
            now);
        return false;
    }
    return !asks_about_run(command);
}

void Controller::perform(const std::vector<FrameCommand>& commands, double now) {
    struct Visitor {
        Controller& c;
        double now;
        void operator()(const Command& command) const {
            if (const auto* run = std::get_if<Restart>(&command)) return c.change_run(run->settings, now);
            if (const auto* race = std::get_if<StartRace>(&command)) return c.start_race(race->settings);
            if (!c.port_.send) return;
            if (c.saved_ && !c.suits_saved(command, now)) return;
            if (const auto* fork = std::get_if<Fork>(&command)) return c.fork_run(*fork, now);
            // The next run would answer what is asked about this one.
            if (c.restarts_ > 0 && asks_about_run(command)) return c.questions_.push_back(command);
            c.port_.send(command);
        }
        void operator()(const Go& go) const { c.move(go.move, now); }
        void operator()(const SetCursor& set) const {
            c.arriving_ = c.playing_ = c.example_due_ = c.unmoved_ = false;
            c.place_.reset();
            c.did(Deed::scrubbed);
            c.go_to(set.cursor, now, false);
        }
        void operator()(const SetBeat& set) const {
            const int beats = c.beats(now);
            c.playing_ = false;
            c.beats_[c.scene_name_] = std::clamp(set.beat, 0, std::max(0, beats - 1));
            c.example_due_ = true;
            c.show_example(now);
        }
        void operator()(const Select& select) const {
            c.did(Deed::selected);
            c.example_due_ = false;
            c.unmoved_ = false;
            // A column of another cycle: show that cycle first.
            const CycleSummary* shown = c.source_.view().current();
            if (select.position && (!shown || shown->cycle != select.position->cycle))
                for (const CycleSummary& cycle : c.source_.whole().cycles)
                    if (cycle.cycle == select.position->cycle) c.go_to(cycle.end_event, now, false);
            c.selected_ = select.position;
        }
        void operator()(const OpenScene& open) const { c.open_scene(open.name); }
        void operator()(const SetRaceClock& set) const {
            c.playing_ = false;
            c.race_ms_ = set.ms;
        }
        void operator()(const ToggleRaceClock&) const {
            if (c.race() && race_of_table(*c.race())) {
                c.say("A table costs nothing to ask: this race counts rounds", now);
                return;
            }
            c.race_rounds_ = !c.race_rounds_;
            c.race_ms_ = -1;
            c.playing_ = false;
        }
        void operator()(const ToggleStepped&) const { c.toggle_stepped(); }
        void operator()(const FocusLane& focus) const { c.race_lane_ = focus.lane; }
        void operator()(const ToggleLane& toggle) const { c.toggle_lane(toggle.drafter, now); }
        void operator()(const OpenLane& open) const { c.open_lane(open.lane); }
        void operator()(const PickRacePrompt& pick) const {
            if (pick.row < 0 || pick.row >= static_cast<int>(c.prompts().size())) return;
            const GalleryPrompt& prompt = c.prompts()[static_cast<std::size_t>(pick.row)];
            RunSettings settings = c.wished();
            settings.prompt = prompt.prompt;
            settings.system = prompt.system;
            settings.chat = settings.chat_if_possible = prompt.chat;
            settings.token_ids.clear();
            c.restart(std::move(settings));
        }
        void operator()(const EditPrompt&) const { c.open_popup(Popup::prompt); }
        void operator()(const ShowDetails&) const {
            c.chrome.layout.details = true;
            if (c.chrome.density == Density::single) c.chrome.layout.region = Region::details;
        }
        void operator()(const ServerOrder& order) const {
            if (!c.port_.server) return;
            if (std::holds_alternative<ServeHere>(order)) {
                const RunSettings& s = c.served_.emplace(c.wished());
                c.say("Serves " +
                          run_words(s.drafter, s.k, s.sampling.temperature, s.drafts().temperature, s.rule),
                      now);
            }
            c.port_.server(order);
        }
        void operator()(const StoryTold& told) const {
            c.told_ = told.text;
            c.next_play_ = std::max(c.next_play_, now + kReadWord * told.words / c.speed_);
        }
        void operator()(const ToggleLetters&) const { c.letters_article_ = !c.letters_article_; }
        void operator()(const SceneCommand& command) const { std::visit(*this, command); }
        void operator()(const PickAction& pick) const { c.action(pick.action, pick.number, now); }
        void operator()(const OpenFile& open) const {
            c.guarded(now, [&] { c.open_file(open.path, now); });
            if (c.chrome.popup != Popup::open_file) return;
            // The dialog says it, and stays until it is answered.
            c.chrome.problem = std::exchange(c.banner_, {});
            c.chrome.remedy = std::exchange(c.remedy_, {});
            if (c.chrome.problem.empty()) c.chrome.popup = Popup::none;
        }
        void operator()(const ExportFile& file) const {
            c.guarded(now, [&] {
                if (!c.export_frame) return;
                c.export_frame(file.path);
                c.say("Exported to " + file.path, now);
            });
        }
        void operator()(const CopyText& copy) const {
            c.clipboard = copy.text;
            c.say("Copied", now);
        }
        void operator()(const DismissBanner&) const { c.dismiss(); }
        void operator()(const AnswerOffer& answer) const { c.answer_offer(answer.yes, now); }
        void operator()(const PickModel& pick) const { c.open_model(pick.word, now); }
        void operator()(const CancelFetch&) const {
            if (c.port_.cancel_fetch) c.port_.cancel_fetch();
        }
        void operator()(const BrowseFiles&) const { c.browse(); }
        void operator()(const PressKey& press) const { c.keys_.push_back({.key = press.key}); }
    };
    for (const FrameCommand& command : commands) std::visit(Visitor{*this, now}, command);
}

} // namespace speclens
