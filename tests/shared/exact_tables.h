// Two rounds of any drafter on tables of three tokens, for tests that play them over every coin.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/shared/enumerated.h"

namespace speclens::test {

class TwoRoundsOnTables : public ::testing::Test {
  protected:
    // It repeats itself, for who copies; a table's contexts begin behind it.
    const std::vector<int> repeating{0, 1, 2, 0, 1, 2, 0, 1};
    std::shared_ptr<const TableModel> target = random_table(3, 3, 11);
    std::shared_ptr<const TableModel> draft = random_table(3, 2, 22);
    std::shared_ptr<const Models> models = table_models(target, draft);

    EnumeratedCycle two_rounds(const std::string& drafter, const std::string& rule, int k = 2) const {
        EnumeratedCycle one;
        one.models = models;
        one.settings.drafter = drafter;
        one.settings.rule = rule;
        one.settings.k = k;
        one.settings.prompt.token_ids = repeating;
        one.settings.sampling.temperature = 1;
        one.settings.max_tokens = 2 * (k + 1);
        const DrafterInfo& info = *find_drafter(drafter);
        if (info.tree) one.settings.options.tree_topk = 2, one.settings.options.tree_budget = 3;
        if (info.reads_setting(Setting::sam_match)) one.settings.options.sam_match = 1;
        if (info.reads_setting(Setting::mod_ngram)) one.settings.options.mod_ngram = one.settings.options.mod_least = 1;
        return one;
    }
    // Over all of its coins it writes the target's distribution.
    Enumerated expect_exact(const EnumeratedCycle& one, const std::string& name) const {
        const Enumerated found = enumerate(one, table_rows(target, one.settings.sampling));
        EXPECT_EQ(found.problem, "") << name;
        tell(name, found);
        return found;
    }
};

} // namespace speclens::test
