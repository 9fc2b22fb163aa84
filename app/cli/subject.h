// What a frame is drawn from: a run or a race made for it, or a saved one, with everything the scene asks
// for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/view.h"
#include "app/frontend/frontend.h"
#include "engine/lab/time_table.h"
#include "engine/run/models.h"

namespace speclens::cli {

struct Subject {
    std::shared_ptr<const Models> models; // null for a saved trace
    std::shared_ptr<const RaceView> race; // where the scene needs one
    std::shared_ptr<const Trace> trace;
    RunSettings settings;
    EngineStatus status;
    std::shared_ptr<TimeTable> times = std::make_shared<TimeTable>(); // of the models, for all that is timed here
    std::shared_ptr<const ServerView> server; // where the scene shows one
};

// Of the scene, from --session or with these models, which are loaded when null.
[[nodiscard]] Subject subject_of(const Options& options, const std::string& scene,
                                 std::shared_ptr<const Models> models = nullptr);
// Adds the race or the server that one of those scenes needs.
void complete(const Options& options, const std::string& scene, Subject& subject);
// Whether the scene is drawn with a run of its own where no drafter was asked for.
[[nodiscard]] bool has_own_run(const Options& options, const std::string& scene, const Subject& subject);

// What the frame asks to be replayed or measured; nothing for a saved trace.
struct Answers {
    std::optional<Replay> twin, other_guess;
    std::optional<OtherDrafterRound> guest;
    std::optional<DrafterComparison> guesses;
    Studies studies;
    std::shared_ptr<const PassTimes> passes, passes_beside;
    std::shared_ptr<const std::vector<PassTimes>> passes_forms;
    std::shared_ptr<const Advice> advice;
    std::shared_ptr<const Sweep> load; // where --concurrency asks for it
    std::optional<MedusaView> training;
};
// A frame with everything it asks for; the request points into the rest.
struct Asked {
    FrameRequest request;
    std::optional<DistributionPair> distributions;
    Answers answers;
    Asked(const Options& options, const SceneWord& word, const Subject& subject);
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    [[nodiscard]] const DistributionPair* distribution_pair() const { return distributions ? &*distributions : nullptr; }
};
void render_one(const Options& options, const SceneWord& word, const Subject& subject,
                const std::filesystem::path& file);

} // namespace speclens::cli
