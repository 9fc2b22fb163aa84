#include "remote/serving/spec_server.h"

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "remote/serving/completion_answer.h"
#include "remote/serving/completion_request.h"
#include "remote/serving/prompt_distributions.h"
#include "remote/serving/refusals.h"
#include "remote/serving/request_threads.h"
#include "remote/serving/serve_counts.h"

namespace speclens {

namespace {

// A run whose every use of the backend is a turn of its own.
class TurnRun {
  public:
    TurnRun(const std::shared_ptr<const Models>& models, const RunSettings& settings) : turns_(*models->turns) {
        const std::lock_guard turn(turns_);
        run_.emplace(models, settings);
    }
    ~TurnRun() {
        const std::lock_guard turn(turns_);
        run_.reset();
    }
    TurnRun(const TurnRun&) = delete;
    TurnRun& operator=(const TurnRun&) = delete;
    void step() {
        const std::lock_guard turn(turns_);
        (void)run_->step();
    }
    Run* operator->() { return &*run_; }
    const Run& operator*() const { return *run_; }

  private:
    Turns& turns_; // the run keeps the models, and this object outlives neither
    std::optional<Run> run_;
};

} // namespace

struct SpecServer::State {
    ~State() {
        const std::shared_ptr<Turns> turns = models->turns;
        const std::lock_guard held(*turns);
        models.reset(); // heads that were replaced meanwhile may be its own by now
    }

    std::shared_ptr<const Models> models;
    ServeSettings settings;
    httplib::Server server;
    socket_t listener = INVALID_SOCKET;
    ServeCounts counts;
    std::atomic<bool> stopping{false};
    enum class Serving : std::uint8_t { before, entered, left };
    std::atomic<Serving> serving{Serving::before};
    std::atomic<std::uint64_t> number{0};
    // Requests in the order they came: one ticket is served at a time.
    std::mutex mutex;
    std::condition_variable turn;
    std::uint64_t next_ticket = 0, served_ticket = 0;

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

    [[nodiscard]] bool full() const { // under the lock
        return next_ticket - served_ticket >= static_cast<std::uint64_t>(settings.most_waiting);
    }
    // Before a stream begins, while a status can still be sent.
    void refuse_if_full() {
        const std::lock_guard lock(mutex);
        if (full()) throw too_many();
    }
    static Refused too_many() { return {503, "too many requests wait already"}; }

    std::uint64_t enter() {
        std::unique_lock lock(mutex);
        if (full()) throw too_many();
        const std::uint64_t ticket = next_ticket++;
        counts.waiting(1);
        turn.wait(lock, [&] { return served_ticket == ticket; });
        counts.waiting(-1);
        counts.running(1);
        return ticket;
    }
    void leave() {
        {
            const std::lock_guard lock(mutex);
            counts.running(-1); // before the next one may count itself
            ++served_ticket;
        }
        turn.notify_all();
    }

    // Runs one request to its end; `write` gets every chunk and may say that nobody listens any more.
    void generate(TurnRun& run, CompletionAnswer& answer, const Stopwatch& watch,
                  const std::function<bool(bool first)>& write) {
        bool listening = true;
        double last_ms = 0;
        while (!run->stopped() && listening) {
            if (stopping.load())
                run->stop("cancelled");
            else
                run.step();
            const int before = answer.tokens();
            const bool wrote = answer.follow(*run, counts);
            if (wrote) {
                const double ms = watch.ms();
                if (before == 0) counts.first_token(ms);
                // What came with the first token came at once.
                counts.between_tokens(before == 0 ? 0 : ms - last_ms, answer.tokens() - std::max(before, 1));
                last_ms = ms;
            }
            if (wrote || run->stopped()) listening = write(before == 0);
        }
    }

    void complete(const httplib::Request& request, httplib::Response& response, bool chat) {
        try {
            const CompletionRequest asked = read_request(request.body, chat, settings.base, models->chat);
            if (!asked.model.empty() && asked.model != model())
                throw Refused{404,
                              "the model " + asked.model + " does not exist; this server has " + model()};
            auto answer = std::make_shared<CompletionAnswer>(*models, asked, model(), chat, ++number);
            if (!asked.stream) {
                const Stopwatch watch;
                (void)enter();
                const struct Turn {
                    State* state;
                    ~Turn() { state->leave(); }
                } turn_guard{this};
                TurnRun run(models, asked.settings);
                begin(*run, *answer);
                std::string text;
                generate(run, *answer, watch, [&](bool) {
                    for (const std::string& piece : answer->pieces()) text += piece;
                    return true;
                });
                Json whole = answer->whole(text);
                if (asked.prompt_top >= 0) {
                    const std::lock_guard held(*models->turns);
                    whole["choices"][0]["prompt_logprobs"] =
                        prompt_distributions(*models, prompt_tokens(*models, asked.settings).ids, asked.prompt_top);
                }
                response.set_content(whole.dump(-1, ' ', false, Json::error_handler_t::replace),
                                     "application/json");
                return;
            }
            check_run(*models, asked.settings);
            refuse_if_full();
            response.set_chunked_content_provider("text/event-stream",
                                                  [this, answer](std::size_t, httplib::DataSink& sink) {
                                                      stream(*answer, sink);
                                                      sink.done();
                                                      return true;
                                                  });
        } catch (const Refused& refused) {
            refuse(response, refused);
        } catch (const Error& error) {
            refuse(response, {400, std::string(error.what()) + ". " + error.remedy()});
        } catch (const std::exception& error) { // no memory: the next request may be smaller
            refuse(response, {500, error.what()});
        }
    }

    void begin(const Run& run, CompletionAnswer& answer) {
        answer.prompt(static_cast<int>(run.sequence().size()));
        counts.prompt(static_cast<int>(run.sequence().size()));
    }

    void stream(CompletionAnswer& answer, httplib::DataSink& sink) {
        const auto put = [&](const std::string& text) {
            return sink.is_writable() && sink.write(text.data(), text.size());
        };
        const Stopwatch watch;
        try {
            (void)enter();
            const struct Turn {
                State* state;
                ~Turn() { state->leave(); }
            } turn_guard{this};
            TurnRun run(models, answer.asked().settings);
            begin(*run, answer);
            generate(run, answer, watch, [&](bool first) { return put(answer.chunk(first)); });
            if (answer.asked().usage) (void)put(answer.last_chunk());
        } catch (const Refused& refused) {
            (void)put(error_event(refused));
        } catch (const Error& error) {
            (void)put(error_event({400, std::string(error.what()) + ". " + error.remedy()}));
        } catch (const std::exception& error) { // past here it would end the server
            (void)put(error_event({500, error.what()}));
        }
        (void)put("data: [DONE]\n\n");
    }
};

SpecServer::SpecServer(std::shared_ptr<const Models> models, ServeSettings settings)
    : state_(std::make_unique<State>()) {
    state_->models = std::move(models);
    state_->settings = std::move(settings);
    State& s = *state_;
    s.server.set_payload_max_length(kMostRequestBytes);
    // A thread for everybody who may wait, and some more: /metrics answers however long the queue is.
    s.server.new_task_queue = [&s] {
        return new RequestThreads(static_cast<std::size_t>(s.settings.most_waiting) + 8);
    };
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
    s.server.set_error_handler([&s](const httplib::Request& request, httplib::Response& response) {
        explain_refusal(s.addresses, request, response);
    });
    s.get("/health", [](const httplib::Request&, httplib::Response& response) {
        response.set_content("", "text/plain");
    });
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
                                                  {"max_model_len", s.models->holds()}}})}};
        response.set_content(body.dump(), "application/json");
    });
    s.post("/v1/completions",
           [&s](const httplib::Request& q, httplib::Response& r) { s.complete(q, r, false); });
    s.post("/v1/chat/completions",
           [&s](const httplib::Request& q, httplib::Response& r) { s.complete(q, r, true); });
}

SpecServer::~SpecServer() {
    stop();
}

int SpecServer::bind() {
    const std::string& host = state_->settings.host;
    int port = state_->settings.port;
    const bool bound = port == 0 ? (port = state_->server.bind_to_any_port(host)) > 0
                                 : state_->server.bind_to_port(host, port);
    if (!bound)
        throw Error("cannot listen at " + host + ":" + std::to_string(state_->settings.port),
                    "Another program has that port, or the host is not this machine's: try --port 0.",
                    Exit::network);
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
    // The library ignores a stop that comes between the call to listen and the first accept.
    while (state_->serving.load() == State::Serving::entered && !state_->server.is_running())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state_->server.stop();
}

std::string SpecServer::metrics() const {
    return state_->counts.exposition(state_->model());
}

} // namespace speclens
