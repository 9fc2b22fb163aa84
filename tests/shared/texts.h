// The distribution of short texts of a transformer, exactly and sampled.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/run.h"
#include "tests/shared/tables.h"

namespace speclens::test {

// By plain decoding of every text of so many tokens that has mass under `sampling`; by the ids behind the prompt.
inline std::map<std::string, double> exact_texts(const std::shared_ptr<const Model>& model, const std::vector<int>& prompt,
                                                 std::size_t tokens, const Sampling& sampling) {
    std::map<std::string, double> expected;
    const auto behind = static_cast<std::ptrdiff_t>(prompt.size());
    std::vector<std::pair<std::vector<int>, double>> open{{prompt, 1.0}};
    while (!open.empty()) {
        auto [context, mass] = open.back();
        open.pop_back();
        if (context.size() == prompt.size() + tokens) {
            expected[context_key({context.begin() + behind, context.end()})] += mass;
            continue;
        }
        auto decoder = make_model_decoder(model, 32);
        const Distribution distribution = decoder->forward({.tokens = context, .logits_from = static_cast<int>(context.size()) - 1}).distribution(0, sampling);
        for (std::size_t v = 0; v < distribution.size(); ++v) {
            if (distribution[v] == 0) continue;
            std::vector<int> next = context;
            next.push_back(static_cast<int>(v));
            open.emplace_back(next, mass * distribution[v]);
        }
    }
    return expected;
}

struct SampledTexts {
    std::map<std::string, long> counted; // by the ids behind the prompt
    long kept = 0, refusals = 0;         // drafts that stayed; rounds in which the target's own token took the place of one
    // Whether the rule had both to do, in one text of fifty at least: else the texts are the target's own draws, and prove nothing.
    [[nodiscard]] bool judged(long samples) const { return 50 * kept >= samples && 50 * refusals >= samples; }
    void count(const CycleView& view) {
        kept += view.accepted_drafts;
        for (const CycleSummary& round : view.cycles) refusals += round.own_slot() < static_cast<int>(round.drafts.size());
    }
};

// Runs of seeds 1 to `samples`.
inline SampledTexts sampled_texts(const std::shared_ptr<const Models>& models, RunSettings settings, long samples) {
    SampledTexts sampled;
    const auto behind = static_cast<std::ptrdiff_t>(settings.token_ids.size());
    for (long i = 0; i < samples; ++i) {
        settings.seed = static_cast<std::uint64_t>(i) + 1;
        speclens::Run run(models, settings);
        run.finish();
        ++sampled.counted[context_key({run.sequence().begin() + behind, run.sequence().end()})];
        sampled.count(fold(run.trace(), run.trace().size()));
    }
    return sampled;
}

} // namespace speclens::test
