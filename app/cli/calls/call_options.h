// Options as JSON, turned into the words that the command line parses: one table says what is known, what is wrong with it and what
// was meant instead.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"

namespace speclens::cli {

// Of what is loaded. Throws Error (usage).
[[nodiscard]] std::vector<std::string> model_words(const std::string& json);
[[nodiscard]] Options model_options(const std::vector<std::string>& models); // to load them with
// Of a command on models that were opened with `models`, parsed. Throws Error (usage).
[[nodiscard]] Options call_options(Command command, const std::vector<std::string>& models, const std::string& json);

} // namespace speclens::cli
