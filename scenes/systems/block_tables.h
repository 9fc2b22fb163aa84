// The cache of several texts at once, as a batch that was decoded here had it: which block of the pool belongs to which text, what a
// round wrote, kept and gave back, who shares, who was made to give up, and what drafts took.
#pragma once

#include <string>
#include <vector>

#include "engine/batch/block_film.h"
#include "scenes/systems/systems_draw.h"

namespace speclens {

// A block of the pool in one round.
struct BlockSquare {
    std::string holders;     // "A", "AB": texts that have it in the pass; empty: free
    bool taken = false;      // in this round
    bool given_back = false; // after this round nobody holds it: its rows were refused
    bool ended = false;      // or its text came to its end
};
[[nodiscard]] std::vector<BlockSquare> block_squares(const BlockFilm& film, std::size_t round);
[[nodiscard]] std::string text_letter(int text); // A, B, … Z, A2, …
// Of the rows that it had or wrote in the round, one after the other.
struct FilmRows {
    int before = 0, kept = 0, refused = 0;
};
[[nodiscard]] FilmRows rows_of(const FilmText& text);
[[nodiscard]] Message did_words(const FilmText& text); // "drafted 4, kept 2"
// "2 blocks shared with B": which blocks of the pass other texts hold too; empty: none.
[[nodiscard]] Message shared_words(const FilmRound& round, const FilmText& text);
[[nodiscard]] Message draft_words(const BlockFilm& film); // over all rounds: the count beside the estimate

void draw_block_tables(const SystemsDraw& d, ui::Rect area);
void tell_block_tables(const SystemsDraw& d);

} // namespace speclens
