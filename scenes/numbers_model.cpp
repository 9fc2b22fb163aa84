#include "scenes/numbers_model.h"

#include <algorithm>

namespace speclens {

NumbersModel numbers_model(const SceneInput& input, const NumbersState& state) {
    NumbersModel m;
    m.figures = input.figures;
    if (!m.figures) return m;
    for (const PublishedFigure& figure : m.figures->figures()) {
        const bool wrong = figure.standing == Standing::wrong, disputed = !figure.conflicts.empty();
        m.wrong += wrong;
        m.disputed += disputed;
        if (!state.method.empty() && figure.method != state.method) continue;
        if (state.filter == FigureFilter::wrong && !wrong) continue;
        if (state.filter == FigureFilter::disputed && !disputed) continue;
        m.rows.push_back(&figure);
    }
    const auto found = std::ranges::find(m.rows, state.selected, &PublishedFigure::id);
    m.selected = m.rows.empty() ? -1 : found == m.rows.end() ? 0 : static_cast<int>(found - m.rows.begin());
    return m;
}

} // namespace speclens
