// SIGINT and SIGTERM while a window is open: a sleeping event loop does not notice them by itself. Whoever
// handled them before is told as well, and the second one ends the process at once.
#pragma once

#include <atomic>
#include <csignal>

namespace speclens {

class ShellSignals {
    using Action = struct sigaction;

  public:
    ShellSignals() {
        came_ = false;
        Action action{};
        action.sa_handler = &ShellSignals::handle;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, &before_int_);
        sigaction(SIGTERM, &action, &before_term_);
    }
    ~ShellSignals() {
        if (came_) return; // the next one is to end the process, also while the window closes
        sigaction(SIGINT, &before_int_, nullptr);
        sigaction(SIGTERM, &before_term_, nullptr);
    }
    ShellSignals(const ShellSignals&) = delete;
    ShellSignals& operator=(const ShellSignals&) = delete;

    [[nodiscard]] bool came() const { return came_; }

  private:
    static void handle(int number) {
        came_ = true;
        const Action& before = number == SIGINT ? before_int_ : before_term_;
        if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
    }

    static inline std::atomic<bool> came_{false}; // a signal handler reaches nothing else
    static inline Action before_int_{};
    static inline Action before_term_{};
};

} // namespace speclens
