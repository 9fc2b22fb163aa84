// What our server counts, and its text in the exposition format with vLLM's names.
#pragma once

#include <mutex>
#include <string>

#include "remote/spec_counts.h"

namespace speclens {

class ServeCounts {
  public:
    void waiting(int change);
    void running(int change);
    void prompt(int tokens);
    // `places`: guesses in a row at most; `written`: tokens, the target's own included.
    void round(int drafted, int places, int accepted, int written);
    void finished(double first_token_ms, double total_ms, int tokens);
    [[nodiscard]] std::string exposition(const std::string& model) const;

  private:
    mutable std::mutex mutex_;
    SpecCounts spec_;
    int waiting_ = 0, running_ = 0;
    double prompt_tokens_ = 0, tokens_ = 0, requests_ = 0;
    double first_seconds_ = 0, between_seconds_ = 0, between_ = 0;
};

} // namespace speclens
