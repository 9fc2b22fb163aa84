#include "engine/base/read_number.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace speclens {
namespace {

bool starts_as(const char* first, const char* last, std::string_view word) {
    for (const char letter : word)
        if (first == last || (*first++ | 0x20) != letter) return false;
    return true;
}

} // namespace

// What std::from_chars takes of a text and no more: no spaces, no plus, no hexadecimal digits; the names of what is no number.
std::from_chars_result read_by_strtod(const char* first, const char* last, double& value) {
    const char* const digits = first != last && *first == '-' ? first + 1 : first;
    const bool named = starts_as(digits, last, "inf") || starts_as(digits, last, "nan");
    if (digits == last || (!named && *digits != '.' && (*digits < '0' || *digits > '9'))) return {first, std::errc::invalid_argument};
    const char* end = digits;
    if (named)
        end = std::find_if_not(digits, last, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '(' || c == ')'; });
    else
        end = std::find_if_not(digits, last,
                               [](unsigned char c) { return std::isdigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'; });
    const std::string text(first, end);
    char* stopped = nullptr;
    errno = 0;
    const double read = std::strtod(text.c_str(), &stopped);
    if (stopped == text.c_str()) return {first, std::errc::invalid_argument};
    const char* const after = first + (stopped - text.c_str());
    if (errno == ERANGE && (std::isinf(read) || read == 0)) return {after, std::errc::result_out_of_range};
    value = read;
    return {after, std::errc()};
}

std::from_chars_result read_number(const char* first, const char* last, double& value) {
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
    return read_by_strtod(first, last, value);
#else
    return std::from_chars(first, last, value);
#endif
}

} // namespace speclens
