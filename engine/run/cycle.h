// The decode cycle as a state machine: draft -> verify -> accept … accept -> resample -> commit.
// step() performs exactly one phase (in Accept: one token) and appends its events. Stopping means not
// calling step(); nothing is ever suspended in the middle.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/rng.h"
#include "engine/drafters/drafter.h"
#include "engine/length/draft_length.h"
#include "engine/model/decoder.h"
#include "engine/rules/verify.h"
#include "engine/run/run_view.h"
#include "engine/run/trace.h"

namespace speclens {

struct CycleSettings {
    int k = 4;                             // draft tokens in a row at most
    int nodes = 0;                         // draft tokens of a tree at most; 0: only chains are asked for
    std::vector<DraftLength> lengths = {}; // who says how many of each round, of both of two chained drafters; empty: the most
    Sampling sampling;
    Sampling draft_sampling;
    std::uint64_t seed = 0;
    std::uint32_t fork = 0;
    std::function<double(const CoinKey&)> coins = uniform; // the one source of every number that is drawn; tests give others
    int max_tokens = 64;                                   // new tokens of the whole run
    RuleParams rule_params = {};
    int trace_top = 64;     // 0: no rows; -1: all
    bool timing = true;     // false: every ms is 0
    bool internals = false; // record engine/drafters/internals.h
    bool ahead = false;     // draft the next round while the target's pass is made elsewhere (Decoder::begin)
    std::vector<int> stops;
    bool chained = false;         // two drafters, of which the trace says who spoke
    bool prompt_recorded = false; // the trace has the Prefill: that of the run which a fork goes on from
    // Changes of one round made by a fork.
    int forced_round = -1;
    std::vector<std::pair<int, int>> force_drafts;    // (index of the node, token)
    std::optional<std::pair<int, double>> force_coin; // (index of the node, u)
};

class Cycle {
  public:
    // `sequence`: the tokens so far (prompt, or prompt and committed output when a fork continues), the last
    // one pending. `prompt_tokens` of them are the prompt. `first_round` numbers the first round.
    Cycle(Decoder& target, Drafter& drafter, const RuleInfo& rule, CycleSettings settings, Trace& trace, std::vector<int> sequence,
          int prompt_tokens, int first_round = 0, std::vector<std::uint32_t> attempts = {});

    // False once the run has stopped. Whatever it throws ends the run with Failed.
    bool step();
    [[nodiscard]] bool stopped() const { return stopped_; }
    // A round whose pass of the target somebody else makes, for several texts at once (engine/batch): ask() goes on to where
    // the pass is due and says what it shall be, null once the run has stopped. finish_round() takes the rows that
    // Decoder::forward() then gives, up to the commit. They throw as step() does.
    [[nodiscard]] const PassInput* ask();
    void finish_round();
    [[nodiscard]] std::vector<int> taps() const { return drafter_.taps(); } // that a reading of the prompt needs
    [[nodiscard]] const std::vector<int>& sequence() const { return sequence_; }
    [[nodiscard]] long residual_fallbacks() const { return residual_fallbacks_; }
    [[nodiscard]] double deciding_ms() const { return deciding_ms_; } // of all rounds: what choosing K took (CycleSettings::lengths)
    void stop(const std::string& reason);                             // appends Stopped
    // DraftRequest::go_on of the rounds to come.
    using GoOn = std::function<bool(int index, double margin)>;
    void go_on(GoOn go_on) { go_on_ = std::move(go_on); }
    // How many texts the next round's pass is for, where several share it (engine/batch).
    void in_company(int texts) { texts_ = texts; }
    // Told before each piece of a prompt that takes several passes, in tokens; may throw, which ends the run.
    using Reading = std::function<void(int read, int all)>;
    void on_reading(Reading reading) { reading_ = std::move(reading); }
    // DraftRequest::before_pass of all rounds: what it throws ends the run.
    void on_draft_pass(std::function<void()> pass) { draft_pass_ = std::move(pass); }

  private:
    enum class Next { prefill, draft, verify, accept, resample, commit };
    void advance();                                // one phase, which may have nothing to show
    void guarded(const std::function<void()>& go); // what it throws ends the run with Failed
    void do_prefill();
    void do_draft();
    [[nodiscard]] GoOn before_a_draw(GoOn ask, bool of_row); // of_row: with the row that would be drawn from
    [[nodiscard]] double unclaimed(double ms) const;
    void ask_drafter(DraftRequest& request, bool ready);
    [[nodiscard]] bool ask_for(std::size_t part, DraftRequest& request);
    void look_at_draft(const DraftRequest& request);
    [[nodiscard]] DraftRequest request_at(int committed) const; // of a round behind so many tokens
    void lay_out_pass();
    void draft_ahead(Verified& event);
    [[nodiscard]] bool take_ahead(); // what was drafted ahead is of the text that came
    void do_verify();
    void judge(); // distributions and verdict, once per round, at the first accept step
    void do_accept();
    void do_resample();
    void do_commit();
    // depth: 0 for the token right after the pending one
    [[nodiscard]] double coin(Purpose purpose, int depth, int lane = 0) const;
    [[nodiscard]] const Distribution& target_distribution(int row);
    [[nodiscard]] const Distribution& draft_distribution(int index);
    void take_after_last(int k);

    Decoder& target_;
    Drafter& drafter_;
    const RuleInfo& rule_;
    CycleSettings settings_;
    Trace& trace_;
    std::vector<int> sequence_;
    int prompt_tokens_ = 0;
    Reading reading_;
    GoOn go_on_;
    int texts_ = 1;
    int round_index_ = 0;
    std::vector<std::uint32_t> attempts_; // earlier rounds that drafted for each position
    Next next_ = Next::prefill;
    bool stopped_ = false;
    long residual_fallbacks_ = 0;
    double deciding_ms_ = 0;

    // State of the running cycle.
    Draft draft_;
    std::optional<DraftSize> asked_; // Verified::asked
    std::vector<DraftSize> sizes_;   // of CycleSettings::lengths
    int drawn_ = 0;                  // coins that drew draft tokens in this round
    static constexpr int kNever = 1 << 20;
    int ended_at_ = kNever;                                      // where it was asked whether to go on, and the answer was no
    bool row_ended_ = false;                                     // with a row that was made for it
    std::vector<int> drafted_tokens_, parents_, depths_, lanes_; // of each node
    bool tree_ = false;
    PassInput pass_; // of the target, its rows and taps in:
    std::vector<int> pass_tokens_, pass_parents_, taps_;
    PassRows* rows_ = nullptr;
    std::vector<Distribution> draft_distributions_;
    std::optional<DraftNode> after_last_; // a rule that mixes: what the draft says after its last node; not proposed
    Verdict verdict_;
    bool judged_ = false;
    std::size_t checked_ = 0;
    int kv_before_ = 0;
    double empty_draft_ms_ = 0; // Verified::draft_ms
    double accept_ms_ = 0;

    // Drafted beside the last pass, for the text that comes if all is kept and the target's own token is as drafted.
    std::vector<int> ahead_text_; // empty: nothing was
    Draft ahead_;
    int from_ahead_ = 0; // of the running round's draft

    std::function<void()> draft_pass_; // DraftRequest::before_pass
};

// How many rounds before `round` drafted for each position; what a fork needs to keep the same dice.
[[nodiscard]] std::vector<std::uint32_t> attempts_before(const Trace& trace, int round);

} // namespace speclens
