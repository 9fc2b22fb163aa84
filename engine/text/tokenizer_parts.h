// The stages behind Tokenizer::encode, each a small immutable value: added tokens cut the raw text, what lies
// between them is normalised and cut into pieces, byte pair encoding turns a piece into ids. They are those
// of Hugging Face's tokenizers, and so are the answers to every question of detail. Internal to the engine.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

// ---- added tokens (tokenizer_added.cpp) ----
struct AddedToken {
    int id = 0;
    std::string content;
    bool special = false;
    bool single_word = false;            // only where no word goes on at either side
    bool lstrip = false, rstrip = false; // takes the white space at its left, right with it
};
// Finds the leftmost added token, the longest one where several begin.
class AddedTokens {
  public:
    struct Hit {
        std::size_t begin = 0, end = 0;
        int id = 0;
    };
    // How far a text was searched; a new one begins a text.
    struct Cursor {
        std::size_t searched = 0;  // behind the content of the last token found
        std::size_t end = 0;       // of the last hit: lstrip does not reach back behind it
        std::size_t white_end = 0; // from `searched` to here all is white, if it lies behind it
    };
    void add(const AddedToken& token); // its content is not empty
    // Whether a token at these bytes is passed over, as if it were not there; empty: none is.
    using Passed = std::function<bool(int id, std::size_t begin, std::size_t end)>;
    [[nodiscard]] std::optional<Hit> next(std::string_view text, Cursor& cursor, const Passed& passed = {}) const;

  private:
    std::array<std::vector<AddedToken>, 256> by_first_byte_; // longest first
};

// ---- patterns (tokenizer_pattern.cpp) ----
// A regular expression as the tokenizers library reads it: Oniguruma, Ruby's syntax, UTF-8.
class Pattern {
  public:
    // Throws Error naming `file` when the regular expression is not valid.
    Pattern(const std::string& regex, const std::string& file);
    // Matches `text` itself.
    [[nodiscard]] static Pattern of_text(const std::string& text, const std::string& file);

    struct Span {
        std::size_t begin = 0, end = 0;
        bool match = false;
    };
    // What the searches in a text may cost, together, if it is cut into pieces before.
    struct Effort {
        explicit Effort(std::size_t bytes);
        unsigned long steps; // back, of the searches that take many
        double until;        // processor time of this thread, seconds
    };
    // All of `text` (valid UTF-8) in order: every match, and every gap between matches. A match may be empty.
    // Throws Error when the effort is spent, which is more than any text is worth.
    [[nodiscard]] std::vector<Span> spans(std::string_view text, Effort& effort) const;

  private:
    std::shared_ptr<void> code_; // OnigRegex, shared because it is immutable
    std::string file_;
};

// ---- normalisation and pieces (tokenizer_split.cpp) ----
[[nodiscard]] std::string nfc(std::string_view text); // text is valid UTF-8

struct NormalStep {
    enum class Kind : std::uint8_t { nfc, prepend, replace } kind = Kind::nfc;
    std::string pattern, content; // prepend puts `content` in front; replace puts it in place of `pattern`
};
[[nodiscard]] std::string normalized(std::string_view text, const std::vector<NormalStep>& steps);

// What becomes of a match: a piece of its own, nothing, the end of the piece before it, the beginning of the
// one behind it, one piece with the matches beside it.
enum class Delimiter : std::uint8_t { isolated, removed, merged_with_previous, merged_with_next, contiguous };
// A step of the pre-tokenizer, done to every piece of the step before.
struct SplitStep {
    std::string blank;       // put in place of every " "; empty: blanks stay
    std::string prepend;     // put in front of a piece that does not begin with it
    bool first_only = false; // only in front of the piece that begins the whole text
    std::optional<Pattern> pattern;
    Delimiter delimiter = Delimiter::isolated;
    bool invert = false; // the gaps are the matches
};
// `at_start`: the text to encode begins here.
void split_text(std::string_view text, bool at_start, const std::vector<SplitStep>& steps,
                const std::function<void(std::string_view)>& piece);
// Steps that more than one kind of file names. `file` is for messages.
[[nodiscard]] SplitStep split_digits(bool individual, const std::string& file);
[[nodiscard]] SplitStep split_like_gpt2(const std::string& file);

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
    std::vector<Entry> entries_ = std::vector<Entry>(2); // size is a power of two, at least twice the merges
};
// What a piece is spelled with before anything is merged. Byte level: every byte is a letter. SentencePiece:
// every character is one, and a character without a token is spelled by its bytes.
struct Letters {
    bool byte_level = true;
    std::array<int, 256> bytes = {};                 // ids, -1: none; SentencePiece: of <0x00> to <0xFF>
    std::unordered_map<std::string, int> characters; // SentencePiece only
    int unknown = -1;                                // for letters without a token; -1: they are left out, as if they were not there
    bool fuse_unknown = false;                       // one for a whole run of them

    // Appends the ids of one piece.
    void spell(std::string_view piece, std::vector<int>& letters) const;
};
// Merges letters and appends the ids that remain. O(n log n) in their number.
void merge_letters(const std::vector<int>& letters, const MergeTable& merges, std::vector<int>& ids);

// ---- what a file says, checked ----
struct TokenizerParts {
    std::vector<std::string> bytes; // per id; "" where there is no entry
    std::vector<bool> special;      // per id
    Letters letters;
    MergeTable merges;
    bool ignore_merges = false;                 // a piece that is a token is that token, whatever the merges make of it
    std::unordered_map<std::string, int> whole; // with ignore_merges: bytes of a piece -> id
    std::vector<NormalStep> normal;
    std::vector<SplitStep> splits; // applied one after the other
    AddedTokens raw;               // matched before normalisation
    AddedTokens normalized;        // matched after it
    int bos = -1;                  // Tokenizer::bos()
};

// The tokens of a file by their spelling there, put into the parts as they come (tokenizer_vocabulary.cpp). All but the constructor throw
// Cancelled.
class VocabularyBuilder {
  public:
    VocabularyBuilder(TokenizerParts& parts, const Progress& progress); // whose letters.byte_level and ignore_merges are set
    // A token of the model. False where the spelling or the id is taken.
    [[nodiscard]] bool add(const std::string& spelling, int id);
    // A token that stands for its own text and has no letters: added or control tokens. False as above.
    [[nodiscard]] bool add_plain(const std::string& text, int id);
    [[nodiscard]] int find(const std::string& spelling) const; // -1: none
    // Returns the first of left, right and left + right that is no token; nothing: the merge was added.
    [[nodiscard]] std::optional<std::string> merge(const std::string& left, const std::string& right, int rank);

  private:
    TokenizerParts* parts_;
    const Progress* progress_;
    std::unordered_map<std::string, int> ids_; // looked up only
    std::vector<bool> used_;                   // ids
};
// Gives `id` an entry; replaces the one that is there.
void place_token(TokenizerParts& parts, int id, const std::string& bytes, bool special);

inline constexpr int kLargestId = 1 << 22;
inline constexpr const char* kSentenceBlank = "\xe2\x96\x81"; // U+2581, SentencePiece's blank

[[nodiscard]] TokenizerParts parse_tokenizer_json(std::string_view json, const std::string& file, const Progress& progress = {});
struct VocabularyTable;
[[nodiscard]] TokenizerParts parse_vocabulary_table(const VocabularyTable& table, const std::string& file, const Progress& progress = {});
[[nodiscard]] std::shared_ptr<const Tokenizer> make_tokenizer(TokenizerParts parts, const Progress& progress = {});

} // namespace speclens
