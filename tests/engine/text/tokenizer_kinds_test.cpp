// The tokenizers of real models: of every kind the ids that Hugging Face's tokenizers gives for ten thousand
// texts (tests/engine/golden/tokenizers, written by assets/recipe/tokenizer_goldens.py), read from
// tokenizer.json and from the tables that GGUF files hold.
#include <cstdio>
#include <limits>

#include "engine/base/json.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer_parts.h"
#include "engine/text/vocabulary_table.h"
#include "tests/shared/model_support.h"
#include "tests/shared/mutate.h"

namespace speclens {
namespace {

using namespace test;
fs::path kinds_folder() { return golden("tokenizers"); }
OrderedJson kind_json(const std::string& name) { return OrderedJson::parse(read_file(kinds_folder() / (name + ".json"))); }

std::string utf8(std::uint32_t c) {
    const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
    if (c < 0x80) return {byte(c)};
    if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
    if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
    return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
}

// The generator of tokenizer_goldens.py, draw for draw.
class Texts {
  public:
    explicit Texts(std::uint64_t seed) : random_(seed) {}
    std::string next() {
        static const OrderedJson parts = kind_json("texts");
        static const auto fragments = parts["fragments"].get<std::vector<std::string>>();
        static const auto ranges = [] {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
            for (const OrderedJson& range : parts["ranges"]) all.emplace_back(range[0].get<std::uint32_t>(), range[1].get<std::uint32_t>());
            return all;
        }();
        std::string text;
        for (std::uint64_t left = 1 + random_.below(8); left > 0; --left) {
            std::string part;
            if (random_.below(4) == 0) {
                for (std::uint64_t more = 1 + random_.below(4); more > 0; --more) {
                    const auto [first, last] = ranges[random_.below(ranges.size())];
                    part += utf8(first + static_cast<std::uint32_t>(random_.below(last - first + 1)));
                }
            } else {
                part = fragments[random_.below(fragments.size())];
            }
            const std::uint64_t times = random_.below(10) == 0 ? 2 + random_.below(6) : 1;
            for (std::uint64_t i = 0; i < times; ++i) text += part;
        }
        return text;
    }

  private:
    Mutator random_;
};

std::string hash_of(const std::vector<std::vector<int>>& texts) {
    std::uint64_t hash = 0xCBF29CE484222325;
    const auto add = [&](std::size_t number) {
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (number >> shift & 255)) * 0x100000001B3;
    };
    for (const auto& ids : texts) {
        add(ids.size());
        for (const int id : ids) add(static_cast<std::size_t>(id));
    }
    char text[17] = {};
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

void expect_kind(const Tokenizer& tokenizer, const std::string& kind) {
    const OrderedJson expected = kind_json(kind + ".golden");
    for (const OrderedJson& entry : expected["cases"])
        EXPECT_EQ(tokenizer.encode(entry[0].get<std::string>()), entry[1].get<std::vector<int>>()) << kind << ": " << entry[0].dump();
    Texts texts(expected["seed"].get<std::uint64_t>());
    const OrderedJson& hashes = expected["hashes"];
    const auto block = expected["block"].get<std::size_t>();
    EXPECT_GE(hashes.size() * block, 10'000u);
    std::string wrong;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        std::vector<std::vector<int>> ids;
        for (std::size_t j = 0; j < block; ++j) ids.push_back(tokenizer.encode(texts.next()));
        if (hash_of(ids) != hashes[i].get<std::string>()) wrong += " " + std::to_string(i);
    }
    EXPECT_EQ(wrong, "") << "blocks of a hundred texts that differ; assets/recipe/tokenizer_goldens.py --show " << kind
                         << " BLOCK prints them with the right ids";
}

std::shared_ptr<const Tokenizer> load_kind(const std::string& name) { return Tokenizer::load(kinds_folder() / (name + ".json")); }

class TokenizerKinds : public ::testing::TestWithParam<const char*> {};
TEST_P(TokenizerKinds, AgreeWithHuggingFace) { expect_kind(*load_kind(GetParam()), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Published, TokenizerKinds,
                         ::testing::Values("qwen2", "gpt2", "smollm", "llama3", "deepseek", "llama2", "metaspace", "options"),
                         [](const auto& test) { return std::string(test.param); });
TEST(TokenizerKindsBundle, AgreesWithHuggingFace) {
    expect_kind(*Tokenizer::load(fs::path(SPEC_SOURCE_DIR) / "assets" / "models" / "target" / "tokenizer.json"), "qwen3");
}

// transformers 5 writes a template also where it puts nothing around a text: the same ids of the same 10 000 texts.
TEST(TokenizerKindsWritten, AsTransformers5WritesThemAgreeWithHuggingFace) {
    for (const char* kind : {"qwen2", "gpt2", "smollm"}) {
        OrderedJson json = kind_json(kind);
        OrderedJson single = OrderedJson::array(), pair = OrderedJson::array();
        for (const char* sequence : {"A", "B"}) {
            const OrderedJson part = {{"Sequence", {{"id", sequence}, {"type_id", sequence[0] - 'A'}}}};
            if (pair.empty()) single.push_back(part);
            pair.push_back(part);
        }
        json["post_processor"] = {
            {"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", OrderedJson::object()}};
        const TempFolder folder;
        write_file(folder / "tokenizer.json", json.dump());
        const auto tokenizer = Tokenizer::load(folder / "tokenizer.json");
        EXPECT_EQ(tokenizer->bos(), -1);
        expect_kind(*tokenizer, kind);
    }
}

// What a GGUF file of the same model holds.
VocabularyTable table_of(const OrderedJson& json, const std::string& pre) {
    VocabularyTable table;
    table.model = pre.empty() ? "llama" : "gpt2";
    table.pre = pre;
    const auto put = [&](const OrderedJson& id, const std::string& text, std::int32_t type) {
        const auto at = id.get<std::size_t>();
        if (at >= table.tokens.size()) table.tokens.resize(at + 1);
        table.types.resize(table.tokens.size(), 5);
        table.tokens[at] = text;
        table.types[at] = type;
    };
    for (const auto& [text, id] : json["model"]["vocab"].items())
        put(id, text, pre.empty() && text.starts_with("<0x") && text.size() == 6 ? 6 : 1);
    for (const OrderedJson& token : json["added_tokens"]) {
        put(token["id"], token["content"].text(), token["content"] == "<unk>" ? 2 : token["special"].get<bool>() ? 3 : 4);
        if (token["content"] == "<s>" || token["content"] == "<|begin|>") table.bos = token["id"].get<int>();
    }
    for (const OrderedJson& merge : json["model"]["merges"])
        table.merges.push_back(merge.is_string() ? merge.get<std::string>()
                                                 : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
    if (!pre.empty()) return table;
    table.merges.clear();
    for (std::size_t id = 0; id < table.tokens.size(); ++id) // in the order of SentencePiece: bytes, then by score
        table.scores.push_back(id < 259 ? 0.0f : 259.0f - static_cast<float>(id));
    return table;
}

struct TableKind {
    const char *kind, *pre;
};
class VocabularyTables : public ::testing::TestWithParam<TableKind> {};
TEST_P(VocabularyTables, GiveTheIdsOfTokenizerJson) {
    VocabularyTable table = table_of(kind_json(GetParam().kind), GetParam().pre);
    if (std::string(GetParam().pre) == "deepseek-r1-qwen") table.bos = 0;
    table.tokens.push_back("[PAD9999]");
    table.types.push_back(5);
    if (!table.scores.empty()) table.scores.push_back(-1000);
    const auto tokenizer = Tokenizer::of_table(table, "model.gguf");
    expect_kind(*tokenizer, GetParam().kind);
    EXPECT_EQ(tokenizer->bytes_of(tokenizer->size() - 1), "");
    const auto file = load_kind(GetParam().kind);
    EXPECT_EQ(tokenizer->size(), file->size() + 1);
    EXPECT_EQ(vocabulary_difference(*file, *tokenizer), "");
    for (int id = 0; id < file->size(); ++id) EXPECT_EQ(tokenizer->is_special(id), file->is_special(id)) << id;
}
INSTANTIATE_TEST_SUITE_P(Gguf, VocabularyTables,
                         ::testing::Values(TableKind{"gpt2", "gpt-2"}, TableKind{"gpt2", "gpt2"}, TableKind{"smollm", "smollm"},
                                           TableKind{"qwen2", "qwen2"}, TableKind{"qwen2", "deepseek-r1-qwen"},
                                           TableKind{"llama3", "llama-bpe"}, TableKind{"llama3", "llama3"}, TableKind{"llama3", "llama-v3"},
                                           TableKind{"llama2", ""}));

TEST(VocabularyTable, SaysWhetherATextBeginsWithATokenOfItsOwn) {
    const auto bos = [](const std::string& kind, const std::string& pre, std::optional<bool> add) {
        VocabularyTable table = table_of(kind_json(kind), pre);
        if (table.bos < 0) table.bos = 7;
        table.add_bos = add;
        return Tokenizer::of_table(table, "model.gguf")->bos();
    };
    EXPECT_EQ(bos("qwen2", "qwen2", {}), -1);
    EXPECT_EQ(bos("qwen2", "qwen2", true), 7);
    EXPECT_EQ(bos("qwen2", "deepseek-r1-qwen", {}), 7);
    EXPECT_EQ(bos("smollm", "smollm", false), -1);
    EXPECT_EQ(bos("llama3", "llama-bpe", {}), load_kind("llama3")->bos());
    EXPECT_EQ(bos("llama3", "llama-bpe", false), -1);
    EXPECT_EQ(bos("llama2", "", {}), 1);
    EXPECT_EQ(load_kind("llama2")->bos(), 1);
}

TEST(VocabularyTable, IsRefusedWithWhatIsWrong) {
    const VocabularyTable valid = table_of(kind_json("smollm"), "smollm"), sentence = table_of(kind_json("llama2"), "");
    const auto refused = [](VocabularyTable table, auto change, std::vector<std::string> words) {
        change(table);
        words.push_back("model.gguf");
        expect_error([&] { static_cast<void>(Tokenizer::of_table(table, "model.gguf")); }, words);
    };
    using Table = VocabularyTable;
    refused(valid, [](Table& t) { t.model = "bert"; }, {"tokenizer.ggml.model", "bert"});
    refused(valid, [](Table& t) { t.pre = "tekken"; }, {"tokenizer.ggml.pre", "tekken", "smollm"});
    refused(valid, [](Table& t) { t.pre = ""; }, {"tokenizer.ggml.pre"});
    refused(valid, [](Table& t) { t.tokens.clear(); }, {"no tokens"});
    refused(valid, [](Table& t) { t.types.pop_back(); }, {"tokens", "types"});
    refused(valid, [](Table& t) { t.scores = {1, 2}; }, {"tokens", "2 scores"});
    refused(valid, [](Table& t) { t.types[5] = 0; }, {"token 5", "type 0"});
    refused(valid, [](Table& t) { t.types[5] = 7; }, {"token 5", "type 7"});
    refused(valid, [](Table& t) { t.types[5] = 6; }, {"token 5", "type 6"});
    refused(valid, [](Table& t) { t.tokens[5] = ""; }, {"token 5", "empty"});
    refused(valid, [](Table& t) { t.tokens[5] = "\xff"; }, {"token 5", "UTF-8"});
    refused(valid, [](Table& t) { t.tokens[5] = t.tokens[9]; }, {"token 9", "another"});
    refused(valid, [](Table& t) { t.merges.clear(); }, {"no merges"});
    refused(valid, [](Table& t) { t.merges[3] = "ab"; }, {"merge 3", "two tokens"});
    refused(valid, [](Table& t) { t.merges[3] = "a nowhere"; }, {"merge 3", "not in the vocabulary"});
    refused(valid, [](Table& t) { t.bos = 1 << 20; }, {"bos", "1048576"});
    refused(valid, [](Table& t) { t.eos = -2; }, {"eos", "-2"});
    refused(valid, [](Table& t) { t.padding = std::numeric_limits<int>::max(); }, {"padding"});
    refused(valid, [](Table& t) { t.unknown = std::numeric_limits<int>::min(); }, {"unknown"});
    refused(valid, [](Table& t) { t.bos = -1, t.add_bos = true; }, {"add_bos_token"});
    refused(valid, [](Table& t) { t.add_eos = true; }, {"add_eos_token"});
    refused(valid, [](Table& t) { t.add_space_prefix = true; }, {"add_space_prefix"});
    refused(sentence, [](Table& t) { t.remove_extra_whitespaces = true; }, {"remove_extra_whitespaces"});
    refused(sentence, [](Table& t) { t.scores.clear(); }, {"tokens", "0 scores"});
    refused(sentence, [](Table& t) { t.scores[300] = std::numeric_limits<float>::quiet_NaN(); }, {"token 300", "score"});
    refused(sentence, [](Table& t) { t.tokens[9] = "byte"; }, {"token 9", "<0x0A>"});
    refused(sentence, [](Table& t) { t.tokens[300] = std::string(2000, 'a'); }, {"token 300", "2000 bytes"});
}

TEST(VocabularyTable, ACancelIsSeenBeforeItsEnd) {
    const std::atomic<bool> cancelled = true;
    for (const char* kind : {"smollm", "llama2"}) {
        VocabularyTable table = table_of(kind_json(kind), std::string(kind) == "llama2" ? "" : kind);
        table.types.back() = 0; // of which nobody hears
        EXPECT_THROW((void)Tokenizer::of_table(table, "model.gguf", {.report = nullptr, .cancelled = &cancelled}), Cancelled) << kind;
    }
}

TEST(VocabularyTable, SentencePieceMayLeaveTheBlankInFrontAway) {
    VocabularyTable table = table_of(kind_json("llama2"), "");
    const auto with = Tokenizer::of_table(table, "model.gguf");
    table.add_space_prefix = false;
    const auto without = Tokenizer::of_table(table, "model.gguf");
    EXPECT_EQ(with->decode(with->encode("the model")), " the model");
    EXPECT_EQ(without->decode(without->encode("the model")), "the model");
    EXPECT_EQ(with->encode("the model"), without->encode(" the model"));
    EXPECT_EQ(without->decode(without->encode("\xf0\x9f\x91\x8d\n")), "\xf0\x9f\x91\x8d\n") << "by bytes";
}

// As tokenizers 0.23.3 writes them: an unknown character waits for the next one that is known, and the bytes
// of a third come in between.
TEST(TokenizerKindsMissingBytes, MakeACharacterUnknown) {
    const auto ids = [](const std::string& fuse, const std::string& text) {
        const std::string json = R"({"model":{"type":"BPE","byte_fallback":true,"unk_token":"<unk>","merges":[],)"
                                 R"("vocab":{"<unk>":0,"a":1,"<0xC3>":2,"<0xA9>":3},"fuse_unk":)" +
                                 fuse + "}}";
        return make_tokenizer(parse_tokenizer_json(json, "tokenizer.json"))->encode(text);
    };
    EXPECT_EQ(ids("false", "\xc3\xb1\xc3\xa9"
                           "a\xc3\xb1x\xc3\xa9"),
              (std::vector<int>{2, 3, 0, 1, 0, 2, 3, 0}));
    EXPECT_EQ(ids("true", "\xc3\xb1\xc3\xb1\xc3\xa9"
                          "a\xc3\xb1x\xc3\xa9"),
              (std::vector<int>{2, 3, 0, 1, 2, 3, 0}));
}

TEST(TokenizerKindsMissingBytes, AreLeftOut) {
    const auto smollm = load_kind("smollm");
    EXPECT_EQ(smollm->encode("\x14"), std::vector<int>());
    EXPECT_EQ(smollm->encode("!\x14!"), smollm->encode("!!")) << "what stands beside it is merged";
    EXPECT_EQ(smollm->decode(smollm->encode("a\x14z")), "az");
}

} // namespace
} // namespace speclens
