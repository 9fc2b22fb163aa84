// Arguments against the tables of commands and options.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/values.h"
#include "kernels/error.h"

namespace speclens::cli {

// The words of a line of a shell, as far as the examples need it.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    bool quoted = false;
    std::string word;
    for (const char c : line + " ") {
        if (c == '"')
            quoted = !quoted;
        else if (c != ' ' || quoted)
            word += c;
        else
            words.push_back(std::exchange(word, ""));
    }
    return words;
}

TEST(Parse, AcceptsTheExamplesOfTheHelp) {
    for (const CommandRow& command : command_rows()) {
        for (const std::string& line : split(command.examples, '\n')) {
            const std::vector<std::string> words = words_of(line.substr(0, line.find(" > "))); // without where it goes
            auto from = words.begin();
            while (from != words.end()) { // of a pipe, every part: the last one is of this command
                const auto to = std::find(from, words.end(), "|");
                if ((*from == "journalctl" || *from == "llama-server") && to != words.end()) { // somebody else's
                    from = to + 1;
                    continue;
                }
                if (*from == "ssh") from += 2;
                if (*from == "man") break; // shows what it gets
                ASSERT_EQ(*from, "speclens") << line;
                EXPECT_NO_THROW({
                    const Options options = parse({from + 1, to});
                    EXPECT_TRUE(options.command == command.command || to != words.end()) << line;
                }) << line;
                from = to == words.end() ? to : to + 1;
            }
        }
    }
}

TEST(Parse, TakesSizesInDigitsOnly) {
    const auto size = [](const std::string& text) {
        const Options o = parse({"render", "loop", "-o", "x.png", "--size", text});
        return std::pair{o.width, o.height};
    };
    EXPECT_EQ(size("640x400"), (std::pair{640, 400}));
    EXPECT_EQ(size("7680x4320"), (std::pair{7680, 4320}));
    for (const char* text : {"639x400", "640x399", "7681x4320", "7680x4321", "1600", "1600x", "x1000", "1600x1000x2", "1600 x1000",
                             "1600x +1000", "4294968896x1000"}) // 2^32 + 1600
        EXPECT_THROW((void)size(text), Error) << text;
}

TEST(Parse, TakesSeveralSizesAndThemesWhereEverySceneIsDrawn) {
    const Options o = parse({"render", "--all", "pictures", "--size", "1600x1000,1280x720", "--theme", "dark,light"});
    EXPECT_EQ(o.sizes, (std::vector<std::pair<int, int>>{{1600, 1000}, {1280, 720}}));
    EXPECT_EQ(o.themes, (std::vector<std::string>{"dark", "light"}));
    EXPECT_EQ((std::pair{o.width, o.height}), (std::pair{1600, 1000}));
    EXPECT_EQ(o.theme, "dark");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"render", "loop", "-o", "x.png", "--size", "1600x1000,1280x720"},
                                                  {"render", "loop", "-o", "x.png", "--theme", "dark,light"},
                                                  {"render", "first-lesson.lec.toml", "--all", "pictures", "--theme", "dark,light"},
                                                  {"--size", "1600x1000,1280x720"},
                                                  {"render", "--all", "pictures", "--size", "1600x1000,"},
                                                  {"render", "--all", "pictures", "--theme", "dark,dim"}})
        EXPECT_THROW((void)parse(words), Error) << words.back();
}

TEST(Parse, TakesAPrecisionWhereModelsAreLoaded) {
    for (const char* command : {"run", "compare", "bench", "serve", "check"}) {
        EXPECT_EQ(parse({command}).precision, std::nullopt) << command;
        EXPECT_EQ(parse({command, "--precision", "f32"}).precision, Precision::f32) << command;
        EXPECT_EQ(parse({command, "--precision", "bf16"}).precision, Precision::bf16) << command;
        EXPECT_EQ(parse({command, "--precision=int8"}).precision, Precision::int8) << command;
    }
    EXPECT_EQ(parse({"--precision", "bf16"}).precision, Precision::bf16) << "the window";
    EXPECT_EQ(parse({"describe", "loop", "--precision", "bf16"}).precision, Precision::bf16);
    EXPECT_EQ(parse({"train", "-o", "heads", "--precision", "bf16"}).precision, Precision::bf16);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "--precision", "fp16"}, {"run", "--precision"}, {"list", "models", "--precision", "f32"}})
        try {
            (void)parse(words);
            ADD_FAILURE() << words.back();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::usage);
            EXPECT_FALSE(error.remedy().empty());
        }
    EXPECT_NE(help_text(Command::run).find("--precision f32|bf16|int8"), std::string::npos);
    EXPECT_EQ(parse({"check", "--precision", "bf16", "--json", "-"}).json, "-");
    EXPECT_THROW((void)parse({"check", "--precision", "f32", "--json", "-"}), Error) << "nothing to hold against";
}

TEST(Parse, RefusesWhatMeansSomethingOnlyTogether) {
    struct Case {
        std::vector<std::string> words;
        const char *option, *with;
    };
    for (const Case& c :
         {Case{{"run", "--system", "Be brief."}, "--system", "--chat"}, Case{{"run", "--thinking"}, "--thinking", "--chat"},
          Case{{"run", "--lens"}, "--lens", "--json"}, Case{{"attach", "http://h:1", "--chat"}, "--chat", "--prompt"},
          Case{{"attach", "http://h:1", "--max-tokens", "3"}, "--max-tokens", "--prompt"},
          Case{{"attach", "http://h:1", "--server-model", "m"}, "--server-model", "--prompt"},
          Case{{"run", "--tokenizer", "d"}, "--tokenizer", "--model URL"}, Case{{"run", "--listed", "3"}, "--listed", "--model URL"},
          Case{{"check", "--json", "-"}, "--json", "--precision bf16 or int8, or --doctor"},
          Case{{"check", "--prompts", "f"}, "--prompts", "--doctor"},
          Case{{"render", "loop", "-o", "a.png", "--frames", "all"}, "--frames", "-o FILE.gif, .mp4, .webm or .html"},
          Case{{"render", "loop", "-o", "a.png", "--links-to", "https://example.org/"},
               "--links-to",
               "--share DIR, -o FILE.html or a lecture"},
          Case{{"render", "loop", "-o", "a.png", "--frame-ms", "90"}, "--frame-ms", "-o FILE.gif, .mp4 or .webm"}})
        try {
            (void)parse(c.words);
            ADD_FAILURE() << c.option;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::usage);
            EXPECT_EQ(error.what(), std::string(c.option) + " does nothing without " + c.with);
        }
    EXPECT_EQ(parse({"run", "--chat", "--system", "Be brief."}).run.prompt.system, "Be brief.");
}

TEST(Parse, RefusesWhatExcludesEachOther) {
    struct Case {
        const char* command;
        std::vector<std::string> one, other;
    };
    for (const Case& c : {Case{"run", {"--chat"}, {"--raw"}},
                          Case{"run", {"--chat"}, {"--token-ids", "1"}},
                          Case{"run", {"--prompt", "a"}, {"--token-ids", "1"}},
                          Case{"run", {"--timing"}, {"--no-timing"}},
                          Case{"run", {"--text"}, {"--verbose"}},
                          Case{"run", {"--k", "3"}, {"--tree-depth", "3"}},
                          Case{"compare", {"--domain", "code"}, {"--prompt", "a"}},
                          Case{"compare", {"--domain", "code"}, {"--token-ids", "1"}},
                          Case{"compare", {"--prompt", "a"}, {"--prompts", "f"}},
                          Case{"compare", {"--prompts", "f"}, {"--token-ids", "1"}},
                          Case{"attach", {"--once"}, {"--every", "1"}},
                          Case{"attach", {"--once"}, {"--for", "1"}},
                          Case{"attach", {"--prompt", "a"}, {"--once"}},
                          Case{"attach", {"--prompt", "a"}, {"--every", "1"}},
                          Case{"attach", {"--prompt", "a"}, {"--for", "1"}},
                          Case{"bench", {"--geometry", "g"}, {"--model", "d"}},
                          Case{"check", {"--precision", "bf16"}, {"--geometry", "g"}},
                          Case{"check", {"--doctor"}, {"--precision", "bf16"}},
                          Case{"check", {"--doctor"}, {"--geometry", "g"}},
                          Case{"render", {"--session", "f"}, {"--precision", "bf16", "loop", "-o", "a.png"}},
                          Case{"render", {"--session", "f"}, {"--weights", "bf16", "loop", "-o", "a.png"}},
                          Case{"render", {"-o", "a.png"}, {"--all", "d"}}}) {
        std::vector<std::string> words{c.command};
        if (words[0] == "attach") words.emplace_back("http://h:1");
        words.insert(words.end(), c.one.begin(), c.one.end());
        words.insert(words.end(), c.other.begin(), c.other.end());
        try {
            (void)parse(words);
            ADD_FAILURE() << c.one[0] << " " << c.other[0];
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::usage);
            EXPECT_EQ(error.what(), c.one[0] + " and " + c.other[0] + " exclude each other");
        }
    }
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"compare", "--csv", "-", "--json", "-"}, {"run", "--text", "--json", "-"}})
        EXPECT_THROW((void)parse(words), Error) << words[1];
    EXPECT_TRUE(parse({"run", "--text", "--json", "file"}).text_only);
}

} // namespace speclens::cli
