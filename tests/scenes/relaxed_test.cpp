// Scene S12: the distributions read off a run and what every rule keeps of them; what is said and drawn of a position and of
// every rule, and the controls.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <sstream>

#include "app/frame/frame_layout.h"
#include "engine/lab/study.h"
#include "engine/run/full_distributions.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "scenes/relaxed/relaxed_draw.h"
#include "scenes/shared/point_labels.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/relaxed_bench.h"
#include "ui/format.h"

namespace speclens {
namespace {

double sum(const Distribution& distribution) { return std::accumulate(distribution.begin(), distribution.end(), 0.0); }

TEST(Relaxed, ReadsTheDistributionsOfEveryJudgedGuess) {
    Sampled live;
    const RunView view = fold(live.run->trace(), live.run->trace().size());
    std::size_t judged = 0;
    for (const RoundSummary& round : view.round_list)
        for (const DraftSlot& slot : round.drafts) judged += slot.check != nullptr;
    const auto positions = positions_with_distributions(view);
    ASSERT_EQ(positions.size(), judged);
    for (const JudgedPosition& position : positions) {
        EXPECT_NEAR(sum(position.distributions.p), 1, 1e-9);
        EXPECT_NEAR(sum(position.distributions.q), 1, 1e-9);
        EXPECT_EQ(position.ids.back(), -1);
        EXPECT_EQ(position.ids.size(), position.distributions.p.size());
    }
    // Against the whole distributions of one position.
    const JudgedPosition& first = positions.front();
    const DistributionPair whole = full_distributions(live.models, live.settings, live.run->trace(), first.at.round, first.at.index);
    EXPECT_NEAR(distance(first.distributions.p, first.distributions.q), distance(whole.target, whole.draft), first.unlisted + 1e-6);
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

// The rest of a distribution as one token would stay as if both models meant the same by it.
TEST(Relaxed, MeansLeaveOutWhereTheHeadsLeaveOutTooMuch) {
    const auto position = [](Distribution p, Distribution q) {
        JudgedPosition one;
        one.ids = {1, 2, -1};
        one.unlisted = std::max(p.back(), q.back());
        one.distributions = {p, q, p, q};
        return one;
    };
    const JudgedPosition listed = position({.6, .4, 0}, {.3, .7, 0}), cut = position({.2, .2, .6}, {.2, .2, .6});
    const RuleInfo& token = *find_rule("token");
    EXPECT_NEAR(trade_off({listed, cut}, token, {}).kept, .7, 1e-12);
    EXPECT_EQ(trade_off({cut}, token, {}).kept, 0);
}

TEST(Relaxed, TheDraftedTokenKeepsItsProbabilities) {
    Sampled heads(2, 4), whole(2, 64);
    const auto some = positions_with_distributions(fold(heads.run->trace(), heads.run->trace().size()));
    const auto all = positions_with_distributions(fold(whole.run->trace(), whole.run->trace().size()));
    ASSERT_EQ(some.size(), all.size());
    const auto of_draft = [](const JudgedPosition& position, const Distribution& distribution) {
        const auto at = std::ranges::find(position.ids, position.drafted);
        return at == position.ids.end() ? -1.0 : distribution[static_cast<std::size_t>(at - position.ids.begin())];
    };
    for (std::size_t i = 0; i < some.size(); ++i) {
        EXPECT_NEAR(of_draft(some[i], some[i].distributions.p), of_draft(all[i], all[i].distributions.p), 1e-6) << i;
        EXPECT_NEAR(of_draft(some[i], some[i].distributions.q), of_draft(all[i], all[i].distributions.q), 1e-6) << i;
        EXPECT_NEAR(sum(some[i].distributions.p), 1, 1e-9);
        EXPECT_TRUE(all[i].counts()) << "all 61 tokens are listed";
    }
}

// Two distributions that only rounding parts are one distribution.
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
    const std::string words = relaxed_description(live.input(1), m, state);
    EXPECT_NE(words.find("; 0 from the target"), std::string::npos) << words;
}

TEST(RelaxedScene, SaysNothingOfHeadsThatAreTooShort) {
    Sampled hot(2, 4);
    RelaxedState state;
    const RelaxedModel m = relaxed_model(hot.input(), state);
    ASSERT_GT(m.positions->size(), 0u);
    EXPECT_EQ(m.counted, 0);
    EXPECT_TRUE(hot.bench->shows("too short to say what a rule keeps")) << hot.bench->words;
    EXPECT_TRUE(hot.bench->shows("Lower the temperature, or record")) << hot.bench->words;
    EXPECT_TRUE(hot.bench->shows("whole distributions: --trace-top all.")) << hot.bench->words;
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
        const auto times = [&](const std::string& said) {
            std::size_t n = 0;
            for (std::size_t at = 0; (at = hot.bench->words.find(said, at)) != std::string::npos; ++at) ++n;
            return n;
        };
        EXPECT_EQ(times("Lower the temperature"), 1u) << hot.bench->words;
        EXPECT_EQ(times("can be told; --trace-top all records whole distributions"), 1u) << hot.bench->words;
    }
    Sampled listed(2, 64);
    listed.beat(1);
    EXPECT_TRUE(listed.bench->shows("Lenient token rule keeps")) << "whole distributions at the same temperature";
}

// Heads of eight tokens, some of which leave out much.
TEST(RelaxedScene, SaysHowManyGuessesCount) {
    SceneBench bench("relaxed");
    const std::shared_ptr<const Trace> trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl");
    bench.show(trace, trace->size());
    SceneInput input = bench.controller.frame(0).scene;
    RelaxedState state;
    const RelaxedModel m = relaxed_model(input, state);
    const int judged = static_cast<int>(m.positions->size());
    ASSERT_GT(m.counted, 0);
    ASSERT_LT(m.counted, judged);
    const std::string means = "means over " + std::to_string(m.counted) + " of " + std::to_string(judged) + " judged guesses";
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

// Who reads that most guesses stay learns which were left out, and what became of all of them.
TEST(RelaxedScene, ThePictureSaysWhatTheMeansLeaveOut) {
    const std::shared_ptr<const Trace> trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl");
    for (const ui::Rect& screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        SceneBench bench("relaxed", {}, screen);
        bench.show(trace, trace->size());
        RelaxedState state;
        const RelaxedModel m = relaxed_model(bench.controller.frame(0).scene, state);
        ASSERT_FALSE(m.all_count());
        EXPECT_TRUE(bench.shows("left out, where the models are less sure; --trace-top all records them")) << bench.words;
        EXPECT_TRUE(bench.shows("means over " + std::to_string(m.counted) + " of ")) << bench.words;
        EXPECT_TRUE(bench.shows("; of all the run kept " + std::to_string(m.stayed)));
        for (int beat = 0; screen.w == 1280 && beat < 6; ++beat) {
            bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
            bench.settle();
            expect_whole_story(bench, "relaxed, beat " + std::to_string(beat));
        }
    }
    Sampled whole;
    EXPECT_FALSE(whole.bench->shows("left out")) << "61 tokens are all listed";
    EXPECT_FALSE(whole.bench->shows("of all the run kept"));
}

// Nobody clicked a position, so there is no reason to show one of which nothing can be told.
TEST(RelaxedScene, BeginsWithAPositionThatTellsSomething) {
    const std::shared_ptr<const Trace> trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl");
    int passed = 0;
    for (std::size_t cursor = 1; cursor <= trace->size(); ++cursor) {
        SceneBench bench("relaxed");
        bench.show(trace, cursor);
        RelaxedState state;
        const SceneInput input = bench.controller.frame(0).scene;
        const RelaxedModel m = relaxed_model(input, state);
        if (input.selected || m.counted == 0) continue;
        ASSERT_GE(m.shown, 0);
        EXPECT_TRUE(m.position()->counts()) << cursor;
        ++passed;
    }
    EXPECT_GT(passed, 3) << "or nothing was tried";
}

// What the run was judged by comes first.
TEST(RelaxedScene, BeginsWithTheRunsOwnRule) {
    Sampled live;
    live.settings.rule = "cascade_tokenV3";
    live.settings.rule_params.alpha = 0.4;
    speclens::Run run(live.models, live.settings);
    run.finish();
    live.published.trace = run.shared_trace();
    live.published.settings = live.settings;
    SceneBench bench("relaxed");
    bench.controller.perform({SceneCommand{SetBeat{4}}}, bench.time);
    bench.controller.observe(live.published, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows(" by Cascade, token V3, ")) << bench.words;
    EXPECT_TRUE(bench.shows("alpha=0.4")) << bench.words;
    EXPECT_TRUE(bench.shows("tokenV3 (this run)")) << bench.words;
    EXPECT_TRUE(bench.shows("tokenV3, this run")) << bench.words;
    const SceneInput input = bench.controller.frame(0).scene;
    const std::string words = find_scene("relaxed")->make()->describe(input);
    EXPECT_NE(words.find("cascade_tokenV3 (this run's rule) (chosen)"), std::string::npos) << words;
}

TEST(RelaxedScene, SaysWhereTheTokensPerRoundAreFrom) {
    Sampled live;
    EXPECT_TRUE(live.bench->shows("tok/round: not measured yet")) << live.bench->words;
    Sampled tree(1, 64, "small_tree");
    EXPECT_TRUE(tree.bench->shows("this run drafts trees")) << tree.bench->words;
    live.bench->key(ui::Key::m);
    Study done{kRelaxedStudy, 0, {}};
    for (const RunSettings& one : std::get<RunStudy>(live.sent.back()).runs) {
        StudyPoint p;
        p.settings = one;
        p.rounds = 10;
        p.tokens = 40;
        done.points.push_back(p);
    }
    done.planned = static_cast<int>(done.points.size());
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("tok/round: 16 seeds, up to 64 tokens each")) << live.bench->words;
    // Neither of another prompt nor of other numbers of the rule.
    SceneInput input = live.bench->controller.frame(0).scene;
    RelaxedState state;
    EXPECT_TRUE(tokens_source_words(input, state).starts_with("tok/round: 16 seeds"));
    const auto typical = std::ranges::find(done.points, "typical", [](const StudyPoint& p) { return p.settings.rule; });
    ASSERT_NE(typical, done.points.end());
    EXPECT_TRUE(measured_with(*typical, state));
    state.params.epsilon /= 2;
    EXPECT_FALSE(measured_with(*typical, state));
    EXPECT_TRUE(measured_with(done.points.front(), state)) << "the token rule takes no numbers";
    RunSettings other = *input.settings;
    other.prompt.token_ids.push_back(3);
    input.settings = &other;
    EXPECT_EQ(tokens_source_words(input, state), "tok/round: not measured yet, M does.");
}

// Every mark of the chart has its name, alone or among those that coincide with it.
TEST(RelaxedScene, EveryRuleIsNamedOnceInTheChart) {
    for (const char* name : {"domino", "dflash", "mixed"}) {
        const std::shared_ptr<const Trace> trace =
            load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (std::string(name) + ".jsonl"));
        SceneBench bench("relaxed");
        bench.show(trace, trace->size());
        const float axis = bench.find("distance from the target").x - 100;
        std::map<std::string, int> seen;
        for (const ui::RecordedText& text : bench.texts) {
            if (text.box.x < axis || text.box.right() > 1200 || text.box.y < 180 || text.box.y > 660) continue;
            std::string part;
            for (std::istringstream list(text.text); std::getline(list, part, ',');)
                ++seen[part.substr(std::min(part.find_first_not_of(' '), part.size()))];
        }
        for (const char* point :
             {"lossless", "draft unchecked", "lenience", "typical", "chow", "diff", "opt", "tokenV1", "tokenV2", "tokenV3"})
            EXPECT_EQ(seen[point], 1) << name << ": " << point << "\n" << bench.words;
    }
}

TEST(RelaxedScene, EveryBeatBringsItsRule) {
    Sampled live;
    const char* titles[] = {"The exact rule keeps", "Lenient token rule keeps", "Typical acceptance keeps", "Cascade, optimal keeps"};
    for (int beat = 0; beat < 4; ++beat) {
        live.bench->controller.perform({SceneCommand{SetBeat{beat}}}, live.bench->time);
        live.bench->settle();
        EXPECT_TRUE(live.bench->shows(titles[beat])) << beat;
        EXPECT_EQ(live.bench->shows("NOT lossless"), beat > 0) << beat << ": the exact rule is";
    }
}

// Where the title says that nothing is given away, nothing beside it says otherwise.
TEST(RelaxedScene, ShowsTheExactRuleWhereItSpeaksOfIt) {
    Sampled live;
    live.beat(0);
    EXPECT_TRUE(live.bench->shows("exact rule · lossless"));
    EXPECT_TRUE(live.bench->shows("What is written follows the target"));
    EXPECT_TRUE(live.bench->shows("Token rule")) << "the control";
    for (const char* relaxed : {" now", "Written differs", "Lenient token rule"}) EXPECT_FALSE(live.bench->shows(relaxed)) << relaxed;
    live.beat(kRelaxedCostBeat);
    EXPECT_TRUE(live.bench->shows("Lenient token rule")) << "from the first beat on to one about relaxed rules";
    live.beat(2);
    live.beat(kRelaxedCostBeat);
    EXPECT_TRUE(live.bench->shows("Typical acceptance")) << "the one that was chosen last";
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

// Two chances that are printed alike are not compared.
TEST(RelaxedScene, ComparesWhatItPrints) {
    Sampled live;
    RelaxedState state;
    state.rule = "cascade_tokenV3";
    SceneInput input = live.input();
    input.beat = kRelaxedBeats - 1;
    RelaxedModel m = relaxed_model(input, state);
    ASSERT_GT(m.counted, 0);
    m.lossless.kept = .9562, m.here = {.9638, .06};
    const Story story = relaxed_story(input, m, state);
    EXPECT_EQ(story.heading, "Something else, and not faster");
    EXPECT_EQ(story.text.find("instead of"), std::string::npos) << story.text;
    EXPECT_NE(story.text.find(".96, about as often as before"), std::string::npos) << story.text;
    EXPECT_NE(relaxed_title(live.input(1), m).title.find(", about as many as before;"), std::string::npos);
    m.here.kept = .98;
    EXPECT_EQ(relaxed_story(input, m, state).heading, "Faster, but of something else");
}

TEST(RelaxedScene, ItsTitleSpeaksInPercent) {
    Sampled live;
    RelaxedState state;
    const SceneInput input = live.input(1);
    RelaxedModel m = relaxed_model(input, state);
    ASSERT_TRUE(m.all_count());
    m.lossless.kept = .96, m.here = {.98, .05};
    EXPECT_EQ(relaxed_title(input, m).title,
              "Lenient token rule keeps " + ui::percent(.98) + " of the guesses instead of " + ui::percent(.96) + "; .05 from the target");
    EXPECT_EQ(relaxed_title(input, m).short_title,
              "Lenient token rule keeps " + ui::percent(.98) + " of the guesses, not " + ui::percent(.96) + "; distance .05");
    m.here.kept = .997; // which is not all of them
    EXPECT_NE(relaxed_title(input, m).title.find("keeps over " + ui::percent(.99)), std::string::npos);
    m.here.kept = .003;
    EXPECT_NE(relaxed_title(input, m).title.find("keeps under " + ui::percent(.01)), std::string::npos);
}

// Three bars and two numbers: whose they are stands above them.
TEST(RelaxedScene, TheNumbersOfARowHaveNames) {
    for (const ui::Rect& screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        Sampled live;
        live.bench->resize(screen);
        live.bench->settle();
        const std::vector<ui::RecordedText>& texts = live.bench->texts;
        const ui::RecordedText *target = nullptr, *written = nullptr; // the legend has them too
        for (const ui::RecordedText& text : texts)
            if (text.text == "written" && (!written || text.box.x > written->box.x)) written = &text;
        ASSERT_TRUE(written);
        for (const ui::RecordedText& text : texts)
            if (text.text == "target" && std::abs(text.box.right() - written->box.right()) < 0.5F) target = &text;
        ASSERT_TRUE(target);
        EXPECT_LT(target->box.y, written->box.y) << "as the numbers of a row";
        // On the stage: what the timeline writes stands where the times of this run put it.
        const float bottom = frame_layout({screen.w, screen.h}).stage.bottom();
        const auto numbers = std::ranges::count_if(texts, [&](const ui::RecordedText& text) {
            return text.font == ui::Font::mono && text.box.y > written->box.y && text.box.y < bottom &&
                   std::abs(text.box.right() - written->box.right()) < 0.5F;
        });
        EXPECT_GE(numbers, 4);
        EXPECT_EQ(numbers % 2, 0);
        look(*live.bench, "relaxed, names of the numbers", false);
    }
}

// A limit that nothing exceeds keeps no guess: the target's distribution, and plain decoding.
TEST(RelaxedScene, ARuleThatKeepsNothingIsPlainDecoding) {
    Sampled live;
    RelaxedState state;
    state.rule = "typical";
    state.params.epsilon = 1;
    state.params.delta = 100;
    SceneInput input = live.input();
    input.beat = kRelaxedBeats - 1;
    const RelaxedModel m = relaxed_model(input, state);
    ASSERT_EQ(m.here.kept, 0);
    EXPECT_EQ(relaxed_story(input, m, state).heading, "Plain decoding, with guesses to pay");
    EXPECT_NE(relaxed_title(input, m).subtitle.find("NOT lossless elsewhere"), std::string::npos);
}

TEST(RelaxedScene, JudgesTheRunByItsRule) {
    Sampled live;
    live.beat(1);
    live.bench->key(ui::Key::u);
    ASSERT_FALSE(live.sent.empty());
    const auto* restart = std::get_if<Restart>(&live.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.rule, "lenience");
    EXPECT_EQ(restart->settings.rule_params.lenience, RuleParams{}.lenience);
    EXPECT_EQ(restart->settings.prompt.token_ids, live.settings.prompt.token_ids);
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
    const float row = live.bench->find("block (lossless)").y;
    EXPECT_EQ(std::ranges::count_if(live.bench->texts,
                                    [&](const ui::RecordedText& t) { return t.text == "–" && std::abs(t.box.center().y - row) < 6; }),
              1)
        << "its guesses stay more often than a sum over single ones tells";
}

// Ten rounds of sixteen seeds: a rule that keeps a little more need not be told from the token rule.
TEST(RelaxedScene, SaysWhereChanceMayHaveMadeTheDifference) {
    Sampled live;
    live.bench->key(ui::Key::m);
    const RunStudy study = std::get<RunStudy>(live.sent.back());
    Study done{study.name, static_cast<int>(study.runs.size()), {}};
    constexpr int kLuck[] = {-9, 5, 8, -4, 7, -6, -8, 7};
    for (const RunSettings& one : study.runs) {
        StudyPoint p;
        p.settings = one;
        p.rounds = 10;
        const std::size_t seed = one.seed - live.settings.seed;
        p.tokens = (one.rule == "typical" ? 45 : one.rule == "lenience" ? 33 : 32) + kLuck[(seed + (one.rule == "token" ? 0 : 3)) % 8];
        done.points.push_back(p);
    }
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->controller.perform({SceneCommand{SetBeat{kRelaxedBeats - 1}}}, live.bench->time);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("3.20 ±")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("4.50 ±")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("grey: too close")) << live.bench->words;
    look(*live.bench, "relaxed, measured", false);
    const SceneInput input = live.input();
    RelaxedState state;
    state.rule = "lenience";
    RelaxedModel m = relaxed_model(input, state);
    m.lossless.kept = .90, m.here = {.95, .06}; // which alone looks faster
    Story story = relaxed_story(input, m, state);
    EXPECT_EQ(story.heading, "Something else, and perhaps faster");
    EXPECT_NE(story.text.find("by the token rule: too close to call. M measures twice as many seeds."), std::string::npos) << story.text;
    state.rule = "typical";
    m = relaxed_model(input, state);
    m.lossless.kept = .90, m.here = {.95, .06};
    story = relaxed_story(input, m, state);
    EXPECT_EQ(story.heading, "Faster, but of something else");
    EXPECT_EQ(story.text.find("too close to call"), std::string::npos) << story.text;
    const std::string words = relaxed_description(input, m, state);
    const auto line = [&](const std::string& rule) {
        const std::size_t at = words.find("Measured, " + rule + ":");
        return at == std::string::npos ? std::string() : words.substr(at, words.find('\n', at) - at);
    };
    EXPECT_NE(line("lenience").find("too close to the token rule to call"), std::string::npos) << words;
    EXPECT_NE(line("typical").find("4.50 ±"), std::string::npos) << words;
    EXPECT_EQ(line("typical").find("too close"), std::string::npos) << words;
}

// A greedy run has one-hot distributions: the distributions at temperature 1 stand in, and the picture says so.
TEST(RelaxedScene, ShowsTheDistributionsAtTemperatureOneOfAGreedyRun) {
    Sampled live(0);
    EXPECT_TRUE(live.bench->shows("distributions at T = 1"));
    live.bench->key(ui::Key::u);
    const auto* restart = std::get_if<Restart>(&live.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_GT(restart->settings.sampling.temperature, 0) << "at temperature 0 the rule would be the greedy one";
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
