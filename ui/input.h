// What reached the window in one frame, free of any library: mouse, keys, typed text, time. Tests write it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ui/canvas.h"

namespace speclens::ui {

enum class Key : std::uint8_t {
    none,
    a,
    b,
    c,
    d,
    e,
    f,
    g,
    h,
    i,
    j,
    k,
    l,
    m,
    n,
    o,
    p,
    q,
    r,
    s,
    t,
    u,
    v,
    w,
    x,
    y,
    z,
    d0,
    d1,
    d2,
    d3,
    d4,
    d5,
    d6,
    d7,
    d8,
    d9,
    left,
    right,
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    tab,
    space,
    backspace,
    del,
    insert,
    f1,
    f2,
    f3,
    f4,
    f5,
    f6,
    f7,
    f8,
    f9,
    f10,
    f11,
    f12,
    minus,
    equal,
    bracket_left,
    bracket_right,
    period,
    comma,
    slash,
    semicolon,
    apostrophe,
    backslash,
    grave,
};

struct KeyPress {
    Key key = Key::none;
    bool shift = false, ctrl = false, alt = false;
    bool repeat = false;
    bool composing = false; // an input method holds what was typed before: this Enter is its own
};

struct Input {
    Vec2 mouse{-1, -1};                            // logical px
    bool down = false;                             // left button is held
    bool pressed = false;                          // went down in this frame
    bool released = false;                         // went up in this frame
    int clicks = 1;                                // 2 in the frame of a double click
    float wheel = 0;                               // notches, up is positive
    bool shift = false, ctrl = false, alt = false; // held now
    std::vector<KeyPress> keys{};                  // pressed in this frame, in order
    std::string typed{};                           // UTF-8 text of this frame
    std::vector<std::string> dropped{};            // paths of files that were let go over the window
    double time = 0;                               // seconds, monotonic
};

} // namespace speclens::ui
