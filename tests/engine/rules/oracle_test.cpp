// The public oracles, sampled through the production cycle on their tables: emitted distributions by chi-square, the
// expected number of accepted drafts within five standard errors.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/base/json.h"
#include "engine/run/run.h"
#include "tests/shared/statistics.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

std::shared_ptr<const TableModel> table_from(const Json& rows, int vocab) {
    auto table = std::make_shared<TableModel>();
    table->vocab = vocab;
    for (const auto& [key, row] : rows.items()) table->rows.emplace_back(key, row.get<Distribution>());
    return table;
}

TEST(Oracle, OneRoundOfEveryPublicCaseHasTheExactDistribution) {
    std::ifstream in(SPEC_SOURCE_DIR "/tests/engine/golden/oracles_public.json");
    ASSERT_TRUE(in);
    const Json file = Json::parse(in);
    constexpr long kSamples = 60000;
    int cases = 0;
    for (const Json& test_case : file["cases"]) {
        const std::string rule = test_case["rule"], id = test_case["id"];
        if (!find_rule(rule)) continue;
        ++cases;
        const int vocab = test_case["vocab"], block = test_case["block"];
        const bool raw = test_case.contains("p_raw");
        const auto models = test::table_models(table_from(test_case[raw ? "p_raw" : "p"], vocab),
                                               table_from(test_case[raw ? "q_raw" : "q"], vocab));
        RunSettings settings;
        settings.rule = rule;
        settings.k = block;
        if (rule.rfind("tree_", 0) == 0) {  // full trees of `block` levels with k children per node
            settings.drafter = "small_tree";
            settings.options.tree_topk = test_case["params"]["k"];
            settings.options.tree_budget = 64;
        }
        settings.sampling.temperature = test_case["params"].value("temperature", 1.0);
        settings.sampling.top_k = test_case["params"].value("top_k", 0);
        settings.sampling.top_p = test_case["params"].value("top_p", 1.0);
        for (const char* name : {"alpha", "lenience", "epsilon", "delta", "rho"})
            if (test_case["params"].contains(name))
                set_parameter(settings.rule_params, *find_rule(rule), name, test_case["params"][name].dump());
        settings.max_tokens = block + 1;
        settings.trace_top = 0;
        settings.timing = false;
        std::map<std::string, long> counted;
        double accepted = 0, accepted_squared = 0;
        for (long sample = 0; sample < kSamples; ++sample) {
            settings.seed = static_cast<std::uint64_t>(sample);
            speclens::Run run(models, settings);
            const Committed* commit = nullptr;
            while (!commit) {
                run.step();
                commit = std::get_if<Committed>(&run.trace()[run.trace().size() - 1]);
                if (!commit) commit = std::get_if<Committed>(&run.trace()[run.trace().size() - 2]);
            }
            ++counted[test::context_key(commit->tokens)];
            accepted += commit->accepted_drafts;
            accepted_squared += commit->accepted_drafts * commit->accepted_drafts;
        }
        const auto expected = test_case["expect"]["emitted"].get<std::map<std::string, double>>();
        const test::Fit fit = test::fit(expected, counted, kSamples);
        EXPECT_EQ(fit.impossible, 0) << id;
        EXPECT_GT(fit.p_value, 1e-4) << id << " TV " << fit.total_variation;
        const double mean = accepted / kSamples;
        const double error = std::sqrt(std::max(0.0, accepted_squared / kSamples - mean * mean) / kSamples);
        EXPECT_NEAR(mean, test_case["expect"]["expected_accepted"].get<double>(), 5 * error + 1e-9) << id;
    }
    EXPECT_EQ(cases, 12) << "every public case is of a rule that exists";
}

}  // namespace
}  // namespace speclens
