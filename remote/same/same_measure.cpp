#include "remote/same/same_measure.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using Answers = std::vector<std::vector<GreedyAnswer>>; // [arm][repeat]

bool alike(const std::vector<GreedyAnswer>& answers) {
    return std::ranges::all_of(answers, [&](const GreedyAnswer& one) { return same_text(one, answers.front()); });
}

// What both servers say of the place where `a` and `b` part, by the milder of the two.
JudgedFork look_again(SameArm& first, SameArm& other, const GreedyPrompt& prompt, const GreedyAnswer& a, const GreedyAnswer& b,
                      TextFork& fork) {
    std::optional<JudgedFork> judged;
    for (SameArm* arm : {&first, &other}) {
        if (arm == &other && other.server() == first.server()) break;
        const auto prefix = arm->prefix(prompt, a, b);
        if (!prefix) continue;
        fork = prefix->fork;
        std::vector<Reread> repeats;
        for (std::size_t i = 0; i < kFewestRereads; ++i) repeats.push_back(arm->reread(*prefix));
        const JudgedFork one = judge_fork(repeats, fork.a, fork.b);
        judged = judged ? milder(*judged, one) : one;
    }
    return judged.value_or(JudgedFork{});
}

std::vector<ForkRecord> forks_of(const std::vector<SameAsked>& arms, const GreedyPrompt& prompt, const Answers& answers, std::size_t at) {
    std::vector<ForkRecord> forks;
    if (!alike(answers[0])) return forks;
    const GreedyAnswer& plain = answers[0].front();
    for (std::size_t arm = 1; arm < arms.size(); ++arm) {
        const GreedyAnswer& other = answers[arm].front();
        if (same_text(plain, other) || !alike(answers[arm])) continue;
        ForkRecord record;
        record.prompt = at, record.arm = arm, record.length = plain.text.size();
        // The same text of an arm of the same server was looked at before.
        const auto known = std::ranges::find_if(forks, [&](const ForkRecord& one) {
            return same_text(answers[one.arm].front(), other) && arms[one.arm].arm->server() == arms[arm].arm->server();
        });
        if (known != forks.end()) {
            record.fork = known->fork, record.judged = known->judged;
        } else {
            record.fork = fork_of(plain, other);
            // Texts of two servers that read different tokens say nothing of each other, nor where nobody knows whether they did.
            const bool read_alike = !plain.prompt.empty() && plain.prompt == other.prompt;
            if (read_alike || arms[0].arm->server() == arms[arm].arm->server())
                record.judged = look_again(*arms[0].arm, *arms[arm].arm, prompt, plain, other, record.fork);
        }
        forks.push_back(std::move(record));
    }
    return forks;
}

bool read_apart(const Answers& answers) {
    const std::vector<int>& first = answers[0].front().prompt;
    return std::ranges::any_of(answers, [&](const std::vector<GreedyAnswer>& arm) {
        return !first.empty() && !arm.front().prompt.empty() && arm.front().prompt != first;
    });
}

} // namespace

SameMeasured measure_same(const std::vector<SameAsked>& arms, const SamePlan& plan) {
    if (arms.size() < 2) throw Error("one arm has nothing to be compared with", "Give two, a server and another one.", Exit::usage);
    if (plan.repeats < 2) throw Error("a single answer says nothing of the server itself", "Ask at least twice.", Exit::usage);
    if (plan.prompts.empty()) throw Error("there are no prompts", "Give some.", Exit::usage);
    SameMeasured out;
    out.compare = plan.compare;
    for (const SameAsked& arm : arms) out.arms.push_back({arm.name, arm.asked, {}});
    const Stopwatch watch;
    const std::size_t repeats = static_cast<std::size_t>(plan.repeats), all = plan.prompts.size() * repeats * arms.size();
    std::size_t asked = 0;
    for (const GreedyPrompt& prompt : plan.prompts) {
        if (plan.seconds > 0 && watch.ms() > 1000 * plan.seconds && !out.prompts.empty()) {
            out.whole = false;
            break;
        }
        try {
            Answers answers(arms.size());
            for (std::size_t repeat = 0; repeat < repeats; ++repeat)
                for (std::size_t arm = 0; arm < arms.size(); ++arm) {
                    if (plan.progress) plan.progress(asked++, all);
                    if (plan.cancelled && plan.cancelled->load()) throw Error("interrupted", "", Exit::interrupted);
                    answers[arm].push_back(arms[arm].arm->answer(prompt));
                }
            const std::size_t at = out.prompts.size();
            std::vector<ForkRecord> forks = forks_of(arms, prompt, answers, at);
            if (read_apart(answers)) out.read_apart.push_back(at);
            for (std::size_t arm = 0; arm < arms.size(); ++arm) out.arms[arm].answers.push_back(std::move(answers[arm]));
            std::ranges::move(forks, std::back_inserter(out.forks));
            out.prompts.push_back(prompt.text);
            // One that does not listen: more prompts would tell nothing else.
            if (plan.compare == SameCompare::drafts_off) {
                const auto drafts = drafts_of(out.arms[0]);
                out.whole = !drafts || drafts->drafted == 0;
                if (!out.whole) break;
            }
        } catch (const Error&) {
            if (!plan.cancelled || !plan.cancelled->load()) throw;
            out.whole = false;
            break;
        }
    }
    // Of a server that differs from itself a single text says nothing, however far apart two tokens lie.
    const auto noisy = [&](std::size_t arm) { return !std::ranges::all_of(out.arms[arm].answers, alike); };
    for (ForkRecord& record : out.forks)
        if (noisy(0) || noisy(record.arm)) record.judged.kind = ForkKind::not_told;
    return out;
}

} // namespace speclens
