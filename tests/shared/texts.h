// The distribution of short texts of a transformer, exactly and sampled.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/run/run.h"
#include "tests/shared/statistics.h"
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
        const Distribution distribution =
            decoder->forward({.tokens = context, .logits_from = static_cast<int>(context.size()) - 1}).distribution(0, sampling);
        for (std::size_t v = 0; v < distribution.size(); ++v) {
            if (distribution[v] == 0) continue;
            std::vector<int> next = context;
            next.push_back(static_cast<int>(v));
            open.emplace_back(next, mass * distribution[v]);
        }
    }
    return expected;
}

// Texts of every rule. More by hand, SPEC_LAW2_TEXTS=20000, and what came is printed (docs/results/verification.md); none if it is no
// number of at least `usual`.
inline std::optional<long> texts_of_a_rule(long usual) {
    const char* const asked = std::getenv("SPEC_LAW2_TEXTS");
    if (!asked) return usual;
    const std::string_view text = asked;
    long texts = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), texts);
    if (error != std::errc() || end != text.data() + text.size() || texts < usual) return {};
    return texts;
}

// The total variation that so many draws from `expected` itself have on average (each count as a normal variable).
inline double variation_of_draws(const std::map<std::string, double>& expected, long draws) {
    double sum = 0;
    for (const auto& [text, p] : expected) sum += std::sqrt(2 * p * (1 - p) / (std::numbers::pi * static_cast<double>(draws)));
    return sum / 2;
}

struct SampledTexts {
    std::map<std::string, long> counted; // by the ids behind the prompt
    long kept = 0, refusals = 0;         // drafts that stayed; rounds in which the target's own token took the place of one
    // Whether the rule had both to do, in one text of fifty at least: else the texts are the target's own draws, and prove nothing.
    [[nodiscard]] bool judged(long samples) const { return 50 * kept >= samples && 50 * refusals >= samples; }
    void count(const RunView& view) {
        kept += view.accepted_drafts;
        for (const RoundSummary& round : view.round_list) refusals += round.own_slot() < static_cast<int>(round.drafts.size());
    }
    // Prints what came out of so many.
    void tell(const std::string& name, const std::map<std::string, double>& expected, long samples) const {
        const Fit found = fit(expected, counted, samples);
        std::printf("%s: p %.3f, total variation %.4f (%.4f by chance), %.2f drafts kept and %.2f refused a text\n", name.c_str(),
                    found.p_value, found.total_variation, variation_of_draws(expected, samples),
                    static_cast<double>(kept) / static_cast<double>(samples), static_cast<double>(refusals) / static_cast<double>(samples));
    }
};

// Runs of seeds 1 to `samples`.
inline SampledTexts sampled_texts(const std::shared_ptr<const Models>& models, RunSettings settings, long samples) {
    SampledTexts sampled;
    const auto behind = static_cast<std::ptrdiff_t>(settings.prompt.token_ids.size());
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
