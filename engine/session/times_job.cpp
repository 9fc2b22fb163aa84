#include "engine/session/jobs.h"

namespace speclens {
namespace {

// Nothing is shown before its end: a window that draws would be in the times.
class TimesJob final : public Job {
  public:
    TimesJob(const Desk& desk, RepeatPlan plan, std::function<void(const RunSettings&)> timed)
        : times_(desk.times), settings_(desk.run->settings()), trace_(desk.run->shared_trace()),
          repeats_(desk.run_models, settings_, times_, plan), most_busy_(plan.most_busy_cores), timed_(std::move(timed)) {}
    bool step() override {
        if (repeats_.step()) return true;
        over_ = true;
        times_.time(*trace_);
        const std::shared_ptr<const TraceTimes> known = trace_->times();
        if (known && known->busy_cores <= most_busy_) timed_(settings_); // in doubt: the next run like it is timed again
        return false;
    }
    void show(Snapshot& shown) override {
        shown.status.timing = !over_;
        shown.status.plain_ms_per_token = trace_->plain_ms();
    }
    void end_early(Snapshot& shown) override { shown.status.timing = false; } // the run has the times that it was recorded with
    std::size_t revision() const override { return over_ ? 1 : 0; }
    double done() const override { return repeats_.done(); }

  private:
    TimeTable& times_;
    RunSettings settings_;
    std::shared_ptr<const Trace> trace_;
    Repeats repeats_;
    double most_busy_;
    std::function<void(const RunSettings&)> timed_;
    bool over_ = false;
};

} // namespace

JobOrder times_of_run(RepeatPlan plan, std::function<void(const RunSettings&)> timed) {
    return {Slot::times, "", "timing the run", [plan, timed = std::move(timed)](const Desk& desk) -> std::unique_ptr<Job> {
                return std::make_unique<TimesJob>(desk, plan, timed);
            }};
}

} // namespace speclens
