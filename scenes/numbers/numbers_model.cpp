#include "scenes/numbers/numbers_model.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "engine/published/published_words.h"
#include "ui/stories/story_book.h"

namespace speclens {
namespace {

// The target's own token counted or not; a block of 16 that holds 15 drafts; an own token taken for a draft.
// clang-format off
constexpr const char* kCounting[] = {"vllm-48915-accepted",       "block-example-token",
                                     "domino-fig1-eagle3-tokens", "domino-fig1-dflash-tokens",
                                     "domino-fig1-domino-tokens", "dflash-block",
                                     "dflash-verified-stated",    "course-wasted",
                                     "course-wasted-derived"};
// clang-format on

// Pairs that say the same and are not: an average that is one benchmark's cell, and the number of another run.
constexpr const char* kMostInstructive[] = {"domino-chart-eagle3-16",
                                            "domino-table-eagle3-16-average-speedup",
                                            "domino-chart-eagle3-60",
                                            "dflash-table-eagle3-60-mean-speedup",
                                            "domino-table-eagle3-16-gsm8k-speedup",
                                            "dflash-table-eagle3-16-gsm8k-speedup"};

int conditions_of(const PublishedFigure& figure) {
    return figure.model.has_value() + figure.dataset.has_value() + figure.hardware.has_value() + figure.engine.has_value() +
           figure.batch.has_value() + figure.budget.has_value() + figure.temperature.has_value();
}

// What this program measures itself, with all conditions but one at least.
bool can_be_repeated(const PublishedFigure& figure) {
    return figure.standing == Standing::as_published && (figure.quantity == "tokens_per_round" || figure.quantity == "speedup") &&
           conditions_of(figure) >= 6;
}

std::string folded(std::string text) {
    std::erase(text, '-'); // "EAGLE-3" is written eagle3, too
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// What a column is sorted by: numbers by their size, words by the alphabet.
std::string sort_words(const PublishedFigure& figure, FigureSort sort) {
    return folded(sort == FigureSort::method  ? figure.method + " " + figure.variant
                  : sort == FigureSort::claim ? message(claim_said(figure)).words()
                                              : published_conditions(figure));
}

void sort_rows(std::vector<const PublishedFigure*>& rows, const NumbersState& state) {
    if (state.sort == FigureSort::source) return;
    std::vector<std::pair<std::pair<double, std::string>, const PublishedFigure*>> keyed; // a number, else words
    for (const PublishedFigure* figure : rows)
        if (state.sort == FigureSort::value)
            keyed.push_back({{figure->values.empty() ? 0.0 : figure->values.front(), ""}, figure});
        else
            keyed.push_back({{0, sort_words(*figure, state.sort)}, figure});
    std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) { return state.falling ? b.first < a.first : a.first < b.first; });
    std::ranges::transform(keyed, rows.begin(), [](const auto& one) { return one.second; });
}

} // namespace

bool found_by(const Published& figures, const PublishedFigure& figure, const std::string& query) {
    const std::string all = folded(published_value(figure) + " " + figure.method + " " + figure.variant + " " + figure.claim + " " +
                                   message(claim_said(figure)).words() + " " + published_conditions(figure) + " " +
                                   published_citation(figure, figures.source_of(figure)));
    std::istringstream words(folded(query));
    for (std::string word; words >> word;)
        if (all.find(word) == std::string::npos) return false;
    return true;
}

void choose_sort(NumbersState& state, FigureSort sort) {
    const bool once_more = state.sort == sort;
    if (once_more && state.falling) sort = FigureSort::source;
    state.falling = once_more && sort != FigureSort::source;
    state.sort = sort;
}

std::vector<const PublishedFigure*> telling_pairs(const Published& figures) {
    std::vector<const PublishedFigure*> pairs;
    for (const char* id : kMostInstructive)
        if (const PublishedFigure* figure = figures.find(id)) pairs.push_back(figure);
    return pairs;
}

std::vector<const PublishedFigure*> figures_of_beat(const Published& figures, int beat) {
    std::vector<const PublishedFigure*> shown;
    if (beat == kCountingBeat)
        for (const char* id : kCounting)
            if (const PublishedFigure* figure = figures.find(id)) shown.push_back(figure);
    if (beat == kRepeatBeat)
        for (const PublishedFigure& figure : figures.figures())
            if (can_be_repeated(figure)) shown.push_back(&figure);
    return shown;
}

void follow_numbers_beat(const SceneInput& input, NumbersState& state, int& beat) {
    if (input.beat == beat) return;
    beat = input.beat;
    state.filter = beat == kDisputedBeat ? FigureFilter::disputed
                   : beat == kWrongBeat  ? FigureFilter::wrong
                                         : state.own.value_or(beat == 0 ? FigureFilter::pairs : FigureFilter::all);
    state.query.clear(); // it would hide what the beat is about
    if (!input.figures) return;
    // The first of them that the filters let through; without one, the figure that the user chose stays.
    const NumbersModel model = numbers_model(input, state);
    if (model.of_beat > 0) state.selected = model.rows.front()->id;
}

void choose_filter(NumbersState& state, FigureFilter filter) {
    state.filter = filter;
    state.own = filter;
}

NumbersModel numbers_model(const SceneInput& input, const NumbersState& state) {
    NumbersModel m;
    m.figures = input.figures;
    if (!m.figures) return m;
    const std::vector<const PublishedFigure*> pairs = telling_pairs(*m.figures);
    for (const PublishedFigure& figure : m.figures->figures()) {
        const bool wrong = figure.standing == Standing::wrong, disputed = !figure.conflicts.empty();
        m.wrong += wrong;
        m.disputed += disputed;
        if (!state.method.empty() && figure.method != state.method) continue;
        if (state.filter == FigureFilter::wrong && !wrong) continue;
        if (state.filter == FigureFilter::disputed && !disputed) continue;
        if (state.filter == FigureFilter::pairs && std::ranges::find(pairs, &figure) == pairs.end()) continue;
        if (!state.query.empty() && !found_by(*m.figures, figure, state.query)) continue;
        m.rows.push_back(&figure);
    }
    sort_rows(m.rows, state);
    for (const PublishedFigure* figure : figures_of_beat(*m.figures, input.beat)) {
        const auto from = m.rows.begin() + m.of_beat, at = std::find(from, m.rows.end(), figure);
        if (at == m.rows.end()) continue;
        std::rotate(from, at, at + 1);
        ++m.of_beat;
    }
    if (state.filter == FigureFilter::pairs && state.sort == FigureSort::source) // one of a pair below the other
        std::ranges::stable_sort(m.rows, {},
                                 [&](const PublishedFigure* figure) { return std::ranges::find(pairs, figure) - pairs.begin(); });
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
    std::string words;
    for (const Said& value : values_said(figure)) words += (words.empty() ? "" : " ") + message(value).words();
    return words;
}

} // namespace speclens
