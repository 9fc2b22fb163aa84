// The list of drafters, and what each is beside its code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/drafters/drafter_settings.h"
#include "kernels/said.h"

namespace speclens {

class Drafter;      // engine/drafters/drafter.h
struct DrafterArgs; // the same
struct RuleInfo;    // engine/rules/verify.h

enum class DrafterNeeds { nothing, draft_model, network };

// How the draft tokens of a round come about.
enum class Drafting : std::uint8_t {
    nothing,    // there are none
    one_by_one, // each is a pass that reads the ones before
    at_once,    // one pass, a set of heads or a look into the text makes all of them, whatever K is
};

inline constexpr SaidOf<"drafter-names"> drafter_said; // words: assets/stories/drafter-names.toml

// Where a drafter stands among the others, in a few words each; empty: its own, unpublished.
struct DrafterKin {
    Said takes = {};      // from the target
    Said sequential = {}; // what a draft does one after the other
    Said keeps = {};      // from round to round, beside weights
    int year = 0;
    const char* source = ""; // "arXiv:2211.17192"
    const char* served = ""; // which engines have it by their documents or code (docs/results/surveys.md); empty: not found there
};

// In the lane of a race: draft tokens in a row at most, those of its tree, and whether there is little room. Words:
// assets/stories/race.toml.
struct DraftCost {
    int k = 0, tree = 0;
    bool brief = false;
};
template <StoryLabel Id>
[[nodiscard]] Said draft_cost(const DraftCost& of) {
    return SaidOf<"race">()(TextId<Id>(), "k"_v = of.k, "tree"_v = of.tree, "brief"_v = of.brief);
}

// What a drafter is, beside its code: all that the command line, the window and the documents have to know of it stands in
// `NAME_info()` of its file.
struct DrafterInfo {
    const char* name = "";                    // command line and files: "domino"
    Said title = {};                          // window: "Small draft model, tree"
    Said short_title = {};                    // legends: "small, tree"
    const char* icon = "diamond";             // its mark in pictures, a name of ui/glyphs.h
    Said about = {};                          // one sentence, with the paper
    Said noun = drafter_said("words.noun"_t); // in a sentence: "the drafter"
    Said how = {};                            // how it works, in two or three sentences
    // What it drafts and with how many passes; null: two chained ones.
    Said (*cost)(const DraftCost& of) = draft_cost<"cost.guesses">;
    DrafterKin kin = {};
    DrafterNeeds needs = DrafterNeeds::nothing;
    const char* method = "";   // that a chain and a tree share, with its trained head: "eagle3"; empty: its own name
    bool needs_layers = false; // cannot run on a table target
    Drafting drafting = Drafting::one_by_one;
    bool tree = false;               // proposes trees; needs a rule that judges them
    bool block = false;              // fills a block of masks in one pass
    bool causal_head = false;        // corrects its block from left to right
    Said head_reads = {};            // what that head corrects a draft token by: "the guesses before it"
    bool corrects_first = false;     // the first one too, by the pending token
    bool draws = true;               // draft tokens are drawn by coins at T > 0
    bool ahead = false;              // may be asked about a text that does not come true, and drafts as if it had not been
    bool translates = false;         // a draft model with another tokenizer will do
    bool own_ids = false;            // its head ranks ids of its own, a part of the vocabulary
    int default_k = 4;               // draft tokens in a row where nothing else is asked for: what serves it well on the bundle
    int default_order = 0;           // whose turn it is where a run names no drafter: the first that is ready, from 1; 0: never
    int race_place = 0;              // its place among the lanes of a race where none were named, from 1; 0: only when asked for
    std::vector<Setting> reads = {}; // what of DrafterOptions means something for it
    std::vector<std::string_view> published = {}; // names under which figures of it were published (engine/published)
    // Throws Error (usage) for options that do not fit this target, beside their ranges; may be null.
    void (*check)(const DrafterOptions& options, int target_layers) = nullptr;
    std::unique_ptr<Drafter> (*make)(DrafterArgs args); // null: two chained ones, see make_drafter()
    // Of two chained drafters (chained.h); null: it is one.
    const DrafterInfo* first = nullptr;
    const DrafterInfo* second = nullptr;
    bool goes_on = false; // the second drafts on behind the tokens of the first

    [[nodiscard]] bool chained() const { return second != nullptr; }
    [[nodiscard]] std::vector<const DrafterInfo*> parts() const; // itself, or the two
    [[nodiscard]] bool needs_draft_model() const { return needs_any(DrafterNeeds::draft_model); }
    [[nodiscard]] bool needs_network() const { return needs_any(DrafterNeeds::network); }
    [[nodiscard]] bool copies() const { return at_once() && needs == DrafterNeeds::nothing; } // from the text
    [[nodiscard]] bool at_once() const { return drafting == Drafting::at_once; }
    // A chain of which every guess is a pass of a model or a head of its own.
    [[nodiscard]] bool chains_passes() const { return !tree && drafting == Drafting::one_by_one && needs != DrafterNeeds::nothing; }
    [[nodiscard]] bool drafts() const { return drafting != Drafting::nothing; }
    [[nodiscard]] bool reads_setting(Setting setting) const { return std::ranges::find(reads, setting) != reads.end(); }

  private:
    [[nodiscard]] bool needs_any(DrafterNeeds what) const {
        return needs == what || (chained() && (first->needs_any(what) || second->needs_any(what)));
    }
};

// `own` under this name, and with what assets/stories/drafter-names.toml says of it there; where it has no shorter title, the title is
// short.
template <StoryLabel Name>
[[nodiscard]] DrafterInfo named(DrafterInfo own) {
    own.name = Name.letters;
    own.title = drafter_said(TextId<Name + ".title">());
    if (own.short_title.empty()) own.short_title = own.title;
    own.about = drafter_said(TextId<Name + ".about">());
    own.how = drafter_said(TextId<Name + ".how">());
    return own;
}

// The same of one that guesses with a trained head.
template <StoryLabel Name>
[[nodiscard]] DrafterInfo with_head(DrafterInfo own) {
    own.needs = DrafterNeeds::network;
    own.needs_layers = true;
    return named<Name>(std::move(own));
}

// Settings that several drafters read.
inline constexpr std::array kBlockSettings = {Setting::conditioning, Setting::context_last, Setting::tap_shift, Setting::fr_spec};
inline constexpr std::array kTreeSettings = {Setting::tree_topk, Setting::tree_depth, Setting::tree_budget};
[[nodiscard]] std::vector<Setting> reads_of(std::span<const Setting> shared, std::initializer_list<Setting> own = {});

[[nodiscard]] const std::vector<DrafterInfo>& drafter_list();
// nullptr: unknown. A name with a plus is two of the list, chained (chained.h).
[[nodiscard]] const DrafterInfo* find_drafter(const std::string& name);
// Whether it is this one of the list, or one of two chained ones is.
[[nodiscard]] bool drafts_with(const std::string& drafter, const std::string& name);
// Throws Error (usage) for a name with a plus that names no two that can be chained, and says why.
void refuse_chain(const std::string& name);
// Of two chained drafters the first (0) or the second (1); null: neither, or `drafter` is one.
[[nodiscard]] const DrafterInfo* part_of(const std::string& drafter, int part);
// Pairs that lists offer, of those that are ready: what copies and is chosen by default, then what drafts with a model or a head.
[[nodiscard]] std::vector<std::string> offered_chains(const std::vector<std::string>& ready);
// Whether all that it needs is among the drafters that are ready.
[[nodiscard]] bool is_ready(const std::vector<std::string>& ready, const std::string& drafter);
[[nodiscard]] int default_k(const std::string& drafter); // DrafterInfo::default_k; 4 for an unknown name
[[nodiscard]] bool drafts_at_once(const std::string& drafter);
// Whether `rule` can judge what `drafter` proposes: every rule judges chains; the mixture of a cascade is with one draft model's
// distribution.
[[nodiscard]] bool can_judge(const RuleInfo& rule, const DrafterInfo& drafter);
// `rule` if it suits what `drafter` proposes, else the default one that does. Unknown names pass through.
[[nodiscard]] std::string judging_rule(const std::string& rule, const std::string& drafter);
// The same where a run is taken over from `before`: what only a tree had asked for goes with the tree, and its usual rule with it.
[[nodiscard]] std::string judging_rule(const std::string& rule, const std::string& before, const std::string& drafter);
// DrafterInfo::method, or its own name; of two chained ones that of the first with a head.
[[nodiscard]] std::string network_of(const std::string& drafter);
[[nodiscard]] bool reads_setting(const std::string& drafter, Setting setting);
// "dflash, domino, dspark"
[[nodiscard]] std::string readers_of(Setting setting);
// Copies to `to` those fields that `drafter` reads.
void take_options(const std::string& drafter, const DrafterOptions& from, DrafterOptions& to);
// Throws Error (usage) when an option was set that `drafter` has no use for.
void check_options(const std::string& drafter, const DrafterOptions& options, int target_layers);

} // namespace speclens
