// Lists of frequent ids: the three kinds of file, what is wrong with them in words, and the one that belongs to a vocabulary.
#include <gtest/gtest.h>

#include "engine/text/id_list.h"
#include "kernels/error.h"
#include "tests/shared/model_support.h"
#include "tests/shared/mutate.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

// Tokens "0", "1", …; the last `specials` of them are special.
class Numbers final : public Tokenizer {
  public:
    Numbers(int size, int specials, std::string mark = "") : size_(size), specials_(specials), mark_(std::move(mark)) {}
    [[nodiscard]] std::vector<int> encode(std::string_view) const override { return {}; }
    [[nodiscard]] std::vector<int> encode(std::span<const TextPart>) const override { return {}; }
    [[nodiscard]] std::string decode(const std::vector<int>&, bool) const override { return ""; }
    [[nodiscard]] std::string bytes_of(int id) const override { return id < size_ ? mark_ + std::to_string(id) : ""; }
    [[nodiscard]] int size() const override { return size_; }
    [[nodiscard]] int id_of(std::string_view) const override { return -1; }
    [[nodiscard]] bool is_special(int id) const override { return id >= size_ - specials_; }
    [[nodiscard]] int bos() const override { return -1; }

  private:
    int size_, specials_;
    std::string mark_;
};

class IdLists : public testing::Test {
  protected:
    [[nodiscard]] fs::path file(const std::string& text, const std::string& name = "some.ids") const {
        write_file(folder_ / name, text);
        return folder_ / name;
    }
    [[nodiscard]] std::vector<int> read(const std::string& text, int vocab = 100) const {
        return read_id_list(file(text), vocab, kIdListRemedy).ids;
    }
    TempFolder folder_;
};

TEST_F(IdLists, ArePackedInTheOrderOfTheirCounts) {
    const Numbers tokenizer(200, 4);
    const IdList list = counted_ids({{3, 5}, {7, 9}, {8, 0}, {150, 5}, {199, 1}}, tokenizer);
    EXPECT_EQ(list.ids, (std::vector<int>{7, 3, 150, 199}));
    EXPECT_EQ(list.tokens, 20);
    EXPECT_EQ(list.hashed, 196) << "what models of a family add at the end is another one's";
    const IdList back = read_id_list(file(packed(list)), 200, kIdListRemedy);
    EXPECT_EQ(back.ids, list.ids);
    EXPECT_EQ(back.vocabulary, list.vocabulary);
    EXPECT_EQ(back.tokens, 20);
    EXPECT_EQ(back.vocab, 200);
    EXPECT_EQ(packed(back), packed(list));
}

TEST_F(IdLists, TakeEighteenBitsAnId) {
    std::map<int, long long> counts;
    for (int id = 0; id < 30000; ++id) counts[id * 5] = 30000 - id;
    EXPECT_LT(packed(counted_ids(counts, Numbers(151936, 300))).size(), 30000u * 18 / 8 + 300);
}

TEST_F(IdLists, AreReadAsLinesAndAsJson) {
    EXPECT_EQ(read("7\n3\n\n  99 # the last\r\n# nothing\n5"), (std::vector<int>{7, 3, 99, 5}));
    EXPECT_EQ(read("7 1\n3\t20\n99 20\n5 0\n"), (std::vector<int>{3, 99, 7})) << "by count, then by number; not those without any";
    EXPECT_EQ(read(R"( {"ids": [7, 3], "covered": 0.5})"), (std::vector<int>{7, 3}));
}

TEST_F(IdLists, SayWhatIsWrong) {
    const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
        std::vector<std::string> all = words;
        all.emplace_back("some.ids");
        expect_error([&] { (void)read(text); }, all);
    };
    refused("", {"names no ids"});
    refused("# only this\n", {"names no ids"});
    refused("1\n2 three\n", {"line 2", "neither an id"});
    refused("1 2 3\n", {"line 1", "neither an id"});
    refused("-1\n", {"line 1"});
    refused("1\n2 5\n", {"line 2 has count, others have none"});
    refused("1 5\n2\n", {"line 2 has no count, others have"});
    refused("4\n4\n", {"4 twice"});
    refused("100\n", {"entry 100", "ids 0 to 99"});
    refused("99999999999999999999\n", {"line 1"});
    refused(R"({"ids": [1.5]})", {"entry 1.5"});
    refused(R"({"ids": "all"})", {"no list"});
    refused("[1, 2]", {"some.ids"});
    refused("speclens-ids/2 0\n", {"another version"});
    const std::string whole = packed(counted_ids({{1, 1}, {2, 2}}, Numbers(50, 0)));
    refused(whole + "x", {"damaged"});
    refused(whole.substr(0, whole.size() - 1), {"damaged"});
    refused("speclens-ids/1 ", {"damaged"});
    EXPECT_EQ(read(whole), (std::vector<int>{2, 1}));
    expect_error([&] { (void)read(packed(counted_ids({{150, 1}}, Numbers(200, 0)))); }, {"entry 150"});
}

TEST_F(IdLists, DamagedFilesEndInAnError) {
    const std::string whole = packed(counted_ids({{1, 1}, {2, 2}, {40, 1}}, Numbers(50, 0)));
    for (const std::string& text : {whole, std::string("1 5\n2 7\n44 1\n"), std::string(R"({"ids": [1, 2, 44]})")})
        replay_mutations(text, 500, 11, [&](const std::string& other) {
            for (const int id : read(other)) EXPECT_TRUE(id >= 0 && id < 100);
        });
}

TEST_F(IdLists, BelongToTheVocabularyThatTheyWereCountedFor) {
    const Numbers ours(300, 6), family(304, 10), longer(400, 6), other(300, 6, "t");
    (void)file("no list", "a.ids");
    (void)file(packed(counted_ids({{1, 1}}, other)), "b.ids");
    (void)file("speclens-ids/1 0123456789abcdef\n{\"vocab\": 300}\n", "c.ids");
    EXPECT_TRUE(find_id_list(folder_.path(), ours).empty());
    EXPECT_TRUE(find_id_list(folder_ / "nowhere", ours).empty());
    const IdList list = counted_ids({{1, 1}, {9, 3}}, ours);
    const fs::path there = file(packed(list), "d.ids");
    EXPECT_EQ(find_id_list(folder_.path(), ours), there);
    EXPECT_EQ(find_id_list(folder_.path(), family), there) << "with other special tokens behind the same ones";
    EXPECT_EQ(find_id_list(folder_.path(), longer), there) << "with more tokens behind them";
    EXPECT_TRUE(find_id_list(folder_.path(), Numbers(200, 0)).empty());
    EXPECT_EQ(find_id_list(folder_.path(), other).filename(), "b.ids");
    check_vocabulary(list, ours);
    check_vocabulary(IdList{.name = "x", .ids = {1}}, other);
    expect_error([&] { check_vocabulary(list, other); }, {"another vocabulary"});
}

} // namespace
} // namespace speclens::test
