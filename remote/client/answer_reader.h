// The events of one streamed answer of vLLM, SGLang, llama.cpp or our own server, read into a ServedText;
// knows no network. answer_reader.cpp reads what they say, answer_rounds.cpp works out which pieces were
// drafted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "remote/client/passes.h"
#include "remote/client/served_text.h"
#include "remote/reading/reported_number.h"

namespace speclens {

class AnswerReader {
  public:
    explicit AnswerReader(ServerKind kind, const DraftSettings& drafting = {}) : kind_(kind), shape_(drafting.shape()) {}
    void event(const std::string& data, double ms); // one server-sent event
    // The server said why it ended, or that it did.
    [[nodiscard]] bool complete() const { return done_ || !out_.finish.empty(); }
    // Assigns rounds; once. `drafts_nothing`: the server's own figures say that it never drafted.
    // `counted`: what the server's own counters grew by meanwhile; of this request where drafted and accepted agree.
    [[nodiscard]] ServedText finish(double ms, bool drafts_nothing = false, const std::optional<SpecCounts>& counted = {});
    [[nodiscard]] const ServedText& so_far() const { return out_; }

  private:
    void fit_written();
    void fit_listed();
    void fit_growth();
    void fit_passes(const std::optional<SpecCounts>& counted);
    void check_counts();
    void fit_arrivals();
    void take_choice(const Json& choice, double ms);
    void take_timings(const Json& timings);
    void take_details(const Json& spec);     // SGLang's
    void take_other_stats(const Json& json); // LM Studio's, Mac-MLX'
    void take_text();
    ServerKind kind_;
    DraftShape shape_; // of SGLang's drafts
    ServedText out_;
    struct Growth {
        double drafted, accepted; // totals of llama.cpp when the piece arrived
    };
    std::vector<std::optional<Growth>> growth_; // of every piece
    std::vector<Seen> seen_;                    // of every event that tells how many tokens were written
    std::optional<Growth> growth_now_;
    bool timings_ = false; // llama.cpp's
    Said wrong_;           // figures of one answer that contradict each other
    std::optional<double> reported_length_, rounds_told_;
    bool contradicted_ = false;
    bool repeated_ = false;     // the server had the whole prompt in its cache
    std::vector<int> arrivals_; // pieces per event
    std::vector<int> listed_accepted_, listed_drafted_, listed_tokens_;
    bool done_ = false;        // "[DONE]" came
    bool tokens_apart_ = true; // every piece is one token
    bool lists_none_ = false;  // its place for the rounds of this request is empty
};

// SpecCounts::judged_at of rounds that drafted chains: each judged what it kept and the draft behind. Empty where they
// are not all listed, or where more was drafted than there are places: trees.
[[nodiscard]] std::vector<double> judged_in(const std::vector<int>& accepted, const std::vector<int>& drafted, std::size_t places);

// One whole answer that was not streamed, or the events of one that was, as saved in a file. Absent: it is neither.
struct SavedAnswer {
    ServerKind kind = ServerKind::unknown;
    ServedText served;
};
[[nodiscard]] std::optional<std::vector<SavedAnswer>> read_saved_answers(std::string_view text);

// "the server refuses with status 400: …", in the words of its answer where it has any.
[[nodiscard]] std::string refusal(const std::string& body, int status);

} // namespace speclens
