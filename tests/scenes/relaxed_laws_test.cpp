// Scene S12: the laws read off a run, and what every rule keeps of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/run/run.h"
#include "scenes/relaxed/relaxed_draw.h"
#include "tests/scenes/relaxed_bench.h"
#include "tests/scenes/run_window.h"

namespace speclens {
namespace {

double sum(const Law& law) {
    return std::accumulate(law.begin(), law.end(), 0.0);
}

TEST(Relaxed, ReadsTheLawsOfEveryJudgedGuess) {
    Sampled live;
    const CycleView view = fold(live.run->trace(), live.run->trace().size());
    std::size_t judged = 0;
    for (const CycleSummary& cycle : view.cycles)
        for (const DraftSlot& slot : cycle.drafts) judged += slot.check != nullptr;
    const auto positions = positions_with_laws(view);
    ASSERT_EQ(positions.size(), judged);
    for (const JudgedPosition& position : positions) {
        EXPECT_NEAR(sum(position.laws.p), 1, 1e-9);
        EXPECT_NEAR(sum(position.laws.q), 1, 1e-9);
        EXPECT_EQ(position.ids.back(), -1);
        EXPECT_EQ(position.ids.size(), position.laws.p.size());
    }
    // Against the whole laws of one position.
    const JudgedPosition& first = positions.front();
    const LawPair whole =
        full_laws(live.models, live.settings, live.run->trace(), first.at.cycle, first.at.index);
    EXPECT_NEAR(distance(first.laws.p, first.laws.q), distance(whole.target, whole.draft),
                first.unlisted + 1e-6);
}

TEST(Relaxed, LosslessIsAtDistanceZeroAndTheEndsAreWhatTheyMust) {
    Sampled live;
    RelaxedState state;
    const RelaxedModel m = relaxed_model(live.input(), state);
    ASSERT_GE(m.shown, 0);
    EXPECT_EQ(m.lossless.distance, 0);
    EXPECT_GT(m.lossless.kept, 0);
    for (const RelaxedCurve& curve : *m.curves) {
        const std::string name = curve.rule->name;
        ASSERT_GE(curve.points.size(), 2u);
        if (name == "lenience" || name == "cascade_tokenV2") {
            EXPECT_NEAR(curve.points.front().distance, 0, 1e-9) << name << " begins at the lossless rule";
            EXPECT_NEAR(curve.points.front().kept, m.lossless.kept, 1e-9) << name;
        }
        if (name.starts_with("cascade_")) {
            EXPECT_NEAR(curve.points.back().kept, 1, 1e-9) << name << " ends at the draft alone";
            EXPECT_NEAR(curve.points.back().distance, m.draft_alone.distance, 1e-9) << name;
        }
        for (const TradeOff& point : curve.points) {
            EXPECT_GE(point.distance, -1e-12) << name;
            EXPECT_LE(point.kept, 1 + 1e-9) << name;
        }
    }
    state.params.lenience = 0.6;
    EXPECT_GT(relaxed_model(live.input(), state).here.distance, 0) << "the curves follow the numbers";
}

// One number serves six cascades; where it is outside the range of one it is brought inside.
TEST(Relaxed, KeepsAlphaInTheRangeOfTheRule) {
    Sampled live;
    RelaxedState state;
    state.rule = "cascade_opt";
    state.params.alpha = 3;
    EXPECT_EQ(relaxed_model(live.input(), state).params.alpha, 3);
    state.rule = "cascade_chow";
    EXPECT_EQ(relaxed_model(live.input(), state).params.alpha, 1);
    state.params.alpha = -0.5;
    EXPECT_EQ(relaxed_model(live.input(), state).params.alpha, 0);
}

// The rest of a law as one token would stay as if both models meant the same by it.
TEST(Relaxed, MeansLeaveOutWhereTheHeadsLeaveOutTooMuch) {
    const auto position = [](Law p, Law q) {
        JudgedPosition one;
        one.ids = {1, 2, -1};
        one.unlisted = std::max(p.back(), q.back());
        one.laws = {p, q, p, q};
        return one;
    };
    const JudgedPosition listed = position({.6, .4, 0}, {.3, .7, 0}),
                         cut = position({.2, .2, .6}, {.2, .2, .6});
    const RuleInfo& token = *find_rule("token");
    EXPECT_NEAR(trade_off({listed, cut}, token, {}).kept, .7, 1e-12);
    EXPECT_EQ(trade_off({cut}, token, {}).kept, 0);
}

TEST(Relaxed, TheDraftedTokenKeepsItsProbabilities) {
    Sampled heads(2, 4), whole(2, 64);
    const auto some = positions_with_laws(fold(heads.run->trace(), heads.run->trace().size()));
    const auto all = positions_with_laws(fold(whole.run->trace(), whole.run->trace().size()));
    ASSERT_EQ(some.size(), all.size());
    const auto of_draft = [](const JudgedPosition& position, const Law& law) {
        const auto at = std::ranges::find(position.ids, position.drafted);
        return at == position.ids.end() ? -1.0 : law[static_cast<std::size_t>(at - position.ids.begin())];
    };
    for (std::size_t i = 0; i < some.size(); ++i) {
        EXPECT_NEAR(of_draft(some[i], some[i].laws.p), of_draft(all[i], all[i].laws.p), 1e-6) << i;
        EXPECT_NEAR(of_draft(some[i], some[i].laws.q), of_draft(all[i], all[i].laws.q), 1e-6) << i;
        EXPECT_NEAR(sum(some[i].laws.p), 1, 1e-9);
        EXPECT_TRUE(all[i].counts()) << "all 61 tokens are listed";
    }
}

// Two laws that only rounding parts are one law.
TEST(Relaxed, RoundingIsNoDistance) {
    EXPECT_EQ(distance_told({.5 + 1e-12, .5 - 1e-12}, {.5, .5}), 0);
    EXPECT_NEAR(distance_told({.51, .49}, {.5, .5}), .01, 1e-12);
    Sampled live;
    RelaxedState state;
    state.params.lenience = 0;
    const RelaxedModel m = relaxed_model(live.input(), state);
    EXPECT_EQ(m.here.distance, 0);
    for (const RelaxedCurve& curve : *m.curves)
        if (curve.rule->name == std::string("lenience")) {
            EXPECT_EQ(curve.points.front().distance, 0);
        }
    const std::string words = relaxed_description(live.input(), m, state);
    EXPECT_NE(words.find("; 0 from the target"), std::string::npos) << words;
}

} // namespace
} // namespace speclens
