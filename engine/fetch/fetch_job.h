// fetch_models() on a thread of its own, for a window: how far it is, and an end at any time.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/fetch/fetch.h"
#include "engine/fetch/fetchable.h"

namespace speclens {

struct FetchView {
    std::string name = {}, title = {}; // as Fetchable has them
    bool checking = false;             // what came, by its hash
    double done = 0, total = 0;        // MB; 0: it has just begun
    std::string note = {};             // what the user should know, the last sentence of fetch_models(); may be empty
    bool over = false;
    bool cancelled = false;              // it is over because it was asked to end
    std::string error = {}, remedy = {}; // it is over because it failed; empty otherwise
    [[nodiscard]] bool arrived() const { return over && !cancelled && error.empty(); }
};

class FetchJob {
  public:
    // `what` and its draft model. `notify` is called, from the job's thread, after every change.
    FetchJob(Fetchable what, std::filesystem::path folder, FetchSettings settings, std::function<void()> notify = {});
    ~FetchJob(); // ends it, within a moment
    FetchJob(const FetchJob&) = delete;
    FetchJob& operator=(const FetchJob&) = delete;

    void cancel() { cancelled_ = true; }
    [[nodiscard]] std::shared_ptr<const FetchView> view() const; // never null; any thread

  private:
    void main(const Fetchable& what, const std::filesystem::path& folder, const FetchSettings& settings);
    void publish(const std::function<void(FetchView&)>& change);

    std::function<void()> notify_;
    std::atomic<bool> cancelled_{false};
    mutable std::mutex mutex_; // of view_
    std::shared_ptr<const FetchView> view_;
    std::thread thread_;
};

} // namespace speclens
