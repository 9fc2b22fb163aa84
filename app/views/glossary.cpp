#include "app/views/glossary.h"

#include <algorithm>

#include "app/views/entry_reader.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestGlossary = std::size_t{4} << 20;
constexpr const char* kRemedy = "Every entry has term, text and see; also is a list of other names.";

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// 0: not at all, 1: somewhere inside, 2: begins with it, 3: it is the query.
int fit(const std::string& name, const std::string& query) {
    const std::size_t at = lower(name).find(query);
    if (at == std::string::npos) return 0;
    return at > 0 ? 1 : name.size() == query.size() ? 3 : 2;
}

} // namespace

std::vector<GlossaryEntry> parse_glossary(const std::string& json, const std::string& name) {
    const EntryReader read(json, name, kRemedy);
    std::vector<GlossaryEntry> glossary;
    for (const Json& item : read.list) {
        const Link place = read.place(item);
        GlossaryEntry entry{read.text(item, "term"), {}, read.text(item, "text"), place.scene, place.beat};
        if (const auto also = item.find("also"); also != item.end()) {
            if (!also->is_array()) read.broken(item, "\"also\" is no list");
            for (const Json& other : *also) {
                if (!other.is_string()) read.broken(item, "\"also\" holds no texts");
                entry.also.push_back(other.get<std::string>());
            }
        }
        glossary.push_back(std::move(entry));
    }
    return glossary;
}

std::vector<GlossaryEntry> load_glossary(const std::filesystem::path& file) {
    return parse_glossary(read_text_file(file, kLargestGlossary), short_name(file));
}

std::vector<const GlossaryEntry*> glossary_matches(const std::vector<GlossaryEntry>& glossary,
                                                   std::string_view query) {
    const std::string wanted = lower(query);
    std::vector<std::pair<int, const GlossaryEntry*>> found;
    for (const GlossaryEntry& entry : glossary) {
        int best = 2 * fit(entry.term, wanted);
        for (const std::string& other : entry.also) best = std::max(best, 2 * fit(other, wanted) - 1);
        if (best > 0 || wanted.empty()) found.emplace_back(wanted.empty() ? 0 : best, &entry);
    }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<const GlossaryEntry*> out;
    for (const auto& [score, entry] : found) out.push_back(entry);
    return out;
}

} // namespace speclens
