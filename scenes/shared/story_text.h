// A text with named values, as the files in assets/stories hold it (docs/stories.md):
//
//     {kept}                     the value
//     {kept:word}                a number in words: "three"; {kept:Word} "Three"; {name:Capital} first letter large
//     {kept|guess|guesses}       the first where the number is 1, else the second
//     {took? in {took}|, untimed}    the first where the value is there (and not 0), else the second, which may be missing
//     {{ and }}                  a brace
//
// A choice may hold plurals and values, a plural values only: whoever translates reads every text in one go.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

struct StoryValue {
    std::string_view name;
    std::string words;
    std::optional<long> number = {}; // what plurals go by
    [[nodiscard]] bool there() const { return number ? *number != 0 : !words.empty(); }
};

class StoryText {
  public:
    StoryText() = default;
    explicit StoryText(std::string_view text); // throws Error with what is wrong in it
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::string& source() const { return source_; } // as it was written
    // `numbers`: in words, from 0 on; digits beyond.
    [[nodiscard]] std::string fill(std::span<const StoryValue> values, std::span<const std::string> numbers = {}) const;

  private:
    enum class Kind : unsigned char { plain, value, number, capital_number, capital, plural, choice };
    struct Piece {
        Kind kind = Kind::plain;
        std::string words; // plain: itself; else the name of the value
        std::vector<Piece> first = {}, second = {};
    };
    enum class Within : unsigned char { text, choice, plural };
    std::vector<Piece> parse(std::string_view text, Within within);
    Piece parse_braces(std::string_view body, Within within);
    static void add(std::string& out, const std::vector<Piece>& pieces, std::span<const StoryValue> values,
                    std::span<const std::string> numbers);

    std::string source_;
    std::vector<Piece> pieces_;
    std::vector<std::string> names_; // each once
};

} // namespace speclens
