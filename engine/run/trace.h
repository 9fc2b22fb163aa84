// What happened in a run: an append-only list of events, the single source of truth for everything drawn,
// printed or tested. One writer (the engine thread) publishes with one release store; any number of readers
// read the size once and see a prefix that never changes. Public file format: engine/run/trace_json.h.
//
// Probabilities in events are natural logarithms; -infinity is probability 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/base/told_reason.h"
#include "engine/drafters/drafter_options.h"
#include "engine/drafters/internals.h"
#include "engine/length/draft_costs.h"
#include "engine/length/draft_sizes.h"
#include "engine/model/distribution.h"
#include "engine/model/top_entries.h"
#include "engine/model/wire.h"
#include "engine/rules/rule_params.h"
#include "engine/rules/token_source.h"
#include "engine/run/trace_times.h"
#include "kernels/types.h"

namespace speclens {

// First event of every trace: how the run was set up.
struct Header {
    std::string model;                    // display name of the target
    std::string fingerprint;              // of a target that is not built in (engine/model/fingerprint.h); else empty
    std::string weights;                  // what its matrices are in memory and were in the file: "bf16, from Q4_1"; empty: as built in
    Precision precision = Precision::f32; // of products with its matrices and those of the draft
    int kernels = 0;                 // kKeptKernels where quantised matrices are multiplied in bf16, else 0; also of such runs before it
    std::string drafter;             // name in drafters.inc
    std::string drafter_model;       // display name of a separate draft model, or empty
    std::string drafter_fingerprint; // of what it drafts with where that does not come with the program (engine/models); else empty
    bool own_draft = false;          // that one, or the trained head, does not come with the program for this target
    std::string rule;                // name in rules.inc
    RuleParams rule_params;
    std::string backend;       // Backend::description()
    std::string machine;       // e.g. "2-core Xeon, Linux"
    std::string date;          // ISO 8601, UTC, day and minute
    std::string tier = "LIVE"; // LIVE, TABLE, RECORDED …
    int nodes = 0;             // draft tokens of one round asked for where they form a tree; 0: chains of k
    int draft_ids = 0;         // ids that the draft ranks (FR-Spec, --small-ids); 0: all it has
    std::string draft_ids_are; // of --small-ids: a hash of them, sixteen hexadecimal digits; else empty
    Sampling sampling;         // of the target
    Sampling draft_sampling;
    int vocab = 0;
    int prefill_boundary = 0; // tokens 0 … boundary-1 were fed as prefill pieces
    std::vector<int> prompt;  // token ids
    std::string prompt_text;
    // A chat prompt before the model's format was put around it.
    struct Chat {
        std::string said, system;
        bool thinking = false;
        bool operator==(const Chat&) const = default;
    };
    std::optional<Chat> chat;
    DrafterOptions options;
    std::optional<DraftCosts> k_costs; // what K auto went by; k is then the most of a round
    RunNotice notice;                  // why speculation is off, or what was adjusted; empty when all is well
    // As in RunSettings; k: draft tokens in a row asked for, as far as the drafter can make them.
#define SETTING(type, member, default_value, ...) type member = default_value;
#include "engine/run/run_settings.inc"
    // The notice of a run that drafts nothing, and what it says of the reason; none: it says something else.
    [[nodiscard]] static RunNotice off(const ToldReason& why) {
        RunNotice notice = why;
        notice.insert(0, kOff);
        return notice;
    }
    [[nodiscard]] std::optional<std::vector<Said>> why_off() const {
        if (!notice.starts_with(kOff)) return std::nullopt;
        return notice.said.empty() ? RunNotice(notice.substr(kOff.size())).messages() : notice.said; // a saved run has the English alone
    }
    [[nodiscard]] Said notice_said() const { // of one that is not empty
        const std::optional<std::vector<Said>> why = why_off();
        return why ? SaidOf<"loop">()("stop.off"_t, "why"_v = *why) : SaidOf<"loop">()("stop.notes"_t, "notes"_v = notice.messages());
    }

  private:
    static constexpr std::string_view kOff = "speculation is off: "; // as traces have it
};

struct Prefill {
    int tokens = 0; // fed in this pass (all prompt tokens but the pending last one)
    double ms = 0;
};

// One draft token, a node of the round's tree. A chain has parent = index - 1; -1: follows the pending token.
struct Drafted {
    int round = 0;
    int index = 0;
    int parent = -1;
    int token = 0;
    double q = 0;            // log-probability under the distribution it was drawn from
    std::optional<double> u; // the coin that drew it; none for a deterministic draft
    TopEntries top;          // that distribution (after temperature and filters); empty in fast mode
    TopEntries raw_top;      // at temperature 1 and unfiltered, where it differs; else empty
    TopEntries base_top;     // at temperature 1: the row before a correction, where the method corrects
    std::string extra;       // what the method can show ("matched 3 tokens at 12"); empty if nothing
    double ms = 0;           // time of this draft step, without head_ms
    double head_ms = 0;      // time of the correcting head
    int by = -1;             // of two chained drafters: 0 the first one drafted it, 1 the second; -1: there is one
    Internals internals;     // empty unless the run was made with RunSettings::internals; not in the hash
    [[nodiscard]] bool forced() const { return extra == kForced; }
};

struct Verified {
    int round = 0;
    int rows = 0;        // rows of the target pass: pending token + drafts (row 1 + index)
    double ms = 0;       // of the pass
    double draft_ms = 0; // of the draft before it, what its tokens do not have: all where it proposed nothing, a row that ended it
    std::optional<Wire> wire = {}; // of a target elsewhere
    // Drafting the next round meanwhile (RunSettings::draft_ahead), a guess at the target's own token included. What the next
    // round takes of it has no time of its own: `ms` has it.
    int ahead = 0; // tokens drafted ahead beside this pass
    double ahead_ms = 0;
    int from_ahead = 0; // drafts of this round that were made beside the pass before it
    // What the round asked for where K is not the same for all of them (RunSettings::k_auto, k_rounds); of a chain that stopped row by row
    // as much as it drafted.
    std::optional<DraftSize> asked = {};
    int by = -1; // of two chained drafters: who spoke, as in Drafted; -1: neither, or there is one
};

// The verdict on one draft token; in a tree the siblings are judged in order until one is accepted.
struct Checked {
    int round = 0;
    int index = 0;
    int token = 0;
    double p = 0;                           // log-probability under the target's distribution
    double q = 0;                           // log-probability under the distribution the token was drawn from
    double threshold = 0;                   // accept iff u < threshold (probability, not log); 0 or 1 for greedy
    std::optional<double> u;                // absent where no coin is thrown
    bool set = false;                       // u was not thrown: a fork put it there
    bool accepted = false;                  // kept; in block verification a later coin may keep it although its own failed
    std::optional<double> sibling_residual; // log-probability of the token in what its rejected siblings left of the target's distribution;
                                            // absent for a first child, where that is p
    std::optional<double> mixture;          // cascades: log-probability in the mixture that judged it
    std::optional<double> typical_threshold;  // typical acceptance: the probability that p had to exceed
    std::optional<double> prefix_coefficient; // block verification: log of the coefficient of the prefix up to here
    TopEntries top;                           // the target's distribution at this position
    TopEntries raw_top;                       // at temperature 1 and unfiltered, where it differs
};

// The target's own token at the end of a round.
struct TargetToken {
    int round = 0;
    using From = TokenSource;
    From from = From::target;
    std::optional<int> parent; // trees: the draft that it follows, -1 = the pending token. Chains: the last accepted
    int token = 0;
    std::optional<double> u;
    double p = 0;          // log-probability under the distribution it was drawn from
    TopEntries top;        // that distribution
    TopEntries target_top; // the target's distribution at this position where `top` is a residual
    TopEntries raw_top;    // the target's distribution at temperature 1 and unfiltered, where it differs
};

struct Committed {
    int round = 0;
    int accepted_drafts = 0;
    std::vector<int> path;   // trees: indices of the accepted drafts, in order. Chains: empty, it is 0, 1, …
    std::vector<int> tokens; // accepted drafts, then the target's own token (may be cut by a stop)
    int kv_before = 0;       // target cache length before the round, after its verify pass, after truncation
    int kv_verify = 0;
    int kv_after = 0;
    double accept_ms = 0; // distributions, verdicts and resampling
    double ms = 0;        // truncation and the drafter's observe
    Internals internals;  // the draft in the light of the target's answer; as in Drafted
};

struct Stopped {
    static constexpr const char *kEndOfText = "end of text", *kLength = "length", *kContextFull = "context full", *kCancelled = "cancelled";
    std::string reason; // one of these, as traces have it
    std::uint64_t hash = 0;
};

struct Failed {
    std::string what;
    std::string remedy;
};

// A command that was applied at a phase boundary, so that a replay has it.
struct Commanded {
    std::string text;
};

using Event = std::variant<Header, Prefill, Drafted, Verified, Checked, TargetToken, Committed, Stopped, Failed, Commanded>;

// An event's own times, as it was timed when it happened; zeros where it takes none.
[[nodiscard]] EventTimes own_times(const Event& event);

// Append-only, one writer, any readers. Chunks never move, so a reference stays valid.
class Trace {
  public:
    // text_of: id -> bytes of the token (may be a part of a UTF-8 character). Called from any thread.
    explicit Trace(std::function<std::string(int)> text_of);
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    ~Trace();

    void append(Event event);                                   // writer only; CHECKs the chunk limit
    [[nodiscard]] std::size_t size() const;                     // acquire
    [[nodiscard]] const Event& operator[](std::size_t i) const; // i < a size() seen before
    [[nodiscard]] std::string text(int id) const { return text_of_(id); }
    [[nodiscard]] const Header* header() const; // nullptr while empty

    // Plain decoding with the same models on the same machine, ms per token; 0: not measured. No event: it is measured
    // before a run, or after it. Any thread.
    void set_plain_ms(double ms) { plain_ms_ = ms; }
    [[nodiscard]] double plain_ms() const;

    // Times of the events that take the place of their own, and of plain decoding; null: there are none. They are no part
    // of what happened: whoever measures may hand them to a trace that nothing else can change. Any thread.
    void set_times(std::shared_ptr<const TraceTimes> times) const;
    [[nodiscard]] std::shared_ptr<const TraceTimes> times() const;
    // Grows with every set_times(); what was folded before has older times.
    [[nodiscard]] std::uint64_t times_revision() const { return times_revision_; }

    // FNV-1a over ids, probabilities and verdicts in canonical form; timings, dates and machine names are
    // left out: they differ between runs of the same settings.
    [[nodiscard]] std::uint64_t hash(std::size_t count) const;
    // False where the events do not give the hash that the run ended with: the file they are from was changed
    // or damaged after it was recorded. True without an end, and without a hash in it. Linear in the events.
    [[nodiscard]] bool intact() const;

  private:
    // Chunks of 64, 128, 256 and 512 events, then of 1024: a run of a few tokens should not pay for a thousand events.
    static constexpr std::size_t kFirstChunk = 64, kChunk = 1024, kMaxChunks = 4096;
    struct Place {
        std::size_t chunk, at, size; // at: in the chunk, whose size is `size`
    };
    [[nodiscard]] static Place place_of(std::size_t event);
    std::function<std::string(int)> text_of_;
    std::unique_ptr<std::atomic<Event*>[]> chunks_;
    std::atomic<std::size_t> size_{0};
    std::atomic<double> plain_ms_{0};
    mutable std::mutex times_mutex_;
    mutable std::shared_ptr<const TraceTimes> times_;
    mutable std::atomic<std::uint64_t> times_revision_{0};
};

} // namespace speclens
