#include "engine/lab/stepped_race.h"
#include "engine/session/jobs.h"

namespace speclens {
namespace {

void mark_ended_early(std::shared_ptr<const RaceView>& race) {
    if (!race || race->ended_early || race->finished()) return;
    auto changed = std::make_shared<RaceView>(*race);
    changed->ended_early = true;
    changed->running = -1;
    race = std::move(changed);
}

class TimedRaceJob final : public Job {
  public:
    TimedRaceJob(const Desk& desk, const StartRace& start) : race_(desk.models, start.settings, &desk.times, desk.go_on) {}
    bool step() override { return race_.step(); }
    void show(Snapshot& shown) override { shown.race = std::make_shared<const RaceView>(race_.view()); }
    void end_early(Snapshot& shown) override { mark_ended_early(shown.race); }
    std::size_t revision() const override { return race_.revision(); }
    double done() const override {
        const RaceView& view = race_.view();
        return view.prompts > 0 ? static_cast<double>(view.prompts_done) / view.prompts : 0;
    }
    Work work() const override {
        const bool lanes = !race_.view().lanes_finished();
        return {.of = lanes ? Work::Of::lanes : Work::Of::prompts,
                .done = race_.pieces_done(),
                .total = race_.pieces(),
                .left = race_.left_seconds()};
    }

  private:
    Race race_;
};

// Open until somebody ends it.
class SteppedRaceJob final : public Job {
  public:
    SteppedRaceJob(const Desk& desk, const StartRace& start) : race_(desk.models, start.settings) {}
    bool step() override {
        (void)race_.step();
        return true;
    }
    void show(Snapshot& shown) override { shown.stepped = std::make_shared<const RaceView>(race_.view()); }
    void end_early(Snapshot& shown) override { mark_ended_early(shown.stepped); }
    bool waits() const override { return race_.waiting(); }
    std::size_t revision() const override { return race_.revision(); }
    void ask(Stride stride) { race_.ask(stride); }

  private:
    SteppedRace race_;
};

} // namespace

JobOrder order_of(const StartRace& asked) {
    if (asked.settings.stepped) return job_order<SteppedRaceJob>(Slot::stepped, "racing", asked);
    return job_order<TimedRaceJob>(Slot::race, "racing", asked);
}

void ask_stepped(Job& race, Stride stride) { dynamic_cast<SteppedRaceJob&>(race).ask(stride); }

} // namespace speclens
