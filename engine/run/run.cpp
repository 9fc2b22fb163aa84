#include "engine/run/run.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <thread>

#include "engine/run/saved_settings.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::string read_machine_name() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string model = "CPU";
    for (std::string line; std::getline(cpuinfo, line);)
        if (line.rfind("model name", 0) == 0) {
            model = line.substr(std::min(line.size(), line.find(':') + 2));
            break;
        }
    return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

const std::string& machine_name() {
    static const std::string name = read_machine_name();
    return name;
}

std::string utc_minute() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%MZ", &parts);
    return text;
}

void check_settings(const Models& models, const RunSettings& s) {
    check_sampling(s.sampling);
    if (s.draft_sampling) check_sampling(*s.draft_sampling);
    const auto unknown = [](const char* kind, const std::string& name, const auto& list) {
        std::string names;
        for (const auto& info : list) names += (names.empty() ? "" : ", ") + std::string(info.name);
        throw Error(std::string("unknown ") + kind + " \"" + name + "\"", "Known: " + names + ".",
                    Exit::usage);
    };
    if (!find_drafter(s.drafter)) unknown("drafter", s.drafter, drafter_list());
    const RuleInfo* rule = find_rule(s.rule);
    if (!rule) unknown("rule", s.rule, rule_list());
    if (rule->greedy_only && s.sampling.temperature != 0)
        throw Error("the rule \"" + s.rule + "\" needs temperature 0, got " +
                        std::to_string(s.sampling.temperature),
                    "Use --temp 0, or the rule token or match.", Exit::usage);
    if (rule->is_cascade() && models.scorer)
        throw Error("the rule \"" + s.rule +
                        "\" reads the target's whole distribution, and a server tells the likeliest tokens only",
                    "Use --rule token, match or block, or load the target here with --model DIR.",
                    Exit::usage);
    check_parameters(s.rule_params, *rule);
    if (s.k < 0 || s.k > 64)
        throw Error("K must be 0 … 64 draft tokens per round, got " + std::to_string(s.k),
                    "Use 0 for plain decoding.", Exit::usage);
    // At temperature 0 most rules are the greedy one, which judges chains and trees.
    if (rule_at(*rule, s.sampling).siblings == Siblings::none && s.k > 0 &&
        !can_judge(*rule, *find_drafter(s.drafter)))
        throw tree_error(s.rule);
    if (s.max_tokens < 1)
        throw Error("max-tokens must be at least 1, got " + std::to_string(s.max_tokens),
                    "Ask for some tokens.", Exit::usage);
    check_options(s.drafter, s.options, models.layers());
    if (s.draft_ahead && !models.scorer)
        throw Error("--draft-ahead drafts while a server judges, and the target is here", "Leave it out, or give --model URL.", Exit::usage);
    if (s.options.by_text && models.draft && !models.vocabularies)
        throw Error("--by-text is for a draft model with another tokenizer, and " + models.draft_name() + " has the target's tokens", "Leave --by-text out.",
                    Exit::usage);
}

// A server tells the likeliest tokens only; under a top-k that keeps no others its distribution is exact. Says what
// was changed.
std::string keep_listed(const Scorer& scorer, Sampling& sampling) {
    if (scorer.listed() >= scorer.vocabulary().size) return ""; // all of them
    if (sampling.temperature == 0 || (sampling.top_k > 0 && sampling.top_k <= scorer.listed())) return "";
    sampling.top_k = scorer.listed();
    return "top-k " + std::to_string(sampling.top_k) + ": the server tells its " +
           std::to_string(sampling.top_k) + " likeliest tokens, and among those the rule is exact";
}

// What of the settings these models can do.
struct Plan {
    const DrafterInfo* drafter = nullptr; // that was asked for, or `none`
    int k = 0, nodes = 0;                 // of a round; nodes 0: a chain
    std::string notice;                   // what is not as it was asked for; empty: all is
    [[nodiscard]] bool drafts() const { return drafter->drafts(); }
};

Plan plan_of(const Models& models, const RunSettings& s) {
    Plan plan;
    plan.drafter = find_drafter(s.drafter);
    if (plan.drafts() && s.k == 0) plan.notice = "speculation is off: K = 0";
    if (plan.drafts() && s.k > 0)
        if (const std::string problem = models.why_not(s.drafter); !problem.empty())
            plan.notice = "speculation is off: " + problem;
    if (!plan.notice.empty()) plan.drafter = find_drafter(kNoDrafter);
    if (!plan.drafts()) return plan;
    plan.k = plan.drafter->tree && s.options.tree_depth > 0 ? s.options.tree_depth : s.k;
    if (const auto network = models.network(plan.drafter->name)) {
        plan.k = std::min(plan.k, network->config.most_drafts());
        plan.notice = network->config.notice;
    }
    if (plan.drafter->translates && models.vocabularies)
        plan.notice = "the draft model has another tokenizer: " + std::to_string(models.vocabularies->common()) + " of its " +
                      std::to_string(models.draft->config.vocab) + " tokens are the target's too";
    plan.nodes = plan.drafter->tree ? s.options.tree_budget : 0;
    return plan;
}

// Tokens that the rounds of a run before `cycle` brought.
long long committed_before(const Trace& trace, int cycle) {
    long long tokens = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i]); commit && commit->cycle < cycle)
            tokens += static_cast<long long>(commit->tokens.size());
    return tokens;
}

// Slots of the caches: the prompt, the new tokens or those that a fork goes on from, and one round of drafts
// past them.
int slots(const Models& models, const RunSettings& s, const Plan& plan, int prompt, long long committed) {
    const int limit = models.holds();
    if (prompt >= limit) throw PromptTooLong(prompt, models.target_name(), limit);
    if (plan.drafter->needs_draft_model() && models.draft && prompt >= models.draft->config.context())
        throw PromptTooLong(prompt, models.draft_name(), models.draft->config.context());
    const long long wanted =
        prompt + std::max<long long>(s.max_tokens, committed) + std::max({s.k, plan.k, plan.nodes}) + 1;
    return static_cast<int>(std::min<long long>(wanted, limit));
}

std::unique_ptr<Decoder> target_decoder(const Models& models, int prompt, int capacity) {
    if (models.target) return make_model_decoder(models.target, capacity);
    if (models.scorer) return make_scored_decoder(models.scorer, capacity);
    return make_table_decoder(models.target_table, prompt, capacity);
}

std::unique_ptr<Decoder> draft_decoder(const Models& models, int prompt, int capacity) {
    if (models.draft)
        return make_model_decoder(models.draft, std::min(capacity, models.draft->config.context()));
    return models.target_table ? make_table_decoder(models.draft_table, prompt, capacity) : nullptr;
}

// The ids that a cut head may guess; says so where nothing tells which of them are frequent.
std::shared_ptr<const FrequentIds> frequent_ids(const Models& models, const RunSettings& s, Plan& plan) {
    if (!plan.drafts() || s.options.fr_spec <= 0) return models.frequent;
    auto ids =
        models.frequent ? models.frequent : std::make_shared<FrequentIds>(models.vocab(), models.stops());
    if (!ids->from_file())
        plan.notice +=
            (plan.notice.empty() ? "" : "; ") + std::string("the draft ranks the ids with the ") +
            std::to_string(s.options.fr_spec) +
            " lowest numbers: there is no frequent.json with the target that says which are frequent";
    return ids;
}

Header header_of(const Models& models, const RunSettings& s, const Plan& plan, const PromptTokens& prompt) {
    const auto network = models.network(plan.drafter->name);
    Header header;
    take_settings(s, header);
    header.model = models.target_name();
    header.fingerprint = models.fingerprint;
    header.weights = models.weights();
    header.precision = models.precision();
    header.drafter = plan.drafter->name;
    header.drafter_model = network                             ? network->name
                           : plan.drafter->needs_draft_model() ? models.draft_name()
                                                               : "";
    header.own_draft = models.target && !models.drafts_as_shipped(plan.drafter->name);
    header.backend = models.backend->description();
    header.machine = machine_name();
    header.date = utc_minute();
    header.tier = models.target ? "LIVE" : models.scorer ? "REMOTE" : "TABLE";
    if (plan.drafts()) header.k = plan.k;
    header.nodes = plan.nodes;
    header.draft_ids = plan.drafts() ? s.options.fr_spec : 0;
    header.vocab = models.vocab();
    header.prefill_boundary = static_cast<int>(prompt.ids.size()) - 1;
    header.prompt = prompt.ids;
    header.prompt_text = prompt.text;
    if (prompt.chat) header.chat = Header::Chat{s.prompt, s.system, s.thinking};
    if (plan.drafts()) header.options = s.options;
    header.notice = plan.notice + (plan.notice.empty() || prompt.notice.empty() ? "" : "; ") + prompt.notice;
    return header;
}

CycleSettings cycle_settings(const Models& models, const RunSettings& s, const Plan& plan) {
    CycleSettings cycle;
    cycle.k = plan.k;
    cycle.nodes = plan.nodes;
    cycle.sampling = s.sampling;
    cycle.draft_sampling = s.drafts();
    cycle.seed = s.seed;
    cycle.fork = s.fork;
    cycle.max_tokens = s.max_tokens;
    cycle.rule_params = s.rule_params;
    cycle.trace_top = s.trace_top;
    cycle.ahead = s.draft_ahead && plan.drafter->ahead;
    cycle.timing = s.timing;
    cycle.lens = s.lens;
    cycle.stops = models.stops();
    return cycle;
}

// Copies what `base` had before the round of the fork, and adds the tokens of it to `sequence`. Throws Error.
void copy_until(const Trace& base, const Fork& fork, Trace& trace, std::vector<int>& sequence) {
    const auto in_fork = [&](const auto* event) { return event && event->cycle >= fork.cycle; };
    bool found = fork.cycle == 0;
    for (std::size_t i = 1; i < base.size(); ++i) {
        const Event& event = base[i];
        if (in_fork(std::get_if<Drafted>(&event)) || in_fork(std::get_if<Verified>(&event))) break;
        if (std::holds_alternative<Stopped>(event) || std::holds_alternative<Failed>(event)) break;
        if (const auto* commit = std::get_if<Committed>(&event)) {
            sequence.insert(sequence.end(), commit->tokens.begin(), commit->tokens.end());
            found = found || commit->cycle + 1 == fork.cycle;
        }
        trace.append(event);
    }
    if (!found)
        throw Error("round " + std::to_string(fork.cycle + 1) + " is not in this run",
                    "Choose a round that was decoded.", Exit::usage);
    trace.append(Commanded{to_text(fork)});
}

} // namespace

void check_run(const Models& models, const RunSettings& settings) {
    (void)Run::capacity_for(models, settings);
}

int Run::capacity_for(const Models& models, const RunSettings& settings) {
    check_settings(models, settings);
    const PromptTokens prompt = prompt_tokens(models, settings);
    return slots(models, settings, plan_of(models, settings), static_cast<int>(prompt.ids.size()), 0);
}

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings)
    : models_(std::move(models)), settings_(settings) {
    build(nullptr, nullptr, nullptr);
}

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings, MakeTarget make)
    : models_(std::move(models)), settings_(settings), make_target_(std::move(make)) {
    build(nullptr, nullptr, nullptr);
}

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& base,
         const Fork& fork, const RuleInfo* replay)
    : models_(std::move(models)), settings_(settings) {
    if (fork.settings) {
        RunSettings changed = *fork.settings;
        changed.prompt = settings.prompt;
        changed.system = settings.system;
        changed.chat = settings.chat;
        changed.chat_if_possible = settings.chat_if_possible;
        changed.thinking = settings.thinking;
        changed.parts = settings.parts;
        changed.token_ids = settings.token_ids;
        settings_ = changed;
    }
    build(&base, &fork, replay);
}

Run::Run(std::shared_ptr<const Models> models, const Run& base, const Fork& fork)
    : Run(std::move(models), base.settings_, base.trace(), fork) {
    if (fork.cycle <= 0) return;
    for (const EarlierSettings& old : base.earlier_)
        if (old.until < fork.cycle) earlier_.push_back(old);
    earlier_.push_back({fork.cycle, base.settings_at(fork.cycle - 1)});
}

Run::~Run() = default;

void Run::build(const Trace* base, const Fork* fork, const RuleInfo* replay) {
    check_settings(*models_, settings_);
    const std::string listed_only = models_->scorer ? keep_listed(*models_->scorer, settings_.sampling) : "";
    const PromptTokens prompt = prompt_tokens(*models_, settings_);
    const int prompt_size = static_cast<int>(prompt.ids.size());
    Plan plan = plan_of(*models_, settings_);
    if (plan.notice.empty()) plan.notice = listed_only;
    const int capacity =
        slots(*models_, settings_, plan, prompt_size, base ? committed_before(*base, fork->cycle) : 0);
    target_ = make_target_ ? make_target_(capacity) : target_decoder(*models_, prompt_size, capacity);
    drafter_ = plan.drafter->make(
        {*target_,
         plan.drafter->needs_draft_model() ? draft_decoder(*models_, prompt_size, capacity) : nullptr,
         models_->network(plan.drafter->name), settings_.options, frequent_ids(*models_, settings_, plan), models_->answers,
         plan.drafter->translates ? models_->vocabularies : nullptr});

    trace_ = std::make_shared<Trace>(models_->texts());
    trace_->append(header_of(*models_, settings_, plan, prompt));
    CycleSettings cycle = cycle_settings(*models_, settings_, plan);
    std::vector<int> sequence = prompt.ids;
    std::vector<std::uint32_t> attempts;
    if (base) {
        cycle.forced_cycle = fork->cycle;
        if (fork->force_draft) cycle.force_drafts.push_back(*fork->force_draft);
        if (replay) { // the distributions of the prefix that was really drafted, also where it had been changed by
                      // hand
            for (std::size_t i = 1; i < base->size(); ++i)
                if (const auto* drafted = std::get_if<Drafted>(&(*base)[i]);
                    drafted && drafted->cycle == fork->cycle)
                    cycle.force_drafts.emplace_back(drafted->index, drafted->token);
        }
        cycle.force_coin = fork->force_coin;
        attempts = attempts_before(*base, fork->cycle);
        copy_until(*base, *fork, *trace_, sequence);
    }
    const RuleInfo& rule = replay ? *replay : rule_at(*find_rule(settings_.rule), settings_.sampling);
    cycle_ =
        std::make_unique<Cycle>(*target_, *drafter_, rule, std::move(cycle), *trace_, std::move(sequence),
                                prompt_size, base ? fork->cycle : 0, std::move(attempts));
}

bool Run::step() {
    return cycle_->step();
}
void Run::finish() {
    while (cycle_->step()) {
    }
}
void Run::stop(const std::string& reason) {
    cycle_->stop(reason);
}
bool Run::stopped() const {
    return cycle_->stopped();
}
const std::vector<int>& Run::sequence() const {
    return cycle_->sequence();
}
long Run::residual_fallbacks() const {
    return cycle_->residual_fallbacks();
}
std::size_t Run::memory_bytes() const {
    return target_->memory_bytes();
}

std::string Run::output_text() const {
    const std::size_t prompt = trace_->header()->prompt.size();
    std::vector<int> ids(sequence().begin() + static_cast<std::ptrdiff_t>(prompt), sequence().end());
    if (models_->tokenizer) return models_->tokenizer->decode(ids, /*skip_special=*/true);
    std::string text;
    for (int id : ids) text += models_->text_of(id);
    return text;
}

} // namespace speclens
