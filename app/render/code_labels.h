// The labels that stand in tables of the code and so can be listed without drawing anything: menus and commands, scenes, their keys
// and groups, drafters, rules, roles. What a scene builds of numbers as it draws is known only where it is drawn.
#pragma once

#include <string>
#include <vector>

#include "ui/language/language.h"

namespace speclens {

// Those that the language leaves in English, in part or whole; sorted.
[[nodiscard]] std::vector<std::string> labels_left_in_english(const ui::Language& language);

} // namespace speclens
