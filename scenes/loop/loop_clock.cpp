// The clock card of the loop.
#include <algorithm>
#include <string>
#include <vector>

#include "scenes/loop/loop_bands.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/plain_time.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// Passes of the drafter, what its head or its search took on top, the check. Siblings of a tree come from one pass.
std::vector<ui::Segment> speculative_lane(const LoopModel& model) {
    std::vector<ui::Segment> lane;
    double at = 0, head = 0;
    for (std::size_t i = 0; i < model.columns.size() && model.columns[i].draft; ++i) {
        const LoopColumn& draft = model.columns[i];
        head += draft.head_ms;
        if (draft.ms <= 0) continue;
        ui::Segment s{.start = at, .length = draft.ms, .role = Role::draft, .strength = 0.92F, .mono = true};
        s.label = "d" + std::to_string(model.tree ? lane.size() + 1 : i + 1);
        at += draft.ms;
        lane.push_back(s);
    }
    if (head > 0) lane.push_back({.start = at, .length = head, .role = Role::draft, .label = head_words(model), .strength = 0.55F});
    at += head;
    if (const Verified* v = model.round->verify) {
        if (const double empty = model.round->empty_draft_ms; empty > 0) {
            lane.push_back({.start = at, .length = empty, .role = Role::draft, .label = loop_says("words.no_guess"_t)});
            at += empty;
        }
        lane.push_back({.start = at,
                        .length = model.round->verify_ms,
                        .role = Role::target,
                        .label = shared_says("words.verify_rows"_t, "rows"_v = v->rows),
                        .value = model.ms(model.round->verify_ms)});
    }
    return lane;
}

} // namespace

void draw_loop_clock(const LoopDraw& d, Rect stage) {
    const LoopModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x0 = d.grid.left, gutter = d.grid.gutter, top = stage.y + 492;
    const float limit = stage.right() - 64; // the unit stands behind the last label
    const bool full = stage.h >= 648;
    const bool alone = m.plain(); // plain decoding beside itself would compare nothing
    const float lane = full ? 32 : 22, first = full ? 40 : 28, pitch = full ? 44 : 28, axis = (full ? 128.0F : 86.0F) - (alone ? pitch : 0);
    canvas.line({gutter, top + 0.5F}, {stage.right() - 24, top + 0.5F}, theme.hairline());
    const float title = top + (full ? 26.0F : 20.0F);
    const Message heading = loop_says("clock.title"_t, "tokens"_v = m.plain() ? 0 : m.produced);
    canvas.text({gutter, title}, heading, Font::text_bold, 15, theme.ink);
    const Rect upper{x0, top + first, limit - x0, lane}, lower{x0, top + first + pitch, limit - x0, lane};
    const Message plain_lane = loop_says("clock.plain"_t);
    canvas.text({gutter, upper.center().y + 5}, alone ? plain_lane : loop_says("clock.speculative"_t), Font::text, 14, theme.muted);
    if (!alone) canvas.text({gutter, lower.center().y + 5}, plain_lane, Font::text, 14, theme.muted);
    if (!m.timed()) {
        ui::slot(canvas, theme, upper,
                 m.table() ? no_plain_words(d.input)
                 : m.round ? loop_says("clock.untimed"_t)
                           : loop_says("clock.to_come"_t));
        if (!alone) ui::slot(canvas, theme, lower, m.table() ? Message() : loop_says("clock.as_many"_t));
        return;
    }
    const double spec = m.spec_ms(), plain = m.plain_total();
    const double shown = alone ? std::max(spec, 1e-6) : std::max({spec, plain, m.plain_ms, 1e-6});
    const ui::Ticks marks = ui::ticks(0, shown * 1.04, 6, true);
    const double hi = std::max(shown * 1.04, marks.values.empty() ? shown : marks.values.back());
    const ui::Scale x{.lo = 0, .hi = hi, .a = x0, .b = limit};
    ui::axis_x(canvas, theme, x, top + axis, marks,
               {.unit = "ms", .grid_to = top + first - (full ? 12.0F : 2.0F), .grid = true, .base_line = true});

    const bool settled = m.settled && m.timed() && m.drafted > 0 && m.plain_ms > 0;
    const Message saving = settled && !m.doubt.empty() ? loop_says("saving.in_doubt"_t) : saving_words(m);
    const float words = canvas.text_width(saving, Font::text_bold, 15);
    std::vector<ui::Segment> phases = speculative_lane(m);
    if (!phases.empty() && m.phase == Phase::draft && m.drafted > 0)
        phases.back().length *= static_cast<double>(d.grown(d.moved(m.columns[static_cast<std::size_t>(m.drafted - 1)].draft)));
    if (!phases.empty() && m.phase == Phase::verify) phases.back().length *= static_cast<double>(d.grown(d.moved(m.round->verify)));
    ui::gantt_lane(canvas, theme, x, upper.y, upper.h, phases, 2, d.ui.input.mouse);
    if (m.settled && m.other_ms > 0) {
        // Verdicts, commit and bookkeeping: no role of their own, so a neutral block.
        const float from = x(m.round->draft_ms + m.round->verify_ms);
        const Rect rest{from, upper.y, std::max(1.0F, x(spec) - from), upper.h};
        canvas.fill(rest, theme.muted.alpha(0.45F), 2);
        const Message name = loop_says("clock.rest"_t);
        ui::tooltip(d.ui, rest, loop_says("clock.rest_took"_t, "ms"_v = m.other_ms));
        const float key = gutter + canvas.text_width(heading, Font::text_bold, 15) + 24;
        if (key + 44 + canvas.text_width(name, Font::text, 14) < stage.right() - 24 - words) {
            canvas.fill({key, title - 11, 12, 12}, theme.muted.alpha(0.45F), 2);
            canvas.text({key + 20, title}, name, Font::text, 14, theme.muted);
        }
    }
    if (alone) return;

    if (m.plain_ms <= 0) {
        ui::slot(canvas, theme, lower, no_plain_words(d.input));
        return;
    }
    std::vector<ui::Segment> tokens;
    for (int i = 0; i < m.produced; ++i) {
        tokens.push_back({.start = m.plain_ms * i,
                          .length = m.plain_ms,
                          .role = Role::target,
                          .label = loop_says("clock.token"_t, "n"_v = i + 1),
                          .value = m.ms(m.plain_ms)});
    }
    if (tokens.empty()) ui::slot(canvas, theme, lower, loop_says("clock.plain_to_come"_t, "ms"_v = m.ms(m.plain_ms)));
    ui::gantt_lane(canvas, theme, x, lower.y, lower.h, tokens, 2, d.ui.input.mouse);

    if (saving.empty()) return;
    const bool one = m.produced < 2; // nothing is compared, so nothing is bracketed
    const float a = x(std::min(spec, plain)), b = x(std::max(spec, plain));
    const float y = (spec <= plain ? upper : lower).center().y;
    const bool inside = b - a > words + 40;
    if (!one && (inside || b + 12 + words < stage.right() - 24)) {
        if (inside || b - a > 6) ui::bracket(canvas, theme, a, b, y);
        const float left = inside ? (a + b - words) / 2 : b + 12, around = inside ? 10 : 4;
        canvas.fill({left - around, y - 12, words + 2 * around, 24}, theme.bg);
        canvas.text({left, y + 5}, saving, Font::text_bold, 15, theme.ink);
    } else {
        canvas.text({stage.right() - 24, title}, saving, Font::text_bold, 15, theme.ink, ui::Align::right);
    }
}

} // namespace speclens
