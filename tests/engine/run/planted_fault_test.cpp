// Two faults that engines have, put into ours: comparing with plain decoding finds each. That rounding turns near ties only is how the
// scene tells them apart; a random model has nothing but near ties, so only this half is tested here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/lab/fault_study.h"
#include "engine/run/run_view.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

StudyPoint with(PlantedFault fault, const std::string& drafter, int k, std::vector<int> prompt) {
    RunSettings settings = test::greedy(drafter, k);
    settings.prompt.token_ids = std::move(prompt);
    settings.max_tokens = 64;
    const std::unique_ptr<Run> run = study_run(test::micro_models(1), settings, fault_study_name(fault));
    run->finish();
    StudyPoint point = summary_of(settings, run->trace());
    point.trace = run->shared_trace();
    return point;
}

// The first place where `text` is not the plain one; none: nowhere.
std::optional<std::size_t> parts(const std::vector<int>& plain, const std::vector<int>& text) {
    const auto [a, b] = std::ranges::mismatch(plain, text);
    if (a == plain.end() || b == text.end()) return {};
    return static_cast<std::size_t>(a - plain.begin());
}

// How many times as likely plain decoding found its own token as the other one, in the round that wrote the place.
double odds(const Trace& plain, std::size_t place, int other) {
    const RunView view = fold(plain, plain.size());
    const TargetToken& own = *view.round_list.at(place).resample;
    const TopEntries& top = own.raw_top.empty() ? own.top : own.raw_top;
    const auto of = [&](int id) -> double {
        for (const TopEntries::Entry& entry : top.entries)
            if (entry.id == id) return entry.logp;
        return -INFINITY;
    };
    return std::exp(of(own.token) - of(other));
}

TEST(PlantedFaults, ANoneIsNone) {
    const std::vector<int> prompt{5, 6, 7, 8};
    const StudyPoint plain = with(PlantedFault::none, "none", 0, prompt);
    EXPECT_EQ(plain.output, with(PlantedFault::none, "small", 4, prompt).output);
    for (const PlantedFault fault : {PlantedFault::rounding, PlantedFault::rollback})
        EXPECT_EQ(plain.output, with(fault, "none", 0, prompt).output) << "passes of one row, and nothing is taken back";
}

TEST(PlantedFaults, AreFoundByPlainDecodingAndRoundingTurnsNearTiesOnly) {
    int rounded = 0, rolled_back = 0;
    double worst_tie = 0;
    for (int i = 0; i < 24; ++i) {
        const std::vector<int> prompt{1 + i % 50, 7, 3 + i % 40, 11};
        const StudyPoint plain = with(PlantedFault::none, "none", 0, prompt);
        for (const PlantedFault fault : {PlantedFault::rounding, PlantedFault::rollback}) {
            const StudyPoint text = with(fault, "small", 4, prompt);
            ASSERT_EQ(text.problem, "");
            const auto at = parts(plain.output, text.output);
            if (!at) continue;
            const double by = odds(*plain.trace, *at, text.output[*at]);
            if (fault == PlantedFault::rounding) ++rounded, worst_tie = std::max(worst_tie, by);
            if (fault == PlantedFault::rollback) ++rolled_back;
        }
    }
    EXPECT_GT(rounded, 0);
    EXPECT_GT(rolled_back, 2);
    EXPECT_LT(worst_tie, 1.01) << "bf16 keeps eight bits of a logit";
}

} // namespace
} // namespace speclens
