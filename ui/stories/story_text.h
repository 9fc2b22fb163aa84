// A text with named values, as the files in assets/stories hold it (docs/stories.md):
//
//     {kept}                     the value
//     {kept:word}                a number in words: "three"; {kept:Word} "Three"; {name:Capital} first letter large
//     {low:2} {share:percent}    a measured number: two decimals, "60 %"; {p:chance} ".38", {p:fine} ".0004", {p:three} ".00352"; {x:short}
//                                three digits, {t:tenths} one decimal or more, {v:exact} as many as it has; {b:bytes} "412 MB"
//     {drafter:of}               of a text that stands here its form `of`: words."drafter@of" = "…"
//     {kept|guess|guesses}       the first where the number is 1, else the second
//     {took? in {took}|, untimed}    the first where the value is there (and not 0), else the second, which may be missing
//     {{ and }}                  a brace
//
// A choice may hold plurals and values, a plural values only: whoever translates reads every text in one go.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/said.h"

namespace speclens {

// Where a finished text may end earlier, as its file says and no value of it: behind a sentence, before a part (" · "), before an item of
// a list.
enum class Seam : unsigned char { none, sentence, part, item };
inline constexpr char kSeam = '\x1f'; // marks them in a text that is filled for it

// How a text of a text is said: with a form, or "" for none.
using SayInner = std::function<std::string(const Said& said, std::string_view form)>;

class StoryText {
  public:
    StoryText() = default;
    explicit StoryText(std::string_view text); // throws Error with what is wrong in it
    // Throws Error where a value of this kind cannot stand as it does here: a measured number that nobody says how to write.
    void check(std::string_view name, ValueKind kind) const;
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::vector<std::string>& forms() const { return forms_; }
    [[nodiscard]] const std::string& source() const { return source_; } // as it was written
    // `numbers`: in words, from 0 on; digits beyond. Numbers are written as the language of the pictures writes them.
    [[nodiscard]] std::string fill(std::span<const SaidValue> values, std::span<const std::string> numbers = {}, const SayInner& inner = {},
                                   Seam seam = Seam::none) const;

  private:
    enum class Kind : unsigned char {
        plain,
        value,
        number,
        capital_number,
        capital,
        decimals,
        percent,
        chance,
        shortened,
        tenths,
        bytes,
        form,
        plural,
        choice
    };
    struct Piece {
        Kind kind = Kind::plain;
        std::string words; // plain: itself; else the name of the value
        std::vector<Piece> first = {}, second = {};
        std::string form = {};
        int decimals = 0;
    };
    enum class Within : unsigned char { text, choice, plural };
    struct Filling;
    std::vector<Piece> parse(std::string_view text, Within within);
    Piece parse_braces(std::string_view body, Within within);
    void read_form(Piece& piece, std::string_view body, std::string_view form);
    static void check(const std::vector<Piece>& pieces, std::string_view name, ValueKind kind);
    static void add(std::string& out, const std::vector<Piece>& pieces, const Filling& with);

    std::string source_;
    std::vector<Piece> pieces_;
    std::vector<std::string> names_; // each once
    std::vector<std::string> forms_; // "of", each once
};

} // namespace speclens
