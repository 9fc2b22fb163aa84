// What a batch does with the blocks of its cache, round by round: tables grow before a pass, are written, and give back at once what
// was not kept; prompts that begin alike share blocks until one of them writes; where blocks run out, a text gives up its own. And what
// drafts cost in blocks: the estimate of seed articles on serving, K ÷ block size for each text, beside the count.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/batch/batch_round.h"

namespace speclens {

class BatchEngine;    // engine/batch/batch_engine.h
struct BatchSettings; // engine/batch/batch_settings.h
struct Models;        // engine/models/models.h
struct RunSettings;   // engine/run/run_settings.h

// One text in one round.
struct FilmText {
    BatchLane lane;
    int before = 0, kept = 0;       // positions before the pass, and after it
    std::vector<int> during, after; // its blocks: with the rows of the pass, and what it has kept
    // Blocks that it took because it had drafts: its pending token alone would have needed fewer.
    [[nodiscard]] int for_drafts() const;
    [[nodiscard]] int taken() const; // new ones, with those that it gave back again
};

struct FilmRound {
    std::vector<FilmText> texts;    // in the order of arrival
    std::vector<int> during, after; // holders of every block of the pool
    int waiting = 0;                // texts without a seat or without blocks, after it
    int copied = 0, shared_tokens = 0;
    [[nodiscard]] int used(bool in_pass) const;
    [[nodiscard]] int preempted() const;
    [[nodiscard]] int for_drafts() const;   // counted, of all texts
    [[nodiscard]] double estimated() const; // drafts ÷ block size, of all texts
};

struct BlockFilm {
    int blocks = 0;              // of the pool
    int texts = 0;               // seats
    int asked = 0;               // texts that took turns on them
    std::size_t block_bytes = 0; // of all layers
    std::string drafter;
    int k = 0;
    std::vector<FilmRound> rounds;
    [[nodiscard]] double mean_for_drafts() const;
    [[nodiscard]] double mean_estimated() const;
    [[nodiscard]] int lengths() const; // different ones of texts that had drafts: over few, the count may lie anywhere beside the estimate
};

// Records a batch of `texts` from its beginning, `rounds` at most. Step by step: false once it is over. Throws Error as BatchEngine does.
class BlockFilmRecorder {
  public:
    BlockFilmRecorder(std::shared_ptr<const Models> models, std::span<const RunSettings> texts, const BatchSettings& settings, int rounds);
    ~BlockFilmRecorder();
    [[nodiscard]] bool step();
    [[nodiscard]] const BlockFilm& film() const { return film_; }

  private:
    void note_pass();
    void note_end();
    [[nodiscard]] std::vector<int> holders() const;

    std::unique_ptr<BatchEngine> engine_;
    int rounds_;
    BlockFilm film_;
    FilmRound round_;
};

} // namespace speclens
