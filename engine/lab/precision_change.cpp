#include "engine/lab/precision_change.h"

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/samples.h"
#include "engine/model/decoder.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kRows = 32; // of a pass: logits of so many rows are little beside the weights

double log_probability(const std::vector<float>& logits, int id) {
    const double most = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - most);
    return logits[static_cast<std::size_t>(id)] - most - std::log(sum);
}

RunSettings greedy(RunSettings settings, const std::string& drafter) {
    settings.drafter = drafter;
    settings.k = default_k(drafter);
    settings.rule = judging_rule(settings.rule, drafter);
    settings.sampling.temperature = 0;
    settings.trace_top = 0;
    settings.timing = false;
    return settings;
}

} // namespace

PrecisionReading read_precision(const std::shared_ptr<const Models>& models, std::span<const int> text, std::span<const RunSettings> runs,
                                const std::function<void(double)>& go_on) {
    CHECK(models->target && text.size() >= 2, "a text and a model that reads it");
    PrecisionReading reading;
    reading.precision = models->precision();
    std::vector<std::string> drafters = models->ready_drafters();
    std::erase(drafters, kNoDrafter);
    const double share = 1 / (1 + static_cast<double>(drafters.size()));
    const auto report = [&](double done) {
        if (go_on) go_on(done);
    };
    const std::size_t places = text.size() - 1;
    const auto decoder = make_model_decoder(models->target, static_cast<int>(text.size()));
    for (std::size_t at = 0; at < places; at += kRows) {
        report(share * static_cast<double>(at) / static_cast<double>(places));
        const std::span<const int> piece = text.subspan(at, std::min<std::size_t>(kRows, places - at));
        PassRows& rows = decoder->forward({.tokens = piece});
        for (std::size_t i = 0; i < piece.size(); ++i)
            reading.logp.push_back(log_probability(rows.logits(static_cast<int>(i)), text[at + i + 1]));
        const std::vector<int>& likeliest = rows.argmax();
        reading.likeliest.insert(reading.likeliest.end(), likeliest.begin(), likeliest.end());
    }
    for (std::size_t d = 0; d < drafters.size(); ++d) {
        DraftReading one{.drafter = drafters[d], .k = default_k(drafters[d])};
        for (std::size_t r = 0; r < runs.size(); ++r) {
            report(share * (1 + static_cast<double>(d) + static_cast<double>(r) / static_cast<double>(runs.size())));
            Run run(models, greedy(runs[r], drafters[d]));
            run.finish();
            const Sample sample = sample_of(run);
            one.rounds += sample.rounds;
            one.tokens += sample.tokens;
        }
        reading.drafters.push_back(std::move(one));
    }
    report(1);
    return reading;
}

PrecisionChange change_between(const PrecisionReading& from, const PrecisionReading& to) {
    CHECK(from.logp.size() == to.logp.size() && from.likeliest.size() == to.likeliest.size(), "two readings of one text");
    PrecisionChange change{.from = from.precision, .to = to.precision, .tokens = static_cast<int>(to.logp.size())};
    for (std::size_t i = 0; i < to.logp.size(); ++i) {
        const double gap = to.logp[i] - from.logp[i];
        change.mean += gap / change.tokens;
        change.mean_size += std::abs(gap) / change.tokens;
        if (std::abs(gap) > change.worst) change.worst = std::abs(gap), change.worst_at = static_cast<int>(i) + 1;
    }
    for (std::size_t i = 0; i < to.likeliest.size(); ++i) change.likeliest_differs += from.likeliest[i] != to.likeliest[i];
    for (const DraftReading& one : to.drafters)
        if (const auto same = std::ranges::find(from.drafters, one.drafter, &DraftReading::drafter); same != from.drafters.end())
            change.drafters.push_back({*same, one});
    return change;
}

} // namespace speclens
