#include "app/window/shell_input.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace speclens {
namespace {

// Keys that may open, close or run something: what came before them was meant for the window as it was, what comes
// behind them for the window that they lead to. Letters are typed, and arrows repeat, many in one frame.
bool acts(const ui::KeyPress& press) {
    return press.ctrl || press.alt || press.key == ui::Key::enter || press.key == ui::Key::escape || press.key == ui::Key::tab ||
           (press.key >= ui::Key::f1 && press.key <= ui::Key::f12);
}

bool types(const ui::KeyPress& press) {
    using ui::Key;
    if (press.ctrl || press.alt) return false;
    return (press.key >= Key::a && press.key <= Key::d9) || press.key == Key::space || press.key >= Key::minus;
}

} // namespace

// The text of a key follows it at once, unless an input method took the key; GLFW tells no more of that.
void InputQueue::push(RawEvent event) {
    if (event.kind == RawEvent::Kind::text) held_ = 0;
    if (event.kind == RawEvent::Kind::key) {
        if (types(event.key)) {
            ++held_;
        } else if (event.key.key == ui::Key::backspace) {
            held_ = std::max(0, held_ - 1);
        } else if (event.key.key == ui::Key::enter || event.key.key == ui::Key::escape) {
            event.key.composing = held_ > 0;
            held_ = 0;
        }
    }
    events_.push_back(std::move(event));
}

ui::Input InputQueue::next(double time, ui::Mods held) {
    ui::Input in;
    in.time = time;
    in.shift = held.shift;
    in.ctrl = held.ctrl;
    in.alt = held.alt;
    bool stop = false;
    while (!events_.empty() && !stop) {
        const RawEvent& first = events_.front();
        const bool act = first.kind == RawEvent::Kind::key && acts(first.key);
        if (act && (!in.keys.empty() || !in.typed.empty())) break;
        RawEvent event = std::move(events_.front());
        events_.pop_front();
        switch (event.kind) {
        case RawEvent::Kind::move: mouse_ = event.at; break;
        case RawEvent::Kind::wheel: in.wheel += event.wheel; break;
        case RawEvent::Kind::key:
            in.keys.push_back(event.key);
            stop = act;
            break;
        case RawEvent::Kind::text: in.typed += event.text; break;
        case RawEvent::Kind::drop: in.dropped.push_back(std::move(event.text)); break;
        case RawEvent::Kind::button:
            if (event.down == down_) break; // a second button of the same device
            down_ = event.down;
            (down_ ? in.pressed : in.released) = true;
            if (down_) {
                const bool near = std::hypot(mouse_.x - last_press_at_.x, mouse_.y - last_press_at_.y) < 6;
                in.clicks = near && time - last_press_ < 0.4 ? 2 : 1;
                last_press_ = in.clicks == 2 ? -1 : time;
                last_press_at_ = mouse_;
            }
            stop = true; // the widgets must see the mouse where it was at this moment
            break;
        }
    }
    in.mouse = mouse_;
    in.down = down_;
    return in;
}

} // namespace speclens
