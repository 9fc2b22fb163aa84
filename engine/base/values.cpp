#include "engine/base/values.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "kernels/error.h"

namespace speclens {
namespace {

std::string shown(double value) {
    std::string text = std::to_string(value);
    while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
        const bool point = text.back() == '.';
        text.pop_back();
        if (point) break;
    }
    return text;
}

[[noreturn]] void bad(const std::string& option, const std::string& text, const std::string& expected) {
    throw Error(option + ": '" + text + "' is not " + expected, "Give " + expected + ".", Exit::usage);
}

} // namespace

long long whole(const std::string& option, const std::string& text, long long least, long long most) {
    const std::string expected = "an integer from " + std::to_string(least) + " to " + std::to_string(most);
    const bool digits = !text.empty() && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos;
    if (!digits) bad(option, text, expected);
    errno = 0;
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (errno != 0 || *end != '\0' || value < least || value > most) bad(option, text, expected);
    return value;
}

double real(const std::string& option, const std::string& text, double least, double most) {
    const std::string expected = "a number from " + shown(least) + " to " + shown(most);
    if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string::npos) bad(option, text, expected);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !std::isfinite(value) || value < least || value > most) bad(option, text, expected);
    return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    while (true) {
        const std::size_t at = text.find(separator, from);
        parts.push_back(text.substr(from, at == std::string::npos ? at : at - from));
        if (at == std::string::npos) return parts;
        from = at + 1;
    }
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<int> whole_list(const std::string& option, const std::string& text, long long least, long long most) {
    std::vector<int> values;
    for (const std::string& part : split(text, ',')) values.push_back(static_cast<int>(whole(option, part, least, most)));
    return values;
}

std::string shortest(double value) {
    std::array<char, 64> text{};
    const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), result.ptr};
}

} // namespace speclens
