// A drafter proposes the next tokens, with the distribution each was really drawn from. Four verbs: `taps` says which
// target layer outputs it wants, `begin` starts a text, `observe` learns what was committed, `draft` proposes.
// A new drafter is one file in engine/drafters/ plus one line in drafters.inc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/drafters/drafter_settings.h"
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
    int parent = -1;          // index of the parent node, an earlier one; -1: follows the pending token.
                              // A chain has parent = own index - 1.
    Distribution distribution;                  // the distribution it was drawn from (after temperature and filters); one-hot when deterministic.
                              // Empty means one-hot at `token` (nothing is stored for a deterministic draft).
    Distribution raw_distribution;              // the same at temperature 1 and unfiltered, where DraftRequest::raw_distributions asks; empty as `distribution`
    RecordedRow heads;              // of `distribution`, where DraftRequest::entries asks and the distribution came from a row of logits
    std::optional<double> u;  // the coin that drew it; none when deterministic
    TopEntries base;                 // at temperature 1: its row's distribution before a correction (Domino, DSpark), where `entries` asks
    std::string extra;        // what the method can show for this token
    Internals lens;                // what the method's tensors look like here, where DraftRequest::lens asks
    double record_ms = 0;     // of selecting `heads` and `base` for a trace, which is no part of drafting
    double ms = 0;            // without head_ms and record_ms
    double head_ms = 0;       // of the part that corrects or draws, where the method has one beside its network
    [[nodiscard]] double q() const { return distribution.empty() ? 1.0 : distribution[static_cast<std::size_t>(token)]; }
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
    bool raw_distributions = false;          // fill DraftNode::raw_distribution
    bool lens = false;              // fill DraftNode::lens and, after observe, look_back()
    std::span<const int> stops = {};  // drafting may end after one of these
    std::span<const std::pair<int, int>> force = {};  // (index, token): propose this instead of what would be drawn
    // Whether to draft at `index`, asked before anything is drawn there; no: the draft ends. `margin`: log-odds of the two likeliest
    // tokens of the row it would be drawn from, at temperature 1. Asked by chains that draw from rows; empty: always.
    std::function<bool(int index, double margin)> go_on = {};
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
    [[nodiscard]] virtual Internals look_back() { return {}; }
};

// What a drafter may be built from. `draft_model` is a separate decoder, null when none was loaded.
// `network`: the trained head, null for methods without one.
struct DrafterArgs {
    Decoder& target;
    std::unique_ptr<Decoder> draft_model;
    std::shared_ptr<const DraftNetwork> network;
    DrafterOptions options;
    std::shared_ptr<const FrequentIds> frequent = {};  // needed where DrafterOptions::fr_spec is set
    std::shared_ptr<const SuffixTrie> answers = {};    // of earlier texts; null: none are remembered
    std::shared_ptr<const VocabularyMap> vocabularies = {};  // where the draft model has another tokenizer; null: it has the target's

    // As `options` want it, whole or cut to the frequent ids: the target's matrix, or one of `network`, one row per id.
    [[nodiscard]] OutputHead target_head() const;
    [[nodiscard]] OutputHead output_head(const Tensor& matrix) const;
};

enum class DrafterNeeds { nothing, draft_model, network };

// How the draft tokens of a round come about.
enum class Drafting : std::uint8_t {
    nothing,     // there are none
    one_by_one,  // each is a pass that reads the ones before
    at_once,     // one pass, a set of heads or a look into the text makes all of them, whatever K is
};

// Where a drafter stands among the others, in a few words each; empty: its own, unpublished.
struct DrafterKin {
    const char* takes = "";      // from the target
    const char* sequential = ""; // what a draft does one after the other
    const char* keeps = "";      // from round to round, beside weights
    int year = 0;
    const char* source = "";     // "arXiv:2211.17192"
    const char* served = "";     // which engines have it by their own documents or code (docs/models.md names those); empty: not found there
};

// What a drafter is, beside its code: all that the command line, the window and the documents have to know of it stands in
// `NAME_info()` of its file. `how`, `cost` and `short_cost` are words of the window.
struct DrafterInfo {
    const char* name;                // command line and files: "domino"
    const char* title;               // window: "Small draft model, tree"
    const char* short_title;         // legends: "small, tree"
    const char* icon = "diamond";    // its mark in pictures, a name of ui/glyphs.h
    const char* about;               // one sentence, with the paper
    const char* noun = "the drafter"; // in a sentence
    const char* how = "";            // how it works, in two or three sentences
    // In the lanes of a race: {k} draft tokens in a row at most, or in words {guesses}, {tokens}, {passes}, {heads}; {tree}: those
    // of its tree.
    const char* cost = "{guesses}";
    const char* short_cost = "{guesses}";
    DrafterKin kin = {};
    DrafterNeeds needs = DrafterNeeds::nothing;
    const char* method = "";         // that a chain and a tree share, with its trained head: "eagle3"; empty: its own name
    bool needs_layers = false;       // cannot run on a table target
    Drafting drafting = Drafting::one_by_one;
    bool tree = false;               // proposes trees; needs a rule that judges them
    bool block = false;              // fills a block of masks in one pass
    bool causal_head = false;        // corrects its block from left to right
    const char* head_reads = "";     // what that head corrects a draft token by: "the guesses before it"
    bool corrects_first = false;     // the first one too, by the pending token
    bool draws = true;               // draft tokens are drawn by coins at T > 0
    bool ahead = false;              // may be asked about a text that does not come true, and drafts as if it had not been
    bool translates = false;         // a draft model with another tokenizer will do
    bool own_ids = false;            // its head ranks ids of its own, a part of the vocabulary
    int default_k = 4;               // draft tokens in a row where nothing else is asked for: what serves it well on the bundle
    int usual_place = 0;             // whose turn it is where a run names no drafter: the first that is ready, from 1; 0: never
    int race_place = 0;              // its place among the lanes of a race where none were named, from 1; 0: only when asked for
    std::vector<Setting> reads = {}; // what of DrafterOptions means something for it
    std::vector<std::string_view> published = {}; // names under which figures of it were published (engine/published)
    // Throws Error (usage) for options that do not fit this target, beside their ranges; may be null.
    void (*check)(const DrafterOptions& options, int target_layers) = nullptr;
    std::unique_ptr<Drafter> (*make)(DrafterArgs args);

    [[nodiscard]] bool needs_draft_model() const { return needs == DrafterNeeds::draft_model; }
    [[nodiscard]] bool needs_network() const { return needs == DrafterNeeds::network; }
    [[nodiscard]] bool copies() const { return at_once() && needs == DrafterNeeds::nothing; } // from the text
    [[nodiscard]] bool at_once() const { return drafting == Drafting::at_once; }
    [[nodiscard]] bool drafts() const { return drafting != Drafting::nothing; }
    [[nodiscard]] bool reads_setting(Setting setting) const { return std::ranges::find(reads, setting) != reads.end(); }
};

// Settings that several drafters read.
inline constexpr std::array kBlockSettings = {Setting::conditioning, Setting::context_last, Setting::tap_shift, Setting::fr_spec};
inline constexpr std::array kTreeSettings = {Setting::tree_topk, Setting::tree_depth, Setting::tree_budget};
[[nodiscard]] std::vector<Setting> reads_of(std::span<const Setting> shared, std::initializer_list<Setting> own = {});

[[nodiscard]] const std::vector<DrafterInfo>& drafter_list();
[[nodiscard]] const DrafterInfo* find_drafter(const std::string& name);  // nullptr: unknown
[[nodiscard]] int default_k(const std::string& drafter); // DrafterInfo::default_k; 4 for an unknown name
[[nodiscard]] bool guesses_at_once(const std::string& drafter);
// Whether `rule` can judge what `drafter` proposes: every rule judges chains.
[[nodiscard]] bool can_judge(const RuleInfo& rule, const DrafterInfo& drafter);
// `rule` if it suits what `drafter` proposes, else the usual one that does. Unknown names pass through.
[[nodiscard]] std::string judging_rule(const std::string& rule, const std::string& drafter);
// The same where a run is taken over from `before`: what only a tree had asked for goes with the tree, and its usual rule with it.
[[nodiscard]] std::string judging_rule(const std::string& rule, const std::string& before, const std::string& drafter);
// DrafterInfo::method, or its own name.
[[nodiscard]] std::string network_of(const std::string& drafter);
[[nodiscard]] bool reads_setting(const std::string& drafter, Setting setting);
// "dflash, domino, dspark"
[[nodiscard]] std::string readers_of(Setting setting);
// Copies to `to` those fields that `drafter` reads.
void take_options(const std::string& drafter, const DrafterOptions& from, DrafterOptions& to);
// Throws Error (usage) when an option was set that `drafter` has no use for.
void check_options(const std::string& drafter, const DrafterOptions& options, int target_layers);

}  // namespace speclens
