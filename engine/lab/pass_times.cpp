#include "engine/lab/pass_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/clock.h"
#include "engine/model/decoder.h"
#include "engine/model/model_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double interpolated(const std::vector<double>& ascending, double share) {
    const double at = share * static_cast<double>(ascending.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, ascending.size() - 1);
    return ascending[below] + (at - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

double multiply_adds_of(const ModelConfig& config) {
    Model shape;
    shape.config = config;
    double sum = 0;
    for (const Slot& slot : model_slots(shape))
        if (!slot.vector && slot.read_per_token) sum += static_cast<double>(slot.rows * slot.cols);
    return sum;
}

} // namespace

std::vector<int> filler_tokens(int count, int vocab) {
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) ids.push_back((i * 37 + 11) % vocab);
    return ids;
}

const PassTime* PassTimes::of(int rows) const {
    const auto found = std::ranges::find(passes, rows, &PassTime::rows);
    return found == passes.end() ? nullptr : &*found;
}

double bandwidth_or_unknown(std::size_t bytes, const std::function<double(std::size_t)>& measure) {
    try {
        return measure(bytes);
    } catch (const Error&) {
        return kUnknown;
    }
}

PassPlan window_passes(const Models& models) {
    PassPlan plan{.rows = {}, .context = 64, .repeats = 40, .seconds = 3};
    const int room = models.target ? models.target->config.context() - plan.context : 0;
    for (const int rows : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
        if (rows == 1 || rows <= room) plan.rows.push_back(rows);
    return plan;
}

PassTimes measure_passes(const Models& models, const PassPlan& plan,
                         const std::function<bool(int, int)>& go_on) {
    CHECK(models.target && !plan.rows.empty(), "passes of a model");
    constexpr int kWarmUps = 3, kReadEvery = 5;
    PassTimes result;
    result.context = plan.context;
    result.weight_bytes = static_cast<double>(models.target->bytes.per_token);
    result.multiply_adds = multiply_adds_of(models.target->config);
    std::vector<int> rows = plan.rows;
    const int widest = *std::ranges::max_element(rows), positions = models.target->config.context();
    if (plan.context + widest > positions)
        throw Error("passes of " + std::to_string(widest) + " tokens behind a context of " + std::to_string(plan.context) +
                        " do not fit into the " + std::to_string(positions) + " positions of " + models.target->name,
                    "Choose a context of at most " + std::to_string(positions - widest) + ".", Exit::usage);
    const std::unique_ptr<Decoder> decoder = make_model_decoder(models.target, plan.context + widest);
    decoder->prefill(filler_tokens(plan.context, models.vocab()));
    std::vector<std::vector<double>> times(rows.size());
    std::vector<double> reads;
    const std::size_t read_bytes = std::min(models.target->bytes.per_token, kMostReadBytes);
    result.read_bytes = static_cast<double>(read_bytes);
    const auto read = [&](std::size_t bytes) { return models.backend->measure_read_bandwidth(bytes); };
    bool first = true; // the first round decides which widths fit
    const Stopwatch whole;
    const auto late = [&] { return plan.seconds > 0 && whole.ms() > plan.seconds * 1000; };
    const auto time_pass = [&](const std::vector<int>& tokens) {
        const Stopwatch watch;
        (void)decoder->forward({.tokens = tokens}).argmax(); // argmax waits for the pass
        const double took = watch.ms();
        decoder->truncate(plan.context);
        return took;
    };
    for (int round = -kWarmUps; round < plan.repeats; ++round) {
        if (go_on && !go_on(round + kWarmUps, plan.repeats + kWarmUps)) break;
        if (late()) {
            if (result.repeats > 0) break;
            round = std::max(round, 0); // warm enough
        }
        for (std::size_t w = 0; w < rows.size(); ++w) {
            const std::vector<int> tokens = filler_tokens(rows[w], models.vocab());
            if (!late()) (void)time_pass(tokens); // caches as a pass of the same width leaves them
            const double took = time_pass(tokens);
            if (round >= 0) times[w].push_back(took);
            if (first && w > 0 && late()) rows.resize(w + 1);
        }
        first = false;
        if (round >= 0 && round % kReadEvery == 0) reads.push_back(bandwidth_or_unknown(read_bytes, read));
        if (round >= 0) ++result.repeats;
    }
    if (result.repeats == 0) return result;
    for (std::size_t w = 0; w < rows.size(); ++w) {
        std::ranges::sort(times[w]);
        result.passes.push_back(
            {rows[w], interpolated(times[w], 0.5), interpolated(times[w], 0.25), interpolated(times[w], 0.75)});
    }
    std::erase_if(reads, [](double gbs) { return std::isnan(gbs); });
    std::ranges::sort(reads);
    result.bandwidth_gbs = reads.empty() ? kUnknown : interpolated(reads, 0.5);
    return result;
}

namespace {

// The widths around so many rows: the index of the wider one.
std::size_t width_at(const PassTimes& times, double rows) {
    std::size_t i = 1;
    while (i + 1 < times.passes.size() && times.passes[i].rows < rows) ++i;
    return i;
}

// Of one width, of a wider one that was quicker, or of a narrower one as often as it takes.
double least_ms(const PassTimes& times, std::size_t at) {
    double least = times.passes[at].ms;
    for (const PassTime& pass : times.passes)
        least = std::min(least, pass.ms * std::ceil(static_cast<double>(times.passes[at].rows) / pass.rows));
    return least;
}

} // namespace

double pass_ms(const PassTimes& times, double rows) {
    const std::size_t i = width_at(times, rows);
    const int a = times.passes[i - 1].rows, b = times.passes[i].rows;
    const double from = least_ms(times, i - 1), to = least_ms(times, i);
    return from + (to - from) / (b - a) * (rows - a);
}

bool outrun_pass(const PassTimes& times, double rows) {
    const std::size_t i = width_at(times, rows);
    const auto outrun = [&](std::size_t at) { return times.passes[at].ms > 1.25 * least_ms(times, at); };
    return (rows < times.passes[i].rows && outrun(i - 1)) || (rows > times.passes[i - 1].rows && outrun(i));
}

} // namespace speclens
