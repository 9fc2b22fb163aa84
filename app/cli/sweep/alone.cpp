#include "app/cli/sweep/alone.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/values.h"
#include "engine/base/json.h"
#include "engine/drafters/drafter_info.h"
#include "engine/length/costs_file.h"
#include "engine/model/precision.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/speed_up.h"

namespace speclens::cli {

namespace {

constexpr int kDevelop = 14, kHeldOut = 30, kTokens = 256, kSeeds = 3; // of the whole study

void check_alone(const Options& options) {
    for (const char* option : {"--adaptive", "--concurrency", "--blocks", "--for", "--csv", "--price", "--prices"})
        if (options.has(option))
            throw Error(std::string(option) + " does nothing with --alone, which runs one text at a time", "Leave one of them out.",
                        Exit::usage);
    if (options.drafters.size() > 1) throw Error("--alone studies one drafter", "Name one with --drafters.", Exit::usage);
}

SinglePlan plan_of(const Options& options, const Models& models) {
    const std::string drafter = chosen_drafter(options, models);
    if (const std::string problem = models.why_not(drafter); !problem.empty())
        throw Error("the drafter '" + drafter + "' cannot run: " + problem, "Name another with --drafters.", Exit::usage);
    if (!find_drafter(drafter)->drafts()) throw Error("no drafter was named that drafts", "Name one: --drafters lookup.", Exit::usage);
    check_drafter_options(options, {drafter}, models.layers());
    SinglePlan plan;
    if (!options.lengths.empty()) plan.fixed = options.lengths;
    const int head = models.network(drafter) ? possible_k(options, models, drafter, std::ranges::max(plan.fixed)) : 64;
    for (int& k : plan.fixed) k = std::min(k, head);
    plan.fixed.push_back(0);
    std::ranges::sort(plan.fixed);
    plan.fixed.erase(std::ranges::unique(plan.fixed).begin(), plan.fixed.end());
    plan.seeds = options.has("--repeats") ? options.repeats : kSeeds;
    std::vector<SingleText> texts;
    for (const ListedPrompt& prompt : prompts_of(options, models)) {
        SingleText text{with_prompt(run_settings(options, drafter, 0), prompt.ask), prompt.domain, false};
        text.settings.rule = judging_rule(options.run.rule, drafter);
        if (!options.has("--max-tokens")) text.settings.max_tokens = kTokens;
        texts.push_back(std::move(text));
    }
    plan.texts = parts_of(std::move(texts), options.develop.value_or(kDevelop), options.held_out.value_or(kHeldOut));
    return plan;
}

std::string ratio_text(const SweepInterval& ratio, bool doubt) {
    if (ratio.value == 0) return "–";
    return (doubt ? "~" : "") + number(ratio.value, 3) + " (" + number(ratio.low, 2) + "–" + number(ratio.high, 2) + ")";
}

std::string time_text(double seconds) {
    if (seconds < 120) return number(seconds, 0) + " s";
    return seconds < 7200 ? number(seconds / 60, 0) + " minutes" : number(seconds / 3600, 1) + " hours";
}

// What 14 and 30 prompts, 256 tokens and three seeds would take, by the time of a token so far, each way for itself.
double whole_seconds(const SinglePlan& plan, const SingleResult& result) {
    double ms = 0, tokens = 0;
    for (const SingleRun& run : result.runs) ms += run.ms, tokens += run.tokens;
    return tokens == 0 ? 0 : ms / tokens / 1000 * (kDevelop + kHeldOut) * kSeeds * kTokens * static_cast<double>(plan.fixed.size() + 1);
}

OrderedJson json_of(const SweepInterval& ratio) {
    return ratio.value == 0 ? OrderedJson(nullptr) : OrderedJson{{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

} // namespace

std::string alone_text(const SinglePlan& plan, const SingleResult& result, const Terminal& terminal) {
    const RunSettings& first = plan.texts.front().settings;
    const auto held_out = std::ranges::count_if(plan.texts, &SingleText::held_out);
    const auto develop = static_cast<std::ptrdiff_t>(plan.texts.size()) - held_out;
    const std::optional<int> chosen = chosen_k(plan, result);
    std::string lengths;
    for (const int k : plan.fixed) lengths += (lengths.empty() ? "" : ", ") + std::to_string(k);
    std::string text = wrap("Runs of one text with " + result.drafter + ": plain decoding, K = " + lengths + " and K auto (up to " +
                                std::to_string(plan.most) + ") by turns; " + std::to_string(develop) + " prompts to choose K on, " +
                                std::to_string(held_out) + " held out, " + std::to_string(plan.seeds) +
                                (plan.seeds == 1 ? " seed" : " seeds") + ", at most " + std::to_string(first.max_tokens) +
                                " new tokens, temperature " + number(first.sampling.temperature, 1) + ". Only decoding counts.",
                            terminal.prose_width()) +
                       "\n";
    text += chosen ? "Fastest fixed K on the prompts to choose on: " + std::to_string(*chosen) + "\n\n" : "\n";
    const bool busy = result.busy_cores > kMostBusyCores;
    text += terminal.paint(Tone::muted, pad("held out", 14) + pad_left("prompts", 8) + pad_left("plain tok/s", 13) + pad_left("auto", 8) +
                                            "  " + pad("auto ÷ plain (90 %)", 22) + pad("÷ chosen K", 22) + pad("÷ best K of each", 22) +
                                            pad_left("K", 5) + pad_left("silent", 8) + pad_left("choosing", 10)) +
            "\n";
    for (const SingleFigures& f : figures_of(plan, result)) {
        const bool many = static_cast<std::size_t>(f.prompts) * static_cast<std::size_t>(plan.seeds) > 1;
        const auto shown = [&](const SweepInterval& ratio) { return ratio_text(ratio, busy || !many); };
        text += pad(f.domain.empty() ? "all" : f.domain, 14) + pad_left(std::to_string(f.prompts), 8) +
                pad_left(number(f.plain_rate, 1), 13) + pad_left(number(f.auto_rate, 1), 8) + "  " + pad(shown(f.over_plain), 22) +
                pad(shown(f.over_fixed), 22) + pad(shown(f.over_oracle), 22) + pad_left(number(f.drafted, 1), 5) +
                pad_left(number(100 * f.silent, 0) + " %", 8) + pad_left(number(100 * f.deciding, 2) + " %", 10) + "\n";
    }
    text += "\n" +
            wrap("K: drafts of a round of K auto; silent: its rounds without one; choosing: the share of its time that choosing took, the "
                 "look at rows included. Best K of each: the fixed K that was fastest for that prompt in hindsight.",
                 terminal.prose_width()) +
            "\n";
    if (busy) text += "~ in doubt: other programs kept " + number(result.busy_cores, 1) + " cores busy\n";
    if (result.compared > 0)
        text += std::to_string(result.equal) + " of " + std::to_string(result.compared) + " texts are those of plain decoding.\n";
    const bool whole = develop >= kDevelop && held_out >= kHeldOut && plan.seeds >= kSeeds && first.max_tokens >= kTokens;
    if (const double seconds = whole_seconds(plan, result); !whole && seconds > 0)
        text +=
            wrap("At full size (" + std::to_string(kDevelop) + " and " + std::to_string(kHeldOut) + " prompts, " + std::to_string(kTokens) +
                     " tokens, " + std::to_string(kSeeds) + " seeds) it takes about " + time_text(seconds) + " here.",
                 terminal.prose_width()) +
            "\n";
    return text;
}

std::string alone_json(const SinglePlan& plan, const SingleResult& result, const Header& header) {
    const RunSettings& first = plan.texts.front().settings;
    const std::optional<int> chosen = chosen_k(plan, result);
    OrderedJson json = {{"schema", "speclens-alone/1"},
                        {"machine", header.machine},
                        {"backend", header.backend},
                        {"model", header.model},
                        {"precision", name_of(header.precision)},
                        {"date", header.date},
                        {"drafter", result.drafter},
                        {"rule", first.rule},
                        {"temperature", first.sampling.temperature},
                        {"seed", first.seed},
                        {"seeds", plan.seeds},
                        {"max_tokens", first.max_tokens},
                        {"fixed", plan.fixed},
                        {"k_auto_most", plan.most},
                        {"k_costs", costs_json(result.costs)},
                        {"chosen_k", chosen ? OrderedJson(*chosen) : OrderedJson(nullptr)},
                        {"busy_cores", result.busy_cores},
                        {"complete", result.complete},
                        {"texts_compared", result.compared},
                        {"texts_equal", result.compared > 0 ? OrderedJson(result.equal == result.compared) : OrderedJson(nullptr)},
                        {"whole_seconds", whole_seconds(plan, result)},
                        {"figures", OrderedJson::array()},
                        {"prompts", OrderedJson::array()},
                        {"runs", OrderedJson::array()}};
    for (const SingleFigures& f : figures_of(plan, result))
        json["figures"].push_back({{"domain", f.domain.empty() ? "all" : f.domain},
                                   {"prompts", f.prompts},
                                   {"plain_tokens_per_second", f.plain_rate},
                                   {"auto_tokens_per_second", f.auto_rate},
                                   {"over_plain", json_of(f.over_plain)},
                                   {"over_chosen_k", json_of(f.over_fixed)},
                                   {"over_best_k_of_each", json_of(f.over_oracle)},
                                   {"drafted_per_round", f.drafted},
                                   {"rounds_without_draft", f.silent},
                                   {"deciding_share", f.deciding}});
    for (const SingleText& text : plan.texts)
        json["prompts"].push_back({{"domain", text.domain}, {"held_out", text.held_out}, {"prompt", text.settings.prompt.text}});
    for (const SingleRun& run : result.runs)
        json["runs"].push_back({{"prompt", run.text},
                                {"seed", run.seed},
                                {"k", run.k},
                                {"k_auto", run.automatic},
                                {"tokens", run.tokens},
                                {"rounds", run.rounds},
                                {"plain_passes", run.plain_passes},
                                {"drafted", run.drafted},
                                {"ms", run.ms},
                                {"deciding_ms", run.deciding_ms}});
    return json.dump(1, BadUtf8::replaced) + "\n";
}

Exit command_alone(const Options& options) {
    check_alone(options);
    std::optional<ResultFile> json; // before anything is measured: can it be written?
    if (!options.json.empty()) json.emplace(options.json);
    const std::shared_ptr<const Models> models = load(options);
    if (!models->target || models->scorer)
        throw Error("--alone measures times of a model that is loaded here", "Give one with --model.", Exit::usage);
    SinglePlan plan = plan_of(options, *models);
    if (const std::string warning = busy_warning(busy_cores()); !warning.empty()) say(warning);
    const Header header = *Run(models, plan.texts.front().settings.with_fixed_k()).trace().header();
    SingleStudy study(models, std::move(plan));
    const auto all = static_cast<double>(study.plan().texts.size() * (study.plan().fixed.size() + 1)) * study.plan().seeds;
    {
        ProgressBar bar;
        while (study.step() && !interrupted().load()) bar.show("measuring", std::round(all * study.done()), all, "runs");
    }
    const SingleResult& result = study.result();
    if (options.json != "-") {
        const Terminal terminal = standard_terminal(options.color);
        print_results(terminal.paint(Tone::strong, "SpecLens sweep") + " · " + header.model + " · " + header.backend +
                      (header.precision == Precision::f32 ? "" : " · " + precision_words(header.precision)) + " · " +
                      terminal.paint(Tone::muted, "[" + header.tier + "]") + "\n" + alone_text(study.plan(), result, terminal));
    }
    if (json) {
        json->write(alone_json(study.plan(), result, header));
        json->commit();
    }
    if (!result.complete) throw Interrupted{};
    return result.equal == result.compared ? Exit::ok : Exit::failed;
}

} // namespace speclens::cli
