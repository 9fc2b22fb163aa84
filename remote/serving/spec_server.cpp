#include "remote/serving/spec_server.h"

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/account/refused_ranks.h"
#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/run/prompt_tokens.h"
#include "engine/run/run.h"
#include "remote/serving/batch_queue.h"
#include "remote/serving/client_connection.h"
#include "remote/serving/completion_answer.h"
#include "remote/serving/completion_request.h"
#include "remote/serving/prompt_distributions.h"
#include "remote/serving/refusals.h"
#include "remote/serving/request_threads.h"
#include "remote/serving/scoring_request.h"
#include "remote/serving/serve_counts.h"
#include "remote/serving/single_queue.h"

namespace speclens {

namespace {

std::unique_ptr<TextQueue> make_queue(const std::shared_ptr<const Models>& models, const ServeSettings& settings, ServeCounts& counts) {
    if (!BatchQueue::can(*models)) return std::make_unique<SingleQueue>(models, settings.most_waiting, counts);
    return std::make_unique<BatchQueue>(models, settings.batch, settings.most_waiting,
                                        settings.key_memory ? std::make_unique<KeyMemory>() : nullptr, counts);
}

// Whose request it is: the key that it comes with, as OpenAI's clients send it.
std::string key_of(const httplib::Request& request) {
    const std::string sent = request.get_header_value("Authorization"), bearer = "Bearer ";
    return sent.starts_with(bearer) ? sent.substr(bearer.size()) : "";
}

} // namespace

struct SpecServer::State {
    ~State() {
        queue.reset();
        const std::shared_ptr<Turns> turns = models->turns;
        const std::lock_guard held(*turns);
        models.reset(); // heads that were replaced meanwhile may be its own by now
    }

    // A request that was let in.
    struct Entered {
        std::unique_ptr<TextQueue::Ticket> ticket;
        CompletionAnswer answer;
        ClientConnection client;
        Stopwatch watch = {}; // from here on
    };

    std::shared_ptr<const Models> models;
    ServeSettings settings;
    httplib::Server server;
    socket_t listener = INVALID_SOCKET;
    ServeCounts counts;
    std::unique_ptr<TextQueue> queue;
    std::atomic<bool> stopping{false};
    enum class Serving : std::uint8_t { before, entered, left };
    std::atomic<Serving> serving{Serving::before};
    std::atomic<std::uint64_t> number{0};
    const std::time_t began = std::time(nullptr);
    Addresses addresses;

    void get(const char* path, httplib::Server::Handler handler) {
        addresses[path] = "GET";
        server.Get(path, std::move(handler));
    }
    void post(const char* path, httplib::Server::Handler handler) {
        addresses[path] = "POST";
        server.Post(path, std::move(handler));
    }

    [[nodiscard]] std::string model() const { return models->target_name(); }

    // Follows a text to its end; `write` gets every round, and `listens` is asked between them: false ends it.
    bool follow(Entered& request, const std::function<bool(bool first)>& write, const std::function<bool()>& listens) {
        CompletionAnswer& answer = request.answer;
        double last_ms = 0;
        bool begun = false;
        for (bool more = true; more;) {
            more = request.ticket->wait();
            const TextQueue::News news = request.ticket->news();
            if (news.trace && !std::exchange(begun, true)) begin(*news.trace, answer);
            while (answer.behind(news.events)) {
                const int before = answer.tokens();
                const bool wrote = answer.follow(*news.trace, news.events, counts);
                if (wrote) {
                    const double ms = request.watch.ms();
                    if (before == 0) counts.first_token(ms);
                    // What came with the first token came at once.
                    counts.between_tokens(before == 0 ? 0 : ms - last_ms, answer.tokens() - std::max(before, 1));
                    last_ms = ms;
                }
                if ((wrote || answer.ended()) && !write(before == 0)) return false;
            }
            if (more && !listens()) return false;
        }
        return true;
    }

    void begin(const Trace& trace, CompletionAnswer& answer) {
        const int tokens = static_cast<int>(trace.header()->prompt.size());
        answer.prompt(tokens);
        counts.prompt(tokens);
    }

    // Answers by `action`, or says why not.
    template <typename F>
    static void answer(httplib::Response& response, const F& action) {
        try {
            action();
        } catch (const Refused& refused) {
            refuse(response, refused);
        } catch (const Error& error) {
            refuse(response, refused_by(error));
        } catch (const std::exception& error) { // no memory: the next request may be smaller
            refuse(response, {500, error.what()});
        }
    }

    [[nodiscard]] CompletionRequest asked_of(const httplib::Request& request, bool chat) const {
        CompletionRequest asked = read_request(request.body, chat, settings.base, models->chat, settings.most_listed);
        if (!asked.model.empty() && asked.model != model())
            throw Refused{404, "the model " + asked.model + " does not exist; this server has " + model()};
        if (models->scorer && (asked.top >= 0 || asked.sources))
            throw Refused{400, "the target is another server, which tells its likeliest tokens alone: log-probabilities of what is written "
                               "are not told here"};
        if (settings.ranks) asked.settings.trace_top = std::max(asked.settings.trace_top, RefusedRanks::kListed);
        return asked;
    }

    void complete(const httplib::Request& request, httplib::Response& response, bool chat) {
        const CompletionRequest asked = asked_of(request, chat);
        // Before a stream begins, while a status can still be sent.
        const std::shared_ptr<Entered> entered(new Entered{queue->enter(asked.settings, key_of(request)),
                                                           CompletionAnswer(*models, asked, model(), chat, ++number),
                                                           ClientConnection(request)});
        if (!asked.stream) return answer_whole(*entered, key_of(request), response);
        response.set_chunked_content_provider("text/event-stream", [this, entered](std::size_t, httplib::DataSink& sink) {
            stream(*entered, sink);
            sink.done();
            return true;
        });
    }

    // The ids of a prompt, or of a chat as the model's format has it, as vLLM tells them; without "add_special_tokens" those of the text
    // alone.
    void tokenize(const httplib::Request& request, httplib::Response& response) {
        const Json body = parse_foreign_json(request.body);
        const bool chat = body.is_object() && body.contains("messages");
        const CompletionRequest asked = asked_of(request, chat);
        const bool alone = !chat && models->tokenizer && body.value("add_special_tokens", Json()) == false;
        const std::vector<int> ids =
            alone ? models->tokenizer->encode(asked.settings.prompt.text) : prompt_tokens(*models, asked.settings.prompt).ids;
        response.set_content(Json({{"count", ids.size()}, {"max_model_len", queue->context()}, {"tokens", ids}}).dump(),
                             "application/json");
    }

    void answer_whole(Entered& request, const std::string& key, httplib::Response& response) {
        const CompletionRequest& asked = request.answer.asked();
        const auto go_on = [](bool) { return true; };
        if (!follow(request, go_on, [&] { return !request.client.closed(); })) return; // nobody reads it
        const std::shared_ptr<const Trace> trace = request.ticket->news().trace;
        request.ticket.reset();
        Json whole = request.answer.whole();
        if (asked.prompt_top >= 0) {
            const std::vector<int>& ids = trace->header()->prompt;
            check_entries(std::ssize(ids) - 1, asked.prompt_top);
            std::vector<ScoredToken> scores;
            if (ids.size() > 1)
                scores = queue->score({.tokens = ids, .first = 0, .top = asked.prompt_top}, key, [&] { return !request.client.closed(); });
            if (scores.size() + 1 < ids.size()) return; // nobody reads it
            whole["choices"][0]["prompt_logprobs"] = prompt_distributions(*models, ids, scores);
        }
        response.set_content(whole.dump(-1, BadUtf8::replaced), "application/json");
    }

    // What the target says of a text of somebody else's, as SGLang tells it.
    void generate(const httplib::Request& request, httplib::Response& response) {
        ScoringRequest asked = read_scoring(request.body, settings.most_listed);
        const Stopwatch watch;
        const ClientConnection client(request);
        const std::vector<int> tokens = asked.scoring.tokens;
        const int first = asked.scoring.first;
        const std::vector<ScoredToken> scores = queue->score(std::move(asked.scoring), key_of(request), [&] { return !client.closed(); });
        if (scores.empty()) return; // nobody reads it
        Json meta = scoring_meta(*models, tokens, first, scores, asked.texts);
        meta["id"] = "score-" + std::to_string(++number);
        meta["finish_reason"] = {{"type", "length"}, {"length", 0}};
        meta["e2e_latency"] = watch.ms() / 1000;
        response.set_content(Json({{"text", ""}, {"meta_info", meta}}).dump(-1, BadUtf8::replaced), "application/json");
    }

    void stream(Entered& request, httplib::DataSink& sink) {
        const auto listens = [&] { return !request.client.closed() && sink.is_writable(); };
        const auto put = [&](const std::string& text) { return listens() && sink.write(text.data(), text.size()); };
        try {
            const bool whole = follow(
                request, [&](bool first) { return put(request.answer.chunk(first)); }, listens);
            if (whole && request.answer.asked().usage) (void)put(request.answer.last_chunk());
        } catch (const Refused& refused) {
            (void)put(error_event(refused));
        } catch (const Error& error) {
            (void)put(error_event(refused_by(error)));
        } catch (const std::exception& error) { // past here it would end the server
            (void)put(error_event({500, error.what()}));
        }
        request.ticket.reset();
        (void)put("data: [DONE]\n\n");
    }
};

SpecServer::SpecServer(std::shared_ptr<const Models> models, ServeSettings settings) : state_(std::make_unique<State>()) {
    state_->models = std::move(models);
    state_->settings = std::move(settings);
    State& s = *state_;
    s.queue = make_queue(s.models, s.settings, s.counts);
    s.server.set_payload_max_length(kMostRequestBytes);
    // A thread for everybody who may wait, and some more: /metrics answers however long the queue is.
    s.server.new_task_queue = [&s] { return new RequestThreads(static_cast<std::size_t>(s.settings.most_waiting) + 8); };
    // The library keeps a thread for a connection that waits for its next request: one request each, then.
    s.server.set_keep_alive_max_count(1);
    // The library's own choice lets two programs listen at one port and share the requests.
    s.server.set_socket_options([&s](socket_t socket) {
        s.listener = socket;
        const int yes = 1;
        (void)setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        // Nor one for a connection on which nothing was sent yet: the system hands it on with its first byte.
        const int seconds = 600;
        (void)setsockopt(socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
    });
    // The library waits for a body of most methods, and for seconds where nobody announced one.
    s.server.set_pre_routing_handler([&s](const httplib::Request& request, httplib::Response& response) {
        using Then = httplib::Server::HandlerResponse;
        const bool body = request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
        return !body && refuse_method(s.addresses, request, response) ? Then::Handled : Then::Unhandled;
    });
    s.server.set_error_handler(
        [&s](const httplib::Request& request, httplib::Response& response) { explain_refusal(s.addresses, request, response); });
    s.get("/health", [](const httplib::Request&, httplib::Response& response) { response.set_content("", "text/plain"); });
    s.get("/version", [](const httplib::Request&, httplib::Response& response) {
        response.set_content(Json({{"version", "SpecLens " SPEC_VERSION}}).dump(), "application/json");
    });
    s.get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
        response.set_content(metrics(), "text/plain; version=0.0.4; charset=utf-8");
    });
    s.get("/v1/models", [&s](const httplib::Request&, httplib::Response& response) {
        const Json body = {{"object", "list"},
                           {"data", Json::array({{{"id", s.model()},
                                                  {"object", "model"},
                                                  {"created", s.began},
                                                  {"owned_by", "speclens"},
                                                  {"max_model_len", s.queue->context()}}})}};
        response.set_content(body.dump(), "application/json");
    });
    const auto post = [&s](const char* path, auto action) {
        s.post(path, [action](const httplib::Request& q, httplib::Response& r) { State::answer(r, [&] { action(q, r); }); });
    };
    post("/v1/completions", [&s](const httplib::Request& q, httplib::Response& r) { s.complete(q, r, false); });
    post("/generate", [&s](const httplib::Request& q, httplib::Response& r) { s.generate(q, r); });
    post("/tokenize", [&s](const httplib::Request& q, httplib::Response& r) { s.tokenize(q, r); });
    post("/v1/chat/completions", [&s](const httplib::Request& q, httplib::Response& r) { s.complete(q, r, true); });
}

SpecServer::~SpecServer() { stop(); }

int SpecServer::bind() {
    const std::string& host = state_->settings.host;
    int port = state_->settings.port;
    const bool bound = port == 0 ? (port = state_->server.bind_to_any_port(host)) > 0 : state_->server.bind_to_port(host, port);
    if (!bound)
        throw Error("cannot listen at " + host + ":" + std::to_string(state_->settings.port),
                    "Another program has that port, or the host is not this machine's: try --port 0.", Exit::network);
    // The library lets five connections wait to be accepted; more at once would be reset.
    // Idle ones wait there, too.
    constexpr int kIdle = 1024;
    (void)::listen(state_->listener, kIdle + 2 * state_->settings.most_waiting);
    return port;
}

void SpecServer::serve() {
    state_->serving.store(State::Serving::entered);
    if (!state_->stopping.load()) (void)state_->server.listen_after_bind();
    state_->serving.store(State::Serving::left);
}

void SpecServer::stop() {
    state_->stopping.store(true);
    state_->queue->stop();
    // The library ignores a stop that comes between the call to listen and the first accept.
    while (state_->serving.load() == State::Serving::entered && !state_->server.is_running())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state_->server.stop();
}

std::string SpecServer::batching() const {
    if (!BatchQueue::can(*state_->models)) return "one text after the other";
    const auto& queue = static_cast<const BatchQueue&>(*state_->queue);
    return "up to " + std::to_string(state_->settings.batch.texts) + " texts at once in " + std::to_string(queue.blocks()) + " blocks of " +
           std::to_string(PagedModel::kBlock) + " tokens";
}

std::string SpecServer::metrics() const { return state_->counts.exposition(state_->model()); }

} // namespace speclens
