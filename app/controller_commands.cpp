// The controller's answers to commands: what each action of the table does.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "app/controller.h"
#include "app/lecture.h"
#include "engine/drafter.h"
#include "engine/race_json.h"
#include "engine/saved_settings.h"
#include "engine/trace_json.h"
#include "kernels/error.h"
#include "scenes/run_controls.h"

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
    asked_.reset();
    chrome.popup = popup;
    chrome.menu = -1;
    chrome.opened_now = true;
    chrome.row = 0;
    chrome.query.clear();
    if (popup == Popup::prompt) {
        chrome.prompt = wished().prompt;
        chrome.system = wished().system;
        chrome.chat = wished().chat;
    }
    if (popup == Popup::open_file) {
        try {
            saved_files_ = saved_files(data_folder("sessions"));
        } catch (const Error&) { // no such folder: paths can still be typed
            saved_files_.clear();
        }
    }
    if (popup == Popup::export_frame) {
        std::error_code gone; // the folder it was started in
        chrome.query = (std::filesystem::current_path(gone) / ("speclens-" + scene_name_ + ".png")).string();
    }
}

void Controller::save(double now) {
    if (in_race() && race() && !race()->lanes_finished())
        return say("The race is still running: it can be saved when every lane is done", now);
    guarded(now, [&] {
        if (in_race() && race()) {
            const std::filesystem::path file = data_folder("sessions") / ("race-" + stamp() + ".json");
            save_race(*race(), file);
            return say("Saved to " + file.string(), now);
        }
        const std::filesystem::path file = data_folder("sessions") / ("run-" + stamp() + ".jsonl");
        save_trace(source_.trace(), file);
        say("Saved to " + file.string(), now);
    });
}

void Controller::perform(const std::vector<FrameCommand>& commands, double now) {
    struct Visitor {
        Controller& c;
        double now;
        void operator()(const Command& command) const {
            if (const auto* run = std::get_if<Restart>(&command)) return c.change_run(run->settings, now);
            if (const auto* race = std::get_if<StartRace>(&command)) return c.start_race(race->settings);
            if (!c.port_.send) return;
            if (c.saved_) { // the engine holds another run
                if (std::holds_alternative<Fork>(command))
                    c.say("A saved run cannot be forked: start it again first", now);
                return;
            }
            if (const auto* fork = std::get_if<Fork>(&command)) return c.fork_run(*fork, now);
            c.port_.send(command);
        }
        void operator()(const Go& go) const { c.move(go.move, now); }
        void operator()(const SetCursor& set) const {
            c.arriving_ = c.playing_ = false;
            c.place_.reset();
            c.did(Deed::scrubbed);
            c.go_to(set.cursor, now, false);
        }
        void operator()(const SetBeat& set) const {
            const int beats = c.scene().beats(c.scene_input(now));
            c.beats_[c.scene_name_] = std::clamp(set.beat, 0, std::max(0, beats - 1));
        }
        void operator()(const Select& select) const {
            c.did(Deed::selected);
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
            c.race_rounds_ = !c.race_rounds_;
            c.race_ms_ = -1;
            c.playing_ = false;
        }
        void operator()(const ToggleStepped&) const { c.toggle_stepped(); }
        void operator()(const FocusLane& focus) const { c.race_lane_ = focus.lane; }
        void operator()(const ToggleLane& toggle) const { c.toggle_lane(toggle.drafter, now); }
        void operator()(const OpenLane& open) const { c.open_lane(open.lane); }
        void operator()(const PickRacePrompt& pick) const {
            if (pick.row < 0 || pick.row >= static_cast<int>(c.gallery.size())) return;
            const GalleryPrompt& prompt = c.gallery[static_cast<std::size_t>(pick.row)];
            RunSettings settings = c.wished();
            settings.prompt = prompt.prompt;
            settings.system = prompt.system;
            settings.chat = prompt.chat;
            settings.token_ids.clear();
            c.restart(std::move(settings));
        }
        void operator()(const EditPrompt&) const { c.open_popup(Popup::prompt); }
        void operator()(const ShowDetails&) const {
            c.chrome.layout.details = true;
            if (c.chrome.density == Density::single) c.chrome.layout.region = Region::details;
        }
        void operator()(const ServerOrder& order) const {
            if (c.port_.server) c.port_.server(order);
        }
        void operator()(const ToggleLetters&) const { c.letters_article_ = !c.letters_article_; }
        void operator()(const SceneCommand& command) const { std::visit(*this, command); }
        void operator()(const PickAction& pick) const { c.action(pick.action, pick.number, now); }
        void operator()(const OpenFile& open) const {
            c.guarded(now, [&] {
                if (is_link(open.path) && c.read.link) return c.show_view(c.read.link(open.path), now);
                if (is_lecture_file(open.path) && c.read.lecture) {
                    c.begin_lecture(c.read.lecture(open.path), now);
                    return c.show_view(c.lecture_.steps[0].view, now);
                }
                if (is_race_file(open.path)) {
                    c.show_race(std::make_shared<const RaceView>(load_race(open.path)));
                    return c.say("Opened " + open.path, now);
                }
                std::string notice;
                const std::shared_ptr<const Trace> trace = load_trace(open.path, &notice);
                if (!trace->header())
                    throw Error(open.path + " holds no run",
                                "Choose a file saved with Ctrl+S or by speclens run.");
                c.show_saved(trace, settings_of(*trace->header()));
                c.say(notice.empty() ? "Opened " + open.path : notice, now);
            });
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
        void operator()(const PressKey& press) const { c.keys_.push_back({.key = press.key}); }
    };
    for (const FrameCommand& command : commands) std::visit(Visitor{*this, now}, command);
}

void Controller::action(Action action, int number, double now) {
    if (const std::string why = why_not(frame(now), action); !why.empty()) return say(why, now);
    RunSettings changed = wished();
    const int beats = scene().beats(scene_input(now));
    const auto beat = [&](int by) {
        int& at = beats_[scene_name_];
        at = std::clamp(at + by, 0, beats - 1);
    };
    switch (action) {
    case Action::undo:
    case Action::redo:
        take_back(action == Action::redo, now);
        break;
    case Action::edit_prompt:
        open_popup(Popup::prompt);
        break;
    case Action::open_file:
        open_popup(Popup::open_file);
        break;
    case Action::save_trace:
        save(now);
        break;
    case Action::export_frame:
        open_popup(Popup::export_frame);
        break;
    case Action::screenshot:
        guarded(now, [&] {
            if (!export_frame) return;
            const std::filesystem::path file = data_folder("shots") / ("speclens-" + stamp() + ".png");
            export_frame(file);
            say("Screenshot: " + file.string(), now);
        });
        break;
    case Action::quit:
        orders.push_back(WindowOrder::quit);
        break;
    case Action::copy_description:
        perform({CopyText{scene().describe(scene_input(now))}}, now);
        break;
    case Action::copy_link:
        guarded(now, [&] { perform({CopyText{to_text(link())}}, now); });
        break;
    case Action::copy_command:
        guarded(now, [&] { perform({CopyText{command_of(link().options)}}, now); });
        break;
    case Action::open_lecture:
        open_popup(Popup::palette);
        chrome.query = "lecture: ";
        break;
    case Action::next_step:
    case Action::previous_step:
        lecture_step(lecture_at_ + (action == Action::next_step ? 1 : -1), now);
        break;
    case Action::notes:
        chrome.notes = !chrome.notes;
        break;
    case Action::play:
        move(Move::play, now);
        break;
    case Action::step:
        beats > 0 ? beat(1) : move(Move::step, now);
        break;
    case Action::back:
        beats > 0 ? beat(-1) : move(Move::back, now);
        break;
    case Action::cycle:
        move(Move::cycle, now);
        break;
    case Action::cycle_back:
        move(Move::cycle_back, now);
        break;
    case Action::to_verify:
        move(Move::verify, now);
        break;
    case Action::to_rejection:
        move(Move::rejection, now);
        break;
    case Action::first:
        beats > 0 ? beat(-beats) : move(Move::first, now);
        break;
    case Action::last:
        beats > 0 ? beat(beats) : move(Move::last, now);
        break;
    case Action::fork:
        open_popup(Popup::fork);
        break;
    case Action::reroll:
        ++changed.seed, change_run(changed, now);
        break;
    case Action::restart:
        restart(changed);
        break;
    case Action::cancel:
        if (port_.send) port_.send(in_race() ? Command{StopRace{}} : Command{Cancel{}});
        break;
    case Action::longer:
    case Action::shorter:
        changed =
            with_draft_length(changed, std::clamp(changed.k + (action == Action::longer ? 1 : -1), 0, 16));
        if (changed.k != wished().k) change_run(changed, now);
        break;
    case Action::hotter:
    case Action::colder: {
        const double t =
            std::clamp(changed.sampling.temperature + (action == Action::hotter ? 0.1 : -0.1), 0.0, 2.0);
        change_run(with_temperature(changed, t < 0.05 ? 0 : t), now);
        break;
    }
    case Action::fewer_ids:
        if (const Header* header = source_.view().header) {
            changed.options.fr_spec = changed.options.fr_spec > 0 ? 0 : header->vocab / 4;
            change_run(changed, now);
        }
        break;
    case Action::faster:
        speed_ = std::min(4.0, speed_ * 2);
        break;
    case Action::slower:
        speed_ = std::max(0.25, speed_ / 2);
        break;
    case Action::next_scene:
    case Action::previous_scene: {
        const auto& list = scene_list();
        const auto at =
            std::ranges::find_if(list, [&](const SceneInfo& info) { return scene_name_ == info.name; });
        const auto count = static_cast<std::ptrdiff_t>(list.size());
        const std::ptrdiff_t next =
            ((at - list.begin()) + (action == Action::next_scene ? 1 : count - 1)) % count;
        open_scene(list[static_cast<std::size_t>(next)].name);
        break;
    }
    case Action::run_ahead:
        run_ahead_ = !run_ahead_;
        if (port_.set_budget) port_.set_budget(run_ahead_ ? Gate::kUnlimited : 0);
        break;
    case Action::cancel_loading:
        if (port_.cancel_loading) port_.cancel_loading();
        break;
    case Action::details:
        chrome.layout.details = !chrome.layout.details;
        break;
    case Action::controls:
        chrome.layout.controls = !chrome.layout.controls;
        break;
    case Action::present:
        chrome.layout.presenter = !chrome.layout.presenter;
        break;
    case Action::next_region:
        chrome.layout.region = static_cast<Region>((static_cast<int>(chrome.layout.region) + 1) % kRegions);
        break;
    case Action::theme_dark:
        theme = ui::ThemeKind::dark;
        break;
    case Action::theme_light:
        theme = ui::ThemeKind::light;
        break;
    case Action::theme_contrast:
        theme = ui::ThemeKind::contrast;
        break;
    case Action::zoom_in:
        zoom = std::min(3.0F, zoom + (zoom < 1.5F ? 0.1F : 0.25F));
        break;
    case Action::zoom_out:
        zoom = std::max(0.7F, zoom - (zoom <= 1.55F ? 0.1F : 0.25F));
        break;
    case Action::zoom_reset:
        zoom = 1;
        break;
    case Action::reduced_motion:
        reduced_motion = !reduced_motion;
        break;
    case Action::letters:
        letters_article_ = !letters_article_;
        break;
    case Action::fullscreen:
        orders.push_back(WindowOrder::fullscreen);
        break;
    case Action::palette:
        open_popup(Popup::palette);
        break;
    case Action::glossary:
        open_popup(Popup::glossary);
        if (number > 0 && number <= static_cast<int>(glossary.size()))
            chrome.query = glossary[static_cast<std::size_t>(number - 1)].term;
        break;
    case Action::quiz:
        if (!chrome.quiz.running()) { // with what the open scene shows
            const auto first = std::ranges::find(quiz, scene_name_, &QuizQuestion::scene);
            chrome.quiz.begin(quiz.size(),
                              first == quiz.end() ? 0 : static_cast<std::size_t>(first - quiz.begin()));
        }
        open_popup(Popup::quiz);
        break;
    case Action::black:
        chrome.overlay.black = true;
        break;
    case Action::light:
        chrome.overlay.light = !chrome.overlay.light;
        break;
    case Action::pen:
        chrome.overlay.pen = !chrome.overlay.pen;
        chrome.overlay.strokes.clear();
        if (chrome.overlay.pen) say("Draw with the left button; F9 or Esc puts the pen away", now);
        break;
    case Action::keys:
        open_popup(Popup::keys);
        break;
    case Action::description:
        open_popup(Popup::description);
        break;
    case Action::pick_drafter: {
        const auto& list = drafter_list();
        if (number < 0 || number >= static_cast<int>(list.size()) ||
            list[static_cast<std::size_t>(number)].name == wished().drafter)
            break;
        changed = with_drafter(changed, list[static_cast<std::size_t>(number)].name);
        if (std::ranges::find(status_.ready_drafters, changed.drafter) == status_.ready_drafters.end())
            say(changed.drafter + " cannot run with these models", now);
        else
            change_run(changed, now);
        break;
    }
    }
}

} // namespace speclens
