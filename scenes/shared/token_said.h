// A token in a message, in the quotes of its language: “It”.
#pragma once

#include <algorithm>

#include "engine/run/trace.h"
#include "scenes/shared/told.h"
#include "ui/tokens.h"

namespace speclens {

[[nodiscard]] inline Message bytes_said(const std::string& bytes) { // of several
    constexpr SaidOf<"shared"> said;                                // no label: it stays as it is
    if (!bytes.empty() && std::ranges::all_of(bytes, [](char c) { return c == ' '; }))
        return message(said("words.token:spaces"_t, "n"_v = bytes.size()));
    return message(said("words.token:text"_t, "text"_v = ui::token_in_text(bytes)));
}

[[nodiscard]] inline Message token_said(const Trace& trace, int id) { return bytes_said(trace.text(id)); }

} // namespace speclens
