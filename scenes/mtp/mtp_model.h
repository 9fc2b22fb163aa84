// What the MTP scene shows: one round of the layer, what was measured of it, and the same round of two other heads; what the scene says,
// and the parts of its picture.
#pragma once

#include <optional>
#include <vector>

#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"

namespace speclens {

struct DrafterInfo; // engine/drafters/drafter_info.h

inline constexpr MessagesOf<"mtp", "pair", "layer", "again", "depth", "cache", "state", "beside", "published"> mtp_says;
inline constexpr int kMtpPairBeat = 0, kMtpLayerBeat = 1, kMtpAgainBeat = 2, kMtpDepthBeat = 3, kMtpCacheBeat = 4, kMtpStateBeat = 5,
                     kMtpBesideBeat = 6, kMtpPublishedBeat = 7;

// Runs of the layer on the prompt of the run, greedy: one to three guesses for their times; then three with all pairs in its cache,
// without the prompt's, with the last sixteen, with its own alone, and fed with the state before the target's final norm. Empty: it is not
// loaded.
inline constexpr const char* kMtpStudy = "mtp";
inline constexpr int kMtpGuesses = 3, kMtpSomePairs = 16;
[[nodiscard]] RunStudy mtp_study(const SceneInput& input);

enum class MtpVariant : std::uint8_t { all_pairs, no_prompt, some_pairs, own_pair, raw_state };
inline constexpr int kMtpVariants = 5;
struct MtpMeasured {
    TimeSeries times;                             // draft time of a round by guesses, the quickest of several runs
    const StudyPoint* variant[kMtpVariants] = {}; // null: not measured, or not yet
    [[nodiscard]] const StudyPoint* of(MtpVariant v) const { return variant[static_cast<std::size_t>(v)]; }
    // Milliseconds per further guess; 0: not measured.
    [[nodiscard]] double further_ms() const { return slope_of(times); }
};
[[nodiscard]] MtpMeasured mtp_measured(const SceneInput& input);
// Share of the guesses at this place, from 0, that stayed when all before them had; none: nothing was judged there.
[[nodiscard]] std::optional<double> kept_share(const StudyPoint* point, std::size_t place);
// Which state this head was trained on, as the first guess tells: apart by more than one point in a hundred, else unknown.
enum class MtpTrainedOn : std::uint8_t { unknown, after_norm, before_norm };
[[nodiscard]] MtpTrainedOn trained_on(const MtpMeasured& measured);

// By depth: of the run where it is one of MTP, else of what was measured with all pairs.
struct MtpKept {
    AcceptanceSeries series;
    bool of_run = false;
};

// The heads that are compared, at the round of the run on screen: same text, same dice, as many guesses, judged by the same target.
struct MtpBesideRow {
    const DrafterInfo* info = nullptr;
    const ComparisonRow* guess = nullptr; // null: no answer yet
    RunView answer;
    [[nodiscard]] const RoundSummary* round() const { return answer.round_list.empty() ? nullptr : &answer.round_list.front(); }
    [[nodiscard]] int tokens() const { return round() && round()->commit ? static_cast<int>(round()->commit->tokens.size()) : 0; }
};
struct MtpBeside {
    int round = 0;
    bool can_ask = false; // there is an engine that holds this run
    bool complete = false;
    std::vector<MtpBesideRow> rows; // one for each
};
[[nodiscard]] MtpBeside mtp_beside(const SceneInput& run);
// The probability that the drafter gave its guess: the one it was drawn with, or, of a greedy draft, that at temperature 1. None: not
// recorded.
[[nodiscard]] std::optional<double> claimed(const Header& header, const Drafted& draft);

struct MtpModel : HeadModel {
    const SceneInput* run = nullptr;               // on screen; the round may stand in for another drafter's
    bool verdicts = true;                          // the beat tells them
    std::vector<const PublishedFigure*> published; // speed-ups of MTP
    MtpMeasured measured;                          // this and what follows: only where there is a picture
    MtpKept kept;
    MtpBeside beside;
    [[nodiscard]] double further_guess_ms() const; // as measured, else as in this round; 0: unknown
};
// `seen`: the run, or the one round in which MTP stands in for its drafter.
[[nodiscard]] MtpModel mtp_model(const SceneInput& run, const SceneInput& seen);

using MtpDraw = HeadDraw<MtpModel>;
// Of a round that there is.
[[nodiscard]] StageTitle mtp_title(const MtpDraw& d);
[[nodiscard]] Story mtp_story(const MtpDraw& d);

float draw_mtp_steps(const MtpDraw& d, float y, float below); // as high as the stage allows with `below` px under it; returns the y below
void draw_mtp_row(const MtpDraw& d, ui::Rect r);              // what becomes of one pair
void draw_mtp_clock(const MtpDraw& d, ui::Rect r);
void draw_mtp_kept(const MtpDraw& d, ui::Rect r);
void draw_mtp_pairs(const MtpDraw& d, ui::Rect r);    // which pairs lie in the cache
void draw_mtp_states(const MtpDraw& d, ui::Rect r);   // where the two states are taken
void draw_mtp_variants(const MtpDraw& d, ui::Rect r); // bars: what less of the cache costs; the other state
void tell_mtp_unseen(const MtpDraw& d);               // of the clock and what was measured what the beat has no chart of
void draw_mtp_beside(const MtpDraw& d, ui::Rect r);
void draw_mtp_published(const MtpDraw& d, ui::Rect r);
void draw_mtp_details(const MtpDraw& d);
void draw_mtp_controls(const MtpDraw& d);

} // namespace speclens
