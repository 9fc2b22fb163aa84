// Texts in one batch: requests hand theirs in, a thread of its own makes the rounds of all of them (engine/batch), and every
// request waits for what its own text got. Nobody waits for a client that reads slowly; who leaves frees its blocks before the next
// round. A text is the one it would be alone, whoever else is there.
//
// Of what one client asked and was answered nothing reaches another: prompts share blocks only within a key, and so do remembered
// answers (key_memory.h).
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/batch/batch_engine.h"
#include "engine/models/models.h"
#include "remote/serving/completion_request.h"
#include "remote/serving/key_memory.h"
#include "remote/serving/retry_after.h"
#include "remote/serving/serve_counts.h"
#include "remote/serving/text_queue.h"

namespace speclens {

class BatchQueue final : public TextQueue {
  public:
    // `blocks` 0: as many as default_blocks(). `counts` outlives the queue. More than `most` requests are refused. `memory`: null, or what
    // is remembered. Takes a turn. Throws Error where the batch cannot be.
    BatchQueue(std::shared_ptr<const Models> models, BatchSettings settings, int most, std::unique_ptr<KeyMemory> memory,
               ServeCounts& counts);
    ~BatchQueue() override;
    [[nodiscard]] std::unique_ptr<Ticket> enter(const RunSettings& settings, const std::string& key) override;
    [[nodiscard]] std::vector<ScoredToken> score(Scoring scoring, const std::string& key, const std::function<bool()>& listens) override;
    void stop() override;
    [[nodiscard]] int context() const override;
    [[nodiscard]] int blocks() const { return settings_.blocks; }

    // Whether rows of several texts can share a pass of these models.
    [[nodiscard]] static bool can(const Models& models) { return models.target && models.target->backend->pages(); }

  private:
    class Own;
    // A request's text, from entering to leaving; the queue's while `number` is in places_.
    struct Place {
        PreparedRun prepared;           // until it is handed in
        std::optional<Scoring> scoring; // instead: a text that is only judged
        std::vector<ScoredToken> scores;
        BatchOwner owner;
        int number = -1; // in the engine; -1: not handed in yet
        News news;
        bool ended = false, left = false;
        std::optional<Refused> refused; // what went wrong
        double first_ms = 0;            // on the engine's clock: when its turn came
        std::condition_variable moved;
    };

    void let_in(const std::shared_ptr<Place>& place);
    void main();
    [[nodiscard]] bool work_comes(); // false: the queue stops
    void round();
    void take_leavers_and_arrivals();
    void submit(const std::shared_ptr<Place>& place);
    void publish();
    void publish(Place& place);
    void tell_counts();
    void remember(const Place& place, const BatchText& text);
    void fail_all(const std::string& why);
    void leave(const std::shared_ptr<Place>& place);

    std::shared_ptr<const Models> models_;
    BatchSettings settings_;
    const int most_;
    ServeCounts& counts_;
    std::unique_ptr<KeyMemory> memory_;

    // Of the thread of rounds, under a turn.
    std::unique_ptr<BatchEngine> engine_; // null: a pass failed, and the next text makes another one
    bool busy_ = false;

    std::mutex mutex_; // of the rest
    std::condition_variable wake_;
    std::vector<std::shared_ptr<Place>> arrivals_;
    std::map<int, std::shared_ptr<Place>> places_; // in the engine, by number
    int inside_ = 0;                               // requests that have not left
    bool leavers_ = false, stopping_ = false;
    RetryAfter retry_;

    std::thread thread_;
};

// Blocks of a pool where nobody says how many: a thousand tokens for each text and the whole context for one, within a quarter of the
// memory that is free.
[[nodiscard]] int default_blocks(const Models& models, int texts);

} // namespace speclens
