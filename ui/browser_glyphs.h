// Characters of the browser's own fonts, for scripts that a page's fonts have no glyphs for. Only builds for WebAssembly have them; the
// other half is app/page/page.js, which these call as Module.page.
#pragma once

#include "ui/font_face.h"

namespace speclens::ui {

inline constexpr const char* kBrowserFonts = "fonts of the browser"; // in the place of a path

[[nodiscard]] int browser_glyph(char32_t code_point); // the character's own number; 0: nobody has it
[[nodiscard]] float browser_advance(int glyph);       // em
[[nodiscard]] GlyphBitmap browser_bitmap(int glyph, float pixels, float shift);

} // namespace speclens::ui
