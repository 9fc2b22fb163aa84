#include "engine/advice/advice_measurement.h"
#include "engine/run/gallery.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

AdvicePlan plan_of(const AskAdvice& asked, const Desk& desk) {
    const Models& models = *desk.models;
    AdvicePlan plan;
    plan.go_on = desk.go_on;
    plan.base = asked.base;
    plan.seconds = asked.seconds;
    plan.prompts = mixed_prompts(load_gallery(held_out_file(assets_folder(), !models.bundle.empty(), models.target_name())));
    return plan;
}

class AdviceJob final : public Job {
  public:
    AdviceJob(const Desk& desk, const AskAdvice& asked)
        : model_(desk.models->target_name()), measurement_(desk.models, plan_of(asked, desk)) {}
    bool step() override {
        ++phases_;
        return measurement_.step();
    }
    void show(Snapshot& shown) override { shown.advice = measurement_.advice(); }
    void stop() override { measurement_.stop(); }
    void end_early(Snapshot& shown) override { // what is whole stays
        if (!shown.advice || shown.advice->complete) return;
        auto changed = std::make_shared<Advice>(*shown.advice);
        changed->complete = true;
        shown.advice = std::move(changed);
    }
    std::size_t revision() const override { return phases_; }
    double done() const override { return measurement_.done(); }
    Work work() const override {
        return {.of = Work::Of::advice,
                .done = measurement_.prompts_done(),
                .total = measurement_.prompts(),
                .left = measurement_.left_seconds()};
    }
    std::string timed() const override { return model_; }

  private:
    std::string model_;
    AdviceMeasurement measurement_;
    std::size_t phases_ = 0;
};

} // namespace

JobOrder order_of(const AskAdvice& asked) { return job_order<AdviceJob>(Slot::measurement, "measuring for advice", asked); }

} // namespace speclens
