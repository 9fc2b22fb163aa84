#include "ui/font_face.h"

#include <fstream>
#include <iterator>

#if defined(__EMSCRIPTEN__)
#include "ui/browser_glyphs.h"
#endif

// A private copy of the implementation: the one inside libimgui is not reachable everywhere.
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb_truetype.h>

namespace speclens::ui {

struct FontFace::Impl {
    std::vector<unsigned char> bytes;
    stbtt_fontinfo info{};
    float em = 0;         // 1 / units per em
    bool browser = false; // of the browser's fonts: none of the above
};

FontFace::FontFace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FontFace::~FontFace() = default;

std::unique_ptr<FontFace> FontFace::open(const std::string& path, int index) {
    auto owned = std::make_unique<Impl>();
    Impl& impl = *owned;
#if defined(__EMSCRIPTEN__)
    impl.browser = path == kBrowserFonts;
    if (impl.browser) return std::make_unique<FontFace>(std::move(owned));
#endif
    std::ifstream file(path, std::ios::binary);
    if (!file) return nullptr;
    impl.bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (impl.bytes.size() < 12) return nullptr;
    const int offset = stbtt_GetFontOffsetForIndex(impl.bytes.data(), index);
    if (offset < 0 || stbtt_InitFont(&impl.info, impl.bytes.data(), offset) == 0) return nullptr;
    impl.em = stbtt_ScaleForMappingEmToPixels(&impl.info, 1);
    return std::make_unique<FontFace>(std::move(owned));
}

int FontFace::glyph(char32_t code_point) const {
#if defined(__EMSCRIPTEN__)
    if (impl_->browser) return browser_glyph(code_point);
#endif
    return stbtt_FindGlyphIndex(&impl_->info, static_cast<int>(code_point));
}

float FontFace::advance(int glyph) const {
#if defined(__EMSCRIPTEN__)
    if (impl_->browser) return browser_advance(glyph);
#endif
    int units = 0, bearing = 0;
    stbtt_GetGlyphHMetrics(&impl_->info, glyph, &units, &bearing);
    return static_cast<float>(units) * impl_->em;
}

GlyphBitmap FontFace::bitmap(int glyph, float pixels, float shift) const {
#if defined(__EMSCRIPTEN__)
    if (impl_->browser) return browser_bitmap(glyph, pixels, shift);
#endif
    const float scale = impl_->em * pixels;
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    stbtt_GetGlyphBitmapBoxSubpixel(&impl_->info, glyph, scale, scale, shift, 0, &x0, &y0, &x1, &y1);
    GlyphBitmap out{x0, y0, x1 - x0, y1 - y0, {}};
    if (out.w <= 0 || out.h <= 0) return {};
    out.coverage.resize(static_cast<std::size_t>(out.w) * static_cast<std::size_t>(out.h));
    stbtt_MakeGlyphBitmapSubpixel(&impl_->info, out.coverage.data(), out.w, out.h, out.w, scale, scale, shift, 0, glyph);
    return out;
}

} // namespace speclens::ui
