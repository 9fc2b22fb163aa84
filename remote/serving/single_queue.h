// Texts one after the other, in the order in which requests came: for targets whose rows cannot share a pass, which are other
// people's servers and devices without paged attention. The thread of a request makes the rounds of its text itself, and takes a
// turn at the backend for every phase.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "engine/models/models.h"
#include "remote/serving/retry_after.h"
#include "remote/serving/serve_counts.h"
#include "remote/serving/text_queue.h"

namespace speclens {

class SingleQueue final : public TextQueue {
  public:
    // `counts` outlives the queue. More than `most` requests are refused.
    SingleQueue(std::shared_ptr<const Models> models, int most, ServeCounts& counts);
    ~SingleQueue() override;
    [[nodiscard]] std::unique_ptr<Ticket> enter(const RunSettings& settings, const std::string& key) override;
    [[nodiscard]] std::vector<ScoredToken> score(Scoring scoring, const std::string& key, const std::function<bool()>& listens) override;
    void stop() override;
    [[nodiscard]] int context() const override { return models_->holds(); }

  private:
    class TurnRun;
    class Own;
    std::shared_ptr<const Models> models_;
    const int most_;
    ServeCounts& counts_;
    std::mutex mutex_; // of the rest
    std::condition_variable turn_;
    std::set<std::uint64_t> inside_; // the first is served
    std::uint64_t next_ = 0;
    bool stopping_ = false;
    RetryAfter retry_;
};

} // namespace speclens
