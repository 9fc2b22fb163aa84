// The picture of Domino in bands: the block, the backbone with the target's taps, base distributions, the head with its states,
// final distributions, drafts and their way back into the GRU, both verdicts and the clock; beside it the details and controls.
#include "scenes/domino/domino_draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/panel.h"
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

void down(const DominoDraw& d, float x, float from, float to) { ui::arrow(d.ui.canvas, {x, from}, {x, to}, {d.ui.theme.muted, 1.5F}, 6); }

int tap_count(const DominoColumn& column) {
    const Internals* internals = column.internals();
    return internals ? static_cast<int>(std::ranges::count_if(internals->strips, &Internals::Strip::tap)) : 0;
}

// Row names at the left.
void domino_row_name(const DominoDraw& d, float y, const std::string& name, const std::string& detail, float room = 80) {
    ui::fitted_text(d.ui.canvas, {d.grid.gutter, y}, name, Font::text_bold, 15, d.ui.theme.ink, room);
    if (!detail.empty()) ui::fitted_text(d.ui.canvas, {d.grid.gutter, y + 18}, detail, Font::text, 14, d.ui.theme.muted, room);
}

void draw_taps(const DominoDraw& d, float y, float h) {
    const Internals* internals = d.column(0).internals();
    std::vector<const Internals::Strip*> taps;
    if (internals)
        for (const Internals::Strip& s : internals->strips)
            if (s.tap()) taps.push_back(&s);
    const Rect box{d.grid.gutter, y, 84, h};
    std::string names;
    for (const Internals::Strip* tap : taps) names += (names.empty() ? "" : ", ") + tap->name.substr(4);
    if (taps.empty()) {
        domino_row_name(d, y + h / 2 + 5, "Backbone", "");
        return;
    }
    const float each = (h - 4) / static_cast<float>(taps.size());
    for (std::size_t i = 0; i < taps.size(); ++i) {
        const double scale = std::max({1e-12, std::abs(taps[i]->low), std::abs(taps[i]->high)});
        std::vector<float> cells;
        for (const double cell : taps[i]->cells) cells.push_back(static_cast<float>(cell / scale));
        ui::heat_strip(d.ui.canvas, d.ui.theme, {box.x + 2, box.y + 2 + each * static_cast<float>(i), box.w - 4, each - 1}, cells,
                       ui::HeatKind::signed_values);
    }
    d.ui.canvas.outline(box, {d.ui.theme.role(Role::target), 1.5F}, 3);
    ui::arrow(d.ui.canvas, {box.right() + 4, box.center().y}, {d.grid.left - 3, box.center().y}, {d.ui.theme.role(Role::target), 1.5F}, 6);
    ui::tooltip(d.ui, box,
                "Hidden states of the target at its newest position, layers " + names +
                    ": injected as keys and values of every backbone layer");
}

// One strip of a column's lens: signed values against the largest of that name in this cycle, gates from 0
// to 1.
void domino_strip(const DominoDraw& d, int column, const char* name, Rect rect, ui::HeatKind kind) {
    const Internals* internals = d.column(column).internals();
    const Internals::Strip* found = internals ? internals->strip(name) : nullptr;
    if (!found) return;
    double scale = 1e-12;
    if (kind == ui::HeatKind::gate) {
        scale = 1;
    } else {
        for (const DominoColumn& other : d.model.columns)
            if (const Internals::Strip* s = other.internals() ? other.internals()->strip(name) : nullptr)
                scale = std::max({scale, std::abs(s->low), std::abs(s->high)});
    }
    std::vector<float> cells;
    for (const double cell : found->cells) cells.push_back(static_cast<float>(cell / scale));
    ui::heat_strip(d.ui.canvas, d.ui.theme, rect, cells, kind);
    ui::tooltip(d.ui, rect,
                std::string(name) + ": " + ui::integer(found->values) + " values, mean-pooled to " + std::to_string(found->cells.size()) +
                    " cells, " + ui::number(found->low, 2) + " to " + ui::number(found->high, 2) +
                    (kind == ui::HeatKind::gate ? "" : "; full colour at ± " + ui::number(scale, 2)));
}

// Raised column, position labels, clicks.
void draw_domino_columns(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect band{g.x(i) - 12, g.labels - 18, g.width + 24, g.on + 36 - (g.labels - 18)};
        const bool selected = i == d.model.selected;
        if (choosable(d.ui, "column " + std::to_string(i), band, selected, kGuessColumn))
            d.out.push_back(Select{Position{d.model.round->round, i}});
        const DominoColumn& c = d.column(i);
        d.ui.canvas.text({g.x(i), g.labels}, "position " + std::to_string(i + 1), selected ? Font::text_bold : Font::text, 14,
                         selected ? d.ui.theme.ink : d.ui.theme.muted);
        if (g.opening) continue;
        d.ui.canvas.text({g.x(i) + g.width, g.labels}, c.corrected ? (c.changed ? "changed" : "corrected") : "base only", Font::text, 14,
                         c.changed ? d.ui.theme.ink : d.ui.theme.muted, Align::right);
    }
    const int total = static_cast<int>(d.model.columns.size());
    if (g.count < total)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.labels},
                        std::to_string(g.first + 1) + "–" + std::to_string(g.first + g.count) + " of " + std::to_string(total), Font::mono,
                        14, d.ui.theme.muted, 100);
}

// Block, backbone with taps, features, LM head.
void draw_domino_block(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    if (g.spare && !g.opening) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float chip = g.tall ? 28 : 26, bar = g.tall ? 30 : 26;
    domino_row_name(d, g.block + 19, "Block", "", 100);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), g.block, g.width, chip};
        if (i == 0 && d.model.anchor >= 0) {
            ui::chip(canvas, theme, box, label_of(*d.input.trace, d.model.anchor), {.neutral = true});
            canvas.text({box.right() - 10, ui::baseline(box.y, box.h, 14)}, "anchor", Font::text, 14, theme.muted, Align::right);
        } else {
            ui::mask_chip(canvas, theme, box);
        }
        if (g.tall) down(d, g.middle(i), box.bottom() + 1, g.backbone - 2);
    }
    // One pass over the whole block; both directions.
    const Rect backbone{g.x(g.first), g.backbone, g.right() - g.x(g.first), bar};
    draw_taps(d, g.backbone - 2, bar + 4);
    canvas.fill(backbone, theme.panel, 4);
    canvas.outline(backbone, {theme.role(Role::draft), 1.5F}, 4);
    const float base = ui::baseline(backbone.y, backbone.h, 15);
    canvas.text({backbone.x + 12, base}, "Backbone", Font::text_bold, 15, theme.ink);
    const std::string ms = d.model.backbone_ms > 0 ? ui::milliseconds(d.model.backbone_ms) + " ms" : "";
    canvas.text({backbone.right() - 12, base}, ms, Font::mono, 14, theme.ink, Align::right);
    const float words = backbone.x + 12 + canvas.text_width("Backbone", Font::text_bold, 15) + 10,
                room = backbone.right() - 24 - canvas.text_width(ms, Font::mono, 14) - words;
    const std::vector<std::string> sees{"one pass, every row sees the text and the whole block", "one pass, every row sees the whole block",
                                        "one pass"},
        read{"one pass; the target's frozen LM head reads every row", "one pass"};
    ui::fitted_text(canvas, {words, base}, ui::fitting(canvas, g.tall ? sees : read, Font::text, 14, room), Font::text, 14, theme.muted,
                    room);
    if (!g.tall) return;
    if (const int taps = tap_count(d.column(0)); taps > 0)
        ui::fitted_text(canvas, {g.gutter, g.features + 12}, counted(taps, "target tap"), Font::text, 14, theme.muted, 100);
    canvas.text({g.left - 12, g.features + 12}, "H", Font::text_bold, 15, theme.ink, Align::right);
    for (int i = g.first; i < g.first + g.count; ++i) {
        domino_strip(d, i, "row", {g.x(i), g.features, g.width, 14}, ui::HeatKind::signed_values);
        if (!d.column(i).internals()) ui::slot(canvas, theme, {g.x(i), g.features, g.width, 14}, "");
    }
    const Rect head{backbone.x, g.head, backbone.w, 24};
    canvas.fill(head, theme.panel, 4);
    canvas.outline(head, {theme.role(Role::target), 1.5F}, 4);
    ui::icon(canvas, ui::Icon::square, {head.x + 18, head.center().y}, 10, theme.role(Role::target));
    canvas.text({head.x + 30, head.y + 17}, "LM head", Font::text_bold, 15, theme.ink);
    const int vocab = d.model.header->vocab;
    ui::fitted_text(canvas, {head.x + 40 + canvas.text_width("LM head", Font::text_bold, 15), head.y + 17},
                    "frozen, the target's own: " + counted(static_cast<int>(d.model.columns.size()), "row") + " of " + ui::integer(vocab) +
                        " logits",
                    Font::text, 14, theme.muted, head.w - 130);
}

constexpr float kValueRoom = 40; // of a probability or a correction, in mono

// "+3.5"; empty: unknown
std::string correction_words(const DominoColumn& c, int token) {
    const std::optional<double> delta = correction_of(c, token);
    return delta ? ui::signed_number(*delta, 1) : "";
}

// One distribution: rows of token, bar and probability, in the final distribution behind what the head added.
void distribution_rows(const DominoDraw& d, int i, float y, bool final) {
    const DominoColumn& c = d.column(i);
    const TopEntries& distribution = final ? c.final : c.base;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = d.grid.x(i), w = d.grid.width;
    const int best = distribution.entries.empty() ? -1 : distribution.entries.front().id;
    if (distribution.empty()) {
        canvas.text({x, y + 13}, i == d.grid.first ? "no rows recorded" : "–", Font::text, 14, theme.muted);
        return;
    }
    for (const int id : domino_tokens(c, d.grid.rows)) {
        const std::optional<double> p = listed(distribution, id);
        const ui::Color ink = id == best ? theme.ink : theme.muted;
        const bool refused = !final && c.changed && id == best && c.check && c.check->accepted && d.model.greedy;
        const std::string added = final ? correction_words(c, id) : "";
        const float taken = 6 + kValueRoom + (refused ? 24.0F : canvas.text_width(added, Font::mono, 14));
        const std::string label = ui::fit_token(canvas, label_of(*d.input.trace, id), 15, w - taken);
        ui::token_text(canvas, {x, y + 13}, label, 15, ink);
        canvas.text({x + w - kValueRoom, y + 13}, added, Font::mono, 14, theme.muted, Align::right);
        if (refused) ui::icon(canvas, ui::Icon::cross, {x + w - 50, y + 8}, 11, theme.role(Role::rejected));
        canvas.text({x + w, y + 13}, p ? ui::probability(*p) : distribution.rest <= 0 ? "0" : "<.01", Font::mono, 14, ink, Align::right);
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
    domino_row_name(d, g.state + 12, "State S", g.tall ? "gates z, r" : "", 64);
    if (!d.model.head_on) return;
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = g.x(i), w = g.width;
        const Internals* internals = c.internals();
        const std::string name = "S" + std::to_string(i + 1);
        canvas.text({x, g.state - 5}, name, Font::text_bold, 14, theme.ink);
        const std::optional<double> branch = d.model.forced >= 0 ? state_cosine(d.model, d.before, i) : std::nullopt;
        if (internals && internals->strip("state")) {
            canvas.text({x + w, g.state - 5},
                        branch ? "cos " + ui::number(*branch, 2)
                               : "z " + ui::probability(internals->number("mean z").value_or(0)) + "  r " +
                                     ui::probability(internals->number("mean r").value_or(0)),
                        Font::mono, 14, theme.muted, Align::right);
            if (branch)
                ui::tooltip(d.ui, {x, g.state - 18, w, 16},
                            "Cosine between this state and the one before the guess was forced, both pooled");
            domino_strip(d, i, "state", {x, g.state, w, 14}, ui::HeatKind::signed_values);
            domino_strip(d, i, "z", {x, g.state + 16, w, 5}, ui::HeatKind::gate);
            domino_strip(d, i, "r", {x, g.state + 23, w, 5}, ui::HeatKind::gate);
        } else {
            ui::slot(canvas, theme, {x, g.state, w, 28}, i == g.first ? "no lens was recorded" : "");
        }
        const Rect gru{x - 42, g.state - 5, 36, 24};
        canvas.fill(gru, theme.bg, 4);
        canvas.outline(gru, {theme.muted, 1.5F}, 4);
        canvas.text({gru.center().x, gru.y + 17}, "GRU", Font::text, 14, theme.ink, Align::center);
        canvas.line({gru.right(), g.state + 7}, {x, g.state + 7}, {theme.muted, 1.5F});
        if (i > g.first) canvas.line({x - 48, g.state + 7}, {gru.x, g.state + 7}, {theme.muted, 1.5F});
        if (!c.corrected) continue;
        if (g.tall && internals && internals->strip("low rank")) {
            const std::string into = "H" + std::to_string(i + 1) + ", " + name;
            canvas.text({x, g.mixed + 11}, into, Font::text, 14, theme.muted);
            const float at = x + canvas.text_width(into, Font::text, 14) + 8;
            ui::arrow(canvas, {at, g.mixed + 6}, {at + 22, g.mixed + 6}, {theme.muted, 1.5F}, 6);
            domino_strip(d, i, "low rank", {at + 28, g.mixed, x + w - at - 28, 12}, ui::HeatKind::signed_values);
        }
    }
    if (g.tall) {
        const Internals* internals = d.column(static_cast<int>(d.model.columns.size()) - 1).internals();
        const Internals::Strip* mixed = internals ? internals->strip("low rank") : nullptr;
        if (mixed)
            ui::fitted_text(canvas, {g.gutter, g.mixed + 11}, "rank " + std::to_string(mixed->values), Font::text, 14, theme.muted, 80);
    }
}

void draw_domino_base(const DominoDraw& d) {
    const bool kept = d.model.forced >= 0 && d.before.round == d.model.round->round;
    domino_row_name(d, d.grid.base + 13, "Base", kept ? "frozen" : "parallel", 100);
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
        return ui::slot(canvas, theme, {g.x(g.first), top, g.right() - g.x(g.first), g.draft - top - 10},
                        "the head is off: no state, no correction, the base distributions are final");
    }
    domino_row_name(d, g.delta, "+ δ", "", 80);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = g.x(i), w = g.width;
        if (!c.corrected) {
            std::string_view why = "not corrected";
            if (i == 0) why = w < 230 ? "never corrected" : "the first guess is never corrected";
            ui::fitted_text(canvas, {x, g.delta}, why, Font::text, 14, theme.muted, w);
            continue;
        }
        // heads of the two columns of numbers below
        const Rect heads{x + w - 2 * kValueRoom, g.delta - 12, 2 * kValueRoom, 16};
        canvas.text({x + w - kValueRoom, g.delta}, "δ", Font::text, 14, theme.muted, Align::right);
        canvas.text({x + w, g.delta}, "p", Font::text, 14, theme.muted, Align::right);
        ui::tooltip(d.ui, heads,
                    "What the head adds to the logit of each token, less what all tokens share, and the "
                    "probability that follows");
    }
}

void draw_domino_final(const DominoDraw& d) {
    if (!d.model.head_on) return;
    domino_row_name(d, d.grid.final + 13, "= Final", "causal", 80);
    for (int i = d.grid.first; i < d.grid.first + d.grid.count; ++i) distribution_rows(d, i, d.grid.final, true);
}
std::string verdict_tip(const DominoDraw& d, const DominoVerdict& v) {
    switch (v.state) {
    case State::accepted: return "the target keeps it";
    case State::rejected:
        return "the target refuses it" + (v.replacement ? " and puts " + quoted(*d.input.trace, *v.replacement) + " here" : std::string());
    case State::discarded: return "not judged: a guess before it was refused";
    case State::unknown: return "stands after another prefix: only a replay can tell";
    case State::none: break;
    }
    return "not judged yet";
}

void verdict_row(const DominoDraw& d, float y, const std::string& name, DominoVerdict DominoColumn::*row, int kept, bool known) {
    ui::Canvas& canvas = d.ui.canvas;
    const DominoGrid& g = d.grid;
    ui::fitted_text(canvas, {g.gutter, y + 19}, name, Font::text_bold, 15, d.ui.theme.ink, 72);
    if (known) canvas.text({g.left - 14, y + 19}, std::to_string(kept) + " kept", Font::text, 14, d.ui.theme.muted, Align::right);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoVerdict& v = d.column(i).*row;
        const Rect box{g.x(i), y, g.width, 28};
        if (v.state == State::none || v.token < 0) {
            ui::slot(canvas, d.ui.theme, box, "");
        } else if (v.state == State::unknown) {
            ui::slot(canvas, d.ui.theme, box, "needs a replay");
        } else {
            const Role role = v.state == State::accepted ? Role::accepted : v.state == State::rejected ? Role::rejected : Role::discarded;
            ui::chip(canvas, d.ui.theme, box, label_of(*d.input.trace, v.token), {.role = role});
        }
        ui::tooltip(d.ui, box, verdict_tip(d, v));
    }
}

// Draft chips and the way back to the GRU.
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
        if (c.forced) canvas.text({box.right() - 8, ui::baseline(box.y, box.h, 14)}, "forced", Font::text, 14, theme.muted, Align::right);
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
    if (!g.both) return verdict_row(d, g.on, "Verified", &DominoColumn::on, d.model.kept_on, d.model.round->complete());
    d.ui.canvas.line({g.gutter, g.off - 8.5F}, {g.limit, g.off - 8.5F}, d.ui.theme.hairline());
    verdict_row(d, g.off, "Head off", on ? &DominoColumn::off : &DominoColumn::on, on ? d.model.kept_off : d.model.kept_on,
                on ? other : d.model.round->complete());
    verdict_row(d, g.on, "Head on", on ? &DominoColumn::on : &DominoColumn::off, on ? d.model.kept_on : d.model.kept_off,
                on ? d.model.round->complete() : other);
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
        ui::Segment{d.model.backbone_ms, d.model.head_ms, Role::draft, "head", ui::number(d.model.head_ms, 2), 0.55F},
        ui::Segment{d.model.backbone_ms + d.model.head_ms, d.model.verify_ms, Role::target, "verify", ui::number(d.model.verify_ms, 2)}};
    const int under = ui::gantt_lane(canvas, theme, scale, g.clock, h, std::span(parts).first(3), 1, d.ui.input.mouse);
    if (under >= 0)
        ui::tooltip(d.ui, {g.left, g.clock, g.right() - g.left - room, h},
                    parts[static_cast<std::size_t>(under)].label + " " + parts[static_cast<std::size_t>(under)].value + " ms");
    canvas.text({g.right(), g.clock + h / 2 + 5}, words, Font::mono, 14, theme.ink, Align::right);
    if (g.clock + h + 22 > g.bottom) return;
    const std::string takes =
        "the head takes " + ui::number(d.model.head_ms, 2) + " ms, " + ui::percent(d.model.head_ms / all) + " of the round";
    std::vector<std::string> share{"no head in this round; times as measured in it"};
    if (d.model.head_ms > 0) share = {takes + "; backbone, head and verify as measured in this round", takes + ", as measured in it"};
    ui::fitted_text(canvas, {g.left, g.clock + h + 17}, ui::fitting(canvas, share, Font::text, 14, g.limit - g.left), Font::text, 14,
                    theme.muted, g.limit - g.left);
}

// Details and controls: what the correction moved, how large it was, and the what-ifs.

// ‖δ‖ of every position, as bars over one another's scale.
void sizes(const DominoDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::optional<double> here = correction_size(d.model, d.column(d.model.selected));
    ui::fitted_text(
        canvas, {r.x, r.y + 12},
        "L2 size of δ less its mean" +
            (here ? ": " + ui::number(*here, 1) + " at position " + std::to_string(d.model.selected + 1) : std::string(", by position")),
        Font::text, 14, theme.muted, r.w);
    const int n = static_cast<int>(d.model.columns.size());
    double most = 1e-9;
    for (const DominoColumn& c : d.model.columns) most = std::max(most, correction_size(d.model, c).value_or(0));
    const float step = r.w / static_cast<float>(n), w = std::max(3.0F, step - 6), top = r.y + 22, h = r.h - 42;
    for (int i = 0; i < n; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = r.x + step * static_cast<float>(i);
        const std::optional<double> size = correction_size(d.model, c);
        const float tall = size ? std::max(2.0F, h * static_cast<float>(*size / most)) : 1.0F;
        const bool chosen = i == d.model.selected;
        canvas.fill({x, top + h - tall, w, tall}, chosen ? theme.ink : theme.muted.alpha(0.6F), 1);
        const bool every = step >= 24;
        if (every || i % 2 == 0)
            canvas.text({x + w / 2, r.bottom() - 4}, std::to_string(i + 1), Font::mono, 14, chosen ? theme.ink : theme.muted,
                        Align::center);
        ui::tooltip(d.ui, {x, top, w, h + 16},
                    size ? "position " + std::to_string(i + 1) + ": " + ui::number(*size, 1) + " logits; with its mean " +
                               ui::number(c.internals()->number("delta l2").value_or(0), 1)
                         : "position " + std::to_string(i + 1) + ": not corrected");
    }
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
    canvas.text({right, y}, ui::signed_number(m.gain(), 1), Font::mono, 14, theme.ink, Align::right);
    ui::tooltip(d.ui, {x - 12, y - 17, right - x + 24, 24},
                quoted(*d.input.trace, m.token) + ": base logit " + ui::number(m.base_logit, 2) + ", final " +
                    ui::number(m.final_logit, 2) + ", δ " + ui::signed_number(m.delta(), 2) + "; less what all tokens share " +
                    ui::signed_number(m.gain(), 2) + "; probability " + fine_probability(std::exp(m.base_logp)) + " to " +
                    fine_probability(std::exp(m.final_logp)));
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
    dim_other_bands(d);
    draw_heat_key(d.input, d.ui, domino_title(d.input, d.model).subtitle);
}

DominoGrid domino_grid(const SceneInput& input, const DominoModel& model) {
    const Rect stage = input.stage;
    DominoGrid g;
    g.spare = input.presenter;
    g.opening = input.presenter && input.beat <= kDominoBaseBeat;
    g.gutter = stage.x + 24;
    g.left = stage.x + 152;
    g.limit = stage.right() - 24;
    const int total = std::max(1, static_cast<int>(model.columns.size()));
    const float room = g.limit - g.left + 48;
    g.count = std::clamp(static_cast<int>(room / 200), 1, total);
    if (g.spare && !g.opening) g.count = std::min(g.count, 2);
    // few columns are wide: the words of the backbone and of the clock go across them
    g.pitch = std::min((g.spare && !g.opening) || g.count == 2 ? 380.0F
                       : g.count == 1                          ? 640.0F
                                                               : 264.0F,
                       std::floor(room / static_cast<float>(g.count) / 4) * 4);
    g.width = g.pitch - 48;
    // the chosen position and what came before it
    g.first = std::clamp(model.selected - (g.count > 2 ? 1 : g.count - 1), 0, total - g.count);
    const float y = stage.y;
    g.tall = stage.h >= 640;
    g.rows = g.tall || stage.h >= 560 ? 3 : 2;
    const float distribution = 23.0F * static_cast<float>(g.rows);
    g.labels = y + 98;
    if (g.opening) {
        g.tall = true;
        g.rows = 3;
        g.labels = y + 92, g.block = y + 106, g.backbone = y + 144, g.features = y + 186, g.head = y + 208, g.base = y + 240;
        g.on = input.beat == kDominoBaseBeat ? g.base + 39 : g.head;
    } else if (g.spare) {
        g.rows = 2;
        g.labels = y + 92, g.block = g.backbone = g.features = g.head = 0, g.base = y + 108;
        g.head_shown = input.beat < kDominoBothBeat;
        g.both = input.beat == kDominoBothBeat;
        g.state = g.mixed = g.base + 46 + 18;
        g.delta = g.head_shown ? g.state + 47 : g.state + 6;
        g.final = g.delta + 7;
        g.draft = g.final + 46 + 8;
        g.off = g.draft + (g.both ? 46 : 42), g.on = g.both ? g.off + 32 : g.off;
        g.clock = input.beat > kDominoBothBeat ? g.on + 40 : stage.bottom();
        g.tall = false;
    } else if (g.tall) {
        g.block = y + 106, g.backbone = y + 144, g.features = y + 186, g.head = y + 208, g.base = y + 240;
        g.state = g.base + distribution + 23;
        g.mixed = g.state + 38, g.delta = g.state + 69, g.final = g.state + 77;
        g.draft = g.final + distribution + 8;
        g.off = g.draft + 50, g.on = g.off + 34, g.clock = g.on + 44;
    } else {
        g.block = y + 106, g.backbone = y + 138, g.features = g.head = g.backbone, g.base = y + 172;
        g.state = g.base + distribution + 16;
        g.mixed = g.state, g.delta = g.state + 47, g.final = g.state + 54;
        g.draft = g.final + distribution + 6;
        g.off = g.draft + 46, g.on = g.off + 32, g.clock = g.on + 36;
    }
    g.bottom = stage.bottom();
    return g;
}

void draw_domino_movers(const DominoDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, right = r.right() - 24;
    const DominoColumn& c = d.column(d.model.selected);
    const Internals* internals = c.internals();
    ui::fitted_text(canvas, {x, r.y + 32}, "Top movers at position " + std::to_string(d.model.selected + 1), Font::text_bold, 15, theme.ink,
                    right - x);
    const float sizes_h = r.h >= 360 ? 106.0F : r.h >= 250 ? 84.0F : 0.0F;
    float end = r.y + 130; // of the list
    if (!internals || internals->movers.empty()) {
        const std::string why = !d.model.internals                            ? domino_says("no_movers.no_lens"_t)
                                : !d.model.head_on                            ? domino_says("no_movers.off"_t)
                                : !c.corrected && d.model.columns.size() == 1 ? domino_says("no_movers.one"_t)
                                : !c.corrected                                ? domino_says("no_movers.base"_t)
                                                                              : domino_says("no_movers.nothing"_t);
        ui::paragraph(canvas, {x, r.y + 64}, right - x, why, {.color = theme.muted});
    } else {
        canvas.ring({x + 5, r.y + 54}, 5, {theme.role(Role::draft), 1.5F});
        canvas.text({x + 16, r.y + 59}, "base", Font::text, 14, theme.muted);
        canvas.disc({x + 65, r.y + 54}, 4, theme.role(Role::draft));
        canvas.text({x + 75, r.y + 59}, "final probability", Font::text, 14, theme.muted);
        canvas.text({right, r.y + 59}, "δ log p", Font::text, 14, theme.muted, Align::right);
        double most = 0.1;
        for (const Internals::Mover& m : internals->movers) most = std::max({most, std::exp(m.base_logp), std::exp(m.final_logp)});
        const float axis = r.bottom() - (sizes_h > 0 ? sizes_h + 44 : 28.0F);
        const int rows = std::min(static_cast<int>(internals->movers.size()), std::max(1, static_cast<int>((axis - r.y - 70) / 24)));
        const ui::Scale scale{0, most, x + 108, right - 62};
        const ui::Ticks marks = ui::ticks(0, most, 3);
        float y = r.y + 84;
        const float low = y + 24 * static_cast<float>(rows - 1) + 10;
        for (const double at : marks.values) canvas.line({scale(at), r.y + 70}, {scale(at), low}, theme.hairline());
        for (int i = 0; i < rows; ++i, y += 24) {
            const Internals::Mover& m = internals->movers[static_cast<std::size_t>(i)];
            mover_row(d, m, x, right, y, scale, m.token == c.draft->token);
        }
        end = low + 22;
        for (const double at : marks.values)
            canvas.text({scale(at), low + 16}, ui::tick_label(at, marks.decimals), Font::mono, 14, theme.muted, Align::center);
    }
    if (sizes_h > 0 && d.model.internals && d.model.head_on) {
        const float h = std::clamp(r.bottom() - end - 30, sizes_h, 180.0F), y = r.bottom() - h - 8;
        canvas.line({x, y - 8.5F}, {right, y - 8.5F}, theme.hairline());
        sizes(d, {x, y, right - x, h});
    }
}

void draw_domino_controls(const DominoDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const std::string off = no_models(d.input);
    const std::array<std::string, 2> states = {"on", "off"};
    Rect at = row.place(ui::segmented_width(ui.canvas, states));
    ui::field_label(ui, at, "Head");
    if (const auto pick = ui::segmented(ui, "head", {at.x, at.y}, states, d.model.head_on ? 0 : 1, off);
        pick && (*pick == 0) != d.model.head_on)
        d.out.push_back(switch_head(d.input, d.model));

    guess_stepper(ui, d.model, "Position", row, d.out);

    const DominoColumn& c = d.column(d.model.selected);
    at = row.place(184);
    ui::field_label(ui, at, "Force d" + std::to_string(d.model.selected + 1));
    std::vector<ui::Choice> tokens;
    std::vector<int> ids;
    int chosen = -1;
    const auto offer = [&](int id, double p) {
        if (std::ranges::find(ids, id) != ids.end()) return;
        if (id == c.draft->token) chosen = static_cast<int>(ids.size());
        ids.push_back(id);
        tokens.push_back({quoted(*d.input.trace, id), fine_probability(p), ""});
    };
    for (const TopEntries::Entry& entry : c.final.entries) {
        if (ids.size() == 10) break;
        offer(entry.id, std::exp(entry.logp));
    }
    offer(c.draft->token, listed(c.final, c.draft->token).value_or(0));
    if (c.base_choice >= 0) offer(c.base_choice, listed(c.final, c.base_choice).value_or(0));
    if (const auto pick =
            ui::dropdown(ui, "force", at, tokens, chosen, {.tooltip = "Replays this round with another guess here", .disabled = off});
        pick && *pick != chosen)
        d.out.push_back(force_token(d.model, d.model.selected, ids[static_cast<std::size_t>(*pick)]));

    const std::optional<Position> rescue = next_rescue(*d.input.whole, d.model.round->round);
    std::string_view no_rescue;
    if (!rescue)
        no_rescue = "No round of this run so far";
    else if (rescue->round == d.model.round->round)
        no_rescue = "This round is the only one so far";
    at = row.place(std::min(164.0F, row.room()));
    ui::field_label(ui, at, "Saved by the head");
    if (ui::button(ui, "rescue", at, at.w >= 160 ? "Next such round" : "Next round", {.shortcut = "Y", .disabled = no_rescue}))
        for (const RoundSummary& round : d.input.whole->round_list)
            if (round.round == rescue->round) {
                d.out.push_back(SetCursor{round.end_event});
                d.out.push_back(Select{*rescue});
            }
    if (row.room() < 150) return;
    row.x = std::max(row.x + 8, row.right - 172);
    at = row.place(172);
    ui::field_label(ui, at, "Same block, same dice");
    std::string done = off;
    if (done.empty() && d.model.replayed) done = "Replayed: the row shows it";
    DrafterOptions options = d.input.settings ? round_settings(d.input, d.model.round->round).options : DrafterOptions{};
    options.correction = !d.model.head_on;
    if (ui::button(ui, "replay", at, d.model.head_on ? "Replay head off" : "Replay head on", {.disabled = done}))
        d.out.push_back(Command{FetchReplay{d.model.round->round, options}});
}

} // namespace speclens
