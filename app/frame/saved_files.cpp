#include "app/frame/saved_files.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>

#include "app/frame/actions.h"
#include "engine/base/json.h"

namespace speclens {
namespace {

constexpr std::size_t kMostSaved = 100;
constexpr std::size_t kPiece = 64 << 10;    // bytes: most headers with their prompts
constexpr std::size_t kBeginning = 8 << 20; // the longest
constexpr std::size_t kShown = 400;         // of a prompt: wider than any list

// The header of a run, or what a race says before its lanes. Discarded: neither.
Json beginning_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const bool race = file.extension() == ".json";
    const std::string_view last = race ? "\"lanes\"" : "\n"; // behind it there is nothing to show
    std::string text;
    std::size_t end = std::string::npos;
    while (in && text.size() < kBeginning && end == std::string::npos) {
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        in.read(text.data() + before, kPiece);
        text.resize(before + static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
        // A long file of something else: ours say at the beginning what they are.
        if (before == 0 && text.find("speclens-") == std::string::npos) return Json::discarded();
        end = text.find(last, before - std::min(before, last.size()));
    }
    if (race && end != std::string::npos) {
        const std::size_t before = text.find_last_of(',', end);
        if (before == std::string::npos) return Json::discarded();
        text.resize(before);
        text += '}';
    } else {
        text.resize(std::min(text.size(), text.find('\n')));
    }
    return Json::parse_or_discard(text);
}

std::string text_at(const Json& from, const char* key) {
    const auto found = from.find(key);
    return found != from.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_at(const Json& from, const char* key) {
    const auto found = from.find(key);
    return found != from.end() && found->is_number() ? found->get<double>() : 0;
}

// "2026-11-22T13:10Z" as "2026-11-22 13:10 UTC".
std::string shown_date(const std::string& iso) { return iso.size() < 16 ? iso : iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC"; }

// What the user said in a prompt: of a chat, its last turn.
std::string asked(std::string text) {
    constexpr std::string_view kTurn = "<|im_start|>user\n", kEnd = "<|im_end|>";
    if (const std::size_t turn = text.rfind(kTurn); turn != std::string::npos) {
        text.erase(0, turn + kTurn.size());
        text.resize(std::min(text.size(), text.find(kEnd)));
    }
    std::ranges::replace(text, '\n', ' ');
    if (text.size() > kShown) {
        std::size_t end = kShown;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // within a character
        text.resize(end);
    }
    return text;
}

} // namespace

std::vector<SavedFile> saved_files(const std::filesystem::path& folder) {
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
    std::error_code problem;
    for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
        const std::string ending = at->path().extension().string();
        std::error_code ignored;
        if ((ending == ".jsonl" || ending == ".json") && at->is_regular_file(ignored))
            files.emplace_back(at->last_write_time(ignored), at->path());
    }
    std::ranges::sort(files, std::greater<>());
    std::vector<SavedFile> found;
    for (const auto& [time, path] : files) {
        if (found.size() == kMostSaved) break;
        const Json begin = beginning_of(path);
        if (!begin.is_object()) continue;
        const std::string schema = text_at(begin, "schema"), date = shown_date(text_at(begin, "date"));
        if (schema == "speclens-race/1") {
            found.push_back({path.string(), asked(text_at(begin, "prompt")), frame_says("files.race"_t, "date"_v = date)});
        } else if (schema == "speclens-trace/1") {
            const auto sampling = begin.find("sampling");
            const double temperature = sampling != begin.end() && sampling->is_object() ? number_at(*sampling, "temperature") : 0;
            found.push_back({path.string(), asked(text_at(begin, "prompt_text")),
                             frame_says("files.run"_t, "drafter"_v = text_at(begin, "drafter"), "k"_v = number_at(begin, "k"),
                                        "temperature"_v = temperature, "date"_v = date)});
        } else {
            continue;
        }
        if (found.back().label.empty()) found.back().label = path.filename().string();
    }
    return found;
}

} // namespace speclens
