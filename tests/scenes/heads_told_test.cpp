// The scenes of heads in words and as data: every guess, what it read and became, strips, charts and times, in both languages.
//
// What stood in the descriptions that were written by hand, and which message has it now. EAGLE-3:
//
//     "round 3, step 1 of 4 selected · K = 4, …", "Data: …"   shared.head.conditions {round} {at} {of} {k} {temperature} {seed}, words.data
//     "Taps: layers 1, 5, 9"                                  shared.strip.told {what}: taps.strip {layer} {values} {cells} {low} {high}
//     {scale} "Step 1 (selected): reads “x” and the fused feature"    steps.told {step} {selected} {read} {first}
//     ", 0.06 ms; distribution “a” .54, “b” .33"              steps.told {took}, shared.guess.told {distribution}: guess.share {token} {p}
//     "; draft “a”, kept; own feature off by 0.52"            shared.guess.told {token} {id} {fate}, steps.told {off}
//     "Feature error over the run: step 1 0.52 of 14 rounds"  drift.bar:run {step} {error} {rounds} {here}, drift.bar:round
//     "Clock: draft 0.18 ms, verify 0.78 ms"                  shared.head.clock:told {draft} {passes} {verify} {further}
//     "Draft time, EAGLE-3: 1: 0.20 ms, …"                    shared.charts.took {series} {guesses} {ms}
//     "Kept by position, this run: 1: 10 of 14, …"            shared.charts.stayed {series} {position} {kept} {judged}
//     "A round of this run, ms: …"                            shared.round.told:here {round} {rounds}: round.here {draft} {head} {verify}
//     {rest} {tokens} "Published, Qwen3-8B, …, ms: …. Source: …"              shared.round.told:published {conditions} {round} {source}
//     "Published speed-ups of EAGLE-3: 12 figures, <1–6.5×"   shared.round.speed_ups {figures} {range}: round.range {low} {high} {below}
//
// DFlash:
//
//     "Block: anchor “x” and 7 masks. Mask 3 sees …"          block.told {anchor} {masks} {took}, sight.mask {mask} {places} {slots}
//     {before} "Position 1 (selected): distribution …; draft “x”, kept" block.position {position} {selected} {guess}: shared.guess.told
//     "Kept by position, with the target's states: …"         shared.charts.stayed {series}: acceptance.with, acceptance.without
//     "Measured with 1 seed, up to 160 tokens"                acceptance.sample {sample} {rounds}
//     "Tokens a round along the answer, sees all: up to 256 3.10 (2.90–3.30)"   along.point {series} {from} {to} {tokens} {low} {high}
//     {draft} "Recorded: SmolLM2, K = 15, T = 0.0, 20 answers, …"     along.source {weights} {target} {k} {temperature} {answers} {machine}
//     {date} "Guess 3 drawn twice with the same coin; after “x”: …"  shared.second_draw.heading, conditions, side {before} {base} {final}
//     {drawn}, told
//
// Domino:
//
//     "Block: anchor “x”, 5 guesses"                          shared.head.conditions {anchor} {of}
//     "Position 2 (selected), corrected, forced: base “a” .50, …" position.told {position} {selected} {corrected} {forced} {base}
//     "; S2 cosine 0.98 …; S2 z .50, r .48; δ of size 12.3"   position.told {cosine} {z} {r} {size}
//     ", of the likely tokens most on “x” +1.3"               position.told {mover} {gain}: words.logits {logits}
//     "; final “a” .52 (δ +0.3), …; draft “a”"                position.told {final}: position.share {token} {p} {added}, {token} {id}
//     "Head off: “a” kept; “b” refused (the target: “c”); …"  verdict.told {position} {with} {token} {fate}: verdict.fate:refused {own}
//     "Top movers at position 2: “x”: δ log p +1.3, .20 to .40" movers.at {position}, movers.told {token} {id} {base} {final} {delta}
//     {gain} {from} {to} "Clock: backbone 1.20 ms, head 0.30 ms, verify 4.00 ms" clock.told {backbone} {head} {verify} "Behind the scene:
//     row H and state S meet in 64 numbers" words.deeper {numbers} {size} {position} {why}
//
// Nobody told of these before: every strip of a lens, the two trained heads (trained.point), the pairs of two places (pairs.pair), and how
// large the correction of each position is (sizes.bar).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>

#include "engine/base/display_name.h"
#include "engine/base/json.h"
#include "engine/run/other_drafter_round.h"
#include "scenes/dflash/dflash_model.h"
#include "scenes/domino/domino_model.h"
#include "scenes/eagle3/eagle3_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/published_round.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/heads_told.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/told_said.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens::heads_told {
namespace {

const std::filesystem::path kAssets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets";

void expect_published(const ToldFrame& told, const SceneInput& input, bool own) {
    const RunView& run = *input.whole;
    double all = 0, draft = 0, head = 0, verify = 0, rest = 0;
    for (const RoundSummary& round : run.round_list)
        if (round.complete()) {
            draft += round.draft_ms - round.head_ms, head += round.head_ms, verify += round.verify_ms, rest += round.other_ms;
            all += round.draft_ms + round.verify_ms + round.other_ms;
        }
    const std::vector<Said> here = all_said(told, "shared.round.told:here");
    ASSERT_EQ(here.size(), input.figures && own && all > 0 ? 1U : 0U);
    if (!here.empty()) {
        const Said round = inner(here[0], "round");
        EXPECT_EQ(whole(here[0], "rounds"), run.rounds);
        EXPECT_NEAR(real(here[0], "ms"), all / run.rounds, 1e-9);
        EXPECT_NEAR(real(round, "draft"), draft / run.rounds, 1e-9);
        EXPECT_NEAR(maybe<double>(round, "head").value_or(0), head / run.rounds, 1e-9);
        EXPECT_NEAR(real(round, "verify"), verify / run.rounds, 1e-9);
        EXPECT_NEAR(real(round, "rest"), rest / run.rounds, 1e-9);
        EXPECT_EQ(real(round, "tokens"), run.tokens_per_round());
    }
    if (!input.figures) return;
    const std::string method = run.header->drafter;
    const PublishedRace race = published_race(input.figures);
    const Said published = only_said(told, "shared.round.told:published");
    const PublishedPoint* point = race.of(method);
    ASSERT_NE(point, nullptr);
    EXPECT_EQ(test::words(published, "conditions"), race.conditions);
    EXPECT_EQ(real(published, "ms"), point->round());
    EXPECT_EQ(inner(published, "source"), race.source.said);
    const Said whole_round = inner(published, "round"), parts = inner(whole_round, "parts"), gain = inner(whole_round, "gain");
    EXPECT_EQ(real(parts, "draft"), point->draft);
    EXPECT_EQ(whole(parts, "derived"), point->derived);
    EXPECT_EQ(maybe<double>(parts, "head").value_or(0), point->head);
    EXPECT_EQ(real(parts, "verify"), point->verify);
    EXPECT_EQ(real(gain, "tokens"), point->tokens);
    EXPECT_EQ(real(gain, "times"), point->speed_up);
    const PublishedRange range = published_speed_ups(input.figures, method);
    const Said speed_ups = only_said(told, "shared.round.speed_ups"), values = inner(speed_ups, "range");
    EXPECT_EQ(whole(speed_ups, "figures"), std::ssize(range.figures));
    EXPECT_EQ(test::words(speed_ups, "name"), method);
    EXPECT_EQ(real(values, "low"), range.low);
    EXPECT_EQ(whole(values, "below"), range.below);
    if (range.low != range.high) {
        EXPECT_EQ(real(values, "high"), range.high);
    }
}

// A study of the draft times as if it had been measured.
std::shared_ptr<const Study> timed(const SceneInput& input) {
    const RunStudy plan = time_study(input);
    Study study{kTimeStudy, static_cast<int>(plan.runs.size()), {}};
    for (const RunSettings& run : plan.runs) {
        StudyPoint& point = study.points.emplace_back();
        point.settings = run;
        point.draft_ms = (run.drafter == "eagle3" ? 0.31 : 0.47) * (1 + 0.37 * run.k);
    }
    return std::make_shared<const Study>(study);
}

// And of the same prompt with and without the target's states.
std::shared_ptr<const Study> conditioned(const SceneInput& input) {
    const RunStudy plan = conditioning_study(input);
    Study study{kConditioning, static_cast<int>(plan.runs.size()), {}};
    for (const RunSettings& run : plan.runs) {
        StudyPoint& point = study.points.emplace_back();
        const bool on = run.options.conditioning;
        point.settings = run;
        point.rounds = 20, point.tokens = on ? 61 : 33;
        point.judged = {20, 13, 7};
        point.kept = on ? std::vector{13, 7, 2} : std::vector{4, 1, 0};
    }
    return std::make_shared<const Study>(study);
}

// Rounds of the recorded run, of one at a temperature that a lens recorded, measured and not, and of another drafter's run: every beat.
void each_frame(const char* scene, const std::function<void(const SceneInput&)>& visit) {
    const auto figures = std::make_shared<const Published>(Published::load(kAssets / "published"));
    const auto ablations = std::make_shared<const Ablations>(load_experiments(kAssets / "models"));
    const auto beats = [&](SceneInput input, const std::string& what, bool known) {
        if (known) input.figures = figures.get(), input.ablations = ablations.get();
        const int count = find_scene(scene)->make()->beats(input);
        for (input.beat = 0; input.beat < count; ++input.beat) {
            SCOPED_TRACE(what + ", beat " + std::to_string(input.beat));
            visit(input);
        }
    };
    {
        SceneBench bench(scene);
        const auto trace = recorded(scene);
        for (const std::size_t cursor : {trace->size() / 5, trace->size() / 2, 2 * trace->size() / 3}) {
            bench.show(trace, cursor);
            beats(bench.controller.frame(0).scene, "recorded at " + std::to_string(cursor), true);
        }
    }
    for (const double temperature : {0.0, 1.0}) {
        RunSettings settings = settings_for(scene);
        settings.sampling.temperature = temperature;
        settings.k = temperature > 0 ? 9 : 4; // more than there are columns
        Live live(scene, settings);
        const SceneInput input = live.input();
        beats(input, "live", false);
        live.published.studies[kTimeStudy] = timed(input);
        if (temperature > 0) live.published.studies[kConditioning] = conditioned(input);
        live.show();
        beats(live.input(), "measured", temperature > 0);
    }
    Live other(scene, settings_for("small"));
    other.published.status.model = "micro";
    other.show();
    ASSERT_EQ(other.sent.size(), 1U);
    const FetchOtherDrafterRound asked = std::get<FetchOtherDrafterRound>(other.sent[0]);
    other.published.other_round =
        std::make_shared<const OtherDrafterRound>(draft_as(other.models, other.settings, other.run->trace(), asked));
    other.show();
    beats(other.input(), "another drafter's", true);
}

// The scene with the run of the round that it shows.
SceneInput seen_by(const SceneInput& input, const char* drafter, std::unique_ptr<OtherRound>& keep) {
    keep = std::make_unique<OtherRound>(input, drafter);
    return keep->seen();
}

void expect_eagle3(const SceneInput& run) {
    std::unique_ptr<OtherRound> keep;
    const SceneInput input = seen_by(run, "eagle3", keep);
    const Eagle3Model m = eagle3_model(input);
    ASSERT_TRUE(m.some());
    const bool own = m.instead_of.empty();
    const ToldFrame told = told_of("eagle3", run);
    expect_conditions(told, input, m, true);
    const std::vector<Said> steps = all_said(told, "eagle3.steps.told");
    ASSERT_EQ(std::ssize(steps), m.guesses()) << "those that have no column, too";
    for (const Said& said : steps) {
        const int i = static_cast<int>(whole(said, "step")) - 1;
        const DraftSlot& slot = m.slot(i);
        EXPECT_EQ(whole(said, "selected"), i == m.selected);
        EXPECT_EQ(whole(said, "first"), i == 0);
        expect_token_said(inner(said, "read"), *input.trace, i == 0 ? m.anchor : m.slot(i - 1).draft->token);
        EXPECT_EQ(maybe<double>(said, "took"), slot.ms > 0 ? std::optional(slot.ms) : std::nullopt);
        EXPECT_EQ(maybe<double>(said, "off"), m.error(i) >= 0 ? std::optional(m.error(i)) : std::nullopt);
        expect_guess(inner(said, "guess"), *input.trace, slot, likeliest(slot, 2));
    }
    const std::vector<Said> taps = strips_of(told, "eagle3.taps.strip");
    ASSERT_EQ(taps.size(), m.taps.size());
    for (std::size_t i = 0; i < taps.size(); ++i) {
        EXPECT_EQ("tap " + std::to_string(whole(inner(taps[i], "what"), "layer")), m.taps[i]->name);
        expect_strip(taps[i], *m.taps[i], std::max(std::abs(m.taps[i]->low), std::abs(m.taps[i]->high)));
    }
    const double scale = strip_scale(m, {"feature", "output"});
    for (const char* name : {"feature", "output"})
        for (const Said& strip : strips_of(told, std::string("eagle3.steps.") + name + "_of"))
            expect_strip(strip, *m.slot(static_cast<int>(whole(inner(strip, "what"), "step")) - 1).draft->internals.strip(name), scale);
    EXPECT_EQ(strips_of(told, "eagle3.steps.feature_of").empty(), !m.internals);
    const std::vector<Said> bars = all_said(told, own ? "eagle3.drift.bar:run" : "eagle3.drift.bar:round");
    ASSERT_EQ(bars.size(), m.errors.size()) << "also where another chart stands in their place";
    for (std::size_t i = 0; i < bars.size(); ++i) {
        EXPECT_EQ(whole(bars[i], "step"), std::ssize(m.errors) ? static_cast<std::int64_t>(i) + 1 : 0);
        EXPECT_EQ(real(bars[i], "error"), m.errors[i]);
        if (!own) continue;
        EXPECT_EQ(whole(bars[i], "rounds"), m.known[i]);
        const double here = m.error(static_cast<int>(i));
        EXPECT_EQ(maybe<double>(bars[i], "here"), here >= 0 ? std::optional(here) : std::nullopt);
    }
    if (m.draft_ms + m.verify_ms > 0) {
        const Said clock = only_said(told, "shared.head.clock:told");
        EXPECT_EQ(real(clock, "draft"), m.draft_ms);
        EXPECT_EQ(whole(clock, "passes"), m.guesses());
        EXPECT_EQ(real(clock, "verify"), m.verify_ms);
        EXPECT_EQ(maybe<double>(clock, "further"), m.further_ms > 0 ? std::optional(m.further_ms) : std::nullopt);
    }
    expect_times(told, time_series(input, "eagle3"));
    expect_stayed(told, acceptance_of(*input.whole), "shared.charts.this_run", own);
    expect_published(told, input, own);
    const std::optional<TrainedSteps> trained = trained_steps(input);
    std::vector<double> shares;
    if (trained && input.beat == kEagle3ErrorsBeat)
        for (const ServedResult* head : {trained->one, trained->many})
            std::ranges::copy_if(head->conditional, std::back_inserter(shares), [](double p) { return p >= 0; });
    const std::vector<Said> points = all_said(told, "eagle3.trained.point");
    ASSERT_EQ(points.size(), shares.size());
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(real(points[i], "p"), shares[i]);
}

TEST(Eagle3Told, TellsEveryStepTheStripsTheDriftTheClockAndTheChartsInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        each_frame("eagle3", expect_eagle3);
    }
}

// A number that is drawn and that no message has would be one that only eyes see.
void expect_numbers_told(const char* scene) {
    const auto of_an_axis = [](const SceneInput& input, const ui::RecordedText& text, const std::string& number) {
        return number == ".05" || number == ".15" || (text.box.x >= input.details.x && text.text == number);
    };
    std::size_t seen = 0;
    each_frame(scene, [&](const SceneInput& input) { seen += test::expect_drawn_numbers_told(scene, input, of_an_axis); });
    EXPECT_GT(seen, 300U);
}

TEST(Eagle3Told, SaysEveryNumberThatIsDrawn) { expect_numbers_told("eagle3"); }

// Which number stands where, in words.
TEST(Eagle3Told, SaysItsNumbersInTheirPlaces) {
    SceneBench bench("eagle3");
    bench.show(recorded("eagle3"));
    SceneInput input = bench.controller.frame(0).scene;
    const Eagle3Model m = eagle3_model(input);
    ASSERT_GT(m.guesses(), 1);
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        const std::string words = in_words(told_of("eagle3", input));
        const auto token = [&](int id) { return word(input, id).words(); };
        const auto share = [&](int i, std::size_t e) {
            const TopEntries::Entry& entry = at_one(*m.slot(i).draft).entries.at(e);
            return token(entry.id) + " " + ui::probability(std::exp(entry.logp));
        };
        const std::string took = ui::number(m.slot(1).ms, 2), off = m.error(1) >= 0 ? ui::number(m.error(1), 2) : "";
        const std::string second = (german ? "Schritt 2: liest " : "Step 2: reads ") + token(m.slot(0).draft->token) +
                                   (german ? " und die eigene letzte Ausgabe, " : " and its own last output, ") + took +
                                   (german ? " ms; Verteilung " : " ms; distribution ") + share(1, 0) + (german ? "; " : ", ");
        EXPECT_NE(words.find(german ? second.substr(0, second.size() - 2) : second), std::string::npos) << second << "\n" << words;
        const std::string bar = (german ? "Schritt 1: " : "step 1: ") + ui::number(m.errors[0], 2) +
                                (german ? " im Mittel von " : " on average of ") + std::to_string(m.known[0]);
        EXPECT_NE(words.find(bar), std::string::npos) << bar << "\n" << words;
        const std::string clock = (german ? "Entwurf " : "draft ") + ui::number(m.draft_ms, 2) + " ms: " + std::to_string(m.guesses()) +
                                  (german ? " Durchläufe, Prüfung " : " passes, verify ") + ui::number(m.verify_ms, 2) + " ms";
        EXPECT_NE(words.find(clock), std::string::npos) << clock << "\n" << words;
    }
}

TEST(Eagle3Told, GivesNumbersWithFullPrecisionAsData) {
    SceneBench bench("eagle3");
    bench.show(recorded("eagle3"));
    const SceneInput input = bench.controller.frame(0).scene;
    const Eagle3Model m = eagle3_model(input);
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        const Json data = Json::parse(words_json("eagle3", 0, told_of("eagle3", input)));
        std::size_t steps = 0;
        for (const Json& message : data["messages"]) {
            if (message["id"] != "eagle3.steps.told") continue;
            const DraftSlot& slot = m.slot(message["values"]["step"].get<int>() - 1);
            EXPECT_EQ(message["values"]["took"].get<double>(), slot.ms);
            EXPECT_EQ(message["values"]["guess"]["values"]["distribution"][0]["values"]["p"].get<double>(),
                      std::exp(at_one(*slot.draft).entries[0].logp));
            EXPECT_EQ(message["region"], "stage");
            EXPECT_FALSE(message["drawn"].get<bool>());
            ++steps;
        }
        EXPECT_EQ(std::ssize(data["messages"]) > 0 ? static_cast<int>(steps) : 0, m.guesses());
    }
}

void expect_dflash(const SceneInput& run) {
    std::unique_ptr<OtherRound> keep;
    const SceneInput input = seen_by(run, "dflash", keep);
    const DFlashModel m = dflash_model(input);
    ASSERT_TRUE(m.some());
    const bool own = m.instead_of.empty();
    const ToldFrame told = told_of("dflash", run);
    if (!says(told, "dflash.long.subtitle")) expect_conditions(told, input, m, false);
    const std::vector<Said> positions = all_said(told, "dflash.block.position");
    ASSERT_EQ(std::ssize(positions), m.guesses()) << "those that have no column, too";
    for (const Said& said : positions) {
        const int i = static_cast<int>(whole(said, "position")) - 1;
        EXPECT_EQ(whole(said, "selected"), i == m.selected);
        expect_guess(inner(said, "guess"), *input.trace, m.slot(i), dflash_tokens(m.slot(i), 2));
    }
    const Said block = only_said(told, "dflash.block.told");
    expect_token_said(inner(block, "anchor"), *input.trace, m.anchor);
    EXPECT_EQ(whole(block, "masks"), m.guesses());
    EXPECT_EQ(maybe<double>(block, "took"), if_measured(m.draft_ms));
    const Said sees = only_said(told, "dflash.sight.mask");
    EXPECT_EQ(sees, dflash_mask_words(m).said);
    EXPECT_EQ(whole(sees, "mask"), m.selected + 1);
    EXPECT_EQ(whole(sees, "places"), m.seen);
    EXPECT_EQ(whole(sees, "before"), m.selected);
    if (!m.taps.empty()) {
        const std::vector<Said> layers = list(only_said(told, "shared.strip.taps"), "layers");
        ASSERT_EQ(layers.size(), m.taps.size());
        for (std::size_t i = 0; i < layers.size(); ++i) EXPECT_EQ("tap " + std::to_string(whole(layers[i], "layer")), m.taps[i]->name);
    }
    expect_times(told, time_series(input, "dflash"));
    const std::vector<AcceptanceSeries> measured = conditioning_series(input);
    if (measured.empty()) expect_stayed(told, acceptance_of(*input.whole), "shared.charts.this_run", own);
    for (const AcceptanceSeries& series : measured) expect_stayed(told, series, series.name.said.id(), true);
    if (own && !measured.empty()) {
        EXPECT_EQ(whole(only_said(told, "dflash.acceptance.sample"), "rounds"), 20);
        for (const Said& tokens : all_said(told, "dflash.acceptance.told"))
            EXPECT_EQ(real(tokens, "tokens"), inner(tokens, "series").id() == "dflash.acceptance.with" ? 61.0 / 20 : 33.0 / 20);
        EXPECT_GE(all_said(told, "dflash.acceptance.told").size(), 2U);
    }
    expect_published(told, input, own);
    const std::vector<Said> pairs = all_said(told, "dflash.pairs.pair");
    EXPECT_EQ(pairs.empty(), input.beat != kDFlashTwiceBeat);
    for (const Said& pair : pairs) EXPECT_EQ(real(pair, "p"), real(pair, "first_p") * real(pair, "second_p"));
    const LongAnswers* recorded = input.beat == kDFlashLongBeat ? recorded_long_answers(input) : nullptr;
    const std::vector<Said> points = all_said(told, "dflash.along.point");
    const std::vector<Stretch> stretches = stretches_of(*input.whole);
    std::vector<Stretch> expected;
    if (recorded)
        for (const LongAnswers::Series& series : recorded->series)
            expected.insert(expected.end(), series.stretches.begin(), series.stretches.end());
    if (input.beat == kDFlashLongBeat && (stretches.size() > 1 || expected.empty()))
        expected.insert(expected.end(), stretches.begin(), stretches.end());
    ASSERT_EQ(points.size(), expected.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(whole(points[i], "from"), expected[i].from);
        EXPECT_EQ(whole(points[i], "to"), expected[i].to);
        EXPECT_EQ(real(points[i], "tokens"), expected[i].tokens);
        EXPECT_EQ(maybe<double>(points[i], "high"), if_measured(expected[i].high));
        EXPECT_EQ(real(points[i], "low"), expected[i].low);
        EXPECT_EQ(whole(points[i], "rounds"), expected[i].rounds);
        EXPECT_EQ(maybe<double>(points[i], "draft"), if_measured(expected[i].draft_ms));
    }
    ASSERT_EQ(says(told, "dflash.along.source"), recorded != nullptr);
    if (!recorded) return;
    const Said source = only_said(told, "dflash.along.source");
    EXPECT_EQ(test::english(source, "weights"), recorded->weights);
    EXPECT_EQ(test::words(source, "target"), recorded->target);
    EXPECT_EQ(whole(source, "k"), recorded->k);
    EXPECT_EQ(real(source, "temperature"), recorded->temperature);
    EXPECT_EQ(whole(source, "answers"), recorded->answers);
    EXPECT_EQ(test::list(source, "machine"), machine_said(recorded->machine));
    EXPECT_EQ(test::words(source, "date"), recorded->date);
}

TEST(DFlashTold, TellsTheBlockEveryPlaceThePairsAndTheChartsInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        each_frame("dflash", expect_dflash);
    }
}

TEST(DFlashTold, SaysEveryNumberThatIsDrawn) { expect_numbers_told("dflash"); }

// The two are found by what they are, not by what somebody calls them.
TEST(DFlashTold, ComparesTheTimesUnderAnyNames) {
    Live live("dflash", settings_for("dflash"));
    live.published.studies[kTimeStudy] = timed(live.input());
    live.show();
    const ToldFrame before = told_of("dflash", live.input(kDFlashTimesBeat));
    const test::TempFolder own;
    std::ofstream(own / "drafter-names.toml") << "[eagle3]\ntitle = \"Αετός\"\n[dflash]\ntitle = \"Αστραπή\"\n";
    use_stories(std::make_shared<const StoryBook>(load_stories(kAssets / "stories", "en", own.path())));
    const ToldFrame told = told_of("dflash", live.input(kDFlashTimesBeat));
    std::set<std::string> names;
    for (const TimeSeries& series : time_series(live.input(), "dflash")) names.insert(series.name.words());
    use_stories(std::make_shared<const StoryBook>(load_stories(kAssets / "stories", "en", "")));
    EXPECT_TRUE(names.contains("Αετός") && names.contains("Αστραπή") && !names.contains("DFlash"));
    for (const ToldFrame* frame : {&before, &told}) {
        const Said slopes = only_said(*frame, "dflash.draft_times.slopes"), story = only_said(*frame, "dflash.times.text:measured");
        EXPECT_NEAR(real(slopes, "steep"), 0.31 * 0.37, 1e-9);
        EXPECT_NEAR(real(slopes, "flat"), 0.47 * 0.37, 1e-9);
        EXPECT_NEAR(real(story, "chain_from"), 0.31 * 1.37, 1e-9);
        EXPECT_NEAR(real(story, "from"), 0.47 * 1.37, 1e-9);
    }
}

void expect_logits(const Said& said, std::string_view name, const std::optional<double>& logits) {
    if (!logits) {
        EXPECT_EQ(test::words(said, name), "") << name;
        return;
    }
    const Said added = inner(said, name);
    EXPECT_EQ(real(added, "logits"), *logits);
    const double shown = added.text.ends_with(":two") ? 0.005 : 0.05;
    if (std::abs(*logits) > shown) {
        EXPECT_EQ(whole(added, "plus"), *logits > 0);
    }
}

void expect_verdict(const Said& said, const SceneInput& input, const DominoVerdict& verdict) {
    using State = DominoVerdict::State;
    if (verdict.token >= 0) expect_token_said(inner(said, "token"), *input.trace, verdict.token);
    constexpr std::pair<State, const char*> kFates[] = {{State::none, "open"},
                                                        {State::accepted, "kept"},
                                                        {State::rejected, "refused"},
                                                        {State::discarded, "behind"},
                                                        {State::unknown, "unknown"}};
    for (const auto& [state, fate] : kFates)
        if (state == verdict.state) {
            const bool of_all = state == State::none || state == State::discarded; // as in every scene
            EXPECT_EQ(inner(said, "fate").id(), (of_all ? "shared.guess.fate:" : "domino.verdict.fate:") + std::string(fate));
        }
    if (verdict.state == State::rejected && verdict.replacement)
        expect_token_said(inner(inner(said, "fate"), "own"), *input.trace, *verdict.replacement);
}

void expect_domino(const SceneInput& run) {
    std::unique_ptr<OtherRound> keep;
    const SceneInput input = seen_by(run, "domino", keep);
    const DominoModel m = domino_model(input);
    ASSERT_TRUE(m.some());
    const ToldFrame told = told_of("domino", run);
    expect_conditions(told, input, m, false);
    const std::vector<Said> positions = all_said(told, "domino.position.told");
    ASSERT_EQ(positions.size(), m.columns.size()) << "those that have no column, too";
    for (const Said& said : positions) {
        const int i = static_cast<int>(whole(said, "position")) - 1;
        const DominoColumn& c = *m.column(i);
        EXPECT_EQ(whole(said, "selected"), i == m.selected);
        EXPECT_EQ(whole(said, "corrected"), c.corrected);
        EXPECT_EQ(whole(said, "forced"), c.forced);
        EXPECT_EQ(whole(said, "id"), c.draft->token);
        expect_token_said(inner(said, "token"), *input.trace, c.draft->token);
        const std::vector<int> ids = domino_tokens(c, 3);
        for (const auto& [name, top] : {std::pair{"base", &c.base}, {"final", &c.final}}) {
            if (top == &c.final && !c.corrected) continue;
            const std::vector<Said> shares = list(said, name);
            ASSERT_EQ(shares.size(), ids.size());
            for (std::size_t e = 0; e < ids.size(); ++e) {
                expect_token_said(inner(shares[e], "token"), *input.trace, ids[e]);
                EXPECT_EQ(maybe<double>(shares[e], "p"), known_share(*top, ids[e]));
                expect_logits(shares[e], "added", top == &c.final ? correction_of(c, ids[e]) : std::nullopt);
            }
        }
        const Internals* internals = c.internals();
        EXPECT_EQ(maybe<double>(said, "z"), internals ? internals->number("mean z") : std::nullopt);
        EXPECT_EQ(maybe<double>(said, "r"), internals ? internals->number("mean r") : std::nullopt);
        EXPECT_EQ(maybe<double>(said, "size"), c.corrected ? correction_size(m, c) : std::nullopt);
    }
    std::vector<Said> verdicts = all_said(told, "domino.verdict.told");
    ASSERT_EQ(verdicts.size(), 2 * m.columns.size()) << "both rows";
    for (const Said& said : verdicts) {
        const DominoColumn& c = *m.column(static_cast<int>(whole(said, "position")) - 1);
        expect_verdict(said, input, (whole(said, "with") == 1) == m.head_on ? c.on : c.off);
    }
    const Internals* selected = m.column(m.selected)->internals();
    const std::vector<Said> movers = all_said(told, "domino.movers.told");
    ASSERT_EQ(movers.size(), selected ? selected->movers.size() : 0);
    for (std::size_t i = 0; i < movers.size(); ++i) {
        const Internals::Mover& mover = selected->movers[i];
        EXPECT_EQ(whole(movers[i], "id"), mover.token);
        EXPECT_EQ(real(movers[i], "base"), mover.base_logit);
        EXPECT_EQ(real(movers[i], "final"), mover.final_logit);
        EXPECT_EQ(real(movers[i], "from"), std::exp(mover.base_logp));
        EXPECT_EQ(real(movers[i], "to"), std::exp(mover.final_logp));
        expect_logits(movers[i], "delta", mover.delta());
        expect_logits(movers[i], "gain", mover.gain());
    }
    if (m.backbone_ms + m.head_ms + m.verify_ms > 0) {
        const Said clock = only_said(told, "domino.clock.told");
        EXPECT_EQ(real(clock, "backbone"), m.backbone_ms);
        EXPECT_EQ(real(clock, "head"), m.head_ms);
        EXPECT_EQ(real(clock, "verify"), m.verify_ms);
    }
    EXPECT_EQ(says(told, "domino.words.deeper"), m.head_on && input.beat == kDominoLowRankBeat);
    const std::pair<const char*, const char*> kStrips[] = {
        {"row", "row"}, {"state", "state"}, {"z", "z"}, {"r", "r"}, {"mixed", "low rank"}};
    for (const auto& [what, name] : kStrips)
        for (const Said& strip : strips_of(told, std::string("domino.lens.") + what)) {
            const bool gate = *name == 'z' || (*name == 'r' && name[1] == 0);
            const Internals* of = m.column(static_cast<int>(whole(inner(strip, "what"), "position")) - 1)->internals();
            ASSERT_NE(of, nullptr);
            EXPECT_EQ(whole(strip, "values"), of->strip(name)->values);
            EXPECT_EQ(real(strip, "low"), of->strip(name)->low);
            EXPECT_EQ(real(strip, "high"), of->strip(name)->high);
            EXPECT_EQ(maybe<double>(strip, "scale").has_value(), !gate);
        }
    if (!m.instead_of.empty()) return;
    for (const Said& bar : all_said(told, "domino.sizes.bar"))
        EXPECT_EQ(real(bar, "size"), correction_size(m, *m.column(static_cast<int>(whole(bar, "position")) - 1)));
}

TEST(DominoTold, TellsEveryPositionBothVerdictsTheMoversAndTheClockInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        each_frame("domino", expect_domino);
    }
}

TEST(DominoTold, SaysEveryNumberThatIsDrawn) { expect_numbers_told("domino"); }

// Which number stands where, in words.
TEST(DominoTold, SaysItsNumbersInTheirPlaces) {
    SceneBench bench("domino");
    bench.show(recorded("domino"));
    SceneInput input = bench.controller.frame(0).scene;
    const DominoModel m = domino_model(input);
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        const std::string words = in_words(told_of("domino", input));
        const std::string clock = std::string(german ? "Uhr" : "Clock") + ": " + (german ? "Backbone " : "backbone ") +
                                  ui::number(m.backbone_ms, 2) + (german ? " ms, Head " : " ms, head ") + ui::number(m.head_ms, 2) +
                                  (german ? " ms, Prüfung " : " ms, verify ") + ui::number(m.verify_ms, 2) + " ms";
        EXPECT_NE(words.find(clock), std::string::npos) << clock << "\n" << words;
        ASSERT_TRUE(m.column(1)->internals());
        const Internals& internals = *m.column(1)->internals();
        const std::string gates =
            "S2 z " + ui::probability(*internals.number("mean z")) + ", r " + ui::probability(*internals.number("mean r"));
        EXPECT_NE(words.find(gates), std::string::npos) << gates << "\n" << words;
    }
}

// Which number stands where, in words.
TEST(DFlashTold, SaysItsNumbersInTheirPlaces) {
    SceneBench bench("dflash");
    bench.show(recorded("dflash"));
    SceneInput input = bench.controller.frame(0).scene;
    const DFlashModel m = dflash_model(input);
    const Said block = only_said(told_of("dflash", input), "dflash.block.told");
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        const std::string words = in_words(told_of("dflash", input)), anchor = word(input, m.anchor), masks = std::to_string(m.guesses());
        const std::string line = german
                                     ? "Block: Anker " + anchor + " und " + masks + " Masken, ein Durchlauf, " + ui::number(m.draft_ms, 2)
                                     : "Block: anchor " + anchor + " and " + masks + " masks, one pass, " + ui::number(m.draft_ms, 2);
        EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
    }
}

// What the page asked for by itself ticks no task, and what somebody asked for ticks its own alone.
TEST(HeadTasks, AreTickedOnlyWhereSomebodyAsked) {
    Live eagle3("eagle3", settings_for("eagle3")), dflash("dflash", settings_for("dflash"));
    dflash.published.studies[kConditioning] = conditioned(dflash.input());
    for (Live* live : {&eagle3, &dflash}) {
        live->published.studies[kTimeStudy] = timed(live->input());
        live->show();
    }
    const auto first = [&] {
        const SceneInput input = eagle3.input(kEagle3TimesBeat);
        return eagle3_story(input, eagle3_model(input));
    };
    const auto second = [&](int beat) {
        const SceneInput input = dflash.input(beat);
        return dflash_story(input, dflash_model(input));
    };
    ASSERT_FALSE(first().task.empty());
    EXPECT_FALSE(first().task_done);
    EXPECT_FALSE(second(kDFlashTimesBeat).task_done);
    EXPECT_FALSE(second(kDFlashConditioningBeat).task_done);
    eagle3.bench->key(ui::Key::m);
    EXPECT_TRUE(first().task_done);
    dflash.bench->key(ui::Key::c);
    EXPECT_TRUE(second(kDFlashConditioningBeat).task_done);
    EXPECT_FALSE(second(kDFlashTimesBeat).task_done) << "that is another one";
    dflash.bench->key(ui::Key::m);
    EXPECT_TRUE(second(kDFlashTimesBeat).task_done);
}

} // namespace
} // namespace speclens::heads_told
