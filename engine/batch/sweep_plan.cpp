#include <algorithm>

#include "engine/batch/sweep.h"
#include "engine/batch/worker_pool.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::size_t kPrompts = 16;
constexpr double kProofShare = 0.25; // of the time for batches

RunSettings asked(const RunSettings& base, const GalleryPrompt& prompt) {
    RunSettings text = base;
    text.prompt = prompt_of(prompt, true, base.prompt.thinking);
    return text;
}

// Ready-made prompts, spread over the list, which goes domain by domain; each with dice of its own.
std::vector<RunSettings> texts_of(const Models& models, const RunSettings& asked_for, std::size_t most) {
    const RunSettings base = asked_for.with_fixed_k(); // lengths are what is measured
    std::vector<RunSettings> texts;
    if (models.tokenizer) {
        std::vector<GalleryPrompt> prompts = load_gallery(gallery_file(assets_folder(), !models.bundle.empty()));
        ask_as_text_if_needed(prompts, models.chat);
        const std::size_t count = std::min(prompts.size(), most);
        for (std::size_t i = 0; i < count; ++i) texts.push_back(asked(base, prompts[i * prompts.size() / count]));
    }
    if (texts.empty()) texts.push_back(base); // a model without a tokenizer
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].seed += i;
    return texts;
}

} // namespace

SweepPlan sweep_plan(const Models& models, const MeasureLoad& measure) {
    const std::string& drafter = measure.base.drafter;
    if (const std::string problem = models.why_not(drafter); !problem.empty())
        throw Error("batches of " + drafter + " cannot be measured: " + problem, "Choose another drafter.");
    SweepPlan plan;
    plan.concurrency = measure.texts;
    plan.seconds = measure.seconds;
    plan.proof_seconds = measure.seconds * kProofShare;
    plan.repeats = 2;
    plan.film = true;
    plan.methods.push_back({.drafter = kNoDrafter, .rule = "token", .k = 0});
    const auto network = models.network(drafter);
    for (const int k : measure.lengths)
        if (find_drafter(drafter)->drafts() && (!network || k <= network->config.most_drafts()))
            plan.methods.push_back({.drafter = drafter, .rule = judging_rule(measure.base.rule, drafter), .k = k});
    plan.texts = texts_of(models, measure.base, kPrompts);
    if (plan.methods.size() > 1) {
        constexpr int kTexts = 12, kTokens = 32; // somebody waits for it
        plan.adaptive = adaptive_plan(models, plan.texts, drafter, plan.methods.back().rule, plan.methods.back().k);
        plan.adaptive->repeats = 2; // there and back
        plan.adaptive->texts.resize(kTexts);
        for (RunSettings& text : plan.adaptive->texts) text.max_tokens = std::min(text.max_tokens, kTokens);
    }
    return plan;
}

std::vector<RunSettings> pool_plan(const Models& models, const MeasureLoad& measure) {
    constexpr int kWorkers = 4, kTokens = 32; // somebody waits for it
    const std::string& drafter = measure.base.drafter;
    if (const std::string problem = models.why_not(drafter); !problem.empty())
        throw Error("draft workers of " + drafter + " cannot run: " + problem, "Choose another drafter.");
    const int most = measure.texts.empty() ? kWorkers : std::ranges::max(measure.texts);
    const auto count = static_cast<std::size_t>(std::clamp(most, 1, kMostWorkers));
    std::vector<RunSettings> workers = texts_of(models, measure.base, count);
    for (std::size_t i = workers.size(); i < count; ++i) { // fewer prompts than workers: again, with other dice
        workers.push_back(workers[i % workers.size()]);
        workers.back().seed = measure.base.seed + i;
    }
    for (RunSettings& worker : workers) {
        worker.max_tokens = std::min(worker.max_tokens, kTokens);
        worker.trace_top = 0;
    }
    return workers;
}

} // namespace speclens
