// Everything that is loaded once and shared by runs: backend, target, draft model, tokenizer, or tables.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/told_reason.h"
#include "engine/models/model_paths.h"
#include "engine/models/turns.h"
#include "engine/text/chat.h"
#include "kernels/types.h"

namespace speclens {

class Backend;         // kernels/backend.h
class DraftNetwork;    // engine/drafters/draft_network.h
class FrequentIds;     // engine/model/frequent.h
class Model;           // engine/model/model.h
class Scorer;          // engine/model/scorer.h
class SuffixTrie;      // engine/recall/suffix_trie.h
struct DrafterOptions; // engine/drafters/drafter_options.h
struct TableModel;     // engine/model/decoder.h
class VocabularyMap;   // engine/text/vocabulary_map.h

struct Models {
    std::shared_ptr<Backend> backend;                         // shared by copies that differ in their heads
    std::shared_ptr<Turns> turns = std::make_shared<Turns>(); // at the backend; needed where several threads use it
    std::shared_ptr<const Model> target;
    std::shared_ptr<const Model> draft;             // null: no small drafter
    std::shared_ptr<const TableModel> target_table; // instead of `target`
    std::shared_ptr<const TableModel> draft_table;
    std::shared_ptr<const Scorer> scorer;         // instead of `target`: a server
    std::shared_ptr<const FrequentIds> frequent;  // of the target's ids; null for tables and random models
    std::shared_ptr<const FrequentIds> small_ids; // what --small-ids ranks; null: there is no list for this vocabulary
    std::shared_ptr<const Tokenizer> tokenizer;   // null for tables and random models
    ChatFormat chat;                              // of the target
    std::map<std::string, std::shared_ptr<const DraftNetwork>> networks; // trained heads, by drafter
    std::set<std::string> shipped;             // names of `networks`, and "small" of `draft`, that come with the program for this target
    std::shared_ptr<const SuffixTrie> answers; // that earlier runs wrote, where they are remembered (answer_memory.h)
    std::shared_ptr<const VocabularyMap> vocabularies; // of a `draft` with another tokenizer; null: it has the target's, or none to compare
    std::string vocabulary_problem;                    // why `draft` cannot draft for `target`; empty: it can
    std::string bundle;                                // "bundle S" when the target is the shipped one, else empty
    std::set<std::string> ignored;                     // places of keys of their files that were passed over because they were named
    double load_ms = 0;                                // what loading all of it took
    std::map<std::string, std::string> fingerprints;   // of heads and the draft model that were given, by network and "small"
    std::string fingerprint;                           // of a target that is not the shipped one; empty for tables and servers

    [[nodiscard]] std::string target_name() const;
    [[nodiscard]] std::string draft_name() const;
    [[nodiscard]] std::string weights() const; // "bf16, from Q4_1"; empty for the bundle, tables and servers
    [[nodiscard]] int kept_kernels() const;    // Header::kernels
    [[nodiscard]] Precision precision() const; // of products; before a server that judges: with the draft model
    [[nodiscard]] int layers() const;          // of the target, 0 for tables and servers
    [[nodiscard]] int vocab() const;
    [[nodiscard]] int holds() const; // tokens in the target's context
    [[nodiscard]] const std::vector<int>& stops() const;
    [[nodiscard]] std::string text_of(int id) const; // bytes of a token; "<17>" without a tokenizer
    // The same for a trace, which may be dropped last, and by any thread: it keeps no weights, whose memory is the
    // backend's and so the engine thread's to release.
    [[nodiscard]] std::function<std::string(int)> texts() const;
    [[nodiscard]] std::shared_ptr<const DraftNetwork> network(const std::string& drafter) const; // null: none
    [[nodiscard]] std::vector<std::string> ready_drafters() const;
    // What `drafter` drafts with comes with the program, or it needs nothing of the kind.
    [[nodiscard]] bool drafts_as_shipped(const std::string& drafter) const;
    // Which head or draft model `drafter` drafts with, in sixteen hexadecimal digits; empty: one that comes with the program, or none.
    [[nodiscard]] std::string drafter_fingerprint(const std::string& drafter) const;
    // Which ids a drafter with a cut output matrix ranks under `options`, draft_ids() of them; null: all, or none are known. Throws Error
    // (usage) where --small-ids finds no list.
    [[nodiscard]] std::shared_ptr<const FrequentIds> ids_for(const DrafterOptions& options) const;
    // Why `drafter` cannot run with these models; empty when it can.
    [[nodiscard]] ToldReason why_not(const std::string& drafter) const;
};

// Throws Error. Reports progress as "loading target", MB.
[[nodiscard]] Models load_models(const ModelPaths& paths, const Progress& progress = {});

// Heads in the folder of the shipped target that came after it was loaded, by drafter; none for another target. Throws as load_models.
[[nodiscard]] std::map<std::string, std::shared_ptr<const DraftNetwork>> heads_that_came(const Models& models,
                                                                                         const Progress& progress = {});

// The folder with assets/models: $SPECLENS_ASSETS, next to the executable's source tree, or the install prefix.
[[nodiscard]] std::filesystem::path assets_folder();

} // namespace speclens
