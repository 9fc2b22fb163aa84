#include "engine/lab/medusa_training.h"

#include <algorithm>
#include <random>

#include "engine/base/json_read.h"
#include "engine/drafters/draft_network.h"
#include "engine/models/models.h"
#include "engine/weights/safetensors_write.h"
#include "files/atomic_file.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"

namespace speclens {

MedusaTraining::MedusaTraining(std::shared_ptr<const Models> models, HeadPlan plan) : HeadTraining(std::move(models), std::move(plan)) {
    trained_.labels.resize(static_cast<std::size_t>(view_.plan.heads));
}

void MedusaTraining::keep(Text&& text, bool held) {
    const auto from = text.states.begin() + std::ptrdiff_t{text.first} * models_->target->config.hidden;
    std::vector<float>& states = held ? held_states_ : trained_.states;
    states.insert(states.end(), from, from + std::ptrdiff_t{text.places()} * models_->target->config.hidden);
    if (held) return;
    for (int place = 0; place < text.places(); ++place)
        for (std::size_t k = 0; k < trained_.labels.size(); ++k) {
            const std::size_t next = static_cast<std::size_t>(text.first + place) + 2 + k;
            trained_.labels[k].push_back(next < text.tokens.size() ? text.tokens[next] : -1);
        }
}

void MedusaTraining::start() {
    gradient_ = std::make_unique<MedusaGradient>(models_->target, std::max(view_.plan.batch, 64));
    const auto h = static_cast<std::size_t>(models_->target->config.hidden);
    const MedusaWeights zero = {std::vector<float>(h * h, 0), std::vector<float>(h, 0)};
    heads_.assign(static_cast<std::size_t>(view_.plan.heads), zero);
    mean_ = square_ = heads_;
    if (const auto known = models_->network("medusa"); known && known->config.shared_head && known->config.medusa_blocks == 1) {
        Predictions loaded;
        for (std::size_t k = 0; k < std::min(known->medusa.size(), heads_.size()); ++k) {
            const auto& block = known->medusa[k].blocks[0];
            loaded.push_back(gradient_->predictions(block.weight.view(), block.bias.view(), held_states_));
        }
        view_.shipped = worth_of(loaded);
    }
}

double MedusaTraining::optimise(int step, double rate) {
    const auto h = static_cast<std::size_t>(models_->target->config.hidden), all = trained_.labels[0].size();
    std::mt19937_64 dice(view_.plan.seed + 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(step));
    MedusaBatch batch;
    batch.labels.resize(heads_.size());
    for (int i = 0; i < view_.plan.batch; ++i) {
        const auto at = static_cast<std::size_t>(dice() % all);
        const auto from = trained_.states.begin() + static_cast<std::ptrdiff_t>(at * h);
        batch.states.insert(batch.states.end(), from, from + static_cast<std::ptrdiff_t>(h));
        for (std::size_t k = 0; k < heads_.size(); ++k) batch.labels[k].push_back(trained_.labels[k][at]);
    }
    const double loss = gradient_->loss(heads_, batch, slope_);
    for (std::size_t k = 0; k < heads_.size(); ++k) {
        adam(heads_[k].matrix, slope_[k].matrix, mean_[k].matrix, square_[k].matrix, rate, step);
        adam(heads_[k].bias, slope_[k].bias, mean_[k].bias, square_[k].bias, rate, step);
    }
    return loss;
}

HeadTraining::Predictions MedusaTraining::predictions() {
    Predictions out;
    for (const MedusaWeights& head : heads_) out.push_back(gradient_->predictions(head, held_states_));
    return out;
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
        head.blocks[0].weight = models_->backend->import_weight(narrowed(weights.matrix).data(), DType::bf16, target.hidden, target.hidden,
                                                                models_->target->precision);
        std::vector<float> bias(weights.bias.size());
        std::ranges::transform(weights.bias, bias.begin(), [](float value) { return widen_bf16(narrow_bf16(value)); });
        head.blocks[0].bias = models_->backend->import_weight(bias.data(), DType::f32, 1, target.hidden);
        network->bytes.all += head.blocks[0].weight.bytes() + head.blocks[0].bias.bytes();
        network->medusa.push_back(std::move(head));
    }
    network->bytes.per_token = network->bytes.all;
    return network;
}

void MedusaTraining::write_files(const std::filesystem::path& folder) const {
    const ModelConfig& target = models_->target->config;
    const OrderedJson config = {{"architectures", {"MedusaModel"}},
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
