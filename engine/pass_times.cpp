#include "engine/pass_times.h"

#include <algorithm>

#include "engine/clock.h"
#include "engine/decoder.h"
#include "engine/model_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::vector<int> some_tokens(int count, int vocab) {
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) ids.push_back((i * 37 + 11) % vocab);
    return ids;
}

double quantile(const std::vector<double>& ascending, double share) {
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

const PassTime* PassTimes::of(int rows) const {
    const auto found = std::ranges::find(passes, rows, &PassTime::rows);
    return found == passes.end() ? nullptr : &*found;
}

PassPlan window_passes(const Models& models) {
    PassPlan plan{.rows = {}, .context = 64, .repeats = 40, .seconds = 3};
    const int room = models.target ? models.target->config.max_positions - plan.context : 0;
    for (const int rows : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
        if (rows == 1 || rows <= room) plan.rows.push_back(rows);
    return plan;
}

PassTimes measure_passes(const Models& models, const PassPlan& plan,
                         const std::function<bool(int, int)>& go_on) {
    CHECK(models.target && !plan.rows.empty(), "passes of a model");
    constexpr int kWarmUps = 3, kLeast = 3, kReadEvery = 5;
    PassTimes result;
    result.context = plan.context;
    result.weight_bytes = static_cast<double>(models.target->bytes.per_token);
    result.multiply_adds = multiply_adds_of(models.target->config);
    const int widest = *std::ranges::max_element(plan.rows);
    const std::unique_ptr<Decoder> decoder = make_model_decoder(models.target, plan.context + widest);
    decoder->prefill(some_tokens(plan.context, models.vocab()));
    std::vector<std::vector<double>> times(plan.rows.size());
    std::vector<double> reads;
    const Stopwatch whole;
    for (int round = -kWarmUps; round < plan.repeats; ++round) {
        if (go_on && !go_on(round + kWarmUps, plan.repeats + kWarmUps)) break;
        if (plan.seconds > 0 && round >= kLeast && whole.ms() > plan.seconds * 1000) break;
        for (std::size_t w = 0; w < plan.rows.size(); ++w) {
            const std::vector<int> tokens = some_tokens(plan.rows[w], models.vocab());
            for (const bool timed : {false, true}) { // caches as a pass of the same width leaves them
                const Stopwatch watch;
                (void)decoder->forward({.tokens = tokens}).argmax(); // argmax waits for the pass
                const double took = watch.ms();
                decoder->truncate(plan.context);
                if (timed && round >= 0) times[w].push_back(took);
            }
        }
        if (round >= 0 && round % kReadEvery == 0)
            reads.push_back(models.backend->measure_read_bandwidth(models.target->bytes.per_token));
        if (round >= 0) ++result.repeats;
    }
    if (result.repeats == 0) return result;
    for (std::size_t w = 0; w < plan.rows.size(); ++w) {
        std::ranges::sort(times[w]);
        result.passes.push_back(
            {plan.rows[w], quantile(times[w], 0.5), quantile(times[w], 0.25), quantile(times[w], 0.75)});
    }
    std::ranges::sort(reads);
    result.bandwidth_gbs = quantile(reads, 0.5);
    return result;
}

} // namespace speclens
