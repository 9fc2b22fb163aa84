#include "engine/found/found.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/json_read.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A regular file that was opened without waiting for anybody.
class OpenFile {
  public:
    explicit OpenFile(const fs::path& resolved) {
        struct stat info {};
        if (lstat(resolved.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return; // opening a device may do something
        fd_ = open(resolved.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
        if (fd_ < 0 || fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) return;
        bytes_ = static_cast<std::uint64_t>(info.st_size);
        good_ = true;
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (fd_ >= 0) close(fd_);
    }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    // All of it, empty when it is larger than `limit`.
    [[nodiscard]] std::string text(std::size_t limit) const {
        std::string text;
        if (!good_ || bytes_ > limit) return text;
        text.resize(static_cast<std::size_t>(bytes_));
        std::size_t at = 0;
        while (at < text.size()) {
            const ssize_t got = read(fd_, text.data() + at, text.size() - at);
            if (got <= 0) break;
            at += static_cast<std::size_t>(got);
        }
        text.resize(at);
        return text;
    }

  private:
    int fd_ = -1;
    std::uint64_t bytes_ = 0;
    bool good_ = false;
};

struct Folder {
    fs::path path;
    std::vector<std::string> files, folders; // names, sorted; links count as files
};

class Scan {
  public:
    Scan(const Place& place, const ScanLimits& limits) : place_(place), limits_(limits), begun_(Clock::now()) {
        std::error_code failed;
        root_ = fs::canonical(place.root, failed);
        if (failed || !fs::is_directory(root_, failed)) root_.clear();
    }

    Found run() {
        if (!root_.empty()) place_.layout == Place::Layout::ollama ? look_at_manifests() : walk(root_, 0);
        if (too_deep_ && found_.incomplete.empty())
            found_.incomplete = "folders deeper than " + std::to_string(limits_.depth) + " were left out";
        std::ranges::stable_sort(found_.models, {}, &FoundModel::name);
        return std::move(found_);
    }

  private:
    // Where a name leads, when that is below the root; empty otherwise.
    [[nodiscard]] fs::path inside(const fs::path& path) const {
        std::error_code failed;
        fs::path there = fs::canonical(path, failed);
        if (failed) return {};
        const auto [end, ignored] = std::mismatch(root_.begin(), root_.end(), there.begin(), there.end());
        return end == root_.end() ? there : fs::path();
    }
    [[nodiscard]] std::uint64_t size_of(const fs::path& path) const {
        const fs::path there = inside(path);
        struct stat info {};
        return !there.empty() && lstat(there.c_str(), &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
    }
    [[nodiscard]] bool goes_on() {
        if (!found_.incomplete.empty()) return false;
        if (entries_ >= limits_.entries)
            found_.incomplete = "stopped after " + std::to_string(limits_.entries) + " names";
        else if (Clock::now() - begun_ > limits_.time)
            found_.incomplete = "stopped after " + std::to_string(limits_.time.count()) + " ms";
        return found_.incomplete.empty();
    }

    Folder list(const fs::path& path) {
        Folder folder{path, {}, {}};
        std::error_code failed;
        for (fs::directory_iterator at(path, failed), end; !failed && at != end && goes_on(); at.increment(failed)) {
            ++entries_;
            std::error_code gone;
            const fs::file_status kind = at->symlink_status(gone);
            std::string name = at->path().filename().string();
            if (gone || name.starts_with(".")) continue;
            if (fs::is_directory(kind))
                folder.folders.push_back(std::move(name));
            else if (fs::is_regular_file(kind) || fs::is_symlink(kind))
                folder.files.push_back(std::move(name));
        }
        std::ranges::sort(folder.files);
        std::ranges::sort(folder.folders);
        return folder;
    }

    void walk(const fs::path& path, int depth) {
        const Folder folder = list(path);
        look_at(folder);
        for (const std::string& name : folder.folders) {
            if (place_.layout == Place::Layout::hub && (name == "blobs" || name == "refs")) continue;
            if (!goes_on()) return;
            if (depth < limits_.depth)
                walk(path / name, depth + 1);
            else
                too_deep_ = true;
        }
    }

    void look_at(const Folder& folder) {
        if (std::ranges::binary_search(folder.files, "config.json")) look_at_checkpoint(folder);
        for (const std::string& name : folder.files)
            if (name.ends_with(".gguf") && goes_on()) look_at_gguf(folder, name);
    }

    void look_at_checkpoint(const Folder& folder);
    void look_at_gguf(const Folder& folder, const std::string& name);
    void look_at_manifests();
    void look_at_manifest(const fs::path& file, const std::string& name);
    [[nodiscard]] std::string name_of(const fs::path& path) const;

    const Place& place_;
    const ScanLimits& limits_;
    const Clock::time_point begun_;
    fs::path root_;
    int entries_ = 0;
    bool too_deep_ = false;
    Found found_;
};

// Below the root; of a hub ORG/NAME, with the file where it is one.
std::string Scan::name_of(const fs::path& path) const {
    const fs::path below = path.lexically_relative(root_);
    if (place_.layout != Place::Layout::hub) return below == "." ? root_.filename().string() : below.string();
    const std::string first = below.begin()->string();
    if (!first.starts_with("models--")) return below.string();
    std::string name = first.substr(8);
    if (const std::size_t slash = name.find("--"); slash != std::string::npos) name.replace(slash, 2, "/");
    const auto parts = std::distance(below.begin(), below.end());
    if (parts <= 3) return name; // models--ORG--NAME/snapshots/HASH
    for (auto part = std::next(below.begin(), 3); part != below.end(); ++part) name += "/" + part->string();
    return name;
}

std::string text_at(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

int number_at(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() && *found > 0 && *found < (1 << 24) ? found->get<int>() : 0;
}

const Json* object_at(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_object() ? &*found : nullptr;
}

// Heads of blocks but the plain one: what their files say, and whose they are.
struct BlockHead {
    const char *projector, *architecture, *drafter;
};
constexpr BlockHead kBlockHeads[] = {
    {"domino", "DominoDraftModel", "domino"},
    {"causal_v5", "DominoDraftModel", "domino"}, // its name before the release
    {"dspark", "DSpark", "dspark"},
};

// The drafter whose head has this architecture, as engine/heads/draft_config.cpp reads them; empty: it is no head.
std::string drafter_of(const std::string& architecture, const Json& config) {
    if (architecture == "MedusaModel") return "medusa";
    if (architecture == "LlamaForCausalLMDart") return "dart";
    if (architecture.find("Eagle3") != std::string::npos) return "eagle3";
    const bool block =
        architecture.starts_with("DFlash") || architecture == "DominoDraftModel" || architecture.find("DSpark") != std::string::npos;
    if (!block) return "";
    if (architecture == "DFlash2DraftModel") return "dflash2";
    std::string type = text_at(config, "projector_type");
    const Json* own = object_at(config, "dflash_config");
    if (own && type.empty()) type = text_at(*own, "projector_type");
    for (const BlockHead& head : kBlockHeads)
        if (type == head.projector || architecture.find(head.architecture) != std::string::npos) return head.drafter;
    return "dflash";
}

std::optional<ModelFacts> facts_of_config(const std::string& text) {
    const Json config = parse_foreign_json(text);
    if (!config.is_object()) return std::nullopt;
    ModelFacts facts;
    facts.family = text_at(config, "model_type");
    if (const auto list = config.find("architectures");
        list != config.end() && list->is_array() && !list->empty() && (*list)[0].is_string()) {
        const std::string architecture = (*list)[0].get<std::string>();
        if (facts.family.empty()) facts.family = architecture;
        facts.drafter = drafter_of(architecture, config);
    }
    if (facts.family.empty()) return std::nullopt; // of something else than a model
    const Json* quantised = object_at(config, "quantization_config");
    facts.weights = quantised ? text_at(*quantised, "quant_method") : "";
    for (const char* name : {"dtype", "torch_dtype"})
        if (facts.weights.empty()) facts.weights = text_at(config, name);
    const Json* inner = object_at(config, "text_config"); // of what sees pictures too
    if (!inner) inner = object_at(config, "transformer_layer_config");
    for (const Json* at : {&config, inner}) {
        if (!at) continue;
        if (facts.vocab == 0) facts.vocab = number_at(*at, "vocab_size");
        if (facts.hidden == 0) facts.hidden = number_at(*at, "hidden_size");
    }
    return facts;
}

void Scan::look_at_checkpoint(const Folder& folder) {
    std::uint64_t bytes = 0;
    for (const std::string& name : folder.files)
        if (name.ends_with(".safetensors") || name.ends_with(".bin")) bytes += size_of(folder.path / name);
    const fs::path config = bytes > 0 ? inside(folder.path / "config.json") : fs::path();
    if (config.empty()) return;
    if (auto facts = facts_of_config(OpenFile(config).text(limits_.config_bytes)))
        found_.models.push_back({place_.name, name_of(folder.path), folder.path, std::move(*facts), bytes});
}

// "-00002-of-00003.gguf": the number of the part and where that ending begins.
std::optional<std::pair<std::string, std::size_t>> part_of(const std::string& name) {
    constexpr std::string_view kShape = "-00000-of-00000.gguf";
    if (name.size() <= kShape.size()) return std::nullopt;
    const std::size_t at = name.size() - kShape.size();
    for (std::size_t i = 0; i < kShape.size(); ++i) {
        const char c = name[at + i];
        if (kShape[i] == '0' ? c < '0' || c > '9' : c != kShape[i]) return std::nullopt;
    }
    return std::pair{name.substr(at + 1, 5), at};
}

void Scan::look_at_gguf(const Folder& folder, const std::string& name) {
    const auto part = part_of(name);
    if (part && part->first != "00001") return; // counted with the first
    const fs::path there = inside(folder.path / name);
    if (there.empty()) return;
    const OpenFile file(there);
    auto facts = file.good() ? read_gguf_facts(file.fd()) : std::nullopt;
    if (!facts) return;
    std::uint64_t bytes = file.bytes();
    if (part)
        for (const std::string& other : folder.files)
            if (const auto its = part_of(other);
                its && other != name && its->second == part->second && other.starts_with(name.substr(0, part->second)))
                bytes += size_of(folder.path / other);
    found_.models.push_back({place_.name, name_of(folder.path / name), folder.path / name, std::move(*facts), bytes});
}

// manifests/HOST/OWNER/MODEL/TAG
void Scan::look_at_manifests() {
    constexpr int kDepth = 4;
    struct Level {
        fs::path path;
        std::vector<std::string> parts;
    };
    std::vector<Level> left{{root_ / "manifests", {}}};
    while (!left.empty() && goes_on()) {
        const Level level = std::move(left.back());
        left.pop_back();
        if (!fs::is_directory(fs::symlink_status(level.path))) continue;
        const Folder folder = list(level.path);
        const auto below = [&](const std::string& name) {
            std::vector<std::string> parts = level.parts;
            parts.push_back(name);
            return parts;
        };
        for (const std::string& name : folder.folders)
            if (static_cast<int>(level.parts.size()) + 1 < kDepth) left.push_back({level.path / name, below(name)});
        if (static_cast<int>(level.parts.size()) + 1 != kDepth) continue;
        const std::string owner = level.parts[1] == "library" ? "" : level.parts[1] + "/";
        for (const std::string& tag : folder.files)
            if (goes_on()) look_at_manifest(level.path / tag, owner + level.parts[2] + ":" + tag);
    }
}

// "sha256:…" of a manifest as the name of a blob; empty when it has any other form, a path for instance.
std::string blob_name(const std::string& digest) {
    constexpr std::size_t kPrefix = 7, kDigits = 64;
    const bool form = digest.size() == kPrefix + kDigits && digest.starts_with("sha256") && (digest[6] == ':' || digest[6] == '-') &&
                      digest.find_first_not_of("0123456789abcdef", kPrefix) == std::string::npos;
    return form ? "sha256-" + digest.substr(kPrefix) : "";
}

void Scan::look_at_manifest(const fs::path& manifest, const std::string& name) {
    const fs::path there = inside(manifest);
    if (there.empty()) return;
    const Json json = parse_foreign_json(OpenFile(there).text(limits_.config_bytes));
    const auto layers = json.is_object() ? json.find("layers") : json.end();
    if (!json.is_object() || layers == json.end() || !layers->is_array()) return;
    for (const Json& layer : *layers) {
        if (!layer.is_object() || text_at(layer, "mediaType") != "application/vnd.ollama.image.model") continue;
        const std::string blob = blob_name(text_at(layer, "digest"));
        const fs::path path = blob.empty() ? fs::path() : inside(root_ / "blobs" / blob);
        if (path.empty()) continue;
        const OpenFile file(path);
        auto facts = file.good() ? read_gguf_facts(file.fd()) : std::nullopt;
        if (!facts) continue;
        found_.models.push_back({place_.name, name, path, std::move(*facts), file.bytes()});
        return;
    }
}

fs::path variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

} // namespace

std::vector<Place> known_places() {
    using Layout = Place::Layout;
    const fs::path home = variable("HOME");
    const auto in_home = [&](const char* below) { return home.empty() ? home : home / below; };
    const auto below = [](const fs::path& folder, const char* name) { return folder.empty() ? folder : folder / name; };
    const auto first = [](const fs::path& said, const fs::path& default_folder) { return said.empty() ? default_folder : said; };
    const fs::path cache = first(variable("XDG_CACHE_HOME"), in_home(".cache"));
    const fs::path hugging_face = first(variable("HF_HOME"), below(cache, "huggingface"));
    const std::vector<Place> all = {{"Hugging Face", first(variable("HF_HUB_CACHE"), below(hugging_face, "hub")), Layout::hub},
                                    {"LM Studio", in_home(".lmstudio/models"), Layout::folders},
                                    {"LM Studio", in_home(".cache/lm-studio/models"), Layout::folders},
                                    {"llama.cpp", first(variable("LLAMA_CACHE"), below(cache, "llama.cpp")), Layout::folders},
                                    {"Ollama", first(variable("OLLAMA_MODELS"), in_home(".ollama/models")), Layout::ollama}};
    std::vector<Place> places;
    for (const Place& place : all)
        if (place.root.is_absolute()) places.push_back(place); // never what the current folder decides
    return places;
}

Found find_models(const Place& place, const ScanLimits& limits) { return Scan(place, limits).run(); }

std::vector<const FoundModel*> possible_drafters(const FoundModel& target, std::span<const FoundModel> all) {
    std::vector<const FoundModel*> drafters;
    if (!target.facts.drafter.empty() || target.facts.vocab == 0) return drafters;
    for (const FoundModel& other : all) {
        if (other.facts.vocab != target.facts.vocab) continue;
        const bool head = !other.facts.drafter.empty() && target.facts.hidden > 0 && other.facts.hidden == target.facts.hidden;
        const bool smaller = other.facts.drafter.empty() && !other.facts.family.empty() && other.facts.family == target.facts.family &&
                             other.facts.hidden > 0 && other.facts.hidden < target.facts.hidden;
        if (head || smaller) drafters.push_back(&other);
    }
    return drafters;
}

} // namespace speclens
