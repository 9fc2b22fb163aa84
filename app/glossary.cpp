#include "app/glossary.h"

#include <algorithm>

#include "app/link.h"
#include "engine/json_read.h"

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
    const Json list = Json::parse(json, nullptr, false);
    if (!list.is_array()) throw Error(name + ": not a JSON array", kRemedy);
    std::vector<GlossaryEntry> glossary;
    for (const Json& item : list) {
        const std::string where = name + " entry " + std::to_string(glossary.size() + 1) + ": ";
        const auto text = [&](const char* key) {
            const auto found = item.is_object() ? item.find(key) : item.end();
            if (found == item.end() || !found->is_string() || found->get<std::string>().empty())
                throw Error(where + "no " + key, kRemedy);
            return found->get<std::string>();
        };
        GlossaryEntry entry{text("term"), {}, text("text"), text("see")};
        if (const auto also = item.find("also"); also != item.end()) {
            if (!also->is_array()) throw Error(where + "\"also\" is no list", kRemedy);
            for (const Json& other : *also) {
                if (!other.is_string()) throw Error(where + "\"also\" holds no texts", kRemedy);
                entry.also.push_back(other.get<std::string>());
            }
        }
        try {
            const Link place = parse_link("speclens://" + entry.scene);
            entry.scene = place.scene;
            entry.beat = place.beat;
        } catch (const Error&) {
            throw Error(where + "see is not SCENE or SCENE/BEAT", kRemedy);
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
