// `sample` and `states` as a user meets them: what they write, that they go on where they were killed, and what they refuse.
#include <gtest/gtest.h>

#include "engine/corpus/corpus_file.h"
#include "tests/app/cli/support.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

// Twelve prompts, of which some say how they are answered.
fs::path prompts_file(const fs::path& folder) {
    std::string lines;
    for (int i = 0; i < 12; ++i)
        lines += "{\"prompt\":\"Tell me about number " + std::to_string(i) + ".\",\"chat\":true,\"domain\":\"" +
                 (i % 2 == 0 ? "even" : "odd") + "\"" + (i % 3 == 0 ? ",\"temperature\":0,\"max_tokens\":" + std::to_string(5 + i) : "") +
                 "}\n";
    write_file(folder / "prompts.jsonl", lines);
    return folder / "prompts.jsonl";
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) files[entry.path().filename().string()] = read_file(entry.path());
    return files;
}

TEST(Sample, AnswersAFileOfPromptsAndGoesOn) {
    const fs::path folder = fresh_folder();
    const std::string prompts = prompts_file(folder);
    const auto sample = [&](const std::string& into, std::vector<std::string> more) {
        std::vector<std::string> words = {"sample", "--prompts", prompts,          "-o", (folder / into).string(), "--max-tokens", "40",
                                          "--seed", "5",         "--block-tokens", "300"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const Outcome whole = speclens(sample("whole", {}));
    ASSERT_EQ(whole.code, 0) << whole.err;
    for (const char* part : {"SpecLens sample · bundle S", "tokens of 12 answers in", "tokens drawn in", "ended"})
        EXPECT_NE(whole.out.find(part), std::string::npos) << part << "\n" << whole.out;
    std::vector<CorpusText> texts;
    for (const fs::path& file : corpus_files(folder / "whole"))
        for (const CorpusText& text : read_corpus(file).texts) texts.push_back(text);
    ASSERT_EQ(texts.size(), 12u);
    EXPECT_GT(corpus_files(folder / "whole").size(), 1u);
    EXPECT_EQ(texts[3].temperature, 0);
    EXPECT_LE(texts[3].answer(), 8);
    EXPECT_EQ(texts[4].temperature, 0.8);
    EXPECT_EQ(texts[4].domain, "even");
    // The text of a run alone.
    const Outcome alone = speclens(
        {"run", "--chat", "--prompt", "Tell me about number 3.", "--drafter", "none", "--temp", "0", "--max-tokens", "8", "--json", "-"});
    ASSERT_EQ(alone.code, 0) << alone.err;
    std::vector<int> tokens;
    for (const Json& event : lines_of(alone.out))
        if (event["kind"] == "commit")
            for (const Json& token : event["tokens"]) tokens.push_back(token.get<int>());
    EXPECT_EQ(std::vector<int>(texts[3].tokens.begin() + texts[3].prompt, texts[3].tokens.end()), tokens);

    // Killed again and again, then left to end.
    for (const int ms : {200, 400, 600}) {
        Start killed;
        killed.arguments = sample("killed", {"--texts", "3"});
        killed.interrupt_after_ms = ms;
        killed.signal = SIGKILL;
        (void)speclens(killed);
    }
    Start stopped;
    stopped.arguments = sample("killed", {"--texts", "2", "--for", "0.1"});
    EXPECT_EQ(speclens(stopped).code, 0);
    const Outcome rest = speclens(sample("killed", {"--texts", "7"}));
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(files_of(folder / "killed"), files_of(folder / "whole"));

    // Ctrl+C keeps what is there, and says so.
    Start cut;
    cut.arguments = sample("cut", {"--texts", "1"});
    cut.interrupt_when = "SpecLens sample";
    const Outcome said = speclens(cut);
    if (said.code != 0) { // it was not faster
        EXPECT_EQ(said.code, 130) << said.err;
        EXPECT_NE(said.out.find("the same command goes on"), std::string::npos) << said.out;
    }
    EXPECT_EQ(speclens(sample("cut", {})).code, 0);
    EXPECT_EQ(files_of(folder / "cut"), files_of(folder / "whole"));

    // So many tokens; more than the prompts give.
    const Outcome few = speclens(sample("few", {"--tokens", "60"}));
    ASSERT_EQ(few.code, 0) << few.err;
    EXPECT_GE(read_corpus(folder / "few" / "000.corpus").answer_tokens(), 60);
    EXPECT_NE(speclens(sample("whole", {"--tokens", "100000"})).err.find("add more prompts"), std::string::npos);

    // What it refuses.
    EXPECT_EQ(speclens({"sample", "-o", folder / "x"}).code, 2);
    EXPECT_EQ(speclens({"sample", "--prompts", prompts}).code, 2);
    EXPECT_EQ(speclens({"sample", "--prompts", prompts, "-o", folder / "x", "--texts", "65"}).code, 2);
    EXPECT_EQ(speclens({"sample", "--prompts", prompts, "-o", folder / "x", "--block-tokens", "250001"}).code, 2);
    EXPECT_EQ(speclens({"sample", "--prompts", prompts, "-o", folder / "x", "--model", table_file()}).code, 2);
    EXPECT_EQ(speclens({"sample", "--prompts", "/nothing/here.jsonl", "-o", folder / "x"}).code, 3);
    EXPECT_EQ(speclens({"sample", "--prompts", prompts, "-o", folder / "x", "--drafter", "lookup"}).code, 2);
    std::vector<std::string> other = sample("whole", {});
    other[8] = "6"; // the seed
    const Outcome seed = speclens(other);
    EXPECT_EQ(seed.code, 2);
    EXPECT_NE(seed.err.find("was sampled with seed 5, not 6"), std::string::npos) << seed.err;
    write_file(folder / "bad.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"temperature\":\"hot\"}\n");
    const Outcome bad = speclens({"sample", "--prompts", folder / "bad.jsonl", "-o", folder / "x"});
    EXPECT_EQ(bad.code, 3);
    EXPECT_NE(bad.err.find("line 2: \"temperature\""), std::string::npos) << bad.err;
    // Elsewhere the two mean nothing, and it is said.
    write_file(folder / "hot.jsonl", "{\"prompt\":\"a\",\"temperature\":1}\n");
    EXPECT_NE(speclens({"compare", "--prompts", folder / "hot.jsonl", "--drafters", "none", "--max-tokens", "2"})
                  .err.find("\"temperature\" means nothing here"),
              std::string::npos);
}

TEST(Sample, StatesOfACorpusForNumpy) {
    const fs::path folder = fresh_folder();
    const std::string corpus = folder / "corpus", states = folder / "states";
    ASSERT_EQ(speclens({"sample", "--prompts", prompts_file(folder), "-o", corpus, "--max-tokens", "20", "--block-tokens", "300"}).code, 0);
    const Outcome out = speclens({"states", corpus, "-o", states, "--block-tokens", "150"});
    ASSERT_EQ(out.code, 0) << out.err;
    for (const char* part : {"SpecLens states · bundle S", " parts in ", "tokens in", "a second"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    const auto files = files_of(states);
    ASSERT_TRUE(files.contains("000-00.states.npy"));
    ASSERT_TRUE(files.contains("001-00.json"));
    const Json facts = Json::parse(files.at("000-00.json"));
    EXPECT_EQ(facts["texts"].get<int>() > 0, true);
    EXPECT_EQ(facts["corpus_sha256"].get<std::string>().size(), 64u);
    EXPECT_LE(facts["tokens"].get<int>(), 150);

    // Killed, and gone on with.
    for (const int ms : {150, 300}) {
        Start killed;
        killed.arguments = {"states", corpus, "-o", folder / "killed", "--block-tokens", "150"};
        killed.interrupt_after_ms = ms;
        killed.signal = SIGKILL;
        (void)speclens(killed);
    }
    ASSERT_EQ(speclens({"states", corpus, "-o", folder / "killed", "--block-tokens", "150"}).code, 0);
    EXPECT_EQ(files_of(folder / "killed"), files) << "what the killed ones had begun is gone, too";
    // Whoever is asked to end takes it along.
    for (const int signal : {SIGTERM, SIGINT}) {
        Start ended;
        ended.arguments = {"states", corpus, "-o", folder / "ended", "--block-tokens", "150"};
        ended.interrupt_when = "SpecLens states";
        ended.signal = signal;
        (void)speclens(ended);
        for (const auto& [name, bytes] : files_of(folder / "ended")) EXPECT_FALSE(name.ends_with(".part")) << name;
    }
    EXPECT_NE(speclens({"states", corpus, "-o", states, "--block-tokens", "150"}).out.find("there already"), std::string::npos);

    // One block, by number or by name.
    ASSERT_EQ(speclens({"states", corpus, "--block", "1", "-o", folder / "one", "--form", "f16", "--taps", "0"}).code, 0);
    EXPECT_FALSE(fs::exists(folder / "one" / "000-00.json"));
    EXPECT_TRUE(fs::exists(folder / "one" / "001-00.json"));
    EXPECT_EQ(speclens({"states", folder / "corpus" / "001.corpus", "-o", folder / "one", "--form", "f16", "--taps", "0"}).code, 0);
    const Outcome other = speclens({"states", corpus, "--block", "1", "-o", folder / "one", "--taps", "0"});
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("another form"), std::string::npos) << other.err;
    EXPECT_EQ(speclens({"states", corpus, "--block", "9", "-o", folder / "x"}).code, 2);
    EXPECT_EQ(speclens({"states", folder / "corpus" / "001.corpus", "--block", "0", "-o", folder / "x"}).code, 2);
    EXPECT_EQ(speclens({"states", corpus, "-o", folder / "x", "--taps", "77"}).code, 2);
    EXPECT_EQ(speclens({"states", corpus}).code, 2);
    EXPECT_EQ(speclens({"states", folder.string(), "-o", folder / "x"}).code, 2) << "no corpus there";
    EXPECT_EQ(speclens({"states", "/nothing/here.corpus", "-o", folder / "x"}).code, 3);
    EXPECT_EQ(speclens({"states", corpus, "-o", folder / "x", "--model", micro_model()}).code, 2) << "another model";
}

} // namespace
} // namespace speclens::test
