// Widgets under simulated input: clicks, keys, drags, Tab order, disabled controls, tooltips, scrolling.
#include <gtest/gtest.h>

#include "tests/ui/desk.h"

namespace speclens::ui {
namespace {

TEST(Button, ClicksOnReleaseInside) {
    int clicks = 0;
    Desk desk([&](Ui& ui) { clicks += button(ui, "go", {10, 10, 100, 36}, "Go") ? 1 : 0; });
    desk.click(50, 20);
    EXPECT_EQ(clicks, 1);
    desk.press(50, 20);
    desk.move(300, 300);
    desk.release();
    EXPECT_EQ(clicks, 1) << "released outside";
    desk.press(300, 300);
    desk.move(50, 20);
    desk.release();
    EXPECT_EQ(clicks, 1) << "pressed outside";
    EXPECT_TRUE(desk.shows("Go"));
}

TEST(Button, PressAndReleaseInOneFrameIsAClick) {
    int clicks = 0;
    Desk desk([&](Ui& ui) { clicks += button(ui, "go", {10, 10, 100, 36}, "Go") ? 1 : 0; });
    desk.mouse = {50, 20};
    Input input;
    input.pressed = input.released = true;
    desk.frame(input);
    desk.frame();
    EXPECT_EQ(clicks, 1);
    EXPECT_EQ(desk.state.active, 0U);
}

TEST(Button, DisabledDoesNothingAndSaysWhy) {
    int clicks = 0;
    Desk desk([&](Ui& ui) { clicks += button(ui, "go", {10, 10, 100, 36}, "Go", {.disabled = "no model yet"}) ? 1 : 0; });
    desk.click(50, 20);
    desk.key(Key::tab);
    desk.key(Key::enter);
    EXPECT_EQ(clicks, 0);
    EXPECT_FALSE(desk.shows("no model yet"));
    desk.move(51, 20);
    desk.time += 0.4;
    desk.frame();
    EXPECT_TRUE(desk.shows("no model yet"));
}

TEST(Button, SmallTargetsGrowToTheLeastSize) {
    int clicks = 0;
    Desk desk([&](Ui& ui) { clicks += button(ui, "x", {100, 100, 12, 12}, "", {.icon = Icon::close}) ? 1 : 0; });
    desk.click(95, 106);
    EXPECT_EQ(clicks, 1);
    desk.click(80, 106);
    EXPECT_EQ(clicks, 1);
}

TEST(Focus, TabWalksInCallingOrderAndEnterOrSpaceActivates) {
    std::string pressed;
    Desk desk([&](Ui& ui) {
        for (const char* name : {"a", "b", "c"})
            if (button(ui, name, {10, name[0] == 'b' ? 200.0F : 10.0F, 100, 36}, name, {.disabled = ""})) pressed += name;
    });
    desk.key(Key::tab);
    desk.key(Key::enter);
    desk.key(Key::tab);
    desk.key(Key::space);
    desk.key(Key::tab);
    desk.key(Key::tab); // around
    desk.key(Key::enter);
    desk.key(Key::tab, {.shift = true});
    desk.key(Key::enter);
    EXPECT_EQ(pressed, "abac");
}

TEST(Focus, AClickDoesNotMakeSpaceActAgain) {
    int clicks = 0;
    bool space = false;
    Desk desk([&](Ui& ui) {
        clicks += button(ui, "go", {10, 10, 100, 36}, "Go") ? 1 : 0;
        space = ui.take_key(Key::space) || space; // the global "next beat"
    });
    desk.click(50, 20);
    desk.key(Key::space);
    EXPECT_EQ(clicks, 1);
    EXPECT_TRUE(space);
}

TEST(Focus, WidgetsThatVanishLoseIt) {
    bool shown = true;
    Desk desk([&](Ui& ui) {
        if (shown) button(ui, "go", {10, 10, 100, 36}, "Go");
    });
    desk.key(Key::tab);
    EXPECT_NE(desk.state.focus, 0U);
    shown = false;
    desk.frame();
    EXPECT_EQ(desk.state.focus, 0U);
}

TEST(Focus, SameNamesUnderDifferentParentsAreDifferent) {
    std::string pressed;
    Desk desk([&](Ui& ui) {
        ui.push_id("left");
        if (button(ui, "go", {10, 10, 100, 36}, "Go")) pressed += "L";
        ui.pop_id();
        ui.push_id("right");
        if (button(ui, "go", {200, 10, 100, 36}, "Go")) pressed += "R";
        ui.pop_id();
    });
    desk.click(250, 20);
    desk.click(50, 20);
    EXPECT_EQ(pressed, "RL");
}

TEST(Keys, AreTakenOnceAndNeedTheExactModifiers) {
    int k = 0, shift_k = 0, again = 0;
    Desk desk([&](Ui& ui) {
        k += ui.take_key(Key::k) ? 1 : 0;
        again += ui.take_key(Key::k) ? 1 : 0;
        shift_k += ui.take_key(Key::k, {.shift = true}) ? 1 : 0;
    });
    desk.key(Key::k);
    desk.key(Key::k, {.shift = true});
    EXPECT_EQ(k, 1);
    EXPECT_EQ(shift_k, 1);
    EXPECT_EQ(again, 0);
}

TEST(Keys, TypedCharactersIgnoreTheLayout) {
    int help = 0;
    Desk desk([&](Ui& ui) { help += ui.take_typed('?') ? 1 : 0; });
    desk.type("?");
    EXPECT_EQ(help, 1);
}

TEST(Stepper, StepsByMouseKeyboardAndWheelWithinItsRange) {
    double value = 4;
    Desk desk([&](Ui& ui) {
        if (const auto to = stepper(ui, "k", {100, 100, 116, 36}, value, {.low = 1, .high = 6})) value = *to;
    });
    desk.click(200, 118);
    EXPECT_EQ(value, 5);
    desk.click(200, 118);
    desk.click(200, 118);
    EXPECT_EQ(value, 6) << "stops at the end";
    desk.click(110, 118);
    EXPECT_EQ(value, 5);
    desk.key(Key::tab);
    desk.key(Key::left);
    desk.key(Key::down);
    EXPECT_EQ(value, 3);
    desk.key(Key::home);
    EXPECT_EQ(value, 1);
    desk.key(Key::end);
    EXPECT_EQ(value, 6);
    desk.move(150, 118);
    desk.wheel(-1);
    EXPECT_EQ(value, 5);
}

// The command line takes lengths beyond the range of the control.
TEST(Stepper, StepsBackFromAValueOutsideItsRange) {
    for (const auto& [key, wanted] :
         {std::pair{Key::right, 20.0}, {Key::left, 19.0}, {Key::up, 20.0}, {Key::down, 19.0}, {Key::end, 20.0}}) {
        double value = 20;
        Desk desk([&](Ui& ui) {
            if (const auto to = stepper(ui, "k", {100, 100, 116, 36}, value, {.low = 1, .high = 16})) value = *to;
        });
        desk.key(Key::tab);
        desk.key(key);
        EXPECT_EQ(value, wanted) << static_cast<int>(key);
    }
    for (const auto& [key, wanted] : {std::pair{Key::right, 20.0}, {Key::left, 10.0}, {Key::up, 20.0}, {Key::down, 10.0}}) {
        double value = 20;
        Desk desk([&](Ui& ui) {
            if (const auto to = stepper(ui, "k", {100, 100, 116, 36}, value, {.low = 1, .high = 16})) value = *to;
        });
        desk.key(Key::tab);
        desk.key(key, {.shift = true});
        EXPECT_EQ(value, wanted) << "ten at once, " << static_cast<int>(key);
    }
}

// A presenter's clicker sends them: a lecture goes on, whichever control has the focus.
TEST(Values, LeaveThePageKeysToTheLecture) {
    double length = 5, share = 0.5;
    int pages = 0;
    Desk desk([&](Ui& ui) {
        if (const auto to = stepper(ui, "k", {10, 10, 116, 36}, length, {.low = 1, .high = 16})) length = *to;
        if (const auto to = slider(ui, "u", {10, 60, 214, 28}, share, 0, 1)) share = *to;
        while (ui.take_key(Key::page_down)) ++pages;
        while (ui.take_key(Key::page_up)) ++pages;
    });
    for (int stop = 0; stop < 2; ++stop) {
        desk.key(Key::tab);
        desk.key(Key::page_down);
        desk.key(Key::page_up);
    }
    EXPECT_EQ(pages, 4);
    EXPECT_EQ(length, 5);
    EXPECT_EQ(share, 0.5);
    desk.key(Key::right, {.shift = true});
    EXPECT_NEAR(share, 0.6, 1e-9);
}

TEST(Stepper, TenthsDoNotDrift) {
    double value = 0;
    Desk desk([&](Ui& ui) {
        if (const auto to = stepper(ui, "t", {100, 100, 116, 36}, value, {.high = 2, .step = 0.1, .decimals = 1})) value = *to;
    });
    for (int i = 0; i < 10; ++i) desk.click(200, 118);
    EXPECT_DOUBLE_EQ(value, 1.0);
    desk.frame();
    EXPECT_TRUE(desk.shows("1.0"));
}

TEST(Segmented, ChoosesByClickAndArrows) {
    const std::vector<Message> words = {"sampled", "one-hot", "greedy"};
    int chosen = 0;
    Desk desk([&](Ui& ui) {
        if (const auto to = segmented(ui, "mode", {10, 10}, words, chosen)) chosen = *to;
    });
    desk.click(140, 28);
    EXPECT_EQ(chosen, 1);
    desk.key(Key::tab);
    desk.key(Key::right);
    EXPECT_EQ(chosen, 2);
    desk.key(Key::right);
    EXPECT_EQ(chosen, 2);
    desk.key(Key::left);
    desk.key(Key::left);
    EXPECT_EQ(chosen, 0);
}

TEST(Checkbox, TogglesOverItsWholeWidth) {
    bool on = false, done = false;
    Desk desk([&](Ui& ui) {
        if (checkbox(ui, "c", {10, 10, 200, 28}, "show grid", on)) on = !on;
        if (task_card(ui, "t", {10, 60, 300, 44}, "drag it", done)) done = !done;
    });
    desk.click(150, 20);
    EXPECT_TRUE(on);
    desk.click(15, 24);
    EXPECT_FALSE(on);
    desk.click(200, 80);
    EXPECT_TRUE(done);
}

TEST(Slider, DragsFromTheKnobWithoutJumpingAndClampsAtTheEnds) {
    double value = 0.5;
    Desk desk([&](Ui& ui) {
        if (const auto to = slider(ui, "u", {100, 100, 214, 28}, value, 0, 1)) value = *to; // 200 px of travel
    });
    desk.press(210, 114); // 3 px right of the knob
    EXPECT_DOUBLE_EQ(value, 0.5);
    desk.move(230, 114);
    EXPECT_NEAR(value, 0.6, 1e-6);
    desk.move(900, 300); // outside: still held
    EXPECT_DOUBLE_EQ(value, 1);
    desk.release();
    desk.move(120, 114);
    EXPECT_DOUBLE_EQ(value, 1) << "released";
    desk.click(157, 114);
    EXPECT_NEAR(value, 0.25, 0.01) << "a click on the track jumps there";
    desk.key(Key::tab);
    desk.key(Key::home);
    desk.key(Key::right);
    EXPECT_NEAR(value, 0.01, 1e-9);
}

TEST(Handle, ReportsTheNewCentreWhileDraggedAndByArrows) {
    Vec2 center{100, 100};
    Desk desk([&](Ui& ui) {
        if (const Handle h = drag_handle(ui, "bar", center, 4); h.moved) center = *h.moved;
    });
    desk.press(110, 95);
    desk.move(150, 60);
    EXPECT_FLOAT_EQ(center.x, 140);
    EXPECT_FLOAT_EQ(center.y, 65);
    desk.release();
    desk.key(Key::tab);
    desk.key(Key::up);
    EXPECT_FLOAT_EQ(center.y, 61);
}

TEST(Handle, OfTwoAtOnePlaceTheFirstOneMoves) {
    Vec2 a{100, 100}, b{104, 100};
    Desk desk([&](Ui& ui) {
        if (const Handle h = drag_handle(ui, "a", a); h.moved) a = *h.moved;
        if (const Handle h = drag_handle(ui, "b", b); h.moved) b = *h.moved;
    });
    desk.press(102, 100);
    desk.move(102, 50);
    desk.release();
    EXPECT_FLOAT_EQ(a.y, 50);
    EXPECT_FLOAT_EQ(b.y, 100);
}

TEST(Handle, OfTwoCloseOnesTheOneUnderThePointerMoves) {
    Vec2 a{100, 100}, b{114, 100};
    Desk desk([&](Ui& ui) {
        if (const Handle h = drag_handle(ui, "a", a, 1, {79, 86, 28, 28}); h.moved) a = *h.moved;
        if (const Handle h = drag_handle(ui, "b", b, 1, {107, 86, 28, 28}); h.moved) b = *h.moved;
    });
    desk.press(114, 100);
    desk.move(114, 50);
    desk.release();
    EXPECT_FLOAT_EQ(a.y, 100);
    EXPECT_FLOAT_EQ(b.y, 50);
}

TEST(Tooltip, WaitsLeavesAndAsksToBeWoken) {
    Desk desk([](Ui& ui) { button(ui, "go", {10, 10, 100, 36}, "Go", {.tooltip = "runs one step"}); });
    desk.move(50, 20);
    EXPECT_FALSE(desk.shows("runs one step"));
    EXPECT_GT(desk.state.wake_at, desk.time - 0.1);
    desk.time += 0.35;
    desk.frame();
    EXPECT_TRUE(desk.shows("runs one step"));
    for (const RecordedText& t : desk.texts) EXPECT_GE(t.box.x, 0);
    desk.move(400, 400);
    EXPECT_FALSE(desk.shows("runs one step"));
    desk.key(Key::tab); // focus shows it at once
    EXPECT_TRUE(desk.shows("runs one step"));
}

TEST(Dialog, OnlyTheTopLayerGetsInput) {
    int below = 0, above = 0, key_below = 0;
    bool open = true;
    Desk desk([&](Ui& ui) {
        below += button(ui, "below", {10, 10, 100, 36}, "below") ? 1 : 0;
        if (open) {
            ui.begin_layer();
            above += button(ui, "above", {10, 100, 100, 36}, "above") ? 1 : 0;
            ui.end_layer();
        }
        key_below += ui.take_key(Key::k) ? 1 : 0;
    });
    desk.click(50, 20);
    desk.click(50, 110);
    desk.key(Key::k);
    EXPECT_EQ(below, 0);
    EXPECT_EQ(above, 1);
    EXPECT_EQ(key_below, 0);
    desk.key(Key::tab);
    desk.key(Key::enter);
    EXPECT_EQ(above, 2) << "Tab stays in the dialog";
    open = false;
    desk.frame();
    desk.click(50, 20);
    desk.key(Key::k);
    EXPECT_EQ(below, 1);
    EXPECT_EQ(key_below, 1);
}

TEST(Dialog, GivesTheFocusBackToWhatOpenedIt) {
    bool open = false;
    Desk desk([&](Ui& ui) {
        button(ui, "one", {10, 10, 100, 36}, "one");
        if (button(ui, "two", {10, 60, 100, 36}, "two")) open = true;
        if (!open) return;
        ui.begin_layer();
        if (button(ui, "close", {10, 110, 100, 36}, "close")) open = false;
        ui.end_layer();
    });
    desk.key(Key::tab);
    desk.key(Key::tab);
    const Id opener = desk.state.focus;
    desk.key(Key::enter);
    ASSERT_TRUE(open);
    desk.key(Key::tab);
    EXPECT_NE(desk.state.focus, opener);
    desk.key(Key::enter);
    ASSERT_FALSE(open);
    desk.frame();
    EXPECT_EQ(desk.state.focus, opener);
    EXPECT_TRUE(desk.state.focus_visible);
    desk.key(Key::enter);
    EXPECT_TRUE(open) << "and its keys work";
}

TEST(Dialog, GivesBackNoFocusOfAWidgetThatIsGone) {
    bool open = false, there = true;
    Desk desk([&](Ui& ui) {
        if (there && button(ui, "opener", {10, 10, 100, 36}, "opener")) open = true;
        if (!open) return;
        ui.begin_layer();
        button(ui, "in it", {10, 110, 100, 36}, "in it");
        ui.end_layer();
    });
    desk.key(Key::tab);
    desk.key(Key::enter);
    ASSERT_TRUE(open);
    there = open = false;
    desk.frame();
    desk.frame();
    EXPECT_EQ(desk.state.focus, 0U);
}

TEST(Walk, ManyAreOneStopOfTabAndTheirKeysLeadOn) {
    int clicked = -1, steps = 0;
    Desk desk([&](Ui& ui) {
        button(ui, "before", {10, 10, 100, 36}, "before");
        std::vector<Id> ids;
        for (int i = 0; i < 4; ++i) ids.push_back(ui.id("row " + std::to_string(i)));
        const std::size_t stop = walk(ui, ids, 2, Key::up, Key::down);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const Rect row{10, 60 + 30 * static_cast<float>(i), 100, 30};
            if (touch(ui, ids[i], row, {.grow = false, .stop = i == stop}).clicked) clicked = static_cast<int>(i);
        }
        button(ui, "after", {10, 200, 100, 36}, "after");
        while (ui.take_key(Key::down)) ++steps;
    });
    desk.key(Key::tab);
    desk.key(Key::down);
    EXPECT_EQ(steps, 1) << "the focus is elsewhere";
    desk.key(Key::tab);
    desk.key(Key::enter);
    EXPECT_EQ(clicked, 2) << "the chosen one";
    desk.key(Key::down);
    desk.key(Key::down);
    desk.key(Key::enter);
    EXPECT_EQ(clicked, 3) << "it ends there";
    desk.key(Key::home);
    desk.key(Key::enter);
    EXPECT_EQ(clicked, 0);
    EXPECT_EQ(steps, 1);
    const Id row = desk.state.focus;
    desk.key(Key::tab);
    EXPECT_NE(desk.state.focus, row);
    desk.key(Key::tab, {.shift = true});
    desk.key(Key::enter);
    EXPECT_EQ(clicked, 2) << "one stop, whichever row had the focus";
    desk.click(50, 165);
    EXPECT_EQ(clicked, 3);
    desk.key(Key::down);
    EXPECT_EQ(steps, 2) << "reached with the pointer, it takes no keys";
}

TEST(Tab, StopsNowhereThatIsCovered) {
    int clicked = 0;
    Desk desk([&](Ui& ui) {
        ui.push_clip({0, 0, 300, 100});
        clicked += button(ui, "seen", {10, 10, 100, 36}, "seen") ? 1 : 0;
        clicked += button(ui, "covered", {10, 200, 100, 36}, "covered") ? 100 : 0;
        ui.pop_clip();
    });
    for (int i = 0; i < 3; ++i) {
        desk.key(Key::tab);
        desk.key(Key::enter);
    }
    EXPECT_EQ(clicked, 3);
}

TEST(Scroll, WheelAndTabMoveTheContentAndHiddenWidgetsAreNotHit) {
    std::string pressed;
    float offset = 0;
    Desk desk([&](Ui& ui) {
        const Rect view{0, 100, 300, 100};
        offset = begin_scroll(ui, "list", view, 400);
        for (int i = 0; i < 10; ++i) {
            const std::string name = std::to_string(i);
            if (button(ui, name, {10, 100 + 40.0F * static_cast<float>(i) - offset, 100, 36}, name)) pressed += name;
        }
        end_scroll(ui);
    });
    desk.click(50, 230); // row 3 would be here, but the view ends at 200
    EXPECT_EQ(pressed, "");
    desk.move(50, 150);
    desk.wheel(-2);
    desk.frame();
    EXPECT_FLOAT_EQ(offset, 96);
    desk.wheel(-100);
    desk.frame();
    EXPECT_FLOAT_EQ(offset, 300);
    desk.move(400, 400);
    desk.key(Key::tab); // the first button is far above
    desk.frame();
    EXPECT_LT(offset, 10);
    desk.press(296, 110);
    desk.move(296, 190);
    desk.release();
    EXPECT_GT(offset, 250) << "the bar drags";
}

TEST(States, ProgressAndBadgesSayTheirWords) {
    Desk desk([&](Ui& ui) {
        progress(ui, {0, 100, 300, 40}, 1.4, 3.4, "1.4 of 3.4 GB");
        badge(ui.canvas, ui.theme, 790, 60, Tier::table, "exact");
    });
    for (const char* words : {"1.4 of 3.4 GB", "TABLE  exact"}) EXPECT_TRUE(desk.shows(words)) << words;
}

} // namespace
} // namespace speclens::ui
