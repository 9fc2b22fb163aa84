// Asks the arms of a comparison of greedy texts: prompt by prompt, repeat by repeat, arm by arm, one request at a time, so that whatever
// changes with time changes for all of them alike. Where two arms part, the text before that place is read again at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "remote/same/same_result.h"

namespace speclens {

struct GreedyPrompt {
    std::string text, system; // system: chat only
    bool chat = false;
};

// A text up to a fork, as it can be sent: by ids, or as text of which the server makes the same ids.
struct ForkPrefix {
    std::vector<int> ids;
    std::optional<std::string> text; // sent in the place of the ids
    TextFork fork;                   // with ids, also where they had to be found out
};

// One way to have prompts answered. Every call is one request or more, and throws what they throw.
class SameArm {
  public:
    SameArm() = default;
    SameArm(const SameArm&) = delete;
    SameArm& operator=(const SameArm&) = delete;
    virtual ~SameArm() = default;
    [[nodiscard]] virtual GreedyAnswer answer(const GreedyPrompt& prompt) = 0;
    // Absent: the server takes no ids, or nothing says that it would make the same ones of the text.
    [[nodiscard]] virtual std::optional<ForkPrefix> prefix(const GreedyPrompt& prompt, const GreedyAnswer& a, const GreedyAnswer& b) = 0;
    [[nodiscard]] virtual Reread reread(const ForkPrefix& prefix) = 0; // one new token
    // Arms of one server: what it reads again need not be asked of each.
    [[nodiscard]] virtual std::string server() const = 0;
};

struct SameAsked {
    Said name;
    std::optional<int> asked; // drafts of a round
    std::shared_ptr<SameArm> arm;
};

struct SamePlan {
    SameCompare compare = SameCompare::servers;
    std::vector<GreedyPrompt> prompts;
    int repeats = 2;                                                      // of every prompt by every arm, at least 2
    double seconds = 0;                                                   // no further prompt begins after so long; 0: all are asked
    std::function<void(std::size_t asked, std::size_t of)> progress = {}; // answers
    const std::atomic<bool>* cancelled = nullptr;                         // what is whole by then is kept
};
// Throws Error (usage) for fewer than two arms, two repeats or a prompt, and what the arms throw unless it was cancelled.
[[nodiscard]] SameMeasured measure_same(const std::vector<SameAsked>& arms, const SamePlan& plan);

} // namespace speclens
