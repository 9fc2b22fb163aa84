// Editing without drawing: caret, selection and lines of a UTF-8 text. Every step lands on a code point.
#pragma once

#include <string>
#include <string_view>

#include "ui/ui.h"

namespace speclens::ui {

enum class Move : std::uint8_t { left, right, word_left, word_right, line_start, line_end, text_start, text_end };

// Where a move leads; line moves use edit.lines.
[[nodiscard]] std::size_t moved(std::string_view text, const TextEdit& edit, Move move);
void move_caret(std::string_view text, TextEdit& edit, Move move, bool select);
[[nodiscard]] std::string_view selection(std::string_view text, const TextEdit& edit);
void select_word(std::string_view text, TextEdit& edit);

// Replaces the selection; inserts as much of `with` as `max_bytes` allows. True when the text changed.
bool replace_selection(std::string& text, TextEdit& edit, std::string_view with, std::size_t max_bytes);
// Deletes the selection, or what lies between the caret and the end of the move.
bool erase(std::string& text, TextEdit& edit, Move move);
// What may enter a field: LF line ends (spaces when there is one line), no control characters, valid UTF-8.
[[nodiscard]] std::string clean(std::string_view foreign, bool multi_line);

// Starts of the wrapped lines; cached in `edit` until text, width or font change.
void lay_out(const Canvas& canvas, std::string_view text, TextEdit& edit, Font font, float size, float width);
[[nodiscard]] std::size_t line_of(const TextEdit& edit, std::size_t at);
// Text of line n without its line break.
[[nodiscard]] std::string_view line_text(std::string_view text, const TextEdit& edit, std::size_t n);
[[nodiscard]] std::string drawn(std::string_view run); // tabs as four spaces
// Byte offset in `run` whose left edge is nearest to x.
[[nodiscard]] std::size_t offset_at(const Canvas& canvas, std::string_view run, Font font, float size, float x);

} // namespace speclens::ui
