// Numbers and cut texts in another language.
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
    return language;
}

class Speaking : public ::testing::Test {
  protected:
    void SetUp() override { use_language(toy_language()); }
    void TearDown() override { use_language(nullptr); }
};

// What of a text has no room is told; a name that is one word is cut as it likes.
TEST_F(Speaking, WhatHadToBeShortenedIsTold) {
    auto listening = toy_language();
    std::vector<std::string> shortened;
    listening->shortened = [&](std::string_view text) { shortened.emplace_back(text); };
    use_language(listening);
    const FontSet fonts;
    RecordCanvas canvas(fonts, {0, 0, 400, 200});
    const std::string words = "im Text behalten";
    const float room = canvas.printed_width(words, Font::text, 14);
    EXPECT_EQ(fit(canvas, words, Font::text, 14, room + 1), words);
    (void)fit(canvas, "behalten", Font::text, 14, 10);
    EXPECT_TRUE(shortened.empty());
    EXPECT_TRUE(fit(canvas, words, Font::text, 14, room - 4).ends_with("…"));
    EXPECT_EQ(shortened, std::vector<std::string>{words});
    shortened.clear();
    (void)paragraph(canvas, {0, 20}, room - 4, words, {.size = 14, .max_lines = 2});
    EXPECT_TRUE(shortened.empty());
    (void)paragraph(canvas, {0, 20}, room - 4, words, {.size = 14, .max_lines = 1});
    EXPECT_EQ(shortened, std::vector<std::string>{words});
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

// A canvas knows no language: what it gets is finished.
TEST_F(Speaking, ACanvasDrawsWhatItGets) {
    const FontSet fonts;
    RecordCanvas canvas(fonts, {0, 0, 400, 100});
    canvas.text({10, 20}, Message("Ziel", Said{"shared", "role.target", {}}), Font::text, 15, {1, 2, 3, 255});
    canvas.text({10, 40}, "target", Font::text, 15, {1, 2, 3, 255});
    token_text(canvas, {10, 60}, "target", 15, {1, 2, 3, 255});
    std::vector<std::string> drawn, told;
    for (const RecordedText& text : canvas.texts()) drawn.push_back(text.text);
    for (const ToldMessage& one : canvas.told()) told.push_back(one.message.said.id());
    EXPECT_EQ(drawn, (std::vector<std::string>{"Ziel", "target", "target"}));
    EXPECT_EQ(told, std::vector<std::string>{"shared.role.target"}) << "a token is no message";
    EXPECT_EQ(canvas.text_width("target", Font::text, 15), canvas.printed_width("target", Font::text, 15));
}

} // namespace
} // namespace speclens::ui
