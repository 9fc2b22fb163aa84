// Law 2 exactly on a transformer with random weights and six ids under top-k 3: one round of the production cycle over all of its coins
// behind each of the 13 texts of at most two tokens that earlier rounds can have left, which are played first; for every drafter under
// every rule that promises the target's distribution (tests/shared/enumerated.h).
//
// Leaves foretold behind one text: a drawn chain of two has 3 * 3 ways of 4.5 leaves each under the token rule, as on tables (40), at most
// 63 under match and tree_topk; favourites, copies and blocks without draws have one way, at most 7 leaves; a drawn tree of four nodes has
// 3 * 2 (without replacement) or 3 * 3 ways a place and up to 5 pieces where two nodes share a coin: 500 at most.
// docs/results/verification.md has what came.
#include <gtest/gtest.h>

#include <cctype>

#include "engine/model/precision.h"
#include "engine/text/id_list.h"
#include "tests/shared/enumerated.h"
#include "tests/shared/narrow.h"

namespace speclens {
namespace {

constexpr Sampling kTopThree{.temperature = 1, .top_k = 3};

struct Ranked {
    std::string drafter;
    int ids = 0;          // the most frequent ones that a drafter with a whole output matrix ranks (FR-Spec); 0: all
    int pool = 0;         // of candidates, for heads that correct
    bool reduced = false; // a block whose head ranks half of the ids
};

void PrintTo(const Ranked& one, std::ostream* out) {
    *out << one.drafter << (one.ids ? "_fr_spec" : "") << (one.pool ? "_pool" : "") << (one.reduced ? "_reduced" : "");
}

std::vector<Ranked> ranked() {
    std::vector<Ranked> all = {{.drafter = "domino", .pool = 3}};
    for (const char* block : {"dflash", "domino", "dspark"}) all.push_back({.drafter = block, .reduced = true});
    for (const DrafterInfo& drafter : drafter_list()) {
        all.push_back({.drafter = drafter.name});
        if (drafter.reads_setting(Setting::fr_spec)) all.push_back({.drafter = drafter.name, .ids = 4});
    }
    return all;
}

test::EnumeratedCycle narrow_round(const std::shared_ptr<const Models>& models, const std::string& drafter, const std::string& rule,
                                   int k) {
    test::EnumeratedCycle one;
    one.models = models;
    one.settings.drafter = drafter;
    one.settings.rule = rule;
    one.settings.k = k;
    one.settings.prompt.token_ids = test::narrow_prompt();
    one.settings.sampling = kTopThree;
    one.settings.max_tokens = k + 3;
    const DrafterInfo& info = *find_drafter(drafter);
    if (info.tree) one.settings.options.tree_topk = 2, one.settings.options.tree_budget = 4;
    if (info.reads_setting(Setting::sam_match)) one.settings.options.sam_match = 1;
    if (info.reads_setting(Setting::mod_ngram)) one.settings.options.mod_ngram = one.settings.options.mod_least = 1;
    return one;
}

class ExactOnATransformer : public testing::TestWithParam<Ranked> {};

TEST_P(ExactOnATransformer, EveryRule) {
    const auto& [name, ids, pool, reduced] = GetParam();
    const auto models = test::narrow_models(1, test::kProductsInF32, reduced);
    const DrafterInfo& drafter = *find_drafter(name);
    const test::TargetRow row = test::model_rows(models->target, test::narrow_prompt(), kTopThree);
    for (const test::RuleGroup& rules : test::sampling_rules(drafter)) {
        test::EnumeratedCycle one = narrow_round(models, name, rules.first->name, 2);
        one.same = rules.same;
        one.settings.options.fr_spec = ids;
        one.settings.options.head_pool = pool;
        // A whole vocabulary behind 13 texts; a part of it behind those of at most one token.
        const bool part = ids > 0 || pool > 0 || reduced;
        test::Prefixes prefixes;
        const test::Enumerated found = test::enumerate_behind_prefixes(one, row, part ? 1 : 2, prefixes);
        EXPECT_EQ(found.problem, "") << rules.first->name;
        EXPECT_EQ(prefixes.entered, part ? 4 : 13) << rules.first->name;
        EXPECT_TRUE(!drafter.drafts() || found.kept_and_refused()) << rules.first->name;
        test::tell(testing::PrintToString(GetParam()) + " " + rules.first->name + ", texts " + std::to_string(prefixes.entered) + " (" +
                       std::to_string(prefixes.silent) + ")",
                   found);
    }
}

// --small-ids: the sixteen ids of a list, ends and template among them, of 61; draft and target are of one opinion, and the target says
// what the draft has no row for.
TEST(ExactOnATransformerBySmallIds, EveryRule) {
    auto models = std::make_shared<Models>(*test::micro_models(1));
    models->draft = models->target;
    const test::TargetRow row = test::model_rows(models->target, test::narrow_prompt(), kTopThree);
    IdList list{.name = "some.ids"};
    for (int id = 60; id > 0; id -= 2) list.ids.push_back(id);
    models->small_ids = std::make_shared<FrequentIds>(61, std::vector<int>{3, 7, 7}, list);
    const std::vector<int> ids = models->small_ids->first(16);
    ASSERT_EQ(ids.size(), 16u);
    for (const char* drafter : {"small", "small_tree"})
        for (const test::RuleGroup& rules : test::sampling_rules(*find_drafter(drafter))) {
            test::EnumeratedCycle one = narrow_round(models, drafter, rules.first->name, 2);
            one.same = rules.same;
            one.settings.options.small_ids = 10;
            test::Prefixes prefixes;
            const test::Enumerated found = test::enumerate_behind_prefixes(one, row, 1, prefixes);
            EXPECT_EQ(found.problem, "") << drafter << ", " << rules.first->name;
            EXPECT_EQ(prefixes.entered, 4) << drafter << ", " << rules.first->name;
            EXPECT_GT(found.none, 0) << drafter << ", " << rules.first->name;
            test::tell(std::string(drafter) + " small ids " + rules.first->name, found);
        }
}

INSTANTIATE_TEST_SUITE_P(Drafters, ExactOnATransformer, testing::ValuesIn(ranked()), testing::PrintToStringParamName());

// In every precision of products, with bf16 matrices and with such as stay quantised: the target's distribution is that of the target
// there.
class ExactPrecision : public testing::TestWithParam<std::tuple<test::MultipliedAs, std::string>> {};

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const DrafterInfo& drafter : drafter_list()) all.push_back(drafter.name);
    return all;
}

TEST_P(ExactPrecision, EveryDrafter) {
    const auto& [products, name] = GetParam();
    const auto models = test::narrow_models(1, products);
    const test::TargetRow row = test::model_rows(models->target, test::narrow_prompt(), kTopThree);
    const test::EnumeratedCycle one = narrow_round(models, name, judging_rule("token", name), 2);
    test::Prefixes prefixes;
    const test::Enumerated found = test::enumerate_behind_prefixes(one, row, 1, prefixes);
    EXPECT_EQ(found.problem, "");
    EXPECT_EQ(prefixes.entered, 4);
    EXPECT_TRUE(!find_drafter(name)->drafts() || found.kept_and_refused());
    test::tell(test::called(products) + " " + name + ", texts " + std::to_string(prefixes.entered), found);
}

INSTANTIATE_TEST_SUITE_P(Distributions, ExactPrecision,
                         testing::Combine(testing::Values(test::kProductsInBf16, test::kProductsInInt8, test::kKeptAsQ8_0),
                                          testing::ValuesIn(names())),
                         [](const auto& of) { return test::called(std::get<0>(of.param)) + "_" + std::get<1>(of.param); });

// Chains that stop where a row is unclear, as `sweep --adaptive` lets them.
class ExactStoppedByItsRows : public testing::TestWithParam<std::string> {};

std::vector<std::string> chains() {
    std::vector<std::string> all;
    for (const DrafterInfo& info : drafter_list())
        if (info.drafts() && !info.tree && !info.copies()) all.push_back(info.name);
    return all;
}

TEST_P(ExactStoppedByItsRows, WritesTheTargetsDistribution) {
    const auto models = test::narrow_models(1);
    const test::TargetRow row = test::model_rows(models->target, test::narrow_prompt(), kTopThree);
    test::EnumeratedCycle one = narrow_round(models, GetParam(), "token", 3);
    std::vector<double> margins; // of the rows behind the first place, which is always drafted
    double least = 0;
    one.go_on = [&](int index, double margin) {
        if (index > 0) margins.push_back(margin);
        return index == 0 || margin >= least;
    };
    test::Prefixes prefixes;
    ASSERT_EQ(test::enumerate_behind_prefixes(one, row, 0, prefixes).problem, "");
    ASSERT_FALSE(margins.empty()) << "it asks";
    std::ranges::sort(margins);
    least = margins[margins.size() / 2];
    margins.clear();
    const test::Enumerated found = test::enumerate_behind_prefixes(one, row, 2, prefixes);
    EXPECT_EQ(found.problem, "");
    EXPECT_EQ(prefixes.entered, 13);
    EXPECT_GT(std::ranges::count_if(margins, [&](double margin) { return margin < least; }), 0) << "it stops";
    EXPECT_GT(std::ranges::count_if(margins, [&](double margin) { return margin >= least; }), 0) << "it goes on";
    EXPECT_TRUE(found.kept_and_refused());
    test::tell(GetParam() + " stopped by its rows, texts " + std::to_string(prefixes.entered), found);
}

INSTANTIATE_TEST_SUITE_P(Chains, ExactStoppedByItsRows, testing::ValuesIn(chains()));

} // namespace
} // namespace speclens
