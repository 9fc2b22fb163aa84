#include "remote/client/answer_reader.h"

#include <algorithm>

#include "engine/base/json_read.h"
#include "remote/reading/event_stream.h"

namespace speclens {
namespace {

constexpr std::size_t kMostPieces = 200'000;

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
        out.push_back(entry.is_number() ? reported_count(entry.get<double>()).value_or(0) : 0);
    }
    return out;
}

std::vector<int> rounds_at(const Json& json, const char* key) {
    std::vector<int> out;
    for (const double value : numbers_at(json, key)) out.push_back(static_cast<int>(std::min(value, kMostServedDrafts)));
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
    for (const char* where : {"delta", "message"}) { // message: of an answer that was not streamed
        const Json* delta = object_in(choice, where);
        if (!delta) continue;
        const auto add = [&](const Json& from, const char* key) {
            const auto text = from.find(key);
            if (text != from.end() && text->is_string()) whole += text->get<std::string>();
        };
        for (const char* key : {"reasoning_content", "reasoning", "content"}) add(*delta, key);
        if (const auto calls = delta->find("tool_calls"); calls != delta->end() && calls->is_array())
            for (const Json& call : *calls)
                if (const Json* function = call.is_object() ? object_in(call, "function") : nullptr)
                    for (const char* key : {"name", "arguments"}) add(*function, key);
    }
    if (const auto text = choice.find("text"); text != choice.end() && text->is_string()) whole += text->get<std::string>();
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

std::vector<double> judged_in(const std::vector<int>& accepted, const std::vector<int>& drafted, std::size_t places) {
    std::vector<double> out(places, 0);
    if (accepted.empty() || accepted.size() != drafted.size()) return {};
    for (std::size_t round = 0; round < accepted.size(); ++round) {
        if (drafted[round] > static_cast<int>(places)) return {};
        const int judged = std::min(drafted[round], accepted[round] + 1);
        for (int i = 0; i < judged; ++i) out[static_cast<std::size_t>(i)] += 1;
    }
    return out;
}

std::string refusal(const std::string& body, int status) {
    const Json json = parse_foreign_json(body);
    std::string words;
    if (json.is_object()) {
        const auto error = json.find("error");
        const Json& from = error != json.end() && error->is_object() ? *error : json;
        for (const char* key : {"message", "detail"})
            if (const auto found = from.find(key); found != from.end() && found->is_string()) words = found->get<std::string>();
    }
    if (words.empty()) words = body.substr(0, 200);
    return "the server refuses with status " + std::to_string(status) + (words.empty() ? "" : ": " + words.substr(0, 400));
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
        const auto code = error ? reported_at(*error, "code") : std::nullopt;
        throw Error(refusal(data, code ? static_cast<int>(*code) : 200),
                    "Check the prompt and --max-tokens, or look into the server's log.", Exit::network);
    }
    if (const auto choices = json.find("choices");
        choices != json.end() && choices->is_array() && !choices->empty() && choices->front().is_object())
        take_choice(choices->front(), ms);
    else if (const auto text = json.find("content"); text != json.end() && text->is_string()) // /completion
        take_choice(Json{{"text", *text}}, ms);
    else if (const auto written = json.find("text"); written != json.end() && written->is_string()) // /generate
        take_choice(Json{{"text", *written}}, ms);
    if (const auto stop = json.find("stop_type");
        stop != json.end() && stop->is_string() && !stop->get<std::string>().empty() && *stop != "none")
        out_.finish = *stop == "limit" ? "length" : "stop";
    if (const Json* timings = object_in(json, "timings")) take_timings(*timings);
    growth_.resize(out_.pieces.size(), growth_now_);
    if (const Json* usage = object_in(json, "usage")) {
        if (const auto tokens = reported_at(*usage, "completion_tokens")) out_.tokens = static_cast<int>(std::min(*tokens, 1e9));
        // Predicted outputs: what of the user's own text was taken, and what was not.
        if (const Json* details = object_in(*usage, "completion_tokens_details")) {
            const auto taken = reported_at(*details, "accepted_prediction_tokens"),
                       refused = reported_at(*details, "rejected_prediction_tokens");
            if (taken && refused && *taken + *refused > 0) {
                out_.counts = SpecCounts{{}, *taken + *refused, *taken, {}};
                if (out_.tokens >= *taken) out_.rounds_at_most = out_.tokens - *taken;
            }
        }
        if (const Json* details = object_in(*usage, "prompt_tokens_details"))
            if (const auto cached = reported_at(*details, "cached_tokens"), prompt = reported_at(*usage, "prompt_tokens"); cached && prompt)
                repeated_ = *prompt > 1 && *cached >= *prompt - 1;
    }
    take_other_stats(json);
    if (const Json* metrics = object_in(json, "metrics")) {
        lists_none_ = metrics->contains("speculative_decoding") && (*metrics)["speculative_decoding"].is_null();
        if (const Json* spec = object_in(*metrics, "speculative_decoding")) {
            const auto histogram = histogram_at(*spec, "acceptance_histogram");
            SpecCounts counts = counts_of_histogram(histogram, reported_at(*spec, "num_draft_tokens").value_or(0));
            const double most = reported_at(*spec, "num_spec_tokens").value_or(0);
            if (!histogram.empty() && most <= kMostServedDrafts) // its highest buckets are 0, and may not be there
                counts.accepted_at.resize(std::max(counts.accepted_at.size(), static_cast<std::size_t>(most)), 0);
            if (histogram.empty()) {
                counts.rounds = reported_at(*spec, "num_spec_steps");
                counts.accepted = reported_at(*spec, "num_accepted_draft_tokens").value_or(0);
            }
            out_.counts = counts;
            const auto steps = reported_at(*spec, "num_spec_steps"), kept = reported_at(*spec, "num_accepted_draft_tokens");
            if (!histogram.empty() && ((steps && steps != counts.rounds) || (kept && *kept != counts.accepted)))
                wrong_ = histogram_differs();
            reported_length_ = reported_at(*spec, "mean_acceptance_length");
            listed_accepted_ = rounds_at(*spec, "per_step_accepted");
            listed_drafted_ = rounds_at(*spec, "per_step_drafted");
            listed_tokens_ = rounds_at(*spec, "per_step_tokens");
            out_.counts->judged_at = numbers_at(*spec, "judged_per_position");
            if (out_.counts->judged_at.empty())
                out_.counts->judged_at = judged_in(listed_accepted_, listed_drafted_, out_.counts->accepted_at.size());
        }
    }
    if (const Json* ext = object_in(json, "sglext"))
        if (const Json* spec = object_in(*ext, "spec_tokens_details")) take_details(*spec);
    if (const Json* meta = object_in(json, "meta_info")) { // of /generate
        if (const auto tokens = reported_at(*meta, "completion_tokens")) out_.tokens = static_cast<int>(std::min(*tokens, 1e9));
        if (reported_at(*meta, "spec_verify_ct")) take_details(*meta);
        if (const Json* reason = object_in(*meta, "finish_reason"))
            if (const auto type = reason->find("type"); type != reason->end() && type->is_string()) out_.finish = type->get<std::string>();
    }
}

void AnswerReader::take_choice(const Json& choice, double ms) {
    int arrived = 0;
    for (std::string& piece : pieces_of(choice, tokens_apart_)) {
        if (out_.pieces.size() >= kMostPieces) break;
        if (out_.pieces.empty()) out_.first_ms = ms;
        out_.pieces.push_back({std::move(piece), ms, -1, Author::unknown});
        ++arrived;
    }
    if (arrived > 0) arrivals_.push_back(arrived);
    if (const auto finish = choice.find("finish_reason"); finish != choice.end() && finish->is_string())
        out_.finish = finish->get<std::string>();
}

// llama.cpp. A request for which nothing was drafted (so far) carries no draft_n: that is 0.
void AnswerReader::take_timings(const Json& timings) {
    const auto drafted = reported_at(timings, "draft_n"), accepted = reported_at(timings, "draft_n_accepted"),
               written = reported_at(timings, "predicted_n");
    timings_ = true;
    // mlx-vlm, mlxcel and Nativ add what llama.cpp leaves open (Blaizzy/mlx-vlm pull requests 1788, 2324): rounds; their
    // accepted drafts hold those behind the end of the text.
    rounds_told_ = reported_at(timings, "draft_rounds");
    out_.reported_tokens_per_second = reported_at(timings, "predicted_per_second");
    if (drafted && accepted) {
        growth_now_ = Growth{*drafted, *accepted};
        SpecCounts counts = out_.counts.value_or(SpecCounts{});
        counts.rounds = rounds_told_; // else worked out at the end, where the pieces allow it
        counts.drafted = *drafted;
        counts.accepted = *accepted;
        out_.counts = counts;
    }
    if (!written) return;
    constexpr double kMostWritten = 1e8;
    seen_.push_back({static_cast<int>(std::min(*written, kMostWritten)), drafted.value_or(0), accepted.value_or(0), out_.pieces.size()});
    out_.tokens = std::max(out_.tokens, seen_.back().written);
}

// LM Studio's stats, of its REST answers and in the spelling of its SDK (lmstudio.ai/docs, @lmstudio/sdk
// LLMPredictionStats): of all drafts some were accepted, some rejected and some ignored. Mac-MLX' usage
// (magicnight/Mac-MLX pull request 68): proposed and accepted. Neither tells rounds.
void AnswerReader::take_other_stats(const Json& json) {
    const auto either = [](const Json& where, const char* snake, const char* camel) {
        const auto value = reported_at(where, snake);
        return value ? value : reported_at(where, camel);
    };
    const auto lmstudio = [&](const Json& stats) {
        if (const auto speed = either(stats, "tokens_per_second", "tokensPerSecond"); speed && !out_.reported_tokens_per_second)
            out_.reported_tokens_per_second = speed;
        if (const auto tokens = either(stats, "predicted_tokens_count", "predictedTokensCount"); tokens && out_.tokens == 0)
            out_.tokens = static_cast<int>(std::min(*tokens, 1e9));
        const auto all = either(stats, "total_draft_tokens_count", "totalDraftTokensCount"),
                   kept = either(stats, "accepted_draft_tokens_count", "acceptedDraftTokensCount");
        if (!all || !kept) return;
        const double refused = either(stats, "rejected_draft_tokens_count", "rejectedDraftTokensCount").value_or(0),
                     ignored = either(stats, "ignored_draft_tokens_count", "ignoredDraftTokensCount").value_or(0);
        out_.counts = SpecCounts{{}, *all, *kept, {}};
        if (*kept + refused + ignored > *all) wrong_ = server_said("wrong.ignored"_t);
        if (ignored > 0) out_.notes.push_back(server_said("note.ignored"_t, "ignored"_v = ignored));
    };
    lmstudio(json); // the stats object alone
    if (const Json* stats = object_in(json, "stats")) lmstudio(*stats);
    const Json* usage = object_in(json, "usage");
    if (!usage) return;
    lmstudio(*usage);
    const Json* spec = object_in(*usage, "speculative_decoding");
    if (!spec) return;
    const auto proposed = reported_at(*spec, "proposed_tokens"), accepted = reported_at(*spec, "accepted_tokens");
    if (proposed && accepted) out_.counts = SpecCounts{{}, *proposed, *accepted, {}};
}

void AnswerReader::take_details(const Json& spec) {
    auto histogram = histogram_at(spec, "spec_correct_drafts_histogram");
    if (histogram.empty()) histogram = histogram_at(spec, "spec_accept_histogram");
    const double drafted = reported_at(spec, "spec_num_proposed_drafts").value_or(reported_at(spec, "spec_draft_token_num").value_or(0));
    SpecCounts counts = counts_of_histogram(histogram, drafted);
    counts.shape = shape_; // its histogram ends at the most that a round of this answer kept, so it tells no shape
    const auto rounds = reported_at(spec, "spec_verify_ct"), kept = reported_at(spec, "spec_num_correct_drafts");
    if (!histogram.empty() && ((rounds && rounds != counts.rounds) || (kept && *kept != counts.accepted))) wrong_ = histogram_differs();
    reported_length_ = reported_at(spec, "spec_accept_length");
    if (rounds) counts.rounds = rounds;
    counts.accepted =
        reported_at(spec, "spec_num_correct_drafts").value_or(reported_at(spec, "spec_accept_token_num").value_or(counts.accepted));
    out_.counts = counts;
}

namespace {

bool lmstudio_stats(const Json& json) { return json.contains("total_draft_tokens_count") || json.contains("totalDraftTokensCount"); }

bool is_answer(const Json& json) {
    const Json* stats = json.is_object() ? object_in(json, "stats") : nullptr;
    return json.is_object() &&
           (lmstudio_stats(json) || (stats && (lmstudio_stats(*stats) || json.contains("content"))) || json.contains("choices") ||
            json.contains("meta_info") || (json.contains("timings") && json["timings"].is_object()) ||
            (json.contains("usage") && json["usage"].is_object()));
}

ServerKind kind_of(const Json& json) {
    if (json.contains("sglext") || json.contains("meta_info")) return ServerKind::sglang;
    if (const Json* timings = object_in(json, "timings"); timings && (timings->contains("draft_kind") || timings->contains("draft_rounds")))
        return ServerKind::mlx;
    if (json.contains("timings")) return ServerKind::llamacpp;
    const Json *usage = object_in(json, "usage"), *stats = object_in(json, "stats");
    if (lmstudio_stats(json) || (stats && (lmstudio_stats(*stats) || stats->contains("tokens_per_second"))) ||
        (usage && lmstudio_stats(*usage)))
        return ServerKind::lmstudio;
    if (usage && usage->contains("speculative_decoding")) return ServerKind::mlx;
    if (const Json* metrics = object_in(json, "metrics"); metrics && metrics->contains("speculative_decoding")) return ServerKind::vllm;
    return ServerKind::unknown;
}

SavedAnswer whole_answer(const Json& json) {
    SavedAnswer out;
    out.kind = kind_of(json);
    AnswerReader reader(out.kind);
    reader.event(json.dump(-1, BadUtf8::replaced), 0);
    out.served = reader.finish(0);
    return out;
}

// "data: {…}" lines, as curl saves them.
std::optional<SavedAnswer> streamed_answer(std::string_view text) {
    SavedAnswer out;
    std::vector<std::string> events;
    EventStream stream([&](const std::string& data) { events.push_back(data); });
    stream.push(text);
    stream.finish();
    bool any = false;
    for (const std::string& event : events) {
        const Json json = parse_foreign_json(event);
        if (!is_answer(json)) continue;
        any = true;
        if (out.kind == ServerKind::unknown) out.kind = kind_of(json);
    }
    if (!any) return {};
    AnswerReader reader(out.kind);
    for (const std::string& event : events) reader.event(event, 0);
    out.served = reader.finish(0);
    return out;
}

} // namespace

std::optional<std::vector<SavedAnswer>> read_saved_answers(std::string_view text) {
    if (constexpr std::string_view kMark = "\xEF\xBB\xBF"; text.starts_with(kMark)) text.remove_prefix(kMark.size());
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    std::vector<SavedAnswer> out;
    if (text.starts_with("data:") || text.starts_with(":") || text.starts_with("event:")) {
        if (auto one = streamed_answer(text)) out.push_back(std::move(*one));
    } else if (text.starts_with("{") || text.starts_with("[")) {
        const Json json = parse_foreign_json(text);
        if (is_answer(json)) {
            out.push_back(whole_answer(json));
        } else if (json.is_array()) {
            for (const Json& one : json)
                if (is_answer(one)) out.push_back(whole_answer(one));
        } else if (json.is_discarded()) { // an answer a line?
            while (!text.empty()) {
                const std::size_t end = std::min(text.find('\n'), text.size());
                const Json one = parse_foreign_json(text.substr(0, end));
                if (!is_answer(one)) break;
                out.push_back(whole_answer(one));
                text.remove_prefix(std::min(end + 1, text.size()));
                text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
            }
        }
    }
    if (out.empty()) return {};
    return out;
}

} // namespace speclens
