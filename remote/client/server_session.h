// Watches one server on a thread of its own: a scrape every second, and requests beside it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/models/model_paths.h"
#include "remote/client/server_view.h"
#include "remote/serving/spec_server.h"

namespace speclens {

struct Models; // engine/models/models.h

// Where ServeHere gets its models, on the thread of the session: those of an engine, or loaded for it. Null: there are
// none. May wait, and then throws Cancelled soon after `cancelled` is set; throws Error where loading failed.
using ModelSource = std::function<std::shared_ptr<const Models>(const std::atomic<bool>& cancelled)>;
[[nodiscard]] ModelSource load_from(ModelPaths paths); // a copy of their own

class ServerSession {
  public:
    // `models` and `settings`: what ServeHere serves. `notify` is called (from other threads) after every
    // change. `key`: sent with every request; empty: none. `every_seconds`: between two scrapes.
    ServerSession(ModelSource models, RunSettings settings, std::string key, std::function<void()> notify = {}, double every_seconds = 1);
    ~ServerSession(); // ends within a moment
    void send(ServerOrder order);
    [[nodiscard]] std::shared_ptr<const ServerView> view() const; // never null

  private:
    void main();
    void apply(const ServerOrder& order);
    void attach(const std::string& address, bool own);
    [[nodiscard]] ServerFacts when_loaded(const Endpoint& endpoint);
    void stay();
    void serve_here();
    void detach();
    void ask(const RequestSettings& request);
    void scrape_once();
    void publish(const std::function<void(ServerView&)>& change);
    void fail(const std::string& problem, const std::string& remedy);
    [[nodiscard]] HttpSettings http(double silence_seconds) const;

    ModelSource models_;
    RunSettings settings_;
    std::string key_;
    std::function<void()> notify_;
    double every_seconds_;
    mutable std::mutex mutex_; // of view_ and orders_
    std::condition_variable wake_;
    std::shared_ptr<const ServerView> view_ = std::make_shared<ServerView>();
    std::deque<ServerOrder> orders_;
    std::atomic<bool> closing_{false}, leaving_{false}; // leaving_: what is under way at this server is of no use any more
    std::optional<Endpoint> endpoint_;
    double began_ = 0, next_scrape_ = 0;
    int silent_ = 0; // scrapes in a row that failed
    std::unique_ptr<SpecServer> own_;
    std::thread own_thread_, asker_;
    std::thread thread_;
};

} // namespace speclens
