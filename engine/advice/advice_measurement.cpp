#include "engine/advice/advice_measurement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/advice/advice_words.h"
#include "engine/base/rng.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/time_table.h"
#include "engine/model/model.h"
#include "engine/run/run_view.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kLongestAdvised = 7; // draft tokens, unless other lengths are asked for
constexpr int kWarmUpTokens = 6;
constexpr std::size_t kPlain = static_cast<std::size_t>(-1);
constexpr double kContextSeconds = 1.2; // for passes behind each
constexpr int kLongContexts[] = {512, 2048, 8192};
constexpr double kPromptShare = 0.85; // of the time; the rest is for passes behind longer texts
constexpr double kGrace = 1.05;       // of the time, until a run is left in the middle
constexpr double kShowMs = 10'000;    // what there is by then is shown, however few prompts that are

struct OutOfTime {};

int context_of(const Trace& trace) {
    const Header* header = trace.header();
    return header ? static_cast<int>(header->prompt.size()) : 0;
}

int written_by(const Trace& trace) {
    int tokens = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i])) tokens += static_cast<int>(commit->tokens.size());
    return tokens;
}

} // namespace

std::vector<GalleryPrompt> mixed_prompts(const std::vector<GalleryPrompt>& prompts) {
    std::vector<std::string> domains;
    std::map<std::string, std::vector<const GalleryPrompt*>> by_domain;
    for (const GalleryPrompt& prompt : prompts) {
        if (!by_domain.contains(prompt.domain)) domains.push_back(prompt.domain);
        by_domain[prompt.domain].push_back(&prompt);
    }
    std::vector<GalleryPrompt> mixed;
    for (std::size_t row = 0; mixed.size() < prompts.size(); ++row)
        for (const std::string& domain : domains)
            if (row < by_domain[domain].size()) mixed.push_back(*by_domain[domain][row]);
    return mixed;
}

AdviceMeasurement::AdviceMeasurement(std::shared_ptr<const Models> models, AdvicePlan plan)
    : models_(std::move(models)), plan_(std::move(plan)) {
    if (!models_->target)
        throw Error(models_->scorer ? "a server's passes cannot be timed from here" : "a table has no passes to time",
                    models_->scorer ? "Ask for advice about the server itself: speclens advise --url URL."
                                    : "Give a checkpoint folder with --model.",
                    Exit::usage);
    if (plan_.prompts.empty()) throw Error("an advice takes prompts", "Give some: --prompts FILE.jsonl.", Exit::usage);
    ask_as_text_if_needed(plan_.prompts, models_->chat);
    plan_lengths();
    auto begun = std::make_shared<Advice>();
    begun->planned = static_cast<int>(plan_.prompts.size());
    begun->drafters = problems_;
    advice_ = std::move(begun);
}

AdviceMeasurement::~AdviceMeasurement() = default;

void AdviceMeasurement::plan_lengths() {
    RunSettings base = plan_.base;
    base.trace_top = 0;
    base.internals = false;
    base.timing = true;
    std::vector<std::string> names = plan_.drafters;
    if (names.empty()) names = models_->ready_drafters();
    std::erase(names, "none");
    std::vector<int> lengths = plan_.lengths;
    if (lengths.empty()) {
        lengths.resize(kLongestAdvised);
        std::iota(lengths.begin(), lengths.end(), 1);
    }
    std::ranges::sort(lengths);
    evidence_.seed = base.seed;
    evidence_.plain = {"none", base.rule, 0, base.max_tokens, {}, {}};
    for (const std::string& name : names) {
        const DrafterInfo* info = find_drafter(name);
        if (!info) throw Error("there is no drafter \"" + name + "\"", "See: speclens list drafters.", Exit::usage);
        if (const std::string problem = models_->why_not(name); !problem.empty()) {
            problems_.push_back({name, "", {}, {}, problem});
            continue;
        }
        RunSettings settings = base.with_fixed_k();
        settings.drafter = name;
        settings.rule = judging_rule(base.rule, name);
        settings.trace_top = RefusedRanks::kListed; // recorded beside what is timed
        settings.options = {};
        take_options(name, base.options, settings.options);
        const auto network = models_->network(name);
        const int most = network ? network->config.most_drafts() : lengths.back();
        std::vector<int> own;
        if (info->tree)
            own = {std::min(most, settings.options.tree_depth > 0 ? settings.options.tree_depth : default_k(name))};
        else
            for (const int k : lengths)
                if (const int possible = std::min(k, most); own.empty() || own.back() != possible) own.push_back(possible);
        for (const int k : own) {
            settings.k = k;
            settings_.push_back(settings);
            whole_.push_back(k == own.back());
            evidence_.lengths.push_back({name, settings.rule, k, base.max_tokens, {}, {}});
        }
    }
    plan_.base = std::move(base);
    costs_.resize(settings_.size() + 1);
}

// ---- time ----

// A run of this length: as those before it, else as its warm-up says for so many more tokens behind the same prompt.
double AdviceMeasurement::run_ms(std::size_t length) const {
    const Cost& cost = costs_[std::min(length, costs_.size() - 1)];
    if (cost.runs > 0) return cost.ms / cost.runs;
    const double decoding = cost.warm_up_ms - cost.reading_ms;
    return cost.reading_ms + decoding * plan_.base.max_tokens / std::max(1, std::min(plan_.base.max_tokens, kWarmUpTokens));
}

double AdviceMeasurement::prompt_ms() const {
    double ms = run_ms(kPlain);
    for (std::size_t i = 0; i < settings_.size(); ++i) ms += whole_[i] ? run_ms(i) : run_ms(i) / plan_.every;
    return ms;
}

// That there is, behind the warm-up. Shorter lengths were not warmed up: they cost what the longest of their drafter does.
double AdviceMeasurement::all_ms() const {
    const double prompt = prompt_ms(), fewest = plan_.at_least ? prompt * kFewestAdvicePrompts : 0;
    const double longest = prompt * static_cast<double>(plan_.prompts.size()) + 1000 * kContextSeconds * std::ssize(kLongContexts);
    return std::max(1000 * plan_.seconds, std::min(fewest, longest));
}

// Reading a text of so many tokens at the pace of the prompts, and its passes.
double AdviceMeasurement::context_ms(int context) const {
    return (prefilled_ > 0 ? prefill_ms_ / prefilled_ * context : 0) + 1000 * kContextSeconds;
}

// Whether a further prompt is begun when so many are kept: none that would not be whole in time; the first one shows whether that is so.
bool AdviceMeasurement::is_late(int kept, double ms, double prompt) const {
    const double wanted = 1000 * kPromptShare * plan_.seconds;
    return plan_.at_least ? kept >= kFewestAdvicePrompts && ms > wanted : kept > 0 && ms + prompt > 1000 * plan_.seconds;
}

// When it ends: prompts as long as another one is begun, then those contexts that there is time for.
double AdviceMeasurement::end_ms() const {
    const double all = all_ms();
    double ms = watch_.ms();
    std::vector<int> contexts = context_plan_;
    if (stage_ == Stage::contexts) {
        contexts.erase(contexts.begin(), contexts.begin() + std::min(std::ssize(contexts), std::ssize(context_times_)));
    } else {
        const auto count = static_cast<int>(plan_.prompts.size());
        const double prompt = prompt_ms();
        const bool under_way = run_ || !queue_.empty();
        if (under_way) ms = std::max(ms, prompt_from_ms_ + prompt);
        int kept = kept_ + (under_way ? 1 : 0);
        for (int next = prompt_ + 1; next < count && prompt > 0 && !is_late(kept, ms, prompt); ++next, ++kept) ms += prompt;
        if (plan_.contexts) contexts.assign(std::begin(kLongContexts), std::end(kLongContexts));
        std::erase_if(contexts, [&](int context) { return context <= longest_ || context >= models_->target->config.context(); });
    }
    if (passes_) { // under way
        ms = std::max(ms, context_from_ms_ + context_ms(contexts.front()));
        contexts.erase(contexts.begin());
    }
    for (const int context : contexts) {
        if (ms + context_ms(context) > all) break;
        ms += context_ms(context);
    }
    return plan_.at_least ? ms : std::min(ms, kGrace * all);
}

int AdviceMeasurement::prompts() const {
    const int all = static_cast<int>(plan_.prompts.size()), fewest = std::min(all, plan_.at_least ? kFewestAdvicePrompts : 1);
    const double one = stage_ == Stage::warm_up ? 0 : prompt_ms();
    if (one <= 0) return fewest;
    return std::clamp(static_cast<int>(std::min<double>(all, std::ceil(1000 * kPromptShare * plan_.seconds / one))),
                      std::max(fewest, kept_), all);
}

std::optional<double> AdviceMeasurement::left_seconds() const {
    if (stage_ == Stage::warm_up) return {};
    return stage_ == Stage::done ? 0 : std::max(0.0, end_ms() - watch_.ms()) / 1000;
}

std::optional<double> AdviceMeasurement::seconds_missed() const {
    if (stage_ == Stage::warm_up || plan_.at_least) return {};
    const double prompts = std::min<double>(kFewestAdvicePrompts, static_cast<double>(plan_.prompts.size()));
    const double needed = prompt_ms() * prompts / kPromptShare / 1000;
    return needed > plan_.seconds ? std::optional(needed) : std::nullopt;
}

std::optional<double> AdviceMeasurement::prompt_seconds() const {
    return stage_ == Stage::warm_up ? std::nullopt : std::optional(prompt_ms() / 1000);
}

bool AdviceMeasurement::out_of_time() const {
    if (stage_ == Stage::warm_up || (plan_.at_least && kept_ < kFewestAdvicePrompts && stage_ == Stage::prompts)) return false;
    return watch_.ms() > kGrace * all_ms();
}

void AdviceMeasurement::check_time() const {
    if (out_of_time() || (plan_.go_on && !plan_.go_on())) throw OutOfTime{};
}

// A shorter length has its turn in one prompt of `every`, each length in others.
bool AdviceMeasurement::is_due(std::size_t length) const {
    return whole_[length] || (static_cast<std::size_t>(prompt_) + length) % static_cast<std::size_t>(plan_.every) == 0;
}

RunSettings AdviceMeasurement::settings_of(std::size_t length) const {
    RunSettings settings = plan_.base;
    if (length == kPlain) {
        settings.drafter = "none";
        settings.k = 0;
        settings.options = {};
    } else {
        settings = settings_[length];
    }
    const GalleryPrompt& prompt = plan_.prompts[static_cast<std::size_t>(std::max(0, prompt_))];
    settings.prompt = prompt_of(prompt, false, settings.prompt.thinking);
    if (stage_ == Stage::warm_up) settings.max_tokens = std::min(settings.max_tokens, kWarmUpTokens);
    return settings;
}

bool AdviceMeasurement::next_prompt() {
    if (stage_ == Stage::warm_up && prompt_ < 0) { // first touches of weights and caches
        prompt_ = 0;
        queue_.push_back(kPlain);
        for (std::size_t i = 0; i < settings_.size(); ++i)
            if (whole_[i]) queue_.push_back(i);
        return true;
    }
    if (stage_ == Stage::warm_up) {
        stage_ = Stage::prompts;
        watch_ = Stopwatch();
        busy_ = BusyMeter();
        prompt_ = 0;
    } else {
        ++prompt_;
    }
    prompt_from_ms_ = watch_.ms();
    if (prompt_ >= static_cast<int>(plan_.prompts.size()) || is_late(kept_, prompt_from_ms_, prompt_ms())) return false;
    queue_.push_back(kPlain);
    for (std::size_t i = 0; i < settings_.size(); ++i)
        if (is_due(i)) queue_.push_back(i);
    std::ranges::rotate(queue_, queue_.begin() + prompt_ % static_cast<int>(queue_.size())); // nobody is always first
    return true;
}

void AdviceMeasurement::begin_next() {
    running_ = queue_.front();
    queue_.erase(queue_.begin());
    try {
        run_ = std::make_unique<Run>(models_, settings_of(running_));
        run_->between_passes([this] { check_time(); });
        run_so_far_ms_ = run_reading_ms_ = 0;
    } catch (const PromptTooLong&) { // counts for nobody
        if (stage_ == Stage::prompts) ++skipped_;
        queue_.clear();
        finished_.clear();
    }
}

void AdviceMeasurement::keep_run() {
    Cost& cost = costs_[std::min(running_, costs_.size() - 1)];
    if (stage_ == Stage::prompts) {
        finished_.emplace_back(running_, run_->shared_trace());
        cost.ms += run_so_far_ms_;
        ++cost.runs;
    } else {
        // Shorter lengths of this drafter have no warm-up of their own.
        const Cost warm{.warm_up_ms = run_so_far_ms_, .reading_ms = run_reading_ms_};
        cost = warm;
        for (std::size_t i = 0; running_ != kPlain && i < settings_.size(); ++i)
            if (settings_[i].drafter == settings_[running_].drafter) costs_[i] = warm;
    }
    run_.reset();
    if (queue_.empty() && !finished_.empty()) keep_prompt();
}

void AdviceMeasurement::keep_prompt() {
    for (auto& [length, trace] : finished_) {
        AdviceRuns& runs = length == kPlain ? evidence_.plain : evidence_.lengths[length];
        if (length == kPlain) {
            shortest_ = kept_ == 0 ? context_of(*trace) : std::min(shortest_, context_of(*trace));
            longest_ = std::max(longest_, context_of(*trace) + written_by(*trace));
        }
        runs.traces.push_back(std::move(trace));
        runs.prompts.push_back(prompt_);
    }
    finished_.clear();
    ++kept_;
    if (kept_ < show_at_ && shown_.ms() < kShowMs) return;
    show();
    if (kept_ >= show_at_) show_at_ *= 2;
}

// A table keeps the latest samples of a pass: of a frequent one those of a second, of a rare one those of a minute, and a
// machine that became quicker meanwhile would be told as a drafter that is. In random order each kind has samples from
// all of the time.
void AdviceMeasurement::time_traces() const {
    std::vector<std::shared_ptr<const Trace>> all = evidence_.plain.traces;
    for (const AdviceRuns& runs : evidence_.lengths) all.insert(all.end(), runs.traces.begin(), runs.traces.end());
    for (std::size_t i = all.size(); i > 1; --i) {
        const double u = uniform({.seed = evidence_.seed, .position = static_cast<std::uint32_t>(i)});
        std::swap(all[i - 1], all[std::min(i - 1, static_cast<std::size_t>(u * static_cast<double>(i)))]);
    }
    TimeTable table;
    table.set_busy(busy_.cores());
    for (const auto& trace : all) table.add(*trace);
    for (const auto& trace : all) table.time(*trace);
}

void AdviceMeasurement::show() {
    time_traces();
    auto shown = std::make_shared<Advice>();
    if (!evidence_.plain.traces.empty()) {
        const Header& header = *evidence_.plain.traces.front()->header();
        shown->machine = header.machine;
        shown->date = header.date;
        double ms = 0, tokens = 0;
        for (const auto& trace : evidence_.plain.traces) {
            const RunView view = fold(*trace, trace->size());
            ms += view.total_ms;
            tokens += view.output_tokens;
        }
        shown->plain_ms = tokens > 0 ? ms / tokens : 0;
        shown->clock = clock_of(evidence_);
    }
    shown->model = models_->target_name();
    shown->backend = models_->backend->description();
    shown->fingerprint = models_->fingerprint;
    shown->precision = models_->precision();
    shown->weights = models_->weights();
    if (models_->target && std::ranges::any_of(models_->target->forms(), is_quantised)) {
        shown->read_bytes = static_cast<double>(models_->target->bytes.per_token);
        shown->wide_bytes = multiply_adds_of(models_->target->config) * static_cast<double>(bytes_of(DType::bf16));
    }
    shown->temperature = plan_.base.sampling.temperature;
    shown->max_tokens = plan_.base.max_tokens;
    shown->prompts = kept_;
    shown->planned = static_cast<int>(plan_.prompts.size());
    shown->skipped = skipped_;
    shown->shortest = shortest_;
    shown->longest = longest_;
    shown->busy_cores = busy_.cores();
    shown->seconds = watch_.ms() / 1000;
    shown->drafters = places_of(evidence_);
    shown->drafters.insert(shown->drafters.end(), problems_.begin(), problems_.end());
    shown->cells = estimate_cells(evidence_);
    std::vector<std::string> domains;
    for (const GalleryPrompt& prompt : plan_.prompts) domains.push_back(prompt.domain);
    shown->domains = by_domain(evidence_, best_of_each(*shown), domains);
    add_contexts(*shown, context_times_);
    shown->complete = stage_ == Stage::done;
    advice_ = std::move(shown);
    shown_ = Stopwatch();
    ++revision_;
}

bool AdviceMeasurement::step_contexts() {
    const auto fits = [this](int context) { return watch_.ms() + context_ms(context) <= all_ms(); };
    if (!passes_) {
        const AdviceCell* best = verdict_of(*advice_).best;
        const int widest = best && !best->tree ? best->k + 1 : 0;
        const int positions = models_->target->config.context();
        if (stage_ == Stage::prompts) {
            stage_ = Stage::contexts;
            if (plan_.contexts && widest > 0)
                for (const int context : kLongContexts)
                    if (context > longest_ && context + widest <= positions) context_plan_.push_back(context);
        }
        if (context_times_.size() == context_plan_.size() || !fits(context_plan_[context_times_.size()])) return false;
        context_from_ms_ = watch_.ms();
        PassPlan plan{.rows = {1, widest}, .context = context_plan_[context_times_.size()], .repeats = 60, .seconds = kContextSeconds};
        passes_ = std::make_unique<PassMeasurement>(*models_, plan, [this](int) { check_time(); });
        return true;
    }
    if (passes_->step()) return true;
    context_times_.push_back(passes_->result());
    passes_.reset();
    return true;
}

bool AdviceMeasurement::step() {
    if (stage_ == Stage::done) return false;
    try {
        check_time();
        return step_once();
    } catch (const OutOfTime&) { // of the run that it was in nothing counts
        stop();
        return false;
    }
}

bool AdviceMeasurement::step_once() {
    if (stage_ == Stage::contexts) {
        if (!step_contexts()) stop();
        return stage_ != Stage::done;
    }
    if (run_) {
        const Stopwatch own;
        const bool reading = run_->trace().size() <= 1;
        const bool more = run_->step();
        const double ms = own.ms();
        run_so_far_ms_ += ms;
        if (reading) {
            run_reading_ms_ += ms;
            for (std::size_t i = 0; i < run_->trace().size(); ++i) // its time is that of all tokens, of those too that had been read before
                if (const auto* read = std::get_if<Prefill>(&run_->trace()[i])) prefill_ms_ += read->ms, prefilled_ += read->tokens;
        }
        if (!more) keep_run();
        return true;
    }
    if (!queue_.empty()) {
        begin_next();
        return true;
    }
    if (next_prompt()) return true;
    if (kept_ > 0) show();
    return step_contexts() || (stop(), false);
}

void AdviceMeasurement::stop() {
    if (stage_ == Stage::done) return;
    run_.reset();
    passes_.reset();
    queue_.clear();
    finished_.clear();
    stage_ = Stage::done;
    show();
}

double AdviceMeasurement::done() const {
    if (stage_ == Stage::done) return 1;
    if (stage_ == Stage::warm_up) return 0;
    return std::min(0.99, watch_.ms() / end_ms());
}

} // namespace speclens
