// Small words that every scene needs: numbers in words, tokens in quotes, the head of a recorded distribution.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/run_view.h"
#include "engine/run/trace.h"
#include "scenes/shared/told.h"
#include "ui/widgets.h"

namespace speclens {

[[nodiscard]] std::string all_guesses(int n);                   // "the guess", "both guesses", "all three guesses"
[[nodiscard]] std::string label_of(const Trace& trace, int id); // label of a chip
[[nodiscard]] Message size_words(std::size_t bytes);            // "58 kB", "1.9 MB", "412 MB"

[[nodiscard]] Message no_figures(); // that what others published is not at hand

// What a prompt of a set is about, as its file says; none of none.
[[nodiscard]] std::vector<Said> domain_said(const std::string& domain);

// The hue of a token in running text, and of a guess by what became of it.
[[nodiscard]] ui::Role role_of(Origin origin);
[[nodiscard]] ui::Role role_of(DraftSlot::State state);
[[nodiscard]] ui::Role role_of(TargetToken::From from);

[[nodiscard]] ui::Tier tier_of(const Header* header);
[[nodiscard]] const char* tier_name(ui::Tier tier);

// Probability of a listed token; nothing when it is only part of the rest.
[[nodiscard]] std::optional<double> listed(const TopEntries& top, int id);

// Two recorded heads in one order, largest target probability first.
struct DistributionRow {
    int id = -1;                         // -1: all other tokens
    std::optional<double> target, draft; // negative: below the recorded head
};
struct DistributionTable {
    std::vector<DistributionRow> rows; // at most `count`, then "other" where not every token is among them
    double overlap = 0;                // sum of min over tokens that both heads list
    bool exact = false;                // nothing is left that could add more than .005
};
// Like ui::probability, but small values keep one digit: .0004 instead of <.01, down to .00001.
[[nodiscard]] std::string fine_probability(double p);
// Beside a sign of comparison, so without one of its own: .9971. For 0, 1 and what lies between 1e-5 and .99999.
[[nodiscard]] std::string compared_probability(double p);
// "–" for a side that was not recorded, "<.01" for a token below the recorded head.
[[nodiscard]] std::string distribution_number(const std::optional<double>& p);

// Either head may be empty (that side was not recorded). `keep` is a token that must be among the rows, or
// -1.
[[nodiscard]] DistributionTable distribution_table(const TopEntries& target, const TopEntries& draft, int count, int keep = -1);

// "<|im_start|>", "<think>": what a chat format puts around the words of a person.
[[nodiscard]] bool is_chat_marker(std::string_view text);
// Which tokens of the prompt are markers, or stand between them: the name of who speaks, line breaks.
[[nodiscard]] std::vector<bool> chat_markers(const Trace& trace, const RunView& view);

} // namespace speclens
