#include "engine/lab/pass_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/busy.h"
#include "engine/base/clock.h"
#include "engine/base/lists.h"
#include "engine/model/decoder.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/models/models.h"
#include "kernels/error.h"
#include "kernels/product_probe.h"

namespace speclens {
namespace {

constexpr SaidOf<"bottleneck"> pass_doubt;

// The memory of a probe may be missing beside a large model: then its rate is unknown, and the passes are timed.
template <typename Make>
auto made_or_none(const Make& make) -> std::optional<decltype(make())> {
    try {
        return make();
    } catch (const Error&) {
        return std::nullopt;
    }
}

} // namespace

double multiply_adds_of(const ModelConfig& config) {
    Model shape;
    shape.config = config;
    double sum = 0;
    for (const WeightSlot& slot : model_slots(shape))
        if (!slot.vector && slot.read_per_token) sum += static_cast<double>(slot.rows * slot.cols);
    return sum;
}

std::vector<int> filler_tokens(int count, int vocab) {
    std::vector<int> ids;
    for (int i = 0; i < count; ++i) ids.push_back((i * 37 + 11) % vocab);
    return ids;
}

const PassTime* PassTimes::of(int rows) const { return find_with(passes, rows, &PassTime::rows); }

double PassTimes::read_share(const PassTime& pass) const { return pass.ms > 0 ? floor_ms() / pass.ms : 0; }

double PassTimes::arithmetic_share(const PassTime& pass) const {
    if (!(product_rate > 0) || pass.ms <= 0) return 0;
    return (multiply_adds + attention_adds) * pass.rows / pass.ms / 1e6 / product_rate;
}

double PassTimes::bound_ms(int rows) const {
    if (!(product_rate > 0) || !(floor_ms() > 0)) return 0;
    return std::max(floor_ms(), (multiply_adds + attention_adds) * rows / 1e6 / product_rate);
}

Said PassTimes::in_doubt() const {
    if (stopped) return pass_doubt("doubt.stopped"_t);
    if (other_cores > kQuietCores) return SaidOf<"shared">()("doubt.busy"_t, "cores"_v = other_cores);
    const auto worst = std::ranges::max_element(passes, {}, &PassTime::spread);
    if (worst != passes.end() && worst->spread() > kSteadySpread)
        return pass_doubt("doubt.pass"_t, "tokens"_v = worst->rows, "spread"_v = worst->spread());
    if (read_spread > kSteadySpread) return pass_doubt("doubt.read"_t, "spread"_v = read_spread);
    if (product_spread > kSteadySpread) return pass_doubt("doubt.product"_t, "spread"_v = product_spread);
    const auto share = [&](const PassTime& pass) { return std::max(read_share(pass), arithmetic_share(pass)); };
    const auto quickest = std::ranges::max_element(passes, {}, share);
    if (quickest != passes.end() && share(*quickest) > kWholeBound)
        return pass_doubt("doubt.bound"_t, "tokens"_v = quickest->rows, "less"_v = 1 - 1 / share(*quickest));
    return {};
}

PassPlan window_passes(const Models& models) {
    PassPlan plan{.rows = {}, .context = 64, .repeats = 60, .seconds = 2.5};
    const int room = models.target ? models.target->config.context() - plan.context : 0;
    for (const int rows : {1, 2, 4, 8, 16, 32, 64})
        if (rows == 1 || rows <= room) plan.rows.push_back(rows);
    return plan;
}

// ---- the measurement ----

namespace {
constexpr std::size_t kFarRead = 4; // times what a pass reads: where a cache holds that, it is clearly quicker
}

struct PassMeasurement::Work {
    enum class What : std::uint8_t { pass, read, far_read, product };
    struct Task {
        What what;
        int rows;                     // of a pass or a product
        std::function<double()> once; // ms
        std::vector<double> ms = {};
        double spent = 0; // ms, with what was not counted
        double last = 0;  // ms of its last turn
    };
    static constexpr int kWarmUps = 3;
    static constexpr double kWarmShare = 0.1; // of the time that there is

    PassPlan plan;
    std::shared_ptr<Backend> backend;
    std::shared_ptr<const Model> target;
    PassTimes facts;
    std::unique_ptr<Decoder> decoder;
    std::optional<Buffer> read_buffer, far_buffer;
    std::optional<ProductProbe> product;
    std::vector<Task> tasks;
    std::optional<BusyMeter> busy;
    int round = -kWarmUps;
    std::size_t next = 0; // whose turn it is in this round
    double share = 0;     // of the time, of each in this round
    bool first = true;    // the first round decides which widths fit
    bool twice = true;
    double elapsed = 0; // ms, of measuring alone

    [[nodiscard]] double budget() const { return plan.seconds * 1000; }
    [[nodiscard]] bool has(const Task& task) const { return static_cast<int>(task.ms.size()) >= plan.repeats; }
    [[nodiscard]] bool complete() const {
        if (std::ranges::all_of(tasks, [&](const Task& task) { return has(task); })) return true;
        return plan.seconds > 0 && elapsed > budget() && std::ranges::none_of(tasks, [](const Task& task) { return task.ms.empty(); });
    }
    // With a limit of time, everything that still wants repeats gets an equal share of it.
    [[nodiscard]] double turn() const {
        double sum = 0;
        int open = 0;
        for (const Task& task : tasks)
            if (!has(task)) sum += task.spent, ++open;
        return open > 0 ? sum / open : 0;
    }
    // What is not timed yet takes as long as it did in the rounds that do not count.
    [[nodiscard]] double untimed() const {
        return sum_over<double>(tasks, [](const Task& task) { return task.ms.empty() ? task.last : 0; });
    }
    void add(What what, int rows, std::function<double()> once) { tasks.push_back({what, rows, std::move(once)}); }
    [[nodiscard]] bool wants(const Task& task) const {
        return round < 0 || !(has(task) || (plan.seconds > 0 && !task.ms.empty() && task.spent > share));
    }
    void once();
};

// The next one that wants its turn, so that whoever waits is heard between two. Behind the last one the round is over.
void PassMeasurement::Work::once() {
    if (next == 0) share = turn();
    while (next < tasks.size() && !wants(tasks[next])) ++next;
    if (next < tasks.size()) {
        Task& task = tasks[next++];
        const auto late = [&] { return plan.seconds > 0 && elapsed > budget(); };
        const Stopwatch own;
        if (twice && !late()) (void)task.once(); // caches as the same work leaves them
        const double took = task.once();
        task.last = own.ms();
        if (round >= 0) task.ms.push_back(took), task.spent += task.last;
        elapsed += task.last;
        const bool passes = task.what == What::pass;
        if (first && passes && task.rows > 1 && late())
            std::erase_if(tasks, [rows = task.rows](const Task& other) { return other.what == What::pass && other.rows > rows; });
    }
    if (next < tasks.size()) return;
    next = 0;
    first = false;
    ++round;
    if (plan.seconds > 0 && elapsed > kWarmShare * budget()) round = std::max(round, 0); // warm enough
}

PassMeasurement::PassMeasurement(const Models& models, PassPlan plan, const std::function<void(int)>& reading)
    : work_(std::make_unique<Work>()) {
    CHECK(models.target && !plan.rows.empty(), "passes of a model");
    Work& w = *work_;
    w.plan = std::move(plan);
    w.backend = models.backend;
    w.target = models.target;
    const ModelConfig& config = w.target->config;
    const int context = w.plan.context, widest = *std::ranges::max_element(w.plan.rows), positions = config.context();
    if (context + widest > positions)
        throw Error("passes of " + std::to_string(widest) + " tokens behind a context of " + std::to_string(context) +
                        " do not fit into the " + std::to_string(positions) + " positions of " + w.target->name,
                    "Choose a context of at most " + std::to_string(positions - widest) + ".", Exit::usage);
    PassTimes& facts = w.facts;
    facts.model = models.target_name();
    facts.form = w.target->forms().front();
    facts.precision = w.target->precision;
    facts.context = context;
    facts.weight_bytes = static_cast<double>(w.target->bytes.per_token);
    facts.multiply_adds = multiply_adds_of(config);
    const double cells = static_cast<double>(context) * config.layers * config.head_dim;
    facts.cache_bytes = 2 * cells * config.kv_heads * static_cast<double>(bytes_of(w.backend->cache_dtype(w.target->precision)));
    facts.attention_adds = 2 * cells * config.heads;
    facts.cache_limit = static_cast<double>(w.backend->cache_bytes());
    // What no cache holds is nowhere when its turn comes, however often it is repeated.
    w.twice = facts.cache_limit <= 0 || facts.weight_bytes <= facts.cache_limit;
    const std::size_t read_bytes = w.twice ? std::min(w.target->bytes.per_token, kLargeRead) : kLargeRead;
    facts.read_bytes = static_cast<double>(read_bytes);

    w.decoder = make_model_decoder(w.target, context + widest);
    w.decoder->prefill(filler_tokens(context, models.vocab()), {}, {}, reading);
    w.decoder->wait();
    for (const int rows : w.plan.rows)
        w.add(Work::What::pass, rows, [&w, context, tokens = filler_tokens(rows, models.vocab())] {
            const Stopwatch watch;
            (void)w.decoder->forward({.tokens = tokens}).argmax(); // argmax waits for the pass
            const double took = watch.ms();
            w.decoder->truncate(context);
            return took;
        });
    w.read_buffer = made_or_none([&] { return w.backend->make_read_buffer(read_bytes); });
    if (w.read_buffer) w.add(Work::What::read, 0, [&w] { return w.backend->read_ms(w.read_buffer->view()); });
    if (w.read_buffer && facts.cache_limit > 0 && w.twice)
        w.far_buffer = made_or_none([&] { return w.backend->make_read_buffer(kFarRead * read_bytes); });
    if (w.far_buffer) w.add(Work::What::far_read, 0, [&w] { return w.backend->read_ms(w.far_buffer->view()); });
    w.product = made_or_none([&] { return ProductProbe(*w.backend, w.facts.form, w.facts.precision); });
    if (w.product)
        for (const int rows : w.product->rows())
            w.add(Work::What::product, rows, [&w, rows] {
                (void)w.product->ms(rows); // the pass before took the matrix out of the cache and let threads sleep
                return w.product->ms(rows);
            });
    w.busy.emplace();
}

PassMeasurement::~PassMeasurement() = default;

bool PassMeasurement::step() {
    if (work_->complete()) return false;
    work_->once();
    return true;
}

bool PassMeasurement::between_rounds() const { return work_->next == 0; }

double PassMeasurement::done() const {
    const Work& w = *work_;
    if (w.complete()) return 1;
    const double rounds = static_cast<double>(w.round + Work::kWarmUps) / (w.plan.repeats + Work::kWarmUps);
    if (w.plan.seconds <= 0) return std::min(1.0, rounds);
    // Until every width had its turn once nobody knows what all of them take: two rounds at least.
    if (w.first) return std::min(w.elapsed / w.budget(), 0.5 * static_cast<double>(w.next) / static_cast<double>(w.tasks.size()));
    return std::min(0.99, std::max(rounds, w.elapsed / std::max(w.budget(), w.elapsed + w.untimed())));
}

std::optional<double> PassMeasurement::left_ms() const {
    const Work& w = *work_;
    if (w.complete()) return 0;
    if (w.first || w.plan.seconds <= 0) return {};
    return std::max(w.budget() - w.elapsed, w.untimed());
}

int PassMeasurement::widths() const { return static_cast<int>(std::ranges::count(work_->tasks, Work::What::pass, &Work::Task::what)); }

int PassMeasurement::widths_done() const {
    return static_cast<int>(
        std::ranges::count_if(work_->tasks, [](const Work::Task& task) { return task.what == Work::What::pass && !task.ms.empty(); }));
}

PassTimes PassMeasurement::result() const {
    const Work& w = *work_;
    PassTimes result = w.facts;
    result.bandwidth_gbs = std::numeric_limits<double>::quiet_NaN();
    result.other_cores = w.busy->cores();
    if (widths_done() < std::min(2, widths())) return result;
    result.stopped = std::ranges::any_of(w.tasks, [](const Work::Task& task) { return task.ms.empty(); });
    result.repeats = w.plan.repeats;
    const auto gbs = [](const Buffer& buffer, const Work::Task& task) {
        return static_cast<double>(buffer.bytes()) / *std::ranges::min_element(task.ms) / 1e6;
    };
    for (const Work::Task& task : w.tasks) {
        if (task.ms.empty()) continue;
        const Timing timing = timing_of(task.ms);
        switch (task.what) {
        case Work::What::pass:
            result.passes.push_back({timing, task.rows});
            result.repeats = std::min(result.repeats, timing.repeats);
            break;
        case Work::What::read:
            result.bandwidth_gbs = gbs(*w.read_buffer, task);
            result.read_spread = timing.spread();
            break;
        case Work::What::far_read: result.far_gbs = gbs(*w.far_buffer, task); break;
        case Work::What::product:
            const double rate = w.product->multiply_adds(task.rows) / timing.ms / 1e6;
            if (rate <= result.product_rate) break; // of NaN: false
            result.product_rate = rate;
            result.product_spread = timing.spread();
            break;
        }
    }
    return result;
}

PassTimes measure_passes(const Models& models, const PassPlan& plan, const std::function<bool(double)>& go_on) {
    PassMeasurement measurement(models, plan);
    bool more = true;
    while (more && (!go_on || go_on(measurement.done()))) {
        more = measurement.step();
        while (more && !measurement.between_rounds()) more = measurement.step();
    }
    return measurement.result();
}

Timing time_reads(Backend& backend, std::size_t bytes, int repeats) {
    const auto buffer = made_or_none([&] { return backend.make_read_buffer(bytes); });
    if (!buffer) return {};
    std::vector<double> ms;
    for (int i = -1; i < repeats; ++i) {
        const double took = backend.read_ms(buffer->view());
        if (i >= 0) ms.push_back(took);
    }
    return timing_of(ms);
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
