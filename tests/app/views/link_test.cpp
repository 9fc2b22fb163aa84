// Links: what they say, what they refuse, and that a link leads back to the run it was made from.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "app/cli/lecture.h"
#include "app/cli/setup.h"
#include "app/cli/view.h"
#include "app/views/link.h"
#include "engine/drafters/drafter_info.h"
#include "engine/fetch/fetch.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens::cli {
namespace {

std::string refusal(const std::string& link) {
    try {
        (void)parse_link(link);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::usage);
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "accepted";
}

RunSettings round_trip(const RunSettings& settings) {
    Link link;
    link.scene = "loop";
    link.at = 5;
    link.options = options_of(settings);
    const Options options = parse({"render", to_text(link), "-o", "x.png"});
    Options read = options;
    read_prompt(read);
    EXPECT_EQ(options.link->at, 5U);
    check_drafter_options(options, {settings.drafter}, 12);
    EXPECT_EQ(options.drafters.at(0).name, settings.drafter);
    return scene_settings(read, "loop", options.drafters[0].name);
}

} // namespace

TEST(Link, NamesSceneBeatPlaceAndOptions) {
    const Link link = parse_link("speclens://domino/4?at=31&select=2.6&k=7&prompt=Hello%20there%26=&chat");
    EXPECT_EQ(link.scene, "domino");
    EXPECT_EQ(link.beat, 4);
    EXPECT_EQ(link.at, 31U);
    ASSERT_TRUE(link.selected);
    EXPECT_EQ(*link.selected, std::pair(1, 5));
    EXPECT_EQ(link.options, (LinkOptions{{"k", "7"}, {"prompt", "Hello there&="}, {"chat", ""}}));
    EXPECT_EQ(parse_link(to_text(link)), link);
    EXPECT_EQ(to_text(link), "speclens://domino/4?at=31&select=2.6&k=7&prompt=Hello%20there%26=&chat");
}

// Of a page that somebody serves: it opens where nothing is installed, and here as well.
TEST(Link, OfAPageIsTheSameFrame) {
    const Link link = parse_link("speclens://domino/4?at=31&select=2.6&k=7&prompt=Hello%20there%26=&chat");
    const std::string page = "https://example.org/lens/?language=de", text = to_text(link, page);
    EXPECT_EQ(text, page + "#domino/4?at=31&select=2.6&k=7&prompt=Hello%20there%26=&chat");
    EXPECT_TRUE(is_link(text));
    EXPECT_EQ(parse_link(text), link);
    EXPECT_EQ(to_text(link, ""), to_text(link));
    const Options options = parse({"describe", text});
    EXPECT_EQ(options.words, std::vector<std::string>{"domino:4"});
    EXPECT_EQ(options.link, link);
    EXPECT_THROW((void)parse_link("https://example.org/#"), Error);
    for (const char* other : {"https://example.org/", "http://127.0.0.1:8000", "ftp://example.org/#loop", "loop#3", "https://#loop"})
        EXPECT_FALSE(is_link(other)) << other;
    EXPECT_TRUE(is_page_address("https://example.org/lens/"));
    for (const char* none : {"", "example.org", "https://", "https://example.org/#loop", "https://example.org/a b", "speclens://loop"})
        EXPECT_FALSE(is_page_address(none)) << none;
}

TEST(Link, KeepsEveryByteOfAPrompt) {
    std::string bytes;
    for (int i = 1; i < 256; ++i) bytes += static_cast<char>(i);
    const Link link{"loop", 0, 0, {}, {{"prompt", bytes}}};
    const std::string text = to_text(link);
    for (const char c : text) EXPECT_TRUE(c > ' ' && c < 127) << static_cast<int>(c);
    EXPECT_EQ(parse_link(text), link);
}

TEST(Link, RefusesWhatItDoesNotMean) {
    EXPECT_EQ(refusal("speclens://"), "link: no scene is named");
    EXPECT_EQ(refusal("speclens://?k=1"), "link: no scene is named");
    EXPECT_EQ(refusal("http://x"), "link: 'http://x' does not begin with speclens://");
    EXPECT_EQ(refusal("speclens://loop/x"), "link: beat 'x' is not an integer from 1");
    EXPECT_EQ(refusal("speclens://loop/0"), "link: beat '0' is not an integer from 1");
    EXPECT_EQ(refusal("speclens://loop?at=99999999999999999999"), "link: at '99999999999999999999' is not an integer from 1");
    EXPECT_EQ(refusal("speclens://loop?select=3"), "link: select '3' is not CYCLE.GUESS");
    EXPECT_EQ(refusal("speclens://loop?prompt=%4"), "link: '%4' is no %XX");
    EXPECT_EQ(refusal("speclens://loop?prompt=%+1"), "link: '%+1' is no %XX");
    EXPECT_EQ(refusal("speclens://loop?prompt"), "link: prompt needs a value");
    EXPECT_EQ(refusal("speclens://loop?chat=yes"), "link: chat is a switch: it takes no value");
    EXPECT_EQ(refusal("speclens://loop?k=1&k=2"), "link: k stands there twice");
    // What writes files, reads them or opens connections cannot stand in a link.
    for (const char* name : {"json", "csv", "all", "o", "session", "prompts", "attach", "key-from", "backend"})
        EXPECT_EQ(refusal("speclens://loop?" + std::string(name) + "=x"), "link: '" + std::string(name) + "' is no part of a link");
    EXPECT_EQ(refusal("speclens://loop?prompt=" + std::string(1 << 20, 'x')), "link: longer than a megabyte");
}

TEST(Link, HasOnlyOptionsOfTheProgram) {
    for (const LinkKey& key : link_keys()) {
        if (std::string_view(key.name).ends_with("fingerprint")) continue; // of a model or head that it names
        bool found = false;
        for (const OptionRow& row : option_rows())
            if (applies(row, Command::window) && row.name == std::string("--") + key.name) {
                found = true;
                EXPECT_EQ(row.value[0] != '\0', key.value) << key.name;
            }
        EXPECT_TRUE(found) << key.name;
    }
}

TEST(Link, LeadsBackToTheRunOfEveryDrafter) {
    for (const DrafterInfo& info : drafter_list()) {
        SCOPED_TRACE(info.name);
        RunSettings settings;
        settings.internals = true;
        settings.drafter = info.name;
        settings.rule = judging_rule("token", info.name);
        settings.k = settings.drafter == "none" ? default_k("none") : 6;
        settings.sampling.temperature = 0.7;
        settings.seed = 9223372036854775807ULL;
        settings.max_tokens = 33;
        settings.prompt.text = "@not a file, \"quoted\" & 100 % ü\nsecond line";
        settings.prompt.chat = true;
        settings.prompt.system = "Be short.";
        EXPECT_EQ(round_trip(settings), settings);
    }
}

TEST(Link, LeadsBackToUnusualSettings) {
    RunSettings settings;
    settings.internals = true;
    settings.drafter = "domino";
    settings.k = 9;
    settings.sampling = {.temperature = 0.1, .top_k = 20, .top_p = 0.95};
    settings.draft_sampling = settings.sampling;
    settings.draft_sampling->temperature = 1.0 / 3;
    settings.options.context_last = 12;
    settings.options.tap_shift = -1;
    settings.options.head_pool = 64;
    settings.options.fr_spec = 512;
    settings.rule = "cascade_tokenV3";
    settings.rule_params.alpha = 0.4;
    settings.rule_params.block = true;
    settings.prompt.token_ids = {5, 6, 7};
    settings.prompt.text = "";
    RunSettings back = round_trip(settings);
    back.prompt.text = ""; // token ids stand for it
    EXPECT_EQ(back, settings);
    settings.options.conditioning = settings.options.correction = false; // as the window's switches do
    RunSettings off = settings;
    off.options.context_last = off.options.tap_shift = off.options.head_pool = 0; // which the program refuses beside them
    back = round_trip(settings);
    back.prompt.text = "";
    EXPECT_EQ(back, off);

    RunSettings skip;
    skip.internals = true;
    skip.drafter = "skip";
    skip.options.exit_layer = 8;
    skip.options.skip_mlp = {3, 5};
    skip.options.skip_attention = {2};
    EXPECT_EQ(round_trip(skip), skip);

    RunSettings tree;
    tree.internals = true;
    tree.drafter = "small_tree";
    tree.rule = "tree_wor";
    tree.options.tree_depth = tree.k = 5;
    tree.options.tree_topk = 2;
    tree.options.tree_budget = 12;
    EXPECT_EQ(round_trip(tree), tree);
}

// Two numbers in one option, of which one may be the usual one.
TEST(Link, LeadsBackToNgramsOfAnyLengths) {
    for (const auto& [least, most] : {std::pair{2, 3}, {1, 5}, {2, 4}}) {
        RunSettings settings;
        settings.drafter = "lookup";
        settings.options.ngram_min = least;
        settings.options.ngram_max = most;
        const RunSettings back = round_trip(settings);
        EXPECT_EQ(back.options.ngram_min, least);
        EXPECT_EQ(back.options.ngram_max, most);
    }
}

TEST(Link, OfARaceNamesItsLanes) {
    RaceSettings race;
    race.base.prompt.text = "Hello";
    race.base.k = 5;
    race.base.sampling.temperature = 0;
    race.lanes = race_entries({"none", "lookup", "domino"}, race.base);
    race.stepped = true;
    const Link link{"race", 0, 12, {}, options_of(race)};
    const Options options = parse({"render", to_text(link), "-o", "x.png"});
    const RaceSettings back = race_settings(options, true);
    EXPECT_EQ(back.lanes, race.lanes);
    EXPECT_TRUE(back.stepped);
    EXPECT_EQ(back.base.prompt.text, "Hello");
    EXPECT_EQ(back.base.k, 5);
    EXPECT_EQ(command_of(link.options), "./run compare --drafters none,lookup,domino --k 5 --temp 0 --seed 7 "
                                        "--max-tokens 64 --prompt Hello --raw");
}

TEST(Link, OfARaceKeepsARuleThatWasAskedFor) {
    const RaceSettings race =
        race_settings(parse({"render", "race", "--drafters", "small", "--temp", "0.8", "--rule", "match", "-o", "x.png"}), true);
    const Link link{"race", 0, 0, {}, options_of(race)};
    const RaceSettings back = race_settings(parse({"render", to_text(link), "-o", "x.png"}), true);
    EXPECT_EQ(back.base.rule, "match");
    EXPECT_EQ(back.lanes, race.lanes);
}

// A class reads an answer to its end: any other model than the built-in one is asked what it answers within a race's length.
TEST(Race, AsksARealModelForAShortAnswerUnlessPromptsAreGiven) {
    const auto asked = [](std::vector<std::string> more) {
        std::vector<std::string> words{"render", "race", "-o", "x.png"};
        words.insert(words.end(), more.begin(), more.end());
        return race_settings(parse(words), true);
    };
    const RaceSettings real = asked({"--model", "smollm2"});
    EXPECT_EQ(real.base.prompt.text, "Explain in two short sentences what photosynthesis is.");
    EXPECT_TRUE(real.base.prompt.chat);
    EXPECT_GT(real.prompts.size(), 1u) << "averages are over the ready-made ones";
    EXPECT_NE(asked({"--model", "tiny"}).base.prompt.text, real.base.prompt.text);
    EXPECT_EQ(asked({"--model", "smollm2", "--prompt", "Why?"}).base.prompt.text, "Why?");
}

TEST(Link, OfARaceKeepsWhatItsLanesRead) {
    RaceSettings race = race_settings(parse({"render", "race", "--drafters", "skip,lookup", "--temp", "0.8", "--draft-temp", "0.5",
                                             "--exit-layer", "2", "--ngram", "2,4", "-o", "x.png"}),
                                      true);
    EXPECT_EQ(race.base.options.exit_layer, 2);
    const auto back = [&] { return race_settings(parse({"render", to_text({"race", 0, 0, {}, options_of(race)}), "-o", "x.png"}), true); };
    EXPECT_EQ(back().base.options, race.base.options);
    EXPECT_EQ(back().base.draft_sampling, race.base.draft_sampling);
    race.lanes = race_entries({"none", "lookup"}, race.base); // `skip` was taken out: what it read would be refused
    EXPECT_EQ(back().base.options.exit_layer, 0);
    EXPECT_EQ(back().base.options.ngram_min, 2);
    EXPECT_FALSE(back().base.draft_sampling);
}

// Where heads lie is nobody else's business: which they are is said by their fingerprints.
TEST(Link, NamesModelAndHeadsAndNoPlace) {
    RunSettings settings;
    settings.drafter = "eagle3";
    settings.prompt.text = "it's";
    LinkOptions named{{"model", "q"}, {"eagle3", "/m/e"}, {"dflash", "/m/d"}};
    Header header;
    add_drafter(header, named);
    header.drafter = "eagle3", header.drafter_fingerprint = "00ff00ff00ff00ff";
    add_drafter(header, named);
    const LinkOptions options = options_of(settings, named);
    EXPECT_EQ(options[0], (std::pair<std::string, std::string>("model", "q")));
    EXPECT_EQ(options[1], (std::pair<std::string, std::string>("drafter", "eagle3")));
    EXPECT_EQ(options[2], (std::pair<std::string, std::string>("drafter-fingerprint", "eagle3:00ff00ff00ff00ff")));
    const std::string link = to_text({"loop", 0, 0, {}, options});
    EXPECT_EQ(link.find("/m/"), std::string::npos) << link;
    EXPECT_EQ(parse_link(link).options, options);
    EXPECT_EQ(parse({"run", link, "--model", "micro"}).drafter_fingerprint, "eagle3:00ff00ff00ff00ff");
    EXPECT_EQ(command_of(options).find("fingerprint"), std::string::npos);
    RaceSettings race;
    race.lanes = race_entries({"none", "eagle3", "small"}, race.base);
    header.drafter = "small", header.drafter_fingerprint = "1234123412341234";
    add_drafter(header, named);
    const std::string lanes = to_text({"race", 0, 0, {}, options_of(race, named)});
    EXPECT_NE(lanes.find("drafters=none,eagle3,small&drafter-fingerprint=eagle3:00ff00ff00ff00ff,small:1234123412341234"),
              std::string::npos)
        << lanes;
    EXPECT_NE(command_of(options).find("--prompt 'it'\\''s' --raw"), std::string::npos) << command_of(options);
    // A command stays here and finds again what a link may not tell.
    const std::map<std::string, std::string> places{{"model", "/my models/q"}, {"eagle3", "/m/e"}, {"small", "/m/s.gguf"}};
    EXPECT_NE(command_of(options, places).find("--model '/my models/q' --drafter eagle3=/m/e "), std::string::npos)
        << command_of(options, places);
    EXPECT_NE(command_of(options_of(race, named), places).find("--drafters none,eagle3=/m/e,small=/m/s.gguf "), std::string::npos)
        << command_of(options_of(race, named), places);
}

TEST(Link, KeepsThePrecision) {
    RunSettings settings;
    settings.drafter = "lookup";
    settings.prompt.text = "it";
    const LinkOptions options = options_of(settings, {{"model", "smollm2"}, {"precision", "bf16"}});
    EXPECT_NE(command_of(options).find("--model smollm2 --precision bf16"), std::string::npos) << command_of(options);
    Link link;
    link.scene = "loop";
    link.options = options;
    EXPECT_EQ(parse_link(to_text(link)), link);
    EXPECT_EQ(parse({"run", to_text(link)}).precision, Precision::bf16);
    EXPECT_EQ(parse({"run", to_text(link), "--precision", "f32"}).precision, Precision::f32) << "what is typed wins";
    EXPECT_EQ(parse({"run", "speclens://loop?k=3"}).precision, std::nullopt);
    EXPECT_THROW((void)parse({"run", "speclens://loop?precision=fp4"}), Error);
    if (scene_names().empty()) return;
    const ViewReader read = view_reader(parse({"--threads", "1"}));
    EXPECT_EQ(read.link("speclens://loop?precision=bf16").precision, Precision::bf16);
    EXPECT_EQ(read.link("speclens://loop?k=3").precision, std::nullopt);
}

// The words that a shell makes of a command.
std::vector<std::string> shell_words(const std::string& command) {
    std::vector<std::string> words;
    FILE* shell = popen(("HOME=/nowhere; printf '%s\\0' " + command).c_str(), "r");
    if (!shell) return words;
    std::string word;
    for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) {
        if (c != 0) {
            word += static_cast<char>(c);
            continue;
        }
        words.push_back(word);
        word.clear();
    }
    EXPECT_EQ(pclose(shell), 0) << command;
    return words;
}

// What was copied is typed into a shell: a file may not be read, nor an option taken, where a text stood.
TEST(Link, ItsCommandKeepsEveryTextInAShell) {
    for (const std::string text : {"@home", "@@home", "@-", "@", "--foo", "-", "--", "-x", "--prompt=a", "~", "~/x", "a'b\"c$HOME`id`",
                                   "\n x\t", "\\n", "*", "a=b", "!1", "speclens://loop?k=2", "é🙂"}) {
        RunSettings settings;
        settings.prompt.text = text;
        settings.prompt.chat = true;
        settings.prompt.system = text;
        const std::string command = command_of(options_of(settings));
        std::vector<std::string> words = shell_words(command);
        ASSERT_GT(words.size(), 2u) << command;
        EXPECT_EQ(words[0], "./run");
        words.erase(words.begin());
        Options options = parse(words);
        read_prompt(options);
        EXPECT_EQ(options.prompt.value_or("none"), text) << command;
        EXPECT_EQ(options.run.prompt.system, text) << command;
    }
    Options file = parse({"run", "--prompt", "@nothing here"});
    EXPECT_THROW(read_prompt(file), Error);
}

TEST(Link, NamesNoServerToTalkTo) {
    EXPECT_THROW((void)parse({"render", "speclens://loop?model=http://127.0.0.1:9/", "-o", "x.png"}), Error);
    EXPECT_THROW((void)parse({"run", "speclens://loop?model=127.0.0.1:9"}), Error);
    EXPECT_EQ(parse({"run", "speclens://loop?model=127.0.0.1:9", "--model", "http://127.0.0.1:8"}).model, "http://127.0.0.1:8")
        << "who types the address knows it";
}

TEST(Link, WhatIsTypedWins) {
    const Options options =
        parse({"run", "speclens://loop?k=3&seed=4&drafter=small&prompt=link&chat", "--k", "5", "--prompt", "typed", "--drafter", "lookup"});
    EXPECT_EQ(options.k(), 5);
    EXPECT_EQ(options.run.seed, 4U);
    EXPECT_EQ(options.prompt, "typed");
    EXPECT_FALSE(options.run.prompt.chat);
    ASSERT_EQ(options.drafters.size(), 1U);
    EXPECT_EQ(options.drafters[0].name, "lookup");
    EXPECT_THROW((void)parse({"check", "speclens://loop"}), Error);
    EXPECT_THROW((void)parse({"run", "speclens://loop", "speclens://loop"}), Error);
}

TEST(Link, OpensScenesByNameAndNumber) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    for (const char* word : {"S9", "domino"}) EXPECT_EQ(scene_word(std::string(word) + ":4").scene, "domino");
    EXPECT_EQ(scene_word("speed-up").scene, "speedup");
    EXPECT_EQ(scene_word("S9:4").beat, 4);
    EXPECT_THROW((void)scene_word("S99"), Error);
    EXPECT_THROW((void)scene_word("loop:1:2"), Error);
    // The same run whether it is drawn or opened in the window.
    const SceneView view = view_of(parse({"speclens://S9/4"}));
    EXPECT_EQ(view.scene, "domino");
    EXPECT_EQ(view.place.beat, 4);
    EXPECT_EQ(view.settings.drafter, "domino");
    EXPECT_EQ(view.settings, scene_settings(parse({"render", "domino:4", "-o", "x.png"}), "domino", "domino"));
}

TEST(Link, AKnownModelOpensAsItWasMeasuredAndOldLinksAsBefore) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    const test::TempFolder home;
    const test::Variable data("XDG_DATA_HOME", home.path().string());
    std::filesystem::create_directories(fetched_folder());
    for (const Fetchable& one : fetchables()) std::ofstream(fetched_folder() / one.file) << "GGUF";
    const SceneView pair = view_of(parse({"--model", "qwen"}));
    EXPECT_EQ(pair.scene, "loop");
    EXPECT_EQ(pair.settings.drafter, "small");
    EXPECT_EQ(pair.settings.prompt.text, opening_view("qwen", assets_folder()).prompt);
    EXPECT_TRUE(pair.settings.prompt.chat);
    const SceneView smollm2 = view_of(parse({"--model", "smollm2"}));
    EXPECT_EQ(smollm2.scene, "race");
    EXPECT_EQ(smollm2.settings.drafter, "eagle3");
    EXPECT_EQ(smollm2.settings.prompt.text, kFirstPrompt);
    EXPECT_EQ(view_of(parse({"--model", "smollm2", "--drafter", "lookup"})).settings.drafter, "lookup");
    EXPECT_EQ(view_of(parse({"--model", "qwen", "--prompt", kFirstPrompt})).settings.prompt.text, kFirstPrompt);

    const SceneView old = view_of(parse({"--model", "smollm2", "speclens://race"}));
    EXPECT_EQ(old.settings.drafter, "small") << "what it was before anything was measured";
    EXPECT_EQ(view_of(parse({"--model", "qwen", "speclens://race"})).settings.prompt.text, kFirstPrompt);
}

TEST(Link, OpensInAWindowWithTheSameModelsOnly) {
    if (scene_names().empty()) GTEST_SKIP() << "a build without scenes";
    const Options plain = parse({"--threads", "1"});
    const SceneView view = view_reader(plain).link("speclens://loop?at=9&k=3&prompt=%40here&raw");
    EXPECT_EQ(view.scene, "loop");
    EXPECT_EQ(view.place.at, 9U);
    EXPECT_EQ(view.settings.k, 3);
    EXPECT_EQ(view.settings.prompt.text, "@here");
    EXPECT_EQ(view.model, "tiny");
    EXPECT_THROW((void)view_reader(plain).link("speclens://loop?model=/x"), Error);
    EXPECT_THROW((void)view_reader(plain).link("speclens://loop?drafter=small=/x"), Error);
    const Options own = parse({"--model", "/m/q", "--drafter", "small=/m/d"});
    EXPECT_EQ(view_reader(own).link("speclens://loop?model=/m/./q&drafter=small=/m/d").settings.drafter, "small");
    EXPECT_EQ(view_reader(own).link("speclens://loop?model=/m/./q").model, "q") << "its own, by its name";
    EXPECT_THROW((void)view_reader(own).link("speclens://loop?model=/m/other"), Error);
    EXPECT_EQ(view_reader(own).link("speclens://loop").model, "tiny");
}

} // namespace speclens::cli
