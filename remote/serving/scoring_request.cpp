#include "remote/serving/scoring_request.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "engine/base/json_read.h"

namespace speclens {
namespace {

// Of the request; of its sampling_params.
constexpr std::string_view kScoringFields[] = {"input_ids",        "sampling_params",         "return_logprob", "logprob_start_len",
                                               "top_logprobs_num", "return_text_in_logprobs", "stream",         "rid"};
constexpr std::string_view kScoringSampling[] = {"max_new_tokens", "temperature"};

template <std::size_t N>
void only_known(const Json& object, const std::string_view (&known)[N], const std::string& within) {
    for (const auto& [key, value] : object.items())
        if (std::ranges::find(known, std::string_view(key)) == std::end(known))
            throw Refused{400, within + key.substr(0, 80) + " is not supported at this address"};
}

long long count(const Json& object, const char* key, long long otherwise, long long least, long long most) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return otherwise;
    if (!found->is_number_integer() || found->get<long long>() < least || found->get<long long>() > most)
        throw Refused{400, std::string(key) + " is " + shown(*found) + ", expected an integer from " + std::to_string(least) + " to " +
                               std::to_string(most)};
    return found->get<long long>();
}

bool said(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return false;
    if (!found->is_boolean()) throw Refused{400, std::string(key) + " is " + shown(*found) + ", expected true or false"};
    return found->get<bool>();
}

} // namespace

void check_entries(long long places, long long listed) {
    if (places * (listed + 1) <= kMostScoredEntries) return;
    throw Refused{400, "the answer would have " + std::to_string(places * (listed + 1)) + " entries, and this server tells " +
                           std::to_string(kMostScoredEntries) + " at most: ask for fewer places, or fewer tokens of each"};
}

ScoringRequest read_scoring(const std::string& text, int most_listed) {
    const Json body = parse_foreign_json(text);
    if (!body.is_object()) throw Refused{400, "the body is not a JSON object"};
    only_known(body, kScoringFields, "");
    const auto ids = body.find("input_ids");
    if (ids == body.end() || !ids->is_array() || ids->size() < 2) throw Refused{400, "input_ids is not a list of two token ids or more"};
    ScoringRequest asked;
    for (const Json& id : *ids) {
        if (!id.is_number_integer() || id.get<long long>() < 0 || id.get<long long>() > 100'000'000)
            throw Refused{400, "input_ids has an entry that is no token id"};
        asked.scoring.tokens.push_back(id.get<int>());
    }
    if (!said(body, "return_logprob") || said(body, "stream"))
        throw Refused{400, "this address tells log-probabilities of a text, whole: return_logprob must be true and stream false"};
    const auto sampling = body.find("sampling_params");
    const Json none = Json::object();
    const Json& params = sampling == body.end() || sampling->is_null() ? none : *sampling;
    if (!params.is_object()) throw Refused{400, "sampling_params is " + shown(params) + ", expected an object"};
    only_known(params, kScoringSampling, "sampling_params: ");
    if (count(params, "max_new_tokens", 128, 0, 1'000'000) != 0)
        throw Refused{400, "this address writes no tokens: max_new_tokens must be 0; /v1/completions writes"};
    const long long last = static_cast<long long>(asked.scoring.tokens.size()) - 1;
    const long long first = count(body, "logprob_start_len", -1, -1, last - 1);
    asked.scoring.first = static_cast<int>(first < 0 ? last - 1 : first);
    asked.scoring.top = static_cast<int>(count(body, "top_logprobs_num", 0, 0, most_listed));
    asked.texts = said(body, "return_text_in_logprobs");
    check_entries(last - asked.scoring.first, asked.scoring.top);
    return asked;
}

} // namespace speclens
