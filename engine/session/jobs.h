// The jobs, one line each: the command that begins it (engine/run/session_commands.h), and the file of its name makes it.
#pragma once

#include "engine/run/session_commands.h"
#include "engine/session/job.h"

namespace speclens {

[[nodiscard]] JobOrder order_of(const StartRace& asked);              // race_jobs.cpp, the timed and the stepped one
[[nodiscard]] JobOrder order_of(const FetchOtherDrafterRound& asked); // round_jobs.cpp
[[nodiscard]] JobOrder order_of(const CompareDrafters& asked);
[[nodiscard]] JobOrder order_of(const RunStudy& asked);      // study_job.cpp
[[nodiscard]] JobOrder order_of(const MeasurePasses& asked); // passes_job.cpp
[[nodiscard]] JobOrder order_of(const AskAdvice& asked);     // advice_job.cpp
[[nodiscard]] JobOrder order_of(const MeasureLoad& asked);   // load_job.cpp
[[nodiscard]] JobOrder order_of(const TrainHeads& asked);    // training_job.cpp
[[nodiscard]] JobOrder order_of(const ExamineHead& asked);   // doctor_job.cpp

template <typename C>
concept BeginsJob = requires(const C& command) {
    order_of(command);
};

// The stepped race of order_of(StartRace) goes so far.
void ask_stepped(Job& race, Stride stride);

// Not asked for: what the run on the screen takes, timed again and again while it stands still. `timed`: when it is known well.
[[nodiscard]] JobOrder times_of_run(RepeatPlan plan, std::function<void(const RunSettings&)> timed); // times_job.cpp

} // namespace speclens
