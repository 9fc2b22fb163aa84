// K auto: how many tokens the next round drafts, from what rounds cost (draft_costs.h) and what became of the drafts so far. A value
// without a clock and without dice: the same answers give the same lengths.
//
// What is maximised is expected tokens ÷ expected time of a round, (1 + a1 + a1 a2 + …) ÷ (draft(K) + pass(1 + K)), over K from 0, a plain
// pass, to the most the drafter makes (goodput; SmartSpec, Liu et al. 2024, arXiv 2406.14066). The chance ai that the draft at place i is
// kept once those before it are comes from counts that fade by kFade a round, so that a text may change; a place that was not judged for
// long goes back to what the place before it has.
//   rows         chains of a model, which also stop row by row: a further pass, and a further draw, must bring more expected tokens for
//                their time than the run makes anyway. The chance that this draft is still whole is a running product: of a drawn token
//                by the probability it was drawn with, of a row that nothing is drawn from yet by its margin (log-odds of its two likeliest
//                tokens), both by counts in bins (as SpecDec++, Huang et al. 2024, arXiv 2405.19715, learns a head for it). Every
//                kInFull-th draft goes as far as the counts of places say, or nobody would learn behind a stop.
//   before       block heads: chosen before the block, which is filled and drawn as ever
//   tree         depth and nodes, before anything is drawn
//   all_or_none  copiers
// Two chained drafters (engine/drafters/chained.h) have a value each: next() is called of both, saw() of the one that spoke.
// Where, after the first three drafts, plain decoding wins, nothing is drafted for 20 rounds; then one draft tells whether times have
// changed, which goes on while its first token stays. Each draft that does not makes the next wait twice as long, up to 320 rounds.
//
// The law of stops: whether a token is put before the target depends on earlier rounds, costs, what was drawn before it and the row
// that it is drawn from; never on itself, nor on what is drawn behind it. So goes_on() is asked before a token is drawn and never sees
// it, and whatever was drawn is judged (Cycle holds it to that). Whether another follows may look at all that was drawn: goes_further().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/length/draft_costs.h"
#include "engine/length/draft_sizes.h"

namespace speclens {

class DraftLength {
  public:
    enum class Way : std::uint8_t { rows, before, tree, all_or_none };
    // Why a round asks for what it asks for.
    enum class Why : std::uint8_t {
        no_room, // the text or the context ends
        written, // it repeats what another run asked for
        most,    // nothing is chosen
        first,   // nothing is known yet
        pays,    // most expected tokens for the time
        plain,   // no draft pays: a wait begins
        waits,   // it is in such a wait
        looks    // it is over: does a draft pay now?
    };
    struct Limits {
        Way way = Way::before;
        DraftSize most;      // of a round
        bool chooses = true; // false: behind what was written every round asks for the most
        int first = 3;       // drafts before it may stop: until then nothing is known
        int part = 0;        // of two chained drafters: whose lengths these are, as in DraftSize::by
    };
    // written: what the first rounds ask for, whatever is known.
    DraftLength(DraftCosts costs, Limits limits, std::vector<DraftSize> written = {});

    // Begins a round that has room for so much; texts: that share its pass, of about equal rounds.
    [[nodiscard]] DraftSize next(DraftSize room, int texts = 1);
    // Whether the round that next() began stops row by row.
    [[nodiscard]] bool by_rows() const { return by_rows_; }
    // Before the pass that makes the row of `place`, from 1; drawn: the probability with which the token before it was drawn, 1: it was
    // certain.
    [[nodiscard]] bool goes_further(int place, double drawn);
    [[nodiscard]] bool goes_on(int place, double margin); // with that row, before anything is drawn from it
    // The margin of a row from which something was drawn: what goes_on() had to say yes to, or what a trace has of it.
    void told(int place, double margin);
    // What became of the round: draft tokens in a row, how many of them were kept, and the probabilities with which they were drawn, as far
    // as they are known.
    void saw(int drafted, int accepted, std::span<const double> drawn = {});
    // Instead, of two chained drafters: the other one spoke in this round, or neither. Nothing is learnt from it.
    void passed();

    [[nodiscard]] double kept(int place, DraftSize size) const; // chance, those before it being kept
    [[nodiscard]] double kept_by_margin(double margin) const;
    [[nodiscard]] double kept_by_draw(double margin, double drawn) const; // NaN: of a row whose margin is not known
    [[nodiscard]] double tokens(DraftSize size) const;                    // expected of a round
    [[nodiscard]] double ms(DraftSize size) const { return draft_ms(size.k) + pass_ms(1 + rows_of(size)); }
    [[nodiscard]] double speed(DraftSize size) const { return tokens(size) / ms(size); } // expected tokens a millisecond
    struct Choice {
        DraftSize size;
        double tokens = 0, ms = 0; // expected
        [[nodiscard]] double speed() const { return tokens / ms; }
    };
    // Of every K from 1 that there is room for the fastest; a copier has one.
    [[nodiscard]] std::vector<Choice> choices(DraftSize room) const;
    [[nodiscard]] Why why() const { return why_; } // of the running round
    [[nodiscard]] bool waits() const { return waits_; }
    [[nodiscard]] int wait() const { return wait_; } // rounds, of the running or the next one
    [[nodiscard]] int waited() const { return waited_; }

    static constexpr int kFirstWait = 20, kLongestWait = 320;

  private:
    struct Count {
        double kept = 0, tried = 0;
        void add(bool stayed) { kept += stayed ? 1 : 0, tried += 1; }
        void fade(double by) { kept *= by, tried *= by; }
        void at_most(double tries);
        [[nodiscard]] double share(double prior, double weight) const { return (kept + prior * weight) / (tried + weight); }
    };
    using Places = std::vector<Count>;
    static constexpr std::size_t kShapes = 3;                                      // of trees: a chain's, half of the nodes, all of them
    static constexpr std::array kBins = {0.25, 0.5, 1.0, 1.5, 2.5, 4.0, 6.0, 9.0}; // upper ends; the last bin has none
    static constexpr std::array kDraws = {0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95};  // the same of probabilities

    [[nodiscard]] DraftSize tree_of(int depth, std::size_t shape) const;
    [[nodiscard]] std::size_t shape_of(DraftSize size) const;
    [[nodiscard]] std::vector<double> chances(std::size_t shape, int places) const; // kept() of the first so many
    [[nodiscard]] double pass_ms(int rows) const { return costs_.pass_ms(texts_ * rows) / texts_; }
    [[nodiscard]] double draft_ms(int k) const { return costs_.draft_ms(k); }
    [[nodiscard]] static int rows_of(DraftSize size) { return size.nodes > 0 ? size.nodes : size.k; }
    [[nodiscard]] DraftSize best(DraftSize room) const; // of those that draft
    [[nodiscard]] double plain_speed() const { return 1 / pass_ms(1); }
    [[nodiscard]] double drafting_speed(DraftSize size) const;
    [[nodiscard]] bool ends_by_itself() const { return limits_.way == Way::rows || limits_.way == Way::all_or_none; }
    void decide(DraftSize room);
    [[nodiscard]] DraftSize take_written(DraftSize said);
    void begin_wait();
    void forget_most();
    void learn(int drafted, int accepted, std::span<const double> drawn);

    DraftCosts costs_;
    Limits limits_;
    std::vector<DraftSize> written_;
    std::size_t round_ = 0;
    int texts_ = 1;
    std::array<Places, kShapes> places_; // chains have the first
    std::array<Count, kBins.size() + 1> bins_;
    std::array<Count, kDraws.size() + 1> draws_;
    Count first_;                          // of first places, over a longer time
    double seen_tokens_ = 0, seen_ms_ = 0; // of rounds whose drafts ended by themselves; fade

    // Of the running round.
    DraftSize size_;
    Why why_ = Why::no_room;
    bool asked_ = false; // there was room
    bool by_rows_ = false, probe_ = false;
    int full_ = 0;                // places that are drafted whatever their rows say
    int passes_ = 0;              // of the drafter
    double reached_ = 1;          // chance that all drawn so far is kept
    double aim_ = 0;              // tokens a millisecond that the run makes anyway
    std::vector<double> chances_; // of each place
    std::vector<double> margins_; // of each place that was drawn, NaN: not known

    bool waits_ = false;
    int proofs_ = 0; // drafts in a row that looked and had their first token kept
    int wait_ = kFirstWait, waited_ = 0;
    int drafts_ = 0; // rounds that drafted
};

} // namespace speclens
