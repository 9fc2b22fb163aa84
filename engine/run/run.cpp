#include "engine/run/run.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <thread>

#include "engine/base/fnv.h"
#include "engine/drafters/chained.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/model/scorer.h"
#include "engine/models/models.h"
#include "engine/run/auto_length.h"
#include "engine/run/measured_costs.h"
#include "engine/run/saved_settings.h"
#include "engine/run/session_commands.h"
#include "engine/text/vocabulary_map.h"
#include "kernels/backend.h"
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

// Tokens that the rounds of a run before `round` brought.
long long committed_before(const Trace& trace, int round) {
    long long tokens = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i]); commit && commit->round < round)
            tokens += static_cast<long long>(commit->tokens.size());
    return tokens;
}

std::unique_ptr<Decoder> target_decoder(const Models& models, int prompt, int capacity) {
    if (models.target) return make_model_decoder(models.target, capacity);
    if (models.scorer) return make_scored_decoder(models.scorer, capacity);
    return make_table_decoder(models.target_table, prompt, capacity);
}

std::unique_ptr<Decoder> draft_decoder(const Models& models, int prompt, int capacity) {
    if (models.draft) return make_model_decoder(models.draft, std::min(capacity, models.draft->config.context()));
    return models.target_table ? make_table_decoder(models.draft_table, prompt, capacity) : nullptr;
}

// The ids that a reduced head may draft; says so where nothing tells which of them are frequent.
std::shared_ptr<const FrequentIds> frequent_ids(const Models& models, const RunSettings& s, RunPlan& plan) {
    if (!plan.drafts() || draft_ids(s.options) <= 0) return models.frequent;
    auto ids = models.ids_for(s.options);
    if (!ids) ids = std::make_shared<const FrequentIds>(models.vocab(), models.stops());
    if (!ids->from_file())
        plan.notice.add({"the draft ranks the ids with the " + std::to_string(s.options.fr_spec) +
                             " lowest numbers: there is no frequent.json with the target that says which are frequent",
                         SaidOf<"shared">()("note.lowest_ids"_t, "ids"_v = s.options.fr_spec)});
    return ids;
}

// Which ids they are, as a trace says it: sixteen hexadecimal digits; empty: those that fr_spec takes.
std::string fingerprint_of(const FrequentIds& ids, const DrafterOptions& options) {
    if (options.small_ids == 0) return "";
    Fnv hash;
    hash.add(ids.first(draft_ids(options)));
    return hash.hex();
}

bool lengths_differ(const RunSettings& s, const RunPlan& plan) { return plan.drafts() && (s.k_auto || !s.k_rounds.empty()); }

// Frozen here: those that were given, or those of the run that is branched off, or measured ones.
DraftCosts costs_of(const std::shared_ptr<const Models>& models, const PreparedRun& prepared, const Header* base) {
    const RunSettings& s = prepared.settings;
    if (s.k_costs) return *s.k_costs;
    if (base && base->k_costs && base->drafter == prepared.plan.drafter->name) return *base->k_costs;
    return s.k_auto ? measured_costs(models, prepared) : nominal_costs(*models, prepared);
}

Header header_of(const Models& models, const RunSettings& s, const RunPlan& plan, const PromptTokens& prompt) {
    std::string drafts_with; // names of what is loaded for it
    for (const DrafterInfo* part : plan.drafter->parts()) {
        const auto network = models.network(part->name);
        const std::string name = network ? network->name : part->needs_draft_model() ? models.draft_name() : "";
        if (!name.empty()) drafts_with += (drafts_with.empty() ? "" : " + ") + name;
    }
    Header header;
    take_settings(s, header);
    header.model = models.target_name();
    header.fingerprint = models.fingerprint;
    header.weights = models.weights();
    header.precision = models.precision();
    header.kernels = models.kept_kernels();
    header.drafter = plan.drafter->name;
    header.drafter_model = drafts_with;
    header.own_draft = models.target && !models.drafts_as_shipped(plan.drafter->name);
    if (header.own_draft) header.drafter_fingerprint = models.drafter_fingerprint(plan.drafter->name);
    header.backend = models.backend->description();
    header.machine = machine_name();
    header.date = utc_minute();
    header.tier = models.target ? "LIVE" : models.scorer ? "REMOTE" : "TABLE";
    if (plan.drafts()) header.k = plan.k;
    header.nodes = plan.nodes;
    header.draft_ids = plan.drafts() ? draft_ids(s.options) : 0;
    header.vocab = models.vocab();
    header.prefill_boundary = static_cast<int>(prompt.ids.size()) - 1;
    header.prompt = prompt.ids;
    header.prompt_text = prompt.text;
    if (prompt.chat) header.chat = Header::Chat{s.prompt.text, s.prompt.system, s.prompt.thinking};
    if (plan.drafts()) header.options = s.options;
    header.notice = plan.notice;
    header.notice.add(prompt.notice);
    return header;
}

CycleSettings cycle_settings(const Models& models, const RunSettings& s, const RunPlan& plan) {
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
    cycle.internals = s.internals;
    cycle.chained = plan.drafter->chained();
    cycle.stops = models.stops();
    return cycle;
}

// Copies what `base` had before the round of the fork, and adds the tokens of it to `sequence`. Whether it had read its prompt.
// Throws Error.
bool copy_until(const Trace& base, const Fork& fork, Trace& trace, std::vector<int>& sequence) {
    const auto in_fork = [&](const auto* event) { return event && event->round >= fork.round; };
    bool found = fork.round == 0, read = false;
    for (std::size_t i = 1; i < base.size(); ++i) {
        const Event& event = base[i];
        if (in_fork(std::get_if<Drafted>(&event)) || in_fork(std::get_if<Verified>(&event))) break;
        if (std::holds_alternative<Stopped>(event) || std::holds_alternative<Failed>(event)) break;
        if (const auto* commit = std::get_if<Committed>(&event)) {
            sequence.insert(sequence.end(), commit->tokens.begin(), commit->tokens.end());
            found = found || commit->round + 1 == fork.round;
        }
        read = read || std::holds_alternative<Prefill>(event);
        trace.append(event);
    }
    if (!found)
        throw Error("round " + std::to_string(fork.round + 1) + " is not in this run", "Choose a round that was decoded.", Exit::usage);
    trace.append(Commanded{to_text(fork)});
    return read;
}

} // namespace

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings) : Run(models, prepared_run(*models, settings)) {}

Run::Run(std::shared_ptr<const Models> models, PreparedRun prepared, MakeTarget make)
    : models_(std::move(models)), make_target_(std::move(make)) {
    build(std::move(prepared), nullptr, nullptr, nullptr);
}

Run::Run(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& base, const Fork& fork, const RuleInfo* replay)
    : models_(std::move(models)) {
    RunSettings changed = fork.settings.value_or(settings);
    changed.prompt = settings.prompt;
    build(prepared_run(*models_, std::move(changed), committed_before(base, fork.round)), &base, &fork, replay);
}

Run::Run(std::shared_ptr<const Models> models, const Run& base, const Fork& fork)
    : Run(std::move(models), base.settings_, base.trace(), fork) {
    if (fork.round <= 0) return;
    for (const EarlierSettings& old : base.earlier_)
        if (old.until < fork.round) earlier_.push_back(old);
    earlier_.push_back({fork.round, base.settings_at(fork.round - 1)});
}

Run::~Run() = default;

void Run::build(PreparedRun prepared, const Trace* base, const Fork* fork, const RuleInfo* replay) {
    std::optional<DraftCosts> costs;
    if (lengths_differ(prepared.settings, prepared.plan)) costs = costs_of(models_, prepared, base ? base->header() : nullptr);
    settings_ = std::move(prepared.settings);
    RunPlan& plan = prepared.plan;
    const int prompt_size = static_cast<int>(prepared.prompt.ids.size()), capacity = prepared.capacity;
    target_ = make_target_ ? make_target_(capacity) : target_decoder(*models_, prompt_size, capacity);
    const std::shared_ptr<const FrequentIds> ranked = frequent_ids(*models_, settings_, plan);
    const std::string ranked_are = plan.drafts() && ranked ? fingerprint_of(*ranked, settings_.options) : "";
    const Header* const earlier = base ? base->header() : nullptr;
    if (earlier && earlier->options.small_ids == settings_.options.small_ids && !earlier->draft_ids_are.empty() &&
        earlier->draft_ids_are != ranked_are)
        plan.notice.add({"the draft ranks other ids than in the run that this one goes on from: its list is another one here",
                         SaidOf<"shared">()("note.other_ids"_t)});
    drafter_ = make_drafter(*plan.drafter, [&](const DrafterInfo& part) {
        return DrafterArgs{*target_,
                           part.needs_draft_model() ? draft_decoder(*models_, prompt_size, capacity) : nullptr,
                           models_->network(part.name),
                           settings_.options,
                           ranked,
                           models_->answers,
                           part.translates ? models_->vocabularies : nullptr};
    });

    trace_ = std::make_shared<Trace>(models_->texts());
    Header header = header_of(*models_, settings_, plan, prepared.prompt);
    if (settings_.k_auto) header.k_costs = costs;
    header.draft_ids_are = ranked_are;
    trace_->append(std::move(header));
    CycleSettings cycle = cycle_settings(*models_, settings_, plan);
    if (!prepared.ends) cycle.stops.clear();
    std::vector<int> sequence = std::move(prepared.prompt.ids);
    std::vector<std::uint32_t> attempts;
    if (costs) {
        std::vector<DraftSize> written = draft_sizes(settings_.k_rounds);
        const bool same_drafter = base && base->header()->drafter == plan.drafter->name;
        if (base && !same_drafter) // rounds of another tell nothing, and are not repeated
            written.erase(written.begin(), written.begin() + std::min<std::ptrdiff_t>(std::ssize(written), fork->round));
        if (same_drafter) { // as the rounds before it were; that of the fork too, where nothing but dice or tokens is another
            const std::vector<DraftSize> before = written_sizes(*base, fork->round + (fork->settings ? 0 : 1));
            written.resize(std::max(written.size(), before.size()));
            std::ranges::copy(before, written.begin());
        }
        cycle.lengths = lengths_of(plan, settings_, *costs, written);
        if (same_drafter) follow(cycle.lengths, fold(*base, base->size()), fork->round);
    }
    if (base) {
        cycle.forced_round = fork->round;
        if (fork->force_draft) cycle.force_drafts.push_back(*fork->force_draft);
        if (replay) { // the distributions of the prefix that was really drafted, also where it had been changed by
                      // hand
            for (std::size_t i = 1; i < base->size(); ++i)
                if (const auto* drafted = std::get_if<Drafted>(&(*base)[i]); drafted && drafted->round == fork->round)
                    cycle.force_drafts.emplace_back(drafted->index, drafted->token);
        }
        cycle.force_coin = fork->force_coin;
        attempts = attempts_before(*base, fork->round);
        cycle.prompt_recorded = copy_until(*base, *fork, *trace_, sequence);
    }
    const RuleInfo& rule = replay ? *replay : rule_at(*find_rule(settings_.rule), settings_.sampling);
    round_index_ = std::make_unique<Cycle>(*target_, *drafter_, rule, std::move(cycle), *trace_, std::move(sequence), prompt_size,
                                           base ? fork->round : 0, std::move(attempts));
}

bool Run::step() { return round_index_->step(); }
void Run::finish() {
    while (round_index_->step()) {
    }
}
void Run::stop(const std::string& reason) { round_index_->stop(reason); }
bool Run::stopped() const { return round_index_->stopped(); }
const std::vector<int>& Run::sequence() const { return round_index_->sequence(); }
long Run::residual_fallbacks() const { return round_index_->residual_fallbacks(); }
std::size_t Run::memory_bytes() const { return target_->memory_bytes(); }

std::string Run::output_text() const {
    const std::size_t prompt = trace_->header()->prompt.size();
    std::vector<int> ids(sequence().begin() + static_cast<std::ptrdiff_t>(prompt), sequence().end());
    if (models_->tokenizer) return models_->tokenizer->decode(ids, /*skip_special=*/true);
    std::string text;
    for (int id : ids) text += models_->text_of(id);
    return text;
}

} // namespace speclens
