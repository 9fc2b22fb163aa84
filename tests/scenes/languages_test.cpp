// The program in other languages than English: every folder of assets/languages is read, its frames say nothing in English,
// nothing in them is cut off, and the window changes from one to the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/frame/window_assets.h"
#include "app/views/languages.h"
#include "engine/base/display_name.h"
#include "engine/published/ablations.h"
#include "engine/published/published_words.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "remote/same/same_words.h"
#include "scenes/shared/words.h"
#include "tests/scenes/run_elsewhere.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/in_german.h"
#include "tests/shared/said_values.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;
using german::kAssets;

constexpr const char* kElsewhere = "mixed, with its target elsewhere";

std::shared_ptr<const Trace> trace_to_show(const std::string& run) {
    const std::string file = run == kElsewhere ? "mixed" : run;
    const std::shared_ptr<const Trace> trace = load_trace(kAssets / "traces" / (file + ".jsonl"));
    return run == kElsewhere ? test::run_elsewhere(*trace) : trace;
}

// The runs that a scene is looked at with: of heads their own, of rounds a chain, a tree and a greedy one.
std::vector<std::string> runs_of(std::string_view scene) {
    for (const char* head : fixtures::kRecorded)
        if (scene == head) return {head};
    if (scene == "loop") return {"mixed", "tree", "greedy"};
    if (scene == "systems") return {"mixed", kElsewhere};
    return {"mixed"};
}

// Every beat of every scene that tells a story, and the steps of a round of the others.
template <class Visit>
void each_frame(ui::Vec2 size, const Visit& visit, const std::function<std::shared_ptr<const Trace>(const Trace&)>& other = {}) {
    const auto figures = std::make_shared<const Published>(Published::load(kAssets / "published"));
    for (const SceneInfo& info : scene_list()) {
        if (std::string_view(info.name) == "race") continue; // it shows no single run
        for (const std::string& run : runs_of(info.name)) {
            std::shared_ptr<const Trace> trace = trace_to_show(run);
            if (other) trace = other(*trace);
            SceneBench bench(info.name, {}, {0, 0, size.x, size.y});
            if (other)
                bench.fonts = &steady_fonts(); // published figures are words of data
            else
                bench.controller.figures = figures;
            bench.show(trace, trace->size());
            const std::string name = std::string(info.name) + " " + run;
            const int beats = info.make()->beats(bench.controller.frame(0).scene);
            for (int beat = 0; beat < beats; ++beat) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.frame();
                visit(bench, name + " beat " + std::to_string(beat));
            }
            constexpr std::size_t kSteps = 12; // a round and the beginning of the next one
            for (std::size_t cursor = 1; beats == 0 && cursor <= std::min(kSteps, trace->size()); ++cursor) {
                bench.controller.perform({SceneCommand{SetCursor{cursor}}}, 0);
                bench.frame();
                visit(bench, name + " step " + std::to_string(cursor));
            }
        }
    }
}

TEST_F(InGerman, FramesSayNothingInEnglishAndNothingIsCutOff) {
    for (const ui::Vec2 size : {ui::Vec2{1600, 1000}, ui::Vec2{1280, 720}})
        each_frame(size, [&](SceneBench& bench, const std::string& name) {
            const std::string what = name + ", " + std::to_string(static_cast<int>(size.x));
            look(bench, what, false);
            expect_whole_story(bench, what);
            where = "after " + what;
        });
}

// ---- what is drawn and is no message ----

// A text of a story whose own letters are Greek, so that every Latin one comes from a value, or from no message at all. Words of data
// are left out.
std::string in_greek(std::string_view text) {
    static constexpr std::string_view kGreek[] = {"α", "β", "ς", "δ", "ε", "φ", "γ", "η", "ι", "ξ", "κ", "λ", "μ",
                                                  "ν", "ο", "π", "θ", "ρ", "σ", "τ", "υ", "ϋ", "ω", "χ", "ψ", "ζ"};
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (text.substr(i).starts_with("{{")) {
            out += "{{";
            ++i;
        } else if (c == '{') { // the name of a value, and how it is written
            const std::size_t end = text.find_first_of("|?}", i);
            const std::string name(text.substr(i, end + 1 - i));
            out += name == "{english}" ? "α" : name;
            i = end;
        } else if (const int letter = std::tolower(static_cast<unsigned char>(c)) - 'a'; letter >= 0 && letter < 26) {
            out += kGreek[letter];
        } else {
            out += c;
        }
    }
    return out;
}

// What drafters are called are names, also where they are messages.
bool is_name(std::string_view scene, std::string_view text) {
    return scene == "drafter-names" && (text.find(".title") != std::string_view::npos || text.find(".short") != std::string_view::npos);
}

std::shared_ptr<const StoryBook> greek_book() {
    StoryLayer english = read_stories(kAssets / "stories");
    for (auto& [scene, of] : english.scenes)
        for (auto& [name, cases] : of.texts)
            for (auto& [which, text] : cases)
                if (!is_name(scene, name)) text = StoryText(in_greek(text.source()));
    return std::make_shared<const StoryBook>(std::span<const StoryLayer>(&english, 1));
}

// The same run of tokens that have no letters.
std::shared_ptr<const Trace> without_words(const Trace& trace) {
    auto same = std::make_shared<Trace>([](int id) { return " " + std::to_string(id); });
    for (std::size_t i = 0; i < trace.size(); ++i) {
        Event event = trace[i];
        if (auto* header = std::get_if<Header>(&event)) header->prompt_text = "1 2 3";
        same->append(std::move(event));
    }
    return same;
}

class InGreek : public ::testing::Test {
  protected:
    void SetUp() override {
        use_stories(greek_book());
        SceneBench::heard = [this](const ui::RecordCanvas& canvas, const Message&) {
            for (const ui::RecordedText& text : canvas.texts()) take(text.text);
        };
    }
    void TearDown() override {
        SceneBench::heard = {};
        use_stories(std::make_shared<const StoryBook>(load_stories(kAssets / "stories", "en", "")));
    }
    // Words of at least two Latin letters, but those that were cut, what has digits (a hash, an address) and parts of paths.
    void take(std::string_view text) {
        std::string word;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]))) {
                word += text[i];
                continue;
            }
            const bool letters = std::ranges::all_of(word, [](unsigned char c) { return std::isalpha(c); });
            const bool path = text.substr(i).starts_with('/') || text.substr(0, i - word.size()).ends_with('/');
            if (word.size() > 1 && letters && !path && !text.substr(i).starts_with("…")) words_.insert(word);
            word.clear();
        }
    }
    // Those that the golden lacks, a line each; what it has and nothing says any more goes when it is written anew.
    [[nodiscard]] std::string unlisted() const {
        const std::filesystem::path golden = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/scenes/golden/as-it-is.txt";
        if (updating()) {
            std::ofstream out(golden);
            for (const std::string& word : words_) out << word << "\n";
        }
        std::istringstream names(read(golden));
        const std::istream_iterator<std::string> first(names), last;
        const std::set<std::string> listed(first, last);
        std::string list;
        std::ranges::for_each(words_, [&](const std::string& word) { list += listed.contains(word) ? "" : word + "\n"; });
        return list;
    }

  private:
    std::set<std::string> words_;
};

TEST(Greek, LeavesWhatStandsInBracesAsItIs) {
    EXPECT_EQ(in_greek("ab {n} c{n|b|{m:2} a}"), "αβ {n} ς{n|β|{m:2} α}");
    EXPECT_EQ(in_greek("{took? a {took}|, b}{{c}}"), "{took? α {took}|, β}{{ς}}");
    EXPECT_EQ(in_greek("{english}"), "α");
}

// Numbers, tokens and names stand as they are; every other word of a frame comes from a message, so that another language can say it. The
// golden has the names: of drafters and rules as the command line writes them, of models and machines, keys, units and badges.
TEST_F(InGreek, WhatNoMessageSaysIsAName) {
    for (const ui::Vec2 size : {ui::Vec2{1600, 1000}, ui::Vec2{1100, 700}})
        each_frame(
            size, [](SceneBench&, const std::string&) {}, without_words);
    SceneBench bench("loop");
    bench.fonts = &steady_fonts();
    const std::shared_ptr<const Trace> trace = without_words(*trace_to_show("mixed"));
    bench.show(trace, trace->size() / 2);
    for (int menu = 0; menu < std::ssize(menu_names()); ++menu) {
        bench.controller.chrome.menu = menu;
        bench.settle();
    }
    bench.controller.chrome.menu = -1;
    for (const Action action : {Action::edit_prompt, Action::open_model, Action::export_frame, Action::fork, Action::draft_lengths,
                                Action::keys, Action::palette}) {
        bench.controller.perform({PickAction{action}}, bench.time);
        bench.settle();
        bench.controller.chrome.popup = Popup::none;
    }
    EXPECT_EQ(unlisted(), "") << "say it by a message; a name is listed with SPEC_UPDATE_GOLDEN=1";
}

// A text that is not translated yet is English meanwhile; a text that asks for what its scene does not offer is an error when it
// is read.
TEST(Languages, OfTheRepositoryAreReadAndWhole) {
    for (const auto& entry : fs::directory_iterator(kAssets / "languages")) {
        const std::string language = entry.path().filename().string();
        const StoryLayer own = read_stories(kAssets / "stories" / language);
        EXPECT_EQ(missing_texts(own), std::vector<std::string>()) << language;
        EXPECT_NE(load_language(entry.path() / "language.toml")->title, "English");
        const WindowTexts texts = load_window_texts(kAssets, language), english = load_window_texts(kAssets, "en");
        EXPECT_EQ(texts.problem, "");
        EXPECT_EQ(texts.glossary.size(), english.glossary.size());
        EXPECT_EQ(texts.quiz.size(), english.quiz.size());
    }
}

// Writes the marks of the English texts that the stories were translated from; what changed since is on the list of the command.
TEST(Languages, OriginalsAreThoseOfTextsThatThereAre) {
    ASSERT_EQ(summarize({}).sentence.scene, started_said(2).scene) << "what no scene says, so that this program knows it";
    const fs::path file = kAssets / "languages/de/originals.txt";
    const std::string now = originals_of(kAssets, "de");
    if (updating()) {
        std::string said_by_run; // tests/app/cli/walk_test.cpp writes these
        std::istringstream old(read(file));
        for (std::string line; std::getline(old, line);)
            if (line.starts_with("walk.toml:")) said_by_run += line + "\n";
        std::ofstream(file) << now << said_by_run;
    }
    std::set<std::string> names;
    std::istringstream lines(now);
    for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.rfind(' ')));
    EXPECT_GT(names.size(), 500U);
    const std::vector<std::string> listed = stories_to_translate(kAssets, "de");
    for (const std::string& one : listed) EXPECT_TRUE(one.ends_with("(the English text has changed)") || !names.contains(one)) << one;
}

TEST(Languages, AChangedEnglishTextIsListed) {
    test::TempFolder folder;
    fs::create_directories(folder / "stories/xx");
    fs::create_directories(folder / "languages/xx");
    for (const auto& entry : fs::directory_iterator(kAssets / "stories"))
        if (entry.is_regular_file()) fs::copy_file(entry.path(), folder / "stories" / entry.path().filename());
    std::ofstream(folder / "stories/xx/advice.toml") << "[[beat]]\nname = \"bet\"\nheading = \"Zahlt es sich aus?\"\n";
    std::ofstream(folder / "languages/xx/originals.txt") << originals_of(folder.path(), "xx");
    const std::string name = "advice.toml: bet.heading";
    const auto listed = [&](const std::string& line) { return std::ranges::count(stories_to_translate(folder.path(), "xx"), line); };
    EXPECT_EQ(listed(name), 0);
    EXPECT_EQ(listed(name + " (the English text has changed)"), 0);
    EXPECT_EQ(listed("advice.toml: bet.text"), 1) << "not translated";
    std::string english = read(folder / "stories/advice.toml");
    const std::string heading = "heading = \"Does it pay here?\"";
    english.replace(english.find(heading), heading.size(), "heading = \"Does it pay on this machine?\"");
    std::ofstream(folder / "stories/advice.toml") << english;
    EXPECT_EQ(listed(name + " (the English text has changed)"), 1);
}

// As English and German write them, in ascending order: ".6" is 0,6.
std::vector<std::string> numbers_written(const std::string& text) {
    static const std::regex kNumber(R"(\d+(?:[.,]\d+)?|\.\d+)");
    std::vector<std::string> numbers;
    for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
        std::string number = at->str();
        std::ranges::replace(number, ',', '.');
        numbers.push_back((number.starts_with('.') ? "0" : "") + number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

// Every sentence about a published figure has a German one with the same numbers, and none is of a figure that is gone. What a figure was
// measured on may be a name, and stays; where it says something it is German.
TEST_F(InGerman, PublishedFiguresAreSaidWithTheirNumbers) {
    const Published published = Published::load(kAssets / "published");
    const StoryLayer texts = read_stories(kAssets / "stories/de");
    std::map<std::string, std::set<std::string>, std::less<>> used; // of each text the English words
    const auto use = [&](const Said& said) {
        if (said.scene != "published") return;
        const std::string english = test::words(said, "english"), own = message(said);
        used[std::string(said.text)].insert(english);
        EXPECT_EQ(numbers_written(own), numbers_written(english)) << own;
        EXPECT_EQ(german::english_in(own), "") << own;
    };
    for (const PublishedFigure& figure : published.figures()) {
        for (const Said& said : texts_said(figure)) {
            use(said);
            EXPECT_TRUE(texts.scenes.at("published").texts.at(std::string(said.text)).contains(test::words(said, "english"))) << said.id();
        }
        for (const Said& said : conditions_said(figure)) use(said);
        for (const Said& place : test::list(citation_said(figure, published.source_of(figure)), "place")) use(place);
        if (figure.form == Form::list)
            for (const Said& one : test::list(series_said(figure), "values")) use(test::inner(one, "label"));
    }
    std::size_t cases = 0;
    for (const auto& [text, own] : texts.scenes.at("published").texts)
        for (const auto& [english, words] : own) {
            EXPECT_TRUE(english == "*" || used[text].contains(english)) << text << ": no figure says " << english;
            ++cases;
        }
    EXPECT_GT(cases, 500U);
}

// What a set of prompts says of each, and where the shipped recordings were made.
TEST_F(InGerman, DomainsAndMachinesAreSaid) {
    const std::regex domain(R"re("domain": ?"([^"]+)")re");
    const std::string sets = german::all_in(kAssets / "prompts", ".jsonl");
    std::set<std::string> domains;
    for (std::sregex_iterator at(sets.begin(), sets.end(), domain), end; at != end; ++at) domains.insert((*at)[1]);
    EXPECT_GT(domains.size(), 15U);
    for (const std::string& one : domains) EXPECT_NE(message(domain_said(one).at(0)).words(), one);
    for (const AblationStudy& study : load_experiments(kAssets / "models").studies) {
        const std::string own = message(machine_said(study.machine).at(0));
        EXPECT_NE(own, study.machine);
        EXPECT_EQ(numbers_written(own), numbers_written(study.machine));
    }
    EXPECT_EQ(message(machine_said("AMD EPYC, 2 cores").at(0)).words(), "AMD EPYC, 2 Kerne");
    EXPECT_EQ(message(device_said("CPU · AVX2 · 1 thread").at(0)).words(), "CPU · AVX2 · 1 Thread");
    EXPECT_EQ(message(device_said("CPU · AVX2 · 2 threads").at(0)).words(), "CPU · AVX2 · 2 Threads");
}

TEST(Languages, ASentenceOfAFigureThatIsMissingIsListed) {
    const std::string name = "published.toml: figure.claim, case Tokens per round";
    test::TempFolder folder;
    fs::create_directories(folder / "stories/xx");
    fs::create_directories(folder / "languages/xx");
    fs::copy(kAssets / "published", folder / "published");
    for (const auto& entry : fs::directory_iterator(kAssets / "stories"))
        if (entry.is_regular_file()) fs::copy_file(entry.path(), folder / "stories" / entry.path().filename());
    const auto listed = [&] { return std::ranges::count(stories_to_translate(folder.path(), "xx"), name); };
    EXPECT_EQ(listed(), 1) << "once, though many figures say it";
    std::ofstream(folder / "stories/xx/published.toml") << "[figure.claim]\n\"Tokens per round\" = \"Token pro Runde\"\n";
    EXPECT_EQ(listed(), 0);
}

TEST(Languages, NamesOfScenesDraftersRolesAndKeysAreListedWhereTheyAreMissing) {
    const std::vector<std::string> missing = missing_texts({});
    for (const char* name : {"bottleneck.toml: scene.title", "loop.toml: scene.about", "accept-rule.toml: keys.c", "shared.toml: rail.why",
                             "shared.toml: role.residual", "shared.toml: key.space", "drafter-names.toml: lookup.title",
                             "frame.toml: quit.label", "frame.toml: off.greedy"})
        EXPECT_EQ(std::ranges::count(missing, name), 1) << name;
}

TEST(Languages, AFileOfALanguageSaysWhatIsWrongWithIt) {
    test::TempFolder folder;
    const auto error = [&](const std::string& text) -> std::string {
        std::ofstream(folder / "language.toml") << text;
        try {
            (void)load_language(folder / "language.toml");
        } catch (const Error& wrong) {
            return wrong.what();
        }
        return "";
    };
    EXPECT_EQ(error("title = \"X\"\ndecimal = \",\"\nquotes = [\"«\", \"»\"]\n"), "");
    EXPECT_NE(error("decimal = \",\"\ntitle = 3\n").find("line 2: no text"), std::string::npos);
    EXPECT_NE(error("decimal = \"..\"\n").find("decimal is one sign"), std::string::npos);
    EXPECT_NE(error("quotes = [\"a\"]\n").find("quotes are two"), std::string::npos);
    EXPECT_NE(error("cake = \"x\"\n").find("'cake' is none of title, decimal and quotes"), std::string::npos);
    EXPECT_NE(error("[cake\n").find("line 1"), std::string::npos);
}

TEST(Languages, AreChangedInTheWindowAndRemembered) {
    SceneBench bench("loop");
    bench.settle();
    ASSERT_TRUE(bench.shows("File"));
    bench.controller.perform({PickAction{Action::language}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("Datei"));
    EXPECT_EQ(bench.controller.preferences().language, "de");
    EXPECT_EQ(std::ranges::count(bench.controller.glossary, "Zielmodell", &GlossaryEntry::term), 1);
    const std::string words = in_english([] { return ui::language().name + " " + stories().text("advice", "bet.heading").fill({}); });
    EXPECT_EQ(words.find("en Does it"), 0U) << words;
    EXPECT_EQ(ui::language().name, "de") << "afterwards as before";
    bench.controller.perform({PickAction{Action::language}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("File"));
    EXPECT_EQ(bench.controller.preferences().language, "en");
}

TEST(Languages, OfTheEnvironment) {
    const auto is = [](const char* all, const char* lang) {
        ::setenv("LC_ALL", all, 1);
        ::unsetenv("LC_MESSAGES");
        ::setenv("LANG", lang, 1);
        return language_of_environment();
    };
    const char* before = std::getenv("LANG");
    const std::string kept = before ? before : "";
    EXPECT_EQ(is("", "de_DE.UTF-8"), "de");
    EXPECT_EQ(is("C", "de_DE.UTF-8"), "en") << "the first that is set counts";
    EXPECT_EQ(is("de", ""), "de");
    EXPECT_EQ(is("", "xx_YY"), "en");
    EXPECT_EQ(is("", ""), "en");
    EXPECT_EQ(language_named("en"), "en");
    EXPECT_THROW((void)language_named("xx"), Error);
    ::unsetenv("LC_ALL");
    kept.empty() ? ::unsetenv("LANG") : ::setenv("LANG", kept.c_str(), 1);
}

} // namespace
} // namespace speclens
