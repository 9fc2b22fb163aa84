// Does choosing K as one goes pay? Several ways to choose it, on the same arrivals of the same texts with the same dice, one batch after
// the other: every fixed K, the controllers of k_controller.h and margin_controller.h, the confidence of a head that has one, and K auto
// (engine/length/draft_length.h). With one seat the texts are single runs, one after another. Beside
// them an oracle that knows in hindsight how many drafts of every round would be kept, priced with the measured costs: of every repeat the
// best of those rounds, so no way is above it.
//
// Texts arrive by a clock that runs with the rounds that were made and skips what is idle: seldom at first, then many at once, so that
// the best K is not the same all the time. Costs are measured in the batches with fixed K, and frozen before a controller sees them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/busy.h"
#include "engine/batch/k_controller.h"
#include "engine/batch/ratio.h"
#include "engine/run/run_settings.h"

namespace speclens {

struct Models; // engine/models/models.h

struct AdaptivePlan {
    std::vector<RunSettings> texts; // with their dice and drafter; k is ours
    int seats = 8;
    int most = 7;                                      // K of a round
    std::vector<int> fixed = {0, 1, 2, 3, 4, 5, 6, 7}; // ascending, from 0 to `most`
    int repeats = 3;
    bool confident = false; // the drafter's head tells its confidence
    bool margins = false;   // it draws a chain from rows, which have margins
    bool automatic = false; // K auto is among the ways
    int blocks = 0;         // 0: enough for all
};
// `count` texts of the list, with drafter and rule.
[[nodiscard]] AdaptivePlan adaptive_plan(const Models& models, const std::vector<RunSettings>& texts, const std::string& drafter,
                                         const std::string& rule, int most);

// Milliseconds of a round with K drafts a text and so many texts.
class CostTable {
  public:
    void saw(int k, int texts, double ms);
    [[nodiscard]] double ms(int k, int texts) const; // between and beyond what was seen: along a line; there must be something
    [[nodiscard]] bool empty() const { return sums_.empty(); }

  private:
    struct Sum {
        double ms = 0;
        int rounds = 0;
    };
    [[nodiscard]] double of_length(const std::map<int, Sum>& by_texts, int texts) const;
    std::map<int, std::map<int, Sum>> sums_; // by K, by texts
};

enum class Chooser : std::uint8_t { fixed, article, formula, gain, margin, confidence, automatic, oracle };
[[nodiscard]] const char* name_of(Chooser chooser);

struct AdaptiveRound {
    double at_ms = 0; // on the clock of arrivals
    int texts = 0;    // that decoded
    double k = 0;     // drafts of each, a mean
};

struct AdaptiveWay {
    Chooser chooser = Chooser::fixed;
    int k = 0;                                // fixed, margin, confidence
    std::vector<double> rates = {};           // tokens a second of every repeat, while there was something to do
    double tokens_per_round = 0, wait_ms = 0; // of a text in a round; from arrival to the last token, a mean
    std::vector<AdaptiveRound> rounds = {};   // of the last repeat
    std::optional<double> auc = {};           // margin: MarginController::auc() of the last repeat
    [[nodiscard]] double rate() const;        // mean of the repeats: what drifts there drifts back; 0 of none
};

struct AdaptiveResult {
    std::string drafter;
    int seats = 0, texts = 0;
    std::vector<double> arrivals_ms;
    std::vector<AdaptiveWay> ways; // fixed ones first, by K; the oracle last
    bool complete = false;
    double busy_cores = 0;                                              // that other programs kept busy meanwhile
    int compared = 0, equal = 0;                                        // texts with those of plain decoding, at temperature 0
    [[nodiscard]] SweepInterval speed_up(const AdaptiveWay& way) const; // over plain decoding
    [[nodiscard]] bool in_doubt(const AdaptiveWay& way) const;          // that figure, as SweepCell::in_doubt
    [[nodiscard]] const AdaptiveWay* way(Chooser chooser) const;
    [[nodiscard]] const AdaptiveWay* best_fixed() const; // null: none was measured
};

class AdaptiveStudy {
  public:
    // Throws Error as BatchEngine does.
    AdaptiveStudy(std::shared_ptr<const Models> models, AdaptivePlan plan);
    ~AdaptiveStudy();
    bool step(); // a round; false: it is over
    [[nodiscard]] double done() const;
    [[nodiscard]] const AdaptiveResult& result() const { return result_; }

  private:
    class Batch;
    struct Written { // what a round kept, for the oracle
        std::vector<int> accepted;
        double drafted = 0; // a mean
        double ms = 0;
    };
    struct Ran { // a batch
        int repeat = 0, k = 0;
        std::vector<Written> rounds;
        long tokens = 0;
        double busy_ms = 0;
    };
    [[nodiscard]] AdaptiveWay& way_now(); // whose turn it is in this repeat
    void begin();
    void take();
    void arrive_by(double plain_ms);
    void price_oracle();
    [[nodiscard]] double cost_of(double k, int texts) const;
    [[nodiscard]] double oracle_ms(const Ran& batch) const;

    std::shared_ptr<const Models> models_;
    AdaptivePlan plan_;
    AdaptiveResult result_;
    CostTable costs_;
    std::size_t way_ = 0;
    int repeat_ = 0;
    std::unique_ptr<Batch> batch_;
    std::vector<Ran> ran_; // all of them
    BusyMeter busy_;
    std::vector<std::vector<int>> plain_; // sequences
};

} // namespace speclens
