#include "remote/client/served_text.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "remote/client/answer_reader.h"
#include "remote/client/probe.h"
#include "remote/reading/event_stream.h"

namespace speclens {

RequestSettings request_like(const RunSettings& s) {
    RequestSettings request;
    request.prompt = s.prompt.text;
    request.system = s.prompt.chat ? s.prompt.system : "";
    request.chat = s.prompt.chat;
    request.max_tokens = s.max_tokens;
    request.temperature = s.sampling.temperature;
    request.seed = s.seed;
    return request;
}

std::string ServedText::text() const {
    std::string out;
    for (const ServedPiece& piece : pieces) out += piece.text;
    return out;
}

int ServedText::passes_without_draft() const {
    const auto undrafted = [](const ServedRound& round) { return round.drafted == 0; };
    const auto alone = [](const ServedPiece& piece) { return piece.author == Author::target && piece.round < 0; };
    return static_cast<int>(std::ranges::count_if(rounds, undrafted) + std::ranges::count_if(pieces, alone));
}

std::optional<double> ServedText::written_per_round() const {
    if (!counts || !(counts->rounds.value_or(0) > 0)) return {};
    const double counted = *counts->rounds + counts->accepted;
    if (!rounds.empty()) return (counted - unwritten) / *counts->rounds;
    // No piece says where they ended: what is beyond the counted tokens came from the prefill and passes without
    // a draft.
    if (tokens > 0 && tokens < counted) return tokens / *counts->rounds;
    return counted / *counts->rounds;
}

std::optional<double> ServedText::tokens_per_second() const {
    if (pieces.empty()) return {};
    int arrivals = 0;
    std::size_t behind = 0; // the first piece of the second arrival
    double began = 0, first_ended = 0, bytes = 0, bytes_after_first = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (arrivals == 0 || pieces[i].ms > began + kTogetherMs) {
            began = pieces[i].ms;
            if (++arrivals == 2) behind = i;
        }
        const auto size = static_cast<double>(pieces[i].text.size());
        bytes += size;
        if (arrivals == 1)
            first_ended = pieces[i].ms;
        else
            bytes_after_first += size;
    }
    const double ms = pieces.back().ms - first_ended;
    if (arrivals < kFewestTimedArrivals || !(ms >= kShortestTimedMs)) return {};
    if (tokens_apart) return 1000 * static_cast<double>(pieces.size() - behind) / ms;
    // How many tokens a piece has is not reported: as many as its share of the text.
    if (tokens == 0 || bytes == 0) return {};
    return 1000 * tokens * (bytes_after_first / bytes) / ms;
}

std::string request_body(ServerKind kind, const RequestSettings& r) {
    Json body;
    if (!r.model.empty()) body["model"] = r.model;
    if (r.chat) {
        body["messages"] = Json::array();
        if (!r.system.empty()) body["messages"].push_back({{"role", "system"}, {"content", r.system}});
        body["messages"].push_back({{"role", "user"}, {"content", r.prompt}});
    } else {
        body["prompt"] = r.prompt;
    }
    body["max_tokens"] = r.max_tokens;
    body["temperature"] = r.temperature;
    if (r.seed) body["seed"] = *r.seed;
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
    // Only what the server in question knows: some refuse what they do not.
    if (r.own_server) {
        body["return_pieces"] = true;
    } else if (kind == ServerKind::vllm) {
        if (r.chat)
            body["logprobs"] = true; // tokens apart
        else
            body["logprobs"] = 0;
    }
    if (kind == ServerKind::llamacpp) body["timings_per_token"] = true;
    if (kind == ServerKind::sglang) body["return_spec_tokens_details"] = true;
    if (r.plain) body["speculative.n_max"] = 0;
    return body.dump(-1, BadUtf8::replaced);
}

bool may_switch_off(const ServerFacts& facts) { return facts.kind == ServerKind::llamacpp || facts.own(); }

namespace {

// What the server's counters grew by since `before`, once they hold what this request says of itself: llama.cpp books
// a request when its slot is released, which may be a moment after the answer.
std::optional<SpecCounts> grown_since(const std::optional<SpecCounts>& before, const std::optional<SpecCounts>& reported,
                                      const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& settings) {
    constexpr int kTries = 5;
    for (int i = 0; i < kTries && before && reported; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(40));
        try {
            const ServerReading now = scrape(endpoint, facts, settings);
            if (!now.counts) return {};
            SpecCounts grown = *now.counts - *before;
            if (grown.drafted < reported->drafted) continue;
            while (!grown.accepted_at.empty() && grown.accepted_at.back() <= 0) grown.accepted_at.pop_back();
            return grown;
        } catch (const Error&) {
            return {};
        }
    }
    return {};
}

// What the server's counters say after a request that told nothing of itself.
bool never_drafted(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& settings) {
    if (!facts.metrics) return false;
    try {
        const ServerReading reading = scrape(endpoint, facts, settings);
        return reading.counts ? drafts_nothing(reading) : counts_would_be_there(reading);
    } catch (const Error&) { // the answer is there all the same
        return false;
    }
}

} // namespace

ServedText send_request(const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request, const HttpSettings& settings,
                        const std::function<void(const ServedText&)>& follow) {
    RequestSettings asked = request;
    if (asked.model.empty() && !facts.models.empty()) asked.model = facts.models.front();
    asked.own_server = facts.own();
    AnswerReader reader(facts.kind, facts.reading.drafting);
    std::optional<SpecCounts> before; // of the whole server
    if (facts.kind == ServerKind::llamacpp && facts.metrics) {
        try {
            before = scrape(endpoint, facts, settings).counts;
        } catch (const Error&) { // the answer may tell enough
        }
    }
    const Stopwatch watch;
    EventStream events([&](const std::string& data) {
        reader.event(data, watch.ms());
        if (follow) follow(reader.so_far());
    });
    const HttpAnswer answer = http_post(endpoint, asked.chat ? "/v1/chat/completions" : "/v1/completions", request_body(facts.kind, asked),
                                        settings, [&](std::string_view bytes) {
                                            events.push(bytes);
                                            return true;
                                        });
    if (answer.status == 401 || answer.status == 403)
        throw Error(refusal(answer.body, answer.status),
                    settings.key.empty() ? "It wants a key: --key-from NAME names the environment variable that holds it."
                                         : "It refuses this key: is the variable that --key-from names the right one?",
                    Exit::network);
    if (!answer.ok())
        throw Error(refusal(answer.body, answer.status),
                    asked.seed ? "Check --server-model, the prompt, --max-tokens and --seed."
                               : "Check --server-model, the prompt and --max-tokens.",
                    Exit::network);
    events.finish();
    if (!reader.complete())
        throw Error("the answer ended in the middle: the server told neither a reason nor that it was done", "Look into the server's log.",
                    Exit::network);
    const double ms = watch.ms();
    return reader.finish(ms, facts.kind == ServerKind::vllm && !reader.so_far().counts && never_drafted(endpoint, facts, settings),
                         grown_since(before, reader.so_far().counts, endpoint, facts, settings));
}

} // namespace speclens
