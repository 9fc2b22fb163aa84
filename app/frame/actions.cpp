#include "app/frame/actions.h"

#include "app/frontend/window_keys.h"

namespace speclens {
namespace {

using ui::Key;

// Its words: edit_prompt = {label = "…", also = "…"}.
template <StoryLabel Id>
ActionInfo row(Action action, Menu menu, TextId<Id>, const char* shortcut = "", Key key = Key::none, ui::Mods mods = {},
               Key second = Key::none, Key third = Key::none) {
    return {action,
            menu,
            story::said<"frame", story::PartOf<Id, "label">>(),
            story::said<"frame", story::PartOf<Id, "also">>(),
            shortcut,
            key,
            mods,
            second,
            third};
}

} // namespace

const std::vector<ActionInfo>& action_list() {
    constexpr ui::Mods kPlain{}, kCtrl{.ctrl = true}, kShift{.shift = true};
    static const std::vector<ActionInfo> list = {
        row(Action::edit_prompt, Menu::file, "edit_prompt"_t, "Ctrl+N", Key::n, kCtrl),
        row(Action::open_file, Menu::file, "open_file"_t, "Ctrl+O", Key::o, kCtrl),
        row(Action::open_model, Menu::file, "open_model"_t, "Ctrl+Shift+O", Key::o, {.shift = true, .ctrl = true}),
        row(Action::get_model, Menu::file, "get_model"_t),
        row(Action::save_trace, Menu::file, "save_trace"_t, "Ctrl+S", Key::s, kCtrl),
        row(Action::export_frame, Menu::file, "export_frame"_t, "Ctrl+E", Key::e, kCtrl),
        row(Action::share, Menu::file, "share"_t, "Ctrl+Shift+E", Key::e, {.shift = true, .ctrl = true}),
        row(Action::screenshot, Menu::file, "screenshot"_t, "F12", Key::f12),
        row(Action::quit, Menu::file, "quit"_t, "Ctrl+Q", Key::q, kCtrl),
        row(Action::undo, Menu::edit, "undo"_t, "Ctrl+Z", Key::z, kCtrl),
        row(Action::redo, Menu::edit, "redo"_t, "Ctrl+Y", Key::y, kCtrl),
        row(Action::copy_description, Menu::edit, "copy_description"_t, "Ctrl+Shift+C", Key::c, {.shift = true, .ctrl = true}),
        row(Action::copy_link, Menu::edit, "copy_link"_t, "Ctrl+L", Key::l, kCtrl),
        row(Action::copy_command, Menu::edit, "copy_command"_t, "Ctrl+Shift+L", Key::l, {.shift = true, .ctrl = true}),
        row(Action::play, Menu::run, "play"_t, "Space", Key::space, kPlain, Key::p),
        row(Action::step, Menu::run, "step"_t, "→", Key::right, kPlain, Key::page_down),
        row(Action::back, Menu::run, "back"_t, "←", Key::left, kPlain, Key::page_up, Key::backspace),
        row(Action::round, Menu::run, "round"_t, "Shift+→", Key::right, kShift),
        row(Action::round_back, Menu::run, "round_back"_t, "Shift+←", Key::left, kShift),
        row(Action::to_verify, Menu::run, "to_verify"_t, "V", Key::v),
        row(Action::to_rejection, Menu::run, "to_rejection"_t, "X", Key::x, kPlain, Key::f8),
        row(Action::first, Menu::run, "first"_t, "Home", Key::home),
        row(Action::last, Menu::run, "last"_t, "End", Key::end),
        row(Action::slower, Menu::run, "slower"_t, "[", Key::bracket_left),
        row(Action::faster, Menu::run, "faster"_t, "]", Key::bracket_right),
        row(Action::race_prompt, Menu::run, "race_prompt"_t, "Ctrl+R", Key::r, kCtrl),
        row(Action::fork, Menu::run, "fork"_t, "F", Key::f),
        row(Action::reroll, Menu::run, "reroll"_t, "R", Key::r),
        row(Action::restart, Menu::run, "restart"_t, "Shift+R", Key::r, kShift),
        row(Action::cancel, Menu::run, "cancel"_t, "Esc"), // compose() takes the key
        row(Action::longer, Menu::run, "longer"_t, "K", Key::k),
        row(Action::shorter, Menu::run, "shorter"_t, "Shift+K", Key::k, kShift),
        row(Action::draft_lengths, Menu::run, "draft_lengths"_t),
        row(Action::hotter, Menu::run, "hotter"_t, "T", Key::t),
        row(Action::colder, Menu::run, "colder"_t, "Shift+T", Key::t, kShift),
        row(Action::likeliest, Menu::run, "likeliest"_t, "Shift+L", Key::l, kShift),
        row(Action::fewer_ids, Menu::run, "fewer_ids"_t),
        row(Action::next_scene, Menu::scene, "next_scene"_t, "Ctrl+PageDown", Key::page_down, kCtrl),
        row(Action::previous_scene, Menu::scene, "previous_scene"_t, "Ctrl+PageUp", Key::page_up, kCtrl),
        row(Action::examine_head, Menu::engine, "examine_head"_t),
        row(Action::run_ahead, Menu::engine, "run_ahead"_t),
        row(Action::cancel_loading, Menu::engine, "cancel_loading"_t),
        row(Action::details, Menu::view, "details"_t, "I", Key::i),
        row(Action::controls, Menu::view, "controls"_t, "Shift+I", Key::i, kShift),
        row(Action::next_region, Menu::view, "next_region"_t, "F6", Key::f6),
        row(Action::previous_region, Menu::view, "previous_region"_t, "Shift+F6", Key::f6, kShift),
        row(Action::present, Menu::view, "present"_t, "F5", Key::f5),
        row(Action::theme_dark, Menu::view, "theme_dark"_t),
        row(Action::theme_light, Menu::view, "theme_light"_t),
        row(Action::theme_contrast, Menu::view, "theme_contrast"_t),
        row(Action::zoom_in, Menu::view, "zoom_in"_t, "Ctrl+=", Key::equal, kCtrl),
        row(Action::zoom_out, Menu::view, "zoom_out"_t, "Ctrl+-", Key::minus, kCtrl),
        row(Action::zoom_reset, Menu::view, "zoom_reset"_t, "Ctrl+0", Key::d0, kCtrl),
        row(Action::reduced_motion, Menu::view, "reduced_motion"_t),
        row(Action::letters, Menu::view, "letters"_t),
        row(Action::language, Menu::view, "language"_t),
        row(Action::fullscreen, Menu::view, "fullscreen"_t, "F11", Key::f11),
        row(Action::open_lecture, Menu::teach, "open_lecture"_t),
        row(Action::next_step, Menu::teach, "next_step"_t, "PageDown"),
        row(Action::previous_step, Menu::teach, "previous_step"_t, "PageUp"),
        row(Action::notes, Menu::teach, "notes"_t, "F4", Key::f4),
        row(Action::try_live, Menu::teach, "try_live"_t, "F3", Key::f3),
        row(Action::leave_lecture, Menu::teach, "leave_lecture"_t),
        row(Action::black, Menu::teach, "black"_t, ".", Key::period),
        row(Action::light, Menu::teach, "light"_t, "F7", Key::f7),
        row(Action::pen, Menu::teach, "pen"_t, "F9", Key::f9),
        row(Action::quiz, Menu::teach, "quiz"_t, "Q", Key::q),
        row(Action::palette, Menu::help, "palette"_t, "Ctrl+K", Key::k, kCtrl),
        row(Action::opening, Menu::help, "opening"_t),
        row(Action::glossary, Menu::help, "glossary"_t, "G", Key::g),
        row(Action::keys, Menu::help, "keys"_t, "?", Key::slash, kShift, Key::f1),
        row(Action::description, Menu::help, "description"_t, "D", Key::d),
        row(Action::words_page, Menu::help, "words_page"_t, "Shift+D", Key::d, kShift),
    };
    return list;
}

std::vector<Message> menu_names() {
    return {frame_says("menu.file"_t),   frame_says("menu.edit"_t), frame_says("menu.run"_t),   frame_says("menu.scene"_t),
            frame_says("menu.engine"_t), frame_says("menu.view"_t), frame_says("menu.teach"_t), frame_says("menu.help"_t)};
}

std::vector<std::pair<std::string, std::string>> cli::window_keys() {
    std::vector<std::pair<std::string, std::string>> keys;
    for (const ActionInfo& info : action_list())
        if (*info.shortcut) keys.emplace_back(info.shortcut, message(info.label));
    return keys;
}

} // namespace speclens
