// What a target's layers say of a corpus: the hidden states that draft heads read, for a trainer in Python. Whole texts are read as prompts
// are, one after another, and written in parts of at most so many tokens, each three files that numpy opens and one that says what they
// are (docs/formats.md):
//
//   000-00.states.npy   (tokens, taps, hidden), bf16 as the bits of an unsigned 16-bit number, or f16
//   000-00.ids.npy      (tokens,) of 32 bits
//   000-00.texts.npy    (texts, 2) of 32 bits: tokens of the prompt, tokens of the answer
//   000-00.json         written last: a part without it is not there yet
//
// 000-00 is the first part of the block 000.corpus. A part that is there is not made again, so who was stopped goes on at the next one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/corpus/corpus_file.h"
#include "kernels/types.h"

namespace speclens {

class AtomicFile; // files/atomic_file.h
class Decoder;    // engine/model/decoder.h
struct Models;    // engine/models/models.h

inline constexpr std::uint64_t kMostStateBytes = 2'000'000'000; // of a file of states

struct StatesPlan {
    std::vector<std::filesystem::path> blocks; // of a corpus
    std::filesystem::path folder;              // is made
    std::vector<int> taps;                     // layers whose outputs are kept, as in PassInput::taps; empty: usual_taps()
    DType form = DType::bf16;                  // or f16
    int part_tokens = 50'000;                  // at most, 1 … kMostBlockTokens; a text is never cut
};

// What heads that read three layers are given (EAGLE-3, Li et al. 2025, arXiv 2503.01840: a low, a middle and a high one), and the last
// state after the final norm.
[[nodiscard]] std::vector<int> usual_taps(int layers);

struct StatesProgress {
    int parts = 0, parts_there = 0, all_parts = 0; // done, of them found done, and of all
    long long tokens = 0, all_tokens = 0;          // read here; of the parts that were not there
    std::uint64_t bytes = 0;                       // of the states that were written here
    double seconds = 0;
    bool complete = false;
};

class CorpusStates {
  public:
    // Reads the blocks. Throws Error: a target that is no checkpoint or did not write the corpus, a layer that it has not, a text with more
    // tokens than a part or the target's context; a folder that holds states of something else; a damaged file.
    CorpusStates(std::shared_ptr<const Models> models, StatesPlan plan);
    ~CorpusStates();
    bool step(); // one text; false: complete. Throws Error, also for a state that f16 cannot hold
    [[nodiscard]] const StatesProgress& progress() const { return progress_; }

  private:
    struct Part {
        int block = 0;                    // of blocks_
        std::size_t first = 0, count = 0; // texts
        long long tokens = 0;
        std::string name; // "000-00"
    };
    void cut(int block);
    [[nodiscard]] bool is_there(const Part& part) const;
    [[nodiscard]] std::string facts_of(const Part& part) const;
    [[nodiscard]] std::uint64_t row_bytes() const;
    void begin(const Part& part);
    void end(const Part& part);
    void write_states(const CorpusText& text);

    std::shared_ptr<const Models> models_;
    StatesPlan plan_;
    std::vector<CorpusBlock> blocks_;
    std::vector<std::string> hashes_; // of their files
    std::vector<Part> parts_;
    std::size_t part_ = 0, text_ = 0; // the next one, and of it the next text
    std::unique_ptr<Decoder> decoder_;
    std::unique_ptr<AtomicFile> states_;
    StatesProgress progress_;
};

} // namespace speclens
