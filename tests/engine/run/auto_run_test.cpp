// Runs with K auto: the text stays what it is, the trace says what every round asked for, and what is written there is asked for again.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/race.h"
#include "engine/lab/samples.h"
#include "engine/lab/time_table.h"
#include "engine/run/auto_length.h"
#include "engine/run/full_distributions.h"
#include "engine/run/measured_costs.h"
#include "engine/run/replay.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/run/saved_settings.h"
#include "engine/run/session_commands.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

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
    // Shorter drafts go by what longer ones cost: a server that is asked for any length measures once.
    RunSettings shorter = automatic("small");
    shorter.k_costs.reset();
    shorter.k = 5;
    EXPECT_EQ(test::finished(models, shorter)->trace().header()->k_costs->pass.back().n, 9) << "of K = 8";
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

// Chains stop by themselves, blocks are chosen before they are filled, trees by depth and nodes, copiers copy or do not.
TEST(AutoRun, EveryDrafterChoosesInItsWay) {
    const auto models = test::micro_models(2);
    for (const DrafterInfo& drafter : drafter_list()) {
        if (!drafter.drafts()) continue;
        const RunSettings settings = automatic(drafter.name, 0.8);
        const auto run = test::finished(models, settings);
        const RunView view = fold(run->trace(), run->trace().size());
        const DraftLength::Way way = way_of(drafter, settings);
        EXPECT_EQ(way == DraftLength::Way::rows, drafter.drafting == Drafting::one_by_one && !drafter.tree) << drafter.name;
        int left = settings.max_tokens;
        for (const RoundSummary& round : view.round_list) {
            ASSERT_TRUE(round.verify->asked.has_value());
            const DraftSize asked = *round.verify->asked;
            const int drafted = static_cast<int>(round.drafts.size()), room = std::min(view.header->k, left - 1);
            int depth = 0;
            for (const DraftSlot& slot : round.drafts) depth = std::max(depth, slot.depth);
            switch (way) {
            case DraftLength::Way::rows: EXPECT_EQ(drafted, asked.k) << drafter.name << " " << round.round; break;
            case DraftLength::Way::before:
                if (!drafter.block) break; // heads on one state may have none
                EXPECT_EQ(drafted, asked.k) << drafter.name << " " << round.round << ": a block is never cut";
                break;
            case DraftLength::Way::tree:
                EXPECT_LE(drafted, asked.nodes) << drafter.name << " " << round.round;
                EXPECT_LE(depth, asked.k) << drafter.name << " " << round.round;
                break;
            case DraftLength::Way::all_or_none: EXPECT_TRUE(asked.k == 0 || asked.k == room) << drafter.name << " " << round.round; break;
            }
            left -= static_cast<int>(round.commit->tokens.size());
        }
    }
}

// The reasons of a run are those that it had: from its trace alone they come to what it asked for.
TEST(AutoRun, SaysWhyARoundAskedForWhatItAskedFor) {
    const auto models = test::micro_models(2);
    for (const char* drafter : {"small", "dflash", "small_tree", "lookup"}) {
        RunSettings settings = automatic(drafter, 0.8);
        if (std::string(drafter) == "dflash") settings.k_costs = DraftCosts{.pass = {{1, 1}, {2, 2}}, .draft = {{1, 1}}}; // nothing pays
        const auto run = test::finished(models, settings);
        const RunView view = fold(run->trace(), run->trace().size());
        int waits = 0;
        for (const RoundSummary& round : view.round_list) {
            const std::optional<LengthReason> why = why_length(view, round.round);
            ASSERT_TRUE(why.has_value());
            EXPECT_EQ(why->asked, *round.verify->asked) << drafter << " " << round.round;
            EXPECT_NE(why->why, DraftLength::Why::written) << drafter << " " << round.round << ": " << why->decided.k;
            EXPECT_DOUBLE_EQ(why->plain.tokens, 1);
            EXPECT_FALSE(why->choices.empty());
            waits += why->why == DraftLength::Why::waits;
        }
        EXPECT_TRUE(why_length(view, view.rounds).has_value()) << "of the next one";
        EXPECT_FALSE(why_length(view, view.rounds + 1).has_value());
        if (std::string(drafter) == "dflash") {
            EXPECT_GT(waits, 0) << "no draft can pay";
        }
    }
    const auto fixed_run = test::finished(models, test::greedy("small", 4)); // a view looks into its trace
    const RunView fixed = fold(fixed_run->trace(), fixed_run->trace().size());
    EXPECT_FALSE(why_length(fixed, 0).has_value());
}

// Costs and lengths are of one drafter's rounds.
TEST(AutoRun, AnotherDrafterTakesNothingOver) {
    RunSettings settings = automatic("small");
    settings.k_rounds = "4*3,0";
    RunSettings other = settings;
    other.draft_with("dflash");
    EXPECT_FALSE(other.k_costs.has_value());
    EXPECT_EQ(other.k_rounds, "");
    EXPECT_TRUE(other.k_auto);
    settings.draft_with("small");
    EXPECT_TRUE(settings.k_costs.has_value());
    const auto models = test::micro_models(1);
    RaceSettings race;
    race.base = settings;
    race.lanes = {{"none", "token", 0}, {"small", "token", 8}, {"dflash", "token", 8}};
    const RaceView view = race_lanes(*models, race);
    EXPECT_TRUE(view.lanes[1].settings.k_costs.has_value());
    EXPECT_FALSE(view.lanes[2].settings.k_costs.has_value());
    EXPECT_EQ(view.lanes[2].settings.k_rounds, "");
    // A fork to another drafter begins to learn, and repeats nothing.
    RunSettings fresh = automatic("small", 0.8);
    const auto run = test::finished(models, fresh);
    fresh.draft_with("dflash");
    speclens::Run fork(models, *run, Fork{.round = 5, .settings = fresh});
    fork.finish();
    const RunView forked = fold(fork.trace(), fork.trace().size());
    const std::optional<DraftCosts>& costs = fork.trace().header()->k_costs;
    ASSERT_TRUE(costs.has_value());
    EXPECT_NE(costs, some_costs());
    EXPECT_GT(forked.round_list[5].drafts.size() + forked.round_list[6].drafts.size() + forked.round_list[7].drafts.size(), 0U)
        << "its first three rounds draft";
}

// A row that ends a draft took a pass of the draft model: its time is the round's, though no token has it.
TEST(AutoRun, ARowThatEndsADraftTakesItsTime) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"small", "eagle3", "mtp"}) {
        RunSettings settings = test::greedy(drafter, 4);
        settings.timing = true;
        speclens::Run run(models, settings);
        run.go_on([](int index, double) { return index < 2; });
        run.finish();
        TimeTable table;
        table.add(run.trace());
        for (const bool timed : {false, true}) {
            if (timed) table.time(run.trace());
            const RunView view = fold(run.trace(), run.trace().size());
            for (std::size_t i = 0; i + 4 < view.round_list.size(); ++i) {
                ASSERT_EQ(view.round_list[i].drafts.size(), 2U) << drafter;
                EXPECT_GT(view.round_list[i].empty_draft_ms, 0) << drafter << (timed ? ", timed" : "");
                EXPECT_GT(view.round_list[i].draft_ms, view.round_list[i].empty_draft_ms) << drafter;
            }
        }
    }
}

TEST(AutoRun, WhatWasForgottenIsMeasuredAnew) {
    const auto models = test::micro_models(1);
    RunSettings settings = automatic("small");
    settings.k_costs.reset();
    give_costs(*models, "small", some_costs());
    EXPECT_EQ(test::finished(models, settings)->trace().header()->k_costs, some_costs());
    forget_costs(*models, "small");
    EXPECT_NE(test::finished(models, settings)->trace().header()->k_costs, some_costs());
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
