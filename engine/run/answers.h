// What the engine answers to the questions of session_commands.h, each absent until it was asked. One struct from the engine's
// snapshot over the window's controller to the frame that a scene draws, and in pictures and descriptions alike.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace speclens {

struct Advice;            // engine/advice/advice.h
struct Diagnosis;         // engine/doctor/diagnosis.h
struct DistributionPair;  // engine/run/full_distributions.h
struct DrafterComparison; // engine/run/drafter_comparison.h
struct HeadTrainingView;  // engine/lab/head_training.h
struct OtherDrafterRound; // engine/run/other_drafter_round.h
struct PassTimes;         // engine/lab/pass_times.h
struct Replay;            // engine/run/replay.h
struct Study;             // engine/lab/study.h
struct Sweep;             // engine/batch/sweep.h

using Studies = std::map<std::string, std::shared_ptr<const Study>>;

struct Answers {
    // About a round of the run.
    std::shared_ptr<const DistributionPair> distributions; // FetchDistributions: of the last position that was asked for
    std::shared_ptr<const Replay> replayed;                // FetchReplay with other options
    std::shared_ptr<const Replay> other_draft;             // FetchReplay with another draft token
    std::shared_ptr<const OtherDrafterRound> other_round;  // FetchOtherDrafterRound
    std::shared_ptr<const DrafterComparison> comparison;   // CompareDrafters; grows
    // About models, drafters and this machine.
    Studies studies;                                            // RunStudy, by name; each grows
    std::shared_ptr<const PassTimes> passes;                    // MeasurePasses: of the target
    std::shared_ptr<const PassTimes> passes_beside;             // of random weights of the geometry that it named
    std::shared_ptr<const std::vector<PassTimes>> passes_forms; // of the larger one's shape in other forms
    std::shared_ptr<const Advice> advice;                       // AskAdvice; grows
    std::shared_ptr<const Sweep> load;                          // MeasureLoad: many texts at once; grows
    std::shared_ptr<const HeadTrainingView> training;           // TrainHeads; grows
    std::shared_ptr<const Diagnosis> diagnosis;                 // ExamineHead: of the last one; grows

    void forget_run() { // another run stands on the screen
        distributions.reset();
        replayed.reset();
        other_draft.reset();
        other_round.reset();
        comparison.reset();
    }
};

} // namespace speclens
