// The picture of Domino in bands: the block, the backbone with the target's taps, base distributions, the head with its states,
// final distributions, drafts and their way back into the GRU, both verdicts and the clock; beside it the details and controls.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/domino/domino_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/panel.h"
#include "ui/chance.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

using State = DominoVerdict::State;

void down(const DominoDraw& d, float x, float from, float to) { ui::arrow(d.ui.canvas, {x, from}, {x, to}, {d.ui.theme.muted, 1.5F}, 6); }

// Row names at the left.
void domino_row_name(const DominoDraw& d, float y, const Message& name, const Message& detail = {}, float room = 80) {
    ui::fitted_text(d.ui.canvas, {d.grid.gutter, y}, name, Font::text_bold, 15, d.ui.theme.ink, room);
    if (!detail.empty()) ui::fitted_text(d.ui.canvas, {d.grid.gutter, y + 18}, detail, Font::text, 14, d.ui.theme.muted, room);
}

// What stands at every column: the position tells of it.
void printed(const DominoDraw& d, Vec2 at, const Message& words, ui::Color color, Align align = Align::left, Font font = Font::text) {
    d.ui.canvas.print(at, words.words(), font, 14, color, align);
}

void draw_backbone_taps(const DominoDraw& d, float y, float h) {
    const Rect box{d.grid.gutter, y, 84, h};
    if (d.model.taps.empty()) return domino_row_name(d, y + h / 2 + 5, domino_says("bands.backbone"_t));
    draw_taps(d.ui, box, d.model);
    ui::arrow(d.ui.canvas, {box.right() + 4, box.center().y}, {d.grid.left - 3, box.center().y}, {d.ui.theme.role(Role::target), 1.5F}, 6);
}

// One strip of a column's lens: signed values against the largest of that name in this round, gates from 0
// to 1.
void domino_strip(const DominoDraw& d, int column, const char* name, const Message& what, Rect rect,
                  ui::HeatKind kind = ui::HeatKind::signed_values) {
    const Internals* internals = d.column(column).internals();
    if (const Internals::Strip* found = internals ? internals->strip(name) : nullptr)
        draw_strip(d.ui, rect, found, kind == ui::HeatKind::gate ? 1 : strip_scale(d.model, {name}), what, kind);
}

// Raised column, position labels, clicks.
void draw_domino_columns(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect band{g.x(i) - 12, g.labels - 18, g.width + 24, g.on + 36 - (g.labels - 18)};
        const bool selected = guess_band(d.ui, d.model, i, band, d.out);
        d.ui.canvas.tell(position_words(d.input, d.model, d.before, i), band);
        const DominoColumn& c = d.column(i);
        printed(d, {g.x(i), g.labels}, domino_says("position.name"_t, "position"_v = i + 1), selected ? d.ui.theme.ink : d.ui.theme.muted,
                Align::left, selected ? Font::text_bold : Font::text);
        if (g.opening) continue;
        printed(d, {g.x(i) + g.width, g.labels},
                !c.corrected ? domino_says("position.base_only"_t)
                : c.changed  ? domino_says("position.changed"_t)
                             : domino_says("position.corrected"_t),
                c.changed ? d.ui.theme.ink : d.ui.theme.muted, Align::right);
    }
    const int total = d.model.guesses();
    for (int i = 0; i < total; ++i) // those that have no column, too
        if (!g.visible(i)) d.ui.canvas.tell(position_words(d.input, d.model, d.before, i), d.input.stage);
    if (g.count < total)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.labels},
                        shared_says("guess.columns"_t, "first"_v = g.first + 1, "last"_v = g.first + g.count, "of"_v = total), Font::mono,
                        14, d.ui.theme.muted, 100);
}

// Block, backbone with taps, features, LM head.
void draw_domino_block(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    if (g.spare && !g.opening) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float chip = g.tall ? 28 : 26, bar = g.tall ? 30 : 26;
    domino_row_name(d, g.block + 19, domino_says("bands.block"_t), {}, 100);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), g.block, g.width, chip};
        if (i == 0 && d.model.anchor >= 0) {
            ui::chip(canvas, theme, box, label_of(*d.input.trace, d.model.anchor), {.neutral = true});
            printed(d, {box.right() - 10, ui::baseline(box.y, box.h, 14)}, domino_says("bands.anchor"_t), theme.muted, Align::right);
        } else {
            ui::mask_chip(canvas, theme, box, domino_says("bands.mask"_t).words());
        }
        if (g.tall) down(d, g.middle(i), box.bottom() + 1, g.backbone - 2);
    }
    // One pass over the whole block; both directions.
    const Rect backbone{g.x(g.first), g.backbone, g.right() - g.x(g.first), bar};
    draw_backbone_taps(d, g.backbone - 2, bar + 4);
    part_box(d.ui, backbone, Role::draft);
    const float base = ui::baseline(backbone.y, backbone.h, 15);
    const Message name = domino_says("bands.backbone"_t);
    canvas.text({backbone.x + 12, base}, name, Font::text_bold, 15, theme.ink);
    const std::string ms = d.model.backbone_ms > 0 ? ui::milliseconds(d.model.backbone_ms) + " ms" : "";
    canvas.print({backbone.right() - 12, base}, ms, Font::mono, 14, theme.ink, Align::right);
    const float words = backbone.x + 12 + canvas.text_width(name, Font::text_bold, 15) + 10,
                room = backbone.right() - 24 - canvas.printed_width(ms, Font::mono, 14) - words;
    const Message once = domino_says("bands.once"_t);
    one_of(d.ui, {words, base}, room,
           g.tall ? std::vector{domino_says("bands.sees:text"_t), domino_says("bands.sees:block"_t), once}
                  : std::vector{domino_says("bands.read"_t), once},
           theme.muted);
    if (!g.tall) return;
    if (!d.model.taps.empty())
        ui::fitted_text(canvas, {g.gutter, g.features + 12}, domino_says("bands.taps"_t, "taps"_v = d.model.taps.size()), Font::text, 14,
                        theme.muted, 100);
    canvas.print({g.left - 12, g.features + 12}, "H", Font::text_bold, 15, theme.ink, Align::right);
    for (int i = g.first; i < g.first + g.count; ++i) {
        domino_strip(d, i, "row", domino_says("lens.row"_t, "position"_v = i + 1), {g.x(i), g.features, g.width, 14});
        if (!d.column(i).internals()) ui::slot(canvas, theme, {g.x(i), g.features, g.width, 14}, "");
    }
    const Rect head{backbone.x, g.head, backbone.w, 24};
    part_box(d.ui, head, Role::target);
    ui::icon(canvas, ui::Icon::square, {head.x + 18, head.center().y}, 10, theme.role(Role::target));
    const Message lm_head = domino_says("bands.lm_head"_t);
    canvas.text({head.x + 30, head.y + 17}, lm_head, Font::text_bold, 15, theme.ink);
    ui::fitted_text(canvas, {head.x + 40 + canvas.text_width(lm_head, Font::text_bold, 15), head.y + 17},
                    domino_says("bands.frozen"_t, "rows"_v = d.model.guesses(), "ids"_v = d.model.header->vocab), Font::text, 14,
                    theme.muted, head.w - 130);
}

constexpr float kValueRoom = 40; // of a probability or a correction, in mono

// One distribution: rows of token, bar and probability, in the final distribution behind what the head added.
void distribution_rows(const DominoDraw& d, int i, float y, bool final) {
    const DominoColumn& c = d.column(i);
    const TopEntries& distribution = final ? c.final : c.base;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = d.grid.x(i), w = d.grid.width;
    const int best = distribution.entries.empty() ? -1 : distribution.entries.front().id;
    plot_shares(d.input, d.ui, {d.grid.left, y + 14, d.grid.right() - d.grid.left, 23 * static_cast<float>(d.grid.rows)},
                domino_says("position.name"_t, "position"_v = i + 1), distribution);
    if (distribution.empty()) {
        if (i > d.grid.first) return canvas.print({x, y + 13}, "–", Font::text, 14, theme.muted);
        return canvas.text({x, y + 13}, domino_says("position.no_rows"_t), Font::text, 14, theme.muted);
    }
    for (const int id : domino_tokens(c, d.grid.rows)) {
        const std::optional<double> p = known_share(distribution, id), delta = final ? correction_of(c, id) : std::nullopt;
        const ui::Color ink = id == best ? theme.ink : theme.muted;
        const bool refused = !final && c.changed && id == best && c.check && c.check->accepted && d.model.greedy;
        const std::string added = delta ? ui::signed_number(*delta, 1) : "";
        const float taken = 6 + kValueRoom + (refused ? 24.0F : canvas.printed_width(added, Font::mono, 14));
        const std::string label = ui::fit_token(canvas, label_of(*d.input.trace, id), 15, w - taken);
        ui::token_text(canvas, {x, y + 13}, label, 15, ink);
        canvas.print({x + w - kValueRoom, y + 13}, added, Font::mono, 14, theme.muted, Align::right);
        if (refused) ui::icon(canvas, ui::Icon::cross, {x + w - 50, y + 8}, 11, theme.role(Role::rejected));
        canvas.print({x + w, y + 13}, p ? ui::probability(*p) : shared_says("guess.below"_t).words(), Font::mono, 14, ink, Align::right);
        const float length = std::max(2.0F, w * static_cast<float>(p.value_or(0)));
        if (final)
            canvas.fill({x, y + 17, length, 4}, theme.role(Role::draft), 1);
        else
            canvas.outline({x, y + 17, length, 4}, {theme.role(Role::draft), 1});
        y += 23;
    }
}

// States, gates and the low-rank strip.
void draw_states(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    domino_row_name(d, g.state + 12, domino_says("lens.states"_t), g.tall ? domino_says("lens.gates"_t) : Message(), 64);
    if (!d.model.head_on) return;
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = g.x(i), w = g.width;
        const Internals* internals = c.internals();
        const std::string name = "S" + std::to_string(i + 1);
        canvas.print({x, g.state - 5}, name, Font::text_bold, 14, theme.ink);
        const auto position = "position"_v = i + 1;
        const std::optional<double> branch = d.model.forced >= 0 ? state_cosine(d.model, d.before, i) : std::nullopt;
        if (internals && internals->strip("state")) {
            canvas.print({x + w, g.state - 5},
                         branch ? "cos " + ui::number(*branch, 2)
                                : "z " + ui::probability(internals->number("mean z").value_or(0)) + "  r " +
                                      ui::probability(internals->number("mean r").value_or(0)),
                         Font::mono, 14, theme.muted, Align::right);
            if (branch) ui::tooltip(d.ui, {x, g.state - 18, w, 16}, domino_says("lens.cosine"_t));
            domino_strip(d, i, "state", domino_says("lens.state"_t, position), {x, g.state, w, 14});
            domino_strip(d, i, "z", domino_says("lens.z"_t, position), {x, g.state + 16, w, 5}, ui::HeatKind::gate);
            domino_strip(d, i, "r", domino_says("lens.r"_t, position), {x, g.state + 23, w, 5}, ui::HeatKind::gate);
        } else {
            ui::slot(canvas, theme, {x, g.state, w, 28}, i == g.first ? shared_says("head.no_lens"_t) : Message());
        }
        const Rect gru{x - 42, g.state - 5, 36, 24};
        canvas.fill(gru, theme.bg, 4);
        canvas.outline(gru, {theme.muted, 1.5F}, 4);
        canvas.print({gru.center().x, gru.y + 17}, "GRU", Font::text, 14, theme.ink, Align::center);
        canvas.line({gru.right(), g.state + 7}, {x, g.state + 7}, {theme.muted, 1.5F});
        if (i > g.first) canvas.line({x - 48, g.state + 7}, {gru.x, g.state + 7}, {theme.muted, 1.5F});
        if (!c.corrected) continue;
        if (g.tall && internals && internals->strip("low rank")) {
            const std::string into = "H" + std::to_string(i + 1) + ", " + name;
            canvas.print({x, g.mixed + 11}, into, Font::text, 14, theme.muted);
            const float at = x + canvas.printed_width(into, Font::text, 14) + 8;
            ui::arrow(canvas, {at, g.mixed + 6}, {at + 22, g.mixed + 6}, {theme.muted, 1.5F}, 6);
            domino_strip(d, i, "low rank", domino_says("lens.mixed"_t, position), {at + 28, g.mixed, x + w - at - 28, 12});
        }
    }
    if (g.tall) {
        const Internals* internals = d.column(static_cast<int>(d.model.columns.size()) - 1).internals();
        const Internals::Strip* mixed = internals ? internals->strip("low rank") : nullptr;
        if (mixed)
            ui::fitted_text(canvas, {g.gutter, g.mixed + 11}, domino_says("lens.rank"_t, "rank"_v = mixed->values), Font::text, 14,
                            theme.muted, 80);
    }
}

void draw_domino_base(const DominoDraw& d) {
    const bool kept = d.model.forced >= 0 && d.before.round == d.model.round->round;
    domino_row_name(d, d.grid.base + 13, domino_says("rows.base"_t), kept ? domino_says("rows.kept"_t) : domino_says("rows.parallel"_t),
                    100);
    for (int i = d.grid.first; i < d.grid.first + d.grid.count; ++i) distribution_rows(d, i, d.grid.base, false);
}

// GRU, state and gates, low rank, δ.
void draw_domino_head(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (g.head_shown) draw_states(d);
    if (!d.model.head_on) {
        const float top = g.head_shown ? g.state - 12 : g.delta - 15;
        return ui::slot(canvas, theme, {g.x(g.first), top, g.right() - g.x(g.first), g.draft - top - 10}, domino_says("rows.off"_t));
    }
    domino_row_name(d, g.delta, domino_says("rows.delta"_t));
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = g.x(i), w = g.width;
        if (!c.corrected) {
            one_of(d.ui, {x, g.delta}, w,
                   i > 0     ? std::vector{domino_says("rows.uncorrected"_t)}
                   : w < 230 ? std::vector{domino_says("rows.never_short"_t)}
                             : std::vector{domino_says("rows.never"_t)},
                   theme.muted);
            continue;
        }
        // heads of the two columns of numbers below
        canvas.print({x + w - kValueRoom, g.delta}, "δ", Font::text, 14, theme.muted, Align::right);
        canvas.print({x + w, g.delta}, "p", Font::text, 14, theme.muted, Align::right);
        ui::tooltip(d.ui, {x + w - 2 * kValueRoom, g.delta - 12, 2 * kValueRoom, 16}, domino_says("rows.about"_t));
    }
}

void draw_domino_final(const DominoDraw& d) {
    if (!d.model.head_on) return;
    domino_row_name(d, d.grid.final + 13, domino_says("rows.final"_t), domino_says("rows.causal"_t));
    for (int i = d.grid.first; i < d.grid.first + d.grid.count; ++i) distribution_rows(d, i, d.grid.final, true);
}

// `with`: of the row with the head.
void verdict_row(const DominoDraw& d, float y, const Message& name, bool with, DominoVerdict DominoColumn::*row, int kept, bool known) {
    ui::Canvas& canvas = d.ui.canvas;
    const DominoGrid& g = d.grid;
    ui::fitted_text(canvas, {g.gutter, y + 19}, name, Font::text_bold, 15, d.ui.theme.ink, 72);
    if (known)
        canvas.text({g.left - 14, y + 19}, domino_says("verdict.kept"_t, "kept"_v = kept), Font::text, 14, d.ui.theme.muted, Align::right);
    for (int i = 0; i < d.model.guesses(); ++i) {
        const DominoVerdict& v = d.column(i).*row;
        const Message told =
            domino_says("verdict.told"_t, "position"_v = i + 1, "with"_v = with,
                        "token"_v = v.token < 0 ? Message() : word(d.input, v.token), "fate"_v = verdict_words(d.input, v));
        if (!g.visible(i)) {
            canvas.tell(told, d.input.stage);
            continue;
        }
        const Rect box{g.x(i), y, g.width, 28};
        if (v.state == State::none || v.token < 0) {
            ui::slot(canvas, d.ui.theme, box, {});
        } else if (v.state == State::unknown) {
            ui::slot(canvas, d.ui.theme, box, Message(domino_says("verdict.unknown"_t).words()));
        } else {
            const Role role = v.state == State::accepted ? Role::accepted : v.state == State::rejected ? Role::rejected : Role::discarded;
            ui::chip(canvas, d.ui.theme, box, label_of(*d.input.trace, v.token), {.role = role});
        }
        ui::thing(d.ui, box, told);
    }
}

// Draft chips and the way back to the GRU.
void draw_domino_drafts(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float h = g.tall ? 34 : 32;
    domino_row_name(d, g.draft + h / 2 + 5, shared_says("guess.draft"_t));
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const Rect box{g.x(i), g.draft, g.width, h};
        std::string label = label_of(*d.input.trace, c.draft->token);
        if (c.forced) label = ui::fit_token(canvas, label, ui::chip_text_size(h), g.width - 100);
        ui::chip(canvas, theme, box, label, {.role = Role::draft, .selected = i == d.model.selected});
        if (c.forced)
            printed(d, {box.right() - 8, ui::baseline(box.y, box.h, 14)}, domino_says("position.forced"_t), theme.muted, Align::right);
        // the draft goes on into the next state
        if (i + 1 >= g.first + g.count || !d.model.head_on || !g.head_shown) continue;
        const float x = box.right() + 24, to = g.state + 21;
        const ui::Stroke stroke{theme.role(Role::draft), 1.5F, 4, 3};
        canvas.line({box.right() + 3, box.center().y}, {x, box.center().y}, stroke);
        canvas.line({x, box.center().y}, {x, to + 6}, stroke);
        canvas.fill_convex(std::array{Vec2{x - 4, to + 7}, Vec2{x, to}, Vec2{x + 4, to + 7}}, theme.role(Role::draft));
    }
    // the anchor is what the first state reads
    if (d.model.head_on && g.first == 0 && d.model.anchor >= 0 && g.tall) {
        const float x = g.x(0) - 24;
        const std::string label = ui::fit_token(canvas, label_of(*d.input.trace, d.model.anchor), 14, 44);
        ui::token_text(canvas, {x, g.state + 44}, label, 14, theme.ink, Align::center);
        canvas.line({x, g.state + 30}, {x, g.state + 27}, {theme.muted, 1.5F});
        canvas.fill_convex(std::array{Vec2{x - 4, g.state + 27}, Vec2{x, g.state + 20}, Vec2{x + 4, g.state + 27}}, theme.muted);
    }
}

void draw_domino_verdicts(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    const bool on = d.model.head_on, other = d.model.other == DominoModel::Other::whole;
    const bool whole = d.model.round->complete();
    if (!g.both) return verdict_row(d, g.on, shared_says("guess.verified"_t), on, &DominoColumn::on, d.model.kept_on, whole);
    d.ui.canvas.line({g.gutter, g.off - 8.5F}, {g.limit, g.off - 8.5F}, d.ui.theme.hairline());
    verdict_row(d, g.off, domino_says("verdict.off"_t), false, on ? &DominoColumn::off : &DominoColumn::on,
                on ? d.model.kept_off : d.model.kept_on, on ? other : whole);
    verdict_row(d, g.on, domino_says("verdict.on"_t), true, on ? &DominoColumn::on : &DominoColumn::off,
                on ? d.model.kept_on : d.model.kept_off, on ? whole : other);
}

void draw_domino_clock(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float h = g.tall ? 24 : 20;
    const double all = d.model.backbone_ms + d.model.head_ms + d.model.verify_ms;
    if (all > 0)
        canvas.tell(
            domino_says("clock.told"_t, "backbone"_v = d.model.backbone_ms, "head"_v = d.model.head_ms, "verify"_v = d.model.verify_ms),
            {g.left, g.clock, g.right() - g.left, h});
    if (g.clock + h > g.bottom - 4) return;
    domino_row_name(d, g.clock + h / 2 + 5, domino_says("clock.row"_t));
    if (all <= 0) return canvas.text({g.left, g.clock + h / 2 + 5}, shared_says("head.clock:none"_t), Font::text, 14, theme.muted);
    const Message words = domino_says("clock.brought"_t, "tokens"_v = d.model.produced_on, "ms"_v = all);
    const float room = canvas.text_width(words, Font::mono, 14) + 16;
    const ui::Scale scale{0, all, g.left, g.right() - room};
    const auto part = [](double start, double ms, Role role, const Message& name, float strength = 1) {
        return ui::Segment{.start = start, .length = ms, .role = role, .label = name, .value = ui::number(ms, 2), .strength = strength};
    };
    const double draft = d.model.backbone_ms + d.model.head_ms;
    const std::array parts = {part(0, d.model.backbone_ms, Role::draft, domino_says("clock.backbone"_t)),
                              part(d.model.backbone_ms, d.model.head_ms, Role::draft, domino_says("clock.head"_t), 0.55F),
                              part(draft, d.model.verify_ms, Role::target, domino_says("clock.verify"_t))};
    const int under = ui::gantt_lane(canvas, theme, scale, g.clock, h, parts, 1, d.ui.input.mouse);
    if (under >= 0) {
        const ui::Segment& one = parts[static_cast<std::size_t>(under)];
        ui::tooltip(d.ui, {g.left, g.clock, g.right() - g.left - room, h},
                    domino_says("clock.part"_t, "part"_v = one.label, "ms"_v = one.length));
    }
    canvas.text({g.right(), g.clock + h / 2 + 5}, words, Font::mono, 14, theme.ink, Align::right);
    if (g.clock + h + 22 > g.bottom) return;
    const auto took = "ms"_v = d.model.head_ms;
    const auto share = "share"_v = d.model.head_ms / all;
    one_of(d.ui, {g.left, g.clock + h + 17}, g.limit - g.left,
           d.model.head_ms > 0
               ? std::vector{domino_says("clock.share:whole"_t, took, share), domino_says("clock.share:short"_t, took, share)}
               : std::vector{domino_says("clock.no_head"_t)},
           theme.muted);
}

// Details and controls: what the correction moved, how large it was, and the what-ifs.

// ‖δ‖ of every position, as bars over one another's scale.
void sizes(const DominoDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::optional<double> here = correction_size(d.model, d.column(d.model.selected));
    ui::fitted_text(canvas, {r.x, r.y + 12}, domino_says("sizes.title"_t, "size"_v = here, "position"_v = d.model.selected + 1), Font::text,
                    14, theme.muted, r.w);
    const int n = static_cast<int>(d.model.columns.size());
    double most = 1e-9;
    for (const DominoColumn& c : d.model.columns) most = std::max(most, correction_size(d.model, c).value_or(0));
    const float step = r.w / static_cast<float>(n), w = std::max(3.0F, step - 6), top = r.y + 22, h = r.h - 42;
    ui::plotted(canvas, {r.x, top, r.w, h}, ui::PlotMark::bars,
                domino_says("sizes.title"_t, "size"_v = std::optional<double>(), "position"_v = 0), d.model.columns,
                [&, place = 0.0](const DominoColumn& c) mutable {
                    return ui::PlotDatum{.x = ++place, .y = correction_size(d.model, c).value_or(ui::PlotDatum::kNone)};
                });
    for (int i = 0; i < n; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = r.x + step * static_cast<float>(i);
        const std::optional<double> size = correction_size(d.model, c);
        const float tall = size ? std::max(2.0F, h * static_cast<float>(*size / most)) : 1.0F;
        const bool chosen = i == d.model.selected;
        canvas.fill({x, top + h - tall, w, tall}, chosen ? theme.ink : theme.muted.alpha(0.6F), 1);
        const bool every = step >= 24;
        if (every || i % 2 == 0)
            canvas.print({x + w / 2, r.bottom() - 4}, std::to_string(i + 1), Font::mono, 14, chosen ? theme.ink : theme.muted,
                         Align::center);
        const auto position = "position"_v = i + 1;
        ui::thing(d.ui, {x, top, w, h + 16},
                  size ? domino_says("sizes.bar"_t, position, "size"_v = *size, "whole"_v = c.internals()->number("delta l2").value_or(0))
                       : domino_says("sizes.none"_t, position));
    }
}

Message mover_words(const DominoDraw& d, const Internals::Mover& m) {
    return domino_says("movers.told"_t, "token"_v = word(d.input, m.token), "id"_v = m.token, "base"_v = m.base_logit,
                       "final"_v = m.final_logit, "delta"_v = added_words(m.delta(), 2), "gain"_v = added_words(m.gain(), 2),
                       "from"_v = std::exp(m.base_logp), "to"_v = std::exp(m.final_logp));
}

void mover_row(const DominoDraw& d, const Internals::Mover& m, float x, float right, float y, const ui::Scale& scale, bool marked) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (marked) canvas.fill({x - 12, y - 17, right - x + 24, 24}, theme.raised, 4);
    ui::token_text(canvas, {x, y}, ui::fit_token(canvas, label_of(*d.input.trace, m.token), 15, 92), 15, theme.ink);
    const float a = scale(std::exp(m.base_logp)), b = scale(std::exp(m.final_logp)), middle = y - 5;
    const ui::Color hue = theme.role(Role::draft);
    if (std::abs(b - a) >= 14) {
        const float way = b > a ? 1.0F : -1.0F;
        ui::arrow(canvas, {a + way * 5, middle}, {b - way * 5, middle}, {theme.muted, 1.5F}, 5);
    }
    canvas.disc({b, middle}, 4, hue);
    canvas.ring({a, middle}, 5, {hue, 1.5F});
    canvas.print({right, y}, ui::signed_number(m.gain(), 1), Font::mono, 14, theme.ink, Align::right);
    ui::thing(d.ui, {x - 12, y - 17, right - x + 24, 24}, mover_words(d, m));
}

// The bands of the stage that a beat is not about.
void dim_other_bands(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    enum Band { block, base, final, verdicts, clock, bands };
    const float ends[bands + 1] = {
        g.spare ? g.base - 4 : g.block - 6, g.base - 4, g.base + 23 * static_cast<float>(g.rows) + 1, g.off - 7, g.clock - 6, g.bottom};
    const auto focus = [&](auto part) { return domino_says.focus(d.input.beat, part); };
    const bool shown[bands] = {focus("block"_part), focus("base"_part), focus("final"_part), focus("verdicts"_part), focus("clock"_part)};
    for (int band = block; band < bands; ++band)
        if (!shown[band]) dim(d.ui, {d.input.stage.x, ends[band], d.input.stage.w, ends[band + 1] - ends[band]});
}

} // namespace

void draw_domino_stage(const DominoDraw& d) {
    draw_domino_columns(d);
    draw_domino_block(d);
    if (!d.grid.opening || d.input.beat == kDominoBaseBeat) draw_domino_base(d);
    if (d.grid.opening) return draw_heat_key(d.input, d.ui, domino_title(d.input, d.model).subtitle);
    draw_domino_head(d);
    draw_domino_final(d);
    draw_domino_drafts(d);
    draw_domino_verdicts(d);
    draw_domino_clock(d);
    if (d.model.head_on && d.input.beat == kDominoLowRankBeat) d.ui.canvas.tell(correction_deeper(d.model), d.input.stage);
    dim_other_bands(d);
    draw_heat_key(d.input, d.ui, domino_title(d.input, d.model).subtitle);
}

void draw_domino_movers(const DominoDraw& d, bool seen) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, right = r.right() - 24;
    const DominoColumn& c = d.column(d.model.selected);
    const Internals* internals = c.internals();
    const Message title = domino_says("movers.at"_t, "position"_v = d.model.selected + 1);
    if (!seen) {
        if (!internals || internals->movers.empty()) return;
        canvas.tell(title, r);
        for (const Internals::Mover& m : internals->movers) canvas.tell(mover_words(d, m), r);
        return;
    }
    ui::fitted_text(canvas, {x, r.y + 32}, title, Font::text_bold, 15, theme.ink, right - x);
    const float sizes_h = r.h >= 360 ? 106.0F : r.h >= 250 ? 84.0F : 0.0F;
    float end = r.y + 130; // of the list
    if (!internals || internals->movers.empty()) {
        const Message why = !d.model.internals                            ? domino_says("no_movers.no_lens"_t)
                            : !d.model.head_on                            ? domino_says("no_movers.off"_t)
                            : !c.corrected && d.model.columns.size() == 1 ? domino_says("no_movers.one"_t)
                            : !c.corrected                                ? domino_says("no_movers.base"_t)
                                                                          : domino_says("no_movers.nothing"_t);
        ui::paragraph(canvas, {x, r.y + 64}, right - x, why, {.color = theme.muted});
    } else {
        canvas.ring({x + 5, r.y + 54}, 5, {theme.role(Role::draft), 1.5F});
        canvas.text({x + 16, r.y + 59}, domino_says("movers.base"_t), Font::text, 14, theme.muted);
        canvas.disc({x + 65, r.y + 54}, 4, theme.role(Role::draft));
        canvas.text({x + 75, r.y + 59}, domino_says("movers.final"_t), Font::text, 14, theme.muted);
        canvas.text({right, r.y + 59}, domino_says("movers.delta"_t), Font::text, 14, theme.muted, Align::right);
        double most = 0.1;
        for (const Internals::Mover& m : internals->movers) most = std::max({most, std::exp(m.base_logp), std::exp(m.final_logp)});
        const float axis = r.bottom() - (sizes_h > 0 ? sizes_h + 44 : 28.0F);
        const int rows = std::min(static_cast<int>(internals->movers.size()), std::max(1, static_cast<int>((axis - r.y - 70) / 24)));
        const ui::Scale scale{0, most, x + 108, right - 62};
        const ui::Ticks marks = ui::ticks(0, most, 3);
        float y = r.y + 84;
        const float low = y + 24 * static_cast<float>(rows - 1) + 10;
        for (const auto& [name, logp] : {std::pair{domino_says("movers.base"_t), &Internals::Mover::base_logp},
                                         {domino_says("movers.final"_t), &Internals::Mover::final_logp}})
            ui::plotted(canvas, {x + 108, r.y + 70, right - x - 170, low - r.y - 70}, ui::PlotMark::rows, name, internals->movers,
                        [&, logp](const Internals::Mover& m) {
                            return ui::PlotDatum{.x = std::exp(m.*logp), .label = label_of(*d.input.trace, m.token)};
                        });
        for (const double at : marks.values) canvas.line({scale(at), r.y + 70}, {scale(at), low}, theme.hairline());
        for (int i = 0; i < rows; ++i, y += 24) {
            const Internals::Mover& m = internals->movers[static_cast<std::size_t>(i)];
            mover_row(d, m, x, right, y, scale, m.token == c.draft->token);
        }
        for (std::size_t i = static_cast<std::size_t>(rows); i < internals->movers.size(); ++i)
            canvas.tell(mover_words(d, internals->movers[i]), r);
        end = low + 22;
        for (const double at : marks.values)
            canvas.print({scale(at), low + 16}, ui::tick_label(at, marks.decimals), Font::mono, 14, theme.muted, Align::center);
    }
    if (sizes_h > 0 && d.model.internals && d.model.head_on) {
        const float h = std::clamp(r.bottom() - end - 30, sizes_h, 180.0F), y = r.bottom() - h - 8;
        canvas.line({x, y - 8.5F}, {right, y - 8.5F}, theme.hairline());
        sizes(d, {x, y, right - x, h});
    }
}

bool draw_domino_controls(const DominoDraw& d, const Message& no_next) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return false;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const Message off = no_models(d.input);
    const Message states[] = {domino_says("controls.on"_t), domino_says("controls.off"_t)};
    if (const auto pick = segmented(ui, row, {"head", domino_says("controls.head"_t), {}}, states, d.model.head_on ? 0 : 1, off);
        pick && (*pick == 0) != d.model.head_on)
        d.out.push_back(switch_head(d.input, d.model));

    guess_stepper(ui, d.model, domino_says("controls.position"_t), row, d.out);

    const DominoColumn& c = d.column(d.model.selected);
    Rect at = row.place(184);
    ui::field_label(ui, at, domino_says("controls.force"_t, "guess"_v = d.model.selected + 1));
    std::vector<ui::Choice> tokens;
    std::vector<int> ids;
    int chosen = -1;
    const auto offer = [&](int id, double p) {
        if (std::ranges::find(ids, id) != ids.end()) return;
        if (id == c.draft->token) chosen = static_cast<int>(ids.size());
        ids.push_back(id);
        tokens.push_back({word(d.input, id), ui::fine_probability(p)});
    };
    for (const TopEntries::Entry& entry : c.final.entries) {
        if (ids.size() == 10) break;
        offer(entry.id, std::exp(entry.logp));
    }
    offer(c.draft->token, listed(c.final, c.draft->token).value_or(0));
    if (c.base_choice >= 0) offer(c.base_choice, listed(c.final, c.base_choice).value_or(0));
    if (const auto pick =
            ui::dropdown(ui, "force", at, tokens, chosen, {.tooltip = domino_says("controls.force_about"_t), .disabled = off});
        pick && *pick != chosen)
        d.out.push_back(force_token(d.model, d.model.selected, ids[static_cast<std::size_t>(*pick)]));

    at = row.place(std::min(164.0F, row.room()));
    ui::field_label(ui, at, domino_says("controls.saved"_t));
    const Message next = no_next.empty() && !next_rescue(*d.input.whole, d.model.round->round) ? domino_says("controls.elsewhere"_t)
                         : at.w >= 160                                                         ? domino_says("controls.next"_t)
                                                                                               : domino_says("controls.next_short"_t);
    const bool asked = ui::button(ui, "rescue", at, next, {.shortcut = "Y", .disabled = no_next});
    if (row.room() < 150) return asked;
    row.x = std::max(row.x + 8, row.right - 172);
    at = row.place(172);
    ui::field_label(ui, at, domino_says("controls.same"_t));
    const Message done = off.empty() && d.model.replayed ? domino_says("controls.replayed"_t) : off;
    DrafterOptions options = d.input.settings ? round_settings(d.input, d.model.round->round).options : DrafterOptions{};
    options.correction = !d.model.head_on;
    if (ui::button(ui, "replay", at, domino_says("controls.replay"_t, "without"_v = d.model.head_on), {.disabled = done}))
        d.out.push_back(Command{FetchReplay{d.model.round->round, options}});
    return asked;
}

} // namespace speclens
