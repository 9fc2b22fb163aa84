// Stories as data: what a text may hold, what a file may ask of its scene, and that the shipped ones are whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "engine/published/ablations.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "scenes/shared/scene.h"
#include "scenes/shared/story.h"
#include "scenes/shared/told.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

std::string filled(const std::string& text, std::initializer_list<SaidValue> values) {
    const std::vector<std::string> numbers = {"no", "one", "two"};
    return StoryText(text).fill({values.begin(), values.size()}, numbers);
}

TEST(StoryText, FillsNumbersPluralsAndChoices) {
    EXPECT_EQ(filled("{kept} of {n} draft {n|token|tokens}", {{"kept", std::int64_t{1}}, {"n", std::int64_t{3}}}), "1 of 3 draft tokens");
    EXPECT_EQ(filled("{n} {n|token|tokens}", {{"n", std::int64_t{1}}}), "1 token");
    EXPECT_EQ(filled("{n:word} {n:Word} {m:word} {name:Capital}", {{"n", std::int64_t{2}}, {"m", std::int64_t{7}}, {"name", "it"}}),
              "two Two 7 It");
    EXPECT_EQ(filled("{n|the guess|all {n:word} guesses}", {{"n", std::int64_t{2}}}), "all two guesses");
    EXPECT_EQ(filled("in{took? {took}|finite}", {{"took", "3 ms"}}), "in 3 ms");
    EXPECT_EQ(filled("in{took? {took}|finite}", {{"took", ""}}), "infinite");
    EXPECT_EQ(filled("{n?{n} {n|pass|passes}|none}", {{"n", std::int64_t{0}}}), "none");
    EXPECT_EQ(filled("{n?{n} {n|pass|passes}|none}", {{"n", std::int64_t{1}}}), "1 pass");
    EXPECT_EQ(filled("{{a}}", {}), "{a}");
    EXPECT_EQ(filled("Nur {n|ein Token|{n} Token} – “Ä”", {{"n", std::int64_t{4}}}), "Nur 4 Token – “Ä”");
}

// Where a text may end earlier is what its file says: no value, of a prompt or of data, ends a sentence or a part.
TEST(StoryText, MarksWhereItMayEndEarlier) {
    const SayInner inner = [](const Said& said, std::string_view) { return std::string(said.text); };
    const std::vector<SaidValue> values = {
        {"typed", "One. Two · three"}, {"rate", 1.5}, {"items", std::vector<Said>{{"x", "a, b", {}}, {"x", "c", {}}}}};
    const auto marked = [&](Seam seam) {
        std::string text = StoryText("He said {typed}. It was {rate:1}.{items? That is {items}.} · {items}").fill(values, {}, inner, seam);
        std::ranges::replace(text, kSeam, '^');
        return text;
    };
    EXPECT_EQ(marked(Seam::none), "He said One. Two · three. It was 1.5. That is a, b; c. · a, b; c");
    EXPECT_EQ(marked(Seam::sentence), "He said One. Two · three.^ It was 1.5.^ That is a, b; c.^ · a, b; c");
    EXPECT_EQ(marked(Seam::part), "He said One. Two · three. It was 1.5. That is a, b; c.^ · a, b; c");
    EXPECT_EQ(marked(Seam::item), "He said One. Two · three. It was 1.5. That is a, b^; c. · a, b^; c");
}

TEST(StoryText, IsLeftOutPieceByPiece) {
    EXPECT_EQ(shorter_and_shorter("Typed. As it is", Seam::sentence), (std::vector<std::string>{"Typed. As it is", "Typed."}));
    EXPECT_EQ(shorter_and_shorter("Typed · as it is", Seam::part), std::vector<std::string>{"Typed · as it is"});
    const Message two = message(SaidOf<"shared">()("machine.threads"_t, "device"_v = std::string("CPU · AVX2"), "threads"_v = 2));
    EXPECT_EQ(shorter_and_shorter(two, Seam::part), (std::vector<std::string>{"CPU · AVX2 · 2 threads", "CPU · AVX2"}));
    EXPECT_EQ(shorter_and_shorter(two, Seam::sentence), std::vector<std::string>{two.words()});
    const StoryBook& book = stories();
    long several = 0;
    for (const auto& [scene, shape] : story_shapes()) // of every text without values
        for (const auto& [text, cases] : shape.texts)
            for (const auto& [which, kinds] : cases) {
                const std::string id = text + (which.empty() ? "" : ":" + which);
                if (!book.text(scene, id).names().empty()) continue;
                const Message whole = message(Said{scene, id, {}});
                const std::vector<std::string> ways = shorter_and_shorter(whole, Seam::sentence);
                EXPECT_EQ(ways.front(), whole.words()) << id;
                for (std::size_t i = 1; i < ways.size(); ++i) {
                    EXPECT_TRUE(ways[i - 1].starts_with(ways[i] + " ") && ways[i].ends_with('.')) << id << ": " << ways[i];
                    ++several;
                }
            }
    EXPECT_GT(several, 100);
}

// What the accept rule compares is spelled one way on every screen: target ÷ draft. The papers' letters are explained once.
TEST(StoryText, SpellsTheRatioOneWay) {
    const std::filesystem::path assets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets";
    std::vector<std::filesystem::path> files{assets / "glossary.json", assets / "quiz.json"};
    for (const auto& file : std::filesystem::directory_iterator(assets / "stories")) files.push_back(file.path());
    for (const auto& file : std::filesystem::directory_iterator(assets / "lectures")) files.push_back(file.path());
    for (const std::filesystem::path& file : files) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            if (line.find("\"notation\"") != std::string::npos || line.find("Leviathan et al.; some papers") != std::string::npos) continue;
            for (const char* letters : {"p ÷ q", "p/q", "t ÷ d\"", "t ÷ d)", "p ÷ ("})
                EXPECT_EQ(line.find(letters), std::string::npos) << file.filename() << ": " << line;
        }
    }
}

std::string error_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// What a program reads has the number; how it is rounded and with which sign it is written, the text and its language say.
TEST(StoryText, WritesNumbersAsItSays) {
    EXPECT_EQ(filled("{x:2} {x:0} {p:percent} {p:chance} {q:chance} {x:short} {t:tenths}",
                     {{"x", 1234.567}, {"p", 0.385}, {"q", 0.004}, {"t", 1.0}}),
              "1\u2009234.57 1\u2009235 38\u2009% .39 <.01 1.23e+03 1.0");
    EXPECT_EQ(filled("{a:bytes} {b:bytes} {c:bytes} {gone:bytes}", {{"a", 2e6}, {"b", 269e6}, {"c", 1.44e9}, {"gone"}}),
              "2.0 MB 269 MB 1.4 GB –");
    EXPECT_EQ(filled("{a:fine} {b:fine} {c:fine} {d:fine} {gone:fine}", {{"a", 0.38}, {"b", 0.00041}, {"c", 1e-7}, {"d", 0.0}, {"gone"}}),
              ".38 .0004 <.00001 0 –");
    EXPECT_EQ(
        filled("{a:three} {b:three} {c:three} {d:three} {gone:three}", {{"a", 0.5}, {"b", 0.003519}, {"c", 1e-7}, {"d", 1.0}, {"gone"}}),
        ".500 .00352 <.00001 1.00 –");
    EXPECT_EQ(filled("{n:2}{gone?, {gone:2}|, nothing}", {{"n", std::int64_t{3}}, {"gone"}}), "3.00, nothing");
    EXPECT_EQ(filled("{gone:2}", {{"gone"}}), "–");
    EXPECT_EQ(filled("{a:exact} {b:exact} {c:exact} {n:exact} {gone:exact}",
                     {{"a", 0.0006}, {"b", 12360.49}, {"c", 5.0}, {"n", std::int64_t{55934976}}, {"gone"}}),
              "0.0006 12\u2009360.49 5 55\u2009934\u2009976 –");
}

// A text stands in a text, in the form that is asked for; several are a list.
TEST(StoryText, SaysTextsOfItsOwn) {
    const SayInner inner = [](const Said& said, std::string_view form) { return std::string(said.text) + "/" + std::string(form); };
    const Said one{"s", "one", {}}, two{"s", "two", {}};
    const SaidValue values[] = {{"who", std::vector<Said>{one}}, {"all", std::vector<Said>{one, two}}, {"nobody", std::vector<Said>{}}};
    EXPECT_EQ(StoryText("{who} {who:of}: {all}{nobody? and {nobody}}").fill(values, {}, inner), "one/ one/of: one/, two/");
    const SayInner with_commas = [](const Said& said, std::string_view) { return said.text == "one" ? "1,5" : "2"; };
    EXPECT_EQ(StoryText("{who}: {all}").fill(values, {}, with_commas), "1,5: 1,5; 2") << "a comma is no end of such an item";
}

std::string refused(const std::string& text, ValueKind kind) {
    try {
        StoryText(text).check("x", kind);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(StoryText, RefusesAValueThatCannotStandSo) {
    EXPECT_NE(refused("{x}", ValueKind::real).find("say how it is written"), std::string::npos);
    EXPECT_NE(refused("{x|a|b}", ValueKind::real).find("is no count"), std::string::npos);
    EXPECT_NE(refused("{y?{x:2}}", ValueKind::words).find("is no number"), std::string::npos);
    EXPECT_NE(refused("{x:bytes}", ValueKind::words).find("is no number"), std::string::npos);
    EXPECT_NE(refused("{x:fine}", ValueKind::words).find("is no number"), std::string::npos);
    EXPECT_NE(refused("{x:three}", ValueKind::words).find("is no number"), std::string::npos);
    EXPECT_NE(refused("{x:of}", ValueKind::words).find("only a text of its own has forms"), std::string::npos);
    for (const auto& [text, kind] : std::initializer_list<std::pair<const char*, ValueKind>>{{"{x:2}", ValueKind::whole},
                                                                                             {"{x}", ValueKind::whole},
                                                                                             {"{x:percent}", ValueKind::real},
                                                                                             {"{x:bytes}", ValueKind::whole},
                                                                                             {"{x:of}", ValueKind::said},
                                                                                             {"{x}", ValueKind::words}})
        EXPECT_EQ(refused(text, kind), "") << text;
}

TEST(StoryText, SaysWhatIsWrongWithIt) {
    for (const auto& [text, what] :
         std::initializer_list<std::pair<const char*, const char*>>{{"a } b", "a } without its {"},
                                                                    {"a {n", "a { without its }"},
                                                                    {"{}", "{} begins with no name of a value"},
                                                                    {"{n:Bold}", "behind the colon stands word, Word, Capital"},
                                                                    {"{n|one}", "a plural has two forms"},
                                                                    {"{n|a|b|c}", "a plural has two forms"},
                                                                    {"{n?a|b|c}", "a choice has two ways at most"},
                                                                    {"{n?{m?a}|b}", "a choice inside a choice or a plural"},
                                                                    {"{n|{m|a|b}|c}", "a plural inside a plural"},
                                                                    {"{n!}", "behind the name of a value stands"}})
        EXPECT_NE(error_of([&] { (void)StoryText(text); }).find(what), std::string::npos) << text;
}

// A file of the scene "advice" with these contents, in a folder of its own.
struct Written {
    test::TempFolder folder;
    explicit Written(const std::string& content, const std::string& name = "advice.toml") {
        std::ofstream(folder.path() / name) << content;
    }
    [[nodiscard]] std::string error() const {
        return error_of([&] { (void)read_stories(folder.path()); });
    }
};

TEST(Stories, AskOnlyForWhatTheirSceneOffers) {
    const auto says = [](const std::string& content, const std::string& what) {
        const std::string error = Written(content).error();
        EXPECT_NE(error.find(what), std::string::npos) << content << "\n" << error;
    };
    says("[[beat]]\nname = \"why\"\ntitle = \"{tokns} tokens\"\n",
         "advice.toml line 3: {tokns} is no value of why.title; there are: choice, passes, tokens");
    says("[[beat]]\nname = \"why\"\n[beat.text]\nmeasured = \"\"\nunmeasured = \"{round}\"\n",
         "line 5: {round} is no value of why.text, case unmeasured; there are: none");
    says("[[beat]]\nname = \"why\"\ntext = \"{round}\"\n", "{round} is no value of why.text; there are: none"); // of all cases
    says("[[beat]]\nname = \"why\"\n[beat.text]\nguessed = \"\"\n",
         "line 4: why.text has no case 'guessed'; there are: measured, unmeasured");
    says("[[beat]]\nname = \"why\"\nsubtitle = \"\"\n",
         "line 3: no text of this scene is called why.subtitle; there are: why.heading, why.text, why.title");
    says("[[beat]]\nname = \"how\"\n", "line 1: no beat of this scene is called 'how'; there are: bet, verdict, why, change");
    says("[[beat]]\nheading = \"\"\n", "a beat without a name");
    says("[[beat]]\nname = \"why\"\n[[beat]]\nname = \"bet\"\n",
         "line 3: the beat 'bet' stands too late; the order is: bet, verdict, why, change");
    says("[[beat]]\nname = \"why\"\n[[beat]]\nname = \"why\"\n", "the beat 'why' stands here twice");
    says("[[beat]]\nname = \"why\"\ntitle = 3\n", "line 3: why.title is no text");
    says("[[beat]]\nname = \"why\"\ntitle = \"{tokens\"\n", "line 3: a { without its }");
    says("[title\n", "advice.toml line 1: ");
    says("title = \"\"\n", "'title' is no table of texts");
    says("[[beat]]\nname = \"bet\"\nfocus = [\"cake\"]\n", "line 3: 'cake' is nothing that focus can name; there are: ");
    const std::string dflash =
        Written("[[beat]]\nname = \"masks\"\nfocus = [\"masks\", \"cake\"]\ncriterion = \"x\"\n", "dflash.toml").error();
    EXPECT_NE(dflash.find("dflash.toml line 3: 'cake' is nothing that focus can name; there are: distributions, masks, pass, times"),
              std::string::npos)
        << dflash;
    const std::string criterion = Written("[[beat]]\nname = \"masks\"\ncriterion = \"x\"\n", "dflash.toml").error();
    EXPECT_NE(criterion.find("line 3: 'x' is nothing that criterion can name; there are: blind refusal"), std::string::npos) << criterion;
    const std::string scene = Written("[[beat]]\nname = \"bet\"\n", "cake.toml").error();
    EXPECT_NE(scene.find("no scene is called cake; there are: accept-rule, advice, "), std::string::npos) << scene;
    EXPECT_NE(error_of([] { (void)read_stories("/nowhere/at/all"); }).find("no folder of stories"), std::string::npos);
}

const std::filesystem::path kShipped = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "stories";

TEST(Stories, OfTheRepositoryAreWholeAndEverySceneHasOne) {
    const StoryLayer shipped = read_stories(kShipped);
    EXPECT_EQ(missing_texts(shipped), std::vector<std::string>());
    for (const SceneInfo& scene : scene_list()) {
        ASSERT_TRUE(shipped.scenes.contains(scene.name)) << scene.name;
        EXPECT_EQ(shipped.scenes.at(scene.name).beats.size(), story_shapes().at(scene.name).beats.size()) << scene.name;
    }
}

// In every text of one line of the scenes that are made of messages, English and German: a value that nobody offers, and a text that
// nobody asks for. Each is found, and nothing else is left out.
TEST(Stories, PlantedMistakesAreFoundInEverySceneOfMessages) {
    const std::regex text(R"re(([a-z_0-9@]+) = "([^"]*)")re");
    std::size_t all = 0;
    for (const SceneInfo& scene : scene_list()) {
        for (const char* language : {"", "de"})
            for (const bool value : {true, false}) {
                std::ifstream file(kShipped / language / (std::string(scene.name) + ".toml"));
                std::string planted;
                std::size_t mistakes = 0;
                std::smatch parts;
                for (std::string line; std::getline(file, line); planted += line + "\n") {
                    if (!std::regex_match(line, parts, text) || parts[1] == "name" || parts[1] == "focus" || parts[1] == "hidden") continue;
                    const std::string key = parts[1], words = parts[2];
                    line = value ? key + " = \"" + words + "{cake}\"" : "cake_" + key + " = \"" + words + "\"";
                    ++mistakes;
                }
                const Written written(planted, std::string(scene.name) + ".toml");
                std::vector<std::string> problems;
                (void)read_stories(written.folder.path(), &problems);
                std::erase_if(problems,
                              [](const std::string& one) { return one.find("asks for the form") != std::string::npos; }); // planted
                EXPECT_GT(mistakes, 0U) << "nothing is said in assets/stories/" << language << "/" << scene.name << ".toml";
                all += mistakes;
                EXPECT_EQ(problems.size(), mistakes) << scene.name << " " << language;
                for (const std::string& problem : problems) {
                    const bool criterion = value && problem.find("{cake}' is nothing that criterion can name") != std::string::npos;
                    EXPECT_TRUE(criterion || problem.find(value ? "{cake} is no value of " : "cake_") != std::string::npos) << problem;
                }
            }
    }
    EXPECT_GT(all, 10000U);
}

// What a folder has of a text, by its cases; nothing where another language lacks it.
const ByName<StoryText>& cases_of(const StoryLayer& layer, std::string_view scene, std::string_view text) {
    static const ByName<StoryText> kNone;
    const auto of = layer.scenes.find(scene);
    if (of == layer.scenes.end()) return kNone;
    const auto cases = of->second.texts.find(text);
    return cases == of->second.texts.end() ? kNone : cases->second;
}

// A measured number of which the text does not say how it is written, and a name or a text of its own that is written as a number.
TEST(Stories, AValueWrittenAsAnotherKindIsFoundInEverySceneOfMessages) {
    std::vector<std::string> files = {"shared"};
    for (const SceneInfo& scene : scene_list()) files.emplace_back(scene.name);
    std::size_t real = 0, other = 0;
    for (const std::string& file : files)
        for (const char* language : {"", "de"}) {
            const StoryLayer layer = read_stories(kShipped / language);
            for (const auto& [name, cases] : story_shapes().at(file).texts)
                for (const auto& [which, values] : cases)
                    for (const auto& [id, words] : cases_of(layer, file, name)) {
                        if (id != which && id != "*") continue;
                        for (const auto& [value, kind] : values) {
                            if (std::ranges::find(words.names(), value) == words.names().end()) continue;
                            const std::string wrong = kind == ValueKind::real ? "{" + value + "}" : "{" + value + ":2}";
                            if (kind == ValueKind::whole) continue; // a count may be written as any number
                            ++(kind == ValueKind::real ? real : other);
                            EXPECT_NE(error_of([&] { StoryText(words.source() + wrong).check(value, kind); }), "") << name << " " << wrong;
                        }
                    }
        }
    EXPECT_GT(real, 500U);
    EXPECT_GT(other, 500U);
}

// A value that took another's place in a translation is read as the other's. German has those of a scene's texts in the order of English,
// but where its grammar wants another one.
TEST(Stories, NoValueTookAnothersPlaceInGerman) {
    const std::set<std::string> grammar = {
        "dflash.list.row",     "dflash.list.title:measured", "domino.low_rank.title:moved", "eagle3.words.off",
        "race.conclusion.won", "relaxed.position.stays",     "relaxed.rules.rule:relaxed",  "server.finding.plain"};
    const auto common = [](std::vector<std::string> names, const std::vector<std::string>& others) {
        std::erase_if(names, [&](const std::string& name) { return std::ranges::find(others, name) == others.end(); });
        return names;
    };
    const StoryLayer english = read_stories(kShipped), german = read_stories(kShipped / "de");
    std::size_t compared = 0;
    for (const SceneInfo& scene : scene_list())
        for (const auto& [name, cases] : english.scenes.at(scene.name).texts)
            for (const auto& [id, own] : cases_of(german, scene.name, name)) {
                const auto one = cases.find(id);
                if (one == cases.end()) continue; // one text there, cases here
                const std::string text = std::string(scene.name) + "." + name + (id.empty() || id == "*" ? "" : ":" + id);
                if (!grammar.contains(text)) {
                    EXPECT_EQ(common(own.names(), one->second.names()), common(one->second.names(), own.names())) << text;
                }
                compared += own.names().size() > 1;
            }
    EXPECT_GT(compared, 500U);
}

TEST(Stories, AMissingTextIsAnErrorAndIsNamed) {
    StoryLayer shipped = read_stories(kShipped);
    shipped.scenes.at("advice").texts.at("why.text").erase("measured");
    EXPECT_EQ(missing_texts(shipped), (std::vector<std::string>{"advice.toml: why.text, case measured"}));
    EXPECT_EQ(error_of([&] { (void)StoryBook(std::span(&shipped, 1)); }), "the story advice.toml lacks why.text, case measured");
}

TEST(Stories, WithoutBeatsCountNoBeats) {
    const Story story = story_at_beat({}, 0);
    EXPECT_EQ(story.caption, "");
    EXPECT_EQ(story.steps, 0);
    EXPECT_NE(story.no_back, "");
    EXPECT_NE(story.no_next, "");
    EXPECT_EQ(story_at_beat({}, 2).caption, "Beat 1 of 2");
}

TEST(Stories, AnotherLanguageLiesOverTheEnglishTextByText) {
    Written german(
        "[[beat]]\nname = \"why\"\nheading = \"Warum es so ausgeht\"\n[beat.text]\nmeasured = \"{tokens:1} Token in {round:0} ms\"\n");
    Written own("[[beat]]\nname = \"why\"\nheading = \"Mine\"\n");
    const StoryLayer layers[] = {read_stories(own.folder.path()), read_stories(german.folder.path()), read_stories(kShipped)};
    const StoryBook book(layers);
    const SaidValue values[] = {{"tokens", 2.5}, {"round", 7.0}};
    EXPECT_EQ(book.text("advice", "why.heading:measured").fill({}), "Mine");
    EXPECT_EQ(book.text("advice", "why.text:measured").fill(values), "2.5 Token in 7 ms");
    EXPECT_EQ(book.text("advice", "change.heading:measured").fill({}), "What would change it");
    const std::vector<std::string> missing = missing_texts(layers[1]);
    EXPECT_EQ(std::ranges::count(missing, "advice.toml: why.text, case unmeasured"), 1);
    EXPECT_EQ(std::ranges::count(missing, "advice.toml: why.text, case measured"), 0);
    EXPECT_EQ(std::ranges::count(missing, "advice.toml: why.heading, case unmeasured"), 0); // one for all cases
}

TEST(Stories, ALanguageIsAFolderAndAFolderOfOnesOwnComesFirst) {
    test::TempFolder folder;
    std::filesystem::copy(kShipped, folder / "stories", std::filesystem::copy_options::recursive);
    std::filesystem::create_directory(folder / "stories/de");
    std::ofstream(folder / "stories/de/shared.toml")
        << "[words]\nnumbers = \"null ein zwei\"\n[words.all_guesses]\nany = \"alle {n:word}\"\n";
    Written own("[[beat]]\nname = \"bet\"\nheading = \"Place your bets\"\n");
    const StoryBook book = load_stories(folder / "stories", "de", own.folder.path());
    const SaidValue values[] = {{"n", std::int64_t{2}}};
    EXPECT_EQ(book.text("shared", "words.all_guesses:any").fill(values, book.numbers()), "alle zwei");
    EXPECT_EQ(book.text("shared", "words.all_guesses:two").fill({}), "both guesses");
    EXPECT_EQ(book.text("advice", "bet.heading").fill({}), "Place your bets");
    EXPECT_EQ(load_stories(folder / "stories", "en", "").text("advice", "bet.heading").fill({}), "Does it pay here?");
    EXPECT_NE(error_of([&] { (void)load_stories(folder / "stories", "fr", ""); }).find("fr: no folder of stories"), std::string::npos);
}

// What several scenes say stands in shared.toml, or where it belongs, once: a sentence, or a label of three words.
TEST(Stories, NoSentenceStandsInTwoFiles) {
    constexpr long kLeastLetters = 12;
    const auto letters = [](const std::string& text) {
        long count = 0;
        bool inside = false;
        for (const unsigned char c : text) {
            if (c == '{' || c == '}') inside = c == '{';
            count += !inside && std::isalpha(c);
        }
        return count;
    };
    std::map<std::string, std::string> file_of;
    long sentences = 0;
    const StoryLayer shipped = read_stories(kShipped);
    for (const auto& [file, scene] : shipped.scenes)
        for (const auto& [name, cases] : scene.texts)
            for (const auto& [id, text] : cases) {
                if (letters(text.source()) < kLeastLetters) continue;
                ++sentences;
                const auto [first, fresh] = file_of.emplace(text.source(), file);
                EXPECT_EQ(first->second, file) << text.source();
            }
    EXPECT_GT(sentences, 2000);
}

// ---- what is broken is left out, text by text ----

TEST(Stories, WhatIsBrokenIsToldAndLeftOut) {
    Written own("[[beat]]\nname = \"bet\"\nheading = \"Place your bets\"\ntext = \"{cake}\"\n[words]\nfigure = \"Mine\"\nrange = \"{low} "
                "{high:2}\"\n");
    const StoryBook book = load_stories(kShipped, "en", own.folder.path(), Broken::left_out);
    EXPECT_EQ(book.text("advice", "bet.heading").source(), "Place your bets");
    EXPECT_EQ(book.text("advice", "words.figure").source(), "Mine");
    EXPECT_EQ(book.text("advice", "bet.text").source().substr(0, 10), "Ten papers") << "the shipped one";
    EXPECT_EQ(book.text("advice", "words.range").source(), "{low:2} to {high:2}×");
    ASSERT_EQ(book.problems().size(), 2U);
    EXPECT_NE(book.problems()[0].find("line 4: {cake} is no value of bet.text"), std::string::npos) << book.problems()[0];
    EXPECT_NE(book.problems()[1].find("line 7: {low} was measured: say how it is written"), std::string::npos) << book.problems()[1];
    const StoryBook without = load_stories(kShipped, "fr", "/nowhere", Broken::left_out);
    EXPECT_EQ(without.problems().size(), 2U);
    EXPECT_EQ(without.text("advice", "words.figure").source(), "{in_doubt?~}{speed_up:2}×");
}

// A program whose files are gone still speaks.
TEST(Stories, AreBuiltIn) {
    const StoryLayer built_in = built_in_stories();
    EXPECT_EQ(missing_texts(built_in), std::vector<std::string>());
    const StoryBook book = load_stories("/nowhere", "en", "", Broken::left_out);
    EXPECT_EQ(book.problems().size(), 1U);
    EXPECT_EQ(book.text("advice", "words.figure").source(), "{in_doubt?~}{speed_up:2}×");
}

TEST(Stories, AFormStandsBesideItsText) {
    Written own("[words]\nchoice = \"{drafter}\"\n\"choice@of\" = \"of {drafter}\"\n[title]\nplain = \"{best}\"\npays = \"the speed "
                "{choice:of}\"\n");
    const StoryBook book = load_stories(kShipped, "en", own.folder.path());
    const Said choice{"advice", "words.choice", {{"drafter", std::string("small")}, {"k", std::int64_t{3}}}};
    EXPECT_EQ(book.say({"advice", "title.pays", {{"choice", std::vector<Said>{choice}}, {"range", std::vector<Said>{}}}}),
              "the speed of small");
    EXPECT_NE(Written("[title]\npays = \"{choice:by}\"\n").error().find("title.pays asks for the form 'by', which no text has"),
              std::string::npos);
}

// Words of a file's data are looked up whole, and what a language lacks of them stays as it is.
TEST(Stories, WordsOfDataAreCasesOfTheirText) {
    const char* const kOwn = "[prompts.domain]\n\"*\" = \"{english}\"\n\"code, tests: all\" = \"Code\"\nmath = \"Rechnen ({english})\"\n";
    const StoryLayer layers[] = {read_stories(Written(kOwn, "shared.toml").folder.path()), read_stories(kShipped)};
    const StoryBook book(layers), english(std::span<const StoryLayer>(layers).subspan(1));
    const auto said = [](const StoryBook& by, const std::string& words) {
        return by.say({"shared", "prompts.domain", {{"english", words}}});
    };
    EXPECT_EQ(said(book, "code, tests: all"), "Code");
    EXPECT_EQ(said(book, "math"), "Rechnen (math)");
    EXPECT_EQ(said(book, "maths"), "maths");
    EXPECT_EQ(said(english, "math"), "math");
    EXPECT_EQ(std::ranges::count(missing_texts(layers[0]), "shared.toml: prompts.domain"), 0);
    const std::string error = Written("[prompts.domain]\nmath = \"{cake}\"\n", "shared.toml").error();
    EXPECT_NE(error.find("line 2: {cake} is no value of prompts.domain, case math; there are: english"), std::string::npos) << error;
}

// What stands in the stage's largest type.
std::string drawn_title(SceneBench& bench) {
    const ui::Rect stage = bench.controller.frame(bench.time).scene.stage, screen = bench.screen();
    const ui::Rect place = stage.w > 0 ? stage : frame_layout({screen.w, screen.h}, bench.controller.chrome.layout).stage;
    std::string words;
    for (const ui::RecordedText& text : bench.texts)
        if (text.font == ui::Font::text_bold && text.size >= 20 && text.box.y < place.y + 70 && place.contains(text.box.center()))
            words += (words.empty() ? "" : " ") + text.text;
    return words;
}

// Every beat of the scenes that tell a story, over a run that they are made for: a chain, a tree where there is one, heads' own.
template <class Visit>
void each_beat(const Visit& visit) {
    const std::filesystem::path assets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets";
    const auto figures = std::make_shared<const Published>(Published::load(assets / "published"));
    const auto ablations = std::make_shared<const Ablations>(load_ablations(assets / "models" / "ablations.json"));
    for (const SceneInfo& info : scene_list()) {
        std::vector<std::string> runs = {"mixed"};
        for (const char* head : fixtures::kRecorded)
            if (std::string_view(head) == info.name) runs = {head};
        if (std::string_view(info.name) == "trees") runs.emplace_back("tree");
        for (const std::string& run : runs) {
            const std::shared_ptr<const Trace> trace = load_trace(assets / "traces" / (run + ".jsonl"));
            SceneBench bench(info.name, {}, {0, 0, 2000, 1200}); // where no title is shortened
            bench.controller.figures = figures;
            bench.controller.ablations = ablations;
            bench.show(trace, trace->size() / 2);
            const int beats = info.make()->beats(bench.controller.frame(0).scene);
            for (int beat = 0; beat < beats; ++beat) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.settle();
                visit(bench, std::string(info.name) + " over " + run, beat);
            }
        }
    }
}

// Who hears a picture hears what stands over it.
TEST(Titles, BeginTheWordsOfTheirPicture) {
    each_beat([](SceneBench& bench, const std::string& where, int beat) {
        const FrameInput frame = bench.controller.frame(bench.time);
        const std::string words = frame.active->describe(frame.scene), title = drawn_title(bench);
        EXPECT_NE(title, "") << where << " beat " << beat + 1;
        EXPECT_EQ(words.substr(0, words.find('\n')), title) << where << " beat " << beat + 1;
    });
}

// A beat that leaves its neighbour's title standing tells nothing of its own.
TEST(Titles, AreAnotherAtEveryBeat) {
    std::string before, there;
    each_beat([&](SceneBench& bench, const std::string& where, int beat) {
        for (const char* measured : {"bottleneck", "advice", "server"}) // theirs are of what was measured, and here nothing is
            if (where.starts_with(measured)) return;
        const std::string title = drawn_title(bench);
        EXPECT_FALSE(beat > 0 && where == there && title == before) << where << " beats " << beat << " and " << beat + 1 << ": " << title;
        before = title, there = where;
    });
}

} // namespace
} // namespace speclens
