#include "scenes/shared/speak.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/base/fnv.h"
#include "engine/models/models.h"
#include "kernels/error.h"
#include "ui/stories/story_book.h"
#include "ui/stories/toml_file.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;
constexpr const char* kEnglishName = "en";

std::shared_ptr<const StoryBook> book_of(const std::string& language) {
    return std::make_shared<const StoryBook>(load_stories(assets_folder() / "stories", language, own_stories(), Broken::left_out));
}

fs::path labels_of(const fs::path& assets, const std::string& language) { return assets / "languages" / language / "labels.toml"; }

[[noreturn]] void broken(const fs::path& file, const toml::node& where, const std::string& what) {
    throw Error(file.string() + " line " + std::to_string(where.source().begin.line) + ": " + what,
                "docs/languages.md says what a table of labels holds.");
}

toml::table parse(const fs::path& file) {
    return read_toml(file, "Restore assets/languages, or see docs/languages.md.",
                     "The file is TOML: \"English\" = \"the same in this language\".");
}

std::string text_of(const fs::path& file, const toml::node& node) {
    const auto text = node.value_exact<std::string>();
    if (!text) broken(file, node, "no text");
    return *text;
}

// Of each {} what it is for: the translation may put them in another order, but must not have more.
void check_places(const fs::path& file, const toml::node& where, const std::string& english, const std::string& own) {
    const auto places = [](const std::string& text) {
        int count = 0;
        for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) ++count;
        return count;
    };
    if (places(own) > places(english)) broken(file, where, "\"" + own + "\" has more {} than \"" + english + "\"");
}

// A short mark of a text, which is another one when the text changes.
std::string mark_of(const std::string& text) {
    Fnv fnv;
    fnv.add(text);
    char mark[9];
    std::snprintf(mark, sizeof mark, "%08llx", static_cast<unsigned long long>(fnv.value() & 0xffffffffU));
    return mark;
}

std::map<std::string, std::string> marks_in(const fs::path& file) {
    std::map<std::string, std::string> marks;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (const std::size_t at = line.rfind(' '); at != std::string::npos) marks[line.substr(0, at)] = line.substr(at + 1);
    return marks;
}

// The English mark of every text that the language has.
std::map<std::string, std::string> marks_of(const fs::path& assets, const StoryLayer& own) {
    std::map<std::string, std::string> marks;
    std::map<std::string, bool> translated;
    each_text(own, [&](const std::string& name, const StoryText* text) { translated[name] = text != nullptr; });
    each_text(read_stories(assets / "stories"), [&](const std::string& name, const StoryText* text) {
        if (text && translated[name]) marks[name] = mark_of(text->source());
    });
    return marks;
}

} // namespace

std::shared_ptr<const ui::Language> load_labels(const fs::path& file) {
    const toml::table table = parse(file);
    auto language = std::make_shared<ui::Language>();
    language->name = file.parent_path().filename().string();
    for (const auto& [key, node] : table) {
        const std::string_view name = key.str();
        if (name == "title")
            language->title = text_of(file, node);
        else if (name == "decimal") {
            const std::string sign = text_of(file, node);
            if (sign.size() != 1) broken(file, node, "decimal is one sign");
            language->decimal = sign[0];
        } else if (name == "quotes") {
            const toml::array* both = node.as_array();
            if (!both || both->size() != 2) broken(file, node, "quotes are two: the opening one and the closing one");
            language->open_quote = text_of(file, *both->get(0));
            language->close_quote = text_of(file, *both->get(1));
        } else if (name == "labels") {
            const toml::table* labels = node.as_table();
            if (!labels) broken(file, node, "labels is a table");
            for (const auto& [english, own] : *labels) {
                const std::string text = text_of(file, own);
                check_places(file, own, std::string(english.str()), text);
                language->add(std::string(english.str()), text);
            }
        } else
            broken(file, node, "'" + std::string(name) + "' is none of title, decimal, quotes and labels");
    }
    return language;
}

void speak(const std::string& language) {
    if (language == kEnglishName) {
        use_stories(book_of(language));
        ui::use_language(nullptr);
        return;
    }
    const auto labels = load_labels(labels_of(assets_folder(), language)); // both or none
    use_stories(book_of(language));
    ui::use_language(labels);
}

std::string in_english(const std::function<std::string()>& work) {
    const std::shared_ptr<const ui::Language> spoken = ui::shared_language();
    if (spoken->name == kEnglishName) return work();
    static const std::shared_ptr<const StoryBook> english = book_of(kEnglishName);
    struct Back {
        std::shared_ptr<const ui::Language> language;
        std::shared_ptr<const StoryBook> book;
        ~Back() {
            ui::use_language(language);
            use_stories(book);
        }
    };
    const Back back{spoken, shared_stories()};
    ui::use_language(nullptr);
    use_stories(english);
    return work();
}

std::vector<std::string> stories_to_translate(const fs::path& assets, const std::string& language) {
    const fs::path folder = assets / "stories" / language;
    const StoryLayer own = fs::is_directory(folder) ? read_stories(folder) : StoryLayer();
    std::vector<std::string> out = missing_texts(own);
    const auto before = marks_in(assets / "languages" / language / "originals.txt");
    for (const auto& [name, mark] : marks_of(assets, own))
        if (const auto found = before.find(name); found == before.end() || found->second != mark)
            out.push_back(name + " (the English text has changed)");
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> labels_to_translate(const fs::path& assets, const std::string& language) {
    const auto labels = [&](const std::string& of) {
        std::vector<std::string> names;
        const fs::path file = labels_of(assets, of);
        if (!fs::exists(file)) return names;
        (void)load_labels(file); // says what is wrong with it
        const toml::table table = parse(file);
        if (const toml::table* all = table["labels"].as_table())
            for (const auto& [english, own] : *all) names.emplace_back(english.str());
        std::ranges::sort(names);
        return names;
    };
    std::vector<std::string> known;
    for (const auto& entry : fs::directory_iterator(assets / "languages")) {
        std::vector<std::string> more = labels(entry.path().filename().string()), both;
        std::ranges::set_union(known, more, std::back_inserter(both));
        known = std::move(both);
    }
    std::vector<std::string> missing;
    std::ranges::set_difference(known, labels(language), std::back_inserter(missing));
    return missing;
}

std::string originals_of(const fs::path& assets, const std::string& language) {
    std::string out;
    for (const auto& [name, mark] : marks_of(assets, read_stories(assets / "stories" / language))) out += name + " " + mark + "\n";
    return out;
}

} // namespace speclens
