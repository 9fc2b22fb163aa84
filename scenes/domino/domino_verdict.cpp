// The lower bands of the Domino picture: drafts and their way back into the GRU, both verdicts, and the
// clock.
#include <algorithm>
#include <array>

#include "scenes/domino/domino_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;
using State = DominoVerdict::State;

std::string verdict_tip(const DominoDraw& d, const DominoVerdict& v) {
    switch (v.state) {
    case State::accepted:
        return "the target keeps it";
    case State::rejected:
        return "the target refuses it" +
               (v.replacement ? " and puts " + quoted(*d.input.trace, *v.replacement) + " here"
                              : std::string());
    case State::discarded:
        return "not judged: a guess before it was refused";
    case State::unknown:
        return "stands after another prefix: only a replay can tell";
    case State::none:
        break;
    }
    return "not judged yet";
}

void verdict_row(const DominoDraw& d, float y, const std::string& name, DominoVerdict DominoColumn::*row,
                 int kept, bool known) {
    ui::Canvas& canvas = d.ui.canvas;
    const DominoGrid& g = d.grid;
    ui::fitted_text(canvas, {g.gutter, y + 19}, name, Font::text_bold, 15, d.ui.theme.ink, 72);
    if (known)
        canvas.text({g.left - 14, y + 19}, std::to_string(kept) + " kept", Font::text, 14, d.ui.theme.muted,
                    Align::right);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoVerdict& v = d.column(i).*row;
        const Rect box{g.x(i), y, g.width, 28};
        if (v.state == State::none || v.token < 0) {
            ui::slot(canvas, d.ui.theme, box, "");
        } else if (v.state == State::unknown) {
            ui::slot(canvas, d.ui.theme, box, "needs a replay");
        } else {
            const Role role = v.state == State::accepted   ? Role::accepted
                              : v.state == State::rejected ? Role::rejected
                                                           : Role::discarded;
            ui::chip(canvas, d.ui.theme, box, label_of(*d.input.trace, v.token), {.role = role});
        }
        ui::tooltip(d.ui, box, verdict_tip(d, v));
    }
}

} // namespace

void draw_domino_drafts(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float h = g.tall ? 34 : 32;
    domino_row_name(d, g.draft + h / 2 + 5, "Draft", "", 80);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const Rect box{g.x(i), g.draft, g.width, h};
        std::string label = label_of(*d.input.trace, c.draft->token);
        if (c.forced) label = ui::fit_token(canvas, label, ui::chip_text_size(h), g.width - 100);
        ui::chip(canvas, theme, box, label, {.role = Role::draft, .selected = i == d.model.selected});
        if (c.forced)
            canvas.text({box.right() - 8, ui::baseline(box.y, box.h, 14)}, "forced", Font::text, 14,
                        theme.muted, Align::right);
        // the draft goes on into the next state
        if (i + 1 >= g.first + g.count || !d.model.head_on || !g.head_shown) continue;
        const float x = box.right() + 24, to = g.state + 21;
        const ui::Stroke stroke{theme.role(Role::draft), 1.5F, 4, 3};
        canvas.line({box.right() + 3, box.center().y}, {x, box.center().y}, stroke);
        canvas.line({x, box.center().y}, {x, to + 6}, stroke);
        canvas.fill_convex(std::array{Vec2{x - 4, to + 7}, Vec2{x, to}, Vec2{x + 4, to + 7}},
                           theme.role(Role::draft));
    }
    // the anchor is what the first state reads
    if (d.model.head_on && g.first == 0 && d.model.anchor >= 0 && g.tall) {
        const float x = g.x(0) - 24;
        const std::string label = ui::fit_token(canvas, label_of(*d.input.trace, d.model.anchor), 14, 44);
        ui::token_text(canvas, {x, g.state + 44}, label, 14, theme.ink, Align::center);
        canvas.line({x, g.state + 30}, {x, g.state + 27}, {theme.muted, 1.5F});
        canvas.fill_convex(
            std::array{Vec2{x - 4, g.state + 27}, Vec2{x, g.state + 20}, Vec2{x + 4, g.state + 27}},
            theme.muted);
    }
}

void draw_domino_verdicts(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    const bool on = d.model.head_on, other = d.model.other == DominoModel::Other::whole;
    if (!g.both)
        return verdict_row(d, g.on, "Verified", &DominoColumn::on, d.model.kept_on,
                           d.model.cycle->complete());
    d.ui.canvas.line({g.gutter, g.off - 8.5F}, {g.limit, g.off - 8.5F}, d.ui.theme.hairline());
    verdict_row(d, g.off, "Head off", on ? &DominoColumn::off : &DominoColumn::on,
                on ? d.model.kept_off : d.model.kept_on, on ? other : d.model.cycle->complete());
    verdict_row(d, g.on, "Head on", on ? &DominoColumn::on : &DominoColumn::off,
                on ? d.model.kept_on : d.model.kept_off, on ? d.model.cycle->complete() : other);
}

void draw_domino_clock(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float h = g.tall ? 24 : 20;
    if (g.clock + h > g.bottom - 4) return;
    const double all = d.model.backbone_ms + d.model.head_ms + d.model.verify_ms;
    domino_row_name(d, g.clock + h / 2 + 5, "Clock", "", 80);
    if (all <= 0) {
        canvas.text({g.left, g.clock + h / 2 + 5}, "this run recorded no times", Font::text, 14, theme.muted);
        return;
    }
    std::string words = ui::milliseconds(all) + " ms";
    if (d.model.produced_on > 0) words = counted(d.model.produced_on, "token") + " in " + words;
    const float room = canvas.text_width(words, Font::mono, 14) + 16;
    const ui::Scale scale{0, all, g.left, g.right() - room};
    const std::array<ui::Segment, 3> parts = {
        ui::Segment{0, d.model.backbone_ms, Role::draft, "backbone", ui::number(d.model.backbone_ms, 2)},
        ui::Segment{d.model.backbone_ms, d.model.head_ms, Role::draft, "head", ui::number(d.model.head_ms, 2),
                    0.55F},
        ui::Segment{d.model.backbone_ms + d.model.head_ms, d.model.verify_ms, Role::target, "verify",
                    ui::number(d.model.verify_ms, 2)}};
    const int under =
        ui::gantt_lane(canvas, theme, scale, g.clock, h, std::span(parts).first(3), 1, d.ui.input.mouse);
    if (under >= 0)
        ui::tooltip(d.ui, {g.left, g.clock, g.right() - g.left - room, h},
                    parts[static_cast<std::size_t>(under)].label + " " +
                        parts[static_cast<std::size_t>(under)].value + " ms");
    canvas.text({g.right(), g.clock + h / 2 + 5}, words, Font::mono, 14, theme.ink, Align::right);
    if (g.clock + h + 22 > g.bottom) return;
    const std::string share = d.model.head_ms > 0
                                  ? "the head takes " + ui::number(d.model.head_ms, 2) + " ms, " +
                                        ui::percent(d.model.head_ms / all) +
                                        " of the round; backbone, head and verify as measured in this round"
                                  : "no head in this round; times as measured in it";
    ui::fitted_text(canvas, {g.left, g.clock + h + 17}, share, Font::text, 14, theme.muted, g.limit - g.left);
}

} // namespace speclens
