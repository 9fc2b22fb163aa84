// The target's own token: the chip that replaces a rejected guess (or the bonus), and the distribution it was drawn
// from as a strip of shares in the order in which the coin counts them, with the coin at its number.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "scenes/loop/loop_bands.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/listed_tokens.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// The chip comes out of the strip of what it was drawn from, once that is open.
constexpr float kOpens = 0.6F;

NumberedToken listed_share(const LoopDraw& d, const Share& share, bool first = false) {
    return {label_of(*d.input.trace, share.id), ui::probability(share.p), first};
}

// The chosen one, then the likeliest.
void list_shares(const LoopDraw& d, std::vector<Share> shares, int chosen, float left, float right, float y) {
    std::vector<NumberedToken> listed;
    std::ranges::stable_partition(shares, [&](const Share& share) { return share.id == chosen; });
    for (const Share& share : shares) {
        if (share.id < 0 || (share.p < 0.01 && share.id != chosen)) break;
        listed.push_back(listed_share(d, share, share.id == chosen));
    }
    list_tokens(d.ui, listed, {left, y}, right, 3);
}

// Name and probability inside a share, or the name alone, to the side of the coin that has room. True if both
// stand there.
bool name_share(const LoopDraw& d, const Share& share, Rect box, float coin_x) {
    ui::Canvas& canvas = d.ui.canvas;
    const std::string label = label_of(*d.input.trace, share.id), number = ui::probability(share.p);
    const float name = ui::token_text_width(canvas, label, 15), with_number = name + 8 + canvas.printed_width(number, Font::mono, 14);
    const bool split = coin_x > box.x && coin_x < box.right();
    for (const float width : {with_number, name}) {
        float x = box.x + 6;
        if (split && x + width + 10 > coin_x) x = coin_x + 10;
        if (x + width + 6 > box.right()) continue;
        x += ui::token_text(canvas, {x, box.y + 17}, label, 15, d.ui.theme.ink) + 8;
        if (width > name) canvas.print({x, box.y + 17}, number, Font::mono, 14, d.ui.theme.ink);
        return width > name;
    }
    return false;
}

// What the strip shows, the longest wording first; `grey`: a piece of it has no name.
std::vector<Message> strip_words(const TargetToken& own, bool grey) {
    using From = TargetToken::From;
    const bool residual = own.from == From::residual;
    const Message row = residual                  ? loop_says("strip.row:residual"_t)
                        : own.from != From::bonus ? loop_says("strip.row:target"_t)
                        : own.target_top.empty()  ? loop_says("strip.row:last"_t)
                                                  : loop_says("strip.row:mixture"_t);
    const Message short_row = residual ? loop_says("strip.row:residual_short"_t) : row;
    const auto say = [&](const Message& what, bool numbered, bool second, bool others) {
        return loop_says("strip.caption"_t, "row"_v = what, "numbered"_v = numbered && own.u, "second"_v = second ? own.u : std::nullopt,
                         "coin"_v = second ? std::nullopt : own.u, "grey"_v = others);
    };
    return {say(row, true, residual, grey), say(row, false, residual, grey), say(short_row, false, residual, grey),
            say(short_row, false, false, grey), say(short_row, false, residual, false)};
}

void draw_strip(const LoopDraw& d, Rect strip, Role role) {
    const TargetToken& own = *d.model.own;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (own.top.empty()) {
        ui::fitted_text(canvas, {strip.x, strip.y + 17}, loop_says("strip.unrecorded"_t), Font::text, 14, theme.muted, strip.w);
        return;
    }
    const std::vector<Share> shares = shares_of(own.top, own.token, own.u);
    const float open = d.input.reduced_motion ? 1 : eased(d.moved(&own), 0, kOpens);
    const auto box_of = [&](const Share& share) {
        return Rect{strip.x + strip.w * open * static_cast<float>(share.from), strip.y, strip.w * open * static_cast<float>(share.p),
                    strip.h};
    };
    float grey = 0; // width of parts that are too narrow for their name
    const Message others = loop_says("strip.others"_t);
    for (const Share& share : shares) {
        const double whole[] = {1};
        if (share.id < 0) {
            const Rect box = box_of(share);
            canvas.fill(box, theme.muted.alpha(0.25F));
            const bool named = open == 1 && canvas.text_width(others, Font::text, 14) + 12 <= box.w;
            if (named) canvas.text({box.x + 6, box.y + 17}, others, Font::text, 14, theme.muted);
            if (!named) grey += box.w;
            continue;
        }
        ui::share_strip(canvas, theme, box_of(share), whole, role);
    }
    if (open < 1) return;
    ui::tooltip(d.ui, strip, loop_says("strip.about"_t));

    // The coin stands at its number, which lies in the share that it picked.
    float coin_x = -1;
    if (own.u) {
        coin_x = strip.x + strip.w * static_cast<float>(*own.u);
        for (const Share& share : shares)
            if (share.id == own.token) coin_x = std::clamp(coin_x, box_of(share).x, std::max(box_of(share).x, box_of(share).right() - 1));
        ui::coin_marker(canvas, theme, coin_x, strip.y - 4, strip.bottom() + 4);
    }
    std::vector<Share> unnamed;
    for (const Share& share : shares)
        if (share.id >= 0 && !name_share(d, share, box_of(share), coin_x)) unnamed.push_back(share);
    std::ranges::stable_sort(unnamed, std::ranges::greater{}, &Share::p);
    // Where the drawn token would find no room beside it, the caption is cut short.
    const auto drawn = std::ranges::find(unnamed, own.token, &Share::id);
    const float needed = drawn == unnamed.end() ? 0 : listed_width(canvas, listed_share(d, *drawn));
    const std::vector<Message> ways = strip_words(own, grey >= 1);
    const Message caption = ui::fitting(canvas, ways, Font::text, 14, strip.w - 16 - needed);
    const float used = canvas.text_width(caption, Font::text, 14);
    ui::fitted_text(canvas, {strip.x, strip.y + 44}, caption, Font::text, 14, theme.muted, strip.w);
    list_shares(d, unnamed, own.token, strip.x + used + 16, strip.right(), strip.y + 44);
}

} // namespace

void draw_own_chip(const LoopDraw& d, Rect box, Role role, float from_below) {
    const float t = d.moved(d.model.own), come = d.input.reduced_motion ? t : std::clamp((t - kOpens) / (1 - kOpens), 0.0F, 1.0F);
    const Rect below{box.x, box.y + from_below, box.w, box.h}, at = d.on_the_way(below, box, come);
    ui::chip(d.ui.canvas, d.ui.theme, at, label_of(*d.input.trace, d.model.own->token),
             {.role = role, .solid = d.model.phase == Phase::resample, .alpha = come});
    if (come > 0) d.tell_place(d.model.round->own_slot(), at);
}

void draw_own_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    if (!d.model.own) return;
    const TargetToken& own = *d.model.own;
    const int column = d.model.own_column();
    const bool residual = own.from == TargetToken::From::residual;
    const bool replaced = d.model.rejected >= 0;
    const bool bonus = own.from == TargetToken::From::bonus;
    const bool dropped = d.model.own_dropped;
    const Role role = dropped ? Role::discarded : residual ? Role::residual : bonus ? Role::bonus : Role::target;
    const float y = g.rows.own, way = y - g.rows.outcome - g.rows.chip - 2; // of the arrow between the two
    const float room = g.left - g.gutter - 12;
    d.ui.canvas.tell(own_token_words(d.input, d.model), d.input.stage);
    if (own.top.entries.size() > 1) d.ui.canvas.tell(strip_shares(d.input, own), d.input.stage);
    ui::fitted_text(d.ui.canvas, {g.gutter, y + 23},
                    dropped    ? loop_says("own_row.dropped"_t)
                    : residual ? loop_says("own_row.resampled"_t)
                    : bonus    ? loop_says("own_row.bonus"_t)
                               : loop_says("own_row.target"_t),
                    Font::text, 14, d.ui.theme.muted, room);

    const bool seen = g.visible(column);
    const Rect chip{seen ? g.x(column) : g.left, y, g.width, g.rows.chip};
    const ui::Color hue = d.ui.theme.role(role);
    if (replaced && seen) {
        draw_own_chip(d, chip, role, 20);
        ui::arrow(d.ui.canvas, {g.middle(column), y - way}, {g.middle(column), y - 1}, {hue, 2});
    }
    // The strip takes the free side of the chip; under a bonus the whole width to its left.
    Rect strip{g.left, y, g.right - g.left, 24};
    if (replaced && seen) {
        const float after = g.limit - chip.right() - 12, before = chip.x - 12 - g.left;
        const bool to_the_right = after >= 240 || after >= before;
        const bool below_columns = g.right - chip.right() - 12 >= 240; // else it goes on behind the last one
        const float limit = below_columns ? g.right : std::min(g.limit, chip.right() + 12 + 360);
        strip = to_the_right ? Rect{chip.right() + 12, y, limit - chip.right() - 12, 24} : Rect{g.left, y, before, 24};
        const float x = to_the_right ? chip.right() + 1 : chip.x - 12;
        d.ui.canvas.line({x, y + 18}, {x + 11, y + 18}, {hue, 2, 2, 3});
    } else if (!replaced && seen) {
        strip.w = std::max(strip.w, std::min(560.0F, g.limit - g.left));
        if (bonus) strip.x = std::max(g.left, g.right - 560);
        strip.w = std::min(strip.w, bonus ? g.right - strip.x : 560.0F);
        ui::arrow(d.ui.canvas, {g.middle(column), y - 2}, {g.middle(column), y - way}, {hue, 2});
    }
    if (strip.w >= 160) draw_strip(d, strip, role);
}

std::vector<Share> shares_of(const TopEntries& distribution, int chosen, std::optional<double> u) {
    constexpr std::size_t kNamed = 12;
    std::vector<TopEntries::Entry> entries = distribution.entries;
    const double least = entries.size() > kNamed ? entries[kNamed - 1].logp : -INFINITY;
    std::ranges::sort(entries, {}, &TopEntries::Entry::id);
    double before = 0, share = 0;
    const double rest = std::max(0.0, distribution.rest);
    for (const TopEntries::Entry& entry : entries) {
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
    const auto add_entry = [&](const TopEntries::Entry& entry) {
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

} // namespace speclens
