// The cost of a million tokens in the tables of compare and sweep.
#pragma once

#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "app/views/prices.h"
#include "engine/base/json.h"

namespace speclens::cli {

// What --price and --prices name; nothing without them.
[[nodiscard]] std::optional<Rent> rent_asked(const Options& options);
[[nodiscard]] std::string cost_text(double cost); // "0.65", three digits
// What the numbers were computed from, with the date and source of every price, and what an article on pools prints beside it.
[[nodiscard]] std::string cost_notes(const Rent& rent, const std::string& tier, const Terminal& terminal);
[[nodiscard]] OrderedJson price_json(const Rent& rent);
[[nodiscard]] std::string cost_head(const Rent& rent); // "USD/Mtok"

} // namespace speclens::cli
