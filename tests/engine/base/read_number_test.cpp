// Numbers that people and servers write: read in the same way by every C++ library.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <string>

#include "engine/base/read_number.h"

namespace speclens {
namespace {

TEST(ReadNumber, ByStrtodIsThatOfFromChars) {
    // clang-format off
    for (const std::string text :
         {"0", "-0", "1", "0.3", ".5", "5.", "-.25", "1e3", "1E-3", "1e", "1e+", "1.5.2", "12abc", "1,5", "", "-", "+1", " 1", "1 ", "0x10", "1e400",
          "-1e400", "1e-400", "4.9e-324", "inf", "-inf", "Infinity", "infinite", "nan", "NaN", "-nan", "nanx", "in", "e5", ".", "-.", "--1", "1-2", "1e5e5",
          "0.1000000000000000055511151231257827", "18446744073709551616", "1e308", "1.7976931348623159e308"}) {
        // clang-format on
        double expected = 42, read = 42;
        const char* const last = text.data() + text.size();
        const auto one = std::from_chars(text.data(), last, expected);
        const auto other = read_by_strtod(text.data(), last, read);
        EXPECT_EQ(other.ec, one.ec) << '"' << text << '"';
        EXPECT_EQ(other.ptr - text.data(), one.ptr - text.data()) << '"' << text << '"';
        if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(read)) << '"' << text << '"';
        else
            EXPECT_EQ(read, expected) << '"' << text << '"';
        EXPECT_EQ(std::signbit(read), std::signbit(expected)) << '"' << text << '"';
    }
}

// A part of a longer text, as a line of a log, ends where it is said to end.
TEST(ReadNumber, EndsWithItsText) {
    const std::string line = "1234567";
    double value = 0;
    const auto read = read_by_strtod(line.data(), line.data() + 3, value);
    EXPECT_EQ(value, 123);
    EXPECT_EQ(read.ptr, line.data() + 3);
}

} // namespace
} // namespace speclens
