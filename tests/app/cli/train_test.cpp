// `speclens train`: the heads it makes load again, and what it cannot do is said.
#include <gtest/gtest.h>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

TEST(Train, TeachesHeadsThatLoadAgain) {
    const std::filesystem::path folder = fresh_folder();
    std::string lines;
    for (const char* prompt : {"What is the capital of France?", "What is the capital of Spain?", "Tell me about Brazil.",
                               "Write a short poem about the sea.", "Hello", "Tell me about Japan.", "What is the capital of Peru?"})
        lines += std::string("{\"prompt\":\"") + prompt + "\",\"chat\":true}\n";
    write_file(folder / "prompts.jsonl", lines);
    const std::vector<std::string> small = {
        "train",   "--prompts", (folder / "prompts.jsonl").string(), "--texts", "2", "--max-tokens", "16", "--steps", "20", "--batch", "32",
        "--heads", "2"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = small;
        all.insert(all.end(), more.begin(), more.end());
        return speclens(all);
    };
    const Outcome out = with({"-o", (folder / "heads").string(), "--json", (folder / "curve.json").string()});
    ASSERT_EQ(out.code, 0) << out.err;
    for (const char* part : {"2 Medusa heads for bundle S", "[LIVE]", "answers to 6 prompts", "greedy answers to 1 prompt that",
                             "tok/round", "heads that were loaded", "medusa="})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    for (const char* row : {"\n     0 ", "\n    10 ", "\n    20 "}) EXPECT_NE(out.out.find(row), std::string::npos) << row << out.out;
    const auto json = Json::parse(read_file(folder / "curve.json"));
    EXPECT_EQ(json["schema"], "speclens-training/1");
    ASSERT_EQ(json["curve"].size(), 3u);
    EXPECT_TRUE(json["curve"][0]["loss"].is_null());
    EXPECT_EQ(json["curve"][2]["step"], 20);
    EXPECT_LT(json["curve"][2]["loss"].get<double>(), json["curve"][1]["loss"].get<double>());
    EXPECT_EQ(json["curve"][2]["shares"].size(), 2u);
    const Outcome used = speclens(
        {"run", "--drafter", "medusa=" + (folder / "heads").string(), "--prompt", "Hello", "--temp", "0", "--max-tokens", "6", "--text"});
    EXPECT_EQ(used.code, 0) << used.err;
    const Outcome again = with({"--json", "-"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(Json::parse(again.out)["curve"][2]["loss"], json["curve"][2]["loss"]) << "the same dice";

    Start cut;
    cut.arguments = {"train", "--steps", "100000", "-o", (folder / "cut").string()};
    cut.interrupt_when = "SpecLens train";
    EXPECT_EQ(speclens(cut).code, 130);
    EXPECT_FALSE(std::filesystem::exists(folder / "cut")) << "nothing was learned yet";
    EXPECT_EQ(with({"-o", (folder / "prompts.jsonl").string()}).code, 3);
    write_file(folder / "one.jsonl", "{\"prompt\":\"Hello\"}\n");
    EXPECT_EQ(speclens({"train", "--prompts", (folder / "one.jsonl").string()}).code, 3);
    EXPECT_EQ(speclens({"train", "--prompts", "/nothing/here.jsonl"}).code, 3);
    write_file(folder / "broken.jsonl", lines + "{\"prompt\": 7}\n");
    const Outcome broken = speclens({"train", "--prompts", (folder / "broken.jsonl").string()});
    EXPECT_EQ(broken.code, 3);
    EXPECT_NE(broken.err.find("line 8"), std::string::npos) << broken.err;
    EXPECT_EQ(speclens({"train", "--model", table_file()}).code, 2);
    EXPECT_EQ(speclens({"train", "--heads", "9"}).code, 2);
    EXPECT_EQ(speclens({"train", "--k", "3"}).code, 2);
}

TEST(Train, TeachesAnMtpLayerThatLoadsAgain) {
    const std::filesystem::path folder = fresh_folder();
    write_file(folder / "prompts.jsonl", "{\"prompt\":\"Hello\",\"chat\":true}\n{\"prompt\":\"Tell me about Brazil.\",\"chat\":true}\n");
    const std::vector<std::string> small = {"train",
                                            "--head",
                                            "mtp",
                                            "--prompts",
                                            (folder / "prompts.jsonl").string(),
                                            "--texts",
                                            "1",
                                            "--max-tokens",
                                            "12",
                                            "--steps",
                                            "10",
                                            "--batch",
                                            "16",
                                            "--heads",
                                            "2",
                                            "-o",
                                            (folder / "head").string(),
                                            "--json",
                                            (folder / "curve.json").string()};
    const Outcome out = speclens(small);
    ASSERT_EQ(out.code, 0) << out.err;
    for (const char* part : {"an MTP layer for bundle S", "guess 1", "guess 2", "tok/round", "none,mtp="})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    const auto json = Json::parse(read_file(folder / "curve.json"));
    EXPECT_EQ(json["head"], "mtp");
    EXPECT_EQ(json["curve"][1]["shares"].size(), 2u);
    const auto text = [&](const std::string& drafter) {
        const Outcome used = speclens({"run", "--drafter", drafter, "--prompt", "Hello", "--temp", "0", "--max-tokens", "6", "--text"});
        EXPECT_EQ(used.code, 0) << used.err;
        return used.out;
    };
    EXPECT_EQ(text("mtp=" + (folder / "head").string()), text("none"));
    EXPECT_EQ(speclens({"train", "--head", "eagle3"}).code, 2);
}

// Said before anything is trained; heads that it wrote itself are replaced.
TEST(Train, KeepsOutOfTheFolderOfAnotherModel) {
    const std::filesystem::path folder = fresh_folder();
    const std::string prompts = folder / "prompts.jsonl";
    write_file(prompts, "{\"prompt\":\"one two\"}\n{\"prompt\":\"two one\"}\n");
    const auto train = [&](const std::string& into) {
        return speclens({"train", "--model", micro_model(), "--prompts", prompts, "--texts", "1", "--max-tokens", "8", "--steps", "2",
                         "--batch", "4", "--heads", "1", "-o", into});
    };
    std::filesystem::copy(micro_model(), folder / "other");
    std::filesystem::create_directory(folder / "weights");
    write_file(folder / "weights" / "a.safetensors", "somebody's");
    for (const auto& [name, file] : {std::pair<std::string, std::string>{"other", "config.json"}, {"weights", "a.safetensors"}}) {
        const Outcome refused = train(folder / name);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_NE(refused.err.find("holds a model already: " + file), std::string::npos) << refused.err;
        EXPECT_EQ(refused.out, "");
    }
    for (const auto& entry : std::filesystem::directory_iterator(micro_model()))
        EXPECT_EQ(read_file(folder / "other" / entry.path().filename().string()), read_file(entry.path())) << entry.path();
    EXPECT_EQ(read_file(folder / "weights" / "a.safetensors"), "somebody's");
    EXPECT_FALSE(std::filesystem::exists(folder / "weights" / "config.json"));

    const Outcome first = train(folder / "heads");
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_NE(first.out.find(" 1 Medusa head for "), std::string::npos) << first.out;
    EXPECT_EQ(train(folder / "heads").code, 0) << "its own heads";
    EXPECT_EQ(speclens({"run", "--model", micro_model(), "--drafter", "medusa=" + (folder / "heads").string(), "--prompt", "one",
                        "--max-tokens", "3", "--text"})
                  .code,
              0);
}

} // namespace speclens::test
