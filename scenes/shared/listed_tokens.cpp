#include "scenes/shared/listed_tokens.h"

#include <algorithm>

#include "ui/tokens.h"

namespace speclens {

constexpr float kListGap = 14; // between two of them

float listed_width(const ui::Canvas& canvas, const NumberedToken& token) {
    return ui::token_text_width(canvas, token.label, 14) + 6 + canvas.printed_width(token.number, ui::Font::mono, 14);
}

void list_tokens(ui::Ui& ui, const std::vector<NumberedToken>& tokens, ui::Vec2 at, float right, std::size_t most) {
    std::size_t count = 0;
    float x = right + kListGap; // none behind the last one
    for (; count < std::min(tokens.size(), most); ++count) {
        const float w = listed_width(ui.canvas, tokens[count]) + kListGap;
        if (x - w < at.x) break;
        x -= w;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const NumberedToken& one = tokens[i];
        const float label = ui::token_text(ui.canvas, {x, at.y}, one.label, 14, one.first ? ui.theme.ink : ui.theme.muted);
        ui.canvas.print({x + label + 6, at.y}, one.number, ui::Font::mono, 14, ui.theme.ink);
        x += listed_width(ui.canvas, one) + kListGap;
    }
}

} // namespace speclens
