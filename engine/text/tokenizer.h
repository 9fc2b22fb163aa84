// Text <-> token ids, with the ids that Hugging Face's tokenizers gives: byte pair encoding, byte-level (GPT-2,
// SmolLM2, Qwen2, Qwen3, Llama 3, DeepSeek) or SentencePiece's with bytes for unknown characters (Llama 2, TinyLlama,
// Mistral), from an unchanged tokenizer.json or from the vocabulary of a GGUF file. Immutable, any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/progress.h"

namespace speclens {

struct VocabularyTable; // engine/text/vocabulary_table.h
// A part of a text. In a literal one no special token is read, whatever it spells: what a person says in a chat.
struct TextPart {
    std::string text;
    bool literal = false;
    bool operator==(const TextPart&) const = default;
};
[[nodiscard]] std::string joined(std::span<const TextPart> parts);

class Tokenizer {
  public:
    // A tokenizer_config.json beside the file tells of bos(). Throws Error naming the file, the section and
    // the remedy. Both look at `progress` at every token, and throw Cancelled.
    [[nodiscard]] static std::shared_ptr<const Tokenizer> load(const std::filesystem::path& tokenizer_json, const Progress& progress = {});
    // The vocabulary of a GGUF file; `file` is its name in messages. Throws Error naming it, what is wrong or not
    // supported, and the remedy. Ids are those of the model's tokenizer.json where llama.cpp's differ.
    [[nodiscard]] static std::shared_ptr<const Tokenizer> of_table(const VocabularyTable& table, const std::string& file,
                                                                   const Progress& progress = {});
    virtual ~Tokenizer() = default;

    // Invalid UTF-8 bytes are replaced by U+FFFD first (like Hugging Face's str input). A byte that the vocabulary
    // has no token for (SmolLM2 lacks 21) is left out unless the file names a token for unknown ones. Throws Error
    // when a foreign pattern takes too many steps on this text, and for texts of a gigabyte.
    [[nodiscard]] virtual std::vector<int> encode(std::string_view text) const = 0;
    // The parts as one text, cut into words across their borders; but a special token that reaches into a literal
    // part is text. Added tokens that are not special (<think>) are read everywhere. Invalid UTF-8 as above, in
    // each part.
    [[nodiscard]] virtual std::vector<int> encode(std::span<const TextPart> parts) const = 0;
    // Concatenated bytes of the tokens; may begin or end inside a UTF-8 character. The blank that SentencePiece puts
    // in front of a text is the first token's and stays.
    [[nodiscard]] virtual std::string decode(const std::vector<int>& ids, bool skip_special = false) const = 0;
    [[nodiscard]] virtual std::string bytes_of(int id) const = 0; // "" for ids without an entry
    [[nodiscard]] virtual int size() const = 0;                   // largest id + 1
    // By bytes (" the", not the file's "Ġthe"): an added token or a vocabulary entry; -1 when there is none.
    [[nodiscard]] virtual int id_of(std::string_view token) const = 0;
    [[nodiscard]] virtual bool is_special(int id) const = 0;
    // The token that a raw text begins with for this model (DeepSeek's distillations); -1: none. encode()
    // adds none.
    [[nodiscard]] virtual int bos() const = 0;
};

// Two tokenizers can share drafts when no id means different bytes. An id that only one side has is harmless:
// the draft never proposes it, or the target never accepts it (Qwen3 has four more than Qwen2.5).
// Returns an empty string, or why not ("token 17 is \"the\" in the target and \"The\" in the draft").
[[nodiscard]] std::string vocabulary_difference(const Tokenizer& target, const Tokenizer& draft);

// Emits only whole UTF-8 characters; keeps the unfinished tail until the next token.
class StreamDecoder {
  public:
    explicit StreamDecoder(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
    [[nodiscard]] std::string push(int id); // text that became complete
    [[nodiscard]] std::string flush();      // the rest; broken bytes as U+FFFD

  private:
    const Tokenizer* tokenizer_;
    std::string pending_;
};

} // namespace speclens
