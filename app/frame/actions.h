// Everything a person can ask of the window, in one table: menus, the command palette, the keys panel and the
// key dispatcher are all made from it. An action that does nothing has no row here.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/shared/told.h"
#include "ui/ui.h"

namespace speclens {

inline constexpr MessagesOf<"frame"> frame_says; // what the window says around a scene: assets/stories/frame.toml

enum class Action : std::uint8_t {
    edit_prompt,
    open_file,
    open_model,
    get_model,
    save_trace,
    export_frame,
    share,
    screenshot,
    quit,
    undo,
    redo,
    copy_description,
    copy_link,
    copy_command,
    play,
    race_prompt,
    step,
    back,
    round,
    round_back,
    to_verify,
    to_rejection,
    first,
    last,
    fork,
    reroll,
    restart,
    cancel,
    longer,
    shorter,
    draft_lengths,
    hotter,
    colder,
    likeliest,
    fewer_ids,
    faster,
    slower,
    next_scene,
    previous_scene,
    examine_head,
    run_ahead,
    cancel_loading,
    details,
    controls,
    next_region,
    previous_region,
    present,
    theme_dark,
    theme_light,
    theme_contrast,
    zoom_in,
    zoom_out,
    zoom_reset,
    reduced_motion,
    letters,
    language,
    fullscreen,
    open_lecture,
    next_step,
    previous_step,
    leave_lecture,
    try_live,
    notes,
    black,
    light,
    pen,
    palette,
    glossary,
    quiz,
    opening,
    keys,
    description,
    pick_drafter, // with a number, from a digit key
    to_step,      // of the lecture, with a number from 0
    words_page,
};

enum class Menu : std::uint8_t { file, edit, run, scene, engine, view, teach, help };

struct ActionInfo {
    Action action;
    Menu menu;            // Menu::scene begins with the scenes, which are no actions
    Said label, also;     // menus and palette; other words that it is looked for by, separated by spaces
    const char* shortcut; // as shown: "Ctrl+S"
    ui::Key key = ui::Key::none;
    ui::Mods mods = {};
    ui::Key second = ui::Key::none; // another key for the same, no modifiers
    ui::Key third = ui::Key::none;
};
[[nodiscard]] const std::vector<ActionInfo>& action_list();
[[nodiscard]] std::vector<Message> menu_names(); // in the order of Menu; each has at least one row

} // namespace speclens
