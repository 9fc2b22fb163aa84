// A pure fold of trace events into what a person sees: the text so far with the origin of every token, and
// every draft-verify round with its verdicts and times. Used by scenes, the terminal, tests and exports.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run/trace.h"

namespace speclens {

// Where a token of the output came from.
enum class Origin : std::uint8_t { prompt, accepted, residual, bonus, plain };
// plain: the target's own token with nothing drafted, or after a greedy/match mismatch (TargetToken::From::target)

struct OutputToken {
    int id = 0;
    Origin origin = Origin::prompt;
    int round = -1; // -1 for the prompt
    int index = -1; // draft index (node of a tree) for accepted tokens, else -1
};

enum class Phase : std::uint8_t { none, prefill, draft, verify, accept, resample, commit, stopped, failed };

// One draft token and what became of it.
struct DraftSlot {
    const Drafted* draft = nullptr;
    const Checked* check = nullptr; // nullptr: not judged (yet, or discarded)
    int parent = -1;                // index of an earlier slot, -1: follows the pending token
    int depth = 1;                  // tokens from the pending one to this one
    double ms = 0, head_ms = 0;     // of the draft step, as in Drafted
    // drafted: still to be judged, under block verification also behind a rejected one
    enum class State : std::uint8_t { drafted, accepted, rejected, discarded } state = State::drafted;
};

struct RoundSummary {
    int round = 0;
    std::size_t first_event = 0; // index of the first event of the round
    std::size_t end_event = 0;   // one past the last event seen of it
    std::vector<DraftSlot> drafts;
    const Verified* verify = nullptr;
    const TargetToken* resample = nullptr;
    const Committed* commit = nullptr;
    double start_ms = 0; // on the run's clock: prefill excluded, phases laid end to end
    double draft_ms = 0; // all of drafting
    double head_ms = 0;  // part of draft_ms: the correcting head, or DART's search
    double verify_ms = 0;
    double other_ms = 0;       // accept + commit
    double accept_ms = 0;      // part of other_ms: verdicts and resampling
    double empty_draft_ms = 0; // part of draft_ms that proposed nothing: Verified::draft_ms
    int accepted = 0;          // judged and accepted so far
    std::vector<int> path;     // those drafts in order, as indices of `drafts`
    int last_judged = -1;      // index of the draft that was judged last
    bool tree = false;         // some draft does not follow the one before it
    [[nodiscard]] double total_ms() const { return draft_ms + verify_ms + other_ms; }
    [[nodiscard]] bool complete() const { return commit != nullptr; }
    // K auto drafted nothing: no round of speculation, a pass as plain decoding has them.
    [[nodiscard]] bool plain_pass() const { return verify && verify->asked && drafts.empty(); }
    // The draft that the target's own token follows, or would follow by now; -1: the pending token.
    [[nodiscard]] int end_of_path() const { return path.empty() ? -1 : path.back(); }
    // The draft whose place the target's own token takes: the last one rejected behind the path; drafts.size() when
    // none was, so that the token stands behind the path as one more.
    [[nodiscard]] int own_slot() const;
    // Of a chain: how many drafts had the chance to stay, which ends with the first that did not. Block verification
    // throws coins behind it too, and they keep nothing. Of a tree: 0, places in it have no order.
    [[nodiscard]] std::size_t judged_in_order() const;
    // A tree read aloud: every draft right before its children, siblings in order. A chain: 0, 1, …
    [[nodiscard]] std::vector<int> reading_order() const;
};

struct RunView {
    const Header* header = nullptr;
    Phase phase = Phase::none;        // of the last event
    std::size_t events = 0;           // how many events were folded
    std::uint64_t times_revision = 0; // Trace::times_revision() that they were folded with
    std::vector<OutputToken> tokens;  // prompt, then committed output
    int prompt_tokens = 0;
    std::vector<RoundSummary> round_list; // the last one may be incomplete
    int prefill_tokens = 0;
    double prefill_ms = 0;
    const Stopped* stopped = nullptr;
    const Failed* failed = nullptr;

    // Totals over complete rounds.
    int rounds = 0;       // and plain passes
    int plain_passes = 0; // of K auto: RoundSummary::plain_pass()
    int drafted = 0;
    int accepted_drafts = 0;
    int output_tokens = 0;
    double total_ms = 0;
    // Of rounds that drafted; where there are no others, of plain passes: 1.
    [[nodiscard]] double tokens_per_round() const {
        if (rounds == plain_passes) return rounds > 0 ? 1 : 0;
        return double(output_tokens - plain_passes) / (rounds - plain_passes);
    }
    [[nodiscard]] double tokens_per_pass() const { return rounds > 0 ? double(output_tokens) / rounds : 0; }
    [[nodiscard]] const RoundSummary* current() const { return round_list.empty() ? nullptr : &round_list.back(); }
};

// Whether a round has no draft tokens because the limit of new tokens, or the context, left room for the target's own
// token alone: the drafter was asked for none. False where it was asked, at K = 0, and without a drafter. `round` is
// one of whole.round_list; that the context was full shows once the run has stopped for
// that reason, not where its last token ended the text.
[[nodiscard]] bool no_room_for_draft(const RunView& whole, const RoundSummary& round);

// A table starts a text from nothing: the one token of the prompt stands for the start and is no text.
[[nodiscard]] bool starts_empty(const Header& header);

// Folds events [0, count), with the times that Trace::times() has for them. count is clamped to trace.size().
[[nodiscard]] RunView fold(const Trace& trace, std::size_t count);
// Folds the events [view.events, count) on top of a fold of the same trace: what fold(trace, count) would give, in the
// time of the new events, unless the trace has other times meanwhile. Nothing happens where there is nothing new.
void fold_on(RunView& view, const Trace& trace, std::size_t count);

// Cursor moves on the trace: each returns a number of events to fold.
// A "step" is one visible event (a draft, the verify pass, one check, the resample, the commit).
[[nodiscard]] std::size_t next_round_end(const Trace& trace, std::size_t cursor);
[[nodiscard]] std::size_t previous_round_end(const Trace& trace, std::size_t cursor);

} // namespace speclens
