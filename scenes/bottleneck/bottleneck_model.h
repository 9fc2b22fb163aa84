// The decode bottleneck (S1): a pass reads every weight once, for one token or for many. What passes over 1
// to 64 tokens took on this machine, beside the time of reading the weights alone and of as many passes one
// by one. The first two beats come before the answer: a picture of the walk, then a question to the room.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/scene.h"
#include "scenes/shared/story.h"

namespace speclens {

// What the user chose and said.
struct BottleneckState {
    int rows = 0;      // marked width; 0: the usual one of the beat
    int said = -1;     // of kSayings, before it was shown; -1: nothing
    int answered = -1; // beat before the answer on which the answer was asked for; -1: none
};
// "How much longer does a pass over 16 tokens take?"
struct Saying {
    const char* words;
    double factor;
    const char* aloud;
};
inline constexpr Saying kSayings[] = {
    {"1×", 1, "as long"}, {"4×", 4, "four times"}, {"16×", 16, "sixteen times"}};
inline constexpr int kAsked = 16;       // tokens
inline constexpr int kQuestionBeat = 1; // asks about them; the beat after it has the answer

struct BottleneckModel {
    const PassTimes* times = nullptr; // null or without passes: not measured
    int marked = 1;                   // width, one of those measured
    int cheap = 1;     // up to here every measured pass takes less than twice a pass of one token
    bool told = true;  // what passes took may be seen: before the answer only when it was asked for
    bool asks = false; // the question is open
    std::string model; // of the run on screen
    std::string untimed; // why its passes cannot be timed; empty: they can
    ui::Tier tier = ui::Tier::live;
    [[nodiscard]] bool measured() const { return times && times->passes.size() >= 2; }
    [[nodiscard]] double one_ms() const { return times->passes.front().ms; }
    [[nodiscard]] double ms(int rows) const; // 0: not measured
    // Other passes were quicker than one about so wide, as S14 has it.
    [[nodiscard]] bool in_doubt(int rows) const;
    [[nodiscard]] double factor(int rows) const; // of a pass of one token
    // Multiply-adds per second of a pass in 1e9, of the weights alone.
    [[nodiscard]] double rate(int rows) const;
    [[nodiscard]] double best_rate() const; // of the widths measured
};
// Top of a chart, ms: above every median, of a pass or per token, and above the quartiles that are near them.
// A quartile far outside, from a pass that the machine was kept from, would flatten all the others: it is
// cut.
[[nodiscard]] double chart_top(const PassTimes& times, bool per_token);
[[nodiscard]] bool can_measure(const SceneInput& input, const BottleneckModel& model);
[[nodiscard]] BottleneckModel bottleneck_model(const SceneInput& input, const BottleneckState& state);

inline constexpr int kBottleneckBeats = 6;
[[nodiscard]] StageTitle bottleneck_title(const BottleneckModel& model);
[[nodiscard]] Story bottleneck_story(const SceneInput& input, const BottleneckModel& model,
                                     const BottleneckState& state);
[[nodiscard]] std::string bottleneck_description(const SceneInput& input, const BottleneckModel& model,
                                                 const BottleneckState& state);
// "You said 4×: it is 2.31×."; empty before both are there
[[nodiscard]] std::string verdict_words(const BottleneckModel& model, const BottleneckState& state);
// What others print about weights and arithmetic of a decoding step, in the order of the files.
[[nodiscard]] std::vector<const PublishedFigure*> printed_shares(const Published* figures);

struct BottleneckDraw {
    const SceneInput& input;
    const BottleneckModel& model;
    BottleneckState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void draw_bottleneck_walk(const BottleneckDraw& d, ui::Rect area); // warehouse, walk, lookup; no times
void draw_bottleneck_question(const BottleneckDraw& d,
                              ui::Rect area); // the answers there are, to choose from
void choose_answer(const BottleneckDraw& d,
                   int saying); // and hear whether it is right, where that was measured
void draw_bottleneck_bus(const BottleneckDraw& d, ui::Rect area); // memory, bus, arithmetic
void draw_bottleneck_charts(const BottleneckDraw& d, ui::Rect area);
void draw_bottleneck_lanes(const BottleneckDraw& d, ui::Rect area); // one pass against as many
void draw_bottleneck_details(const BottleneckDraw& d);
void draw_bottleneck_controls(const BottleneckDraw& d);

} // namespace speclens
