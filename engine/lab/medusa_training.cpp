#include "engine/lab/medusa_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <span>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/run/gallery.h"
#include "engine/weights/safetensors_write.h"
#include "files/atomic_file.h"
#include "kernels/bf16.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kPointEvery = 10; // steps
constexpr int kWarmUp = 20;     // steps until Adam's rate is whole
constexpr double kAdamMean = 0.9, kAdamSquare = 0.95, kAdamFloor = 1e-8;
constexpr const char* kMadeBy = "speclens train"; // stands in config.json: these files may be replaced
constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

std::vector<std::uint16_t> narrowed(const std::vector<float>& values) {
    std::vector<std::uint16_t> out(values.size());
    std::ranges::transform(values, out.begin(), narrow_bf16);
    return out;
}

// One step of Adam (Kingma and Ba 2015, algorithm 1).
void adam(std::vector<float>& value, const std::vector<float>& slope, std::vector<float>& mean,
          std::vector<float>& square, double rate, int step) {
    const double mean_bias = 1 - std::pow(kAdamMean, step), square_bias = 1 - std::pow(kAdamSquare, step);
    const auto m = static_cast<float>(kAdamMean), s = static_cast<float>(kAdamSquare);
    const auto scale = static_cast<float>(rate / mean_bias),
               root = static_cast<float>(1 / std::sqrt(square_bias)), floor = static_cast<float>(kAdamFloor);
    for (std::size_t i = 0; i < value.size(); ++i) {
        mean[i] = m * mean[i] + (1 - m) * slope[i];
        square[i] = s * square[i] + (1 - s) * slope[i] * slope[i];
        value[i] -= scale * mean[i] / (std::sqrt(square[i]) * root + floor);
    }
}

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

void check_heads_folder(const std::filesystem::path& folder) {
    std::error_code ignored;
    const std::filesystem::path config = folder / "config.json";
    if (!std::filesystem::is_directory(folder, ignored) || made_here(config)) return;
    const auto refuse = [&](const std::string& file) {
        throw Error(folder.string() + " holds a model already: " + file +
                        " was not written by 'speclens train', which would replace it",
                    "Give a new folder.", Exit::usage);
    };
    if (std::filesystem::exists(std::filesystem::symlink_status(config, ignored))) refuse("config.json");
    for (std::filesystem::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
        if (at->path().extension() == ".safetensors") refuse(at->path().filename().string());
}

void check_plan(const MedusaPlan& plan, const Models& models) {
    const auto refuse = [](const std::string& what, const std::string& remedy) {
        throw Error(what, remedy, Exit::usage);
    };
    if (!models.target || !models.tokenizer)
        refuse("heads are trained on the states of a checkpoint with a tokenizer",
               "Give its folder with --model DIR, or use the built-in model.");
    const auto within = [&](const char* name, long value, long least, long most) {
        if (value < least || value > most)
            refuse(std::string(name) + " must be " + std::to_string(least) + " … " + std::to_string(most) +
                       ", got " + std::to_string(value),
                   "Give a number in between.");
    };
    within("heads", plan.heads, 1, 8);
    within("texts", plan.texts, 1, 1000);
    within("max-tokens", plan.max_tokens, 2, 100000);
    within("steps", plan.steps, 1, 1000000);
    within("batch", plan.batch, 1, 512);
    if (!(plan.rate > 0) || plan.rate > 1)
        refuse("the rate must be above 0 and at most 1", "3e-3 is usual here.");
    if (plan.prompts.empty() || plan.held_out.empty())
        refuse("training needs prompts to train on and prompts to measure on",
               "Give at least two, one a line.");
}

MedusaPlan usual_medusa_plan(const TrainHeads& asked, const ChatFormat& format) {
    MedusaPlan plan;
    plan.steps = asked.steps;
    plan.texts = asked.texts;
    plan.max_tokens = asked.max_tokens;
    const std::filesystem::path folder = assets_folder() / "prompts";
    plan.prompts = load_gallery(folder / "heldout.jsonl");
    for (const GalleryPrompt& prompt : load_gallery(folder / "showcase.jsonl"))
        plan.prompts.push_back(prompt);
    plan.held_out = load_gallery(folder / "gallery.jsonl");
    const auto same = [&](const GalleryPrompt& prompt) { // the showcase shares some with the gallery
        return std::ranges::any_of(plan.held_out,
                                   [&](const GalleryPrompt& held) { return held.prompt == prompt.prompt; });
    };
    std::erase_if(plan.prompts, same);
    if (asked.prompts > 0)
        for (auto* prompts : {&plan.prompts, &plan.held_out})
            prompts->resize(std::min(prompts->size(), static_cast<std::size_t>(asked.prompts)));
    for (auto* prompts : {&plan.prompts, &plan.held_out}) ask_as_text_if_needed(*prompts, format);
    return plan;
}

MedusaTraining::MedusaTraining(std::shared_ptr<const Models> models, MedusaPlan plan)
    : models_(std::move(models)) {
    check_plan(plan, *models_);
    view_.texts = static_cast<int>(plan.prompts.size()) * plan.texts + static_cast<int>(plan.held_out.size());
    view_.plan = std::move(plan);
    for (Places* places : {&trained_, &held_})
        places->labels.resize(static_cast<std::size_t>(view_.plan.heads));
}

bool MedusaTraining::step() {
    if (view_.complete) return false;
    const MedusaPlan& plan = view_.plan;
    if (view_.texts_done < view_.texts) {
        const int held = static_cast<int>(plan.held_out.size()), at = view_.texts_done;
        const Stopwatch watch;
        if (at < held)
            read_text(plan.held_out[static_cast<std::size_t>(at)], true, at);
        else
            read_text(
                plan.prompts[static_cast<std::size_t>((at - held) % static_cast<int>(plan.prompts.size()))],
                false, at - held);
        view_.text_seconds += watch.ms() / 1000;
        ++view_.texts_done;
        ++revision_;
        return true;
    }
    if (!gradient_) {
        start();
        return true;
    }
    optimise();
    if (done_ % kPointEvery == 0 || done_ == plan.steps) add_point();
    view_.complete = done_ == plan.steps;
    return true;
}

void MedusaTraining::stop() {
    if (view_.complete) return;
    if (gradient_ && (view_.curve.empty() || view_.curve.back().step != done_)) add_point();
    view_.complete = view_.cut = true;
    ++revision_;
}

// Lets the target write an answer and reads it back, from the state that the first round of a run drafts
// from.
void MedusaTraining::read_text(const GalleryPrompt& prompt, bool held, int number) {
    const MedusaPlan& plan = view_.plan;
    RunSettings settings;
    settings.prompt = prompt.prompt;
    settings.system = prompt.system;
    settings.chat = prompt.chat;
    settings.drafter = models_->why_not("small").empty() ? "small" : kNoDrafter; // changes no distribution
    settings.rule = "token";
    settings.sampling.temperature = held ? 0 : plan.temperature;
    settings.seed = plan.seed + static_cast<std::uint64_t>(number) * 1000003u;
    settings.max_tokens = plan.max_tokens;
    settings.trace_top = 0;
    settings.timing = false;
    Run run(models_, settings);
    run.finish();
    const std::vector<int>& tokens = run.sequence();
    const int prompt_size = static_cast<int>(run.trace().header()->prompt.size()),
              count = static_cast<int>(tokens.size());
    const auto decoder = make_model_decoder(models_->target, count - 1);  // the last token is never fed
    const int layers = models_->layers();
    const auto hidden = static_cast<std::size_t>(models_->target->config.hidden);
    Places& places = held ? held_ : trained_;
    places.starts.push_back(places.labels[0].size());
    std::vector<float> rows;
    decoder->prefill(
        std::span(tokens).first(static_cast<std::size_t>(count) - 1), std::array{layers},
        [&](int first, const Tensor& features) {
            rows.resize(static_cast<std::size_t>(features.rows) * hidden);
            models_->backend->download(features, rows.data());
            for (int row = 0; row < static_cast<int>(features.rows); ++row) {
                const int at = first + row; // says tokens[at + 1]; head k guesses tokens[at + 2 + k]
                if (at < prompt_size - 2 || at + 2 >= count) continue;
                const auto from =
                    rows.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * hidden);
                places.states.insert(places.states.end(), from, from + static_cast<std::ptrdiff_t>(hidden));
                for (std::size_t k = 0; k < places.labels.size(); ++k) {
                    const int next = at + 2 + static_cast<int>(k);
                    places.labels[k].push_back(next < count ? tokens[static_cast<std::size_t>(next)] : -1);
                }
            }
        });
    (held ? view_.held_states : view_.states) = static_cast<int>(places.labels[0].size());
}

void MedusaTraining::start() {
    if (trained_.labels[0].empty() || held_.labels[0].empty())
        throw Error("the target's answers are too short to train heads on",
                    "Give prompts with longer answers.", Exit::usage);
    gradient_ = std::make_unique<MedusaGradient>(models_->target, std::max(view_.plan.batch, 64));
    const auto h = static_cast<std::size_t>(models_->target->config.hidden);
    const MedusaWeights zero = {std::vector<float>(h * h, 0), std::vector<float>(h, 0)};
    heads_.assign(static_cast<std::size_t>(view_.plan.heads), zero);
    mean_ = square_ = heads_;
    if (const auto known = models_->network("medusa");
        known && known->config.shared_head && known->config.medusa_blocks == 1)
        view_.shipped = worth_of(std::min(known->medusa.size(), heads_.size()), [&](std::size_t k) {
            const auto& block = known->medusa[k].blocks[0];
            return gradient_->guesses(block.weight.view(), block.bias.view(), held_.states);
        });
    add_point();
}

void MedusaTraining::optimise() {
    const MedusaPlan& plan = view_.plan;
    const Stopwatch watch;
    const auto h = static_cast<std::size_t>(models_->target->config.hidden), all = trained_.labels[0].size();
    std::mt19937_64 dice(plan.seed + 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(done_ + 1));
    MedusaBatch batch;
    batch.labels.resize(heads_.size());
    for (int i = 0; i < plan.batch; ++i) {
        const auto at = static_cast<std::size_t>(dice() % all);
        const auto from = trained_.states.begin() + static_cast<std::ptrdiff_t>(at * h);
        batch.states.insert(batch.states.end(), from, from + static_cast<std::ptrdiff_t>(h));
        for (std::size_t k = 0; k < heads_.size(); ++k) batch.labels[k].push_back(trained_.labels[k][at]);
    }
    loss_sum_ += gradient_->loss(heads_, batch, slope_);
    ++loss_count_;
    const double rate = plan.rate * std::min(1.0, (done_ + 1) / static_cast<double>(kWarmUp)) *
                        (1 - done_ / static_cast<double>(plan.steps));
    ++done_;
    for (std::size_t k = 0; k < heads_.size(); ++k) {
        adam(heads_[k].matrix, slope_[k].matrix, mean_[k].matrix, square_[k].matrix, rate, done_);
        adam(heads_[k].bias, slope_[k].bias, mean_[k].bias, square_[k].bias, rate, done_);
    }
    seconds_ += watch.ms() / 1000;
}

void MedusaTraining::add_point() {
    MedusaPoint point;
    point.step = done_;
    point.seconds = seconds_;
    point.loss = loss_count_ > 0 ? loss_sum_ / loss_count_ : 0;
    point.worth =
        worth_of(heads_.size(), [&](std::size_t k) { return gradient_->guesses(heads_[k], held_.states); });
    view_.curve.push_back(std::move(point));
    loss_sum_ = loss_count_ = 0;
    ++revision_;
}

HeadWorth MedusaTraining::worth_of(std::size_t heads,
                                   const std::function<std::vector<int>(std::size_t)>& guesses_of) const {
    HeadWorth worth;
    const std::size_t places = held_.labels[0].size();
    std::vector<std::size_t> in_a_row(places, 0); // heads that are right, from the first one on
    for (std::size_t k = 0; k < heads; ++k) {
        const std::vector<int>& labels = held_.labels[k];
        const std::vector<int> guesses = guesses_of(k);
        int right = 0, counted = 0;
        for (std::size_t i = 0; i < places; ++i) {
            const bool hit = labels[i] >= 0 && guesses[i] == labels[i];
            counted += labels[i] >= 0;
            right += hit;
            in_a_row[i] += hit && in_a_row[i] == k;
        }
        worth.shares.push_back(counted > 0 ? static_cast<double>(right) / counted : 0);
    }
    // Through every text as a run goes: what is right is kept, the target adds a token, the next round begins
    // there.
    std::size_t tokens = 0, rounds = 0;
    for (std::size_t text = 0; text < held_.starts.size(); ++text) {
        const std::size_t end = text + 1 < held_.starts.size() ? held_.starts[text + 1] : places;
        tokens += end - held_.starts[text];
        for (std::size_t at = held_.starts[text]; at < end; at += in_a_row[at] + 1) ++rounds;
    }
    worth.tokens_per_round = static_cast<double>(tokens) / static_cast<double>(rounds);
    return worth;
}

std::shared_ptr<const DraftNetwork> MedusaTraining::network() const {
    auto network = std::make_shared<DraftNetwork>();
    const ModelConfig& target = models_->target->config;
    network->name = "heads trained here";
    network->target = models_->target;
    network->config.architecture = "MedusaModel";
    network->config.method = DraftConfig::Method::medusa;
    network->config.layer.hidden = target.hidden;
    network->config.layer.vocab = target.vocab;
    network->config.taps = {target.layers};
    network->config.medusa_heads = static_cast<int>(heads_.size());
    network->config.medusa_blocks = 1;
    network->config.shared_head = true;
    for (const MedusaWeights& weights : heads_) {
        MedusaHead head;
        head.blocks.resize(1);
        head.blocks[0].weight = models_->backend->import_weight(narrowed(weights.matrix).data(), DType::bf16, target.hidden,
                                                                target.hidden, models_->target->precision);
        std::vector<float> bias(weights.bias.size());
        std::ranges::transform(weights.bias, bias.begin(),
                               [](float value) { return widen_bf16(narrow_bf16(value)); });
        head.blocks[0].bias = models_->backend->import_weight(bias.data(), DType::f32, 1, target.hidden);
        network->bytes.all += head.blocks[0].weight.bytes() + head.blocks[0].bias.bytes();
        network->medusa.push_back(std::move(head));
    }
    network->bytes.per_token = network->bytes.all;
    return network;
}

void MedusaTraining::save(const std::filesystem::path& folder) const {
    check_heads_folder(folder);
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        throw Error("cannot make " + folder.string() + ": " + problem.message(), "Choose another folder.");
    const ModelConfig& target = models_->target->config;
    const nlohmann::ordered_json config = {{"architectures", {"MedusaModel"}},
                                           {"model_type", "medusa"},
                                           {"medusa_num_heads", heads_.size()},
                                           {"medusa_num_layers", 1},
                                           {"base_model_name_or_path", models_->target->name},
                                           {"hidden_size", target.hidden},
                                           {"vocab_size", target.vocab},
                                           {"shared_lm_head", true},
                                           {"torch_dtype", "bfloat16"},
                                           {"made_by", kMadeBy}};
    std::vector<TensorToWrite> tensors;
    const auto add = [&](const std::string& name, const std::vector<float>& values, std::vector<std::int64_t> shape) {
        tensors.push_back({name, DType::bf16, std::move(shape), [&values] {
                               const std::vector<std::uint16_t> halves = narrowed(values);
                               const auto bytes = std::as_bytes(std::span(halves));
                               return std::vector<std::byte>(bytes.begin(), bytes.end());
                           }});
    };
    for (std::size_t k = 0; k < heads_.size(); ++k) {
        const std::string prefix = "medusa_head." + std::to_string(k) + ".0.linear.";
        add(prefix + "weight", heads_[k].matrix, {target.hidden, target.hidden});
        add(prefix + "bias", heads_[k].bias, {target.hidden});
    }
    AtomicFile file(folder / "config.json");
    file.write(config.dump(2) + "\n");
    file.commit(); // first: without it the weights would be somebody else's to check_heads_folder()
    write_safetensors(folder / "model.safetensors", std::move(tensors));
}

} // namespace speclens
