// The fonts of the application and the one place where text is measured: all canvases ask here, so the same
// words have the same width in the window, in SVG and in tests, at every zoom. Knows no ImGui.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"
#include "ui/font_face.h"
#include "ui/system_fonts.h"
#include "ui/utf8.h"

namespace speclens::ui {

inline constexpr std::array<Font, 4> kFonts = {Font::text, Font::text_bold, Font::mono, Font::mono_medium};

struct FontReport {
    const char* wanted; // "Inter Regular"
    std::string path{}; // what is used
    bool exact = false; // false: DejaVu stands in
};

class FontSet {
  public:
    FontSet(); // searches the usual folders, and the system for other scripts; throws Error when there is no usable font
    // `more` is asked for characters that none of the fonts there has; may be empty.
    explicit FontSet(const std::vector<std::string>& folders, FindFonts more = {});
    ~FontSet();
    FontSet(const FontSet&) = delete;
    FontSet& operator=(const FontSet&) = delete;
    [[nodiscard]] static std::vector<std::string> search_folders();

    struct Glyph {
        const FontFace* face = nullptr; // first of the chain that has it, else one of the system; null: none
        int index = 0;
        float advance = 0; // em
    };
    [[nodiscard]] Glyph glyph(Font font, char32_t code_point) const;
    [[nodiscard]] float width(std::string_view utf8, Font font, float size) const;

    // What really appears: control characters, broken bytes and glyphs nobody has become ⟨hex⟩; an emoji is one glyph
    // whatever it is made of, and a box where nobody has it.
    [[nodiscard]] std::string shown(std::string_view utf8, Font font) const;
    template <class Visit> // Visit(char32_t, const Glyph&) for every shown code point
    void each_glyph(std::string_view utf8, Font font, Visit visit) const {
        for (std::size_t at = 0; at < utf8.size();) {
            const CodePoint c = decode(utf8, at);
            at += c.length;
            const Glyph found = c.valid && c.value >= 0x20 && c.value != 0x7F ? glyph(font, c.value) : Glyph{};
            const bool emoji = c.valid && is_emoji(c.value);
            if (emoji) at += emoji_tail(utf8, at);
            constexpr char32_t kBox = 0x25A1;
            const Glyph box = emoji && found.face == nullptr ? glyph(font, kBox) : Glyph{};
            if (found.face != nullptr || box.face != nullptr) {
                found.face != nullptr ? visit(c.value, found) : visit(kBox, box);
                continue;
            }
            const std::string mark = hex_mark(c.value, c.value < 0x100 ? 2 : 4);
            for (std::size_t m = 0; m < mark.size();) {
                CodePoint part = decode(mark, m);
                m += part.length;
                if (glyph(font, part.value).face == nullptr) part.value = part.value == 0x27E8 ? '<' : '>';
                visit(part.value, glyph(font, part.value));
            }
        }
    }

    [[nodiscard]] const std::array<FontReport, 4>& report() const { return report_; }
    [[nodiscard]] static const char* family(Font font); // for SVG
    [[nodiscard]] static int weight(Font font);

  private:
    struct Chain {
        std::vector<const FontFace*> faces;
        std::array<Glyph, 0x250> common; // Latin, looked up once
    };
    struct More; // of the system
    std::vector<std::unique_ptr<FontFace>> faces_;
    std::unique_ptr<More> more_; // null: nobody is asked
    std::array<Chain, 4> chains_;
    std::array<FontReport, 4> report_;
    [[nodiscard]] Glyph find(const Chain& chain, char32_t code_point) const;
};

} // namespace speclens::ui
