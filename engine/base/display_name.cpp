#include "engine/base/display_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/utf8.h"
#include "kernels/device_words.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = 80;

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// How a model is packed, which is no part of what it is called: a container, a way of quantising, a type of numbers, a part of a file.
bool is_packing(const std::string& word) {
    static constexpr std::array kWords = {"gguf", "ggml", "awq", "gptq", "imat", "imatrix", "bf16", "fp16",
                                          "f16",  "fp32", "f32", "fp8",  "int8", "int4",    "mxfp4"};
    if (std::ranges::find(kWords, word) != kWords.end()) return true;
    if (const std::size_t of = word.find("-of-"); of != std::string::npos)
        return all_digits(word.substr(0, of)) && all_digits(word.substr(of + 4));
    // q4_k_m, iq2_xxs, q8_0
    const std::size_t digit = word.starts_with("iq") || word.starts_with("tq") ? 2 : 1;
    if (word.size() <= digit || word[digit - 1] != 'q' || !std::isdigit(static_cast<unsigned char>(word[digit]))) return false;
    return word.size() == digit + 1 || word[digit + 1] == '_';
}

std::string without_packing(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of(" -._", at)) != std::string::npos;)
        if (at > 0 && is_packing(lower(std::string_view(text).substr(at + 1)))) {
            text.erase(at);
            at = 0; // there may be another in front of it
        } else {
            ++at;
        }
    return text;
}

// The name of the training run, which converters take from the makers' files, and that of the model as it is published.
constexpr std::pair<const char*, const char*> kRuns[] = {{"Smollm2 135M 8k Lc100K Mix1 Ep2", "SmolLM2-135M-Instruct"}};

// Programs that convert write some of these where they know no name.
bool names_something(const std::string& name) {
    static constexpr std::array kNothing = {"model", "models", "gguf", "ggml-model", "checkpoint", "merged", "hf", "unknown", "none"};
    const auto control = [](unsigned char c) { return c < ' ' || c == 127; };
    return name.size() <= kLongest && is_valid_utf8(name) && std::ranges::none_of(name, control) &&
           std::ranges::any_of(name, [](unsigned char c) { return std::isalpha(c) || c >= 128; }) &&
           std::ranges::find(kNothing, lower(name)) == kNothing.end();
}

// The name as it is spelled elsewhere: converters put blanks where the maker has hyphens, and keep these in the basename.
std::string with_hyphens(std::string name, const std::string& basename) {
    std::string blanks = basename;
    std::ranges::replace(blanks, '-', ' ');
    const bool begins = !basename.empty() && name.starts_with(blanks) && (name.size() == blanks.size() || name[blanks.size()] == ' ');
    return begins ? name.replace(0, blanks.size(), basename) : name;
}

std::string name_of_path(const fs::path& path) {
    std::error_code failure;
    if (path.extension() == ".gguf" && !fs::is_directory(path, failure)) return path.stem().string();
    fs::path place = fs::weakly_canonical(path, failure);
    if (failure) place = path;
    if (!place.has_filename()) place = place.parent_path();
    const std::string above = place.parent_path().parent_path().filename().string(); // of a hub: models--ORG--NAME/snapshots/HASH
    if (place.parent_path().filename() == "snapshots" && above.starts_with("models--")) return above.substr(above.rfind("--") + 2);
    return place.filename().string();
}

} // namespace

std::string display_name(const fs::path& path, const std::string& name, const std::string& basename) {
    for (const auto& [run, published] : kRuns)
        if (name == run) return published;
    // A repository's name: a link that had its slash would seem to name a place.
    if (const std::string clean = without_packing(name.substr(name.rfind('/') + 1)); names_something(clean))
        return with_hyphens(clean, basename);
    const std::string here = name_of_path(path), clean = without_packing(here);
    if (names_something(clean)) return clean;
    return all_digits(here) ? "model " + here : here;
}

bool called_alike(const std::string& a, const std::string& b) {
    const auto key = [](const std::string& name) {
        std::string text = lower(without_packing(name));
        std::ranges::replace(text, ' ', '-');
        return text;
    };
    return a == b || key(a) == key(b);
}

std::vector<Said> machine_said(const std::string& name) {
    constexpr SaidOf<"shared"> said;
    constexpr std::string_view kCores = " cores";
    if (name.empty()) return {};
    const std::size_t comma = name.rfind(", "), from = comma == std::string::npos ? name.size() : comma + 2;
    const std::string count = name.ends_with(kCores) ? name.substr(from, std::max(from, name.size() - kCores.size()) - from) : "";
    int cores = 0;
    if (!all_digits(count) || std::from_chars(count.data(), count.data() + count.size(), cores).ec != std::errc())
        return {said("machine.name"_t, "english"_v = name)};
    return {said("machine.cores"_t, "name"_v = said("machine.name"_t, "english"_v = name.substr(0, comma)), "cores"_v = cores)};
}

std::vector<Said> device_said(const std::string& words) {
    const DeviceWords of = DeviceWords::of(words);
    if (of.threads == 0) return {};
    return {SaidOf<"shared">()("machine.threads"_t, "device"_v = of.device, "threads"_v = of.threads)};
}

} // namespace speclens
