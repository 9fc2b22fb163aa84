// Words of the command line turned into values; every failure names the option, the word and what was expected.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "engine/base/values.h"

namespace speclens::cli {

using speclens::real;
using speclens::split;
using speclens::whole;
using speclens::whole_list;
// "small" or "small=DIR"; of two chained ones "lookup+eagle3=DIR", "eagle3=DIR+small=DIR". Throws for an unknown name and for a folder
// where the drafter takes none.
[[nodiscard]] DrafterChoice drafter_choice(const std::string& text);
// The drafters of the choices that have a folder, chained ones one by one.
[[nodiscard]] std::vector<DrafterChoice> with_folders(const std::vector<DrafterChoice>& choices);
[[nodiscard]] std::string one_of(const std::string& option, const std::string& text, const std::vector<std::string>& known);

} // namespace speclens::cli
