#include "engine/drafters/draft_network.h"
#include "engine/lab/head_training.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

class TrainingJob final : public Job {
  public:
    TrainingJob(const Desk& desk, const TrainHeads& asked)
        : keep_(desk.keep), training_(make_head_training(desk.models, default_head_plan(asked, desk.models->chat))) {}
    bool step() override {
        ++steps_;
        if (!training_->step()) return false;
        if (!training_->view().complete) return true;
        if (keep_) { // before anybody sees that it is complete; runs under way keep the models they began with
            keep_(name_of(training_->view().plan.kind), training_->network());
        }
        return false;
    }
    void show(Snapshot& shown) override { shown.training = std::make_shared<const HeadTrainingView>(training_->view()); }
    void stop() override { training_->stop(); }
    void end_early(Snapshot& shown) override {
        if (!shown.training || shown.training->complete) return;
        auto changed = std::make_shared<HeadTrainingView>(*shown.training);
        changed->complete = changed->ended_early = true;
        shown.training = std::move(changed);
    }
    std::size_t revision() const override { return steps_; }
    double done() const override {
        const HeadTrainingView& view = training_->view();
        if (view.curve.empty()) return 0;
        return static_cast<double>(view.curve.back().step) / view.plan.steps;
    }

  private:
    std::function<void(const std::string&, std::shared_ptr<const DraftNetwork>)> keep_;
    std::unique_ptr<HeadTraining> training_;
    std::size_t steps_ = 0;
};

} // namespace

JobOrder order_of(const TrainHeads& asked) { return job_order<TrainingJob>(Slot::training, "training heads", asked); }

} // namespace speclens
