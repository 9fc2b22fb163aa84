// A finished text: which one it is, with which values, and its words in the language of the pictures. What has no id is no message and
// stands as it is in every language: a number, a token, a name, what somebody typed.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kernels/said.h"

namespace speclens {

struct Message : std::string {
    Said said;

    Message() = default;
    Message(std::string as_it_is) : std::string(std::move(as_it_is)) {} // NOLINT
    Message(std::string_view as_it_is) : std::string(as_it_is) {}       // NOLINT
    Message(const char* as_it_is) : std::string(as_it_is) {}            // NOLINT
    Message(std::string words, Said what) : std::string(std::move(words)), said(std::move(what)) {}
    [[nodiscard]] bool finished() const { return !said.empty(); }
    [[nodiscard]] const std::string& words() const { return *this; }
};

} // namespace speclens
