// `speclens list`: what this build knows, for people and, with --json, for programs.
#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "app/frontend/frontend.h"
#include "app/frontend/window_keys.h"
#include "app/views/glossary.h"
#include "app/views/languages.h"
#include "app/views/lecture.h"
#include "app/views/quiz.h"
#include "engine/base/json.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/models/models.h"
#include "engine/rules/verify.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

struct Item {
    std::string name, title, about;
};

std::vector<Item> scenes(const Options&) {
    std::vector<Item> items;
    for (const SceneName& scene : scene_names()) items.push_back({scene.name, "S" + std::to_string(scene.number), scene.title});
    return items;
}

std::vector<Item> drafters(const Options&) {
    std::vector<Item> items;
    std::vector<std::string> names;
    for (const DrafterInfo& info : drafter_list()) names.emplace_back(info.name);
    for (const std::string& chain : offered_chains(names)) names.push_back(chain);
    for (const std::string& name : names) items.push_back({name, message(find_drafter(name)->title), message(find_drafter(name)->about)});
    return items;
}

std::vector<Item> rules(const Options&) {
    std::vector<Item> items;
    for (const RuleInfo& info : rule_list()) {
        const std::string takes = parameter_words(info);
        items.push_back({info.name, message(info.title), message(info.about) + (takes.empty() ? "" : " Takes " + takes + ".")});
    }
    return items;
}

std::vector<Item> geometries(const Options&) {
    std::vector<Item> items;
    for (const std::string& name : geometry_names()) {
        const ModelConfig c = geometry(name);
        items.push_back({name, std::to_string(c.layers) + " layers, width " + std::to_string(c.hidden),
                         "random weights of this shape: speclens bench --geometry " + name});
    }
    return items;
}

std::vector<Item> keys(const Options&) {
    std::vector<Item> items;
    for (const auto& [key, action] : window_keys()) items.push_back({key, "", action});
    return items;
}

std::vector<Item> lectures(const Options& options) {
    std::vector<Item> items;
    for (const auto& file : shipped_lectures()) {
        const Lecture lecture = load_lecture(lecture_in(options.language, file));
        items.push_back(
            {file.filename().string(), lecture.title,
             std::to_string(lecture.steps.size()) + " steps, " + std::to_string(static_cast<int>(lecture.minutes() + 0.5)) + " minutes"});
    }
    return items;
}

Exit list_glossary(const Options& options) {
    const std::vector<GlossaryEntry> glossary =
        load_glossary(assets_folder() / "glossary.json", file_of_language(options.language, "glossary.json"));
    const std::string query = options.words.size() > 1 ? options.words[1] : "";
    const std::vector<const GlossaryEntry*> found = glossary_matches(glossary, query);
    if (found.empty()) {
        std::vector<std::string> known;
        for (const GlossaryEntry& entry : glossary) known.push_back(entry.term);
        unknown_name("word", query, known);
    }
    const auto see = [](const GlossaryEntry& e) { return e.scene + (e.beat > 0 ? ":" + std::to_string(e.beat) : ""); };
    if (!options.json.empty()) {
        OrderedJson json = OrderedJson::array();
        for (const GlossaryEntry* e : found) json.push_back({{"term", e->term}, {"also", e->also}, {"text", e->text}, {"see", see(*e)}});
        print(json.dump(2) + "\n");
        return Exit::ok;
    }
    for (const GlossaryEntry* e : found) {
        std::string also;
        for (const std::string& other : e->also) also += (also.empty() ? "  (" : ", ") + other;
        print(e->term + also + (also.empty() ? "" : ")") + "\n    " + wrap(e->text + " See: " + see(*e), 96, 4) + "\n");
    }
    return Exit::ok;
}

// Questions first, answers behind them, to be printed.
Exit list_quiz(const Options& options) {
    const std::vector<QuizQuestion> quiz = load_quiz(assets_folder() / "quiz.json", file_of_language(options.language, "quiz.json"));
    const auto see = [](const QuizQuestion& q) { return q.scene + (q.beat > 0 ? ":" + std::to_string(q.beat) : ""); };
    if (!options.json.empty()) {
        OrderedJson json = OrderedJson::array();
        for (const QuizQuestion& q : quiz)
            json.push_back({{"question", q.question}, {"choices", q.choices}, {"answer", q.answer}, {"why", q.why}, {"see", see(q)}});
        print(json.dump(2) + "\n");
        return Exit::ok;
    }
    const auto letter = [](std::size_t i) { return std::string(1, static_cast<char>('A' + i)); };
    std::string answers = "Answers\n";
    for (std::size_t i = 0; i < quiz.size(); ++i) {
        const QuizQuestion& q = quiz[i];
        const std::string number = pad_left(std::to_string(i + 1), 2) + "  ";
        print(number + wrap(q.question, 96, 4) + "\n");
        for (std::size_t c = 0; c < q.choices.size(); ++c) print("    " + letter(c) + "  " + wrap(q.choices[c], 92, 7) + "\n");
        answers += number + wrap(letter(static_cast<std::size_t>(q.answer)) + "  " + q.why + " See: " + see(q), 96, 7) + "\n";
    }
    print("\n" + answers);
    return Exit::ok;
}

// What a language lacks, one a line.
Exit list_missing_texts(const Options& options) {
    if (options.language == kEnglish)
        throw Error("missing-texts needs a language that English is translated into",
                    "For example: speclens list missing-texts --language de", Exit::usage);
    std::vector<std::string> missing = texts_to_translate(options.language);
    const auto add = [&](const std::string& what, const std::vector<std::string>& names) {
        for (const std::string& name : names) missing.push_back(what + ": " + name);
    };
    add("glossary.json", terms_to_translate(assets_folder() / "glossary.json", file_of_language(options.language, "glossary.json")));
    add("quiz.json", questions_to_translate(assets_folder() / "quiz.json", file_of_language(options.language, "quiz.json")));
    std::vector<std::string> files;
    for (const auto& file : shipped_lectures())
        if (lecture_in(options.language, file) == file) files.push_back(file.filename().string());
    add("lecture", files);
    if (!options.json.empty()) {
        print(OrderedJson(missing).dump(2) + "\n");
        return Exit::ok;
    }
    for (const std::string& text : missing) print(text + "\n");
    return Exit::ok;
}

struct List {
    const char* name;
    std::vector<Item> (*items)(const Options&);
};
// clang-format off
constexpr List kLists[] = {{"scenes", scenes},    {"drafters", drafters}, {"rules", rules},
                           {"verifiers", rules},  {"keys", keys},         {"geometries", geometries},
                           {"lectures", lectures}};
// clang-format on

} // namespace

std::vector<std::string> list_names() {
    std::vector<std::string> names{"published", "models", "heads", "glossary", "quiz", "missing-texts"};
    for (const List& list : kLists) names.emplace_back(list.name);
    return names;
}

Exit command_list(const Options& options) {
    if (options.words[0] == "published") return list_published(options);
    if (options.words[0] == "glossary") return list_glossary(options);
    if (options.words[0] == "heads") return list_heads(options);
    if (options.words[0] == "quiz" && options.words.size() == 1) return list_quiz(options);
    if (options.words.size() > 1)
        throw Error("'" + options.words[1] + "' is one word too many for 'speclens list " + options.words[0] + "'",
                    "Only 'speclens list published' takes a method, 'speclens list heads' a target and 'speclens list glossary' a word.",
                    Exit::usage);
    if (options.words[0] == "models") return list_models(options);
    if (options.words[0] == "missing-texts") return list_missing_texts(options);
    for (const List& list : kLists) {
        if (options.words[0] != list.name) continue;
        const std::vector<Item> items = list.items(options);
        if (!options.json.empty()) {
            OrderedJson json = OrderedJson::array();
            for (const Item& item : items) json.push_back({{"name", item.name}, {"title", item.title}, {"about", item.about}});
            print(json.dump(2) + "\n");
            return Exit::ok;
        }
        int names = 0, titles = 0;
        for (const Item& item : items) {
            names = std::max(names, columns(item.name));
            titles = std::max(titles, columns(item.title));
        }
        for (const Item& item : items)
            print(beside(pad(item.name, titles ? names + 2 : 0) + item.title, names + 2 + (titles ? titles + 2 : 0), item.about,
                         standard_terminal(options.color).prose_width()));
        return Exit::ok;
    }
    unknown_name("list", options.words[0], list_names());
}

} // namespace speclens::cli
