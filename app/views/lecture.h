// A lecture: frames in order, each a link with a title, notes and the minutes it may take. A text file
// NAME.lec.toml that a teacher writes and keeps under version control:
//
//     title = "Why drafting is faster"
//     about = "Thirty minutes for people who know what a language model is."
//     [[step]]
//     title = "One pass, one token"
//     link = "speclens://bottleneck/1"
//     minutes = 3
//     notes = """Ask before you turn the page: …"""
//     page_notes = "What a page to read says instead."
//     find = "refused"                # what another model's run must show in its place (app/views/shown_round.h)
//     found_notes = "What is said there instead of the notes, which are of this run."
//     recorded = "moon.jsonl"         # shown where the loaded model lacks what the link drafts with
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/views/link.h"
#include "app/views/shown_round.h"

namespace speclens {

struct Lecture {
    struct Step {
        std::string title, notes;
        std::string page_notes;      // what a page of pictures says instead, where nobody can press a key; empty: the notes
        double minutes = 0;          // 0: not said
        Shows find = Shows::nothing; // in the run of another model, or where the link has no `at`; nothing: the place is one of this model
        std::string found_notes;     // for that; empty: the notes
        std::filesystem::path recorded; // a run, in the folder `recorded` beside the lecture; empty: none
        bool round = false;             // of a place in the loop: such a page shows its round up to there, step by step
        Link link;
    };
    std::string title, about;
    std::string page_about;  // as page_notes
    std::vector<Step> steps; // at least one
    [[nodiscard]] double minutes() const;
};

[[nodiscard]] bool is_lecture_file(const std::filesystem::path& file); // by its ending
// Throws Error, with the line, for a file that is no such lecture.
[[nodiscard]] Lecture load_lecture(const std::filesystem::path& file);
// The lectures that came with the program, by name.
[[nodiscard]] std::vector<std::filesystem::path> shipped_lectures();
// Of one of them the file in this language, in a folder beside it: assets/lectures/de. Itself where there is none.
[[nodiscard]] std::filesystem::path lecture_in(const std::string& language, const std::filesystem::path& file);

} // namespace speclens
