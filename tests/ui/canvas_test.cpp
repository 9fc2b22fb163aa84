// The three canvases agree on text; the recorder and the SVG tell the truth about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/ui/desk.h"
#include "ui/canvas_svg.h"
#include "ui/geometry.h"
#include "ui/glyphs.h"
#include "ui/headless.h"
#include "ui/tokens.h"

namespace speclens::ui {
namespace {

// A small XML reader: tags nest and close, attributes are quoted, no bare & or control characters.
std::string xml_problem(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < xml.size();) {
        if (xml[at] != '<') {
            if (xml[at] == '&' && xml.compare(at, 4, "&lt;") != 0 && xml.compare(at, 4, "&gt;") != 0 && xml.compare(at, 5, "&amp;") != 0 &&
                xml.compare(at, 6, "&quot;") != 0)
                return "bare & at " + std::to_string(at);
            if (static_cast<unsigned char>(xml[at]) < 0x20 && xml[at] != '\n') return "control character";
            ++at;
            continue;
        }
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) return "unclosed tag";
        const std::string tag = xml.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag[0] == '?') continue;
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "odd quotes in " + tag;
        const std::string name = tag.substr(0, tag.find_first_of(" /"));
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1)) return "wrong end " + tag;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
    }
    return open.empty() ? "" : "left open: " + open.back();
}

TEST(Fonts, TheFourFacesAreFoundAndReported) {
    for (const FontReport& r : test_fonts().report()) {
        EXPECT_FALSE(r.path.empty()) << r.wanted;
    }
    EXPECT_THROW(FontSet({"/nowhere"}), std::runtime_error);
}

TEST(Fonts, StandInsAreUsedWhenOnlyDejaVuIsThere) {
    const FontSet fonts({"/usr/share/fonts/truetype"});
    EXPECT_FALSE(fonts.report()[0].exact);
    EXPECT_NE(fonts.report()[0].path.find("DejaVuSans"), std::string::npos);
    EXPECT_GT(fonts.width("abc", Font::text, 15), 10);
}

TEST(Fonts, GlyphsNobodyHasAreShownAsHex) {
    EXPECT_EQ(test_fonts().shown("a\U0010FFFD", Font::text), "a⟨10FFFD⟩");
    EXPECT_EQ(test_fonts().shown("\xE4", Font::mono), "⟨E4⟩");
    EXPECT_EQ(test_fonts().shown("\n", Font::mono), "⟨0A⟩");
    EXPECT_EQ(test_fonts().shown("é → ≥ −", Font::text), "é → ≥ −");
}

TEST(Fonts, MonoCellsAreEqualEvenForStandInGlyphs) {
    const float cell = test_fonts().width("0", Font::mono, 17);
    for (const char* c : {"W", "i", "é", "≥", "Ω", "→"}) EXPECT_NEAR(test_fonts().width(c, Font::mono, 17), cell, 0.01F) << c;
}

TEST(Canvas, TextHasTheSameWidthOnEveryCanvasAndAtEveryZoom) {
    RecordCanvas record(test_fonts(), {0, 0, 800, 600});
    SvgCanvas svg(test_fonts(), 800, 600, dark().bg);
    HeadlessFrame frame(test_fonts());
    for (const float zoom : {1.0F, 1.5F, 3.0F}) {
        Canvas& pixels = frame.begin(100, 100, zoom, dark().bg);
        for (const char* text : {"", "Temperature", ".63 ≥ .40", "naïve ⎵ Ω 😀", "\xFF"})
            for (const Font font : kFonts)
                for (const float size : {14.0F, 15.0F, 26.0F}) {
                    EXPECT_EQ(record.text_width(text, font, size), pixels.text_width(text, font, size));
                    EXPECT_EQ(record.text_width(text, font, size), svg.text_width(text, font, size));
                }
        (void)frame.end();
    }
}

TEST(Recorder, ReadsLinesInReadingOrder) {
    RecordCanvas canvas(test_fonts(), {0, 0, 400, 300});
    canvas.text({100, 20}, "of 5", Font::mono, 14, dark().ink);
    canvas.text({10, 60}, "below", Font::text, 15, dark().ink);
    canvas.text({10, 21}, "accepted 3", Font::text, 15, dark().ink);
    canvas.text({500, 20}, "outside", Font::text, 15, dark().ink);
    EXPECT_EQ(canvas.visible_text(), "accepted 3 of 5\nbelow\n");
}

TEST(Recorder, ReadsOneAreaAlone) {
    RecordCanvas canvas(test_fonts(), {0, 0, 400, 300});
    canvas.text({10, 20}, "left", Font::text, 15, dark().ink);
    canvas.text({210, 20}, "right", Font::text, 15, dark().ink);
    canvas.push_clip({200, 100, 200, 100});
    canvas.text({150, 150}, "mostly cut off on its left side", Font::text, 15, dark().ink);
    canvas.text({10, 150}, "cut off", Font::text, 15, dark().ink);
    canvas.pop_clip();
    EXPECT_EQ(lines_of(texts_in(canvas.texts(), {0, 0, 200, 300})), "left\n");
    EXPECT_EQ(lines_of(texts_in(canvas.texts(), {200, 0, 200, 300})), "right\nmostly cut off on its left side\n");
}

TEST(Recorder, FindsTextThatIsCutOff) {
    RecordCanvas canvas(test_fonts(), {0, 0, 400, 300});
    canvas.push_clip({0, 0, 60, 40});
    canvas.text({10, 20}, "fits", Font::text, 15, dark().ink);
    canvas.text({10, 20}, "does not fit", Font::text, 15, dark().ink);
    canvas.text({10, 100}, "scrolled away", Font::text, 15, dark().ink);
    canvas.pop_clip();
    canvas.text({395, 20}, "off screen", Font::text, 15, dark().ink);
    const std::vector<RecordedText> cut = canvas.clipped_texts();
    ASSERT_EQ(cut.size(), 2U);
    EXPECT_EQ(cut[0].text, "does not fit");
    EXPECT_EQ(cut[1].text, "off screen");
}

TEST(Recorder, AlignmentMovesTheBox) {
    RecordCanvas canvas(test_fonts(), {0, 0, 400, 300});
    canvas.text({100, 20}, "mid", Font::mono, 15, dark().ink, Align::center);
    canvas.text({100, 20}, "end", Font::mono, 15, dark().ink, Align::right);
    EXPECT_NEAR(canvas.texts()[0].box.center().x, 100, 0.01);
    EXPECT_NEAR(canvas.texts()[1].box.right(), 100, 0.01);
}

TEST(Svg, IsWellFormedWhateverTheText) {
    SvgCanvas canvas(test_fonts(), 400, 300, dark().bg);
    canvas.push_clip({0, 0, 100, 100});
    canvas.push_clip({50, 50, -10, 10});
    for (const char* nasty : {"<b>&\"'</b>", "\xFF\xFE", "a\x01\x0B", "]]>", "—“”"})
        canvas.text({10, 20}, nasty, Font::text_bold, 15, dark().ink.alpha(0.5F), Align::center);
    canvas.pop_clip();
    for (const Role role : kRoles) chip(canvas, dark(), {0, 0, 90, 32}, "⎵<x>", {.role = role});
    canvas.hatch({0, 0, 10, 10}, dark().ink);
    const std::string svg = canvas.finish(); // one clip is still open
    EXPECT_EQ(xml_problem(svg), "");
    EXPECT_NE(svg.find("&lt;b&gt;&amp;&quot;"), std::string::npos);
    EXPECT_NE(svg.find("font-family=\"Inter"), std::string::npos);
    EXPECT_NE(svg.find("font-weight=\"600\""), std::string::npos);
    EXPECT_NE(svg.find("<clipPath id=\"clip1\">"), std::string::npos);
    EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
}

TEST(Geometry, DashesCloseWithoutASeam) {
    const auto [dash, gap] = fitted_dash(103, 5, 3);
    EXPECT_NEAR(103 / (dash + gap), std::round(103 / (dash + gap)), 1e-4);
    EXPECT_NEAR(dash / gap, 5.0 / 3, 1e-4);
    const std::vector<Vec2> square = rounded_outline({0, 0, 80, 40}, 0);
    float drawn = 0;
    for (const auto& piece : dashes(square, true, 5, 3)) drawn += path_length(piece, false);
    EXPECT_NEAR(drawn, 240 * 5.0 / 8, 0.1);
}

TEST(Geometry, HatchStaysInsideAndContinuesIntoTheNeighbour) {
    const Rect left{3, 5, 40, 20}, right{43, 5, 40, 20};
    for (const Line& l : hatch_lines(left, 6))
        for (const Vec2 p : {l.first, l.second}) {
            EXPECT_GE(p.x, left.x - 1e-3);
            EXPECT_LE(p.x, left.right() + 1e-3);
            EXPECT_GE(p.y, left.y - 1e-3);
            EXPECT_LE(p.y, left.bottom() + 1e-3);
        }
    for (const Rect r : {left, right})
        for (const Line& l : hatch_lines(r, 6)) EXPECT_NEAR(std::fmod(l.first.x + l.first.y, 6), 0, 1e-3);
    EXPECT_TRUE(hatch_lines({0, 0, 0, 10}, 6).empty());
}

TEST(Glyphs, EveryIconDrawsSomething) {
    for (int i = 1; i <= static_cast<int>(Icon::tab); ++i) {
        RecordCanvas canvas(test_fonts(), {0, 0, 40, 40});
        icon(canvas, static_cast<Icon>(i), {20, 20}, 16, dark().ink);
        EXPECT_GT(canvas.shapes(), 0) << i;
    }
}

TEST(Color, MixAndAlphaStayInRange) {
    EXPECT_EQ(mix({255, 0, 0}, {0, 0, 255}, 0.5F), (Color{128, 0, 128}));
    EXPECT_EQ(mix({255, 0, 0}, {0, 0, 255}, 7), (Color{255, 0, 0}));
    EXPECT_EQ((Color{1, 2, 3, 200}).alpha(0.5F), (Color{1, 2, 3, 100}));
    EXPECT_EQ((Color{1, 2, 3, 200}).alpha(9), (Color{1, 2, 3, 200}));
}

} // namespace
} // namespace speclens::ui
