// The coin of one token, with a handle; the two strips that show that what the draft over-claims equals what
// the target is owed; and the proof that kept drafts and replacements stack up to the target.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/accept/accept_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::probability;
using ui::Rect;
using ui::Role;

std::string formula(const AcceptDraw& d) {
    const AcceptBar& bar = d.view.bar();
    const Letters letter = letters(d.input.letters_article);
    if (!d.view.coin_known()) return "the recorded heads do not tell its threshold";
    if (bar.q <= 0) return "the draft never proposes it";
    const std::string least =
        std::string("accept if u < min(1, ") + letter.target + " ÷ " + letter.draft + ") = ";
    if (bar.p >= bar.q)
        return least + "1, because " + fine_probability(bar.p) + " ≥ " + fine_probability(bar.q);
    return least + three_digits(bar.p) + " ÷ " + three_digits(bar.q) + " ≈ " +
           fine_probability(d.view.threshold());
}

struct Piece {
    std::size_t bar;
    double mass;
};
std::vector<Piece> pieces(const AcceptView& view, double (AcceptBar::*mass)() const) {
    std::vector<Piece> list;
    for (std::size_t i = 0; i < view.bars.size(); ++i) {
        const double m = (view.bars[i].*mass)();
        if (m > 1e-6) list.push_back({i, m});
    }
    std::ranges::sort(list, [](const Piece& a, const Piece& b) { return a.mass > b.mass; });
    return list;
}

void draw_share(const AcceptDraw& d, Rect strip, const std::vector<Piece>& list, Role role) {
    if (list.empty()) {
        ui::slot(d.ui.canvas, d.ui.theme, strip, "nothing");
        return;
    }
    std::vector<double> shares;
    for (const Piece& piece : list) shares.push_back(piece.mass);
    ui::share_strip(d.ui.canvas, d.ui.theme, strip, shares, role);
    const AcceptBar& first = d.view.bars[list[0].bar];
    const std::string label = bar_label(d.input, first), number = probability(list[0].mass);
    const float w =
        ui::token_text_width(d.ui.canvas, label, 15) + 8 + d.ui.canvas.text_width(number, Font::mono, 14);
    const float room = strip.w * static_cast<float>(list[0].mass / std::max(1e-9, 1 - d.view.kept));
    if (w + 24 > room) return;
    d.ui.canvas.fill({strip.x + 6, strip.y + 3, w + 12, strip.h - 6}, d.ui.theme.bg.alpha(0.85F), 2);
    const float used = ui::token_text(d.ui.canvas, {strip.x + 12, strip.y + 17}, label, 15, d.ui.theme.ink);
    d.ui.canvas.text({strip.x + 20 + used, strip.y + 17}, number, Font::mono, 14, d.ui.theme.ink);
}

} // namespace

void draw_accept_coin(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AcceptBar& bar = d.view.bar();
    const float y = d.input.stage.y + g.y; // offsets below are those of the tall layout
    canvas.line({g.left, y + 416.5F}, {g.right, y + 416.5F}, theme.hairline());
    const std::string coin_for = "The coin for";
    canvas.text({g.left, y + 444}, coin_for, Font::text_bold, 15, theme.ink);
    float x = g.left + canvas.text_width(coin_for, Font::text_bold, 15) + 10;
    const std::string label =
        bar.id < 0 ? std::string("other") : ui::fit_token(canvas, bar_label(d.input, bar), 15, 140);
    const float chip = ui::chip_width(canvas, label, 28);
    ui::chip(canvas, theme, {x, y + 425, chip, 28}, label, {.role = Role::draft});
    x += chip + 12;

    const bool known = d.view.coin_known(), proposed = known && bar.q > 0;
    const bool accepts = proposed && d.view.accepts();
    const std::string verdict = verdict_words(d.input, d.view);
    const float verdict_width = canvas.text_width(verdict, Font::text_bold, 15);
    canvas.text({g.right, y + 444}, verdict, Font::text_bold, 15, theme.ink, Align::right);
    if (proposed && d.view.thrown)
        ui::icon(canvas, accepts ? ui::Icon::check : ui::Icon::cross, {g.right - verdict_width - 14, y + 439},
                 14, theme.role(accepts ? Role::accepted : Role::rejected));
    ui::fitted_text(canvas, {x, y + 444}, formula(d), Font::text, 15, theme.muted,
                    g.right - verdict_width - 36 - x);

    const Rect gauge{g.left, y + 472, g.right - g.left, 24};
    const double a = proposed ? d.view.threshold() : 0;
    ui::gauge(canvas, theme, gauge, {.accept = a, .large = true});
    const float ax = gauge.x + gauge.w * static_cast<float>(a);
    const float ux = gauge.x + gauge.w * static_cast<float>(d.view.coin);
    const float label_x = ux < gauge.x + 72 ? ux + 12 : gauge.x + 12; // beside the coin, never under it
    if (ax - label_x > 68)
        canvas.text({label_x, gauge.y + 17}, "accept", Font::text_bold, 14, theme.on(Role::accepted));
    ui::coin_marker(canvas, theme, ux, gauge.y - 8, gauge.bottom() + 8);
    canvas.disc({ux, gauge.y - 8}, 7, theme.ink);
    const ui::Handle handle = ui::drag_handle(d.ui, "coin", {ux, gauge.y + 4}, gauge.w / 100);
    if (handle.touch.hovered || handle.touch.held || handle.touch.focused)
        canvas.ring({ux, gauge.y - 8}, 10, {theme.ink, 2});
    if (handle.moved) {
        AcceptEdit edit = d.state.edit;
        edit.coin = std::clamp(static_cast<double>((handle.moved->x - gauge.x) / gauge.w), 0.0, 0.9999);
        d.wish.edit = edit;
    }
    if (handle.touch.held || handle.touch.released) d.wish.dragging = true;
    const std::string u = "u = " + probability(d.view.coin);
    const bool flip = ux + 14 + canvas.text_width(u, Font::mono_medium, 15) > g.right;
    canvas.text({flip ? ux - 14 : ux + 14, gauge.y - 6}, u, Font::mono_medium, 15, theme.ink,
                flip ? Align::right : Align::left);

    // Scale below the gauge; the threshold moves aside from 0 and 1.
    canvas.text({gauge.x, gauge.bottom() + 20}, "0", Font::mono, 14, theme.muted);
    canvas.text({gauge.right(), gauge.bottom() + 20}, "1", Font::mono, 14, theme.muted, Align::right);
    const bool ends = ax < gauge.x + 40 || ax > gauge.right() - 40;
    if (!ends)
        canvas.text({ax, gauge.bottom() + 20}, probability(a), Font::mono, 14, theme.ink, Align::center);
    const std::string hint =
        !known ? std::string("choose a token that both heads list")
        : !proposed
            ? letters(d.input.letters_article).draft + std::string(" = 0: it can only come as a replacement")
        : !d.view.thrown ? "this run threw no coin: at " + probability(d.view.coin) + " one would " +
                               (accepts ? "keep it" : "reject it")
        : a >= 1  ? std::string("every coin accepts: the target likes it at least as much")
        : accepts ? "drag u to " + fine_probability(a) + " or above to lose it"
                  : "drag u below " + fine_probability(a) + " to keep it";
    const float hint_width = canvas.text_width(hint, Font::text, 14);
    const float after = ax + 32, room = g.right - 24 - after;
    if (!ends && room < hint_width)
        canvas.text({ax - 32, gauge.bottom() + 20}, hint, Font::text, 14, theme.muted, Align::right);
    else
        canvas.text({ends ? gauge.x + 24 : after, gauge.bottom() + 20}, hint, Font::text, 14, theme.muted);
}

void draw_accept_strips(const AcceptDraw& d) {
    const float y = d.input.stage.y + d.grid.y, x = d.grid.left, w = 356;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({x, y + 532.5F}, {d.grid.right, y + 532.5F}, theme.hairline());
    canvas.text({x, y + 560}, "Over-claimed = owed", Font::text_bold, 15, theme.ink);
    const std::string mass = lost_number(d.view);
    canvas.text({x + w, y + 560}, d.view.at_least ? mass : mass + " = " + mass, Font::mono, 14, theme.muted,
                Align::right);
    if (d.view.at_least) {
        ui::paragraph(canvas, {x, y + 588}, w,
                      "The recorded heads do not list enough of both laws to say which tokens share it. "
                      "A live run fetches whole laws; --trace-top all records them.",
                      {.size = 14, .color = theme.muted});
        return;
    }
    const std::vector<Piece> over = pieces(d.view, &AcceptBar::over), owed = pieces(d.view, &AcceptBar::owed);
    draw_share(d, {x, y + 576, w, 24}, over, Role::rejected);
    draw_share(d, {x, y + 608, w, 24}, owed, Role::residual);
    if (owed.empty()) {
        ui::fitted_text(canvas, {x, y + 652}, "the laws are equal: nothing is ever rejected", Font::text, 14,
                        theme.muted, w);
        return;
    }
    // The residual as a law of its own.
    const std::string lead = "÷ " + mass + ":";
    canvas.text({x, y + 652}, lead, Font::text, 14, theme.muted);
    float right = x + w;
    const float left = x + canvas.text_width(lead, Font::text, 14) + 12;
    std::vector<std::pair<std::string, std::string>> items;
    float used = 0;
    for (const Piece& piece : owed) {
        const AcceptBar& bar = d.view.bars[piece.bar];
        const std::string label = bar_label(d.input, bar),
                          number = probability(piece.mass / (1 - d.view.kept));
        const float item =
            ui::token_text_width(canvas, label, 14) + 6 + canvas.text_width(number, Font::mono, 14) + 14;
        if (left + used + item - 14 > right || items.size() == 4) break;
        used += item;
        items.emplace_back(label, number);
    }
    float at = right - used + 14;
    for (const auto& [label, number] : items) {
        at += ui::token_text(canvas, {at, y + 652}, label, 14, theme.muted) + 6;
        canvas.text({at, y + 652}, number, Font::mono, 14, theme.ink);
        at += canvas.text_width(number, Font::mono, 14) + 14;
    }
}

void draw_accept_proof(const AcceptDraw& d) {
    const float y = d.input.stage.y + d.grid.y, left = d.grid.left + 404, right = d.grid.right;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({left - 24 + 0.5F, y + 548}, {left - 24 + 0.5F, y + 652}, theme.hairline());
    canvas.text({left, y + 560}, "Proof", Font::text_bold, 15, theme.ink);
    ui::fitted_text(canvas, {left + 48, y + 560}, "kept drafts + replacements = target, bar by bar",
                    Font::text, 14, theme.muted, right - left - 48);
    const float joint = 38, chart = (right - left - 2 * joint) / 3;
    const std::size_t n = d.view.bars.size();
    const float step = chart / static_cast<float>(n), bar = std::max(2.0F, std::min(12.0F, step - 2));
    double highest = 1e-9;
    for (const AcceptBar& b : d.view.bars) highest = std::max(highest, b.p);
    const float base = y + 632, full = 60;
    const auto px = [&](double value) { return static_cast<float>(value / highest) * full; };
    const auto owed = [&](float x, float bottom, float h) {
        if (h < 0.5F) return;
        canvas.fill({x, bottom - h, bar, h}, theme.role(Role::residual).alpha(0.35F));
        if (h >= 2)
            canvas.outline({x + 0.5F, bottom - h + 0.5F, bar - 1, h - 1},
                           {theme.role(Role::residual), 1, 2, 2});
    };
    for (int k = 0; k < 3; ++k) {
        const float x0 = left + static_cast<float>(k) * (chart + joint);
        for (std::size_t i = 0; i < n; ++i) {
            const AcceptBar& b = d.view.bars[i];
            const float x = x0 + step * static_cast<float>(i), kept = px(b.kept);
            if (k != 1) canvas.fill({x, base - kept, bar, kept}, theme.role(Role::accepted).alpha(0.8F));
            if (k != 0) owed(x, k == 1 ? base : base - kept, px(b.owed()));
            if (k == 2)
                canvas.line({x - 1, base - px(b.p)}, {x + bar + 1, base - px(b.p)},
                            {theme.role(Role::target), 2});
        }
        canvas.line({x0 - 2, base + 0.5F}, {x0 + chart, base + 0.5F}, theme.hairline());
        const std::string words = k == 0   ? "kept " + kept_number(d.view)
                                  : k == 1 ? lost_number(d.view) + " × residual"
                                           : "target 1.00";
        canvas.text({x0 + chart / 2, y + 652}, words, Font::text, 14, theme.muted, Align::center);
        if (k < 2)
            canvas.text({x0 + chart + joint / 2 - 2, base - 20}, k == 0 ? "+" : "=", Font::text_bold, 20,
                        theme.ink, Align::center);
    }
}

} // namespace speclens
