// What every drafter guesses at the shown cycle, as the picture shows it: one row per drafter with the round
// it played, what it needs and what others published about it. A pure function of SceneInput and the user's
// choice.
#pragma once

#include <string>
#include <vector>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/scene_input.h"
#include "scenes/shared/told.h"
#include "ui/glyphs.h"

namespace speclens {

// warm: at T > 0 the rule of the run can judge what it guesses. (At T = 0 every rule is the greedy one.)
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
    std::string title; // short
    ui::Icon mark = ui::Icon::circle;
    bool of_run = false;                  // the run on the screen drafts with it
    const ComparisonRow* guess = nullptr; // null: not answered
    const RoundSummary* own = nullptr;    // the run's own round, where it has to stand in for an answer
    RunView answer;                       // fold of the guess
    std::string problem;                  // why there is no round
    bool no_head = false;                 // that is why: the loaded model has none for it, which is said once for all of them
    std::vector<int> shown;               // indices of drafts: a chain; of a tree the accepted path and where it went on
    int tokens = 0;                       // that the round brought; 0: not known
    double draft_ms = 0;                  // 0: not timed
    PublishedRange published;
    [[nodiscard]] const RoundSummary* round() const { // null: none
        return !answer.round_list.empty() ? &answer.round_list.front() : own;
    }
    [[nodiscard]] int guesses() const { return round() ? static_cast<int>(round()->drafts.size()) : 0; }
    [[nodiscard]] std::string name() const { return info->name; }
};

struct DraftersModel {
    enum class Empty : std::uint8_t { no, no_run, no_round } empty = Empty::no;
    const Header* header = nullptr;
    const RoundSummary* round = nullptr;
    const DrafterComparison* guesses = nullptr; // of this cycle; null: no answer yet
    bool can_ask = false;                       // there is an engine that holds this run
    bool asking = false;                        // more rows are to come
    bool no_room = false;                       // the limit left the cycle no room for a guess
    int text_tokens = 0;                        // before the cycle
    DrafterFilter filter = DrafterFilter::all;
    std::vector<DrafterRow> rows; // that the filter lets through
    int total = 0;                // drafters there are
    std::string headless;         // the first of `rows` without a head; empty: none
    int selected = 0;
    int most = 0;          // tokens of the best round; 0: none is known
    std::vector<int> best; // rows that brought as many
    [[nodiscard]] const DrafterRow* row() const { return rows.empty() ? nullptr : &rows[static_cast<std::size_t>(selected)]; }
};
[[nodiscard]] DraftersModel drafters_model(const SceneInput& input, const DrafterChoice& choice);

// The n-gram that lookup found: where it starts in the text and how long it is; length 0: none.
struct NgramMatch {
    int start = 0, length = 0;
};
[[nodiscard]] NgramMatch ngram_match(const DrafterRow& row);

inline constexpr StoryOf<"drafters", "judge", "stored", "cost", "outcome", "no_best", "family"> drafters_says;
inline constexpr int kDraftersOutcomeBeat = 3, kDraftersNoBestBeat = 4, kDraftersFamilyBeat = 5;
// Beats that keep the verdicts back let the reader guess who brings most.
[[nodiscard]] inline bool verdicts_told(const SceneInput& input) { return !drafters_says.hides(input.beat, "verdicts"_part); }

} // namespace speclens
