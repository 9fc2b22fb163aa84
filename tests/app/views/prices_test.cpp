// Prices of machines from a file, and what a million tokens cost at a speed.
#include <gtest/gtest.h>

#include <fstream>

#include "app/views/prices.h"
#include "engine/models/models.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

const std::string kGood = "[[price]]\nname='a'\nwhat='one card'\nper_hour=3.0\ncurrency='USD'\ndate='2026-11-27'\nsource='a bill'\n";

std::vector<Price> read(const std::string& text) {
    const TempFolder folder;
    std::ofstream(folder / "prices.toml") << text;
    return read_prices(folder / "prices.toml");
}

std::string problem_of(const std::string& text) {
    try {
        (void)read(text);
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    return text.replace(text.find(what), what.size(), with);
}

} // namespace

TEST(Prices, OursHaveADateAndASourceEach) {
    const std::vector<Price> prices = read_prices(assets_folder() / "prices.toml");
    ASSERT_GE(prices.size(), 2U);
    for (const Price& price : prices) {
        EXPECT_GT(price.per_hour, 0);
        EXPECT_EQ(price.date.size(), 10U) << price.name;
        EXPECT_FALSE(price.source.empty());
    }
}

TEST(Prices, WhatIsMissingOrMeansNothingIsRefusedWithItsLine) {
    EXPECT_EQ(read(kGood).front().per_hour, 3);
    for (const char* key : {"name", "what", "per_hour", "currency", "date", "source"}) {
        const std::string problem = problem_of(replaced(kGood, key, "# "));
        EXPECT_NE(problem.find("line"), std::string::npos) << key << ": " << problem;
        EXPECT_NE(problem.find(key), std::string::npos) << problem;
    }
    EXPECT_NE(problem_of(replaced(kGood, "3.0", "0")).find("above 0"), std::string::npos);
    EXPECT_NE(problem_of(replaced(kGood, "3.0", "'3'")).find("above 0"), std::string::npos);
    EXPECT_NE(problem_of(replaced(kGood, "3.0", "nan")).find("above 0"), std::string::npos);
    EXPECT_NE(problem_of(replaced(kGood, "2026-11-27", "lately")).find("YYYY"), std::string::npos);
    EXPECT_NE(problem_of(replaced(kGood, "'a'", "'2*a'")).find("comma"), std::string::npos);
    EXPECT_NE(problem_of(kGood + "colour='red'\n").find("means nothing"), std::string::npos);
    EXPECT_NE(problem_of(kGood + kGood).find("two prices"), std::string::npos);
    EXPECT_NE(problem_of("").find("no price"), std::string::npos);
    EXPECT_NE(problem_of("price = 3\n").find("means nothing"), std::string::npos);
    EXPECT_NE(problem_of("[[price").find("line 1"), std::string::npos);
    EXPECT_THROW((void)read_prices("/no/such/file.toml"), Error);
}

TEST(Prices, MachinesAreAddedUp) {
    const std::vector<Price> prices =
        read(kGood + replaced(replaced(kGood, "'a'", "'b'"), "3.0", "0.5") + replaced(replaced(kGood, "'a'", "'c'"), "USD", "EUR"));
    const Rent rent = rent_of(prices, "4*a,b");
    EXPECT_DOUBLE_EQ(rent.per_hour, 12.5);
    EXPECT_EQ(rent.currency, "USD");
    EXPECT_EQ(rent.words(), "4 × a + b");
    for (const char* wrong : {"", "d", "a,c", "0*a", "-1*a", "x*a", "1.5*a", "*a", ",", "9999999*a"})
        EXPECT_THROW((void)rent_of(prices, wrong), Error) << wrong;
    EXPECT_EQ(rent_of(read(kGood), "").words(), "a");
}

// The first row of an article's table: four cards at 3 an hour, 5120 tokens a second.
TEST(Prices, AMillionTokensCostWhatTheHoursForThemDo) {
    const Rent rent = rent_of(read(kGood), "4*a");
    EXPECT_NEAR(rent.per_million(5120), 0.65, 0.002);
    EXPECT_EQ(rent.per_million(0), 0);
    EXPECT_DOUBLE_EQ(rent.per_million(1e6 / 3600), 12);
}

} // namespace speclens::test
