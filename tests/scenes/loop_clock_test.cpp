// The clocks of the loop scene and of the timeline: which times are compared, and how they are printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/session/session.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/typical_time.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {
namespace {

// A run of the engine's, at its end, on a machine where plain decoding takes so long a token.
std::unique_ptr<SceneBench> shown_live(const std::shared_ptr<const Trace>& trace, double plain_ms) {
    EnginePort port;
    port.send = [](const Command&) {};
    auto bench = std::make_unique<SceneBench>("loop", port);
    Snapshot published;
    published.trace = trace;
    published.settings.drafter = trace->header()->drafter;
    published.settings.k = trace->header()->k;
    published.status.state = EngineStatus::State::idle;
    published.status.plain_ms_per_token = plain_ms;
    bench->controller.observe(published, bench->time);
    bench->controller.perform({SceneCommand{SetCursor{trace->size()}}}, bench->time);
    bench->settle();
    return bench;
}

// Two single timings of one pass each differ by chance; a round of one token saves nothing.
TEST(LoopClock, ARoundOfOneTokenIsNeverASaving) {
    const auto trace = fixtures::toy_run({.name = "rejected", .cycles = 2, .noise = 1});
    SceneBench bench("loop");
    bench.show(trace, next_round_end(*trace, 0));
    SceneInput input = bench.controller.frame(0).scene;
    input.plain.ms_per_token = 100;
    const LoopModel model = loop_model(input);
    ASSERT_EQ(model.produced, 1);
    EXPECT_EQ(saving_words(model), "drafting took 6.0 ms");
    const auto words = [&] { return find_scene("loop")->make()->describe(input); };
    EXPECT_EQ(words().find(" saved, "), std::string::npos) << words();
    input.plain.ms_per_token = 4; // the rows of the guesses cost as well
    const LoopModel slower = loop_model(input);
    EXPECT_EQ(saving_words(slower), slower.ms(slower.spec_ms() - 4) + " ms later than a plain token");
    EXPECT_GT(slower.spec_ms() - 4, 6);
}

// The times that the table has for such passes, of which the machine did other things too.
std::shared_ptr<const TraceTimes> usual_times(const Trace& trace, double busy_cores = 0) {
    auto times = std::make_shared<TraceTimes>();
    times->events.resize(trace.size(), {.ms = 1});
    times->plain_ms = 4;
    times->busy_cores = busy_cores;
    times->repeats = 12;
    return times;
}

// LIVE is what is measured here; which of its times are of this very pass, and which of passes like it, is said.
TEST(LoopClock, ATimeOfSuchPassesIsNotToldAsThatOfThisOne) {
    const auto trace = fixtures::mixed();
    const auto told = [&](bool usual) {
        const auto run = fixtures::mixed();
        if (usual) run->set_times(usual_times(*run));
        std::string words;
        for (std::size_t at = 1; at <= next_round_end(*run, 0); ++at) {
            SceneBench bench("loop");
            bench.show(run, at);
            SceneInput input = bench.controller.frame(0).scene;
            input.plain.ms_per_token = 4;
            words += find_scene("loop")->make()->describe(input);
        }
        return words;
    };
    const std::string once = told(false), usual = told(true);
    for (const char* words : {"The pass took ", "This step took ", "This round took "}) {
        EXPECT_NE(once.find(words), std::string::npos) << words << once;
        EXPECT_EQ(usual.find(words), std::string::npos) << words << usual;
    }
    for (const char* words : {"Such a pass takes ", "Such a step takes ", "Such a round takes "}) {
        EXPECT_EQ(once.find(words), std::string::npos) << words << once;
        EXPECT_NE(usual.find(words), std::string::npos) << words << usual;
    }
}

// A title and a sentence that say what the clock below calls in doubt.
TEST(LoopClock, WhatIsInDoubtIsNotLater) {
    for (const bool doubt : {false, true}) {
        const auto trace = fixtures::toy_run({.name = "rejected", .cycles = 2, .noise = 1});
        trace->set_times(usual_times(*trace, doubt ? 1.5 : 0));
        SceneBench bench("loop");
        bench.show(trace, next_round_end(*trace, 0));
        SceneInput input = bench.controller.frame(0).scene;
        input.plain.ms_per_token = 4;
        const std::string words = find_scene("loop")->make()->describe(input);
        EXPECT_EQ(words.find("later than plain decoding") == std::string::npos, doubt) << words;
        EXPECT_EQ(words.find("later than a plain token") == std::string::npos, doubt) << words;
        EXPECT_EQ(words.find("nothing was saved") == std::string::npos, doubt) << words;
    }
}

// Beside its network DART searches its n-grams; the others correct with a head.
TEST(LoopClock, NamesWhatADrafterDoesBesideItsNetwork) {
    for (const auto& [drafter, name] : {std::pair{"dart", "search"}, std::pair{"domino", "head"}}) {
        auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
        Header header;
        header.drafter = drafter;
        header.k = 1;
        header.prompt = {0};
        header.sampling.temperature = 1;
        trace->append(header);
        Drafted guess;
        guess.token = 5;
        guess.ms = 4;
        guess.head_ms = 4;
        trace->append(guess);
        trace->append(Verified{0, 2, 8});
        SceneBench bench("loop");
        bench.show(trace, trace->size());
        bench.settle();
        EXPECT_EQ(std::ranges::count(bench.texts, name, &ui::RecordedText::text), 1) << bench.words;
    }
}

TEST(LoopClock, ARoundOfOneTokenSaysWhatItsBarsShow) {
    const auto trace = fixtures::toy_run({.name = "one", .k = 1, .cycles = 2, .noise = 1});
    SceneBench bench("loop");
    bench.show(trace, next_round_end(*trace, 0));
    SceneInput input = bench.controller.frame(0).scene;
    const auto told = [&](double plain) {
        input.plain.ms_per_token = plain;
        return loop_story(input, loop_model(input)).text;
    };
    const std::string sooner = told(100), later = told(4);
    EXPECT_NE(sooner.find("ms: drafting took 1.5 ms, and one token"), std::string::npos) << sooner;
    EXPECT_EQ(sooner.find("saved"), std::string::npos) << sooner;
    EXPECT_NE(later.find(" ms later than a plain token, and nothing was saved."), std::string::npos) << later;
    EXPECT_NE(later.find("the discarded guess leaves no trace"), std::string::npos) << later;
}

TEST(LoopClock, ASavedRunShowsItsOwnTimeOfPlainDecoding) {
    const auto trace = fixtures::toy_run({.name = "rejected", .cycles = 2, .noise = 1});
    SceneBench bench("loop");
    bench.show(trace, next_round_end(*trace, 0));
    EXPECT_EQ(plain_ms(bench.controller.frame(0).scene), 0);
    trace->set_plain_ms(4);
    const SceneInput input = bench.controller.frame(0).scene;
    EXPECT_EQ(plain_ms(input), 4);
    const LoopModel model = loop_model(input);
    const std::string words = find_scene("loop")->make()->describe(input);
    EXPECT_NE(words.find("plain decoding " + model.ms(4) + " ms per token"), std::string::npos) << words;
}

TEST(LoopClock, SaysWhereASavedRunHoldsNoTimeOfPlainDecoding) {
    SceneInput input;
    RunView whole;
    Header header;
    input.whole = &whole;
    EXPECT_EQ(no_plain_words(input), "plain decoding was not measured yet");
    whole.header = &header;
    EXPECT_EQ(no_plain_words(input), "plain decoding was not measured yet");
    header.tier = "RECORDED";
    EXPECT_EQ(no_plain_words(input), "plain decoding was not recorded");
    input.plain.ms_per_token = 4;
    EXPECT_EQ(plain_ms(input), 4);
    header.tier = "REMOTE";
    EXPECT_EQ(plain_ms(input), 0) << "no user of a server waits for a request per token";
    EXPECT_EQ(no_plain_words(input), "plain decoding here: a request per token");
    header.tier = "TABLE";
    EXPECT_EQ(plain_ms(input), 0);
    EXPECT_EQ(no_plain_words(input), "a table costs nothing to ask");
}

TEST(LoopClock, TellsOfNoCacheRowsWhereTheTargetHasNone) {
    const auto trace = fixtures::toy_run({.name = "rejected", .cycles = 2, .noise = 1});
    SceneBench bench("loop");
    bench.show(trace, next_round_end(*trace, 0));
    const SceneInput input = bench.controller.frame(0).scene;
    LoopModel model = loop_model(input);
    Header header = *model.header;
    model.header = &header;
    const auto told = [&](const char* tier) {
        header.tier = tier;
        return loop_story(input, model).text;
    };
    EXPECT_NE(told("LIVE").find("cache"), std::string::npos) << told("LIVE");
    EXPECT_EQ(told("TABLE").find("cache"), std::string::npos) << told("TABLE");
    EXPECT_EQ(told("REMOTE").find("cache"), std::string::npos) << told("REMOTE");
    EXPECT_NE(told("REMOTE").find("sent the text anew"), std::string::npos) << told("REMOTE");
}

// Whoever takes one printed time from the other gets the printed difference.
TEST(LoopClock, ItsTimesAddUpAsPrinted) {
    for (const double scale : {1.0, 0.1, 0.037, 0.013}) {
        RoundSummary round;
        round.draft_ms = 1.61 * scale;
        round.verify_ms = 9.07 * scale;
        LoopModel model;
        model.round = &round;
        model.drafted = 2;
        model.settled = true;
        model.other_ms = 0.13 * scale;
        for (const int produced : {1, 2, 3}) {
            model.produced = produced;
            model.plain_ms = 5.63 * scale;
            const std::string words = saving_words(model);
            const double shown = std::stod(model.ms(model.plain_total())) - std::stod(model.ms(model.spec_ms()));
            if (produced == 1) {
                EXPECT_EQ(words, model.ms(-shown) + " ms later than a plain token");
                model.plain_ms = 0; // not known: what drafting took
                EXPECT_EQ(saving_words(model), "drafting took " + model.ms(round.draft_ms) + " ms");
                EXPECT_GT(std::stod(model.ms(round.draft_ms)), 0) << scale;
                continue;
            }
            EXPECT_NEAR(std::stod(words), std::abs(shown), 1e-9) << words << ", " << scale;
            EXPECT_GT(std::stod(words), 0) << words << ", " << scale;
        }
    }
}

TEST(LoopClock, PlainDecodingIsNotComparedWithItself) {
    const auto bench = shown_live(fixtures::toy_run({.name = "plain", .drafter = "none", .k = 0, .cycles = 5}), 20);
    int lanes = 0;
    for (const ui::RecordedText& text : bench->texts) {
        EXPECT_NE(text.text, "speculative");
        EXPECT_NE(text.text, "spec");
        lanes += text.text == "plain";
    }
    EXPECT_EQ(lanes, 2) << "one on the clock of the round, one in the timeline";
    EXPECT_FALSE(bench->shows("100 ms")) << "five tokens of plain decoding beside itself";
}

// One pass guesses all siblings of a level.
// A machine that did something else for a moment makes one round look dear: the others say what is usual.
TEST(LoopClock, ARoundThatWasHeldUpIsToldFromTheOthers) {
    const auto story_of_round = [](const fixtures::Toy& toy, int round) {
        const auto trace = fixtures::toy_run(toy);
        auto bench = shown_live(trace, 4);
        std::size_t end = 0;
        for (int i = 0; i <= round; ++i) end = next_round_end(*trace, end);
        bench->controller.perform({SceneCommand{SetCursor{end}}}, bench->time);
        bench->settle();
        return bench->words;
    };
    const fixtures::Toy toy{.name = "held up", .cycles = 6, .held_up = 2};
    EXPECT_NE(story_of_round(toy, 2).find("(usually 15.3)"), std::string::npos) << story_of_round(toy, 2);
    EXPECT_EQ(story_of_round(toy, 3).find("usually"), std::string::npos) << story_of_round(toy, 3);
    const fixtures::Toy few{.name = "few", .cycles = 4, .held_up = 2};
    EXPECT_EQ(story_of_round(few, 2).find("usually"), std::string::npos) << "three others say little";

    const auto trace = fixtures::toy_run(toy);
    const RunView whole = fold(*trace, trace->size());
    EXPECT_EQ(timed_words(whole, whole.round_list[2], verify_time), "90.00 ms (usually 9.00)");
    EXPECT_EQ(timed_words(whole, whole.round_list[3], verify_time), "9.00 ms");
    EXPECT_EQ(timed_words(whole, whole.round_list[2], draft_time), "60.00 ms (usually 6.00)");
}

TEST(LoopClock, APassOfATreeHasOneName) {
    const auto trace = fixtures::toy_run({.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 3, .cycles = 1, .nodes = 8});
    SceneBench bench("loop");
    bench.show(trace, next_round_end(*trace, 0));
    bench.settle();
    for (const char* name : {"d1", "d2", "d3"}) (void)bench.find(name);
    EXPECT_TRUE(std::ranges::none_of(bench.texts, [](const ui::RecordedText& t) { return t.text == "d4"; }));
}

TEST(Timeline, ARunThatGoesOnIsNotWhole) {
    const auto over = fixtures::toy_run({.name = "goes on", .cycles = 6});
    auto trace = std::make_shared<Trace>([over](int id) { return over->text(id); });
    for (std::size_t i = 0; i < over->size() && !std::holds_alternative<Stopped>((*over)[i]); ++i) trace->append(Event((*over)[i]));
    const auto bench = shown_live(trace, 9);
    EXPECT_TRUE(bench->shows("so far: ")) << bench->words;
    EXPECT_FALSE(bench->shows("whole run")) << bench->words;
}

TEST(Timeline, EveryTotalStandsBehindItsOwnLane) {
    const auto trace = fixtures::toy_run({.name = "totals", .cycles = 6});
    for (const double per_token : {2.0, 9.0, 40.0}) { // the longer lane is the one, then the other
        const auto bench = shown_live(trace, per_token);
        const ui::Vec2 spec = bench->find("spec"), plain = bench->find("plain", {0, 850, 1600, 150});
        const auto whole = std::ranges::find_if(bench->texts, [](const ui::RecordedText& t) {
            return t.text.starts_with("whole run: ") && t.text.find(" per round") != std::string::npos;
        });
        ASSERT_NE(whole, bench->texts.end()) << bench->words;
        // Forty milliseconds a token would make it faster than its tokens allow.
        EXPECT_EQ(whole->text.ends_with(" per round · in doubt"), per_token == 40) << whole->text;
        EXPECT_NEAR(whole->box.center().y, spec.y, 4);
        const auto total = std::ranges::find_if(bench->texts, [&](const ui::RecordedText& t) {
            return t.text.ends_with(" ms") && std::abs(t.box.center().y - plain.y) < 4 && t.box.y > 850;
        });
        ASSERT_NE(total, bench->texts.end()) << bench->words;
        EXPECT_EQ(total->box.x, whole->box.x);
    }
}

} // namespace
} // namespace speclens
