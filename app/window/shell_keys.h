// GLFW key codes to ui::Key. Letters follow the keyboard layout: the key that types "a" is Key::a everywhere.
#pragma once

#include "ui/input.h"

namespace speclens {

[[nodiscard]] ui::Key key_from_glfw(int key, int scancode);

} // namespace speclens
