// Loading a Hugging Face folder or a GGUF file: config, tokenizer, weights. All shapes are compared before the first byte is
// imported, so that a wrong folder fails in milliseconds and not after a gigabyte.
#include "engine/model/model.h"

#include <future>
#include <map>

#include "engine/base/display_name.h"
#include "engine/base/json_read.h"
#include "engine/base/threads.h"
#include "engine/model/gguf_model.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/model/prompt_cache.h"
#include "engine/model/weight_files.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/safetensors.h"

namespace speclens {
namespace {

// Tensors of an export that carry nothing the engine needs.
bool ignorable(std::string_view name, const ModelConfig& config) {
    return name.ends_with(".inv_freq") || name == "t2d" || (config.tied && name == "lm_head.weight") || is_mtp_tensor(name, config);
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

void join(std::string& notice, const std::string& more) {
    if (!more.empty()) notice += (notice.empty() ? "" : "\n") + more;
}

// In which form a matrix of this stored type is wanted.
DType form_of(const StoredTensor& tensor, WeightForm form, const Backend& backend, bool narrow_floats) {
    const std::int64_t cols = tensor.shape.back();
    if (form == WeightForm::q8 && backend.keeps(DType::q8_0, cols)) return DType::q8_0;
    if (is_quantised(tensor.dtype)) return form != WeightForm::bf16 && backend.keeps(tensor.dtype, cols) ? tensor.dtype : DType::bf16;
    const bool wide = tensor.dtype == DType::f32 || tensor.dtype == DType::f16;
    return wide && narrow_floats ? DType::bf16 : tensor.dtype;
}

// The type of most bytes.
std::string main_type(const TensorFiles& file) {
    std::map<std::string, std::size_t> bytes;
    for (const auto& [name, tensor] : file.tensors()) bytes[name_of(tensor.dtype)] += tensor.bytes;
    return bytes.empty() ? "" : std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; })->first;
}

void check_vocabulary(const Model& model, const std::string& vocabulary, const std::string& weights) {
    if (model.tokenizer && model.tokenizer->size() > model.config.vocab)
        throw Error(vocabulary + ": has " + std::to_string(model.tokenizer->size()) + " ids, " + weights + " only " +
                        std::to_string(model.config.vocab),
                    "The files are from different models: download the folder again.");
}

// The rotary table, which takes as long as some of the weights: made beside the vocabulary.
using Angles = std::shared_future<std::vector<float>>;
Angles angles_of(const ModelConfig& config, const Progress& progress) {
    return std::async(beside(), [config, progress] { return cos_sin_table(config, progress); }).share();
}

// What both kinds of files end with: everything is compared, and the weights and the table are left to be brought to the backend.
Model::Weights weights_of(std::shared_ptr<Model> model, const std::shared_ptr<const TensorFiles>& source,
                          const std::shared_ptr<const TensorFiles>& form, const std::function<bool(std::string_view)>& ignored,
                          Angles angles) {
    model->stored_as = main_type(*source);
    if (const std::string kept = main_type(*form); kept != model->stored_as) model->kept_as = kept;
    join(model->notice, model->config.notice);
    auto weights = std::make_shared<const StoredWeights>(*form, model_slots(*model), ignored);
    return [model = std::move(model), source, form, weights, angles = std::move(angles)](const Progress& progress) {
        Backend& backend = *model->backend;
        check_memory(model->name, loading_memory(model->config, backend, weights->bytes_on_device()), backend.free_memory());
        weights->import_into(backend, model->name, progress, model->bytes, model->precision);
        model->cos_sin = Buffer(backend, DType::f32, model->config.context(), model->config.head_dim);
        backend.upload(model->cos_sin.view(), angles.get().data());
        model->bytes.add_table(model->cos_sin.bytes());
        backend.sync();
        return std::shared_ptr<const Model>(model);
    };
}

Model::Weights open_gguf(const std::shared_ptr<Model>& opened, const std::filesystem::path& path, WeightForm form, const Progress& progress,
                         const IgnoredKeys& ignored) {
    Model& model = *opened;
    const auto file = std::make_shared<Gguf>(Gguf::open(path, progress));
    const std::vector<std::string> taken = take_ignored(*file, ignored);
    const auto said = [&](const char* key) {
        const auto* text = std::get_if<std::string>(file->value(key));
        return text ? *text : std::string();
    };
    model.name = display_name(path, said("general.name"), said("general.basename"));
    model.config = gguf_config(*file);
    model.config.ignored = taken;
    join(model.config.notice, ignored_notice(file->name(), taken));
    Angles angles = angles_of(model.config, progress);
    const VocabularyTable table = take_gguf_vocabulary(*file);
    model.tokenizer = Tokenizer::of_table(table, file->name(), progress);
    check_vocabulary(model, file->name(), "its embedding");
    const auto spelled = [&](int id) { return id >= 0 ? std::optional(model.tokenizer->bytes_of(id)) : std::nullopt; };
    model.chat =
        chat_format_of(file->text("tokenizer.chat_template"), file->name(), *model.tokenizer, spelled(table.bos), spelled(table.eos));
    const bool narrow = form == WeightForm::by_default || form == WeightForm::bf16;
    const auto rows = std::make_shared<const RowTensors>(*file, gguf_tensors(*file, model.config, [&](const StoredTensor& tensor) {
        return form_of(tensor, form, *model.backend, narrow);
    }));
    return weights_of(
        opened, file, rows, [](std::string_view) { return false; }, std::move(angles));
}

Model::Weights open_folder(const std::shared_ptr<Model>& opened, const std::filesystem::path& folder, WeightForm form,
                           const Progress& progress, const IgnoredKeys& ignored) {
    Model& model = *opened;
    std::error_code failure;
    model.config = read_config(folder, ignored);
    Angles angles = angles_of(model.config, progress);
    if (std::filesystem::exists(folder / "tokenizer.json", failure)) model.tokenizer = Tokenizer::load(folder / "tokenizer.json", progress);
    if (model.tokenizer) model.chat = read_chat_format(folder, *model.tokenizer);
    check_vocabulary(model, short_name(folder / "tokenizer.json"), "config.json (vocab_size)");
    const auto file = std::make_shared<const Safetensors>(Safetensors::open_folder(folder));
    std::shared_ptr<const TensorFiles> rows = file;
    if (form == WeightForm::bf16 || form == WeightForm::q8) {
        std::map<std::string, RowTensors::Source> sources;
        for (const auto& [name, tensor] : file->tensors())
            sources.emplace(
                name, RowTensors::Source{name, tensor.shape.size() == 2 ? form_of(tensor, form, *model.backend, true) : tensor.dtype});
        rows = std::make_shared<const RowTensors>(*file, std::move(sources));
    }
    Model::Weights weights = weights_of(
        opened, file, rows, [&](std::string_view name) { return ignorable(name, model.config); }, std::move(angles));
    join(model.notice, unused_head(*file, model.config));
    join(model.notice, mtp_notice(*file, model.config));
    return weights;
}

} // namespace

std::filesystem::path gguf_file(const std::filesystem::path& path) {
    std::error_code failure;
    if (!std::filesystem::is_directory(path, failure)) return looks_like_gguf(path) ? path : std::filesystem::path();
    if (std::filesystem::exists(path / "config.json", failure)) return {};
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path, failure)) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".gguf") || name.starts_with("mmproj")) continue;
        const std::size_t part = name.find("-of-");
        const bool later = part != std::string::npos && part >= 6 && name.substr(part - 6, 6) != "-00001";
        if (!later) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    if (files.size() > 1)
        throw Error(path.filename().string() + " holds " + std::to_string(files.size()) + " GGUF files",
                    "Name one of them, for example " + files.front().filename().string() + ".", Exit::usage);
    return files.empty() ? std::filesystem::path() : files.front();
}

std::vector<DType> Model::forms() const {
    std::map<DType, std::size_t> sizes;
    const auto count = [&](const Tensor& matrix) { sizes[matrix.dtype] += matrix.bytes(); };
    count(head());
    for (const LayerWeights& l : layer)
        for (const Buffer* matrix : {&l.wq, &l.wk, &l.wv, &l.wo, &l.gate, &l.up, &l.down}) count(matrix->view());
    std::vector<DType> forms;
    for (const auto& [form, size] : sizes) forms.push_back(form);
    std::ranges::stable_sort(forms, std::ranges::greater(), [&](DType form) { return sizes[form]; });
    return forms;
}

void Model::forget_prompts() const { prompts->clear(); }

Model::Weights Model::open(Backend& backend, const std::filesystem::path& path, const Progress& progress, WeightForm form,
                           Precision precision, const IgnoredKeys& ignored) {
    std::error_code failure;
    auto model = std::make_shared<Model>();
    model->prompts = std::make_shared<PromptCache>();
    model->backend = &backend;
    model->precision = precision;
    if (const std::filesystem::path file = gguf_file(path); !file.empty()) return open_gguf(model, file, form, progress, ignored);
    if (!std::filesystem::is_directory(path, failure))
        throw wrong_path(path, "a folder or a GGUF file",
                         "Give a Hugging Face folder with config.json, model.safetensors and tokenizer.json, or a .gguf file.");
    model->name = display_name(path);
    return open_folder(model, path, form, progress, ignored);
}

std::shared_ptr<const Model> Model::load(Backend& backend, const std::filesystem::path& path, const Progress& progress, WeightForm form,
                                         Precision precision, const IgnoredKeys& ignored) {
    return open(backend, path, progress, form, precision, ignored)(progress);
}

} // namespace speclens
