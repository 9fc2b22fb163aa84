// Many texts at once on one target. A round: texts join, every text drafts, one pass of the target goes over the rows of all of
// them, every text judges its own rows and commits, texts leave. Prompts are read in pieces beside that, so that nobody waits
// for a long one.
//
// A text is a Run whose target is a Seat (seat.h): its rounds, its dice and its rule are those of a run alone. So is its text,
// bit for bit, whatever else is in flight, in which order texts came, and however often it was preempted; the traces have the
// same hash. That holds at any temperature for drafters that look at their own text only, which all of ours do.
//
// Drafters propose side by side (lockstep.h): each is one that knows its own text only, and their products are made together.
//
// One thread, the backend's (engine/models/turns.h).
//
// Texts of different owners have nothing in common but the weights and the pass: no blocks of a prompt, no remembered answers.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/batch/batch_round.h"
#include "engine/batch/batch_settings.h"
#include "engine/batch/block_pool.h"
#include "engine/batch/lockstep.h"
#include "engine/batch/scheduler.h"
#include "engine/batch/scoring.h"
#include "engine/batch/seat.h"
#include "engine/model/paged_model.h"
#include "engine/run/run.h"

namespace speclens {

// Blocks for so many texts of so many positions each, with nothing shared.
[[nodiscard]] int blocks_for(int texts, int positions);

// What became of a text.
struct BatchText {
    enum class State : std::uint8_t { waiting, reading, decoding, done, failed, cancelled } state = State::waiting;
    int preempted = 0;                                // how often
    double arrived_ms = 0, first_ms = 0, done_ms = 0; // on the engine's clock; 0: not yet
    struct Delivery {
        double ms = 0; // on the engine's clock
        int tokens = 0;
    };
    std::vector<Delivery> deliveries; // one for each of its rounds
    std::vector<int> sequence;        // with the prompt; once it has ended
    int prompt_tokens = 0;
    std::string text;                   // of the new tokens; once it has ended
    std::shared_ptr<const Trace> trace; // from joining on; untimed, because a pass belongs to several texts
    std::vector<ScoredToken> scores;    // of a text that is only judged; once it has ended
    std::string error, remedy;          // failed
    [[nodiscard]] bool ended() const { return state >= State::done; }
};

// Whose text it is, where several people are served.
struct BatchOwner {
    std::string key;                                // prompts share blocks only where this is the same; turns are fair between keys
    std::shared_ptr<const SuffixTrie> answers = {}; // of this owner: what the drafter suffix drafts from too; does not change any more
};

class BatchEngine {
  public:
    // Throws Error: a target that is no checkpoint, a backend without pages, too little memory, settings out of range.
    BatchEngine(std::shared_ptr<const Models> models, const BatchSettings& settings);
    ~BatchEngine();

    // A text that waits for its turn; its number, counting from 0. Prepared for these models. Throws Error where the whole pool is too
    // small for it, and for settings what prepared_run() throws.
    int submit(PreparedRun prepared, BatchOwner owner = {});
    int submit(const RunSettings& settings, BatchOwner owner = {}) { return submit(prepared_run(*models_, settings), std::move(owner)); }
    // A text that is only judged, in pieces of at most prompt_rows rows beside the rounds of the others. Its keys and values stay
    // for the next one of its owner that begins alike, until their blocks are needed. Throws Error where it cannot be.
    int submit(Scoring scoring, BatchOwner owner = {});
    // One round. False: there is nothing to do. What goes wrong for one text ends that one; what goes wrong in a pass is thrown.
    bool step();
    // Of the rounds of a text to come, 0 … its K: for who chooses K as it goes (adaptive_study.h).
    void draft_at_most(int text, int drafts);
    // DraftRequest::go_on of a text that waits for its turn; the engine calls it while the text drafts.
    void go_on(int text, Cycle::GoOn go_on) { at(text).go_on = std::move(go_on); }
    // Told in every round that has a pass, once all of its blocks are taken: pictures and tests look at tables there.
    void before_pass(std::function<void()> watch) { before_pass_ = std::move(watch); }
    void cancel(int text); // its blocks are free at once
    void forget(int text); // that has ended: text() knows it no more
    [[nodiscard]] std::vector<ScoredToken> take_scores(int text) { return std::move(at(text).shown.scores); }

    [[nodiscard]] const BatchText& text(int number) const { return at(number).shown; }
    [[nodiscard]] int texts() const { return submitted_; }           // since the beginning
    [[nodiscard]] const BatchRound& round() const { return round_; } // the last one
    [[nodiscard]] const BlockPool& pool() const { return pool_; }
    [[nodiscard]] int free_blocks() const; // with those that are only kept for who may begin alike
    [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }
    [[nodiscard]] const Lockstep& lockstep() const { return lockstep_; }
    // Blocks of a text in flight, in order; and positions that they hold.
    [[nodiscard]] std::span<const int> blocks_of(int text) const;
    [[nodiscard]] int length_of(int text) const;
    [[nodiscard]] double now_ms() const { return clock_.ms(); }

  private:
    struct Text {
        PreparedRun prepared;
        BatchText shown;
        BatchOwner owner;
        [[nodiscard]] const std::vector<int>& prompt() const { return prepared.prompt.ids; }
        std::unique_ptr<Run> run;       // from joining to the end, also while preempted; none where it is only judged
        std::optional<Scoring> scoring; // then this, with
        std::unique_ptr<Seat> own_seat;
        PassInput places;                 // the next of its places
        Seat* seat = nullptr;             // its target
        const PassInput* asked = nullptr; // the pass that its round waits for
        std::optional<int> most_drafts;   // draft_at_most()
        Cycle::GoOn go_on;
    };
    // A text's part of a pass to come.
    struct Part {
        int text = 0;
        PassInput input;
        bool reads = false;
    };

    [[nodiscard]] Text& at(int text) { return texts_.at(text); }
    [[nodiscard]] const Text& at(int text) const { return texts_.at(text); }
    // Of a text that was judged and may go on.
    struct Kept {
        std::string key;
        std::unique_ptr<Seat> seat;
    };
    [[nodiscard]] std::shared_ptr<const Models> models_of(const Text& text) const;
    int enter(Text text);
    [[nodiscard]] static std::span<const int> tokens_of(const Text& text); // that are there
    [[nodiscard]] static std::vector<int> taps_of(const Text& text);
    [[nodiscard]] bool drop_kept();                                 // the oldest; false: there is none
    [[nodiscard]] std::map<std::string, int> prompt_shares() const; // rows of this round, by owner
    void ask_for_places(Text& text);
    void finish_scoring(int number);
    [[nodiscard]] BatchLane& lane(int text);
    void admit();
    [[nodiscard]] bool fits(const Text& text) const;
    [[nodiscard]] int known_tokens(const Text& text) const; // that have to be in the cache before its next round
    void join(int number);
    // Who has read most of what `text` begins with, in flight or kept; null: nobody has anything.
    [[nodiscard]] const Seat* alike(const Text& text) const;
    void share_prompt(Text& text);
    [[nodiscard]] bool waits_for_prompt(int number) const;
    void draft();
    void draft(int number);
    void plan(std::vector<Part>& parts);
    void plan_reading(int number, int& rows_left, std::vector<Part>& parts); // rows_left: of its owner in this round
    [[nodiscard]] bool reserve(int number, int rows);
    void reserve_in_middle(int number, int rows);
    void take_blocks(Text& text, int rows);
    void preempt(int number);
    void pass(std::span<Part> parts);
    void pass_alone(int number, Seat& seat, const PassInput& input);
    void finish_round(int number);
    void end(int number, BatchText::State state);
    void fail(int number);
    void guarded(int number, const std::function<void()>& go); // what it throws ends this text alone

    std::shared_ptr<const Models> models_;
    BatchSettings settings_;
    PagedModel model_;
    BlockPool pool_;
    Scheduler scheduler_;
    std::deque<Kept> kept_; // oldest first
    std::map<int, Text> texts_;
    int submitted_ = 0;
    BatchRound round_;
    Lockstep lockstep_;
    std::function<void()> before_pass_;
    Stopwatch clock_;
};

} // namespace speclens
