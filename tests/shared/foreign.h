// A draft model with another tokenizer: two made vocabularies, each with tokens that the other lacks, and models with random weights.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/json_read.h"
#include "engine/run/run.h"
#include "engine/text/vocabulary_map.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens::test {

inline Json target_json() { return Json::parse(read_file(golden("micro_qwen3") / "tokenizer.json")); }

inline std::shared_ptr<const Tokenizer> tokenizer_of(const Json& json) {
    const TempFolder folder;
    write_file(folder / "tokenizer.json", json.dump());
    return Tokenizer::load(folder / "tokenizer.json");
}

// The target's characters with two of three of its merges and two merges of its own, all ids in another order.
inline Json draft_json() {
    Json json = target_json(), merges = Json::array();
    std::vector<std::string> tokens;
    std::set<std::string> merged, known;
    for (const Json& merge : json["model"]["merges"]) merged.insert(merge[0].get<std::string>() + merge[1].get<std::string>());
    for (const auto& [token, id] : json["model"]["vocab"].items())
        if (!merged.contains(token)) tokens.push_back(token), known.insert(token);
    Json all = json["model"]["merges"];
    all.push_back({"q", "z"});
    all.push_back({"qz", "x"});
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string &left = all[i][0].text(), &right = all[i][1].text();
        if (i % 3 == 1 && i + 2 < all.size()) continue;
        if (!known.contains(left) || !known.contains(right) || !known.insert(left + right).second) continue;
        merges.push_back(all[i]);
        tokens.push_back(left + right);
    }
    Json vocab = Json::object();
    int id = static_cast<int>(tokens.size());
    for (const std::string& token : tokens) vocab[token] = --id;
    id = static_cast<int>(tokens.size());
    for (Json& added : json["added_tokens"]) added["id"] = id++;
    json["model"]["vocab"] = vocab;
    json["model"]["merges"] = merges;
    return json;
}

inline const std::shared_ptr<const Tokenizer>& target_tokenizer() {
    static const auto made = tokenizer_of(target_json());
    return made;
}

inline const std::shared_ptr<const Tokenizer>& draft_tokenizer() {
    static const auto made = tokenizer_of(draft_json());
    return made;
}

inline int stop_of(const Tokenizer& tokenizer) {
    for (int id = tokenizer.size() - 1; id >= 0; --id)
        if (tokenizer.is_special(id)) return id;
    return -1;
}

inline std::shared_ptr<const speclens::VocabularyMap> joined(const std::shared_ptr<const Tokenizer>& target,
                                                             const std::shared_ptr<const Tokenizer>& draft) {
    const std::vector<int> ours{stop_of(*target)}, theirs{stop_of(*draft)};
    return std::make_shared<speclens::VocabularyMap>(target, ours, target->size(), draft, theirs, draft->size());
}

inline std::shared_ptr<const speclens::VocabularyMap> both() { return joined(target_tokenizer(), draft_tokenizer()); }

inline std::shared_ptr<const Models> models_of(const std::shared_ptr<const Tokenizer>& target,
                                               const std::shared_ptr<const Tokenizer>& draft) {
    const auto config = [](int layers, int hidden, const Tokenizer& tokenizer) {
        ModelConfig made = micro_config(layers, hidden);
        made.vocab = tokenizer.size();
        made.stops = {stop_of(tokenizer)};
        return made;
    };
    auto models = std::make_shared<Models>();
    models->backend = test_backend(2);
    models->target = Model::random(*models->backend, config(4, 48, *target), "micro target", 5);
    models->draft = Model::random(*models->backend, config(2, 32, *draft), "micro draft", 6);
    models->tokenizer = target;
    models->vocabulary_problem = "other tokens";
    models->vocabularies = joined(target, draft);
    return models;
}

inline std::shared_ptr<const Models> foreign_models() { return models_of(target_tokenizer(), draft_tokenizer()); }

// Tokenizers of three letters and an end, each with a merge that the other lacks, and ids in another order: so few tokens that target and
// draft agree under top-k 3.
inline std::shared_ptr<const Models> few_token_models() {
    const auto few = [](const std::vector<std::string>& tokens, const std::string& left, const std::string& right) {
        Json json = target_json();
        json["model"]["vocab"] = Json::object();
        for (std::size_t id = 0; id < tokens.size(); ++id) json["model"]["vocab"][tokens[id]] = id;
        json["model"]["merges"] = Json::array({Json::array({left, right})});
        json["added_tokens"] = Json::array({json["added_tokens"][0]});
        json["added_tokens"][0]["id"] = tokens.size();
        return tokenizer_of(json);
    };
    return models_of(few({"a", "b", "c", "ab"}, "a", "b"), few({"bc", "c", "b", "a"}, "b", "c"));
}

inline RunSettings foreign(bool by_text, int k, double temperature) {
    RunSettings settings = greedy("small", k);
    settings.prompt.token_ids = target_tokenizer()->encode("The river was quiet, and the old");
    settings.options.by_text = by_text;
    settings.sampling.temperature = temperature;
    return settings;
}

} // namespace speclens::test
