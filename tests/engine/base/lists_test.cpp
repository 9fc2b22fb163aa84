// Helpers over lists, printed words, blanks.
#include "engine/base/lists.h"

#include <array>

#include <gtest/gtest.h>

#include "engine/base/printed.h"
#include "engine/base/values.h"

namespace speclens {
namespace {

struct Named {
    const char* name;
    int size;
};
constexpr std::array<Named, 3> kNamed = {{{"one", 1}, {"two", 2}, {"three", 3}}};

TEST(Lists, AreSummedAndSearched) {
    EXPECT_EQ(sum_over<int>(kNamed, &Named::size), 6);
    EXPECT_EQ(find_with(kNamed, 2, &Named::size), &kNamed[1]);
    EXPECT_EQ(find_with(kNamed, 4, &Named::size), nullptr);
}

TEST(Printed, IsWhatPrintfPrints) {
    EXPECT_EQ(printed("%d of %.2f %s", 3, 4.5, "MB"), "3 of 4.50 MB");
    EXPECT_EQ(printed("%s", std::string(255, 'x').c_str()), std::string(255, 'x'));
    EXPECT_EQ(printed("%s", std::string(256, 'x').c_str()), std::string(256, 'x')) << "longer than its room";
    EXPECT_EQ(printed("%s", std::string(1000, 'x').c_str()), std::string(1000, 'x'));
}

TEST(Trimmed, HasNoBlanksAtItsEnds) {
    EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \n"), "");
    EXPECT_EQ(trimmed(""), "");
}

} // namespace
} // namespace speclens
