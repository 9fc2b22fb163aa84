// Scene S4: drawn texts against the exact distribution, what each mistake does to the first position, and the greedy
// comparison.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/lab/study.h"
#include "engine/rules/wrong_rules.h"
#include "engine/run/run.h"
#include "scenes/lossless/lossless_draw.h"
#include "scenes/lossless/lossless_faults.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/finished.h"
#include "ui/format.h"

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

struct Counting : RunWindow {
    explicit Counting(ui::Rect screen = {0, 0, 1600, 1000}) {
        settings.max_tokens = 8;
        open("lossless", {"none", "small", "lookup"}, screen);
        show();
        sent.clear();
    }
};

TEST(LosslessScene, DrawsAThousandTextsAtATime) {
    Counting live;
    live.beat(2);
    EXPECT_TRUE(live.bench->shows("Is it really lossless?"));
    live.bench->key(ui::Key::c);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows(ui::integer(1000) + " texts, and no difference from the target's distribution"));
    EXPECT_TRUE(live.bench->shows("not in " + ui::integer(1000)));
    EXPECT_TRUE(live.bench->shows("TABLE"));
}

TEST(LosslessScene, CatchesAMistakeAndSaysAfterHowManyTexts) {
    Counting live;
    live.beat(3);
    for (int i = 0; i < 4; ++i) live.bench->key(ui::Key::c);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("Not the target's distribution: caught after"));
    EXPECT_TRUE(live.bench->shows("≠"));
    live.bench->key(ui::Key::up);
    live.bench->settle();
    EXPECT_TRUE(live.bench->shows("No residual: ask the draft again: will it show?")) << "another rule, nothing drawn yet";
}

// Once caught it stays caught, and between two looks nothing is: the bound on false alarms counts looks only.
TEST(LosslessScene, CatchesAtALookAndForGood) {
    LosslessState state;
    state.rule = 1;
    LosslessCount& count = state.counts[lossless_rules()[1]->name];
    draw_texts(*find_rule("token"), 7, 60, count); // whose looks are innocent
    ASSERT_EQ(count.caught, 0);
    count.caught = 56;
    EXPECT_NE(lossless_title(lossless_model(state)).title.find("caught after 56 texts"), std::string::npos);

    count = {};
    count.drawn = 50;
    count.texts[exact_texts().rbegin()->first] = 50;
    const LosslessModel early = lossless_model(state);
    ASSERT_LT(early.test.p_value, kLosslessAlarm);
    EXPECT_NE(lossless_title(early).title.find("still hides"), std::string::npos);
    EXPECT_EQ(lossless_title(early).subtitle.find("· p"), std::string::npos) << "there was no look yet";

    count = {};
    draw_texts(*lossless_rules()[1], 7, 60, count);
    ASSERT_EQ(count.looks.back().drawn, 56);
    const std::string told = lossless_title(lossless_model(state)).subtitle;
    EXPECT_NE(told.find("· p at 56 "), std::string::npos) << told;
}

// What was drawn under a mistake is not what chance alone leaves.
TEST(LosslessScene, DoesNotCallAMistakeChance) {
    for (const bool mistaken : {false, true}) {
        Counting live;
        live.beat(2);
        if (mistaken) live.bench->key(ui::Key::down);
        live.bench->key(ui::Key::c);
        live.bench->settle();
        std::string told;
        for (const ui::RecordedText& text : live.bench->texts) told += text.text + " ";
        EXPECT_NE(told.find("alone leaves"), std::string::npos) << "another beat";
        EXPECT_EQ(told.find("alone leaves: ") == std::string::npos, mistaken) << told;
        EXPECT_EQ(told.find("With the mistake chosen now") != std::string::npos, mistaken) << told;
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
    Study done{study->name, 3, {}};
    for (const RunSettings& one : study->runs) {
        EXPECT_EQ(one.sampling.temperature, 0);
        StudyPoint p;
        p.settings = one;
        p.output = {1, 2, 3, 4};
        if (one.drafter == "lookup") p.output[2] = 9;
        done.points.push_back(p);
    }
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.show();
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
        done.points.front().settings = greedy_study(live.bench->controller.frame(0).scene).runs.front();
        live.published.studies[done.name] = std::make_shared<const Study>(done);
        live.show();
        live.beat(kLosslessGreedyBeat);
        EXPECT_TRUE(live.bench->shows("12 of 12 drafters")) << live.bench->words;
        for (const std::string& name : names) EXPECT_TRUE(live.bench->shows(name)) << screen.w << ": " << name << "\n" << live.bench->words;
        EXPECT_FALSE(live.bench->shows("TABLE")) << "a beat about the loaded models";
    }
}

// Who hears the picture hears of the same fault, and how it was caught.
TEST(LosslessScene, SaysOfAFaultWhatThePictureShows) {
    Counting live;
    for (const int beat : {kLosslessTieBeat, kLosslessCacheBeat}) {
        const RunStudy asked = fault_study(live.input(beat), fault_of(beat));
        Study done{asked.name, 2, {}};
        for (const RunSettings& one : asked.runs) {
            StudyPoint p;
            p.settings = one;
            p.output = {5, 6, 7, 8};
            if (&one != &asked.runs.front()) p.output[2] = 9;
            done.points.push_back(p);
        }
        live.published.studies[done.name] = std::make_shared<const Study>(done);
        live.show();
        live.beat(beat);
        const FrameInput frame = live.bench->controller.frame(live.bench->time);
        const std::string words = frame.active->describe(frame.scene), title = "The texts part at token 3: no near tie, a mistake";
        EXPECT_TRUE(live.bench->shows(title)) << live.bench->words;
        EXPECT_EQ(words.substr(0, words.find('\n')), title);
        EXPECT_NE(words.find("Data: LIVE"), std::string::npos) << words;
        EXPECT_EQ(words.find("Data: TABLE"), std::string::npos) << words;
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
