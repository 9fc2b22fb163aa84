// Text entry: typing, moving, selecting, clipboard, UTF-8, several lines, a megabyte.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/ui/desk.h"
#include "ui/text_edit.h"
#include "ui/text_field.h"
#include "ui/text_history.h"

namespace speclens::ui {
namespace {

struct FieldBench {
    std::string text, board;
    TextFieldOptions options;
    TextFieldResult last;
    int submitted = 0, changed = 0, k = 0;
    Rect rect{100, 100, 240, 36};
    Desk desk{[this](Ui& ui) {
        last = text_field(ui, "field", rect, text, options);
        submitted += last.submitted ? 1 : 0;
        changed += last.changed ? 1 : 0;
        k += ui.take_key(Key::k) ? 1 : 0;
    }};
    explicit FieldBench(std::string start = {}) : text(std::move(start)) {
        desk.clipboard = {[this] { return board; }, [this](const std::string& s) { board = s; }};
    }
    void focus() { desk.click(rect.x + rect.w - 6, rect.y + 18); }
};

TEST(TextField, TypesAtTheCaretAndDeletesWholeCodePoints) {
    FieldBench b("caf");
    b.focus();
    b.desk.type("é!");
    EXPECT_EQ(b.text, "café!");
    b.desk.key(Key::backspace);
    b.desk.key(Key::backspace);
    EXPECT_EQ(b.text, "caf");
    b.desk.key(Key::home);
    b.desk.type("€");
    b.desk.key(Key::del);
    EXPECT_EQ(b.text, "€af");
    b.desk.key(Key::left);
    b.desk.key(Key::left);
    b.desk.type("x");
    EXPECT_EQ(b.text, "x€af");
}

TEST(TextField, TakesBackWordByWordAndMakesAgain) {
    FieldBench b("The capital");
    b.focus();
    for (const char* letter : {" ", "o", "f", " ", "P", "e", "r", "u"}) b.desk.type(letter);
    ASSERT_EQ(b.text, "The capital of Peru");
    b.desk.key(Key::z, {.ctrl = true});
    EXPECT_EQ(b.text, "The capital of ");
    b.desk.key(Key::z, {.ctrl = true});
    EXPECT_EQ(b.text, "The capital ");
    b.desk.key(Key::y, {.ctrl = true});
    b.desk.key(Key::z, {.shift = true, .ctrl = true});
    EXPECT_EQ(b.text, "The capital of Peru");
    b.desk.type("!");
    EXPECT_EQ(b.text, "The capital of Peru!") << "the caret is where it was";
    for (int i = 0; i < 5; ++i) b.desk.key(Key::backspace);
    EXPECT_EQ(b.text, "The capital of ");
    b.desk.key(Key::z, {.ctrl = true}); // deletions in one go are one change
    EXPECT_EQ(b.text, "The capital of Peru!");
    b.desk.key(Key::a, {.ctrl = true});
    b.desk.key(Key::x, {.ctrl = true});
    b.board = "Hello";
    b.desk.key(Key::v, {.ctrl = true});
    EXPECT_EQ(b.text, "Hello");
    b.desk.key(Key::z, {.ctrl = true});
    EXPECT_EQ(b.text, "");
    b.desk.key(Key::z, {.ctrl = true});
    EXPECT_EQ(b.text, "The capital of Peru!");
    for (int i = 0; i < 9; ++i) b.desk.key(Key::z, {.ctrl = true});
    EXPECT_EQ(b.text, "The capital") << "and no further";
}

TEST(TextField, KeepsItsUndoForItself) {
    FieldBench b("x");
    b.focus();
    int outside = 0;
    const auto draw = b.desk.draw;
    b.desk.draw = [&](Ui& ui) {
        draw(ui);
        outside += ui.take_key(Key::z, {.ctrl = true}) ? 1 : 0;
    };
    b.desk.key(Key::z, {.ctrl = true});
    EXPECT_EQ(outside, 0) << "there was nothing to take back, and nothing else was";
}

TEST(TextHistory, ForgetsTheOldestOfMuchText) {
    TextHistory history;
    const std::string megabyte(1U << 20U, 'a');
    for (int i = 0; i < 9; ++i) history.changed(TextVersion{megabyte + std::to_string(i)}, TextHistory::Kind::other, i, 0);
    int versions = 0;
    std::string oldest;
    while (const auto version = history.take(false, {})) {
        ++versions;
        oldest = version->text.substr(megabyte.size());
    }
    EXPECT_EQ(versions, 3);
    EXPECT_EQ(oldest, "6");
}

TEST(TextField, PlainKeysAreTextOnlyWhileFocused) {
    FieldBench b;
    b.desk.key(Key::k);
    EXPECT_EQ(b.k, 1);
    b.focus();
    b.desk.key(Key::k);
    EXPECT_EQ(b.k, 1) << "withheld";
    b.desk.key(Key::escape);
    b.desk.key(Key::k);
    EXPECT_EQ(b.k, 2);
    b.focus();
    b.desk.click(600, 500); // on empty ground
    b.desk.key(Key::k);
    EXPECT_EQ(b.k, 3);
}

TEST(TextField, SelectsCopiesCutsAndPastes) {
    FieldBench b("The capital");
    b.focus();
    b.desk.key(Key::a, {.ctrl = true});
    b.desk.key(Key::c, {.ctrl = true});
    EXPECT_EQ(b.board, "The capital");
    b.desk.key(Key::right);
    b.desk.key(Key::left, {.shift = true, .ctrl = true});
    b.desk.key(Key::x, {.ctrl = true});
    EXPECT_EQ(b.text, "The ");
    EXPECT_EQ(b.board, "capital");
    b.board = "line one\r\nline two\x01\xFF";
    b.desk.key(Key::v, {.ctrl = true});
    EXPECT_EQ(b.text, "The line one line two\uFFFD") << "one line, no control characters, valid UTF-8";
    b.desk.key(Key::a, {.ctrl = true});
    b.desk.type("new");
    EXPECT_EQ(b.text, "new");
}

TEST(TextField, TheMousePlacesTheCaretDragsASelectionAndDoubleClicksAWord) {
    FieldBench b("alpha beta gamma");
    const float cell = test_fonts().width("alpha ", Font::text, 15);
    b.desk.click(112 + cell + 1, 118);
    b.desk.type("X");
    EXPECT_EQ(b.text, "alpha Xbeta gamma");
    b.desk.press(112, 118);
    b.desk.move(112 + cell, 118);
    b.desk.release();
    b.desk.key(Key::del);
    EXPECT_EQ(b.text, "Xbeta gamma");
    b.desk.press(120, 118, 2);
    b.desk.release();
    b.desk.type("delta");
    EXPECT_EQ(b.text, "delta gamma");
}

TEST(TextField, EnterSubmitsOneLineAndBreaksManyLines) {
    FieldBench b("a");
    b.focus();
    b.desk.key(Key::enter);
    EXPECT_EQ(b.submitted, 1);
    EXPECT_EQ(b.text, "a");
    FieldBench m("a");
    m.options.multi_line = true;
    m.rect.h = 120;
    m.focus();
    m.desk.key(Key::enter);
    m.desk.type("b");
    EXPECT_EQ(m.text, "a\nb");
    m.desk.key(Key::enter, {.ctrl = true});
    EXPECT_EQ(m.submitted, 1);
    EXPECT_EQ(m.text, "a\nb");
}

TEST(TextField, EnterMaySubmitManyLinesAndShiftBreaksThem) {
    FieldBench m("a");
    m.options.multi_line = m.options.enter_submits = true;
    m.rect.h = 120;
    m.focus();
    m.desk.key(Key::enter, {.shift = true});
    m.desk.type("b");
    EXPECT_EQ(m.text, "a\nb");
    EXPECT_EQ(m.submitted, 0);
    m.desk.key(Key::enter);
    EXPECT_EQ(m.text, "a\nb");
    EXPECT_EQ(m.submitted, 1);
}

TEST(TextField, UpAndDownKeepTheColumnOverShortLines) {
    FieldBench b("abcdef\nab\nabcdef");
    b.options.multi_line = b.options.mono = true;
    b.rect.h = 120;
    b.focus();
    b.desk.key(Key::end, {.ctrl = true});
    b.desk.key(Key::up);
    b.desk.key(Key::up);
    b.desk.type("!");
    EXPECT_EQ(b.text, "abcdef!\nab\nabcdef");
}

TEST(TextField, LongLinesWrapAtWordsAndTheCaretStaysVisible) {
    FieldBench b;
    b.options.multi_line = true;
    b.rect.h = 80;
    b.focus();
    for (int i = 0; i < 60; ++i) b.desk.type("word" + std::to_string(i) + " ");
    b.desk.frame();
    EXPECT_TRUE(b.desk.shows("word59"));
    EXPECT_FALSE(b.desk.shows("word0 "));
    EXPECT_GT(b.desk.state.edit.lines.size(), 5U);
    for (const std::size_t start : b.desk.state.edit.lines)
        if (start > 0) {
            EXPECT_EQ(b.text[start - 1], ' ');
        }
    b.desk.key(Key::home, {.ctrl = true});
    EXPECT_TRUE(b.desk.shows("word0 "));
}

TEST(TextField, LongLinesEndWithAnEllipsisUntilTheyAreEdited) {
    FieldBench b("a single line that is much too long to fit into its field");
    EXPECT_TRUE(b.desk.shows("…"));
    b.focus();
    b.desk.key(Key::end);
    EXPECT_FALSE(b.desk.shows("…"));
    EXPECT_TRUE(b.desk.shows("into its field"));
}

TEST(TextField, DisabledFieldsKeepTheirText) {
    FieldBench b("fixed");
    b.options.disabled = "the run is over";
    b.desk.frame();
    b.focus();
    b.desk.type("x");
    EXPECT_EQ(b.text, "fixed");
    EXPECT_EQ(b.desk.state.text_focus, false);
}

TEST(TextField, TakesTheFocusWhenItAppearsAndGivesItUpOnEscape) {
    FieldBench b;
    b.options.take_focus = true;
    b.desk.frame();
    b.desk.frame();
    b.desk.type("query");
    EXPECT_EQ(b.text, "query");
    b.desk.key(Key::escape);
    b.desk.type("x");
    EXPECT_EQ(b.text, "query");
}

TEST(TextField, TheSizeLimitCutsAtACodePoint) {
    FieldBench b;
    b.options.max_bytes = 5;
    b.focus();
    b.desk.type("aé€€");
    EXPECT_EQ(b.text, "aé");
}

TEST(TextField, AMegabyteStaysResponsive) {
    FieldBench b;
    b.options.multi_line = true;
    b.options.max_bytes = 4U << 20;
    b.rect.h = 200;
    while (b.text.size() < (1U << 20)) b.text += "The quick brown fox jumps over the lazy dög. ";
    b.focus();
    b.desk.key(Key::end, {.ctrl = true});
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) b.desk.type("x");
    const double per_key = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 10;
    EXPECT_LT(per_key, 0.5) << "seconds per key, sanitizers included";
    EXPECT_EQ(b.text.substr(b.text.size() - 10), "xxxxxxxxxx");
}

TEST(TextEdit, RandomEditsNeverBreakUtf8) {
    std::string text = "añ€😀";
    TextEdit edit;
    std::uint32_t seed = 7;
    const auto dice = [&](std::uint32_t sides) {
        seed = seed * 1664525U + 1013904223U;
        return (seed >> 10U) % sides;
    };
    const char* words[] = {"é", "😀 ", "abc", "\n", "€"};
    for (int i = 0; i < 3000; ++i) {
        const auto move = static_cast<Move>(dice(8));
        switch (dice(4)) {
        case 0: move_caret(text, edit, move, dice(2) == 0); break;
        case 1: erase(text, edit, move); break;
        default: replace_selection(text, edit, words[dice(5)], 200);
        }
        ASSERT_LE(edit.caret, text.size());
        for (std::size_t at = 0; at < text.size(); at = next_boundary(text, at)) ASSERT_TRUE(decode(text, at).valid);
    }
}

} // namespace
} // namespace speclens::ui
