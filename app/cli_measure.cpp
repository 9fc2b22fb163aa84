#include "app/cli_measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/cli_output.h"
#include "engine/cycle_view.h"
#include "engine/rng.h"

namespace speclens::cli {

namespace {

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Jiffies that all cores spent working, without those of this process.
struct Busy {
    double jiffies = 0;
    double at_ms = 0;
};

Busy busy_now() {
    Busy busy;
    busy.at_ms = now_ms();
    std::ifstream stat("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0;
    if (stat >> cpu >> user >> nice >> system) busy.jiffies = user + nice + system;
    return busy;
}

double ratio(std::span<const Sample* const> plain, std::span<const Sample* const> speculative,
             const std::vector<std::size_t>& chosen) {
    double plain_ms = 0, speculative_ms = 0;
    double plain_tokens = 0, speculative_tokens = 0;
    for (const std::size_t i : chosen) {
        plain_ms += plain[i]->total_ms();
        plain_tokens += plain[i]->tokens;
        speculative_ms += speculative[i]->total_ms();
        speculative_tokens += speculative[i]->tokens;
    }
    if (plain_tokens <= 0 || speculative_tokens <= 0 || speculative_ms <= 0) return 0;
    return (plain_ms / plain_tokens) / (speculative_ms / speculative_tokens);
}

void grow(std::vector<int>& counts, std::size_t index) {
    if (counts.size() <= index) counts.resize(index + 1, 0);
    ++counts[index];
}

} // namespace

Sample measure(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    Run run(models, settings);
    const auto prefilled = [&] {
        const std::size_t size = run.trace().size();
        return size > 1 && std::holds_alternative<Prefill>(run.trace()[1]);
    };
    while (!prefilled() && run.step()) stop_if_interrupted();
    const double start = now_ms();
    while (run.step()) stop_if_interrupted();
    const double elapsed = now_ms() - start;

    const CycleView view = fold(run.trace(), run.trace().size());
    Sample sample;
    sample.rounds = view.rounds;
    sample.tokens = view.output_tokens;
    sample.drafted = view.drafted;
    sample.accepted = view.accepted_drafts;
    for (const CycleSummary& cycle : view.cycles) {
        if (!cycle.complete()) continue;
        sample.draft_ms += cycle.draft_ms;
        sample.head_ms += cycle.head_ms;
        sample.verify_ms += cycle.verify_ms;
        // By position: in a tree a position is judged when one of its guesses is, and accepted likewise.
        std::size_t judged = 0;
        for (const DraftSlot& slot : cycle.drafts)
            if (slot.check) judged = std::max(judged, static_cast<std::size_t>(slot.depth));
        for (std::size_t i = 0; i < judged; ++i) {
            grow(sample.judged_at, i);
            if (i < cycle.path.size()) grow(sample.accepted_at, i);
        }
    }
    sample.accepted_at.resize(sample.judged_at.size(), 0);
    sample.other_ms = std::max(0.0, elapsed - sample.draft_ms - sample.verify_ms);
    sample.output.assign(run.sequence().begin() + static_cast<std::ptrdiff_t>(view.header->prompt.size()),
                         run.sequence().end());
    return sample;
}

const Sample& median_sample(std::vector<Sample>& repeats) {
    const auto middle = repeats.begin() + static_cast<std::ptrdiff_t>((repeats.size() - 1) / 2);
    std::nth_element(repeats.begin(), middle, repeats.end(),
                     [](const Sample& a, const Sample& b) { return a.total_ms() < b.total_ms(); });
    return *middle;
}

Totals total(std::span<const Sample* const> samples) {
    Totals t;
    std::vector<double> accepted, judged;
    for (const Sample* s : samples) {
        ++t.prompts;
        t.rounds += s->rounds;
        t.tokens += s->tokens;
        t.drafted += s->drafted;
        t.accepted += s->accepted;
        t.draft_ms += s->draft_ms;
        t.head_ms += s->head_ms;
        t.verify_ms += s->verify_ms;
        t.other_ms += s->other_ms;
        accepted.resize(std::max(accepted.size(), s->judged_at.size()), 0);
        judged.resize(accepted.size(), 0);
        for (std::size_t i = 0; i < s->judged_at.size(); ++i) {
            accepted[i] += s->accepted_at[i];
            judged[i] += s->judged_at[i];
        }
    }
    const double all_ms = t.draft_ms + t.verify_ms + t.other_ms;
    if (all_ms > 0) t.tokens_per_second = 1000.0 * t.tokens / all_ms;
    if (t.rounds == 0) return t;
    t.draft_ms /= t.rounds;
    t.head_ms /= t.rounds;
    t.verify_ms /= t.rounds;
    t.other_ms /= t.rounds;
    for (std::size_t i = 0; i < accepted.size(); ++i) {
        t.acceptance.push_back(accepted[i] / t.rounds);
        t.conditional.push_back(judged[i] > 0 ? accepted[i] / judged[i] : 0);
    }
    return t;
}

SpeedUp speed_up(std::span<const Sample* const> plain, std::span<const Sample* const> speculative,
                 std::uint64_t seed) {
    constexpr int kResamples = 2000;
    const std::size_t n = plain.size();
    std::vector<std::size_t> chosen(n);
    for (std::size_t i = 0; i < n; ++i) chosen[i] = i;
    SpeedUp result;
    result.value = result.low = result.high = ratio(plain, speculative, chosen);
    if (n < 2) return result;
    std::vector<double> ratios;
    for (std::uint32_t b = 0; b < kResamples; ++b) {
        for (std::size_t i = 0; i < n; ++i) {
            const double u = uniform({.seed = seed, .position = static_cast<std::uint32_t>(i), .attempt = b});
            chosen[i] = std::min(n - 1, static_cast<std::size_t>(u * static_cast<double>(n)));
        }
        ratios.push_back(ratio(plain, speculative, chosen));
    }
    std::sort(ratios.begin(), ratios.end());
    result.low = ratios[kResamples * 25 / 1000];
    result.high = ratios[kResamples * 975 / 1000 - 1];
    result.interval = true;
    return result;
}

void warm_up(const std::shared_ptr<const Models>& models, RunSettings settings) {
    settings.token_ids = {prompt_tokens(*models, settings).ids[0]};
    settings.max_tokens = 2;
    Run run(models, settings);
    while (run.step()) stop_if_interrupted();
}

double plain_ms_per_token(const std::shared_ptr<const Models>& models, RunSettings settings, int tokens) {
    settings.drafter = "none";
    settings.k = 0;
    settings.options = {};
    warm_up(models, settings);
    settings.max_tokens = tokens;
    Run plain(models, settings);
    while (!interrupted().load() && plain.step()) {
    }
    const CycleView view = fold(plain.trace(), plain.trace().size());
    return view.output_tokens > 0 ? view.total_ms / view.output_tokens : 0;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double busy_cores() {
    const Busy before = busy_now();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const Busy after = busy_now();
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const double seconds = (after.at_ms - before.at_ms) / 1000;
    return seconds > 0 ? (after.jiffies - before.jiffies) / ticks / seconds : 0;
}

std::string busy_warning(double cores) {
    if (cores < 0.15) return "";
    char text[160];
    std::snprintf(text, sizeof text,
                  "other processes keep %.1f of %u cores busy: the times below are too long", cores,
                  std::thread::hardware_concurrency());
    return text;
}

} // namespace speclens::cli
