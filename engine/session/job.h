// Something that the engine does beside the run on the screen, piece by piece. The engine decides whose turn it is, when a
// job is shown, and what its error ends (engine/session/engine.cpp); a job does its work and knows what there is to see.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/lab/repeats.h"
#include "engine/lab/time_table.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/session/snapshot.h"

namespace speclens {

// What can fail without the others, in the order of their turns. A job takes the place of the one in its slot.
enum class Slot : std::uint8_t {
    run,         // the one on the screen: no job
    stepped,     // somebody looks on, step by step
    other_round, // questions about a round of the run
    comparison,
    times,       // what the run takes
    studies,     // one after another, each with a name
    measurement, // whatever uses the clock: there is one
    training,
    race, // timed: between the pieces of something else its passes would run on cold caches
};

class Job {
  public:
    virtual ~Job() = default;
    virtual bool step() = 0;                                   // a piece, so short that commands are obeyed in between; false: it is over
    virtual void show(Snapshot& shown) = 0;                    // what there is of it by now
    virtual void end_early(Snapshot&) {}                       // it goes no further: what is shown of it says so
    virtual void stop() {}                                     // the same, before it is shown for the last time
    [[nodiscard]] virtual bool waits() const { return false; } // for somebody to say how far it goes
    [[nodiscard]] virtual std::size_t revision() const = 0;    // grows when there is something new to show
    [[nodiscard]] virtual double done() const { return 0; }    // 0 … 1
    [[nodiscard]] virtual Work work() const { return {}; }     // in pieces; of nothing: it is over in a moment, or waits for somebody
    [[nodiscard]] virtual std::string timed() const { return {}; } // the model whose passes it times; empty: it times none

  protected:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
};

// What a job is made from.
struct Desk {
    std::shared_ptr<const Models> models;
    const Run* run = nullptr;                 // on the screen; null: there is none
    std::shared_ptr<const Models> run_models; // that it was made with: heads may have been trained since
    TimeTable& times;                         // of the models; outlives every job
    const Snapshot& shown;
    std::function<bool()> go_on; // false: a piece is to be left in the middle, for somebody who waits. From any thread
    // A head that was trained, for runs from now on; empty: the models stay as they are.
    std::function<void(const std::string& drafter, std::shared_ptr<const DraftNetwork>)> keep;

    [[nodiscard]] const Run& shown_run() const; // throws Error where there is none
};

// What was asked for, as long as the command lives that asks for it. `make` throws Error where it cannot be done.
struct JobOrder {
    Slot slot = Slot::run;
    std::string name;  // where a slot has room for several
    std::string words; // "timing passes", beside a bar
    std::function<std::unique_ptr<Job>(const Desk&)> make;
};

template <typename J, typename Asked>
[[nodiscard]] JobOrder job_order(Slot slot, std::string words, const Asked& asked, std::string name = {}) {
    return {slot, std::move(name), std::move(words),
            [&asked](const Desk& desk) -> std::unique_ptr<Job> { return std::make_unique<J>(desk, asked); }};
}

} // namespace speclens
