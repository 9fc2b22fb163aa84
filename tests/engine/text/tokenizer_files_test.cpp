// tokenizer.json: both spellings of merges, and every setting that would change ids is refused by name.
#include <atomic>
#include <functional>

#include "engine/base/json.h"
#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer_parts.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;
OrderedJson& json_step(OrderedJson& json, std::size_t i) { return json["pre_tokenizer"]["pretokenizers"][i]; }

class TokenizerFile : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const Tokenizer> with(const std::function<void(OrderedJson&)>& change) const {
        OrderedJson json = original_;
        change(json);
        write_file(folder_ / "tokenizer.json", json.dump());
        return Tokenizer::load(folder_ / "tokenizer.json");
    }
    void refused(const std::function<void(OrderedJson&)>& change, std::vector<std::string> words) const {
        words.push_back("folder/tokenizer.json");
        expect_error([&] { static_cast<void>(with(change)); }, words);
    }
    TempFolder folder_;
    OrderedJson original_ = OrderedJson::parse(read_file(golden("micro_qwen3") / "tokenizer.json"));
};

TEST_F(TokenizerFile, MergesMayBeTextsOrPairs) {
    const auto pairs = with([](OrderedJson& json) { ASSERT_TRUE(json["model"]["merges"][0].is_array()); });
    const auto texts = with([](OrderedJson& json) {
        for (OrderedJson& merge : json["model"]["merges"]) merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
    });
    const std::string text = "Speculative decoding lets a small model guess 123 <think> the rest.";
    EXPECT_EQ(pairs->encode(text), texts->encode(text));
    EXPECT_LT(pairs->encode(text).size(), text.size() / 2);
}

TEST_F(TokenizerFile, WithoutNormalizerTextStaysAsItIs) {
    const auto plain = with([](OrderedJson& json) { json["normalizer"] = nullptr; });
    EXPECT_EQ(plain->decode(plain->encode("e\xcc\x81")), "e\xcc\x81");
}

TEST_F(TokenizerFile, AddedTokensMayBeMatchedAfterNormalisation) {
    const auto change = [](bool normalized) {
        return [normalized](OrderedJson& json) {
            json["added_tokens"].push_back({{"id", 509},
                                            {"content", "caf\xc3\xa9"},
                                            {"single_word", false},
                                            {"lstrip", false},
                                            {"rstrip", false},
                                            {"normalized", normalized},
                                            {"special", false}});
        };
    };
    EXPECT_EQ(with(change(true))->encode("cafe\xcc\x81"), std::vector<int>{509});
    EXPECT_GT(with(change(false))->encode("cafe\xcc\x81").size(), 1u);
    EXPECT_EQ(with(change(false))->encode("caf\xc3\xa9"), std::vector<int>{509});
}

TEST_F(TokenizerFile, TheLongestAddedTokenWins) {
    const auto longest = with([](OrderedJson& json) {
        int id = 509;
        for (const char* text : {"<x", "<x>>", "<x>"})
            json["added_tokens"].push_back({{"id", id++}, {"content", text}, {"normalized", false}, {"special", false}});
    });
    EXPECT_EQ(longest->encode("<x>><x><x"), (std::vector<int>{510, 511, 509}));
}

// Whenever it comes: while the text is read, while tokens and merges are, while they are sorted by their bytes.
TEST_F(TokenizerFile, ACancelIsSeenAtEveryToken) {
    std::atomic<bool> cancelled = false;
    const Progress progress{.report = nullptr, .cancelled = &cancelled};
    const auto in_the_middle = [&](int, const std::string&) { cancelled = true; };
    EXPECT_THROW((void)Json::parse(R"({"a":1,"a":2,"b":3 and no end)", in_the_middle, progress), Cancelled);
    cancelled = false;
    TokenizerParts parts;
    VocabularyBuilder vocabulary(parts, progress);
    for (int id = 0; const char* text : {"a", "b", "ab"}) EXPECT_TRUE(vocabulary.add(text, id++));
    EXPECT_FALSE(vocabulary.merge("a", "b", 0));
    cancelled = true;
    EXPECT_THROW((void)vocabulary.add("c", 3), Cancelled);
    EXPECT_THROW((void)vocabulary.merge("a", "b", 1), Cancelled);
    EXPECT_THROW((void)make_tokenizer(parts, progress), Cancelled);
    const std::string whole = read_file(golden("micro_qwen3") / "tokenizer.json");
    EXPECT_THROW((void)parse_tokenizer_json(whole, "whole", progress), Cancelled);
    EXPECT_THROW((void)parse_tokenizer_json(whole.substr(0, whole.size() / 2), "half", progress), Cancelled) << "before its end is missed";
    cancelled = false;
    EXPECT_GT(make_tokenizer(parse_tokenizer_json(whole, "whole", progress), progress)->size(), 0);
}

TEST_F(TokenizerFile, BrokenFilesAreRefused) {
    expect_error([&] { static_cast<void>(Tokenizer::load("no/such/none.json")); }, {"no/such/none.json does not exist"});
    write_file(folder_ / "tokenizer.json", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 7\n");
    expect_error([&] { static_cast<void>(Tokenizer::load(folder_ / "tokenizer.json")); }, {"folder/tokenizer.json", "Git LFS pointer"});
    for (const char* text : {"", "{", "[]", "null", "{\"model\":\xff}"}) {
        write_file(folder_ / "tokenizer.json", text);
        expect_error([&] { static_cast<void>(Tokenizer::load(folder_ / "tokenizer.json")); }, {"folder/tokenizer.json"});
    }
    refused([](OrderedJson& json) { json.erase("model"); }, {"no model"});
    refused([](OrderedJson& json) { json["model"] = 3; }, {"model is not a JSON object"});
    refused([](OrderedJson& json) { json["model"].erase("vocab"); }, {"model has no vocab"});
    refused([](OrderedJson& json) { json["model"]["vocab"] = OrderedJson::object(); }, {"model has no vocab"});
    refused([](OrderedJson& json) { json["model"]["vocab"]["a"] = "1"; }, {"\"a\"", "id"});
    refused([](OrderedJson& json) { json["model"]["vocab"]["a"] = -1; }, {"\"a\"", "-1"});
    refused([](OrderedJson& json) { json["model"]["vocab"]["a"] = 1'000'000'000; }, {"\"a\"", "1000000000"});
    refused([](OrderedJson& json) { json["model"]["vocab"]["a"] = json["model"]["vocab"]["b"]; }, {"to two tokens"});
    refused([](OrderedJson& json) { json["model"]["vocab"].erase("e"); }, {"\"e\"", "not in the vocab"});
    refused([](OrderedJson& json) { json["model"].erase("merges"); }, {"model has no merges"});
    refused([](OrderedJson& json) { json["model"]["merges"][0] = "ab"; }, {"merge", "\"ab\""});
    refused([](OrderedJson& json) { json["model"]["merges"][0] = 7; }, {"merge", "7"});
    refused([](OrderedJson& json) { json["model"]["merges"][0] = "a zz"; }, {"\"zz\"", "not in the vocab"});
    refused([](OrderedJson& json) { json["model"]["merges"][0] = "z q"; }, {"\"zq\"", "not in the vocab"});
    refused([](OrderedJson& json) { json.erase("pre_tokenizer"); }, {"pre_tokenizer is missing"});
    refused([](OrderedJson& json) { json["added_tokens"] = 1; }, {"added_tokens"});
    refused([](OrderedJson& json) { json["added_tokens"][0].erase("id"); }, {"added_tokens", "<|endoftext|>"});
    refused([](OrderedJson& json) { json["added_tokens"][0]["content"] = ""; }, {"added_tokens", "empty"});
    refused([](OrderedJson& json) { json["added_tokens"][0]["id"] = 1 << 30; }, {"added_tokens", "1073741824"});
}

TEST_F(TokenizerFile, SettingsThatAreNotImplementedAreRefused) {
    refused([](OrderedJson& json) { json["model"]["type"] = "Unigram"; }, {"model is of type Unigram"});
    refused([](OrderedJson& json) { json["model"]["dropout"] = 0.1; }, {"dropout"});
    refused([](OrderedJson& json) { json["model"]["byte_fallback"] = true; }, {"byte_fallback"});
    refused([](OrderedJson& json) { json["model"]["end_of_word_suffix"] = "</w>"; }, {"end_of_word_suffix"});
    refused([](OrderedJson& json) { json["normalizer"]["type"] = "NFKC"; }, {"normalizer", "NFKC"});
    const auto step = json_step;
    refused([&](OrderedJson& json) { step(json, 0)["behavior"] = "Doubled"; }, {"pre_tokenizer", "behavior", "Doubled"});
    refused([&](OrderedJson& json) { step(json, 0)["type"] = "Whitespace"; }, {"pre_tokenizer", "Whitespace"});
    refused([&](OrderedJson& json) { step(json, 0)["pattern"] = {{"Text", "x"}}; }, {"pattern", "Regex"});
    refused([&](OrderedJson& json) { step(json, 0)["pattern"] = {{"String", ""}}; }, {"empty pattern"});
    refused([&](OrderedJson& json) { step(json, 0)["pattern"]["Regex"] = "(["; }, {"pattern", "regular expression"});
    refused([&](OrderedJson& json) { step(json, 0) = {{"type", "Metaspace"}, {"replacement", "_"}}; }, {"blanks", "\"_\""});
    refused(
        [&](OrderedJson& json) {
            json["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "Lowercase"}}}}};
        },
        {"normalizer", "Lowercase"});
    refused(
        [&](OrderedJson& json) {
            json["normalizer"] = {{"type", "Replace"}, {"pattern", {{"Regex", "a"}}}, {"content", ""}};
        },
        {"normalizer", "String"});
    OrderedJson whole = original_;
    const OrderedJson first = step(whole, 0), last = step(whole, 1);
    const auto steps = [](std::vector<OrderedJson> list) {
        return [list](OrderedJson& json) { json["pre_tokenizer"]["pretokenizers"] = list; };
    };
    refused(steps({first}), {"pre_tokenizer", "ByteLevel"});
    refused(steps({first, last, last}), {"pre_tokenizer", "ByteLevel", "last"});
    refused(steps({last, first}), {"pre_tokenizer", "ByteLevel", "last"});
    refused([&](OrderedJson& json) { json["pre_tokenizer"] = first; }, {"pre_tokenizer", "ByteLevel"});
    refused([](OrderedJson& json) { json["decoder"] = {{"type", "Metaspace"}}; }, {"decoder", "Metaspace"});
    const OrderedJson around = {{"type", "TemplateProcessing"}, {"single", OrderedJson::array()}};
    const OrderedJson bytes = {{"type", "ByteLevel"}, {"trim_offsets", false}};
    refused([&](OrderedJson& json) { json["post_processor"] = around; }, {"post_processor", "TemplateProcessing"});
    refused(
        [&](OrderedJson& json) {
            json["post_processor"] = {{"type", "Sequence"}, {"processors", {bytes, around}}};
        },
        {"post_processor", "TemplateProcessing"});
    (void)with([&](OrderedJson& json) { json["post_processor"] = {{"type", "Sequence"}, {"processors", {bytes}}}; });
}

// In each, another library than Oniguruma reads something else: a hexadecimal digit, lines, classes within
// classes, a repeat that is not possessive, white space without U+180E.
TEST_F(TokenizerFile, PatternsMeanWhatTheyMeanToOniguruma) {
    const auto pieces = [&](const std::string& regex, const std::string& text) {
        std::string result;
        Pattern::Effort effort(text.size());
        for (const Pattern::Span& span : Pattern(regex, "tokenizer.json").spans(text, effort))
            result += "|" + text.substr(span.begin, span.end - span.begin);
        return result;
    };
    EXPECT_EQ(pieces("\\h+", "xfacex"), "|x|face|x");
    EXPECT_EQ(pieces("^.", "ab\ncd"), "|a|b\n|c|d");
    EXPECT_EQ(pieces("\\s+$", "a \nb"), "|a| |\nb");
    EXPECT_EQ(pieces("[\\p{L}&&[^A-Z]]+", "abCDe"), "|ab|CD|e");
    EXPECT_EQ(pieces("[a-z[0-9]]+", "ab12-c"), "|ab12|-|c");
    EXPECT_EQ(pieces("[[:digit:]]{1,3}+", "12345"), "|12345");
    EXPECT_EQ(pieces("a(?i)b|c", "aBxC"), "|aB|xC");
    EXPECT_EQ(pieces("\\s", "a\xe1\xa0\x8e"
                            "b\xc2\x85"
                            "c"),
              "|a\xe1\xa0\x8e"
              "b|\xc2\x85|c");
    EXPECT_EQ(pieces("(?i:'s)", "x'\xc5\xbf"), "|x|'\xc5\xbf");
    EXPECT_EQ(pieces("x*", "abxxcd"), "||a||b|xx|c||d|") << "an empty match cuts, too";
}

TEST_F(TokenizerFile, BytesAreThoseSpelledInTheAlphabet) {
    const auto usual = with([](OrderedJson&) {});
    const auto raw = with([](OrderedJson& json) { json["model"]["vocab"][" "] = 509; });
    EXPECT_EQ(raw->encode("a b  c"), usual->encode("a b  c")) << "\" \" is no spelling of the space";
    EXPECT_EQ(raw->bytes_of(509), " ");
}

TEST_F(TokenizerFile, OfEqualMergesTheLastOneCounts) {
    const std::string text = "Speculative decoding lets a small model guess the rest of the other text.";
    const auto usual = with([](OrderedJson&) {})->encode(text);
    int moved_some = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        const auto change = [i](bool erase) {
            return [i, erase](OrderedJson& json) {
                OrderedJson& merges = json["model"]["merges"];
                merges.push_back(OrderedJson(merges[i]));
                if (!erase) return;
                OrderedJson others = OrderedJson::array();
                for (std::size_t j = 0; j < merges.size(); ++j)
                    if (j != i) others.push_back(OrderedJson(merges[j]));
                merges = others;
            };
        };
        const auto moved = with(change(true))->encode(text); // as if it stood at the end only
        EXPECT_EQ(with(change(false))->encode(text), moved) << i;
        moved_some += moved != usual;
    }
    EXPECT_GT(moved_some, 0) << "the order matters for this text";
}

TEST_F(TokenizerFile, ATextMayBeginWithATokenOfItsOwn) {
    EXPECT_EQ(with([](OrderedJson&) {})->bos(), -1);
    const auto around = [](const char* name) {
        return OrderedJson{{"type", "TemplateProcessing"},
                           {"single", {{{"SpecialToken", {{"id", name}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                           {"special_tokens", {{"<|endoftext|>", {{"ids", {500}}}}}}};
    };
    EXPECT_EQ(with([&](OrderedJson& json) { json["post_processor"] = around("<|endoftext|>"); })->bos(), 500);
    // transformers 5 writes the template of a tokenizer that adds nothing, too
    const OrderedJson text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
    const OrderedJson nothing = {{"type", "TemplateProcessing"}, {"single", {text}}, {"special_tokens", OrderedJson::object()}};
    EXPECT_EQ(with([&](OrderedJson& json) { json["post_processor"] = nothing; })->bos(), -1);
    refused(
        [&](OrderedJson& json) {
            json["post_processor"] = {{"type", "TemplateProcessing"}, {"single", {text, text}}};
        },
        {"post_processor", "TemplateProcessing"});
    refused([&](OrderedJson& json) { json["post_processor"] = around("<s>"); }, {"post_processor", "<s>"});

    const auto config = [&](const OrderedJson& json) {
        write_file(folder_ / "tokenizer_config.json", json.dump());
        return with([&](OrderedJson& file) { file["post_processor"] = around("<|endoftext|>"); })->bos();
    };
    OrderedJson llama = {{"tokenizer_class", "LlamaTokenizerFast"}, {"bos_token", {{"content", "<|im_start|>"}}}};
    EXPECT_EQ(config(llama), with([](OrderedJson&) {})->id_of("<|im_start|>"));
    llama["add_bos_token"] = false;
    EXPECT_EQ(config(llama), -1) << "the class decides, not the file";
    llama["add_bos_token"] = true;
    llama["bos_token"] = nullptr;
    EXPECT_EQ(config(llama), -1);
    EXPECT_EQ(config({{"tokenizer_class", "Qwen2Tokenizer"}, {"add_bos_token", true}, {"bos_token", "!"}}), 500);
    llama["bos_token"] = "<nowhere>";
    expect_error([&] { (void)config(llama); }, {"tokenizer_config.json", "bos_token", "<nowhere>"});
    llama["add_eos_token"] = true;
    expect_error([&] { (void)config(llama); }, {"tokenizer_config.json", "add_eos_token"});
}

TEST_F(TokenizerFile, APatternThatExplodesEndsWithAnError) {
    const auto slow = with([](OrderedJson& json) { json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "(a|a|aa)+[cd]"; });
    expect_error([&] { static_cast<void>(slow->encode(std::string(60, 'a') + "b")); }, {"tokenizer.json", "split pattern"});
}

// By the measure of one search each of these is quick.
TEST_F(TokenizerFile, SearchesThatAreSlowTogetherEndWithAnErrorToo) {
    const auto slow =
        with([](OrderedJson& json) { json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "a(?=(?:a|a){0,18}[cd])|a|b"; });
    expect_error([&] { static_cast<void>(slow->encode(std::string(20'000, 'a') + "b")); }, {"tokenizer.json", "split pattern"});
}

TEST_F(TokenizerFile, SearchesInManyPiecesShareTheirEffort) {
    const auto slow = with([](OrderedJson& json) {
        OrderedJson& steps = json["pre_tokenizer"]["pretokenizers"];
        OrderedJson second = steps[0];
        steps[0]["pattern"]["Regex"] = "a{17}b";
        second["pattern"]["Regex"] = "(?:a|a)*c|.";
        OrderedJson longer = OrderedJson::array();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            longer.push_back(OrderedJson(steps[i]));
            if (i == 0) longer.push_back(second);
        }
        steps = longer;
    });
    std::string text;
    for (int i = 0; i < 5'000; ++i) text += std::string(17, 'a') + "b";
    expect_error([&] { static_cast<void>(slow->encode(text)); }, {"tokenizer.json", "split pattern"});
    EXPECT_EQ(slow->decode(slow->encode(text.substr(0, 36))), text.substr(0, 36));
}

// Few steps back, each with thousands forward.
TEST_F(TokenizerFile, SearchesThatTakeTooLongEndWithAnErrorToo) {
    const auto slow =
        with([](OrderedJson& json) { json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "(?:a?){5000}a{5000}c"; });
    expect_error([&] { static_cast<void>(slow->encode(std::string(5'000, 'a') + "b")); }, {"tokenizer.json", "split pattern", "too long"});
}

TEST_F(TokenizerFile, ALetterWithoutATokenIsLeftOutOrUnknown) {
    const auto without = [&](const OrderedJson& unknown, bool fuse) {
        return with([&](OrderedJson& json) {
            json["model"]["vocab"].erase("^");
            json["model"]["unk_token"] = unknown;
            json["model"]["fuse_unk"] = fuse;
        });
    };
    const int a = with([](OrderedJson&) {})->id_of("a"), b = with([](OrderedJson&) {})->id_of("b"),
              star = with([](OrderedJson&) {})->id_of("*");
    EXPECT_EQ(without(nullptr, false)->encode("a^^b"), (std::vector<int>{a, b}));
    EXPECT_EQ(without("*", false)->encode("a^^b"), (std::vector<int>{a, star, star, b}));
    EXPECT_EQ(without("*", true)->encode("a^^b"), (std::vector<int>{a, star, b}));
    EXPECT_EQ(without(nullptr, false)->encode("^"), std::vector<int>());
    expect_error([&] { static_cast<void>(without("<unk>", false)); }, {"unk_token", "<unk>"});
}

TEST_F(TokenizerFile, IgnoringMergesTakesWholePiecesAsTheyAre) {
    const auto ignoring = [&](bool ignore) {
        return with([&](OrderedJson& json) {
            json["model"]["vocab"]["qzx"] = 509;
            json["model"]["ignore_merges"] = ignore;
        });
    };
    EXPECT_EQ(ignoring(true)->encode("qzx"), std::vector<int>{509});
    EXPECT_EQ(ignoring(true)->encode("qzxx").size(), 4u) << "only a whole piece";
    EXPECT_EQ(ignoring(false)->encode("qzx").size(), 3u);
}

// Measured with tokenizers 0.23.3.
TEST_F(TokenizerFile, AddedTokensMayTakeWhiteSpaceOrWantToStandAlone) {
    const auto tokenizer = with([](OrderedJson& json) {
        int id = 509;
        for (const auto& [text, option] : {std::pair{"<r>", "rstrip"}, {"<l>", "lstrip"}, {"<s>", "single_word"}, {"  ", "special"}})
            json["added_tokens"].push_back({{"id", id++}, {"content", text}, {"normalized", false}, {option, true}});
    });
    const int a = tokenizer->id_of("a"), b = tokenizer->id_of("b"), r = 509, l = 510, s = 511, blanks = 512;
    EXPECT_EQ(tokenizer->encode("a<r> \t b"), (std::vector<int>{a, r, b}));
    EXPECT_EQ(tokenizer->encode("a \xe3\x80\x80<l>b"), (std::vector<int>{a, l, b}));
    EXPECT_EQ(tokenizer->encode("<r>   <l>"), (std::vector<int>{r, blanks, l})) << "a token is found in what was taken";
    EXPECT_EQ(tokenizer->encode("<s><s>"), (std::vector<int>{s, s}));
    EXPECT_EQ(tokenizer->encode("-<s>"), (std::vector<int>{tokenizer->id_of("-"), s}));
    for (const std::string word : {"a", "1", "_", "\xe2\x93\x90", "\xcc\x81", "\xe2\x80\x8d"}) { // ⓐ, a mark, a joiner
        EXPECT_NE(tokenizer->encode(word + "<s>").back(), s) << word;
        EXPECT_NE(tokenizer->encode("<s>" + word).front(), s) << word;
    }
    std::string many;
    for (int i = 0; i < 100'000; ++i) many += "<r>";
    EXPECT_EQ(tokenizer->encode(many + std::string(1'000'001, '\t') + many).size(), 200'000u);
}

TEST_F(TokenizerFile, PatternsMayMatchNothingOrLeaveGaps) {
    const auto gaps = with([](OrderedJson& json) { json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "x*|\xc3\xa9"; });
    for (const std::string text : {"abxxcd", "x", "\xc3\xa9\xc3\xa9z", "日x本"}) EXPECT_EQ(gaps->decode(gaps->encode(text)), text);
}

} // namespace
} // namespace speclens
