// `speclens bench --against FILE.json`: this result beside an earlier one.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace speclens::cli {

// Throws Error where `then` is no result of bench, is older than spreads, or is of another model, weights, precision or
// kind of device, which no table of ratios is about. Of `now` it needs the fields that name these. `name` is the file in
// messages.
void check_comparable(const nlohmann::json& now, const nlohmann::json& then, const std::string& name);

// A table of now, then and their ratio; "cannot be told apart" where the intervals from lower quartile to median have
// something in common. Says first where the earlier one is of another machine, or one of the two is in doubt. Throws as
// check_comparable().
[[nodiscard]] std::string against_table(const nlohmann::json& now, const nlohmann::json& then, const std::string& name);

} // namespace speclens::cli
