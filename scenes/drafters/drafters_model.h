// What every drafter drafts at the shown round, as the picture shows it: one row per drafter with the round it played, what it needs and
// what others published about it. A pure function of SceneInput and the user's choice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/message_scene.h"
#include "scenes/shared/published_round.h"
#include "ui/glyphs.h"

namespace speclens {

inline constexpr MessagesOf<"drafters", "judge", "stored", "cost", "outcome", "no_best", "family", "doctor"> drafters_says;
inline constexpr int kDraftersBeats = drafters_says.size, kDraftersOutcomeBeat = 3, kDraftersNoBestBeat = 4, kDraftersFamilyBeat = 5,
                     kDraftersDoctorBeat = 6;
// Beats that keep the verdicts back let the reader guess who brings most.
[[nodiscard]] inline bool verdicts_told(const SceneInput& input) { return !drafters_says.hides(input.beat, "verdicts"_part); }

// warm: at T > 0 the rule of the run can judge what it drafts. (At T = 0 every rule is the greedy one.)
enum class DrafterFilter : std::uint8_t { all, no_head, no_memory, warm };
inline constexpr int kDrafterFilters = 4;

[[nodiscard]] bool judged_when_warm(const Header& header, const DrafterInfo& info);

struct DrafterChoice { // what the user chose
    DrafterFilter filter = DrafterFilter::all;
    std::string drafter; // of the selected row; empty: the run's own
    int exit_layer = 0;  // of `skip`; 0: as the run has it
};

struct DrafterRow {
    const DrafterInfo* info = nullptr;
    std::string title; // short, in the language of the pictures
    ui::Icon mark = ui::Icon::circle;
    bool of_run = false;                     // the run on the screen drafts with it
    const ComparisonRow* compared = nullptr; // null: not answered
    const RoundSummary* own = nullptr;       // the run's own round, where it has to stand in for an answer
    RunView answer;                          // fold of its round
    Message problem;                         // why there is no round
    bool no_head = false;                    // that is why: the loaded model has none for it, which is said once for all of them
    std::vector<int> shown;                  // indices of drafts: a chain; of a tree the accepted path and where it went on
    int tokens = 0;                          // that the round brought; 0: not known
    double draft_ms = 0;                     // 0: not timed
    PublishedRange published;
    [[nodiscard]] const RoundSummary* round() const { // null: none
        return !answer.round_list.empty() ? &answer.round_list.front() : own;
    }
    [[nodiscard]] int drafted() const { return round() ? static_cast<int>(round()->drafts.size()) : 0; }
    [[nodiscard]] const DraftSlot& shown_draft(std::size_t i) const { return round()->drafts[static_cast<std::size_t>(shown[i])]; }
    [[nodiscard]] std::string name() const { return info->name; }
};

struct DraftersModel {
    enum class Empty : std::uint8_t { no, no_run, no_round } empty = Empty::no;
    const Header* header = nullptr;
    const RoundSummary* round = nullptr;
    const DrafterComparison* comparison = nullptr; // of this round; null: no answer yet
    bool can_ask = false;                          // there is an engine that holds this run
    bool asking = false;                           // more rows are to come
    bool no_room = false;                          // the limit left the round no room for a draft
    int text_tokens = 0;                           // before the round
    DrafterFilter filter = DrafterFilter::all;
    std::vector<DrafterRow> rows; // that the filter lets through
    std::string headless;         // the first of `rows` without a head; empty: none
    int selected = 0;
    int most = 0;           // tokens of the best round; 0: none is known
    std::vector<int> best;  // rows that brought as many
    std::vector<int> heads; // rows whose head can be examined
    [[nodiscard]] const DrafterRow* row() const { return rows.empty() ? nullptr : &rows[static_cast<std::size_t>(selected)]; }
};
[[nodiscard]] DraftersModel drafters_model(const SceneInput& input, const DrafterChoice& choice);

// Words. Names of drafters are in the language of the pictures; in a sentence they have no comma.
[[nodiscard]] Message stored_words(const DrafterRow& row); // "1.2 MB", "nothing", "a draft model"
[[nodiscard]] Message ms_words(double ms);                 // "0.04", "–": not timed
// What is special about this row: the match, the layers, the taps, the ids it can rank, the size of its tree.
[[nodiscard]] std::vector<Message> drafter_facts(const SceneInput& input, const DraftersModel& model, const DrafterRow& row);
[[nodiscard]] Message draft_token_words(const SceneInput& input, const DraftSlot& draft); // and what became of it, where that is told
[[nodiscard]] std::vector<Said> drafts_said(const SceneInput& input, const DrafterRow& row, std::size_t from,
                                            std::size_t to); // of those shown
[[nodiscard]] Message drafter_round_words(const SceneInput& input, const DraftersModel& model, const DrafterRow& row);
[[nodiscard]] Message drafter_published_words(const SceneInput& input, const DrafterRow& row);         // empty: none
[[nodiscard]] Message drafter_row_words(const SceneInput& input, const DraftersModel& model, int row); // all of it
[[nodiscard]] Message drafters_empty_words(const DraftersModel& model);
[[nodiscard]] StageTitle drafters_title(const SceneInput& input, const DraftersModel& model);
[[nodiscard]] Story drafters_story(const SceneInput& input, const DraftersModel& model);

using DraftersDraw = SceneDraw<DraftersModel, DrafterChoice>;
// A table of all rows, as many of them as have room around the selected one, where a line below says so of the others. Each has its mark
// and name; `cells` draws what else stands in its band, `say` is all of that.
struct DrafterTable {
    float lowest, highest; // a row
    std::function<Message(int row)> say;
    std::function<void(const DrafterRow& row, ui::Rect band)> cells;
    const DrafterRow* behind = nullptr; // one more row, of a drafter that does not run here and cannot be chosen
};
inline constexpr float kDrafterName = 152; // room of mark and name
void draw_table(const DraftersDraw& d, float top, const DrafterTable& table);
void draw_drafters_stage(const DraftersDraw& d);
void draw_drafter_family(const DraftersDraw& d, float top);
void draw_drafter_details(const DraftersDraw& d);
// Why the selected row's head accepts what it does (engine/doctor/examination.h).
void draw_head_doctor(const DraftersDraw& d, float top);
void draw_examine_button(const DraftersDraw& d, ui::Rect at);
void examine_by_key(const DraftersDraw& d);
[[nodiscard]] StageTitle doctor_title(const SceneInput& input, const DraftersModel& model);
[[nodiscard]] Words doctor_words(const SceneInput& input, const DraftersModel& model);
void draw_drafter_controls(const DraftersDraw& d);
void go_on_with(const DraftersDraw& d);                     // the run, with the selected drafter, in the loop scene
[[nodiscard]] Message why_not_go_on(const DraftersDraw& d); // empty: it can

} // namespace speclens
