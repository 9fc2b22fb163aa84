// The ribbon of the text below every scene.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/frame/frame_layout.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_golden.h"

namespace speclens {
namespace {

// Tokens of other languages are often parts of characters.
TEST(Ribbon, TokensThatMakeACharacterTogetherShowIt) {
    static const std::vector<std::string> texts = {"Stra",     "\xc3",     "\x9f", "e", " \xe2\x82",
                                                   "\xac\xe2", "\x86\x92", "\xe4", "!"}; // Straße €→, a broken byte, !
    auto trace = std::make_shared<Trace>([](int id) { return texts[static_cast<std::size_t>(id)]; });
    Header header;
    header.drafter = "none";
    header.prompt = {0, 1, 2, 3};
    trace->append(header);
    for (int round = 0; round < 5; ++round) {
        trace->append(Verified{round, 1, 1});
        TargetToken own;
        own.round = round;
        own.token = 4 + round;
        trace->append(own);
        Committed done;
        done.round = round;
        done.tokens = {own.token};
        trace->append(done);
    }
    const auto ribbon = [&](std::size_t cursor) {
        SceneBench bench("loop");
        bench.show(trace, cursor);
        bench.settle();
        std::vector<std::string> shown;
        for (const ui::RecordedText& text : bench.texts)
            if (text.box.y > 780 && text.box.y < 870 && text.box.x > 130 && text.box.x < 1100) shown.push_back(text.text);
        return shown;
    };
    using Texts = std::vector<std::string>;
    const Texts whole = ribbon(trace->size());
    for (const char* part : {"ß", "€", "‹→", "‹", "⟨E4⟩"})
        EXPECT_TRUE(std::ranges::any_of(whole, [&](const std::string& t) { return t == part; })) << part;
    EXPECT_TRUE(std::ranges::none_of(
        whole, [](const std::string& t) { return t.find("⟨C3⟩") != std::string::npos || t.find("⟨86⟩") != std::string::npos; }));
    const Texts early = ribbon(4); // the first half of a character: nothing to show but bytes
    EXPECT_TRUE(std::ranges::any_of(early, [](const std::string& t) { return t.find("⟨E2⟩") != std::string::npos; }));
}

// A prompt in a chat's format shows the words of people; what the format puts around them is one chip each time.
TEST(Ribbon, MarkersOfAChatFoldIntoOneChip) {
    static const std::vector<std::string> texts = {"<|im_start|>", "user",      "\n",       "Why", " so", "?",
                                                   "<|im_end|>",   "assistant", " Because", "."};
    auto trace = std::make_shared<Trace>([](int id) { return texts[static_cast<std::size_t>(id)]; });
    Header header;
    header.drafter = "none";
    header.prompt = {0, 1, 2, 3, 4, 5, 6, 2, 0, 7, 2}; // user: Why so? then the answer's turn
    trace->append(header);
    for (int round = 0; round < 3; ++round) {
        trace->append(Verified{round, 1, 1});
        TargetToken own;
        own.round = round;
        own.token = round < 2 ? 8 + round : 6;
        trace->append(own);
        Committed done;
        done.round = round;
        done.tokens = {own.token};
        trace->append(done);
    }
    SceneBench bench("loop");
    bench.show(trace, trace->size());
    bench.settle();
    const ui::Rect ribbon = frame_layout({1600, 1000}).ribbon;
    std::string shown;
    for (const ui::RecordedText& text : bench.texts)
        if (ribbon.contains(text.box.center()) && text.box.x > 130 && text.box.x < 1100) shown += text.text + "|";
    EXPECT_EQ(shown.find("im_start"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("assistant"), std::string::npos) << shown;
    EXPECT_NE(shown.find("chat|Why| so|?|chat|"), std::string::npos) << shown;
    EXPECT_NE(shown.find("im_end"), std::string::npos) << "the target wrote this one: " << shown;
    EXPECT_TRUE(bench.shows("11 in")) << "all of them are counted";
}

// Colours and edges are explained wherever they are used: in a column beside the output, or in a line below it.
TEST(Ribbon, NamesTheRolesAtEverySizeAndForARoom) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1000, 700}}) {
        SceneBench bench("loop", {}, screen);
        bench.show(fixtures::mixed(), 12);
        for (const bool presenter : {false, true}) {
            if (presenter) bench.key(ui::Key::f5);
            const ui::Rect ribbon = layout_of(bench).ribbon;
            for (const char* role : {"draft", "target", "accepted", "rejected", "bonus", "discarded"}) (void)bench.find(role, ribbon);
            look(bench, std::to_string(screen.w) + (presenter ? " presenter" : ""), false);
        }
    }
}

} // namespace
} // namespace speclens
