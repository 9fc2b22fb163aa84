#include "engine/run/prepared_run.h"

#include <algorithm>
#include <utility>

#include "engine/drafters/chained.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/length/draft_sizes.h"
#include "engine/model/model.h"
#include "engine/model/scorer.h"
#include "engine/models/models.h"
#include "engine/rules/verify.h"
#include "engine/run/trace.h"
#include "engine/text/vocabulary_map.h"
#include "kernels/error.h"

namespace speclens {
namespace {

void check_settings(const Models& models, const RunSettings& s) {
    check_sampling(s.sampling);
    if (s.draft_sampling) check_sampling(*s.draft_sampling);
    const auto unknown = [](const char* kind, const std::string& name, const auto& list) {
        std::string names;
        for (const auto& info : list) names += (names.empty() ? "" : ", ") + std::string(info.name);
        throw Error(std::string("unknown ") + kind + " \"" + name + "\"", "Known: " + names + ".", Exit::usage);
    };
    refuse_chain(s.drafter);
    if (!find_drafter(s.drafter)) unknown("drafter", s.drafter, drafter_list());
    const RuleInfo* rule = find_rule(s.rule);
    if (!rule) unknown("rule", s.rule, rule_list());
    if (rule->greedy_only && s.sampling.temperature != 0)
        throw Error("the rule \"" + s.rule + "\" needs temperature 0, got " + std::to_string(s.sampling.temperature),
                    "Use --temp 0, or the rule token or match.", Exit::usage);
    const DrafterInfo& drafter = *find_drafter(s.drafter);
    if (rule->is_cascade() && drafter.chained())
        throw Error("the rule \"" + s.rule + "\" mixes the target with the distribution of one draft model, and \"" + s.drafter +
                        "\" are two",
                    "Use --rule token, match or block, or one of the two drafters.", Exit::usage);
    if (rule->is_cascade() && models.scorer)
        throw Error("the rule \"" + s.rule + "\" reads the target's whole distribution, and a server tells the likeliest tokens only",
                    "Use --rule token, match or block, or load the target here with --model DIR.", Exit::usage);
    check_parameters(s.rule_params, *rule);
    if (s.k < 0 || s.k > 64)
        throw Error("K must be 0 … 64 draft tokens per round, got " + std::to_string(s.k), "Use 0 for plain decoding.", Exit::usage);
    // At temperature 0 most rules are the greedy one, which judges chains and trees.
    if (rule_at(*rule, s.sampling).siblings == Siblings::none && s.k > 0 && !can_judge(*rule, drafter)) throw tree_error(s.rule);
    const std::vector<DraftSize> written = draft_sizes(s.k_rounds);
    if (drafter.drafts() && !drafter.chained() && std::ranges::any_of(written, [](const DraftSize& size) { return size.by != 0; }))
        throw Error("--k-rounds has lengths of a second drafter (+N), and \"" + s.drafter + "\" is one", "Leave the plus signs out.",
                    Exit::usage);
    if (drafter.goes_on && (s.k_auto || !s.k_rounds.empty()))
        throw Error("K auto says how much one drafter drafts, and in \"" + s.drafter + "\" two make one draft",
                    "Give --k N, or " + std::string(drafter.first->name) + "+" + drafter.second->name + ".", Exit::usage);
    if (drafter.goes_on && s.options.by_text)
        throw Error("--by-text draws tokens of the draft model's own, and in \"" + s.drafter + "\" another drafter has drawn before it",
                    "Leave --by-text out, or use one plus.", Exit::usage);
    if ((s.k_auto || !s.k_rounds.empty()) && s.draft_ahead)
        throw Error("--draft-ahead drafts a round before it is known how much it shall draft, which K auto says", "Leave one of them out.",
                    Exit::usage);
    if (s.k_auto && models.scorer && !s.k_costs)
        throw Error("K auto goes by what passes cost, and those of a server are not measured", "Give --k N.", Exit::usage);
    if (s.max_tokens < 1)
        throw Error("max-tokens must be at least 1, got " + std::to_string(s.max_tokens), "Ask for some tokens.", Exit::usage);
    check_options(s.drafter, s.options, models.layers());
    if (s.draft_ahead && !models.scorer)
        throw Error("--draft-ahead drafts while a server judges, and the target is here", "Leave it out, or give --model URL.",
                    Exit::usage);
    if (s.options.by_text && models.draft && !models.vocabularies)
        throw Error("--by-text is for a draft model with another tokenizer, and " + models.draft_name() + " has the target's tokens",
                    "Leave --by-text out.", Exit::usage);
}

constexpr SaidOf<"shared"> kSaid;

// A server tells the likeliest tokens only; under a top-k that keeps no others its distribution is exact. Says what
// was changed.
ToldReason keep_listed(const Scorer& scorer, Sampling& sampling) {
    if (scorer.listed() >= scorer.vocabulary().size) return ""; // all of them
    if (sampling.temperature == 0 || (sampling.top_k > 0 && sampling.top_k <= scorer.listed())) return "";
    sampling.top_k = scorer.listed();
    return {"top-k " + std::to_string(sampling.top_k) + ": the server tells its " + std::to_string(sampling.top_k) +
                " likeliest tokens, and among those the rule is exact",
            kSaid("note.listed"_t, "k"_v = sampling.top_k)};
}

RunPlan plan_of(const Models& models, const RunSettings& s) {
    RunPlan plan;
    plan.drafter = find_drafter(s.drafter);
    if (plan.drafts() && s.k == 0) plan.notice = Header::off({"K = 0", kSaid("note.k_zero"_t)});
    if (plan.drafts() && s.k > 0)
        if (const ToldReason problem = models.why_not(s.drafter); !problem.empty()) plan.notice = Header::off(problem);
    if (!plan.notice.empty()) plan.drafter = find_drafter(kNoDrafter);
    if (!plan.drafts()) return plan;
    plan.k = plan.drafter->tree && s.options.tree_depth > 0 ? s.options.tree_depth : s.k;
    const std::vector<const DrafterInfo*> parts = plan.drafter->parts();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto network = models.network(parts[i]->name);
        if (!network) continue;
        plan.most[i] = network->config.most_drafts();
        plan.notice.add(ToldReason(network->config.notice)); // of its file
    }
    plan.k = std::min(plan.k, parts.size() == 1 ? plan.most[0] : std::max(plan.most[0], plan.most[1]));
    if (plan.drafter->translates && models.vocabularies)
        plan.notice.add({"the draft model has another tokenizer: " + std::to_string(models.vocabularies->common()) + " of its " +
                             std::to_string(models.draft->config.vocab) + " tokens are the target's too",
                         kSaid("note.tokenizer"_t, "common"_v = models.vocabularies->common(), "all"_v = models.draft->config.vocab)});
    plan.nodes = plan.drafter->tree ? s.options.tree_budget : 0;
    const RuleKind kind = kind_of(*find_rule(s.rule), s.rule_params, s.sampling, plan.drafter->tree);
    const bool same_text = kind == RuleKind::greedy || kind == RuleKind::match; // whatever is drafted
    if (s.k_auto && s.k_rounds.empty() && !same_text) {
        const bool same = keeps_target(*find_rule(s.rule), s.rule_params, s.sampling);
        plan.notice.add({std::string("K is chosen by what rounds cost here: ") + (same ? "the same distribution, " : "") +
                             "another text on another machine",
                         kSaid("note.k_auto"_t, "same"_v = same)});
    }
    return plan;
}

// Slots of the caches: the prompt, the new tokens or those that a fork goes on from, and one round of drafts
// past them.
int slots(const Models& models, const RunSettings& s, const RunPlan& plan, int prompt, long long committed) {
    const int limit = models.holds();
    if (prompt >= limit) throw PromptTooLong(prompt, models.target_name(), limit);
    if (plan.drafter->needs_draft_model() && models.draft && prompt >= models.draft->config.context())
        throw PromptTooLong(prompt, models.draft_name(), models.draft->config.context());
    const long long wanted = prompt + std::max<long long>(s.max_tokens, committed) + std::max({s.k, plan.k, plan.nodes}) + 1;
    return static_cast<int>(std::min<long long>(wanted, limit));
}

} // namespace

bool RunPlan::drafts() const { return drafter->drafts(); }

PreparedRun prepared_run(const Models& models, RunSettings settings, long long committed) {
    check_settings(models, settings);
    PreparedRun run;
    const ToldReason listed_only = models.scorer ? keep_listed(*models.scorer, settings.sampling) : ToldReason();
    run.prompt = prompt_tokens(models, settings.prompt);
    run.plan = plan_of(models, settings);
    if (run.plan.drafts() || run.plan.notice.empty()) run.plan.notice.add(listed_only); // not among why speculation is off
    run.capacity = slots(models, settings, run.plan, static_cast<int>(run.prompt.ids.size()), committed);
    run.settings = std::move(settings);
    return run;
}

} // namespace speclens
