// The scenes about drafters on a model with heads, as somebody opens them by a link: what they say is of that model, and their examples
// are found. On the built-in model, and (./test --real) on the Qwen2.5-Coder that `speclens get qwen-0.5b` fetches.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/app/cli/support.h"

namespace speclens::test {
namespace {

struct Opened {
    std::string scene, drafter;         // the scene's beat is one that looks for an example, where it has such a beat
    std::vector<std::string> says = {}; // ids of messages that have to be among its
};
const std::vector<Opened>& opened() {
    static const std::vector<Opened> scenes = {
        {"loop", "eagle3"},
        {"accept-rule:2", "eagle3"},
        {"eagle3:4", "eagle3", {"eagle3.drift.bar:run"}},
        {"dflash:4", "dflash", {"dflash.twice.heading"}},
        {"domino:7", "domino", {"domino.both.heading:saves"}}, // the GRU changed a guess, and the target kept it
        {"trees:2", "eagle3_tree"},
        {"speedup", "eagle3"},
        {"training", "domino"},
        {"drafters:2", "dflash"},
    };
    return scenes;
}

Json messages_of(const Opened& one, const std::string& model, const std::string& prompt, const std::filesystem::path& folder) {
    const std::filesystem::path words = folder / "words.json";
    const Outcome outcome = speclens({"describe", one.scene, "--model", model, "--drafter", one.drafter, "--prompt", prompt, "--chat",
                                      "--temp", "0", "--k", "4", "--max-tokens", "48", "--no-timing", "--json", words});
    EXPECT_EQ(outcome.code, 0) << one.scene << ": " << outcome.err;
    return outcome.code == 0 ? Json::parse(read_file(words))["messages"] : Json::array();
}

void expect_examples(const std::string& model, const std::string& prompt) {
    const TempFolder folder;
    for (const Opened& one : opened()) {
        SCOPED_TRACE(one.scene + " on " + model);
        std::set<std::string> ids;
        for (const Json& message : messages_of(one, model, prompt, folder.path())) ids.insert(message["id"].get<std::string>());
        EXPECT_GT(ids.size(), 10U);
        for (const char* missing : {"shared.example.none", "shared.words.no_models", "shared.guess.no_rows"})
            EXPECT_FALSE(ids.contains(missing)) << missing;
        for (const std::string& id : one.says)
            EXPECT_TRUE(std::ranges::any_of(ids, [&](const std::string& said) { return said.starts_with(id); })) << id;
    }
}

// Every head drafts, and every text is plain decoding's.
void expect_race(const std::string& model, const std::string& prompt) {
    const TempFolder folder;
    const std::filesystem::path file = folder / "race.json";
    const Outcome outcome = speclens({"describe", "race", "--model", model, "--drafters", "none,eagle3,dflash,domino", "--prompt", prompt,
                                      "--chat", "--temp", "0", "--k", "4", "--max-tokens", "32", "--no-timing", "--json", file});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::vector<int>> texts;
    const Json race = Json::parse(read_file(file));
    for (const Json& lane : race["lanes"]) {
        ASSERT_FALSE(lane["trace"].is_null()) << lane["drafter"];
        std::vector<int>& text = texts.emplace_back();
        int drafted = 0;
        for (const Json& event : lane["trace"]) {
            drafted += event["kind"] == "draft";
            if (event["kind"] == "commit")
                for (const Json& token : event["tokens"]) text.push_back(token.get<int>());
        }
        EXPECT_EQ(text, texts.front()) << lane["drafter"];
        EXPECT_EQ(drafted > 0, lane["drafter"] != "none") << lane["drafter"];
    }
    EXPECT_EQ(texts.size(), 4U);
}

constexpr const char *kStory = "Tell me a short story about a fox.",
                     *kFunction = "Write a Python function that checks whether a string is a palindrome.";

bool draws() { return !speclens({"list", "scenes"}).out.empty(); }
bool qwen_is_here() {
    const Json models = Json::parse(speclens({"get", "--json"}).out);
    return std::ranges::any_of(models, [](const Json& one) { return one["name"] == "qwen-0.5b" && one["here"] == true; });
}

TEST(ScenesOnModels, HaveTheirExamplesOnTheBuiltIn) {
    if (!draws()) GTEST_SKIP() << "this build draws nothing";
    expect_examples("tiny", kStory);
    expect_race("tiny", kStory);
}

TEST(RealScenes, HaveTheirExamplesOnQwen) {
    if (!draws()) GTEST_SKIP() << "this build draws nothing";
    if (!qwen_is_here()) GTEST_SKIP() << "fetch it by ./run get qwen-0.5b";
    expect_examples("qwen-0.5b", kFunction);
    expect_race("qwen-0.5b", kFunction);
}

} // namespace
} // namespace speclens::test
