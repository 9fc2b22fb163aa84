// One Domino cycle as the picture shows it: base and final law of every position, what the head saw, and the
// verdict with the head on and off. A pure function of the trace; a Twin, where there is one, replaces what
// the trace cannot know.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/shared/head_scene.h"

namespace speclens {

// What became of a guess in one of the two verdict rows.
struct DominoVerdict {
    enum class State : std::uint8_t { none, accepted, rejected, discarded, unknown } state = State::none;
    int token = -1;
    std::optional<int> replacement; // the target's own token in place of this one
};

struct DominoColumn {
    const Drafted* draft = nullptr;
    const Checked* check = nullptr; // null: not judged
    bool corrected = false;         // the head had a say at this position
    bool forced = false;
    Top base, final;       // laws at temperature 1; equal where nothing was corrected; empty in fast mode
    int base_choice = -1;  // the favourite of the base law; -1: not recorded
    bool changed = false;  // the final law has another favourite
    DominoVerdict on, off; // the run's own verdict, and with the head switched over
    const Lens* lens() const { return draft && !draft->lens.empty() ? &draft->lens : nullptr; }
};

struct DominoModel : HeadModel {
    enum class Other : std::uint8_t {
        none,
        partly,
        whole
    } other = Other::none; // how much of the `off` row is known
    std::vector<DominoColumn> columns;
    bool head_on = true;   // of the run itself; the other row is its opposite
    bool replayed = false; // the other row was replayed, not derived
    bool fast = false;     // no rows were recorded
    bool lens = false;
    int kept_on = 0, kept_off = 0; // guesses accepted in the two rows
    int produced_on = 0, produced_off = 0;
    int own_on = -1, own_off = -1; // the target's own token at the end; -1: unknown
    int rescued =
        -1; // first position where the base favourite would have been rejected and the final one stayed
    int forced = -1; // position that was forced by hand
    double backbone_ms = 0, head_ms = 0;
    [[nodiscard]] const DominoColumn* column(int i) const {
        return i >= 0 && i < static_cast<int>(columns.size()) ? &columns[static_cast<std::size_t>(i)]
                                                              : nullptr;
    }
};
inline constexpr int kDominoBothBeat = 6; // head off and on; the next one is the clock
[[nodiscard]] DominoModel domino_model(const SceneInput& input);

// The first position where the target keeps the guess of one row and refuses that of the other; -1: none.
[[nodiscard]] int parting_position(const DominoModel& model);
// The position that the words are about: the rescued one, else the first changed, else the chosen one.
[[nodiscard]] int telling_position(const DominoModel& model);
// Where another guess is forced: behind the last one nothing could follow it.
[[nodiscard]] int force_position(const DominoModel& model);

// The first position of a judged cycle where the head changed the favourite, the base favourite would not
// have stayed, and the drafted token did; -1: none. At T = 0 this is certain; above, the drafted token must
// be the new favourite, and the target must give it more than twice what it gives the old one.
[[nodiscard]] int rescued_position(const CycleSummary& cycle, bool greedy);
// The next cycle after `cycle` with such a position, going round at the end; nothing when there is none.
[[nodiscard]] std::optional<Position> next_rescue(const CycleView& whole, int cycle);

} // namespace speclens
