#include "engine/lab/pass_pair.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

class PassesJob final : public Job {
  public:
    PassesJob(const Desk& desk, const MeasurePasses& asked) : passes_(desk.models, asked, desk.go_on) {}
    bool step() override {
        ++rounds_;
        return passes_.step();
    }
    void show(Snapshot& shown) override {
        keep(passes_.own(), shown.passes);
        keep(passes_.beside(), shown.passes_beside);
        if (passes_.forms()) shown.passes_forms = passes_.forms();
    }
    std::size_t revision() const override { return rounds_; }
    double done() const override { return passes_.done(); }
    Work work() const override {
        return {.of = Work::Of::widths, .done = passes_.widths_done(), .total = passes_.widths(), .left = passes_.left_seconds()};
    }
    void end_early(Snapshot& shown) override { // what is timed stays
        passes_.stop();
        show(shown);
    }
    std::string timed() const override { return passes_.model(); }

  private:
    // What was stopped takes no place of what was not.
    static void keep(const std::shared_ptr<const PassTimes>& now, std::shared_ptr<const PassTimes>& shown) {
        if (now && !(now->stopped && shown && !shown->stopped)) shown = now;
    }

    PassPair passes_;
    std::size_t rounds_ = 0;
};

} // namespace

JobOrder order_of(const MeasurePasses& asked) { return job_order<PassesJob>(Slot::measurement, "timing passes", asked); }

} // namespace speclens
