// Texts that the target wrote itself, and how a head guesses at every place of them when every token before is the target's own
// (teacher forcing). Greedy texts first; where there are not enough prompts, the same ones again, sampled at T = 1.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/models/models.h"
#include "engine/run/prompt.h"
#include "kernels/buffer.h"

namespace speclens {

class DraftNetwork; // engine/drafters/draft_network.h
class Drafter;      // engine/drafters/drafter.h
class Decoder;      // engine/model/decoder.h
class Run;          // engine/run/run.h

struct OwnText {
    std::vector<int> tokens; // prompt and answer
    int prompt = 0;          // tokens of it
    bool chat = false;       // asked as one
    // What the target computed at each position but the last: layer -> (positions, hidden), row by row.
    std::map<int, std::vector<float>> states = {};
    [[nodiscard]] int places() const { return static_cast<int>(tokens.size()) - prompt; }
};

// Writes texts until their answers have so many tokens.
class TextWriter {
  public:
    TextWriter(std::shared_ptr<const Models> models, std::vector<Prompt> prompts, int tokens, int longest, std::vector<int> layers);
    ~TextWriter();
    bool step();                       // one phase of one run, or one pass that keeps states; false: all is written
    [[nodiscard]] int written() const; // tokens of answers
    [[nodiscard]] int wanted() const { return tokens_; }
    [[nodiscard]] std::vector<OwnText> take() { return std::move(texts_); }

  private:
    void keep_states(OwnText& text) const;

    std::shared_ptr<const Models> models_;
    std::vector<Prompt> prompts_;
    int tokens_, longest_;
    std::vector<int> layers_;
    std::vector<OwnText> texts_;
    std::unique_ptr<Run> run_;
    std::size_t next_ = 0; // prompt, counted on where they are asked again
    int kept_ = 0, vain_ = 0;
};

// How often the target's choice had which place in the head's distribution at its first guess: 1, 2, 3, 4, 5–8, 9–16, 17–64, beyond,
// and of an id that the head does not rank.
inline constexpr int kRankBins = 9;
[[nodiscard]] const char* rank_words(int bin); // "5-8"

// What a head guessed over texts, summed by text.
struct HeadScore {
    std::vector<double> kept; // guesses right in a row, over all places
    std::vector<double> logp; // log-probability of the target's choice, over all guesses; where none was made: kUnranked
    std::vector<int> places;
    std::vector<long> kept_at;  // of guess i: places where it and all before it were right
    std::vector<long> asked_at; // and where there was one
    std::array<long, kRankBins> ranks = {};
    [[nodiscard]] double mean_kept() const; // guesses a round: for a place
};
inline constexpr double kUnranked = -30; // for a token that the head gives nothing

// Asks a head at the places of texts, one after another.
class HeadReader {
  public:
    HeadReader(std::shared_ptr<const Models> models, std::shared_ptr<const DraftNetwork> head, const std::string& drafter, int k);
    ~HeadReader();
    // The next place of `texts`; false: there is none. The same texts at each call.
    bool step(const std::vector<OwnText>& texts);
    [[nodiscard]] const HeadScore& score() const { return score_; }

  private:
    void begin(const OwnText& text);
    void feed(const OwnText& text, int first, int count, bool prompt);
    void ask(const OwnText& text);

    std::shared_ptr<const Models> models_;
    std::shared_ptr<const DraftNetwork> head_;
    std::string drafter_name_;
    int k_;
    std::unique_ptr<Decoder> target_; // that drafters ask for sizes
    std::unique_ptr<Drafter> drafter_;
    Buffer features_; // that it was handed last, until it has drafted
    std::size_t text_ = 0;
    int place_ = -1; // tokens known; -1: the text was not begun
    HeadScore score_;
};

} // namespace speclens
