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
        GlossaryEntry entry{read.text(item, "term"),
                            item.contains("of") ? read.text(item, "of") : "",
                            {},
                            read.text(item, "text"),
                            place.scene,
                            place.beat};
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

namespace {

std::vector<GlossaryEntry> translated_entries(const std::vector<GlossaryEntry>& english, const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return {};
    std::vector<GlossaryEntry> own = load_glossary(file);
    for (const GlossaryEntry& entry : own)
        if (std::ranges::find(english, entry.of, &GlossaryEntry::term) == english.end())
            throw Error(short_name(file) + ": " + entry.term + " is of '" + entry.of + "', which is no English term", kRemedy);
    return own;
}

} // namespace

std::vector<GlossaryEntry> load_glossary(const std::filesystem::path& file, const std::filesystem::path& translated) {
    std::vector<GlossaryEntry> glossary = load_glossary(file);
    for (GlossaryEntry& own : translated_entries(glossary, translated)) {
        GlossaryEntry& entry = *std::ranges::find(glossary, own.of, &GlossaryEntry::term);
        if (own.term != own.of) own.also.push_back(own.of);
        own.scene = entry.scene;
        own.beat = entry.beat;
        entry = std::move(own);
    }
    std::ranges::stable_sort(glossary, {}, [](const GlossaryEntry& entry) { return lower(entry.term); });
    return glossary;
}

std::vector<std::string> terms_to_translate(const std::filesystem::path& file, const std::filesystem::path& translated) {
    const std::vector<GlossaryEntry> english = load_glossary(file), own = translated_entries(english, translated);
    std::vector<std::string> missing;
    for (const GlossaryEntry& entry : english)
        if (std::ranges::find(own, entry.term, &GlossaryEntry::of) == own.end()) missing.push_back(entry.term);
    return missing;
}

std::vector<const GlossaryEntry*> glossary_matches(const std::vector<GlossaryEntry>& glossary, std::string_view query) {
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

namespace {

bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

void find_name(const GlossaryEntry& entry, const std::string& name, std::string_view text, std::string_view small,
               std::vector<TermAt>& found) {
    constexpr std::size_t kLetters = 2; // so short a name is only itself as it is written
    const bool exact = name.size() <= kLetters;
    const std::string wanted = exact ? name : lower(name);
    const std::string_view in = exact ? text : small;
    for (std::size_t at = in.find(wanted); at != std::string_view::npos; at = in.find(wanted, at + 1)) {
        std::size_t end = at + wanted.size();
        if (!exact && end < in.size() && in[end] == 's') ++end; // the plural
        if ((at == 0 || !in_word(in[at - 1])) && (end == in.size() || !in_word(in[end]))) found.push_back({&entry, at, end - at});
    }
}

} // namespace

std::vector<TermAt> terms_in(const std::vector<GlossaryEntry>& glossary, std::string_view text) {
    const std::string small = lower(text);
    std::vector<TermAt> all, found;
    for (const GlossaryEntry& entry : glossary) {
        find_name(entry, entry.term, text, small, all);
        for (const std::string& other : entry.also) find_name(entry, other, text, small, all);
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &TermAt::length);
    for (const TermAt& one : all) {
        const auto shares = [&](const TermAt& other) { return one.at < other.at + other.length && other.at < one.at + one.length; };
        if (std::ranges::none_of(found, shares)) found.push_back(one);
    }
    return found;
}

} // namespace speclens
