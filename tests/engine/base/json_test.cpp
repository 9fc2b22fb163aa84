// Our JSON value against the library behind it: the same bytes, the same texts accepted, and numbers that no integer holds refused.
#include "engine/base/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace speclens {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Smaller files of the assets and of the golden data.
std::vector<fs::path> json_files() {
    std::vector<fs::path> files;
    for (const char* folder : {"assets", "tests/engine/golden"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPEC_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".json" && entry.file_size() < 400'000) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

TEST(JsonValue, WritesWhatTheLibraryWrites) {
    int compared = 0;
    for (const fs::path& file : json_files()) {
        const std::string text = text_of(file);
        const auto library = nlohmann::json::parse(text, nullptr, false);
        if (library.is_discarded()) continue;
        ++compared;
        const Json own = Json::parse(text);
        ASSERT_EQ(own.dump(), library.dump()) << file;
        ASSERT_EQ(own.dump(2), library.dump(2)) << file;
        ASSERT_EQ(OrderedJson::parse(text).dump(1), nlohmann::ordered_json::parse(text).dump(1)) << file;
    }
    EXPECT_GT(compared, 40);
}

TEST(JsonValue, KeepsEveryNumberAndEscapeAsTheLibraryDoes) {
    // clang-format off
    for (const char* text : {"0", "-0", "-0.0", "1", "18446744073709551615", "-9223372036854775808", "18446744073709551616", "1e400", "0.1", "1e-7",
                             "123456789.125", "1.0", "1e22", "5e-324", "[]", "{}", "[[],{}]", "\"\\u0000\\u001f\\\"\\\\/\\u00e4\\ud83d\\ude00\\u007f\"",
                             "{\"b\":1,\"a\":2,\"b\":3}", " [1 , 2]\n", "[1,]", "{\"a\":}", "nul", "\"\\ud800\"", "\"\xC3\"", "01", "1.", ""}) {
        // clang-format on
        const auto library = nlohmann::json::parse(text, nullptr, false);
        const Json own = Json::parse_or_discard(std::string_view(text));
        ASSERT_EQ(own.is_discarded(), library.is_discarded()) << text;
        if (own.is_discarded()) continue;
        EXPECT_EQ(own.dump(), library.dump()) << text;
        EXPECT_EQ(own.is_number_integer(), library.is_number_integer()) << text;
        EXPECT_EQ(own.is_number_unsigned(), library.is_number_unsigned()) << text;
        EXPECT_EQ(own.dump(-1, BadUtf8::refused, true), library.dump(-1, ' ', true)) << text;
    }
}

TEST(JsonValue, ReadsAndRefusesDamagedTextsAsTheLibraryDoes) {
    const std::string whole = R"({"a": [1, -2.5e3, "x\u00e9\n", null, true], "b": {"c": [], "d": {}}, "e": "\ud83d\ude00"})";
    std::mt19937 random(7);
    int refused = 0, read = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string text = whole;
        for (int changes = 1 + i % 3; changes > 0; --changes)
            text[std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random)] =
                std::string("{}[]\",:0123456789.eE+-\\untrfals \x01\x80\xC3")[std::uniform_int_distribution<std::size_t>(0, 35)(random)];
        const auto library = nlohmann::json::parse(text, nullptr, false);
        const Json own = Json::parse_or_discard(std::string_view(text));
        ASSERT_EQ(own.is_discarded(), library.is_discarded()) << text;
        (own.is_discarded() ? refused : read) += 1;
        if (!own.is_discarded()) {
            ASSERT_EQ(own.dump(), library.dump()) << text;
        }
    }
    EXPECT_GT(refused, 500);
    EXPECT_GT(read, 100);
}

// What a conversion does with a number beyond its type is not defined by the language: such a number is an error.
TEST(JsonValue, RefusesNumbersThatNoIntegerHolds) {
    const Json file =
        Json::parse(R"([1e308, -1e308, 2147483648.0, -2147483649.0, 2147483647.5, -2147483648.5, 1.5, 18446744073709551616])");
    for (const std::size_t i : {0, 1, 2, 3, 7}) EXPECT_THROW((void)file[i].get<int>(), JsonError) << file[i].dump();
    EXPECT_EQ(file[4].get<int>(), 2147483647);
    EXPECT_EQ(file[5].get<int>(), -2147483647 - 1);
    EXPECT_EQ(file[6].get<int>(), 1);
    EXPECT_THROW((void)file[7].get<std::uint64_t>(), JsonError);
    EXPECT_EQ(file[0].get<double>(), 1e308);
}

} // namespace
} // namespace speclens
