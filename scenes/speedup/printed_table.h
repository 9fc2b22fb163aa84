// A printed table of tokens per round by acceptance and draft length, which the formula can be held against.
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/scene_input.h"

namespace speclens {

struct PrintedRow {
    double alpha = 0;
    std::vector<double> printed, formula; // by column
};
struct PrintedTable {
    std::vector<int> columns; // draft lengths
    std::vector<PrintedRow> rows;
    std::string source;
    int wrong = 0, cells = 0; // cells that differ from the formula in the digits printed
};
[[nodiscard]] PrintedTable printed_table(const Published* figures);
[[nodiscard]] bool same_printed(double printed, double formula); // to two decimals
// The beat about it has the stage for it where no details are beside the stage.
[[nodiscard]] bool printed_table_on_stage(const SceneInput& input);

} // namespace speclens
