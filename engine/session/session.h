// The engine thread, or where there are no threads the caller's by turns: lets an Engine work and obey what the window says, at phase
// boundaries. The window sees it only through Mailbox, Gate and snapshots.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/base/threads.h"
#include "engine/session/engine.h"
#include "engine/session/mailbox.h"

namespace speclens {

class Session final : private EngineHost {
  public:
    // `notify` is called (from the engine thread) after every change, to wake a sleeping window. `repeats`: as in Engine.
    // `worker`: who lets the engine work; the caller does that with work_for().
    enum class Worker : std::uint8_t { own_thread, caller };
    Session(ModelPaths paths, RunSettings settings, std::function<void()> notify = {}, RepeatPlan repeats = {},
            Worker worker = threads_possible() ? Worker::own_thread : Worker::caller);
    // Of models that are there: nothing is loaded.
    Session(RunSettings settings, std::function<void()> notify, std::shared_ptr<const Models> models);
    ~Session() override; // stops within one phase

    void send(Command command); // mailbox and wake-up
    [[nodiscard]] Gate& gate() { return engine_.gate(); }
    [[nodiscard]] Snapshot published() const;
    // Of a session whose caller works: obeys and takes steps until so much time has passed or nothing is to be done. The models are
    // loaded in one turn. False: nothing is to be done until something is sent.
    bool work_for(double ms);
    void cancel_loading() { engine_.cancel_loading(); }
    // To compute with beside the engine thread, which takes a turn for every phase (engine/models/turns.h). Null before
    // they are loaded; others after OpenModel, and whoever keeps the old ones can go on with them. They are let go of before
    // this object goes. Any thread.
    [[nodiscard]] std::shared_ptr<const Models> models() const;

  private:
    void main();
    bool turn();
    Call called() const override;
    void published(const Snapshot& now) override;
    void models_missing() override;

    std::function<void()> notify_;
    Mailbox mailbox_;
    std::atomic<bool> closing_{false};
    // Third mutex: guards one snapshot copy and models_, held for microseconds, never while drawing.
    mutable std::mutex published_mutex_;
    Snapshot published_;
    std::shared_ptr<const Models> models_; // of the engine
    Engine engine_;                        // behind what it tells: it does so from its beginning
    bool loaded_ = false;                  // by work_for(), or they were given
    std::thread thread_;                   // none: the caller works
};

} // namespace speclens
