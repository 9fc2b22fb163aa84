#if defined(__EMSCRIPTEN__)
#include "ui/browser_glyphs.h"

#include <emscripten/em_js.h>

#include <array>
#include <cstdlib>

// The bitmap is ours to free; null: there is nothing to draw.
// clang-format off
EM_JS(int, browser_has_glyph, (int code), { return Module['page'] && Module['page'].hasGlyph(code) ? 1 : 0; })
EM_JS(double, browser_glyph_advance, (int code), { return Module['page'].glyphAdvance(code); })
EM_JS(unsigned char*, browser_draw_glyph, (int code, double pixels, double shift, int* box), {
    const drawn = Module['page'].glyph(code, pixels, shift);
    HEAP32.set([drawn.x, drawn.y, drawn.w, drawn.h], box >> 2);
    if (drawn.coverage.length === 0) return 0;
    const copy = _malloc(drawn.coverage.length);
    HEAPU8.set(drawn.coverage, copy);
    return copy;
})
// clang-format on

namespace speclens::ui {

int browser_glyph(char32_t code_point) {
    const int code = static_cast<int>(code_point);
    return browser_has_glyph(code) != 0 ? code : 0;
}

float browser_advance(int glyph) { return static_cast<float>(browser_glyph_advance(glyph)); }

GlyphBitmap browser_bitmap(int glyph, float pixels, float shift) {
    std::array<int, 4> box{};
    unsigned char* drawn = browser_draw_glyph(glyph, static_cast<double>(pixels), static_cast<double>(shift), box.data());
    if (drawn == nullptr) return {};
    GlyphBitmap out{box[0], box[1], box[2], box[3], {}};
    out.coverage.assign(drawn, drawn + static_cast<std::ptrdiff_t>(out.w) * out.h);
    std::free(drawn);
    return out;
}

} // namespace speclens::ui
#endif
