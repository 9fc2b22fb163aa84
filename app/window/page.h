// What a page in a browser has instead of a desktop (docs/web.md). Only builds for WebAssembly have it; the
// other half is app/page/page.js, which these call as Module.page.
#pragma once

#include <functional>
#include <string>

namespace speclens::page {

// Calls it for every picture of the browser from now on, and returns at once.
void for_every_picture(std::function<void()> turn);

// CSS pixels that the canvas has.
struct Size {
    int width = 0, height = 0;
};
[[nodiscard]] Size size();

// The text that was pasted last, or copied here. A browser hands over what others copied only while somebody
// pastes.
[[nodiscard]] std::string clipboard();
void set_clipboard(const std::string& text);

void toggle_fullscreen();
// For screen readers, when it is another text than before.
void say(const std::string& words);
// The frame on screen as a link, into the browser's address.
void show_link(const std::string& link);
// Where a link of the program leads in this page; empty: the link is empty.
[[nodiscard]] std::string address_of(const std::string& link);
// Once there is a picture: what covers the canvas goes.
void first_picture();
// How long a frame took to build, everything before OpenGL; what measures the page asks it for the last ones.
void built(double milliseconds);
// Heads that the page has not fetched yet: which scene is on screen, or which one somebody chose (false: it came at the start, or there
// is none); whether more of them are there now (takes it).
void want(const std::string& scene);
[[nodiscard]] bool fetch_head(const std::string& network);
[[nodiscard]] bool more_models();
// Whether somebody pasted; takes it. The browser tells that instead of the key.
[[nodiscard]] bool pasted();
// What two fingers did since it was asked last; takes it.
struct Fingers {
    bool down = false;     // two are on the glass, or were
    double apart = 1;      // how much further apart they are than before
    double dx = 0, dy = 0; // CSS pixels that both moved
};
[[nodiscard]] Fingers fingers();
// Whether a text field has the focus: a phone then shows its keyboard. What was typed on that since it was asked last, "\b" for
// each character taken back; takes it.
void typing(bool wanted);
[[nodiscard]] std::string typed();
// A file that was dropped on the page and is read by now; empty: none. Takes one.
[[nodiscard]] std::string dropped();
// A link that somebody opened in this page (another #…); empty: none. Takes it.
[[nodiscard]] std::string opened_link();

} // namespace speclens::page
