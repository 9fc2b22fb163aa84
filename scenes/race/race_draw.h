// Parts of the race picture. Each function draws one region of the stage.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "scenes/race/race_model.h"
#include "scenes/shared/published_round.h"
#include "ui/text_layout.h"

namespace speclens {

struct RaceGrid {
    ui::Rect header, lanes, cards, clock; // cards.h 0: no room for them
    float pad = 12;
    bool roomy = true; // 1600 × 1000 and more
    [[nodiscard]] ui::Rect lane(int i, int count) const;
};
enum class RaceCards : std::uint8_t { shown, none };
[[nodiscard]] RaceGrid race_grid(ui::Rect stage, int lanes, RaceCards cards = RaceCards::shown);

struct RaceDraw {
    const SceneInput& input;
    const RaceModel& model;
    const RaceGrid& grid;
    ui::Ui& ui;
};

void draw_race_header(const RaceDraw& d, std::vector<SceneCommand>& out);
void draw_race_lanes(const RaceDraw& d, std::vector<SceneCommand>& out);
void draw_race_scatter(const RaceDraw& d, ui::Rect card,
                       std::vector<SceneCommand>& out); // a click on a mark chooses
void draw_race_positions(const RaceDraw& d, ui::Rect card);
void draw_race_costs(const RaceDraw& d, ui::Rect card);
void draw_race_clock(const RaceDraw& d, std::vector<SceneCommand>& out);
void draw_race_steps(const RaceDraw& d, std::vector<SceneCommand>& out); // in its place, of a stepped race

// The panel below the lanes: a row for each, with its name at the left and room at the right.
struct RaceRows {
    float x0 = 0, x1 = 0, y0 = 0, pitch = 32, h = 24; // bars from x0 to x1
    int count = 0;
    [[nodiscard]] float y(int i) const { return y0 + pitch * static_cast<float>(i); }
    [[nodiscard]] float axis() const { return y(count > 0 ? count : 1) + 2; }
    [[nodiscard]] float bottom() const { return y(count - 1) + h + 2; }
};
[[nodiscard]] RaceRows race_rows(const RaceDraw& d); // draws the panel's ground
void draw_race_row_name(const RaceDraw& d, const RaceRows& rows, int i);
struct RaceLegend {
    ui::Role role;
    const char *words, *brief;
};
// One row that ends at `right` at the latest: what the hues mean, in brief where it has to be, and without
// the last ones where there is no room for all. Returns where it ends, with the gap behind it.
float draw_race_legend(const RaceDraw& d, ui::Vec2 at, float right, std::span<const RaceLegend> entries);

// Heading of a card: a finding and its conditions, the first of several wordings that fits beside what is
// `taken` at the right. Returns the rectangle that is left for the figure.
[[nodiscard]] ui::Rect race_card(const RaceDraw& d, ui::Rect card, const std::string& heading,
                                 std::initializer_list<std::string> conditions, float taken = 0);

// ---- words ----
[[nodiscard]] const Header*
race_header(const RaceModel& model); // of some lane: machine, date; null: no lane has begun
[[nodiscard]] std::string race_title(const RaceModel& model);
[[nodiscard]] std::string race_title_short(const RaceModel& model); // "DFlash finishes first"; empty: none
[[nodiscard]] std::string race_subtitle(const SceneInput& input, const RaceModel& model);
[[nodiscard]] std::string race_about(const RaceLaneModel& lane);       // "7 guesses, one pass + GRU head"
[[nodiscard]] std::string race_about_short(const RaceLaneModel& lane); // "7 in one + GRU", for narrow lanes
[[nodiscard]] std::string scatter_title(const RaceModel& model);
[[nodiscard]] std::string positions_title(const RaceModel& model);
// A lane whose first guess is its hardest, and stays more or less often by what is before it: the chosen one if it is
// such a lane; null where no lane is, or too few rounds tell.
[[nodiscard]] const RaceLaneModel* first_guess_lane(const RaceModel& model);
// "guess 1 after: prompt .90, full round .94, refusal .73", without what never was; empty where nothing was judged.
[[nodiscard]] std::string first_guess_words(const RaceLaneModel& lane);
[[nodiscard]] std::string costs_title(const RaceModel& model);
// "5.59 × 0.32 ÷ 0.92 ms = 1.95×, measured 1.95×"; empty without averages or a plain lane.
[[nodiscard]] std::string formula_words(const RaceModel& model, const RaceLaneModel& lane);
[[nodiscard]] std::string averages_words(const RaceModel& model); // "over 40 prompts"
// Why a card of averages is empty.
[[nodiscard]] std::string no_averages_words(const RaceModel& model);
// "2 prompts skipped: longer than the context of bundle S"; empty: none was
[[nodiscard]] std::string skipped_words(const RaceModel& model);
[[nodiscard]] std::string race_description(const SceneInput& input, const RaceModel& model);
// "texts identical", and why not where they are not.
[[nodiscard]] std::string race_texts(const RaceModel& model);

} // namespace speclens
