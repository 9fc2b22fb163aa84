// The events of one streamed answer of vLLM, SGLang, llama.cpp or our own server, read into a ServedText;
// knows no network. answer_reader.cpp reads what they say, answer_rounds.cpp works out which pieces were
// guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "remote/client/served_text.h"
#include "remote/reading/told_number.h"

namespace speclens {

class AnswerReader {
  public:
    explicit AnswerReader(ServerKind kind) : kind_(kind) {}
    void event(const std::string& data, double ms); // one server-sent event
    // The server said why it ended, or that it did.
    [[nodiscard]] bool complete() const { return done_ || !out_.finish.empty(); }
    // Assigns rounds; once. `drafts_nothing`: the server's own figures say that it never drafted.
    [[nodiscard]] ServedText finish(double ms, bool drafts_nothing = false);
    [[nodiscard]] const ServedText& so_far() const { return out_; }

  private:
    void fit_written();
    void fit_listed();
    void fit_growth();
    void fit_arrivals();
    ServerKind kind_;
    ServedText out_;
    struct Growth {
        double drafted, accepted; // totals of llama.cpp when the piece arrived
    };
    std::vector<std::optional<Growth>> growth_; // of every piece
    std::vector<int> arrivals_;                 // pieces per event
    std::vector<int> listed_accepted_, listed_drafted_, listed_tokens_;
    bool done_ = false;        // "[DONE]" came
    bool tokens_apart_ = true; // every piece is one token
    bool lists_none_ = false;  // its place for the rounds of this request is empty
};

// "the server refuses with status 400: …", in the words of its answer where it has any.
[[nodiscard]] std::string refusal(const std::string& body, int status);

} // namespace speclens
