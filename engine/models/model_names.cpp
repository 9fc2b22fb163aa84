#include "engine/models/model_names.h"

#include <cmath>

#include "engine/base/display_name.h"
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
    for (const Fetchable& known : fetchables())
        if (fs::exists(assets / "models" / known.name / "MANIFEST.json", failure) && is_fetched(known)) return known.name;
    return kBuiltInModel;
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
