#include "engine/lab/mtp_training.h"

#include <algorithm>
#include <random>

#include "engine/base/json_read.h"
#include "engine/drafters/draft_network.h"
#include "engine/model/model_parts.h"
#include "engine/models/models.h"
#include "engine/weights/safetensors_write.h"
#include "files/atomic_file.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"

namespace speclens {

MtpTraining::MtpTraining(std::shared_ptr<const Models> models, HeadPlan plan) : HeadTraining(std::move(models), std::move(plan)) {}

void MtpTraining::keep(Text&& text, bool held) {
    if (text.places() == 0 && !held) return;
    (held ? held_ : trained_).push_back({std::move(text.tokens), std::move(text.states), text.first});
}

void MtpTraining::start() {
    gradient_ = std::make_unique<MtpGradient>(models_->target, mtp_shape(models_->target->config));
    weights_ = mean_ = square_ = mtp_start(*models_->target);
    for (MtpWeights* moments : {&mean_, &square_})
        for (std::vector<float>* values : moments->all()) std::ranges::fill(*values, 0.0F);
    const auto known = models_->network("mtp");
    if (!known || known->config.state_first || known->config.zeroes_first || known->config.layer.qkv_bias) return;
    MtpGradient theirs(models_->target, known->config.layer);
    view_.shipped = worth_of(predictions_of(mtp_weights(*known), theirs));
}

double MtpTraining::optimise(int step, double rate) {
    std::mt19937_64 dice(view_.plan.seed + 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(step));
    std::vector<const MtpText*> batch;
    for (int places = 0; places < view_.plan.batch; places += batch.back()->places())
        batch.push_back(&trained_[static_cast<std::size_t>(dice() % trained_.size())]);
    const double loss = gradient_->loss(weights_, batch, view_.plan.heads, slope_);
    const auto values = weights_.all(), slopes = slope_.all(), means = mean_.all(), squares = square_.all();
    for (std::size_t i = 0; i < values.size(); ++i) adam(*values[i], *slopes[i], *means[i], *squares[i], rate, step);
    return loss;
}

HeadTraining::Predictions MtpTraining::predictions_of(const MtpWeights& weights, MtpGradient& gradient) const {
    Predictions out(static_cast<std::size_t>(view_.plan.heads));
    for (const MtpText& text : held_) {
        auto found = gradient.predictions(weights, text, view_.plan.heads);
        for (std::size_t i = 0; i < out.size(); ++i) {
            found[i].resize(static_cast<std::size_t>(text.places()), -1); // a deeper draft token reaches behind the text sooner
            out[i].insert(out[i].end(), found[i].begin(), found[i].end());
        }
    }
    return out;
}

std::shared_ptr<const DraftNetwork> MtpTraining::network() const {
    auto network = std::make_shared<DraftNetwork>();
    const ModelConfig& target = models_->target->config;
    const ModelConfig layer = mtp_shape(target);
    Backend& backend = *models_->backend;
    network->name = "head trained here";
    network->target = models_->target;
    network->config.architecture = "MTPDraftModel";
    network->config.method = DraftConfig::Method::mtp;
    network->config.layer = layer;
    network->config.taps = {target.layers};
    network->config.tensors = "mtp_layers.0.";
    network->layer.resize(1);
    LayerWeights& l = network->layer[0];
    // clang-format off
    const std::array<Buffer*, 15> buffers = {&network->fc, &network->token_norm, &network->hidden_norm, &l.input_norm, &l.wq, &l.wk, &l.wv, &l.wo,
                                             &l.q_norm, &l.k_norm, &l.post_norm, &l.gate, &l.up, &l.down, &network->norm};
    // clang-format on
    const auto tensors = mtp_tensors(layer);
    const auto values = weights_.all();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (values[i]->empty()) continue;
        const std::vector<std::int64_t>& shape = tensors[i].shape;
        if (shape.size() == 2) {
            *buffers[i] = backend.import_weight(narrowed(*values[i]).data(), DType::bf16, shape[0], shape[1], models_->target->precision);
        } else {
            std::vector<float> rounded(values[i]->size());
            std::ranges::transform(*values[i], rounded.begin(), [](float value) { return widen_bf16(narrow_bf16(value)); });
            *buffers[i] = backend.import_weight(rounded.data(), DType::f32, 1, shape[0]);
        }
        network->bytes.all += buffers[i]->bytes();
    }
    network->bytes.per_token = network->bytes.all;
    network->cos_sin = make_cos_sin(backend, layer);
    network->bytes.add_table(network->cos_sin.bytes());
    return network;
}

void MtpTraining::write_files(const std::filesystem::path& folder) const {
    const ModelConfig& target = models_->target->config;
    const OrderedJson config = {{"architectures", {"MTPDraftModel"}},
                                {"model_type", target.qk_norm ? "qwen3" : "llama"},
                                {"hidden_size", target.hidden},
                                {"intermediate_size", target.ffn},
                                {"num_hidden_layers", 1},
                                {"num_attention_heads", target.heads},
                                {"num_key_value_heads", target.kv_heads},
                                {"head_dim", target.head_dim},
                                {"vocab_size", target.vocab},
                                {"max_position_embeddings", target.max_positions},
                                {"rms_norm_eps", target.rms_eps},
                                {"rope_theta", target.rope_theta},
                                {"hidden_act", "silu"},
                                {"torch_dtype", "bfloat16"},
                                {"made_by", kMadeBy}};
    std::vector<TensorToWrite> tensors;
    const auto names = mtp_tensors(mtp_shape(target));
    const auto values = weights_.all();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!values[i]->empty())
            tensors.push_back({"mtp_layers.0." + std::string(names[i].name) + ".weight", DType::bf16, names[i].shape, [from = values[i]] {
                                   const std::vector<std::uint16_t> halves = narrowed(*from);
                                   const auto bytes = std::as_bytes(std::span(halves));
                                   return std::vector<std::byte>(bytes.begin(), bytes.end());
                               }});
    AtomicFile file(folder / "config.json");
    file.write(config.dump(2) + "\n");
    file.commit(); // first: without it the weights would be somebody else's to check_heads_folder()
    write_safetensors(folder / "model.safetensors", std::move(tensors));
}

} // namespace speclens
