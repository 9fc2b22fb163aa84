#include "remote/serving/prompt_distributions.h"

#include <algorithm>

#include "engine/model/model.h"
#include "engine/run/run.h"
#include "remote/serving/token_json.h"

namespace speclens {
namespace {

Json place(const Models& models, const ScoredToken& score, int token) {
    const auto entry = [&](int id, double logp, int rank) {
        return Json{{"logprob", sent_logprob(logp)}, {"rank", rank}, {"decoded_token", models.text_of(id)}};
    };
    Json out = Json::object();
    int rank = 0;
    for (const TopEntries::Entry& one : score.top.entries) out[std::to_string(one.id)] = entry(one.id, one.logp, ++rank);
    if (const std::string own = std::to_string(token); !out.contains(own)) out[own] = entry(token, score.logp, score.rank);
    return out;
}

} // namespace

std::vector<ScoredToken> score_alone(const Models& models, const Scoring& scoring) {
    if (!models.target) throw Error("this target tells no log-probabilities of a prompt", "Serve a checkpoint.", Exit::usage);
    const std::span<const int> tokens = scoring.tokens;
    const int count = static_cast<int>(tokens.size()), limit = models.target->config.context();
    if (count > limit) throw PromptTooLong(count, models.target_name(), limit);
    const std::unique_ptr<Decoder> decoder = make_model_decoder(models.target, count);
    std::vector<ScoredToken> scores;
    decoder->prefill(tokens.first(static_cast<std::size_t>(scoring.first)));
    for (int from = scoring.first; from + 1 < count;) { // the distribution behind the last token is not reported
        const int rows = std::min(decoder->max_rows(), count - 1 - from);
        PassRows& pass = decoder->forward({.tokens = tokens.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(rows))});
        for (int row = 0; row < rows; ++row)
            scores.push_back(
                scored_token(pass.distribution(row, kRawSampling), tokens[static_cast<std::size_t>(from + row) + 1], scoring.top));
        from += rows;
    }
    return scores;
}

Json prompt_distributions(const Models& models, std::span<const int> tokens, std::span<const ScoredToken> scores) {
    Json list = Json::array({nullptr});
    for (std::size_t i = 0; i < scores.size(); ++i) list.push_back(place(models, scores[i], tokens[i + 1]));
    return list;
}

Json scoring_meta(const Models& models, std::span<const int> tokens, int first, std::span<const ScoredToken> scores, bool texts) {
    const auto triple = [&](int id, const Json& logp) { return Json::array({logp, id, texts ? Json(models.text_of(id)) : Json(nullptr)}); };
    Json own = Json::array({triple(tokens[static_cast<std::size_t>(first)], nullptr)}), likeliest = Json::array({nullptr});
    for (std::size_t i = 0; i < scores.size(); ++i) {
        own.push_back(triple(tokens[static_cast<std::size_t>(first) + i + 1], sent_logprob(scores[i].logp)));
        Json& list = likeliest.emplace_back(Json::array());
        for (const TopEntries::Entry& one : scores[i].top.entries) list.push_back(triple(one.id, sent_logprob(one.logp)));
    }
    return {{"prompt_tokens", tokens.size()}, {"completion_tokens", 0}, {"input_token_logprobs", own}, {"input_top_logprobs", likeliest}};
}

} // namespace speclens
