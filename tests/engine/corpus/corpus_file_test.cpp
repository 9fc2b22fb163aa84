// The file of a block: what is written is read again, whatever the vocabulary, and what is not as it was written is refused.
#include <gtest/gtest.h>

#include <random>

#include "engine/base/json.h"
#include "engine/corpus/corpus_file.h"
#include "engine/fetch/sha256.h"
#include "tests/shared/model_support.h"
#include "tests/shared/mutate.h"

namespace speclens {
namespace {

CorpusBlock made(int vocab, int texts, unsigned seed = 1) {
    CorpusBlock block;
    block.source = {.model = "a \"model\"",
                    .fingerprint = "0123456789abcdef",
                    .weights = "Q5_0",
                    .precision = "int8",
                    .vocab = vocab,
                    .seed = 1ull << 60};
    block.source.filters = {.temperature = 1, .top_k = 40, .top_p = 0.95};
    std::mt19937 random(seed);
    int number = 0;
    for (int i = 0; i < texts; ++i) {
        CorpusText text{.number = number += 1 + static_cast<int>(random() % 3),
                        .tokens = {},
                        .temperature = 0.1 * (i % 11),
                        .end = static_cast<AnswerEnd>(i % 3),
                        .domain = i % 2 == 0 ? "code" : "日本"};
        const int count = 2 + static_cast<int>(random() % 60);
        for (int t = 0; t < count; ++t) text.tokens.push_back(static_cast<int>(random() % static_cast<unsigned>(vocab)));
        text.prompt = 1 + static_cast<int>(random() % static_cast<unsigned>(count - 1));
        block.texts.push_back(std::move(text));
    }
    block.texts.front().tokens.front() = vocab - 1;
    return block;
}

// With another header, and the hash that belongs to it.
std::string with_header(const std::string& bytes, const std::function<void(Json&)>& change) {
    const std::size_t first = bytes.find('\n'), second = bytes.find('\n', first + 1);
    Json json = Json::parse(bytes.substr(first + 1, second - first - 1));
    change(json);
    const std::string rest = json.dump() + bytes.substr(second);
    Sha256 hash;
    hash.add(rest);
    return "speclens-corpus/1 " + hash.hex() + "\n" + rest;
}

TEST(CorpusFile, IsReadAsItWasWritten) {
    for (const int vocab : {2, 3, 61, 256, 257, 49152, 65536, 65537, 151936, 1 << 24}) {
        const CorpusBlock block = made(vocab, 17, static_cast<unsigned>(vocab));
        const std::string bytes = packed(block);
        EXPECT_EQ(unpacked(bytes, "a"), block) << vocab;
        EXPECT_EQ(packed(unpacked(bytes, "a")), bytes) << vocab;
        const std::size_t ids = bytes.size() - bytes.find('\n', bytes.find('\n') + 1) - 1;
        EXPECT_EQ(ids, (static_cast<std::size_t>(block.tokens()) * static_cast<std::size_t>(bits_of_ids(vocab)) + 7) / 8) << vocab;
    }
    EXPECT_EQ(bits_of_ids(151936), 18);
    EXPECT_EQ(bits_of_ids(2), 1);
    EXPECT_EQ(bits_of_ids(262144), 18);
    EXPECT_EQ(bits_of_ids(262145), 19);
}

TEST(CorpusFile, SaysWhoWroteItInItsFirstLines) {
    const std::string bytes = packed(made(151936, 3));
    const std::size_t first = bytes.find('\n');
    ASSERT_TRUE(bytes.starts_with("speclens-corpus/1 "));
    const Json json = Json::parse(bytes.substr(first + 1, bytes.find('\n', first + 1) - first - 1));
    EXPECT_EQ(json["fingerprint"], "0123456789abcdef");
    EXPECT_EQ(json["precision"], "int8");
    EXPECT_EQ(json["bits"], 18);
    EXPECT_EQ(json["seed"], 1ull << 60);
    for (const char* list : {"number", "prompt", "answer", "temperature", "domain", "end"}) EXPECT_EQ(json[list].size(), 3u) << list;
}

TEST(CorpusFile, AnyChangedByteIsFound) {
    const std::string bytes = packed(made(151936, 5));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string other = bytes;
        other[i] = static_cast<char>(other[i] ^ 4);
        EXPECT_THROW((void)unpacked(other, "a"), Error) << i;
    }
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_THROW((void)unpacked(bytes.substr(0, length), "a"), Error) << length;
    EXPECT_THROW((void)unpacked(bytes + '\0', "a"), Error);
}

TEST(CorpusFile, DamagedFilesEndInAnError) {
    test::replay_mutations(packed(made(61, 9)), 3000, 11, [](const std::string& text) { (void)unpacked(text, "a"); });
    // Under a hash that is right, so that what the header says is looked at.
    const std::string bytes = packed(made(61, 9));
    const std::size_t first = bytes.find('\n');
    test::replay_mutations(bytes.substr(first + 1), 6000, 12, [](const std::string& rest) {
        Sha256 hash;
        hash.add(rest);
        const CorpusBlock block = unpacked("speclens-corpus/1 " + hash.hex() + "\n" + rest, "a");
        EXPECT_LE(block.tokens(), kMostBlockTokens);
        for (const CorpusText& text : block.texts)
            for (const int id : text.tokens) EXPECT_LT(id, block.source.vocab);
    });
}

TEST(CorpusFile, SaysWhatIsWrong) {
    const std::string bytes = packed(made(61, 5));
    const auto refused = [&](const std::function<void(Json&)>& change, const std::string& words) {
        test::expect_error([&] { (void)unpacked(with_header(bytes, change), "x/000.corpus"); }, {"x/000.corpus", words});
    };
    (void)unpacked(with_header(bytes, [](Json&) {}), "a");
    refused([](Json& j) { j["bits"] = 7; }, "another width");
    refused([](Json& j) { j["vocab"] = 60; }, "outside of its vocabulary");
    refused([](Json& j) { j["number"][1] = j["number"][0]; }, "order of their numbers");
    refused([](Json& j) { j["answer"][0] = 0; }, "without a prompt or an answer");
    refused([](Json& j) { j["prompt"][0] = j["prompt"][0].get<int>() + 1; }, "not as many tokens");
    refused([](Json& j) { j["domain"][0] = 9; }, "no name");
    refused([](Json& j) { j["end"][0] = 3; }, "\"end\" is out of range");
    refused([](Json& j) { j["temperature"][0] = -1; }, "\"temperature\" is out of range");
    refused([](Json& j) { j["top_p"] = 0; }, "top_p");
    refused([](Json& j) { j.erase("fingerprint"); }, "fingerprint");
    refused([](Json& j) { j["seed"] = 1.5; }, "seed");
    refused([](Json& j) { j["prompt"][0] = 300000; }, "out of range");
    refused(
        [](Json& j) {
            for (const char* list : {"number", "prompt", "answer", "temperature", "domain", "end"}) j[list] = Json::array();
        },
        "no texts");
    test::expect_error([&] { (void)unpacked("speclens-corpus/2 " + bytes.substr(18), "a"); }, {"another version"});
    test::expect_error([&] { (void)unpacked("{}", "a"); }, {"is no corpus"});
}

TEST(CorpusFile, AFolderIsItsBlocksInOrder) {
    const test::TempFolder folder;
    EXPECT_TRUE(corpus_files(folder.path()).empty());
    const CorpusBlock block = made(61, 2);
    for (const int n : {0, 1, 2}) write_corpus(corpus_file(folder.path(), n), block);
    EXPECT_EQ(corpus_file("a", 7).string(), "a/007.corpus");
    EXPECT_EQ(corpus_files(folder.path()).size(), 3u);
    EXPECT_EQ(read_corpus(folder / "001.corpus"), block);
    std::filesystem::remove(folder / "001.corpus");
    test::expect_error([&] { (void)corpus_files(folder.path()); }, {"no 001.corpus"});
    EXPECT_THROW((void)read_corpus(folder / "001.corpus"), Error);
}

} // namespace
} // namespace speclens
