// The values of what is said, by name: tests compare these, and not the prose that they stand in.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "kernels/said.h"

namespace speclens::test {

template <class T>
T said_value(const Said& said, std::string_view name) {
    const auto found = std::ranges::find(said.values, name, &SaidValue::name);
    const T* value = found == said.values.end() ? nullptr : std::get_if<T>(&found->is);
    EXPECT_NE(value, nullptr) << said.id() << " has no such {" << name << "}";
    return value ? *value : T{};
}
// Nothing where the value is absent; of another kind is a failure.
template <class T>
std::optional<T> maybe(const Said& said, std::string_view name) {
    const auto found = std::ranges::find(said.values, name, &SaidValue::name);
    EXPECT_NE(found, said.values.end()) << said.id() << " {" << name << "}";
    if (found == said.values.end() || !found->there()) return {};
    const T* value = std::get_if<T>(&found->is);
    EXPECT_NE(value, nullptr) << said.id() << " {" << name << "} is of another kind";
    return value ? std::optional(*value) : std::nullopt;
}
inline std::int64_t whole(const Said& said, std::string_view name) { return said_value<std::int64_t>(said, name); }
inline double real(const Said& said, std::string_view name) { return said_value<double>(said, name); }
inline std::string words(const Said& said, std::string_view name) { return said_value<std::string>(said, name); }
inline std::vector<Said> list(const Said& said, std::string_view name) { return said_value<std::vector<Said>>(said, name); }
inline Said inner(const Said& said, std::string_view name) { // a text in a text
    const std::vector<Said> all = list(said, name);
    EXPECT_EQ(all.size(), 1U) << said.id() << " {" << name << "}";
    return all.empty() ? Said() : all[0];
}
// Of a text that says words of data those words; none where there is no such text.
inline std::string english(const Said& said, std::string_view name) {
    const std::vector<Said> all = list(said, name);
    return all.empty() ? std::string() : words(inner(said, name), "english");
}

} // namespace speclens::test
