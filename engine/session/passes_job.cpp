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
        if (passes_.own()) shown.passes = passes_.own();
        if (passes_.beside()) shown.passes_beside = passes_.beside();
        if (passes_.forms()) shown.passes_forms = passes_.forms();
    }
    std::size_t revision() const override { return rounds_; }
    double done() const override { return passes_.done(); }
    std::string timed() const override { return passes_.model(); }

  private:
    PassPair passes_;
    std::size_t rounds_ = 0;
};

} // namespace

JobOrder order_of(const MeasurePasses& asked) { return job_order<PassesJob>(Slot::measurement, "timing passes", asked); }

} // namespace speclens
