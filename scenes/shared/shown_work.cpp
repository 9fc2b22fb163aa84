#include "scenes/shared/shown_work.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/told.h"

namespace speclens {
namespace {

constexpr double kWorthSaying = 0.25, kSoon = 3, kTick = 1; // seconds

// Rounded up, so that it is over before it is said to be.
Message left_words(double seconds) {
    if (seconds <= 0) return shared_says("work.left:longer"_t);
    if (seconds < kSoon) return shared_says("work.left:soon"_t);
    if (seconds < 90) return shared_says("work.left:seconds"_t, "n"_v = static_cast<int>(std::ceil(seconds / 5)) * 5);
    if (seconds < 5400) return shared_says("work.left:minutes"_t, "n"_v = static_cast<int>(std::ceil(seconds / 60)));
    return shared_says("work.left:hours"_t, "n"_v = seconds / 3600);
}

Message what_words(const Work& work) {
    const bool first = work.done == 0;
    const int now = std::min(work.done + 1, work.total);
    const auto told = [&](auto id) { return shared_says(id, "first"_v = first, "now"_v = now, "total"_v = work.total); };
    switch (work.of) {
    case Work::Of::lanes: return told("work.lanes"_t);
    case Work::Of::prompts: return told("work.prompts"_t);
    case Work::Of::runs: return told("work.runs"_t);
    case Work::Of::widths: return told("work.widths"_t);
    case Work::Of::batches: return told("work.batches"_t);
    case Work::Of::advice: return told("work.advice"_t);
    case Work::Of::drafters: return told("work.drafters"_t);
    case Work::Of::places: return told("work.places"_t);
    case Work::Of::nothing: break;
    }
    return {};
}

} // namespace

Message job_words(const EngineJob& job) {
    switch (job.what) {
    case EngineJob::What::models: return shared_says("job.models"_t);
    case EngineJob::What::opening: return shared_says("job.opening"_t, "model"_v = job.of);
    case EngineJob::What::weights: return shared_says("job.weights"_t, "model"_v = job.of);
    case EngineJob::What::reading: return shared_says("job.reading"_t);
    case EngineJob::What::costs: return shared_says("job.costs"_t);
    case EngineJob::What::nothing: break;
    }
    return {};
}

void ShownWork::observe(const Work& told, double now) {
    if (told.number != work_.number || told.of != work_.of) since_ = now;
    // The same once more says nothing new: what it promised goes on to run out.
    if (told.left && !(told == work_)) ends_ = now + *told.left;
    if (!told.left) ends_.reset();
    work_ = told;
}

Message ShownWork::words(double now) const {
    if (work_.total <= 0 || now - since_ < kWorthSaying) return {};
    return shared_says("work.line"_t, "what"_v = what_words(work_), "left"_v = ends_ ? left_words(*ends_ - now) : Message());
}

double ShownWork::next_change(double now) const {
    if (work_.total <= 0) return -1;
    if (now - since_ < kWorthSaying) return since_ + kWorthSaying - now;
    return ends_ && now < *ends_ ? std::min(kTick, std::max(0.05, *ends_ - now)) : -1;
}

} // namespace speclens
