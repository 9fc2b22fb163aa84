// Figures of printed lines, and an entry of a log while lines may still add to it. Numbers are taken as they are
// printed, with how far the truth may be from them; settle() leaves out what cannot be, and says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/reading/log_reading.h"

namespace speclens::log_lines {

inline constexpr double kShareOff = 0.0005; // shares of places have three decimals

// A printed number, and how far the truth may be from it.
struct Printed {
    double value = 0, off = 0;
};
// A number at the beginning of `text`; absent where there is none that can be.
[[nodiscard]] std::optional<Printed> printed_at(std::string_view text);
// The number that follows `key` (spaces, quotes, ':' and '=' in between); absent where there is none that can
// be. With `end`, only where that follows at once: a number at the end of a cut line has lost digits.
[[nodiscard]] std::optional<Printed> printed_after(std::string_view line, std::string_view key, std::string_view end = "");
[[nodiscard]] std::optional<double> after(std::string_view line, std::string_view key, std::string_view end = "");
// "0.983, 0.949, 0.915" after `key`, up to the first thing that is no number. Without one of its places the
// list would be of others: then none.
[[nodiscard]] std::vector<double> list_after(std::string_view line, std::string_view key);
[[nodiscard]] std::string figure(double value);

// What one entry is made of, until no line adds to it.
struct Open {
    LogEntry entry;
    std::optional<double> accepted, drafted, rounds;
    std::optional<double> depth; // a chain's: drafts of a round, at most, by the server's settings
    std::optional<Printed> length, rate;
    std::vector<double> places;
    double place_off = kShareOff; // how far each of them may be from the truth
    bool kept_alone = false;      // places that no round kept are not listed
    // What cannot be is not reported, and said.
    void leave_out(Said what) { entry.left_out.push_back(std::move(what)); }
    void leave_out(std::string words) { leave_out(as_it_is(std::move(words))); }
    void settle();

  private:
    void settle_figures();
    void settle_counts();
    void settle_places(double off);
};

} // namespace speclens::log_lines
