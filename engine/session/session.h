// The engine thread: lets an Engine work and obey what the window says, at phase boundaries. The window sees it only through
// Mailbox, Gate and snapshots.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/session/engine.h"

namespace speclens {

class Session final : private EngineHost {
  public:
    // `notify` is called (from the engine thread) after every change, to wake a sleeping window. `repeats`: as in Engine.
    Session(ModelPaths paths, RunSettings settings, std::function<void()> notify = {}, RepeatPlan repeats = {});
    ~Session() override; // stops within one phase

    void send(Command command);          // mailbox and wake-up
    [[nodiscard]] Gate& gate() { return engine_.gate(); }
    [[nodiscard]] Snapshot published() const;
    void cancel_loading() { engine_.cancel_loading(); }
    // To compute with beside the engine thread, which takes a turn for every phase (engine/run/turns.h). Null before
    // they are loaded; others after OpenModel, and whoever keeps the old ones can go on with them. They are let go of before
    // this object goes. Any thread.
    [[nodiscard]] std::shared_ptr<const Models> models() const;

  private:
    void main();
    Call called() const override;
    void published(const Snapshot& now) override;
    void models_missing() override;

    std::function<void()> notify_;
    Mailbox mailbox_;
    std::atomic<bool> closing_{false};
    Engine engine_;
    // Third mutex: guards one snapshot copy and models_, held for microseconds, never while drawing.
    mutable std::mutex published_mutex_;
    Snapshot published_;
    std::shared_ptr<const Models> models_; // of the engine
    std::thread thread_;
};

}  // namespace speclens
