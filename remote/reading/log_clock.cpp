#include "remote/reading/log_clock.h"

#include <array>
#include <cctype>
#include <chrono>
#include <cstddef>

namespace speclens {
namespace {

constexpr std::size_t kFarthest = 400; // a collector's JSON may begin with the message

// Whether `text` has this form at `at`: # is a digit, ? anything of one byte, the rest as it is. The digits in order.
template <std::size_t N>
std::optional<std::array<int, N>> digits_in(std::string_view text, std::size_t at, std::string_view form) {
    if (at + form.size() > text.size()) return {};
    std::array<int, N> out{};
    std::size_t n = 0;
    bool in_number = false;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const char c = text[at + i];
        if (form[i] == '#') {
            if (c < '0' || c > '9') return {};
            if (!in_number && n++ >= N) return {};
            out[n - 1] = 10 * out[n - 1] + (c - '0');
            in_number = true;
        } else {
            in_number = false;
            if (form[i] != '?' && form[i] != c) return {};
        }
    }
    return out;
}

double seconds_of(int year, int month, int day, int hour, int minute, int second) {
    using namespace std::chrono;
    const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return -1;
    return 86400.0 * static_cast<double>(sys_days(date).time_since_epoch().count()) + 3600.0 * hour + 60.0 * minute + second;
}

std::optional<double> checked(double seconds) { return seconds >= 0 ? std::optional(seconds) : std::nullopt; }

} // namespace

std::optional<double> log_clock(std::string_view line) {
    constexpr int kLeapYear = 2024; // of dates without one: has a 29 February
    const std::size_t end = line.size() < kFarthest ? line.size() : kFarthest;
    for (std::size_t i = 0; i + 5 < end; ++i) {
        const bool begins = i == 0 || std::isdigit(static_cast<unsigned char>(line[i - 1])) == 0;
        if (!begins) continue;
        if (const auto t = digits_in<6>(line, i, "####-##-##?##:##:##"))
            return checked(seconds_of((*t)[0], (*t)[1], (*t)[2], (*t)[3], (*t)[4], (*t)[5]));
        if (const auto t = digits_in<5>(line, i, "##-## ##:##:##"))
            if (i == 0 || line[i - 1] != '-') return checked(seconds_of(kLeapYear, (*t)[0], (*t)[1], (*t)[2], (*t)[3], (*t)[4]));
        if (i >= 4 && line[i - 1] == ' ')
            if (const auto t = digits_in<4>(line, i, "## ##:##:##")) {
                static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
                const std::size_t month = kMonths.find(line.substr(i - 4, 3));
                if (month != std::string_view::npos && month % 3 == 0)
                    return checked(seconds_of(kLeapYear, static_cast<int>(month / 3) + 1, (*t)[0], (*t)[1], (*t)[2], (*t)[3]));
            }
    }
    // llama.cpp's: minutes of any length before it.
    std::size_t at = 0;
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    double minutes = 0;
    const std::size_t first = at;
    for (; at < line.size() && line[at] >= '0' && line[at] <= '9' && at - first < 7; ++at) minutes = 10 * minutes + (line[at] - '0');
    if (at == first) return {};
    if (const auto t = digits_in<3>(line, at, ".##.###.###")) return 60 * minutes + (*t)[0] + 1e-3 * (*t)[1];
    return {};
}

} // namespace speclens
