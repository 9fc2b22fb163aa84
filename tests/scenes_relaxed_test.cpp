// Scene S12: the laws read off a run, what every rule keeps of them, and the controls.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/run.h"
#include "engine/study.h"
#include "scenes/relaxed_model.h"
#include "scenes_bench.h"
#include "tests/micro.h"

namespace speclens {
namespace {

// A window over a finished run of a micro model whose engine only listens.
struct Sampled {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    explicit Sampled(double temperature = 1, int trace_top = 64, const std::string& drafter = "small") {
        settings.token_ids = {5, 6, 7, 8, 9};
        settings.drafter = drafter;
        settings.rule = judging_rule("token", drafter);
        settings.k = 4;
        settings.max_tokens = 24;
        settings.sampling.temperature = temperature;
        settings.trace_top = trace_top;
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("relaxed", port);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "small", "lookup", "small_tree"};
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
};

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

TEST(RelaxedScene, EveryBeatBringsItsRule) {
    Sampled live;
    const char* titles[] = {"Lenient token rule keeps", "Lenient token rule keeps",
                            "Typical acceptance keeps", "Cascade, token V3 keeps"};
    for (int beat = 0; beat < 4; ++beat) {
        live.bench->controller.perform({SceneCommand{SetBeat{beat}}}, live.bench->time);
        live.bench->settle();
        EXPECT_TRUE(live.bench->shows(titles[beat])) << beat;
        EXPECT_TRUE(live.bench->shows("NOT lossless")) << beat;
    }
}

// Without lenience nothing is given away, and nothing says that it is.
TEST(RelaxedScene, SaysSoWhereNothingIsGivenAway) {
    Sampled live;
    RelaxedState state;
    state.rule = "lenience";
    state.params.lenience = 0;
    const RelaxedModel m = relaxed_model(live.input(), state);
    EXPECT_EQ(relaxed_title(live.input(), m).subtitle.find("NOT lossless"), std::string::npos);
    EXPECT_EQ(relaxed_description(live.input(), m).find("Faster"), std::string::npos);
}

TEST(RelaxedScene, JudgesTheRunByItsRule) {
    Sampled live;
    live.bench->key(ui::Key::u);
    ASSERT_FALSE(live.sent.empty());
    const auto* restart = std::get_if<Restart>(&live.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.rule, "lenience");
    EXPECT_EQ(restart->settings.rule_params.lenience, RuleParams{}.lenience);
    EXPECT_EQ(restart->settings.token_ids, live.settings.token_ids);
}

TEST(RelaxedScene, MeasuresEveryRuleOnThisPrompt) {
    Sampled live;
    live.bench->key(ui::Key::m);
    ASSERT_FALSE(live.sent.empty());
    const auto* study = std::get_if<RunStudy>(&live.sent.back());
    ASSERT_NE(study, nullptr);
    std::map<std::string, int> runs;
    for (const RunSettings& one : study->runs) {
        ++runs[one.rule];
        EXPECT_NO_THROW(check_parameters(one.rule_params, *find_rule(one.rule))) << one.rule;
        EXPECT_GT(one.sampling.temperature, 0);
    }
    EXPECT_EQ(runs.size(), 2 + relaxed_rules().size());
    for (const auto& [rule, count] : runs) EXPECT_EQ(count, runs["token"]) << rule;
    Study done{study->name, static_cast<int>(study->runs.size()), {}};
    for (const RunSettings& one : study->runs) {
        StudyPoint p;
        p.settings = one;
        p.rounds = 10;
        p.tokens = one.rule == "typical" ? 47 : 30;
        done.points.push_back(p);
    }
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("4.70"));
    EXPECT_TRUE(live.bench->shows("block (lossless)"));
}

// A greedy run has one-hot laws: the laws at temperature 1 stand in, and the picture says so.
TEST(RelaxedScene, ShowsTheLawsAtTemperatureOneOfAGreedyRun) {
    Sampled live(0);
    EXPECT_TRUE(live.bench->shows("laws at T = 1"));
    live.bench->key(ui::Key::u);
    const auto* restart = std::get_if<Restart>(&live.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_GT(restart->settings.sampling.temperature, 0)
        << "at temperature 0 the rule would be the greedy one";
}

TEST(RelaxedScene, SaysWhatItNeedsWhereNothingWasRecorded) {
    Sampled fast(1, 0);
    EXPECT_TRUE(fast.bench->shows("a run with judged guesses is needed"));
    Sampled plain(1, 64, "none");
    EXPECT_TRUE(plain.bench->shows("a run with judged guesses is needed"));
    plain.bench->key(ui::Key::m);
    EXPECT_TRUE(plain.sent.empty()) << "nobody can draft";
}

TEST(RelaxedScene, ATreeCannotBeJudgedSo) {
    Sampled tree(1, 64, "small_tree");
    tree.bench->key(ui::Key::u);
    EXPECT_TRUE(tree.sent.empty());
}

} // namespace
} // namespace speclens
