// What the lens must show, from the tensors that the public implementations computed.
#include "tests/engine/drafters/drafter_goldens.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace speclens::test {
namespace {

using Floats = std::vector<float>;

// Cell c of a strip covers the values [c * n / cells, (c + 1) * n / cells) and shows their mean.
void expect_strip(const Internals& internals, const std::string& name, std::span<const float> want) {
    const Internals::Strip* strip = internals.strip(name);
    ASSERT_NE(strip, nullptr) << name;
    ASSERT_EQ(strip->values, static_cast<int>(want.size())) << name;
    const std::size_t cells = std::min<std::size_t>(want.size(), 28);
    ASSERT_EQ(strip->cells.size(), cells) << name;
    for (std::size_t c = 0; c < cells; ++c) {
        double sum = 0;
        const std::size_t from = c * want.size() / cells, to = (c + 1) * want.size() / cells;
        for (std::size_t i = from; i < to; ++i) sum += static_cast<double>(want[i]);
        ASSERT_NEAR(strip->cells[c], sum / static_cast<double>(to - from), 2e-3) << name << ", cell " << c;
    }
    EXPECT_EQ(strip->low, *std::ranges::min_element(strip->cells));
    EXPECT_EQ(strip->high, *std::ranges::max_element(strip->cells));
}

std::span<const float> row(const Floats& matrix, std::size_t index, std::size_t rows) {
    const std::size_t width = matrix.size() / rows;
    return std::span(matrix).subspan(index * width, width);
}

// Logits of the head's ids as those of the target's, of which the others have none.
Floats over_all_ids(std::span<const float> logits, const std::vector<int>& target_id, int vocab) {
    if (target_id.empty()) return {logits.begin(), logits.end()};
    Floats all(static_cast<std::size_t>(vocab), -std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < logits.size(); ++i) all[static_cast<std::size_t>(target_id[i])] = logits[i];
    return all;
}

// Means are over all of the target's ids; those without logits are not corrected.
void expect_correction(const Internals& internals, const Floats& base, const Floats& corrected) {
    double squares = 0, sum = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
        if (!std::isfinite(base[i])) continue;
        const double delta = static_cast<double>(corrected[i]) - static_cast<double>(base[i]);
        sum += delta, squares += delta * delta;
    }
    EXPECT_NEAR(internals.number("delta mean").value_or(99), sum / static_cast<double>(base.size()), 2e-3);
    ASSERT_TRUE(internals.number("delta l2"));
    EXPECT_NEAR(*internals.number("delta l2"), std::sqrt(squares), 2e-3 * std::max(1.0, std::sqrt(squares)));
    ASSERT_FALSE(internals.movers.empty());
    ASSERT_LE(internals.movers.size(), 8u);
    for (std::size_t i = 0; i < internals.movers.size(); ++i) {
        const Internals::Mover& mover = internals.movers[i];
        const auto at = static_cast<std::size_t>(mover.token);
        EXPECT_NEAR(mover.base_logit, static_cast<double>(base[at]), 2e-3);
        EXPECT_NEAR(mover.final_logit, static_cast<double>(corrected[at]), 2e-3);
        if (i > 0) {
            EXPECT_LE(std::abs(mover.gain()), std::abs(internals.movers[i - 1].gain()));
        }
    }
    const auto lists = [&](const Floats& logits) {
        const int best = static_cast<int>(std::ranges::max_element(logits) - logits.begin());
        return std::ranges::any_of(internals.movers, [&](const Internals::Mover& mover) { return mover.token == best; });
    };
    // gains are what the softmax makes of the deltas: they differ by one number
    const double shared = internals.movers[0].delta() - internals.movers[0].gain();
    for (const Internals::Mover& mover : internals.movers) EXPECT_NEAR(mover.delta() - mover.gain(), shared, 2e-3);
    EXPECT_TRUE(lists(base));
    EXPECT_TRUE(lists(corrected));
}

} // namespace

void expect_internals(const Draft& draft, const Golden& golden, const std::string& round, const DraftConfig& config,
                      const std::vector<int>& target_id) {
    const std::size_t count = draft.nodes.size();
    const Floats rows = golden.values<float>(round + "rows"), states = golden.values<float>(round + "gru_states");
    const Floats base = golden.values<float>(round + "base_logits"), last = golden.values<float>(round + "final_logits");
    const Floats outputs = golden.values<float>(round + "outputs"), features = golden.values<float>(round + "features");
    const auto hidden = static_cast<std::size_t>(config.layer.hidden);
    for (std::size_t i = 0; i < config.taps.size(); ++i) {
        const std::string name = "tap " + std::to_string(config.taps[i]);
        ASSERT_NO_FATAL_FAILURE(expect_strip(draft.nodes[0].internals, name,
                                             std::span(features).last(config.taps.size() * hidden).subspan(i * hidden, hidden)));
    }
    for (std::size_t i = 0; i < count; ++i) {
        SCOPED_TRACE("lens of guess " + std::to_string(i));
        const Internals& internals = draft.nodes[i].internals;
        if (!rows.empty()) {
            ASSERT_NO_FATAL_FAILURE(expect_strip(internals, "row", row(rows, i, count)));
        }
        if (!outputs.empty()) {
            const std::size_t real = outputs.size() / hidden - (count - 1);
            ASSERT_NO_FATAL_FAILURE(expect_strip(internals, "output", row(outputs, real - 1 + i, outputs.size() / hidden)));
            if (i > 0) {
                ASSERT_NO_FATAL_FAILURE(expect_strip(internals, "feature", row(outputs, real - 2 + i, outputs.size() / hidden)));
            }
        }
        if (!states.empty()) {
            ASSERT_NO_FATAL_FAILURE(expect_strip(internals, "state", row(states, i, count)));
            EXPECT_EQ(internals.number("corrected"), static_cast<int>(i) >= config.prefix ? 1 : 0);
            for (const char* gate : {"r", "z"}) {
                const double mean = internals.number(std::string("mean ") + gate).value_or(-1);
                EXPECT_GT(mean, 0);
                EXPECT_LT(mean, 1);
            }
        }
        const bool corrects = config.method == DraftConfig::Method::dspark || static_cast<int>(i) >= config.prefix;
        if (config.method == DraftConfig::Method::dflash2) { // only candidates have a score
            ASSERT_FALSE(internals.movers.empty());
            for (const Internals::Mover& mover : internals.movers) {
                EXPECT_NEAR(mover.base_logit, static_cast<double>(row(base, i, count)[static_cast<std::size_t>(mover.token)]), 2e-3);
                EXPECT_NEAR(mover.final_logit, static_cast<double>(row(last, i, count)[static_cast<std::size_t>(mover.token)]), 2e-3);
            }
        } else if (!last.empty() && corrects) {
            const int vocab = config.layer.vocab;
            expect_correction(internals, over_all_ids(row(base, i, count), target_id, vocab),
                              over_all_ids(row(last, i, count), target_id, vocab));
        } else {
            EXPECT_TRUE(internals.movers.empty());
        }
    }
}

void expect_feature_errors(const Internals& internals, const Golden& golden, const std::string& round, const fs::path& weights) {
    const Safetensors file = Safetensors::open(weights);
    const StoredTensor* stored = file.find("fc.weight");
    ASSERT_NE(stored, nullptr);
    const std::vector<std::byte> bytes = file.read(*stored);
    const auto hidden = static_cast<std::size_t>(stored->shape[0]), width = static_cast<std::size_t>(stored->shape[1]);
    const auto weight = [&](std::size_t at) { // bf16
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + 2 * at, 2);
        const std::uint32_t whole = static_cast<std::uint32_t>(half) << 16;
        float value = 0;
        std::memcpy(&value, &whole, 4);
        return static_cast<double>(value);
    };
    const std::string next = std::to_string(std::stoi(round) + 1) + ".";
    const Floats features = golden.values<float>(next + "features"), outputs = golden.values<float>(round + "outputs");
    if (features.empty()) return; // after the last round
    const std::size_t drafts = golden.ids(round + "drafts").size(), steps = std::min(drafts, features.size() / width);
    const std::size_t real = outputs.size() / hidden - (drafts - 1);
    const Internals::Strip* errors = internals.strip("feature error");
    ASSERT_NE(errors, nullptr);
    ASSERT_EQ(errors->cells.size(), steps);
    for (std::size_t step = 0; step < steps; ++step) {
        double gap = 0, size = 0;
        for (std::size_t i = 0; i < hidden; ++i) {
            double fused = 0;
            for (std::size_t j = 0; j < width; ++j) fused += weight(i * width + j) * static_cast<double>(features[step * width + j]);
            const double own = static_cast<double>(outputs[(real - 1 + step) * hidden + i]);
            gap += (own - fused) * (own - fused);
            size += fused * fused;
        }
        EXPECT_NEAR(errors->cells[step], std::sqrt(gap / size), 2e-3 * std::max(1.0, std::sqrt(gap / size))) << "step " << step;
    }
}

} // namespace speclens::test
