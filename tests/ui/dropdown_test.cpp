// The dropdown: choosing, closing, keyboard, disabled rows, long lists, and that nothing below reacts
// meanwhile.
#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace speclens::ui {
namespace {

struct DropdownBench {
    std::vector<Choice> choices = {{"small", "0.6B", ""}, {"lookup", "", ""}, {"EAGLE-3", "", "needs weights"}, {"Domino", "", ""}};
    int chosen = 0, below = 0, next = 0, changes = 0;
    Desk desk{[this](Ui& ui) {
        if (const auto to = dropdown(ui, "drafter", {100, 100, 160, 36}, choices, chosen)) {
            chosen = *to;
            ++changes;
        }
        below += button(ui, "below", {100, 140, 160, 36}, "below") ? 1 : 0;
        next += ui.take_key(Key::right) ? 1 : 0;
    }};
    void open() { desk.click(150, 118); }
    [[nodiscard]] bool is_open() const { return desk.shows("Domino"); }
};

TEST(Dropdown, OpensChoosesAndCloses) {
    DropdownBench b;
    EXPECT_FALSE(b.is_open());
    b.open();
    EXPECT_TRUE(b.is_open());
    b.desk.click(150, 140 + 4 + 32 + 16); // second row
    EXPECT_EQ(b.chosen, 1);
    EXPECT_FALSE(b.is_open());
    EXPECT_EQ(b.below, 0) << "the button under the list was not pressed";
}

TEST(Dropdown, AClickOutsideClosesItAndDoesNothingElse) {
    DropdownBench b;
    b.open();
    b.desk.click(600, 500);
    EXPECT_FALSE(b.is_open());
    EXPECT_EQ(b.changes, 0);
    b.open();
    b.open(); // on the field itself
    EXPECT_FALSE(b.is_open());
    b.desk.click(150, 158);
    EXPECT_EQ(b.below, 1) << "free again";
}

TEST(Dropdown, DisabledRowsStayAndSayWhy) {
    DropdownBench b;
    b.open();
    b.desk.click(150, 140 + 4 + 64 + 16);
    EXPECT_TRUE(b.is_open());
    EXPECT_EQ(b.changes, 0);
    b.desk.time += 0.4;
    b.desk.frame();
    EXPECT_TRUE(b.desk.shows("needs weights"));
}

TEST(Dropdown, KeyboardOpensMovesSkipsDisabledAndChooses) {
    DropdownBench b;
    b.desk.key(Key::tab);
    b.desk.key(Key::down);
    EXPECT_TRUE(b.is_open());
    b.desk.key(Key::down);
    b.desk.key(Key::down); // over EAGLE-3
    b.desk.key(Key::right);
    EXPECT_EQ(b.next, 0) << "global keys are off while the list is open";
    b.desk.key(Key::enter);
    EXPECT_EQ(b.chosen, 3);
    EXPECT_EQ(b.changes, 1);
    b.desk.key(Key::enter);
    b.desk.key(Key::home);
    b.desk.key(Key::escape);
    EXPECT_EQ(b.chosen, 3) << "Escape keeps the choice";
    b.desk.key(Key::right);
    EXPECT_EQ(b.next, 1);
}

TEST(Dropdown, LongListsScrollAndStayOnTheScreen) {
    DropdownBench b;
    b.choices.clear();
    for (int i = 0; i < 40; ++i) b.choices.push_back({"row " + std::to_string(i), "", ""});
    b.chosen = 20;
    b.desk.frame();
    b.open();
    EXPECT_TRUE(b.desk.shows("row 19"));
    for (const RecordedText& t : b.desk.texts) EXPECT_LE(t.box.bottom(), 600);
    b.desk.key(Key::end);
    EXPECT_TRUE(b.desk.shows("row 39"));
    b.desk.key(Key::enter);
    EXPECT_EQ(b.chosen, 39);
}

TEST(Dropdown, DisappearingOwnerClosesTheList) {
    bool shown = true;
    int clicks = 0;
    const std::vector<Choice> choices = {{"a", "", ""}, {"b", "", ""}};
    Desk desk([&](Ui& ui) {
        if (shown) dropdown(ui, "d", {100, 100, 160, 36}, choices, 0);
        clicks += button(ui, "other", {400, 100, 100, 36}, "other") ? 1 : 0;
    });
    desk.click(150, 118);
    shown = false;
    desk.frame();
    desk.frame();
    desk.click(450, 118);
    EXPECT_EQ(clicks, 1);
}

} // namespace
} // namespace speclens::ui
