#include "engine/batch/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>

#include "engine/base/lists.h"
#include "engine/batch/fiber.h"
#include "engine/model/scorer.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "kernels/error.h"

namespace speclens {
namespace {

struct Ended {}; // the pool is over, or the worker's line was cut

} // namespace

WireTotals PoolWorker::wire() const {
    WireTotals sum;
    for (const WorkerRound& round : rounds) sum += round.wire;
    return sum;
}

int PoolWorker::tokens() const { return sum_over<int>(rounds, &WorkerRound::tokens); }

int PoolWorker::drafted() const { return sum_over<int>(rounds, &WorkerRound::drafted); }

int PoolWorker::accepted() const { return sum_over<int>(rounds, &WorkerRound::accepted); }

int PoolFilm::tokens() const { return sum_over<int>(workers, &PoolWorker::tokens); }

double PoolFilm::at_once() const {
    double sum = 0;
    for (const PoolWorker& worker : workers)
        for (const WorkerRound& round : worker.rounds) sum += round.answered_ms - round.asked_ms;
    return ms > 0 ? sum / ms : 0;
}

// A worker's target: the scorer's decoder, whose passes are under way while others work.
class WorkerPool::Line final : public Decoder {
  public:
    Line(std::unique_ptr<Decoder> target, const Stopwatch& clock) : target_(std::move(target)), clock_(clock) {}

    [[nodiscard]] const std::string& name() const override { return target_->name(); }
    [[nodiscard]] int vocab() const override { return target_->vocab(); }
    [[nodiscard]] int layers() const override { return target_->layers(); }
    [[nodiscard]] int capacity() const override { return target_->capacity(); }
    [[nodiscard]] int max_rows() const override { return target_->max_rows(); }
    [[nodiscard]] int length() const override { return target_->length(); }
    [[nodiscard]] std::size_t memory_bytes() const override { return target_->memory_bytes(); }
    [[nodiscard]] bool is_table() const override { return target_->is_table(); }
    [[nodiscard]] OutputHead reduced_head(const FrequentIds& frequent, int n) const override { return target_->reduced_head(frequent, n); }
    [[nodiscard]] std::optional<Wire> wire() const override { return target_->wire(); }
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) override {
        target_->prefill(tokens, taps, sink, reading);
    }
    void truncate(int length) override { target_->truncate(length); }
    void keep(int base, std::span<const int> rows) override { target_->keep(base, rows); }
    [[nodiscard]] Tensor features() const override { return target_->features(); }
    void poison() override { target_->poison(); }

    bool begin(const PassInput& input) override {
        if (closed) throw Ended{};
        asked_ms = clock_.ms();
        answer_ = std::async(std::launch::async, [this, input] {
            PassRows& rows = target_->forward(input);
            return Answer{&rows, clock_.ms()};
        });
        return true;
    }
    PassRows& forward(const PassInput& input) override {
        if (!answer_.valid()) begin(input);
        while (!arrives(std::chrono::milliseconds(0))) Fiber::pause();
        const Answer answer = answer_.get();
        if (closed) throw Ended{};
        answered_ms = answer.ms;
        return *answer.rows;
    }
    [[nodiscard]] bool waits() const { return answer_.valid(); }
    [[nodiscard]] bool arrives(std::chrono::milliseconds wait) const { return answer_.wait_for(wait) == std::future_status::ready; }

    double asked_ms = 0, answered_ms = 0; // of the last pass
    bool closed = false;

  private:
    struct Answer {
        PassRows* rows = nullptr;
        double ms = 0;
    };
    std::unique_ptr<Decoder> target_;
    const Stopwatch& clock_;
    std::future<Answer> answer_; // last: its end waits for the pass, which is the target's
};

struct WorkerPool::Worker {
    std::unique_ptr<Run> run;
    Line* line = nullptr; // its target
    std::unique_ptr<Fiber> fiber = std::make_unique<Fiber>();
    bool begun = false;
};

WorkerPool::WorkerPool(std::shared_ptr<const Models> models, std::vector<RunSettings> workers) {
    if (!models->scorer)
        throw Error("draft workers share a target elsewhere, and this one is here", "Name its address: --model http://HOST:PORT.",
                    Exit::usage);
    if (workers.empty() || workers.size() > kMostWorkers)
        throw Error(std::to_string(workers.size()) + " draft workers", "Choose 1 to " + std::to_string(kMostWorkers) + ".", Exit::usage);
    film_.target = models->target_name();
    for (const RunSettings& settings : workers) {
        auto worker = std::make_unique<Worker>();
        worker->run = std::make_unique<Run>(models, prepared_run(*models, settings), [&](int capacity) {
            auto line = std::make_unique<Line>(make_scored_decoder(models->scorer, capacity), clock_);
            worker->line = line.get();
            return line;
        });
        const Header& header = *worker->run->trace().header();
        PoolWorker& shown = film_.workers.emplace_back();
        shown.drafter = header.drafter;
        shown.k = header.k;
        workers_.push_back(std::move(worker));
    }
    clock_ = Stopwatch();
}

WorkerPool::~WorkerPool() {
    for (const auto& worker : workers_) worker->line->closed = true;
    for (const auto& worker : workers_)
        while (worker->begun && !worker->fiber->ended()) {
            (void)worker->line->arrives(std::chrono::seconds(1));
            worker->fiber->resume();
        }
}

const Run& WorkerPool::run(int worker) const { return *workers_.at(static_cast<std::size_t>(worker))->run; }

double WorkerPool::done() const {
    double sum = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const PoolWorker& worker = film_.workers[i];
        const bool over = worker.state == PoolWorker::State::done || worker.state == PoolWorker::State::failed;
        sum += over ? 1 : std::min(1.0, static_cast<double>(worker.tokens()) / workers_[i]->run->settings().max_tokens);
    }
    return sum / static_cast<double>(workers_.size());
}

void WorkerPool::disconnect(int worker) { workers_.at(static_cast<std::size_t>(worker))->line->closed = true; }

bool WorkerPool::step() {
    const auto over = [&](std::size_t i) { return workers_[i]->begun && workers_[i]->fiber->ended(); };
    const auto waits = [&](std::size_t i) {
        return workers_[i]->begun && workers_[i]->line->waits() && !workers_[i]->line->arrives(std::chrono::milliseconds(0));
    };
    std::size_t waiting = workers_.size();
    for (std::size_t turn = 0; turn < workers_.size(); ++turn) {
        const std::size_t i = (next_ + turn) % workers_.size();
        if (over(i)) continue;
        if (waits(i)) {
            if (waiting == workers_.size()) waiting = i;
            continue;
        }
        next_ = (i + 1) % workers_.size();
        Worker& worker = *workers_[i];
        PoolWorker& shown = film_.workers[i];
        shown.state = PoolWorker::State::drafting;
        if (worker.begun)
            worker.fiber->resume();
        else
            worker.fiber->start([this, i] { work(i); });
        worker.begun = true;
        if (!worker.fiber->ended()) {
            shown.state = PoolWorker::State::waiting;
            shown.since_ms = worker.line->asked_ms;
        }
        film_.ms = clock_.ms();
        ++revision_;
        return true;
    }
    if (waiting == workers_.size()) {
        film_.complete = true;
        return false;
    }
    constexpr std::chrono::milliseconds kMoment(2); // whoever asks this pool may have something else to do
    (void)workers_[waiting]->line->arrives(kMoment);
    return true;
}

// On the worker's own stack, which no exception leaves.
void WorkerPool::work(std::size_t number) {
    PoolWorker& shown = film_.workers[number];
    std::size_t seen = 0;
    double from = clock_.ms();
    try {
        bool more = true;
        while (more) {
            more = workers_[number]->run->step();
            note(number, seen, from);
        }
        shown.state = PoolWorker::State::done;
    } catch (const Ended&) {
        shown.state = PoolWorker::State::failed;
        shown.error = "its line was cut";
    } catch (const std::exception& error) {
        shown.state = PoolWorker::State::failed;
        shown.error = error.what();
    }
}

// What the run wrote since.
void WorkerPool::note(std::size_t number, std::size_t& seen, double& from) {
    PoolWorker& shown = film_.workers[number];
    const Trace& trace = workers_[number]->run->trace();
    for (; seen < trace.size(); ++seen) {
        const auto* const commit = std::get_if<Committed>(&trace[seen]);
        if (!commit) continue;
        WorkerRound round;
        round.from_ms = from;
        round.asked_ms = workers_[number]->line->asked_ms;
        round.tokens = static_cast<int>(commit->tokens.size());
        for (std::size_t i = seen; i-- > 0;) {
            if (std::holds_alternative<Committed>(trace[i])) break;
            if (std::holds_alternative<Drafted>(trace[i])) ++round.drafted;
            if (const auto* check = std::get_if<Checked>(&trace[i])) round.accepted += check->accepted;
            if (const auto* pass = std::get_if<Verified>(&trace[i])) round.wire = wire_totals(*pass);
        }
        round.judged_ms = clock_.ms();
        round.answered_ms = workers_[number]->line->answered_ms;
        from = round.judged_ms;
        shown.rounds.push_back(round);
    }
}

} // namespace speclens
