#include "scenes/numbers_model.h"

#include <algorithm>

#include "engine/published_words.h"

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

const PublishedFigure* right_figure(const Published& figures, const PublishedFigure& wrong) {
    for (const PublishedConflict& conflict : wrong.conflicts) {
        const PublishedFigure* other = figures.find(conflict.with);
        if (other && other->standing == Standing::derived && other->quantity == wrong.quantity &&
            other->values.size() == wrong.values.size())
            return other;
    }
    return nullptr;
}

std::string whole_value(const PublishedFigure& figure) {
    if (figure.form != Form::list) return published_value(figure);
    std::string words;
    for (const double value : figure.values) words += (words.empty() ? "" : " ") + published_number(value);
    return words;
}

} // namespace speclens
