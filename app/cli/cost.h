// What tables and files of compare and sweep share: the cost of a million tokens, and what was measured where.
#pragma once

#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "app/views/prices.h"
#include "engine/base/json.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens::cli {

// What --price and --prices name; nothing without them.
[[nodiscard]] std::optional<Rent> rent_asked(const Options& options);
[[nodiscard]] std::string cost_text(double cost); // "0.65", three digits
// What the numbers were computed from, with the date and source of every price, and what an article on pools prints beside it.
[[nodiscard]] std::string cost_notes(const Rent& rent, const std::string& tier, const Terminal& terminal);
[[nodiscard]] OrderedJson price_json(const Rent& rent);
[[nodiscard]] std::string cost_head(const Rent& rent); // "USD/Mtok"

// Columns that say the same in every line of a CSV, so that files of several measurements can be put together; each begins with a comma.
inline constexpr const char* kFactColumns = ",model,fingerprint,weights,precision,machine,date,temperature,top_k,top_p,seed,max_tokens";
[[nodiscard]] std::string fact_cells(const Header& header, const RunSettings& settings);

} // namespace speclens::cli
