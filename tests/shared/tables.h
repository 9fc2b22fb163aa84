// Small exact models for tests: conditional tables over a tiny vocabulary, built from a seed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/rng.h"
#include "engine/model/decoder.h"
#include "engine/models/models.h"

namespace speclens::test {

inline std::string context_key(const std::vector<int>& context) {
    std::string key;
    for (int id : context) key += (key.empty() ? "" : ",") + std::to_string(id);
    return key;
}

// Every context of up to `depth` tokens gets a random row; deeper contexts fall back to their longest suffix.
inline std::shared_ptr<const TableModel> random_table(int vocab, int depth, std::uint64_t seed) {
    auto table = std::make_shared<TableModel>();
    table->vocab = vocab;
    std::vector<std::vector<int>> contexts{{}};
    std::uint32_t draw = 0;
    for (std::size_t c = 0; c < contexts.size(); ++c) {
        Distribution distribution;
        double sum = 0;
        for (int v = 0; v < vocab; ++v) {
            const double u = uniform({.seed = seed, .position = draw++});
            distribution.push_back(u * u + 0.02); // uneven, never zero
            sum += distribution.back();
        }
        for (double& value : distribution) value /= sum;
        table->rows.emplace_back(context_key(contexts[c]), distribution);
        if (static_cast<int>(contexts[c].size()) < depth)
            for (int v = 0; v < vocab; ++v) {
                contexts.push_back(contexts[c]);
                contexts.back().push_back(v);
            }
    }
    return table;
}

// Target and draft tables of the same vocabulary, ready for a Run.
[[nodiscard]] std::shared_ptr<const Models> table_models(std::shared_ptr<const TableModel> target, std::shared_ptr<const TableModel> draft);

// The distribution a table gives after `context` (generated tokens only), by the fallback rule of TableModel.
inline Distribution table_distribution(const TableModel& table, std::vector<int> context) {
    for (;;) {
        for (const auto& [key, distribution] : table.rows)
            if (key == context_key(context)) return distribution;
        if (context.empty()) return Distribution(static_cast<std::size_t>(table.vocab), 1.0 / table.vocab);
        context.erase(context.begin());
    }
}

} // namespace speclens::test
