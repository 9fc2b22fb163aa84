// The target's own token: the chip that replaces a rejected guess (or the bonus), and the law it was drawn
// from as a strip of shares in the order in which the coin counts them, with the coin at its number.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "scenes/loop/loop_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {

std::vector<Share> shares_of(const Top& law, int chosen, std::optional<double> u) {
    constexpr std::size_t kNamed = 12;
    std::vector<Top::Entry> entries = law.entries;
    const double least = entries.size() > kNamed ? entries[kNamed - 1].logp : -INFINITY;
    std::ranges::sort(entries, {}, &Top::Entry::id);
    double before = 0, share = 0;
    const double rest = std::max(0.0, law.rest);
    for (const Top::Entry& entry : entries) {
        if (entry.id < chosen) before += std::exp(entry.logp);
        if (entry.id == chosen) share = std::exp(entry.logp);
    }
    double below = rest / 2;
    if (u) below = (std::clamp(*u - before - share, 0.0, rest) + std::clamp(*u - before, 0.0, rest)) / 2;

    std::vector<Share> shares;
    double at = 0;
    const auto add = [&](int id, double p) {
        if (id < 0 && !shares.empty() && shares.back().id < 0)
            shares.back().p += p;
        else if (p > 0)
            shares.push_back({id, p, at});
        at += p;
    };
    const auto add_entry = [&](const Top::Entry& entry) {
        add(entry.logp >= least || entry.id == chosen ? entry.id : -1, std::exp(entry.logp));
    };
    auto entry = entries.begin();
    for (; entry != entries.end() && entry->id < chosen; ++entry) add_entry(*entry);
    add(-1, below);
    if (entry != entries.end() && entry->id == chosen) add_entry(*entry++);
    add(-1, rest - below);
    for (; entry != entries.end(); ++entry) add_entry(*entry);
    return shares;
}

namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

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

// Name and probability inside a share, or the name alone, to the side of the coin that has room. True if both
// stand there.
bool name_share(const LoopDraw& d, const Share& share, Rect box, float coin_x) {
    ui::Canvas& canvas = d.ui.canvas;
    const std::string label = label_of(*d.input.trace, share.id), number = ui::probability(share.p);
    const float name = ui::token_text_width(canvas, label, 15),
                with_number = name + 8 + canvas.text_width(number, Font::mono, 14);
    const bool split = coin_x > box.x && coin_x < box.right();
    for (const float width : {with_number, name}) {
        float x = box.x + 6;
        if (split && x + width + 10 > coin_x) x = coin_x + 10;
        if (x + width + 6 > box.right()) continue;
        x += ui::token_text(canvas, {x, box.y + 17}, label, 15, d.ui.theme.ink) + 8;
        if (width > name) canvas.text({x, box.y + 17}, number, Font::mono, 14, d.ui.theme.ink);
        return width > name;
    }
    return false;
}

void draw_strip(const LoopDraw& d, Rect strip, Role role) {
    const Resampled& own = *d.model.own;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::string what = own.from == Resampled::From::residual ? "residual, scaled to 1"
                             : own.from == Resampled::From::bonus
                                 ? own.target_top.empty() ? "the target's last row" : "the mixture's last row"
                                 : "the target's row";
    const std::string short_what = own.from == Resampled::From::residual ? "residual" : what;
    if (own.top.empty()) {
        ui::fitted_text(canvas, {strip.x, strip.y + 17}, "the row was not recorded (fast mode)", Font::text,
                        14, theme.muted, strip.w);
        return;
    }
    const std::vector<Share> shares = shares_of(own.top, own.token, own.u);
    const float open = d.motion(Phase::resample);
    const auto box_of = [&](const Share& share) {
        return Rect{strip.x + strip.w * open * static_cast<float>(share.from), strip.y,
                    strip.w * open * static_cast<float>(share.p), strip.h};
    };
    float grey = 0; // width of parts that are too narrow for their name
    constexpr const char* kOthers = "others";
    for (const Share& share : shares) {
        const double whole[] = {1};
        if (share.id < 0) {
            const Rect box = box_of(share);
            canvas.fill(box, theme.muted.alpha(0.25F));
            const bool named = open == 1 && canvas.text_width(kOthers, Font::text, 14) + 12 <= box.w;
            if (named) canvas.text({box.x + 6, box.y + 17}, kOthers, Font::text, 14, theme.muted);
            if (!named) grey += box.w;
            continue;
        }
        ui::share_strip(canvas, theme, box_of(share), whole, role);
    }
    if (open < 1) return;
    ui::tooltip(d.ui, strip, "tokens in the order of their numbers: so the coin counts them from the left");

    // The coin stands at its number, which lies in the share that it picked.
    float coin_x = -1;
    if (own.u) {
        coin_x = strip.x + strip.w * static_cast<float>(*own.u);
        for (const Share& share : shares)
            if (share.id == own.token)
                coin_x =
                    std::clamp(coin_x, box_of(share).x, std::max(box_of(share).x, box_of(share).right() - 1));
        ui::coin_marker(canvas, theme, coin_x, strip.y - 4, strip.bottom() + 4);
    }
    std::vector<Share> unnamed;
    for (const Share& share : shares)
        if (share.id >= 0 && !name_share(d, share, box_of(share), coin_x)) unnamed.push_back(share);
    std::ranges::stable_sort(unnamed, std::ranges::greater{}, &Share::p);
    const std::string coin = own.u
                                 ? (own.from == Resampled::From::residual ? " · second coin " : " · coin ") +
                                       ui::probability(*own.u)
                                 : std::string();
    // Where the drawn token would find no room beside it, the caption is cut short.
    const auto drawn = std::ranges::find(unnamed, own.token, &Share::id);
    const float needed = drawn == unnamed.end() ? 0 : listed_share(d, *drawn).w - kGap;
    std::string caption;
    const std::string short_coin = own.u ? " · coin " + ui::probability(*own.u) : std::string();
    const std::string others = grey >= 1 ? " · grey: others" : "",
                      numbered = own.u ? ", by token number" : "";
    for (const std::string& words :
         {what + numbered + coin + others, what + coin + others, short_what + coin + others,
          short_what + short_coin + others, short_what + coin}) {
        caption = words;
        if (canvas.text_width(caption, Font::text, 14) + 16 + needed <= strip.w) break;
    }
    const float used = canvas.text_width(caption, Font::text, 14);
    ui::fitted_text(canvas, {strip.x, strip.y + 44}, caption, Font::text, 14, theme.muted, strip.w);
    list_shares(d, unnamed, own.token, strip.x + used + 16, strip.right(), strip.y + 44);
}

} // namespace

void draw_own_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    if (!d.model.own) return;
    const int column = d.model.own_column();
    const bool residual = d.model.own->from == Resampled::From::residual;
    const bool replaced = d.model.rejected >= 0;
    const bool bonus = d.model.own->from == Resampled::From::bonus;
    const bool dropped = d.model.own_dropped;
    const Role role = dropped    ? Role::discarded
                      : residual ? Role::residual
                      : bonus    ? Role::bonus
                                 : Role::target;
    const float y = g.y + 420;
    const float room = g.left - g.gutter - 12;
    ui::fitted_text(d.ui.canvas, {g.gutter, y + 23},
                    dropped    ? "not used"
                    : residual ? "+1 resampled"
                    : bonus    ? "+1 bonus"
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
        const bool below_columns = g.right - chip.right() - 12 >= 240; // else it goes on behind the last one
        const float limit = below_columns ? g.right : std::min(g.limit, chip.right() + 12 + 360);
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
