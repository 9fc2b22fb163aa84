// The published figures with their conditions: which there are, which disagree with others and why, and which
// are wrong in their own source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/published/published.h"
#include "scenes/shared/scene_input.h"

namespace speclens {

// pairs: those that say the same of one method and disagree, a few of them to begin with.
enum class FigureFilter : std::uint8_t { all, pairs, disputed, wrong };
inline constexpr int kFigureFilters = 4;

// By which column the rows stand; source: as the sources print them.
enum class FigureSort : std::uint8_t { source, value, method, claim, conditions };
inline constexpr int kFigureSorts = 5;

// What the user set.
struct NumbersState {
    FigureFilter filter = FigureFilter::all; // in force: the user's own, or what a beat brought along
    std::optional<FigureFilter> own;         // chosen by the user: comes back after such a beat
    std::string method;                      // empty: all
    std::string query;                       // words that a row must have, in any order; empty: all rows
    FigureSort sort = FigureSort::source;
    bool falling = false; // from the largest value, or from Z, on
    std::string selected; // id of a figure; empty: the first one
    int first = 0;        // row at the top of the table
};

struct NumbersModel {
    const Published* figures = nullptr;
    std::vector<const PublishedFigure*> rows; // that pass the filter, first those that the beat is about
    int of_beat = 0;                          // how many the beat is about
    int selected = -1;                        // index of `rows`
    int disputed = 0, wrong = 0;              // of all
    [[nodiscard]] const PublishedFigure* chosen() const { return selected < 0 ? nullptr : rows[static_cast<std::size_t>(selected)]; }
};
[[nodiscard]] NumbersModel numbers_model(const SceneInput& input, const NumbersState& state);
// What follows from the source of a wrong figure in its place; nullptr: nothing that could be worked out.
[[nodiscard]] const PublishedFigure* right_figure(const Published& figures, const PublishedFigure& wrong);
// Its value, as it is drawn; of a list all of them, without the unit: "2.76 3.16 3.29 3.33".
[[nodiscard]] std::string whole_value(const PublishedFigure& figure);
inline constexpr int kCountingBeat = 1, kDisputedBeat = 2, kWrongBeat = 3, kRepeatBeat = 4;
// The telling pairs, one below the other.
[[nodiscard]] std::vector<const PublishedFigure*> telling_pairs(const Published& figures);
// What the beat speaks of where no filter says it: at kCountingBeat figures that count differently, in the
// order in which they are told apart; at kRepeatBeat those that could be repeated.
[[nodiscard]] std::vector<const PublishedFigure*> figures_of_beat(const Published& figures, int beat);
// A beat that was not there before brings its filter and its figures along; afterwards the user may choose
// others.
void follow_numbers_beat(const SceneInput& input, NumbersState& state, int& beat);
void choose_filter(NumbersState& state, FigureFilter filter);
// By this column; once more: the other way round, then as the sources print them.
void choose_sort(NumbersState& state, FigureSort sort);
// Whether a figure has every word of `query` in its value, method, claim, conditions or source; cases are alike.
[[nodiscard]] bool found_by(const Published& figures, const PublishedFigure& figure, const std::string& query);

} // namespace speclens
