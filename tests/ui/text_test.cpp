// Words and numbers: UTF-8, number formats, token labels, wrapping and ellipsis.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/shared/temp_folder.h"
#include "tests/ui/desk.h"
#include "ui/fonts.h"
#include "ui/format.h"
#include "ui/system_fonts.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/utf8.h"

namespace speclens::ui {
namespace {

RecordCanvas paper() { return {test_fonts(), {0, 0, 800, 600}}; }

TEST(Utf8, DecodesEveryLengthAndReportsBrokenBytes) {
    const std::string text = "aé€😀";
    const char32_t expected[] = {U'a', U'é', U'€', U'😀'};
    std::size_t at = 0;
    for (const char32_t c : expected) {
        const CodePoint found = decode(text, at);
        EXPECT_TRUE(found.valid);
        EXPECT_EQ(found.value, c);
        std::string again;
        append(again, c);
        EXPECT_EQ(again, text.substr(at, found.length));
        at += found.length;
    }
    for (const char* broken : {"\xFF", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\x80"})
        EXPECT_FALSE(decode(broken, 0).valid) << hex_mark(static_cast<unsigned char>(broken[0]), 2);
}

TEST(Utf8, StepsNeverLandInsideACodePoint) {
    const std::string text = "é€\xFF😀";
    EXPECT_EQ(next_boundary(text, 0), 2U);
    EXPECT_EQ(next_boundary(text, 5), 6U); // the stray byte counts as one
    EXPECT_EQ(previous_boundary(text, text.size()), 6U);
    EXPECT_EQ(previous_boundary(text, 6), 5U);
    EXPECT_EQ(previous_boundary(text, 5), 2U);
    EXPECT_EQ(previous_boundary(text, 0), 0U);
    EXPECT_EQ(next_boundary(text, text.size()), text.size());
}

TEST(Format, ProbabilitiesHaveTwoDecimalsAndNoLeadingZero) {
    EXPECT_EQ(probability(0.384), ".38");
    EXPECT_EQ(probability(1), "1.00");
    EXPECT_EQ(probability(0.0099), "<.01");
    EXPECT_EQ(probability(0), "0");
    EXPECT_EQ(probability(0.01), ".01");
    EXPECT_EQ(probability(0.997), ">.99");
}

// A folder with one font that has neither Georgian nor arrows of this kind, and a system that has.
TEST(Fonts, TakeOtherScriptsFromTheSystem) {
    const std::string dejavu = "/usr/share/fonts/truetype/dejavu/";
    std::vector<char32_t> asked;
    const auto system = [&](char32_t c) {
        asked.push_back(c);
        return std::vector<FontFile>{{"/nowhere/at-all.ttf", 0}, {dejavu + "DejaVuSans.ttf", 0}};
    };
    const test::TempFolder folder;
    std::filesystem::copy_file(dejavu + "DejaVuSansMono.ttf", folder / "DejaVuSansMono.ttf");
    std::filesystem::copy_file(dejavu + "DejaVuSansMono-Bold.ttf", folder / "DejaVuSans.ttf");
    std::filesystem::copy_file(dejavu + "DejaVuSansMono-Bold.ttf", folder / "DejaVuSans-Bold.ttf");
    const std::string letter = "\u2D00"; // Georgian of the church
    const FontSet alone({folder.path()});
    EXPECT_EQ(alone.shown(letter, Font::text), "⟨2D00⟩");
    const FontSet fonts({folder.path()}, system);
    EXPECT_TRUE(asked.empty()) << "nobody is asked before it is needed";
    EXPECT_EQ(fonts.shown(letter, Font::text), letter);
    EXPECT_EQ(fonts.shown(letter + letter, Font::mono), letter + letter);
    EXPECT_GT(fonts.width(letter, Font::text, 20), 5);
    EXPECT_EQ(asked.size(), 1U) << "once for a character";
    EXPECT_EQ(fonts.shown("\u2D01", Font::text), "\u2D01");
    EXPECT_EQ(asked.size(), 1U) << "the font that was found has it";
    EXPECT_EQ(fonts.shown("\U000F1234", Font::text), "⟨F1234⟩");
    EXPECT_EQ(fonts.shown("\U000F1234", Font::text), "⟨F1234⟩");
    EXPECT_EQ(asked.size(), 2U) << "and that nobody has it is known as well";
}

// As a portable archive has them: the files alone, beside the program's other data.
TEST(Fonts, LieBesideTheProgramInAnArchive) {
    const test::TempFolder folder;
    const std::filesystem::path system = "/usr/share/fonts";
    for (const char* file : {"opentype/inter/Inter-Regular.otf", "opentype/inter/Inter-SemiBold.otf",
                             "truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", "truetype/jetbrains-mono/JetBrainsMono-Medium.ttf",
                             "truetype/dejavu/DejaVuSans.ttf", "truetype/dejavu/DejaVuSans-Bold.ttf", "truetype/dejavu/DejaVuSansMono.ttf"})
        std::filesystem::copy_file(system / file, folder / (system / file).filename().string());
    const FontSet fonts({"/nowhere", folder.path()});
    for (const FontReport& font : fonts.report()) EXPECT_TRUE(font.exact) << font.wanted << " is " << font.path;

    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    EXPECT_EQ(FontSet::search_folders().back(), program.parent_path().parent_path() / "share" / "speclens" / "fonts");
}

TEST(Fonts, FontconfigNamesFilesThatCanBeRead) {
    const std::vector<FontFile> files = system_fonts_for(U'a');
    if (files.empty()) GTEST_SKIP() << "no fontconfig, or no font that it knows";
    for (const FontFile& file : files) EXPECT_TRUE(std::filesystem::exists(file.path)) << file.path;
    const auto face = FontFace::open(files[0].path, files[0].index);
    ASSERT_TRUE(face) << files[0].path;
    EXPECT_NE(face->glyph(U'a'), 0);
    EXPECT_TRUE(system_fonts_for(0x10FFFE).empty()) << "no character at all";
}

TEST(Fonts, AnEmojiIsOneGlyphWhateverItIsMadeOf) {
    const FontSet fonts({"/usr/share/fonts/truetype/dejavu"});
    const std::string smile = "\U0001F600", rocket = "\U0001F680", heart = "\u2764";
    EXPECT_EQ(fonts.shown(smile, Font::text), smile) << "DejaVu has it";
    EXPECT_EQ(fonts.shown(rocket, Font::text), "□") << "and not this one";
    EXPECT_EQ(fonts.shown(heart + "\uFE0F!", Font::text), heart + "!");
    EXPECT_EQ(fonts.shown(smile + "\U0001F3FD", Font::text), smile) << "a skin tone";
    EXPECT_EQ(fonts.shown(smile + "\u200D" + heart + "\uFE0F\u200D" + smile + ".", Font::text), smile + ".") << "three, joined";
    EXPECT_EQ(fonts.shown(smile + "\u200Da", Font::text).substr(0, smile.size()), smile);
    EXPECT_EQ(fonts.shown(smile + smile, Font::text), smile + smile) << "two of them";
    EXPECT_EQ(fonts.width(smile + "\uFE0F", Font::mono, 15), fonts.width(smile, Font::mono, 15));
}

TEST(Format, NumbersUseTrueMinusAndThinSpaces) {
    EXPECT_EQ(number(-4.6, 1), "−4.6");
    EXPECT_EQ(number(-0.01, 1), "0.0"); // no minus on zero
    EXPECT_EQ(signed_number(1.2, 1), "+1.2");
    EXPECT_EQ(signed_number(-1.2, 1), "−1.2");
    EXPECT_EQ(signed_number(0, 1), "0.0");
    EXPECT_EQ(integer(151936), "151\u2009936");
    EXPECT_EQ(integer(-1234567), "−1\u2009234\u2009567");
    EXPECT_EQ(number(1234.5, 1), "1\u2009234.5");
    EXPECT_EQ(milliseconds(9), "9.0");
    EXPECT_EQ(per_round(3.556), "3.56");
    EXPECT_EQ(speed_up(1.6), "1.60×");
    EXPECT_EQ(percent(0.6), "60\u2009%");
    EXPECT_EQ(megabytes(412e6), "412 MB");
    EXPECT_EQ(megabytes(1.4e9), "1.4 GB");
}

TEST(Text, OfSeveralWaysTheLongestThatFitsIsSaid) {
    const RecordCanvas canvas = paper();
    const std::vector<std::string> ways = {"a row sees its ancestors", "its ancestors", "them"};
    const auto width = [&](std::size_t i) { return canvas.text_width(ways[i], Font::text, 14); };
    EXPECT_EQ(fitting(canvas, ways, Font::text, 14, width(0)), ways[0]);
    EXPECT_EQ(fitting(canvas, ways, Font::text, 14, width(0) - 1), ways[1]);
    EXPECT_EQ(fitting(canvas, ways, Font::text, 14, width(1) - 1), ways[2]);
    EXPECT_EQ(fitting(canvas, ways, Font::text, 14, 1), ways[2]) << "none fits";
}

TEST(Tokens, LabelsShowSpacesBreaksTabsAndBrokenBytes) {
    EXPECT_EQ(token_label(" Paris"), "⎵Paris");
    EXPECT_EQ(token_label("\n"), "⏎");
    EXPECT_EQ(token_label("\t"), "⇥");
    EXPECT_EQ(token_label("\xE4"), "⟨E4⟩");
    EXPECT_EQ(token_label("a\xE4\xBD"), "a⟨E4⟩⟨BD⟩");
    EXPECT_EQ(token_label("\x1B"), "⟨1B⟩");
    EXPECT_EQ(token_label("        "), "⎵×8");
    EXPECT_EQ(token_label("   "), "⎵⎵⎵");
    EXPECT_EQ(token_label("é"), "é");
    EXPECT_EQ(token_label(""), "");
    EXPECT_EQ(token_in_text(" It"), "It");
    EXPECT_EQ(token_in_text("  It"), "  It");
    EXPECT_EQ(token_in_text("\n"), "⏎");
    EXPECT_EQ(token_in_text("\xE4"), "⟨E4⟩");
}

TEST(Tokens, ChipIsWideEnoughForItsLabelAndCutsWhatIsNot) {
    RecordCanvas canvas = paper();
    const std::string label = token_label(" Francisco");
    for (const float h : {28.0F, 32.0F, 36.0F, 44.0F}) {
        const Rect rect{10, 10, chip_width(canvas, label, h), h};
        chip(canvas, theme(ThemeKind::dark), rect, label, {.role = Role::accepted});
        EXPECT_EQ(canvas.texts().back().text, "Francisco");
        EXPECT_LE(canvas.texts().back().box.right(), rect.right() - 6);
    }
    const Rect tight{10, 10, chip_width(canvas, label, 36) - 10, 36};
    chip(canvas, theme(ThemeKind::dark), tight, label, {.role = Role::accepted});
    EXPECT_EQ(canvas.texts().back().text, "Francisco") << "smaller, and whole";
    EXPECT_LT(canvas.texts().back().size, chip_text_size(36));
    chip(canvas, theme(ThemeKind::dark), {10, 10, 70, 32}, label, {.role = Role::accepted});
    const RecordedText& cut = canvas.texts().back();
    EXPECT_NE(cut.text.find("…"), std::string::npos);
    EXPECT_LE(cut.box.right(), 80 - 4);
    EXPECT_EQ(cut.size, 14);
}

TEST(Tokens, EveryRoleDrawsInEveryStateWithoutLeavingAClipOpen) {
    RecordCanvas canvas = paper();
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light, ThemeKind::contrast, ThemeKind::contrast_light})
        for (const Role role : kRoles)
            for (const bool solid : {false, true})
                chip(canvas, theme(kind), {0, 0, 90, 32}, "x",
                     {.role = role, .solid = solid, .selected = true, .alpha = 0.5F, .strike = 0.5F});
    EXPECT_EQ(canvas.open_clips(), 0);
    EXPECT_EQ(canvas.texts().size(), 4U * 7 * 2);
}

TEST(Tokens, RunningTextKeepsIndentationAsPlainGaps) {
    RecordCanvas canvas = paper();
    const float cell = canvas.text_width(" ", Font::mono, 17);
    const float width = running_token(canvas, theme(ThemeKind::dark), {0, 20}, "        return", Role::accepted);
    EXPECT_NEAR(width, 14 * cell, 0.01);
    EXPECT_EQ(canvas.texts().back().text, "        return");
}

TEST(Layout, WrappedLinesFitAndLoseNothing) {
    const RecordCanvas canvas = paper();
    const std::string text = "The draft was sure of “It” (.45); the target gives it .18.";
    for (const float width : {60.0F, 120.0F, 352.0F}) {
        std::string joined;
        for (const std::string_view line : wrap(canvas, text, Font::text, 15, width)) {
            EXPECT_LE(canvas.text_width(line, Font::text, 15), width);
            if (!joined.empty()) joined += ' ';
            joined += line;
        }
        EXPECT_EQ(joined, text);
    }
}

TEST(Layout, AValueStaysBesideItsName) {
    const RecordCanvas canvas = paper();
    const std::string text = "With fewer guesses, K = 4 and g = 7.0, a round is shorter";
    for (float width = 60; width < 420; width += 7)
        for (const std::string_view line : wrap(canvas, text, Font::text, 15, width)) {
            EXPECT_FALSE(line.starts_with("=") || line.ends_with("=")) << line;
            EXPECT_FALSE(line.ends_with(" K") || line == "K") << line;
        }
    EXPECT_GE(wrap(canvas, "a = b = c = d = e = f", Font::text, 15, 40).size(), 3U) << "too wide for one line";
}

TEST(Layout, LineBreaksAndLongWordsAreHonoured) {
    const RecordCanvas canvas = paper();
    EXPECT_EQ(wrap(canvas, "a\n\nb", Font::text, 15, 100).size(), 3U);
    EXPECT_EQ(wrap(canvas, "", Font::text, 15, 100).size(), 1U);
    const std::string word(60, 'm');
    std::size_t total = 0;
    for (const std::string_view line : wrap(canvas, "ab " + word, Font::mono, 15, 90)) total += line.size();
    EXPECT_EQ(total, 62U);
    EXPECT_EQ(wrap(canvas, "éé", Font::mono, 15, 1).size(), 2U); // never less than one code point
}

TEST(Fit, BetweenLeavesTheLastTwoWords) {
    const RecordCanvas canvas = paper();
    const std::string text = "Tokens per round when trained on fixed blocks";
    const float whole = canvas.printed_width(text, Font::text, 14);
    EXPECT_EQ(fit_between(canvas, text, Font::text, 14, whole), text);
    const std::string shorter = "Tokens per round when … fixed blocks";
    EXPECT_EQ(fit_between(canvas, text, Font::text, 14, canvas.printed_width(shorter, Font::text, 14)), shorter);
    EXPECT_EQ(fit_between(canvas, text, Font::text, 14, 1), text) << "whoever draws it cuts it";
    for (const char* few : {"", "one", "two words"}) EXPECT_EQ(fit_between(canvas, few, Font::text, 14, 1), few);
}

TEST(Layout, EllipsisCutsAtCodePointsAndFits) {
    const RecordCanvas canvas = paper();
    EXPECT_EQ(fit(canvas, "short", Font::text, 15, 100), "short");
    for (float width = 10; width < 120; width += 7) {
        const std::string cut = fit(canvas, "Überraschung müßig", Font::text, 15, width);
        for (std::size_t at = 0; at < cut.size(); at = next_boundary(cut, at)) EXPECT_TRUE(decode(cut, at).valid);
        if (width > 16) {
            EXPECT_LE(canvas.text_width(cut, Font::text, 15), width);
        }
    }
}

TEST(Layout, ParagraphsStopAtTheirLimitWithAnEllipsis) {
    RecordCanvas canvas = paper();
    const std::string text = "one two three four five six seven eight nine ten";
    const float next = paragraph(canvas, {0, 20}, 100, text, {.color = {255, 255, 255}, .max_lines = 2});
    EXPECT_EQ(canvas.texts().size(), 2U);
    EXPECT_NE(canvas.texts()[1].text.find("…"), std::string::npos);
    EXPECT_FLOAT_EQ(next, 20 + 2 * 24);
    EXPECT_GT(paragraph_lines(canvas, 100, text, {}), 2);
}

TEST(Layout, AParagraphFromBelowEndsWhereItShould) {
    RecordCanvas canvas = paper();
    const ParagraphStyle style{.size = 14, .color = {255, 255, 255}};
    EXPECT_FLOAT_EQ(paragraph_above(canvas, {0, 200}, 1000, "one line", style), 200);
    const std::string text = "one two three four five six seven eight nine ten";
    const int lines = paragraph_lines(canvas, 100, text, style);
    ASSERT_GT(lines, 2);
    EXPECT_FLOAT_EQ(paragraph_above(canvas, {0, 200}, 100, text, style), 200 - 20.0F * static_cast<float>(lines - 1));
    ASSERT_EQ(canvas.texts().size(), 1 + static_cast<std::size_t>(lines));
    EXPECT_FLOAT_EQ(canvas.texts().back().box.y, canvas.texts().front().box.y) << "the last line of both at 200";
}

TEST(Layout, BaselinesFollowTheGrid) {
    EXPECT_FLOAT_EQ(baseline(728, 36, 15), 751);
    EXPECT_FLOAT_EQ(baseline(136, 36, 17), 160);
    EXPECT_FLOAT_EQ(baseline(48, 24, 14), 65);
}

} // namespace
} // namespace speclens::ui
