// The target's own token: the chip that replaces a rejected guess (or the bonus), and the law it was drawn
// from as a strip of shares with the coin standing in the share it picked.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/format.h"
#include "app/ui/plot.h"
#include "app/ui/text_layout.h"
#include "app/ui/tokens.h"
#include "scenes/loop_draw.h"
#include "scenes/words.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

struct Share {
    int id = -1; // -1: everything that is not listed
    double p = 0;
};

std::vector<Share> shares_of(const Top& law, int chosen) {
    std::vector<Share> shares;
    double rest = law.rest;
    for (const Top::Entry& entry : law.entries) {
        const double p = std::exp(entry.logp);
        if (shares.size() < 12 || entry.id == chosen)
            shares.push_back({entry.id, p});
        else
            rest += p;
    }
    if (rest > 1e-9) shares.push_back({-1, rest});
    return shares;
}

// Where the coin stands inside the chosen share, 0…1. The coin walks ids in ascending order, and how much of
// the unlisted mass comes before the share is not recorded: the middle, unless it is too little to see.
double place_in_share(const Top& law, int chosen, double u) {
    constexpr double kVisible = 0.02;
    double below = law.rest / 2, share = 0;
    for (const Top::Entry& entry : law.entries) {
        if (entry.id < chosen) below += std::exp(entry.logp);
        if (entry.id == chosen) share = std::exp(entry.logp);
    }
    if (law.rest > kVisible * share) return 0.5;
    return share > 0 ? std::clamp((u - below) / share, 0.02, 0.98) : 0.5;
}

constexpr float kGap = 14; // behind a listed share

struct Listed {
    std::string label, number;
    float w; // with the gap behind it
};

Listed listed_share(const LoopDraw& d, const Share& share) {
    Listed item{label_of(*d.input.trace, share.id), ui::probability(share.p), 0};
    item.w = ui::token_text_width(d.ui.canvas, item.label, 14) + 6 +
             d.ui.canvas.text_width(item.number, Font::mono, 14) + kGap;
    return item;
}

// "soft .04  dark .25  green .15" from the right end, as many as fit: the chosen one, then the likeliest.
void list_shares(const LoopDraw& d, std::vector<Share> shares, int chosen, float left, float right, float y) {
    ui::Canvas& canvas = d.ui.canvas;
    std::vector<Listed> items;
    float room = right + kGap - left; // none behind the last one
    std::ranges::stable_partition(shares, [&](const Share& share) { return share.id == chosen; });
    for (const Share& share : shares) {
        if (share.id < 0 || (share.p < 0.01 && share.id != chosen) || items.size() == 3) break;
        Listed item = listed_share(d, share);
        if (item.w > room) break;
        room -= item.w;
        items.push_back(item);
    }
    float x = right + kGap;
    for (const Listed& item : items) x -= item.w;
    for (const Listed& item : items) {
        const bool first = &item == &items.front() && shares.front().id == chosen;
        const float label =
            ui::token_text(canvas, {x, y}, item.label, 14, first ? d.ui.theme.ink : d.ui.theme.muted);
        canvas.text({x + label + 6, y}, item.number, Font::mono, 14, d.ui.theme.ink);
        x += item.w;
    }
}

void draw_strip(const LoopDraw& d, Rect strip, Role role) {
    const Resampled& own = *d.model.own;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::string what = own.from == Resampled::From::residual ? "residual, scaled to 1"
                             : own.from == Resampled::From::bonus  ? "the target's last row"
                                                                   : "the target's row";
    if (own.top.empty()) {
        ui::fitted_text(canvas, {strip.x, strip.y + 17}, "the row was not recorded (fast mode)", Font::text,
                        14, theme.muted, strip.w);
        return;
    }
    const std::vector<Share> shares = shares_of(own.top, own.token);
    std::vector<double> sizes;
    for (const Share& share : shares) sizes.push_back(share.p);
    const float open = d.motion(Phase::resample);
    ui::share_strip(canvas, theme, {strip.x, strip.y, strip.w * open, strip.h}, sizes, role);
    if (open < 1) return;

    // The coin in the share that it picked, and the label of the first share on the side of it that has room.
    float coin_x = -1;
    if (own.u) {
        float from = strip.x, width = 0;
        for (const Share& share : shares) {
            width = strip.w * static_cast<float>(share.p);
            if (share.id == own.token) break;
            from += width;
        }
        coin_x = from + width * static_cast<float>(place_in_share(own.top, own.token, *own.u));
    }
    const bool in_first = own.u && shares[0].id == own.token;
    const float first_end = strip.x + strip.w * static_cast<float>(shares[0].p);
    const std::string label = shares[0].id < 0 ? "other" : label_of(*d.input.trace, shares[0].id);
    const float name_width = ui::token_text_width(canvas, label, 15);
    float label_x = strip.x + 8;
    const auto fits = [&](float width) { // before the coin, or behind it
        const bool before = !in_first || strip.x + width + 20 < coin_x;
        label_x = before ? strip.x + 8 : coin_x + 10;
        return label_x + width + 8 < first_end;
    };
    const bool numbered = fits(name_width + 8 + canvas.text_width(".00", Font::mono, 14));
    const bool labelled = numbered || fits(name_width);
    const bool behind_coin = labelled && in_first && label_x > coin_x;
    if (labelled) label_x += ui::token_text(canvas, {label_x, strip.y + 17}, label, 15, theme.ink) + 8;
    if (numbered) {
        const std::string number = ui::probability(shares[0].p);
        canvas.text({label_x, strip.y + 17}, number, Font::mono, 14, theme.ink);
        label_x += canvas.text_width(number, Font::mono, 14) + 16;
    }
    std::string coin;
    if (own.u) {
        ui::coin_marker(canvas, theme, coin_x, strip.y - 4, strip.bottom() + 4);
        coin = (own.from == Resampled::From::residual ? "second coin " : "coin ") + ui::probability(*own.u);
        const float coin_width = canvas.text_width(coin, Font::text, 14);
        const float at = behind_coin ? label_x : coin_x + 10;
        if (in_first && at + coin_width + 8 < first_end) {
            canvas.text({at, strip.y + 17}, coin, Font::text, 14, theme.ink);
            coin.clear();
        } else {
            coin = " · " + coin;
        }
    }
    // Where the drawn token would find no room beside it, the caption is cut short.
    const auto drawn = std::ranges::find(shares, own.token, &Share::id);
    const bool named = drawn == shares.end() || (labelled && drawn == shares.begin());
    const float needed = named ? 0 : listed_share(d, *drawn).w - kGap;
    std::string caption = what + coin;
    if (own.from == Resampled::From::residual &&
        canvas.text_width(caption, Font::text, 14) + 16 + needed > strip.w)
        caption = "residual" + coin;
    const float used = canvas.text_width(caption, Font::text, 14);
    ui::fitted_text(canvas, {strip.x, strip.y + 44}, caption, Font::text, 14, theme.muted, strip.w);
    list_shares(d, {shares.begin() + (numbered ? 1 : 0), shares.end()}, own.token, strip.x + used + 16,
                strip.right(), strip.y + 44);
}

} // namespace

void draw_own_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    if (!d.model.own) return;
    const int column = d.model.own_column();
    const bool residual = d.model.own->from == Resampled::From::residual;
    const bool replaced = d.model.rejected >= 0;
    const bool bonus = d.model.own->from == Resampled::From::bonus;
    const Role role = residual ? Role::residual : bonus ? Role::bonus : Role::target;
    const float y = g.y + 420;
    const float room = g.left - g.gutter - 12;
    ui::fitted_text(d.ui.canvas, {g.gutter, y + 23},
                    residual ? "+1 resampled"
                    : bonus  ? "+1 bonus"
                             : "+1 target",
                    Font::text, 14, d.ui.theme.muted, room);

    const bool seen = g.visible(column);
    const Rect chip{seen ? g.x(column) : g.left, y, g.width, 36};
    const ui::Color hue = d.ui.theme.role(role);
    if (replaced && seen) {
        ui::ChipStyle style{.role = role, .solid = d.model.phase == Phase::resample};
        if (d.model.phase == Phase::resample) style.alpha = std::min(1.0F, d.input.t * 2);
        ui::chip(d.ui.canvas, d.ui.theme, chip, label_of(*d.input.trace, d.model.own->token), style);
        ui::arrow(d.ui.canvas, {g.middle(column), y - 26}, {g.middle(column), y - 1}, {hue, 2});
    }
    // The strip takes the free side of the chip; under a bonus the whole width to its left.
    Rect strip{g.left, y, g.right - g.left, 24};
    if (replaced && seen) {
        const float after = g.limit - chip.right() - 12, before = chip.x - 12 - g.left;
        const bool to_the_right = after >= 240 || after >= before;
        const float limit = to_the_right ? std::min(g.limit, std::max(g.right, chip.right() + 12 + 360)) : 0;
        strip = to_the_right ? Rect{chip.right() + 12, y, limit - chip.right() - 12, 24}
                             : Rect{g.left, y, before, 24};
        const float x = to_the_right ? chip.right() + 1 : chip.x - 12;
        d.ui.canvas.line({x, y + 18}, {x + 11, y + 18}, {hue, 2, 2, 3});
    } else if (!replaced && seen) {
        strip.w = std::max(strip.w, std::min(560.0F, g.limit - g.left));
        if (bonus) strip.x = std::max(g.left, g.right - 560);
        strip.w = std::min(strip.w, bonus ? g.right - strip.x : 560.0F);
        ui::arrow(d.ui.canvas, {g.middle(column), y - 2}, {g.middle(column), y - 26}, {hue, 2});
    }
    if (strip.w >= 160) draw_strip(d, strip, role);
}

} // namespace speclens
