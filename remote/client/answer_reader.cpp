#include "remote/client/answer_reader.h"

#include <algorithm>

#include "engine/base/json_read.h"

namespace speclens {
namespace {

constexpr std::size_t kMostPieces = 200'000;

std::optional<double> number_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number()) return {};
    return told_count(found->get<double>());
}

const Json* object_in(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_object() ? &*found : nullptr;
}

std::vector<double> numbers_at(const Json& json, const char* key) {
    std::vector<double> out;
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) return out;
    for (const Json& entry : *found) {
        if (out.size() == kMostPieces) break;
        out.push_back(entry.is_number() ? told_count(entry.get<double>()).value_or(0) : 0);
    }
    return out;
}

std::vector<int> rounds_at(const Json& json, const char* key) {
    std::vector<int> out;
    for (const double value : numbers_at(json, key))
        out.push_back(static_cast<int>(std::min(value, kMostServedDrafts)));
    return out;
}

// SpecCounts::judged_at of rounds that drafted chains: each judged what it kept and the draft behind. Empty
// where they are not all listed, or where more was drafted than there are places: trees.
std::vector<double> judged_in(const std::vector<int>& accepted, const std::vector<int>& drafted,
                              std::size_t places) {
    std::vector<double> out(places, 0);
    if (accepted.empty() || accepted.size() != drafted.size()) return {};
    for (std::size_t round = 0; round < accepted.size(); ++round) {
        if (drafted[round] > static_cast<int>(places)) return {};
        const int judged = std::min(drafted[round], accepted[round] + 1);
        for (int i = 0; i < judged; ++i) out[static_cast<std::size_t>(i)] += 1;
    }
    return out;
}

// [j]: rounds that kept j drafts.
std::vector<double> histogram_at(const Json& json, const char* key) {
    std::vector<double> out = numbers_at(json, key);
    if (static_cast<double>(out.size()) > kMostServedDrafts) out.clear();
    return out;
}

// The pieces of one choice: tokens where the server lists them (logprobs), else the text as it came.
std::vector<std::string> pieces_of(const Json& choice, bool& tokens_apart) {
    std::string whole;
    if (const Json* delta = object_in(choice, "delta"))
        for (const char* key : {"reasoning_content", "reasoning", "content"}) {
            const auto text = delta->find(key);
            if (text != delta->end() && text->is_string()) whole += text->get<std::string>();
        }
    if (const auto text = choice.find("text"); text != choice.end() && text->is_string())
        whole += text->get<std::string>();
    std::vector<std::string> tokens;
    if (const Json* logprobs = object_in(choice, "logprobs")) {
        if (const auto list = logprobs->find("tokens"); list != logprobs->end() && list->is_array())
            for (const Json& token : *list)
                if (token.is_string()) tokens.push_back(token.get<std::string>());
        if (const auto list = logprobs->find("content"); list != logprobs->end() && list->is_array())
            for (const Json& entry : *list)
                if (entry.is_object() && entry.contains("token") && entry["token"].is_string())
                    tokens.push_back(entry["token"].get<std::string>());
    }
    if (!tokens.empty()) return tokens;
    if (whole.empty()) return {};
    tokens_apart = false;
    return {whole};
}

} // namespace

std::string refusal(const std::string& body, int status) {
    const Json json = parse_foreign_json(body);
    std::string words;
    if (json.is_object()) {
        const auto error = json.find("error");
        const Json& from = error != json.end() && error->is_object() ? *error : json;
        for (const char* key : {"message", "detail"})
            if (const auto found = from.find(key); found != from.end() && found->is_string())
                words = found->get<std::string>();
    }
    if (words.empty()) words = body.substr(0, 200);
    return "the server refuses with status " + std::to_string(status) +
           (words.empty() ? "" : ": " + words.substr(0, 400));
}

void AnswerReader::event(const std::string& data, double ms) {
    if (data == "[DONE]") {
        done_ = true;
        return;
    }
    const Json json = parse_foreign_json(data);
    if (!json.is_object()) return;
    if (json.contains("error")) { // a refusal in a stream that had begun with 200
        const Json* error = object_in(json, "error");
        const auto code = error ? number_at(*error, "code") : std::nullopt;
        throw Error(refusal(data, code ? static_cast<int>(*code) : 200),
                    "Check the prompt and --max-tokens, or look into the server's log.", Exit::network);
    }
    std::optional<Growth> growth;
    if (const Json* timings = object_in(json, "timings")) {
        const auto drafted = number_at(*timings, "draft_n"),
                   accepted = number_at(*timings, "draft_n_accepted");
        if (drafted && accepted) {
            growth = Growth{*drafted, *accepted};
            SpecCounts counts = out_.counts.value_or(SpecCounts{});
            counts.rounds.reset(); // worked out at the end, where the pieces allow it
            counts.drafted = *drafted;
            counts.accepted = *accepted;
            out_.counts = counts;
        }
    }
    if (const auto choices = json.find("choices");
        choices != json.end() && choices->is_array() && !choices->empty() && choices->front().is_object()) {
        const Json& choice = choices->front();
        int arrived = 0;
        for (std::string& piece : pieces_of(choice, tokens_apart_)) {
            if (out_.pieces.size() >= kMostPieces) break;
            if (out_.pieces.empty()) out_.first_ms = ms;
            out_.pieces.push_back({std::move(piece), ms, -1, Author::unknown});
            growth_.push_back(growth);
            ++arrived;
        }
        if (arrived > 0) arrivals_.push_back(arrived);
        if (const auto finish = choice.find("finish_reason"); finish != choice.end() && finish->is_string())
            out_.finish = finish->get<std::string>();
    }
    if (const Json* usage = object_in(json, "usage"))
        if (const auto tokens = number_at(*usage, "completion_tokens"))
            out_.tokens = static_cast<int>(std::min(*tokens, 1e9));
    if (const Json* metrics = object_in(json, "metrics")) {
        lists_none_ =
            metrics->contains("speculative_decoding") && (*metrics)["speculative_decoding"].is_null();
        if (const Json* spec = object_in(*metrics, "speculative_decoding")) {
            const auto histogram = histogram_at(*spec, "acceptance_histogram");
            SpecCounts counts =
                counts_of_histogram(histogram, number_at(*spec, "num_draft_tokens").value_or(0));
            if (histogram.empty()) {
                counts.rounds = number_at(*spec, "num_spec_steps");
                counts.accepted = number_at(*spec, "num_accepted_draft_tokens").value_or(0);
            }
            out_.counts = counts;
            listed_accepted_ = rounds_at(*spec, "per_step_accepted");
            listed_drafted_ = rounds_at(*spec, "per_step_drafted");
            listed_tokens_ = rounds_at(*spec, "per_step_tokens");
            out_.counts->judged_at = numbers_at(*spec, "judged_per_position");
            if (out_.counts->judged_at.empty())
                out_.counts->judged_at =
                    judged_in(listed_accepted_, listed_drafted_, out_.counts->accepted_at.size());
        }
    }
    if (const Json* ext = object_in(json, "sglext"))
        if (const Json* spec = object_in(*ext, "spec_tokens_details")) {
            auto histogram = histogram_at(*spec, "spec_correct_drafts_histogram");
            if (histogram.empty()) histogram = histogram_at(*spec, "spec_accept_histogram");
            const double drafted = number_at(*spec, "spec_num_proposed_drafts")
                                       .value_or(number_at(*spec, "spec_draft_token_num").value_or(0));
            SpecCounts counts = counts_of_histogram(histogram, drafted);
            if (const auto rounds = number_at(*spec, "spec_verify_ct")) counts.rounds = rounds;
            counts.accepted =
                number_at(*spec, "spec_num_correct_drafts")
                    .value_or(number_at(*spec, "spec_accept_token_num").value_or(counts.accepted));
            out_.counts = counts;
        }
}

} // namespace speclens
