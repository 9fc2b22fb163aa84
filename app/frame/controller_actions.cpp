// What each action of the table does: keys, menus and palette all end here.
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

#include "app/frame/controller.h"
#include "app/frame/window_assets.h"
#include "app/views/languages.h"
#include "engine/drafters/drafter_info.h"
#include "engine/models/models.h"
#include "kernels/error.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/speak.h"

namespace speclens {
namespace {

// False: it is not in the table.
bool does(Action action, std::initializer_list<std::pair<Action, std::function<void()>>> table) {
    const auto found = std::ranges::find_if(table, [&](const auto& row) { return row.first == action; });
    if (found != table.end()) found->second();
    return found != table.end();
}

void flip(bool& what) { what = !what; }

} // namespace

// What is on screen goes first: a race that waits for a training is stopped before it. A stepped race waits
// for the user as well, so then it is the training.
void Controller::stop_work() {
    SceneInput shown;
    run_.fill(shown);
    ahead_.stopped(&cursor_.source.trace());
    const bool stands = race_.in_steps() && measuring(shown, &common_.status);
    common_.send(in_race() && race_.goes_on() && !stands ? Command{StopRace{}} : Command{Cancel{}});
}

void Controller::action(Action action, int number, double now) {
    FrameInput shown = frame(now);
    shown.too_small_to_present = chrome.too_small_to_present;
    if (const Message why = why_not(shown, action); !why.empty()) return common_.say(why, now);
    CHECK(popup_action(action, number) || move_action(action, now) || run_action(action, number, now) ||
              lecture_action(action, number, now) || file_action(action, now) || look_action(action, now),
          "an action that does nothing");
}

bool Controller::popup_action(Action action, int number) {
    static constexpr std::pair<Action, Popup> kPopups[] = {
        {Action::edit_prompt, Popup::prompt}, {Action::open_file, Popup::open_file},       {Action::open_model, Popup::models},
        {Action::fork, Popup::fork},          {Action::export_frame, Popup::export_frame}, {Action::open_lecture, Popup::palette},
        {Action::palette, Popup::palette},    {Action::glossary, Popup::glossary},         {Action::quiz, Popup::quiz},
        {Action::keys, Popup::keys},          {Action::description, Popup::description},   {Action::draft_lengths, Popup::lengths}};
    const auto found = std::ranges::find(kPopups, action, &std::pair<Action, Popup>::first);
    if (found == std::end(kPopups)) return false;
    if (action == Action::quiz && !chrome.quiz.running()) { // with what the open scene shows
        const auto first = std::ranges::find(quiz, scene_name_, &QuizQuestion::scene);
        chrome.quiz.begin(quiz.size(), first == quiz.end() ? 0 : static_cast<std::size_t>(first - quiz.begin()));
    }
    open_popup(found->second);
    if (action == Action::open_lecture) chrome.query = "lecture: ";
    if (action == Action::glossary && number > 0 && number <= static_cast<int>(glossary.size()))
        chrome.query = glossary[static_cast<std::size_t>(number - 1)].term;
    return true;
}

bool Controller::move_action(Action action, double now) {
    // clang-format off
    static constexpr std::pair<Action, Move> kMoves[] = {
        {Action::play, Move::play},         {Action::step, Move::step},           {Action::back, Move::back},
        {Action::round, Move::round},       {Action::round_back, Move::round_back}, {Action::to_verify, Move::verify},
        {Action::first, Move::first},       {Action::last, Move::last},           {Action::to_rejection, Move::rejection}};
    // clang-format on
    const auto found = std::ranges::find(kMoves, action, &std::pair<Action, Move>::first);
    if (found == std::end(kMoves)) return false;
    const Move where = found->second;
    const int beats = this->beats(now);
    const bool in_story = beats > 0 && (where == Move::step || where == Move::back || where == Move::first || where == Move::last);
    if (!in_story) return move(where, now), true;
    common_.player.playing = false;
    if (where == Move::step) return step_beat(1), true;
    place_.reset();
    int& at = beats_[scene_name_];
    at = where == Move::first ? 0 : std::clamp(where == Move::last ? beats : at - 1, 0, beats - 1);
    return true;
}

bool Controller::run_action(Action action, int number, double now) {
    RunSettings next = wished();
    return does(action, {
                            {Action::undo, [&] { take_back(false, now); }},
                            {Action::redo, [&] { take_back(true, now); }},
                            {Action::reroll, [&] { ++next.seed, change_run(next, now); }},
                            {Action::restart, [&] { change_run(next, now); }},
                            {Action::cancel, [&] { stop_work(); }},
                            {Action::longer, [&] { in_race() || !run_.at_limit(now) ? change_length(1, now) : void(); }},
                            {Action::shorter, [&] { change_length(-1, now); }},
                            {Action::hotter, [&] { change_heat(0.1, now); }},
                            {Action::colder, [&] { change_heat(-0.1, now); }},
                            {Action::likeliest, [&] { change_run(with_likeliest_drafts(next, !likeliest_drafts(next)), now); }},
                            {Action::fewer_ids,
                             [&] {
                                 const Header* header = cursor_.source.view().header;
                                 next.options.fr_spec = draft_ids(next.options) > 0 || !header ? 0 : header->vocab / 4;
                                 next.options.small_ids = 0;
                                 if (header) change_run(next, now);
                             }},
                            {Action::pick_drafter,
                             [&] {
                                 const auto& list = drafter_list();
                                 if (number >= 0 && number < static_cast<int>(list.size()))
                                     pick_drafter(list[static_cast<std::size_t>(number)].name, now);
                             }},
                            {Action::race_prompt, [&] { race_prompt(now); }},
                            {Action::examine_head,
                             [&] {
                                 open_scene("drafters");
                                 beats_[scene_name_] = beats(now) - 1; // where the head doctor is
                                 common_.send(Command{ExamineHead{network_of(next.drafter)}});
                             }},
                            {Action::run_ahead,
                             [&] {
                                 common_.run_ahead = !common_.run_ahead;
                                 if (common_.port.set_budget) common_.port.set_budget(common_.run_ahead ? kUnlimitedPhases : 0);
                             }},
                            {Action::get_model, [&] { get_model(fetchables().front().name, now); }},
                            {Action::cancel_loading, [&] { common_.port.cancel_loading ? common_.port.cancel_loading() : void(); }},
                        });
}

// The command line takes more than the keys go to: they step back from there, and never leap.
void Controller::change_length(int by, double now) {
    const RunSettings& run = wished();
    const int k = std::clamp(run.k + by, 0, std::max(16, run.k));
    if (with_draft_length(run, k).k != run.k) change_run(with_draft_length(run, k), now);
}

void Controller::change_heat(double by, double now) {
    const double before = wished().sampling.temperature, t = std::clamp(before + by, 0.0, std::max(2.0, before));
    if (t != before) change_run(with_temperature(wished(), t < 0.05 ? 0 : t), now);
}

void Controller::pick_drafter(const std::string& name, double now) {
    if (name == wished().drafter) return;
    if (!common_.can_run(name)) {
        if (awaits_heads(
                {name}, [this, name](double then) { pick_drafter(name, then); }, now))
            return;
        return common_.say(shared_says("other_drafter.cannot_run"_t, "drafter"_v = name), now);
    }
    change_run(with_drafter(wished(), name), now);
}

bool Controller::lecture_action(Action action, int number, double now) {
    const auto turn = [&](int by) { lecture_step(lecture_.at() + (lecture_.place()->away(scene_name_) ? 0 : by), now); };
    return does(action, {
                            {Action::next_step, [&] { turn(1); }},
                            {Action::previous_step, [&] { turn(-1); }},
                            {Action::to_step, [&] { lecture_step(number, now); }},
                            {Action::notes, [&] { flip(chrome.notes); }},
                            {Action::try_live, [&] { try_live(now); }},
                            {Action::leave_lecture,
                             [&] {
                                 lecture_.leave();
                                 chrome.notes = false;
                                 common_.say(frame_says("notice.left"_t), now);
                             }},
                        });
}

bool Controller::file_action(Action action, double now) {
    const auto copy = [&](const std::string& text) { perform({CopyText{text}}, now); };
    return does(action, {
                            {Action::save_trace, [&] { save(now); }},
                            {Action::screenshot, [&] { guarded([&] { files_.screenshot(export_frame, now); }); }},
                            {Action::share, [&] { guarded([&] { share(now); }); }},
                            {Action::copy_description, [&] { copy(in_english([&] { return scene().describe(scene_input(now)); })); }},
                            {Action::copy_link, [&] { guarded([&] { copy(to_text(link(), links_to_)); }); }},
                            {Action::copy_command, [&] { guarded([&] { copy(command_of(link(LinkFor::command).options, places())); }); }},
                            {Action::quit, [&] { orders.push_back(WindowOrder::quit); }},
                            {Action::fullscreen, [&] { orders.push_back(WindowOrder::fullscreen); }},
                            {Action::words_page, [&] { orders.push_back(WindowOrder::words_page); }},
                        });
}

bool Controller::look_action(Action action, double now) {
    double& speed = common_.player.speed;
    return does(action, {
                            {Action::faster, [&] { speed = std::min(4.0, speed * 2); }},
                            {Action::slower, [&] { speed = std::max(0.25, speed / 2); }},
                            {Action::next_scene, [&] { open_scene(scene_beside(scene_name_, 1).name); }},
                            {Action::previous_scene, [&] { open_scene(scene_beside(scene_name_, -1).name); }},
                            {Action::details, [&] { flip(chrome.layout.details); }},
                            {Action::controls, [&] { flip(chrome.layout.controls); }},
                            {Action::present, [&] { flip(chrome.layout.presenter); }},
                            {Action::next_region, [&] { next_region(1); }},
                            {Action::previous_region, [&] { next_region(-1); }},
                            {Action::theme_dark, [&] { theme = ui::ThemeKind::dark; }},
                            {Action::theme_light, [&] { theme = ui::ThemeKind::light; }},
                            {Action::theme_contrast, [&] { theme = ui::ThemeKind::contrast; }},
                            {Action::zoom_in, [&] { change_zoom(1); }},
                            {Action::zoom_out, [&] { change_zoom(-1); }},
                            {Action::zoom_reset, [&] { zoom = 0; }},
                            {Action::language, [&] { speak_next(now); }},
                            {Action::reduced_motion, [&] { flip(reduced_motion); }},
                            {Action::letters, [&] { flip(letters_article_); }},
                            {Action::black, [&] { chrome.overlay.black = true; }},
                            {Action::light, [&] { flip(chrome.overlay.light); }},
                            {Action::opening, [&] { chrome.opening = {.open = true}; }},
                            {Action::pen,
                             [&] {
                                 flip(chrome.overlay.pen);
                                 chrome.overlay.strokes.clear();
                                 if (chrome.overlay.pen) common_.say(frame_says("notice.pen"_t), now);
                             }},
                        });
}

// The texts are read anew, so one can look at what one translates without starting again.
void Controller::speak_next(double now) {
    guarded([&] {
        const std::vector<std::string> all = shipped_languages();
        const auto at = std::ranges::find(all, ui::language().name);
        const std::string next = at == all.end() || at + 1 == all.end() ? all.front() : *(at + 1);
        speak(next);
        language_ = next;
        WindowTexts texts = load_window_texts(assets_folder(), next);
        glossary = std::move(texts.glossary);
        quiz = std::move(texts.quiz);
        chrome.quiz = {};
        if (read.list) read.lectures = read.list();
        if (!texts.problem.empty()) throw Error(texts.problem, texts.remedy);
        common_.say(ui::language().title, now);
    });
}

void Controller::next_region(int by) {
    chrome.jump += by;
    if (chrome.density != Density::single) return;
    const int region = static_cast<int>(chrome.layout.region) + by + kRegions;
    chrome.layout.region = static_cast<Region>(region % kRegions);
    chrome.jump = 1; // into what is shown now
}

} // namespace speclens
