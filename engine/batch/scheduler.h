// Whose turn it is: continuous batching (Orca: Yu et al. 2022) with first come, first served, as serving engines do it. Texts join
// and leave between rounds. Numbers of texts only; what they compute is the engine's business (batch_engine.h).
//
// A text that arrived earlier never waits for a later one: when blocks run out, the latest in flight gives up its own and is
// computed again when its turn comes. So the earliest always goes on, and every text ends.
#pragma once

#include <deque>
#include <optional>
#include <vector>

namespace speclens {

class Scheduler {
  public:
    // At most `most` texts in flight.
    explicit Scheduler(int most) : most_(most) {}

    void arrive(int text);      // numbers grow with the time of arrival
    void leave(int text);       // done, failed or cancelled, wherever it is
    // The waiting text that joins next, where there is a seat for it.
    [[nodiscard]] std::optional<int> next() const;
    void admit(int text);       // next()
    // Who gives up its blocks so that `text` gets some: the latest in flight, `text` itself where none is later.
    [[nodiscard]] int victim(int text) const;
    // The same where `text` cannot stop in the middle: the latest of the others; none where it is alone.
    [[nodiscard]] std::optional<int> other_victim(int text) const;
    void preempt(int text);     // waits before all that arrived later
    // In the order of arrival.
    [[nodiscard]] const std::vector<int>& in_flight() const { return in_flight_; }
    [[nodiscard]] const std::deque<int>& waiting() const { return waiting_; }

  private:
    int most_;
    std::vector<int> in_flight_;
    std::deque<int> waiting_;
};

} // namespace speclens
