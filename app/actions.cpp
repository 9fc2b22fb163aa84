#include "app/actions.h"

namespace speclens {

const std::vector<ActionInfo>& action_list() {
    using ui::Key;
    constexpr ui::Mods kPlain{}, kCtrl{.ctrl = true}, kShift{.shift = true};
    static const std::vector<ActionInfo> list = {
        {Action::edit_prompt, "File", "New run: edit the prompt…", "Ctrl+N", Key::n, kCtrl},
        {Action::open_file, "File", "Open a run, a race, a lecture or a link…", "Ctrl+O", Key::o, kCtrl},
        {Action::save_trace, "File", "Save this run or race", "Ctrl+S", Key::s, kCtrl},
        {Action::export_frame, "File", "Export the frame as PNG or SVG…", "Ctrl+E", Key::e, kCtrl, Key::e},
        {Action::screenshot, "File", "Screenshot", "F12", Key::f12, kPlain},
        {Action::quit, "File", "Quit", "Ctrl+Q", Key::q, kCtrl},
        {Action::undo, "Edit", "Undo the last change", "Ctrl+Z", Key::z, kCtrl},
        {Action::redo, "Edit", "Redo", "Ctrl+Y", Key::y, kCtrl},
        {Action::copy_description,
         "Edit",
         "Copy this frame in words",
         "Ctrl+Shift+C",
         Key::c,
         {.shift = true, .ctrl = true}},
        {Action::copy_link, "Edit", "Copy a link to this frame", "Ctrl+L", Key::l, kCtrl},
        {Action::copy_command,
         "Edit",
         "Copy this run as a command",
         "Ctrl+Shift+L",
         Key::l,
         {.shift = true, .ctrl = true}},
        {Action::play, "Run", "Play or pause", "P", Key::p, kPlain},
        {Action::step, "Run", "Step", "→", Key::right, kPlain, Key::page_down, Key::space},
        {Action::back, "Run", "Back", "←", Key::left, kPlain, Key::page_up, Key::backspace},
        {Action::cycle, "Run", "Next round", "Shift+→", Key::right, kShift},
        {Action::cycle_back, "Run", "Previous round", "Shift+←", Key::left, kShift},
        {Action::to_verify, "Run", "To the verify pass", "V", Key::v, kPlain},
        {Action::to_rejection, "Run", "To the next rejection", "X", Key::x, kPlain, Key::f8},
        {Action::first, "Run", "First step", "Home", Key::home, kPlain},
        {Action::last, "Run", "Last step", "End", Key::end, kPlain},
        {Action::slower, "Run", "Play slower", "[", Key::bracket_left, kPlain},
        {Action::faster, "Run", "Play faster", "]", Key::bracket_right, kPlain},
        {Action::fork, "Run", "Fork here…", "F", Key::f, kPlain},
        {Action::reroll, "Run", "Roll other dice", "R", Key::r, kPlain},
        {Action::restart, "Run", "Restart with the same seed", "Shift+R", Key::r, kShift},
        {Action::cancel, "Run", "Stop the run", "", Key::none, kPlain},
        {Action::longer, "Run", "Longer drafts", "K", Key::k, kPlain},
        {Action::shorter, "Run", "Shorter drafts", "Shift+K", Key::k, kShift},
        {Action::hotter, "Run", "Temperature + 0.1", "T", Key::t, kPlain},
        {Action::colder, "Run", "Temperature − 0.1", "Shift+T", Key::t, kShift},
        {Action::fewer_ids, "Run", "Draft with a quarter of the ids (FR-Spec)", "", Key::none, kPlain},
        {Action::next_scene, "Scene", "Next scene", "Ctrl+PageDown", Key::page_down, kCtrl},
        {Action::previous_scene, "Scene", "Previous scene", "Ctrl+PageUp", Key::page_up, kCtrl},
        {Action::run_ahead, "Engine", "Run ahead of the picture", "", Key::none, kPlain},
        {Action::cancel_loading, "Engine", "Cancel loading", "", Key::none, kPlain},
        {Action::details, "View", "Details", "I", Key::i, kPlain},
        {Action::controls, "View", "Controls", "Shift+I", Key::i, kShift},
        {Action::next_region, "View", "Next region", "F6", Key::f6, kPlain},
        {Action::present, "View", "Presenter: large type, fewer parts", "F5", Key::f5, kPlain},
        {Action::theme_dark, "View", "Dark", "", Key::none, kPlain},
        {Action::theme_light, "View", "Light", "", Key::none, kPlain},
        {Action::theme_contrast, "View", "High contrast", "", Key::none, kPlain},
        {Action::zoom_in, "View", "Larger", "Ctrl+=", Key::equal, kCtrl},
        {Action::zoom_out, "View", "Smaller", "Ctrl+-", Key::minus, kCtrl},
        {Action::zoom_reset, "View", "100 %", "Ctrl+0", Key::d0, kCtrl},
        {Action::reduced_motion, "View", "Reduced motion", "", Key::none, kPlain},
        {Action::letters, "View", "Swap the letters p and q", "", Key::none, kPlain},
        {Action::fullscreen, "View", "Full screen", "F11", Key::f11, kPlain},
        {Action::open_lecture, "Teach", "Open a lecture…", "", Key::none, kPlain},
        {Action::next_step, "Teach", "Next step of the lecture", "PageDown", Key::none, kPlain},
        {Action::previous_step, "Teach", "Previous step of the lecture", "PageUp", Key::none, kPlain},
        {Action::notes, "Teach", "Notes of this step", "F4", Key::f4, kPlain},
        {Action::black, "Teach", "Black screen", ".", Key::period, kPlain},
        {Action::light, "Teach", "Light around the pointer", "F7", Key::f7, kPlain},
        {Action::pen, "Teach", "Pen: draw on the picture", "F9", Key::f9, kPlain},
        {Action::quiz, "Teach", "Quiz", "Q", Key::q, kPlain},
        {Action::palette, "Help", "Commands, scenes, tokens…", "Ctrl+K", Key::k, kCtrl},
        {Action::glossary, "Help", "Glossary", "G", Key::g, kPlain},
        {Action::keys, "Help", "Keys", "?", Key::slash, kShift, Key::f1},
        {Action::description, "Help", "This frame in words", "D", Key::d, kPlain},
    };
    return list;
}

const std::vector<const char*>& menu_names() {
    static const std::vector<const char*> names = {"File",   "Edit", "Run",   "Scene",
                                                   "Engine", "View", "Teach", "Help"};
    return names;
}

} // namespace speclens
