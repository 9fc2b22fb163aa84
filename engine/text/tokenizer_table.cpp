// A GGUF vocabulary to TokenizerParts. The file names its pre-tokenizer (tokenizer.ggml.pre) and leaves the
// patterns to its reader: here they are those of the tokenizer.json that the model was published with, so
// that the ids are Hugging Face's. llama.cpp's differ in places: it does without NFC for Qwen2, and its 'S
// and 'T know capitals of ASCII only, not U+017F.
#include <algorithm>
#include <cmath>

#include "engine/base/utf8.h"
#include "engine/text/tokenizer_parts.h"
#include "engine/text/vocabulary_table.h"
#include "kernels/error.h"

namespace speclens {
namespace {

const char* const kTableRemedy = "Download the file again; or serve it with llama-server, and attach.";
constexpr std::size_t kLongestSentenceToken = 1024; // SentencePiece writes 16 characters, others some more

enum TokenType : std::int32_t { normal = 1, unknown, control, user_defined, unused, byte };

class TableReader {
  public:
    TableReader(const VocabularyTable& table, const std::string& file, const Progress& progress)
        : table_(table), file_(file), progress_(progress) {}

    [[nodiscard]] TokenizerParts read() {
        check();
        if (table_.model == "gpt2") {
            read_pre_type();
        } else if (table_.model == "llama") {
            parts_.letters.byte_level = false;
            if (table_.add_space_prefix.value_or(true)) parts_.normal.push_back({NormalStep::Kind::prepend, "", kSentenceBlank});
            parts_.normal.push_back({NormalStep::Kind::replace, " ", kSentenceBlank});
            add_bos_ = true;
        } else {
            fail("tokenizer.ggml.model is \"" + valid_utf8(table_.model.substr(0, 40)) + "\", only \"gpt2\" and \"llama\" are supported");
        }
        VocabularyBuilder vocabulary(parts_, progress_);
        read_tokens(vocabulary);
        if (parts_.letters.byte_level) {
            read_merges(vocabulary);
        } else {
            make_merges(vocabulary);
            find_unknown();
        }
        read_bos();
        return std::move(parts_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw Error(file_ + ": " + what, kTableRemedy); }
    [[nodiscard]] bool sentence_piece() const { return table_.model == "llama"; }

    void check() const {
        const std::size_t count = table_.tokens.size();
        if (count == 0) fail("the vocabulary has no tokens");
        if (count > static_cast<std::size_t>(kLargestId))
            fail("the vocabulary has " + std::to_string(count) + " tokens, more than any known model");
        if (table_.types.size() != count)
            fail("the vocabulary has " + std::to_string(count) + " tokens and " + std::to_string(table_.types.size()) + " types of tokens");
        if (sentence_piece() ? table_.scores.size() != count : !table_.scores.empty() && table_.scores.size() != count)
            fail("the vocabulary has " + std::to_string(count) + " tokens and " + std::to_string(table_.scores.size()) + " scores");
        for (const auto& [name, id] :
             {std::pair{"bos", table_.bos}, {"eos", table_.eos}, {"unknown", table_.unknown}, {"padding", table_.padding}})
            if (id < -1 || (id >= 0 && static_cast<std::size_t>(id) >= count))
                fail("the " + std::string(name) + " token is " + std::to_string(id) + " of " + std::to_string(count));
        if (table_.add_eos.value_or(false)) fail("add_eos_token is true, which is not supported");
        if (table_.remove_extra_whitespaces.value_or(false)) fail("remove_extra_whitespaces is true, which is not supported");
        if (!sentence_piece() && table_.add_space_prefix.value_or(false))
            fail("add_space_prefix is true, which is not supported with \"gpt2\"");
    }

    // The tokenizer.json of GPT-2, SmolLM2, Qwen2, Llama 3 and DeepSeek-R1-Distill-Qwen.
    void read_pre_type() {
        const std::string& pre = table_.pre;
        const auto isolate = [this](const char* regex) {
            SplitStep step;
            step.pattern.emplace(regex, file_);
            parts_.splits.push_back(std::move(step));
        };
        const auto is = [&](std::initializer_list<std::string_view> names) { return std::ranges::find(names, pre) != names.end(); };
        if (is({"gpt2", "gpt-2"})) {
            parts_.splits.push_back(split_like_gpt2(file_));
        } else if (is({"smollm"})) {
            parts_.splits.push_back(split_digits(true, file_));
            parts_.splits.push_back(split_like_gpt2(file_));
        } else if (is({"qwen2", "deepseek-r1-qwen"})) {
            parts_.normal.push_back({NormalStep::Kind::nfc, "", ""});
            isolate(R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
                    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)");
            add_bos_ = pre == "deepseek-r1-qwen";
        } else if (is({"llama-bpe", "llama3", "llama-v3"})) {
            parts_.ignore_merges = true;
            isolate(R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
                    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)");
            add_bos_ = true;
        } else {
            throw Error(file_ + ": tokenizer.ggml.pre is \"" + valid_utf8(pre.substr(0, 40)) +
                            "\", which is not supported (gpt-2, smollm, qwen2, llama-bpe and deepseek-r1-qwen are)",
                        "Serve it with llama-server and attach.");
        }
    }

    void read_tokens(VocabularyBuilder& vocabulary) {
        for (std::size_t at = 0; at < table_.tokens.size(); ++at) {
            const std::string& text = table_.tokens[at];
            const int id = static_cast<int>(at);
            const std::int32_t type = table_.types[at];
            const auto refuse = [&](const std::string& what) { fail("token " + std::to_string(id) + " " + what); };
            if (type < normal || type > byte) refuse("is of type " + std::to_string(type));
            if (type == unused) { // rows that pad the embedding: "[PAD151936]"
                place_token(parts_, id, "", false);
                continue;
            }
            if (text.empty()) refuse("is empty");
            if (!is_valid_utf8(text)) refuse("is not valid UTF-8");
            if (sentence_piece() && text.size() > kLongestSentenceToken) refuse("has " + std::to_string(text.size()) + " bytes");
            const bool letters = type == normal || type == byte;
            if (type == byte && !sentence_piece()) refuse("is of type 6, a byte, which only \"llama\" has");
            if (!(letters ? vocabulary.add(text, id) : vocabulary.add_plain(text, id)))
                refuse("is \"" + text.substr(0, complete_utf8_prefix(std::string_view(text).substr(0, 40))) + "\", as another one is");
            if (type == byte && parts_.bytes[at].size() != 1) refuse("is a byte, but not spelled as \"<0x0A>\"");
            if (letters) continue;
            const bool special = type != user_defined;
            place_token(parts_, id, text, special);
            parts_.raw.add({.id = id, .content = text, .special = special});
        }
    }

    void read_merges(VocabularyBuilder& vocabulary) {
        if (table_.merges.empty()) fail("the vocabulary has no merges");
        parts_.merges.reserve(table_.merges.size());
        int rank = 0;
        for (const std::string& merge : table_.merges) {
            const std::string name = "merge " + std::to_string(rank);
            const auto blank = merge.find(' ');
            if (blank == std::string::npos) fail(name + " is not two tokens with a blank between them");
            if (vocabulary.merge(merge.substr(0, blank), merge.substr(blank + 1), rank++))
                fail(name + " is of tokens that are not in the vocabulary");
        }
    }

    // SentencePiece merges the pair that makes the token of the highest score. As merges in order, the way in
    // which transformers converts such a vocabulary: by score, then the longer left side, then the longer
    // right side first.
    void make_merges(VocabularyBuilder& vocabulary) {
        struct Candidate {
            float score;
            std::size_t left_length, right_length; // in characters
            int left, right, id;
        };
        const auto characters = [](std::string_view text) {
            return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
        };
        std::vector<Candidate> all;
        for (std::size_t at = 0; at < table_.tokens.size(); ++at) {
            const std::string& text = table_.tokens[at];
            if (!std::isfinite(table_.scores[at])) fail("token " + std::to_string(at) + " has no finite score");
            if (table_.types[at] == unused) continue;
            const auto first = static_cast<std::ptrdiff_t>(all.size());
            for (std::size_t border = 1; border < text.size(); ++border) {
                if ((static_cast<unsigned char>(text[border]) & 0xC0) == 0x80) continue;
                const std::string left = text.substr(0, border), right = text.substr(border);
                const int left_id = vocabulary.find(left), right_id = vocabulary.find(right);
                if (left_id < 0 || right_id < 0) continue;
                all.push_back({table_.scores[at], static_cast<std::size_t>(characters(left)), static_cast<std::size_t>(characters(right)),
                               left_id, right_id, static_cast<int>(at)});
            }
            std::sort(all.begin() + first, all.end(),
                      [](const Candidate& a, const Candidate& b) { return a.left != b.left ? a.left < b.left : a.right < b.right; });
        }
        std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) {
            if (a.score != b.score) return a.score > b.score;
            if (a.left_length != b.left_length) return a.left_length > b.left_length;
            return a.right_length > b.right_length;
        });
        parts_.merges.reserve(all.size());
        int rank = 0;
        for (const Candidate& merge : all) parts_.merges.add(merge.left, merge.right, {rank++, merge.id});
    }

    void find_unknown() {
        const auto found = std::ranges::find(table_.types, static_cast<std::int32_t>(unknown));
        parts_.letters.unknown = table_.unknown >= 0           ? table_.unknown
                                 : found != table_.types.end() ? static_cast<int>(found - table_.types.begin())
                                                               : -1;
        parts_.letters.fuse_unknown = true;
    }

    void read_bos() {
        if (!table_.add_bos.value_or(add_bos_)) return;
        if (table_.bos < 0) fail("a text begins with a token of its own (add_bos_token), but none is named");
        parts_.bos = table_.bos;
    }

    const VocabularyTable& table_;
    const std::string& file_;
    const Progress& progress_;
    TokenizerParts parts_;
    bool add_bos_ = false; // where the file does not say
};

} // namespace

TokenizerParts parse_vocabulary_table(const VocabularyTable& table, const std::string& file, const Progress& progress) {
    return TableReader(table, file, progress).read();
}

} // namespace speclens
