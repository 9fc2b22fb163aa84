// One answer of our server as it grows: text pieces, rounds and what is told about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/account/token_account.h"
#include "engine/base/json_read.h"
#include "engine/models/models.h"
#include "engine/run/run_view.h"
#include "remote/serving/completion_request.h"
#include "remote/serving/serve_counts.h"

namespace speclens {

class CompletionAnswer {
  public:
    CompletionAnswer(const Models& models, CompletionRequest asked, std::string model, bool chat, std::uint64_t number);
    // Goes on in the first `events` of the trace to the end of a round; whether it wrote tokens.
    bool follow(const Trace& trace, std::size_t events, ServeCounts& counts);
    [[nodiscard]] bool behind(std::size_t events) const { return seen_ < events; }
    [[nodiscard]] bool ended() const { return !finish_.empty(); }
    [[nodiscard]] std::string chunk(bool first) const; // what the last look brought, as a server-sent event
    [[nodiscard]] std::string last_chunk() const;      // usage and rounds
    [[nodiscard]] Json whole() const;                  // an answer that is not streamed; the trace is still there
    [[nodiscard]] const CompletionRequest& asked() const { return asked_; }
    [[nodiscard]] int tokens() const { return tokens_; }
    void prompt(int tokens) { prompt_ = tokens; }

  private:
    void round(const RoundSummary& round, ServeCounts& counts);
    [[nodiscard]] std::string text() const; // of the pieces
    [[nodiscard]] Json pieces_json() const;
    void tell_tokens(Json& choice) const;
    [[nodiscard]] Json usage() const;
    [[nodiscard]] Json spec_metrics() const;
    [[nodiscard]] Json noticed(Json body) const;
    [[nodiscard]] Json framed(Json body, bool chunk) const;
    [[nodiscard]] std::string event(Json body) const;

    CompletionRequest asked_;
    std::string model_;
    bool chat_;
    std::uint64_t number_;
    const Models* models_ = nullptr;
    const Tokenizer* tokenizer_ = nullptr;
    std::optional<StreamDecoder> decoder_;
    std::size_t seen_ = 0;
    RunView view_;
    std::vector<std::string> pieces_;               // of the last look where they are streamed, else of all
    std::vector<TokenAccount> accounts_;            // of each token of these
    std::size_t offset_ = 0;                        // characters before them
    std::vector<int> accepted_, drafted_, written_; // of every round
    std::vector<int> judged_at_;                    // as SpecCounts
    int places_ = 0, tokens_ = 0, prompt_ = 0;
    std::int64_t created_ = 0; // seconds since 1970
    std::string finish_;
};

} // namespace speclens
