#include "engine/models/model_names.h"

#include <cmath>

#include "engine/base/display_name.h"
#include "engine/base/json_read.h"
#include "engine/fetch/fetch.h"
#include "engine/fetch/fetchable.h"
#include "engine/found/gguf_facts.h"
#include "kernels/error.h"

namespace speclens {
namespace fs = std::filesystem;

namespace {

bool same_place(const fs::path& a, const fs::path& b) {
    std::error_code failure;
    return fs::weakly_canonical(a, failure) == fs::weakly_canonical(b, failure) && !failure;
}

} // namespace

std::vector<std::string> known_models() {
    std::vector<std::string> names{kBuiltInModel};
    for (const Fetchable& one : fetchables()) names.emplace_back(one.name);
    return names;
}

bool is_known_model(const std::string& word) { return word == kBuiltInModel || find_fetchable(word) != nullptr; }

fs::path model_file(const std::string& word) {
    if (word.empty() || word == kBuiltInModel) return {};
    const Fetchable* known = find_fetchable(word);
    if (known == nullptr) return word;
    const fs::path folder = fetched_folder();
    if (!is_fetched(*known))
        throw Error(title_with_draft(*known) + " is not on this machine yet",
                    "Fetch it: speclens get " + known->name + " (" +
                        std::to_string(std::lround(static_cast<double>(bytes_with_draft(*known)) / 1e6)) + " MB, " + known->licence +
                        "). The built-in model needs nothing: --model " + kBuiltInModel + ".");
    return folder / known->file;
}

fs::path draft_file(const std::string& word) {
    const Fetchable* known = find_fetchable(word);
    return known == nullptr || known->draft.empty() ? fs::path() : model_file(known->draft);
}

std::string model_word(const std::string& word) {
    if (word.empty()) return kBuiltInModel;
    if (is_known_model(word)) return word;
    for (const Fetchable& known : fetchables()) try {
            if (same_place(word, fetched_folder() / known.file)) return known.name;
        } catch (const Error&) { // no home, so nothing was fetched to it
        }
    const fs::path path(word);
    const ModelFacts facts = path.extension() == ".gguf" ? read_gguf_facts(path).value_or(ModelFacts{}) : ModelFacts{};
    return display_name(path, facts.name, facts.basename);
}

std::string default_model(const fs::path& assets) {
    std::error_code failure;
    std::string newest = kBuiltInModel;
    fs::file_time_type fetched = fs::file_time_type::min();
    for (const Fetchable& known : fetchables()) {
        const bool drafted = !known.draft.empty() || fs::exists(assets / "models" / known.name / "MANIFEST.json", failure);
        if (!drafted || !is_fetched(known)) continue;
        const auto came = fs::last_write_time(fetched_folder() / known.file, failure);
        if (!failure && came >= fetched) newest = known.name, fetched = came;
    }
    return newest;
}

OpeningView opening_view(const std::string& word, const fs::path& assets) {
    constexpr std::size_t kLargest = std::size_t{1} << 16;
    const fs::path file = assets / "models" / "openings.json";
    std::error_code failure;
    if (!fs::exists(file, failure)) return {}; // of models of one's own
    const Json all = parse_json_object(read_text_file(file, kLargest), short_name(file), "Restore it from the repository.");
    const auto one = all.find(word);
    if (one == all.end()) return {};
    return {.drafter = one->value("drafter", ""),
            .measured = one->value("measured", ""),
            .scene = one->value("scene", ""),
            .prompt = one->value("prompt", "")};
}

bool looks_like_model(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_directory(path, failure)) return path.extension() == ".gguf";
    if (fs::exists(path / "config.json", failure)) return true;
    for (fs::directory_iterator at(path, failure), end; !failure && at != end; at.increment(failure))
        if (at->path().extension() == ".gguf") return true;
    return false;
}

} // namespace speclens
