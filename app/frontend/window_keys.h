// The window's keys, for `speclens list keys`; empty in a build without the window.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace speclens::cli {

[[nodiscard]] std::vector<std::pair<std::string, std::string>> window_keys(); // "Ctrl+S", "Save the trace"

} // namespace speclens::cli
