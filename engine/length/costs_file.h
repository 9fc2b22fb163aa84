// Costs of rounds in files: {"pass": [[1, 45.2], …], "draft": [[1, 12.1], …]}, rows or tokens and milliseconds, in a trace's header (of
// two chained drafters also "second", as "draft"); and
// files of nothing else, {"schema": "speclens-k-costs/1", "model": …, "drafters": {"small": {"pass": …, "draft": …}}}.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/length/draft_costs.h"

namespace speclens {

[[nodiscard]] OrderedJson costs_json(const DraftCosts& costs);
[[nodiscard]] std::optional<DraftCosts> costs_of_json(const OrderedJson& json); // none: these are no costs

// none: there is no such file, or it does not know the drafter. Throws Error: it is another file, or one of another model.
[[nodiscard]] std::optional<DraftCosts> costs_in(const std::filesystem::path& file, const std::string& model, const std::string& drafter);
// Adds them to what the file has, or makes one. Throws Error.
void add_costs(const std::filesystem::path& file, const std::string& model, const std::string& drafter, const DraftCosts& costs);

} // namespace speclens
