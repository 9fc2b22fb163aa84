// A run that something fails in the middle of a round is over: what it has written is never written again.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>

#include "engine/drafters/drafter.h"
#include "engine/run/cycle.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

enum class Verb { begin, prompt, draft, observe, look_back };

// Fails once, at one of its verbs; asked again it would do its work.
class Failing final : public Drafter {
  public:
    Failing(Verb at, std::function<void()> error) : at_(at), error_(std::move(error)) {}
    void begin(std::span<const int>) override { fail(Verb::begin); }
    std::vector<int> taps() const override { return {1}; }
    void observe(const Observation& seen) override { fail(seen.prompt ? Verb::prompt : Verb::observe); }
    Internals look_back() override {
        fail(Verb::look_back);
        return {};
    }
    Draft draft(const DraftRequest&) override {
        fail(Verb::draft);
        Draft draft;
        draft.nodes.resize(1);
        draft.nodes.front().token = 3;
        return draft;
    }

  private:
    void fail(Verb verb) {
        if (verb != at_ || failed_) return;
        failed_ = true;
        error_();
    }
    Verb at_;
    std::function<void()> error_;
    bool failed_ = false;
};

struct Case {
    const char* said; // in the event that ends the trace
    std::function<void()> error;
};

TEST(CycleErrors, EndTheRunWhateverWasThrownAndWhereverItWas) {
    const auto models = test::micro_models(1);
    const std::vector<Case> cases{
        {"the head is gone", [] { throw Error("the head is gone", "Load it again."); }},
        {"out of memory", [] { throw std::bad_alloc(); }},
        {"vector::_M_fill", [] { throw std::length_error("vector::_M_fill"); }},
        {"unknown", [] { throw 7; }},
    };
    for (const Verb verb : {Verb::begin, Verb::prompt, Verb::draft, Verb::observe, Verb::look_back})
        for (const Case& one : cases) {
            const std::string where = std::string(one.said) + " at verb " + std::to_string(static_cast<int>(verb));
            Trace trace([](int) { return std::string(); });
            trace.append(Header{});
            const auto target = make_model_decoder(models->target, 64);
            Failing drafter(verb, one.error);
            CycleSettings settings;
            settings.k = 1;
            settings.max_tokens = 8;
            settings.internals = true;
            Cycle cycle(*target, drafter, *find_rule("greedy"), settings, trace, {7, 8, 9}, 3);
            EXPECT_ANY_THROW(while (cycle.step()){}) << where;
            EXPECT_TRUE(cycle.stopped()) << where;
            const std::size_t events = trace.size();
            const std::vector<int> sequence = cycle.sequence();
            EXPECT_FALSE(cycle.step()) << where;
            cycle.stop("cancelled");
            EXPECT_EQ(trace.size(), events) << where;
            EXPECT_EQ(cycle.sequence(), sequence) << where;
            const auto* end = std::get_if<Failed>(&trace[events - 1]);
            ASSERT_NE(end, nullptr) << where;
            EXPECT_NE(end->what.find(one.said), std::string::npos) << where << ": " << end->what;
            EXPECT_FALSE(end->remedy.empty()) << where;
        }
}

} // namespace
} // namespace speclens
