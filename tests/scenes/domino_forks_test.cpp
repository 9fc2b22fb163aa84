// The Domino scene: what the trace alone says about the head equals a real replay, and keys reach the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/run/run.h"
#include "engine/session/session.h"
#include "scenes/domino/domino_draw.h"
#include "tests/scenes/domino_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/shared/eventually.h"
#include "tests/shared/micro.h"
#include "ui/format.h"

namespace speclens {
namespace {

// The switch of the window does not know of a pool, which waits until the head is on again.
TEST(Domino, ARunWithAPoolOfCandidatesCanDoWithoutItsHead) {
    const auto models = test::micro_models(1);
    RunSettings settings = domino_settings(1); // drawn guesses show that the pool changes none
    settings.options.head_pool = 9;
    settings.options.correction = false;
    const auto without = test::finished(models, settings);
    settings.options.head_pool = 0;
    EXPECT_EQ(test::finished(models, settings)->sequence(), without->sequence());
}

TEST(DominoScene, DerivesTheVerdictWithoutTheHeadAsAReplayGivesIt) {
    const auto models = test::micro_models(1);
    int whole = 0, partly = 0;
    for (const int seed : {1, 2, 3}) {
        RunSettings settings = domino_settings(0);
        settings.token_ids.push_back(seed);
        speclens::Run run(models, settings);
        run.finish();
        DrafterOptions off = settings.options;
        off.correction = false;
        for (const CycleSummary& cycle : fold(run.trace(), run.trace().size()).cycles) {
            if (cycle.drafts.empty()) continue;
            DominoFrame frame(run.shared_trace(), settings, cycle.end_event);
            const DominoModel derived = domino_model(frame.input);
            const Twin twin = replay_twin(models, settings, run.trace(), {cycle.cycle, off});
            frame.input.twin = &twin;
            const DominoModel replayed = domino_model(frame.input);
            EXPECT_TRUE(replayed.replayed);
            ASSERT_EQ(replayed.other, DominoModel::Other::whole);
            ASSERT_NE(derived.other, DominoModel::Other::none);
            (derived.other == DominoModel::Other::whole ? whole : partly)++;
            for (std::size_t i = 0; i < derived.columns.size(); ++i) {
                const DominoVerdict &a = derived.columns[i].off, &b = replayed.columns[i].off;
                if (a.state == DominoVerdict::State::unknown) continue;
                EXPECT_EQ(a.state, b.state) << "cycle " << cycle.cycle << " position " << i;
                EXPECT_EQ(a.token, b.token);
                EXPECT_EQ(a.replacement, b.replacement);
            }
            if (derived.other == DominoModel::Other::whole) {
                EXPECT_EQ(derived.kept_off, replayed.kept_off);
            }
        }
    }
    EXPECT_GT(whole, 10);
}

// The head turned the second guess from 3 to 2, and the target wanted 3: without the head it would have
// stayed, and what the target says behind it was never asked.
TEST(DominoScene, KnowsNothingBehindAGuessThatOnlyTheHeadLost) {
    const auto trace = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header;
    header.drafter = "domino";
    header.rule = "greedy";
    header.k = 3;
    header.prompt = {0};
    header.sampling.temperature = header.draft_sampling.temperature = 0;
    trace->append(header);
    const auto law = [](int id) { return Top{{{id, std::log(0.9)}}, 0.1}; };
    const int drafts[] = {1, 2, 4}, base[] = {1, 3, 4};
    for (int i = 0; i < 3; ++i)
        trace->append(Drafted{.cycle = 0,
                              .index = i,
                              .parent = i - 1,
                              .token = drafts[i],
                              .u = {},
                              .top = law(drafts[i]),
                              .raw_top = {},
                              .base_top = law(base[i]),
                              .extra = {},
                              .lens = {}});
    trace->append(Verified{0, 4, 1, 0});
    for (int i = 0; i < 2; ++i) {
        Checked check;
        check.index = i;
        check.token = drafts[i];
        check.accepted = i == 0;
        check.top = law(base[i]);
        trace->append(check);
    }
    Resampled own;
    own.token = 3;
    trace->append(own);
    Committed commit;
    commit.accepted_drafts = 1;
    commit.tokens = {1, 3};
    trace->append(commit);
    const DominoFrame frame(trace, domino_settings(0), trace->size());
    const DominoModel model = domino_model(frame.input);
    EXPECT_EQ(model.kept_on, 1);
    EXPECT_EQ(model.kept_off, 2);
    EXPECT_EQ(model.other, DominoModel::Other::partly);
    EXPECT_EQ(model.columns[1].on.state, DominoVerdict::State::rejected);
    EXPECT_EQ(model.columns[1].off.state, DominoVerdict::State::accepted);
    EXPECT_EQ(model.columns[2].off.state, DominoVerdict::State::unknown);
}

TEST(DominoScene, FindsTheGuessesThatOnlyTheHeadSaved) {
    const auto trace = recorded();
    const CycleView whole = fold(*trace, trace->size());
    const std::optional<Position> first = next_rescue(whole, -1);
    ASSERT_TRUE(first);
    std::optional<Position> at = first;
    int seen = 0;
    do {
        const auto& cycle = whole.cycles[static_cast<std::size_t>(at->cycle)];
        const DraftSlot& slot = cycle.drafts[static_cast<std::size_t>(at->index)];
        EXPECT_EQ(slot.state, DraftSlot::State::accepted);
        EXPECT_NE(slot.draft->base_top.entries.front().id, slot.draft->token);
        at = next_rescue(whole, at->cycle);
    } while (at && *at != *first && ++seen < 20);
    EXPECT_LT(seen, 20) << "going round comes back to the first";
}

TEST(DominoScene, KeysForkTheRun) {
    std::vector<Command> sent;
    EnginePort port;
    port.send = [&](Command c) { sent.push_back(std::move(c)); };
    SceneBench bench("domino", port);
    const auto models = test::micro_models(1);
    const RunSettings settings = domino_settings(0);
    speclens::Run run(models, settings);
    run.finish();
    Snapshot published;
    published.trace = run.shared_trace();
    published.settings = settings;
    published.status.state = EngineStatus::State::idle;
    published.status.ready_drafters = {"none", "domino"};
    bench.controller.observe(published, bench.time);
    bench.settle();
    const auto last = [&]() -> const Fork* {
        return sent.empty() ? nullptr : std::get_if<Fork>(&sent.back());
    };
    sent.clear();
    bench.key(ui::Key::h);
    ASSERT_NE(last(), nullptr);
    ASSERT_TRUE(last()->settings);
    EXPECT_FALSE(last()->settings->options.correction);
    sent.clear();
    bench.key(ui::Key::b);
    ASSERT_NE(last(), nullptr);
    ASSERT_TRUE(last()->force_draft);
    const DominoModel model = domino_model(bench.controller.frame(bench.time).scene);
    EXPECT_EQ(last()->force_draft->first, model.selected);
    EXPECT_NE(last()->force_draft->second, model.column(model.selected)->draft->token);
    // the branch: its base laws before the forced token are the same to the last bit, and the scene says so
    speclens::Run branch(models, settings, run.trace(), *last());
    branch.finish();
    published.trace = branch.shared_trace();
    published.runs = 2; // the head's run, which was never seen, and this one
    bench.controller.observe(published, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("forced"));
    EXPECT_TRUE(bench.shows("same to the last bit") || bench.shows("base laws are the same")) << bench.words;
    const auto in_gutter = [&](const char* words) {
        return std::ranges::any_of(bench.texts, [&](const ui::RecordedText& t) { return t.text == words; });
    };
    EXPECT_TRUE(in_gutter("frozen"));
    published.trace = run.shared_trace(); // the branch is left
    published.runs = 3;
    bench.controller.observe(published, bench.time);
    bench.settle();
    EXPECT_TRUE(in_gutter("parallel"));
    EXPECT_FALSE(in_gutter("frozen")) << "nothing is forced any more";
    sent.clear();
    bench.key(ui::Key::n);
    ASSERT_FALSE(sent.empty());
    const auto* restart = std::get_if<Restart>(&sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "domino");
    EXPECT_EQ(restart->settings.sampling.temperature, 0);
}

// Behind the last guess of a block stands nothing that a forced one could change.
TEST(DominoScene, ForcesAGuessThatOthersFollow) {
    const auto trace = recorded();
    const CycleView whole = fold(*trace, trace->size());
    const CycleSummary& cycle = whole.cycles.front();
    const int n = static_cast<int>(cycle.drafts.size());
    ASSERT_GT(n, 2);
    DominoFrame frame(trace, domino_settings(0), cycle.end_event);
    DominoModel model = domino_model(frame.input);
    model.selected = n - 1;
    model.chosen = false;
    EXPECT_EQ(force_position(model), n - 2);
    model.chosen = true;
    EXPECT_EQ(force_position(model), n - 1) << "the user's own choice";
    model.chosen = false;
    model.selected = 1;
    EXPECT_EQ(force_position(model), 1);

    model.columns.back().forced = true;
    model.forced = n - 1;
    EXPECT_NE(domino_title(frame.input, model).title.find("no guess stands after it"), std::string::npos);
    EXPECT_EQ(domino_title(frame.input, model).title.find("the head follows"), std::string::npos);
}

TEST(DominoScene, ForksAndReplaysWithTheEngine) {
    const std::filesystem::path golden = std::filesystem::path(SPEC_SOURCE_DIR) / "tests" / "engine" / "golden";
    RunSettings settings = domino_settings(0.9);
    settings.k = 4;
    Session session({.target = golden / "micro_qwen3",
                     .heads = {{"domino", golden / "micro_domino"}},
                     .backend = "cpu",
                     .threads = 1},
                    settings);
    EnginePort port;
    port.send = [&](Command c) { session.send(std::move(c)); };
    port.set_budget = [&](std::int64_t n) { session.gate().set(n); };
    port.add_budget = [&](std::int64_t n) { session.gate().add(n); };
    port.cancel_loading = [] {};
    SceneBench bench("domino", port);
    // Frames until the scene's model is as wanted.
    const auto until = [&](const std::function<bool(const DominoModel&)>& wanted) {
        return eventually([&] {
            bench.controller.observe(session.published(), bench.time);
            bench.frame();
            const DominoModel model = domino_model(bench.controller.frame(bench.time).scene);
            return model.empty == DominoModel::Empty::no && model.cycle->complete() && wanted(model);
        });
    };
    // above temperature 0 only a replay knows the other row: the scene asks for it by itself
    ASSERT_TRUE(until([](const DominoModel& m) {
        return m.head_on && m.replayed && m.other == DominoModel::Other::whole;
    }));
    const DominoModel before = domino_model(bench.controller.frame(bench.time).scene);
    std::vector<int> base;
    for (const DominoColumn& column : before.columns) base.push_back(column.base_choice);
    const int cycle = before.cycle->cycle;
    bench.key(ui::Key::h);
    ASSERT_TRUE(
        until([&](const DominoModel& m) { return !m.head_on && m.cycle->cycle == cycle && m.replayed; }));
    const DominoModel after = domino_model(bench.controller.frame(bench.time).scene);
    ASSERT_EQ(after.columns.size(), base.size());
    for (std::size_t i = 0; i < base.size(); ++i)
        EXPECT_EQ(after.columns[i].base_choice, base[i]) << "the base laws stay";
    // the two rows have changed places
    EXPECT_EQ(after.kept_on, before.kept_off);
    EXPECT_EQ(after.kept_off, before.kept_on);
    bench.key(ui::Key::h);
    ASSERT_TRUE(
        until([&](const DominoModel& m) { return m.head_on && m.cycle->cycle == cycle && m.replayed; }));
    bench.key(ui::Key::b);
    ASSERT_TRUE(until([&](const DominoModel& m) { return m.forced >= 0 && m.replayed; }));
    EXPECT_TRUE(bench.shows("cos 1.00")) << "states before the forced guess are the same";
    EXPECT_TRUE(bench.shows("frozen")) << "the base laws of the branch are those from before";
}

} // namespace
} // namespace speclens
