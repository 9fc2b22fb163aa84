// Files of benchmarks as --set reads them; the lines are ours, in the layouts of Spec-Bench, SPEED-Bench and HumanEval.
#include <gtest/gtest.h>

#include <fstream>

#include "app/cli/prompts/prompt_set.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens::cli {
namespace {

std::string file_of(const std::string& text) {
    const std::filesystem::path file = test::fresh_folder() / "set.jsonl";
    std::ofstream(file) << text;
    return file.string();
}

std::string refused(const std::string& text) {
    try {
        (void)read_set(file_of(text));
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "accepted";
}

TEST(PromptSet, ReadsTheLayoutsOfTheField) {
    const std::vector<ListedPrompt> turns = read_set(file_of(
        R"({"question_id": 81, "category": "writing", "turns": ["Describe a harbour.", "Now in one sentence."]})"
        "\n\n"
        R"({"question_id": "q2", "category": "math", "sub_category": "x", "turns": [{"role": "user", "content": "What is 2 + 2?"}], "source": "y"})"
        "\n"));
    ASSERT_EQ(turns.size(), 2U);
    EXPECT_EQ(turns[0].ask.text, "Describe a harbour.");
    EXPECT_EQ(turns[0].domain, "writing");
    EXPECT_TRUE(turns[0].ask.chat);
    EXPECT_EQ(turns[1].ask.text, "What is 2 + 2?");
    EXPECT_EQ(turns[1].domain, "math");
    const std::vector<ListedPrompt> tasks =
        read_set(file_of(R"({"task_id": "HumanEval/0", "prompt": "def f(x):\n", "entry_point": "f", "canonical_solution": "", "test": ""})"
                         "\n"
                         R"({"prompt": "Once", "domain": "story", "chat": true})"));
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].ask.text, "def f(x):\n");
    EXPECT_EQ(tasks[0].domain, "humaneval");
    EXPECT_FALSE(tasks[0].ask.chat) << "it is code to be gone on with";
    EXPECT_EQ(tasks[1].domain, "story");
    EXPECT_TRUE(tasks[1].ask.chat);
}

TEST(PromptSet, LeavesPlaceholdersOut) {
    const std::string placeholder = "FULL BENCHMARK DATA SHOULD BE FETCHED FROM THE SOURCE USING SPECDEC_BENCH";
    const std::string empty = R"({"category": "rag", "turns": [")" + placeholder + "\\n\\nmore\"]}\n";
    const std::vector<ListedPrompt> kept = read_set(file_of(empty + R"({"category": "qa", "turns": ["Who?"]})"));
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].domain, "qa");
    EXPECT_NE(refused(empty).find("placeholders alone"), std::string::npos);
}

TEST(PromptSet, NamesTheLineThatIsNoPrompt) {
    EXPECT_NE(refused("{\"prompt\": \"a\"}\nhello\n").find("set.jsonl line 2: not a JSON object"), std::string::npos);
    EXPECT_NE(refused(R"({"question": "a"})").find("neither \"turns\" nor \"prompt\""), std::string::npos);
    EXPECT_NE(refused(R"({"turns": []})").find("\"turns\" is not a list"), std::string::npos);
    EXPECT_NE(refused(R"({"turns": [3]})").find("empty, or no text"), std::string::npos);
    EXPECT_NE(refused(R"({"prompt": ""})").find("empty, or no text"), std::string::npos);
    EXPECT_NE(refused(R"({"category": "all", "turns": ["a"]})").find("the domain \"all\""), std::string::npos);
    EXPECT_NE(refused("\n").find("no prompts"), std::string::npos);
    EXPECT_THROW((void)read_set("/nothing/here.jsonl"), Error);
}

TEST(PromptSet, ARunIsAskedTheWholePrompt) {
    const Prompt asked{
        .text = "Who?", .system = "Be brief.", .chat = true, .chat_if_possible = true, .thinking = true, .token_ids = {1, 2}};
    RunSettings before;
    before.prompt = {.text = "What?", .parts = {{"What?", true}}};
    EXPECT_EQ(with_prompt(before, asked).prompt, asked) << "and nothing of what was asked before";
}

} // namespace
} // namespace speclens::cli
