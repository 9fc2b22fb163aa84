#include "app/window/shell_input.h"

#include <cmath>

namespace speclens {

ui::Input InputQueue::next(double time, ui::Mods held) {
    ui::Input in;
    in.time = time;
    in.shift = held.shift;
    in.ctrl = held.ctrl;
    in.alt = held.alt;
    bool stop = false;
    while (!events_.empty() && !stop) {
        RawEvent event = std::move(events_.front());
        events_.pop_front();
        switch (event.kind) {
        case RawEvent::Kind::move:
            mouse_ = event.at;
            break;
        case RawEvent::Kind::wheel:
            in.wheel += event.wheel;
            break;
        case RawEvent::Kind::key:
            in.keys.push_back(event.key);
            break;
        case RawEvent::Kind::text:
            in.typed += event.text;
            break;
        case RawEvent::Kind::drop:
            in.dropped.push_back(std::move(event.text));
            break;
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
