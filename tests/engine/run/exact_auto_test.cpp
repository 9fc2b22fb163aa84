// The law of stops over every coin: with K chosen as one goes, rounds write the target's distribution to 1e-12. The chooser begins with
// what it learnt before, so that its choice in the second round hangs on what the first one kept, and stops hang on rows. And what breaks
// the law is found: by Cycle, and by the texts where Cycle is told to look away.
//
// Leaves foretold: with less to draw in some rounds, no more than with a fixed K of the same most (exact_tables_test.cpp): 1600 to 4000 on
// tables, 11,600 (tree_wor) to 54,600 (tree_kseq); 1850 behind the 13 texts of a transformer. docs/results/verification.md has what came.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "tests/shared/enumerated.h"
#include "tests/shared/narrow.h"

namespace speclens {
namespace {

using Way = DraftLength::Way;

DraftCosts costs(double row, double step) { return {.pass = {{1, 10}, {2, 10 + row}}, .draft = {{1, step}, {2, 2 * step}}}; }

// Clear rows were kept, unclear ones refused; then as much is drafted as rows allow. No margin: three of four rows of any clearness were
// kept.
DraftLength taught_by_rows(int k, double margin) {
    DraftLength length(costs(2, 1), {Way::rows, {k, 0}});
    for (int round = 0; round < 60; ++round) {
        const DraftSize size = length.next({k, 0});
        const bool clear = margin > 0 ? round % 2 == 0 : round % 4 > 0;
        int drafted = 0;
        while (drafted < size.k && (drafted == 0 || length.goes_further(drafted, 1)) &&
               length.goes_on(drafted, margin == 0 ? 0.1
                                       : clear     ? margin + 1
                                                   : margin / 4))
            ++drafted;
        length.saw(drafted, clear ? drafted : 0);
    }
    return length;
}

// Likely draws were kept, unlikely ones refused, and rows promised nothing either way.
DraftLength taught_by_draws(int k, double unlikely, double likely) {
    DraftLength length(costs(2, 1), {Way::rows, {k, 0}});
    for (int round = 0; round < 80; ++round) {
        const DraftSize size = length.next({k, 0});
        std::vector<double> drawn;
        int kept = 0;
        while (static_cast<int>(drawn.size()) < size.k) {
            const int place = static_cast<int>(drawn.size());
            if ((place > 0 && !length.goes_further(place, drawn.back())) || !length.goes_on(place, 0.3 + round / 3 % 3)) break;
            drawn.push_back((round + place) % 3 == 0 ? unlikely : likely);
            if (kept == place && drawn.back() == likely) ++kept;
        }
        length.saw(static_cast<int>(drawn.size()), kept, drawn);
    }
    return length;
}

class ExactAuto : public ::testing::Test {
  protected:
    std::shared_ptr<const TableModel> target = test::random_table(3, 3, 11);
    std::shared_ptr<const TableModel> draft = test::random_table(3, 2, 22);
    std::shared_ptr<const Models> models = test::table_models(target, draft);

    test::EnumeratedCycle two_rounds(const std::string& drafter, const std::string& rule, int k) const {
        test::EnumeratedCycle one;
        one.models = models;
        one.settings.drafter = drafter;
        one.settings.rule = rule;
        one.settings.k = k;
        one.settings.sampling.temperature = 1;
        one.settings.max_tokens = 2 * (k + 1);
        if (find_drafter(drafter)->tree) one.settings.options.tree_topk = 2, one.settings.options.tree_budget = 3;
        return one;
    }
    // What is drafted in the second round, by what the first one kept.
    std::map<int, std::set<int>> expect_exact(const test::EnumeratedCycle& one, const std::string& name) const {
        std::map<int, std::set<int>> second;
        test::WrittenTexts texts;
        test::Enumerated found;
        test::CoinEnumeration all([&](const test::Coins& coins) { return test::play_rounds(one, one.rounds, coins); },
                                  [&](const test::Played& played, const test::CoinIntervals&, double weight) {
                                      texts.add(played.text, weight);
                                      test::count_first_round(found, played);
                                      if (played.rounds.size() > 1) second[played.rounds[0].second].insert(played.rounds[1].first);
                                  });
        all.run();
        found.leaves = all.leaves(), found.runs = all.runs(), found.problem = all.problem();
        test::conclude(found, texts, test::table_rows(target, one.settings.sampling), {}, models->stops());
        EXPECT_EQ(found.problem, "") << name;
        test::tell(name, found);
        return second;
    }
};

// Refused at once: nothing is drafted next; kept: as much as there is room for.
TEST_F(ExactAuto, AChoiceThatHangsOnTheRoundBefore) {
    for (const char* rule : {"token", "block", "match"}) {
        test::EnumeratedCycle one = two_rounds("small", rule, 2);
        one.length.emplace(costs(2.2, 3.4), DraftLength::Limits{Way::before, {2, 0}, true, 0});
        const auto second = expect_exact(one, std::string(rule) + ", K chosen before the draft");
        ASSERT_EQ(second.size(), 2U) << rule; // of the one token that the first round drafts
        EXPECT_EQ(second.at(0), std::set<int>{0}) << rule;
        EXPECT_FALSE(second.at(1).contains(0)) << rule;
    }
}

TEST_F(ExactAuto, StopsThatHangOnRowsAndOnTheRoundBefore) {
    for (const char* rule : {"token", "block", "match"}) {
        test::EnumeratedCycle one = two_rounds("small", rule, 3);
        one.settings.max_tokens = 6;
        one.length = taught_by_rows(3, 0.4); // some rows of the table are clearer than that, some are not
        std::set<int> lengths;
        for (const auto& [kept, drafted] : expect_exact(one, std::string(rule) + ", stopped by rows"))
            lengths.insert(drafted.begin(), drafted.end());
        EXPECT_GT(lengths.size(), 1U) << rule;
    }
}

// Whether another token follows hangs on what was drawn before it: of one round, whose first row is always the same, drafts of two lengths.
TEST_F(ExactAuto, StopsThatHangOnWhatWasDrawn) {
    for (const char* rule : {"token", "block", "match"}) {
        test::EnumeratedCycle one = two_rounds("small", rule, 3);
        one.settings.max_tokens = 6;
        const Distribution row = test::table_rows(draft, one.settings.sampling)({}); // of the first draft token
        one.length = taught_by_draws(3, std::ranges::min(row), std::ranges::max(row));
        std::set<int> first, lengths;
        test::CoinEnumeration all(
            [&](const test::Coins& coins) { return test::play_rounds(one, 1, coins); },
            [&](const test::Played& played, const test::CoinIntervals&, double) { first.insert(played.rounds[0].first); });
        all.run();
        EXPECT_GT(first.size(), 1U) << rule;
        for (const auto& [kept, drafted] : expect_exact(one, std::string(rule) + ", stopped by draws"))
            lengths.insert(drafted.begin(), drafted.end());
        EXPECT_GT(lengths.size(), 1U) << rule;
    }
}

TEST_F(ExactAuto, DepthAndNodesOfATree) {
    for (const char* rule : {"tree_topk", "tree_wor", "tree_wr"}) {
        test::EnumeratedCycle one = two_rounds("small_tree", rule, 2);
        one.length.emplace(costs(1.2, 1.5), DraftLength::Limits{Way::tree, {2, 3}, true, 0});
        std::set<int> depths;
        for (const auto& [kept, drafted] : expect_exact(one, std::string(rule) + ", depth and nodes chosen"))
            depths.insert(drafted.begin(), drafted.end());
        EXPECT_GT(depths.size(), 1U) << rule;
    }
}

TEST_F(ExactAuto, ACopierIsAskedOrNot) {
    for (const char* rule : {"token", "block"}) {
        test::EnumeratedCycle one = two_rounds("lookup", rule, 2);
        one.settings.prompt.token_ids = {0, 1, 2, 0, 1, 2, 0, 1};
        one.length.emplace(costs(5.5, 0), DraftLength::Limits{Way::all_or_none, {2, 0}, true, 0});
        std::set<int> lengths;
        for (const auto& [kept, drafted] : expect_exact(one, std::string(rule) + ", copied or not"))
            lengths.insert(drafted.begin(), drafted.end());
        EXPECT_GT(lengths.size(), 1U) << rule;
    }
}

// Behind every text of at most two tokens, entered by rounds that the chooser saw: one head of each kind on a transformer.
class ExactAutoOnATransformer : public testing::TestWithParam<std::string> {};

TEST_P(ExactAutoOnATransformer, WritesTheTargetsDistribution) {
    constexpr Sampling kTopThree{.temperature = 1, .top_k = 3};
    const auto models = test::narrow_models(1);
    const DrafterInfo& drafter = *find_drafter(GetParam());
    const test::TargetRow row = test::model_rows(models->target, test::narrow_prompt(), kTopThree);
    for (const std::string& rule : {std::string(drafter.tree ? "tree_wor" : "token"), std::string(drafter.tree ? "tree_topk" : "block")}) {
        test::EnumeratedCycle one;
        one.models = models;
        one.settings.drafter = drafter.name;
        one.settings.rule = rule;
        one.settings.k = 2;
        one.settings.prompt.token_ids = test::narrow_prompt();
        one.settings.sampling = kTopThree;
        one.settings.max_tokens = 5;
        if (drafter.tree) one.settings.options.tree_topk = 2, one.settings.options.tree_budget = 4;
        const bool rows = drafter.drafting == Drafting::one_by_one && !drafter.tree;
        if (rows)
            one.length = taught_by_rows(2, 0); // its rows are all unclear: the ones of a table are told apart above
        else
            one.length.emplace(costs(1.2, 1.5),
                               DraftLength::Limits{drafter.tree ? Way::tree : Way::before, {2, drafter.tree ? 4 : 0}, true, 0});
        test::Prefixes prefixes;
        const test::Enumerated found = test::enumerate_behind_prefixes(one, row, 2, prefixes);
        EXPECT_EQ(found.problem, "") << rule;
        EXPECT_EQ(prefixes.entered, 13) << rule;
        EXPECT_GT(found.full + found.partial + found.none, 0) << rule;
        test::tell(GetParam() + " " + rule + ", K auto, texts " + std::to_string(prefixes.entered), found);
    }
}

INSTANTIATE_TEST_SUITE_P(Drafters, ExactAutoOnATransformer,
                         testing::Values("small", "eagle3", "mtp", "dflash", "dflash2", "domino", "dspark", "small_tree", "eagle3_tree"));

// ---- what breaks the law ----

constexpr double kUnlikely = 0.3;

struct Breaks : Drafter {
    enum class How { p_min, cut, whole } how;
    bool admits; // Cycle is left to find it
    std::unique_ptr<Drafter> inner;
    Breaks(How broken, bool admitted, std::unique_ptr<Drafter> whole) : how(broken), admits(admitted), inner(std::move(whole)) {}
    std::vector<int> taps() const override { return inner->taps(); }
    void begin(std::span<const int> sequence) override { inner->begin(sequence); }
    void observe(const Observation& observation) override { inner->observe(observation); }
    void put_off() override { inner->put_off(); }
    Draft draft(const DraftRequest& request) override {
        Draft draft = inner->draft(request);
        const auto unlikely = std::ranges::find_if(draft.nodes, [](const DraftNode& node) { return node.q() < kUnlikely; });
        if (how == How::p_min && !draft.nodes.empty() && draft.nodes.back().q() < kUnlikely) draft.nodes.pop_back();
        if (how == How::cut) draft.nodes.erase(unlikely, draft.nodes.end());
        if (how == How::whole && unlikely != draft.nodes.end()) draft.nodes.clear();
        draft.own_draws = !admits;
        return draft;
    }
};

// A p-min on the token that was drawn last, a block cut at its first unlikely token, a draft thrown away whole.
TEST_F(ExactAuto, AStopThatLooksAtWhatWasDrawnIsFound) {
    struct Fault {
        Breaks::How how;
        const char* rule;
        int k;
    };
    for (const Fault& fault :
         {Fault{Breaks::How::p_min, "token", 1}, Fault{Breaks::How::p_min, "token", 2}, Fault{Breaks::How::cut, "token", 2},
          Fault{Breaks::How::cut, "block", 2}, Fault{Breaks::How::whole, "token", 2}, Fault{Breaks::How::whole, "block", 2}}) {
        test::EnumeratedCycle one = two_rounds("small", fault.rule, fault.k);
        one.rounds = 1;
        const auto problem = [&](bool admits) {
            one.outside = [&fault, admits](std::unique_ptr<Drafter> heard) -> std::unique_ptr<Drafter> {
                return std::make_unique<Breaks>(fault.how, admits, std::move(heard));
            };
            return test::enumerate(one, test::table_rows(target, one.settings.sampling)).problem;
        };
        EXPECT_TRUE(problem(false).starts_with("writes another distribution"))
            << static_cast<int>(fault.how) << " " << fault.rule << ": " << problem(false);
        EXPECT_DEATH((void)problem(true), "what is drawn must be judged") << static_cast<int>(fault.how) << " " << fault.rule;
    }
}

// A chain that asks only once the token is drawn, and one that drafts on behind a no: what Cycle holds every drafter to.
TEST_F(ExactAuto, AskingLateAndGoingOnAnywayAreFound) {
    struct Late : Drafter {
        bool asks_late;
        int vocab;
        Late(bool late, int tokens) : asks_late(late), vocab(tokens) {}
        void begin(std::span<const int>) override {}
        void observe(const Observation&) override {}
        Draft draft(const DraftRequest& request) override {
            Draft draft;
            for (int i = 0; i < request.k; ++i) {
                const bool on = asks_late || !request.go_on || request.go_on(i, 0);
                DraftNode node;
                node.parent = i - 1;
                node.distribution.assign(static_cast<std::size_t>(vocab), 1.0 / vocab);
                node.u = request.coin(i);
                node.token = sample(node.distribution, *node.u);
                draft.nodes.push_back(std::move(node));
                if (asks_late && request.go_on && !request.go_on(i, 0)) break;
                if (!on && i > 0) break; // one more than it may
            }
            return draft;
        }
    };
    test::EnumeratedCycle one = two_rounds("small", "token", 3);
    one.rounds = 1;
    for (const bool late : {true, false}) {
        one.go_on = [](int index, double) { return index < 1; };
        one.around = [&](std::unique_ptr<Drafter>) -> std::unique_ptr<Drafter> { return std::make_unique<Late>(late, target->vocab); };
        const auto play = [&] { return test::enumerate(one, test::table_rows(target, one.settings.sampling)).problem; };
        EXPECT_DEATH((void)play(), late ? "asked before it is drawn" : "more than it was asked for");
    }
}

// Trees, too: a level that is left out for what was drawn in it.
TEST_F(ExactAuto, ATreeThrownAwayIsFound) {
    test::EnumeratedCycle one = two_rounds("small_tree", "tree_wor", 2);
    one.rounds = 1;
    for (const bool admits : {false, true}) {
        one.outside = [admits](std::unique_ptr<Drafter> heard) -> std::unique_ptr<Drafter> {
            return std::make_unique<Breaks>(Breaks::How::whole, admits, std::move(heard));
        };
        const auto problem = [&] { return test::enumerate(one, test::table_rows(target, one.settings.sampling)).problem; };
        if (admits)
            EXPECT_DEATH((void)problem(), "what is drawn must be judged");
        else
            EXPECT_TRUE(problem().starts_with("writes another distribution")) << problem();
    }
}

} // namespace
} // namespace speclens
