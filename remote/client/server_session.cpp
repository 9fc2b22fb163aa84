#include "remote/client/server_session.h"

#include <algorithm>
#include <chrono>

#include "engine/models/models.h"
#include "kernels/error.h"
#include "remote/client/keep_rule.h"
#include "remote/client/probe.h"

namespace speclens {
namespace {

constexpr int kMostSilent = 5;

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

} // namespace

ModelSource load_from(ModelPaths paths) {
    return [paths = std::move(paths)](const std::atomic<bool>& cancelled) {
        return std::make_shared<const Models>(load_models(paths, {.report = {}, .cancelled = &cancelled}));
    };
}

ServerSession::ServerSession(ModelSource models, RunSettings settings, std::string key, std::function<void()> notify, double every_seconds)
    : models_(std::move(models)), settings_(std::move(settings)), key_(std::move(key)), notify_(std::move(notify)),
      every_seconds_(every_seconds) {
    thread_ = std::thread([this] { main(); });
}

ServerSession::~ServerSession() {
    {
        const std::lock_guard lock(mutex_); // else the thread may look before and sleep after
        closing_.store(true);
        leaving_.store(true);
    }
    wake_.notify_all();
    thread_.join();
}

void ServerSession::send(ServerOrder order) {
    {
        const std::lock_guard lock(mutex_);
        orders_.push_back(std::move(order));
        // Whoever attaches elsewhere or leaves does not wait for the old server.
        if (!std::holds_alternative<AskServer>(orders_.back())) leaving_.store(true);
    }
    wake_.notify_all();
}

std::shared_ptr<const ServerView> ServerSession::view() const {
    const std::lock_guard lock(mutex_);
    return view_;
}

void ServerSession::publish(const std::function<void(ServerView&)>& change) {
    {
        const std::lock_guard lock(mutex_);
        auto next = std::make_shared<ServerView>(*view_);
        change(*next);
        view_ = std::move(next);
    }
    if (notify_) notify_();
}

HttpSettings ServerSession::http(double silence_seconds) const {
    HttpSettings settings;
    settings.key = key_;
    settings.silence_seconds = silence_seconds;
    settings.cancelled = &leaving_;
    return settings;
}

void ServerSession::main() {
    while (!closing_.load()) {
        std::optional<ServerOrder> order;
        {
            std::unique_lock lock(mutex_);
            const double wait = endpoint_ ? std::max(0.0, next_scrape_ - seconds_now()) : 3600;
            wake_.wait_for(lock, std::chrono::duration<double>(wait), [&] { return closing_.load() || !orders_.empty(); });
            if (!orders_.empty()) {
                order = std::move(orders_.front());
                orders_.pop_front();
            }
        }
        if (closing_.load()) break;
        try {
            if (order)
                apply(*order);
            else if (endpoint_ && seconds_now() >= next_scrape_)
                scrape_once();
        } catch (const std::exception& error) { // no memory, a folder that cannot be entered, …
            detach();
            fail(error.what(), "Try it again.");
        }
    }
    detach();
}

void ServerSession::fail(const std::string& problem, const std::string& remedy) {
    publish([&](ServerView& view) {
        view.state = ServerView::State::failed;
        view.problem = problem;
        view.remedy = remedy;
    });
}

void ServerSession::apply(const ServerOrder& order) {
    if (const auto* to = std::get_if<AttachServer>(&order))
        attach(to->address, false);
    else if (std::holds_alternative<ServeHere>(order))
        serve_here();
    else if (const auto* asked = std::get_if<AskServer>(&order))
        ask(asked->request);
    else {
        detach();
        publish([](ServerView& view) { view = ServerView(); });
    }
}

void ServerSession::detach() {
    leaving_.store(true);
    if (own_) own_->stop();
    if (asker_.joinable()) asker_.join();
    if (own_thread_.joinable()) own_thread_.join();
    own_.reset();
    endpoint_.reset();
}

// From now on something is under way, unless an order that ends it has come meanwhile.
void ServerSession::stay() {
    const std::lock_guard lock(mutex_);
    const bool called = std::ranges::any_of(orders_, [](const ServerOrder& order) { return !std::holds_alternative<AskServer>(order); });
    leaving_.store(closing_.load() || called);
}

void ServerSession::attach(const std::string& address, bool own) {
    if (!own) detach();
    if (closing_.load()) return;
    stay();
    publish([&](ServerView& view) {
        view = ServerView();
        view.state = ServerView::State::probing;
        view.address = address;
        view.own = own;
    });
    try {
        const Endpoint endpoint = parse_endpoint(address);
        ServerFacts facts = when_loaded(endpoint);
        began_ = seconds_now();
        next_scrape_ = began_ + every_seconds_;
        silent_ = 0;
        endpoint_ = endpoint;
        publish([&](ServerView& view) {
            view.state = ServerView::State::attached;
            view.address = endpoint.shown();
            view.problem = caution(endpoint, !key_.empty());
            if (facts.metrics || facts.reading.reported_length) view.watch.add(0, facts.reading);
            view.facts = std::move(facts);
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled) return; // the next order says what to show
        fail(error.what(), error.remedy());
    }
}

// Tries again, and says so, while it loads its model.
ServerFacts ServerSession::when_loaded(const Endpoint& endpoint) {
    for (;;) {
        try {
            return probe_server(endpoint, http(5));
        } catch (const ServerLoads& loads) {
            publish([&](ServerView& view) { view.problem = loads.what(); });
            constexpr int kTicks = 20;
            for (int i = 0; i < kTicks && !leaving_.load(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
            if (leaving_.load()) throw Error("cancelled", "", Exit::interrupted, ErrorKind::cancelled);
        }
    }
}

void ServerSession::serve_here() {
    detach();
    if (closing_.load()) return;
    publish([](ServerView& view) {
        view = ServerView();
        view.state = ServerView::State::probing;
        view.address = "our own engine";
        view.own = true;
    });
    stay();
    try {
        ServeSettings settings;
        settings.port = 0;
        settings.base = settings_;
        settings.base.trace_top = 0;
        settings.base.internals = false;
        std::shared_ptr<const Models> models = models_ ? models_(leaving_) : nullptr;
        if (!models) throw Error("no model is loaded that could be served", "Load one, and try again.");
        own_ = std::make_unique<SpecServer>(std::move(models), settings);
        const int port = own_->bind();
        own_thread_ = std::thread([this] { own_->serve(); });
        attach("127.0.0.1:" + std::to_string(port), true);
    } catch (const Cancelled&) { // the next order says what to show
    } catch (const Error& error) {
        fail(error.what(), error.remedy());
    }
}

void ServerSession::scrape_once() {
    next_scrape_ = seconds_now() + every_seconds_;
    const std::shared_ptr<const ServerView> now = view();
    if (now->watch.empty()) return; // nothing is told: requests only
    try {
        ServerReading reading = scrape(*endpoint_, now->facts, http(5));
        silent_ = 0;
        const double at = seconds_now() - began_;
        publish([&](ServerView& view) {
            view.watch.add(at, std::move(reading));
            view.facts.missing = what_is_missing(view.watch.last());
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled || ++silent_ < kMostSilent) return;
        endpoint_.reset();
        fail(error.what(), error.remedy());
    }
}

void ServerSession::ask(const RequestSettings& request) {
    if (!endpoint_ || view()->asking) return;
    if (asker_.joinable()) asker_.join();
    publish([&](ServerView& view) {
        view.asking = true;
        view.asked = request;
        view.served = nullptr;
        view.problem.clear();
        view.remedy.clear();
    });
    asker_ = std::thread([this, request, endpoint = *endpoint_, facts = view()->facts] {
        try {
            double shown = 0;
            ServedText served = send_request(endpoint, facts, request, http(120), [&](const ServedText& so_far) {
                if (seconds_now() - shown < 0.05) return;
                shown = seconds_now();
                publish([&](ServerView& view) { view.served = std::make_shared<const ServedText>(so_far); });
            });
            tell_keep_rule(served, endpoint, facts, request, http(120));
            publish([&](ServerView& view) {
                if (const auto speed = served.tokens_per_second()) view.token_ms.push_back(1000 / *speed);
                view.served = std::make_shared<const ServedText>(std::move(served));
                view.asking = false;
            });
        } catch (const Error& error) {
            publish([&](ServerView& view) {
                view.asking = false;
                if (error.kind() == ErrorKind::cancelled) return;
                view.problem = error.what();
                view.remedy = error.remedy();
            });
        } catch (const std::exception& error) {
            publish([&](ServerView& view) {
                view.asking = false;
                view.problem = error.what();
                view.remedy = "Try it again.";
            });
        }
    });
}

} // namespace speclens
