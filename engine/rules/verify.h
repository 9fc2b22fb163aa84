// From target distributions, draft distributions and coins to a verdict. Pure functions: no state, no model, no trace.
// A new rule is one file in engine/rules/ plus one line in rules.inc.
// One interface serves chains and trees: a chain is a tree whose nodes have one child each, so that node i hangs
// from node i-1. p is the target, q the draft (Leviathan et al.).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/distribution.h"
#include "engine/rules/rule_params.h"
#include "engine/rules/siblings.h"
#include "engine/rules/token_source.h"

namespace speclens {

class Error; // kernels/error.h

// One round as a rule sees it. Distributions are asked for only when needed; references stay valid for the round.
// Rows are those of the target's pass: row 0 follows the pending token, row 1 + i follows node i. So node i is
// judged by row 1 + parent(i); in a chain that is row i.
struct Round {
    std::span<const int> drafts;               // token of each node
    std::span<const int> parents = {};         // of each node, smaller than its own index, -1 = the pending token;
                                               // empty = a chain
    std::function<const Distribution&(int)> p; // row -> the target's distribution there
    std::function<const Distribution&(int)> q; // node -> the distribution it was really drawn from; with siblings drawn
                                               // without replacement that depends on the siblings before it
    std::function<int(int)> p_argmax;          // row -> cheaper than p(row) when only the best token matters
    // The models' own distributions: temperature 1, unfiltered. For cascades; asking for one ends references to the others.
    std::function<const Distribution&(int)> p_raw = {}; // row
    std::function<const Distribution&(int)> q_raw = {}; // node
    struct Lookahead {
        const Distribution* distribution = nullptr; // the draft's, after its last node; null: the drafter has none
        const Distribution* raw = nullptr;
    } after_last = {};                        // for cascades
    std::function<double(int)> accept_coin;   // node -> u
    std::function<double(int)> resample_coin; // row -> u of the target's own token there
    RuleParams params = {};

    [[nodiscard]] int count() const { return static_cast<int>(drafts.size()); }
    [[nodiscard]] int parent(int node) const { return parents.empty() ? node - 1 : parents[static_cast<std::size_t>(node)]; }
    [[nodiscard]] int row_of(int node) const { return 1 + parent(node); } // the row that judges it
    [[nodiscard]] std::vector<int> children(int node) const;              // of node, -1 = the pending token; ascending
};

struct Judgement {
    int node = 0;
    double threshold = 0;                          // accept iff u < threshold (greedy and match: 1 or 0)
    std::optional<double> u;                       // the coin that was compared; none for greedy
    bool accepted = false;                         // kept; in block verification a later coin may keep it although its own failed
    std::optional<double> sibling_residual = {};   // probability of the token in what its rejected siblings left of the target's
                                                   // distribution; none for a first child: it is the target's distribution itself
    std::optional<double> mixture = {};            // cascades: probability of the token in the mixture that judged it
    std::optional<double> typical_threshold = {};  // typical acceptance: what the target's probability had to exceed
    std::optional<double> prefix_coefficient = {}; // block verification: the coefficient P of the prefix up to here
};

struct Verdict {
    std::vector<Judgement> checks; // nodes that were judged, in order
    std::vector<int> path;         // nodes that are kept, each the child of the one before; a chain: 0 … accepted-1
    TokenSource from = TokenSource::target;
    int token = 0;                  // the target's own token
    std::optional<double> u;        // the coin that drew it
    Distribution distribution;      // the distribution it was drawn from; empty: one-hot at `token`
    bool residual_fallback = false; // the residual was empty in floating point, p was used
    bool mixed = false;             // `distribution` comes from a mixture: it is not the target's even as a bonus

    [[nodiscard]] int accepted() const { return static_cast<int>(path.size()); }
    [[nodiscard]] int row() const { return path.empty() ? 0 : 1 + path.back(); } // that the own token comes from
};

// What the output of a rule follows: the target's distribution, a stated mixture of target and draft, or nothing that is stated.
enum class Guarantee : std::uint8_t { target, mixture, nothing };

// How a rule judges, for words and pictures.
enum class RuleKind : std::uint8_t { greedy, match, token, block, lenient, typical, cascade, certain, kseq };

// What a rule is, beside its code: NAME_rule() of its file.
struct RuleInfo {
    const char* name = ""; // command line and files: "tree_wor"
    Said title = {};       // window: "Tree, drawn without replacement"
    Said about = {};       // what it does, in a sentence, with the paper
    RuleKind kind = RuleKind::token;
    bool needs_q = false;               // compares with the draft's probabilities
    bool greedy_only = false;           // needs temperature 0
    Siblings siblings = Siblings::none; // of the trees it judges; none: chains only
    Guarantee guarantee = Guarantee::target;
    std::vector<RuleParameter> parameters = {};
    bool takes_verifier = false; // RuleParams::block
    // Whether with these numbers nothing of the draft's is left, so that its output follows the target after all; null: by `guarantee`.
    bool (*keeps_target)(const RuleParams& params) = nullptr;
    Verdict (*verify)(const Round& round);
    [[nodiscard]] bool lossless() const { return guarantee == Guarantee::target; }
    // Cascades look at the models' own distributions and at the draft's distribution behind its last token.
    [[nodiscard]] bool is_cascade() const { return guarantee == Guarantee::mixture; }
};
// `own` under this name, and with what assets/stories/rule-names.toml says of it there.
template <StoryLabel Name>
[[nodiscard]] RuleInfo rule_named(RuleInfo own) {
    own.name = Name.letters;
    own.title = rule_said(TextId<Name + ".title">());
    own.about = rule_said(TextId<Name + ".about">());
    return own;
}
[[nodiscard]] const std::vector<RuleInfo>& rule_list();
[[nodiscard]] const RuleInfo* find_rule(const std::string& name); // nullptr: unknown
// The rule that does the work of `rule`: at temperature 0 all but cascades are the greedy one, which needs no distributions.
[[nodiscard]] const RuleInfo& rule_at(const RuleInfo& rule, const Sampling& sampling);
// How it judges with these numbers: lenience without lenience is the token rule, and so is k-SEQ on a chain; at temperature 0 see
// rule_at().
[[nodiscard]] RuleKind kind_of(const RuleInfo& rule, const RuleParams& params, const Sampling& sampling, bool tree);
// Whether what it writes follows the target's distribution: it promises so, or its numbers leave nothing of the draft's.
[[nodiscard]] bool keeps_target(const RuleInfo& rule, const RuleParams& params);
[[nodiscard]] bool keeps_target(const RuleInfo& rule, const RuleParams& params, const Sampling& sampling);
// What to throw when `rule` meets a tree that it cannot judge.
[[nodiscard]] Error tree_error(const std::string& rule);

} // namespace speclens
