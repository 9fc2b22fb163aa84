// The numbers that a frame in words tells: the message, its value's name, the number, and the decimals that it is written with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/json_read.h"
#include "tests/shared/speaking.h"
#include "ui/canvas_record.h"
#include "ui/format.h"

namespace speclens::test {

struct ToldNumber {
    std::string id, value;
    double number;
    int decimals; // kCount, kChance, kPercent, or so many
};
inline constexpr int kCount = -1, kChance = -2, kPercent = -3;

// Of every text in `json`, also those that stand in another one: whether one of them has this value.
inline bool tells(const Json& json, const std::string& scene, const ToldNumber& wanted) {
    if (json.is_array()) return std::ranges::any_of(json, [&](const Json& one) { return tells(one, scene, wanted); });
    if (!json.is_object()) return false;
    if (json.contains("id") && json["id"] == scene + "." + wanted.id && json["values"].contains(wanted.value)) {
        const Json& value = json["values"][wanted.value];
        if (value.is_number() && value.get<double>() == wanted.number) return true;
    }
    if (!json.contains("values")) return json.contains("messages") && tells(json["messages"], scene, wanted);
    for (const auto& [name, value] : json["values"].items())
        if (tells(value, scene, wanted)) return true;
    return false;
}

// As the language of the pictures writes it.
inline std::string written(const ToldNumber& told) {
    if (told.decimals == kCount) return std::to_string(static_cast<long>(told.number));
    if (told.decimals == kChance) return ui::probability(told.number);
    if (told.decimals == kPercent) return ui::percent(told.number);
    return ui::number(told.number, told.decimals);
}

// That a frame says this, with all its values, in words that have these numbers in this order, as English and German have them.
inline void expect_told(const std::vector<ui::ToldMessage>& told, const Message& wanted, const std::vector<std::string>& numbers) {
    const auto found = std::ranges::find_if(told, [&](const ui::ToldMessage& one) { return one.message.said == wanted.said; });
    ASSERT_NE(found, told.end()) << wanted.said.id() << ": " << wanted.words();
    const std::string& words = found->message.words();
    std::size_t from = 0;
    for (const std::string& number : numbers) {
        const std::size_t at = words.find(number, from);
        EXPECT_NE(at, std::string::npos) << number << " of " << wanted.said.id() << ": " << words;
        if (at != std::string::npos) from = at + number.size();
    }
}

} // namespace speclens::test
