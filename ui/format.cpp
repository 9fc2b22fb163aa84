#include "ui/format.h"

#include <charconv>
#include <cmath>

namespace speclens::ui {

namespace {

constexpr const char* kMinus = "\u2212";
constexpr const char* kThin = "\u2009";

// |value| rounded half away from zero; std::to_chars because printf follows the locale.
std::string digits(double value, int decimals) {
    char buffer[64];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::fixed, decimals);
    return end.ec == std::errc() ? std::string(buffer, end.ptr) : "?";
}

bool is_zero(const std::string& text) {
    return text.find_first_not_of("0.") == std::string::npos;
}

std::string grouped(const std::string& text) {
    const std::size_t whole = std::min(text.find('.'), text.size());
    if (whole <= 3) return text;
    std::string out;
    for (std::size_t i = 0; i < whole; ++i) {
        if (i > 0 && (whole - i) % 3 == 0) out += kThin;
        out += text[i];
    }
    return out + text.substr(whole);
}

} // namespace

std::string probability(double p) {
    if (std::isnan(p)) return "–";
    if (p <= 0) return "0";
    if (p < 0.01) return "<.01";
    // Nothing below certainty is rounded up to it.
    if (p < 1 && p > 0.994) return p >= 0.99999 ? "1.00" : ">.99";
    const std::string text = digits(p, 2);
    return text[0] == '0' ? text.substr(1) : text;
}

std::string number(double value, int decimals) {
    if (!std::isfinite(value)) return std::isnan(value) ? "–" : (value < 0 ? kMinus : "") + std::string("∞");
    const std::string text = digits(value, decimals);
    return (value < 0 && !is_zero(text) ? kMinus : "") + grouped(text);
}

std::string signed_number(double value, int decimals) {
    const std::string text = number(value, decimals);
    return value > 0 && !is_zero(digits(value, decimals)) ? "+" + text : text;
}

std::string integer(std::int64_t value) {
    const std::string text = std::to_string(value);
    return value < 0 ? kMinus + grouped(text.substr(1)) : grouped(text);
}

std::string milliseconds(double ms) {
    return number(ms, 1);
}
std::string per_round(double tokens) {
    return number(tokens, 2);
}
std::string speed_up(double factor) {
    return number(factor, 2) + "×";
}
std::string percent(double fraction) {
    return number(fraction * 100, 0) + kThin + "%";
}

std::string megabytes(double bytes) {
    const double mega = bytes / 1e6;
    return mega < 999.5 ? number(mega, mega < 9.95 ? 1 : 0) + " MB" : number(mega / 1000, 1) + " GB";
}

} // namespace speclens::ui
