#include "app/window/page.h"

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include <cstdlib>
#include <utility>

// What JavaScript does for us. Texts that it hands over are ours to free.
// clang-format off
EM_JS(int, page_width, (), { return Math.max(1, Module['page'].stage.clientWidth); })
EM_JS(int, page_height, (), { return Math.max(1, Module['page'].stage.clientHeight); })
EM_JS(char*, page_clipboard, (), { return stringToNewUTF8(Module['page'].clipboard); })
EM_JS(void, page_copy, (const char* text), { Module['page'].copy(UTF8ToString(text)); })
EM_JS(void, page_fullscreen, (), { Module['page'].fullscreen(); })
EM_JS(void, page_say, (const char* words), { Module['page'].say(UTF8ToString(words)); })
EM_JS(void, page_link, (const char* link), { Module['page'].showLink(UTF8ToString(link)); })
EM_JS(char*, page_address, (const char* link), { return stringToNewUTF8(Module['page'].addressOf(UTF8ToString(link))); })
EM_JS(void, page_ready, (), { Module['page'].ready(); })
EM_JS(void, page_built, (double milliseconds), { Module['page'].built(milliseconds); })
EM_JS(void, page_want, (const char* scene), { Module['page'].want(UTF8ToString(scene)); })
EM_JS(int, page_fetch_head, (const char* network), { return Module['page'].fetchHead(UTF8ToString(network)) ? 1 : 0; })
EM_JS(int, page_more, (), { return Module['page'].takeMore(); })
EM_JS(int, page_pasted, (), { return Module['page'].takePaste(); })
EM_JS(double, page_finger, (int which), { return Module['page'].takeFinger(which); })
EM_JS(void, page_typing, (int wanted), { Module['page'].typing(wanted !== 0); })
EM_JS(char*, page_typed, (), { return stringToNewUTF8(Module['page'].takeTyped()); })
EM_JS(char*, page_dropped, (), { return stringToNewUTF8(Module['page'].takeDropped()); })
EM_JS(char*, page_opened, (), { return stringToNewUTF8(Module['page'].takeLink()); })
// clang-format on

namespace speclens::page {
namespace {

std::function<void()>& every_turn() {
    static std::function<void()> turn;
    return turn;
}

std::string taken(char* text) {
    std::string words(text);
    std::free(text);
    return words;
}

} // namespace

void for_every_picture(std::function<void()> turn) {
    every_turn() = std::move(turn);
    emscripten_set_main_loop([] { every_turn()(); }, 0, false);
}

Size size() { return {page_width(), page_height()}; }

std::string clipboard() { return taken(page_clipboard()); }

void set_clipboard(const std::string& text) { page_copy(text.c_str()); }

void toggle_fullscreen() { page_fullscreen(); }

void say(const std::string& words) {
    static std::string before;
    if (words == before) return;
    before = words;
    page_say(words.c_str());
}

void show_link(const std::string& link) {
    static std::string before;
    if (link == before) return;
    before = link;
    page_link(link.c_str());
}

std::string address_of(const std::string& link) { return taken(page_address(link.c_str())); }

void first_picture() { page_ready(); }

void built(double milliseconds) { page_built(milliseconds); }

void want(const std::string& scene) { page_want(scene.c_str()); }

bool fetch_head(const std::string& network) { return page_fetch_head(network.c_str()) != 0; }

bool more_models() { return page_more() != 0; }

bool pasted() { return page_pasted() != 0; }

Fingers fingers() {
    Fingers now;
    now.down = page_finger(0) != 0;
    if (!now.down) return now;
    now.apart = page_finger(1);
    now.dx = page_finger(2);
    now.dy = page_finger(3);
    return now;
}

void typing(bool wanted) {
    static bool before = false;
    if (std::exchange(before, wanted) != wanted) page_typing(wanted ? 1 : 0);
}

std::string typed() { return taken(page_typed()); }

std::string dropped() { return taken(page_dropped()); }

std::string opened_link() { return taken(page_opened()); }

} // namespace speclens::page
