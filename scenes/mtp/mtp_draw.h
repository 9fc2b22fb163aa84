// The MTP picture, what stands beside it, and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/story.h"

namespace speclens {

inline constexpr int kMtpBeats = mtp_says.size;

// All that a frame is drawn from. `run`: the run on screen; `input`: the same, or the one round in which MTP stands in for its drafter.
struct MtpFrame {
    const SceneInput& run;
    const SceneInput& input;
    MtpModel model;
    MtpMeasured measured;
    MtpBeside beside;
    std::vector<const PublishedFigure*> published; // speed-ups of MTP
    MtpFrame(const SceneInput& run, const SceneInput& input);
    [[nodiscard]] bool verdicts() const { return !mtp_says.hides(input.beat, "verdicts"_part); }
};
[[nodiscard]] StageTitle mtp_title(const MtpFrame& frame);
[[nodiscard]] Story mtp_story(const MtpFrame& frame);
[[nodiscard]] std::string mtp_description(const MtpFrame& frame);
[[nodiscard]] std::string stored_words(const MtpBesideRow& row); // "1.9 MB", "nothing"
[[nodiscard]] std::string reads_words(const MtpBesideRow& row);  // what it takes from the target

struct MtpDraw {
    const MtpFrame& frame;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
    [[nodiscard]] const SceneInput& input() const { return frame.input; }
};
float draw_mtp_steps(const MtpDraw& d, float y, float below); // as high as the stage allows with `below` px under it; returns the y below
void draw_mtp_row(const MtpDraw& d, ui::Rect r);              // what becomes of one pair
void draw_mtp_clock(const MtpDraw& d, ui::Rect r);
void draw_mtp_kept(const MtpDraw& d, ui::Rect r);
void draw_mtp_pairs(const MtpDraw& d, ui::Rect r);                 // which pairs lie in the cache
void draw_mtp_states(const MtpDraw& d, ui::Rect r);                // where the two states are taken
void draw_mtp_variants(const MtpDraw& d, ui::Rect r, bool states); // bars: what less of the cache costs; the other state
void draw_mtp_beside(const MtpDraw& d, ui::Rect r);
void draw_mtp_published(const MtpDraw& d, ui::Rect r);
void draw_mtp_details(const MtpDraw& d);
void draw_mtp_controls(const MtpDraw& d);

} // namespace speclens
