// Whose turn it is: continuous batching (Orca: Yu et al. 2022), fair between keys, as virtual token counters make it (Sheng et
// al. 2024, arXiv 2401.00588): among the keys that have texts waiting, the next text is of the one that got the fewest rows of
// passes so far, and within a key the first that came. A key that was away begins with what the least served of those who are
// here got: it has saved up nothing. So a key with many texts delays another by the texts that are in flight, never by those
// that it still has waiting. Where all texts are of one key, it is first come, first served.
//
// Texts join and leave between rounds. Numbers of texts only; what they compute is the engine's business (batch_engine.h).
//
// A text that joined earlier never waits for one that joined later: when blocks run out, the last to join gives up its own and is
// computed again before anybody new joins. So the first always goes on, and every text ends.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace speclens {

class Scheduler {
  public:
    // At most `most` texts in flight.
    explicit Scheduler(int most) : most_(most) {}

    void arrive(int text, const std::string& key = {}); // numbers grow with the time of arrival
    void leave(int text);                               // done, failed or cancelled, wherever it is
    void served(int text, int rows);                    // a pass had so many rows of it
    // The waiting text that joins next, where there is a seat for it.
    [[nodiscard]] std::optional<int> next() const;
    void admit(int text); // next()
    // Who gives up its blocks so that `text` gets some: the last in flight to join, `text` itself where it is that.
    [[nodiscard]] int victim(int text) const;
    // The same where `text` cannot stop in the middle: the last of the others; none where it is alone.
    [[nodiscard]] std::optional<int> other_victim(int text) const;
    void preempt(int text); // waits before all that never joined
    // In the order in which they joined for the first time.
    [[nodiscard]] const std::vector<int>& in_flight() const { return in_flight_; }
    // Those that gave up their blocks, then the others in the order of arrival.
    [[nodiscard]] const std::deque<int>& waiting() const { return waiting_; }
    [[nodiscard]] long long rows_of(const std::string& key) const; // that it got, or was credited with; 0: unknown

  private:
    struct Text {
        std::string key;
        int turn = -1; // when it joined for the first time, from 0; -1: it has not
    };
    struct Key {
        long long rows = 0;
        int texts = 0; // waiting and in flight
    };
    [[nodiscard]] const Text& at(int text) const { return texts_.at(text); }
    [[nodiscard]] std::optional<long long> least_served() const; // of those who are here
    void forget_keys();

    int most_;
    int turns_ = 0;
    std::map<int, Text> texts_; // waiting and in flight
    std::map<std::string, Key> keys_;
    std::vector<int> in_flight_;
    std::deque<int> waiting_;
};

} // namespace speclens
