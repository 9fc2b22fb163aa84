// `speclens sample`: the target's answers to a file of prompts, as a packed corpus. `speclens states`: its hidden states over one.

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "engine/corpus/corpus_sampling.h"
#include "engine/corpus/corpus_states.h"
#include "engine/model/precision.h"
#include "engine/models/models.h"
#include "kernels/backend.h"

namespace speclens::cli {

namespace {

CorpusPlan corpus_plan(const Options& options, const Models& models) {
    CorpusPlan plan;
    plan.folder = options.output;
    const double temperature = options.temperature().value_or(kWalkTemperature);
    for (const ListedPrompt& prompt : prompts_of(options, models))
        plan.prompts.push_back({.prompt = prompt.ask,
                                .domain = prompt.domain,
                                .temperature = prompt.temperature.value_or(temperature),
                                .max_tokens = prompt.max_tokens.value_or(options.run.max_tokens)});
    plan.filters = {.temperature = 1, .top_k = options.run.sampling.top_k, .top_p = options.run.sampling.top_p};
    plan.seed = options.run.seed;
    plan.tokens = options.tokens;
    plan.texts = options.texts.value_or(plan.texts);
    if (options.block_tokens > 0) plan.block_tokens = options.block_tokens;
    return plan;
}

std::string who(const char* command, const Models& models, const Terminal& terminal) {
    return terminal.paint(Tone::strong, std::string("SpecLens ") + command) + " · " + models.target_name() + " · " +
           models.backend->description() + (models.precision() == Precision::f32 ? "" : " · " + precision_words(models.precision())) + "\n";
}

std::string told(const CorpusProgress& progress, const Options& options) {
    std::string out = counted(progress.blocks, "block") + " with " + grouped(static_cast<double>(progress.tokens)) + " tokens of " +
                      counted(progress.texts, "answer") + " in " + printable(options.output.string());
    for (const auto& [end, count] : progress.ends) {
        const char* const how = end == AnswerEnd::stop ? " ended" : end == AnswerEnd::limit ? " cut" : " repeated themselves";
        out += (end == progress.ends.begin()->first ? ": " : ", ") + percent(count, progress.texts) + how;
    }
    out += "\n";
    if (progress.too_long > 0)
        out += counted(progress.too_long, "prompt") + " left out: no room for the answer in the target's context or a block\n";
    if (progress.fresh > 0)
        out += grouped(static_cast<double>(progress.fresh)) + " tokens drawn in " + number(progress.seconds, 0) + " s, " +
               number(progress.rate(), 0) + " a second\n";
    return out;
}

} // namespace

Exit command_sample(const Options& options) {
    const std::shared_ptr<const Models> models = load(options);
    CorpusPlan plan = corpus_plan(options, *models);
    CorpusSampling sampling(models, plan);
    const CorpusProgress& progress = sampling.progress();
    const Terminal terminal = standard_terminal(options.color);
    print(who("sample", *models, terminal));
    flush();
    ProgressBar bar;
    bool stopped = false;
    while (!stopped && sampling.step()) {
        stopped = interrupted().load() || (options.for_seconds && progress.seconds >= *options.for_seconds);
        if (plan.tokens > 0)
            bar.show("sampling", static_cast<double>(progress.done_tokens), static_cast<double>(plan.tokens), "tokens");
        else
            bar.show("sampling", progress.done_texts, static_cast<double>(plan.prompts.size()), "answers");
    }
    bar.clear();
    if (!progress.complete) sampling.save();
    print_results(told(progress, options) + (progress.complete ? "" : "stopped: the same command goes on\n"));
    if (!progress.complete && interrupted().load()) throw Interrupted{};
    if (plan.tokens > progress.tokens && progress.complete)
        say("the prompts gave " + grouped(static_cast<double>(progress.tokens)) + " of " + grouped(static_cast<double>(plan.tokens)) +
            " tokens: add more prompts to the file");
    return Exit::ok;
}

Exit command_states(const Options& options) {
    StatesPlan plan;
    const std::filesystem::path corpus = options.words[0];
    std::error_code ignored;
    plan.blocks = {corpus};
    if (std::filesystem::is_directory(corpus, ignored)) {
        plan.blocks = corpus_files(corpus);
        if (options.block) {
            if (*options.block >= std::ssize(plan.blocks))
                throw Error("--block " + std::to_string(*options.block) + ": " + corpus.string() + " has " +
                                counted(static_cast<int>(plan.blocks.size()), "block"),
                            "They are counted from 0.", Exit::usage);
            plan.blocks = {corpus_file(corpus, *options.block)};
        }
    } else if (options.block) {
        throw Error("--block does nothing for one file", "Give the folder of the corpus, or leave it out.", Exit::usage);
    }
    plan.folder = options.output;
    plan.taps = options.taps;
    plan.form = options.form == "f16" ? DType::f16 : DType::bf16;
    if (options.block_tokens > 0) plan.part_tokens = options.block_tokens;
    const std::shared_ptr<const Models> models = load(options);
    CorpusStates states(models, plan);
    const StatesProgress& progress = states.progress();
    print(who("states", *models, standard_terminal(options.color)));
    flush();
    ProgressBar bar;
    while (states.step()) {
        stop_if_interrupted();
        bar.show("reading", static_cast<double>(progress.tokens), static_cast<double>(progress.all_tokens), "tokens");
    }
    bar.clear();
    std::string out = counted(progress.all_parts, "part") + " in " + printable(options.output.string());
    if (progress.parts_there > 0) out += ", " + std::to_string(progress.parts_there) + " of them there already";
    out += "\n";
    if (progress.tokens > 0)
        out += grouped(static_cast<double>(progress.tokens)) + " tokens in " + number(progress.seconds, 0) + " s, " +
               number(static_cast<double>(progress.tokens) / progress.seconds, 0) + " a second, " +
               megabytes(static_cast<double>(progress.bytes)) + "\n";
    print_results(out);
    return Exit::ok;
}

} // namespace speclens::cli
