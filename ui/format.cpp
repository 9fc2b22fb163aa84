#include "ui/format.h"

#include <charconv>
#include <cmath>

#include "ui/chance.h"
#include "ui/language/language.h"

namespace speclens::ui {

namespace {

constexpr const char* kMinus = "\u2212";
constexpr const char* kThin = "\u2009";

// |value| rounded half away from zero; std::to_chars because printf follows the locale.
std::string digits(double value, int decimals) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::fixed, decimals);
    return end.ec == std::errc() ? std::string(buffer, end.ptr) : "?";
}

bool is_zero(const std::string& text) { return text.find_first_not_of("0.") == std::string::npos; }

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
    const bool english = language().decimal == '.'; // elsewhere a zero more stands in front, for which columns have no room
    if (p < 0.01) return english ? "<.01" : "≈0";
    // Nothing below certainty is rounded up to it.
    if (p < 1 && p > 0.994) return p >= 0.99999 ? in_language("1.00") : english ? ">.99" : "≈1";
    const std::string text = digits(p, 2);
    return in_language(text[0] == '0' ? text.substr(1) : text);
}

std::string fraction(double value, int decimals) {
    const std::string text = digits(value, decimals);
    return in_language(text.starts_with("0.") ? text.substr(1) : text);
}

std::string fine_probability(double p) {
    if (!(p > 0 && p < 0.01)) return probability(p);
    if (p < 1e-5) return "<" + fraction(1e-5, 5);
    return fraction(p, static_cast<int>(std::ceil(-std::log10(p))));
}

std::string three_digits(double p) {
    return p >= 1e-5 ? fraction(p, 2 - static_cast<int>(std::floor(std::log10(p)))) : fine_probability(p);
}

std::string short_number(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3);
    return end.ec == std::errc() ? in_language({text, end.ptr}) : "?";
}

std::string tenths(double value) {
    const double tenths = value * 10;
    return std::abs(tenths - std::round(tenths)) < 1e-6 ? number(value, 1) : short_number(value);
}

std::string number(double value, int decimals) {
    if (!std::isfinite(value)) return std::isnan(value) ? "–" : (value < 0 ? kMinus : "") + std::string("∞");
    const std::string text = digits(value, decimals);
    return in_language((value < 0 && !is_zero(text) ? kMinus : "") + grouped(text));
}

std::string signed_number(double value, int decimals) {
    const std::string text = number(value, decimals);
    return value > 0 && !is_zero(digits(value, decimals)) ? "+" + text : text;
}

std::string integer(std::int64_t value) {
    const std::string text = std::to_string(value);
    return value < 0 ? kMinus + grouped(text.substr(1)) : grouped(text);
}

std::string milliseconds(double ms) { return number(ms, 1); }
std::string per_round(double tokens) { return number(tokens, 2); }
std::string speed_up(double factor) { return number(factor, 2) + "×"; }
std::string percent(double fraction) { return number(fraction * 100, 0) + kThin + "%"; }

std::string megabytes(double bytes) {
    const double mega = bytes / 1e6;
    return mega < 999.5 ? number(mega, mega < 9.95 ? 1 : 0) + " MB" : number(mega / 1000, 1) + " GB";
}

} // namespace speclens::ui
