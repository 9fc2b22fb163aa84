// What each action of the table does: keys, menus and palette all end here.
#include <algorithm>

#include "app/frame/controller.h"
#include "engine/drafters/drafter.h"
#include "kernels/error.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

// A link and a command hold the same; what has no link has no command either, and is asked for by its name.
std::string command_words(const Controller& controller) {
    try {
        return command_of(controller.link().options);
    } catch (const Error& error) {
        const std::string asked = " link";
        std::string words = error.what();
        if (words.ends_with(asked)) words.replace(words.size() - asked.size(), asked.size(), " command");
        throw Error(words, error.remedy(), error.code());
    }
}

} // namespace

void Controller::step_beat(int by) {
    int& at = beats_[scene_name_];
    const int count = scene().beats(scene_input(0));
    if (at + by >= count) {
        const SceneInfo& next = scene_beside(scene_name_, 1);
        beats_[next.name] = 0;
        open_scene(next.name);
    } else {
        at = std::max(0, at + by);
    }
}

// What is on screen goes first: a race that waits for a training is stopped before it. A stepped race waits
// for the user as well, so then it is the training.
void Controller::stop_work() {
    if (!port_.send) return;
    const bool racing = in_race() && !saved_race_ && race() && !race()->cut && !race()->finished();
    const bool stands = in_steps() && measuring(answers_, &status_);
    port_.send(racing && !stands ? Command{StopRace{}} : Command{Cancel{}});
}

void Controller::action(Action action, int number, double now) {
    FrameInput shown = frame(now);
    shown.too_small_to_present = chrome.too_small_to_present;
    if (const std::string why = why_not(shown, action); !why.empty()) return say(why, now);
    RunSettings changed = wished();
    const int beats = this->beats(now);
    const auto beat = [&](int by) {
        playing_ = false;
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
    case Action::open_model:
        open_popup(Popup::models);
        break;
    case Action::get_model:
        get_model(fetchables().front().name, now);
        break;
    case Action::save_trace:
        save(now);
        break;
    case Action::export_frame:
        open_popup(Popup::export_frame);
        break;
    case Action::screenshot:
        screenshot(now);
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
        guarded(now, [&] { perform({CopyText{command_words(*this)}}, now); });
        break;
    case Action::open_lecture:
        open_popup(Popup::palette);
        chrome.query = "lecture: ";
        break;
    case Action::next_step:
    case Action::previous_step:
        if (shown.lecture->away(scene_name_))
            lecture_step(lecture_at_, now);
        else
            lecture_step(lecture_at_ + (action == Action::next_step ? 1 : -1), now);
        break;
    case Action::to_step:
        lecture_step(number, now);
        break;
    case Action::leave_lecture:
        lecture_ = {};
        chrome.notes = false;
        say("Left the lecture: PageDown steps again", now);
        break;
    case Action::notes:
        chrome.notes = !chrome.notes;
        break;
    case Action::play:
        move(Move::play, now);
        break;
    case Action::step:
        beats > 0 ? (playing_ = false, step_beat(1)) : move(Move::step, now);
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
        change_run(changed, now);
        break;
    case Action::cancel:
        stop_work();
        break;
    case Action::longer:
    case Action::shorter:
        if (action == Action::longer && !in_race() && at_limit(now)) return;
        // The command line takes more than the keys go to: they step back from there, and never leap.
        changed = with_draft_length(
            changed, std::clamp(changed.k + (action == Action::longer ? 1 : -1), 0, std::max(16, changed.k)));
        if (changed.k != wished().k) change_run(changed, now);
        break;
    case Action::hotter:
    case Action::colder: {
        const double before = changed.sampling.temperature;
        const double t =
            std::clamp(before + (action == Action::hotter ? 0.1 : -0.1), 0.0, std::max(2.0, before));
        if (t != before) change_run(with_temperature(changed, t < 0.05 ? 0 : t), now);
        break;
    }
    case Action::likeliest:
        change_run(with_likeliest_drafts(changed, !likeliest_drafts(changed)), now);
        break;
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
    case Action::previous_scene:
        open_scene(scene_beside(scene_name_, action == Action::next_scene ? 1 : -1).name);
        break;
    case Action::race_prompt:
        race_prompt(now);
        break;
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
    case Action::previous_region: {
        const int by = action == Action::next_region ? 1 : -1;
        chrome.jump += by;
        if (chrome.density != Density::single) break;
        const int region = static_cast<int>(chrome.layout.region) + by + kRegions;
        chrome.layout.region = static_cast<Region>(region % kRegions);
        chrome.jump = 1; // into what is shown now
        break;
    }
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
        change_zoom(1);
        break;
    case Action::zoom_out:
        change_zoom(-1);
        break;
    case Action::zoom_reset:
        zoom = 0;
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
    case Action::opening:
        chrome.opening = {.open = true};
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
