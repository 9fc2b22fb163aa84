// Work that takes minutes on a large model: it says at once what it measures, how long it takes, what there is of it by now, and it
// ends when somebody wants it to. On a model that sleeps as long as a Qwen pair computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/advice/advice_measurement.h"
#include "engine/base/clock.h"
#include "engine/base/progress.h"
#include "engine/batch/sweep.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/study.h"
#include "engine/model/model.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/session/engine.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "tests/shared/slow_model.h"

namespace speclens {
namespace {

using test::SkippedTime;
using test::slow_models;
using test::SlowModels;

// What was told of work, and when.
struct Listener : EngineHost {
    struct Told {
        double seconds = 0;
        Work work;
    };
    Stopwatch watch;
    std::vector<Told> told;
    std::function<bool()> waits; // somebody does, for the end of a job
    Call called() const override { return waits && waits() ? Call::end_of_job : Call::none; }
    void published(const Snapshot& now) override { told.push_back({watch.ms() / 1000, now.status.work}); }
};

RunSettings on_pair(const std::string& drafter = "small", int k = 4) {
    RunSettings settings;
    settings.prompt.text = "Write a short poem about the moon.";
    settings.prompt.chat = true;
    settings.drafter = drafter;
    settings.k = k;
    settings.sampling.temperature = 0;
    settings.max_tokens = 12;
    return settings;
}

RaceSettings race_on_pair(int prompts) {
    RaceSettings race;
    race.base = on_pair();
    race.lanes = race_entries({"none", "small"}, race.base);
    for (int i = 0; i < prompts; ++i) race.prompts.push_back({"", "Write a story about number " + std::to_string(i) + ".", "", true});
    return race;
}

RunStudy lengths() {
    RunStudy study{.name = "lengths", .runs = {}};
    for (const int k : {1, 2, 3, 4, 5, 6, 7, 8, 10, 15}) study.runs.push_back(on_pair("small", k));
    return study;
}

struct Bench {
    SkippedTime time;
    SlowModels slow = slow_models();
    Listener listener;
    Engine engine{listener, slow.models, RepeatPlan{.generations = 0}};

    // Until the engine has nothing to do, or `enough` says so.
    void work(const std::function<bool()>& enough = [] { return false; }) {
        while (!enough() && engine.step()) longest_step = std::max(longest_step, since_last());
    }
    // What the passes of a step slept.
    double since_last() { return *slow.slept_ms - std::exchange(before, slow.slept_ms->load()); }
    [[nodiscard]] const Work& told() const { return engine.shown().status.work; }
    void ask(const Command& command) {
        listener.watch = Stopwatch();
        listener.told.clear();
        before = *slow.slept_ms;
        longest_step = 0;
        engine.obey(command);
    }
    double before = 0, longest_step = 0;
};

TEST(SlowModel, SaysOfItselfWhatAPairDoesAndWritesTheText) {
    const SlowModels slow = slow_models({.target_ms = 1, .draft_ms = 0.2});
    const Models& models = *slow.models;
    EXPECT_EQ(models.target_name(), "Qwen2.5-Coder 1.5B Instruct");
    EXPECT_EQ(models.draft_name(), "Qwen2.5-Coder 0.5B Instruct");
    EXPECT_EQ(models.vocab(), 151936);
    EXPECT_EQ(models.why_not("small"), "");
    EXPECT_NE(models.why_not("eagle3"), "") << "no heads";
    EXPECT_EQ(models.chat.problem, "");
    EXPECT_EQ(models.bundle, "");
    EXPECT_EQ(models.backend->held_memory(), 1'608'720'832U);
    speclens::Run slow_run(slow.models, on_pair());
    slow_run.finish();
    const double tokens = 12;
    EXPECT_GE(*slow.slept_ms, tokens / 5) << "a pass at least for every five";
    const auto tiny = std::make_shared<const Models>(load_models({}));
    speclens::Run run(tiny, on_pair());
    run.finish();
    EXPECT_EQ(slow_run.output_text(), run.output_text()) << "the rows that were added never win";
}

// ---- what is said ----

// The estimates while `of` was done, at a tenth, at half and at nine tenths of the time that it took: within a factor of 1.5, as soon as
// one piece tells how long the others take. Until then it says that it is at the first.
void expect_true_estimates(const std::vector<Listener::Told>& all, Work::Of of) {
    std::vector<Listener::Told> told;
    for (const Listener::Told& one : all)
        if (one.work.of == of) told.push_back(one);
    ASSERT_FALSE(told.empty()) << "nothing was told of it";
    const auto after = std::ranges::find_if(all, [&](const Listener::Told& one) { return one.seconds > told.back().seconds; });
    const double begin = told.front().seconds, end = after == all.end() ? all.back().seconds : after->seconds;
    for (const double share : {0.1, 0.5, 0.9}) {
        const double at = begin + share * (end - begin);
        const auto next = std::ranges::find_if(told, [&](const Listener::Told& one) { return one.seconds > at; });
        ASSERT_NE(next, told.begin());
        const Listener::Told& last = *(next - 1);
        if (!last.work.left) {
            EXPECT_EQ(last.work.done, 0) << share;
            EXPECT_LE(share, 0.5) << "most of it is over, and nobody knows how long it takes";
            continue;
        }
        const double estimate = *last.work.left - (at - last.seconds), truth = end - at;
        EXPECT_LT(estimate, 1.5 * truth + 0.15) << share << " of " << end - begin << " s";
        EXPECT_GT(estimate, truth / 1.5 - 0.15) << share << " of " << end - begin << " s";
    }
}

TEST(SlowModel, AStudySaysHowLongItTakes) {
    Bench bench;
    bench.ask(lengths());
    ASSERT_FALSE(bench.listener.told.empty());
    const Work first = bench.listener.told.front().work;
    EXPECT_EQ(first.of, Work::Of::runs);
    EXPECT_EQ(first.done, 0);
    EXPECT_EQ(first.total, 10);
    EXPECT_FALSE(first.left) << "none tells yet";
    bench.work();
    EXPECT_EQ(bench.told().of, Work::Of::nothing);
    expect_true_estimates(bench.listener.told, Work::Of::runs);
    EXPECT_LE(bench.longest_step, 500) << "between two steps it is asked whether somebody waits";
}

TEST(SlowModel, PassesSayHowLongTheyTake) {
    Bench bench;
    bench.ask(MeasurePasses{});
    EXPECT_EQ(bench.since_last(), 0) << "it is told of before the first pass";
    EXPECT_EQ(bench.told().of, Work::Of::widths);
    EXPECT_EQ(bench.told().total, 7);
    bench.work();
    ASSERT_NE(bench.engine.shown().passes, nullptr);
    EXPECT_FALSE(bench.engine.shown().passes->stopped);
    EXPECT_EQ(bench.engine.shown().passes->passes.size(), 7U);
    expect_true_estimates(bench.listener.told, Work::Of::widths);
    EXPECT_LE(bench.longest_step, 500);
}

TEST(SlowModel, ARaceSaysHowLongItsLanesAndItsPromptsTake) {
    Bench bench;
    bench.ask(StartRace{race_on_pair(12)});
    EXPECT_EQ(bench.told().of, Work::Of::lanes);
    EXPECT_EQ(bench.told().total, 2);
    bench.work();
    const RaceView& race = *bench.engine.shown().race;
    EXPECT_TRUE(race.finished());
    EXPECT_EQ(race.prompts, 12);
    expect_true_estimates(bench.listener.told, Work::Of::prompts);
    EXPECT_LE(bench.longest_step, 500);
}

// The averages stop growing after so much measured time: what is said is how long that takes, not all prompts there are.
TEST(SlowModel, ARaceCountsThePromptsThatThereIsTimeFor) {
    Bench bench;
    RaceSettings race = race_on_pair(40);
    race.average_seconds = 5;
    bench.ask(StartRace{race});
    bench.work();
    const auto& told = bench.listener.told;
    const auto first =
        std::ranges::find_if(told, [](const Listener::Told& one) { return one.work.of == Work::Of::prompts && one.work.done == 0; });
    ASSERT_NE(first, told.end());
    ASSERT_TRUE(first->work.left) << "before one of them is done: all lanes have had a prompt by then";
    EXPECT_LT(first->work.total, 12);
    const double took = told.back().seconds - first->seconds;
    EXPECT_LT(*first->work.left, 1.5 * took + 0.15);
    EXPECT_GT(*first->work.left, took / 1.5 - 0.15);
    const auto second =
        std::ranges::find_if(told, [](const Listener::Told& one) { return one.work.of == Work::Of::prompts && one.work.done > 0; });
    ASSERT_NE(second, told.end());
    EXPECT_LT(second->work.total, 12);
    EXPECT_GT(second->work.total, 1);
    expect_true_estimates(told, Work::Of::prompts);
}

TEST(SlowModel, AnAdviceSaysHowLongItTakes) {
    Bench bench;
    RunSettings base = on_pair();
    base.max_tokens = 4;
    bench.ask(AskAdvice{.base = base, .seconds = 1});
    EXPECT_EQ(bench.told().of, Work::Of::advice);
    EXPECT_EQ(bench.told().total, kFewestAdvicePrompts);
    bench.work([&] { return bench.engine.shown().advice && bench.engine.shown().advice->prompts >= 2; });
    EXPECT_TRUE(bench.told().left) << "by what this model takes";
    EXPECT_GT(*bench.told().left, 1) << "more than was asked for: a verdict takes longer here";
    EXPECT_GE(bench.told().done, 2);
    EXPECT_FALSE(bench.engine.shown().advice->complete) << "what there is by now is shown";
    bench.engine.obey(Cancel{});
    ASSERT_TRUE(bench.engine.shown().advice->complete);
    EXPECT_GE(bench.engine.shown().advice->prompts, 2) << "and kept";
    EXPECT_FALSE(bench.engine.shown().advice->cells.empty());
    EXPECT_EQ(bench.told().of, Work::Of::nothing);
}

TEST(SlowModel, EveryDrafterIsCounted) {
    Bench bench;
    bench.ask(Restart{on_pair(), kUnlimitedPhases});
    bench.work();
    bench.ask(CompareDrafters{0});
    EXPECT_EQ(bench.told().of, Work::Of::drafters);
    EXPECT_GT(bench.told().total, 10);
    const int total = bench.told().total;
    bench.work([&] { return bench.told().done >= 3; });
    EXPECT_TRUE(bench.told().left);
    EXPECT_EQ(bench.told().total, total);
    bench.engine.obey(Cancel{});
    EXPECT_GE(bench.engine.shown().comparison->rows.size(), 3U) << "kept";
}

// A row is a prompt, drafts and checks four times over; whoever ends it waits for one pass.
TEST(SlowModel, AnswersAboutARoundAreLeftBetweenTwoOfTheirPasses) {
    Bench bench;
    bench.ask(Restart{on_pair(), kUnlimitedPhases});
    bench.work();
    const auto answered = [&] { return bench.engine.shown().comparison && bench.engine.shown().comparison->complete(); };
    const auto drafted = [&] { return bench.engine.shown().other_round != nullptr; };
    for (const auto& [asked, done] : {std::pair<Command, std::function<bool()>>{CompareDrafters{0}, answered},
                                      {FetchOtherDrafterRound{0, "skip"}, drafted},
                                      {CompareDrafters{.round = 0, .exit_layer = 1}, answered}}) {
        bench.ask(asked);
        bench.listener.waits = [&] { return *bench.slow.slept_ms > bench.before; };
        for (int i = 0; i < 40; ++i) bench.work([&, first = true]() mutable { return !std::exchange(first, false); });
        EXPECT_GT(bench.longest_step, 0);
        EXPECT_LE(bench.longest_step, 300) << "the pass that reads the prompt";
        bench.listener.waits = {};
        bench.work();
        EXPECT_TRUE(done()) << "what waited was something else";
    }
    EXPECT_EQ(bench.engine.shown().comparison->exit_layer, 1);
    EXPECT_EQ(bench.engine.shown().other_round->problem, "");
}

TEST(SlowModel, AnAdviceIsForetoldToItsEnd) {
    Bench bench;
    RunSettings base = on_pair();
    base.max_tokens = 4;
    bench.ask(AskAdvice{.base = base, .seconds = 1});
    bench.work();
    ASSERT_NE(bench.engine.shown().advice, nullptr);
    EXPECT_TRUE(bench.engine.shown().advice->complete);
    EXPECT_EQ(bench.engine.shown().advice->prompts, kFewestAdvicePrompts);
    expect_true_estimates(bench.listener.told, Work::Of::advice);
}

// Most of them have no head here and take no time, which says nothing of the others.
TEST(SlowModel, DraftersAreForetoldByThoseThatCanRun) {
    Bench bench;
    bench.ask(Restart{on_pair(), kUnlimitedPhases});
    bench.work();
    bench.ask(CompareDrafters{0});
    bench.work();
    ASSERT_NE(bench.engine.shown().comparison, nullptr);
    EXPECT_TRUE(bench.engine.shown().comparison->complete());
    expect_true_estimates(bench.listener.told, Work::Of::drafters);
}

// ---- what is told outside of the window ----

// What was said at a tenth, at half and at nine tenths of the time: seconds left, within a factor of 1.5.
struct SaidLeft {
    double seconds = 0; // since it began
    std::optional<double> left;
};
void expect_true(const std::vector<SaidLeft>& said, double end) {
    for (const double share : {0.1, 0.5, 0.9}) {
        const double at = share * end;
        const auto next = std::ranges::find_if(said, [&](const SaidLeft& one) { return one.seconds > at; });
        ASSERT_NE(next, said.begin()) << share;
        const SaidLeft& last = *(next - 1);
        ASSERT_TRUE(last.left) << share << " of " << end << " s";
        const double estimate = *last.left - (at - last.seconds), truth = end - at;
        EXPECT_LT(estimate, 1.5 * truth + 0.15) << share << " of " << end << " s";
        EXPECT_GT(estimate, truth / 1.5 - 0.15) << share << " of " << end << " s";
    }
}

// As `speclens advise --for` asks for it, of the pair's own drafter and one that copies.
AdvicePlan advice_in(double seconds) {
    AdvicePlan plan;
    plan.base = on_pair("none", 0);
    plan.base.max_tokens = 6;
    plan.drafters = {"small", "lookup"};
    plan.lengths = {2, 4};
    for (int i = 0; i < 40; ++i) plan.prompts.push_back({"", "Write a story about number " + std::to_string(i) + ".", "", true});
    plan.seconds = seconds;
    plan.at_least = false;
    return plan;
}

// A slower pace for a longer time: as many passes.
struct Paced {
    double seconds;
    test::SlowPace pace;
};
constexpr Paced kPaces[] = {{30, {.target_ms = 60, .draft_ms = 15}}, {120, {.target_ms = 240, .draft_ms = 60}}};

TEST(SlowModel, AnAdviceEndsInTheTimeThatItWasGivenAndForetellsIt) {
    for (const Paced& paced : kPaces) {
        const SkippedTime time;
        const SlowModels slow = slow_models(paced.pace);
        AdviceMeasurement measurement(slow.models, advice_in(paced.seconds));
        std::optional<Stopwatch> behind; // the warm-up
        std::vector<SaidLeft> said;
        while (measurement.step()) {
            const std::optional<double> left = measurement.left_seconds();
            if (left && !behind) behind.emplace();
            if (behind) said.push_back({behind->ms() / 1000, left});
        }
        ASSERT_TRUE(behind) << paced.seconds;
        const double took = behind->ms() / 1000;
        EXPECT_LE(took, 1.1 * paced.seconds);
        EXPECT_GT(took, 0.5 * paced.seconds) << "it used its time";
        EXPECT_GT(measurement.advice()->prompts, 0);
        EXPECT_TRUE(measurement.advice()->complete);
        expect_true(said, took);
    }
}

// A time in which not one prompt gets whole: known before it is over, and no more of it is taken.
TEST(SlowModel, AnAdviceThatHasNoTimeForOnePromptSaysSoAndEnds) {
    const SkippedTime time;
    const SlowModels slow = slow_models({.target_ms = 2400, .draft_ms = 600});
    AdvicePlan plan = advice_in(30);
    plan.base.max_tokens = 24;
    AdviceMeasurement measurement(slow.models, plan);
    std::optional<Stopwatch> behind;
    std::optional<double> missed, prompt;
    while (measurement.step()) {
        if (!behind && measurement.left_seconds()) {
            behind.emplace();
            missed = measurement.seconds_missed();
            prompt = measurement.prompt_seconds();
        }
    }
    ASSERT_TRUE(behind);
    EXPECT_EQ(measurement.advice()->prompts, 0);
    ASSERT_TRUE(missed && prompt) << "said as soon as the warm-up is over";
    EXPECT_GT(*prompt, 30);
    EXPECT_GT(*missed, *prompt);
    const double piece = 5 * 2.4; // forty rows of a prompt: the longest that nobody can end, at this pace
    EXPECT_LE(behind->ms() / 1000, 1.05 * 30 + piece);
}

SweepPlan sweep_in(double seconds) {
    constexpr double kProofs = 0.2; // as `speclens sweep --for` has them
    SweepPlan plan;
    for (int i = 0; i < 12; ++i) {
        RunSettings text = on_pair("none", 0);
        text.prompt.text = "Write a story about number " + std::to_string(i) + ".";
        text.max_tokens = 16;
        plan.texts.push_back(text);
    }
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}, {.drafter = "small", .rule = "token", .k = 4}};
    plan.concurrency = {1, 2};
    plan.repeats = 3;
    plan.film = plan.in_time = true;
    plan.seconds = (1 - kProofs) * seconds;
    plan.proof_seconds = kProofs * seconds;
    return plan;
}

TEST(SlowModel, ASweepEndsInTheTimeThatItWasGivenAndForetellsIt) {
    for (const Paced& paced : kPaces) {
        const SkippedTime time;
        const SlowModels slow = slow_models(paced.pace);
        SweepMeasurement measurement(slow.models, sweep_in(paced.seconds));
        const Stopwatch watch;
        std::vector<SaidLeft> said;
        while (measurement.step()) {
            const double seconds = watch.ms() / 1000, done = measurement.done();
            if (done > 0) said.push_back({seconds, seconds * (1 - done) / done}); // as a bar foretells it
        }
        const double took = watch.ms() / 1000;
        EXPECT_LE(took, 1.1 * paced.seconds);
        const Sweep sweep = measurement.sweep();
        EXPECT_TRUE(sweep.complete);
        for (const SweepCell& cell : sweep.cells) EXPECT_TRUE(cell.measured()) << cell.concurrency;
        expect_true(said, took);
    }
}

// ---- a race as it is run ----

TEST(SlowModel, TokensOfALaneAreToldOfAsTheyCome) {
    Bench bench;
    bench.ask(StartRace{race_on_pair(0)});
    std::vector<std::size_t> seen; // events of the lane that runs, at each publication
    bool warmed = false;
    std::size_t told = 0;
    bench.work([&] {
        if (bench.listener.told.size() == std::exchange(told, bench.listener.told.size())) return false;
        const RaceView& race = *bench.engine.shown().race;
        warmed = warmed || race.warming >= 0;
        EXPECT_TRUE(race.running < 0 || race.warming < 0);
        if (race.running == 0 && race.lanes[0].trace && !race.lanes[0].finished) seen.push_back(race.lanes[0].trace->size());
        EXPECT_TRUE(race.running != 1 || race.lanes[0].finished) << "one after another";
        return false;
    });
    EXPECT_TRUE(warmed);
    ASSERT_GE(seen.size(), 4U) << "twelve passes of 60 ms";
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_GT(seen.back(), seen.front());
}

TEST(SlowModel, AStoppedRaceKeepsWhatItHas) {
    Bench bench;
    bench.ask(StartRace{race_on_pair(40)});
    bench.work([&] { return bench.engine.shown().race->prompts_done >= 2; });
    bench.engine.obey(StopRace{});
    const RaceView& race = *bench.engine.shown().race;
    EXPECT_TRUE(race.ended_early);
    EXPECT_TRUE(race.lanes[1].average) << "shown before all prompts are done, and kept";
    EXPECT_EQ(bench.told().of, Work::Of::nothing);
    EXPECT_FALSE(bench.engine.step());
}

// ---- stopping ----

TEST(SlowModel, PassesThatWereStoppedAreKeptAsAPart) {
    Bench bench;
    bench.ask(MeasurePasses{});
    bench.work([&] { return bench.told().done >= 3; });
    bench.engine.obey(Cancel{});
    const auto part = bench.engine.shown().passes;
    ASSERT_NE(part, nullptr);
    EXPECT_TRUE(part->stopped);
    EXPECT_GE(part->passes.size(), 3U);
    EXPECT_LT(part->passes.size(), 7U);
    EXPECT_EQ(part->in_doubt().id(), "bottleneck.doubt.stopped");
    // A part takes no place of what is whole.
    bench.ask(MeasurePasses{});
    bench.work();
    const auto whole = bench.engine.shown().passes;
    EXPECT_FALSE(whole->stopped);
    bench.ask(MeasurePasses{});
    bench.work([&] { return bench.told().done >= 3; });
    bench.engine.obey(Cancel{});
    EXPECT_EQ(bench.engine.shown().passes, whole);
}

// A prompt is read in pieces, by the draft model and by the target, and between two of them somebody may wait. The draft model's was read
// in one go: two seconds.
TEST(SlowModel, ALongPromptOfAJobIsLeftWhereSomebodyWaits) {
    RunSettings longer = on_pair("lookup");
    longer.prompt.chat = false;
    longer.prompt.text.clear();
    for (int i = 0; i < 250; ++i) longer.prompt.text += "one word and another ";
    RaceSettings race = race_on_pair(0);
    race.base.prompt = longer.prompt;
    race.lanes = race_entries({"none", "lookup"}, race.base);
    RunSettings drafted = longer;
    drafted.drafter = "small";
    for (const Command& asked :
         {Command{RunStudy{"long", {longer, on_pair()}}}, Command{RunStudy{"drafted", {drafted, on_pair()}}}, Command{StartRace{race}}}) {
        Bench bench;
        bench.ask(asked);
        bench.listener.waits = [&] { return *bench.slow.slept_ms > 0; }; // since the first piece
        bench.work(bench.listener.waits);
        EXPECT_GT(bench.longest_step, 0);
        EXPECT_LE(bench.longest_step, 1000);
        // What waited was something else: the job goes on with the same run.
        bench.listener.waits = {};
        EXPECT_EQ(bench.engine.shown().status.error, "");
        ASSERT_TRUE(bench.engine.step());
        bench.engine.obey(Cancel{});
        EXPECT_FALSE(bench.engine.step());
    }
}

// Each token of a draft is a pass of its model: whoever ends the program waits for one of them, not for all.
TEST(SlowModel, ADraftIsLeftBetweenTwoOfItsPasses) {
    for (const char* drafter : {"small", "small_tree", "skip"}) {
        const SkippedTime time;
        const SlowModels slow = slow_models();
        speclens::Run run(slow.models, on_pair(drafter, 6));
        bool asked = false;
        int passes = 0;
        run.on_draft_pass([&] {
            if (asked) throw Cancelled{};
            ++passes;
        });
        while (passes == 0) ASSERT_TRUE(run.step()) << drafter; // the first round drafts in one step
        EXPECT_GE(passes, 2) << drafter << ": told before every pass of a draft but the first";
        asked = true;
        double before = 0;
        bool left = false;
        while (!left && !run.stopped()) {
            before = *slow.slept_ms;
            try {
                (void)run.step();
            } catch (const Cancelled&) {
                left = true;
            }
        }
        EXPECT_TRUE(left) << drafter;
        EXPECT_LE(*slow.slept_ms - before, 60) << drafter << ": one pass of the draft";
    }
}

TEST(SlowModel, TheTimesOfARunAreTakenInShortSteps) {
    const SkippedTime time;
    SlowModels slow = slow_models();
    Listener listener;
    Engine engine(listener, slow.models, RepeatPlan{.seconds = 1, .generations = 2, .most_seconds = 2});
    engine.obey(Restart{on_pair(), kUnlimitedPhases});
    double before = *slow.slept_ms, longest = 0;
    while (engine.step()) longest = std::max(longest, *slow.slept_ms - std::exchange(before, slow.slept_ms->load()));
    EXPECT_GT(engine.shown().trace->plain_ms(), 0) << "they were taken";
    EXPECT_LE(longest, 500);
}

} // namespace
} // namespace speclens
