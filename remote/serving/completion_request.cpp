#include "remote/serving/completion_request.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/base/json_read.h"

namespace speclens {
Refused refused_by(const Error& error) { return {400, std::string(error.what()) + ". " + error.remedy(), 0, error.kind()}; }

namespace {

double number_between(const Json& body, const char* key, double fallback, double least, double most) {
    const auto found = body.find(key);
    if (found == body.end() || found->is_null()) return fallback;
    if (!found->is_number() || !(found->get<double>() >= least) || !(found->get<double>() <= most))
        throw Refused{400, std::string(key) + " is " + shown(*found) + ", expected a number from " + shown(Json(least)) + " to " +
                               shown(Json(most))};
    return found->get<double>();
}

// 64.0 is an integer, too: some clients write every number so. Larger ones than these are no single whole
// number as a double.
std::optional<std::int64_t> whole_of(const Json& json) {
    constexpr double kMostExact = 9'007'199'254'740'992; // 2^53
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return {};
    if (json.is_number_integer()) return json.get<std::int64_t>();
    const double value = json.is_number() ? json.get<double>() : std::nan("");
    if (!(std::abs(value) <= kMostExact) || value != std::trunc(value)) return {};
    return static_cast<std::int64_t>(value);
}

std::int64_t whole_between(const Json& body, const char* key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
    const auto found = body.find(key);
    if (found == body.end() || found->is_null()) return fallback;
    const auto value = whole_of(*found);
    if (!value || *value < least || *value > most)
        throw Refused{400, std::string(key) + " is " + shown(*found) + ", expected an integer from " + std::to_string(least) + " to " +
                               std::to_string(most)};
    return *value;
}

// The text of a message: a string, or the text parts of a list.
std::string content_of(const Json& message) {
    const auto content = message.find("content");
    if (content == message.end()) return "";
    if (content->is_string()) return content->get<std::string>();
    if (content->is_null()) return "";
    if (!content->is_array()) throw Refused{400, "the content of a message is " + shown(*content) + ", expected a text"};
    std::string text;
    for (const Json& part : *content) {
        const auto type = part.is_object() ? part.find("type") : part.end();
        const bool is_text =
            part.is_object() && (type == part.end() || *type == "text") && part.contains("text") && part["text"].is_string();
        if (!is_text)
            throw Refused{400, "a message has a part of type " + (part.is_object() && type != part.end() ? shown(*type) : shown(part)) +
                                   ", which is not supported by this server: it takes text"};
        text += part["text"].get<std::string>();
    }
    return text;
}

// chat_template_kwargs, as vLLM and SGLang take them: enable_thinking is the one that these templates know.
std::optional<bool> wants_thinking(const Json& body) {
    const auto words = body.find("chat_template_kwargs");
    if (words == body.end() || words->is_null()) return {};
    if (!words->is_object()) throw Refused{400, "chat_template_kwargs is " + shown(*words) + ", expected an object"};
    std::optional<bool> wanted;
    for (const auto& [name, value] : words->items()) {
        if (name != "enable_thinking") throw Refused{400, "chat_template_kwargs: " + name + " is not supported, only enable_thinking is"};
        if (!value.is_boolean()) throw Refused{400, "enable_thinking is " + shown(value) + ", expected true or false"};
        wanted = value.get<bool>();
    }
    return wanted;
}

// The whole conversation as the model's chat format has it: as text, so that no turn is lost.
void read_messages(const Json& body, CompletionRequest& asked, const ChatFormat& format) {
    RunSettings& settings = asked.settings;
    if (!format.problem.empty()) throw Refused{400, format.problem + "; /v1/completions takes a prompt with the marks of that template"};
    const auto messages = body.find("messages");
    if (messages == body.end() || !messages->is_array() || messages->empty()) throw Refused{400, "messages is missing or empty"};
    std::vector<ChatTurn> turns;
    for (const Json& message : *messages) {
        const auto role = message.is_object() ? message.find("role") : message.end();
        if (!message.is_object() || role == message.end() || !role->is_string()) throw Refused{400, "a message has no role"};
        if (*role != "system" && *role != "user" && *role != "assistant")
            throw Refused{400, "the role " + shown(*role) + " is none of system, user, assistant"};
        turns.push_back({role->get<std::string>(), content_of(message)});
    }
    if (turns.back().content.empty()) throw Refused{400, "the last of the messages is empty"};
    settings.prompt.chat = false;
    const std::optional<bool> thinking = wants_thinking(body);
    settings.prompt.thinking = thinking.value_or(settings.prompt.thinking);
    // Clients send it to every model: an answer is worth more than an error.
    const std::string why = why_no_thinking(format);
    if (thinking && !why.empty() && *thinking != (format.think == ChatFormat::Think::always))
        asked.notice = std::string("enable_thinking: ") + (*thinking ? "true" : "false") + " does nothing: " + why;
    try {
        settings.prompt.parts = chat_parts(turns, settings.prompt.thinking, format);
    } catch (const Error& error) { // an order of turns that the format does not take
        throw refused_by(error);
    }
    settings.prompt.text = joined(settings.prompt.parts);
}

// Fields that are taken; that only matter beside one that is refused; that say nothing about the answer.
// clang-format off
constexpr std::string_view kTaken[] = {
    "model", "messages", "prompt", "max_tokens", "max_completion_tokens", "n_predict", "temperature", "top_p", "top_k", "seed",
    "n", "stream", "stream_options", "logprobs", "top_logprobs", "prompt_logprobs", "return_tokens_as_token_ids", "return_pieces",
    "return_token_sources", "chat_template_kwargs", "tool_choice", "add_generation_prompt", "speculative.n_max"};
// clang-format on
// clang-format off
constexpr std::string_view kWithoutEffect[] = {
    // of samplers that are refused unless they are off
    "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers", "mirostat_tau", "mirostat_eta",
    "xtc_threshold", "dynatemp_exponent", "repeat_last_n", "parallel_tool_calls", "adaptive_decay",
    // of servers and their accounts
    "user", "metadata", "store", "service_tier", "request_id", "priority", "safety_identifier", "prompt_cache_key",
    "cache_prompt", "cache_salt", "id_slot", "slot_id", "timings_per_token", "return_tokens", "return_spec_tokens_details",
    "return_progress", "rid", "add_special_tokens", "skip_special_tokens", "spaces_between_special_tokens",
    "include_stop_str_in_output", "detokenize", "min_keep", "n_keep", "t_max_predict_ms"};
// clang-format on

// What would change the answer and is not built: silence about it would be a wrong answer, so every field that is not
// known is refused by its name. One that says what holds anyway is let through: null, false, 0, nothing, or its neutral
// value.
void refuse_unknown(const Json& body) {
    struct Neutral {
        std::string_view key;
        double value;
    };
    static constexpr Neutral kNeutral[] = {{"repetition_penalty", 1}, {"repeat_penalty", 1}, {"length_penalty", 1}, {"best_of", 1},
                                           {"typical_p", 1},          {"typ_p", 1},          {"tfs_z", 1},          {"top_n_sigma", -1},
                                           {"adaptive_target", -1}};
    const auto known = [](const auto& list, const std::string& key) {
        return std::ranges::find(list, std::string_view(key)) != std::end(list);
    };
    for (const auto& [key, value] : body.items()) {
        if (known(kTaken, key) || known(kWithoutEffect, key)) continue;
        double neutral = 0;
        for (const Neutral& one : kNeutral)
            if (one.key == key) neutral = one.value;
        if (value.is_null() || value == false || value == "" || (value.is_number() && value.get<double>() == neutral) ||
            ((value.is_array() || value.is_object()) && value.empty()))
            continue;
        const bool text_format = key == "response_format" && value.is_object() && value.value("type", Json()) == "text";
        if (!text_format) throw Refused{400, key.substr(0, 80) + " is not supported by this server"};
    }
}

// A field that is true or false; absent is false. "true" in quotes would be taken for either.
bool flag(const Json& from, const char* key) {
    const auto found = from.find(key);
    if (found == from.end() || found->is_null()) return false;
    if (!found->is_boolean()) throw Refused{400, std::string(key) + " is " + shown(*found) + ", expected true or false"};
    return found->get<bool>();
}

// How many likeliest tokens of each place are asked for; -1: no log-probabilities. Completions say the number, and even 0 asks for those of
// the tokens that are written; chats say true, and the number apart.
int listed_asked(const Json& body, bool chat, int most) {
    const Json logprobs = body.value("logprobs", Json());
    const int listed = body.value("top_logprobs", Json()) == false ? 0 : static_cast<int>(whole_between(body, "top_logprobs", 0, 0, most));
    if (!chat && listed > 0) throw Refused{400, "top_logprobs is of chats; /v1/completions takes their number as logprobs"};
    if (!chat) return logprobs == false ? -1 : static_cast<int>(whole_between(body, "logprobs", -1, 0, most));
    const bool wanted = logprobs != 0 && flag(body, "logprobs");
    if (listed > 0 && !wanted) throw Refused{400, "top_logprobs needs logprobs: true"};
    return wanted ? listed : -1;
}

void read_prompt_field(const Json& body, RunSettings& settings) {
    const auto prompt = body.find("prompt");
    settings.prompt.chat = false;
    if (prompt != body.end() && prompt->is_string()) {
        settings.prompt.text = prompt->get<std::string>();
        return;
    }
    if (prompt == body.end() || !prompt->is_array() || prompt->empty())
        throw Refused{400, "prompt is neither a text nor a list of token ids"};
    // A list of prompts: each would be an answer of its own.
    const bool several = prompt->front().is_string() || prompt->front().is_array();
    if (several && prompt->size() > 1)
        throw Refused{400, "prompt is a list of " + std::to_string(prompt->size()) + " prompts; this server writes one answer"};
    if (prompt->front().is_string()) {
        settings.prompt.text = prompt->front().get<std::string>();
        return;
    }
    const Json& ids = several ? prompt->front() : *prompt;
    if (ids.empty()) throw Refused{400, "prompt is empty"};
    for (const Json& id : ids) {
        if (!id.is_number_integer() || id.get<long long>() < 0 || id.get<long long>() > 100'000'000)
            throw Refused{400, "prompt has an entry that is no token id"};
        settings.prompt.token_ids.push_back(id.get<int>());
    }
}

} // namespace

CompletionRequest read_request(const std::string& text, bool chat, const RunSettings& base, const ChatFormat& format, int most_listed) {
    const Json body = parse_foreign_json(text);
    if (!body.is_object()) throw Refused{400, "the body is not a JSON object"};
    refuse_unknown(body);
    if (body.value("add_generation_prompt", Json()) == false)
        throw Refused{400, "add_generation_prompt is false, which is not supported by this server"};
    if (const Json choice = body.value("tool_choice", Json()); !choice.is_null() && choice != "none" && choice != "auto")
        throw Refused{400, "tool_choice is " + shown(choice) + "; this server calls no tools"};
    CompletionRequest asked;
    asked.settings = base;
    asked.settings.prompt.system.clear();
    asked.settings.prompt.token_ids.clear();
    asked.settings.prompt.parts.clear();
    if (chat)
        read_messages(body, asked, format);
    else
        read_prompt_field(body, asked.settings);
    const std::int64_t most =
        whole_between(body, "max_completion_tokens",
                      whole_between(body, "max_tokens", whole_between(body, "n_predict", 64, 1, 100'000), 1, 100'000), 1, 100'000);
    asked.settings.max_tokens = static_cast<int>(most);
    asked.settings.sampling.temperature = number_between(body, "temperature", 1, 0, 100);
    asked.settings.sampling.top_p = number_between(body, "top_p", 1, 1e-6, 1);
    const std::int64_t top_k = whole_between(body, "top_k", base.sampling.top_k, -1, 1'000'000'000);
    asked.settings.sampling.top_k = static_cast<int>(std::max<std::int64_t>(0, top_k)); // -1 and 0: all of them
    if (const auto seed = body.find("seed"); seed != body.end() && !seed->is_null())
        asked.settings.seed =
            static_cast<std::uint64_t>(whole_between(body, "seed", 0, 0, std::numeric_limits<std::int64_t>::max())); // as --seed takes
    if (const auto n = body.find("n"); n != body.end() && !n->is_null() && *n != 1)
        throw Refused{400, "n is " + shown(*n) + "; this server writes one answer, so only 1 is supported"};
    // llama.cpp's: fewer drafts than the server was started with, or none.
    asked.settings.k = static_cast<int>(whole_between(body, "speculative.n_max", base.k, 0, base.k));
    asked.settings.timing = true;
    asked.stream = flag(body, "stream");
    if (const auto options = body.find("stream_options"); options != body.end() && !options->is_null()) {
        if (!options->is_object()) throw Refused{400, "stream_options is " + shown(*options) + ", expected an object"};
        asked.usage = flag(*options, "include_usage");
    }
    asked.top = listed_asked(body, chat, most_listed);
    asked.as_ids = flag(body, "return_tokens_as_token_ids");
    asked.sources = flag(body, "return_token_sources");
    asked.settings.trace_top = std::max(asked.top < 0 ? 0 : std::max(asked.top, 1), asked.sources ? kSourceListed : 0);
    asked.pieces = flag(body, "return_pieces");
    if (const auto model = body.find("model"); model != body.end() && !model->is_null()) {
        if (!model->is_string()) throw Refused{400, "model is " + shown(*model) + ", expected a name"};
        asked.model = model->get<std::string>();
    }
    asked.prompt_top = static_cast<int>(whole_between(body, "prompt_logprobs", -1, 0, most_listed));
    if (asked.prompt_top >= 0 && (chat || asked.stream))
        throw Refused{400, "prompt_logprobs is answered at /v1/completions only, and not as a stream"};
    return asked;
}

} // namespace speclens
