#include <algorithm>

#include "engine/doctor/examination.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

class DoctorJob final : public Job {
  public:
    DoctorJob(const Desk& desk, const ExamineHead& asked)
        : examination_(
              desk.models,
              {.drafter = asked.drafter, .tokens = asked.tokens, .fresh = asked.tokens / 2, .prompts = examination_prompts(*desk.models)}) {
    }
    bool step() override { return examination_.step(); }
    void show(Snapshot& shown) override { shown.diagnosis = examination_.diagnosis(); }
    void end_early(Snapshot& shown) override {
        if (!shown.diagnosis || shown.diagnosis->verdict != Diagnosis::Verdict::open) return;
        auto changed = std::make_shared<Diagnosis>(*shown.diagnosis);
        changed->ended_early = true;
        shown.diagnosis = std::move(changed);
    }
    std::size_t revision() const override { return examination_.revision(); }
    double done() const override { return static_cast<double>(examination_.done()) / std::max(1, examination_.total()); }
    Work work() const override {
        return {.of = Work::Of::places, .done = examination_.done(), .total = examination_.total(), .left = examination_.left_seconds()};
    }

  private:
    Examination examination_;
};

} // namespace

JobOrder order_of(const ExamineHead& asked) { return job_order<DoctorJob>(Slot::studies, "examining a head", asked, "doctor"); }

} // namespace speclens
