// A round, or a race, as something to send: a loop that plays it, a card, and the link.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/frontend/frontend.h"

namespace speclens {

struct SharedRound {
    std::shared_ptr<const Trace> trace;
    int round = 0;                             // from 0; one that is complete
    std::shared_ptr<const RaceView> race = {}; // instead of a round: all of it, every lane done; the trace may be null
    RunSettings settings;
    EngineStatus status;
    std::string theme = "dark";
    bool letters_article = false; // as in SceneInput
    std::string link = {};        // to a frame of it; empty: none leads there
    std::string shown_link = {};  // on the card, where it is to be another text; empty: the same
};

struct SharedFiles {
    std::filesystem::path loop; // six seconds, GIF
    std::filesystem::path film; // the same as MP4; empty: there is none
    bool no_encoder = false;    // why there is no film: ffmpeg is not installed
    std::string no_film;        // or what else went wrong; empty: nothing did
    std::filesystem::path card; // 1200x630, PNG
    std::filesystem::path link; // a file with the link; empty: none leads there
    std::string link_text;
    std::filesystem::path frame = {}; // an <iframe> of it for pages of others; empty: the link leads to no page
};

// The round that a frame shows; throws Error (usage) where it shows none that is complete.
[[nodiscard]] int shared_round(const FrameRequest& request, const FrameRun& run);
// The place that a frame shows, chosen or found: a link with it leads to the same one.
[[nodiscard]] FramePlace frame_place(const FrameRequest& request, const FrameRun& run);
// Writes them into a folder, which is made; what was there under these names is replaced. `done` is told how far it is, 0 to 1, and
// may throw to stop it. Throws Error.
SharedFiles share_round(const SharedRound& round, const std::filesystem::path& folder, const std::function<void(double)>& done);

// What the title of a frame says, in the language of the pictures.
[[nodiscard]] std::string frame_title(const FrameRequest& request, const FrameRun& run);
// One frame as the bytes of a PNG with few colours, a fifth of the size of render_frame()'s.
[[nodiscard]] std::string frame_picture(const FrameRequest& request, const FrameRun& run);

} // namespace speclens
