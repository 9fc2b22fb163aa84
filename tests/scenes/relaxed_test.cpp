// Scene S12: the distributions read off a run and what every rule keeps of them; what is said and drawn of a position and of
// every rule, and the controls.
//
// What stood in the description that was written by hand, and which message has it now (RelaxedTold):
//
//     "The exact rule keeps 89 % of these guesses"            thrown_away.title {kept}: words.share {share}
//     "Lenient token rule keeps 93 % …; .03 from the target"  title.keeps {rule} {kept} {guesses} {instead} {exactly} {about} {distance}
//     "Share of tokens …: .03 by …, .11 by …"                 cost.title {rule} {distance} {unchecked}
//     "Lenient token rule: 4.25 ±.21 tokens per round, …"     worth.title:measured {rule} {verdict}: words.verdict {rule} {token} {close}
//     "small drafter, lenience=0.3 · NOT lossless · …"        subtitle.relaxed {drafter} {rule} {greedy} {block} {promise} {means}
//     "Data: LIVE"                                            shared.words.data {tier}
//     "Means over 35 judged guesses; of all … kept 30"        chart.kept {means} {stayed}; where some are left out words.means_kept of the
//                                                             subtitle: words.means {counted} {judged}
//     "9 guesses left out, …: … more than .02 …"              words.left_out {some} {left_out} {judged} {most} {hot}
//     "token (lossless) (chosen): stays .89, distance 0"      chart.end_told {end} {kept} {distance}, rules.row {chosen}
//     "draft unchecked: stays 1.00, distance .11"             chart.end_told {end} {kept} {distance}
//     "lenience (this run's rule) (chosen): stays .93, …"     chart.rule {rule} {own} {chosen} {kept} {distance}
//     "…; from stays .89, distance 0 to stays 1.00, …"        chart.rule {from_kept} {from_distance} {to_kept} {to_distance}
//     "Round 7, guess 2, “blue”"                              position.title {round} {guess}, position.row {drafted}
//     "  “grey”: target .21, draft .11, written .18"          position.row {token} {target} {draft} {written}; position.other
//     "Stays here: .73 lossless, .80 …; distance .07"         position.stays {kept} {now}, position.differs {distance}
//     "Stays here: not told, the recorded heads leave out …"  position.left_out {left_out}, position.untold
//     "Tok/round: 16 seeds, up to 64 tokens each, …"          source.measured {sample} {grey}: shared.words.sample {seeds} {tokens}
//     "Measured, lenience: 4.25 ±.21 tokens per round in      rules.row {rule} {measured}: rules.measured {tokens} {rounds} {close}:
//      143 rounds; too close to the token rule to call"       shared.chance.tokens {tokens} {chance}
//     "Beat 5 of 6", "What it costs", "…", "Task: …"          shared.story.caption, cost.heading, cost.text {unchecked}, words.task
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <sstream>

#include "app/frame/frame_layout.h"
#include "engine/base/json.h"
#include "engine/lab/study.h"
#include "engine/run/full_distributions.h"
#include "engine/run/run.h"
#include "scenes/relaxed/relaxed_draw.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/token_said.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/shared/heads_bench.h"
#include "tests/shared/relaxed_bench.h"
#include "tests/shared/speaking.h"
#include "ui/format.h"

namespace speclens::relaxed_test {
namespace {

using test::all_said;
using test::inner;
using test::maybe;
using test::only_said;
using test::real;
using test::whole;

// What the study that M asks for found: so many tokens in ten rounds of each run.
Study measure(Sampled& live, const std::function<int(const RunSettings&)>& tokens) {
    live.bench->key(ui::Key::m);
    const RunStudy study = std::get<RunStudy>(live.sent.back());
    Study done{study.name, static_cast<int>(study.runs.size()), {}};
    for (const RunSettings& one : study.runs) {
        StudyPoint p;
        p.settings = one;
        p.rounds = 10;
        p.tokens = tokens(one);
        done.points.push_back(p);
    }
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.show();
    return done;
}

// More of typical acceptance, and of every other rule what chance alone may have made.
void measure_with_luck(Sampled& live) {
    measure(live, [&](const RunSettings& one) {
        constexpr int kLuck[] = {-9, 5, 8, -4, 7, -6, -8, 7};
        const std::size_t seed = one.seed - live.settings.seed;
        return (one.rule == "typical" ? 45 : one.rule == "lenience" ? 33 : 32) + kLuck[(seed + (one.rule == "token" ? 0 : 3)) % 8];
    });
}

// Of the rule with this name, in the details.
Said row_of(const ToldFrame& told, const std::string& name) {
    std::vector<Said> rows = all_said(told, "relaxed.rules.row");
    std::erase_if(rows, [&](const Said& row) {
        const Said rule = inner(row, "rule");
        return rule.text == "rules.rule:relaxed" ? inner(rule, "rule") != find_rule(name)->title : rule.text != "rules.rule:" + name;
    });
    EXPECT_EQ(rows.size(), 1U) << name;
    return rows.empty() ? Said() : rows[0];
}

double sum(const Distribution& distribution) { return std::accumulate(distribution.begin(), distribution.end(), 0.0); }

TEST(Rules, TheListPromisesNoMoreThanHolds) {
    const std::string block = message(find_rule("block")->about), top = message(find_rule("tree_topk")->about);
    EXPECT_NE(block.find("on average never fewer tokens"), std::string::npos) << block;
    EXPECT_EQ(top.find("Medusa"), std::string::npos) << "its own rules are typical and greedy acceptance";
}

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
    const Message title = relaxed_title(live.input(1), m, state).title;
    EXPECT_EQ(title.said.id(), "relaxed.title.keeps");
    EXPECT_EQ(real(title.said, "distance"), 0);
    EXPECT_TRUE(title.ends_with("; 0 from the target")) << title;
}

TEST(RelaxedScene, SaysNothingOfHeadsThatAreTooShort) {
    Sampled hot(2, 4);
    RelaxedState state;
    const RelaxedModel m = relaxed_model(hot.input(), state);
    ASSERT_GT(m.positions->size(), 0u);
    EXPECT_EQ(m.counted, 0);
    EXPECT_TRUE(hot.bench->shows("Lower the temperature, or record")) << hot.bench->words;
    EXPECT_TRUE(hot.bench->shows("whole distributions: --trace-top all.")) << hot.bench->words;
    const auto judged = std::ssize(*m.positions);
    for (int beat = 0; beat < kRelaxedBeats; ++beat) {
        hot.beat(beat);
        const ToldFrame told = told_of(*hot.bench);
        EXPECT_TRUE(says(told, "relaxed.title.short_heads")) << beat;
        const Said subtitle = only_said(told, "relaxed.subtitle.short_heads");
        EXPECT_EQ(test::words(subtitle, "drafter"), "small");
        EXPECT_EQ(whole(subtitle, "judged"), judged);
        const Said left_out = only_said(told, "relaxed.words.left_out");
        EXPECT_EQ(whole(left_out, "some"), 0);
        EXPECT_EQ(whole(left_out, "left_out"), judged);
        EXPECT_EQ(whole(left_out, "judged"), judged);
        EXPECT_EQ(real(left_out, "most"), kMostUnlisted);
        EXPECT_EQ(whole(left_out, "hot"), 1);
        EXPECT_TRUE(says(told, "relaxed.position.untold"));
        EXPECT_EQ(real(only_said(told, "relaxed.position.left_out"), "left_out"), m.position()->unlisted);
        for (const char* id : {"position.stays", "position.differs", "chart.stays", "chart.rule", "chart.end_told", "chart.kept"})
            EXPECT_FALSE(says(told, std::string("relaxed.") + id)) << beat << " " << id;
        for (const Said& row : all_said(told, "relaxed.rules.row"))
            for (const char* number : {"kept", "distance"}) EXPECT_EQ(maybe<double>(row, number), std::nullopt);
        for (const Said& row : all_said(told, "relaxed.position.row")) EXPECT_EQ(maybe<double>(row, "written"), std::nullopt);
        EXPECT_TRUE(says(told, "relaxed.worth.text:unknown") == (beat == kRelaxedBeats - 1));
        for (const char* words : {"A guess stays here", "chance that a guess stays", "keeps a guess with probability"})
            EXPECT_FALSE(hot.bench->shows(words)) << beat << " " << words;
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
    EXPECT_TRUE(says(told_of(*listed.bench), "relaxed.title.keeps")) << "whole distributions at the same temperature";
}

// Heads of eight tokens, some of which leave out much.
TEST(RelaxedScene, SaysHowManyGuessesCount) {
    SceneBench bench("relaxed");
    const std::shared_ptr<const Trace> trace = recorded("domino");
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
    int untold = 0;
    for (const JudgedPosition& position : *m.positions) {
        input.selected = position.at;
        const ToldFrame told = told_of("relaxed", input);
        const Said left_out = only_said(told, "relaxed.words.left_out");
        EXPECT_EQ(whole(left_out, "some"), 1);
        EXPECT_EQ(whole(left_out, "left_out"), judged - m.counted);
        EXPECT_EQ(says(told, "relaxed.position.stays"), position.counts());
        EXPECT_EQ(says(told, "relaxed.position.untold"), !position.counts());
        untold += !position.counts();
    }
    EXPECT_EQ(untold, judged - m.counted);
}

// Who reads that most guesses stay learns which were left out, and what became of all of them.
TEST(RelaxedScene, ThePictureSaysWhatTheMeansLeaveOut) {
    const std::shared_ptr<const Trace> trace = recorded("domino");
    for (const ui::Rect& screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        SceneBench bench("relaxed", {}, screen);
        bench.show(trace, trace->size());
        RelaxedState state;
        const RelaxedModel m = relaxed_model(bench.controller.frame(0).scene, state);
        ASSERT_FALSE(m.all_count());
        EXPECT_TRUE(bench.shows(std::to_string(std::ssize(*m.positions) - m.counted) +
                                " left out, where the models are less sure; --trace-top all records them"))
            << bench.words;
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
    const std::shared_ptr<const Trace> trace = recorded("domino");
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
    EXPECT_TRUE(bench.shows("tokenV3 (this run)")) << bench.words;
    EXPECT_TRUE(bench.shows("tokenV3, this run")) << bench.words;
    const ToldFrame told = told_of(bench);
    EXPECT_TRUE(told.front().message.said.text.starts_with("cost.")) << told.front().message.said.id();
    EXPECT_EQ(inner(told.front().message.said, "rule"), find_rule("cascade_tokenV3")->title);
    EXPECT_EQ(test::words(only_said(told, "relaxed.subtitle.relaxed"), "rule"), "alpha=0.4");
    for (const Said& rule : all_said(told, "relaxed.chart.rule")) {
        const bool own = inner(rule, "rule") == find_rule("cascade_tokenV3")->title;
        EXPECT_EQ(whole(rule, "own"), own);
        EXPECT_EQ(whole(rule, "chosen"), own);
    }
    const Said row = row_of(told, "cascade_tokenV3");
    EXPECT_EQ(whole(row, "chosen"), 1);
    EXPECT_EQ(whole(inner(row, "rule"), "own"), 1);
    EXPECT_EQ(whole(inner(row, "rule"), "cascade"), 0);
    EXPECT_EQ(whole(inner(row_of(told, "cascade_tokenV2"), "rule"), "cascade"), 1);
    EXPECT_EQ(whole(inner(row_of(told, "typical"), "rule"), "cascade"), 0);
}

TEST(RelaxedScene, SaysWhereTheTokensPerRoundAreFrom) {
    Sampled live;
    EXPECT_TRUE(live.bench->shows("tok/round: not measured yet")) << live.bench->words;
    EXPECT_TRUE(says(told_of(*live.bench), "relaxed.source.unmeasured"));
    Sampled tree(1, 64, "small_tree");
    EXPECT_TRUE(tree.bench->shows("this run drafts trees")) << tree.bench->words;
    EXPECT_EQ(whole(only_said(told_of(*tree.bench), "relaxed.source.impossible"), "trees"), 1);
    const Study done = measure(live, [](const RunSettings&) { return 40; });
    EXPECT_TRUE(live.bench->shows("tok/round: 16 seeds, up to 64 tokens each")) << live.bench->words;
    // Neither of another prompt nor of other numbers of the rule.
    SceneInput input = live.bench->controller.frame(0).scene;
    RelaxedState state;
    const Said source = tokens_source_words(input, state).said;
    EXPECT_EQ(source.id(), "relaxed.source.measured");
    EXPECT_EQ(whole(inner(source, "sample"), "seeds"), 16);
    EXPECT_EQ(whole(inner(source, "sample"), "tokens"), 64);
    EXPECT_EQ(whole(source, "grey"), 1) << "all alike";
    const auto typical = std::ranges::find(done.points, "typical", [](const StudyPoint& p) { return p.settings.rule; });
    ASSERT_NE(typical, done.points.end());
    EXPECT_TRUE(measured_with(*typical, state));
    state.params.epsilon /= 2;
    EXPECT_FALSE(measured_with(*typical, state));
    EXPECT_TRUE(measured_with(done.points.front(), state)) << "the token rule takes no numbers";
    RunSettings other = *input.settings;
    other.prompt.token_ids.push_back(3);
    input.settings = &other;
    EXPECT_EQ(tokens_source_words(input, state).said.id(), "relaxed.source.unmeasured");
}

// Every mark of the chart has its name, alone or among those that coincide with it.
TEST(RelaxedScene, EveryRuleIsNamedOnceInTheChart) {
    for (const char* name : {"domino", "dflash", "mixed"}) {
        const std::shared_ptr<const Trace> trace = recorded(name);
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
    const char* rules[] = {"", "lenience", "typical", "cascade_opt"};
    for (int beat = 0; beat < 4; ++beat) {
        live.beat(beat);
        const Said title = told_of(*live.bench).front().message.said;
        EXPECT_TRUE(title.text.starts_with(beat == 0 ? "thrown_away.title" : "title.keeps")) << title.id();
        if (beat > 0) {
            EXPECT_EQ(inner(title, "rule"), find_rule(rules[beat])->title);
        }
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
    EXPECT_EQ(inner(relaxed_title(live.input(), m).subtitle.said, "promise").id(), "relaxed.promise.lenience");
    const Said text = relaxed_story(live.input(kRelaxedBeats - 1), m, state).text.said;
    EXPECT_EQ(text.id(), "relaxed.worth.text:free");
    EXPECT_EQ(inner(text, "rule"), find_rule("lenience")->title);
    EXPECT_EQ(real(text, "kept"), m.here.kept);
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
    EXPECT_EQ(story.heading.said.id(), "relaxed.worth.heading:slower");
    const Said keeps = inner(story.text.said, "keeps");
    EXPECT_EQ(real(keeps, "kept"), .9638);
    EXPECT_EQ(maybe<double>(keeps, "lossless"), std::nullopt);
    EXPECT_EQ(real(keeps, "distance"), .06);
    EXPECT_EQ(whole(keeps, "all"), 1);
    EXPECT_EQ(inner(story.text.said, "measured").id(), "relaxed.words.measured:no");
    EXPECT_EQ(story.text.find("instead of"), std::string::npos) << story.text;
    EXPECT_NE(story.text.find(".96, about as often as before, at a distance of .06"), std::string::npos) << story.text;
    const Said title = relaxed_title(live.input(1), m).title.said;
    EXPECT_EQ(whole(title, "about"), 1);
    EXPECT_EQ(whole(title, "exactly"), 0);
    EXPECT_EQ(test::words(title, "instead"), "");
    m.here.kept = .98;
    const Story faster = relaxed_story(input, m, state);
    EXPECT_EQ(faster.heading.said.id(), "relaxed.worth.heading:faster");
    EXPECT_EQ(real(inner(faster.text.said, "keeps"), "lossless"), .9562);
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

// Which number of a title is whose.
TEST(RelaxedScene, ItsTitlesHaveTheirNumbersInTheirPlaces) {
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        Sampled live;
        measure_with_luck(live);
        RelaxedState state;
        RelaxedModel m = relaxed_model(live.input(1), state);
        m.lossless.kept = .96, m.here = {.98, .05}, m.draft_alone = {1, .3};
        const std::string more = ui::percent(.98), less = ui::percent(.96), here = ui::probability(.05), unchecked = ui::probability(.3);
        const auto title = [&](int beat) { return relaxed_title(live.input(beat), m, state); };
        EXPECT_EQ(title(1).title,
                  german ? "Nachsicht-Regel behält " + more + " der Vorschläge statt " + less + "; " + here + " vom Zielmodell"
                         : "Lenient token rule keeps " + more + " of the guesses instead of " + less + "; " + here + " from the target");
        EXPECT_EQ(title(kRelaxedCostBeat).title,
                  german ? "Anteil der Token, die anders ausfallen: " + here + " mit Nachsicht-Regel, " + unchecked + " ungeprüft"
                         : "Share of tokens that come out otherwise: " + here + " by Lenient token rule, " + unchecked +
                               " by an unchecked draft");
        EXPECT_EQ(title(kRelaxedCostBeat).short_title,
                  german ? "Andere Token: " + here + " mit Nachsicht-Regel, " + unchecked + " ungeprüft"
                         : "Tokens that come out otherwise: " + here + " by Lenient token rule, " + unchecked + " unchecked");
        const Study* study = measured_rules(live.input());
        const std::string rule = with_chance(measured_rounds(study, "lenience", state)),
                          token = with_chance(measured_rounds(study, "token", state));
        EXPECT_TRUE(rule.starts_with(german ? "3,30 ±" : "3.30 ±")) << rule;
        EXPECT_TRUE(token.starts_with(german ? "3,20 ±" : "3.20 ±")) << token;
        EXPECT_EQ(title(kRelaxedBeats - 1).title,
                  german ? "Nachsicht-Regel: " + rule + " Token pro Runde, " + token + " mit der Token-Regel: zu knapp"
                         : "Lenient token rule: " + rule + " tokens per round, " + token + " by the token rule: too close to call");
        const std::string text = relaxed_story(live.input(kRelaxedBeats - 1), m, state).text;
        const std::string keeps = german ? "Jetzt behält Nachsicht-Regel einen Vorschlag mit Wahrscheinlichkeit " + ui::probability(.98) +
                                               " statt " + ui::probability(.96) + ", bei einem Abstand von " + here + ". "
                                         : "Now Lenient token rule keeps a guess with probability " + ui::probability(.98) +
                                               " instead of " + ui::probability(.96) + ", at a distance of " + here + ". ";
        EXPECT_TRUE(text.starts_with(keeps)) << text;
    }
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
    const Said text = relaxed_story(input, m, state).text.said;
    EXPECT_EQ(text.id(), "relaxed.worth.text:plain");
    EXPECT_EQ(inner(text, "rule"), find_rule("typical")->title);
    const Said promise = inner(relaxed_title(input, m).subtitle.said, "promise");
    EXPECT_EQ(promise.id(), "relaxed.promise.lossy");
    EXPECT_EQ(whole(promise, "elsewhere"), 1);
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
    measure(live, [](const RunSettings& one) { return one.rule == "typical" ? 47 : 30; });
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
    measure_with_luck(live);
    live.beat(kRelaxedBeats - 1);
    EXPECT_TRUE(live.bench->shows("3.20 ±")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("4.50 ±")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("grey: too close")) << live.bench->words;
    look(*live.bench, "relaxed, measured", false);
    const SceneInput input = live.input();
    RelaxedState state;
    state.rule = "lenience";
    RelaxedModel m = relaxed_model(input, state);
    m.lossless.kept = .90, m.here = {.95, .06}; // which alone looks faster
    const auto verdict = [](const Said& said, bool close) {
        EXPECT_EQ(whole(said, "close"), close);
        EXPECT_EQ(real(inner(said, "token"), "tokens"), 3.2);
        EXPECT_EQ(real(inner(said, "rule"), "tokens"), close ? 3.3 : 4.5);
    };
    Story story = relaxed_story(input, m, state);
    EXPECT_EQ(story.heading.said.id(), "relaxed.worth.heading:perhaps");
    const Said perhaps = inner(story.text.said, "measured");
    EXPECT_EQ(perhaps.id(), "relaxed.words.measured:close");
    EXPECT_EQ(inner(perhaps, "more_seeds").id(), "shared.chance.more_seeds");
    verdict(inner(perhaps, "verdict"), true);
    EXPECT_NE(story.text.find("by the token rule: too close to call. M measures twice as many seeds."), std::string::npos) << story.text;
    state.rule = "typical";
    m = relaxed_model(input, state);
    m.lossless.kept = .90, m.here = {.95, .06};
    story = relaxed_story(input, m, state);
    EXPECT_EQ(story.heading.said.id(), "relaxed.worth.heading:faster");
    const Said faster = inner(story.text.said, "measured");
    EXPECT_EQ(faster.id(), "relaxed.words.measured:yes");
    verdict(inner(faster, "verdict"), false);
    EXPECT_EQ(story.text.find("too close to call"), std::string::npos) << story.text;
    const Said title = relaxed_title(input, m, state).title.said;
    EXPECT_EQ(title.id(), "relaxed.worth.title:measured");
    verdict(inner(title, "verdict"), false);
    const ToldFrame told = told_of(*live.bench);
    const Said lenience = inner(row_of(told, "lenience"), "measured"), typical = inner(row_of(told, "typical"), "measured");
    EXPECT_EQ(whole(lenience, "close"), 1);
    EXPECT_EQ(whole(typical, "close"), 0);
    EXPECT_EQ(real(inner(typical, "tokens"), "tokens"), 4.5);
    EXPECT_GT(real(inner(typical, "tokens"), "chance"), 0);
    EXPECT_EQ(whole(typical, "rounds"), 160);
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

// What each beat is about where nobody chose anything else: the run's own rule is the token rule.
constexpr const char* kOfEachBeat[] = {"token", "lenience", "typical", "cascade_opt", "lenience", "lenience"};

void expect_position_told(const ToldFrame& told, const SceneInput& input, const RelaxedModel& m) {
    const JudgedPosition& position = *m.position();
    const Said title = only_said(told, "relaxed.position.title");
    EXPECT_EQ(whole(title, "round"), position.at.round + 1);
    EXPECT_EQ(whole(title, "guess"), position.at.index + 1);
    const std::vector<Said> rows = all_said(told, "relaxed.position.row");
    EXPECT_EQ(std::ranges::count_if(rows, [](const Said& row) { return whole(row, "drafted") == 1; }), 1);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < position.ids.size(); ++i) {
        const Distribution &p = position.distributions.p, &q = position.distributions.q;
        const double written = position.counts() ? m.relaxed.distribution[i] : 0;
        const int id = position.ids[i];
        if (std::max({p[i], q[i], written}) < 0.01 && id != position.drafted) continue;
        ++expected;
        const auto said_of = [&](const Distribution& of, double value) {
            return of[i] > 0 || of.back() < 0.005 ? std::optional(value) : std::nullopt;
        };
        const auto of_it = [&](const Said& row) {
            const Said token = inner(row, "token");
            return (id < 0 ? token.id() == "relaxed.position.other" : token == token_said(*input.trace, id).said) &&
                   whole(row, "drafted") == (id == position.drafted) && maybe<double>(row, "target") == said_of(p, p[i]) &&
                   maybe<double>(row, "draft") == said_of(q, q[i]) &&
                   maybe<double>(row, "written") == (position.counts() ? said_of(p, written) : std::nullopt);
        };
        EXPECT_EQ(std::ranges::count_if(rows, of_it), 1) << id << " of " << position.at.round << ", " << position.at.index;
    }
    EXPECT_GE(rows.size(), expected);
    EXPECT_EQ(says(told, "relaxed.position.stays"), position.counts());
    if (!position.counts()) {
        EXPECT_EQ(real(only_said(told, "relaxed.position.left_out"), "left_out"), position.unlisted);
        return;
    }
    const auto relaxed = [&](double value) { return m.exact() ? std::nullopt : std::optional(value); };
    const Said stays = only_said(told, "relaxed.position.stays");
    EXPECT_EQ(real(stays, "kept"), m.strict.kept);
    EXPECT_EQ(maybe<double>(stays, "now"), relaxed(m.relaxed.kept));
    EXPECT_EQ(maybe<double>(only_said(told, "relaxed.position.differs"), "distance"),
              relaxed(distance_told(m.relaxed.distribution, position.distributions.p)));
}

void expect_means(const Said& means, const RelaxedModel& m) {
    EXPECT_EQ(means.id(), "relaxed.words.means");
    EXPECT_EQ(whole(means, "counted"), m.all_count() ? 0 : m.counted);
    EXPECT_EQ(whole(means, "judged"), std::ssize(*m.positions));
}

void expect_chart_told(const ToldFrame& told, const RelaxedModel& m) {
    const std::vector<Said> rules = all_said(told, "relaxed.chart.rule"), ends = all_said(told, "relaxed.chart.end_told");
    ASSERT_EQ(rules.size(), m.curves->size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const RelaxedCurve& curve = (*m.curves)[i];
        EXPECT_EQ(inner(rules[i], "rule"), curve.rule->title);
        EXPECT_EQ(whole(rules[i], "own"), curve.rule == m.own);
        EXPECT_EQ(whole(rules[i], "chosen"), curve.rule == m.rule);
        for (const auto& [kept, distance, point] : {std::tuple{"kept", "distance", curve.here},
                                                    {"from_kept", "from_distance", curve.points.front()},
                                                    {"to_kept", "to_distance", curve.points.back()}}) {
            EXPECT_EQ(real(rules[i], kept), point.kept) << curve.rule->name;
            EXPECT_EQ(real(rules[i], distance), point.distance) << curve.rule->name;
        }
    }
    ASSERT_EQ(ends.size(), 2U);
    for (const auto& [end, name, point] : {std::tuple{ends[0], "lossless", m.lossless}, {ends[1], "unchecked", m.draft_alone}}) {
        EXPECT_EQ(inner(end, "end").id(), std::string("relaxed.chart.end:") + name);
        EXPECT_EQ(real(end, "kept"), point.kept);
        EXPECT_EQ(real(end, "distance"), point.distance);
    }
    for (const Said& group : all_said(told, "relaxed.chart.names"))
        for (const Said& one : test::list(group, "points"))
            EXPECT_TRUE(one.text.starts_with("chart.end:") || whole(one, "own") == (m.own && inner(one, "rule") == m.own->title))
                << one.id();
    std::size_t names = 0;
    for (const Said& group : all_said(told, "relaxed.chart.names")) names += test::list(group, "points").size();
    EXPECT_EQ(names, m.curves->size() + 2);
    EXPECT_EQ(says(told, "relaxed.chart.kept"), m.all_count());
    if (m.all_count()) {
        const Said kept = only_said(told, "relaxed.chart.kept");
        EXPECT_EQ(whole(kept, "stayed"), m.stayed);
        expect_means(inner(kept, "means"), m);
        return;
    }
    EXPECT_EQ(whole(only_said(told, "relaxed.chart.left_out"), "left_out"), std::ssize(*m.positions) - m.counted);
    const Said left_out = only_said(told, "relaxed.words.left_out");
    EXPECT_EQ(whole(left_out, "left_out"), std::ssize(*m.positions) - m.counted);
    EXPECT_EQ(whole(left_out, "judged"), std::ssize(*m.positions));
    EXPECT_EQ(real(left_out, "most"), kMostUnlisted);
}

void expect_rules_told(const ToldFrame& told, const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const Study* study = measured_rules(input);
    const SeededRounds token = measured_rounds(study, "token", state);
    std::vector<std::pair<std::string, TradeOff>> expected = {{"token", m.lossless}};
    if (!measured_rounds(study, "block", state).seeds.empty()) expected.emplace_back("block", m.lossless);
    for (const RelaxedCurve& curve : *m.curves) expected.emplace_back(curve.rule->name, curve.here);
    const std::vector<Said> rows = all_said(told, "relaxed.rules.row");
    ASSERT_EQ(rows.size(), expected.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [id, point] = expected[i];
        SCOPED_TRACE(id);
        const Said rule = inner(rows[i], "rule");
        if (id == "token" || id == "block") {
            EXPECT_EQ(rule.text, "rules.rule:" + id);
        } else {
            EXPECT_EQ(inner(rule, "rule"), find_rule(id)->title);
        }
        EXPECT_EQ(whole(rows[i], "chosen"), id == m.rule->name);
        EXPECT_EQ(maybe<double>(rows[i], "kept"), id == "block" ? std::nullopt : std::optional(point.kept));
        EXPECT_EQ(maybe<double>(rows[i], "distance"), std::optional(point.distance));
        const SeededRounds rounds = measured_rounds(study, id, state);
        if (rounds.seeds.empty()) {
            EXPECT_EQ(test::words(rows[i], "measured"), "");
            continue;
        }
        const Said measured = inner(rows[i], "measured"), tokens = inner(measured, "tokens");
        EXPECT_EQ(whole(measured, "rounds"), 10 * std::ssize(rounds.seeds));
        EXPECT_EQ(whole(measured, "close"), id != "token" && too_close(rounds, token));
        EXPECT_EQ(tokens.id(), "shared.chance.tokens");
        EXPECT_EQ(real(tokens, "tokens"), rounds.per_round());
        EXPECT_EQ(maybe<double>(tokens, "chance"), rounds.chance());
    }
}

// The title, its conditions, and the numbers of the beat's text.
void expect_said_of_beat(const ToldFrame& told, const SceneInput& input, const RelaxedModel& m) {
    const int beat = input.beat;
    const Said title = told.front().message.said,
               subtitle = only_said(told, beat == 0 ? "relaxed.subtitle.exact" : "relaxed.subtitle.relaxed");
    EXPECT_EQ(test::words(subtitle, "drafter"), input.whole->header->drafter);
    EXPECT_EQ(whole(subtitle, "greedy"), m.greedy);
    if (m.all_count()) {
        EXPECT_EQ(test::words(subtitle, "means"), "");
    } else {
        EXPECT_EQ(whole(inner(subtitle, "means"), "stayed"), m.stayed);
        expect_means(inner(inner(subtitle, "means"), "means"), m);
    }
    if (beat > 0) {
        EXPECT_EQ(inner(title, "rule"), m.rule->title);
        EXPECT_EQ(test::words(subtitle, "rule"), to_text(m.params, *m.rule));
        EXPECT_EQ(inner(subtitle, "promise").id(), "relaxed.promise.lossy");
    }
    if (beat == 0) {
        EXPECT_EQ(title.id(), "relaxed.thrown_away.title");
        EXPECT_EQ(real(inner(title, "kept"), "share"), m.lossless.kept);
        const Said text = only_said(told, "relaxed.thrown_away.text");
        EXPECT_EQ(maybe<double>(text, "here"), m.all_count() ? std::optional(m.lossless.kept) : std::nullopt);
        EXPECT_EQ(maybe<double>(text, "heads"), m.all_count() ? std::nullopt : std::optional(m.lossless.kept));
    } else if (beat < kRelaxedCostBeat) {
        EXPECT_TRUE(title.text.starts_with("title.keeps")) << title.id();
        EXPECT_EQ(real(inner(title, "kept"), "share"), m.here.kept);
        EXPECT_EQ(whole(title, "guesses"), m.all_count() ? 0 : m.counted);
        EXPECT_EQ(real(title, "distance"), m.here.distance);
        const bool apart = ui::percent(m.here.kept) != ui::percent(m.lossless.kept),
                   exactly = std::abs(m.here.kept - m.lossless.kept) < 1e-9;
        EXPECT_EQ(whole(title, "exactly"), !apart && exactly);
        EXPECT_EQ(whole(title, "about"), !apart && !exactly);
        if (apart) {
            EXPECT_EQ(real(inner(title, "instead"), "share"), m.lossless.kept);
        }
    } else if (beat == kRelaxedCostBeat) {
        EXPECT_TRUE(title.text == "cost.title" || title.text == "cost.short_title") << title.id();
        EXPECT_EQ(real(title, "distance"), m.here.distance);
        EXPECT_EQ(real(title, "unchecked"), m.draft_alone.distance);
        EXPECT_EQ(real(only_said(told, "relaxed.cost.text"), "unchecked"), m.draft_alone.distance);
    } else {
        for (const char* outcome : {"faster", "perhaps", "slower"}) {
            const std::string id = std::string("relaxed.worth.text:") + outcome;
            if (!says(told, id)) continue;
            const Said keeps = inner(only_said(told, id), "keeps");
            EXPECT_EQ(real(keeps, "kept"), m.here.kept);
            EXPECT_EQ(real(keeps, "distance"), m.here.distance);
            EXPECT_EQ(inner(keeps, "rule"), m.rule->title);
            EXPECT_EQ(whole(keeps, "all"), m.all_count());
        }
    }
}

TEST(RelaxedTold, TellsEveryNumberAtEveryBeatInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const bool measured : {false, true}) {
            const test::Speaking speaking(language);
            Sampled live;
            if (measured) measure_with_luck(live);
            for (int beat = 0; beat < kRelaxedBeats; ++beat) {
                SCOPED_TRACE(std::string(language) + " " + std::to_string(beat));
                const SceneInput input = live.input(beat);
                RelaxedState state;
                state.rule = kOfEachBeat[beat];
                const RelaxedModel m = relaxed_model(input, state);
                const ToldFrame told = told_of("relaxed", input);
                EXPECT_EQ(test::words(only_said(told, "shared.words.data"), "tier"), "LIVE");
                expect_position_told(told, input, m);
                expect_chart_told(told, m);
                expect_rules_told(told, input, m, state);
                expect_said_of_beat(told, input, m);
                EXPECT_EQ(says(told, "relaxed.source.measured"), measured);
                EXPECT_EQ(says(told, "relaxed.worth.title:measured"), measured && beat == kRelaxedBeats - 1);
                EXPECT_TRUE(says(told, "relaxed.words.task"));
            }
        }
}

// Heads of eight tokens: some positions count, some do not, and a lump is told of.
TEST(RelaxedTold, TellsEveryPositionOfARecordedRunInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SceneBench bench("relaxed");
        const std::shared_ptr<const Trace> trace = recorded("domino");
        bench.show(trace, trace->size());
        SceneInput input = bench.controller.frame(0).scene;
        input.beat = 1;
        RelaxedState state;
        bool others = false;
        const std::vector<JudgedPosition> positions = positions_with_distributions(*input.whole);
        for (const JudgedPosition& position : positions) {
            input.selected = position.at;
            const RelaxedModel m = relaxed_model(input, state);
            ASSERT_EQ(m.position()->at, position.at);
            const ToldFrame told = told_of("relaxed", input);
            expect_position_told(told, input, m);
            expect_chart_told(told, m);
            expect_rules_told(told, input, m, state);
            expect_said_of_beat(told, input, m);
            others |= in_words(told).find(std::string_view(language) == "de" ? "andere: Ziel " : "other: target ") != std::string::npos;
        }
        EXPECT_TRUE(others) << "or no lump was told of";
    }
}

// Which number stands where, in words; in German with a comma.
TEST(RelaxedTold, SaysItsNumbersInTheirPlaces) {
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        Sampled live;
        measure_with_luck(live);
        const SceneInput input = live.input(1);
        RelaxedState state;
        const RelaxedModel m = relaxed_model(input, state);
        const std::string words = "\n" + in_words(told_of("relaxed", input));
        const auto expect_line = [&](const std::string& line) {
            EXPECT_NE(words.find("\n" + line + "\n"), std::string::npos) << line << words;
        };
        const auto chance = [](double p) { return ui::probability(p); };
        for (const RelaxedCurve& curve : *m.curves) {
            const TradeOff &here = curve.here, &from = curve.points.front(), &to = curve.points.back();
            const std::string name = message(curve.rule->title).words() + (curve.rule != m.rule ? "" : german ? " (gewählt)" : " (chosen)");
            expect_line(german ? name + ": bleibt " + chance(here.kept) + ", Abstand " + chance(here.distance) + "; der Regler geht von " +
                                     chance(from.kept) + " bei Abstand " + chance(from.distance) + " bis " + chance(to.kept) + " bei " +
                                     chance(to.distance)
                               : name + ": stays " + chance(here.kept) + ", distance " + chance(here.distance) + "; its slider goes from " +
                                     chance(from.kept) + " at distance " + chance(from.distance) + " to " + chance(to.kept) + " at " +
                                     chance(to.distance));
        }
        expect_line((german ? "Verlustfrei: bleibt " : "Lossless: stays ") + chance(m.lossless.kept) +
                    (german ? ", Abstand 0" : ", distance 0"));
        expect_line((german ? "Entwurf ungeprüft: bleibt 1,00, Abstand " : "Draft unchecked: stays 1.00, distance ") +
                    chance(m.draft_alone.distance));
        const JudgedPosition& position = *m.position();
        std::size_t at = 0; // where target and draft are farthest apart
        const auto apart = [&](std::size_t i) { return std::abs(position.distributions.p[i] - position.distributions.q[i]); };
        for (std::size_t i = 0; i + 1 < position.ids.size(); ++i)
            if (apart(i) > apart(at)) at = i;
        const std::string p = chance(position.distributions.p[at]), q = chance(position.distributions.q[at]),
                          written = chance(m.relaxed.distribution[at]), token = token_said(*input.trace, position.ids[at]),
                          drafted = position.ids[at] != position.drafted ? ""
                                    : german                             ? ", vorgeschlagen"
                                                                         : ", drafted";
        ASSERT_NE(p, q);
        expect_line(german ? token + drafted + ": Ziel " + p + ", Entwurf " + q + ", geschrieben " + written
                           : token + drafted + ": target " + p + ", draft " + q + ", written " + written);
        const std::string kept = chance(m.strict.kept), now = chance(m.relaxed.kept),
                          differs = chance(distance_told(m.relaxed.distribution, position.distributions.p));
        expect_line(german ? "Bleibt hier: " + kept + " verlustfrei, " + now + " jetzt"
                           : "A guess stays here: " + kept + " lossless, " + now + " now");
        expect_line((german ? "Geschriebenes weicht vom Ziel ab um " : "Written differs from the target by ") + differs);
        expect_line((german ? "Mittel über " : "Means over ") + std::to_string(m.counted) +
                    (german ? " geprüfte Vorschläge; insgesamt behielt der Lauf " : " judged guesses; of all the run kept ") +
                    std::to_string(m.stayed));
        const SeededRounds rounds = measured_rounds(measured_rules(input), "lenience", state);
        const std::string tokens = ui::number(3.3, 2) + " ±" + chance(*rounds.chance());
        expect_line(german ? "Nachsicht (gewählt): bleibt " + chance(m.here.kept) + ", Abstand " + chance(m.here.distance) + "; " + tokens +
                                 " Token pro Runde in 160 Runden, zu nah an der Token-Regel"
                           : "lenience (chosen): stays " + chance(m.here.kept) + ", distance " + chance(m.here.distance) + "; " + tokens +
                                 " tokens per round in 160 rounds, too close to the token rule to call");
    }
}

// A number that is drawn and that no message has would be one that only eyes see.
TEST(RelaxedTold, SaysEveryNumberThatIsDrawn) {
    Sampled live;
    measure_with_luck(live);
    for (int beat = 0; beat < kRelaxedBeats; ++beat) {
        live.beat(beat);
        const std::string words = in_words(told_of(*live.bench));
        const FrameLayout layout = layout_of(*live.bench);
        const ui::Vec2 left = live.bench->find("distance from the target"), below = live.bench->find("chance that a guess stays");
        std::size_t seen = 0;
        const std::regex number(R"(\d*\.\d\d+)");
        for (const ui::RecordedText& text : live.bench->texts) {
            const ui::Vec2 at = text.box.center();
            if (!layout.stage.contains(at) && !layout.details.contains(at)) continue;
            const bool of_an_axis = text.font == ui::Font::mono && layout.stage.contains(at) &&
                                    (std::abs(at.y - below.y + 20) < 8 || (at.x < left.x - 60 && at.x > left.x - 140));
            if (of_an_axis) continue;
            for (std::sregex_iterator found(text.text.begin(), text.text.end(), number), end; found != end; ++found, ++seen)
                EXPECT_NE(words.find(found->str()), std::string::npos) << beat << ": " << found->str() << " of “" << text.text << "”\n"
                                                                       << words;
        }
        EXPECT_GT(seen, 30U);
    }
}

TEST(RelaxedTold, GivesNumbersWithFullPrecisionAsData) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Sampled live;
        RelaxedState state;
        const SceneInput input = live.input(1);
        const RelaxedModel m = relaxed_model(input, state);
        const Json data = Json::parse(words_json("relaxed", 1, told_of("relaxed", input)));
        std::size_t rules = 0;
        for (const Json& message : data["messages"]) {
            if (message["id"] != "relaxed.chart.rule") continue;
            EXPECT_EQ(message["values"]["to_distance"].get<double>(), (*m.curves)[rules].points.back().distance);
            EXPECT_EQ(message["values"]["kept"].get<double>(), (*m.curves)[rules].here.kept);
            EXPECT_EQ(message["region"], "stage");
            EXPECT_FALSE(message["drawn"].get<bool>());
            ++rules;
        }
        EXPECT_EQ(rules, m.curves->size());
    }
}

// A mark is chosen where it stands, a rule in its row, its numbers by their slider.
TEST(RelaxedScene, TheControlsAreSaidInTheLanguageOfThePictures) {
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        Sampled live;
        live.beat(3);
        const ToldFrame told = told_of(*live.bench);
        const Said parameter = only_said(told, "relaxed.controls.parameter");
        EXPECT_EQ(inner(parameter, "name").id(), "rule-names.parameter.alpha");
        EXPECT_EQ(real(parameter, "value"), RuleParams{}.alpha);
        EXPECT_EQ(inner(only_said(told, "relaxed.controls.choice"), "rule"), find_rule("cascade_opt")->title);
        EXPECT_TRUE(live.bench->shows(german ? "Kaskade, optimal" : "Cascade, optimal")) << live.bench->words;
        for (const char* words :
             {german ? "Geprüft nach" : "Judged by", german ? "So prüfen" : "Judge so", german ? "alpha 0,20" : "alpha 0.20"})
            EXPECT_TRUE(live.bench->shows(words)) << words << "\n" << live.bench->words;
        live.beat(1);
        EXPECT_TRUE(live.bench->shows(german ? "Nachsicht 0,30" : "lenience 0.30")) << live.bench->words;
    }
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
} // namespace speclens::relaxed_test
