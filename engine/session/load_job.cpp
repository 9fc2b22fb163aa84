#include <algorithm>

#include "engine/batch/sweep.h"
#include "engine/batch/worker_pool.h"
#include "engine/session/jobs.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class LoadJob final : public Job {
  public:
    LoadJob(const Desk& desk, const MeasureLoad& asked)
        : model_(desk.models->target_name()), measurement_(desk.models, sweep_plan(*desk.models, asked)) {
        if (asked.texts.empty() && desk.shown.load) kept_ = *desk.shown.load;
    }
    bool step() override {
        ++rounds_;
        return measurement_.step();
    }
    void show(Snapshot& shown) override {
        if (std::exchange(shown_, measurement_.revision()) == measurement_.revision()) return;
        Sweep sweep = measurement_.sweep();
        if (kept_) sweep.cells = kept_->cells, sweep.crossings = kept_->crossings, sweep.busy_cores = kept_->busy_cores;
        shown.load = std::make_shared<const Sweep>(std::move(sweep));
    }
    std::size_t revision() const override { return rounds_; }
    double done() const override { return measurement_.done(); }
    Work work() const override {
        return {.of = Work::Of::batches,
                .done = static_cast<int>(measurement_.batches_done()),
                .total = static_cast<int>(measurement_.batches())};
    }
    std::string timed() const override { return model_; }

  private:
    std::string model_;
    SweepMeasurement measurement_;
    std::optional<Sweep> kept_; // batches measured before, which are not measured again
    std::size_t rounds_ = 0;
    long shown_ = -1; // its revision
};

// Where the target is elsewhere, texts at once are draft workers here.
class PoolJob final : public Job {
  public:
    PoolJob(const Desk& desk, const MeasureLoad& asked) : pool_(desk.models, pool_plan(*desk.models, asked)) {}
    bool step() override {
        if (pool_.step()) return true;
        const std::vector<PoolWorker>& workers = pool_.film().workers;
        if (std::ranges::all_of(workers, [](const PoolWorker& worker) { return worker.state == PoolWorker::State::failed; }))
            throw Error("no draft worker came to its end: " + workers.front().error, "Look whether the server at --model still answers.",
                        Exit::network);
        return false;
    }
    void show(Snapshot& shown) override {
        Sweep sweep;
        sweep.pool = std::make_shared<const PoolFilm>(pool_.film());
        shown.load = std::make_shared<const Sweep>(std::move(sweep));
    }
    std::size_t revision() const override { return pool_.revision(); }
    double done() const override { return pool_.done(); }
    std::string timed() const override { return pool_.film().target; }

  private:
    WorkerPool pool_;
};

} // namespace

JobOrder order_of(const MeasureLoad& asked) {
    return {Slot::measurement, "", "decoding batches", [&asked](const Desk& desk) -> std::unique_ptr<Job> {
                if (desk.models->scorer) return std::make_unique<PoolJob>(desk, asked);
                return std::make_unique<LoadJob>(desk, asked);
            }};
}

} // namespace speclens
