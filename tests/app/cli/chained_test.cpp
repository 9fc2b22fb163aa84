// Two chained drafters by the command line: what may be typed, what a run, a comparison and a link say of them.
#include <gtest/gtest.h>

#include <regex>

#include "tests/app/cli/support.h"

namespace speclens::test {

TEST(ChainedByName, WhatCannotBeChainedIsRefusedWithAWordWhy) {
    const auto refused = [](const std::string& name, const std::string& why) {
        const Outcome run = speclens({"run", "--drafter", name, "--max-tokens", "4"});
        EXPECT_EQ(run.code, 2) << name;
        EXPECT_NE(run.err.find(why), std::string::npos) << name << ": " << run.err;
    };
    refused("lookup+nobody", "unknown drafter 'nobody' in 'lookup+nobody'");
    refused("eagle3+eagle3", "chains a drafter to itself");
    refused("lookup+suffix+eagle3", "names more than two drafters");
    refused("none+eagle3", "none drafts nothing");
    refused("lookup++eagle3_tree", "drafts trees");
    refused("lookup=folder+eagle3", "takes no folder");
    const Outcome auto_length = speclens({"run", "--drafter", "lookup++small", "--k", "auto", "--max-tokens", "4"});
    EXPECT_NE(auto_length.err.find("two make one draft"), std::string::npos) << auto_length.err;
    const Outcome tree = speclens({"run", "--drafter", "lookup+small", "--tree-topk", "3", "--max-tokens", "4"});
    EXPECT_NE(tree.err.find("--tree-topk"), std::string::npos) << tree.err;
    const Outcome doctor = speclens({"check", "--drafter", "lookup+eagle3", "--doctor"});
    EXPECT_NE(doctor.err.find("examines one head"), std::string::npos) << doctor.err;
}

TEST(ChainedByName, ARunSaysWhoSpoke) {
    const TempFolder folder;
    const std::string file = (folder / "run.jsonl").string();
    const Outcome run = speclens({"run", "--drafter", "lookup+small", "--prompt", "one two three one two three one two", "--raw", "--temp",
                                  "0", "--max-tokens", "60", "--no-timing", "--json", file});
    ASSERT_EQ(run.code, 0) << run.err;
    const std::string text = read_file(file);
    EXPECT_NE(text.find("\"drafter\":\"lookup+small\""), std::string::npos);
    EXPECT_NE(text.find("\"by\":\"lookup\""), std::string::npos);
    EXPECT_NE(text.find("\"by\":\"small\""), std::string::npos);
    EXPECT_NE(run.out.find(" by lookup"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(" by small"), std::string::npos) << run.out;
    EXPECT_EQ(speclens({"run", "--drafter", "lookup+small", "--k-rounds", "4,+4*3,0", "--max-tokens", "8"}).code, 0);
    const Outcome plain = speclens({"run", "--drafter", "none", "--prompt", "one two three one two three one two", "--raw", "--temp", "0",
                                    "--max-tokens", "60", "--no-timing", "--json", (folder / "plain.jsonl").string()});
    ASSERT_EQ(plain.code, 0) << plain.err;
    const auto written = [](const std::string& lines) {
        std::string ids;
        for (const Json& event : lines_of(lines))
            if (event["kind"].get<std::string>() == "commit")
                for (const Json& token : event["tokens"]) ids += std::to_string(token.get<int>()) + " ";
        return ids;
    };
    EXPECT_EQ(written(text), written(read_file(folder / "plain.jsonl"))) << "the plain text, whoever drafts";
}

TEST(ChainedByName, CompareCountsBoth) {
    const Outcome compared = speclens({"compare", "--drafters", "lookup,small,lookup+small,lookup++small", "--prompt",
                                       "one two three one two three one two", "--max-tokens", "40", "--repeats", "1", "--json", "-"});
    ASSERT_EQ(compared.code, 0) << compared.err;
    const Json json = Json::parse(compared.out);
    int seen = 0;
    for (const Json& row : json["rows"]) {
        if (row["domain"].get<std::string>() != "all" || row["drafter"].get<std::string>() != "lookup+small") continue;
        ++seen;
        const Json& by = row["wider_or_deeper"]["by"];
        ASSERT_EQ(by.size(), 2U);
        EXPECT_EQ(by[0]["drafter"].get<std::string>(), "lookup");
        EXPECT_EQ(by[0]["drafted"].get<int>() + by[1]["drafted"].get<int>(), row["drafted"].get<int>());
        EXPECT_EQ(by[0]["kept"].get<int>() + by[1]["kept"].get<int>(), row["accepted_drafts"].get<int>());
        EXPECT_TRUE(row["same_text"].get<bool>());
    }
    EXPECT_EQ(seen, 1);
    const Outcome table = speclens(
        {"compare", "--drafters", "lookup+small", "--prompt", "one two three one two three", "--max-tokens", "20", "--repeats", "1"});
    EXPECT_NE(table.out.find("who drafted in a round"), std::string::npos) << table.out;
}

TEST(ChainedByName, CompletionAndTheManualKnowThem) {
    EXPECT_NE(speclens({"completion", "bash"}).out.find("lookup+eagle3"), std::string::npos);
    EXPECT_NE(speclens({"man"}).out.find("A+B chains two"), std::string::npos);
    EXPECT_TRUE(std::regex_search(speclens({"help", "run"}).out, std::regex("A\\+B\\s+chains two"))); // wherever its line breaks
}

} // namespace speclens::test
