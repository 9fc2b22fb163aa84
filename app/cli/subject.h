// What a frame is drawn from: a run or a race made for it, or a saved one, with everything the scene asks
// for.
#pragma once

#include <memory>
#include <string>

#include "app/cli/measure.h"
#include "app/cli/options.h"
#include "app/cli/view.h"
#include "app/frontend/frontend.h"
#include "app/views/link.h"

namespace speclens::cli {

struct Subject : FrameRun {
    std::shared_ptr<TerminalEngine> engine;   // that made it, and answers what a picture of it asks; null for a saved trace
    std::shared_ptr<const Models> models;     // of the engine
    std::shared_ptr<const RaceView> race;     // where the scene needs one
    std::shared_ptr<const ServerView> server; // where the scene shows one
};

// Of the scene, from --session or with these models, which are loaded when null.
[[nodiscard]] Subject subject_of(const Options& options, const std::string& scene, std::shared_ptr<const Models> models = nullptr);
// The subject of the one scene that was asked for, complete; a race is kept where --json says. Throws Error.
[[nodiscard]] Subject asked_subject(const Options& options, const std::string& scene);
// The same for `what` ("a page") that shows many places of the scene: all from 1 to `count`, or those of --frames.
struct ManyFrames {
    Subject subject;
    int first = 1, last = 1, count = 1;
};
[[nodiscard]] ManyFrames many_frames(const Options& options, const SceneWord& word, const std::string& what);
// Model and heads that were given, for links.
[[nodiscard]] LinkOptions folders_of(const Options& options);
// The frame as others find it again; empty: no link leads to a saved run.
[[nodiscard]] std::string link_to(const Options& options, const FrameRequest& request, const Subject& subject);
// Adds the race or the server that one of those scenes needs.
void complete(const Options& options, const std::string& scene, Subject& subject);
// Whether the scene is drawn with a run of its own where no drafter was asked for.
[[nodiscard]] bool has_own_run(const Options& options, const std::string& scene, const Subject& subject);

// The frame, with what it asks to be replayed or measured; nothing of that for a saved trace.
[[nodiscard]] FrameRequest request_for(const Options& options, const SceneWord& word, const Subject& subject);
void draw(const FrameRequest& request, const Subject& subject, const std::filesystem::path& file);
[[nodiscard]] std::string in_words(const FrameRequest& request, const Subject& subject);

} // namespace speclens::cli
