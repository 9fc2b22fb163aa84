#include "app/frame/actions.h"
#include "app/frontend/window_keys.h"

namespace speclens {

const std::vector<ActionInfo>& action_list() {
    using ui::Key;
    constexpr ui::Mods kPlain{}, kCtrl{.ctrl = true}, kShift{.shift = true};
    static const std::vector<ActionInfo> list = {
        {Action::edit_prompt, "File", "New run: edit the prompt…", "Ctrl+N", Key::n, kCtrl},
        {Action::open_file, "File", "Open a run, a race, a lecture or a link…", "Ctrl+O", Key::o, kCtrl},
        {Action::open_model, "File", "Open a model…", "Ctrl+Shift+O", Key::o, {.shift = true, .ctrl = true}},
        {Action::get_model, "File", "Get SmolLM2, a real model…", "", Key::none, kPlain},
        {Action::save_trace, "File", "Save this run or race", "Ctrl+S", Key::s, kCtrl},
        {Action::export_frame, "File", "Export the frame as PNG or SVG…", "Ctrl+E", Key::e, kCtrl},
        {Action::share,
         "File",
         "Share this round or race: a loop, a card, the link",
         "Ctrl+Shift+E",
         Key::e,
         {.shift = true, .ctrl = true}},
        {Action::screenshot, "File", "Screenshot", "F12", Key::f12, kPlain},
        {Action::quit, "File", "Quit", "Ctrl+Q", Key::q, kCtrl},
        {Action::undo, "Edit", "Undo the last change", "Ctrl+Z", Key::z, kCtrl},
        {Action::redo, "Edit", "Redo", "Ctrl+Y", Key::y, kCtrl},
        {Action::copy_description, "Edit", "Copy this frame in words", "Ctrl+Shift+C", Key::c, {.shift = true, .ctrl = true}},
        {Action::copy_link, "Edit", "Copy a link to this frame", "Ctrl+L", Key::l, kCtrl},
        {Action::copy_command, "Edit", "Copy this run as a command", "Ctrl+Shift+L", Key::l, {.shift = true, .ctrl = true}},
        {Action::play, "Run", "Play or pause", "Space", Key::space, kPlain, Key::p},
        {Action::step, "Run", "Step", "→", Key::right, kPlain, Key::page_down},
        {Action::back, "Run", "Back", "←", Key::left, kPlain, Key::page_up, Key::backspace},
        {Action::round, "Run", "Next round", "Shift+→", Key::right, kShift},
        {Action::round_back, "Run", "Previous round", "Shift+←", Key::left, kShift},
        {Action::to_verify, "Run", "To the verify pass", "V", Key::v, kPlain},
        {Action::to_rejection, "Run", "To the next rejection", "X", Key::x, kPlain, Key::f8},
        {Action::first, "Run", "First step", "Home", Key::home, kPlain},
        {Action::last, "Run", "Last step", "End", Key::end, kPlain},
        {Action::slower, "Run", "Play slower", "[", Key::bracket_left, kPlain},
        {Action::faster, "Run", "Play faster", "]", Key::bracket_right, kPlain},
        {Action::race_prompt, "Run", "Race this prompt", "Ctrl+R", Key::r, kCtrl},
        {Action::fork, "Run", "Fork here…", "F", Key::f, kPlain},
        {Action::reroll, "Run", "Roll other dice", "R", Key::r, kPlain},
        {Action::restart, "Run", "Restart with the same seed", "Shift+R", Key::r, kShift},
        {Action::cancel, "Run", "Stop what is running", "Esc", Key::none, kPlain}, // compose() takes the key
        {Action::longer, "Run", "Longer drafts", "K", Key::k, kPlain},
        {Action::shorter, "Run", "Shorter drafts", "Shift+K", Key::k, kShift},
        {Action::draft_lengths, "Run", "How K is chosen…", "", Key::none, kPlain},
        {Action::hotter, "Run", "Temperature + 0.1", "T", Key::t, kPlain},
        {Action::colder, "Run", "Temperature − 0.1", "Shift+T", Key::t, kShift},
        {Action::likeliest, "Run", "Guess the likeliest tokens instead of drawing", "Shift+L", Key::l, kShift},
        {Action::fewer_ids, "Run", "Draft with a quarter of the ids (FR-Spec)", "", Key::none, kPlain},
        {Action::next_scene, kSceneMenu, "Next scene", "Ctrl+PageDown", Key::page_down, kCtrl},
        {Action::previous_scene, kSceneMenu, "Previous scene", "Ctrl+PageUp", Key::page_up, kCtrl},
        {Action::run_ahead, "Engine", "Run ahead of the picture", "", Key::none, kPlain},
        {Action::cancel_loading, "Engine", "Cancel loading", "", Key::none, kPlain},
        {Action::details, "View", "Details", "I", Key::i, kPlain},
        {Action::controls, "View", "Controls", "Shift+I", Key::i, kShift},
        {Action::next_region, "View", "Next region", "F6", Key::f6, kPlain},
        {Action::previous_region, "View", "Previous region", "Shift+F6", Key::f6, kShift},
        {Action::present, "View", "Presenter: large type, fewer parts", "F5", Key::f5, kPlain},
        {Action::theme_dark, "View", "Dark theme", "", Key::none, kPlain},
        {Action::theme_light, "View", "Light theme", "", Key::none, kPlain},
        {Action::theme_contrast, "View", "High contrast theme", "", Key::none, kPlain},
        {Action::zoom_in, "View", "Zoom in", "Ctrl+=", Key::equal, kCtrl},
        {Action::zoom_out, "View", "Zoom out", "Ctrl+-", Key::minus, kCtrl},
        {Action::zoom_reset, "View", "Zoom to fit the window", "Ctrl+0", Key::d0, kCtrl},
        {Action::reduced_motion, "View", "Reduced motion", "", Key::none, kPlain},
        {Action::letters, "View", "Swap the letters p and q", "", Key::none, kPlain},
        {Action::language, "View", "Next language: English, Deutsch", "", Key::none, kPlain},
        {Action::fullscreen, "View", "Full screen", "F11", Key::f11, kPlain},
        {Action::open_lecture, "Teach", "Open a lecture…", "", Key::none, kPlain},
        {Action::next_step, "Teach", "Next step of the lecture", "PageDown", Key::none, kPlain},
        {Action::previous_step, "Teach", "Previous step of the lecture", "PageUp", Key::none, kPlain},
        {Action::notes, "Teach", "Notes of this step", "F4", Key::f4, kPlain},
        {Action::try_live, "Teach", "Try this step live, on its own model, or go back", "F3", Key::f3, kPlain},
        {Action::leave_lecture, "Teach", "Leave the lecture", "", Key::none, kPlain},
        {Action::black, "Teach", "Black screen", ".", Key::period, kPlain},
        {Action::light, "Teach", "Light around the pointer", "F7", Key::f7, kPlain},
        {Action::pen, "Teach", "Pen: draw on the picture", "F9", Key::f9, kPlain},
        {Action::quiz, "Teach", "Quiz", "Q", Key::q, kPlain},
        {Action::palette, "Help", "Commands, scenes, tokens…", "Ctrl+K", Key::k, kCtrl},
        {Action::opening, "Help", "What this is about, in ten seconds", "", Key::none, kPlain},
        {Action::glossary, "Help", "Glossary", "G", Key::g, kPlain},
        {Action::keys, "Help", "Keys", "?", Key::slash, kShift, Key::f1},
        {Action::description, "Help", "This frame in words", "D", Key::d, kPlain},
        {Action::words_page, "Help", "This frame in words, in the browser", "Shift+D", Key::d, kShift},
    };
    return list;
}

const char* also_called(Action action) {
    switch (action) {
    case Action::edit_prompt: return "text question input write begin";
    case Action::open_file: return "load saved session trace";
    case Action::open_model: return "load switch change other target tiny smollm2 gguf weights";
    case Action::get_model: return "fetch download install smollm2 other target";
    case Action::save_trace: return "keep store session trace";
    case Action::export_frame: return "picture image slide figure";
    case Action::share: return "send post gif film video animation picture url";
    case Action::screenshot: return "picture image photo";
    case Action::quit: return "exit close leave end";
    case Action::undo: return "back revert";
    case Action::redo: return "again";
    case Action::copy_description: return "text clipboard describe";
    case Action::copy_link: return "share url address clipboard";
    case Action::copy_command: return "share terminal shell clipboard";
    case Action::play: return "start continue animate";
    case Action::race_prompt: return "compare drafters same text";
    case Action::step: return "next forward";
    case Action::back: return "previous step";
    case Action::round: return "cycle forward";
    case Action::round_back: return "cycle back";
    case Action::to_verify: return "check target";
    case Action::to_rejection: return "rejected wrong guess";
    case Action::first: return "start beginning";
    case Action::last: return "end finish";
    case Action::slower:
    case Action::faster: return "speed pace";
    case Action::fork: return "branch force change token";
    case Action::reroll: return "seed random another";
    case Action::restart: return "run again repeat rerun";
    case Action::cancel: return "cancel abort halt end race training measurement study";
    case Action::longer: return "draft length K more guesses settings";
    case Action::shorter: return "draft length K fewer guesses settings";
    case Action::draft_lengths: return "K auto adaptive draft length costs measure settings";
    case Action::hotter: return "warmer hotter heat random sampling settings";
    case Action::colder: return "cooler greedy sampling settings";
    case Action::likeliest: return "draft temperature argmax greedy deterministic drafts settings";
    case Action::fewer_ids: return "vocabulary head settings";
    case Action::run_ahead: return "pause wait engine settings";
    case Action::cancel_loading: return "stop abort models";
    case Action::details: return "panel drawer show hide";
    case Action::controls: return "settings panel drawer show hide";
    case Action::next_region:
    case Action::previous_region: return "part panel focus";
    case Action::present: return "projector beamer slides lecture room big font settings";
    case Action::theme_dark: return "colours colors mode night black settings";
    case Action::theme_light: return "colours colors mode day white settings";
    case Action::theme_contrast: return "colours colors mode settings";
    case Action::zoom_in: return "larger bigger size scale font settings";
    case Action::zoom_out: return "smaller size scale font settings";
    case Action::zoom_reset: return "reset 100 size scale font settings";
    case Action::reduced_motion: return "animation settings";
    case Action::letters: return "notation symbols settings";
    case Action::language: return "sprache deutsch german englisch translation settings";
    case Action::fullscreen: return "window maximise maximize";
    case Action::open_lecture: return "first lesson course class teach";
    case Action::notes: return "speaker lecture";
    case Action::try_live: return "own model recorded head load back lecture";
    case Action::leave_lecture: return "close end exit stop course";
    case Action::black: return "blank hide dark";
    case Action::light: return "spotlight torch highlight laser";
    case Action::pen: return "annotate mark paint";
    case Action::quiz: return "question test exam";
    case Action::glossary: return "words terms definitions dictionary help";
    case Action::opening: return "first introduction intro welcome begin start doors";
    case Action::keys: return "shortcuts keyboard help";
    case Action::description: return "describe text help";
    case Action::words_page: return "describe text screen reader orca accessibility speech help";
    case Action::next_scene:
    case Action::previous_scene:
    case Action::next_step:
    case Action::previous_step:
    case Action::palette:
    case Action::pick_drafter:
    case Action::to_step: break;
    }
    return "";
}

const std::vector<const char*>& menu_names() {
    static const std::vector<const char*> names = {"File", "Edit", "Run", kSceneMenu, "Engine", "View", "Teach", "Help"};
    return names;
}

std::vector<std::pair<std::string, std::string>> cli::window_keys() {
    std::vector<std::pair<std::string, std::string>> keys;
    for (const ActionInfo& info : action_list())
        if (info.shortcut && *info.shortcut) keys.emplace_back(info.shortcut, info.label);
    return keys;
}

} // namespace speclens
