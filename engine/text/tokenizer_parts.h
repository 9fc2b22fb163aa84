// The three stages behind Tokenizer::encode, each a small immutable value: added tokens cut the raw text, a
// regular expression cuts the rest into pieces, byte pair encoding turns a piece into ids. Internal to the
// engine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

// ---- added tokens (tokenizer_split.cpp) ----
struct AddedToken {
    int id = 0;
    std::string content;
    bool special = false;
};
// Finds the leftmost added token, the longest one where several begin.
class AddedTokens {
  public:
    struct Hit {
        std::size_t begin = 0, length = 0;
        int id = 0;
    };
    void add(const AddedToken& token);
    [[nodiscard]] std::optional<Hit> next(std::string_view text, std::size_t from) const;

  private:
    std::array<std::vector<AddedToken>, 256> by_first_byte_; // longest first
};

// ---- the split pattern (tokenizer_split.cpp) ----
class SplitPattern {
  public:
    // Throws Error naming `file` when the regular expression is not valid.
    SplitPattern(const std::string& regex, const std::string& file);
    // Appends all of `text` (valid UTF-8) in order: every match is a piece, and so is every gap between
    // matches.
    void split(std::string_view text, std::vector<std::string_view>& pieces) const;

  private:
    std::shared_ptr<void> code_; // pcre2_code, shared because it is immutable
    std::string file_;
};

// ---- byte pair encoding (tokenizer_bpe.cpp) ----
struct Merge {
    int rank = 0; // lower merges first
    int id = 0;   // of the merged token
};
// (left id, right id) -> Merge: a flat hash table, because this is the inner loop of encoding.
class MergeTable {
  public:
    void reserve(std::size_t merges);
    void add(int left, int right, Merge merge); // the last of two equal pairs stays
    [[nodiscard]] const Merge* find(int left, int right) const;

  private:
    struct Entry {
        std::uint64_t pair = kFree;
        Merge merge;
    };
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};
    [[nodiscard]] std::size_t place(std::uint64_t pair) const;
    std::vector<Entry> entries_; // size is a power of two, at least twice the merges
};
// Appends the ids of one piece. O(n log n) in its length.
void merge_piece(std::string_view piece, const std::array<int, 256>& byte_ids, const MergeTable& merges,
                 std::vector<int>& ids);

// What tokenizer.json says, checked (tokenizer_json.cpp).
struct TokenizerParts {
    std::vector<std::string> bytes;     // per id; "" where there is no entry
    std::vector<bool> special;          // per id
    std::array<int, 256> byte_ids = {}; // single-byte tokens
    MergeTable merges;
    bool nfc = false;
    std::vector<SplitPattern> splits; // applied one after the other
    AddedTokens raw;                  // matched before normalisation
    AddedTokens normalized;           // matched after it
    int bos = -1;                     // Tokenizer::bos()
};
[[nodiscard]] TokenizerParts parse_tokenizer_json(std::string_view json, const std::string& file);
[[nodiscard]] std::shared_ptr<const Tokenizer> make_tokenizer(TokenizerParts parts);

[[nodiscard]] std::string nfc(std::string_view text); // text is valid UTF-8

} // namespace speclens
