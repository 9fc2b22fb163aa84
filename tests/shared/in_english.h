// What is said below the pictures, in the English that is built in, for tests that compare what the terminal prints.
#pragma once

#include <string>

#include "ui/stories/story_book.h"

namespace speclens::test {

// With the spaces of a keyboard in numbers: "13 781".
inline std::string english(const Said& said) {
    constexpr std::string_view kThin = "\u2009";
    std::string words = message(said);
    for (std::size_t at = words.find(kThin); at != std::string::npos; at = words.find(kThin)) words.replace(at, kThin.size(), " ");
    return words;
}

} // namespace speclens::test
