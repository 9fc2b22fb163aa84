// Does K auto pay in runs of one text? Every prompt is run with plain decoding, with fixed K and with K auto
// (engine/length/draft_length.h), one run after the other by turns, with several seeds; what counts is the time of decoding, from behind
// the prompt to the last token. Some of the prompts develop: they say which fixed K is fastest. The others are held out: there K auto
// stands beside plain decoding, beside that K, which was chosen on other prompts, and beside an oracle, the fixed K that was fastest for
// each of them in hindsight.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/busy.h"
#include "engine/batch/ratio.h"
#include "engine/length/draft_costs.h"
#include "engine/run/run_settings.h"

namespace speclens {

class Run;     // engine/run/run.h
struct Models; // engine/models/models.h

struct SingleText {
    RunSettings settings; // prompt, dice, drafter, rule; k is ours
    std::string domain;
    bool held_out = false;
};

struct SinglePlan {
    std::vector<SingleText> texts;
    std::vector<int> fixed = {0, 1, 2, 3, 4, 6, 8}; // ascending, from 0
    int most = 16;                                  // of K auto
    int seeds = 3;                                  // runs of every text with every way, each with other dice
};
// Of `texts`, by turns from each of their domains: the first `develop` of them, and the last `held_out`, so that fewer of the one are
// never among the other. Throws Error (usage) where there are not so many.
[[nodiscard]] std::vector<SingleText> parts_of(std::vector<SingleText> texts, int develop, int held_out);

struct SingleRun {
    std::size_t text = 0;
    int seed = 0, k = 0; // number of the seed; the fixed K, or the most of K auto
    bool automatic = false;
    int tokens = 0, rounds = 0, drafted = 0, plain_passes = 0;
    double ms = 0, deciding_ms = 0;                                               // of decoding; the part of it that chose K
    bool same_text = true;                                                        // as plain decoding's, at temperature 0
    [[nodiscard]] double rate() const { return ms > 0 ? 1000 * tokens / ms : 0; } // tokens a second
};

// K auto over the held-out prompts of a domain; intervals over prompts and seeds.
struct SingleFigures {
    std::string domain; // "": all of them
    int prompts = 0;
    double plain_rate = 0, auto_rate = 0; // tokens a second, geometric means
    SweepInterval over_plain, over_fixed; // over_fixed: the K chosen on the prompts that develop
    SweepInterval over_oracle;            // the fastest fixed K of each prompt
    double drafted = 0, deciding = 0,
           silent = 0; // a round of K auto: drafts; the share of the time that choosing took; rounds without a draft
};

struct SingleResult {
    std::string drafter;
    std::vector<SingleRun> runs; // in the order they were made
    DraftCosts costs;            // that K auto went by
    bool complete = false;
    double busy_cores = 0;       // that other programs kept busy meanwhile
    int compared = 0, equal = 0; // texts with those of plain decoding, at temperature 0
};
// The fixed K that is fastest over the prompts that develop; none: not all of them were run.
[[nodiscard]] std::optional<int> chosen_k(const SinglePlan& plan, const SingleResult& result);
// Of every domain, then of all; only prompts of which every run is there.
[[nodiscard]] std::vector<SingleFigures> figures_of(const SinglePlan& plan, const SingleResult& result);

class SingleStudy {
  public:
    // Throws Error as Run does.
    SingleStudy(std::shared_ptr<const Models> models, SinglePlan plan);
    ~SingleStudy();
    bool step(); // a phase of a run; false: it is over
    [[nodiscard]] double done() const;
    [[nodiscard]] const SinglePlan& plan() const { return plan_; }
    [[nodiscard]] const SingleResult& result() const { return result_; }

  private:
    struct Way {
        int k = 0;
        bool automatic = false;
    };
    [[nodiscard]] Way way_now() const; // whose turn it is for this text and seed
    [[nodiscard]] RunSettings settings_now() const;
    void begin();
    void take();

    std::shared_ptr<const Models> models_;
    SinglePlan plan_;
    SingleResult result_;
    std::vector<Way> ways_; // plain first, K auto last
    std::size_t text_ = 0, turn_ = 0;
    int seed_ = 0;
    bool warm_ = false;
    std::unique_ptr<Run> run_;
    double ms_ = 0;
    std::vector<int> plain_; // the sequence of this text and seed
    BusyMeter busy_;
};

} // namespace speclens
