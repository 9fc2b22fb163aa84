// Text to ids and back: the same ids as Hugging Face tokenizers for thousands of texts (tests/engine/golden, written
// by assets/recipe/goldens.py), streaming, and inputs that must not take forever.
#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/text/tokenizer.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

fs::path bundle_tokenizer() { return fs::path(SPEC_SOURCE_DIR) / "assets" / "models" / "target" / "tokenizer.json"; }
std::shared_ptr<const Tokenizer> micro() { return Tokenizer::load(golden("micro_qwen3") / "tokenizer.json"); }

// "SLTK", count, then per text: length, bytes, number of ids, ids; LEB128 varints.
struct GoldenText {
    std::string text;
    std::vector<int> ids;
};
std::vector<GoldenText> golden_texts(const std::string& name) {
    const std::string file = read_file(golden(name));
    EXPECT_EQ(file.substr(0, 4), "SLTK");
    std::size_t at = 4;
    const auto number = [&] {
        std::size_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(file.at(at++));
            value |= static_cast<std::size_t>(byte & 127) << shift;
            if (byte < 128) return value;
        }
    };
    std::vector<GoldenText> texts(number());
    for (GoldenText& entry : texts) {
        const std::size_t length = number();
        entry.text = file.substr(at, length);
        at += length;
        entry.ids.resize(number());
        for (int& id : entry.ids) id = static_cast<int>(number());
    }
    EXPECT_EQ(at, file.size());
    return texts;
}

void expect_parity(const Tokenizer& tokenizer, const std::string& name, std::size_t least) {
    const std::vector<GoldenText> texts = golden_texts(name);
    EXPECT_GE(texts.size(), least);
    int wrong = 0;
    for (const GoldenText& entry : texts) {
        const std::vector<int> ids = tokenizer.encode(entry.text);
        if (ids != entry.ids && ++wrong <= 5)
            ADD_FAILURE() << ::testing::PrintToString(entry.text) << "\n ours   " << ::testing::PrintToString(ids) << "\n theirs "
                          << ::testing::PrintToString(entry.ids);
    }
    EXPECT_EQ(wrong, 0) << "of " << texts.size();
}

TEST(Tokenizer, AgreesWithHuggingFaceOnTheBundlesVocabulary) {
    expect_parity(*Tokenizer::load(bundle_tokenizer()), "tokens_bundle.bin", 10'000);
}

TEST(Tokenizer, AgreesWithHuggingFaceOnTheMicroVocabulary) { expect_parity(*micro(), "tokens_micro.bin", 1'000); }

TEST(Tokenizer, DecodingReturnsTheBytesOfNormalisedText) {
    const auto tokenizer = Tokenizer::load(bundle_tokenizer());
    for (const std::string text : {"", "Hello, world!\r\n\tx += 1;", "日本語 👍🏽 naïve", "<|im_start|>user\nhi<|im_end|>\n"})
        EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("e\xcc\x81")), "\xc3\xa9"); // NFC
    EXPECT_EQ(tokenizer->decode(tokenizer->encode("a\xff\xe2\x82z")),
              "a\xef\xbf\xbd\xef\xbf\xbdz"); // broken bytes
}

TEST(Tokenizer, SpecialTokensAreFoundInRawTextAndCanBeLeftOut) {
    const auto tokenizer = micro();
    const int start = tokenizer->id_of("<|im_start|>"), think = tokenizer->id_of("<think>");
    ASSERT_GE(start, 500);
    EXPECT_TRUE(tokenizer->is_special(start));
    EXPECT_FALSE(tokenizer->is_special(think));
    const std::vector<int> ids = tokenizer->encode("<|im_start|><think>a");
    EXPECT_EQ(ids[0], start);
    EXPECT_EQ(ids[1], think);
    EXPECT_EQ(tokenizer->decode(ids, true), "<think>a");
    EXPECT_EQ(tokenizer->decode(ids), "<|im_start|><think>a");
}

TEST(Tokenizer, IdsOutsideTheVocabularyHaveNoBytes) {
    const auto tokenizer = micro();
    for (const int id : {-1, tokenizer->size(), 1 << 30}) {
        EXPECT_EQ(tokenizer->bytes_of(id), "");
        EXPECT_FALSE(tokenizer->is_special(id));
    }
    EXPECT_EQ(tokenizer->id_of("no such token"), -1);
    EXPECT_EQ(tokenizer->bytes_of(tokenizer->id_of(" the")), " the");
}

// a million bytes: an algorithm that is quadratic in a piece runs into ctest's time limit
TEST(Tokenizer, LongRunsOfOneCharacterTakeNoLongerThanOtherText) {
    const auto tokenizer = Tokenizer::load(bundle_tokenizer());
    for (const std::string unit : {"a", " ", "\n", "=", "7", "<", "\xe6\x97\xa5", "\xcc\x81", " \n", "'", "<|im_"}) {
        std::string text;
        while (text.size() < 1'000'000) text += unit;
        const std::vector<int> ids = tokenizer->encode(text);
        EXPECT_EQ(tokenizer->decode(ids), text) << ::testing::PrintToString(unit);
    }
}

TEST(Tokenizer, LongRunsOfUnorderedMarksTakeNoLongerEither) {
    const auto tokenizer = micro();
    std::string mixed = "a", sorted = "a"; // U+0301 has class 230, U+0323 has class 220 and comes first
    for (int i = 0; i < 200'000; ++i) mixed += "\xcc\x81\xcc\xa3";
    for (int i = 0; i < 200'000; ++i) sorted += "\xcc\xa3";
    for (int i = 0; i < 200'000; ++i) sorted += "\xcc\x81";
    EXPECT_EQ(tokenizer->encode(mixed), tokenizer->encode(sorted));
}

TEST(StreamDecoder, EmitsOnlyWholeCharacters) {
    const auto tokenizer = micro();
    // every byte of these characters is a token of its own in the micro vocabulary
    const std::string text = "x\xc3\xa9\xe6\x97\xa5\xf0\x9f\x91\x8dy";
    StreamDecoder stream(*tokenizer);
    std::string all;
    for (const int id : tokenizer->encode(text)) {
        const std::string piece = stream.push(id);
        EXPECT_TRUE(is_valid_utf8(piece)) << ::testing::PrintToString(piece);
        EXPECT_EQ(piece.find("\xef\xbf\xbd"), std::string::npos);
        all += piece;
    }
    EXPECT_EQ(all, text);
    EXPECT_EQ(stream.flush(), "");
}

TEST(StreamDecoder, AnyOrderOfBytesGivesTheReplacementOfTheWhole) {
    const auto tokenizer = micro();
    std::uint32_t state = 1;
    for (int round = 0; round < 300; ++round) {
        StreamDecoder stream(*tokenizer);
        std::string bytes, text;
        for (int i = 0; i < 40; ++i) {
            state = state * 1664525 + 1013904223;
            const int id = static_cast<int>(state >> 16) % tokenizer->size();
            bytes += tokenizer->bytes_of(id);
            text += stream.push(id);
        }
        text += stream.flush();
        EXPECT_EQ(text, valid_utf8(bytes));
    }
}

TEST(StreamDecoder, FlushReplacesAnUnfinishedCharacter) {
    const auto tokenizer = micro();
    const std::vector<int> ids = tokenizer->encode("\xe6\x97\xa5");
    ASSERT_EQ(ids.size(), 3u);
    StreamDecoder stream(*tokenizer);
    EXPECT_EQ(stream.push(ids[0]), "");
    EXPECT_EQ(stream.push(ids[1]), "");
    EXPECT_EQ(stream.flush(), "\xef\xbf\xbd");
    EXPECT_EQ(stream.flush(), "");
}

TEST(VocabularyDifference, IsEmptyForEqualVocabulariesAndNamesTheFirstDifference) {
    const auto tokenizer = micro();
    EXPECT_EQ(vocabulary_difference(*tokenizer, *tokenizer), "");
    EXPECT_EQ(vocabulary_difference(*tokenizer, *Tokenizer::load(golden("micro_qwen2") / "tokenizer.json")), "");
    const ModelFolder folder("micro_qwen3");
    const int the = tokenizer->id_of(" the");
    folder.edit("tokenizer.json", "{\"id\":500,\"content\":\"<|endoftext|>\"", "{\"id\":500,\"content\":\"<|end|>\"");
    const std::string difference = vocabulary_difference(*tokenizer, *Tokenizer::load(folder / "tokenizer.json"));
    EXPECT_NE(difference.find("token 500 is \"<|endoftext|>\" in the target and \"<|end|>\" in the draft"), std::string::npos)
        << difference;
    EXPECT_GT(the, 0);
    EXPECT_NE(vocabulary_difference(*Tokenizer::load(bundle_tokenizer()), *tokenizer), "");
}

TEST(VocabularyDifference, IdsThatOnlyOneSideHasDoNotCount) {
    // Qwen2.5 lacks the last four added tokens of Qwen3: the one model cannot propose them, nothing else
    // changes
    const ModelFolder folder("micro_qwen3");
    std::string text = read_file(folder / "tokenizer.json");
    const auto last = text.rfind(",{\"id\":508");
    ASSERT_NE(last, std::string::npos);
    text.erase(last, text.find('}', last) - last + 1);
    write_file(folder / "tokenizer.json", text);
    const auto shorter = Tokenizer::load(folder / "tokenizer.json");
    EXPECT_EQ(shorter->size(), micro()->size() - 1);
    EXPECT_EQ(vocabulary_difference(*micro(), *shorter), "");
    EXPECT_EQ(vocabulary_difference(*shorter, *micro()), "");
}

// Parts of a text: special tokens are read in those that are not literal only.
TEST(TokenizerParts, ReadNoSpecialTokenInALiteralPart) {
    const auto tokenizer = micro();
    const int end = tokenizer->id_of("<|im_end|>"), think = tokenizer->id_of("<think>");
    ASSERT_TRUE(tokenizer->is_special(end));
    ASSERT_GE(think, 0);
    ASSERT_FALSE(tokenizer->is_special(think));
    const auto count = [&](const std::vector<TextPart>& parts, int id) {
        const std::vector<int> ids = tokenizer->encode(parts);
        EXPECT_EQ(tokenizer->decode(ids), joined(parts));
        return std::ranges::count(ids, id);
    };
    EXPECT_EQ(count({{"a<|im_end|>b", false}}, end), 1);
    EXPECT_EQ(count({{"a<|im_end|>b", true}}, end), 0);
    EXPECT_EQ(count({{"<|im_end|>", false}, {"<|im_end|><|im_end|>", true}, {"<|im_end|>", false}}, end), 2);
    EXPECT_EQ(count({{"<|im_", true}, {"end|>", false}}, end), 0) << "half of it is said";
    EXPECT_EQ(count({{"<|im_", false}, {"end|>", true}}, end), 0);
    EXPECT_EQ(count({{"<|im_", false}, {"end|>", false}}, end), 1) << "one text";
    EXPECT_EQ(count({{"<|im_end|<|im_end", true}, {"|><|im_end|>", false}}, end), 1);
    EXPECT_EQ(count({{"<think>", true}}, think), 1) << "not special";
    const std::vector<int> composed = // what is normalised moves the borders
        tokenizer->encode(std::vector<TextPart>{{"e\u0301 <|im_end|>", true}, {"e\u0301<|im_end|>", false}});
    EXPECT_EQ(tokenizer->decode(composed), "é <|im_end|>é<|im_end|>");
    EXPECT_EQ(std::ranges::count(composed, end), 1);
    EXPECT_TRUE(tokenizer->encode(std::vector<TextPart>{}).empty());
    EXPECT_EQ(tokenizer->encode(std::vector<TextPart>{{"a\xff", true}, {"b", false}}), tokenizer->encode("a\xEF\xBF\xBD"
                                                                                                         "b"));
}

// Cut anywhere, a text without special tokens has the ids of the whole, which are Hugging Face's.
TEST(TokenizerParts, HaveTheIdsOfTheWholeText) {
    const auto tokenizer = micro();
    int compared = 0;
    for (const GoldenText& entry : golden_texts("tokens_micro.bin")) {
        const bool special = std::ranges::any_of(entry.ids, [&](int id) { return tokenizer->is_special(id); });
        if (special || !is_valid_utf8(entry.text)) continue;
        for (const std::size_t third : {entry.text.size() / 3, entry.text.size() / 2}) {
            const std::size_t cut = complete_utf8_prefix(std::string_view(entry.text).substr(0, third));
            const std::vector<TextPart> parts = {{entry.text.substr(0, cut), false}, {entry.text.substr(cut), true}};
            ASSERT_EQ(tokenizer->encode(parts), entry.ids) << ::testing::PrintToString(entry.text) << " at " << cut;
            ++compared;
        }
    }
    EXPECT_GE(compared, 100);
}

} // namespace
} // namespace speclens
