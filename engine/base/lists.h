// What is asked of lists again and again.
#pragma once

#include <functional>
#include <iterator>

namespace speclens {

// The sum of something of every element, in the list's order. `of`: a member, or a function of an element.
template <class Sum>
[[nodiscard]] constexpr Sum sum_over(const auto& list, const auto& of) {
    Sum sum = 0;
    for (const auto& one : list) sum += std::invoke(of, one);
    return sum;
}

// The first element of which `of` is `value`; null: there is none. Not of a list that is about to end.
template <class List>
[[nodiscard]] constexpr auto find_with(List& list, const auto& value, const auto& of) -> decltype(&*std::begin(list)) {
    for (auto& one : list)
        if (std::invoke(of, one) == value) return &one;
    return nullptr;
}

} // namespace speclens
