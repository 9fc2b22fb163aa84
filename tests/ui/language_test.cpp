// Labels, numbers and quotes in another language, and what must never be translated.
#include <gtest/gtest.h>

#include "tests/ui/desk.h"
#include "ui/canvas_record.h"
#include "ui/fonts.h"
#include "ui/format.h"
#include "ui/language/language.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens::ui {
namespace {

std::shared_ptr<Language> toy_language() {
    auto language = std::make_shared<Language>();
    language->name = "xx";
    language->decimal = ',';
    language->open_quote = "„";
    language->close_quote = "“";
    language->add("target", "Ziel");
    language->add("round {}", "Runde {}");
    language->add("{} of {} kept", "von {2} {1} behalten");
    language->add("guess “{}”", "Vorschlag “{}”");
    language->add("about {}", "etwa {}");
    language->add("{} of {}", "{} von {}");
    return language;
}

class Speaking : public ::testing::Test {
  protected:
    void SetUp() override { use_language(toy_language()); }
    void TearDown() override { use_language(nullptr); }
};

TEST_F(Speaking, LabelsAreLookedUpWholeThenByTheirParts) {
    const Language& own = language();
    EXPECT_EQ(own.label("target"), "Ziel");
    EXPECT_EQ(own.label("round 7"), "Runde 7");
    EXPECT_EQ(own.label("3 of 4 kept"), "von 4 3 behalten");
    EXPECT_EQ(own.label("round 7 · target · seed 3"), "Runde 7 · Ziel · seed 3") << "a part that nobody translated stays";
    EXPECT_EQ(own.label("about target"), "etwa Ziel");
    EXPECT_EQ(own.label("targets"), "targets");
    EXPECT_EQ(own.label("3 of 4"), "3 von 4");
    EXPECT_EQ(own.label("share of the time"), "share of the time") << "so little of \"{} of {}\" is fixed that it is of numbers";
    EXPECT_EQ(own.label("round "), "round ") << "{} stands for some text";
    EXPECT_EQ(own.label(""), "");
}

TEST_F(Speaking, OfSeveralLabelsTheOneWithMostLettersFits) {
    auto language = toy_language();
    language->add("up to {}", "bis {}");
    language->add("up to {} a pass is cheap", "bis {} ist ein Durchlauf billig");
    language->add("up to {}, but {}", "bis {}, aber {}");
    EXPECT_EQ(language->label("up to 8 a pass is cheap"), "bis 8 ist ein Durchlauf billig");
    EXPECT_EQ(language->label("up to 8, but target"), "bis 8, aber Ziel");
    EXPECT_EQ(language->label("up to 8"), "bis 8");
}

TEST_F(Speaking, NumbersOfAnEngineThatKnowsNoLanguageGetItsDecimalSign) {
    const Language& own = language();
    EXPECT_EQ(own.label("about 1.5"), "etwa 1,5");
    EXPECT_EQ(own.label("about .85"), "etwa 0,85");
    EXPECT_EQ(own.label("about 2.10×"), "etwa 2,10×");
    for (const char* name : {"about 127.0.0.1", "about v1.5", "about .", "about 1."})
        EXPECT_EQ(own.label(name), "etwa " + std::string(name).substr(6));
    use_language(nullptr);
    EXPECT_EQ(language().label("1.5"), "1.5");
}

TEST_F(Speaking, QuotesAreThoseOfTheLanguageAndWhatTheyHoldStays) {
    const Language& own = language();
    EXPECT_EQ(own.label("guess “target”"), "Vorschlag „target“");
    EXPECT_EQ(own.label("see “a” and “b”"), "see „a“ and „b“");
    EXPECT_EQ(own.label("„a“ und „b“"), "„a“ und „b“") << "its own quotes";
    EXPECT_EQ(own.label("„a“ und “b”"), "„a“ und „b“");
}

TEST_F(Speaking, WhatIsUnknownIsTold) {
    auto listening = toy_language();
    std::vector<std::string> unknown;
    listening->unknown = [&](std::string_view text) { unknown.emplace_back(text); };
    use_language(listening);
    (void)language().label("target · cake · 3.5");
    EXPECT_EQ(unknown, std::vector<std::string>{"cake"});
}

// What has no room is told where the English text has some, or is the same.
TEST_F(Speaking, WhatHadToBeShortenedIsTold) {
    auto listening = toy_language();
    listening->add("kept", "im Text behalten");
    std::vector<std::string> shortened;
    listening->shortened = [&](std::string_view text) { shortened.emplace_back(text); };
    use_language(listening);
    const FontSet fonts;
    RecordCanvas canvas(fonts, {0, 0, 400, 200});
    const float room = canvas.printed_width("kept", Font::text, 14) + 4;
    EXPECT_EQ(fit(canvas, "target", Font::text, 14, 100), "Ziel");
    EXPECT_TRUE(shortened.empty());
    EXPECT_TRUE(fit(canvas, "kept", Font::text, 14, room).ends_with("…"));
    EXPECT_EQ(shortened, std::vector<std::string>{"im Text behalten"});
    shortened.clear();
    (void)fit(canvas, "kept", Font::text, 14, 10);
    EXPECT_TRUE(shortened.empty()) << "there is no room in English either";
    (void)paragraph(canvas, {0, 20}, room, "kept", {.size = 14, .max_lines = 1});
    EXPECT_EQ(shortened, std::vector<std::string>{"im Text behalten"});
}

TEST_F(Speaking, NumbersHaveTheDecimalSignOfTheLanguage) {
    EXPECT_EQ(number(1.5, 1), "1,5");
    EXPECT_EQ(probability(0.38), "0,38");
    EXPECT_EQ(probability(0.001), "≈0");
    EXPECT_EQ(probability(0.999), "≈1");
    EXPECT_EQ(probability(1), "1,00");
    EXPECT_EQ(fraction(0.0042, 4), "0,0042");
    EXPECT_EQ(short_number(0.8), "0,8");
    EXPECT_EQ(short_number(1), "1");
    EXPECT_EQ(number(1234.5, 1), "1\u2009234,5");
    use_language(nullptr);
    EXPECT_EQ(probability(0.38), ".38");
    EXPECT_EQ(fraction(0.0042, 4), ".0042");
    EXPECT_EQ(short_number(0.125), "0.125");
}

TEST_F(Speaking, ACanvasDrawsAndMeasuresTheTranslation) {
    const FontSet fonts;
    RecordCanvas canvas(fonts, {0, 0, 400, 100});
    canvas.text({10, 20}, "target", Font::text, 15, {});
    canvas.text({10, 20}, "target", Font::text, 15, {1, 2, 3, 255});
    canvas.print({10, 40}, "target", Font::text, 15, {1, 2, 3, 255});
    token_text(canvas, {10, 60}, "target", 15, {1, 2, 3, 255});
    paragraph(canvas, {10, 80}, 300, "round 2", {.color = {1, 2, 3, 255}});
    std::vector<std::string> drawn;
    for (const RecordedText& text : canvas.texts())
        if (text.color == Color{1, 2, 3, 255}) drawn.push_back(text.text);
    EXPECT_EQ(drawn, (std::vector<std::string>{"Ziel", "target", "target", "Runde 2"})) << "a token is no label";
    EXPECT_EQ(canvas.text_width("target", Font::text, 15), canvas.printed_width("Ziel", Font::text, 15));
    EXPECT_EQ(fit(canvas, "target", Font::text, 15, 400), "Ziel");
    EXPECT_EQ(fit_printed(canvas, "target", Font::text, 15, 400), "target");
}

TEST(English, IsDrawnAsItIsWritten) {
    EXPECT_FALSE(language().translates());
    EXPECT_EQ(language().label("guess “a” · round 3"), "guess “a” · round 3");
}

} // namespace
} // namespace speclens::ui
