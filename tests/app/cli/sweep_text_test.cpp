// What a sweep says of figures that are in doubt, in its table and in its files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/cli/sweep/sweep_text.h"
#include "engine/base/json.h"
#include "engine/batch/block_film.h"

namespace speclens::cli {
namespace {

struct Told {
    std::string table, csv;
    Json json;
};

// Domino at one and at four texts, twice as fast and half as fast as plain decoding, but for the last of three turns.
Told told(double busy_cores, double last_turn, std::size_t turns = 3) {
    SweepPlan plan;
    plan.texts.resize(1);
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}, {.drafter = "domino", .rule = "token", .k = 7}};
    plan.concurrency = {1, 4};
    Sweep sweep;
    sweep.complete = true;
    sweep.busy_cores = busy_cores;
    for (const int texts : plan.concurrency)
        for (const SweepMethod& method : plan.methods) {
            SweepCell& cell = sweep.cells.emplace_back();
            cell.method = method;
            cell.concurrency = texts;
            const double rate = method.plain() ? 1000 : texts == 1 ? 2000 : 500;
            for (const double factor : {1.0, 1.0, method.plain() ? 1.0 : last_turn}) {
                SweepSlice slice;
                slice.ms = 1000, slice.tokens = std::lround(rate * factor), slice.rounds = slice.text_rounds = slice.tokens;
                slice.first_ms = slice.between_ms = {1};
                if (cell.slices.size() == turns) break;
                cell.slices.push_back(slice);
                cell.sum.add(slice);
            }
        }
    sweep.left_out = sweep.cells.size() * (static_cast<std::size_t>(plan.repeats) - turns);
    sweep.crossings.resize(2);
    judge_cells(sweep);
    SweepFacts facts;
    facts.prompts = 1;
    facts.header.model = "Qwen2.5-Coder 1.5B Instruct", facts.header.weights = "kept, from Q4_K", facts.header.machine = "2-core Xeon";
    facts.header.precision = Precision::bf16, facts.header.date = "2026-11-28T12:00Z", facts.header.fingerprint = "00ff00ff00ff00ff";
    return {sweep_text(sweep, plan, facts, {}), sweep_csv(sweep, plan, facts), Json::parse(sweep_json(sweep, plan, facts))};
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(SweepText, OfAQuietMachineHasNoDoubt) {
    const Told quiet = told(0.1, 1);
    EXPECT_TRUE(has(quiet.table, " 2.00x (2.00–2.00)")) << quiet.table;
    EXPECT_TRUE(has(quiet.table, "pays up to about 2.0 texts at once")) << quiet.table;
    EXPECT_FALSE(has(quiet.table, "~") || has(quiet.table, "doubt")) << quiet.table;
    EXPECT_FALSE(has(quiet.csv, ",yes")) << quiet.csv;
    EXPECT_TRUE(has(quiet.csv, ",in_doubt,busy_cores,in_doubt_because,model,") && has(quiet.csv, ",no,0.10,,Qwen2.5-Coder 1.5B Instruct,"))
        << quiet.csv;
    EXPECT_EQ(quiet.json["cells"][1]["in_doubt"], false);
    EXPECT_EQ(quiet.json["crossings"][0]["in_doubt"], false);
    EXPECT_EQ(quiet.json["busy_cores"], 0.1);
}

// What each text brought, put together by domain; all numbers of texts are one sum.
TEST(SweepText, TellsTokensARoundByDomain) {
    SweepPlan plan;
    plan.texts.resize(3);
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}, {.drafter = "domino", .rule = "token", .k = 7}};
    plan.concurrency = {1, 2};
    Sweep sweep;
    for (const int texts : plan.concurrency)
        for (const SweepMethod& method : plan.methods) {
            SweepCell& cell = sweep.cells.emplace_back();
            cell.method = method, cell.concurrency = texts;
            SweepSlice slice;
            slice.ms = 1000, slice.tokens = 100, slice.first_ms = slice.between_ms = {1};
            if (!method.plain()) slice.by_text = {{10, 20}, {5, 20}, {10, 40}};
            cell.slices = {slice, slice};
            cell.sum.add(slice), cell.sum.add(slice);
        }
    sweep.crossings.resize(2);
    judge_cells(sweep);
    SweepFacts facts;
    facts.prompts = 3;
    facts.domains = {"math", "code", "math"};
    const std::vector<SweepDomain> domains = by_domain(sweep, plan, facts);
    ASSERT_EQ(domains.size(), 2U);
    EXPECT_EQ(domains[0].domain, "math");
    EXPECT_EQ(domains[0].tokens_per_round, (std::vector<double>{0, 3})) << "60 tokens in 20 rounds";
    EXPECT_EQ(domains[1].tokens_per_round, (std::vector<double>{0, 4}));
    EXPECT_TRUE(has(sweep_text(sweep, plan, facts, {}), "math                      3.00")) << sweep_text(sweep, plan, facts, {});
    const Json json = Json::parse(sweep_json(sweep, plan, facts));
    EXPECT_EQ(json["domains"].size(), 2U);
    EXPECT_EQ(json["domains"][1]["domain"], "code");
    EXPECT_EQ(json["domains"][1]["tokens_per_round"], 4.0);
    facts.domains = {"math", "math", "math"};
    EXPECT_TRUE(by_domain(sweep, plan, facts).empty()) << "one domain is the whole table";
}

TEST(SweepText, APairIsMeasuredWithItsDraftModel) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(usual_drafters({"none", "small", "small_tree", "lookup", "skip", "suffix"}), (Names{"lookup", "small"}));
    EXPECT_EQ(usual_drafters({"lookup", "small", "eagle3", "dflash", "domino", "dspark"}), (Names{"lookup", "eagle3", "dflash", "domino"}));
}

TEST(SweepText, OneTurnHasNoInterval) {
    const Told once = told(0.1, 1, 1);
    EXPECT_TRUE(has(once.table, " 2.00x (one turn)")) << once.table;
    EXPECT_FALSE(has(once.table, "2.00–2.00")) << once.table;
    EXPECT_TRUE(has(once.table, "Time was up after 4 of 12 turns: a longer --for, or ")) << once.table;
    EXPECT_FALSE(has(told(0.1, 1).table, "Time was up"));
}

TEST(SweepText, ItsColumnsNeverRunTogether) {
    SweepPlan plan;
    plan.texts.resize(1);
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}};
    plan.concurrency = {1};
    Sweep sweep;
    SweepCell& cell = sweep.cells.emplace_back();
    cell.method = plan.methods.front(), cell.concurrency = 1;
    SweepSlice slice;
    slice.ms = 24671, slice.tokens = 10, slice.text_rounds = 2;
    slice.first_ms = {47113, 92139, 137164}, slice.between_ms = {4934};
    cell.slices = {slice};
    cell.sum.add(slice);
    sweep.crossings.resize(1);
    const std::string table = sweep_text(sweep, plan, {}, {});
    EXPECT_TRUE(has(table, " 5.00 92139 / ")) << table;
    sweep.film = std::make_shared<const BlockFilm>(); // it ended before anybody drafted
    EXPECT_FALSE(has(sweep_text(sweep, plan, {}, {}), "Memory of the keys"));
}

TEST(SweepText, BesideBusyProgramsEverySpeedUpIsInDoubt) {
    const Told busy = told(2.03, 1);
    EXPECT_TRUE(has(busy.table, "~2.00x (2.00–2.00)") && has(busy.table, "~0.50x")) << busy.table;
    EXPECT_TRUE(has(busy.table, "pays up to about ~2.0 texts at once (90 %: 2.0 to 2.0); in doubt.")) << busy.table;
    EXPECT_TRUE(has(busy.table, "other programs kept the cores busy")) << busy.table;
    EXPECT_FALSE(has(busy.table, "~1x")) << "plain decoding is what the others are held against";
    EXPECT_TRUE(has(busy.csv, ",yes,2.03,other programs kept 2.0 cores busy,")) << busy.csv;
    EXPECT_FALSE(has(busy.csv, ",no,")) << "they slow plain decoding down as well\n" << busy.csv;
    for (const auto& cell : busy.json["cells"]) {
        EXPECT_EQ(cell["in_doubt"], true);
        EXPECT_EQ(cell["in_doubt_because"], "other programs kept 2.0 cores busy");
    }
    EXPECT_EQ(busy.json["crossings"][0]["in_doubt"], true);
}

TEST(SweepText, FilesSayWhatWasMeasuredWhere) {
    const Told quiet = told(0.1, 1);
    EXPECT_TRUE(has(quiet.csv, ",model,fingerprint,weights,precision,machine,date,temperature,top_k,top_p,seed,max_tokens,repeats\n"))
        << quiet.csv;
    EXPECT_TRUE(has(quiet.csv, ",Qwen2.5-Coder 1.5B Instruct,00ff00ff00ff00ff,\"kept, from Q4_K\",bf16,2-core Xeon,2026-11-28T12:00Z,"))
        << quiet.csv;
    EXPECT_EQ(quiet.json["weights"], "kept, from Q4_K");
    EXPECT_EQ(quiet.json["fingerprint"], "00ff00ff00ff00ff");
    EXPECT_EQ(quiet.json["precision"], "bf16");
    EXPECT_TRUE(quiet.json["cells"][1]["in_doubt_because"].is_null());
    EXPECT_TRUE(quiet.json.contains("top_p"));
}

TEST(SweepText, WhereTurnsLieApartTheFigureIsInDoubt) {
    const Told apart = told(0, 0.5);
    EXPECT_TRUE(has(apart.table, "~1.59x")) << apart.table;
    EXPECT_TRUE(has(apart.table, "its repeats lie more than 15 % from the figure")) << apart.table;
    EXPECT_FALSE(has(apart.table, "about ~")) << "how far a crossing may lie elsewhere says its interval";
    EXPECT_EQ(apart.json["cells"][1]["in_doubt"], true);
    EXPECT_TRUE(apart.json["cells"][1]["in_doubt_because"].get<std::string>().starts_with("repeats lie up to "));
    EXPECT_EQ(apart.json["cells"][0]["in_doubt"], false);
    EXPECT_FALSE(has(told(0, 0.95).table, "~"));
}

TEST(SweepText, TheWaysToChooseKHaveIntervalsAndDoubt) {
    const auto text = [](double busy) {
        SweepPlan plan;
        plan.texts.resize(1);
        plan.methods = {{.drafter = "none", .rule = "token", .k = 0}};
        plan.concurrency = {1};
        auto result = std::make_shared<AdaptiveResult>();
        result->drafter = "small";
        result->busy_cores = busy;
        result->ways = {{.chooser = Chooser::fixed, .k = 0, .rates = {1000, 1000}},
                        {.chooser = Chooser::fixed, .k = 3, .rates = {1200, 1300}},
                        {.chooser = Chooser::gain, .rates = {1100, 1150}},
                        {.chooser = Chooser::oracle, .k = 3, .rates = {1300, 1400}}};
        Sweep sweep;
        sweep.adaptive = result;
        sweep.crossings.resize(1);
        return sweep_text(sweep, plan, {}, {});
    };
    EXPECT_TRUE(has(text(0), " 1.25x (1.20–1.30)")) << text(0);
    EXPECT_FALSE(has(text(0), "~"));
    EXPECT_TRUE(has(text(1), "~1.25x (1.20–1.30)") && has(text(1), "~1.35x")) << text(1);
}

// It said "20 texts, 4 at a time in 10 blocks" where one text at once was asked for, and "took 0.00 of them a round".
TEST(SweepText, OfTheMemorySaysThatItsBatchWasMadeForThatAndWhatIsCounted) {
    auto film = std::make_shared<BlockFilm>();
    film->blocks = 10, film->texts = 4, film->asked = 20, film->drafter = "domino", film->k = 7;
    for (const int before : {10, 14}) {
        FilmText text;
        text.lane.rows = 8, text.before = before, text.during = {0, 1};
        film->rounds.push_back({.texts = {text}, .during = {}, .after = {}, .copied = 1, .shared_tokens = 16});
    }
    SweepPlan plan;
    plan.texts.resize(1);
    plan.concurrency = {1};
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}, {.drafter = "domino", .rule = "token", .k = 7}};
    Sweep sweep;
    sweep.film = film;
    sweep.crossings.resize(2);
    std::string told = sweep_text(sweep, plan, {}, {});
    std::ranges::replace(told, '\n', ' ');
    EXPECT_TRUE(
        has(told, "of a batch recorded first for that alone: 20 texts of domino with K = 7, 4 at a time, on 10 blocks of 16 tokens"))
        << told;
    EXPECT_TRUE(has(told, "The drafts of a round needed 1.00 more blocks on average, at 2 lengths of texts; the rule of thumb, K ÷ 16 for "
                          "each text, says 0.44"))
        << told;
    EXPECT_TRUE(has(told, "32 tokens of prompts were shared, 2 blocks copied on write")) << told;
}

} // namespace
} // namespace speclens::cli
