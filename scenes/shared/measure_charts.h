// Charts of measured runs: acceptance by position, and draft time against the number of guesses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenes/shared/scene_input.h"
#include "scenes/shared/told.h"

namespace speclens {

struct RunStudy; // engine/run/session_commands.h

// Labels beside the ends of lines, the highest first: `pitch` px from each baseline to the next, above the axis.
[[nodiscard]] std::vector<float> labels_apart(std::vector<float> baselines, float pitch, float lowest);

// Rounds behind a share by position that may be joined to its neighbour.
inline constexpr int kEnoughRounds = 30;

// Of each position: how many guesses were judged there and how many of them stayed.
struct AcceptanceSeries {
    Message name;
    std::vector<int> judged, kept;
    bool hollow = false;                                                // the variant that something was taken away from
    [[nodiscard]] std::optional<double> share(std::size_t place) const; // that stayed, from place 0; none: nothing was judged there
};
// Share that stays, given that all before it stayed. Each point is told with its counts; where fewer than kEnoughRounds arrive they are
// not joined. `ui` draws the tooltips.
void draw_acceptance(ui::Ui& ui, ui::Rect rect, std::span<const AcceptanceSeries> series);
void tell_acceptance(ui::Ui& ui, ui::Rect rect, const AcceptanceSeries& series); // the same, where there is no room for the chart
[[nodiscard]] AcceptanceSeries acceptance_of(const RunView& view, Message name = {});

struct TimeSeries {
    std::string drafter; // by which it is found: its name is what somebody may change
    Message name;
    ui::Icon mark = ui::Icon::circle;
    std::vector<std::pair<int, double>> points; // guesses, milliseconds
    bool chosen = false;                        // full strength
    void add(int guesses, double ms);           // of several times of one length the quickest counts
};
void draw_times(ui::Ui& ui, ui::Rect rect, std::span<const TimeSeries> series); // each point is told
void tell_times(ui::Ui& ui, ui::Rect rect, std::span<const TimeSeries> series);
// Milliseconds per further guess, by the two ends of the line; 0 with fewer than two points.
[[nodiscard]] double slope_of(const TimeSeries& series);

// The study that both scenes share: draft time of the block drafters and of EAGLE-3 for several numbers of
// guesses, on one prompt, greedy. Empty when none of them is loaded.
[[nodiscard]] RunStudy time_study(const SceneInput& input);
inline constexpr const char* kTimeStudy = "draft time";
[[nodiscard]] std::vector<TimeSeries> time_series(const SceneInput& input, const std::string& chosen);
[[nodiscard]] Message progress_words(const Study& study); // "measuring, 3 of 12 runs"
// Why there is nothing to draw: under way, `how` it could be measured, or a saved run.
[[nodiscard]] Message unmeasured_words(const SceneInput& input, const Study* study, const Message& how);
// What stands behind its means: "4 seeds, up to 64 tokens each", "1 seed, up to 160 tokens".
[[nodiscard]] Message sample_words(const Study& study);
[[nodiscard]] const Study* study_named(const SceneInput& input,
                                       const std::string& name); // nullptr: not measured
// The same, unless it was of another prompt, other dice or another drafter than `now`, which would be
// measured now, begins with.
[[nodiscard]] const Study* study_of(const SceneInput& input, const RunStudy& now);
// Whether it could be run and is neither there nor under way; one that was stopped before its first run is not there.
[[nodiscard]] bool lacks(const RunStudy& plan, const Study* known);

} // namespace speclens
