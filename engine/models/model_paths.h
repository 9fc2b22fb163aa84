// Which files and device Models are made of: what a command line, a window or a test asks load_models() for.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "engine/base/progress.h"
#include "engine/model/config_keys.h"
#include "engine/model/precision.h"

namespace speclens {

class Scorer;      // engine/model/scorer.h
struct Vocabulary; // the same

struct ModelPaths {
    std::filesystem::path target = {}; // folder of a checkpoint, a GGUF file, or a table .json; empty: the bundle
    std::filesystem::path draft = {};  // folder or GGUF file of a separate draft model; empty: the bundle's, when the target is
                                       // the bundle's
    std::map<std::string, std::filesystem::path> heads = {}; // folders of trained heads, by drafter; the bundle's are
                                                             // added, when the target is the bundle's
    // Heads in `heads` that say they were trained on another target are loaded all the same, where the shapes are equal.
    bool force_heads = false;
    IgnoredKeys ignore_config = {}; // of the files of all of them: count as absent, where they are
    std::string backend = "auto";
    int threads = 0;
    WeightForm weights = WeightForm::by_default; // of target and draft model; the bundle stays as it is
    // Of products with target, draft model and heads. Nothing: f32 for the bundle, for others default_precision(). int8 needs
    // a target whose matrices are kept quantised: `weights` keep or q8.
    std::optional<Precision> precision = {};
    // Makes the target of a server, once the vocabulary is known: that of `tokenizer`, a folder with tokenizer.json and
    // config.json; empty: that of the draft model. `target` is not looked at then.
    std::function<std::shared_ptr<const Scorer>(const Vocabulary&, const Progress&)> scorer = {};
    std::filesystem::path tokenizer = {};
    std::filesystem::path small_ids =
        {}; // a list of ids (engine/text/id_list.h); empty: the target's frequent.json, or one that is shipped

    // Whether both mean the same models; of a server nobody knows.
    [[nodiscard]] bool same_as(const ModelPaths& other) const {
        const auto all = [](const ModelPaths& p) {
            return std::tie(p.target, p.draft, p.heads, p.force_heads, p.backend, p.threads, p.weights, p.precision, p.tokenizer,
                            p.small_ids);
        };
        return !scorer && !other.scorer && all(*this) == all(other);
    }
};

} // namespace speclens
