// Where the times of a round are taken.
#include <gtest/gtest.h>

#include <set>

#include "engine/cycle.h"
#include "engine/drafter.h"
#include "tests/micro.h"

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
    OutputHead cut_head(const FrequentIds& ids, int n) const override { return inner_->cut_head(ids, n); }
    PassRows& forward(const PassInput& input) override { return inner_->forward(input); }
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink) override {
        inner_->prefill(tokens, taps, sink);
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
        while (cycle.step()) {}
        std::set<std::size_t> timed; // the events that say what a pass took
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (std::holds_alternative<Prefill>(trace[i]) || std::holds_alternative<Verified>(trace[i])) timed.insert(i);
        EXPECT_EQ(timed.size(), 5u);
        EXPECT_EQ(target.waits, timing ? timed : std::set<std::size_t>{});
    }
}

} // namespace
} // namespace speclens
