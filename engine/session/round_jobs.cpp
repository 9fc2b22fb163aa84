// Questions about a round of the run that are more than a moment's work.
#include <algorithm>
#include <optional>

#include "engine/base/clock.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

// The run goes on, or another takes its place, while the answer is made.
struct Round {
    Round(const Desk& desk, int round)
        : models(desk.run_models), settings(desk.shown_run().settings_at(round)), trace(desk.run->shared_trace()) {}
    std::shared_ptr<const Models> models;
    RunSettings settings; // that it was made with
    std::shared_ptr<const Trace> trace;
};

class OtherDrafterJob final : public Job {
  public:
    OtherDrafterJob(const Desk& desk, const FetchOtherDrafterRound& fetch) : round_(desk, fetch.round), fetch_(fetch) {}
    bool step() override {
        answer_ = std::make_shared<const OtherDrafterRound>(draft_as(round_.models, round_.settings, *round_.trace, fetch_));
        return false;
    }
    void show(Snapshot& shown) override {
        if (answer_) shown.other_round = answer_;
    }
    std::size_t revision() const override { return answer_ ? 1 : 0; }

  private:
    Round round_;
    FetchOtherDrafterRound fetch_;
    std::shared_ptr<const OtherDrafterRound> answer_;
};

// One drafter at a time. A round is short, also on a large target.
class ComparisonJob final : public Job {
  public:
    ComparisonJob(const Desk& desk, const CompareDrafters& asked)
        : round_(desk, asked.round), comparison_(empty_comparison(*round_.models, *round_.trace, asked)) {
        const auto& known = desk.shown.comparison;
        if (known && known->complete() && known->of == round_.trace.get() && known->round == asked.round)
            comparison_ = with_exit_layer(round_.models, round_.settings, *round_.trace, *known, asked.exit_layer);
    }
    bool step() override {
        const Stopwatch own;
        if (!comparison_.complete()) comparison_.rows.push_back(compare_next(round_.models, round_.settings, *round_.trace, comparison_));
        worked_ms_ += own.ms();
        return !comparison_.complete();
    }
    void show(Snapshot& shown) override { shown.comparison = std::make_shared<const DrafterComparison>(comparison_); }
    void end_early(Snapshot& shown) override {
        if (!shown.comparison || shown.comparison->complete()) return;
        auto changed = std::make_shared<DrafterComparison>(*shown.comparison);
        changed->planned = static_cast<int>(changed->rows.size());
        shown.comparison = std::move(changed);
    }
    std::size_t revision() const override { return comparison_.rows.size(); }
    double done() const override { return static_cast<double>(comparison_.rows.size()) / std::max(1, comparison_.planned); }
    Work work() const override {
        const std::optional<double> left = left_seconds(); // empty: nothing was asked that can run
        return {.of = Work::Of::drafters,
                .done = left ? static_cast<int>(comparison_.rows.size()) : 0,
                .total = comparison_.planned,
                .left = left};
    }

  private:
    // Most of them have no head and take no time, others draft with passes of a model: by what each is expected to cost.
    [[nodiscard]] std::optional<double> left_seconds() const {
        double done = 0, all = 0;
        const int text = static_cast<int>(round_.trace->header()->prompt.size()); // and what was committed, which is little of it
        for (int row = 0; row < comparison_.planned; ++row) {
            all += expected_passes(*round_.models, round_.settings, text, row);
            if (row + 1 == std::ssize(comparison_.rows)) done = all;
        }
        if (done <= 0) return {};
        return worked_ms_ / 1000 * (all - done) / done;
    }

    Round round_;
    DrafterComparison comparison_;
    double worked_ms_ = 0;
};

} // namespace

JobOrder order_of(const FetchOtherDrafterRound& asked) {
    return job_order<OtherDrafterJob>(Slot::other_round, "drafting with " + asked.drafter, asked);
}

JobOrder order_of(const CompareDrafters& asked) { return job_order<ComparisonJob>(Slot::comparison, "asking every drafter", asked); }

} // namespace speclens
