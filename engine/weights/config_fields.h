// Typed access to the fields of a config.json. Every failure is an Error that names the file, the field and the value.
// Internal to the engine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/json_read.h"
#include "kernels/error.h"

namespace speclens {

inline constexpr std::size_t kLargestConfig = 16'000'000; // bytes of a config.json

// Typed access to the fields of one JSON object; null counts as absent.
class Fields {
  public:
    // `remedy`: what to try when a field is wrong.
    Fields(const Json& json, std::string file, const char* remedy) : json_(&json), file_(std::move(file)), remedy_(remedy) {}

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const char* remedy() const { return remedy_; }

    [[nodiscard]] const Json* find(const char* name) const {
        const auto found = json_->find(name);
        return found == json_->end() || found->is_null() ? nullptr : &*found;
    }
    [[nodiscard]] bool is_null(const char* name) const { // there, and null, where its absence would mean something else
        const auto found = json_->find(name);
        return found != json_->end() && found->is_null();
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& [name, value] : json_->items())
            if (!value.is_null()) all.push_back(name);
        return all;
    }
    [[nodiscard]] int integer(const char* name, int low, int high) const {
        const Json* value = find(name);
        if (value == nullptr) fail(name, "is missing");
        const bool whole = value->is_number_integer();
        if (!whole || *value < low || *value > high)
            fail(name, "is " + shown(*value) + ", expected an integer from " + std::to_string(low) + " to " + std::to_string(high));
        return value->get<int>();
    }
    [[nodiscard]] int integer_or(const char* name, int otherwise, int low, int high) const {
        return find(name) == nullptr ? otherwise : integer(name, low, high);
    }
    [[nodiscard]] double number(const char* name, double low, double high) const {
        const Json* value = find(name);
        if (value == nullptr) fail(name, "is missing");
        const double number = value->is_number() ? value->get<double>() : std::nan("");
        if (!(number >= low && number <= high)) fail(name, "is " + shown(*value) + ", which makes no sense there");
        return number;
    }
    [[nodiscard]] double number_or(const char* name, double otherwise, double low, double high) const {
        return find(name) == nullptr ? otherwise : number(name, low, high);
    }
    [[nodiscard]] bool flag_or(const char* name, bool otherwise) const {
        const Json* value = find(name);
        if (value == nullptr) return otherwise;
        if (!value->is_boolean()) fail(name, "is " + shown(*value) + ", expected true or false");
        return value->get<bool>();
    }
    [[nodiscard]] std::string text_or(const char* name, const std::string& otherwise) const {
        const Json* value = find(name);
        if (value == nullptr) return otherwise;
        if (!value->is_string()) fail(name, "is " + shown(*value) + ", expected text");
        return value->get<std::string>();
    }
    // The elements of an array of integers; empty when the field is absent.
    [[nodiscard]] std::vector<int> integers(const char* name, int low, int high) const {
        std::vector<int> values;
        const Json* list = find(name);
        if (list == nullptr) return values;
        if (!list->is_array()) fail(name, "is " + shown(*list) + ", expected a list of integers");
        for (const Json& value : *list) {
            const bool whole = value.is_number_integer();
            if (!whole || value < low || value > high)
                fail(name,
                     "has the entry " + shown(value) + ", expected integers from " + std::to_string(low) + " to " + std::to_string(high));
            values.push_back(value.get<int>());
        }
        return values;
    }
    [[noreturn]] void fail(const char* name, const std::string& what) const { fail(name, what, remedy_); }
    [[noreturn]] void fail(const char* name, const std::string& what, const char* remedy) const {
        throw Error(file_ + ": " + name + " " + what, remedy);
    }

  private:
    const Json* json_;
    std::string file_;
    const char* remedy_;
};

} // namespace speclens
