#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/progress.h"
#include "engine/lab/fault_study.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

class StudyJob final : public Job {
  public:
    StudyJob(const Desk& desk, const RunStudy& asked)
        : models_(desk.models), times_(desk.times), go_on_(desk.go_on),
          runs_(asked.runs), study_{asked.name, static_cast<int>(asked.runs.size()), {}} {}
    // One phase.
    bool step() override {
        if (study_.complete()) return false;
        const RunSettings& settings = runs_[study_.points.size()];
        StudyPoint point;
        try {
            if (!run_) begin(settings);
            const Stopwatch own;
            const bool more = run_->step();
            worked_ms_ += own.ms();
            if (more) return true;
            if (has_times() && fault_of_study(study_.name) == PlantedFault::none) times_.add(run_->trace());
            point = summary_of(settings, run_->trace());
            point.trace = run_->shared_trace();
        } catch (const Cancelled&) { // somebody waits, perhaps for the end of this
            run_.reset();
            return true;
        } catch (const std::exception& error) { // of one run: the others may do
            point.settings = settings;
            point.problem = error.what();
        }
        run_.reset();
        whole_ms_ = worked_ms_;
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
    Work work() const override {
        return {.of = Work::Of::runs, .done = static_cast<int>(study_.points.size()), .total = study_.planned, .left = left_seconds()};
    }

  private:
    void begin(const RunSettings& settings) {
        run_ = study_run(models_, settings.with_fixed_k(), study_.name); // it asks what a K comes to
        run_->between_passes([this] {
            if (!go_on_()) throw Cancelled{};
        });
    }
    // Longer drafts take longer and bring more: what the runs to come take beside those that are done, by the rounds of these.
    [[nodiscard]] double rest_ms() const {
        double draft = 0, verify = 0, judged = 0, kept = 0;
        for (const StudyPoint& point : study_.points) {
            if (point.timed > 0) draft += point.draft_ms / std::max(1, point.draft_length()), verify += point.verify_ms;
            judged += std::accumulate(point.judged.begin(), point.judged.end(), 0);
            kept += std::accumulate(point.kept.begin(), point.kept.end(), 0);
        }
        const bool known = verify > 0 && judged > 0;
        const double stays = known ? std::min(0.99, kept / judged) : 0;
        double done = 0, all = 0;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const double tokens = (1 - std::pow(stays, runs_[i].k + 1)) / (1 - stays), round = known ? 1 + runs_[i].k * draft / verify : 1;
            all += runs_[i].max_tokens * round / tokens;
            if (i + 1 == study_.points.size()) done = all;
        }
        return whole_ms_ * (all - done) / done;
    }
    [[nodiscard]] std::optional<double> left_seconds() const {
        if (study_.points.empty() || whole_ms_ < kWorthTellingMs) return {};
        if (rest_of_ != study_.points.size()) rest_of_ = study_.points.size(), rest_ms_ = rest_ms();
        return std::max(0.0, rest_ms_ - (worked_ms_ - whole_ms_)) / 1000;
    }
    [[nodiscard]] bool has_times() const { return models_->target && !models_->scorer; }

    std::shared_ptr<const Models> models_;
    TimeTable& times_;
    std::function<bool()> go_on_;
    std::vector<RunSettings> runs_;
    Study study_;
    std::unique_ptr<Run> run_;                     // of the next point
    static constexpr double kWorthTellingMs = 300; // of runs that are done: what is over in a moment needs no estimate
    double worked_ms_ = 0, whole_ms_ = 0;          // on all runs, on those that are done
    mutable std::size_t rest_of_ = 0;              // runs that were done when this was reckoned:
    mutable double rest_ms_ = 0;
};

} // namespace

JobOrder order_of(const RunStudy& asked) { return job_order<StudyJob>(Slot::studies, "running a study", asked, asked.name); }

} // namespace speclens
