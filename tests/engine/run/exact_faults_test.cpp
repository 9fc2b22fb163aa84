// The enumeration of all coins finds what is wrong: faults planted into rules, drafters, the target and the coins themselves, each
// found for what it is. And it does not find what is right.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/rules/wrong_rules.h"
#include "engine/run/planted_fault.h"
#include "tests/shared/enumerated.h"
#include "tests/shared/narrow.h"

namespace speclens {
namespace {

constexpr const char* kOtherReport = "reports what it does not do";
constexpr const char* kOtherTexts = "writes another distribution";

class ExactFaults : public ::testing::Test {
  protected:
    std::shared_ptr<const TableModel> target = test::random_table(3, 3, 11);
    std::shared_ptr<const TableModel> draft = test::random_table(3, 2, 22);
    std::shared_ptr<const Models> models = test::table_models(target, draft);

    test::EnumeratedCycle two_rounds(const char* drafter, int k, const RuleInfo& rule) const {
        test::EnumeratedCycle one;
        one.models = models;
        one.settings.drafter = drafter;
        one.settings.k = k;
        one.settings.sampling.temperature = 1;
        one.settings.max_tokens = 12;
        one.settings.options.tree_topk = 2;
        one.settings.options.tree_budget = 3;
        one.rule = &rule;
        return one;
    }
    std::string problem(const test::EnumeratedCycle& one) const {
        return test::enumerate(one, test::table_rows(target, one.settings.sampling)).problem;
    }
    std::string problem(const RuleInfo& rule, int k = 2, int rounds = 2) const {
        test::EnumeratedCycle one = two_rounds("small", k, rule);
        one.rounds = rounds;
        return problem(one);
    }
};

RuleInfo planted_rule(const char* name, bool needs_q, Siblings siblings, Verdict (*verify)(const Round& round),
                      RuleKind kind = RuleKind::token) {
    return {.name = name, .kind = kind, .needs_q = needs_q, .siblings = siblings, .verify = verify};
}

void expect_found(const std::string& problem, const char* as, const std::string& fault) {
    EXPECT_TRUE(problem.starts_with(as)) << fault << ": " << (problem.empty() ? "not found" : problem);
}

// ---- the report is not what is done ----

// Keeps a draft where the square of the coin is below the threshold; all that it reports is the token rule's.
Verdict by_the_square(const Round& round) {
    Round squared = round;
    squared.accept_coin = [&](int node) {
        const double u = round.accept_coin(node);
        return u * u;
    };
    Verdict verdict = find_rule("token")->verify(squared);
    for (Judgement& check : verdict.checks) check.u = round.accept_coin(check.node);
    return verdict;
}

// Sample-and-compare, but the mismatch is replaced from the (p - q)+ residual.
Verdict match_with_residual(const Round& round) {
    Verdict verdict = find_rule("match")->verify(round);
    if (verdict.accepted() < static_cast<int>(round.drafts.size())) {
        Residual left = residual(round.p(verdict.accepted()), round.q(verdict.accepted()));
        if (!left.distribution.empty()) verdict.token = sample(left.distribution, *verdict.u);
    }
    return verdict;
}

// Its drafts come from their distributions and say that they were certain.
class OneHot final : public Drafter {
  public:
    explicit OneHot(std::unique_ptr<Drafter> inner) : inner_(std::move(inner)) {}
    void begin(std::span<const int> sequence) override { inner_->begin(sequence); }
    void observe(const Observation& observation) override { inner_->observe(observation); }
    Draft draft(const DraftRequest& request) override {
        Draft draft = inner_->draft(request);
        for (DraftNode& node : draft.nodes) node.distribution.clear();
        return draft;
    }

  private:
    std::unique_ptr<Drafter> inner_;
};

TEST_F(ExactFaults, AVerdictThatReportsRightAndActsByTheSquareOfItsCoinIsFound) {
    const RuleInfo rule = planted_rule("square", true, Siblings::none, by_the_square);
    expect_found(problem(rule), kOtherReport, rule.name);
}

TEST_F(ExactFaults, ADrawThatReportsOneHotIsFound) {
    test::EnumeratedCycle one = two_rounds("small", 2, *find_rule("token"));
    one.around = [](std::unique_ptr<Drafter> drafter) -> std::unique_ptr<Drafter> { return std::make_unique<OneHot>(std::move(drafter)); };
    expect_found(problem(one), kOtherReport, "one-hot");
}

TEST_F(ExactFaults, ACutWhereNothingChangesIsFound) {
    // "bonus" keeps a draft that it says it refuses; a replacement from another distribution than the reported one.
    const auto bonus = std::ranges::find(wrong_rules(), std::string("bonus"), &RuleInfo::name);
    expect_found(problem(*bonus), kOtherReport, "bonus");
    const RuleInfo rule = planted_rule("match-residual", true, Siblings::none, match_with_residual, RuleKind::match);
    expect_found(problem(rule), kOtherReport, rule.name);
}

// Favourites that carry the draft's distribution, though nobody drew them: what the wrong rule `chosen` is about.
class ClaimsToHaveDrawn final : public Drafter {
  public:
    ClaimsToHaveDrawn(std::unique_ptr<Drafter> inner, const TableModel& table) : inner_(std::move(inner)), table_(table) {}
    void begin(std::span<const int> sequence) override { prompt_ = sequence.size(), inner_->begin(sequence); }
    void observe(const Observation& observation) override { inner_->observe(observation); }
    Draft draft(const DraftRequest& request) override {
        Draft draft = inner_->draft(request);
        std::vector<std::vector<int>> behind;
        for (DraftNode& node : draft.nodes) {
            const auto new_text = request.sequence.subspan(prompt_);
            std::vector<int> text =
                node.parent < 0 ? std::vector<int>(new_text.begin(), new_text.end()) : behind[static_cast<std::size_t>(node.parent)];
            node.distribution = test::table_distribution(table_, text);
            text.push_back(node.token);
            behind.push_back(std::move(text));
        }
        return draft;
    }

  private:
    std::unique_ptr<Drafter> inner_;
    const TableModel& table_;
    std::size_t prompt_ = 0;
};

// ---- the coins are not independent ----

TEST_F(ExactFaults, OneCoinForDrawingAndJudgingIsFound) {
    test::EnumeratedCycle one = two_rounds("small", 2, *find_rule("token"));
    one.key = [](CoinKey key) {
        if (key.purpose == Purpose::accept) key.purpose = Purpose::draft;
        return key;
    };
    expect_found(problem(one), kOtherTexts, "one coin");
}

TEST_F(ExactFaults, TwoSiblingsWithOneLaneAreFound) {
    for (const char* rule : {"tree_wor", "tree_wr", "tree_kseq"}) {
        test::EnumeratedCycle one = two_rounds("small_tree", 2, *find_rule(rule));
        one.key = [](CoinKey key) {
            key.lane = 0;
            return key;
        };
        expect_found(problem(one), kOtherTexts, rule);
    }
}

// What a round threw away may have decided which round came next, so its coins may not be thrown again. Under the token rule it had not:
// nothing behind a refusal is judged. Block verification judges every place.
TEST_F(ExactFaults, AnAttemptThatIsLeftOutIsFound) {
    test::EnumeratedCycle one = two_rounds("small", 2, *find_rule("block"));
    one.key = [](CoinKey key) {
        key.attempt = 0;
        return key;
    };
    expect_found(problem(one), kOtherTexts, "attempt");
    one.rule = find_rule("token");
    EXPECT_EQ(problem(one), "");
}

// ---- in the rules ----

// Block verification that stops at the first coin that failed, as the token rule does.
Verdict stops_at_the_first_failure(const Round& round) {
    Verdict verdict = find_rule("block")->verify(round);
    int kept = 0;
    while (kept < round.count() &&
           *verdict.checks[static_cast<std::size_t>(kept)].u < verdict.checks[static_cast<std::size_t>(kept)].threshold)
        ++kept;
    if (kept >= verdict.accepted()) return verdict;
    const double joint = kept == 0 ? 1 : *verdict.checks[static_cast<std::size_t>(kept - 1)].prefix_coefficient;
    verdict.path.resize(static_cast<std::size_t>(kept));
    Residual left = residual(round.p(kept), round.q(kept), joint);
    verdict.distribution = left.distribution.empty() ? round.p(kept) : left.distribution;
    verdict.token = sample(verdict.distribution, round.resample_coin(kept));
    return verdict;
}

// Block verification whose residual forgets the coefficient of the prefix.
Verdict forgets_the_prefix(const Round& round) {
    Verdict verdict = find_rule("block")->verify(round);
    if (verdict.from != TokenSource::residual) return verdict;
    Residual left = residual(round.p(verdict.row()), round.q(verdict.row()));
    if (!left.distribution.empty()) verdict.token = sample(verdict.distribution = left.distribution, *verdict.u);
    return verdict;
}

Distribution struck_out(Distribution distribution, const Round& round, const std::vector<int>& nodes) {
    for (int node : nodes) distribution[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(node)])] = 0;
    double mass = 0;
    for (double value : distribution) mass += value;
    for (double& value : distribution) value /= mass > 0 ? mass : 1;
    return mass > 0 ? distribution : Distribution{};
}

// A later child is compared with the whole target distribution, as if no sibling had been rejected before it.
Verdict forgets_to_scale(const Round& round) {
    Verdict verdict;
    const std::vector<int> children = round.children(-1);
    for (int child : children) {
        const std::size_t token = static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(child)]);
        const double p = round.p(0)[token];
        verdict.checks.push_back({.node = child, .threshold = p, .u = {}, .accepted = round.accept_coin(child) < p});
        if (!verdict.checks.back().accepted) continue;
        verdict.path.push_back(child);
        break;
    }
    verdict.distribution = verdict.path.empty() ? struck_out(round.p(0), round, children) : round.p(verdict.row());
    verdict.token = sample(verdict.distribution, round.resample_coin(verdict.row()));
    return verdict;
}

// Siblings drawn without replacement, but judged as if each had come from the draft's whole distribution.
Verdict proposal_not_depleted(const Round& round) {
    Round whole = round;
    whole.q = [&](int node) -> const Distribution& { return round.q(round.children(round.parent(node)).front()); };
    return find_rule("tree_wor")->verify(whole);
}

// Siblings drawn with replacement; after a rejection only the rejected token is struck out, as if it had been certain.
Verdict strikes_out_only(const Round& round) {
    Verdict verdict = find_rule("tree_wr")->verify(round);
    if (verdict.from != TokenSource::residual) return verdict;
    Distribution left = struck_out(round.p(verdict.row()), round, round.children(verdict.row() - 1));
    if (left.empty()) return verdict;
    verdict.distribution = std::move(left);
    verdict.token = sample(verdict.distribution, *verdict.u);
    return verdict;
}

// The accepted child's subtree is judged by its parent's row.
Verdict judged_by_the_parents_row(const Round& round) {
    Round shifted = round;
    shifted.p = [&](int row) -> const Distribution& { return round.p(row == 0 ? 0 : round.row_of(row - 1)); };
    return find_rule("tree_wor")->verify(shifted);
}

TEST_F(ExactFaults, APlantedMistakeInEveryRuleForTreesIsFound) {
    const RuleInfo planted[] = {
        planted_rule("forgets-to-scale", false, Siblings::best, forgets_to_scale),
        planted_rule("not-depleted", true, Siblings::without, proposal_not_depleted),
        planted_rule("strikes-out", true, Siblings::with, strikes_out_only),
        planted_rule("parents-row", true, Siblings::without, judged_by_the_parents_row),
    };
    for (const RuleInfo& rule : planted) {
        test::EnumeratedCycle one = two_rounds("small_tree", 2, rule);
        one.rounds = 1;
        expect_found(problem(one), kOtherTexts, rule.name);
    }
    // And a drafter that does not do what the rule says: drawn with replacement under the rule that strikes out. Striking out is lossless
    // whatever was proposed: proposals do not depend on the coins that judge them.
    const RuleInfo wrong_draws = planted_rule("wrong-draws", true, Siblings::with, find_rule("tree_topk")->verify);
    test::EnumeratedCycle one = two_rounds("small_tree", 2, wrong_draws);
    one.settings.options.tree_budget = 5;
    one.rounds = 1;
    EXPECT_EQ(problem(one), "");
}

TEST_F(ExactFaults, EveryWrongRuleIsFound) {
    for (const RuleInfo& rule : wrong_rules()) {
        // Those that decide by another distribution or coin than they report are found by that already.
        const bool hides = std::string(rule.name) == "bonus" || std::string(rule.name) == "fresh";
        const bool tree = rule.siblings != Siblings::none;
        test::EnumeratedCycle one = two_rounds(tree ? "small_tree" : "small", rule.kind == RuleKind::block ? 3 : 2, rule);
        if (rule.kind == RuleKind::block) one.rounds = 1;
        if (tree)
            one.around = [this](std::unique_ptr<Drafter> drafter) -> std::unique_ptr<Drafter> {
                return std::make_unique<ClaimsToHaveDrawn>(std::move(drafter), *draft);
            };
        expect_found(problem(one), hides ? kOtherReport : kOtherTexts, rule.name);
    }
}

TEST_F(ExactFaults, APlantedMistakeInBlockVerificationIsFound) {
    const RuleInfo first = planted_rule("first-failure", true, Siblings::none, stops_at_the_first_failure, RuleKind::block);
    expect_found(problem(first, 3, 1), kOtherReport, first.name);
    const RuleInfo prefix = planted_rule("forgets-prefix", true, Siblings::none, forgets_the_prefix, RuleKind::block);
    expect_found(problem(prefix, 3, 1), kOtherTexts, prefix.name);
}

TEST_F(ExactFaults, RelaxedRulesDoNotPassForLossless) {
    for (const RuleInfo& rule : rule_list())
        if (rule.guarantee == Guarantee::nothing) expect_found(problem(rule), kOtherTexts, rule.name);
}

// ---- what decides how many tokens are judged ----

Verdict judged_up_to(const Round& round, int count) {
    Round shorter = round;
    shorter.drafts = round.drafts.first(static_cast<std::size_t>(count));
    return find_rule("token")->verify(shorter);
}

constexpr double kUnsure = 0.45; // a draft below it stops

// By the row alone, whatever was drawn from it.
Verdict stops_at_an_unsure_row(const Round& round) {
    int count = 0;
    while (count < round.count() && *std::ranges::max_element(round.q(count)) >= kUnsure) ++count;
    return judged_up_to(round, count);
}

// Nor may a place be left out for what the draft says behind it: the row there was opened by the token that was drawn here.
Verdict stops_for_a_later_row(const Round& round) {
    const bool unsure = round.count() > 1 && *std::ranges::max_element(round.q(1)) < kUnsure;
    return judged_up_to(round, unsure ? 0 : round.count());
}

// Wrong with the draft's own distribution (wrong_rules.h, peek); right with what is left of it among the tokens that may stay.
Verdict drops_unlikely_draws(const Round& round) {
    std::vector<Distribution> kept;
    for (int node = 0; node < round.count(); ++node) {
        Distribution q = round.q(node);
        if (q[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(node)])] < 0.25) break;
        double mass = 0;
        for (double& value : q) mass += value = value < 0.25 ? 0 : value;
        for (double& value : q) value /= mass;
        kept.push_back(std::move(q));
    }
    Round repaired = round;
    repaired.q = [&](int node) -> const Distribution& { return kept[static_cast<std::size_t>(node)]; };
    return judged_up_to(repaired, static_cast<int>(kept.size()));
}

TEST_F(ExactFaults, TheLengthMayDependOnAllThatIsKnownBeforeADraw) {
    const auto found = [&](Verdict (*verify)(const Round&)) { return problem(planted_rule("length", true, Siblings::none, verify)); };
    EXPECT_EQ(found(stops_at_an_unsure_row), "");
    EXPECT_EQ(found(drops_unlikely_draws), "");
    expect_found(found(stops_for_a_later_row), kOtherTexts, "a later row knows what was drawn before it");
    expect_found(problem(*std::ranges::find(wrong_rules(), std::string("peek"), &RuleInfo::name)), kOtherTexts, "peek");
}

// ---- in the target ----

// A cache that loses a row is seen in the round behind a refusal, not in the first one.
TEST(ExactFaultsOfATarget, ACacheSetBackTooFarIsFoundInTheSecondRound) {
    const auto models = test::narrow_models(1);
    test::EnumeratedCycle one;
    one.models = models;
    one.settings.drafter = "small";
    one.settings.rule = "token";
    one.settings.k = 2;
    one.settings.prompt.token_ids = test::narrow_prompt();
    one.settings.sampling = {.temperature = 1, .top_k = 3};
    one.settings.max_tokens = 8;
    const test::TargetRow row = test::model_rows(models->target, one.settings.prompt.token_ids, one.settings.sampling);
    test::Prefixes prefixes;
    one.target = faulty_target(models, PlantedFault::none);
    EXPECT_EQ(test::enumerate_behind_prefixes(one, row, 2, prefixes).problem, "");
    one.target = faulty_target(models, PlantedFault::rollback);
    EXPECT_EQ(test::enumerate_behind_prefixes(one, row, 0, prefixes).problem, "") << "nothing is taken back before the first round ends";
    expect_found(test::enumerate_behind_prefixes(one, row, 2, prefixes).problem, kOtherTexts, "rollback");
}

} // namespace
} // namespace speclens
