#include "engine/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>

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
        throw Error(std::string("unknown ") + kind + " \"" + name + "\"", "Known: " + names + ".", Exit::usage);
    };
    if (!find_drafter(s.drafter)) unknown("drafter", s.drafter, drafter_list());
    const RuleInfo* rule = find_rule(s.rule);
    if (!rule) unknown("rule", s.rule, rule_list());
    if (rule->greedy_only && s.sampling.temperature != 0)
        throw Error("the rule \"" + s.rule + "\" needs temperature 0, got " + std::to_string(s.sampling.temperature),
                    "Use --temp 0, or the rule token or match.", Exit::usage);
    if (rule->mixes() && models.scorer)
        throw Error("the rule \"" + s.rule + "\" reads the target's whole law, and a server tells the likeliest tokens only",
                    "Use --rule token, match or block, or load the target here with --model DIR.", Exit::usage);
    check_parameters(s.rule_params, *rule);
    if (s.k < 0 || s.k > 64)
        throw Error("K must be 0 … 64 draft tokens per round, got " + std::to_string(s.k), "Use 0 for plain decoding.",
                    Exit::usage);
    // At temperature 0 most rules are the greedy one, which judges chains and trees.
    if (rule_at(*rule, s.sampling).siblings == Siblings::none && s.k > 0 && !can_judge(*rule, *find_drafter(s.drafter))) throw tree_error(s.rule);
    if (s.max_tokens < 1)
        throw Error("max-tokens must be at least 1, got " + std::to_string(s.max_tokens), "Ask for some tokens.",
                    Exit::usage);
    check_options(s.drafter, s.options, models.layers());
}

// A server tells the likeliest tokens only; under a top-k that keeps no others its law is exact. Says what was changed.
std::string keep_listed(const Scorer& scorer, Sampling& sampling) {
    if (sampling.temperature == 0 || (sampling.top_k > 0 && sampling.top_k <= scorer.listed())) return "";
    sampling.top_k = scorer.listed();
    return "top-k " + std::to_string(sampling.top_k) + ": the server tells its " + std::to_string(sampling.top_k) +
           " likeliest tokens, and among those the rule is exact";
}

}  // namespace

PromptTokens prompt_tokens(const Models& models, const RunSettings& s) {
    PromptTokens prompt;
    if (!s.token_ids.empty()) {
        prompt.ids = s.token_ids;
        for (int id : prompt.ids) {
            if (id < 0 || id >= models.vocab())
                throw Error("token id " + std::to_string(id) + " is outside the vocabulary of " +
                                std::to_string(models.vocab()),
                            "Use ids from 0 to " + std::to_string(models.vocab() - 1) + ".", Exit::usage);
            prompt.text += models.text_of(id);
        }
        return prompt;
    }
    if (models.target_table) {  // a table starts from nothing; one silent token stands for the start
        prompt.ids = {0};
        return prompt;
    }
    if (!models.tokenizer)
        throw Error("this model has no tokenizer.json, so text cannot be turned into tokens",
                    "Give the prompt as ids with --token-ids 1,2,3.", Exit::usage);
    if (s.chat) {
        std::vector<ChatTurn> turns;
        if (!s.system.empty()) turns.push_back({"system", s.system});
        turns.push_back({"user", s.prompt});
        prompt.text = chat_prompt(turns, s.thinking);
    } else {
        prompt.text = s.prompt;
    }
    prompt.ids = models.tokenizer->encode(prompt.text);
    if (s.prompt.empty() || prompt.ids.empty())
        throw Error("the prompt is empty", "Type at least one character; the model continues what it is given.",
                    Exit::usage);
    return prompt;
}

namespace {

int target_holds(const Models& models) {
    return models.target ? models.target->config.max_positions : models.scorer ? models.scorer->capacity() : 4096;
}

}  // namespace

PromptRoom prompt_room(const Models& models, const RunSettings& settings) {
    PromptRoom room{.holds = target_holds(models)};
    const DrafterInfo* drafter = find_drafter(settings.drafter);
    if (drafter && drafter->needs_draft_model() && models.draft)
        room.holds = std::min(room.holds, models.draft->config.max_positions);
    if (!settings.prompt.empty() || !settings.token_ids.empty())
        room.tokens = static_cast<int>(prompt_tokens(models, settings).ids.size());
    return room;
}

PromptTooLong::PromptTooLong(int tokens, std::string model, int context)
    : Error("the prompt has " + std::to_string(tokens) + " tokens; the context of " + model + " holds " +
                std::to_string(context),
            "Shorten the prompt by at least " + std::to_string(tokens - context + 1) + " tokens.", Exit::usage),
      model_(std::move(model)) {}

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings)
    : models_(std::move(models)), settings_(settings) {
    build(nullptr, nullptr, nullptr);
}

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& base, const Fork& fork,
         const RuleInfo* replay)
    : models_(std::move(models)), settings_(settings) {
    if (fork.settings) {
        RunSettings changed = *fork.settings;
        changed.prompt = settings.prompt;
        changed.system = settings.system;
        changed.chat = settings.chat;
        changed.thinking = settings.thinking;
        changed.token_ids = settings.token_ids;
        settings_ = changed;
    }
    build(&base, &fork, replay);
}

Run::~Run() = default;

void Run::build(const Trace* base, const Fork* fork, const RuleInfo* replay) {
    check_settings(*models_, settings_);
    const std::string listed_only = models_->scorer ? keep_listed(*models_->scorer, settings_.sampling) : "";
    PromptTokens prompt = prompt_tokens(*models_, settings_);
    const int prompt_size = static_cast<int>(prompt.ids.size());

    std::string notice;
    std::string drafter_name = settings_.drafter;
    if (drafter_name != "none" && settings_.k > 0) {
        const std::string problem = models_->why_not(drafter_name);
        if (!problem.empty()) notice = "speculation is off: " + problem;
    }
    if (drafter_name != "none" && settings_.k == 0) notice = "speculation is off: K = 0";
    if (!notice.empty()) drafter_name = "none";
    if (notice.empty()) notice = listed_only;
    const DrafterInfo& drafter = *find_drafter(drafter_name);
    const bool needs_model = drafter.needs_draft_model();
    const DrafterOptions& options = settings_.options;
    int k = drafter_name == "none" ? 0 : drafter.tree && options.tree_depth > 0 ? options.tree_depth : settings_.k;
    if (const auto network = models_->network(drafter_name)) k = std::min(k, network->config.most_drafts());
    const int nodes = drafter.tree ? options.tree_budget : 0;

    // Cache slots: the prompt, the new tokens, or what a fork goes on from, and one round of drafts past them.
    long long kept = prompt_size;
    for (std::size_t i = 0; fork && i < base->size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&(*base)[i]); commit && commit->cycle < fork->cycle)
            kept += static_cast<long long>(commit->tokens.size());
    const long long wanted = std::max(static_cast<long long>(prompt_size) + settings_.max_tokens, kept) +
                             std::max({settings_.k, k, nodes}) + 1;
    const int limit = target_holds(*models_);
    if (prompt_size >= limit) throw PromptTooLong(prompt_size, models_->target_name(), limit);
    if (needs_model && models_->draft && prompt_size >= models_->draft->config.max_positions)
        throw PromptTooLong(prompt_size, models_->draft_name(), models_->draft->config.max_positions);
    const int capacity = static_cast<int>(std::min<long long>(wanted, limit));
    std::unique_ptr<Decoder> draft_model;
    if (models_->target) {
        target_ = make_model_decoder(models_->target, capacity);
    } else if (models_->scorer) {
        target_ = make_scored_decoder(models_->scorer, capacity);
    } else {
        target_ = make_table_decoder(models_->target_table, prompt_size, capacity);
        if (needs_model) draft_model = make_table_decoder(models_->draft_table, prompt_size, capacity);
    }
    if (needs_model && models_->draft)
        draft_model = make_model_decoder(models_->draft, std::min(capacity, models_->draft->config.max_positions));
    auto frequent = models_->frequent;
    if (drafter_name != "none" && options.fr_spec > 0) {
        if (!frequent) frequent = std::make_shared<FrequentIds>(models_->vocab(), models_->stops());
        if (!frequent->from_file())
            notice = "the draft ranks the ids with the " + std::to_string(options.fr_spec) +
                     " lowest numbers: there is no frequent.json with the target that says which are frequent";
    }
    drafter_ = drafter.make({*target_, std::move(draft_model), models_->network(drafter_name), settings_.options, frequent});

    Header header;
    header.model = models_->target_name();
    header.drafter = drafter_name;
    header.drafter_model = needs_model ? models_->draft_name() : "";
    if (const auto network = models_->network(drafter_name)) header.drafter_model = network->name;
    header.rule = settings_.rule;
    header.rule_params = settings_.rule_params;
    header.backend = models_->backend->description();
    header.machine = machine_name();
    header.date = utc_minute();
    header.tier = models_->target ? "LIVE" : models_->scorer ? "REMOTE" : "TABLE";
    header.k = drafter_name == "none" ? settings_.k : k;
    header.nodes = nodes;
    header.draft_ids = drafter_name == "none" ? 0 : options.fr_spec;
    header.sampling = settings_.sampling;
    header.draft_sampling = settings_.draft_sampling.value_or(settings_.sampling);
    header.seed = settings_.seed;
    header.max_tokens = settings_.max_tokens;
    header.vocab = models_->vocab();
    header.prefill_boundary = prompt_size - 1;
    header.prompt = prompt.ids;
    header.prompt_text = prompt.text;
    header.notice = notice;
    header.timing = settings_.timing;

    CycleSettings cycle;
    cycle.k = k;
    cycle.nodes = nodes;
    cycle.sampling = header.sampling;
    cycle.draft_sampling = header.draft_sampling;
    cycle.seed = settings_.seed;
    cycle.fork = settings_.fork;
    cycle.max_tokens = settings_.max_tokens;
    cycle.rule_params = settings_.rule_params;
    cycle.trace_top = settings_.trace_top;
    cycle.timing = settings_.timing;
    cycle.lens = settings_.lens;
    cycle.stops = models_->stops();

    trace_ = std::make_shared<Trace>([models = models_](int id) { return models->text_of(id); });
    trace_->append(header);
    std::vector<int> sequence = prompt.ids;
    std::vector<std::uint32_t> attempts;
    int first_cycle = 0;
    if (base) {
        first_cycle = fork->cycle;
        cycle.forced_cycle = fork->cycle;
        if (fork->force_draft) cycle.force_drafts.push_back(*fork->force_draft);
        if (replay) {  // the laws of the prefix that was really drafted, also where it had been changed by hand
            for (std::size_t i = 1; i < base->size(); ++i)
                if (const auto* drafted = std::get_if<Drafted>(&(*base)[i]); drafted && drafted->cycle == fork->cycle)
                    cycle.force_drafts.emplace_back(drafted->index, drafted->token);
        }
        cycle.force_coin = fork->force_coin;
        attempts = attempts_before(*base, fork->cycle);
        bool found = fork->cycle == 0;
        for (std::size_t i = 1; i < base->size(); ++i) {
            const Event& event = (*base)[i];
            if (const auto* drafted = std::get_if<Drafted>(&event); drafted && drafted->cycle >= fork->cycle) break;
            if (const auto* verified = std::get_if<Verified>(&event); verified && verified->cycle >= fork->cycle) break;
            if (std::holds_alternative<Stopped>(event) || std::holds_alternative<Failed>(event)) break;
            if (const auto* commit = std::get_if<Committed>(&event)) {
                sequence.insert(sequence.end(), commit->tokens.begin(), commit->tokens.end());
                found = found || commit->cycle + 1 == fork->cycle;
            }
            trace_->append(event);
        }
        if (!found)
            throw Error("round " + std::to_string(fork->cycle + 1) + " is not in this run", "Choose a round that was decoded.",
                        Exit::usage);
        trace_->append(Commanded{to_text(*fork)});
    }
    const RuleInfo& rule = replay ? *replay : rule_at(*find_rule(settings_.rule), header.sampling);
    cycle_ = std::make_unique<Cycle>(*target_, *drafter_, rule, std::move(cycle), *trace_,
                                     std::move(sequence), prompt_size, first_cycle, std::move(attempts));
}

bool Run::step() { return cycle_->step(); }
void Run::finish() {
    while (cycle_->step()) {
    }
}
void Run::stop(const std::string& reason) { cycle_->stop(reason); }
bool Run::stopped() const { return cycle_->stopped(); }
const std::vector<int>& Run::sequence() const { return cycle_->sequence(); }
long Run::residual_fallbacks() const { return cycle_->residual_fallbacks(); }
std::size_t Run::memory_bytes() const { return target_->memory_bytes(); }

std::string Run::output_text() const {
    const std::size_t prompt = trace_->header()->prompt.size();
    std::vector<int> ids(sequence().begin() + static_cast<std::ptrdiff_t>(prompt), sequence().end());
    if (models_->tokenizer) return models_->tokenizer->decode(ids, /*skip_special=*/true);
    std::string text;
    for (int id : ids) text += models_->text_of(id);
    return text;
}

namespace {

// Judges every draft, so that a replayed cycle shows the target's law at all of its positions. Keeps a chain as a
// whole; of a tree the path to the draft whose coin is kKeep, which the fork sets.
constexpr double kKeep = -1;

Verdict judge_everything(const Round& round) {
    Verdict verdict;
    int last = round.parents.empty() ? round.count() - 1 : -1;
    for (int i = 0; i < round.count(); ++i) {
        verdict.checks.push_back({.node = i, .threshold = 1, .u = {}, .accepted = true});
        if (!round.parents.empty() && round.accept_coin(i) == kKeep) last = i;
    }
    for (int node = last; node >= 0; node = round.parent(node)) verdict.path.insert(verdict.path.begin(), node);
    verdict.from = Resampled::From::bonus;
    verdict.law = round.p(verdict.row());
    verdict.token = argmax(verdict.law);
    return verdict;
}

// A replayed cycle is drafted anew, so the rule must ask the drafter for the same as the run's did.
RuleInfo replay_rule(const RunSettings& settings) {
    const RuleInfo& rule = rule_at(*find_rule(settings.rule), settings.sampling);
    return {"replay", "Replay", "Judges every draft.", false, false, &judge_everything, rule.siblings, rule.promise};
}

Law law_of(const Top& top, int vocab) {
    Law law(static_cast<std::size_t>(vocab), 0.0);
    for (const Top::Entry& entry : top.entries) law[static_cast<std::size_t>(entry.id)] = std::exp(entry.logp);
    return law;
}

}  // namespace

LawPair full_laws(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& trace, int cycle,
                  int index) {
    const int vocab = models->vocab();
    RunSettings replay = settings;
    replay.trace_top = -1;
    replay.timing = false;
    replay.lens = false;
    Fork fork;
    fork.cycle = cycle;
    for (std::size_t i = 0; i < trace.size(); ++i)  // where the target's own token hung in a tree
        if (const auto* own = std::get_if<Resampled>(&trace[i]); own && own->cycle == cycle && own->parent && *own->parent >= 0)
            fork.force_coin = {*own->parent, kKeep};
    const RuleInfo rule = replay_rule(replay);
    Run scratch(std::move(models), replay, trace, fork, &rule);

    LawPair pair;
    pair.cycle = cycle;
    pair.index = index;
    std::size_t next = scratch.trace().size();
    while (scratch.step()) {
        for (; next < scratch.trace().size(); ++next) {
            const Event& event = scratch.trace()[next];
            if (const auto* drafted = std::get_if<Drafted>(&event); drafted && drafted->index == index) {
                pair.draft = law_of(drafted->top, vocab);
                pair.draft_raw = drafted->raw_top.empty() ? pair.draft : law_of(drafted->raw_top, vocab);
            } else if (const auto* checked = std::get_if<Checked>(&event); checked && checked->index == index) {
                pair.target = law_of(checked->top, vocab);
                pair.target_raw = checked->raw_top.empty() ? pair.target : law_of(checked->raw_top, vocab);
                return pair;
            } else if (const auto* own = std::get_if<Resampled>(&event)) {  // the row after the last draft
                pair.target = law_of(own->top, vocab);
                pair.target_raw = own->raw_top.empty() ? pair.target : law_of(own->raw_top, vocab);
                return pair;
            }
        }
    }
    throw Error("position " + std::to_string(index + 1) + " of round " + std::to_string(cycle + 1) + " has no laws",
                "Choose a position that the target judged.", Exit::usage);
}

}  // namespace speclens
