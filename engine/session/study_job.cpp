#include "engine/lab/fault_study.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

class StudyJob final : public Job {
  public:
    StudyJob(const Desk& desk, const RunStudy& asked)
        : models_(desk.models), times_(desk.times), runs_(asked.runs), study_{asked.name, static_cast<int>(asked.runs.size()), {}} {}
    // One phase.
    bool step() override {
        if (study_.complete()) return false;
        const RunSettings& settings = runs_[study_.points.size()];
        StudyPoint point;
        try {
            if (!run_) run_ = study_run(models_, settings.with_fixed_k(), study_.name); // it asks what a K comes to
            if (run_->step()) return true;
            if (has_times() && fault_of_study(study_.name) == PlantedFault::none) times_.add(run_->trace());
            point = summary_of(settings, run_->trace());
            point.trace = run_->shared_trace();
        } catch (const std::exception& error) { // of one run: the others may do
            point.settings = settings;
            point.problem = error.what();
        }
        run_.reset();
        study_.points.push_back(std::move(point));
        return !study_.complete();
    }
    void show(Snapshot& shown) override {
        if (has_times()) time_study(study_, times_);
        shown.studies[study_.name] = std::make_shared<const Study>(study_);
    }
    void end_early(Snapshot& shown) override {
        const auto there = static_cast<int>(study_.points.size());
        study_.left_out += study_.planned - there;
        study_.planned = there;
        shown.studies[study_.name] = std::make_shared<const Study>(study_);
    }
    std::size_t revision() const override { return study_.points.size(); }
    double done() const override { return study_.planned > 0 ? static_cast<double>(study_.points.size()) / study_.planned : 1; }

  private:
    [[nodiscard]] bool has_times() const { return models_->target && !models_->scorer; }

    std::shared_ptr<const Models> models_;
    TimeTable& times_;
    std::vector<RunSettings> runs_;
    Study study_;
    std::unique_ptr<Run> run_; // of the next point
};

} // namespace

JobOrder order_of(const RunStudy& asked) { return job_order<StudyJob>(Slot::studies, "running a study", asked, asked.name); }

} // namespace speclens
