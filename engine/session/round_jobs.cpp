// Questions about a round of the run that are more than a moment's work.
#include <algorithm>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/progress.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

// The run goes on, or another takes its place, while the answer is made.
struct Round {
    Round(const Desk& desk, int round)
        : models(desk.run_models), settings(desk.shown_run().settings_at(round)), trace(desk.run->shared_trace()), go_on(desk.go_on) {}
    // Whether `answer` was made to its end: else somebody waits, perhaps for the end of this, and it is begun again.
    bool answered(const std::function<void()>& answer) const {
        try {
            answer();
            return true;
        } catch (const Cancelled&) {
            return false;
        }
    }
    std::shared_ptr<const Models> models;
    RunSettings settings; // that it was made with
    std::shared_ptr<const Trace> trace;
    std::function<bool()> go_on;
};

class OtherDrafterJob final : public Job {
  public:
    OtherDrafterJob(const Desk& desk, const FetchOtherDrafterRound& fetch) : round_(desk, fetch.round), fetch_(fetch) {}
    bool step() override {
        return !round_.answered([&] {
            answer_ =
                std::make_shared<const OtherDrafterRound>(draft_as(round_.models, round_.settings, *round_.trace, fetch_, round_.go_on));
        });
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

// One drafter at a time.
class ComparisonJob final : public Job {
  public:
    ComparisonJob(const Desk& desk, const CompareDrafters& asked)
        : round_(desk, asked.round), comparison_(empty_comparison(*round_.models, *round_.trace, asked)) {
        const auto& known = desk.shown.comparison;
        if (known && known->complete() && known->of == round_.trace.get() && known->round == asked.round)
            comparison_ = *known, exit_layer_ = asked.exit_layer;
    }
    bool step() override {
        const Stopwatch own;
        const auto& [models, settings, trace, go_on] = round_;
        if (exit_layer_)
            return !round_.answered([&] {
                comparison_ = with_exit_layer(models, settings, *trace, comparison_, *exit_layer_, go_on);
                exit_layer_.reset();
                ++asked_again_;
            });
        if (comparison_.complete()) return false;
        if (round_.answered([&] { comparison_.rows.push_back(compare_next(models, settings, *trace, comparison_, go_on)); }))
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
    std::size_t revision() const override { return comparison_.rows.size() + asked_again_; }
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
    std::optional<int> exit_layer_; // one that `skip` is still to be asked with, where the rest is known
    std::size_t asked_again_ = 0;
    double worked_ms_ = 0;
};

} // namespace

JobOrder order_of(const FetchOtherDrafterRound& asked) {
    return job_order<OtherDrafterJob>(Slot::other_round, "drafting with " + asked.drafter, asked);
}

JobOrder order_of(const CompareDrafters& asked) { return job_order<ComparisonJob>(Slot::comparison, "asking every drafter", asked); }

} // namespace speclens
