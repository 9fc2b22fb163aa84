#include "engine/lab/stepped_race.h"

#include <algorithm>

#include "engine/models/models.h"
#include "kernels/error.h"

namespace speclens {

SteppedRace::SteppedRace(std::shared_ptr<const Models> models, RaceSettings settings) : models_(std::move(models)) {
    settings.stepped = true;
    settings.base.timing = false;
    view_ = race_lanes(*models_, std::move(settings));
}

void SteppedRace::prepare() {
    RaceLane& lane = view_.lanes[runs_.size()];
    runs_.emplace_back();
    if (lane.problem.empty()) {
        try {
            auto run = std::make_unique<Run>(models_, lane.settings);
            run->step(); // reads the prompt
            lane.trace = run->shared_trace();
            runs_.back() = std::move(run);
        } catch (const Error& error) {
            lane.problem = error.what();
        }
    }
    ready_ = runs_.size() == view_.lanes.size();
    if (ready_) record();
}

bool SteppedRace::advance(int lane) {
    const auto at = static_cast<std::size_t>(lane);
    Run* run = runs_[at].get();
    if (!run || run->stopped()) return true;
    run->step();
    view_.lanes[at].finished = run->stopped();
    if (asked_.front() == Stride::phase || run->stopped()) return true;
    const Trace& trace = run->trace();
    return std::holds_alternative<Committed>(trace[trace.size() - 1]);
}

bool SteppedRace::over() const {
    return std::ranges::all_of(runs_, [](const auto& run) { return !run || run->stopped(); });
}

void SteppedRace::record() {
    std::vector<std::size_t> events;
    for (const RaceLane& lane : view_.lanes) events.push_back(lane.trace ? lane.trace->size() : 0);
    view_.steps.push_back(std::move(events));
    ++revision_;
}

bool SteppedRace::step() {
    if (!ready_) {
        prepare();
        return true;
    }
    if (lane_ == 0 && over()) asked_.clear();
    if (asked_.empty()) return false;
    if (advance(static_cast<int>(lane_))) ++lane_;
    if (lane_ < view_.lanes.size()) return true;
    lane_ = 0;
    record();
    if (asked_.front() != Stride::end || over()) asked_.pop_front();
    return true;
}

} // namespace speclens
