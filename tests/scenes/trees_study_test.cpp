// What scene S11 measures: a chain under both rules and trees, and which of them stands out of chance.
//
// What stood in the description that was written by hand, and which message has it now (TreesTold):
//
//     "On this prompt, K = 4: small, trees of domino"      study.title {k} {chain} {trees} {dice}
//     "Measured, each row: 16 seeds, up to 64 tokens each; ± 95 %"  study.note {sample} {few} {close}: shared.words.sample {seeds} {tokens}
//     "tree of 16: 17 rows, 3.00 ±.12 tokens per round"    study.row {name} {rows} {tokens}: words.row:tree {guesses}, token, block;
//                                                          shared.chance.tokens {tokens} {chance}
//     ", draft 0.50, verify 1.50 ms, ~1.75×"               study.row {timed} {draft} {verify} {times}: study.times:known {times} {doubt}
//     ", too few full rounds for a speed-up"               study.row {few}
//     "Chain (block) gives the most tokens per round, …"   study.most {most}: words.most:one, two, several {row} {other} {tokens}
//                                                          {other_tokens} {best} {least}
//
// Nobody told of the bars of a room before (study.bar {name} {draft} {verify} {round}).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/lab/study.h"
#include "engine/rules/verify.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/trees_bench.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/speaking.h"
#include "ui/format.h"

namespace speclens {
namespace {

ToldFrame trees_told(const SceneInput& input) { return told_of("trees", input); }
std::string row_id(const TreesRow& row) { return row.tree > 0 ? "words.row:tree" : row.block ? "words.row:block" : "words.row:token"; }
void expect_row_said(const Said& name, const TreesRow& row) {
    EXPECT_EQ(name.id(), "trees." + row_id(row));
    if (row.tree > 0) {
        EXPECT_EQ(test::whole(name, "guesses"), row.tree);
    }
}
void expect_tokens_said(const Said& tokens, const SeededRounds& rounds) {
    EXPECT_EQ(tokens.id(), "shared.chance.tokens");
    EXPECT_EQ(test::real(tokens, "tokens"), rounds.per_round());
    EXPECT_EQ(test::maybe<double>(tokens, "chance"), rounds.chance());
}

TEST(TreesScene, MeasuresAChainUnderBothRulesAndTrees) {
    JudgedTrees live("small", "token");
    live.measure();
    const std::vector<TreesRow> rows = trees_rows(live.bench->controller.frame(0).scene);
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].name().words(), "chain, token");
    EXPECT_EQ(rows[1].name().words(), "chain, block");
    EXPECT_DOUBLE_EQ(rows[1].tokens, 3.5);
    EXPECT_DOUBLE_EQ(rows[1].draft_ms, 0.5) << "the head is part of it";
    EXPECT_DOUBLE_EQ(rows[1].speedup, 3.5 / 2);
    EXPECT_EQ(rows[3].name().words(), "tree of 16");
    {
        SceneInput input = live.bench->controller.frame(0).scene;
        RunSettings other = *input.settings;
        input.settings = &other;
        other.k = 9;
        other.drafter = "lookup";
        EXPECT_EQ(trees_rows(input).size(), 5u) << "whoever drafts by now";
        other.sampling.temperature = 0.3;
        EXPECT_TRUE(trees_rows(input).empty()) << "other dice";
        other = live.settings;
        other.prompt.token_ids.push_back(3);
        EXPECT_TRUE(trees_rows(input).empty()) << "another prompt";
    }
    EXPECT_EQ(rows[3].rows, 17);
    Study done = *live.published.studies.at(kTreesStudy);
    done.points.back().verify_ms = 50; // something else had the cores during the last seed
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    SceneInput disturbed = live.bench->controller.frame(0).scene;
    disturbed.studies = live.published.studies;
    EXPECT_EQ(trees_rows(disturbed)[4].speedup, rows[4].speedup);
    Study brief = *live.published.studies.at(kTreesStudy);
    for (StudyPoint& p : brief.points) p.timed = p.settings.seed == live.settings.seed ? 1 : 0;
    live.published.studies[brief.name] = std::make_shared<const Study>(brief);
    disturbed.studies = live.published.studies;
    for (const TreesRow& row : trees_rows(disturbed)) EXPECT_TRUE(row.few && row.speedup == 0) << row.name();
    const std::vector<Said> few = test::all_said(trees_told(disturbed), "trees.study.row");
    ASSERT_EQ(few.size(), 5u);
    for (const Said& row : few) {
        EXPECT_EQ(test::whole(row, "few"), 1);
        EXPECT_TRUE(test::words(row, "times").empty());
    }
    EXPECT_EQ(test::whole(test::only_said(trees_told(disturbed), "trees.study.note"), "few"), 1);
    for (StudyPoint& p : done.points) p.most = 3; // as heads that make three guesses
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    SceneInput input = live.bench->controller.frame(0).scene;
    input.studies = live.published.studies;
    EXPECT_EQ(rows[0].rows, 5);
    EXPECT_EQ(trees_rows(input)[0].rows, 4);
    live.beat(5);
    EXPECT_TRUE(live.bench->shows("chain (block) gives the most")) << "a comma would begin another item";
    EXPECT_EQ(test::inner(test::inner(live.said("worth.text:told"), "most"), "row").text, "words.row:block");
    live.published.settings.drafter = "domino";
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    const std::vector<Said> titles = test::all_said(live.told(), "trees.study.title");
    ASSERT_EQ(titles.size(), 2u) << "on the stage, and in the details";
    const Said& title = titles[0];
    EXPECT_EQ(test::words(title, "chain"), "small") << "of those that were measured";
    EXPECT_EQ(test::words(title, "trees"), "");
    EXPECT_EQ(test::whole(title, "dice"), 1);
    EXPECT_EQ(test::whole(title, "k"), 0);
}

// Luck of a seed, the same for all rows or of each row its own; none on average.
int luck_of(const JudgedTrees& live, const RunSettings& one, int row) {
    constexpr int kLuck[] = {-9, 5, 8, -4, 7, -6, -8, 7};
    return kLuck[(one.seed - live.settings.seed + static_cast<std::uint64_t>(3 * row)) % 8];
}

int row_of(const RunSettings& one) { return one.rule == "token" ? 0 : one.rule == "block" ? 1 : one.options.tree_budget; }

// The same seeds bring most of the luck to all rows: a small lead in every one of them tells more than two
// means whose intervals meet.
TEST(TreesScene, NamesAWinnerOnlyWhereItStandsOutOfTheNoise) {
    for (const Size& s : kSizes) {
        if (s.w < 1100) continue;
        for (const bool shared : {false, true}) {
            JudgedTrees live("small", "token", {0, 0, s.w, s.h});
            live.measure(
                [&](const RunSettings& one) { return (one.rule == "block" ? 34 : 32) + luck_of(live, one, shared ? 0 : row_of(one)); });
            live.beat(kTreesWorthBeat);
            const SceneInput input = live.bench->controller.frame(0).scene;
            const std::vector<TreesRow> rows = trees_rows(input);
            ASSERT_EQ(rows.size(), 5u);
            EXPECT_NEAR(rows[0].tokens, 3.2, 1e-9);
            EXPECT_GT(*rows[0].rounds.chance(), 0.2) << "wider than the lead";
            EXPECT_EQ(trees_leaders(rows).most.size(), shared ? 1u : 5u);
            EXPECT_EQ(trees_leaders(rows).most.front(), 1u);
            const std::string where = std::string(s.name) + (shared ? " shared luck" : " own luck");
            EXPECT_EQ(live.bench->shows("too close to call"), !shared) << where << "\n" << live.bench->words;
            const ToldFrame told = trees_told(input);
            EXPECT_EQ(test::whole(test::only_said(told, "trees.study.note"), "close"), !shared);
            const Said worth = test::only_said(told, shared ? "trees.worth.text:told" : "trees.worth.text:close");
            const Said most = test::inner(worth, "most");
            EXPECT_EQ(most, test::inner(test::only_said(told, "trees.study.most"), "most"));
            EXPECT_EQ(most.id(), shared ? "trees.words.most:one" : "trees.words.most:several");
            if (shared) {
                expect_row_said(test::inner(most, "row"), rows[1]);
                expect_tokens_said(test::inner(most, "tokens"), rows[1].rounds);
                EXPECT_TRUE(message(most).words().starts_with("chain (block) gives the most tokens per round, 3.40 ±"));
                EXPECT_NEAR(test::real(test::inner(most, "tokens"), "tokens"), 3.4, 1e-9);
            } else {
                EXPECT_EQ(test::whole(most, "best"), 0) << "all of them";
                EXPECT_EQ(message(most).words(), "the rows are too close to call, 3.20 to 3.40 tokens per round");
                EXPECT_NE(in_words(told).find("M measures twice as many seeds."), std::string::npos) << in_words(told);
                EXPECT_NEAR(test::real(most, "least"), 3.2, 1e-9);
                EXPECT_NEAR(test::real(most, "tokens"), 3.4, 1e-9);
                EXPECT_EQ(test::inner(worth, "more_seeds").id(), "shared.chance.more_seeds");
            }
            EXPECT_TRUE(live.bench->shows("3.40 ±")) << where << "\n" << live.bench->words;
            look(*live.bench, where, s.w < 1280);                 // the drawer covers a part of the stage
            live.bench->controller.chrome.layout.details = false; // measuring opened it
            live.bench->settle();
            if (s.w == 1280) expect_whole_story(*live.bench, where);
        }
    }
}

// A lead in time that is within what the tries of one row lie apart is none.
TEST(TreesScene, NamesTheFastestOnlyWhereItStandsOut) {
    JudgedTrees live("small", "token");
    live.measure();
    SceneInput input = live.bench->controller.frame(0).scene;
    EXPECT_EQ(trees_leaders(trees_rows(input)).fastest, std::vector<std::size_t>{1});
    Study shaken = *live.published.studies.at(kTreesStudy);
    for (StudyPoint& p : shaken.points)
        if (p.settings.seed != live.settings.seed) p.verify_ms *= 1.5; // the quickest count
    live.published.studies[shaken.name] = std::make_shared<const Study>(shaken);
    input.studies = live.published.studies;
    const std::vector<TreesRow> rows = trees_rows(input);
    EXPECT_EQ(trees_leaders(rows).most, std::vector<std::size_t>{1}) << "tokens do not depend on the clock";
    EXPECT_EQ(trees_leaders(rows).fastest.size(), rows.size());
    input.beat = kTreesWorthBeat;
    const Said fastest = test::inner(trees_story(input, trees_model(input, {})).text.said, "fastest");
    EXPECT_EQ(fastest.id(), "trees.words.fastest:several");
    EXPECT_EQ(test::real(fastest, "times"), std::ranges::max(rows, {}, &TreesRow::speedup).speedup);
}

// A table whose noise has the block below the token rule stands beside a guarantee: the sentence says what the noise is.
TEST(TreesScene, TellsWhyItsTableSeemsToDenyTheGuarantee) {
    JudgedTrees live("small", "block");
    const auto note = [&] { // where there is one
        SceneInput input = live.bench->controller.frame(live.bench->time).scene;
        input.beat = 2;
        const Said said = trees_story(input, trees_model(input, {})).text.said;
        const auto found = std::ranges::find(said.values, "note", &SaidValue::name);
        return found != said.values.end() && found->there() ? test::inner(said, "note") : Said();
    };
    EXPECT_NE(note().text, "words.chance");
    live.measure([](const RunSettings& one) { return one.rule == "block" ? 30 : 28 + static_cast<int>(one.seed % 7); });
    const std::vector<TreesRow> rows = trees_rows(live.bench->controller.frame(0).scene);
    ASSERT_EQ(note().id(), "trees.words.chance");
    EXPECT_EQ(test::real(note(), "block"), 3);
    EXPECT_EQ(test::real(note(), "token"), rows[0].tokens);
    EXPECT_GT(rows[0].tokens, 3);
    EXPECT_TRUE(message(note()).words().starts_with("That 3.00 was measured here below " + ui::number(rows[0].tokens, 2) + " is chance"));
    live.measure();
    EXPECT_NE(note().text, "words.chance");
}

TEST(TreesScene, ComparesNothingBeforeAllIsMeasured) {
    JudgedTrees live("small", "token");
    live.measure();
    Study half = *live.published.studies.at(kTreesStudy);
    half.points.resize(half.points.size() / 2);
    live.published.studies[half.name] = std::make_shared<const Study>(half);
    live.bench->controller.observe(live.published, live.bench->time);
    live.beat(kTreesWorthBeat);
    const Said sample = test::inner(live.said("worth.text:under_way"), "sample");
    EXPECT_EQ(test::whole(sample, "seeds"), 8);
    EXPECT_EQ(test::whole(sample, "tokens"), 64);
    EXPECT_FALSE(live.says("study.most"));
    EXPECT_FALSE(live.bench->shows("gives the most"));
}

TEST(TreesScene, MeasuringAgainTakesTwiceAsManySeeds) {
    JudgedTrees live("small", "token");
    const auto seeds = [&] {
        std::set<std::uint64_t> distinct;
        for (const StudyPoint& p : live.published.studies.at(kTreesStudy)->points) distinct.insert(p.settings.seed);
        return distinct.size();
    };
    for (const std::size_t wanted : {16u, 32u, 64u, 64u}) {
        live.measure();
        EXPECT_EQ(seeds(), wanted);
    }
    SceneInput input = live.bench->controller.frame(0).scene;
    const auto asked = [&] { return trees_study(input, trees_model(input, {})).runs.size(); };
    const std::size_t again = asked();
    RunSettings longer = *input.settings;
    longer.k = 7;
    input.settings = &longer;
    EXPECT_EQ(asked() * 4, again) << "other rows, of which nothing is known yet";
}

TEST(TreesScene, SlowModelsAreMeasuredWithFewerSeeds) {
    JudgedTrees live("small", "token");
    SceneInput input = live.bench->controller.frame(0).scene;
    EXPECT_EQ(seeds_to_measure(input, {}, nullptr), 16);
    input.plain.ms_per_token = 40;
    EXPECT_EQ(seeds_to_measure(input, {}, nullptr), 4);
    int plain = 0;
    for (const RunSettings& one : trees_study(input, trees_model(input, {})).runs) plain += one.drafter == "none";
    EXPECT_EQ(plain, 1) << "whose many passes tell enough";
}

TEST(Trees, TheIntervalIsThatOfSeeds) {
    const auto rounds = [](std::initializer_list<int> tokens) {
        SeededRounds row;
        std::uint64_t seed = 0;
        for (const int n : tokens) row.seeds.push_back({seed++, 10, n});
        return row;
    };
    const SeededRounds row = rounds({30, 50, 40, 40});
    EXPECT_DOUBLE_EQ(row.per_round(), 4);
    // Deviation 8.165 tokens, four seeds, Student's t 3.182.
    EXPECT_NEAR(*row.chance(), 3.182 * 0.8165 / 2, 0.02);
    EXPECT_FALSE(rounds({30}).chance()) << "one seed has no spread";
    EXPECT_EQ(with_chance(rounds({30})).words(), "3.00");
    EXPECT_EQ(with_chance(rounds({30, 30})).words(), "3.00 ±0");
    EXPECT_EQ(with_chance(row).words(), "4.00 ±" + ui::fraction(*row.chance(), 2));
    expect_tokens_said(with_chance(row).said, row);
    const test::Speaking german("de");
    EXPECT_EQ(with_chance(rounds({30, 30})).words(), "3,00 ±0");
    EXPECT_EQ(with_chance(row).words(), "4,00 ±" + ui::fraction(*row.chance(), 2));
    EXPECT_TRUE(ratio_of(rounds({33, 53, 43, 43}), row).more()) << "ahead with every seed";
    EXPECT_FALSE(ratio_of(rounds({53, 33, 43, 43}), row).more());
    SeededRounds other = rounds({33, 53, 43, 43});
    for (SeededRounds::Seed& one : other.seeds) one.seed += 100;
    EXPECT_EQ(ratio_of(other, row).seeds, 0) << "no seed in common";
    EXPECT_FALSE(ratio_of(other, row).more());
}

// With as few guesses as levels a tree spends them all on one path: the chain over again.
TEST(Trees, EveryTreeThatIsMeasuredBranches) {
    for (const int k : {1, 4, 8, 15}) {
        JudgedTrees live("small", "token", {0, 0, 1600, 1000}, k);
        const SceneInput input = live.bench->controller.frame(0).scene;
        std::set<int> sizes;
        for (RunSettings one : trees_study(input, trees_model(input, {})).runs) {
            if (one.drafter != "small_tree") continue;
            EXPECT_GT(one.options.tree_budget, one.k);
            if (!sizes.insert(one.options.tree_budget).second) continue;
            one.max_tokens = 40;
            speclens::Run run(live.models, one);
            run.finish();
            const RunView view = fold(run.trace(), run.trace().size());
            EXPECT_TRUE(std::ranges::any_of(view.round_list,
                                            [](const RoundSummary& round) {
                                                std::set<int> parents;
                                                return std::ranges::any_of(round.drafts, [&](const DraftSlot& slot) {
                                                    return !parents.insert(slot.parent).second;
                                                });
                                            }))
                << "tree of " << one.options.tree_budget << ", K " << k;
        }
        EXPECT_GE(sizes.size(), 2u) << k;
    }
}

// How far it is, and a way to end it, where it was begun.
TEST(TreesScene, TellsHowFarItsMeasurementIsAndEndsIt) {
    JudgedTrees live("small", "block");
    live.bench->key(ui::Key::m);
    const auto asked = std::ranges::find_if(live.sent, [](const Command& c) { return std::holds_alternative<RunStudy>(c); });
    ASSERT_NE(asked, live.sent.end());
    const auto& plan = std::get<RunStudy>(*asked);
    Study begun{plan.name, static_cast<int>(plan.runs.size()), {}};
    begun.points.resize(1);
    begun.points[0].settings = plan.runs[0];
    live.published.studies[begun.name] = std::make_shared<const Study>(begun);
    live.show();
    const Said runs = test::only_said(live.told(), "shared.words.measured_runs");
    EXPECT_EQ(test::whole(runs, "done"), 1);
    EXPECT_EQ(test::whole(runs, "runs"), static_cast<std::int64_t>(plan.runs.size()));
    live.sent.clear();
    live.bench->click(live.bench->find("Stop"));
    ASSERT_FALSE(live.sent.empty());
    EXPECT_TRUE(std::holds_alternative<Cancel>(live.sent.back()));
}

// Every row with all its numbers, whatever the beat shows; at that of a room's bars those as well.
TEST(TreesTold, TellsEveryMeasuredRowInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const bool quiet : {true, false}) {
            const test::Speaking speaking(language);
            JudgedTrees live("small", "block");
            live.measure([&](const RunSettings& one) { return 30 + row_of(one) / 4 + luck_of(live, one, 0); });
            Study busy = *live.published.studies.at(kTreesStudy);
            for (StudyPoint& p : busy.points) {
                p.verify_ms += 0.01 * static_cast<double>(p.settings.options.tree_budget);
                if (!quiet) p.busy_cores = 1.5;
            }
            live.published.studies[busy.name] = std::make_shared<const Study>(busy);
            live.show();
            const std::vector<TreesRow> rows = trees_rows(live.input());
            ASSERT_EQ(rows.size(), 5u);
            for (int beat = 0; beat < kTreesBeats; ++beat) {
                SCOPED_TRACE(std::string(language) + " " + std::to_string(beat));
                const ToldFrame told = trees_told(live.input(beat));
                const std::vector<Said> said = test::all_said(told, "trees.study.row"), bars = test::all_said(told, "trees.study.bar");
                ASSERT_EQ(said.size(), rows.size());
                ASSERT_EQ(bars.size(), beat == kTreesWorthBeat ? rows.size() : 0u);
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    expect_row_said(test::inner(said[i], "name"), rows[i]);
                    EXPECT_EQ(test::whole(said[i], "rows"), rows[i].rows);
                    expect_tokens_said(test::inner(said[i], "tokens"), rows[i].rounds);
                    EXPECT_EQ(test::whole(said[i], "timed"), 1);
                    EXPECT_EQ(test::real(said[i], "draft"), rows[i].draft_ms);
                    EXPECT_EQ(test::real(said[i], "verify"), rows[i].verify_ms);
                    EXPECT_EQ(test::whole(said[i], "few"), 0);
                    const Said times = test::inner(said[i], "times");
                    EXPECT_EQ(times.id(), "trees.study.times:known");
                    EXPECT_EQ(test::real(times, "times"), rows[i].speedup);
                    EXPECT_EQ(test::whole(times, "doubt"), !quiet);
                    if (bars.empty()) continue;
                    expect_row_said(test::inner(bars[i], "name"), rows[i]);
                    EXPECT_EQ(test::real(bars[i], "draft"), rows[i].draft_ms);
                    EXPECT_EQ(test::real(bars[i], "verify"), rows[i].verify_ms);
                    EXPECT_EQ(test::real(bars[i], "round"), rows[i].draft_ms + rows[i].verify_ms);
                }
                const Said note = test::only_said(told, "trees.study.note"), sample = test::inner(note, "sample");
                EXPECT_EQ(test::whole(sample, "seeds"), 16);
                EXPECT_EQ(test::whole(sample, "tokens"), 64);
                EXPECT_EQ(test::whole(note, "few"), 0);
                EXPECT_EQ(test::whole(note, "close"), trees_leaders(rows).most.size() > 1);
                const Said most = test::inner(test::only_said(told, "trees.study.most"), "most");
                EXPECT_EQ(most.id(), "trees.words.most:one");
                expect_row_said(test::inner(most, "row"), rows[4]);
                expect_tokens_said(test::inner(most, "tokens"), rows[4].rounds);
                const std::string words = in_words(told);
                const bool german = std::string_view(language) == "de";
                const std::string line =
                    (german ? "Baum aus 16: 17 Zeilen, " : "tree of 16: 17 rows, ") + with_chance(rows[3].rounds).words() +
                    (german ? " Token pro Runde, Entwurf 0,50, Prüfung 1,66 ms, " : " tokens per round, draft 0.50, verify 1.66 ms, ") +
                    (quiet ? "" : "~") + ui::speed_up(rows[3].speedup) + "\n";
                EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
                const std::string bar = german ? "Baum aus 16: Entwurf 0,50 + Prüfung 1,66 = 2,16 ms pro Runde\n"
                                               : "tree of 16: draft 0.50 + verify 1.66 = 2.16 ms a round\n";
                EXPECT_EQ(words.find(bar) != std::string::npos, !bars.empty()) << words;
                EXPECT_NE(words.find(german ? "Baum aus 32 gibt die meisten" : "Tree of 32 gives the most"), std::string::npos) << words;
            }
            // Who is the fastest, and what the title says of all of them.
            const ToldFrame told = trees_told(live.input(kTreesWorthBeat));
            const Said title = test::only_said(told, "trees.worth.title:timed");
            EXPECT_EQ(test::real(title, "quickest"), std::ranges::min(rows, {}, &TreesRow::ms).ms());
            EXPECT_EQ(test::real(title, "slowest"), std::ranges::max(rows, {}, &TreesRow::ms).ms());
            EXPECT_EQ(test::real(title, "fewest"), rows[0].tokens);
            EXPECT_EQ(test::real(title, "most"), rows[4].tokens);
            const std::string named = std::string_view(language) == "de" ? "Eine Runde braucht 2,08 bis 2,32 ms, für 3,00 bis 3,80 Token\n"
                                                                         : "A round takes 2.08 to 2.32 ms, for 3.00 to 3.80 tokens\n";
            EXPECT_TRUE(in_words(told).starts_with(named)) << in_words(told);
            const Said subtitle = test::only_said(told, "trees.subtitle.figures");
            EXPECT_EQ(test::whole(test::inner(subtitle, "sample"), "seeds"), 16);
            EXPECT_EQ(test::whole(subtitle, "close"), 0);
            const TreesLeaders leaders = trees_leaders(rows);
            const Said fastest = test::inner(
                test::only_said(told, leaders.fastest.size() > 1 ? "trees.worth.text:close" : "trees.worth.text:told"), "fastest");
            if (quiet) {
                EXPECT_EQ(test::real(fastest, "times"), rows[leaders.fastest.front()].speedup) << fastest.id();
            } else {
                EXPECT_EQ(fastest.id(), "trees.words.fastest:in_doubt");
                EXPECT_EQ(test::real(test::inner(fastest, "doubt"), "cores"), 1.5);
            }
            if (std::string_view(language) == "en") {
                EXPECT_GT(test::expect_drawn_numbers_told("trees", live.input(kTreesWorthBeat)), 20u);
            }
        }
}

// The two that are too close to call, by name and with what chance leaves open of either.
TEST(TreesTold, NamesTwoThatCannotBeToldApart) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        JudgedTrees live("small", "token");
        live.measure([&](const RunSettings& one) {
            const int row = row_of(one);
            return row == 16 ? 60 + luck_of(live, one, 0) : row == 32 ? 59 + luck_of(live, one, 1) : 20;
        });
        const std::vector<TreesRow> rows = trees_rows(live.input());
        const TreesLeaders leaders = trees_leaders(rows);
        ASSERT_EQ(leaders.most, (std::vector<std::size_t>{3, 4}));
        const ToldFrame told = trees_told(live.input(kTreesWorthBeat));
        const Said worth = test::only_said(told, "trees.worth.text:close"), most = test::inner(worth, "most");
        EXPECT_EQ(most.id(), "trees.words.most:two");
        expect_row_said(test::inner(most, "row"), rows[3]);
        expect_row_said(test::inner(most, "other"), rows[4]);
        expect_tokens_said(test::inner(most, "tokens"), rows[3].rounds);
        expect_tokens_said(test::inner(most, "other_tokens"), rows[4].rounds);
        const bool german = std::string_view(language) == "de";
        EXPECT_EQ(message(most).words(), (german ? "Baum aus 16 und Baum aus 32 geben die meisten Token pro Runde, "
                                                 : "tree of 16 and tree of 32 give the most tokens per round, ") +
                                             with_chance(rows[3].rounds).words() + (german ? " und " : " and ") +
                                             with_chance(rows[4].rounds).words() + (german ? ": zu knapp" : ": too close to call"));
        const Said fastest = test::inner(worth, "fastest");
        ASSERT_EQ(fastest.id(), "trees.words.fastest:two");
        expect_row_said(test::inner(fastest, "row"), rows[leaders.fastest[0]]);
        expect_row_said(test::inner(fastest, "other"), rows[leaders.fastest[1]]);
        EXPECT_EQ(test::real(fastest, "times"), rows[leaders.fastest[0]].speedup);
        EXPECT_EQ(test::whole(test::only_said(told, "trees.subtitle.figures"), "close"), 1);
    }
}

} // namespace
} // namespace speclens
