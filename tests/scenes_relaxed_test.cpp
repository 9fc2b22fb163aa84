// Scene S12: the laws read off a run, what every rule keeps of them, and the controls.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/run.h"
#include "engine/study.h"
#include "engine/trace_json.h"
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

TEST(RelaxedScene, SaysNothingOfHeadsThatAreTooShort) {
    Sampled hot(2, 4);
    RelaxedState state;
    const RelaxedModel m = relaxed_model(hot.input(), state);
    ASSERT_GT(m.positions->size(), 0u);
    EXPECT_EQ(m.counted, 0);
    EXPECT_TRUE(hot.bench->shows("too short to say what a rule keeps")) << hot.bench->words;
    EXPECT_TRUE(hot.bench->shows("Lower the temperature, or record whole laws")) << hot.bench->words;
    EXPECT_TRUE(hot.bench->shows("too much to say whether a guess stays")) << hot.bench->words;
    EXPECT_FALSE(hot.bench->shows("A guess stays here")) << hot.bench->words;
    EXPECT_FALSE(hot.bench->shows("chance that a guess stays")) << hot.bench->words;
    const std::string words = relaxed_description(hot.input(), m);
    EXPECT_NE(words.find("--trace-top all"), std::string::npos) << words;
    EXPECT_NE(words.find("Stays here: not told"), std::string::npos) << words;
    EXPECT_EQ(words.find("stays ."), std::string::npos) << words;
    EXPECT_EQ(words.find("probability 0"), std::string::npos) << words;
    for (int beat = 0; beat < kRelaxedBeats; ++beat) {
        hot.bench->controller.perform({SceneCommand{SetBeat{beat}}}, hot.bench->time);
        hot.bench->settle();
        EXPECT_FALSE(hot.bench->shows("keeps a guess with probability")) << beat;
    }
    Sampled listed(2, 64);
    EXPECT_TRUE(listed.bench->shows("Lenient token rule keeps")) << "whole laws at the same temperature";
}

// Heads of eight tokens, some of which leave out much.
TEST(RelaxedScene, SaysHowManyGuessesCount) {
    SceneBench bench("relaxed");
    const std::shared_ptr<const Trace> trace =
        load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl");
    bench.show(trace, trace->size());
    SceneInput input = bench.controller.frame(0).scene;
    RelaxedState state;
    const RelaxedModel m = relaxed_model(input, state);
    const int judged = static_cast<int>(m.positions->size());
    ASSERT_GT(m.counted, 0);
    ASSERT_LT(m.counted, judged);
    const std::string means =
        "means over " + std::to_string(m.counted) + " of " + std::to_string(judged) + " judged guesses";
    EXPECT_TRUE(bench.shows(means)) << bench.words;
    EXPECT_NE(relaxed_title(input, m).subtitle.find(means), std::string::npos);
    const std::string words = relaxed_description(input, m);
    EXPECT_NE(words.find("left out, where the models are less sure"), std::string::npos) << words;
    for (const JudgedPosition& position : *m.positions) {
        input.selected = position.at;
        const std::string here = relaxed_description(input, relaxed_model(input, state));
        EXPECT_EQ(here.find("Stays here: not told") == std::string::npos, position.counts()) << here;
    }
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
