// What a window shows first: ten seconds of motion on the run that is on screen, then doors into the program. What a
// target and a draft are is said here, before any scene needs the words. Shown once, and from the Help menu.
#pragma once

namespace speclens {

struct FrameDraw;

// Kept between frames, as all of the chrome.
struct Opening {
    bool open = false;
    bool doors = false; // the motion is over, or was skipped
    double opened = -1; // seconds; -1: not drawn yet
    double began = -1;  // when the run that it shows was there; -1: it is still waited for
};

// Over the whole window: nothing below is drawn or asked. Moves by the clock; with reduced motion only the doors stand there.
void draw_opening(const FrameDraw& d);

} // namespace speclens
