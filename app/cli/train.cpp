// `speclens train`: Medusa heads or an MTP layer for the loaded target, trained here and now, with what they are worth while
// they learn.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "engine/base/json.h"
#include "engine/lab/head_training.h"
#include "kernels/backend.h"

namespace speclens::cli {

namespace {

constexpr int kHeldEvery = 6; // of a file of prompts, every so many are measured on

HeadPlan plan_of(const Options& options, const Models& models) {
    HeadPlan plan = plan_for(options.head == "mtp" ? HeadKind::mtp : HeadKind::medusa);
    if (options.prompts.empty()) {
        plan = default_head_plan({.steps = plan.steps, .kind = plan.kind}, models.chat);
        say_if_asked_as_text(models);
    } else {
        const std::vector<GalleryPrompt> prompts = prompt_texts(options);
        if (prompts.size() < 2)
            throw Error(options.prompts.string() + ": fewer than two prompts",
                        "Give a file with one object a line, like {\"prompt\":\"Once\"}.");
        for (std::size_t i = 0; i < prompts.size(); ++i) // at least one, also of a short file
            (i % kHeldEvery == kHeldEvery - 1 || (prompts.size() < kHeldEvery && i == 0) ? plan.held_out : plan.prompts)
                .push_back(prompts[i]);
    }
    plan.heads = options.heads.value_or(plan.heads);
    plan.steps = options.steps.value_or(plan.steps);
    plan.batch = options.batch.value_or(plan.batch);
    plan.texts = options.texts.value_or(plan.texts);
    plan.max_tokens = options.max_tokens().value_or(plan.max_tokens);
    plan.temperature = options.temperature().value_or(plan.temperature);
    plan.seed = options.run.seed;
    if (plan.temperature == 0) {
        if (options.texts.value_or(1) > 1)
            throw Error("--texts " + std::to_string(plan.texts) +
                            " does nothing at temperature 0: the answers to a prompt are all the same",
                        "Give a --temp above 0, or --texts 1.", Exit::usage);
        plan.texts = 1;
    }
    return plan;
}

std::string prompts_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " prompt" : " prompts"); }

std::string worth_text(const HeadWorth& worth, int heads) {
    std::string out;
    for (int k = 0; k < heads; ++k) {
        const bool has = k < static_cast<int>(worth.shares.size());
        out += pad_left(has ? percent(worth.shares[static_cast<std::size_t>(k)], 1) : "–", 9);
    }
    return out + pad_left(number(worth.tokens_per_round, 2), 12);
}

std::string point_text(const HeadTrainingPoint& point, int heads) {
    return pad_left(std::to_string(point.step), 6) + pad_left(number(point.seconds, 1), 9) +
           pad_left(point.step > 0 ? number(point.loss, 2) : "–", 8) + worth_text(point.worth, heads) + "\n";
}

OrderedJson json_of(const HeadWorth& worth) { return {{"shares", worth.shares}, {"tokens_per_round", worth.tokens_per_round}}; }

OrderedJson json_of(const HeadTrainingView& view, const Models& models) {
    OrderedJson json = {{"schema", "speclens-training/1"},
                        {"tier", "LIVE"},
                        {"model", models.target_name()},
                        {"device", models.backend->description()},
                        {"head", name_of(view.plan.kind)},
                        {"heads", view.plan.heads},
                        {"steps", view.plan.steps},
                        {"batch", view.plan.batch},
                        {"rate", view.plan.rate},
                        {"temperature", view.plan.temperature},
                        {"seed", view.plan.seed},
                        {"prompts", view.plan.prompts.size()},
                        {"held_out_prompts", view.plan.held_out.size()},
                        {"states", view.states},
                        {"held_out_states", view.held_states},
                        {"text_seconds", view.text_seconds},
                        {"cut", view.ended_early},
                        {"curve", OrderedJson::array()}};
    for (const HeadTrainingPoint& point : view.curve) {
        OrderedJson row = {
            {"step", point.step}, {"seconds", point.seconds}, {"loss", point.step > 0 ? OrderedJson(point.loss) : OrderedJson(nullptr)}};
        row.update(json_of(point.worth));
        json["curve"].push_back(row);
    }
    json["loaded_heads"] = view.shipped.shares.empty() ? OrderedJson(nullptr) : json_of(view.shipped);
    return json;
}

// Throws Error where `folder` could not be made or written, or holds another model; makes nothing yet.
void check_folder(const std::filesystem::path& folder) {
    check_heads_folder(folder);
    std::error_code ignored;
    std::filesystem::path there = std::filesystem::absolute(folder, ignored);
    while (!std::filesystem::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    if (!std::filesystem::is_directory(there, ignored) || access(there.c_str(), W_OK | X_OK) != 0)
        throw Error("heads cannot be kept in " + folder.string() + ": " + there.string() + " is no folder that may be written",
                    "Choose another folder with -o DIR.");
}

} // namespace

Exit command_train(const Options& options) {
    std::optional<ResultFile> json; // before anything is trained: can it be written?
    if (!options.json.empty()) json.emplace(options.json);
    if (!options.output.empty()) check_folder(options.output);
    const std::shared_ptr<const Models> models = load(options);
    const std::unique_ptr<HeadTraining> trained_head = make_head_training(models, plan_of(options, *models));
    HeadTraining& training = *trained_head;
    const HeadTrainingView& view = training.view();
    const bool mtp = view.plan.kind == HeadKind::mtp;
    const Terminal terminal = standard_terminal(options.color);
    const bool walks = options.json != "-";
    const double busy = busy_cores();
    if (const std::string warning = busy_warning(busy); !warning.empty()) say(warning);
    const bool keeps = json || !options.output.empty(); // though nobody reads on
    const auto tell = [&](const std::string& text) {
        if (keeps) return print_results(text);
        print(text);
        flush();
    };
    if (walks)
        tell(terminal.paint(Tone::strong, "SpecLens train") + " · " + (mtp ? "an MTP layer" : counted(view.plan.heads, "Medusa head")) +
             " for " + models->target_name() + " · " + models->backend->description() + " · [LIVE]\n");
    ProgressBar bar;
    std::size_t printed = 0;
    const int every = std::max(1, view.plan.steps / 100) * 10; // about ten lines
    while (!view.complete) {
        if (interrupted().load()) {
            training.stop(); // what there is, is kept
            break;
        }
        (void)training.step();
        if (view.curve.empty()) {
            bar.show("the target writes", view.texts_done, view.texts, "answers");
            continue;
        }
        bar.show("training", view.curve.back().step, view.plan.steps, "steps");
        if (!walks) continue;
        if (printed == 0) {
            bar.clear();
            std::string head = "learns from " + grouped(view.states) + " places in the target's answers to " +
                               prompts_text(view.plan.prompts.size()) + " (" + number(view.text_seconds, 1) +
                               " s to write and read them)\nmeasured on " + grouped(view.held_states) + " places in greedy answers to " +
                               prompts_text(view.plan.held_out.size()) + " that it never trains on\n\n" + pad_left("step", 6) +
                               pad_left("seconds", 9) + pad_left("loss", 8);
            for (int k = 1; k <= view.plan.heads; ++k) head += pad_left((mtp ? "guess " : "head ") + std::to_string(k), 9);
            tell(terminal.paint(Tone::muted, head + pad_left("tok/round", 12)) + "\n");
        }
        for (; printed < view.curve.size(); ++printed) {
            const HeadTrainingPoint& point = view.curve[printed];
            if (point.step % every != 0 && point.step != view.plan.steps) continue;
            bar.clear();
            tell(point_text(point, view.plan.heads));
        }
    }
    bar.clear();
    const bool trained = !view.curve.empty() && view.curve.back().step > 0;
    if (walks && view.ended_early && trained) tell(point_text(view.curve.back(), view.plan.heads));
    if (view.ended_early && !trained) say("interrupted while the target wrote: nothing was trained");
    if (view.ended_early && trained)
        say("interrupted at step " + std::to_string(view.curve.back().step) + " of " + std::to_string(view.plan.steps) +
            (options.output.empty() ? ": give -o DIR to keep what was learned until then" : ": what was learned until then is kept"));
    if (walks && !view.shipped.shares.empty())
        tell(pad(mtp ? "the head loaded" : "heads that were loaded", 23) + worth_text(view.shipped, view.plan.heads) + "\n");
    if (!options.output.empty() && trained) {
        training.save(options.output);
        if (walks)
            tell("\nkept in " + options.output.string() + ". Use them:\n  speclens compare" +
                 (options.model.empty() ? "" : " --model " + options.model.string()) + " --drafters none," + name_of(view.plan.kind) + "=" +
                 options.output.string() + " --temp 0\n");
    }
    if (json) {
        json->write(json_of(view, *models).dump(1) + "\n");
        json->commit();
    }
    return view.ended_early ? Exit::interrupted : Exit::ok;
}

} // namespace speclens::cli
