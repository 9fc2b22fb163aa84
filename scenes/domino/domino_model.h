// One Domino round as the picture shows it: base and final distribution of every position, what the head saw, and the
// verdict with the head on and off. A pure function of the trace; a Replay, where there is one, replaces what
// the trace cannot know. What the scene says of it, and the parts of its picture.
#pragma once

#include <optional>
#include <vector>

#include "scenes/shared/example.h"
#include "scenes/shared/head_scene.h"

namespace speclens {

inline constexpr const char* kDominoDrafter = "domino"; // whose runs it shows
inline constexpr MessagesOf<"domino", "block", "base", "favourites", "state", "low_rank", "final", "both", "clock"> domino_says;

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
    bool head_on = true;           // of the run itself; the other row is its opposite
    bool replayed = false;         // the other row was replayed, not derived
    bool fast = false;             // no rows were recorded
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
inline constexpr int kDominoBaseBeat = 1;                             // until here no guess is drawn
inline constexpr int kDominoFavouritesBeat = 2, kDominoTwiceBeat = 3; // a guess drawn twice
inline constexpr int kDominoLowRankBeat = 4, kDominoBothBeat = 6;     // head off and on; the next one is the clock
[[nodiscard]] DominoModel domino_model(const SceneInput& input);

// The first position where the target keeps the guess of one row and refuses that of the other; -1: none.
[[nodiscard]] int parting_position(const DominoModel& model);
// The position that the words are about: the rescued one, else the first changed, else the chosen one.
[[nodiscard]] int telling_position(const DominoModel& model);
// Where another guess is forced: behind the last one nothing could follow it.
[[nodiscard]] int force_position(const DominoModel& model);

// The first position of a judged round where the head changed the favourite, the base favourite would not
// have stayed, and the drafted token did; -1: none. At T = 0 this is certain; above, the drafted token must
// be the new favourite, and the target must give it more than twice what it gives the old one.
[[nodiscard]] int rescued_position(const RoundSummary& round, bool greedy);
// The next round after `round` with such a position, going round at the end; nothing when there is none.
[[nodiscard]] std::optional<Position> next_rescue(const RunView& whole, int round);
// What is looked for in other runs of these settings where this one has no such position.
[[nodiscard]] Criterion kept_change(const RunView& whole);

// Tokens listed of both distributions of a column: the base's favourites, with the final favourite and the draft among
// them.
[[nodiscard]] std::vector<int> domino_tokens(const DominoColumn& column, int rows);
// Of a listed token, or of one that cannot be: the whole distribution was recorded. None: less than was recorded.
[[nodiscard]] std::optional<double> known_share(const TopEntries& top, int token);
// Euclidean norm of δ over the vocabulary without its mean, which the softmax ignores; none where nothing was
// corrected or recorded.
[[nodiscard]] std::optional<double> correction_size(const DominoModel& model, const DominoColumn& column);
// What the head added to a token: its δ less what all tokens share, the difference of its log-probabilities.
// None where nothing was corrected, or where a distribution does not list it.
[[nodiscard]] std::optional<double> correction_of(const DominoColumn& column, int token);
// The likely token whose log-probability the head changed most; nullptr without a lens.
[[nodiscard]] const Internals::Mover* largest_mover(const DominoColumn& column);
// What the scene remembers of the branch that a token was forced on: the same round before.
struct DominoBefore {
    int round = -1, index = -1;              // of the forced token; -1: nothing was forced from here
    std::vector<int> tokens;                 // drafts before
    std::vector<TopEntries> base;            // base distributions before
    std::vector<std::vector<double>> states; // pooled GRU states before; empty where none was recorded
};
// Whether the base distributions of this round are those of the round before the force, position by position.
[[nodiscard]] bool same_base(const DominoModel& model, const DominoBefore& before, int position);

// Cosine between the pooled GRU states of the two branches at a position; none where either was not recorded.
[[nodiscard]] std::optional<double> state_cosine(const DominoModel& model, const DominoBefore& before, int position);

// Commands: the round again with the head switched, or with a token forced.
[[nodiscard]] SceneCommand switch_head(const SceneInput& input, const DominoModel& model);
[[nodiscard]] SceneCommand force_token(const DominoModel& model, int position, int token);
// A prompt whose independent favourites do not fit together, drafted with Domino at temperature 0.
[[nodiscard]] SceneCommand example_run(const SceneInput& input);

// Columns, one per position, with gaps that hold the GRU; a window of them when there are many. y of every
// band.
struct DominoGrid {
    float gutter = 0, left = 0, limit = 0; // row names, first column, right end of the content
    float pitch = 216, width = 168;
    int first = 0, count = 1;
    // Presenter: distributions, head and verdict of the chosen position and the one before it. At the beats that
    // compare, both verdicts or the clock stand in the head's place.
    bool spare = false, head_shown = true, both = true;
    bool opening = false; // presenter: the beats before any guess, which show the block and nothing behind its base distributions
    bool tall = true;     // every band; else H, LM head and the low-rank strip fold into their neighbours
    int rows = 3;         // tokens listed of each distribution
    float labels = 0, block = 0, backbone = 0, features = 0, head = 0, base = 0, state = 0, mixed = 0, delta = 0;
    float final = 0, draft = 0, off = 0, on = 0, clock = 0, bottom = 0;
    [[nodiscard]] float x(int column) const { return left + pitch * static_cast<float>(column - first); }
    [[nodiscard]] float middle(int column) const { return x(column) + width / 2; }
    [[nodiscard]] float right() const { return x(first + count - 1) + width; }
    [[nodiscard]] bool visible(int column) const { return column >= first && column < first + count; }
};
[[nodiscard]] DominoGrid domino_grid(const SceneInput& input, const DominoModel& model);

struct DominoDraw : HeadDraw<DominoModel> {
    const DominoGrid& grid;
    const DominoBefore& before;
    [[nodiscard]] const DominoColumn& column(int i) const { return model.columns[static_cast<std::size_t>(i)]; }
};
void draw_domino_stage(const DominoDraw& d);
void draw_domino_movers(const DominoDraw& d, bool seen = true); // details region; else something else stands there
// Whether the next round that the head saved is asked for; `no_next`: why there is none. Empty, and the run has none: others are looked
// through.
bool draw_domino_controls(const DominoDraw& d, const Message& no_next);

// Of a round that there is.
[[nodiscard]] StageTitle domino_title(const SceneInput& input, const DominoModel& model);
// `sought`: what came of a search for a round that the head saved; empty: nobody looks, or it is on screen.
[[nodiscard]] Story domino_story(const SceneInput& input, const DominoModel& model, const DominoBefore& before, const Message& sought = {});
// Of a position: both distributions, what the head saw and added, the guess.
[[nodiscard]] Message position_words(const SceneInput& input, const DominoModel& model, const DominoBefore& before, int position);
// What became of it in one of the two rows.
[[nodiscard]] Message verdict_words(const SceneInput& input, const DominoVerdict& verdict);
// "+3.5": what was added to a logit.
[[nodiscard]] Message added_words(double logits, int decimals = 1);
// For an engineer: the shape of the correction and how long it is, and why it is added there.
[[nodiscard]] Message correction_deeper(const DominoModel& model);

} // namespace speclens
