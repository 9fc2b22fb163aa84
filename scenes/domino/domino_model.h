// One Domino cycle as the picture shows it: base and final distribution of every position, what the head saw, and the
// verdict with the head on and off. A pure function of the trace; a Replay, where there is one, replaces what
// the trace cannot know.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/shared/head_scene.h"
#include "scenes/shared/told.h"

namespace speclens {

inline constexpr StoryOf<"domino", "block", "base", "favourites", "state", "low_rank", "final", "both", "clock"> domino_says;

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
    TopEntries base, final; // distributions at temperature 1; equal where nothing was corrected; empty in fast mode
    int base_choice = -1;   // the favourite of the base distribution; -1: not recorded
    bool changed = false;   // the final distribution has another favourite
    DominoVerdict on, off;  // the run's own verdict, and with the head switched over
    const Internals* internals() const { return draft && !draft->internals.empty() ? &draft->internals : nullptr; }
};

struct DominoModel : HeadModel {
    enum class Other : std::uint8_t { none, partly, whole } other = Other::none; // how much of the `off` row is known
    std::vector<DominoColumn> columns;
    bool head_on = true;   // of the run itself; the other row is its opposite
    bool replayed = false; // the other row was replayed, not derived
    bool fast = false;     // no rows were recorded
    int kept_on = 0, kept_off = 0; // guesses accepted in the two rows
    int produced_on = 0, produced_off = 0;
    int own_on = -1, own_off = -1; // the target's own token at the end; -1: unknown
    int rescued = -1;              // first position where the base favourite would have been rejected and the final one stayed
    int forced = -1;               // position that was forced by hand
    double backbone_ms = 0, head_ms = 0;
    [[nodiscard]] const DominoColumn* column(int i) const {
        return i >= 0 && i < static_cast<int>(columns.size()) ? &columns[static_cast<std::size_t>(i)] : nullptr;
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
[[nodiscard]] int rescued_position(const RoundSummary& round, bool greedy);
// The next cycle after `cycle` with such a position, going round at the end; nothing when there is none.
[[nodiscard]] std::optional<Position> next_rescue(const RunView& whole, int round);

// Tokens listed of both distributions of a column: the base's favourites, with the final favourite and the draft among
// them.
[[nodiscard]] std::vector<int> domino_tokens(const DominoColumn& column, int rows);
// Euclidean norm of δ over the vocabulary without its mean, which the softmax ignores; none where nothing was
// corrected or recorded.
[[nodiscard]] std::optional<double> correction_size(const DominoModel& model, const DominoColumn& column);
// What the head added to a token: its δ less what all tokens share, the difference of its log-probabilities.
// None where nothing was corrected, or where a distribution does not list it.
[[nodiscard]] std::optional<double> correction_of(const DominoColumn& column, int token);
// The likely token whose log-probability the head changed most; nullptr without a lens.
[[nodiscard]] const Internals::Mover* largest_mover(const DominoColumn& column);
// What the scene remembers of the branch that a token was forced on: the same cycle before.
struct DominoBefore {
    int round = -1, index = -1;              // of the forced token; -1: nothing was forced from here
    std::vector<int> tokens;                 // drafts before
    std::vector<TopEntries> base;            // base distributions before
    std::vector<std::vector<double>> states; // pooled GRU states before; empty where none was recorded
};
// Whether the base distributions of this cycle are those of the cycle before the force, position by position.
[[nodiscard]] bool same_base(const DominoModel& model, const DominoBefore& before, int position);

// Cosine between the pooled GRU states of the two branches at a position; none where either was not recorded.
[[nodiscard]] std::optional<double> state_cosine(const DominoModel& model, const DominoBefore& before, int position);

// Commands: the cycle again with the head switched, or with a token forced.
[[nodiscard]] SceneCommand switch_head(const SceneInput& input, const DominoModel& model);
[[nodiscard]] SceneCommand force_token(const DominoModel& model, int position, int token);
// A prompt whose independent favourites do not fit together, drafted with Domino at temperature 0.
[[nodiscard]] SceneCommand example_run(const SceneInput& input);

} // namespace speclens
