#include "remote/serving/prompt_distributions.h"

#include <algorithm>
#include <cmath>

#include "engine/run/run.h"

namespace speclens {
namespace {

Json told(const Models& models, const Distribution& distribution, int token, int top) {
    const auto p = [&](int id) { return distribution[static_cast<std::size_t>(id)]; };
    const auto entry = [&](int id, int rank) {
        const double logp = p(id) > 0 ? std::log(p(id)) : -9999.0; // what vLLM writes for a probability of 0
        return Json{{"logprob", logp}, {"rank", rank}, {"decoded_token", models.text_of(id)}};
    };
    Json out = Json::object();
    int rank = 0;
    for (const TopEntries::Entry& one : top_of(distribution, top).entries)
        out[std::to_string(one.id)] = entry(one.id, ++rank);
    if (const std::string own = std::to_string(token); !out.contains(own))
        out[own] = entry(
            token, 1 + static_cast<int>(std::ranges::count_if(distribution, [&](double q) { return q > p(token); })));
    return out;
}

} // namespace

Json prompt_distributions(const Models& models, std::span<const int> tokens, int top) {
    if (!models.target)
        throw Error("this target tells no log-probabilities of a prompt", "Serve a checkpoint.", Exit::usage);
    const int count = static_cast<int>(tokens.size()), limit = models.target->config.context();
    if (count > limit) throw PromptTooLong(count, models.target_name(), limit);
    const std::unique_ptr<Decoder> decoder = make_model_decoder(models.target, count);
    Json list = Json::array({nullptr});
    for (int from = 0; from + 1 < count;) { // the distribution behind the last token is not told
        const int rows = std::min(decoder->max_rows(), count - 1 - from);
        PassRows& pass = decoder->forward(
            {.tokens = tokens.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(rows))});
        for (int row = 0; row < rows; ++row)
            list.push_back(told(models, pass.distribution(row, kRawSampling),
                                tokens[static_cast<std::size_t>(from + row) + 1], top));
        from += rows;
    }
    return list;
}

} // namespace speclens
