// What our server counts, and its text in the exposition format with vLLM's names.
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/account/refused_ranks.h"
#include "engine/account/token_account.h"
#include "engine/batch/batch_round.h"
#include "remote/reading/spec_counts.h"

namespace speclens {

class ServeCounts {
  public:
    void waiting(int change);
    void running(int change);
    void queue(int running, int waiting); // both as they are
    void blocks(int all, int free);       // of the batch's cache
    void batch(const BatchRound& round);
    void prompt(int tokens);
    // `places`: draft tokens in a row at most; `judged`: of these, up to the first that was refused; `written`:
    // tokens, the target's own included.
    void round(int drafted, int places, int judged, int accepted, int written);
    void sources(std::span<const TokenAccount> accounts);
    void ranks(const RoundSummary& round, const Header& header);
    void first_token(double ms);                // since its request
    void between_tokens(double ms, int tokens); // a round wrote them, so long after the one before it
    [[nodiscard]] std::string exposition(const std::string& model) const;

  private:
    mutable std::mutex mutex_;
    // Of seconds, as Prometheus has it: how many values are at most each bound.
    struct Histogram {
        std::span<const double> bounds;
        std::vector<double> counts = std::vector<double>(bounds.size() + 1, 0); // of each bucket alone
        double seconds = 0;
        void observe(double value, double times);
        [[nodiscard]] std::string exposition(const std::string& name, const std::string& help, const std::string& labels) const;
    };
    // The bounds are vLLM's (v1/metrics/loggers.py), so that its dashboards fit.
    // clang-format off
    static constexpr double kFirstTokenBounds[] = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
                                                   0.25,  0.5,   0.75, 1,    2.5,  5,    7.5,  10,
                                                   20,    40,    80,   160,  640,  2560};
    static constexpr double kBetweenBounds[] = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                                0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
    // clang-format on
    SpecCounts spec_;
    std::array<double, kTokenRoles> by_source_{};
    RefusedRanks ranks_;
    int waiting_ = 0, running_ = 0;
    int blocks_ = 0, free_blocks_ = 0; // none: texts are computed one after the other
    double passes_ = 0, texts_in_passes_ = 0, rows_ = 0, preempted_ = 0, shared_tokens_ = 0;
    [[nodiscard]] std::string batch_exposition(const std::string& labels) const; // under the lock
    [[nodiscard]] std::string token_exposition(const std::string& labels) const;
    double prompt_tokens_ = 0, tokens_ = 0, plain_ = 0; // plain_: passes of a text without a draft
    Histogram first_{kFirstTokenBounds}, between_{kBetweenBounds};
};

} // namespace speclens
