#include "scenes/speedup/printed_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "scenes/speedup/speedup_draw.h"

namespace speclens {

bool same_printed(double printed, double formula) { return std::abs(printed - formula) < 0.005 + 1e-9; }

bool printed_table_on_stage(const SceneInput& input) {
    return input.beat == kSpeedupBeats - 1 && !printed_table(input.figures).rows.empty();
}

PrintedTable printed_table(const Published* figures) {
    PrintedTable table;
    if (!figures) return table;
    for (const PublishedFigure& figure : figures->figures()) {
        if (figure.quantity != "tokens_per_round" || figure.positions.empty() || !figure.acceptance || figure.standing == Standing::derived)
            continue;
        PrintedRow row{*figure.acceptance, figure.values, {}};
        std::vector<int> columns;
        for (const double k : figure.positions) {
            columns.push_back(static_cast<int>(k));
            row.formula.push_back(expected_tokens(row.alpha, columns.back()));
        }
        if (!table.rows.empty() && columns != table.columns) continue;
        table.columns = columns;
        table.source = figures->source_of(figure).title;
        for (std::size_t i = 0; i < row.printed.size(); ++i) {
            ++table.cells;
            table.wrong += !same_printed(row.printed[i], row.formula[i]);
        }
        table.rows.push_back(std::move(row));
    }
    std::ranges::sort(table.rows, {}, &PrintedRow::alpha);
    return table;
}

} // namespace speclens
