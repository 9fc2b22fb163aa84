// Raw window events to frames of ui::Input. Nothing is lost and nothing is merged that must not be: every key
// press of a frame is in its list, and a frame ends at each change of the mouse button. Enter, Escape, Tab and keys with
// Ctrl or Alt have a frame of their own: what is typed behind them belongs to the dialog that they open.
#pragma once

#include <deque>
#include <string>

#include "ui/input.h"
#include "ui/ui.h"

namespace speclens {

struct RawEvent {
    enum class Kind : std::uint8_t { move, button, wheel, key, text, drop } kind = Kind::move;
    ui::Vec2 at = {};  // move, in logical px
    bool down = false; // button
    float wheel = 0;
    ui::KeyPress key = {}; // key
    std::string text = {}; // UTF-8; of a drop the path of a file
};

class InputQueue {
  public:
    void push(RawEvent event);
    [[nodiscard]] bool empty() const { return events_.empty(); }
    // The next frame; what does not belong to it stays queued.
    [[nodiscard]] ui::Input next(double time, ui::Mods held);

  private:
    std::deque<RawEvent> events_;
    int held_ = 0; // keys of characters whose text has not come: an input method composes with them
    ui::Vec2 mouse_{-1, -1};
    bool down_ = false;
    double last_press_ = -1;
    ui::Vec2 last_press_at_;
};

} // namespace speclens
