// Questions about a round of the run that are more than a moment's work.
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

// The run goes on, or another takes its place, while the answer is made.
struct Round {
    Round(const Desk& desk, int cycle)
        : models(desk.run_models), settings(desk.shown_run().settings_at(cycle)), trace(desk.run->shared_trace()) {}
    std::shared_ptr<const Models> models;
    RunSettings settings; // that it was made with
    std::shared_ptr<const Trace> trace;
};

class OtherDrafterJob final : public Job {
  public:
    OtherDrafterJob(const Desk& desk, const FetchOtherDrafterRound& fetch) : round_(desk, fetch.cycle), fetch_(fetch) {}
    bool step() override {
        answer_ = std::make_shared<const OtherDrafterRound>(guess_as(round_.models, round_.settings, *round_.trace, fetch_));
        return false;
    }
    void show(Snapshot& shown) override {
        if (answer_) shown.guest = answer_;
    }
    std::size_t revision() const override { return answer_ ? 1 : 0; }

  private:
    Round round_;
    FetchOtherDrafterRound fetch_;
    std::shared_ptr<const OtherDrafterRound> answer_;
};

// One drafter at a time. A round is short, also on a large target.
class GuessesJob final : public Job {
  public:
    GuessesJob(const Desk& desk, const CompareDrafters& asked)
        : round_(desk, asked.cycle), guesses_(no_guesses(*round_.models, *round_.trace, asked)) {
        const auto& known = desk.shown.guesses;
        if (known && known->complete() && known->of == round_.trace.get() && known->cycle == asked.cycle)
            guesses_ = with_exit_layer(round_.models, round_.settings, *round_.trace, *known, asked.exit_layer);
    }
    bool step() override {
        if (!guesses_.complete()) guesses_.rows.push_back(next_guess(round_.models, round_.settings, *round_.trace, guesses_));
        return !guesses_.complete();
    }
    void show(Snapshot& shown) override { shown.guesses = std::make_shared<const DrafterComparison>(guesses_); }
    void cut(Snapshot& shown) override {
        if (!shown.guesses || shown.guesses->complete()) return;
        auto changed = std::make_shared<DrafterComparison>(*shown.guesses);
        changed->planned = static_cast<int>(changed->rows.size());
        shown.guesses = std::move(changed);
    }
    std::size_t revision() const override { return guesses_.rows.size(); }

  private:
    Round round_;
    DrafterComparison guesses_;
};

} // namespace

JobOrder order_of(const FetchOtherDrafterRound& asked) {
    return job_order<OtherDrafterJob>(Slot::guest, "drafting with " + asked.drafter, asked);
}

JobOrder order_of(const CompareDrafters& asked) {
    return job_order<GuessesJob>(Slot::guesses, "asking every drafter", asked);
}

} // namespace speclens
