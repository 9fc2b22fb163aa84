// A finished text: which one it is, with which values, and its words in the language of the pictures. Nobody translates it again.
//
// It is a string, so that a scene whose labels still stand in the code draws both in one way: what has no id is such a label, English,
// and is looked up where it is drawn (ui/language/language.h). With the last of those scenes that goes, and the base with it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kernels/said.h"

namespace speclens {

struct Message : std::string {
    Said said;

    Message() = default;
    Message(std::string english) : std::string(std::move(english)) {} // NOLINT: a label
    Message(std::string_view english) : std::string(english) {}       // NOLINT
    Message(const char* english) : std::string(english) {}            // NOLINT
    Message(std::string words, Said what) : std::string(std::move(words)), said(std::move(what)) {}
    [[nodiscard]] bool finished() const { return !said.empty(); }
    [[nodiscard]] const std::string& words() const { return *this; }
};

// As it is drawn: a label is looked up, a message is its words.
[[nodiscard]] std::string drawn_words(const Message& message);

} // namespace speclens
