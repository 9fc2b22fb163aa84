// Runs with K auto: the text stays what it is, the trace says what every round asked for, and what is written there is asked for again.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/samples.h"
#include "engine/run/full_distributions.h"
#include "engine/run/replay.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/run/saved_settings.h"
#include "engine/run/session_commands.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

constexpr int kAll = std::numeric_limits<int>::max();

// Rows are cheap and guesses are not: it drafts while they stay, and stops soon where they do not.
DraftCosts some_costs() { return {.pass = {{1, 1}, {17, 1.8}}, .draft = {{1, 0.3}, {16, 4.8}}}; }

RunSettings automatic(const std::string& drafter, double temperature = 0) {
    RunSettings settings = test::greedy(drafter, 8);
    settings.k_auto = true;
    settings.k_costs = some_costs();
    settings.sampling.temperature = temperature;
    if (find_drafter(drafter)->tree) settings.rule = "tree_wor";
    settings.max_tokens = 120;
    return settings;
}

std::vector<DraftSize> sizes_of(const Run& run) { return written_sizes(run.trace(), kAll); }

std::string trace_lines(const Trace& trace) {
    TraceWriter writer(trace);
    std::string lines;
    for (std::size_t i = 0; i < trace.size(); ++i) lines += writer.line(trace[i]) + "\n";
    return lines;
}

TEST(AutoRun, GreedyTextIsThePlainTextForEveryDrafter) {
    const auto models = test::micro_models(2);
    RunSettings plain = automatic("none");
    const auto text = test::finished(models, plain)->sequence();
    for (const DrafterInfo& drafter : drafter_list()) {
        const auto run = test::finished(models, automatic(drafter.name));
        EXPECT_EQ(run->sequence(), text) << drafter.name;
        if (!drafter.drafts()) continue;
        const RunView view = fold(run->trace(), run->trace().size());
        EXPECT_GT(view.drafted, 0) << drafter.name;
    }
}

// A head that has not read for a while drafts what it would have drafted had it read all along.
TEST(AutoRun, WhatIsReadLaterGivesTheSameDraft) {
    const auto models = test::micro_models(2);
    for (const DrafterInfo& drafter : drafter_list()) {
        if (!drafter.drafts()) continue;
        RunSettings late = automatic(drafter.name);
        late.k_auto = false;
        late.k = 4;
        late.max_tokens = 60;
        const DraftSize whole{4, drafter.tree ? late.options.tree_budget : 0};
        std::vector<DraftSize> sizes(33);
        sizes.push_back(whole);
        late.k_rounds = text_of(sizes);
        const auto run = test::finished(models, late);
        const RunView view = fold(run->trace(), run->trace().size());
        ASSERT_GT(view.round_list.size(), 33U) << drafter.name;
        std::vector<int> drafted;
        for (const DraftSlot& slot : view.round_list[33].drafts) drafted.push_back(slot.draft->token);

        RunSettings there = late; // the text so far as a prompt: read at once
        there.k_rounds.clear();
        there.prompt.token_ids.assign(run->sequence().begin(), run->sequence().begin() + 8 + 33);
        there.max_tokens = 6;
        speclens::Run direct(models, there);
        direct.finish();
        const RunView first = fold(direct.trace(), direct.trace().size());
        std::vector<int> expected;
        for (const DraftSlot& slot : first.round_list[0].drafts) expected.push_back(slot.draft->token);
        EXPECT_EQ(drafted, expected) << drafter.name;
    }
}

TEST(AutoRun, PassesWithoutADraftAreCountedAsPlainOnes) {
    const auto models = test::micro_models(1);
    RunSettings settings = automatic("small");
    settings.k_auto = false;
    settings.k_rounds = "4,0*10,4,0*5";
    settings.k = 0; // behind the list nothing
    settings.k = 4;
    settings.max_tokens = 18;
    const auto run = test::finished(models, settings);
    const RunView view = fold(run->trace(), run->trace().size());
    int plain = 0, drafting_tokens = 0;
    for (const RoundSummary& round : view.round_list)
        (round.drafts.empty() ? plain : drafting_tokens) += round.drafts.empty() ? 1 : static_cast<int>(round.commit->tokens.size());
    EXPECT_GE(plain, 10);
    EXPECT_EQ(view.plain_passes, plain);
    EXPECT_DOUBLE_EQ(view.tokens_per_round(), double(drafting_tokens) / (view.rounds - plain));
    EXPECT_DOUBLE_EQ(view.tokens_per_pass(), double(view.output_tokens) / view.rounds);
    const Sample sample = sample_of(*run);
    const Sample* const samples[] = {&sample};
    const Totals totals = total(samples);
    EXPECT_EQ(totals.plain_passes, plain);
    EXPECT_DOUBLE_EQ(totals.tokens_per_round(), view.tokens_per_round());
    EXPECT_DOUBLE_EQ(tokens_per_round(samples, 1).value, view.tokens_per_round());
    // A fixed K has rounds only, also where nothing was found to copy.
    const RunView fixed = fold(test::finished(models, test::greedy("lookup", 4))->trace(), 100000);
    EXPECT_EQ(fixed.plain_passes, 0);
}

TEST(AutoRun, TheTraceSaysWhatEveryRoundAskedFor) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"small", "dflash", "small_tree", "lookup"}) {
        const auto run = test::finished(models, automatic(drafter, 0.8));
        const std::string lines = trace_lines(run->trace());
        EXPECT_NE(lines.find("\"k_auto\":true"), std::string::npos) << drafter;
        EXPECT_NE(lines.find("\"k_costs\":{\"pass\":[[1,1.0],[17,1.8]],\"draft\":[[1,0.3],[16,4.8]]}"), std::string::npos)
            << lines.substr(0, 600);
        std::istringstream in(lines);
        const auto back = read_trace(in, "memory");
        EXPECT_EQ(back->header()->k_costs, some_costs());
        EXPECT_EQ(written_sizes(*back, kAll), sizes_of(*run)) << drafter;
        EXPECT_EQ(trace_lines(*back).size(), lines.size() + std::string("RECORDED").size() - std::string("LIVE").size());
        for (std::size_t i = 0; i < run->trace().size(); ++i)
            if (const auto* verify = std::get_if<Verified>(&run->trace()[i])) {
                ASSERT_TRUE(verify->asked.has_value());
                EXPECT_LE(verify->rows - 1, std::max(verify->asked->k, verify->asked->nodes));
            }
    }
    // Nothing new where K is fixed.
    const std::string fixed = trace_lines(test::finished(models, test::greedy("small", 4))->trace());
    for (const char* key : {"\"k_auto\"", "\"k_costs\"", "\"k_rounds\"", "\"rows\":5,\"ms\":0.0,\"k\""})
        EXPECT_EQ(fixed.find(key), std::string::npos) << key;
    EXPECT_EQ(fixed.find("\"k\":"), fixed.rfind("\"k\":")) << "in the header alone";
}

// The written lengths give the run again, event for event, whatever rounds cost there.
TEST(AutoRun, WrittenLengthsGiveTheSameRun) {
    const auto models = test::micro_models(2);
    for (const DrafterInfo& drafter : drafter_list()) {
        if (!drafter.drafts()) continue;
        const RunSettings settings = automatic(drafter.name, 0.9);
        const auto run = test::finished(models, settings);
        RunSettings again = repeated(settings, run->trace());
        EXPECT_EQ(draft_sizes(again.k_rounds), sizes_of(*run));
        again.k_costs = DraftCosts{.pass = {{1, 1}, {2, 9}}, .draft = {{1, 5}}}; // of another machine
        const auto other = test::finished(models, again);
        EXPECT_EQ(other->trace().hash(other->trace().size()), run->trace().hash(run->trace().size())) << drafter.name;
        EXPECT_EQ(sizes_of(*other), sizes_of(*run)) << drafter.name;
    }
}

TEST(AutoRun, OtherCostsAreAnotherText) {
    const auto models = test::micro_models(1);
    RunSettings settings = automatic("small", 0.9);
    const auto one = test::finished(models, settings);
    settings.k_costs = DraftCosts{.pass = {{1, 1}, {2, 3}}, .draft = {{1, 2}}};
    const auto other = test::finished(models, settings);
    EXPECT_NE(sizes_of(*one), sizes_of(*other));
    EXPECT_NE(one->trace().header()->notice.find("the same distribution, another text on another machine"), std::string::npos);
    EXPECT_EQ(test::finished(models, automatic("small"))->trace().header()->notice, "");
    settings.rule = "match";
    EXPECT_EQ(test::finished(models, settings)->trace().header()->notice, "") << "every token is the target's own draw";
}

TEST(AutoRun, ReplaysAndForksUseTheWrittenLengths) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"small", "domino", "small_tree"}) {
        RunSettings settings = automatic(drafter, 0.9);
        settings.max_tokens = 60;
        const auto run = test::finished(models, settings);
        const RunView view = fold(run->trace(), run->trace().size());
        for (const RoundSummary& round : view.round_list) {
            if (round.round % 5 != 0) continue;
            const Replay replayed = replay_round(models, settings, run->trace(), {round.round, settings.options});
            const RunView one = fold(*replayed.trace, replayed.trace->size());
            ASSERT_EQ(one.round_list.size(), 1U);
            ASSERT_EQ(one.round_list[0].drafts.size(), round.drafts.size()) << drafter << " round " << round.round;
            for (std::size_t i = 0; i < round.drafts.size(); ++i)
                EXPECT_EQ(one.round_list[0].drafts[i].draft->token, round.drafts[i].draft->token);
            EXPECT_EQ(one.round_list[0].commit->tokens, round.commit->tokens) << drafter << " round " << round.round;
            if (!round.drafts.empty()) {
                const DistributionPair pair = full_distributions(models, settings, run->trace(), round.round, 0);
                EXPECT_FALSE(pair.draft.empty());
            }
        }
        // A fork keeps costs, and the rounds before it.
        speclens::Run fork(models, *run, Fork{.round = 3});
        fork.finish();
        EXPECT_EQ(fork.trace().header()->k_costs, some_costs());
        const std::vector<DraftSize> before = sizes_of(*run), after = sizes_of(fork);
        ASSERT_GT(after.size(), 4U);
        EXPECT_TRUE(std::equal(before.begin(), before.begin() + 4, after.begin()));
    }
}

TEST(AutoRun, CostsAreMeasuredOnceAndFrozen) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"small", "dflash", "small_tree", "lookup"}) {
        RunSettings settings = automatic(drafter);
        settings.k_costs.reset();
        const auto one = test::finished(models, settings), other = test::finished(models, settings);
        const std::optional<DraftCosts>& costs = one->trace().header()->k_costs;
        ASSERT_TRUE(costs.has_value());
        EXPECT_EQ(costs, other->trace().header()->k_costs) << drafter;
        EXPECT_EQ(sizes_of(*one), sizes_of(*other)) << drafter;
        ASSERT_GE(costs->pass.size(), 2U) << drafter;
        EXPECT_EQ(costs->pass.front().n, 1);
        EXPECT_GT(costs->pass.front().ms, 0);
        EXPECT_EQ(costs->draft.empty(), find_drafter(drafter)->copies()) << drafter;
        for (std::size_t i = 1; i < costs->pass.size(); ++i) EXPECT_GE(costs->pass[i].ms, costs->pass[i - 1].ms) << drafter;
    }
    // Given ones take the place of those.
    give_costs(*models, "small", some_costs());
    RunSettings settings = automatic("small");
    settings.k_costs.reset();
    EXPECT_EQ(test::finished(models, settings)->trace().header()->k_costs, some_costs());
}

TEST(AutoRun, ATableGoesByNominalCosts) {
    const auto models = test::table_models(test::random_table(5, 2, 1), test::random_table(5, 2, 1));
    RunSettings settings;
    settings.drafter = "small";
    settings.k = 8;
    settings.k_auto = true;
    settings.sampling.temperature = 0;
    settings.max_tokens = 40;
    const auto run = test::finished(models, settings);
    EXPECT_DOUBLE_EQ(run->trace().header()->k_costs->pass_ms(2), 1.02);
    const RunView view = fold(run->trace(), run->trace().size());
    EXPECT_GT(view.tokens_per_round(), 3);
}

TEST(AutoRun, AFileKeepsCostsByDrafter) {
    const test::TempFolder folder;
    const auto file = folder.path() / "costs.json";
    EXPECT_FALSE(costs_in(file, "tiny", "small").has_value());
    add_costs(file, "tiny", "small", some_costs());
    add_costs(file, "tiny", "lookup", {.pass = {{1, 2}, {5, 2.5}}, .draft = {}});
    EXPECT_EQ(costs_in(file, "tiny", "small"), some_costs());
    EXPECT_EQ(costs_in(file, "tiny", "lookup")->draft_ms(4), 0);
    EXPECT_FALSE(costs_in(file, "tiny", "dflash").has_value());
    EXPECT_THROW((void)costs_in(file, "another", "small"), Error);
    for (const char* text :
         {"", "[]", "{}", R"({"schema":"speclens-k-costs/1","model":"tiny","drafters":{"small":{"pass":[[2,1]],"draft":[]}}})",
          R"({"schema":"speclens-k-costs/1","model":"tiny","drafters":{"small":{"pass":[[1,0]],"draft":[]}}})",
          R"({"schema":"speclens-k-costs/1","model":"tiny","drafters":{"small":{"pass":[[1,1]]}}})"}) {
        std::ofstream(file) << text;
        EXPECT_THROW((void)costs_in(file, "tiny", "small"), Error) << text;
    }
}

TEST(AutoRun, SaysWhatItCannotDo) {
    const auto models = test::micro_models(1);
    RunSettings settings = automatic("small");
    settings.k_rounds = "4*x";
    EXPECT_THROW((void)prepared_run(*models, settings), Error);
}

// A cascade's mixture reads the draft behind the last token, also where nothing is drafted.
TEST(AutoRun, ACascadeMixesWhateverIsDrafted) {
    const auto models = test::micro_models(1);
    RunSettings settings = automatic("small", 0.8);
    settings.rule = "cascade_tokenV3";
    settings.max_tokens = 50;
    const auto run = test::finished(models, settings);
    EXPECT_EQ(run->sequence().size(), 8U + 50U);
    RunSettings again = repeated(settings, run->trace());
    EXPECT_EQ(test::finished(models, again)->sequence(), run->sequence());
}

} // namespace
} // namespace speclens
