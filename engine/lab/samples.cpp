#include "engine/lab/samples.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/rng.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"

namespace speclens {
namespace {

void grow(std::vector<int>& counts, std::size_t index) {
    if (counts.size() <= index) counts.resize(index + 1, 0);
    ++counts[index];
}

void add(std::vector<int>& sum, const std::vector<int>& counts) {
    if (sum.size() < counts.size()) sum.resize(counts.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
}

using Ratio = std::function<double(const std::vector<std::size_t>& chosen)>;

Estimate bootstrap(std::size_t n, std::uint64_t seed, const Ratio& ratio) {
    constexpr std::uint32_t kResamples = 2000;
    std::vector<std::size_t> chosen(n);
    for (std::size_t i = 0; i < n; ++i) chosen[i] = i;
    Estimate result;
    result.value = result.low = result.high = ratio(chosen);
    if (n < 2) return result;
    std::vector<double> ratios;
    ratios.reserve(kResamples);
    for (std::uint32_t b = 0; b < kResamples; ++b) {
        for (std::size_t i = 0; i < n; ++i) {
            const double u = uniform({.seed = seed, .position = static_cast<std::uint32_t>(i), .attempt = b});
            chosen[i] = std::min(n - 1, static_cast<std::size_t>(u * static_cast<double>(n)));
        }
        ratios.push_back(ratio(chosen));
    }
    std::sort(ratios.begin(), ratios.end());
    result.low = ratios[kResamples * 25 / 1000];
    result.high = ratios[kResamples * 975 / 1000 - 1];
    result.interval = true;
    return result;
}

// Per round that drafted.
double tokens_a_round(std::span<const Sample* const> samples, const std::vector<std::size_t>& chosen) {
    double tokens = 0, rounds = 0;
    for (const std::size_t i : chosen) {
        tokens += samples[i]->tokens - samples[i]->plain_passes;
        rounds += samples[i]->rounds - samples[i]->plain_passes;
    }
    return rounds > 0 ? tokens / rounds : 0.0;
}

} // namespace

FirstDrafts& FirstDrafts::operator+=(const FirstDrafts& other) {
    at_start += other.at_start;
    kept_at_start += other.kept_at_start;
    after_full += other.after_full;
    kept_after_full += other.kept_after_full;
    after_refusal += other.after_refusal;
    kept_after_refusal += other.kept_after_refusal;
    return *this;
}

void Sample::take_times() {
    const RunView view = fold(*trace, trace->size());
    draft_ms = head_ms = verify_ms = accept_ms = other_ms = 0;
    for (const RoundSummary& round : view.round_list) {
        if (!round.complete()) continue;
        draft_ms += round.draft_ms;
        head_ms += round.head_ms;
        verify_ms += round.verify_ms;
        accept_ms += round.accept_ms;
        other_ms += round.other_ms;
    }
    const std::shared_ptr<const TraceTimes> times = trace->times();
    excess_ms = times ? times->spread * total_ms() : 0;
}

Sample sample_of(const Run& run) {
    Sample sample;
    sample.trace = run.shared_trace();
    const RunView view = fold(*sample.trace, sample.trace->size());
    sample.rounds = view.rounds;
    sample.plain_passes = view.plain_passes;
    sample.tokens = view.output_tokens;
    sample.drafted = view.drafted;
    sample.accepted = view.accepted_drafts;
    sample.wire = wire_totals(view);
    sample.ranks = refused_ranks(view);
    sample.take_times();
    const RoundSummary* before = nullptr;
    for (const RoundSummary& round : view.round_list) {
        if (!round.complete()) continue;
        // By position: in a tree a position is judged when one of its draft tokens is, and accepted likewise.
        std::size_t judged = round.judged_in_order();
        if (round.tree)
            for (const DraftSlot& slot : round.drafts)
                if (slot.check) judged = std::max(judged, static_cast<std::size_t>(slot.depth));
        for (std::size_t i = 0; i < judged; ++i) {
            grow(sample.judged_at, i);
            if (i < round.path.size()) grow(sample.accepted_at, i);
        }
        const auto first = [&](int& all, int& kept) {
            ++all;
            kept += round.path.empty() ? 0 : 1;
        };
        FirstDrafts& f = sample.first;
        if (judged > 0 && !before)
            first(f.at_start, f.kept_at_start);
        else if (judged > 0 && !before->drafts.empty()) {
            if (before->own_slot() == static_cast<int>(before->drafts.size()))
                first(f.after_full, f.kept_after_full);
            else
                first(f.after_refusal, f.kept_after_refusal);
        }
        before = &round;
    }
    sample.accepted_at.resize(sample.judged_at.size(), 0);
    sample.output.assign(run.sequence().begin() + static_cast<std::ptrdiff_t>(view.header->prompt.size()), run.sequence().end());
    return sample;
}

Totals total(std::span<const Sample* const> samples) {
    Totals t;
    for (const Sample* s : samples) {
        ++t.prompts;
        t.rounds += s->rounds;
        t.plain_passes += s->plain_passes;
        t.tokens += s->tokens;
        t.drafted += s->drafted;
        t.accepted += s->accepted;
        t.draft_ms += s->draft_ms;
        t.head_ms += s->head_ms;
        t.verify_ms += s->verify_ms;
        t.other_ms += s->other_ms;
        t.accept_ms += s->accept_ms;
        t.spread += s->excess_ms;
        add(t.judged_at, s->judged_at);
        add(t.accepted_at, s->accepted_at);
        t.first += s->first;
        t.ranks += s->ranks;
        t.wire += s->wire;
    }
    t.accepted_at.resize(t.judged_at.size(), 0);
    const double all_ms = t.draft_ms + t.verify_ms + t.other_ms;
    if (all_ms > 0) t.tokens_per_second = 1000.0 * t.tokens / all_ms;
    if (all_ms > 0) t.spread /= all_ms;
    if (t.rounds == 0) return t;
    t.draft_ms /= t.rounds;
    t.head_ms /= t.rounds;
    t.verify_ms /= t.rounds;
    t.other_ms /= t.rounds;
    t.accept_ms /= t.rounds;
    for (std::size_t i = 0; i < t.judged_at.size(); ++i) {
        const double accepted = t.accepted_at[i], judged = t.judged_at[i];
        t.acceptance.push_back(accepted / std::max(1, t.rounds - t.plain_passes));
        t.conditional.push_back(judged > 0 ? accepted / judged : 0);
    }
    return t;
}

Estimate speed_up(std::span<const Sample* const> plain, std::span<const Sample* const> speculative, std::uint64_t seed) {
    return bootstrap(plain.size(), seed, [&](const std::vector<std::size_t>& chosen) {
        double plain_ms = 0, speculative_ms = 0, plain_tokens = 0, speculative_tokens = 0;
        for (const std::size_t i : chosen) {
            plain_ms += plain[i]->total_ms();
            plain_tokens += plain[i]->tokens;
            speculative_ms += speculative[i]->total_ms();
            speculative_tokens += speculative[i]->tokens;
        }
        if (plain_tokens <= 0 || speculative_tokens <= 0 || speculative_ms <= 0) return 0.0;
        return (plain_ms / plain_tokens) / (speculative_ms / speculative_tokens);
    });
}

Estimate tokens_per_round(std::span<const Sample* const> samples, std::uint64_t seed) {
    return bootstrap(samples.size(), seed, [&](const std::vector<std::size_t>& chosen) { return tokens_a_round(samples, chosen); });
}

Estimate tokens_more(std::span<const Sample* const> first, std::span<const Sample* const> other, std::uint64_t seed) {
    return bootstrap(first.size(), seed,
                     [&](const std::vector<std::size_t>& chosen) { return tokens_a_round(other, chosen) - tokens_a_round(first, chosen); });
}

Interval wilson(int successes, int trials) {
    if (trials <= 0) return {};
    constexpr double z = 1.959963984540054;
    const double n = trials, p = successes / n;
    const double center = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return {std::max(0.0, center - half), std::min(1.0, center + half)};
}

} // namespace speclens
