// The words of the field, in one or two sentences each, and the scene that shows them. Read from
// assets/glossary.json:
//   [{"term", "also": [other names], "text", "see": "accept-rule/6"}, …], sorted by term.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

struct GlossaryEntry {
    std::string term;
    std::string of = {}; // of a translation: the English term
    std::vector<std::string> also;
    std::string text;
    std::string scene; // that shows it
    int beat = 0;      // from 1; 0: none in particular
};

// Throws Error, with the entry, for a file that is no glossary.
[[nodiscard]] std::vector<GlossaryEntry> parse_glossary(const std::string& json, const std::string& name);
[[nodiscard]] std::vector<GlossaryEntry> load_glossary(const std::filesystem::path& file);
// The same in another language: entries of `translated`, which name the English term by "of", in their places; found by the
// English term, too. An entry that is missing there, or the file, stays English. Sorted by term.
[[nodiscard]] std::vector<GlossaryEntry> load_glossary(const std::filesystem::path& file, const std::filesystem::path& translated);
// Terms that `translated` lacks.
[[nodiscard]] std::vector<std::string> terms_to_translate(const std::filesystem::path& file, const std::filesystem::path& translated);
// Entries whose term, or another name of it, holds the query (any case); the best first, all for an empty
// one.
[[nodiscard]] std::vector<const GlossaryEntry*> glossary_matches(const std::vector<GlossaryEntry>& glossary, std::string_view query);

// Where a text has words of the glossary: whole words, also in the plural and with other capitals (names of one or two letters,
// as "K", only as they are written). Of words that share letters the longest.
struct TermAt {
    const GlossaryEntry* entry = nullptr;
    std::size_t at = 0, length = 0; // bytes of the text
};
[[nodiscard]] std::vector<TermAt> terms_in(const std::vector<GlossaryEntry>& glossary, std::string_view text);

} // namespace speclens
