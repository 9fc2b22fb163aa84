#include "app/views/shown_round.h"

#include <algorithm>

namespace speclens {
namespace {

constexpr std::string_view kWords[] = {"guesses", "kept", "refused"}; // in the order of Shows

// Several in a row: one guess alone shows little of a round.
constexpr std::size_t kSeveral = 2;

std::size_t refused_guess(const RoundSummary& round) {
    const auto fell = std::ranges::find_if(round.drafts, [](const DraftSlot& slot) { return slot.check && !slot.check->accepted; });
    return static_cast<std::size_t>(fell - round.drafts.begin());
}

} // namespace

std::optional<Shows> shows_called(std::string_view word) {
    const auto found = std::ranges::find(kWords, word);
    if (found == std::end(kWords)) return {};
    return static_cast<Shows>(1 + (found - std::begin(kWords)));
}

std::vector<std::string_view> shows_words() { return {std::begin(kWords), std::end(kWords)}; }

std::optional<std::size_t> place_that_shows(Shows what, const RunView& whole) {
    std::optional<std::size_t> second; // less telling
    for (const RoundSummary& round : whole.round_list) {
        const std::size_t guesses = round.drafts.size(), checked = round.first_event + guesses + 1; // behind the pass
        if (round.tree || guesses < kSeveral) continue;
        if (what == Shows::guesses && round.verify) return round.first_event + guesses;
        if (!round.complete()) continue;
        const std::size_t fell = refused_guess(round);
        if (what == Shows::kept && fell == guesses && round.resample) return round.end_event;
        if (what != Shows::refused || fell == guesses) continue;
        if (fell > 0) return checked + fell + 1;
        if (!second) second = checked + 1;
    }
    return second;
}

} // namespace speclens
