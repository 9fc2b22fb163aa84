// Places in a run by what they show: a lecture that was written on one run finds them in another, of another model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/run/run_view.h"

namespace speclens {

// A round, and how far: its guesses before the pass over them; the end of one that kept them all; the moment at which one of its guesses
// falls, behind guesses that stayed where a round has such.
enum class Shows : std::uint8_t { nothing, guesses, kept, refused };
[[nodiscard]] std::optional<Shows> shows_called(std::string_view word); // "guesses", "kept", "refused"
[[nodiscard]] std::vector<std::string_view> shows_words();

// Events shown up to the first such place; empty: the run has none so far.
[[nodiscard]] std::optional<std::size_t> place_that_shows(Shows what, const RunView& whole);

} // namespace speclens
