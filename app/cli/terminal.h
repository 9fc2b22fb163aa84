// Text for people: colours by role (the 16 of the terminal's own theme), display columns, tokens made
// visible.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/options.h"

namespace speclens::cli {

enum class Tone : std::uint8_t { plain, strong, muted, draft, target, accepted, rejected, residual, bonus };

struct Terminal {
    bool color = false;
    bool person = false; // somebody reads it: a terminal, or COLUMNS asks for a width
    int width = 80;
    // Where lines break that a program would rather have whole.
    [[nodiscard]] int prose_width() const { return person ? width : 1 << 20; }
    [[nodiscard]] std::string paint(Tone tone, const std::string& text) const;
};
// Standard output as it is: colours only on a terminal and without NO_COLOR, unless `color` says otherwise.
[[nodiscard]] Terminal standard_terminal(When color);

// Columns that UTF-8 text takes; colour codes count nothing, broken bytes one.
[[nodiscard]] int columns(std::string_view text);
[[nodiscard]] std::string pad(const std::string& text, int width);      // left-aligned
[[nodiscard]] std::string pad_left(const std::string& text, int width); // right-aligned
[[nodiscard]] std::string clip(const std::string& text, int width);     // plain text only, ends in … when cut
// Breaks words at `width`, every line after the first begins with `indent` spaces. Plain text only.
[[nodiscard]] std::string wrap(const std::string& text, int width, int indent = 0);
// Two columns: `left` padded to `at`, then the text, whose further lines begin at `at` as well.
[[nodiscard]] std::string beside(const std::string& left, int at, const std::string& text, int width);

// Bytes of a token on one line: leading space as ␣, newline as ⏎, tab as →, bytes that are no character as
// ⟨E4⟩.
[[nodiscard]] std::string visible(std::string_view bytes);
// Text of several tokens as it would be printed: control characters other than newline and tab as ⟨1B⟩.
[[nodiscard]] std::string printable(std::string_view bytes);

[[nodiscard]] std::string probability(double p); // as the pictures write it: .38  1.00  >.99  <.01  0
[[nodiscard]] std::string number(double value, int decimals);
[[nodiscard]] std::string grouped(double value);              // 12 345
[[nodiscard]] std::string kilobytes(double bytes);            // "0.3 kB", "1 234 kB"
[[nodiscard]] std::string megabytes(double bytes);            // "1.3 MB"
[[nodiscard]] std::string duration(double ms, int decimals);  // "29.8 ms"; from ten seconds on "61.5 s"
[[nodiscard]] std::string rate(double per_second);            // "1.27", "12.3", "8577"
[[nodiscard]] std::string percent(double part, double whole); // "59 %", "–" of nothing

} // namespace speclens::cli
