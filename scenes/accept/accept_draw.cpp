// The picture of the accept-rule scene. The chart: overlap solid, draft excess hatched, target excess dotted, a cap
// with a handle for either model; the table of numbers under it. Below them the coin of one token, with a handle; the two strips that
// show that what the draft over-claims equals what the target is owed; and the proof that kept drafts and replacements stack up to the
// target.
#include "scenes/accept/accept_draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/shared/emphasis.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/glyphs.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

using ui::probability;

Message side_name(const AcceptDraw& d, ModelSide side) {
    const auto name = "letter"_v = d.letter(side);
    return side == ModelSide::target ? accept_says("chart.target"_t, name) : accept_says("chart.draft"_t, name);
}

// ---- the chart ----

void draw_axis(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const double step = g.high <= 0.5 ? 0.1 : 0.2;
    for (int i = 0; i * step <= g.high + 1e-9; ++i) {
        const float y = g.base - g.px(i * step) + 0.5F;
        d.canvas.line({g.first - 24, y}, {g.right, y}, {d.theme.line.alpha(i == 0 ? 0.9F : 0.6F), d.theme.edge_width});
        d.digits({g.first - 32, y + 4.5F}, ui::tick_label(i * step, 1), d.theme.muted, Align::right);
    }
}

// The masses of one bar, bottom up.
void draw_masses(const AcceptDraw& d, const AcceptBar& bar, float x) {
    const AcceptGrid& g = d.grid;
    const float kept = g.px(bar.kept), top_p = g.px(bar.p), top_q = g.px(bar.q);
    d.canvas.fill({x, g.base - kept, g.bar, kept}, d.theme.role(Role::accepted).alpha(0.55F));
    // "other" may hold both kinds of excess at once; they then share the width.
    const bool both = bar.over() > 1e-4 && bar.owed() > 1e-4;
    const float w = both ? g.bar / 2 : g.bar;
    if (top_p > kept + 0.5F) {
        const Rect owed{both ? x + w : x, g.base - top_p, w, top_p - kept};
        d.canvas.fill(owed, d.theme.role(Role::residual).alpha(0.3F));
        if (owed.h >= 2) d.canvas.outline(owed.inset(0.75F, 0.75F), d.theme.edge(Role::residual));
    }
    if (top_q > kept + 0.5F) {
        const Rect over{x, g.base - top_q, w, top_q - kept};
        d.canvas.fill(over, d.theme.role(Role::rejected).alpha(0.2F));
        d.canvas.hatch(over, d.theme.role(Role::rejected), 7, 1.5F);
    }
}

void drag(const AcceptDraw& d, std::size_t i, ModelSide side, Vec2 at) {
    const bool target = side == ModelSide::target;
    d.ui.push_id(target ? "target" : "draft");
    // The draft's handle of one bar stands close to the target's of the next: half the way belongs to each.
    const float size = d.ui.target, out = std::min(size / 2, (d.grid.pitch - d.grid.bar) / 2 - 8);
    const Rect hit{target ? at.x - out : at.x + out - size, at.y - size / 2, size, size};
    const ui::Handle handle = ui::drag_handle(d.ui, "bar " + std::to_string(i), at, d.grid.px(0.01), hit);
    if (handle.touch.hovered || handle.touch.held || handle.touch.focused) d.canvas.ring(at, 9, {d.theme.ink, 2});
    if (handle.touch.began) d.choose(static_cast<int>(i));
    if (handle.moved) {
        AcceptEdit edit = d.editable();
        set_bar(edit.bars, i, side, static_cast<double>(d.grid.base - handle.moved->y) / (d.grid.base - d.grid.top) * d.grid.high);
        d.change(edit);
    }
    d.ui.pop_id();
}

void draw_caps(const AcceptDraw& d, std::size_t i, const AcceptBar& bar) {
    const AcceptGrid& g = d.grid;
    const float x = g.x(i), yp = g.base - g.px(bar.p), yq = g.base - g.px(bar.q), end = x + g.bar + 8;
    d.canvas.line({x - 8, yp}, {x + g.bar, yp}, {d.theme.role(Role::target), 3});
    d.canvas.line({x, yq}, {end, yq}, {d.theme.role(Role::draft), 3, 6, 3});
    d.canvas.fill({x - 13.5F, yp - 5.5F, 11, 11}, d.theme.bg);
    d.canvas.fill({x - 12.5F, yp - 4.5F, 9, 9}, d.theme.role(Role::target));
    d.canvas.fill_convex(std::array{Vec2{end, yq - 6}, Vec2{end + 6, yq}, Vec2{end, yq + 6}, Vec2{end - 6, yq}}, d.theme.role(Role::draft));
    drag(d, i, ModelSide::target, {x - 8, yp});
    drag(d, i, ModelSide::draft, {end, yq});
}

// The three sums stand where no bar is in their way, from the right end on, and beside the chosen column where there is room.
struct Sum {
    Message name, detail, number;
    Role role;
    bool told;          // the beat is about it
    float x = 0, w = 0; // of its ground
};
using Sums = std::array<Sum, 3>;

Sums sums_of(const AcceptDraw& d) {
    const int beat = std::clamp(d.input.beat, 0, kAcceptBeats - 1);
    const Message lost = lost_number(d.view);
    return {
        Sum{accept_says("sum.kept"_t), accept_says("sum.kept_about"_t), kept_number(d.view), Role::accepted, beat == kSumsBeat},
        Sum{accept_says("sum.rejected"_t), accept_says("sum.rejected_about"_t), lost, Role::rejected, beat == kBooksBeat},
        Sum{accept_says("sum.owed"_t), accept_says("sum.owed_about"_t), lost, Role::residual, beat == kBooksBeat || beat == kResidualBeat}};
}

// The tallest cap of a distribution, which is labelled instead of a legend, unless both are of one bar.
std::size_t tallest(const AcceptView& view, ModelSide side) {
    const auto cap = side == ModelSide::target ? &AcceptBar::p : &AcceptBar::q;
    return static_cast<std::size_t>(std::ranges::max_element(view.bars, {}, cap) - view.bars.begin());
}
float cap_of(const AcceptDraw& d, std::size_t i) { return d.grid.base - d.grid.px(std::max(d.view.bars[i].p, d.view.bars[i].q)); }
float chosen_band(const AcceptDraw& d) { return d.grid.x(static_cast<std::size_t>(d.view.chosen)) - (d.grid.pitch - d.grid.bar) / 2; }

// nowhere: no room beside the bars; the table has the sums as well.
enum class SumsStand : std::uint8_t { nowhere, beside, over_chosen };
SumsStand place_sums(const AcceptDraw& d, Sums& sums) {
    const AcceptGrid& g = d.grid;
    const float bottom = g.top + 56, band = chosen_band(d);
    const std::size_t target = tallest(d.view, ModelSide::target), draft = tallest(d.view, ModelSide::draft);
    const auto free = [&](float a, float b, bool beside) {
        if (beside && band - 4 < b && band + g.pitch + 4 > a) return false;
        for (std::size_t i = 0; i < d.view.bars.size(); ++i) {
            const float x = g.x(i), above = target != draft && (i == target || i == draft) ? 34 : 10;
            if (cap_of(d, i) < bottom + above && x - 20 < b && x + g.bar + 22 > a) return false;
        }
        return true;
    };
    // As wide as its words, with air at both ends; `least` makes all three alike.
    const auto fit = [&](float least, float apart, bool beside) {
        float right = std::min(g.right, g.x(10) + g.bar + 20);
        return std::all_of(sums.rbegin(), sums.rend(), [&](Sum& sum) {
            const float first =
                d.canvas.printed_width(sum.number.words(), Font::mono_medium, 20) + 8 + d.canvas.text_width(sum.name, Font::text_bold, 20);
            sum.w = std::max(least, 38 + std::max(d.canvas.text_width(sum.detail, Font::text, 14), first));
            sum.x = right - sum.w;
            while (sum.x > g.first - 20 && !free(sum.x, sum.x + sum.w, beside)) sum.x -= 8;
            right = sum.x - apart;
            return sum.x > g.first - 20;
        });
    };
    if (fit(196, 20, true) || fit(0, 8, true)) return SumsStand::beside;
    return fit(196, 20, false) ? SumsStand::over_chosen : SumsStand::nowhere;
}

// In one line above the chart, where there is no room beside the bars.
void draw_sums_line(const AcceptDraw& d, const Sums& sums) {
    float x = d.grid.first - 24;
    const float y = d.grid.top - 27; // above the names of the caps
    for (const Sum& sum : sums) {
        const Message words = accept_says("sum.line"_t, "number"_v = sum.number, "name"_v = sum.name);
        const float w = d.canvas.text_width(words, Font::text_bold, 15) + 26;
        if (sum.told) d.canvas.fill({x - 6, y - 17, w + 10, 24}, d.theme.raised, 6);
        d.canvas.fill({x, y - 13, 4, 16}, d.theme.role(sum.role), 1);
        d.bold({x + 12, y}, words);
        x += w + 20;
    }
}

void draw_sums(const AcceptDraw& d, const Sums& sums) {
    const float y = d.grid.top;
    for (const Sum& sum : sums) {
        // A ground of its own: no line of the grid runs through the words.
        d.canvas.fill({sum.x - 10, y - 8, sum.w, 64}, sum.told ? d.theme.raised : d.theme.bg, 6);
        d.canvas.fill({sum.x, y, 4, 48}, d.theme.role(sum.role), 1);
        d.canvas.print({sum.x + 16, y + 20}, sum.number.words(), Font::mono_medium, 20, d.theme.ink);
        const float used = d.canvas.printed_width(sum.number.words(), Font::mono_medium, 20);
        d.canvas.text({sum.x + 16 + used + 8, y + 20}, sum.name, Font::text_bold, 20, d.theme.ink);
        d.muted({sum.x + 16, y + 44}, sum.detail);
    }
}

// Bars, handles, the three sums.
void draw_accept_chart(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    Sums sums = sums_of(d);
    const bool placed = d.parts.sums && g.numbers;
    const SumsStand stand = placed ? place_sums(d, sums) : SumsStand::nowhere;
    const float table = g.base + (g.numbers ? 92.0F : 32.0F), band = g.top + (placed && stand != SumsStand::beside ? 64.0F
                                                                              : g.close                            ? -6.0F
                                                                                                                   : -28.0F);
    d.canvas.fill({chosen_band(d) + 1, band, g.pitch - 2, table - band}, d.theme.raised.alpha(0.75F), 6);
    draw_axis(d);
    if (stand != SumsStand::nowhere)
        draw_sums(d, sums);
    else if (d.parts.sums && g.close)
        draw_sums_line(d, sums);
    if (d.parts.sums)
        d.canvas.tell(accept_says("sum.told"_t, "kept"_v = sums[0].number, "rejected"_v = sums[1].number, "owed"_v = sums[2].number,
                                  "below"_v = !d.view.told()),
                      {g.left, g.top, g.right - g.left, g.base - g.top});
    for (const ModelSide side : {ModelSide::target, ModelSide::draft})
        ui::plotted(d.canvas, {g.first, g.top, g.right - g.first, g.base - g.top}, ui::PlotMark::rows, side_name(d, side), d.view.bars,
                    [&](const AcceptBar& bar) {
                        return ui::PlotDatum{.x = bar.most(side) > 0 ? ui::PlotDatum::kNone : bar.share(side), .label = d.name(bar)};
                    });
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) draw_masses(d, d.view.bars[i], g.x(i));
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) draw_caps(d, i, d.view.bars[i]);
    if (tallest(d.view, ModelSide::target) == tallest(d.view, ModelSide::draft)) return;
    for (const ModelSide side : {ModelSide::target, ModelSide::draft}) {
        const std::size_t i = tallest(d.view, side);
        const Vec2 at{g.x(i) + g.bar / 2, std::max(g.top, cap_of(d, i)) - (g.close ? 9 : 12)};
        d.canvas.text(at, side_name(d, side), Font::text_bold, 14, d.theme.ink, Align::center);
    }
}

// All that is known of a bar.
Message told_bar(const AcceptDraw& d, const AcceptBar& bar) {
    const auto say = [&](auto id, const auto&... more) {
        return accept_says(id, "target"_v = share_number(bar, ModelSide::target), "draft"_v = share_number(bar, ModelSide::draft),
                           "overlap"_v = d.parts.sums ? overlap_number(bar) : Message(), "never"_v = d.parts.reach && bar.never > 0,
                           "chosen"_v = &bar == &d.view.bar(), "locked"_v = bar.locked, more...);
    };
    return bar.id < 0 ? say("bar.other"_t) : say("bar.token"_t, "token"_v = bar_words(d.input, bar), "id"_v = bar.id);
}

// Labels and numbers under the bars.
void draw_accept_table(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const float y = g.base;
    const auto row = [&](float at, ui::Icon icon, Role role, const Message& name, const std::string& sum) {
        ui::icon(d.canvas, icon, {g.left + 6, at - 5}, 10, d.theme.role(role));
        d.muted({g.left + 18, at}, name);
        d.digits({g.right, at}, sum, d.theme.ink, Align::right);
    };
    if (g.numbers) {
        d.muted({g.right, y + 24}, accept_says("chart.sum"_t), Align::right);
        row(y + 48, ui::Icon::square, Role::target, side_name(d, ModelSide::target), probability(1));
        row(y + 68, ui::Icon::diamond, Role::draft, side_name(d, ModelSide::draft), probability(1));
        if (d.parts.sums) row(y + 88, ui::Icon::check, Role::accepted, accept_says("chart.overlap"_t), kept_number(d.view));
    }
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) {
        const AcceptBar& bar = d.view.bars[i];
        const float x = g.x(i) + g.bar / 2;
        const Rect cell{x - g.pitch / 2, y + 4, g.pitch, g.numbers ? 88.0F : 28.0F};
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("slot " + std::to_string(i)), cell);
        if (touched.clicked) d.choose(static_cast<int>(i));
        if (touched.focused) ui::focus_ring(d.canvas, d.theme, cell);
        ui::thing(d.ui, cell, told_bar(d, bar));
        d.label(bar, {x, y + 24}, 15, g.pitch - 8, Align::center);
        if (bar.locked) d.canvas.line({x - 14, y + 30}, {x + 14, y + 30}, {d.theme.ink, 2});
        if (!g.numbers) continue;
        const bool never = d.parts.reach && bar.id >= 0 && bar.never > 0;
        const Font font = &bar == &d.view.bar() ? Font::mono_medium : Font::mono;
        d.digits({x, y + 48}, share_number(bar, ModelSide::target), d.theme.ink, Align::center, font);
        d.digits({x, y + 68}, never ? accept_says("chart.never"_t) : share_number(bar, ModelSide::draft), d.theme.ink, Align::center,
                 never ? Font::text : font);
        if (d.parts.sums) d.digits({x, y + 88}, overlap_number(bar), d.theme.ink, Align::center, font);
        if (bar.touched) d.canvas.disc({x + 26, y + 53}, 2, d.theme.ink);
    }
}

// ---- the coin ----

// What the coin is compared with, the longest wording first.
std::vector<Message> formula(const AcceptDraw& d) {
    const AcceptBar& bar = d.view.bar();
    if (!d.view.coin_known()) return {accept_says("gauge.formula:unknown"_t)};
    if (bar.q <= 0) return {accept_says("gauge.formula:never"_t)};
    const auto target = "target"_v = bar.p;
    const auto draft = "draft"_v = bar.q;
    const auto value = "value"_v = bar.p >= bar.q ? accept_says("gauge.value:always"_t, target, draft)
                                                  : accept_says("gauge.value:ratio"_t, target, draft, "threshold"_v = d.view.threshold());
    return {accept_says("gauge.formula:whole"_t, value), accept_says("gauge.formula:short"_t, value)};
}

// What the coin on screen decides, and where it would decide otherwise.
Message coin_hint(const AcceptDraw& d) {
    const auto threshold = "threshold"_v = d.view.threshold();
    const auto stays = "stays"_v = d.view.accepts();
    if (!d.view.coin_known()) return accept_says("gauge.hint:unknown"_t);
    if (d.view.bar().q <= 0) return accept_says("gauge.hint:never"_t, "letter"_v = d.letter(ModelSide::draft));
    if (!d.view.thrown) return accept_says("gauge.hint:unthrown"_t, "coin"_v = d.view.coin, stays);
    if (d.view.threshold() >= 1) return accept_says("gauge.hint:always"_t);
    return accept_says("gauge.hint:thrown"_t, threshold, stays);
}

void draw_accept_coin(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const AcceptBar& bar = d.view.bar();
    const bool known = d.view.coin_known(), proposed = known && bar.q > 0, accepts = proposed && d.view.accepts();
    const float y = g.y + 444; // of its first line
    const Message coin_for = accept_says("gauge.for"_t), verdict = verdict_words(d.input, d.view), hint = coin_hint(d);
    d.bold({g.left, y}, coin_for);
    float x = g.left + d.canvas.text_width(coin_for, Font::text_bold, 15) + 10;
    const std::string label = bar.id < 0 ? d.name(bar) : ui::fit_token(d.canvas, d.name(bar), 15, 140);
    const float chip = ui::chip_width(d.canvas, label, 28);
    ui::chip(d.canvas, d.theme, {x, y - 19, chip, 28}, label, {.role = Role::draft});
    x += chip + 12;
    const float verdict_width = d.canvas.text_width(verdict, Font::text_bold, 15), beside = g.right - verdict_width - 36 - x;
    d.bold({g.right, y}, verdict, Align::right);
    if (proposed && d.view.thrown)
        ui::icon(d.canvas, accepts ? ui::Icon::check : ui::Icon::cross, {g.right - verdict_width - 14, y - 5}, 14,
                 d.theme.role(accepts ? Role::accepted : Role::rejected));
    ui::fitted_text(d.canvas, {x, y}, ui::fitting(d.canvas, formula(d), Font::text, 15, beside), Font::text, 15, d.theme.muted, beside);

    const Rect gauge{g.left, y + 28, g.right - g.left, 24};
    const double a = proposed ? d.view.threshold() : 0;
    ui::gauge(d.canvas, d.theme, gauge, {.accept = a, .large = true});
    d.canvas.tell(accept_says("gauge.told"_t, "token"_v = bar_words(d.input, bar), "coin"_v = d.view.coin,
                              "threshold"_v = known ? std::optional(d.view.threshold()) : std::nullopt, "verdict"_v = verdict,
                              "thrown"_v = d.view.thrown),
                  gauge);
    const float ax = gauge.x + gauge.w * static_cast<float>(a), ux = gauge.x + gauge.w * static_cast<float>(d.view.coin);
    const float label_x = ux < gauge.x + 72 ? ux + 12 : gauge.x + 12; // beside the coin, never under it
    if (ax - label_x > 68)
        d.canvas.text({label_x, gauge.y + 17}, accept_says("gauge.accept"_t), Font::text_bold, 14, d.theme.on(Role::accepted));
    ui::coin_marker(d.canvas, d.theme, ux, gauge.y - 8, gauge.bottom() + 8);
    d.canvas.disc({ux, gauge.y - 8}, 7, d.theme.ink);
    const ui::Handle handle = ui::drag_handle(d.ui, "coin", {ux, gauge.y + 4}, gauge.w / 100);
    if (handle.touch.hovered || handle.touch.held || handle.touch.focused) d.canvas.ring({ux, gauge.y - 8}, 10, {d.theme.ink, 2});
    if (handle.moved) d.state.now.edit.coin = std::clamp(static_cast<double>((handle.moved->x - gauge.x) / gauge.w), 0.0, 0.9999);
    const std::string u = "u = " + probability(d.view.coin);
    const bool flip = ux + 14 + d.canvas.printed_width(u, Font::mono_medium, 15) > g.right;
    d.canvas.print({flip ? ux - 14 : ux + 14, gauge.y - 6}, u, Font::mono_medium, 15, d.theme.ink, flip ? Align::right : Align::left);

    // Scale below the gauge; the threshold moves aside from 0 and 1.
    const float below = gauge.bottom() + 20, after = ax + 32;
    d.digits({gauge.x, below}, "0", d.theme.muted);
    d.digits({gauge.right(), below}, "1", d.theme.muted, Align::right);
    const bool ends = ax < gauge.x + 40 || ax > gauge.right() - 40;
    if (!ends) d.digits({ax, below}, probability(a), d.theme.ink, Align::center);
    const bool left = !ends && g.right - 24 - after < d.canvas.text_width(hint, Font::text, 14);
    d.muted({left ? ax - 32 : ends ? gauge.x + 24 : after, below}, hint, left ? Align::right : Align::left);
}

// Below the table; what a later beat is about keeps its place free.
void draw_parts(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const float x = g.left, y = g.y, w = g.right - x;
    const bool instead = books_for_coin(d.input, g) && d.parts.books && !d.parts.reach;
    const auto hairline = [&](float at) { d.canvas.line({x, y + at}, {g.right, y + at}, d.theme.hairline()); };
    if (d.parts.reach || d.parts.rules || d.parts.coin || instead) hairline(416.5F);
    if (d.parts.reach) {
        draw_accept_reach(d);
    } else if (d.parts.rules) {
        draw_accept_rules(d);
    } else if (instead) {
        draw_accept_books(d, y - 130);
    } else if (d.parts.coin) {
        draw_accept_coin(d);
        if (g.tall && about_books(d.input.beat)) dim(d.ui, {x, y + 418, w, 112});
    } else if (!g.close) {
        ui::slot(d.canvas, d.theme, {x, y + 428, w, 88}, accept_says("stage.coin_to_come"_t, "beat"_v = kCoinBeat + 1));
    }
    if (!g.tall) return;
    if (!d.parts.books)
        return ui::slot(d.canvas, d.theme, {x, y + 548, w, 108}, accept_says("stage.areas_to_come"_t, "beat"_v = kBooksBeat + 1));
    hairline(532.5F);
    draw_accept_books(d, y);
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
    g.y = g.base - 308;
    constexpr float kLow = 440, kCard = 112, kNumbers = 96, kLabels = 32; // of the coin, of what stands below the bars
    if (stage.h < kLow) {
        g.close = true;
        g.numbers = !coin;
        g.top = stage.y + 118; // below a line of sums
        g.base = stage.bottom() - 4 - (coin ? kCard + kLabels : kNumbers);
        g.y = g.base + kLabels - 416;
    }
    double highest = 0;
    for (const AcceptBar& bar : view.bars) highest = std::max({highest, bar.p, bar.q});
    g.high = highest <= 0.5 ? 0.5 : 1;
    return g;
}

void AcceptDraw::muted(Vec2 at, const Message& words, Align align) const { canvas.text(at, words, Font::text, 14, theme.muted, align); }
void AcceptDraw::bold(Vec2 at, const Message& words, Align align) const { canvas.text(at, words, Font::text_bold, 15, theme.ink, align); }
void AcceptDraw::digits(Vec2 at, const std::string& number, ui::Color color, Align align, Font font) const {
    canvas.print(at, number, font, 14, color, align);
}
std::string AcceptDraw::name(const AcceptBar& bar) const {
    return bar.id < 0 ? accept_says("words.other"_t).words() : label_of(*input.trace, bar.id);
}
void AcceptDraw::label(const AcceptBar& bar, Vec2 at, float size, float room, Align align) const {
    if (bar.id < 0) return canvas.print(at, name(bar), Font::text, 14, theme.muted, align);
    ui::token_text(canvas, at, ui::fit_token(canvas, name(bar), size, room), size, theme.ink, align);
}
std::string AcceptDraw::letter(ModelSide side) const { return (side == ModelSide::target) != input.letters_article ? "p" : "q"; }

AcceptEdit AcceptDraw::editable() const {
    AcceptEdit changed = state.now.edit;
    if (changed.bars.empty()) changed.bars = view.bars;
    return changed;
}

void AcceptDraw::change(AcceptEdit edit) const {
    state.now.edit = std::move(edit);
    state.now.counts = {};
}

void AcceptDraw::choose(int bar) const {
    if (bar != view.chosen) state.now.edit.coin.reset();
    state.chosen = bar;
    state.history.accept(state.now);
}

void AcceptDraw::throw_coins(int count) const {
    FlipCounts& counts = state.now.counts;
    flip(view, input.view->header->seed, count, counts);
    if (count == 1) {
        state.chosen = counts.draft;
        state.now.edit.coin = counts.u;
    } else {
        state.now.flipped = true;
        out.push_back(ShowDetails{}); // where they are counted
    }
    state.history.accept(state.now);
    // The words go where the coins are: what is thrown early opens the beat that tells of it.
    const int told = count == 1 ? kCoinBeat : kCountBeat;
    if (input.beat < told || (count == 1 && books_for_coin(input, grid))) out.push_back(SetBeat{told});
}

void draw_accept_stage(const AcceptDraw& d) {
    const Rect stage = d.input.stage;
    if (counts_on_stage(d.input)) return draw_accept_flips(d, {stage.x, stage.y + 68, stage.w, stage.h - 76});
    draw_accept_chart(d);
    draw_accept_table(d);
    draw_parts(d);
}

// Where the distributions come from, and coins to throw.
void draw_accept_controls(const AcceptDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ControlRow row(r);
    const AcceptSource& source = d.view.source;
    const bool none = d.view.bars.empty();
    const Message off = none ? accept_says("controls.nothing"_t) : Message();
    const auto anew = [&](auto&& change_it) { // other distributions than those that were dragged
        AcceptEdit edit = d.state.now.edit;
        edit.bars.clear();
        change_it(edit);
        d.change(edit);
    };
    std::vector<Position> positions = judged_positions(*d.input.view);
    if (positions.size() > 60) positions.erase(positions.begin(), positions.end() - 60);
    std::vector<ui::Choice> loads;
    int chosen = -1;
    for (const Position& at : positions) {
        if (source.position == at) chosen = static_cast<int>(loads.size());
        const bool here = d.input.view->current()->round == at.round;
        loads.push_back({accept_says("controls.position"_t, "round"_v = here ? 0 : at.round + 1, "index"_v = at.index + 1)});
    }
    const auto list = [&](const char* id, const Message& label, std::span<const ui::Choice> choices, int now, float width,
                          const Message& disabled, float gap = 10) {
        const Rect at = row.place(width, gap);
        ui::field_label(d.ui, at, label);
        return ui::dropdown(d.ui, id, at, choices, now, {.disabled = disabled});
    };
    if (const auto pick = list("load", accept_says("controls.load"_t), loads, chosen, 132, loads.empty() ? off : Message()))
        d.out.push_back(Select{positions[static_cast<std::size_t>(*pick)]});
    const ui::Choice kinds[] = {{accept_says("controls.used"_t), accept_says("controls.used_about"_t)},
                                {accept_says("controls.raw"_t), accept_says("controls.raw_about"_t)}};
    if (const auto pick = list("distributions", accept_says("controls.distributions"_t), kinds, source.raw ? 1 : 0, 84, off))
        anew([&](AcceptEdit& e) { e.raw = *pick == 1, e.target_t.reset(), e.draft_t.reset(); });
    const Message drafts[] = {accept_says("controls.sampled"_t), accept_says("controls.one_hot"_t)};
    const Rect draft = row.place(ui::segmented_width(d.canvas, drafts), 10);
    ui::field_label(d.ui, draft, accept_says("controls.draft"_t));
    if (const auto pick = ui::segmented(d.ui, "draft", {draft.x, draft.y}, drafts, d.state.now.edit.one_hot ? 1 : 0, off))
        anew([&](AcceptEdit& e) { e.one_hot = *pick == 1; });
    const auto temperature = [&](const char* id, const Message& label, double AcceptSource::*of) {
        const Rect at = row.place(100, 10);
        ui::field_label(d.ui, at, label);
        const Message no_rows = none || source.full ? off : accept_says("controls.needs_rows"_t);
        const auto t = ui::stepper(d.ui, id, at, source.*of, {.low = 0.1, .high = 2, .step = 0.1, .decimals = 1, .disabled = no_rows});
        const auto now = [&](double AcceptSource::*one) { return one == of ? *t : source.*one; };
        if (t)
            anew([&](AcceptEdit& e) { e.target_t = now(&AcceptSource::target_t), e.draft_t = now(&AcceptSource::draft_t), e.raw = false; });
    };
    if (r.w >= 820) {
        temperature("target t", accept_says("controls.target_t"_t), &AcceptSource::target_t);
        temperature("draft t", accept_says("controls.draft_t"_t), &AcceptSource::draft_t);
    }
    if (r.w >= 940) {
        const ui::Choice names[] = {{accept_says("controls.papers"_t), accept_says("controls.papers_about"_t)},
                                    {accept_says("controls.article"_t), accept_says("controls.article_about"_t)}};
        if (list("letters", accept_says("controls.letters"_t), names, d.input.letters_article ? 1 : 0, 96, {}, 8))
            d.out.push_back(ToggleLetters{});
        d.canvas.line({row.x + 0.5F, r.y + 16}, {row.x + 0.5F, r.y + 80}, d.theme.hairline());
        row.x += 12;
    }
    Rect at = row.place(76, 8);
    ui::field_label(d.ui, at, accept_says("controls.coin"_t));
    if (ui::button(d.ui, "flip", at, accept_says("controls.flip"_t), {.shortcut = "C", .disabled = off})) d.throw_coins(1);
    at = row.place(std::min(108.0F, row.room()));
    const bool wide = at.w >= 104;
    const Message many = wide ? accept_says("controls.many:wide"_t) : accept_says("controls.many:narrow"_t);
    if (at.w >= 60 && ui::button(d.ui, "many", at, many, {.shortcut = wide ? "M" : "", .disabled = off})) d.throw_coins(1000);
}

} // namespace speclens
