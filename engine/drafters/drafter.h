// A drafter proposes the next tokens, with the distribution each was really drawn from. Four verbs: `taps` says which
// target layer outputs it wants, `begin` starts a text, `observe` learns what was committed, `draft` proposes.
// A new drafter is one file in engine/drafters/ plus one line in drafters.inc; what is said of it: drafter_info.h.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/drafters/drafter_options.h"
#include "engine/drafters/internals.h"
#include "engine/model/decoder.h"
#include "engine/model/distribution.h"
#include "engine/rules/siblings.h"

namespace speclens {

class DraftNetwork;  // engine/drafters/draft_network.h
class SuffixTrie;    // engine/recall/suffix_trie.h
class VocabularyMap; // engine/text/vocabulary_map.h

struct DraftNode {
    int token = 0;
    int parent = -1;           // index of the parent node, an earlier one; -1: follows the pending token.
                               // A chain has parent = own index - 1.
    Distribution distribution; // the distribution it was drawn from (after temperature and filters); one-hot when deterministic.
                               // Empty means one-hot at `token` (nothing is stored for a deterministic draft).
    Distribution
        raw_distribution; // the same at temperature 1 and unfiltered, where DraftRequest::raw_distributions asks; empty as `distribution`
    RecordedRow heads;    // of `distribution`, where DraftRequest::entries asks and the distribution came from a row of logits
    std::optional<double> u; // the coin that drew it; none when deterministic
    TopEntries base;         // at temperature 1: its row's distribution before a correction (Domino, DSpark), where `entries` asks
    std::string extra;       // what the method can show for this token
    Internals internals;     // what the method's tensors look like here, where DraftRequest::internals asks
    double record_ms = 0;    // of selecting `heads` and `base` for a trace, which is no part of drafting
    double ms = 0;           // without head_ms and record_ms
    double head_ms = 0;      // of the part that corrects or draws, where the method has one beside its network
    int by = 0;              // of two chained drafters: 0 the first one drafted it, 1 the second
    [[nodiscard]] double q() const { return distribution.empty() ? 1.0 : distribution[static_cast<std::size_t>(token)]; }
};

inline constexpr int kNobody = -1;

struct Draft {
    std::vector<DraftNode> nodes; // never more than asked for; may be empty: nothing to propose
    // Coins drew tokens of the draft's own kind, and the nodes, which are made of them, are judged as certain. Else every coin that was
    // asked for drew a node: what was drawn is put before the target, or the text would not have the target's distribution.
    bool own_draws = false;
    int by = 0; // of two chained drafters: which of them spoke in this round, 0 or 1; kNobody: neither

    [[nodiscard]] bool is_chain() const;
    // Tokens from the pending one to each node, 1 for its children; and which child of its parent each node is, from 0.
    [[nodiscard]] std::vector<int> depths() const;
    [[nodiscard]] std::vector<int> lanes() const;
};

struct DraftRequest {
    std::span<const int> sequence;      // every committed token; the last one is pending (in no cache yet)
    int k = 0;                          // at most this many tokens in a row: the nodes of a chain, the depth of a tree
    int nodes = 0;                      // at most this many nodes of a tree
    Siblings siblings = Siblings::none; // how the children of a tree's node must be chosen; none: draft a chain
    Sampling sampling;                  // of the draft; temperature 0 drafts greedily
    std::function<double(int)> coin;    // index of the draft token of a chain -> u for drawing it
    std::function<double(int depth, int lane)> tree_coin = {}; // the same for a tree; depth from 1, lane: which child
    int entries = 0;                                           // of DraftNode::heads and DraftNode::base; 0: none, -1: all
    bool raw_distributions = false;                            // fill DraftNode::raw_distribution
    bool internals = false;                                    // fill DraftNode::internals and, after observe, look_back()
    std::span<const int> stops = {};                           // drafting may end after one of these
    std::span<const std::pair<int, int>> force = {};           // (index, token): propose this instead of what would be drawn
    // Whether to draft at `index`, asked before anything is drawn there; no: the draft ends. `margin`: log-odds of the two likeliest
    // tokens of the row it would be drawn from, at temperature 1. Asked by chains that draw from rows; empty: always.
    std::function<bool(int index, double margin)> go_on = {};
    double* deciding_ms = nullptr; // grows by what looking at rows for it takes
    // Whether to make the pass that `index` (from 1) would be drawn from; it may look at all that was drawn before. drawn: the probability
    // with which the token before it was drawn, 1: it was certain. Asked by chains of which each token is a pass; empty: always.
    std::function<bool(int index, double drawn)> go_further = {};
    // Of two chained drafters: asked, before anything is drawn, whether the first (0) or the second (1) may draft in this round, whose
    // request it may make smaller. A yes is the answer to who speaks. Empty: always yes.
    std::function<bool(int part, DraftRequest& own)> turn = {};
    std::function<void()> before_pass = {}; // told before each pass of a model that one draft takes, but the first; may throw
    [[nodiscard]] std::optional<int> forced(int index) const;
};

// What the target computed and the round kept. The prompt arrives in the same way, in pieces, right after begin().
struct Observation {
    std::span<const int> sequence; // after the commit; the last token is pending
    int accepted_drafts = 0;       // 0 for a piece of the prompt
    int first = 0;                 // position of the first row of `features`
    bool prompt = false;           // a piece of the prompt: more may follow before the next draft
    // (rows, taps * hidden), when taps() asked for any: a piece of the prompt, or the round's pending token and the
    // accepted drafts in order (without the last one where a stop token ended the text)
    Tensor features;
};

class Drafter {
  public:
    virtual ~Drafter() = default;
    [[nodiscard]] virtual std::vector<int> taps() const { return {}; }
    virtual void begin(std::span<const int> sequence) = 0; // prompt; the last token is pending
    virtual void observe(const Observation& observation) = 0;
    [[nodiscard]] virtual Draft draft(const DraftRequest& request) = 0;
    // Instead of draft(): none is wanted before the target's next pass. What observe() handed over as views is to be copied; reading it
    // is put off until there is a draft.
    virtual void put_off() {}
    // After observe(): what the target's answer says about the last draft, if that was asked for with `internals`.
    [[nodiscard]] virtual Internals look_back() { return {}; }
    // Told before each piece of a text that begin() reads with a model of its own; may throw, as Decoder::Reading.
    void on_reading(std::function<void(int read)> reading) { reading_ = std::move(reading); }

  protected:
    std::function<void(int read)> reading_;
};

// What a drafter may be built from. `draft_model` is a separate decoder, null when none was loaded.
// `network`: the trained head, null for methods without one.
struct DrafterArgs {
    Decoder& target;
    std::unique_ptr<Decoder> draft_model;
    std::shared_ptr<const DraftNetwork> network;
    DrafterOptions options;
    std::shared_ptr<const FrequentIds> frequent = {};       // needed where DrafterOptions::fr_spec is set
    std::shared_ptr<const SuffixTrie> answers = {};         // of earlier texts; null: none are remembered
    std::shared_ptr<const VocabularyMap> vocabularies = {}; // where the draft model has another tokenizer; null: it has the target's

    // As `options` want it, whole or cut to the frequent ids: the target's matrix, or one of `network`, one row per id.
    [[nodiscard]] OutputHead target_head() const;
    [[nodiscard]] OutputHead output_head(const Tensor& matrix) const;
};

} // namespace speclens
