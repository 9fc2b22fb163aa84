// Two tokenizers beside each other, for a draft model that does not speak the target's tokens: which ids of the two mean the same
// bytes (token-level intersection, arXiv 2502.05202), and texts of one in ids of the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

class VocabularyMap {
  public:
    // By bytes, special tokens too where they are spelled alike; the first id of several counts. The ends of a text (`stops`) and the
    // token that a text begins with go by what they are for: the first of one side is the first of the other.
    VocabularyMap(std::shared_ptr<const Tokenizer> target, std::span<const int> target_stops, int target_vocab,
                  std::shared_ptr<const Tokenizer> draft, std::span<const int> draft_stops, int draft_vocab);

    [[nodiscard]] int to_target(int draft_id) const { return to_target_[static_cast<std::size_t>(draft_id)]; } // -1: there is none
    [[nodiscard]] int to_draft(int target_id) const { return to_draft_[static_cast<std::size_t>(target_id)]; } // likewise
    [[nodiscard]] std::span<const int> targets() const { return to_target_; }                                  // of every draft id
    [[nodiscard]] int target_vocab() const { return static_cast<int>(to_draft_.size()); }
    [[nodiscard]] int common() const { return common_; } // ids that both have
    [[nodiscard]] bool is_draft_stop(int draft_id) const;
    [[nodiscard]] const Tokenizer& target() const { return *target_; }
    [[nodiscard]] const Tokenizer& draft() const { return *draft_; }

    // What a draft model wrote, in target ids: its bytes encoded by the target's tokenizer. An unfinished character at the end is left out.
    // `whole`: nothing comes behind it; else the last token is left out too, unless it is the only one: more text might have merged with
    // it.
    [[nodiscard]] std::vector<int> as_target(std::span<const int> draft_ids, bool whole) const;

  private:
    friend class DraftSpelling;
    std::shared_ptr<const Tokenizer> target_, draft_;
    std::vector<int> to_target_, to_draft_;
    std::vector<int> draft_stops_;
    bool target_blank_ = false, draft_blank_ = false; // SentencePiece: the tokenizer puts a blank in front of a text
    int common_ = 0;
};

// A text of the target in draft ids, as it grows: the bytes of about kPiece tokens at a time, encoded by the draft's tokenizer, so that it
// reads what it would have been trained on. A pure function of the text: however it came to grow, the ids are the same.
class DraftSpelling {
  public:
    static constexpr int kPiece = 48;
    explicit DraftSpelling(std::shared_ptr<const VocabularyMap> map) : map_(std::move(map)) {}

    void begin(); // another text
    // Of the whole text, which is the one of before and perhaps more. Empty: it ends inside a character, which has no ids yet.
    [[nodiscard]] std::vector<int> ids(std::span<const int> sequence);

  private:
    // Appends the ids of these tokens; returns the bytes of a character that does not end here.
    std::string spell(std::span<const int> tokens, std::string before, std::vector<int>& out) const;
    [[nodiscard]] bool may_end_before(int token) const;

    std::shared_ptr<const VocabularyMap> map_;
    std::vector<int> finished_; // ids of the pieces that are over
    std::size_t over_ = 0;      // tokens of them
    std::string open_;          // bytes of a character that began in them
};

} // namespace speclens
