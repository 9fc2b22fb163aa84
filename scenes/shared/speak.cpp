#include "scenes/shared/speak.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "engine/base/fnv.h"
#include "engine/base/printed.h"
#include "engine/models/models.h"
#include "engine/published/published_words.h"
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

[[noreturn]] void broken(const fs::path& file, const toml::node& where, const std::string& what) {
    throw Error(file.string() + " line " + std::to_string(where.source().begin.line) + ": " + what,
                "docs/languages.md says what it holds.");
}

std::string text_of(const fs::path& file, const toml::node& node) {
    const auto text = node.value_exact<std::string>();
    if (!text) broken(file, node, "no text");
    return *text;
}

// A short mark of a text, which is another one when the text changes.
std::string mark_of(const std::string& text) {
    Fnv fnv;
    fnv.add(text);
    return printed("%08llx", static_cast<unsigned long long>(fnv.value() & 0xffffffffU));
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

// Sentences of published figures that a language lacks.
std::set<std::string> figures_to_translate(const fs::path& folder, const StoryLayer& own) {
    std::set<std::string> missing;
    if (!fs::is_directory(folder)) return missing;
    std::vector<std::string> left_out; // a file with a mistake, of which `speclens check` tells
    const Published published = Published::load(folder, &left_out);
    const StoryLayer::Scene none;
    const auto scene = own.scenes.find("published");
    const auto& texts = scene == own.scenes.end() ? none.texts : scene->second.texts;
    for (const PublishedFigure& figure : published.figures())
        for (const Said& said : texts_said(figure)) {
            const std::string& english = std::get<std::string>(said.values.front().is);
            const auto cases = texts.find(said.text);
            if (cases == texts.end() || !cases->second.contains(english))
                missing.insert("published.toml: " + std::string(said.text) + ", case " + english);
        }
    return missing;
}

} // namespace

std::shared_ptr<const ui::Language> load_language(const fs::path& file) {
    const toml::table table =
        read_toml(file, "Restore assets/languages, or see docs/languages.md.", "The file is TOML: title = \"Deutsch\".");
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
        } else
            broken(file, node, "'" + std::string(name) + "' is none of title, decimal and quotes");
    }
    return language;
}

void speak(const std::string& language) {
    if (language == kEnglishName) {
        use_stories(book_of(language));
        ui::use_language(nullptr);
        return;
    }
    const auto own = load_language(assets_folder() / "languages" / language / "language.toml"); // both or none
    use_stories(book_of(language));
    ui::use_language(own);
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
    std::ranges::move(figures_to_translate(assets / "published", own), std::back_inserter(out));
    const auto before = marks_in(assets / "languages" / language / "originals.txt");
    for (const auto& [name, mark] : marks_of(assets, own))
        if (const auto found = before.find(name); found == before.end() || found->second != mark)
            out.push_back(name + " (the English text has changed)");
    std::ranges::sort(out);
    return out;
}

std::string originals_of(const fs::path& assets, const std::string& language) {
    std::string out;
    for (const auto& [name, mark] : marks_of(assets, read_stories(assets / "stories" / language))) out += name + " " + mark + "\n";
    return out;
}

} // namespace speclens
