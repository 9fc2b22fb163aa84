// Answers of the target to a list of prompts, written into a folder as blocks of a corpus (corpus_file.h). Many texts are decoded at once
// (engine/batch), plainly; a text is the one that it would be alone, whatever is beside it. So the folder depends on the prompts, the
// settings and the model only: whoever stops and goes on gets the same bytes as who never stopped.
//
// In the folder: "000.corpus", …, of which the last one grows until the next text has no room in it, and while more is to come
// "unfinished.corpus": answers that ended before those of earlier prompts, and those that have not ended, which are gone on with. For what
// a token is drawn with depends on the text before it and its place alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/batch/batch_engine.h"
#include "engine/corpus/corpus_file.h"
#include "engine/run/prompt.h"

namespace speclens {

struct CorpusPrompt {
    Prompt prompt;
    std::string domain = "other";
    double temperature = 0.8;
    int max_tokens = 64; // of the answer
};

struct CorpusPlan {
    std::filesystem::path folder; // is made
    std::vector<CorpusPrompt> prompts;
    Sampling filters{.temperature = 1}; // top_k and top_p of all texts
    std::uint64_t seed = 7;
    long long tokens = 0; // of answers, after which it ends; 0: with the prompts
    int texts = 16;       // at once, 1 … kMostTexts
    int block_tokens = kMostBlockTokens;
};

struct CorpusProgress {
    long long tokens = 0;      // of answers in the blocks, with those that were there
    int texts = 0;             // in the blocks
    int blocks = 0;            // files
    long long done_tokens = 0; // with those of answers that ended before an earlier one
    int done_texts = 0;
    int too_long = 0;              // prompts that leave no room for their answer in the target's context, left out
    long long fresh = 0;           // tokens that were drawn since the beginning, also of answers that have not ended
    double seconds = 0;            // that this took
    std::map<AnswerEnd, int> ends; // of the texts in the blocks
    bool complete = false;         // as many tokens as were asked for, or all prompts
    [[nodiscard]] double rate() const { return seconds > 0 ? static_cast<double>(fresh) / seconds : 0; } // tokens a second
};

// Whether the last `window` tokens repeat with a period of at most `period`: a greedy answer that would never end, and teaches nothing.
[[nodiscard]] bool repeats_itself(std::span<const int> answer, int window = 144, int period = 48);

class CorpusSampling {
  public:
    // Reads what the folder holds. Throws Error: a target that is no checkpoint, no prompts, numbers out of range; a folder with blocks of
    // another model, seed or filter, of other prompts, or with texts taken out; a damaged file.
    CorpusSampling(std::shared_ptr<const Models> models, CorpusPlan plan);
    ~CorpusSampling();
    // One pass for all texts. False: complete. Every minute, and at the end, what is there is written. Throws Error.
    bool step();
    void save(); // what is there, now; throws Error
    [[nodiscard]] const CorpusProgress& progress() const { return progress_; }

  private:
    struct Asked { // a text in flight
        int number = 0;
        std::size_t events = 0; // of its trace, that were read
        std::vector<int> answer;
    };
    void read_prompts();
    void read_folder();
    void check_text(const CorpusText& text, bool may_go_on, const std::string& name) const;
    [[nodiscard]] bool goes_on(const CorpusText& text) const; // it was cut by a stop
    [[nodiscard]] CorpusText text_of(const Asked& asked, AnswerEnd end) const;
    void advance();
    void add(CorpusText text);
    void submit();
    void take_tokens(int text, Asked& asked);
    void finish(int text, const Asked& asked, AnswerEnd end);
    void complete();
    [[nodiscard]] int prompts() const { return static_cast<int>(plan_.prompts.size()); }
    [[nodiscard]] bool enough() const { return plan_.tokens > 0 && progress_.tokens >= plan_.tokens; }
    [[nodiscard]] long long tokens_to_come() const; // at least, of all that were asked

    std::shared_ptr<const Models> models_;
    CorpusPlan plan_;
    CorpusSource source_;
    std::vector<std::vector<int>> ids_;     // of the prompts; empty: too long
    CorpusBlock open_;                      // the last one, which grows
    int open_number_ = 0;                   // of its file
    bool open_written_ = true;              // as it is
    int front_ = 0;                         // the first prompt whose answer is in no block
    int next_ = 0;                          // the first one that was not asked
    std::map<int, CorpusText> finished_;    // by number, behind an answer that has not ended
    std::map<int, std::vector<int>> begun_; // answers that a stop cut, until they are gone on with
    std::unique_ptr<BatchEngine> engine_;
    std::map<int, Asked> asked_; // by the engine's number
    CorpusProgress progress_;
    Stopwatch clock_;
    double saved_at_ = 0; // seconds
};

} // namespace speclens
