// One font file: glyph numbers, advances in em, and coverage bitmaps. Wraps stb_truetype (TrueType and CFF).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace speclens::ui {

struct GlyphBitmap {
    int x = 0, y = 0; // top left corner relative to the pen, y down
    int w = 0, h = 0;
    std::vector<std::uint8_t> coverage; // (h, w)
};

class FontFace {
  public:
    // Face `index` of the file. Null: missing, not a font, or one without outlines.
    static std::unique_ptr<FontFace> open(const std::string& path, int index = 0);
    ~FontFace();
    FontFace(const FontFace&) = delete;
    FontFace& operator=(const FontFace&) = delete;

    [[nodiscard]] int glyph(char32_t code_point) const; // 0 = missing
    [[nodiscard]] float advance(int glyph) const;       // em
    // Glyph at `pixels` per em, moved right by `shift` of a pixel (0 … <1).
    [[nodiscard]] GlyphBitmap bitmap(int glyph, float pixels, float shift) const;

    struct Impl;
    explicit FontFace(std::unique_ptr<Impl> impl);

  private:
    std::unique_ptr<Impl> impl_;
};

} // namespace speclens::ui
