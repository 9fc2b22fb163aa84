#include "engine/batch/sweep.h"
#include "engine/session/jobs.h"

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
        if (kept_) sweep.cells = kept_->cells, sweep.crossings = kept_->crossings;
        shown.load = std::make_shared<const Sweep>(std::move(sweep));
    }
    std::size_t revision() const override { return rounds_; }
    double done() const override { return measurement_.done(); }
    std::string timed() const override { return model_; }

  private:
    std::string model_;
    SweepMeasurement measurement_;
    std::optional<Sweep> kept_; // batches measured before, which are not measured again
    std::size_t rounds_ = 0;
    long shown_ = -1; // its revision
};

} // namespace

JobOrder order_of(const MeasureLoad& asked) {
    return job_order<LoadJob>(Slot::measurement, "decoding batches", asked);
}

} // namespace speclens
