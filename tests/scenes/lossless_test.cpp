// Scene S4: drawn texts against the exact distribution, what each mistake does to the first position, and the greedy
// comparison.
//
// What stood in the description that was written by hand, and which message has it now (LosslessTold):
//
//     "Not the target's distribution: caught after 562 texts"     title.caught {texts}, title.drawn {drawn} {right}
//     "No residual: ask the draft again: will it show?"           title.nothing {mistake}
//     "…, K = 2, … · distance .01, by chance .01"                 subtitle.counted {rule} {mistake} {k} {distance} {noise} {tested}
//     "… · p at 1778 = .3"                                        words.tested {at} {p}
//     "Data: TABLE"                                               shared.words.data {tier} {words}
//     "Ratio upside down (chosen): 3000 texts, caught at 56"      details.row {name} {chosen} {verdict} {caught} {drawn}
//     "… caught at 56", "… not caught", "… not drawn"             details.verdict:caught {at}, hides {drawn}, open
//     "  a: .30 + .20 against .50 (draft .30)"                    bars.row {token} {kept} {replaced} {same} {target} {draft}
//     "  aba .21 .21"                                             texts.bar {text} {drawn} {exact}
//     "Greedy, small: the same 38 tokens as plain decoding"       greedy.row {drafter} {verdict}: greedy.verdict:same {tokens}
//     "Greedy, small: differs at token 3", "…: it lost its file"  greedy.verdict:differs {place}, failed; greedy.row {problem}
//     "Rounded in wider passes: differs at token 3, where …"      at its beat fault.caught {place} {tie}, fault.bar {token} {p};
//                                                                 elsewhere fault.found {rounding} {found}: words.found:near, far
//                                                                 {place} {ours} {p} {theirs} {q}
//     "…: the plain text, as far as it goes", "…: it failed"      words.found:unseen {tokens}, failed {problem}
//
// Nobody told of these before: the curves (looks.curve {name} {points}: looks.at {distance} {drawn} {noise}), the tokens around the fork
// (fault.tokens {name} {from} {tokens}).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>

#include "engine/base/json.h"
#include "engine/lab/study.h"
#include "engine/rules/wrong_rules.h"
#include "engine/run/run.h"
#include "scenes/lossless/lossless_model.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/words.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/finished.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

const RuleInfo& wrong(const std::string& name) {
    for (const RuleInfo& rule : wrong_rules())
        if (rule.name == name) return rule;
    throw std::logic_error(name);
}

TEST(Lossless, TheExactDistributionIsThatOfTheTable) {
    double sum = 0;
    for (const auto& [text, p] : exact_texts()) sum += p;
    EXPECT_EQ(exact_texts().size(), 27u);
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(exact_texts().at({0, 1, 0}), 0.5 * 0.6 * 0.7, 1e-12);
}

// "The two bars add up": in a room they are all that stands there.
TEST(LosslessScene, ShowsARoomTheBarsThatAddUp) {
    const float scale = presenter_scale({1280, 720});
    SceneBench bench("lossless", {}, {0, 0, 1280 / scale, 720 / scale});
    bench.controller.window = {1280, 720};
    bench.show(fixtures::mixed());
    bench.key(ui::Key::f5);
    for (const int beat : {0, kLosslessProofBeat, kLosslessDrawBeat}) {
        bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
        bench.settle();
        EXPECT_EQ(bench.shows("kept drafts + replacements"), beat == kLosslessProofBeat) << bench.words;
        EXPECT_EQ(bench.shows("Texts of three tokens"), beat != kLosslessProofBeat) << bench.words;
        look(bench, "lossless presenter beat " + std::to_string(beat), false);
    }
}

TEST(Lossless, TheRightRuleStaysNearTheNoiseAndEveryMistakeIsCaught) {
    LosslessCount right;
    draw_texts(*find_rule("token"), 7, 30000, right);
    EXPECT_EQ(right.caught, 0);
    const DistributionTest test = against_distribution(right.texts, exact_texts());
    EXPECT_GT(test.p_value, 1e-4);
    EXPECT_LT(test.total_variation, 2 * expected_distance(30000));
    for (const RuleInfo& rule : wrong_rules()) {
        LosslessCount counts;
        draw_texts(rule, 7, 30000, counts);
        EXPECT_GT(counts.caught, 0) << rule.name;
        EXPECT_GT(against_distribution(counts.texts, exact_texts()).total_variation, 3 * expected_distance(30000)) << rule.name;
    }
}

TEST(Lossless, DrawsTheSameTextsWhetherAtOnceOrInParts) {
    LosslessCount once, parts;
    draw_texts(*find_rule("token"), 3, 500, once);
    for (int i = 0; i < 5; ++i) draw_texts(*find_rule("token"), 3, 100, parts);
    EXPECT_EQ(once.texts, parts.texts);
    EXPECT_EQ(once.looks.size(), parts.looks.size());
    LosslessCount other;
    draw_texts(*find_rule("token"), 4, 500, other);
    EXPECT_NE(once.texts, other.texts) << "another seed, other texts";
}

TEST(Lossless, LooksFourTimesADecade) {
    LosslessCount counts;
    draw_texts(*find_rule("token"), 7, 1000, counts);
    std::vector<long> at;
    for (const LosslessCount::Look& look : counts.looks) at.push_back(look.drawn);
    EXPECT_EQ(at, (std::vector<long>{10, 18, 32, 56, 100, 178, 316, 562, 1000}));
}

TEST(Lossless, KeptAndReplacedAddUpToTheTargetOnlyUnderTheRightRule) {
    for (const RuleInfo* rule : lossless_rules()) {
        double total = 0, off = 0;
        for (const ProofRow& row : proof_rows(*rule)) {
            total += row.kept + row.replaced;
            off = std::max(off, std::abs(row.kept + row.replaced - row.target));
        }
        EXPECT_NEAR(total, 1, 1e-12) << rule->name;
        const bool fine = rule->lossless() || rule->name == std::string("bonus") || rule->name == std::string("mixed");
        if (fine)
            EXPECT_NEAR(off, 0, 1e-12) << rule->name << ": the mistake comes later than the first position";
        else
            EXPECT_GT(off, 0.01) << rule->name;
    }
    // p = (.5, .3, .2), q = (.3, .5, .2): kept .3, .3, .2; the residual is all on the first token.
    const auto rows = proof_rows(*find_rule("token"));
    EXPECT_NEAR(rows[0].kept, 0.3, 1e-12);
    EXPECT_NEAR(rows[0].replaced, 0.2, 1e-12);
    EXPECT_NEAR(rows[1].kept, 0.3, 1e-12);
    EXPECT_NEAR(rows[1].replaced, 0, 1e-12);
    EXPECT_NEAR(proof_rows(wrong("target"))[0].replaced, 0.2 * 0.5, 1e-12);
    EXPECT_NEAR(proof_rows(wrong("redraw"))[0].replaced, 0.2 * 0.3, 1e-12);
}

// What is worked out of coins that are taken apart is what comes out of coins that are thrown.
TEST(Lossless, TheProofForeseesTheFirstTokenOfEveryRule) {
    constexpr long kTexts = 20000;
    for (const RuleInfo* rule : lossless_rules()) {
        const std::vector<ProofRow> rows = proof_rows(*rule);
        std::vector<long> first(rows.size());
        for (long n = 0; n < kTexts; ++n) ++first[static_cast<std::size_t>(toy_text(*rule, 7, n).tokens.front())];
        for (std::size_t v = 0; v < rows.size(); ++v) {
            const double p = rows[v].kept + rows[v].replaced;
            EXPECT_NEAR(static_cast<double>(first[v]) / kTexts, p, 4 * std::sqrt(p * (1 - p) / kTexts)) << rule->name << " " << v;
        }
    }
}

struct Counting : RunWindow {
    explicit Counting(ui::Rect screen = {0, 0, 1600, 1000}) {
        settings.max_tokens = 8;
        open("lossless", {"none", "small", "lookup"}, screen);
        show();
        sent.clear();
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told() {
        const FrameInput frame = bench->controller.frame(bench->time);
        return frame.active->told(frame.scene);
    }
    [[nodiscard]] Said title(const std::string& id) { return test::only_said(told(), "lossless." + id); }
    // What a study of these runs found, where the third token of `other` is `instead`.
    void measure(const RunStudy& asked, const std::string& other, const std::vector<int>& plain = {5, 6, 7, 8}, int instead = 9,
                 const std::shared_ptr<const Trace>& trace = nullptr) {
        Study done{asked.name, static_cast<int>(asked.runs.size()), {}};
        for (const RunSettings& one : asked.runs) {
            StudyPoint p;
            p.settings = one;
            p.output = plain;
            if (one.drafter == other) p.output[2] = instead;
            if (one.drafter == kNoDrafter) p.trace = trace;
            done.points.push_back(p);
        }
        published.studies[done.name] = std::make_shared<const Study>(done);
        show();
    }
};

TEST(LosslessScene, DrawsAThousandTextsAtATime) {
    Counting live;
    live.beat(2);
    EXPECT_EQ(test::words(live.title("title.nothing"), "mistake"), "");
    live.bench->key(ui::Key::c);
    live.bench->settle();
    const Said title = live.title("title.drawn");
    EXPECT_EQ(test::whole(title, "drawn"), 1000);
    EXPECT_EQ(test::whole(title, "right"), 1);
    EXPECT_TRUE(live.bench->shows("not in " + ui::integer(1000)));
    EXPECT_TRUE(live.bench->shows("TABLE"));
}

TEST(LosslessScene, CatchesAMistakeAndSaysAfterHowManyTexts) {
    Counting live;
    live.beat(3);
    for (int i = 0; i < 4; ++i) live.bench->key(ui::Key::c);
    live.bench->settle();
    LosslessCount same;
    draw_texts(wrong("target"), live.settings.seed, 4000, same);
    ASSERT_GT(same.caught, 0);
    EXPECT_EQ(test::whole(live.title("title.caught"), "texts"), same.caught);
    EXPECT_TRUE(live.bench->shows("≠"));
    live.bench->key(ui::Key::up);
    live.bench->settle();
    EXPECT_EQ(test::inner(live.title("title.nothing"), "mistake"), wrong("redraw").title) << "another rule, nothing drawn yet";
}

TEST(LosslessScene, ChoosesAMistakeInTheDetailsAndDrawsByItsButtons) {
    Counting live;
    live.beat(kLosslessDrawBeat);
    live.bench->click(live.bench->find("Ratio upside down", layout_of(*live.bench).details));
    live.bench->settle();
    live.bench->click(live.bench->find("+ 100", layout_of(*live.bench).controls));
    live.bench->settle();
    const std::vector<Said> rows = test::all_said(live.told(), "lossless.details.row");
    ASSERT_EQ(rows.size(), lossless_rules().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool swapped = lossless_rules()[i]->name == std::string("swapped");
        EXPECT_EQ(test::whole(rows[i], "chosen"), swapped) << i;
        EXPECT_EQ(test::whole(rows[i], "drawn"), swapped ? 100 : 0) << i;
    }
    live.bench->click(live.bench->find("Clear", layout_of(*live.bench).controls));
    live.bench->settle();
    EXPECT_EQ(test::inner(live.title("title.nothing"), "mistake"), wrong("swapped").title);
}

// Once caught it stays caught, and between two looks nothing is: the bound on false alarms counts looks only.
TEST(LosslessScene, CatchesAtALookAndForGood) {
    LosslessState state;
    state.rule = 1;
    LosslessCount& count = state.counts[lossless_rules()[1]->name];
    draw_texts(*find_rule("token"), 7, 60, count); // whose looks are innocent
    ASSERT_EQ(count.caught, 0);
    count.caught = 56;
    Counting live;
    const SceneInput input = live.input(kLosslessDrawBeat);
    const Said caught = lossless_title(input, lossless_model(input, state)).title.said;
    EXPECT_EQ(caught.id(), "lossless.title.caught");
    EXPECT_EQ(test::whole(caught, "texts"), 56);

    count = {};
    count.drawn = 50;
    count.texts[exact_texts().rbegin()->first] = 50;
    const LosslessModel early = lossless_model(input, state);
    ASSERT_LT(early.test.p_value, kLosslessAlarm);
    const StageTitle hides = lossless_title(input, early);
    EXPECT_EQ(hides.title.said.id(), "lossless.title.drawn");
    EXPECT_EQ(test::whole(hides.title.said, "right"), 0);
    EXPECT_EQ(test::words(hides.subtitle.said, "tested"), "") << "there was no look yet";

    count = {};
    draw_texts(*lossless_rules()[1], 7, 60, count);
    ASSERT_EQ(count.looks.back().drawn, 56);
    const Said tested = test::inner(lossless_title(input, lossless_model(input, state)).subtitle.said, "tested");
    EXPECT_EQ(test::whole(tested, "at"), 56);
    EXPECT_EQ(test::real(tested, "p"), count.looks.back().p_value);
}

// What was drawn under a mistake is not what chance alone leaves.
TEST(LosslessScene, DoesNotCallAMistakeChance) {
    for (const bool mistaken : {false, true}) {
        Counting live;
        live.beat(2);
        if (mistaken) live.bench->key(ui::Key::down);
        live.bench->key(ui::Key::c);
        live.bench->settle();
        const Said text = live.title("count.text");
        EXPECT_EQ(test::whole(text, "right"), !mistaken);
        EXPECT_EQ(test::whole(text, "wrong"), mistaken);
        EXPECT_EQ(test::whole(text, "drawn"), 1000);
        EXPECT_EQ(test::real(text, "noise"), expected_distance(1000));
        const std::string words = message(text).words();
        EXPECT_EQ(words.find("alone leaves: ") == std::string::npos, mistaken) << words;
        EXPECT_EQ(words.find("With the mistake chosen now") != std::string::npos, mistaken) << words;
    }
}

TEST(LosslessScene, ComparesGreedyTextsTokenByToken) {
    Counting live;
    live.bench->key(ui::Key::m);
    ASSERT_FALSE(live.sent.empty());
    const auto* study = std::get_if<RunStudy>(&live.sent.back());
    ASSERT_NE(study, nullptr);
    ASSERT_EQ(study->runs.size(), 3u);
    EXPECT_EQ(study->runs[0].drafter, "none");
    for (const RunSettings& one : study->runs) EXPECT_EQ(one.sampling.temperature, 0);
    live.measure(*study, "lookup");
    EXPECT_TRUE(live.bench->shows("same 4 tokens"));
    EXPECT_TRUE(live.bench->shows("differs at token 3"));
}

TEST(LosslessScene, NamesEveryDrafterItCounts) {
    const std::vector<std::string> names = {"small",  "small_tree", "lookup", "skip", "eagle3", "eagle3_tree",
                                            "dflash", "domino",     "dspark", "dart", "medusa", "medusa_tree"};
    Study done{kGreedyStudy, 13, {}};
    for (std::size_t i = 0; i <= names.size(); ++i) {
        StudyPoint p;
        p.settings.drafter = i == 0 ? "none" : names[i - 1];
        p.output = {1, 2, 3, 4};
        done.points.push_back(p);
    }
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        Counting live(screen);
        done.points.front().settings = lossless_study(live.input(), kLosslessGreedyBeat).runs.front();
        live.published.studies[done.name] = std::make_shared<const Study>(done);
        live.show();
        live.beat(kLosslessGreedyBeat);
        const Said title = live.title("asterisk.title:told");
        EXPECT_EQ(test::whole(title, "same"), 12);
        EXPECT_EQ(test::whole(title, "drafters"), 12);
        for (const std::string& name : names) EXPECT_TRUE(live.bench->shows(name)) << screen.w << ": " << name << "\n" << live.bench->words;
        EXPECT_FALSE(live.bench->shows("TABLE")) << "a beat about the loaded models";
    }
}

// Who hears the picture hears of the same fault, and how it was caught.
TEST(LosslessScene, SaysOfAFaultWhatThePictureShows) {
    Counting live;
    for (const int beat : {kLosslessTieBeat, kLosslessCacheBeat}) {
        live.measure(lossless_study(live.input(), beat), "small");
        live.beat(beat);
        const std::vector<ui::ToldMessage> told = live.told();
        const Said title = told.front().message.said;
        EXPECT_EQ(title.id(), "lossless.fault.caught");
        EXPECT_EQ(test::whole(title, "place"), 3);
        EXPECT_EQ(test::whole(title, "tie"), 0);
        EXPECT_TRUE(live.bench->shows("The texts part at token 3: no near tie, a mistake")) << live.bench->words;
        EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), "LIVE");
    }
}

// Which of the lines is which mistake.
TEST(LosslessScene, NamesTheLinesAtTheirEnds) {
    Counting live;
    live.beat(3);
    live.bench->key(ui::Key::c);
    live.bench->key(ui::Key::up);
    live.bench->key(ui::Key::c);
    live.bench->settle();
    for (const char* name : {"No residual", "Replacement from"})
        EXPECT_TRUE(std::ranges::any_of(live.bench->texts,
                                        [&](const ui::RecordedText& text) {
                                            return text.text.starts_with(name) && text.box.right() < 1190 && text.box.y > 160 &&
                                                   text.box.y < 520;
                                        }))
            << name << "\n"
            << live.bench->words;
}

// The real thing: the study's runs on a model, and what the summary keeps of them.
TEST(LosslessScene, TheStudyKeepsWhatWasWritten) {
    Counting live;
    const StudyPoint point = study_point(live.models, live.settings);
    EXPECT_EQ(point.output, std::vector<int>(live.run->sequence().begin() + 5, live.run->sequence().end()));
}

std::string text_letters(const std::vector<int>& tokens) {
    std::string letters;
    for (const int id : tokens) letters += static_cast<char>('a' + id);
    return letters;
}

// Three of the rules drawn, one of them until it is caught; the second of them chosen.
void draw_three(Counting& live, LosslessState& same) {
    live.beat(3);
    for (const auto& [step, times] : {std::pair{ui::Key::c, 4}, {ui::Key::up, 2}, {ui::Key::c, 1}, {ui::Key::up, 1}, {ui::Key::c, 2}})
        for (int i = 0; i < times; ++i) live.bench->key(step);
    live.bench->key(ui::Key::down);
    live.bench->settle();
    for (const auto& [rule, count] : {std::pair{3, 4000L}, {1, 1000L}, {0, 2000L}})
        draw_texts(*lossless_rules()[static_cast<std::size_t>(rule)], live.settings.seed, count,
                   same.counts[lossless_rules()[static_cast<std::size_t>(rule)]->name]);
    same.rule = 1;
}

void expect_counts_told(const std::vector<ui::ToldMessage>& told, const LosslessState& state, bool curves) {
    const LosslessCount& chosen = state.counts.at(lossless_rules()[1]->name);
    const std::vector<Said> bars = test::all_said(told, "lossless.texts.bar");
    ASSERT_EQ(bars.size(), exact_texts().size());
    std::size_t i = 0;
    for (const auto& [tokens, p] : exact_texts()) {
        const Said& bar = bars[i++];
        const auto found = chosen.texts.find(tokens);
        EXPECT_EQ(test::words(bar, "text"), text_letters(tokens));
        EXPECT_EQ(test::real(bar, "exact"), p);
        EXPECT_EQ(test::real(bar, "drawn"), found == chosen.texts.end() ? 0 : static_cast<double>(found->second) / 1000);
    }
    const std::vector<ProofRow> rows = proof_rows(*lossless_rules()[1]);
    const std::vector<Said> proof = test::all_said(told, "lossless.bars.row");
    ASSERT_EQ(proof.size(), rows.size());
    for (std::size_t v = 0; v < rows.size(); ++v) {
        EXPECT_EQ(test::words(proof[v], "token"), std::string(1, static_cast<char>('a' + v)));
        EXPECT_EQ(test::real(proof[v], "kept"), rows[v].kept);
        EXPECT_EQ(test::real(proof[v], "replaced"), rows[v].replaced);
        EXPECT_EQ(test::real(proof[v], "target"), rows[v].target);
        EXPECT_EQ(test::real(proof[v], "draft"), rows[v].draft);
        EXPECT_EQ(test::whole(proof[v], "same"), std::abs(rows[v].off()) < 5e-4);
    }
    const std::vector<Said> mistakes = test::all_said(told, "lossless.details.row");
    ASSERT_EQ(mistakes.size(), lossless_rules().size());
    for (std::size_t rule = 0; rule < mistakes.size(); ++rule) {
        const Said& row = mistakes[rule];
        const auto found = state.counts.find(lossless_rules()[rule]->name);
        const LosslessCount count = found == state.counts.end() ? LosslessCount() : found->second;
        const Said name = test::inner(row, "name");
        if (rule == 0) {
            EXPECT_EQ(test::words(name, "mistake"), "");
        } else {
            EXPECT_EQ(test::inner(name, "mistake"), lossless_rules()[rule]->title);
        }
        EXPECT_EQ(test::whole(row, "chosen"), rule == 1);
        EXPECT_EQ(test::whole(row, "drawn"), count.drawn);
        EXPECT_EQ(test::whole(row, "caught"), count.caught);
        const Said verdict = test::inner(row, "verdict");
        EXPECT_EQ(verdict.text, count.drawn == 0   ? "details.verdict:open"
                                : count.caught > 0 ? "details.verdict:caught"
                                                   : "details.verdict:hides");
        if (count.caught > 0) {
            EXPECT_EQ(test::whole(verdict, "at"), count.caught);
        } else if (count.drawn > 0) {
            EXPECT_EQ(test::whole(verdict, "drawn"), count.drawn);
        }
    }
    const std::vector<Said> lines = test::all_said(told, "lossless.looks.curve");
    ASSERT_EQ(lines.size(), curves ? 3U : 0U);
    for (const Said& line : lines) {
        const std::string mistake = message(test::inner(line, "name")).words();
        const auto rule = std::ranges::find(lossless_rules(), mistake, [](const RuleInfo* one) {
            return message(lossless_says("looks.name"_t, "mistake"_v = mistake_words(*one)).said).words();
        });
        ASSERT_NE(rule, lossless_rules().end()) << mistake;
        const std::vector<LosslessCount::Look>& looks = state.counts.at((*rule)->name).looks;
        const std::vector<Said> points = test::list(line, "points");
        ASSERT_FALSE(points.empty());
        EXPECT_EQ(test::whole(points.back(), "drawn"), looks.back().drawn);
        for (const Said& point : points) {
            const auto look = std::ranges::find(looks, test::whole(point, "drawn"), &LosslessCount::Look::drawn);
            ASSERT_NE(look, looks.end());
            EXPECT_EQ(test::real(point, "distance"), look->distance);
            EXPECT_EQ(test::real(point, "noise"), expected_distance(look->drawn));
        }
    }
}

TEST(LosslessTold, TellsEveryTextEveryRuleTheProofAndTheCurvesInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        Counting live;
        LosslessState same;
        draw_three(live, same);
        ASSERT_GT(same.counts.at(lossless_rules()[3]->name).caught, 0);
        ASSERT_EQ(same.counts.at(lossless_rules()[0]->name).caught, 0);
        expect_counts_told(live.told(), same, true);
        const Said subtitle = live.title("subtitle.counted");
        EXPECT_EQ(test::inner(subtitle, "rule").id(), "lossless.words.rule:token");
        EXPECT_EQ(test::whole(subtitle, "mistake"), 1);
        EXPECT_EQ(test::whole(subtitle, "k"), kToyDrafts);
        EXPECT_EQ(test::real(subtitle, "noise"), expected_distance(1000));
        EXPECT_EQ(test::real(subtitle, "distance"), same.counts.at(lossless_rules()[1]->name).looks.back().distance);
        live.beat(kLosslessGreedyBeat);
        expect_counts_told(live.told(), same, false);
    }
}

TEST(LosslessTold, TellsEveryGreedyTextInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Counting live;
        live.measure(lossless_study(live.input(), kLosslessGreedyBeat), "lookup");
        for (const int beat : {0, kLosslessGreedyBeat}) {
            live.beat(beat);
            const std::vector<ui::ToldMessage> told = live.told();
            const std::vector<Said> rows = test::all_said(told, "lossless.greedy.row");
            EXPECT_EQ(rows.size(), beat == 0 ? 1U : 3U) << "in the details, and on the stage";
            for (const Said& row : rows) {
                const bool differs = test::words(row, "drafter") == "lookup";
                const Said verdict = test::inner(row, "verdict");
                EXPECT_EQ(verdict.text, differs ? "greedy.verdict:differs" : "greedy.verdict:same");
                EXPECT_EQ(test::whole(verdict, differs ? "place" : "tokens"), differs ? 3 : 4);
            }
            const std::vector<Said> names = test::list(test::only_said(told, "lossless.greedy.names"), "drafters");
            ASSERT_EQ(names.size(), 1U);
            EXPECT_EQ(test::words(names[0], "drafter"), "small");
            EXPECT_EQ(test::whole(test::only_said(told, "lossless.greedy.verdict:same"), "tokens"), 4);
            if (beat == 0) continue;
            for (const char* id : {"lossless.asterisk.title:told", "lossless.asterisk.text"}) {
                EXPECT_EQ(test::whole(test::only_said(told, id), "same"), 1) << id;
                EXPECT_EQ(test::whole(test::only_said(told, id), "drafters"), 2) << id;
            }
        }
    }
}

// A comparison that the page asked for by itself ticks no task.
TEST(LosslessScene, TicksWhatSomebodyAskedFor) {
    for (const int beat : {kLosslessGreedyBeat, kLosslessTieBeat}) {
        Counting live;
        live.measure(lossless_study(live.input(), beat), "small");
        live.beat(beat);
        LosslessState state;
        const auto done = [&] { return lossless_story(live.input(), lossless_model(live.input(), state)).task_done; };
        EXPECT_FALSE(done()) << beat;
        live.bench->key(ui::Key::m);
        EXPECT_TRUE(done()) << beat;
    }
}

// Where a drafter could not be run, why.
TEST(LosslessTold, SaysWhyADrafterCouldNotRun) {
    Counting live;
    const RunStudy asked = lossless_study(live.input(), kLosslessGreedyBeat);
    Study done{asked.name, 3, {}};
    for (const RunSettings& one : asked.runs) {
        StudyPoint p;
        p.settings = one;
        if (one.drafter == "small") p.problem = "it lost its weights";
        done.points.push_back(p);
    }
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.show();
    const Said row = test::only_said(live.told(), "lossless.greedy.row");
    EXPECT_EQ(test::words(row, "drafter"), "small");
    EXPECT_EQ(test::words(row, "problem"), "it lost its weights");
    EXPECT_EQ(message(row).words(), "small: could not run (it lost its weights)");
}

// What plain decoding gave both tokens, at the beat of the fault and at any other; in words, which number is whose.
TEST(LosslessTold, TellsWhereAFaultPartsTheTextsInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const int beat : {kLosslessTieBeat, kLosslessCacheBeat}) {
            const test::Speaking speaking(language);
            SCOPED_TRACE(std::string(language) + " " + std::to_string(beat));
            Counting live;
            const RunStudy asked = lossless_study(live.input(), beat);
            speclens::Run run(live.models, asked.runs.front());
            run.finish();
            const auto trace = run.shared_trace();
            const std::vector<int> plain(run.sequence().begin() + 5, run.sequence().end());
            const RunView view = fold(*trace, trace->size());
            const TopEntries& top =
                view.round_list[2].resample->raw_top.empty() ? view.round_list[2].resample->top : view.round_list[2].resample->raw_top;
            ASSERT_GT(top.entries.size(), 4U);
            const int other = top.entries.back().id; // the least likely of those listed: no two numbers alike
            live.measure(asked, "small", plain, other, trace);
            const double p = *listed(top, plain[2]), q = *listed(top, other);
            live.beat(beat);
            const std::vector<ui::ToldMessage> told = live.told();
            const std::vector<Said> bars = test::all_said(told, "lossless.fault.bar");
            ASSERT_EQ(bars.size(), 2U);
            const Trace& labels = *live.input().trace;
            for (const auto& [bar, token, chance] : {std::tuple{0U, plain[2], p}, {1U, other, q}}) {
                EXPECT_EQ(test::real(bars[bar], "p"), chance);
                EXPECT_EQ(test::words(test::inner(bars[bar], "token"), "text"), ui::token_in_text(labels.text(token)));
            }
            const std::vector<Said> rows = test::all_said(told, "lossless.fault.tokens");
            ASSERT_EQ(rows.size(), 2U);
            EXPECT_EQ(test::inner(rows[0], "name").id(), "shared.words.plain");
            EXPECT_EQ(test::inner(rows[1], "name").id(), "lossless.fault.text:faulty");
            for (const Said& row : rows) EXPECT_EQ(test::whole(row, "from"), 1);
            EXPECT_GE(test::list(rows[0], "tokens").size(), 4U);
            EXPECT_EQ(test::words(test::list(rows[1], "tokens")[2], "text"), test::words(test::inner(bars[1], "token"), "text"));
            EXPECT_EQ(test::words(test::only_said(told, "lossless.fault.subtitle"), "drafter"), "small");
            EXPECT_TRUE(test::all_said(told, "lossless.fault.found").empty()) << "the stage shows it";
            // Elsewhere it is told as a whole.
            live.beat(0);
            const Said elsewhere = test::only_said(live.told(), "lossless.fault.found"), found = test::inner(elsewhere, "found");
            EXPECT_EQ(test::whole(elsewhere, "rounding"), beat == kLosslessTieBeat);
            EXPECT_EQ(found.text, p < 1.1 * q ? "words.found:near" : "words.found:far");
            EXPECT_EQ(test::whole(found, "place"), 3);
            EXPECT_EQ(test::real(found, "p"), p);
            EXPECT_EQ(test::real(found, "q"), q);
            const bool german = std::string_view(language) == "de";
            const std::string line = (german ? "Hier trennen sich die Texte bei Token 3: normales Decoding gab "
                                             : "Here the texts part at token 3: plain decoding gave ") +
                                     message(test::inner(found, "ours")).words() + " " + fine_probability(p) + ", " +
                                     message(test::inner(found, "theirs")).words() + " " + fine_probability(q) + ". ";
            EXPECT_NE(in_words(live.told()).find(line), std::string::npos) << line << "\n" << in_words(live.told());
        }
}

// Which number stands where, in words.
TEST(LosslessTold, SaysItsNumbersInTheirPlaces) {
    struct Lines {
        const char* language;
        std::vector<std::string> lines;
    };
    const std::string thin = "\u2009";
    for (const auto& [language, lines] :
         {Lines{"en",
                {"First position a: kept .30 + replaced .20 = target .50 (draft .30)\n", "TABLE", "Replacement from the target: caught at ",
                 " of 4" + thin + "000 texts\n", "Ratio upside down: not drawn\n", "no mistake: not in 2" + thin + "000\n",
                 "token rule with a mistake, K = 2, table of three tokens · distance "}},
          Lines{"de",
                {"Erste Position a: behalten 0,30 + ersetzt 0,20 = Ziel 0,50 (Entwurf 0,30)\n", "Ersatz aus dem Zielmodell: ertappt bei ",
                 " von 4" + thin + "000 Texten\n", "Verhältnis auf dem Kopf: nicht gezogen\n", "kein Fehler: nicht in 2" + thin + "000\n",
                 "Token-Regel mit Fehler, K = 2, Tabelle mit drei Token · Abstand "}}}) {
        const test::Speaking speaking(language);
        Counting live;
        LosslessState same;
        draw_three(live, same);
        const std::string words = in_words(live.told());
        for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        const bool german = std::string_view(language) == "de";
        const LosslessCount& chosen = same.counts.at(lossless_rules()[1]->name);
        ASSERT_GT(chosen.caught, 0);
        const std::string caught =
            (german ? "Bonus nach einer Ablehnung (gewählt): ertappt bei " : "Bonus after a rejection (chosen): caught at ") +
            ui::integer(chosen.caught) + (german ? " von 1" : " of 1") + thin + (german ? "000 Texten\n" : "000 texts\n");
        EXPECT_NE(words.find(caught), std::string::npos) << caught << "\n" << words;
        for (const auto& [tokens, p] : exact_texts()) {
            const double drawn = chosen.texts.contains(tokens) ? static_cast<double>(chosen.texts.at(tokens)) / 1000 : 0;
            const std::string line = text_letters(tokens) + (german ? ": gezogen " : ": drawn ") + ui::probability(drawn) +
                                     (german ? ", exakt " : ", exact ") + ui::probability(p) + "\n";
            EXPECT_NE(words.find(line), std::string::npos) << line;
        }
        const LosslessCount::Look& look = chosen.looks.back();
        const std::string point = fine_probability(look.distance) + (german ? " nach 1" : " after 1") + thin + "000 (" +
                                  (german ? "durch Zufall " : "by chance ") + fine_probability(expected_distance(1000)) + ")";
        EXPECT_NE(words.find(point), std::string::npos) << point << "\n" << words;
    }
}

// A number that is drawn and that no message has would be one that only eyes see.
TEST(LosslessTold, SaysEveryNumberThatIsDrawn) {
    Counting live;
    LosslessState same;
    draw_three(live, same);
    for (int beat = 0; beat < kLosslessGreedyBeat; ++beat) {
        live.beat(beat);
        std::vector<ui::RecordedText> drawn = test::scene_texts(*live.bench);
        std::erase_if(drawn,
                      [](const ui::RecordedText& text) { return std::regex_match(text.text, std::regex(R"(\.\d\d+)")); }); // of an axis
        SCOPED_TRACE(beat);
        EXPECT_GT(test::expect_numbers_told(drawn, in_words(live.told())), 4U);
    }
}

TEST(LosslessTold, GivesNumbersWithFullPrecisionAsData) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Counting live;
        live.beat(kLosslessProofBeat);
        const Json data = Json::parse(words_json("lossless", kLosslessProofBeat, live.told()));
        const std::vector<ProofRow> rows = proof_rows(*find_rule("token"));
        std::size_t found = 0;
        for (const Json& message : data["messages"]) {
            if (message["id"] != "lossless.bars.row") continue;
            EXPECT_EQ(message["values"]["kept"].get<double>(), rows[found].kept);
            EXPECT_EQ(message["values"]["replaced"].get<double>(), rows[found].replaced);
            EXPECT_EQ(message["region"], "stage");
            ++found;
        }
        EXPECT_EQ(found, rows.size());
    }
}

TEST(LosslessScene, NothingCollidesWhereEverythingIsShown) {
    for (const Size& s : kSizes) {
        Counting live({0, 0, s.w, s.h});
        for (int beat = 0; beat < kLosslessBeats; ++beat) {
            live.beat(beat);
            live.bench->key(ui::Key::c);
            live.bench->settle();
            look(*live.bench, std::string("lossless ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
        }
    }
}

} // namespace
} // namespace speclens
