// What the loop scene shows, read off the fold: one column per draft token, one more for the target's own
// token. No drawing, no words.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "engine/rules/verify.h"
#include "scenes/shared/scene_input.h"
#include "scenes/shared/told.h"

namespace speclens {

inline constexpr MessagesOf<"loop", "start", "draft", "verify", "check", "own", "commit", "end"> loop_says;

enum class Fate : std::uint8_t { empty, drafted, accepted, rejected, discarded };
// What the coin row means. Trees of drawn guesses are `token`, and so is a lenience of 0; every rule but the
// cascades is `greedy` at temperature 0. certain: tree_topk, also on a chain.
[[nodiscard]] inline bool throws_coins(RuleKind kind) {
    return kind != RuleKind::greedy && kind != RuleKind::match && kind != RuleKind::typical;
}

struct DrafterInfo; // engine/drafters/drafter_info.h

struct LoopColumn {
    const Drafted* draft = nullptr;
    const Checked* check = nullptr;
    int parent = -1; // column that it follows, -1: the pending token
    Fate fate = Fate::empty;
    std::optional<double> q, p; // probability of the draft under either model, as shown
    double ms = 0, head_ms = 0; // of the draft step, as in Drafted
    // Its coin failed, but a later one keeps it (block verification).
    [[nodiscard]] bool rescued() const {
        return check && check->accepted && check->prefix_coefficient && check->u && *check->u >= check->threshold;
    }
};

struct LoopModel {
    const Header* header = nullptr;
    const RoundSummary* round = nullptr;  // null before the first draft
    const DrafterInfo* drafter = nullptr; // of two chained ones whoever drafted the newest guess, or spoke in this round
    RuleKind rule = RuleKind::token;
    bool greedy = false;  // temperature 0: distributions are one bar; the raw probabilities are shown instead
    bool fast = false;    // no rows were recorded
    bool head = false;    // domino, dspark: a head corrects the block from left to right
    int asked = 0;        // K of the run; with K auto the most that a round may ask for
    int places = 0;       // of the guesses of this round; with K auto those that it asked for, as far as that is known
    bool typical = false; // its times are those that such passes usually take, not what each of these took
    std::vector<LoopColumn> columns;
    int drafted = 0, judged = 0, accepted = 0;
    int rejected = -1; // first column that was rejected; in a tree the one whose place the own token takes
    bool tree = false;
    bool no_room = false; // for a guess: the limit of tokens or the context left one place
    int newest = -1;      // column that was judged last
    bool drafting_over = false;
    const TargetToken* own = nullptr;
    bool own_dropped = false; // the text ended before it
    int active = 0;           // column of the last event; columns.size() = the own token
    int selected = 0;         // the clicked one, else the active one
    Phase phase = Phase::none;
    double plain_ms = 0;  // per token; 0: unknown
    Message doubt;        // why the run's times say nothing certain; empty: they do
    Message run_speed;    // speed-up of the whole run, with what is in doubt about it; empty: not known
    double other_ms = 0;  // verdicts and commit of this round
    bool settled = false; // all times of the round are known
    int produced = 0;     // tokens of this round that are certain by now

    [[nodiscard]] int own_column() const { return rejected >= 0 ? rejected : static_cast<int>(columns.size()); }
    // Under tree_topk, one of the draft's favourites: chosen, not drawn.
    [[nodiscard]] bool is_favourite(int column) const {
        const Drafted* draft = columns[static_cast<std::size_t>(column)].draft;
        return rule == RuleKind::certain && draft && !draft->u;
    }
    [[nodiscard]] bool plain() const { return header && asked == 0 && drafted == 0; } // plain decoding
    [[nodiscard]] double spec_ms() const { return round ? round->draft_ms + round->verify_ms + other_ms : 0; }
    [[nodiscard]] double plain_total() const { return plain_ms * produced; }
    // Times of a round are added and compared, so all are printed with the digits that the smallest needs.
    [[nodiscard]] int ms_decimals() const;
    [[nodiscard]] Message ms(double amount) const;
    [[nodiscard]] bool table() const { return header && header->tier == "TABLE"; } // it costs nothing to ask
    [[nodiscard]] bool timed() const { return round && !table() && round->draft_ms + round->verify_ms > 0; }
};
// Recorded as a logarithm, where it was.
[[nodiscard]] inline std::optional<double> chance_of(const std::optional<double>& logp) {
    return logp ? std::optional(std::exp(*logp)) : std::nullopt;
}
// In a tree: was anything guessed behind a column, and anything later at its place?
[[nodiscard]] bool has_child(const LoopModel& model, int column);
[[nodiscard]] bool has_sibling(const LoopModel& model, int column);
[[nodiscard]] LoopModel loop_model(const SceneInput& input);

// The two heads shown for a column: at temperature 0 the raw ones. Empty where nothing was recorded.
struct ColumnDistributions {
    TopEntries target, draft;
};
[[nodiscard]] ColumnDistributions column_distributions(const LoopModel& model, int column);

} // namespace speclens
