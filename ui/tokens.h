// Token chips and running text. A token is bytes; its label shows spaces as ⎵, newlines as ⏎, tabs as ⇥ and
// broken UTF-8 as ⟨E4⟩. Chips show role by hue, glyph and edge together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/glyphs.h"
#include "ui/stories/message.h"
#include "ui/theme.h"

namespace speclens::ui {

// Display text of a token's bytes. U+23B5, U+23CE and U+21E5 in it are drawn as marks, not as characters.
[[nodiscard]] std::string token_label(std::string_view bytes);
// The same for the quotes of a sentence: It, ⏎, without the leading space.
[[nodiscard]] std::string token_in_text(std::string_view bytes);

// Label text (from token_label) in mono; whitespace marks at 50 %. Returns the width.
float token_text(Canvas& canvas, Vec2 at, std::string_view label, float size, Color color, Align align = Align::left,
                 Font font = Font::mono);
[[nodiscard]] float token_text_width(const Canvas& canvas, std::string_view label, float size, Font font = Font::mono);
// Shortens a label to `width` with an ellipsis.
[[nodiscard]] std::string fit_token(const Canvas& canvas, std::string_view label, float size, float width);

[[nodiscard]] Message role_words(Role role); // "resampled", as the legend says
struct ChipStyle {
    Role role = Role::draft;
    bool neutral = false;  // no role: ink edge 1.5, no glyph (the anchor of a block)
    bool solid = false;    // filled: only the token that the beat is about
    bool selected = false; // ink ring 2 px outside
    bool hovered = false;  // 1 px muted edge outside
    float alpha = 1;       // fade in
    float strike = 1;      // 0…1: the strike of `rejected` draws left to right
    bool glyph = true;
};
[[nodiscard]] float chip_text_size(float height); // 36, 32 -> 17; 28 -> 15; 44 -> 26; 80 -> 36
[[nodiscard]] float chip_width(const Canvas& canvas, std::string_view label, float height, bool glyph = true);
// Fills `rect`; a label that is too wide gets smaller, down to the least size of text, then an ellipsis.
void chip(Canvas& canvas, const Theme& theme, Rect rect, std::string_view label, const ChipStyle& style);
// Place where a chip will appear: dashed 2-4 edge, muted words in the middle.
void slot(Canvas& canvas, const Theme& theme, Rect rect, const Message& words);
// A masked position of a block: hatched, the word on a ground patch.
void mask_chip(Canvas& canvas, const Theme& theme, Rect rect, std::string_view words);

// Small square of the legend (20 × 20) and the legend itself, rows × 4 entries, 116 px each.
void role_swatch(Canvas& canvas, const Theme& theme, Rect box, Role role);
void legend(Canvas& canvas, const Theme& theme, Vec2 at, float column = 116);
// The same in one line, at (left, baseline); and how long that is.
void legend_line(Canvas& canvas, const Theme& theme, Vec2 at);
[[nodiscard]] float legend_line_width(const Canvas& canvas);

// One token of running text: role ground, underline (solid, dotted resampled, double bonus); without a role
// no mark. `pending`: muted at 38 %, no mark either. Plain gaps for spaces. `at` = left end on the baseline.
// Returns the width.
float running_token(Canvas& canvas, const Theme& theme, Vec2 at, std::string_view bytes, std::optional<Role> role, bool pending = false,
                    float size = 17);
[[nodiscard]] float running_width(const Canvas& canvas, std::string_view bytes, float size = 17);

} // namespace speclens::ui
