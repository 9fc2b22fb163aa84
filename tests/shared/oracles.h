// The public oracles of tests/engine/golden/oracles_public.json (specdec-oracles/1) as runs on their tables.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/run/run.h"
#include "tests/shared/tables.h"

namespace speclens::test {

struct PublicOracle {
    std::string id;
    std::shared_ptr<const Models> models;
    RunSettings settings;                  // of one round
    std::map<std::string, double> emitted; // what the round brings, by its ids
    double accepted = 0;                   // draft tokens kept on average
};

inline std::shared_ptr<const TableModel> oracle_table(const Json& rows, int vocab) {
    auto table = std::make_shared<TableModel>();
    table->vocab = vocab;
    for (const auto& [key, row] : rows.items()) table->rows.emplace_back(key, row.get<Distribution>());
    return table;
}

// Those of rules that exist.
inline std::vector<PublicOracle> public_oracles() {
    std::ifstream in(SPEC_SOURCE_DIR "/tests/engine/golden/oracles_public.json");
    EXPECT_TRUE(in);
    const Json file = Json::parse(in);
    std::vector<PublicOracle> oracles;
    for (const Json& test_case : file["cases"]) {
        const auto rule = test_case["rule"].get<std::string>();
        if (!find_rule(rule)) continue;
        PublicOracle& oracle = oracles.emplace_back();
        oracle.id = test_case["id"].get<std::string>();
        const int vocab = test_case["vocab"].get<int>(), block = test_case["block"].get<int>();
        const bool raw = test_case.contains("p_raw");
        oracle.models =
            table_models(oracle_table(test_case[raw ? "p_raw" : "p"], vocab), oracle_table(test_case[raw ? "q_raw" : "q"], vocab));
        RunSettings& settings = oracle.settings;
        settings.rule = rule;
        settings.k = block;
        if (rule.rfind("tree_", 0) == 0) { // full trees of `block` levels with k children per node
            settings.drafter = "small_tree";
            settings.options.tree_topk = test_case["params"]["k"].get<int>();
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
        oracle.emitted = test_case["expect"]["emitted"].get<std::map<std::string, double>>();
        oracle.accepted = test_case["expect"]["expected_accepted"].get<double>();
    }
    return oracles;
}

} // namespace speclens::test
