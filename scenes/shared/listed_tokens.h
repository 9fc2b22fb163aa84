// "soft .04  dark .25": tokens with a number each, in one line.
#pragma once

#include <string>
#include <vector>

#include "ui/ui.h"

namespace speclens {

struct NumberedToken {
    std::string label, number;
    bool first = false; // it stands out
};
[[nodiscard]] float listed_width(const ui::Canvas& canvas, const NumberedToken& token);
// Up to `right`, as many as there is room for from `at` on and `most` at most.
void list_tokens(ui::Ui& ui, const std::vector<NumberedToken>& tokens, ui::Vec2 at, float right, std::size_t most);

} // namespace speclens
