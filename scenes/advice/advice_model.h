// Does speculation pay on this machine, with which drafter and how many draft tokens? The answer of engine/advice as a picture:
// every drafter at its best, one of them by draft length, why it comes out so, and what would change it.
#pragma once

#include <string>
#include <vector>

#include "engine/advice/advice_words.h"
#include "engine/advice/served_advice.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

inline constexpr MessagesOf<"advice", "bet", "verdict", "why", "change"> advice_says;
inline constexpr int kAdviceBeats = advice_says.size;
inline constexpr int kBetBeat = 0, kWhyBeat = 2, kChangeBeat = 3;
[[nodiscard]] inline bool keeps_answer_back(const SceneInput& input) { return advice_says.hides(input.beat, "answer"_part); }

// What the user set.
struct AdviceState {
    std::string marked;    // drafter; empty: the best one
    std::string bet;       // on whom the user bet before the answer was shown; empty: on nobody
    double plain_rate = 0; // of the server that is attached, tokens a second without speculation; 0: nobody said
    bool operator==(const AdviceState&) const = default;
};

// A point of the curve that says from which speed of plain decoding on speculation stops paying.
struct PlainRatePoint {
    double rate = 0, speed_up = 0;
};

struct AdviceModel {
    const Advice* advice = nullptr; // null: nothing measured yet
    AdviceVerdict verdict;
    std::vector<const AdviceCell*> best;    // of every drafter, fastest first
    const AdviceCell* marked = nullptr;     // of these
    std::vector<const AdviceCell*> lengths; // of the marked drafter
    bool under_way = false;
    double done = 0;
    bool in_doubt = false;              // other programs kept the cores busy
    Message impossible;                 // why nothing can be measured here; empty: it can
    std::optional<ServedAdvice> served; // on the server that is attached, where it drafts
    [[nodiscard]] bool measured() const { return advice && !best.empty(); }
};
[[nodiscard]] AdviceModel advice_model(const SceneInput& input, const AdviceState& state);
// Speed-ups of a cell where plain decoding is slower or faster than here and drafting takes as long.
[[nodiscard]] std::vector<PlainRatePoint> by_plain_rate(const AdviceCell& cell, double plain_ms);
// What the scene would measure.
[[nodiscard]] Command ask_advice(const SceneInput& input);
// The run on the screen with what the marked cell says.
[[nodiscard]] Command run_marked(const SceneInput& input, const AdviceModel& model);

[[nodiscard]] Message choice_words(const AdviceCell& cell);                    // "small, K = 4"
[[nodiscard]] Message figure_words(const AdviceModel& model, double speed_up); // "1.60×", "~1.60×"
[[nodiscard]] StageTitle advice_title(const AdviceModel& model, int beat);
[[nodiscard]] Story advice_story(const SceneInput& input, const AdviceModel& model);

using AdviceDraw = SceneDraw<AdviceModel, AdviceState>;
void draw_advice_ranking(const AdviceDraw& d, ui::Rect area);
void draw_advice_lengths(const AdviceDraw& d, ui::Rect area);
void draw_advice_round(const AdviceDraw& d, ui::Rect area);
void draw_advice_change(const AdviceDraw& d, ui::Rect area);
void draw_advice_details(const AdviceDraw& d);
void draw_advice_controls(const AdviceDraw& d);

} // namespace speclens
