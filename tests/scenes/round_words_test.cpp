// What the loop scene says at the edges: no room for a guess, a single one, a mixture of nothing, a phase
// that is not over.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <regex>

#include "engine/run/run.h"
#include "scenes/loop/loop_story.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

bool has_words(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

// The frame in words after every event of a trace.
std::vector<std::string> every_frame(const std::shared_ptr<const Trace>& trace, const RunSettings& settings) {
    std::vector<std::string> frames;
    SceneBench bench("loop");
    bench.controller.show_saved(trace, settings);
    for (std::size_t cursor = 1; cursor <= trace->size(); ++cursor) {
        bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
        bench.frame();
        frames.push_back(find_scene("loop")->make()->describe(bench.controller.frame(0).scene));
    }
    return frames;
}

// The frames of a run of a micro model, looked at event by event.
std::vector<std::string> frames_of_run(const std::string& drafter, const std::string& rule,
                                       const std::function<void(RunSettings&)>& change) {
    RunSettings settings;
    settings.token_ids = {5, 6, 7};
    settings.drafter = drafter;
    settings.rule = rule;
    settings.k = 4;
    settings.max_tokens = 24;
    settings.sampling.temperature = 1;
    change(settings);
    speclens::Run run(test::micro_models(1), settings);
    run.finish();
    return every_frame(run.shared_trace(), settings);
}

int frames_with(const std::vector<std::string>& frames, const std::string& words) {
    int found = 0;
    for (const std::string& frame : frames) found += has_words(frame, words);
    return found;
}
std::string joined(const std::vector<std::string>& frames) {
    std::string text;
    for (const std::string& frame : frames) text += frame + "\n----\n";
    return text;
}

Header header_of(const std::string& drafter, const std::string& rule, int k) {
    Header header;
    header.drafter = drafter;
    header.rule = rule;
    header.k = k;
    header.prompt = {0};
    header.sampling.temperature = 1;
    return header;
}
std::shared_ptr<Trace> trace_of(const Header& header) {
    auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
    trace->append(header);
    return trace;
}
std::vector<std::string> frames_of(const std::shared_ptr<Trace>& trace) {
    RunSettings settings;
    settings.drafter = trace->header()->drafter;
    settings.rule = trace->header()->rule;
    settings.k = trace->header()->k;
    settings.sampling = trace->header()->sampling;
    return every_frame(trace, settings);
}

// A pass for the pending token alone.
std::shared_ptr<Trace> round_without_guesses(Header header, std::optional<double> u) {
    auto trace = trace_of(header);
    trace->append(Verified{0, 1, 0});
    Resampled own;
    own.from = Resampled::From::target;
    own.token = 9;
    own.u = u;
    trace->append(own);
    Committed commit;
    commit.tokens = {9};
    trace->append(commit);
    return trace;
}

// A tree of no guesses judged nothing, so no guess missed the favourite.
TEST(RoundWords, ATreeSaysWhereTheOwnTokenComesFrom) {
    int told[3] = {0, 0, 0};
    for (const double temperature : {0.0, 1.0}) {
        RunSettings settings;
        settings.token_ids = {5, 6, 7};
        settings.drafter = "small_tree";
        settings.rule = temperature > 0 ? "tree_wor" : "greedy";
        settings.options.tree_depth = 2;
        settings.options.tree_budget = 4;
        settings.max_tokens = 40;
        settings.sampling.temperature = temperature;
        speclens::Run run(test::micro_models(1), settings);
        run.finish();
        const std::vector<std::string> frames = every_frame(run.shared_trace(), settings);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const auto* own = std::get_if<Resampled>(&run.trace()[i]);
            if (!own) continue;
            static constexpr const char* kHeadings[] = {
                "Rejected, but not wasted", "The branch ends: one for free", "The target's own token"};
            const auto from = static_cast<std::size_t>(own->from);
            EXPECT_TRUE(has_words(frames[i], kHeadings[from])) << frames[i];
            ++told[from];
        }
    }
    for (const int often : told) EXPECT_GT(often, 0);
}

TEST(RoundWords, ATreeWithoutGuessesIsAPlainPass) {
    Header header = header_of("small_tree", "tree_wr", 2);
    header.nodes = 4;
    const auto frames = frames_of(round_without_guesses(header, 0.7));
    EXPECT_EQ(frames_with(frames, "tree of no guesses"), 0) << joined(frames);
    EXPECT_EQ(frames_with(frames, "none of the guesses"), 0) << joined(frames);
    EXPECT_EQ(frames_with(frames, "Plain decoding: one expensive pass, one token"), 2) << joined(frames);
    EXPECT_EQ(frames_with(frames, "from the only row."), 1) << joined(frames);
}

TEST(RoundWords, AFavouriteIsNamedAsOne) {
    const auto frames = frames_of(round_without_guesses(header_of("none", "greedy", 0), {}));
    EXPECT_EQ(frames_with(frames, "The only row's favourite is “word9”."), 1) << joined(frames);
}

// One token left of the length limit: nobody was asked for a guess, and it is said why.
TEST(RoundWords, SayThatTheLengthLimitLeftNoRoom) {
    for (const auto& [drafter, rule] : {std::pair{"small", "token"}, {"small_tree", "tree_wr"}}) {
        const auto frames = frames_of_run(drafter, rule, [](RunSettings& s) { s.max_tokens = 1; });
        EXPECT_EQ(frames_with(frames, "The length limit left no room for a guess: the target reads"), 1)
            << joined(frames);
        EXPECT_EQ(frames_with(frames, "The length limit left no room for a guess, so nothing could be saved"),
                  1);
        EXPECT_GE(frames_with(frames, "No room for a guess: one pass, one token"), 2) << joined(frames);
        EXPECT_EQ(frames_with(frames, "the next token costs another whole pass"), 0) << "there is none";
        EXPECT_EQ(frames_with(frames, "No guess was made"), 0) << joined(frames);
    }
    const auto roomy = frames_of_run("small", "token", [](RunSettings&) {});
    EXPECT_LE(frames_with(roomy, "No room for a guess"), 5) << "in the last round at most";
}

// At alpha −1 a cascade has nothing of the draft to mix in: what it writes is the target's own law.
TEST(RoundWords, ACascadeThatMixesNothingFollowsTheTarget) {
    struct Case {
        const char* rule;
        double alpha;
        bool block, mixed;
    };
    for (const Case& c : {Case{"cascade_diff", -1, false, false}, Case{"cascade_diff", -1, true, false},
                          Case{"cascade_diff", 0.2, false, true}, Case{"cascade_tokenV3", 0.3, true, true}}) {
        const auto frames = frames_of_run("small", c.rule, [&](RunSettings& s) {
            s.rule_params.alpha = c.alpha;
            s.rule_params.block = c.block;
            s.max_tokens = 48;
        });
        EXPECT_EQ(frames_with(frames, "mixture, not the target") > 0, c.mixed) << c.rule << c.block;
        EXPECT_EQ(frames_with(frames, "at this alpha") + frames_with(frames, "At this alpha") > 0, !c.mixed)
            << c.rule << c.block;
    }
}

TEST(RoundWords, FullLenienceCountsNoClaim) {
    const auto frames =
        frames_of_run("small", "lenience", [](RunSettings& s) { s.rule_params.lenience = 1; });
    EXPECT_GT(frames_with(frames, "The claim does not count at all, so the guess stays"), 0)
        << joined(frames);
    EXPECT_EQ(frames_with(frames, "only 0 %"), 0);
}

// A round of one guess; `kept` by its coin.
std::shared_ptr<Trace> one_guess(const Header& header, Checked check, bool kept) {
    auto trace = trace_of(header);
    Drafted draft;
    draft.token = 5;
    draft.q = check.q;
    draft.u = 0.5;
    trace->append(draft);
    trace->append(Verified{0, 2, 0});
    check.token = 5;
    check.accepted = kept;
    trace->append(check);
    Resampled own;
    own.from = kept ? Resampled::From::bonus : Resampled::From::residual;
    own.token = 9;
    own.u = 0.4;
    trace->append(own);
    Committed commit;
    commit.accepted_drafts = kept;
    commit.tokens = kept ? std::vector<int>{5, 9} : std::vector<int>{9};
    trace->append(commit);
    Stopped stopped;
    stopped.reason = "length";
    trace->append(stopped);
    return trace;
}

TEST(RoundWords, ASingleGuessIsNoPlural) {
    Checked check;
    check.p = std::log(0.4);
    check.q = std::log(0.8);
    check.threshold = 0.5;
    for (const bool kept : {true, false}) {
        check.u = kept ? 0.2 : 0.9;
        const auto frames = frames_of(one_guess(header_of("small", "token", 1), check, kept));
        const std::string text = joined(frames);
        EXPECT_EQ(frames_with(frames, "One of one"), 0) << text;
        EXPECT_EQ(frames_with(frames, "nothing after it counts"), 0) << text;
        EXPECT_EQ(frames_with(frames, "of 1 guesses"), 0) << text;
        EXPECT_EQ(frames_with(frames, kept ? "The guess is kept\n" : "The guess is rejected\n"), 1) << text;
        EXPECT_EQ(frames_with(frames, kept ? "The one guess was kept." : "The one guess was not kept."), 1)
            << text;
        EXPECT_EQ(frames_with(frames, "The guess is gone; the target's own token stands in its place."),
                  !kept)
            << text;
    }
}

// A guess that the target rules out would not have been kept rarely, but never.
TEST(RoundWords, WhatTheTargetRulesOutIsNeverKeptByIt) {
    Checked check;
    check.p = -1000;
    check.q = std::log(0.8);
    check.goal = std::log(0.5);
    check.threshold = 0.6;
    check.u = 0.3;
    const auto frames = frames_of(one_guess(header_of("small", "cascade_tokenV3", 1), check, true));
    EXPECT_EQ(frames_with(frames, "it would have gone: never kept."), 1) << joined(frames);
}

// The clock lists what is over, and drafting only where something was drafted.
TEST(RoundWords, TheClockListsNoPhaseToCome) {
    const auto trace = fixtures::mixed();
    int drafting = 0, judging = 0, over = 0;
    for (std::size_t shown = 1; shown <= trace->size(); ++shown) {
        SceneBench bench("loop");
        bench.show(trace, shown);
        SceneInput input = bench.controller.frame(0).scene;
        const Phase phase = input.view->phase;
        const std::string words = find_scene("loop")->make()->describe(input);
        const std::size_t at = words.find("Clock: ");
        if (at == std::string::npos) continue;
        const std::string clock = words.substr(at, words.find('\n', at) - at);
        EXPECT_TRUE(has_words(clock, "drafting ")) << clock;
        EXPECT_EQ(has_words(clock, "verify "), phase != Phase::draft) << clock;
        // Of a round that is all but over the rest is known already.
        const bool open = phase == Phase::draft || phase == Phase::verify || phase == Phase::accept;
        EXPECT_EQ(has_words(clock, "rest "), !open) << clock;
        drafting += phase == Phase::draft, judging += phase == Phase::accept, over += phase == Phase::commit;
    }
    EXPECT_TRUE(drafting > 3 && judging > 3 && over > 3) << "or nothing was tried";
    Header header = header_of("lookup", "greedy", 4);
    header.sampling.temperature = 0;
    auto silent = trace_of(header);
    silent->append(Verified{0, 1, 2.0});
    EXPECT_TRUE(has_words(frames_of(silent).back(), "Clock: verify 2.0 ms")) << frames_of(silent).back();
}

TEST(RoundWords, EveryTimeOfThePassHasItsUnit) {
    const auto trace = fixtures::mixed();
    const std::regex both(
        R"(The pass took [0-9.]+ ms( \(usually [0-9.]+\))?; for a single token it takes [0-9.]+ ms\.)");
    int found = 0;
    for (std::size_t shown = 1; shown <= trace->size(); ++shown) {
        if (!std::holds_alternative<Verified>((*trace)[shown - 1])) continue;
        SceneBench bench("loop");
        bench.show(trace, shown);
        SceneInput input = bench.controller.frame(0).scene;
        input.plain.ms_per_token = 9;
        const std::string words = find_scene("loop")->make()->describe(input);
        EXPECT_TRUE(std::regex_search(words, both)) << words;
        ++found;
    }
    EXPECT_GT(found, 3);
}

} // namespace
} // namespace speclens
