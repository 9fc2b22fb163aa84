#include "engine/batch/adaptive_study.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/batch/batch_engine.h"
#include "engine/batch/margin_controller.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/models/models.h"
#include "engine/run/measured_costs.h"
#include "engine/run/run.h"
#include "engine/run/speed_up.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr double kConfident = 0.5; // a head that is less sure stops

// The texts i of the first half come one at a time, those of the second in a crowd: gaps of an exponential clock, as means in units of
// the time that a text takes alone and plainly.
std::vector<double> arrivals(int texts, int seats, double alone_ms) {
    std::vector<double> at;
    double now = 0;
    for (int i = 0; i < texts; ++i) {
        at.push_back(now);
        const double u = uniform({.seed = 17, .position = static_cast<std::uint32_t>(i), .purpose = Purpose::accept});
        const double mean = alone_ms * (2 * i < texts ? 0.8 : 0.5 / seats);
        now += -std::log(1 - u) * mean;
    }
    return at;
}

// Along a line through the neighbours of x, or through the two next to it at an end.
template <class Map, class Of>
double along(const Map& points, double x, const Of& of) {
    if (points.size() == 1) return of(points.begin()->second);
    auto high = points.lower_bound(static_cast<int>(std::ceil(x)));
    if (high == points.end()) --high;
    if (high == points.begin()) ++high;
    const auto low = std::prev(high);
    const double part = (x - low->first) / (high->first - low->first);
    const double a = of(low->second), b = of(high->second);
    return std::max(a + (b - a) * part, 0.25 * std::min(a, b)); // a line beyond its points may lead anywhere
}

} // namespace

const char* name_of(Chooser chooser) {
    switch (chooser) {
    case Chooser::fixed: return "fixed";
    case Chooser::article: return "article";
    case Chooser::formula: return "formula";
    case Chooser::gain: return "gain";
    case Chooser::margin: return "margin";
    case Chooser::confidence: return "confidence";
    case Chooser::automatic: return "auto";
    case Chooser::oracle: break;
    }
    return "oracle";
}

AdaptivePlan adaptive_plan(const Models& models, const std::vector<RunSettings>& texts, const std::string& drafter, const std::string& rule,
                           int most) {
    constexpr std::size_t kTexts = 20;
    AdaptivePlan plan;
    if (const auto network = models.network(drafter)) {
        most = std::min(most, network->config.most_drafts());
        plan.confident = network->config.confidence;
    }
    const DrafterInfo* const info = find_drafter(drafter);
    const RuleInfo* const judge = find_rule(rule);
    plan.margins =
        info && info->drafts() && !info->tree && !info->copies() && !(judge && judge->is_cascade()) && !texts.front().options.by_text;
    plan.most = std::max(1, most);
    std::erase_if(plan.fixed, [&](int k) { return k >= plan.most; });
    plan.fixed.push_back(plan.most);
    for (std::size_t i = 0; i < kTexts; ++i) {
        RunSettings text = texts[i % texts.size()].with_fixed_k();
        text.drafter = drafter;
        text.rule = rule;
        text.seed += 7919 * (i / texts.size());
        text.trace_top = 0;
        text.timing = false;
        plan.texts.push_back(std::move(text));
    }
    return plan;
}

void CostTable::saw(int k, int texts, double ms) {
    Sum& sum = sums_[k][texts];
    sum.ms += ms;
    ++sum.rounds;
}

double CostTable::of_length(const std::map<int, Sum>& by_texts, int texts) const {
    return along(by_texts, texts, [](const Sum& sum) { return sum.ms / sum.rounds; });
}

double CostTable::ms(int k, int texts) const {
    CHECK(!sums_.empty(), "nothing was measured");
    return along(sums_, k, [&](const auto& by_texts) { return of_length(by_texts, texts); });
}

double AdaptiveWay::rate() const {
    return rates.empty() ? 0 : std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

const AdaptiveWay* AdaptiveResult::way(Chooser chooser) const {
    const auto found = std::ranges::find(ways, chooser, &AdaptiveWay::chooser);
    return found == ways.end() || found->rates.empty() ? nullptr : &*found;
}

SweepInterval AdaptiveResult::speed_up(const AdaptiveWay& of) const {
    return ways.empty() ? SweepInterval() : ratio_of(of.rates, ways.front().rates);
}

bool AdaptiveResult::in_doubt(const AdaptiveWay& of) const { return busy_cores > kMostBusyCores || speed_up(of).spread() > kMostSpread; }

const AdaptiveWay* AdaptiveResult::best_fixed() const {
    const AdaptiveWay* best = nullptr;
    for (const AdaptiveWay& way : ways)
        if (way.chooser == Chooser::fixed && !way.rates.empty() && (!best || way.rate() > best->rate())) best = &way;
    return best;
}

// One way, once through all arrivals.
class AdaptiveStudy::Batch {
  public:
    Batch(const std::shared_ptr<const Models>& models, const AdaptivePlan& plan, const AdaptiveWay& way,
          const std::vector<double>& arrivals, const CostTable& costs)
        : plan_(plan), way_(way), arrivals_(arrivals), costs_(costs), formula_(std::min(5, plan.most), plan.most),
          article_(std::min(5, plan.most), 1, plan.most), gain_(plan.most), margin_(plan.most),
          engine_(models, settings_of(*models, plan)) {}

    // A round. False: all texts have ended.
    bool step() {
        submit_arrived();
        if (engine_.scheduler().in_flight().empty() && engine_.scheduler().waiting().empty()) {
            if (next_ == plan_.texts.size()) return false;
            now_ms_ = arrivals_[next_]; // nobody is there: the clock goes on to the next
            submit_arrived();
        }
        const Stopwatch deciding;
        const int k = choose();
        if (way_.chooser == Chooser::margin) margin_.begin_round([this](int drafts) { return costs_.ms(drafts, texts_now()); });
        if (way_.chooser != Chooser::fixed && way_.chooser != Chooser::confidence && way_.chooser != Chooser::automatic)
            for (int text = 0; text < engine_.texts(); ++text) engine_.draft_at_most(text, k);
        decided_ms_ = deciding.ms();
        (void)engine_.step();
        count();
        return true;
    }

    [[nodiscard]] double busy_ms() const { return busy_ms_; }
    [[nodiscard]] long tokens() const { return tokens_; }
    [[nodiscard]] double tokens_per_round() const {
        return text_rounds_ > 0 ? static_cast<double>(tokens_) / static_cast<double>(text_rounds_) : 0;
    }
    [[nodiscard]] double wait_ms() const { return wait_ms_ / static_cast<double>(plan_.texts.size()); }
    [[nodiscard]] const std::vector<AdaptiveRound>& rounds() const { return rounds_; }
    [[nodiscard]] std::optional<double> auc() const { return way_.chooser == Chooser::margin ? margin_.auc() : std::nullopt; }
    [[nodiscard]] const std::vector<Written>& written() const { return written_; }
    [[nodiscard]] const std::vector<std::vector<int>>& sequences() const { return sequences_; }
    struct Priced {
        int texts;
        double ms;
    };
    [[nodiscard]] const std::vector<Priced>& priced() const { return priced_; }

  private:
    [[nodiscard]] static BatchSettings settings_of(const Models& models, const AdaptivePlan& plan) {
        int capacity = 0;
        for (RunSettings text : plan.texts) {
            text.k = plan.most;
            capacity = std::max(capacity, prepared_run(models, text).capacity);
        }
        return {.texts = plan.seats, .blocks = plan.blocks > 0 ? plan.blocks : blocks_for(plan.seats, capacity)};
    }

    void submit_arrived() {
        for (; next_ < plan_.texts.size() && arrivals_[next_] <= now_ms_; ++next_) {
            RunSettings text = plan_.texts[next_];
            text.k = way_.chooser == Chooser::fixed ? way_.k : plan_.most;
            if (way_.chooser == Chooser::confidence) text.options.confidence = kConfident;
            text.k_auto = way_.chooser == Chooser::automatic;
            const int number = engine_.submit(text);
            if (way_.chooser == Chooser::margin)
                engine_.go_on(number, [this, number](int place, double margin) { return margin_.goes_on(hands_[number], place, margin); });
        }
    }

    [[nodiscard]] int texts_now() const { return std::max<int>(1, static_cast<int>(engine_.scheduler().in_flight().size())); }

    int choose() {
        const RoundCost cost = [this](int k) { return costs_.ms(k, texts_now()); };
        switch (way_.chooser) {
        case Chooser::article: return article_.k();
        case Chooser::formula: return formula_.decide(cost);
        case Chooser::gain: return gain_.decide(cost);
        default: return plan_.most;
        }
    }

    void count() {
        const BatchRound& round = engine_.round();
        const double ms = decided_ms_ + round.ms();
        busy_ms_ += ms;
        now_ms_ += ms;
        AdaptiveRound shown{.at_ms = now_ms_};
        Written kept;
        bool prompts = false;
        for (const BatchLane& lane : round.lanes) {
            if (lane.left) {
                const BatchText& text = engine_.text(lane.text);
                if (text.state == BatchText::State::failed) throw Error(text.error, text.remedy);
                wait_ms_ += now_ms_ - arrivals_[static_cast<std::size_t>(lane.text)];
                if (sequences_.size() <= static_cast<std::size_t>(lane.text)) sequences_.resize(static_cast<std::size_t>(lane.text) + 1);
                sequences_[static_cast<std::size_t>(lane.text)] = text.sequence;
            }
            tokens_ += lane.tokens;
            if (lane.did != BatchLane::Did::decoded || lane.rows == 0) {
                prompts = prompts || lane.rows > 0;
                continue;
            }
            ++text_rounds_;
            ++shown.texts;
            shown.k += lane.drafted();
            kept.accepted.push_back(lane.accepted);
            saw(lane.text, lane.accepted, lane.drafted());
        }
        if (shown.texts == 0) return;
        if (!prompts) priced_.push_back({shown.texts, round.ms()});
        shown.k /= shown.texts;
        kept.drafted = shown.k;
        kept.ms = round.ms();
        rounds_.push_back(shown);
        written_.push_back(std::move(kept));
    }

    void saw(int text, int accepted, int drafted) {
        if (way_.chooser == Chooser::margin) margin_.saw(hands_[text], accepted, drafted);
        if (drafted == 0) return;
        if (way_.chooser == Chooser::article) (void)article_.update(accepted, drafted);
        if (way_.chooser == Chooser::formula) formula_.saw(accepted, drafted);
        if (way_.chooser == Chooser::gain) gain_.saw(accepted, drafted);
    }

    const AdaptivePlan& plan_;
    const AdaptiveWay& way_;
    const std::vector<double>& arrivals_;
    const CostTable& costs_;
    FormulaController formula_;
    ArticleController article_;
    GainController gain_;
    MarginController margin_;
    std::map<int, MarginController::Hand> hands_; // by text
    BatchEngine engine_;
    std::size_t next_ = 0;
    double now_ms_ = 0, busy_ms_ = 0, wait_ms_ = 0, decided_ms_ = 0; // the last: of this round
    long tokens_ = 0, text_rounds_ = 0;
    std::vector<AdaptiveRound> rounds_;
    std::vector<Written> written_;
    std::vector<std::vector<int>> sequences_; // by number of the text
    std::vector<Priced> priced_;
};

AdaptiveStudy::AdaptiveStudy(std::shared_ptr<const Models> models, AdaptivePlan plan) : models_(std::move(models)), plan_(std::move(plan)) {
    CHECK(!plan_.texts.empty() && !plan_.fixed.empty() && plan_.fixed.front() == 0 && plan_.repeats > 0, "a study of nothing");
    result_.drafter = plan_.texts.front().drafter;
    result_.seats = plan_.seats;
    result_.texts = static_cast<int>(plan_.texts.size());
    for (const int k : plan_.fixed) result_.ways.push_back({.chooser = Chooser::fixed, .k = k});
    for (const Chooser chooser : {Chooser::article, Chooser::formula, Chooser::gain}) result_.ways.push_back({.chooser = chooser});
    if (plan_.margins) result_.ways.push_back({.chooser = Chooser::margin, .k = plan_.most});
    if (plan_.automatic) result_.ways.push_back({.chooser = Chooser::automatic, .k = plan_.most});
    if (plan_.confident) result_.ways.push_back({.chooser = Chooser::confidence, .k = plan_.most});
    result_.arrivals_ms.assign(plan_.texts.size(), 0); // all at once, until the time of a text alone is known
}

AdaptiveStudy::~AdaptiveStudy() = default;

double AdaptiveStudy::done() const {
    const auto all = static_cast<double>(result_.ways.size() * static_cast<std::size_t>(plan_.repeats) + 1);
    if (result_.complete) return 1;
    return (static_cast<double>(way_ + result_.ways.size() * static_cast<std::size_t>(repeat_)) + (costs_.empty() ? 0 : 1)) / all;
}

// First once plainly with all texts at once, which tells how far apart they shall arrive. Then all ways by turns, fixed ones first, so that
// costs are known before a controller asks; every other repeat goes the other way round, so that a machine that slows down or speeds up
// meets all alike.
bool AdaptiveStudy::step() {
    if (result_.complete) return false;
    if (!batch_) begin();
    if (!batch_->step()) take();
    return !result_.complete;
}

AdaptiveWay& AdaptiveStudy::way_now() { return result_.ways[repeat_ % 2 == 0 ? way_ : result_.ways.size() - 1 - way_]; }

void AdaptiveStudy::begin() {
    if (way_now().chooser == Chooser::automatic) { // what it goes by is measured before a clock runs
        RunSettings text = plan_.texts.front();
        text.k = plan_.most;
        text.k_auto = true;
        (void)measured_costs(models_, prepared_run(*models_, text));
    }
    batch_ = std::make_unique<Batch>(models_, plan_, way_now(), result_.arrivals_ms, costs_);
}

void AdaptiveStudy::take() {
    AdaptiveWay& way = way_now();
    if (way.chooser == Chooser::fixed)
        for (const Batch::Priced& one : batch_->priced())
            if (repeat_ == 0) costs_.saw(way.k, one.texts, one.ms);
    if (plain_.empty()) { // the rehearsal
        plain_ = batch_->sequences();
        const double rounds = static_cast<double>(batch_->tokens()) / static_cast<double>(plan_.texts.size());
        arrive_by(rounds * costs_.ms(0, 1));
        batch_.reset();
        busy_ = BusyMeter();
        return;
    }
    way.rates.push_back(1000 * static_cast<double>(batch_->tokens()) / batch_->busy_ms());
    way.tokens_per_round = batch_->tokens_per_round();
    way.wait_ms = batch_->wait_ms();
    way.rounds = batch_->rounds();
    way.auc = batch_->auc();
    ran_.push_back({repeat_, way.k, batch_->written(), batch_->tokens(), batch_->busy_ms()});
    result_.busy_cores = busy_.cores();
    if (plan_.texts.front().sampling.temperature == 0)
        for (std::size_t i = 0; i < plain_.size(); ++i) {
            ++result_.compared;
            result_.equal += batch_->sequences()[i] == plain_[i];
        }
    batch_.reset();
    if (++way_ < result_.ways.size()) return;
    way_ = 0;
    if (++repeat_ < plan_.repeats) return;
    price_oracle();
    result_.complete = true;
}

void AdaptiveStudy::arrive_by(double plain_ms) {
    result_.arrivals_ms = arrivals(static_cast<int>(plan_.texts.size()), plan_.seats, plain_ms);
}

double AdaptiveStudy::cost_of(double k, int texts) const {
    const int low = static_cast<int>(std::floor(k));
    const double part = k - low;
    return part == 0 ? costs_.ms(low, texts) : (1 - part) * costs_.ms(low, texts) + part * costs_.ms(low + 1, texts);
}

// Had every text drafted just what was kept, it would have written the same tokens: every round at the price of those drafts, instead of
// the price of what it drafted. A round that was quicker than the table says saves no larger share than the table's.
double AdaptiveStudy::oracle_ms(const Ran& batch) const {
    double ms = batch.busy_ms;
    for (const Written& round : batch.rounds) {
        const auto texts = static_cast<int>(round.accepted.size());
        const double kept = std::accumulate(round.accepted.begin(), round.accepted.end(), 0.0) / texts;
        const double drafted_ms = cost_of(round.drafted, texts), saved = drafted_ms - cost_of(kept, texts);
        if (saved > 0) ms -= std::min(saved, round.ms * saved / drafted_ms);
    }
    return ms;
}

void AdaptiveStudy::price_oracle() {
    AdaptiveWay oracle{.chooser = Chooser::oracle};
    oracle.rates.resize(static_cast<std::size_t>(plan_.repeats));
    for (const Ran& batch : ran_) {
        double& best = oracle.rates[static_cast<std::size_t>(batch.repeat)];
        const double rate = 1000 * static_cast<double>(batch.tokens) / oracle_ms(batch);
        if (rate > best) best = rate, oracle.k = batch.k;
    }
    result_.ways.push_back(oracle);
}

} // namespace speclens
