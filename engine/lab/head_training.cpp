#include "engine/lab/head_training.h"

#include <array>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/lab/medusa_training.h"
#include "engine/lab/mtp_training.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kPointEvery = 10; // steps
constexpr int kWarmUp = 20;     // steps until Adam's rate is whole
constexpr double kAdamMean = 0.9, kAdamSquare = 0.95, kAdamFloor = 1e-8;
constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

// Whether this config.json was written by save().
bool made_here(const std::filesystem::path& config) {
    try {
        const Json json = parse_foreign_json(read_text_file(config, kMostConfigBytes));
        return json.is_object() && json.contains("made_by") && json["made_by"] == kMadeBy;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

std::vector<std::uint16_t> narrowed(const std::vector<float>& values) {
    std::vector<std::uint16_t> out(values.size());
    std::ranges::transform(values, out.begin(), narrow_bf16);
    return out;
}

void adam(std::vector<float>& value, const std::vector<float>& slope, std::vector<float>& mean, std::vector<float>& square, double rate,
          int step) {
    const double mean_bias = 1 - std::pow(kAdamMean, step), square_bias = 1 - std::pow(kAdamSquare, step);
    const auto m = static_cast<float>(kAdamMean), s = static_cast<float>(kAdamSquare);
    const auto scale = static_cast<float>(rate / mean_bias), root = static_cast<float>(1 / std::sqrt(square_bias)),
               floor = static_cast<float>(kAdamFloor);
    for (std::size_t i = 0; i < value.size(); ++i) {
        mean[i] = m * mean[i] + (1 - m) * slope[i];
        square[i] = s * square[i] + (1 - s) * slope[i] * slope[i];
        value[i] -= scale * mean[i] / (std::sqrt(square[i]) * root + floor);
    }
}

void check_heads_folder(const std::filesystem::path& folder) {
    std::error_code ignored;
    const std::filesystem::path config = folder / "config.json";
    if (!std::filesystem::is_directory(folder, ignored) || made_here(config)) return;
    const auto refuse = [&](const std::string& file) {
        throw Error(folder.string() + " holds a model already: " + file + " was not written by 'speclens train', which would replace it",
                    "Give a new folder.", Exit::usage);
    };
    if (std::filesystem::exists(std::filesystem::symlink_status(config, ignored))) refuse("config.json");
    for (std::filesystem::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
        if (at->path().extension() == ".safetensors") refuse(at->path().filename().string());
}

void check_plan(const HeadPlan& plan, const Models& models) {
    const auto refuse = [](const std::string& what, const std::string& remedy) { throw Error(what, remedy, Exit::usage); };
    if (!models.target || !models.tokenizer)
        refuse("heads are trained on the states of a checkpoint with a tokenizer",
               "Give its folder with --model DIR, or use the built-in model.");
    const auto within = [&](const char* name, long value, long least, long most) {
        if (value < least || value > most)
            refuse(std::string(name) + " must be " + std::to_string(least) + " … " + std::to_string(most) + ", got " +
                       std::to_string(value),
                   "Give a number in between.");
    };
    within("heads", plan.heads, 1, 8);
    within("texts", plan.texts, 1, 1000);
    within("max-tokens", plan.max_tokens, 2, 100000);
    within("steps", plan.steps, 1, 1000000);
    within("batch", plan.batch, 1, 512);
    if (!(plan.rate > 0) || plan.rate > 1) refuse("the rate must be above 0 and at most 1", "3e-3 is usual here.");
    if (plan.prompts.empty() || plan.held_out.empty())
        refuse("training needs prompts to train on and prompts to measure on", "Give at least two, one a line.");
}

const char* name_of(HeadKind kind) { return kind == HeadKind::mtp ? "mtp" : "medusa"; }

HeadPlan plan_for(HeadKind kind) {
    HeadPlan plan;
    plan.kind = kind;
    if (kind == HeadKind::mtp) plan.heads = 3, plan.steps = 300, plan.batch = 256, plan.rate = 1e-3;
    return plan;
}

HeadPlan default_head_plan(const TrainHeads& asked, const ChatFormat& format) {
    HeadPlan plan = plan_for(asked.kind);
    plan.steps = asked.steps;
    plan.texts = asked.texts;
    plan.max_tokens = asked.max_tokens;
    const std::filesystem::path folder = assets_folder() / "prompts";
    plan.prompts = load_gallery(folder / "heldout.jsonl");
    for (const GalleryPrompt& prompt : load_gallery(folder / "showcase.jsonl")) plan.prompts.push_back(prompt);
    plan.held_out = load_gallery(folder / "gallery.jsonl");
    const auto same = [&](const GalleryPrompt& prompt) { // the showcase shares some with the gallery
        return std::ranges::any_of(plan.held_out, [&](const GalleryPrompt& held) { return held.prompt == prompt.prompt; });
    };
    std::erase_if(plan.prompts, same);
    if (asked.prompts > 0)
        for (auto* prompts : {&plan.prompts, &plan.held_out})
            prompts->resize(std::min(prompts->size(), static_cast<std::size_t>(asked.prompts)));
    for (auto* prompts : {&plan.prompts, &plan.held_out}) ask_as_text_if_needed(*prompts, format);
    return plan;
}

std::unique_ptr<HeadTraining> make_head_training(std::shared_ptr<const Models> models, HeadPlan plan) {
    if (plan.kind == HeadKind::mtp) return std::make_unique<MtpTraining>(std::move(models), std::move(plan));
    return std::make_unique<MedusaTraining>(std::move(models), std::move(plan));
}

HeadTraining::HeadTraining(std::shared_ptr<const Models> models, HeadPlan plan) : models_(std::move(models)) {
    check_plan(plan, *models_);
    view_.texts = static_cast<int>(plan.prompts.size()) * plan.texts + static_cast<int>(plan.held_out.size());
    view_.plan = std::move(plan);
    held_labels_.resize(static_cast<std::size_t>(view_.plan.heads));
}

bool HeadTraining::step() {
    if (view_.complete) return false;
    const HeadPlan& plan = view_.plan;
    if (view_.texts_done < view_.texts) {
        const int held = static_cast<int>(plan.held_out.size()), at = view_.texts_done;
        const Stopwatch watch;
        if (at < held)
            read_text(plan.held_out[static_cast<std::size_t>(at)], true, at);
        else
            read_text(plan.prompts[static_cast<std::size_t>((at - held) % static_cast<int>(plan.prompts.size()))], false, at - held);
        view_.text_seconds += watch.ms() / 1000;
        ++view_.texts_done;
        ++revision_;
        return true;
    }
    if (!started_) {
        if (view_.states == 0 || view_.held_states == 0)
            throw Error("the target's answers are too short to train heads on", "Give prompts with longer answers.", Exit::usage);
        started_ = true;
        start();
        add_point();
        return true;
    }
    const Stopwatch watch;
    const double rate =
        plan.rate * std::min(1.0, (done_ + 1) / static_cast<double>(kWarmUp)) * (1 - done_ / static_cast<double>(plan.steps));
    loss_sum_ += optimise(++done_, rate);
    ++loss_count_;
    seconds_ += watch.ms() / 1000;
    if (done_ % kPointEvery == 0 || done_ == plan.steps) add_point();
    view_.complete = done_ == plan.steps;
    return true;
}

void HeadTraining::stop() {
    if (view_.complete) return;
    if (started_ && (view_.curve.empty() || view_.curve.back().step != done_)) add_point();
    view_.complete = view_.ended_early = true;
    ++revision_;
}

// Lets the target write an answer and reads it back, from the state that the first round of a run drafts
// from.
void HeadTraining::read_text(const GalleryPrompt& prompt, bool held, int number) {
    const HeadPlan& plan = view_.plan;
    RunSettings settings;
    settings.prompt = prompt_of(prompt, false);
    settings.drafter = models_->why_not("small").empty() ? "small" : kNoDrafter; // changes no distribution
    settings.rule = "token";
    settings.sampling.temperature = held ? 0 : plan.temperature;
    settings.seed = plan.seed + static_cast<std::uint64_t>(number) * 1000003u;
    settings.max_tokens = plan.max_tokens;
    settings.trace_top = 0;
    settings.timing = false;
    Run run(models_, settings);
    run.finish();
    Text text;
    text.tokens = run.sequence();
    text.prompt = static_cast<int>(run.trace().header()->prompt.size());
    text.first = std::max(0, text.prompt - 2);
    const auto count = text.tokens.size() - 1; // the last token is never fed
    const auto decoder = make_model_decoder(models_->target, static_cast<int>(count));
    text.states.resize(count * static_cast<std::size_t>(models_->target->config.hidden));
    decoder->prefill(std::span(text.tokens).first(count), std::array{models_->layers()}, [&](int first, const Tensor& features) {
        models_->backend->download(features, text.states.data() + std::int64_t{first} * features.cols);
    });
    (held ? view_.held_states : view_.states) += text.places();
    if (held) {
        held_starts_.push_back(held_labels_[0].size());
        for (int place = 0; place < text.places(); ++place)
            for (std::size_t k = 0; k < held_labels_.size(); ++k) {
                const std::size_t next = static_cast<std::size_t>(text.first + place) + 2 + k;
                held_labels_[k].push_back(next < text.tokens.size() ? text.tokens[next] : -1);
            }
    }
    keep(std::move(text), held);
}

void HeadTraining::add_point() {
    HeadTrainingPoint point;
    point.step = done_;
    point.seconds = seconds_;
    point.loss = loss_count_ > 0 ? loss_sum_ / loss_count_ : 0;
    point.worth = worth_of(predictions());
    view_.curve.push_back(std::move(point));
    loss_sum_ = loss_count_ = 0;
    ++revision_;
}

HeadWorth HeadTraining::worth_of(const Predictions& all) const {
    HeadWorth worth;
    const std::size_t places = held_labels_[0].size();
    std::vector<std::size_t> in_a_row(places, 0); // heads that are right, from the first one on
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::vector<int>&labels = held_labels_[k], &predictions = all[k];
        int right = 0, counted = 0;
        for (std::size_t i = 0; i < places; ++i) {
            const bool hit = labels[i] >= 0 && predictions[i] == labels[i];
            counted += labels[i] >= 0;
            right += hit;
            in_a_row[i] += hit && in_a_row[i] == k;
        }
        worth.shares.push_back(counted > 0 ? static_cast<double>(right) / counted : 0);
    }
    // Through every text as a run goes: what is right is kept, the target adds a token, the next round begins
    // there.
    std::size_t tokens = 0, rounds = 0;
    worth.judged.resize(all.size());
    worth.kept.resize(all.size());
    for (std::size_t text = 0; text < held_starts_.size(); ++text) {
        const std::size_t end = text + 1 < held_starts_.size() ? held_starts_[text + 1] : places;
        tokens += end - held_starts_[text];
        const bool full = end - held_starts_[text] == static_cast<std::size_t>(view_.plan.max_tokens); // its last token is the target's own
        for (std::size_t at = held_starts_[text]; at < end; at += in_a_row[at] + 1) {
            ++rounds;
            for (std::size_t k = 0; k <= in_a_row[at] && k < all.size() && held_labels_[k][at] >= 0 && (!full || at + k + 1 < end); ++k) {
                ++worth.judged[k];
                worth.kept[k] += k < in_a_row[at];
            }
        }
    }
    worth.tokens_per_round = static_cast<double>(tokens) / static_cast<double>(rounds);
    return worth;
}

void HeadTraining::save(const std::filesystem::path& folder) const {
    check_heads_folder(folder);
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) throw Error("cannot make " + folder.string() + ": " + problem.message(), "Choose another folder.");
    write_files(folder);
}

} // namespace speclens
