// The decode bottleneck (S1): a pass reads every weight once, for one token or for many. What passes over 1
// to 64 tokens took on this machine, by the time of one and beside as many passes one by one: of the loaded model,
// and where that is small enough for a cache, of random weights of a real shape too. The first two beats come before
// the answer: a picture of the walk, then a question to the room. Until this machine is timed, recorded times stand there. One beat holds
// the same shape in fewer bytes beside it.
#pragma once

#include <vector>

#include "engine/lab/pass_times.h"
#include "engine/lab/recorded_passes.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

// What the user chose and said.
struct BottleneckState {
    int rows = 0;      // marked width; 0: the default of the beat
    int said = -1;     // of kSayings, before it was shown; -1: nothing
    int answered = -1; // beat before the answer on which the answer was asked for; -1: none
};
inline constexpr MessagesOf<"bottleneck", "walk", "question", "many", "full", "guessing", "forms", "printed"> bottleneck_says;
// "How much longer does a pass over 16 tokens take?"
inline constexpr int kSayings[] = {1, 4, 16}; // times as long
[[nodiscard]] Message said_aloud(int saying); // "four times"
inline constexpr int kAsked = 16;             // tokens
inline constexpr int kQuestionBeat = 1;       // asks about them; the beat after it has the answer

inline constexpr int kFormsBeat = 5; // the same shape in several forms, where they were timed

inline constexpr const char* kRealShape = "smollm2-135m"; // small enough for every machine, too large for its caches

struct BottleneckModel {
    const PassTimes* times = nullptr;  // of the loaded model; null or without passes: not measured
    const PassTimes* beside = nullptr; // of random weights of a real shape; likewise
    const PassTimes* focus = nullptr;  // what the bus and the lanes are about: `beside`, where its times hold, else `times`
    // At kFormsBeat: one shape in several forms, most bytes first, once another form than that of all().front() is timed.
    std::vector<const PassTimes*> forms;
    std::vector<const PassTimes*> formless;   // forms that were asked for and could not be timed, at kFormsBeat
    bool of_forms = false;                    // kFormsBeat, and times may be seen
    int marked = 1;                           // width, one of those measured
    const RecordedPasses* recorded = nullptr; // whose times stand here until this machine has some; null: its own, or none
    bool shown = true;                        // what passes took may be seen: before the answer only when it was asked for
    bool asks = false;                        // the question is open
    Message untimed;                          // why its passes cannot be timed; empty: they can
    bool kept = false;                        // nobody can press a key
    Message under_way;                        // "timing passes of bundle S, 40 %"; empty: nothing is timed now
    ui::Tier tier = ui::Tier::live;
    [[nodiscard]] bool measured() const { return times && times->passes.size() >= 2; }
    [[nodiscard]] bool timed_here() const { return measured() && !recorded; }
    // The real shape first. Needs measured().
    [[nodiscard]] std::vector<const PassTimes*> all() const;
    // Those whose passes over one token and over the marked width can be relied on: what a headline may speak of.
    [[nodiscard]] std::vector<const PassTimes*> steady() const;
    [[nodiscard]] std::vector<const PassTimes*> steady_forms() const; // of `forms`, likewise
    [[nodiscard]] std::vector<const PassTimes*> curves() const;       // of the chart: the forms where there are some, else all()
    // Time that is 1× in the chart for that curve: of one token, of the form of most bytes where forms are compared.
    [[nodiscard]] double clock(const PassTimes& of) const { return (forms.empty() ? of : *forms.front()).passes.front().ms; }
    // Of `focus`; 0: not measured.
    [[nodiscard]] double one_ms() const { return ms(1); }
    [[nodiscard]] double ms(int rows) const;
    [[nodiscard]] double factor(int rows) const; // of a pass of one token
    // Multiply-adds per second of a pass in 1e9, of the weights alone.
    [[nodiscard]] double rate(int rows) const;
    [[nodiscard]] double best_rate() const; // of the widths measured, and of the product kernel in cache
    [[nodiscard]] bool leaves_room() const; // in one of the models at least, by times that are not in doubt
};
// Why these times are not to be relied on: PassTimes::in_doubt, or a pass over so many rows that others outran, as S14
// has it. Empty: they are.
[[nodiscard]] Message doubt(const PassTimes& times, int marked);
// Whether times in doubt say of a pass over so many rows what none can take: less than one over a single row, or more than one for each.
// Then no ratio is told, and nothing that would explain one.
[[nodiscard]] bool impossible(const PassTimes& times, int rows);
// Time of a pass over so many rows by that of one: "2.31×", in doubt "~2.31×" or, where that is impossible(), "in doubt".
[[nodiscard]] Message factor_words(const PassTimes& times, int rows);
inline constexpr double kWholeBandwidth = 1.005; // more of a plain read's bandwidth than that is no share of it
[[nodiscard]] int bits_of(DType form);           // of a weight, without its share of scales
// What is known of a measured model, a line each: name and weights, where they lie, what limits its passes.
[[nodiscard]] std::vector<Message> model_facts(const PassTimes& times, int marked);
// What is known of a form beside that of most bytes, a line each: bits and bytes, what one token and several take.
[[nodiscard]] std::vector<Message> form_facts(const BottleneckModel& model, const PassTimes& of);
// A plain read and the product kernel that its passes are held against, where those were measured.
[[nodiscard]] std::vector<Message> rate_facts(const PassTimes& times);
// A point of the chart.
[[nodiscard]] Message pass_words(const BottleneckModel& model, const PassTimes& of, const PassTime& pass);
// What fewer bytes do, by the two of steady_forms() that are farthest apart, over so many rows at once.
struct FormsFinding {
    const PassTimes *most = nullptr, *fewest = nullptr; // null: fewer than two
    int rows = 0;
    double most_factor = 0, fewest_factor = 0; // of a pass of one token
    bool faster = false;                       // one token in fewer bytes, and the times can be told apart
    bool dearer = false;                       // the rows, by the time of one, likewise
};
[[nodiscard]] FormsFinding forms_finding(const BottleneckModel& model);

// The chart's scale, by the time of one pass: from below every time to above every time, and to one by one.
struct CostRange {
    double low = 1, high = 1;
};
[[nodiscard]] CostRange cost_range(const BottleneckModel& model);
[[nodiscard]] bool can_measure(const SceneInput& input, const BottleneckModel& model);
[[nodiscard]] bool can_measure_forms(const SceneInput& input, const BottleneckModel& model); // something to hold them against
[[nodiscard]] BottleneckModel bottleneck_model(const SceneInput& input, const BottleneckState& state);

inline constexpr int kBottleneckBeats = bottleneck_says.size;
[[nodiscard]] StageTitle bottleneck_title(const BottleneckModel& model);
[[nodiscard]] Story bottleneck_story(const SceneInput& input, const BottleneckModel& model, const BottleneckState& state);
// "You said 4×: it is 2.31×."; empty before both are there
[[nodiscard]] Message verdict_words(const BottleneckModel& model, const BottleneckState& state);
// What others print about weights and arithmetic of a decoding step, in the order of the files.
[[nodiscard]] std::vector<const PublishedFigure*> printed_shares(const Published* figures);

using BottleneckDraw = SceneDraw<BottleneckModel, BottleneckState>;
void draw_bottleneck_walk(const BottleneckDraw& d, ui::Rect area); // warehouse, walk, lookup; no times
void draw_bottleneck_question(const BottleneckDraw& d,
                              ui::Rect area); // the answers there are, to choose from
void choose_answer(const BottleneckDraw& d,
                   int saying);                                     // and hear whether it is right, where that was measured
void draw_bottleneck_bus(const BottleneckDraw& d, ui::Rect area);   // memory, bus, arithmetic
void draw_bottleneck_chart(const BottleneckDraw& d, ui::Rect area); // what a pass costs, by its tokens
void draw_bottleneck_facts(const BottleneckDraw& d, ui::Rect area); // whose curves they are
void draw_bottleneck_lanes(const BottleneckDraw& d, ui::Rect area); // one pass against as many
void draw_bottleneck_forms(const BottleneckDraw& d, ui::Rect area); // one token and many, in each form, on one clock
void draw_bottleneck_details(const BottleneckDraw& d);
void draw_bottleneck_controls(const BottleneckDraw& d);
[[nodiscard]] Command measure_both();                        // the loaded model, then the real shape
[[nodiscard]] Command measure_forms();                       // the larger of the two in other forms
void measure_and_show_forms(std::vector<SceneCommand>& out); // and go to the beat that is about them

} // namespace speclens
