// Where requests get their texts: many at once (batch_queue.h), or one after the other (single_queue.h). A request enters, waits
// for news of its text, and leaves by letting go of its ticket, whenever it likes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch/scoring.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

class TextQueue {
  public:
    struct News {
        std::shared_ptr<const Trace> trace; // null: its turn has not come
        std::size_t events = 0;             // events of the trace that may be read: whole rounds
    };
    // On the thread of its request.
    class Ticket {
      public:
        virtual ~Ticket() = default; // leaves: a text under way ends, and what it held is free at once
        // Waits for news, but a moment at most, so that the caller can look whether its client is still there. False: the text has
        // ended, and news() are the last. Throws what went wrong with it: Refused, Error, std::bad_alloc.
        [[nodiscard]] virtual bool wait() = 0;
        [[nodiscard]] virtual News news() const = 0;
    };
    virtual ~TextQueue() = default; // no ticket is out
    // `key`: whose request it is; empty: anybody's. Throws Refused (503) where it is full or stops, Refused (400) and Error for
    // a text that cannot be.
    [[nodiscard]] virtual std::unique_ptr<Ticket> enter(const RunSettings& settings, const std::string& key) = 0;
    // What the target says of a text that somebody else wrote. Waits, and asks now and then whether its client still `listens`:
    // empty where it does not. Throws as enter() and wait() do.
    [[nodiscard]] virtual std::vector<ScoredToken> score(Scoring scoring, const std::string& key, const std::function<bool()>& listens) = 0;
    virtual void stop() = 0;                       // texts under way end after their round, and nobody enters any more
    [[nodiscard]] virtual int context() const = 0; // tokens that a text may have here, with its prompt
};

} // namespace speclens
