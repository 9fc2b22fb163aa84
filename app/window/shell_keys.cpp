#include "app/window/shell_keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace speclens {

ui::Key key_from_glfw(int key, int scancode) {
    using ui::Key;
    const auto offset = [](Key first, int by) { return static_cast<Key>(static_cast<int>(first) + by); };
    if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) {
#if defined(__EMSCRIPTEN__) // a page is told the letter, not the place of the key
        (void)scancode;
        const char* name = nullptr;
#else
        const char* name = glfwGetKeyName(key, scancode);
#endif
        if (name && name[0] >= 'a' && name[0] <= 'z' && name[1] == '\0') return offset(Key::a, name[0] - 'a');
        return offset(Key::a, key - GLFW_KEY_A);
    }
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return offset(Key::d0, key - GLFW_KEY_0);
    if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_9) return offset(Key::d0, key - GLFW_KEY_KP_0);
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return offset(Key::f1, key - GLFW_KEY_F1);
    switch (key) {
    case GLFW_KEY_LEFT: return Key::left;
    case GLFW_KEY_RIGHT: return Key::right;
    case GLFW_KEY_UP: return Key::up;
    case GLFW_KEY_DOWN: return Key::down;
    case GLFW_KEY_PAGE_UP: return Key::page_up;
    case GLFW_KEY_PAGE_DOWN: return Key::page_down;
    case GLFW_KEY_HOME: return Key::home;
    case GLFW_KEY_END: return Key::end;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: return Key::enter;
    case GLFW_KEY_ESCAPE: return Key::escape;
    case GLFW_KEY_TAB: return Key::tab;
    case GLFW_KEY_SPACE: return Key::space;
    case GLFW_KEY_BACKSPACE: return Key::backspace;
    case GLFW_KEY_DELETE: return Key::del;
    case GLFW_KEY_INSERT: return Key::insert;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT: return Key::minus;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD: return Key::equal;
    case GLFW_KEY_LEFT_BRACKET: return Key::bracket_left;
    case GLFW_KEY_RIGHT_BRACKET: return Key::bracket_right;
    case GLFW_KEY_PERIOD: return Key::period;
    case GLFW_KEY_COMMA: return Key::comma;
    case GLFW_KEY_SLASH: return Key::slash;
    case GLFW_KEY_SEMICOLON: return Key::semicolon;
    case GLFW_KEY_APOSTROPHE: return Key::apostrophe;
    case GLFW_KEY_BACKSLASH: return Key::backslash;
    case GLFW_KEY_GRAVE_ACCENT: return Key::grave;
    default: return Key::none;
    }
}

} // namespace speclens
