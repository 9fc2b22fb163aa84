// The fields of one line of a saved trace, checked one by one. Files come from anywhere: what is missing or of another
// kind throws Malformed, which says which field and what was expected. Internal to trace_read.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/drafters/internals.h"
#include "engine/model/precision.h"
#include "engine/run/trace.h"

namespace speclens::trace_file {

struct Malformed {
    std::string what;
};

class Reader {
  public:
    explicit Reader(const OrderedJson& object) : o_(object) {}

    [[nodiscard]] int integer(const char* name) const {
        const OrderedJson& value = field(name);
        if (!value.is_number_integer()) wrong(name, "an integer");
        const auto wide = value.get<std::int64_t>();
        if (wide < -1 || wide > (1 << 30)) wrong(name, "between -1 and 2^30");
        return static_cast<int>(wide);
    }
    [[nodiscard]] int integer_or(const char* name, int otherwise) const { return o_.contains(name) ? integer(name) : otherwise; }
    [[nodiscard]] double number(const char* name) const {
        const OrderedJson& value = field(name);
        if (!value.is_number()) wrong(name, "a number");
        return value.get<double>();
    }
    [[nodiscard]] double number_or(const char* name, double otherwise) const { return o_.contains(name) ? number(name) : otherwise; }
    [[nodiscard]] double logp(const char* name) const { return logp(name, field(name)); }
    [[nodiscard]] double milliseconds(const char* name) const {
        const double ms = number_or(name, 0);
        if (!(ms >= 0 && ms < 1e12)) wrong(name, "a time in milliseconds");
        return ms;
    }
    [[nodiscard]] std::int64_t bytes(const char* name) const {
        const OrderedJson& value = field(name);
        if (!value.is_number_integer() || value.get<std::int64_t>() < 0) wrong(name, "a number of bytes");
        return value.get<std::int64_t>();
    }
    [[nodiscard]] double probability(const char* name, double otherwise) const {
        const double value = number_or(name, otherwise);
        if (!(value >= 0 && value <= 1)) wrong(name, "a probability");
        return value;
    }
    [[nodiscard]] std::string text(const char* name) const {
        const OrderedJson& value = field(name);
        if (!value.is_string()) wrong(name, "a text");
        return value.get<std::string>();
    }
    [[nodiscard]] std::string text_or(const char* name) const { return o_.contains(name) ? text(name) : ""; }
    [[nodiscard]] Precision precision_or(const char* name, Precision otherwise) const {
        if (!o_.contains(name)) return otherwise;
        const std::optional<Precision> precision = find_precision(text(name));
        if (!precision) wrong(name, "f32, bf16 or int8");
        return *precision;
    }
    [[nodiscard]] bool flag(const char* name) const {
        const OrderedJson& value = field(name);
        if (!value.is_boolean()) wrong(name, "true or false");
        return value.get<bool>();
    }
    [[nodiscard]] std::optional<double> coin() const {
        if (!o_.contains("u") || o_["u"].is_null()) return std::nullopt;
        return probability("u", 0);
    }
    [[nodiscard]] std::vector<int> ids(const char* name) const {
        const OrderedJson& value = field(name);
        if (!value.is_array()) wrong(name, "a list of token ids");
        std::vector<int> list;
        for (const OrderedJson& entry : value) {
            if (!entry.is_number_integer() || entry.get<std::int64_t>() < 0 || entry.get<std::int64_t>() > (1 << 30))
                wrong(name, "a list of token ids");
            list.push_back(entry.get<int>());
        }
        return list;
    }
    [[nodiscard]] TopEntries top(const char* name) const {
        TopEntries t;
        if (!o_.contains(name)) return t;
        const OrderedJson& list = o_[name];
        if (!list.is_array()) wrong(name, "a list of [id, log-probability]");
        for (const OrderedJson& entry : list) {
            if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() || !(entry[1].is_number() || entry[1].is_null()))
                wrong(name, "a list of [id, log-probability]");
            const auto id = entry[0].get<std::int64_t>();
            if (id < 0 || id > (1 << 30)) wrong(name, "a list of [id, log-probability]");
            t.entries.push_back({static_cast<int>(id), logp(name, entry[1])});
        }
        t.rest = probability(std::string(name) == "top" ? "rest" : (std::string(name) + "_rest").c_str(), 0);
        return t;
    }
    [[nodiscard]] Internals internals() const {
        Internals internals;
        if (!o_.contains("lens")) return internals;
        const OrderedJson& all = o_["lens"];
        if (!all.is_object()) wrong("lens", "an object");
        const auto each = [&](const char* name, std::size_t most, const auto& read) {
            if (!all.contains(name)) return;
            if (!all[name].is_array() || all[name].size() > most) wrong(name, "a short list");
            for (const OrderedJson& entry : all[name]) {
                if (!entry.is_object()) wrong(name, "a list of objects");
                read(Reader(entry));
            }
        };
        each("strips", 64, [&](const Reader& r) {
            Internals::Strip strip{r.text("name"), r.integer("values"), r.finite("low"), r.finite("high"), {}};
            const OrderedJson& cells = r.field("cells");
            if (!cells.is_array() || cells.empty() || cells.size() > Internals::kCells) wrong("cells", "1 to 28 numbers");
            for (const OrderedJson& cell : cells) {
                if (!cell.is_number() || !std::isfinite(cell.get<double>())) wrong("cells", "1 to 28 numbers");
                strip.cells.push_back(cell.get<double>());
            }
            internals.strips.push_back(std::move(strip));
        });
        each("numbers", 64, [&](const Reader& r) { internals.numbers.push_back({r.text("name"), r.finite("value"), r.text_or("unit")}); });
        each("movers", 64, [&](const Reader& r) {
            const int token = r.integer("token");
            if (token < 0) wrong("token", "a token id");
            internals.movers.push_back({token, r.finite("base_logit"), r.finite("final_logit"), r.logp("base_logp"), r.logp("final_logp")});
        });
        return internals;
    }
    [[nodiscard]] double finite(const char* name) const {
        const double value = number(name);
        if (!std::isfinite(value)) wrong(name, "a finite number");
        return value;
    }
    [[nodiscard]] const OrderedJson& field(const char* name) const {
        if (!o_.is_object() || !o_.contains(name)) throw Malformed{std::string("\"") + name + "\" is missing"};
        return o_[name];
    }

  private:
    // A natural logarithm of a probability; null is probability 0. A little above 0 is rounding.
    [[nodiscard]] static double logp(const char* name, const OrderedJson& value) {
        if (value.is_null()) return kLogZero;
        if (!value.is_number() || !(value.get<double>() <= 1e-6)) wrong(name, "a log-probability (0 or less) or null");
        return std::min(value.get<double>(), 0.0);
    }
    [[noreturn]] static void wrong(const char* name, const char* expected) {
        throw Malformed{std::string("\"") + name + "\" must be " + expected};
    }
    const OrderedJson& o_;
};

} // namespace speclens::trace_file
