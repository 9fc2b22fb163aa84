// Several draft workers, one target elsewhere (seed articles' pool; the address is that of a server): every worker decodes a text of its
// own, drafts here, and asks the same target, whose server judges them all in shared passes. While a worker waits, others draft; with
// RunSettings::draft_ahead it drafts its own next round. A worker is a Run, so its text is the one it has alone, whatever the others do:
// a slow or dead one costs time and nobody's text.
//
// All on the caller's thread: drafting takes turns here, only the passes overlap. A worker pauses on a stack of its own where it would
// wait (fiber.h).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/run/wire_totals.h"

namespace speclens {

class Run;          // engine/run/run.h
struct Models;      // engine/models/models.h
struct RunSettings; // engine/run/run_settings.h

inline constexpr int kMostWorkers = 16;

// Times in ms since the pool began.
struct WorkerRound {
    double from_ms = 0;     // it drafts, or takes what it drafted ahead
    double asked_ms = 0;    // its pass is on the way
    double answered_ms = 0; // the target's answer was there
    double judged_ms = 0;   // its turn came, and the round is over
    int drafted = 0, accepted = 0, tokens = 0;
    WireTotals wire; // of this round
};

struct PoolWorker {
    std::string drafter;
    int k = 0;
    enum class State : std::uint8_t { drafting, waiting, done, failed } state = State::drafting;
    std::string error; // failed: why
    std::vector<WorkerRound> rounds;
    double since_ms = 0; // waiting: since then
    [[nodiscard]] WireTotals wire() const;
    [[nodiscard]] int tokens() const;
    [[nodiscard]] int drafted() const;
    [[nodiscard]] int accepted() const;
};

struct PoolFilm {
    std::string target; // its name
    std::vector<PoolWorker> workers;
    double ms = 0;         // from the beginning to the last thing that happened
    bool complete = false; // every worker has ended
    [[nodiscard]] int tokens() const;
    [[nodiscard]] double tokens_per_second() const { return ms > 0 ? 1000 * tokens() / ms : 0; }
    [[nodiscard]] double at_once() const; // passes under way, the mean over that time
};

class WorkerPool {
  public:
    // `workers`: the settings of each, 1 to kMostWorkers. Throws Error where Run would, and where the target is not elsewhere.
    WorkerPool(std::shared_ptr<const Models> models, std::vector<RunSettings> workers);
    ~WorkerPool(); // waits for passes that are under way

    // Lets one worker go on to where it waits, or waits a moment for an answer. False: all have ended.
    bool step();
    void disconnect(int worker); // as if that worker had died: it asks for nothing any more
    [[nodiscard]] const PoolFilm& film() const { return film_; }
    [[nodiscard]] const Run& run(int worker) const;
    [[nodiscard]] std::size_t revision() const { return revision_; } // grows with the film
    [[nodiscard]] double done() const;                               // 0 … 1

  private:
    class Line;
    struct Worker;
    void work(std::size_t number);
    void note(std::size_t number, std::size_t& seen, double& from);

    Stopwatch clock_;
    PoolFilm film_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::size_t next_ = 0, revision_ = 0;
};

} // namespace speclens
