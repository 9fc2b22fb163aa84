// The chart of the accept-rule scene: overlap solid, draft excess hatched, target excess dotted, a cap with a
// handle for either model; and the table of numbers under it.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "scenes/accept/accept_draw.h"
#include "ui/format.h"
#include "ui/glyphs.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

void draw_axis(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const double step = g.high <= 0.5 ? 0.1 : 0.2;
    for (int i = 0; i * step <= g.high + 1e-9; ++i) {
        const float y = g.base - g.px(i * step) + 0.5F;
        d.ui.canvas.line({g.first - 24, y}, {g.right, y},
                         {d.ui.theme.line.alpha(i == 0 ? 0.9F : 0.6F), d.ui.theme.edge_width});
        d.ui.canvas.text({g.first - 32, y + 4.5F}, ui::tick_label(i * step, 1), Font::mono, 14,
                         d.ui.theme.muted, Align::right);
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
    if (handle.touch.hovered || handle.touch.held || handle.touch.focused)
        d.ui.canvas.ring({x, y}, 9, {d.ui.theme.ink, 2});
    if (handle.touch.began) d.wish.chosen = static_cast<int>(i);
    if (handle.moved) {
        AcceptEdit edit = d.editable();
        const double value = static_cast<double>(d.grid.base - handle.moved->y) /
                             static_cast<double>(d.grid.base - d.grid.top) * d.grid.high;
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

// The tallest cap of either law, which is labelled instead of a legend; none where both are of one bar.
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
            const float words = std::max(canvas.text_width(sums[k].detail, Font::text, 14),
                                         canvas.text_width(sums[k].number, Font::mono_medium, 20) + 8 +
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

void draw_sums(const AcceptDraw& d, const std::array<Sum, 3>& sums, const SumPlaces& places) {
    if (!places.shown) return;
    const AcceptGrid& g = d.grid;
    for (std::size_t k = 0; k < 3; ++k) {
        const float x = places.x[k];
        // A ground of its own: no line of the grid runs through the words.
        d.ui.canvas.fill({x - 10, g.top - 8, places.w[k], 64},
                         sums[k].told ? d.ui.theme.raised : d.ui.theme.bg, 6);
        d.ui.canvas.fill({x, g.top, 4, 48}, d.ui.theme.role(sums[k].role), 1);
        const std::string& number = sums[k].number;
        d.ui.canvas.text({x + 16, g.top + 20}, number, Font::mono_medium, 20, d.ui.theme.ink);
        const float used = d.ui.canvas.text_width(number, Font::mono_medium, 20);
        d.ui.canvas.text({x + 16 + used + 8, g.top + 20}, sums[k].word, Font::text_bold, 20, d.ui.theme.ink);
        d.ui.canvas.text({x + 16, g.top + 44}, sums[k].detail, Font::text, 14, d.ui.theme.muted);
    }
}

} // namespace

AcceptGrid accept_grid(Rect stage, const AcceptView& view) {
    AcceptGrid g;
    g.left = stage.x + 24;
    g.right = stage.right() - 24;
    g.first = stage.x + 120; // beyond the rows' names, also where the first column is the chosen one
    const float room = g.right - 44 - g.first;
    g.pitch = std::floor((room - 48) / 10);
    g.bar = std::min(48.0F, g.pitch - 30);
    g.tall = stage.h >= 656;
    // Without strips and proof the chart gets what is left, at most its full height.
    const float height =
        g.tall ? 200.0F + std::clamp(stage.h - 664, 0.0F, 160.0F) : std::clamp(stage.h - 344, 120.0F, 200.0F);
    g.top = stage.y + 108;
    g.base = g.top + height;
    g.y = g.base - (stage.y + 308);
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

void draw_accept_chart(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const std::array<Sum, 3> sums = sums_of(d);
    const SumPlaces places = d.parts().sums ? sum_places(d, sums) : SumPlaces{};
    const float table = g.base + 92, band = places.over_chosen ? g.top + 64 : g.top - 28;
    d.ui.canvas.fill({g.x(static_cast<std::size_t>(d.view.chosen)) - (g.pitch - g.bar) / 2 + 1, band,
                      g.pitch - 2, table - band},
                     d.ui.theme.raised.alpha(0.75F), 6);
    draw_axis(d);
    draw_sums(d, sums, places);
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) draw_masses(d, d.view.bars[i], g.x(i));
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) draw_caps(d, i, d.view.bars[i]);
    const Letters letter = letters(d.input.letters_article);
    const auto label = [&](std::size_t i, double value, const std::string& words) {
        d.ui.canvas.text({g.x(i) + g.bar / 2, std::max(g.top - 12, g.base - g.px(value) - 12)}, words,
                         Font::text_bold, 14, d.ui.theme.ink, Align::center);
    };
    if (const auto named = named_bars(d.view)) {
        const AcceptBar &target = d.view.bars[named->target], &draft = d.view.bars[named->draft];
        label(named->target, std::max(target.p, target.q), std::string("target ") + letter.target);
        label(named->draft, std::max(draft.p, draft.q), std::string("draft ") + letter.draft);
    }
}

void draw_accept_table(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Letters letter = letters(d.input.letters_article);
    const float y = g.base;
    const bool overlap = d.parts().sums;
    ui::icon(canvas, ui::Icon::square, {g.left + 6, y + 43}, 10, theme.role(Role::target));
    ui::icon(canvas, ui::Icon::diamond, {g.left + 6, y + 63}, 10, theme.role(Role::draft));
    if (overlap) ui::icon(canvas, ui::Icon::check, {g.left + 6, y + 83}, 10, theme.role(Role::accepted));
    canvas.text({g.left + 18, y + 48}, std::string("target ") + letter.target, Font::text, 14, theme.muted);
    canvas.text({g.left + 18, y + 68}, std::string("draft ") + letter.draft, Font::text, 14, theme.muted);
    if (overlap) canvas.text({g.left + 18, y + 88}, "overlap", Font::text, 14, theme.muted);
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) {
        const AcceptBar& bar = d.view.bars[i];
        const float x = g.x(i) + g.bar / 2;
        const bool chosen = static_cast<int>(i) == d.view.chosen;
        const Rect cell{x - g.pitch / 2, y + 4, g.pitch, 88};
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("slot " + std::to_string(i)), cell);
        if (touched.clicked) d.wish.chosen = static_cast<int>(i);
        if (touched.focused) ui::focus_ring(canvas, theme, cell);
        ui::tooltip(d.ui, cell,
                    bar.id < 0 ? std::string("all other tokens of the vocabulary together")
                               : bar_words(d.input, bar) + ", id " + std::to_string(bar.id));
        if (bar.id < 0)
            canvas.text({x, y + 24}, "other", Font::text, 14, theme.muted, Align::center);
        else
            ui::token_text(canvas, {x, y + 24},
                           ui::fit_token(canvas, bar_label(d.input, bar), 15, g.pitch - 8), 15, theme.ink,
                           Align::center);
        if (bar.locked) canvas.line({x - 14, y + 30}, {x + 14, y + 30}, {theme.ink, 2});
        const Font font = chosen ? Font::mono_medium : Font::mono;
        canvas.text({x, y + 48}, share_number(bar, Side::target), font, 14, theme.ink, Align::center);
        canvas.text({x, y + 68}, share_number(bar, Side::draft), font, 14, theme.ink, Align::center);
        if (overlap) canvas.text({x, y + 88}, overlap_number(bar), font, 14, theme.ink, Align::center);
        if (bar.touched) canvas.disc({x + 26, y + 53}, 2, theme.ink);
    }
    canvas.text({g.right, y + 24}, "sum", Font::text, 14, theme.muted, Align::right);
    canvas.text({g.right, y + 48}, "1.00", Font::mono, 14, theme.ink, Align::right);
    canvas.text({g.right, y + 68}, "1.00", Font::mono, 14, theme.ink, Align::right);
    if (overlap) canvas.text({g.right, y + 88}, kept_number(d.view), Font::mono, 14, theme.ink, Align::right);
}

} // namespace speclens
