// A drafter proposes the next tokens, with the law each was really drawn from. Four verbs: `taps` says which
// target layer outputs it wants, `begin` starts a text, `observe` learns what was committed, `draft` proposes.
// A new drafter is one file in engine/drafters/ plus one line in drafters.inc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/drafters/drafter_options.h"
#include "engine/drafters/lens.h"
#include "engine/model/decoder.h"
#include "engine/model/law.h"
#include "engine/rules/siblings.h"

namespace speclens {

class DraftNetwork;  // engine/drafters/draft_network.h

struct DraftNode {
    int token = 0;
    int parent = -1;          // index of the parent node, an earlier one; -1: follows the pending token.
                              // A chain has parent = own index - 1.
    Law law;                  // the law it was drawn from (after temperature and filters); one-hot when deterministic.
                              // Empty means one-hot at `token` (nothing is stored for a deterministic draft).
    Law raw_law;              // the same at temperature 1 and unfiltered, where DraftRequest::raw_laws asks; empty as `law`
    Heads heads;              // of `law`, where DraftRequest::entries asks and the law came from a row of logits
    std::optional<double> u;  // the coin that drew it; none when deterministic
    Top base;                 // at temperature 1: its row's law before a correction (Domino, DSpark), where `entries` asks
    std::string extra;        // what the method can show for this token
    Lens lens;                // what the method's tensors look like here, where DraftRequest::lens asks
    double record_ms = 0;     // of selecting `heads` and `base` for a trace, which is no part of drafting
    double ms = 0;            // without head_ms and record_ms
    double head_ms = 0;       // of the part that corrects or draws, where the method has one beside its network
    [[nodiscard]] double q() const { return law.empty() ? 1.0 : law[static_cast<std::size_t>(token)]; }
};

struct Draft {
    std::vector<DraftNode> nodes;  // never more than asked for; may be empty: nothing to propose

    [[nodiscard]] bool is_chain() const;
    // Tokens from the pending one to each node, 1 for its children; and which child of its parent each node is, from 0.
    [[nodiscard]] std::vector<int> depths() const;
    [[nodiscard]] std::vector<int> lanes() const;
};

struct DraftRequest {
    std::span<const int> sequence;  // every committed token; the last one is pending (in no cache yet)
    int k = 0;                      // at most this many tokens in a row: the nodes of a chain, the depth of a tree
    int nodes = 0;                  // at most this many nodes of a tree
    Siblings siblings = Siblings::none;  // how the children of a tree's node must be chosen; none: draft a chain
    Sampling sampling;              // of the draft; temperature 0 drafts greedily
    std::function<double(int)> coin;  // index of the draft token of a chain -> u for drawing it
    std::function<double(int depth, int lane)> tree_coin = {};  // the same for a tree; depth from 1, lane: which child
    int entries = 0;                // of DraftNode::heads and DraftNode::base; 0: none, -1: all
    bool raw_laws = false;          // fill DraftNode::raw_law
    bool lens = false;              // fill DraftNode::lens and, after observe, look_back()
    std::span<const int> stops = {};  // drafting may end after one of these
    std::span<const std::pair<int, int>> force = {};  // (index, token): propose this instead of what would be drawn
    [[nodiscard]] std::optional<int> forced(int index) const;
};

// What the target computed and the cycle kept. The prompt arrives in the same way, in pieces, right after begin().
struct Observation {
    std::span<const int> sequence;  // after the commit; the last token is pending
    int accepted_drafts = 0;        // 0 for a piece of the prompt
    int first = 0;                  // position of the first row of `features`
    bool prompt = false;            // a piece of the prompt: more may follow before the next draft
    // (rows, taps * hidden), when taps() asked for any: a piece of the prompt, or the round's pending token and the
    // accepted drafts in order (without the last one where a stop token ended the text)
    Tensor features;
};

struct RuleInfo;  // engine/rules/verify.h

class Drafter {
  public:
    virtual ~Drafter() = default;
    [[nodiscard]] virtual std::vector<int> taps() const { return {}; }
    virtual void begin(std::span<const int> sequence) = 0;  // prompt; the last token is pending
    virtual void observe(const Observation& observation) = 0;
    [[nodiscard]] virtual Draft draft(const DraftRequest& request) = 0;
    // After observe(): what the target's answer says about the last draft, if that was asked for with `lens`.
    [[nodiscard]] virtual Lens look_back() { return {}; }
};

// What a drafter may be built from. `draft_model` is a separate decoder, null when none was loaded.
// `network`: the trained head, null for methods without one.
struct DrafterArgs {
    Decoder& target;
    std::unique_ptr<Decoder> draft_model;
    std::shared_ptr<const DraftNetwork> network;
    DrafterOptions options;
    std::shared_ptr<const FrequentIds> frequent = {};  // needed where DrafterOptions::fr_spec is set

    // As `options` want it, whole or cut to the frequent ids: the target's matrix, or one of `network`, one row per id.
    [[nodiscard]] OutputHead target_head() const;
    [[nodiscard]] OutputHead output_head(const Tensor& matrix) const;
};

enum class DrafterNeeds { nothing, draft_model, network };

struct DrafterInfo {
    const char* name;    // command line
    const char* title;   // window
    const char* about;   // one sentence
    DrafterNeeds needs;
    bool needs_layers;   // cannot run on a table target
    [[nodiscard]] bool needs_draft_model() const { return needs == DrafterNeeds::draft_model; }
    [[nodiscard]] bool needs_network() const { return needs == DrafterNeeds::network; }
    std::unique_ptr<Drafter> (*make)(DrafterArgs args);
    bool tree = false;   // proposes trees; needs a rule that judges them
};
[[nodiscard]] const std::vector<DrafterInfo>& drafter_list();
[[nodiscard]] const DrafterInfo* find_drafter(const std::string& name);  // nullptr: unknown
// Draft tokens per round where nothing else is asked for: what serves a method well on the bundle.
[[nodiscard]] int usual_k(const std::string& drafter);
// One pass, a set of heads or a look into the text makes all the guesses of a round, whatever K is.
[[nodiscard]] bool guesses_at_once(const std::string& drafter);
// Whether `rule` can judge what `drafter` proposes: every rule judges chains.
[[nodiscard]] bool can_judge(const RuleInfo& rule, const DrafterInfo& drafter);
// `rule` if it suits what `drafter` proposes, else the usual one that does. Unknown names pass through.
[[nodiscard]] std::string judging_rule(const std::string& rule, const std::string& drafter);
// The same where a run is taken over from `before`: what only a tree had asked for goes with the tree.
[[nodiscard]] std::string judging_rule(const std::string& rule, const std::string& before, const std::string& drafter);
// The method of the trained head that `drafter` drafts with: a chain and a tree share one.
[[nodiscard]] std::string network_of(const std::string& drafter);
// Whether DrafterOptions::fr_spec means something for it: it multiplies with an output matrix of the whole vocabulary.
[[nodiscard]] bool has_whole_head(const std::string& drafter);
// Copies to `to` those fields that `drafter` reads.
void take_options(const std::string& drafter, const DrafterOptions& from, DrafterOptions& to);
// Throws Error (usage) when an option was set that `drafter` has no use for.
void check_options(const std::string& drafter, const DrafterOptions& options, int target_layers);

}  // namespace speclens
