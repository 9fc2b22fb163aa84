// What was measured of chains and trees on this prompt: a table, bars for a room, and the panel beside the
// picture.
#include <algorithm>

#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

namespace {

// What stands behind the table, and what its numbers cannot tell.
std::string table_words(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    const bool close = measured_trees(input)->complete() && trees_leaders(rows).most.size() > 1;
    return "each row: " + trees_sample_words(input) + "; ± 95 %" + few_words(rows) +
           (close ? ". Which gives the most is too close to call." : "");
}

std::string speedup_words(const TreesRow& row) {
    return row.speedup > 0 ? ui::speed_up(row.speedup) : row.few ? "few" : "–";
}

} // namespace

bool table_on_stage(const TreesDraw& d) {
    return d.input.details.w <= 0 && d.input.beat >= kTreesCostBeat && !trees_rows(d.input).empty();
}

float draw_trees_table(const TreesDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 14}, trees_study_title(d.input, d.model), Font::text_bold, 15,
                    theme.ink, r.w);
    const bool timed = !without_times(d.input);
    const float end = timed ? r.right() - 80 : r.right();
    const float columns[] = {end - 96, end, r.right()};
    const char* heads[] = {"rows", "tok/round", "speed-up"};
    float y = r.y + 38;
    for (int c = 0; c < (timed ? 3 : 2); ++c)
        canvas.text({columns[c], y}, heads[c], Font::text, 14, theme.muted, Align::right);
    for (const TreesRow& row : trees_rows(d.input)) {
        y += 25;
        if (y > r.bottom()) break;
        ui::fitted_text(canvas, {r.x, y}, row.name, Font::text, 14, theme.ink, r.w - 216);
        canvas.text({columns[0], y}, std::to_string(row.rows), Font::mono, 14, theme.ink, Align::right);
        canvas.text({columns[1], y}, with_chance(row.rounds), Font::mono, 14, theme.ink, Align::right);
        if (timed) canvas.text({columns[2], y}, speedup_words(row), Font::mono, 14, theme.ink, Align::right);
    }
    return y;
}

void draw_trees_bars(const TreesDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<TreesRow> rows = trees_rows(d.input);
    ui::fitted_text(canvas, {r.x, r.y + 14}, trees_study_title(d.input, d.model), Font::text_bold, 15,
                    theme.ink, r.w);
    const float left = r.x + 110, right = r.right() - 196, tokens = r.right() - 84;
    const float pitch =
        std::min(48.0F, (r.h - 60) / static_cast<float>(std::max<std::size_t>(1, rows.size())));
    float x = left;
    for (const auto& [role, word] :
         {std::pair{Role::draft, "draft"}, std::pair{Role::target, "verify, ms a round"}}) {
        canvas.fill({x, r.y + 33, 12, 12}, theme.role(role), 2);
        canvas.text({x + 18, r.y + 44}, word, Font::text, 14, theme.muted);
        x += 18 + canvas.text_width(word, Font::text, 14) + 16;
    }
    canvas.text({tokens, r.y + 44}, "tok/round", Font::text, 14, theme.muted, Align::right);
    canvas.text({r.right(), r.y + 44}, "speed-up", Font::text, 14, theme.muted, Align::right);
    double longest = 1e-9;
    for (const TreesRow& row : rows) longest = std::max(longest, row.draft_ms + row.verify_ms);
    const auto length = [&](double ms) { return (right - 54 - left) * static_cast<float>(ms / longest); };
    float y = r.y + 58;
    for (const TreesRow& row : rows) {
        const float base = y + pitch / 2 + 5, h = std::min(24.0F, pitch - 8), top = y + (pitch - h) / 2;
        canvas.text({r.x, base}, row.name, Font::text, 15, theme.ink);
        const float draft = length(row.draft_ms), verify = length(row.verify_ms);
        canvas.fill({left, top, draft, h}, theme.role(Role::draft), 2);
        canvas.fill({left + draft + 1, top, verify, h}, theme.role(Role::target), 2);
        canvas.text({left + draft + verify + 8, base}, ui::number(row.draft_ms + row.verify_ms, 2),
                    Font::mono, 14, theme.muted);
        canvas.text({tokens, base}, with_chance(row.rounds), Font::mono, 15, theme.ink, Align::right);
        canvas.text({r.right(), base}, speedup_words(row), Font::mono, 15, theme.ink, Align::right);
        y += pitch;
    }
}

void draw_trees_details(const TreesDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const TreesModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    float y = r.y + 56;
    if (trees_rows(d.input).empty()) {
        ui::fitted_text(canvas, {x, r.y + 32}, trees_study_title(d.input, m), Font::text_bold, 15, theme.ink,
                        w);
        y = ui::paragraph(canvas, {x, y}, w,
                          "Measure to compare a chain under both rules with trees of several sizes.",
                          {.size = 14, .color = theme.muted, .max_lines = 3});
    } else {
        y = draw_trees_table(d, {x, r.y + 18, w, r.h - 78});
        y = ui::paragraph(canvas, {x, y + 24}, w, table_words(d.input),
                          {.size = 14, .color = theme.muted, .max_lines = 3}) -
            20; // the last line's own baseline
    }
    if (m.blocks > 0 && y + 66 < r.bottom())
        ui::paragraph(canvas, {x, y + 34}, w,
                      "Means over " + counted(m.blocks, "block") +
                          " of this run: " + ui::number(m.token_mean, 2) +
                          " drafts expected token by token, " + ui::number(m.block_mean, 2) + " as blocks.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
}

} // namespace speclens
