// A desk to try widgets on: feeds input frames to a draw function, with no window behind it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/canvas_record.h"
#include "ui/fonts.h"
#include "ui/widgets.h"

namespace speclens::ui {

inline const FontSet& test_fonts() {
    static const FontSet kLoaded;
    return kLoaded;
}

inline const Theme& dark() { return theme(ThemeKind::dark); }

struct Desk {
    std::function<void(Ui&)> draw;
    WidgetState state;
    Rect screen{0, 0, 800, 600};
    Clipboard clipboard;
    Vec2 mouse{-1, -1};
    bool down = false;
    double time = 1;
    std::string words; // visible text of the last frame
    std::vector<RecordedText> texts;

    explicit Desk(std::function<void(Ui&)> what) : draw(std::move(what)) { frame(); }

    void frame(Input input = {}) {
        input.mouse = mouse;
        input.down = down;
        input.time = time;
        RecordCanvas canvas(test_fonts(), screen);
        Ui ui(canvas, input, dark(), state, screen);
        ui.clipboard = clipboard;
        draw(ui);
        ui.finish();
        words = canvas.visible_text();
        texts = canvas.texts();
        time += 0.016;
    }
    void move(float x, float y) {
        mouse = {x, y};
        frame();
    }
    void press(float x, float y, int clicks = 1) {
        move(x, y);
        down = true;
        Input input;
        input.pressed = true;
        input.clicks = clicks;
        frame(input);
    }
    void release() {
        down = false;
        Input input;
        input.released = true;
        frame(input);
    }
    void click(float x, float y) {
        press(x, y);
        release();
    }
    void key(Key key, Mods mods = {}) {
        Input input;
        input.shift = mods.shift;
        input.ctrl = mods.ctrl;
        input.alt = mods.alt;
        input.keys = {{.key = key, .shift = mods.shift, .ctrl = mods.ctrl, .alt = mods.alt}};
        frame(input);
        frame();
    }
    void type(const std::string& text) {
        Input input;
        input.typed = text;
        frame(input);
    }
    void wheel(float notches) {
        Input input;
        input.wheel = notches;
        frame(input);
    }
    [[nodiscard]] bool shows(std::string_view text) const { return words.find(text) != std::string::npos; }
};

} // namespace speclens::ui
