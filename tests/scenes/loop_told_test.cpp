// The loop in words and as data: every guess, the check, the target's own token, the clock and both distributions, in both languages.
//
// What stood in the description that was written by hand, and which message has it now:
//
//     "Guess 1: after guess 2, “x”, draft .99, target .80"    guess.told {guess} {parent} {token} {id} {draft} {target} {drawn} {extra}
//     {took}
//     ", coin .17 (set by you) < 1.00"                        guess.coin {coin} {set} {under} {threshold}
//     ", put here by you", ", counts as certain"              guess.told {forced} {certain}
//     ", mixture …, prefix …, limit …"                        guess.told {mixture} {prefix} {limit}
//     ": accepted by a later coin", " (selected)"             fate.*, guess.told {selected}
//     "Guess 3: not made yet"                                 draft_row.guess {n}
//     "Verify: 5 rows, 9.0 ms"                                verify_row.told {rows} {took}
//     "Resampled from the residual: “x”, probability …, coin …"    own_row.told:residual, bonus, target, dropped {token} {p} {coin}
//     "Its distribution, by token number: …, others …"        strip.told {shares}: strip.share:token {token} {p}, others {p}
//     "Clock: drafting …, verify …, rest … ms; plain decoding … ms per token; … saved"    clock.told {phases} {plain} {saving}
//     "Speed-up of the run: ~1.20× (in doubt: …)"             clock.run {times} {note}
//     "Position 3, target and draft:"                         distributions.title {place}
//     "  “x”: target .80, draft .99", "  other: …"            distributions.row:token {token} {id} {target} {draft}, other
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "engine/base/json.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "tests/scenes/loop_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/micro.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

std::vector<ui::ToldMessage> told_of(const SceneInput& input) { return find_scene("loop")->make()->told(input); }

std::optional<double> chance(const std::optional<double>& logp) { return logp ? std::optional(std::exp(*logp)) : std::nullopt; }

void expect_token(const Said& said, const Trace& trace, int id) {
    const Said token = test::inner(said, "token");
    if (token.text == "words.token:text")
        EXPECT_EQ(test::words(token, "text"), ui::token_in_text(trace.text(id)));
    else
        EXPECT_EQ(test::whole(token, "n"), std::ssize(trace.text(id)));
}
double ms_in(const Said& said, std::string_view name) { return test::real(test::inner(said, name), "ms"); }

void expect_guess(const Said& said, const SceneInput& input, const LoopModel& model, int column) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(column)];
    EXPECT_EQ(test::whole(said, "guess"), column + 1);
    EXPECT_EQ(test::whole(said, "parent"), model.tree ? c.parent + 1 : 0);
    EXPECT_EQ(test::whole(said, "id"), c.draft->token);
    expect_token(said, *input.trace, c.draft->token);
    EXPECT_EQ(test::maybe<double>(said, "draft"), c.q);
    EXPECT_EQ(test::maybe<double>(said, "target"), c.p);
    EXPECT_EQ(test::maybe<double>(said, "drawn"), c.draft->u);
    EXPECT_EQ(test::whole(said, "forced"), c.draft->forced());
    EXPECT_EQ(test::whole(said, "certain"), model.rule == RuleKind::certain);
    EXPECT_EQ(test::whole(said, "selected"), column == model.selected);
    EXPECT_EQ(test::maybe<double>(said, "mixture"), c.check ? chance(c.check->mixture) : std::nullopt);
    EXPECT_EQ(test::maybe<double>(said, "prefix"), c.check ? chance(c.check->prefix_coefficient) : std::nullopt);
    EXPECT_EQ(test::maybe<double>(said, "limit"), c.check ? c.check->typical_threshold : std::nullopt);
    if (model.timed() && c.ms > 0) {
        EXPECT_EQ(ms_in(said, "took"), c.ms);
    }
    constexpr const char* kFates[] = {"open", "open", "accepted", "rejected", "discarded"};
    const std::string fate = c.rescued() ? "rescued" : kFates[static_cast<int>(c.fate)];
    EXPECT_EQ(test::inner(said, "fate").id(), fate == "open" ? "shared.guess.fate:open" : "loop.fate." + fate);
    if (!c.check || !c.check->u || !throws_coins(model.rule)) {
        EXPECT_FALSE(test::maybe<std::string>(said, "coin")) << "none was thrown";
        return;
    }
    const Said coin = test::inner(said, "coin");
    EXPECT_EQ(test::real(test::inner(coin, "coin"), "p"), *c.check->u);
    EXPECT_EQ(test::real(test::inner(coin, "threshold"), "p"), std::min(1.0, c.check->threshold));
    EXPECT_EQ(test::whole(coin, "under"), *c.check->u < c.check->threshold);
    EXPECT_EQ(test::whole(coin, "set"), c.check->set);
}

void expect_side(const Said& row, std::string_view name, const std::optional<double>& p) {
    const Said side = test::inner(row, name);
    EXPECT_EQ(side.text, !p ? "distributions.p:unrecorded" : *p < 0 ? "distributions.p:below" : "distributions.p:listed");
    if (p && *p >= 0) {
        EXPECT_EQ(test::real(side, "p"), *p);
    }
}

// What is told of a frame, against the model of that frame.
void expect_all_told(const SceneInput& input) {
    const LoopModel model = loop_model(input);
    const std::vector<ui::ToldMessage> told = told_of(input);
    std::set<std::int64_t> guesses;
    for (const Said& said : test::all_said(told, "loop.guess.told")) {
        const auto guess = test::whole(said, "guess");
        guesses.insert(guess);
        ASSERT_TRUE(guess >= 1 && guess <= model.drafted);
        expect_guess(said, input, model, static_cast<int>(guess) - 1);
    }
    EXPECT_EQ(std::ssize(guesses), model.drafted) << "those that have no room, too";
    const bool verified = model.round && model.round->verify;
    ASSERT_EQ(test::all_said(told, "loop.verify_row.told").size(), verified ? 1U : 0U);
    if (verified) {
        const Said said = test::only_said(told, "loop.verify_row.told");
        EXPECT_EQ(test::whole(said, "rows"), model.round->verify->rows);
        if (model.timed()) {
            EXPECT_EQ(ms_in(said, "took"), model.round->verify_ms);
        }
    }
    if (model.own) {
        const char* from = model.own_dropped                                ? "dropped"
                           : model.own->from == TargetToken::From::residual ? "residual"
                           : model.own->from == TargetToken::From::bonus    ? "bonus"
                                                                            : "target";
        const Said said = test::only_said(told, std::string("loop.own_row.told:") + from);
        expect_token(said, *input.trace, model.own->token);
        EXPECT_EQ(test::real(said, "p"), std::exp(model.own->p));
        EXPECT_EQ(test::maybe<double>(said, "coin"), model.own->u);
        double all = 0;
        for (const Said& strip : test::all_said(told, "loop.strip.told"))
            for (const Said& share : test::list(strip, "shares")) all += test::real(share, "p");
        EXPECT_NEAR(all, model.own->top.entries.size() > 1 ? 1 : 0, 0.005 * 12) << "but for what is too small to be told";
    }
    if (model.timed()) {
        const Said clock = test::only_said(told, "loop.clock.told");
        for (const Said& phase : test::list(clock, "phases"))
            EXPECT_EQ(ms_in(phase, "ms"), phase.text == "clock.phase:draft"    ? model.round->draft_ms
                                          : phase.text == "clock.phase:verify" ? model.round->verify_ms
                                                                               : model.other_ms);
        if (model.plain_ms > 0) {
            EXPECT_EQ(ms_in(clock, "plain"), model.plain_ms);
        }
    }
    const ColumnDistributions of = column_distributions(model, model.selected);
    std::vector<Said> rows = test::all_said(told, "loop.distributions.row:token");
    if (of.target.empty() && of.draft.empty()) {
        EXPECT_TRUE(rows.empty());
        return;
    }
    const bool guess = model.selected < static_cast<int>(model.columns.size());
    const DistributionTable table = distribution_table(
        of.target, of.draft, 10, guess ? model.columns[static_cast<std::size_t>(model.selected)].draft->token : model.own->token);
    const std::vector<Said> other = test::all_said(told, "loop.distributions.row:other");
    rows.insert(rows.end(), other.begin(), other.end());
    ASSERT_EQ(rows.size(), table.rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (table.rows[i].id >= 0) {
            EXPECT_EQ(test::whole(rows[i], "id"), table.rows[i].id);
        }
        expect_side(rows[i], "target", table.rows[i].target);
        expect_side(rows[i], "draft", table.rows[i].draft);
    }
}

// Every step of some rounds of these runs.
template <class Visit>
void each_frame(const Visit& visit) {
    const auto models = test::micro_models(1);
    const std::pair<const char*, const char*> kRuns[] = {{"small", "token"},         {"small", "block"},     {"small", "typical"},
                                                         {"small", "cascade_chow"},  {"medusa", "lenience"}, {"eagle3_tree", "tree_topk"},
                                                         {"small_tree", "tree_wor"}, {"small", "match"}};
    for (const auto& [drafter, rule] : kRuns) {
        const Played run(models, drafter, rule);
        SceneBench bench("loop");
        bench.controller.show_saved(run.trace, run.settings);
        for (std::size_t cursor = 1; cursor <= std::min<std::size_t>(26, run.trace->size()); ++cursor) {
            SCOPED_TRACE(std::string(drafter) + " " + rule + " at " + std::to_string(cursor));
            bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
            SceneInput input = bench.controller.frame(0).scene;
            input.plain.ms_per_token = 9;
            visit(input);
        }
    }
}

TEST(LoopTold, TellsEveryGuessTheCheckTheClockAndBothDistributionsInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        each_frame([](const SceneInput& input) { expect_all_told(input); });
    }
}

// What a trace says in English for every program is a message where it is shown.
TEST(LoopTold, TellsWhereCopiesComeFromWhyItEndedAndWhyNothingIsDraftedInBothLanguages) {
    const auto models = test::micro_models(1);
    const auto repeating = [](RunSettings& settings) {
        settings.prompt.token_ids = {5, 6, 7, 5, 6, 7, 5, 6};
        settings.sampling.temperature = 0;
    };
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        const bool german = std::string_view(language) == "de";
        int copies = 0;
        for (const char* drafter : {"lookup", "suffix", "sam"}) {
            const Played run(models, drafter, "greedy", repeating);
            SceneBench bench("loop");
            bench.controller.show_saved(run.trace, run.settings);
            for (std::size_t cursor = 1; cursor <= run.trace->size(); ++cursor) {
                bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
                const SceneInput input = bench.controller.frame(0).scene;
                const LoopModel model = loop_model(input);
                for (const Said& said : test::all_said(told_of(input), "loop.guess.told")) {
                    const std::string& extra = model.columns[static_cast<std::size_t>(test::whole(said, "guess")) - 1].draft->extra;
                    const Said from = test::inner(said, "extra");
                    ASSERT_TRUE(from.text == "source.copied" || from.text == "source.counted") << extra;
                    EXPECT_TRUE(extra.starts_with(std::to_string(test::whole(from, "tokens")) + "-gram found at token " +
                                                  std::to_string(test::whole(from, "at")) + ", "));
                    if (!german) {
                        EXPECT_EQ(message(from).words(), extra);
                    } else {
                        EXPECT_NE(message(from).words().find("-Gramm bei Token "), std::string::npos);
                    }
                    ++copies;
                }
            }
            const SceneInput end = bench.controller.frame(0).scene;
            const Said ended = test::only_said(told_of(end), "loop.end.text");
            const std::string& why = end.whole->stopped->reason;
            EXPECT_EQ(test::inner(ended, "reason").id(), std::string("loop.stop.reason:") + (why == Stopped::kLength        ? "length"
                                                                                             : why == Stopped::kContextFull ? "context"
                                                                                                                            : "text"));
        }
        EXPECT_GT(copies, 10) << language;
        const Played off(models, "small", "token", [](RunSettings& settings) { settings.k = 0; });
        SceneBench bench("loop");
        bench.controller.show_saved(off.trace, off.settings);
        bool told = false;
        for (std::size_t cursor = 1; cursor <= off.trace->size() && !told; ++cursor) {
            bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
            for (const Said& said : test::all_said(told_of(bench.controller.frame(0).scene), "loop.verify.text:nothing")) {
                const Said reason = test::inner(said, "reason");
                EXPECT_EQ(test::inner(reason, "why").id(), "shared.note.k_zero");
                EXPECT_EQ(message(reason).words(), german ? "Spekulation ist aus: K = 0" : off.trace->header()->notice);
                told = true;
            }
        }
        EXPECT_TRUE(told) << language;
    }
}

TEST(LoopTold, ColumnsWithoutRoomAreToldAsWell) {
    const auto trace = fixtures::toy_run({.name = "many", .k = 15, .cycles = 1, .noise = 0.1});
    SceneBench bench("loop");
    bench.show(trace, fold(*trace, trace->size()).round_list[0].end_event);
    expect_all_told(bench.controller.frame(0).scene);
}

// A number that is drawn and that no message has would be one that only eyes see.
TEST(LoopTold, SaysEveryNumberThatIsDrawn) {
    std::size_t seen = 0;
    each_frame([&](const SceneInput& input) { seen += test::expect_drawn_numbers_told("loop", input); });
    EXPECT_GT(seen, 1000U);
}

TEST(LoopTold, GivesNumbersWithFullPrecisionAsData) {
    const auto trace = fixtures::mixed();
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SceneBench bench("loop");
        bench.show(trace, 30);
        const SceneInput input = bench.controller.frame(0).scene;
        const LoopModel model = loop_model(input);
        const Json data = Json::parse(words_json("loop", 0, told_of(input)));
        int guesses = 0;
        for (const Json& message : data["messages"]) {
            if (message["id"] != "loop.guess.told") continue;
            const LoopColumn& c = model.columns[message["values"]["guess"].get<std::size_t>() - 1];
            EXPECT_EQ(message["values"]["draft"].get<double>(), *c.q);
            EXPECT_FALSE(message["drawn"].get<bool>());
            EXPECT_EQ(message["region"], "stage");
            ++guesses;
        }
        EXPECT_EQ(guesses, model.drafted);
    }
}

// Which number stands where, in words.
TEST(LoopTold, SaysItsNumbersInTheirPlaces) {
    struct Lines {
        const char* language;
        std::vector<const char*> rescued, ended;
    };
    for (const auto& [language, rescued, ended] :
         {Lines{"en",
                {"Guess 1: “word5”, id 5, draft .80, target .40, coin .90 ≥ .30, drawn by coin .50, prefix .50: accepted by a later coin\n",
                 "Guess 3: “word7”, id 7, draft .80, target .40, coin .10 < .20, drawn by coin .50, prefix .50: accepted (selected)\n",
                 "Verify: 4 rows\n", "3 passes\n"},
                {"Not used, the text ended before it: “word9”, probability 1.00\n",
                 "Guess 2: “word6”, id 6, draft 1.00, target 1.00: accepted\n"}},
          Lines{"de",
                {"Vorschlag 1: „word5“, Id 5, Entwurf 0,80, Ziel 0,40, Münze 0,90 ≥ 0,30, von Münze 0,50 gezogen, Präfix 0,50: von einer "
                 "späteren Münze behalten\n",
                 "Vorschlag 3: „word7“, Id 7, Entwurf 0,80, Ziel 0,40, Münze 0,10 < 0,20, von Münze 0,50 gezogen, Präfix 0,50: akzeptiert "
                 "(gewählt)\n",
                 "Prüfung: 4 Zeilen\n", "3 Durchläufe\n"},
                {"Ungebraucht, der Text endete davor: „word9“, Wahrscheinlichkeit 1,00\n"}}}) {
        const test::Speaking speaking(language);
        SceneBench bench("loop");
        bench.show(rescued_round(), 8);
        const std::string words = in_words(told_of(bench.controller.frame(0).scene));
        for (const char* line : rescued) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        const auto trace = ending_round();
        bench.show(trace, trace->size() - 1);
        const std::string over = in_words(told_of(bench.controller.frame(0).scene));
        for (const char* line : ended) EXPECT_NE(over.find(line), std::string::npos) << line << "\n" << over;
    }
    // The clock and both distributions.
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 30);
    SceneInput input = bench.controller.frame(0).scene;
    input.plain.ms_per_token = 9;
    const LoopModel model = loop_model(input);
    const std::string words = in_words(told_of(input));
    for (const char* line : {"Guess 1: .* coin \\.82 < 1\\.00.*: accepted\n", "Guess 3: .* coin \\.68 ≥ \\.04.*: rejected \\(selected\\)\n",
                             "Guess 4: .*: discarded unread\n"})
        EXPECT_TRUE(std::regex_search(words, std::regex(line))) << line << "\n" << words;
    const std::string clock = "Clock: drafting " + model.ms(model.round->draft_ms) + " ms, verify " + model.ms(model.round->verify_ms) +
                              " ms, rest " + model.ms(model.other_ms) + " ms; plain decoding " + model.ms(9) + " ms per token; " +
                              saving_words(model) + "\n";
    EXPECT_NE(words.find(clock), std::string::npos) << clock << words;
    const ColumnDistributions of = column_distributions(model, model.selected);
    const TopEntries::Entry& first = of.target.entries.front();
    const std::string row = token_said(*input.trace, first.id).words() + ", id " + std::to_string(first.id) + ": target " +
                            ui::probability(std::exp(first.logp)) + ", draft " + ui::probability(*listed(of.draft, first.id)) + "\n";
    EXPECT_NE(words.find(row), std::string::npos) << row << words;
}

// Quotes and words are the language's; names of options and drafters stay.
TEST(LoopTold, SpeaksGerman) {
    const test::Speaking speaking("de");
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 30);
    const std::string words = in_words(told_of(bench.controller.frame(0).scene));
    for (const char* part : {"Vorschlag 1: „", "Drafter small, Regel token", "Prüfung: 5 Zeilen", "Ersetzt aus dem Residuum: „",
                             "Seine Verteilung, nach Tokennummer: ", "Uhr: Vorschlagen "})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
    for (const char* part : {"Guess", "target", "coin", "”"}) EXPECT_EQ(words.find(part), std::string::npos) << part << "\n" << words;
}

} // namespace
} // namespace speclens
