// Law 2 exactly with a draft model that has another tokenizer (tests/shared/enumerated.h), target and draft under top-k 3.
//
// Leaves foretold behind one text: by ids as any drawn chain of two, at most 63. By text the draws of the draft model are 9 ways, each
// guess counts as certain: at most 7 leaves a way, so 63 again.
#include <gtest/gtest.h>

#include "tests/shared/enumerated.h"
#include "tests/shared/foreign.h"

namespace speclens {
namespace {

TEST(ExactTranslated, WritesTheTargetsDistributionUnderEveryRuleForChains) {
    const auto models = test::few_token_models();
    const Sampling top_three{.temperature = 1, .top_k = 3};
    const std::vector<int> prompt = models->tokenizer->encode("abcabc");
    const test::TargetRow row = test::model_rows(models->target, prompt, top_three);
    for (const bool by_text : {false, true})
        for (const test::RuleGroup& rules : test::sampling_rules(*find_drafter("small"))) {
            test::EnumeratedCycle one;
            one.models = models;
            one.settings = test::foreign(by_text, 2, 1);
            one.settings.prompt.token_ids = prompt;
            one.settings.rule = rules.first->name;
            one.settings.sampling = top_three;
            one.settings.max_tokens = 6;
            one.same = rules.same;
            one.own_draws = by_text;
            test::Prefixes prefixes;
            const test::Enumerated found = test::enumerate_behind_prefixes(one, row, 2, prefixes);
            const std::string name = std::string(by_text ? "translated by text " : "translated by ids ") + rules.first->name;
            EXPECT_EQ(found.problem, "") << name;
            EXPECT_GE(prefixes.entered, 7) << "one of three tokens may end the text";
            EXPECT_TRUE(found.judged()) << name;
            test::tell(name + ", texts " + std::to_string(prefixes.entered) + " (" + std::to_string(prefixes.silent) + ")", found);
        }
}

} // namespace
} // namespace speclens
