// Loading a Hugging Face folder: config, tokenizer, weights. All shapes are compared before the first byte is
// imported, so that a wrong folder fails in milliseconds and not after a gigabyte.
#include "engine/model/model.h"

#include "engine/base/json_read.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/model/weight_files.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/safetensors.h"

namespace speclens {
namespace {

// Tensors of an export that carry nothing the engine needs.
bool ignorable(std::string_view name, const ModelConfig& config) {
    return name.ends_with(".inv_freq") || name == "t2d" || (config.tied && name == "lm_head.weight");
}

// A tied config leaves lm_head.weight out. Where the file has one that is no copy of the embedding, that is
// worth a word; some rows tell, for the whole of it is as large as a small model.
std::string unused_head(const Safetensors& file, const ModelConfig& config) {
    constexpr std::size_t kRows = 64;
    const StoredTensor* head = file.find("lm_head.weight");
    const StoredTensor* embedding = file.find("model.embed_tokens.weight");
    if (embedding == nullptr) embedding = file.find("embed_tokens.weight");
    if (!config.tied || head == nullptr || embedding == nullptr) return "";
    const auto vocab = static_cast<std::size_t>(config.vocab), row = head->bytes / vocab;
    bool same = head->dtype == embedding->dtype && head->shape == embedding->shape;
    std::vector<std::byte> a(row), b(row);
    for (std::size_t i = 0; same && i < std::min(kRows, vocab); ++i) {
        const std::size_t first = i * (vocab / std::min(kRows, vocab)) * row;
        file.read(*head, first, a);
        file.read(*embedding, first, b);
        same = a == b;
    }
    return same ? ""
                : file.file_name(*head) + ": lm_head.weight is not used although it differs from the "
                                          "embedding, because config.json "
                                          "ties the two (tie_word_embeddings; transformers 5 would use it)";
}

} // namespace

std::shared_ptr<const Model> Model::load(Backend& backend, const std::filesystem::path& folder,
                                         const Progress& progress) {
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure))
        throw wrong_path(
            folder, "a folder",
            "Give a Hugging Face folder with config.json, model.safetensors and tokenizer.json.");
    auto model = std::make_shared<Model>();
    model->backend = &backend;
    model->name = std::filesystem::weakly_canonical(folder, failure).filename().string();
    model->config = read_config(folder);
    check_cancelled(progress);
    if (std::filesystem::exists(folder / "tokenizer.json", failure))
        model->tokenizer = Tokenizer::load(folder / "tokenizer.json");
    if (model->tokenizer && model->tokenizer->size() > model->config.vocab)
        throw Error(short_name(folder / "tokenizer.json") + ": has " +
                        std::to_string(model->tokenizer->size()) + " ids, config.json only " +
                        std::to_string(model->config.vocab) + " (vocab_size)",
                    "The files are from different models: download the folder again.");

    const Safetensors file = Safetensors::open_folder(folder);
    const StoredWeights weights(file, model_slots(*model),
                                [&](std::string_view name) { return ignorable(name, model->config); });
    check_memory(model->name, loading_memory(model->config, backend, weights.bytes_on_device()),
                 backend.free_memory());
    weights.import_into(backend, model->name, progress, model->bytes);
    model->cos_sin = make_cos_sin(backend, model->config);
    model->bytes.add_table(model->cos_sin.bytes());
    backend.sync();
    model->notice = unused_head(file, model->config);
    return model;
}

} // namespace speclens
