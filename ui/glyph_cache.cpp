#include "ui/glyph_cache.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace speclens::ui {

namespace {

constexpr int kTexture = 2048; // every GL 3.3 device has it; text of all sizes at 300 % takes a third
constexpr int kArea = 1920;    // leaves room for ImGui's own white pixel, lines and default font

} // namespace

GlyphCache::GlyphCache(const FontSet& fonts, ImFontAtlas& atlas) : fonts_(fonts), atlas_(atlas) {
    atlas.TexDesiredWidth = kTexture;
    if (atlas.Fonts.empty()) atlas.AddFontDefault(); // ImGui insists on one; it is never shown
    const int rect = atlas.AddCustomRectRegular(kArea, kArea);
    if (!atlas.Build()) throw std::runtime_error("the glyph texture could not be built");
    const ImFontAtlasCustomRect* area = atlas.GetCustomRectByIndex(rect);
    left_ = area->X;
    top_ = area->Y;
    width_ = area->Width;
    height_ = area->Height;
}

int GlyphCache::phases(float pixels) { return pixels < 28 ? 4 : pixels < 48 ? 2 : 1; }

void GlyphCache::begin_frame() {
    if (!full_) return;
    full_ = false;
    glyphs_.clear();
    shelf_x_ = shelf_y_ = shelf_height_ = 0;
}

GlyphCache::Rows GlyphCache::take_dirty() {
    const Rows rows{dirty_from_, dirty_to_ - dirty_from_};
    dirty_from_ = dirty_to_ = 0;
    return rows;
}

const CachedGlyph& GlyphCache::find(const FontSet::Glyph& glyph, float pixels, int quarter) {
    if (glyph.face != last_face_) { // most glyphs are of the face of the one before
        last_face_ = glyph.face;
        last_number_ = face_numbers_.try_emplace(glyph.face, face_numbers_.size()).first->second;
    }
    const auto size = static_cast<std::uint64_t>(std::lround(pixels * 16));
    const std::uint64_t key =
        (last_number_ << 56U) | (size << 34U) | (static_cast<std::uint64_t>(glyph.index) << 2U) | static_cast<std::uint64_t>(quarter);
    const auto [at, inserted] = glyphs_.try_emplace(key);
    if (inserted) place(glyph.face->bitmap(glyph.index, static_cast<float>(size) / 16, static_cast<float>(quarter) / 4), at->second);
    return at->second;
}

void GlyphCache::place(const GlyphBitmap& bitmap, CachedGlyph& out) {
    if (bitmap.w <= 0 || bitmap.h <= 0 || bitmap.w + 1 > width_) return;
    if (shelf_x_ + bitmap.w + 1 > width_) {
        shelf_x_ = 0;
        shelf_y_ += shelf_height_ + 1;
        shelf_height_ = 0;
    }
    if (shelf_y_ + bitmap.h + 1 > height_) {
        full_ = true; // the glyph is missing in this frame only
        return;
    }
    const int x = left_ + shelf_x_, y = top_ + shelf_y_;
    for (int row = 0; row < bitmap.h; ++row) {
        const std::uint8_t* from = bitmap.coverage.data() + static_cast<std::ptrdiff_t>(row) * bitmap.w;
        const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(y + row) * atlas_.TexWidth + x;
        if (atlas_.TexPixelsAlpha8 != nullptr) std::memcpy(atlas_.TexPixelsAlpha8 + to, from, static_cast<std::size_t>(bitmap.w));
        if (atlas_.TexPixelsRGBA32 != nullptr) // made from the other one when the window asked for it
            for (int i = 0; i < bitmap.w; ++i) atlas_.TexPixelsRGBA32[to + i] = IM_COL32(255, 255, 255, from[i]);
    }
    const auto w = static_cast<float>(atlas_.TexWidth), h = static_cast<float>(atlas_.TexHeight);
    out = {bitmap.x,
           bitmap.y,
           bitmap.w,
           bitmap.h,
           static_cast<float>(x) / w,
           static_cast<float>(y) / h,
           static_cast<float>(x + bitmap.w) / w,
           static_cast<float>(y + bitmap.h) / h};
    shelf_x_ += bitmap.w + 1;
    shelf_height_ = std::max(shelf_height_, bitmap.h);
    dirty_from_ = dirty_to_ == 0 ? y : std::min(dirty_from_, y);
    dirty_to_ = std::max(dirty_to_, y + bitmap.h);
}

} // namespace speclens::ui
