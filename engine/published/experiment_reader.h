// Fields of a file that the recipe wrote: whatever is missing or of another kind is an Error that names the place.
#pragma once

#include <string>

#include "engine/base/json_read.h"

namespace speclens {

struct ExperimentReader {
    const char* remedy;

    [[noreturn]] void fail(const std::string& where, const std::string& what) const;
    [[nodiscard]] double number_of(const OrderedJson& value, const std::string& where) const;
    [[nodiscard]] const OrderedJson& member(const OrderedJson& object, const char* name, const std::string& where) const;
    [[nodiscard]] double number(const OrderedJson& object, const char* name, double low, double high, const std::string& where) const;
    [[nodiscard]] int whole_of(const OrderedJson& object, const char* name, const std::string& where) const;               // up to 10^9
    [[nodiscard]] const OrderedJson& list_of(const OrderedJson& object, const char* name, const std::string& where) const; // not empty
    [[nodiscard]] std::string text_or(const OrderedJson& object, const char* name) const; // empty: there is none
};

} // namespace speclens
