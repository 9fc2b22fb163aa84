#include "remote/served_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/clock.h"
#include "engine/json_read.h"
#include "remote/event_stream.h"

namespace speclens {
namespace {

constexpr std::size_t kMostPieces = 200'000;
constexpr double kMostDrafts = 4096; // of one round; more is no count of drafts

std::optional<double> number_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number()) return {};
    const double value = found->get<double>();
    return std::isfinite(value) && value >= 0 ? std::optional<double>(value) : std::nullopt;
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
        const double value = entry.is_number() ? entry.get<double>() : 0;
        out.push_back(value > 0 && std::isfinite(value) ? value : 0);
    }
    return out;
}

std::vector<int> rounds_at(const Json& json, const char* key) {
    std::vector<int> out;
    for (const double value : numbers_at(json, key))
        out.push_back(static_cast<int>(std::min(value, kMostDrafts)));
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
    if (static_cast<double>(out.size()) > kMostDrafts) out.clear();
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

} // namespace

RequestSettings request_like(const RunSettings& s) {
    RequestSettings request;
    request.prompt = s.prompt;
    request.system = s.chat ? s.system : "";
    request.chat = s.chat;
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
    const auto alone = [](const ServedPiece& piece) {
        return piece.author == Author::target && piece.round < 0;
    };
    return static_cast<int>(std::ranges::count_if(rounds, undrafted) + std::ranges::count_if(pieces, alone));
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
    return body.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
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

// Our own server lists how many tokens every round wrote: the drafts that it kept, then the target's own,
// unless the text ended before.
void AnswerReader::fit_written() {
    out_.provenance = Provenance::exact;
    int at = 0;
    for (std::size_t round = 0; round < listed_tokens_.size(); ++round) {
        const int accepted = listed_accepted_[round];
        out_.rounds.push_back({listed_drafted_[round], accepted});
        for (int i = 0; i < listed_tokens_[round]; ++i, ++at) {
            out_.pieces[static_cast<std::size_t>(at)].round = static_cast<int>(round);
            out_.pieces[static_cast<std::size_t>(at)].author = i < accepted ? Author::draft : Author::target;
        }
    }
}

// vLLM `detailed`: round i wrote a_i drafts and one token of the target's, after a first token from the
// prefill; the last round may have been cut. A server may also have no token before its first round: where
// pieces stopped arriving together, a round ended, and that decides.
void AnswerReader::fit_listed() {
    const int total = std::accumulate(listed_accepted_.begin(), listed_accepted_.end(), 0) +
                      static_cast<int>(listed_accepted_.size());
    const int pieces = static_cast<int>(out_.pieces.size()), last = listed_accepted_.back();
    const auto fits = [&](int before) { return total + before >= pieces && total + before - pieces <= last; };
    const auto ends_where_pieces_came = [&](int before) {
        std::set<int> ends{0, before, pieces};
        int at = before;
        for (const int accepted : listed_accepted_) ends.insert(at += accepted + 1);
        at = 0;
        return std::all_of(arrivals_.begin(), arrivals_.end(), [&](int n) { return ends.contains(at += n); });
    };
    const bool first = fits(1) && !(fits(0) && !ends_where_pieces_came(1) && ends_where_pieces_came(0));
    if (!first && !fits(0)) {
        out_.notes.push_back("the listed rounds make " + std::to_string(total + 1) + " tokens, " +
                             std::to_string(pieces) +
                             " pieces arrived: which of them were guessed stays open");
        return;
    }
    out_.provenance = Provenance::exact;
    int at = 0;
    if (first && pieces > 0) out_.pieces[at++].author = Author::first;
    for (int round = 0; round < static_cast<int>(listed_accepted_.size()); ++round) {
        const int accepted = listed_accepted_[round];
        const bool drafted_known = round < static_cast<int>(listed_drafted_.size());
        out_.rounds.push_back({drafted_known ? listed_drafted_[round] : -1, accepted});
        for (int i = 0; i <= accepted && at < pieces; ++i, ++at) {
            out_.pieces[at].round = round;
            out_.pieces[at].author = i < accepted ? Author::draft : Author::target;
        }
    }
}

// llama.cpp: a piece whose draft_n is larger than before opens a round that kept as many drafts as
// draft_n_accepted grew.
void AnswerReader::fit_growth() {
    Growth before{0, 0};
    int left = 0;
    bool first = true;
    for (std::size_t i = 0; i < out_.pieces.size(); ++i) {
        ServedPiece& piece = out_.pieces[i];
        if (growth_[i] && growth_[i]->drafted > before.drafted) {
            const double drafted = growth_[i]->drafted - before.drafted,
                         accepted = growth_[i]->accepted - before.accepted;
            if (drafted > kMostDrafts || accepted < 0 || accepted > drafted) {
                out_.rounds.clear();
                for (ServedPiece& open : out_.pieces)
                    open = {std::move(open.text), open.ms, -1, Author::unknown};
                out_.notes.push_back(
                    "draft_n and draft_n_accepted do not fit together: which pieces were guessed stays open");
                return;
            }
            out_.rounds.push_back({static_cast<int>(drafted), static_cast<int>(accepted)});
            left = out_.rounds.back().accepted;
            before = *growth_[i];
        } else if (left == 0) { // a pass without drafts
            piece.author = first ? Author::first : Author::target;
            first = false;
            continue;
        } else {
            --left;
        }
        first = false;
        piece.round = static_cast<int>(out_.rounds.size()) - 1;
        piece.author = left > 0 ? Author::draft : Author::target;
    }
    if (out_.rounds.empty()) return;
    out_.provenance = Provenance::inferred;
    std::vector<double> histogram;
    for (const ServedRound& round : out_.rounds) {
        histogram.resize(
            std::max<std::size_t>(histogram.size(),
                                  static_cast<std::size_t>(std::max(round.accepted, round.drafted)) + 1),
            0);
        histogram[static_cast<std::size_t>(round.accepted)] += 1;
    }
    out_.counts = counts_of_histogram(histogram, before.drafted);
}

// Tokens that arrive together were written by one pass, the last of them by the target.
void AnswerReader::fit_arrivals() {
    std::size_t at = 0;
    for (std::size_t event = 0; event < arrivals_.size(); ++event) {
        const int n = arrivals_[event];
        if (event == 0 && n == 1) {
            out_.pieces[at++].author = Author::first;
            continue;
        }
        out_.rounds.push_back({-1, n - 1});
        for (int i = 0; i < n; ++i, ++at) {
            out_.pieces[at].round = static_cast<int>(out_.rounds.size()) - 1;
            out_.pieces[at].author = i + 1 < n ? Author::draft : Author::target;
        }
    }
    out_.provenance = Provenance::inferred;
}

ServedText AnswerReader::finish(double ms, bool drafts_nothing) {
    out_.total_ms = ms;
    const bool grew =
        std::any_of(growth_.begin(), growth_.end(), [](const auto& g) { return g.has_value(); });
    const bool told_tokens = !listed_tokens_.empty() && listed_tokens_.size() == listed_accepted_.size() &&
                             listed_tokens_.size() == listed_drafted_.size() &&
                             std::accumulate(listed_tokens_.begin(), listed_tokens_.end(), 0LL) ==
                                 static_cast<long long>(out_.pieces.size());
    if (told_tokens && tokens_apart_)
        fit_written();
    else if (!listed_accepted_.empty() && tokens_apart_)
        fit_listed();
    else if (grew)
        fit_growth();
    else if (tokens_apart_ && out_.counts && !out_.counts->empty() && !out_.pieces.empty())
        fit_arrivals();
    if (out_.tokens == 0 && tokens_apart_) out_.tokens = static_cast<int>(out_.pieces.size());
    if (!out_.counts) {
        if (kind_ == ServerKind::vllm)
            out_.notes.push_back(
                drafts_nothing ? "no token was drafted: speculation is off or never proposes"
                : lists_none_
                    ? "no round of this request drafted, or --per-request-spec-decode-metrics is off"
                    : "this vLLM says nothing about single requests: start it with "
                      "--per-request-spec-decode-metrics detailed");
        if (kind_ == ServerKind::sglang)
            out_.notes.push_back("this SGLang says nothing about single requests: a newer one answers "
                                 "return_spec_tokens_details");
        if (kind_ == ServerKind::llamacpp)
            out_.notes.push_back("no draft_n in the timings: this llama-server drafts nothing (--spec-type)");
    } else if (out_.provenance == Provenance::inferred && kind_ == ServerKind::vllm) {
        out_.notes.push_back("rounds are read off the pieces that arrived together; "
                             "--per-request-spec-decode-metrics detailed lists them");
    }
    return std::move(out_);
}

namespace {

// What the server's counters say after a request that told nothing of itself.
bool never_drafted(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& settings) {
    if (!facts.metrics) return false;
    try {
        const ServerReading reading = scrape(endpoint, facts, settings);
        return !reading.counts || drafts_nothing(reading);
    } catch (const Error&) { // the answer is there all the same
        return false;
    }
}

} // namespace

ServedText send_request(const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request,
                        const HttpSettings& settings, const std::function<void(const ServedText&)>& follow) {
    RequestSettings asked = request;
    if (asked.model.empty() && !facts.models.empty()) asked.model = facts.models.front();
    asked.own_server = facts.version.starts_with("SpecLens");
    AnswerReader reader(facts.kind);
    const Stopwatch watch;
    EventStream events([&](const std::string& data) {
        reader.event(data, watch.ms());
        if (follow) follow(reader.so_far());
    });
    const HttpAnswer answer =
        http_post(endpoint, asked.chat ? "/v1/chat/completions" : "/v1/completions",
                  request_body(facts.kind, asked), settings, [&](std::string_view bytes) {
                      events.push(bytes);
                      return true;
                  });
    if (!answer.ok())
        throw Error(refusal(answer.body, answer.status), "Check --server-model, the prompt and --max-tokens.",
                    Exit::network);
    events.finish();
    if (!reader.complete())
        throw Error("the answer ended in the middle: the server told neither a reason nor that it was done",
                    "Look into the server's log.", Exit::network);
    const double ms = watch.ms();
    return reader.finish(ms, facts.kind == ServerKind::vllm && !reader.so_far().counts &&
                                 never_drafted(endpoint, facts, settings));
}

} // namespace speclens
