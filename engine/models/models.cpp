#include "engine/models/models.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>

#include "engine/base/clock.h"
#include "engine/base/fnv.h"
#include "engine/base/json_read.h"
#include "engine/base/threads.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/fingerprint.h"
#include "engine/model/model_parts.h"
#include "engine/model/precision.h"
#include "engine/model/scorer.h"
#include "engine/model/table_json.h"
#include "engine/models/shipped_heads.h"
#include "engine/text/id_list.h"
#include "engine/text/vocabulary_map.h"
#include "engine/weights/safetensors.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"
#include "kernels/error.h"
#include "kernels/process_memory.h"

namespace speclens {
namespace fs = std::filesystem;

namespace {

const char* const kNoList =
    "Count one from texts like those that will be written: speclens frequent TEXT… --model FILE -o list.ids, then --small-ids "
    "list.ids.";

constexpr const char* kDraftModel = "small"; // in Models::shipped

std::string text_in(const Tokenizer* tokenizer, const TableModel* table, int id) {
    if (tokenizer) return tokenizer->bytes_of(id);
    if (table && id >= 0 && id < static_cast<int>(table->texts.size())) return table->texts[static_cast<std::size_t>(id)];
    return "<" + std::to_string(id) + ">";
}

} // namespace

std::string Models::target_name() const {
    std::string name = !bundle.empty() ? bundle : target ? target->name : target_table ? target_table->name : scorer ? scorer->name() : "";
    std::string keys;
    for (const std::string& key : ignored) keys += (keys.empty() ? " (ignoring " : ", ") + key;
    return name + keys + (keys.empty() ? "" : ")");
}
std::string Models::draft_name() const { return draft ? draft->name : draft_table ? draft_table->name : ""; }
std::string Models::weights() const {
    if (!bundle.empty() || !target) return "";
    return target->kept_as.empty() ? target->stored_as : target->kept_as + ", from " + target->stored_as;
}
int Models::kept_kernels() const {
    return target && target->precision == Precision::bf16 && std::ranges::any_of(target->forms(), is_quantised) ? kKeptKernels : 0;
}
Precision Models::precision() const { return target ? target->precision : draft ? draft->precision : Precision::f32; }
int Models::layers() const { return target ? target->config.layers : 0; }
int Models::holds() const { return target ? target->config.context() : scorer ? scorer->capacity() : 4096; }

int Models::vocab() const {
    return target ? target->config.vocab : target_table ? target_table->vocab : scorer ? scorer->vocabulary().size : 0;
}

const std::vector<int>& Models::stops() const {
    static const std::vector<int> kNone;
    return target ? target->config.stops : target_table ? target_table->stops : scorer ? scorer->vocabulary().stops : kNone;
}

std::string Models::text_of(int id) const { return text_in(tokenizer.get(), target_table.get(), id); }

std::function<std::string(int)> Models::texts() const {
    return [words = tokenizer, table = target_table](int id) { return text_in(words.get(), table.get(), id); };
}

ToldReason Models::why_not(const std::string& name) const {
    constexpr SaidOf<"shared"> said;
    const DrafterInfo* info = find_drafter(name);
    if (!info) return "there is no drafter \"" + name + "\"";
    if (info->chained()) {
        ToldReason first = why_not(info->first->name);
        return first.empty() ? why_not(info->second->name) : first;
    }
    if (scorer && info->needs_network())
        return {"a server does not tell the hidden states that this head reads", said("why_not.server_states"_t)};
    if (scorer && info->needs_layers) return {"a server does not let its layers be skipped", said("why_not.server_layers"_t)};
    if (scorer && info->tree) return {"a server is asked about one chain of guesses at a time", said("why_not.server_tree"_t)};
    if (layers() == 0 && info->needs_network())
        return {"a table has no hidden states, which this head reads", said("why_not.table_states"_t)};
    if (info->needs_layers && layers() == 0) return {"a table has no layers to skip", said("why_not.table_layers"_t)};
    if (info->needs_network()) {
        if (network(name)) return {};
        const std::string head = network_of(name);
        return {"no " + head + " head is loaded (give one with --drafter " + name + "=DIR)",
                said("why_not.no_head"_t, "head"_v = head, "drafter"_v = name)};
    }
    if (!info->needs_draft_model()) return "";
    if (vocabularies && info->translates) return "";
    if (!draft && !draft_table)
        return {"no draft model is loaded (give one with --drafter " + name + "=DIR)", said("why_not.no_draft"_t, "drafter"_v = name)};
    return vocabulary_problem;
}

std::shared_ptr<const DraftNetwork> Models::network(const std::string& drafter) const {
    const auto found = networks.find(network_of(drafter));
    return found == networks.end() ? nullptr : found->second;
}

bool Models::drafts_as_shipped(const std::string& drafter) const {
    const DrafterInfo* info = find_drafter(drafter);
    if (!info) return true;
    if (info->chained()) return drafts_as_shipped(info->first->name) && drafts_as_shipped(info->second->name);
    if (info->needs_network()) return shipped.contains(network_of(drafter));
    return !info->needs_draft_model() || draft_table || shipped.contains(kDraftModel);
}

std::string Models::drafter_fingerprint(const std::string& drafter) const {
    const DrafterInfo* info = find_drafter(drafter);
    if (info && info->chained()) {
        const std::string first = drafter_fingerprint(info->first->name), second = drafter_fingerprint(info->second->name);
        return first + (first.empty() || second.empty() ? "" : "+") + second;
    }
    const auto found = fingerprints.find(info && info->needs_network() ? network_of(drafter) : kDraftModel);
    return info && found != fingerprints.end() && (info->needs_network() || info->needs_draft_model()) ? found->second : "";
}

std::shared_ptr<const FrequentIds> Models::ids_for(const DrafterOptions& options) const {
    if (options.small_ids == 0 || target_table) return frequent; // a table has no matrix to cut, as its decoder says
    if (small_ids) return small_ids;
    throw Error("--small-ids: no list says which ids are frequent in the vocabulary of " + target_name(), kNoList, Exit::usage);
}

std::vector<std::string> Models::ready_drafters() const {
    std::vector<std::string> ready;
    for (const DrafterInfo& info : drafter_list())
        if (why_not(info.name).empty()) ready.push_back(info.name);
    return ready;
}

// Beside the program (a build folder has a link to those of the source), in the folder above it, or where a package puts
// them. No path of the machine that built it: a copy that was installed never looks into somebody's source folder.
fs::path assets_folder() {
    if (const char* set = std::getenv("SPECLENS_ASSETS"); set && *set) return set;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored), here = program.parent_path(), above = here.parent_path();
    for (const fs::path& candidate : {here / "assets", above / "assets", above / "share" / "speclens"})
        if (!program.empty() && fs::exists(candidate / "models", ignored)) return fs::canonical(candidate, ignored);
    return above / "share" / "speclens";
}

namespace {

// "bundle S": which of the shipped bundles this is, by the record of how it was made.
std::string bundle_name(const fs::path& manifest) {
    std::error_code ignored;
    if (!fs::exists(manifest, ignored)) return "bundle";
    const Json record = parse_json_object(read_text_file(manifest, 1 << 20), short_name(manifest), "Restore it from the repository.");
    const auto name = record.find("bundle");
    return name != record.end() && name->is_string() ? "bundle " + name->get<std::string>() : "bundle";
}

std::string difference(const Model& target, const Model& draft) {
    if (target.tokenizer && draft.tokenizer) return vocabulary_difference(*target.tokenizer, *draft.tokenizer);
    if (target.config.vocab != draft.config.vocab)
        return "the target has " + std::to_string(target.config.vocab) + " tokens and the draft " + std::to_string(draft.config.vocab) +
               ", and no tokenizers to compare";
    return "";
}

// Fewer common tokens than this are no vocabulary to draft from.
constexpr int kFewestCommon = 100;

// What a draft with other tokens can be read by; null: there are too few, or no tokenizers.
std::shared_ptr<const VocabularyMap> common_tokens(const Model& target, const Model& draft) {
    if (!target.tokenizer || !draft.tokenizer) return nullptr;
    auto map = std::make_shared<VocabularyMap>(target.tokenizer, target.config.stops, target.config.vocab, draft.tokenizer,
                                               draft.config.stops, draft.config.vocab);
    return map->common() >= kFewestCommon ? map : nullptr;
}

const char* const kInt8Remedy =
    "Choose --weights keep for a GGUF file with quantised matrices or --weights q8 for any other, or another --precision.";

// Before `file` is read, where it is known already that its matrices will not be quantised.
void check_int8(const fs::path& file, WeightForm form, Precision precision) {
    if (precision != Precision::int8 || form == WeightForm::keep || form == WeightForm::q8) return;
    if (form == WeightForm::by_default && !gguf_file(file).empty()) return;
    throw Error("8-bit products need quantised matrices, and this model's are loaded as bf16 or f32", kInt8Remedy, Exit::usage);
}

void check_int8(const Model& target) {
    if (target.precision == Precision::int8 && std::ranges::none_of(target.forms(), is_quantised))
        throw Error("8-bit products need quantised matrices, and " + target.name + " has none: they are " + name_of(target.forms().front()),
                    kInt8Remedy, Exit::usage);
}

// A head reads the states of the model that it was trained on: those of another one of the same shape say something else.
// Which head this is, whatever its folder is called: its shape and its small vectors, as engine/model/fingerprint.h does it.
std::string fingerprint_of(const DraftNetwork& head) {
    Fnv hash;
    hash.add(name_of(head.config.method));
    hash.add(static_cast<std::uint64_t>(head.bytes.stored()));
    std::vector<float> values;
    const auto add = [&](const Buffer& vector) {
        if (vector.empty()) return;
        values.resize(static_cast<std::size_t>(vector.view().size()));
        head.backend().download(vector.view(), values.data());
        for (const float value : values) hash.add(std::isnan(value) ? -1 : int{narrow_bf16(value)});
    };
    for (const Buffer* vector : {&head.norm, &head.hidden_norm, &head.token_norm, &head.mask, &head.confidence_bias, &head.input_norm})
        add(*vector);
    for (const Buffer& norm : head.fc_norm) add(norm);
    for (const LayerWeights& layer : head.layer) add(layer.input_norm), add(layer.post_norm);
    for (const MedusaHead& medusa : head.medusa)
        for (const MedusaHead::Block& block : medusa.blocks) add(block.bias);
    return hash.hex();
}

void check_fingerprint(const fs::path& head, const Models& models) {
    if (!gguf_file(head).empty()) return; // says nothing of the kind
    const std::string said = trained_on(head);
    if (said.empty()) return;
    const std::string here = models.fingerprint.empty() ? fingerprint(*models.target) : models.fingerprint;
    if (said == here) return;
    throw Error(short_name(head / "config.json") + ": the head was trained on another model than " + models.target_name() + ": " +
                    kTrainedOn + " is " + said + ", this model's is " + here,
                "Give that model with --model. Only the shape is equal: with --force-heads it runs, and its guesses will mostly be wrong.",
                Exit::usage);
}

// The MTP head that stands in the target's own checkpoint; null: there is none, or one whose layout is not known, which the target's
// notice names.
std::shared_ptr<const DraftNetwork> own_mtp_head(const Models& models, const fs::path& folder, const Progress& progress,
                                                 const IgnoredKeys& ignored) {
    std::error_code failure;
    if (!fs::is_regular_file(folder / "config.json", failure)) return nullptr;
    try {
        const Safetensors file = Safetensors::open_folder(folder);
        const auto is_head = [&](const auto& tensor) { return is_mtp_tensor(tensor.first, models.target->config); };
        if (std::ranges::none_of(file.tensors(), is_head)) return nullptr;
        return DraftNetwork::load(models.target, folder, progress, ignored);
    } catch (const Error&) {
        return nullptr;
    }
}

// What the model's chat template puts around turns, and the ends of texts.
std::vector<int> always_ranked(const Models& models) {
    std::vector<int> ids = models.stops();
    const ChatFormat& chat = models.chat;
    if (!chat.problem.empty()) return ids;
    for (const std::string& mark : {chat.begin, chat.system.before, chat.system.after, chat.user.before, chat.user.after,
                                    chat.assistant.before, chat.assistant.after, chat.opening}) {
        const std::vector<int> more = models.tokenizer->encode(mark);
        ids.insert(ids.end(), more.begin(), more.end());
    }
    return ids;
}

// By the list that was given, or the one in or beside `folder`, or a shipped one; null: there is none.
std::shared_ptr<const FrequentIds> listed_ids(const Models& models, const fs::path& given, const fs::path& folder) {
    if (!models.tokenizer) {
        if (given.empty()) return nullptr;
        throw Error("--small-ids " + given.string() + ": these models have no tokenizer", "Leave it out.", Exit::usage);
    }
    fs::path file = given;
    if (file.empty()) file = FrequentIds::file_of(folder);
    if (file.empty()) file = find_id_list(assets_folder() / "frequent", *models.tokenizer);
    if (file.empty()) return nullptr;
    const IdList list = read_id_list(file, models.vocab(), kIdListRemedy);
    check_vocabulary(list, *models.tokenizer);
    return std::make_shared<FrequentIds>(models.vocab(), always_ranked(models), list);
}

// The target is a server: what is loaded here is a draft model, or a tokenizer alone.
void load_around_scorer(const ModelPaths& paths, const Progress& progress, Models& models) {
    fs::path draft = paths.draft;
    if (draft.empty() && paths.tokenizer.empty()) draft = assets_folder() / "models" / "small";
    Vocabulary vocabulary;
    if (!draft.empty()) {
        const Precision by_default = paths.draft.empty() ? Precision::f32 : default_precision(*models.backend);
        const Precision precision = paths.precision.value_or(by_default);
        const WeightForm form = paths.draft.empty() ? WeightForm::by_default : paths.weights;
        check_int8(draft, form, precision);
        models.draft = Model::load(*models.backend, draft, progress, form, precision, paths.ignore_config);
        check_int8(*models.draft);
        vocabulary = {models.draft->tokenizer, models.draft->config.vocab, models.draft->config.stops};
    }
    if (!paths.tokenizer.empty()) {
        const ModelConfig config = read_config(paths.tokenizer, paths.ignore_config);
        vocabulary = {Tokenizer::load(paths.tokenizer / "tokenizer.json", progress), config.vocab, config.stops};
        if (models.draft && models.draft->tokenizer)
            models.vocabulary_problem = vocabulary_difference(*vocabulary.tokenizer, *models.draft->tokenizer);
    }
    if (!vocabulary.tokenizer)
        throw Error(short_name(draft) + " has no tokenizer.json, and a server is sent token ids",
                    "Give a folder that has the server's tokenizer.json and config.json: --tokenizer DIR.");
    models.tokenizer = vocabulary.tokenizer;
    models.chat = paths.tokenizer.empty() ? models.draft->chat : read_chat_format(paths.tokenizer, *models.tokenizer);
    models.scorer = paths.scorer(vocabulary, progress);
    models.small_ids = listed_ids(models, paths.small_ids, draft.empty() ? paths.tokenizer : draft);
}

} // namespace

namespace {

// Throws Error where the folder has a head for another drafter.
std::shared_ptr<const DraftNetwork> head_for(const std::string& drafter, const fs::path& folder, const Models& models,
                                             const Progress& progress, const IgnoredKeys& ignored = {}) {
    auto network = DraftNetwork::load(models.target, folder, progress, ignored);
    std::error_code failure;
    const bool file = fs::is_regular_file(folder, failure);
    if (const std::string method = name_of(network->config.method); method != drafter)
        throw Error((file ? short_name(folder) : short_name(folder / "config.json")) + ": is " + (method[0] == 'e' ? "an " : "a ") +
                        method + " head, not one for the drafter " + drafter,
                    "Use --drafter " + method + (file ? "=FILE.gguf." : "=DIR."), Exit::usage);
    return network;
}

Models loaded_models(const ModelPaths& paths, const Progress& progress) {
    Models models;
    models.backend = make_backend(paths.backend, {.threads = paths.threads});
    if (paths.scorer) {
        load_around_scorer(paths, progress, models);
        return models;
    }
    fs::path target = paths.target;
    fs::path draft = paths.draft;
    std::error_code failure; // what cannot be looked at counts as missing
    if (target.empty()) {
        models.bundle = bundle_name(assets_folder() / "models" / "MANIFEST.json");
        target = assets_folder() / "models" / "target";
        if (!fs::exists(target, failure))
            throw Error("the model bundle is missing: " + target.string() + " does not exist",
                        "Set SPECLENS_ASSETS to the assets folder, or load a checkpoint with --model DIR.");
    }
    if (target.extension() == ".json" && !fs::is_directory(target, failure)) {
        TablePair tables = load_table(target);
        models.target_table = tables.target;
        models.draft_table = tables.draft;
        return models;
    }
    if (!fs::is_directory(target, failure) && gguf_file(target).empty())
        throw wrong_path(target, "a folder or a GGUF file",
                         "Give a Hugging Face checkpoint folder (config.json, model.safetensors, tokenizer.json), a .gguf file or a "
                         "table .json.");
    const WeightForm form = models.bundle.empty() ? paths.weights : WeightForm::by_default;
    const bool built_in = !models.bundle.empty();
    const Precision precision = paths.precision.value_or(built_in ? Precision::f32 : default_precision(*models.backend));
    if (built_in && precision == Precision::int8)
        throw Error("8-bit products need quantised matrices, and the built-in model has none",
                    "Choose --precision bf16, or a quantised GGUF file with --model FILE.gguf.", Exit::usage);
    check_int8(target, form, precision);
    const auto open_draft = [&] { return Model::open(*models.backend, draft, progress, form, precision, paths.ignore_config); };
    std::future<Model::Weights> beside_target; // its vocabulary takes as long as a good part of its weights
    if (!draft.empty()) beside_target = std::async(beside(), open_draft);
    models.target = Model::load(*models.backend, target, progress, form, precision, paths.ignore_config);
    check_int8(*models.target);
    if (models.bundle.empty()) models.fingerprint = fingerprint(*models.target);
    models.tokenizer = models.target->tokenizer;
    models.chat = models.target->chat;
    models.frequent = FrequentIds::read(target, models.target->config.vocab, models.target->config.stops);
    models.small_ids = listed_ids(models, paths.small_ids, target);
    const ShippedHeads shipped =
        built_in ? heads_in(assets_folder() / "models") : shipped_heads(assets_folder() / "models", models.fingerprint);
    const auto is = [](const fs::path& given, const fs::path& ours) { // or nothing was given
        std::error_code missing;
        return !ours.empty() && (given.empty() || fs::equivalent(given, ours, missing));
    };
    if (is(draft, shipped.draft)) models.shipped.insert(kDraftModel);
    if (draft.empty()) draft = shipped.draft;
    if (!draft.empty()) {
        models.draft = (beside_target.valid() ? beside_target.get() : open_draft())(progress);
        models.vocabulary_problem = difference(*models.target, *models.draft);
        if (!models.vocabulary_problem.empty()) models.vocabularies = common_tokens(*models.target, *models.draft);
        if (!models.shipped.contains(kDraftModel)) models.fingerprints[kDraftModel] = fingerprint(*models.draft);
    }
    std::map<std::string, fs::path> heads = paths.heads;
    heads.insert(shipped.networks.begin(), shipped.networks.end());
    for (const auto& [drafter, folder] : heads) {
        auto network = head_for(drafter, folder, models, progress, paths.ignore_config);
        if (!paths.force_heads) check_fingerprint(folder, models);
        models.networks.emplace(drafter, std::move(network));
        if (const auto ours = shipped.networks.find(drafter); ours != shipped.networks.end() && is(folder, ours->second))
            models.shipped.insert(drafter);
        else
            models.fingerprints[drafter] = fingerprint_of(*models.networks.at(drafter));
    }
    if (const char* const mtp = name_of(DraftConfig::Method::mtp); !models.networks.contains(mtp))
        if (auto own = own_mtp_head(models, target, progress, paths.ignore_config)) models.networks.emplace(mtp, std::move(own));
    return models;
}

} // namespace

Models load_models(const ModelPaths& paths, const Progress& progress) {
    const Stopwatch watch;
    Models models = loaded_models(paths, progress);
    for (const Model* model : {models.target.get(), models.draft.get()})
        if (model != nullptr) models.ignored.insert(model->config.ignored.begin(), model->config.ignored.end());
    for (const auto& [drafter, head] : models.networks) models.ignored.insert(head->config.ignored.begin(), head->config.ignored.end());
    give_back_memory(); // of the vocabularies while they were read
    models.load_ms = watch.ms();
    return models;
}

std::map<std::string, std::shared_ptr<const DraftNetwork>> heads_that_came(const Models& models, const Progress& progress) {
    std::map<std::string, std::shared_ptr<const DraftNetwork>> came;
    if (models.bundle.empty() || !models.target) return came;
    for (const auto& [drafter, folder] : heads_in(assets_folder() / "models").networks) {
        if (models.networks.contains(drafter)) continue;
        auto network = head_for(drafter, folder, models, progress);
        check_fingerprint(folder, models);
        came.emplace(drafter, std::move(network));
    }
    return came;
}

} // namespace speclens
