// What others measured with many requests at a time, as speed-ups over plain decoding on the same machine: curves where somebody went from
// few requests to many, and single figures. Hollow and dashed, with their sources.
#pragma once

#include <utility>
#include <vector>

#include "engine/published/published.h"
#include "scenes/failures/failures_model.h"

namespace speclens {

struct PublishedLoad {
    struct Curve {
        Message name;                            // "DSpark, K = 7"
        const PublishedFigure* figure = nullptr; // its tokens a second; the speed-up is over those of plain decoding in the same table
        std::vector<std::pair<double, double>> points; // requests at a time, speed-up
    };
    std::vector<Curve> curves;
    std::vector<const PublishedFigure*> figures; // speed-ups with more than one request at a time
    [[nodiscard]] bool empty() const { return curves.empty() && figures.empty(); }
};
[[nodiscard]] PublishedLoad published_load(const Published* figures); // null: they are not at hand

void draw_published_load(const FailuresDraw& d, const PublishedLoad& load, ui::Rect area);
void tell_published_load(const FailuresDraw& d, const PublishedLoad& load, ui::Rect area);   // where it has no room
[[nodiscard]] Message method_words(const PublishedFigure& figure);                           // "EAGLE-3, 64 requests"
[[nodiscard]] Message figure_words(const Published& figures, const PublishedFigure& figure); // with its value, claim, conditions and source

} // namespace speclens
