// One frame of the user interface: what is drawn on, what was pressed, and the few ids that live between
// frames. Immediate mode: a widget is a function, called every frame in reading order; that order is the Tab
// order. Under overlapping widgets the first one called gets the mouse. Nothing survives in `static`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"
#include "ui/input.h"
#include "ui/text_history.h"
#include "ui/theme.h"

namespace speclens::ui {

using Id = std::uint64_t; // hash of a path of names; 0 = none

// Caret and layout of the one text field that has the focus.
struct TextEdit {
    std::size_t caret = 0, anchor = 0; // bytes; anchor is the other end of the selection
    float scroll_x = 0, scroll_y = 0;
    float wanted_x = -1;       // column kept by up and down; -1: none
    double moved_at = 0;       // the caret blinks from here
    std::size_t text_hash = 0; // key of `lines`
    float lines_width = 0;
    std::vector<std::size_t> lines{}; // start of every wrapped line
    TextHistory history{};            // while the field has the focus
};

// Where the keyboard was when a dialog, menu or list opened above it.
struct KeptFocus {
    Id focus = 0;
    bool visible = false;
};

// Everything that lives between frames; owned by the shell, reset when another scene opens.
struct WidgetState {
    Id active = 0;              // holds the mouse button
    Id focus = 0;               // keyboard focus
    bool focus_visible = false; // reached with Tab: ring is drawn, keys act
    bool text_focus = false;    // the focus is a text field: plain keys are text
    Id open = 0;                // dropdown whose list is open
    int open_row = -1;          // row under the keyboard
    float open_scroll = 0;
    int top_layer = 0; // layers below get no input
    Vec2 grab{};       // mouse minus handle when the drag began
    Id hover = 0;      // for the 300 ms of a tooltip
    double hover_since = 0;
    double wake_at = 0;             // time of the next change without input (tooltip, caret); 0: none
    bool focus_moved = false;       // by Tab: a scroll area brings the widget into view
    std::vector<KeptFocus> below{}; // one for each layer above the first: it comes back when the layer goes
    Id auto_focus = 0;              // field that took the focus by itself when it appeared
    TextEdit edit{};
    Id edit_of = 0;               // field `edit` belongs to
    std::map<Id, float> scroll{}; // offsets of scroll areas
};

struct Mods {
    bool shift = false, ctrl = false, alt = false;
};

// One stop of Tab, and what of it is inside the clip.
struct Stop {
    Id id = 0;
    Rect seen{};
};

struct Clipboard {
    std::function<std::string()> get{}; // may be empty: nothing to paste
    std::function<void(const std::string&)> set{};
};

struct Ui {
    Canvas& canvas;
    const Input& input;
    const Theme& theme;
    WidgetState& state;
    Rect screen{};
    Clipboard clipboard{};
    float target = 28; // least size of a pointer target; 40 for touch and presenter
    bool reduced_motion = false;

    Ui(Canvas& canvas, const Input& input, const Theme& theme, WidgetState& state, Rect screen);
    Ui(Canvas&, Input&&, const Theme&, WidgetState&, Rect) = delete; // it is read until the frame ends
    void finish();                                                   // Tab order, popups, tooltips; the last call of a frame

    // ---- names ----
    [[nodiscard]] Id id(std::string_view name) const; // inside the pushed names
    void push_id(std::string_view name);
    void pop_id();

    // ---- places ----
    void push_clip(Rect rect); // of drawing and of the mouse
    void pop_clip();
    void begin_layer(); // a dialog: what is called inside is the only thing that gets input
    void end_layer();
    [[nodiscard]] bool reachable() const { return layer >= state.top_layer; }
    [[nodiscard]] bool mouse_in(Rect rect) const; // false under a dialog or outside the clip

    // ---- keys ----
    // True once per press, for the first who asks, with exactly these modifiers. Plain keys are withheld
    // while a text field has the focus, all keys while a dialog or list is open above the caller.
    bool take_key(Key key, Mods mods = {});
    bool take_typed(char character); // layout-independent: '?', '['
    [[nodiscard]] bool focused(Id which) const { return state.focus == which && which != 0; }
    void move_focus(Id to); // by a key: the ring is drawn, and what scrolls brings the widget into view

    // ---- later ----
    void defer(std::function<void(Ui&)> draw); // drawn by finish(), above everything, one layer up
    void wake(double time);                    // redraw no later than this

    // ---- one frame, used by widgets ----
    int layer = 0, seen_layer = 0;
    bool covered = false;    // something over the whole frame has the mouse
    bool mouse_used = false; // a widget called earlier lies under the mouse
    bool press_used = false;
    bool wheel_used = false;
    Id hover_seen = 0;
    std::vector<Id> scroll_areas{}; // innermost last
    bool text_seen = false, auto_focus_seen = false;
    std::vector<bool> keys_used{};
    std::vector<bool> typed_used{};
    std::vector<Stop> order{};  // of Tab in the top layer, as called
    std::optional<Rect> came{}; // where the focus came to, if no scroll area brought it into view
    bool pans = false;          // what lies outside the clip is brought into view by the caller
    bool active_seen = false, focus_seen = false, open_seen = false;
    std::vector<Id> names{};
    std::vector<Rect> clips{};
    std::vector<std::function<void(Ui&)>> deferred;
    Message tip{}; // text and place of this frame's tooltip
    Rect tip_at{};
    bool tip_beside = false; // at the right of that, where there is room

    bool take_press(const KeyPress& wanted, bool even_in_text);
};

// What the mouse and keyboard did to one rectangle. The base of every widget, and enough for marks in a
// chart.
struct Touch {
    bool hovered = false;
    bool held = false;     // pressed here and still down
    bool began = false;    // pressed in this frame
    bool clicked = false;  // pressed and released inside, or Enter / Space with visible focus
    bool focused = false;  // keys act and the ring is drawn
    bool released = false; // a drag or press that began here ended in this frame
};
struct TouchOptions {
    bool focusable = true;
    bool disabled = false;
    bool grow = true; // to the least pointer target
    bool stop = true; // of Tab; false: only walk() leads to it
};
Touch touch(Ui& ui, Id id, Rect rect, const TouchOptions& options = {});

// Many widgets that are one stop of Tab: `back`, `on`, Home and End lead from one to the next. Called before
// they are drawn; returns which of them is the stop: the one with the focus, else `chosen`.
std::size_t walk(Ui& ui, std::span<const Id> ids, std::size_t chosen, Key back, Key on);

[[nodiscard]] Rect intersect(Rect a, Rect b);

} // namespace speclens::ui
