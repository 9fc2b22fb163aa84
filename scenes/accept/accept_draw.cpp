// The picture of the accept-rule scene. The chart: overlap solid, draft excess hatched, target excess dotted, a cap
// with a handle for either model; the table of numbers under it.
#include "scenes/accept/accept_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "scenes/shared/emphasis.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/glyphs.h"
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

// What the coin on screen decides, and where it would decide otherwise. `a`: accepted below it.
std::string coin_hint(const AcceptDraw& d, bool proposed, double a) {
    if (!d.view.coin_known()) return "choose a token that both heads list";
    if (!proposed) return letters(d.input.letters_article).draft + std::string(" = 0: it can only come as a replacement");
    const bool accepts = d.view.accepts();
    if (!d.view.thrown)
        return "this run threw no coin: at " + probability(d.view.coin) + " one would " + (accepts ? "keep it" : "reject it");
    if (a >= 1) return "every coin accepts: the target likes it at least as much";
    return accepts ? "drag u to " + fine_probability(a) + " or above to lose it" : "drag u below " + fine_probability(a) + " to keep it";
}

void draw_axis(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const double step = g.high <= 0.5 ? 0.1 : 0.2;
    for (int i = 0; i * step <= g.high + 1e-9; ++i) {
        const float y = g.base - g.px(i * step) + 0.5F;
        d.ui.canvas.line({g.first - 24, y}, {g.right, y}, {d.ui.theme.line.alpha(i == 0 ? 0.9F : 0.6F), d.ui.theme.edge_width});
        d.ui.canvas.text({g.first - 32, y + 4.5F}, ui::tick_label(i * step, 1), Font::mono, 14, d.ui.theme.muted, Align::right);
    }
}

// The masses of one bar, bottom up.
void draw_masses(const AcceptDraw& d, const AcceptBar& bar, float x) {
    const AcceptGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    const float kept = g.px(bar.kept), top_p = g.px(bar.p), top_q = g.px(bar.q);
    d.ui.canvas.fill({x, g.base - kept, g.bar, kept}, theme.role(Role::accepted).alpha(0.55F));
    // "other" may hold both kinds of excess at once; they then share the width.
    const bool both = bar.over() > 1e-4 && bar.owed() > 1e-4;
    const float w = both ? g.bar / 2 : g.bar;
    if (top_p > kept + 0.5F) {
        const Rect owed{both ? x + w : x, g.base - top_p, w, top_p - kept};
        d.ui.canvas.fill(owed, theme.role(Role::residual).alpha(0.3F));
        if (owed.h >= 2) d.ui.canvas.outline(owed.inset(0.75F, 0.75F), theme.edge(Role::residual));
    }
    if (top_q > kept + 0.5F) {
        const Rect over{x, g.base - top_q, w, top_q - kept};
        d.ui.canvas.fill(over, theme.role(Role::rejected).alpha(0.2F));
        d.ui.canvas.hatch(over, theme.role(Role::rejected), 7, 1.5F);
    }
}

void drag(const AcceptDraw& d, std::size_t i, Side side, float x, float y) {
    const bool target = side == Side::target;
    d.ui.push_id(target ? "target" : "draft");
    // The draft's handle of one bar stands close to the target's of the next: half the way belongs to each.
    const float size = d.ui.target, out = std::min(size / 2, (d.grid.pitch - d.grid.bar) / 2 - 8);
    const Rect hit{target ? x - out : x + out - size, y - size / 2, size, size};
    const ui::Handle handle = ui::drag_handle(d.ui, "bar " + std::to_string(i), {x, y}, d.grid.px(0.01), hit);
    if (handle.touch.hovered || handle.touch.held || handle.touch.focused) d.ui.canvas.ring({x, y}, 9, {d.ui.theme.ink, 2});
    if (handle.touch.began) d.wish.chosen = static_cast<int>(i);
    if (handle.moved) {
        AcceptEdit edit = d.editable();
        const double value =
            static_cast<double>(d.grid.base - handle.moved->y) / static_cast<double>(d.grid.base - d.grid.top) * d.grid.high;
        set_bar(edit.bars, i, side, value);
        d.wish.edit = edit;
    }
    if (handle.touch.held || handle.touch.released) d.wish.dragging = true;
    d.ui.pop_id();
}

void draw_caps(const AcceptDraw& d, std::size_t i, const AcceptBar& bar) {
    const AcceptGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    const float x = g.x(i), yp = g.base - g.px(bar.p), yq = g.base - g.px(bar.q);
    d.ui.canvas.line({x - 8, yp}, {x + g.bar, yp}, {theme.role(Role::target), 3});
    d.ui.canvas.line({x, yq}, {x + g.bar + 8, yq}, {theme.role(Role::draft), 3, 6, 3});
    d.ui.canvas.fill({x - 13.5F, yp - 5.5F, 11, 11}, theme.bg);
    d.ui.canvas.fill({x - 12.5F, yp - 4.5F, 9, 9}, theme.role(Role::target));
    const std::array<ui::Vec2, 4> diamond = {
        ui::Vec2{x + g.bar + 8, yq - 6}, {x + g.bar + 14, yq}, {x + g.bar + 8, yq + 6}, {x + g.bar + 2, yq}};
    d.ui.canvas.fill_convex(diamond, theme.role(Role::draft));
    drag(d, i, Side::target, x - 8, yp);
    drag(d, i, Side::draft, x + g.bar + 8, yq);
}

struct Sum {
    const char* word;
    const char* detail;
    std::string number;
    Role role;
    bool told; // the beat is about it
};

std::array<Sum, 3> sums_of(const AcceptDraw& d) {
    const int beat = std::clamp(d.input.beat, 0, kAcceptBeats - 1);
    return {Sum{"kept", "where the two overlap", kept_number(d.view), Role::accepted, beat == 1},
            Sum{"rejected", "draft above target", lost_number(d.view), Role::rejected, beat == 4},
            Sum{"owed", "target above draft", lost_number(d.view), Role::residual, beat == 4 || beat == 5}};
}

// The tallest cap of either distribution, which is labelled instead of a legend; none where both are of one bar.
struct NamedBars {
    std::size_t target = 0, draft = 0;
};
std::optional<NamedBars> named_bars(const AcceptView& view) {
    NamedBars named;
    for (std::size_t i = 1; i < view.bars.size(); ++i) {
        if (view.bars[i].p > view.bars[named.target].p) named.target = i;
        if (view.bars[i].q > view.bars[named.draft].q) named.draft = i;
    }
    return named.target == named.draft ? std::nullopt : std::optional(named);
}

// The three sums stand where no bar is in their way, from the right end on, and beside the chosen column
// where there is room.
struct SumPlaces {
    std::array<float, 3> x{}, w{};
    bool shown = false; // else no room beside the bars; the table has the sums as well
    bool over_chosen = false;
};

SumPlaces sum_places(const AcceptDraw& d, const std::array<Sum, 3>& sums) {
    const AcceptGrid& g = d.grid;
    const float bottom = g.top + 56;
    const float band = g.x(static_cast<std::size_t>(d.view.chosen)) - (g.pitch - g.bar) / 2;
    const auto named = named_bars(d.view);
    SumPlaces places;
    const auto free = [&](float a, float b) {
        if (!places.over_chosen && band - 4 < b && band + g.pitch + 4 > a) return false;
        for (std::size_t i = 0; i < d.view.bars.size(); ++i) {
            const float height = g.px(std::max(d.view.bars[i].p, d.view.bars[i].q));
            const float x = g.x(i);
            const float above = named && (i == named->target || i == named->draft) ? 34 : 10;
            if (g.base - height < bottom + above && x - 20 < b && x + g.bar + 22 > a) return false;
        }
        return true;
    };
    // As wide as its words, with air at both ends; `least` makes all three alike.
    const auto fit = [&](float least, float apart) {
        float right = std::min(g.right, g.x(10) + g.bar + 20);
        for (std::size_t k = 3; k-- > 0;) {
            const ui::Canvas& canvas = d.ui.canvas;
            const float words =
                std::max(canvas.text_width(sums[k].detail, Font::text, 14), canvas.text_width(sums[k].number, Font::mono_medium, 20) + 8 +
                                                                                canvas.text_width(sums[k].word, Font::text_bold, 20));
            const float w = std::max(least, 26 + words + 12);
            float x = right - w;
            while (x > g.first - 20 && !free(x, x + w)) x -= 8;
            if (x <= g.first - 20) return false;
            places.x[k] = x, places.w[k] = w;
            right = x - apart;
        }
        return places.shown = true;
    };
    if (fit(196, 20) || fit(0, 8)) return places;
    places.over_chosen = true;
    (void)fit(196, 20);
    return places;
}

// In one line above the chart, where there is no room beside the bars.
void draw_sums_line(const AcceptDraw& d, const std::array<Sum, 3>& sums) {
    float x = d.grid.first - 24;
    const float y = d.grid.top - 14;
    for (const Sum& sum : sums) {
        const std::string words = sum.number + " " + sum.word;
        const float w = d.ui.canvas.text_width(words, Font::text_bold, 15) + 26;
        if (sum.told) d.ui.canvas.fill({x - 6, y - 17, w + 10, 24}, d.ui.theme.raised, 6);
        d.ui.canvas.fill({x, y - 13, 4, 16}, d.ui.theme.role(sum.role), 1);
        d.ui.canvas.text({x + 12, y}, words, Font::text_bold, 15, d.ui.theme.ink);
        x += w + 20;
    }
}

void draw_sums(const AcceptDraw& d, const std::array<Sum, 3>& sums, const SumPlaces& places) {
    if (!places.shown) return;
    const AcceptGrid& g = d.grid;
    for (std::size_t k = 0; k < 3; ++k) {
        const float x = places.x[k];
        // A ground of its own: no line of the grid runs through the words.
        d.ui.canvas.fill({x - 10, g.top - 8, places.w[k], 64}, sums[k].told ? d.ui.theme.raised : d.ui.theme.bg, 6);
        d.ui.canvas.fill({x, g.top, 4, 48}, d.ui.theme.role(sums[k].role), 1);
        const std::string& number = sums[k].number;
        d.ui.canvas.text({x + 16, g.top + 20}, number, Font::mono_medium, 20, d.ui.theme.ink);
        const float used = d.ui.canvas.text_width(number, Font::mono_medium, 20);
        d.ui.canvas.text({x + 16 + used + 8, g.top + 20}, sums[k].word, Font::text_bold, 20, d.ui.theme.ink);
        d.ui.canvas.text({x + 16, g.top + 44}, sums[k].detail, Font::text, 14, d.ui.theme.muted);
    }
}

// Bars, handles, the three sums.
void draw_accept_chart(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const std::array<Sum, 3> sums = sums_of(d);
    const SumPlaces places = d.parts().sums && g.numbers ? sum_places(d, sums) : SumPlaces{};
    const float table = g.base + (g.numbers ? 92.0F : 32.0F), band = places.over_chosen ? g.top + 64 : g.close ? g.top - 6 : g.top - 28;
    d.ui.canvas.fill({g.x(static_cast<std::size_t>(d.view.chosen)) - (g.pitch - g.bar) / 2 + 1, band, g.pitch - 2, table - band},
                     d.ui.theme.raised.alpha(0.75F), 6);
    draw_axis(d);
    draw_sums(d, sums, places);
    if (d.parts().sums && !places.shown && g.close) draw_sums_line(d, sums);
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) draw_masses(d, d.view.bars[i], g.x(i));
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) draw_caps(d, i, d.view.bars[i]);
    const Letters letter = letters(d.input.letters_article);
    const auto label = [&](std::size_t i, double value, const std::string& words) {
        d.ui.canvas.text({g.x(i) + g.bar / 2, std::max(g.top - 12, g.base - g.px(value) - 12)}, words, Font::text_bold, 14, d.ui.theme.ink,
                         Align::center);
    };
    if (const auto named = named_bars(d.view)) {
        const AcceptBar &target = d.view.bars[named->target], &draft = d.view.bars[named->draft];
        label(named->target, std::max(target.p, target.q), std::string("target ") + letter.target);
        label(named->draft, std::max(draft.p, draft.q), std::string("draft ") + letter.draft);
    }
}

// Labels and numbers under the bars.
void draw_accept_table(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Letters letter = letters(d.input.letters_article);
    const float y = g.base;
    const bool overlap = d.parts().sums && g.numbers;
    if (g.numbers) {
        ui::icon(canvas, ui::Icon::square, {g.left + 6, y + 43}, 10, theme.role(Role::target));
        ui::icon(canvas, ui::Icon::diamond, {g.left + 6, y + 63}, 10, theme.role(Role::draft));
        canvas.text({g.left + 18, y + 48}, std::string("target ") + letter.target, Font::text, 14, theme.muted);
        canvas.text({g.left + 18, y + 68}, std::string("draft ") + letter.draft, Font::text, 14, theme.muted);
    }
    if (overlap) ui::icon(canvas, ui::Icon::check, {g.left + 6, y + 83}, 10, theme.role(Role::accepted));
    if (overlap) canvas.text({g.left + 18, y + 88}, "overlap", Font::text, 14, theme.muted);
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) {
        const AcceptBar& bar = d.view.bars[i];
        const float x = g.x(i) + g.bar / 2;
        const bool chosen = static_cast<int>(i) == d.view.chosen;
        const Rect cell{x - g.pitch / 2, y + 4, g.pitch, g.numbers ? 88.0F : 28.0F};
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("slot " + std::to_string(i)), cell);
        if (touched.clicked) d.wish.chosen = static_cast<int>(i);
        if (touched.focused) ui::focus_ring(canvas, theme, cell);
        ui::tooltip(d.ui, cell,
                    bar.id < 0 ? std::string("all other tokens of the vocabulary together")
                               : bar_words(d.input, bar) + ", id " + std::to_string(bar.id));
        if (bar.id < 0)
            canvas.text({x, y + 24}, "other", Font::text, 14, theme.muted, Align::center);
        else
            ui::token_text(canvas, {x, y + 24}, ui::fit_token(canvas, bar_label(d.input, bar), 15, g.pitch - 8), 15, theme.ink,
                           Align::center);
        if (bar.locked) canvas.line({x - 14, y + 30}, {x + 14, y + 30}, {theme.ink, 2});
        if (!g.numbers) continue;
        const Font font = chosen ? Font::mono_medium : Font::mono;
        canvas.text({x, y + 48}, share_number(bar, Side::target), font, 14, theme.ink, Align::center);
        const bool never = d.parts().reach && bar.id >= 0 && bar.never > 0;
        canvas.text({x, y + 68}, never ? "never" : share_number(bar, Side::draft), never ? Font::text : font, 14, theme.ink, Align::center);
        if (overlap) canvas.text({x, y + 88}, overlap_number(bar), font, 14, theme.ink, Align::center);
        if (bar.touched) canvas.disc({x + 26, y + 53}, 2, theme.ink);
    }
    if (!g.numbers) return;
    canvas.text({g.right, y + 24}, "sum", Font::text, 14, theme.muted, Align::right);
    canvas.text({g.right, y + 48}, "1.00", Font::mono, 14, theme.ink, Align::right);
    canvas.text({g.right, y + 68}, "1.00", Font::mono, 14, theme.ink, Align::right);
    if (overlap) canvas.text({g.right, y + 88}, kept_number(d.view), Font::mono, 14, theme.ink, Align::right);
}

// The coin of one token, with a handle; the two strips that show that what the draft over-claims equals what
// the target is owed; and the proof that kept drafts and replacements stack up to the target.

// The longest first.
std::vector<std::string> formula(const AcceptDraw& d) {
    const AcceptBar& bar = d.view.bar();
    if (!d.view.coin_known()) return {"the recorded heads do not tell its threshold"};
    if (bar.q <= 0) return {"the draft never proposes it"};
    const bool always = bar.p >= bar.q;
    const std::string ratio = always ? "1, because " + fine_probability(bar.p) + " ≥ " + fine_probability(bar.q)
                                     : three_digits(bar.p) + " ÷ " + three_digits(bar.q) + " ≈ " + fine_probability(d.view.threshold());
    return {"accept if u < min(1, target ÷ draft) = " + ratio, "accept if u < " + ratio};
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
    const float w = ui::token_text_width(d.ui.canvas, label, 15) + 8 + d.ui.canvas.text_width(number, Font::mono, 14);
    const float room = strip.w * static_cast<float>(list[0].mass / std::max(1e-9, 1 - d.view.kept));
    if (w + 24 > room) return;
    d.ui.canvas.fill({strip.x + 6, strip.y + 3, w + 12, strip.h - 6}, d.ui.theme.bg.alpha(0.85F), 2);
    const float used = ui::token_text(d.ui.canvas, {strip.x + 12, strip.y + 17}, label, 15, d.ui.theme.ink);
    d.ui.canvas.text({strip.x + 20 + used, strip.y + 17}, number, Font::mono, 14, d.ui.theme.ink);
}

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
    const std::string label = bar.id < 0 ? std::string("other") : ui::fit_token(canvas, bar_label(d.input, bar), 15, 140);
    const float chip = ui::chip_width(canvas, label, 28);
    ui::chip(canvas, theme, {x, y + 425, chip, 28}, label, {.role = Role::draft});
    x += chip + 12;

    const bool known = d.view.coin_known(), proposed = known && bar.q > 0;
    const bool accepts = proposed && d.view.accepts();
    const std::string verdict = verdict_words(d.input, d.view);
    const float verdict_width = canvas.text_width(verdict, Font::text_bold, 15);
    canvas.text({g.right, y + 444}, verdict, Font::text_bold, 15, theme.ink, Align::right);
    if (proposed && d.view.thrown)
        ui::icon(canvas, accepts ? ui::Icon::check : ui::Icon::cross, {g.right - verdict_width - 14, y + 439}, 14,
                 theme.role(accepts ? Role::accepted : Role::rejected));
    const float beside = g.right - verdict_width - 36 - x;
    ui::fitted_text(canvas, {x, y + 444}, ui::fitting(canvas, formula(d), Font::text, 15, beside), Font::text, 15, theme.muted, beside);

    const Rect gauge{g.left, y + 472, g.right - g.left, 24};
    const double a = proposed ? d.view.threshold() : 0;
    ui::gauge(canvas, theme, gauge, {.accept = a, .large = true});
    const float ax = gauge.x + gauge.w * static_cast<float>(a);
    const float ux = gauge.x + gauge.w * static_cast<float>(d.view.coin);
    const float label_x = ux < gauge.x + 72 ? ux + 12 : gauge.x + 12; // beside the coin, never under it
    if (ax - label_x > 68) canvas.text({label_x, gauge.y + 17}, "accept", Font::text_bold, 14, theme.on(Role::accepted));
    ui::coin_marker(canvas, theme, ux, gauge.y - 8, gauge.bottom() + 8);
    canvas.disc({ux, gauge.y - 8}, 7, theme.ink);
    const ui::Handle handle = ui::drag_handle(d.ui, "coin", {ux, gauge.y + 4}, gauge.w / 100);
    if (handle.touch.hovered || handle.touch.held || handle.touch.focused) canvas.ring({ux, gauge.y - 8}, 10, {theme.ink, 2});
    if (handle.moved) {
        AcceptEdit edit = d.state.edit;
        edit.coin = std::clamp(static_cast<double>((handle.moved->x - gauge.x) / gauge.w), 0.0, 0.9999);
        d.wish.edit = edit;
    }
    if (handle.touch.held || handle.touch.released) d.wish.dragging = true;
    const std::string u = "u = " + probability(d.view.coin);
    const bool flip = ux + 14 + canvas.text_width(u, Font::mono_medium, 15) > g.right;
    canvas.text({flip ? ux - 14 : ux + 14, gauge.y - 6}, u, Font::mono_medium, 15, theme.ink, flip ? Align::right : Align::left);

    // Scale below the gauge; the threshold moves aside from 0 and 1.
    canvas.text({gauge.x, gauge.bottom() + 20}, "0", Font::mono, 14, theme.muted);
    canvas.text({gauge.right(), gauge.bottom() + 20}, "1", Font::mono, 14, theme.muted, Align::right);
    const bool ends = ax < gauge.x + 40 || ax > gauge.right() - 40;
    if (!ends) canvas.text({ax, gauge.bottom() + 20}, probability(a), Font::mono, 14, theme.ink, Align::center);
    const std::string hint = coin_hint(d, proposed, a);
    const float hint_width = canvas.text_width(hint, Font::text, 14);
    const float after = ax + 32, room = g.right - 24 - after;
    if (!ends && room < hint_width)
        canvas.text({ax - 32, gauge.bottom() + 20}, hint, Font::text, 14, theme.muted, Align::right);
    else
        canvas.text({ends ? gauge.x + 24 : after, gauge.bottom() + 20}, hint, Font::text, 14, theme.muted);
}

constexpr float kStrips = 356, kProof = 404; // width of the strips, and where the proof begins beside them

// Over-claimed and owed. `y`: of the stage, as in the tall layout.
void draw_accept_strips(const AcceptDraw& d, float y) {
    const float x = d.grid.left, w = kStrips;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.text({x, y + 560}, "Over-claimed = owed", Font::text_bold, 15, theme.ink);
    const std::string mass = lost_number(d.view);
    canvas.text({x + w, y + 560}, d.view.at_least ? mass : mass + " = " + mass, Font::mono, 14, theme.muted, Align::right);
    if (d.view.at_least) {
        ui::paragraph(canvas, {x, y + 588}, w,
                      "The recorded heads do not list enough of both distributions to say which tokens share it. "
                      "A live run fetches whole distributions; --trace-top all records them.",
                      {.size = 14, .color = theme.muted});
        return;
    }
    const std::vector<Piece> over = pieces(d.view, &AcceptBar::over), owed = pieces(d.view, &AcceptBar::owed);
    draw_share(d, {x, y + 576, w, 24}, over, Role::rejected);
    draw_share(d, {x, y + 608, w, 24}, owed, Role::residual);
    if (owed.empty()) {
        ui::fitted_text(canvas, {x, y + 652}, "the distributions are equal: nothing is ever rejected", Font::text, 14, theme.muted, w);
        return;
    }
    // The residual as a distribution of its own.
    const std::string lead = "÷ " + mass + ":";
    canvas.text({x, y + 652}, lead, Font::text, 14, theme.muted);
    float right = x + w;
    const float left = x + canvas.text_width(lead, Font::text, 14) + 12;
    std::vector<std::pair<std::string, std::string>> items;
    float used = 0;
    for (const Piece& piece : owed) {
        const AcceptBar& bar = d.view.bars[piece.bar];
        const std::string label = bar_label(d.input, bar), number = probability(piece.mass / (1 - d.view.kept));
        const float item = ui::token_text_width(canvas, label, 14) + 6 + canvas.text_width(number, Font::mono, 14) + 14;
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

void draw_accept_proof(const AcceptDraw& d, float y) {
    const float left = d.grid.left + kProof, right = d.grid.right;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({left - 24 + 0.5F, y + 548}, {left - 24 + 0.5F, y + 652}, theme.hairline());
    canvas.text({left, y + 560}, "Proof", Font::text_bold, 15, theme.ink);
    const float beside = right - left - 48;
    const std::vector<std::string> sums{"kept drafts + replacements = target, bar by bar", "kept + replaced = target", ""};
    canvas.text({left + 48, y + 560}, ui::fitting(canvas, sums, Font::text, 14, beside), Font::text, 14, theme.muted);
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
        if (h >= 2) canvas.outline({x + 0.5F, bottom - h + 0.5F, bar - 1, h - 1}, {theme.role(Role::residual), 1, 2, 2});
    };
    for (int k = 0; k < 3; ++k) {
        const float x0 = left + static_cast<float>(k) * (chart + joint);
        for (std::size_t i = 0; i < n; ++i) {
            const AcceptBar& b = d.view.bars[i];
            const float x = x0 + step * static_cast<float>(i), kept = px(b.kept);
            if (k != 1) canvas.fill({x, base - kept, bar, kept}, theme.role(Role::accepted).alpha(0.8F));
            if (k != 0) owed(x, k == 1 ? base : base - kept, px(b.owed()));
            if (k == 2) canvas.line({x - 1, base - px(b.p)}, {x + bar + 1, base - px(b.p)}, {theme.role(Role::target), 2});
        }
        canvas.line({x0 - 2, base + 0.5F}, {x0 + chart, base + 0.5F}, theme.hairline());
        const std::string words = k == 0 ? "kept " + kept_number(d.view) : k == 1 ? lost_number(d.view) + " × residual" : "target 1.00";
        canvas.text({x0 + chart / 2, y + 652}, words, Font::text, 14, theme.muted, Align::center);
        if (k < 2) canvas.text({x0 + chart + joint / 2 - 2, base - 20}, k == 0 ? "+" : "=", Font::text_bold, 20, theme.ink, Align::center);
    }
}

// A number in a part of a strip, where it fits.
struct StripPart {
    double share;
    std::string words;
    ui::Color fill, edge;
    bool dotted = false;
};
void draw_strip(const AcceptDraw& d, Rect strip, std::span<const StripPart> parts) {
    ui::Canvas& canvas = d.ui.canvas;
    float x = strip.x;
    for (const StripPart& part : parts) {
        const Rect at{x, strip.y, strip.w * static_cast<float>(part.share), strip.h};
        x += at.w;
        if (at.w < 0.5F) continue;
        canvas.fill(at, part.fill);
        if (at.w >= 3)
            canvas.outline({at.x + 0.5F, at.y + 0.5F, at.w - 1, at.h - 1}, {part.edge, 1, part.dotted ? 2.0F : 0, part.dotted ? 2.0F : 0});
        ui::tooltip(d.ui, at, part.words + " " + fine_probability(part.share));
        const std::string number = probability(part.share);
        const std::vector<std::string> words{part.words + " " + number, number};
        const std::string fits = ui::fitting(canvas, words, Font::text, 14, at.w - 16);
        if (canvas.text_width(fits, Font::text, 14) <= at.w - 16)
            canvas.text({at.x + 8, at.y + 15.5F}, fits, Font::text, 14, d.ui.theme.ink);
    }
}

// The target's mass by whether the draft can name the token, and below it what comes out: both end with the same piece.
void draw_accept_reach(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AcceptReach& reach = d.view.reach;
    const float y = d.input.stage.y + g.y, names = g.left + 72;
    canvas.line({g.left, y + 416.5F}, {g.right, y + 416.5F}, theme.hairline());
    const std::string heading = "Out of the draft's reach";
    canvas.text({g.left, y + 440}, heading, Font::text_bold, 15, theme.ink);
    const float used = canvas.text_width(heading, Font::text_bold, 15) + 16;
    const std::string sum = std::string("1 − Σ ") + letters(d.input.letters_article).target + " over its " + ui::integer(reach.named) +
                            " of " + ui::integer(reach.ids) + " tokens = " + fine_probability(reach.never);
    ui::fitted_text(canvas, {g.right, y + 440}, sum, Font::text, 14, theme.muted, g.right - g.left - used, Align::right);
    const ui::Color blue = theme.role(Role::target), violet = theme.role(Role::residual), green = theme.role(Role::accepted);
    const double named = std::max(0.0, 1 - d.view.kept - reach.never);
    const std::array<StripPart, 2> target{StripPart{1 - reach.never, "tokens that it can name", blue.alpha(0.25F), blue},
                                          StripPart{reach.never, "never drafted", violet.alpha(0.4F), violet, true}};
    const std::array<StripPart, 3> output{StripPart{d.view.kept, "kept", green.alpha(0.55F), green},
                                          StripPart{named, "replaced", violet.alpha(0.15F), violet, true},
                                          StripPart{reach.never, "never drafted", violet.alpha(0.4F), violet, true}};
    canvas.text({g.left, y + 468}, "target", Font::text, 14, theme.muted);
    canvas.text({g.left, y + 498}, "output", Font::text, 14, theme.muted);
    draw_strip(d, {names, y + 452, g.right - names, 22}, target);
    draw_strip(d, {names, y + 482, g.right - names, 22}, output);
}

// Strips and proof; what the beat is not about steps back.
void draw_accept_books(const AcceptDraw& d, float y) {
    draw_accept_strips(d, y);
    draw_accept_proof(d, y);
    const float top = y + 548, h = 112;
    if (d.input.beat == kBooksBeat || d.input.beat == kResidualBeat)
        dim(d.ui, {d.grid.left + kProof - 23, top, d.grid.right - d.grid.left - kProof + 23, h});
    if (d.input.beat == kBalanceBeat) dim(d.ui, {d.grid.left, top, kStrips + 8, h});
}

// Below the table; what a later beat is about keeps its place free.
void draw_parts(const AcceptDraw& d) {
    const AcceptParts parts = d.parts();
    const float y = d.input.stage.y + d.grid.y, x = d.grid.left, w = d.grid.right - x;
    const bool instead = books_for_coin(d.input, d.grid) && parts.books;
    if (parts.reach) {
        draw_accept_reach(d);
    } else if (instead) {
        d.ui.canvas.line({x, y + 416.5F}, {d.grid.right, y + 416.5F}, d.ui.theme.hairline());
        draw_accept_books(d, y - 130);
    } else if (parts.coin) {
        draw_accept_coin(d);
        if (d.grid.tall && about_books(d.input.beat)) dim(d.ui, {x, y + 418, w, 112});
    } else if (!d.grid.close) {
        ui::slot(d.ui.canvas, d.ui.theme, {x, y + 428, w, 88}, "here a coin will decide: beat " + std::to_string(kCoinBeat + 1));
    }
    if (!d.grid.tall) return;
    if (parts.books) {
        d.ui.canvas.line({x, y + 532.5F}, {d.grid.right, y + 532.5F}, d.ui.theme.hairline());
        draw_accept_books(d, y);
    } else {
        ui::slot(d.ui.canvas, d.ui.theme, {x, y + 548, w, 108},
                 "here two areas will turn out equal: beat " + std::to_string(kBooksBeat + 1));
    }
}

// Controls and details: where the distributions come from, and the histogram of thrown coins.

std::string position_words(const Position& position, const RunView& view) {
    const bool here = view.current() && view.current()->round == position.round;
    const std::string index = std::to_string(position.index + 1);
    return here ? "position " + index : "round " + std::to_string(position.round + 1) + ", " + index;
}

std::string flips_heading(const FlipCounts& counts, const FlipTest& test) {
    const std::string n = ui::integer(counts.flips) + (counts.flips == 1 ? " flip" : " flips");
    if (!test.enough) return n;
    return test.chi2_p >= 0.01 ? n + " land on the target" : n + ": unusually far off";
}

} // namespace

AcceptGrid accept_grid(Rect stage, const AcceptView& view, bool coin) {
    AcceptGrid g;
    g.left = stage.x + 24;
    g.right = stage.right() - 24;
    g.first = stage.x + 120; // beyond the rows' names, also where the first column is the chosen one
    const float room = g.right - 44 - g.first;
    g.pitch = std::floor((room - 48) / 10);
    g.bar = std::min(48.0F, g.pitch - 30);
    g.tall = stage.h >= 656;
    // Without strips and proof the chart gets what is left, at most its full height.
    const float height = g.tall ? 200.0F + std::clamp(stage.h - 664, 0.0F, 160.0F) : std::clamp(stage.h - 344, 120.0F, 200.0F);
    g.top = stage.y + 108;
    g.base = g.top + height;
    g.y = g.base - (stage.y + 308);
    constexpr float kLow = 440, kCard = 112, kNumbers = 96, kLabels = 32; // of the coin, of what stands below the bars
    if (stage.h < kLow) {
        g.close = true;
        g.numbers = !coin;
        g.top = stage.y + 118; // below a line of sums
        g.base = stage.bottom() - 4 - (coin ? kCard + kLabels : kNumbers);
        g.y = g.base + kLabels - 416 - stage.y;
    }
    double highest = 0;
    for (const AcceptBar& bar : view.bars) highest = std::max({highest, bar.p, bar.q});
    g.high = highest <= 0.5 ? 0.5 : 1;
    return g;
}

AcceptEdit AcceptDraw::editable() const {
    AcceptEdit changed = state.edit;
    if (changed.bars.empty()) changed.bars = view.bars;
    return changed;
}

void draw_accept_stage(const AcceptDraw& d) {
    const Rect stage = d.input.stage;
    if (counts_on_stage(d.input)) return draw_accept_flips(d, {stage.x, stage.y + 68, stage.w, stage.h - 76});
    draw_accept_chart(d);
    draw_accept_table(d);
    draw_parts(d);
}

void draw_accept_controls(const AcceptDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    float x = r.x + 24;
    const float y = r.y + 36;
    const auto place = [&](float w, float gap = 10) {
        const Rect at{x, y, w, 36};
        x += w + gap;
        return at;
    };
    const auto change = [&](auto&& edit_it) {
        AcceptEdit edit = d.state.edit;
        edit_it(edit);
        d.wish.edit = edit;
    };
    const bool none = d.view.bars.empty();
    const std::string_view off = none ? "Nothing is loaded yet" : "";

    Rect at = place(132);
    ui::field_label(ui, at, "Load");
    std::vector<Position> positions = judged_positions(*d.input.view);
    if (positions.size() > 60) positions.erase(positions.begin(), positions.end() - 60);
    std::vector<ui::Choice> loads;
    int chosen = -1;
    for (const Position& position : positions) {
        if (d.view.source.position == position) chosen = static_cast<int>(loads.size());
        loads.push_back({position_words(position, *d.input.view), "", ""});
    }
    if (const auto pick = ui::dropdown(ui, "load", at, loads, chosen, {.disabled = loads.empty() ? off : std::string_view()}))
        out.push_back(Select{positions[static_cast<std::size_t>(*pick)]});

    at = place(84);
    ui::field_label(ui, at, "Distributions");
    const std::array<ui::Choice, 2> kinds = {ui::Choice{"used", "after temperature and filters", ""},
                                             ui::Choice{"raw", "temperature 1, unfiltered", ""}};
    if (const auto pick = ui::dropdown(ui, "distributions", at, kinds, d.view.source.raw ? 1 : 0, {.disabled = off}))
        change([&](AcceptEdit& e) { e.raw = *pick == 1, e.bars.clear(), e.target_t.reset(), e.draft_t.reset(); });

    const std::array<std::string, 2> drafts = {"sampled", "one-hot"};
    at = place(ui::segmented_width(ui.canvas, drafts));
    ui::field_label(ui, at, "Draft");
    if (const auto pick = ui::segmented(ui, "draft", {at.x, at.y}, drafts, d.state.edit.one_hot ? 1 : 0, off))
        change([&](AcceptEdit& e) { e.one_hot = *pick == 1, e.bars.clear(); });

    std::string_view no_t = off;
    if (!none) no_t = d.view.source.full ? "" : "Needs the full rows of this position: live runs only";
    const auto temperature = [&](const char* name, const char* label, double now) {
        at = place(100);
        ui::field_label(ui, at, label);
        return ui::stepper(ui, name, at, now, {.low = 0.1, .high = 2, .step = 0.1, .decimals = 1, .disabled = no_t});
    };
    const double target_t = d.view.source.target_t, draft_t = d.view.source.draft_t;
    if (r.w >= 820) {
        if (const auto t = temperature("target t", "Target T", target_t))
            change([&](AcceptEdit& e) { e.target_t = *t, e.draft_t = draft_t, e.raw = false, e.bars.clear(); });
        if (const auto t = temperature("draft t", "Draft T", draft_t))
            change([&](AcceptEdit& e) { e.draft_t = *t, e.target_t = target_t, e.raw = false, e.bars.clear(); });
    }

    const bool wide = r.w >= 940;
    if (wide) {
        at = place(96, 8);
        ui::field_label(ui, at, "Letters");
        const std::array<ui::Choice, 2> names = {ui::Choice{"p and q", "p target, q draft: papers", ""},
                                                 ui::Choice{"q and p", "p draft, q target: article", ""}};
        if (const auto pick = ui::dropdown(ui, "letters", at, names, d.input.letters_article ? 1 : 0);
            pick && (*pick == 1) != d.input.letters_article)
            out.push_back(ToggleLetters{});
        ui.canvas.line({x + 0.5F, r.y + 16}, {x + 0.5F, r.y + 80}, ui.theme.hairline());
        x += 12;
    }
    at = place(76, 8);
    ui::field_label(ui, at, "Coin");
    if (ui::button(ui, "flip", at, "Flip", {.shortcut = "C", .disabled = off})) d.wish.flips = 1;
    at = place(std::min(108.0F, r.right() - 24 - x));
    if (at.w >= 60 && ui::button(ui, "many", at, at.w >= 104 ? "× 1 000" : "× 1000", {.shortcut = at.w >= 104 ? "M" : "", .disabled = off}))
        d.wish.flips = 1000;
}

void draw_accept_flips(const AcceptDraw& d, Rect r) {
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, right = r.right() - 24;
    if (d.view.bars.empty()) {
        canvas.text({x, r.y + 32}, "Coins", Font::text_bold, 15, theme.ink);
        ui::paragraph(canvas, {x, r.y + 64}, right - x, "Thrown coins are counted here once two distributions are loaded.",
                      {.color = theme.muted});
        return;
    }
    const FlipCounts& counts = d.state.counts;
    const bool any = counts.flips > 0;
    const FlipTest test = test_flips(d.view, counts);
    ui::fitted_text(canvas, {x, r.y + 32}, any ? flips_heading(counts, test) : "Throw the coins and count", Font::text_bold, 15, theme.ink,
                    right - x);
    if (any) {
        canvas.text({x, r.y + 56}, test.enough ? "χ² p = " + ui::probability(test.chi2_p) : "too few for χ²", Font::mono, 14, theme.muted);
        canvas.text({right, r.y + 56}, "TV = " + ui::number(test.tv, 3).substr(test.tv < 1 ? 1 : 0), Font::mono, 14, theme.muted,
                    Align::right);
    } else {
        canvas.text({x, r.y + 56}, "C throws one, M a thousand; blue: the target", Font::text, 14, theme.muted);
    }

    // Bars share one scale with the expected marks; the longest fills the row.
    const std::size_t n = d.view.bars.size();
    const float pitch = std::min(24.0F, (r.h - 76 - 40) / static_cast<float>(n));
    const std::size_t rows = pitch >= 20 ? n : std::min(n, static_cast<std::size_t>(std::max(1.0F, (r.h - 116) / 20)));
    const float row_h = pitch >= 20 ? pitch : 20;
    double longest = 1e-9;
    for (std::size_t i = 0; i < n; ++i)
        longest = std::max({longest, d.view.bars[i].p, any ? static_cast<double>(counts.total(i)) / counts.flips : 0.0});
    const float from = x + 72, room = right - 52 - from;
    const auto px = [&](double share) { return static_cast<float>(share / longest) * room; };
    for (std::size_t i = 0; i < rows; ++i) {
        const AcceptBar& bar = d.view.bars[i];
        const float y = r.y + 76 + row_h * static_cast<float>(i);
        if (bar.id < 0)
            canvas.text({x, y + 12}, "other", Font::text, 14, theme.muted);
        else
            ui::token_text(canvas, {x, y + 12}, ui::fit_token(canvas, bar_label(d.input, bar), 14, 64), 14, theme.ink);
        if (any) {
            const float kept = px(static_cast<double>(counts.kept[i]) / counts.flips);
            const float added = px(static_cast<double>(counts.resampled[i]) / counts.flips);
            canvas.fill({from, y, kept, 14}, theme.role(Role::accepted).alpha(0.85F));
            if (added > 0) {
                canvas.fill({from + kept, y, added, 14}, theme.role(Role::residual).alpha(0.35F));
                if (added > 2) canvas.outline({from + kept + 0.5F, y + 0.5F, added - 1, 13}, {theme.role(Role::residual), 1, 2, 2});
            }
        }
        const float mark = from + px(bar.p);
        canvas.line({mark, y - 3}, {mark, y + 17}, {theme.role(Role::target), 3});
        canvas.text({right, y + 12}, any ? ui::integer(counts.total(i)) : ui::probability(bar.p), Font::mono, 14,
                    any ? theme.ink : theme.muted, Align::right);
    }
    const float y = r.y + 76 + row_h * static_cast<float>(rows) + 12;
    float at = x;
    if (any) {
        ui::icon(canvas, ui::Icon::check, {at + 6, y - 4}, 12, theme.role(Role::accepted));
        const std::string kept = (d.view.at_least ? "≥ " : "") + ui::integer(counts.kept_total()) + " kept";
        canvas.text({at + 18, y}, kept, Font::text, 14, theme.muted);
        at += 18 + canvas.text_width(kept, Font::text, 14) + 16;
        ui::icon(canvas, ui::Icon::redo, {at + 6, y - 4}, 12, theme.role(Role::residual));
        const std::string added = (d.view.at_least ? "≤ " : "") + ui::integer(counts.flips - counts.kept_total()) + " resampled";
        canvas.text({at + 18, y}, added, Font::text, 14, theme.muted);
        at += 18 + canvas.text_width(added, Font::text, 14) + 16;
    }
    canvas.line({at + 2, y - 12}, {at + 2, y + 2}, {theme.role(Role::target), 3});
    ui::fitted_text(canvas, {at + 12, y}, any ? "expected" : "what the target gives each token", Font::text, 14, theme.muted,
                    right - at - 12);
}

} // namespace speclens
