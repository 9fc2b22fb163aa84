#include "engine/batch/single_study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/base/clock.h"
#include "engine/models/models.h"
#include "engine/run/measured_costs.h"
#include "engine/run/prepared_run.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kWarmUpTokens = 8;

double geometric(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

// The runs of one text with one seed.
struct Turn {
    std::vector<const SingleRun*> fixed; // by K
    const SingleRun* automatic = nullptr;
    [[nodiscard]] double rate(int k) const {
        for (const SingleRun* run : fixed)
            if (run->k == k) return run->rate();
        return 0;
    }
};

// Only those of which every run is there and took time.
std::map<std::pair<std::size_t, int>, Turn> turns_of(const SinglePlan& plan, const SingleResult& result) {
    std::map<std::pair<std::size_t, int>, Turn> turns;
    for (const SingleRun& run : result.runs) {
        if (!(run.rate() > 0)) continue;
        Turn& turn = turns[{run.text, run.seed}];
        if (run.automatic)
            turn.automatic = &run;
        else
            turn.fixed.push_back(&run);
    }
    std::erase_if(turns, [&](const auto& one) { return !one.second.automatic || one.second.fixed.size() != plan.fixed.size(); });
    return turns;
}

} // namespace

std::vector<SingleText> parts_of(std::vector<SingleText> texts, int develop, int held_out) {
    if (develop + held_out > static_cast<int>(texts.size()))
        throw Error(std::to_string(develop) + " prompts to choose K on and " + std::to_string(held_out) + " held out are more than the " +
                        std::to_string(texts.size()) + " there are",
                    "Give smaller numbers with --develop and --held-out, or more prompts with --prompts FILE.", Exit::usage);
    std::vector<std::string> domains;
    std::map<std::string, std::vector<SingleText>> by_domain;
    for (SingleText& text : texts) {
        if (std::ranges::find(domains, text.domain) == domains.end()) domains.push_back(text.domain);
        by_domain[text.domain].push_back(std::move(text));
    }
    std::vector<SingleText> mixed;
    for (std::size_t i = 0; mixed.size() < texts.size(); ++i)
        for (const std::string& domain : domains)
            if (i < by_domain[domain].size()) mixed.push_back(by_domain[domain][i]);
    std::vector<SingleText> parts(mixed.begin(), mixed.begin() + develop);
    for (auto text = mixed.end() - held_out; text != mixed.end(); ++text) {
        parts.push_back(*text);
        parts.back().held_out = true;
    }
    return parts;
}

std::optional<int> chosen_k(const SinglePlan& plan, const SingleResult& result) {
    std::map<int, std::vector<double>> rates; // over plain decoding, by K
    for (const auto& [key, turn] : turns_of(plan, result)) {
        if (plan.texts[key.first].held_out) continue;
        for (const int k : plan.fixed) rates[k].push_back(turn.rate(k) / turn.rate(0));
    }
    if (rates.empty()) return {};
    return std::ranges::max_element(rates, {}, [](const auto& one) { return geometric(one.second); })->first;
}

std::vector<SingleFigures> figures_of(const SinglePlan& plan, const SingleResult& result) {
    const std::optional<int> chosen = chosen_k(plan, result);
    const auto turns = turns_of(plan, result);
    std::vector<std::string> domains;
    for (const SingleText& text : plan.texts)
        if (text.held_out && std::ranges::find(domains, text.domain) == domains.end()) domains.push_back(text.domain);
    domains.emplace_back();
    std::vector<SingleFigures> all;
    for (const std::string& domain : domains) {
        SingleFigures figures;
        figures.domain = domain;
        const auto counts = [&](std::size_t text) {
            return plan.texts[text].held_out && (domain.empty() || plan.texts[text].domain == domain);
        };
        std::map<std::pair<std::size_t, int>, double> sums; // of a prompt's rates, by K
        std::vector<std::size_t> prompts;
        for (const auto& [key, turn] : turns) {
            if (!counts(key.first)) continue;
            if (prompts.empty() || prompts.back() != key.first) prompts.push_back(key.first);
            for (const int k : plan.fixed) sums[{key.first, k}] += turn.rate(k);
        }
        std::vector<double> automatic, plain, fixed, oracle;
        double ms = 0, deciding = 0, rounds = 0, drafted = 0, silent = 0;
        for (const auto& [key, turn] : turns) {
            if (!counts(key.first)) continue;
            int best = 0; // of the prompt over all its seeds: dice are not known in hindsight
            for (const int k : plan.fixed)
                if (sums[{key.first, k}] > sums[{key.first, best}]) best = k;
            automatic.push_back(turn.automatic->rate());
            plain.push_back(turn.rate(0));
            fixed.push_back(turn.rate(chosen.value_or(0)));
            oracle.push_back(turn.rate(best));
            ms += turn.automatic->ms, deciding += turn.automatic->deciding_ms;
            rounds += turn.automatic->rounds, drafted += turn.automatic->drafted, silent += turn.automatic->plain_passes;
        }
        figures.prompts = static_cast<int>(prompts.size());
        if (automatic.empty()) continue;
        figures.plain_rate = geometric(plain), figures.auto_rate = geometric(automatic);
        figures.over_plain = ratio_of(automatic, plain);
        if (chosen) figures.over_fixed = ratio_of(automatic, fixed);
        figures.over_oracle = ratio_of(automatic, oracle);
        figures.deciding = deciding / ms;
        figures.drafted = drafted / rounds, figures.silent = silent / rounds;
        all.push_back(std::move(figures));
    }
    return all;
}

SingleStudy::SingleStudy(std::shared_ptr<const Models> models, SinglePlan plan) : models_(std::move(models)), plan_(std::move(plan)) {
    CHECK(!plan_.texts.empty() && !plan_.fixed.empty() && plan_.fixed.front() == 0 && plan_.seeds > 0, "a study of nothing");
    result_.drafter = plan_.texts.front().settings.drafter;
    for (const int k : plan_.fixed) ways_.push_back({k, false});
    ways_.push_back({plan_.most, true});
}

SingleStudy::~SingleStudy() = default;

double SingleStudy::done() const {
    const double all = static_cast<double>(plan_.texts.size() * ways_.size()) * plan_.seeds;
    return result_.complete ? 1 : static_cast<double>(result_.runs.size()) / all;
}

// Plain decoding first, which the others' texts are held against; the others begin with another one each time, so that what drifts
// hits all alike.
SingleStudy::Way SingleStudy::way_now() const {
    if (turn_ == 0) return ways_.front();
    const std::size_t others = ways_.size() - 1, first = text_ * static_cast<std::size_t>(plan_.seeds) + static_cast<std::size_t>(seed_);
    return ways_[1 + (turn_ - 1 + first) % others];
}

RunSettings SingleStudy::settings_now() const {
    const Way way = way_now();
    RunSettings settings = plan_.texts[text_].settings.with_fixed_k();
    settings.k = way.k;
    settings.k_auto = way.automatic;
    settings.seed += 7919 * static_cast<std::uint64_t>(seed_);
    settings.trace_top = 0;
    settings.internals = false;
    settings.timing = true;
    return settings;
}

bool SingleStudy::step() {
    if (result_.complete) return false;
    if (!warm_) { // what K auto goes by is measured, and weights and caches are touched, before a clock runs
        warm_ = true;
        for (turn_ = 0; turn_ < ways_.size(); ++turn_) {
            RunSettings settings = settings_now();
            settings.max_tokens = std::min(settings.max_tokens, kWarmUpTokens);
            Run run(models_, settings);
            run.finish();
            if (run.trace().header()->k_costs) result_.costs = *run.trace().header()->k_costs;
        }
        turn_ = 0;
        busy_ = BusyMeter();
        return true;
    }
    if (!run_) begin();
    const bool reads = run_->trace().size() == 1; // the header: the prompt is no part of decoding
    const Stopwatch watch;
    const bool more = run_->step();
    if (!reads) ms_ += watch.ms();
    if (!more) take();
    return !result_.complete;
}

void SingleStudy::begin() {
    ms_ = 0;
    run_ = std::make_unique<Run>(models_, settings_now());
}

void SingleStudy::take() {
    const RunView view = fold(run_->trace(), run_->trace().size());
    const Way way = way_now();
    SingleRun done{.text = text_, .seed = seed_, .k = way.k, .automatic = way.automatic};
    done.tokens = view.output_tokens;
    done.rounds = view.rounds;
    done.drafted = view.drafted;
    done.plain_passes = way.automatic ? view.plain_passes : way.k == 0 ? view.rounds : 0;
    done.ms = ms_;
    done.deciding_ms = run_->deciding_ms();
    if (turn_ == 0) plain_ = run_->sequence();
    if (run_->settings().sampling.temperature == 0 && turn_ > 0) {
        done.same_text = run_->sequence() == plain_;
        ++result_.compared;
        result_.equal += done.same_text;
    }
    result_.runs.push_back(done);
    result_.busy_cores = busy_.cores();
    run_.reset();
    if (++turn_ < ways_.size()) return;
    turn_ = 0;
    if (++seed_ < plan_.seeds) return;
    seed_ = 0;
    result_.complete = ++text_ == plan_.texts.size();
}

} // namespace speclens
