// Glyph bitmaps at the sizes that are really drawn, baked on first use into one free area of ImGui's font
// atlas. So any zoom is sharp without rebuilding anything, any code point of the fonts can be shown, and text
// and shapes share one texture. Glyphs are baked at quarter pixel steps and drawn 1:1: no filter blurs them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ui/fonts.h"

struct ImFontAtlas;

namespace speclens::ui {

struct CachedGlyph {
    int x = 0, y = 0, w = 0, h = 0; // pixels from the pen on the baseline; w == 0: nothing to draw
    float u0 = 0, v0 = 0, u1 = 0, v1 = 0;
};

class GlyphCache {
  public:
    // Adds its area to the atlas and builds it. Both must outlive the cache.
    GlyphCache(const FontSet& fonts, ImFontAtlas& atlas);

    [[nodiscard]] const FontSet& fonts() const { return fonts_; }
    // Call before drawing: starts over when the area was full, as after many zoom steps.
    void begin_frame();
    [[nodiscard]] const CachedGlyph& find(const FontSet::Glyph& glyph, float pixels, int quarter);
    // Quarter steps that are worth baking at this size: small text 4, large 1.
    [[nodiscard]] static int phases(float pixels);

    // Texture rows that changed since the last call; count 0: none. The window copies these rows of
    // TexPixelsRGBA32 (full width) into its texture before it renders: recreating the texture would not do,
    // because the frame's draw commands already carry the old name.
    struct Rows {
        int first = 0, count = 0;
    };
    [[nodiscard]] Rows take_dirty();

  private:
    void place(const GlyphBitmap& bitmap, CachedGlyph& out);

    const FontSet& fonts_;
    ImFontAtlas& atlas_;
    int left_ = 0, top_ = 0, width_ = 0, height_ = 0;  // the area, in texels
    int shelf_x_ = 0, shelf_y_ = 0, shelf_height_ = 0; // rows of glyphs, top to bottom
    int dirty_from_ = 0, dirty_to_ = 0;                // rows
    bool full_ = false;
    std::unordered_map<std::uint64_t, CachedGlyph> glyphs_;
    std::unordered_map<const FontFace*, std::uint64_t> face_numbers_;
    const FontFace* last_face_ = nullptr;
    std::uint64_t last_number_ = 0;
};

} // namespace speclens::ui
