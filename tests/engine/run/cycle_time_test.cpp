// Where the times of a round are taken, and what a plain read beside them costs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/base/clock.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/pass_times.h"
#include "engine/run/cycle.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

// Notes at how many events somebody waited for it: a device goes on behind the calls.
class Waited final : public Decoder {
  public:
    Waited(std::unique_ptr<Decoder> inner, const Trace& trace) : inner_(std::move(inner)), trace_(trace) {}
    const std::string& name() const override { return inner_->name(); }
    int vocab() const override { return inner_->vocab(); }
    int layers() const override { return inner_->layers(); }
    int capacity() const override { return inner_->capacity(); }
    int max_rows() const override { return inner_->max_rows(); }
    int length() const override { return inner_->length(); }
    std::size_t memory_bytes() const override { return inner_->memory_bytes(); }
    bool is_table() const override { return inner_->is_table(); }
    OutputHead reduced_head(const FrequentIds& ids, int n) const override { return inner_->reduced_head(ids, n); }
    PassRows& forward(const PassInput& input) override { return inner_->forward(input); }
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) override {
        inner_->prefill(tokens, taps, sink, reading);
    }
    void truncate(int length) override { inner_->truncate(length); }
    void keep(int base, std::span<const int> rows) override { inner_->keep(base, rows); }
    Tensor features() const override { return inner_->features(); }
    void wait() override { waits.insert(trace_.size()); }
    void poison() override { inner_->poison(); }

    std::set<std::size_t> waits;

  private:
    std::unique_ptr<Decoder> inner_;
    const Trace& trace_;
};

// What a phase took is known when the device is done with it, not when it has been told what to do.
TEST(CycleTime, WaitsForTheDeviceWhereTimeIsTaken) {
    const auto models = test::micro_models(1);
    for (const bool timing : {true, false}) {
        Trace trace([](int) { return std::string(); });
        trace.append(Header{});
        Waited target(make_model_decoder(models->target, 64), trace);
        const std::unique_ptr<Drafter> drafter = find_drafter("none")->make({target, nullptr, nullptr, {}, nullptr});
        CycleSettings settings;
        settings.k = 0;
        settings.max_tokens = 4;
        settings.timing = timing;
        settings.sampling.temperature = 1; // at 0 the favourites that are asked for wait by themselves
        Cycle cycle(target, *drafter, *find_rule("token"), settings, trace, {7, 8, 9}, 3);
        while (cycle.step()) {
        }
        std::set<std::size_t> timed; // the events that say what a pass took
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (std::holds_alternative<Prefill>(trace[i]) || std::holds_alternative<Verified>(trace[i])) timed.insert(i);
        EXPECT_EQ(timed.size(), 5u);
        EXPECT_EQ(target.waits, timing ? timed : std::set<std::size_t>{});
    }
}

// Looks for something to propose for two milliseconds, and finds it when it may propose more than `least`.
class Searching final : public Drafter {
  public:
    explicit Searching(int least) : least_(least) {}
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}
    Draft draft(const DraftRequest& request) override {
        const Stopwatch watch;
        while (watch.ms() < 2) {
        }
        Draft draft;
        if (request.k <= least_) return draft;
        DraftNode node;
        node.token = 3;
        node.ms = watch.ms();
        draft.nodes.push_back(std::move(node));
        return draft;
    }

  private:
    int least_;
};

// A draft that proposes nothing has no token to carry its time; it is drafting all the same.
TEST(CycleTime, ADraftThatProposesNothingHasItsTime) {
    const auto models = test::micro_models(1);
    for (const bool timing : {true, false})
        for (const char* rule : {"token", "cascade_tokenV3"}) // the second asks for a distribution behind the last token
            for (const int least : {0, 9}) {
                Trace trace([](int) { return std::string(); });
                trace.append(Header{});
                const auto target = make_model_decoder(models->target, 64);
                Searching drafter(least);
                CycleSettings settings;
                settings.k = 2;
                settings.max_tokens = 6;
                settings.timing = timing;
                settings.sampling.temperature = 1;
                Cycle cycle(*target, drafter, *find_rule(rule), settings, trace, {7, 8, 9}, 3);
                while (cycle.step()) {
                }
                const RunView view = fold(trace, trace.size());
                ASSERT_GT(view.round_list.size(), 1u);
                for (const RoundSummary& one : view.round_list) {
                    const double empty = one.verify->draft_ms;
                    const std::string where = std::string(rule) + " " + std::to_string(one.round);
                    if (!one.drafts.empty() || !timing) {
                        EXPECT_EQ(empty, 0) << where << ": its tokens have it";
                        continue;
                    }
                    if (least > 0 && one.round == 0) {
                        EXPECT_GE(empty, 2) << where;
                    }
                    EXPECT_EQ(one.draft_ms, empty) << where;
                    EXPECT_GE(one.total_ms(), empty) << where;
                }
            }
}

// Guesses as many as it is asked for, each in a time that is known.
class Steady final : public Drafter {
  public:
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}
    Draft draft(const DraftRequest& request) override {
        Draft draft;
        for (int i = 0; i < request.k; ++i) {
            DraftNode node;
            node.parent = i - 1;
            node.token = 3;
            node.ms = 4;
            node.head_ms = 0.25;
            draft.nodes.push_back(std::move(node));
        }
        return draft;
    }
};

// A cascade asks for one guess more, whose distribution alone it needs. Its time is the round's; the last guess
// carries it.
TEST(CycleTime, ADistributionBehindTheLastGuessIsPaidFor) {
    const auto models = test::micro_models(1);
    Trace trace([](int) { return std::string(); });
    trace.append(Header{});
    const auto target = make_model_decoder(models->target, 64);
    Steady drafter;
    CycleSettings settings;
    settings.k = 2;
    settings.max_tokens = 6;
    settings.sampling.temperature = 1;
    Cycle cycle(*target, drafter, *find_rule("cascade_tokenV3"), settings, trace, {7, 8, 9}, 3);
    while (cycle.step()) {
    }
    const RunView view = fold(trace, trace.size());
    const RoundSummary& first = view.round_list.front();
    ASSERT_EQ(first.drafts.size(), 2u);
    EXPECT_EQ(first.drafts[0].draft->ms, 4);
    EXPECT_EQ(first.drafts[1].draft->ms, 8);
    EXPECT_EQ(first.drafts[1].draft->head_ms, 0.5);
    EXPECT_EQ(first.head_ms, 0.75);
}

// The phases of a round laid end to end, by hand: 2 + 3 and 1 + 0 of drafting, 0.5 of a draft without a
// guess.
TEST(CycleTime, SumsUpTheRunPhaseByPhase) {
    Trace trace([](int) { return std::string(); });
    Header header;
    header.prompt = {7, 8};
    trace.append(header);
    trace.append(Prefill{5, 10});
    trace.append(Prefill{2, 4});
    const auto draft = [](int round, int index, double ms, double head_ms) {
        Drafted event;
        event.round = round;
        event.index = index;
        event.parent = index - 1;
        event.ms = ms;
        event.head_ms = head_ms;
        return event;
    };
    const auto commit = [](int round, std::vector<int> tokens, double accept_ms, double ms) {
        Committed event;
        event.round = round;
        event.accepted_drafts = static_cast<int>(tokens.size()) - 1;
        event.tokens = std::move(tokens);
        event.accept_ms = accept_ms;
        event.ms = ms;
        return event;
    };
    trace.append(draft(0, 0, 2, 3));
    trace.append(draft(0, 1, 1, 0));
    trace.append(Verified{0, 3, 20, 0});
    trace.append(commit(0, {1, 2}, 0.25, 0.75));
    trace.append(Verified{1, 1, 8, 0.5});
    trace.append(commit(1, {3}, 0.5, 0));
    const RunView view = fold(trace, trace.size());
    EXPECT_EQ(view.prefill_tokens, 7);
    EXPECT_EQ(view.prefill_ms, 14);
    ASSERT_EQ(view.round_list.size(), 2u);
    const RoundSummary& first = view.round_list[0];
    EXPECT_EQ(first.start_ms, 0);
    EXPECT_EQ(first.draft_ms, 6);
    EXPECT_EQ(first.head_ms, 3);
    EXPECT_EQ(first.verify_ms, 20);
    EXPECT_EQ(first.other_ms, 1);
    EXPECT_EQ(first.total_ms(), 27);
    const RoundSummary& second = view.round_list[1];
    EXPECT_EQ(second.start_ms, 27) << "the prompt does not count";
    EXPECT_EQ(second.draft_ms, 0.5);
    EXPECT_EQ(second.verify_ms, 8);
    EXPECT_EQ(second.other_ms, 0.5);
    EXPECT_EQ(view.total_ms, 36);
    EXPECT_EQ(view.rounds, 2);
    EXPECT_EQ(view.drafted, 2);
    EXPECT_EQ(view.accepted_drafts, 1);
    EXPECT_EQ(view.output_tokens, 3);
    EXPECT_EQ(view.tokens_per_round(), 1.5);
}

// DSpark stops where its guess is not sure enough, which may be at once.
TEST(CycleTime, AnUnsureHeadHasDraftedAllTheSame) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = "dspark";
    settings.k = 5;
    settings.max_tokens = 12;
    settings.options.confidence = 1;
    const auto run = test::finished(test::micro_models(1), settings);
    const RunView view = fold(run->trace(), run->trace().size());
    ASSERT_EQ(view.drafted, 0);
    for (const RoundSummary& round : view.round_list) {
        if (round.round < 10) {
            EXPECT_GT(round.draft_ms, 0) << round.round;
        }
    }
}

} // namespace
} // namespace speclens
