// That the books balance: two strips show that what the draft over-claims equals what the target is owed, the proof that kept drafts and
// replacements stack up to the target, thrown coins that they do so in the end. What of the target the draft cannot name, and what
// another lossless rule, sample match, keeps of the same guesses.
#include <algorithm>

#include "scenes/accept/accept_draw.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/listed_tokens.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/glyphs.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::probability;

// What the target gives beyond the draft, in a bar of its own.
void dotted(const AcceptDraw& d, Rect at) {
    if (std::min(at.w, at.h) < 0.5F) return;
    d.canvas.fill(at, d.theme.role(Role::residual).alpha(0.35F));
    if (std::min(at.w, at.h) < 2) return;
    d.canvas.outline(at.inset(0.5F, 0.5F), {d.theme.role(Role::residual), 1, 2, 2});
}

constexpr float kStrips = 356, kProof = 404; // width of the strips, and where the proof begins beside them

using Pieces = std::vector<std::pair<const AcceptBar*, double>>; // the largest first
Pieces pieces(const AcceptView& view, double (AcceptBar::*mass)() const) {
    Pieces list;
    for (const AcceptBar& bar : view.bars)
        if (const double m = (bar.*mass)(); m > 1e-6) list.emplace_back(&bar, m);
    std::ranges::stable_sort(list, std::ranges::greater{}, &Pieces::value_type::second);
    return list;
}

std::vector<Said> shares_said(const AcceptDraw& d, const Pieces& list, double of = 1) {
    return each_said(list, [&](const auto& piece) {
        return accept_says("strips.share"_t, "token"_v = bar_words(d.input, *piece.first), "p"_v = piece.second / of);
    });
}

void draw_share(const AcceptDraw& d, Rect strip, const Pieces& list, Role role) {
    if (list.empty()) return ui::slot(d.canvas, d.theme, strip, accept_says("strips.nothing"_t));
    std::vector<double> shares;
    for (const auto& [bar, mass] : list) shares.push_back(mass);
    ui::share_strip(d.canvas, d.theme, strip, shares, role);
    const std::string label = d.name(*list[0].first), number = probability(list[0].second);
    const float w = ui::token_text_width(d.canvas, label, 15) + 8 + d.canvas.printed_width(number, Font::mono, 14);
    if (w + 24 > strip.w * static_cast<float>(list[0].second / std::max(1e-9, d.view.lost()))) return;
    d.canvas.fill({strip.x + 6, strip.y + 3, w + 12, strip.h - 6}, d.theme.bg.alpha(0.85F), 2);
    const float used = ui::token_text(d.canvas, {strip.x + 12, strip.y + 17}, label, 15, d.theme.ink);
    d.digits({strip.x + 20 + used, strip.y + 17}, number, d.theme.ink);
}

// Over-claimed and owed, and the residual as a distribution of its own. `y`: as g.y.
void draw_accept_strips(const AcceptDraw& d, float y) {
    const float x = d.grid.left, w = kStrips, foot = y + 652;
    const std::string mass = lost_number(d.view);
    d.bold({x, y + 560}, accept_says("strips.title"_t));
    d.digits({x + w, y + 560}, d.view.at_least ? mass : mass + " = " + mass, d.theme.muted, Align::right);
    if (d.view.at_least) {
        ui::paragraph(d.canvas, {x, y + 588}, w, accept_says("strips.unlisted"_t), {.size = 14, .color = d.theme.muted});
        return;
    }
    const Rect first{x, y + 576, w, 24}, second{x, y + 608, w, 24};
    const Pieces over = pieces(d.view, &AcceptBar::over), owed = pieces(d.view, &AcceptBar::owed);
    draw_share(d, first, over, Role::rejected);
    draw_share(d, second, owed, Role::residual);
    if (owed.empty()) return ui::fitted_text(d.canvas, {x, foot}, accept_says("strips.equal"_t), Font::text, 14, d.theme.muted, w);
    d.canvas.tell(accept_says("strips.over"_t, "shares"_v = shares_said(d, over)), first);
    d.canvas.tell(accept_says("strips.owed"_t, "shares"_v = shares_said(d, owed)), second);
    d.canvas.tell(accept_says("strips.residual"_t, "shares"_v = shares_said(d, owed, d.view.lost())), {x, foot - 15, w, 20});
    const std::string lead = "÷ " + mass + ":";
    d.canvas.print({x, foot}, lead, Font::text, 14, d.theme.muted);
    const float left = x + d.canvas.printed_width(lead, Font::text, 14) + 12;
    std::vector<NumberedToken> listed;
    for (const auto& [bar, p] : owed) listed.push_back({d.name(*bar), probability(p / d.view.lost())});
    list_tokens(d.ui, listed, {left, foot}, x + w, 4);
}

void draw_accept_proof(const AcceptDraw& d, float y) {
    const float left = d.grid.left + kProof, right = d.grid.right;
    d.canvas.line({left - 24 + 0.5F, y + 548}, {left - 24 + 0.5F, y + 652}, d.theme.hairline());
    d.bold({left, y + 560}, accept_says("proof.title"_t));
    const std::vector<Message> sums{accept_says("proof.sums:whole"_t), accept_says("proof.sums:short"_t), {}};
    d.muted({left + 48, y + 560}, ui::fitting(d.canvas, sums, Font::text, 14, right - left - 48));
    const float joint = 38, chart = (right - left - 2 * joint) / 3, step = chart / static_cast<float>(d.view.bars.size());
    const float bar = std::max(2.0F, std::min(12.0F, step - 2)), base = y + 632;
    const double highest = std::max(1e-9, std::ranges::max(d.view.bars, {}, &AcceptBar::p).p);
    const auto px = [&](double value) { return static_cast<float>(value / highest) * 60; };
    const Message captions[] = {accept_says("proof.kept"_t, "kept"_v = kept_number(d.view)),
                                accept_says("proof.residual"_t, "lost"_v = lost_number(d.view)),
                                accept_says("proof.target"_t, "p"_v = 1.0)};
    for (int k = 0; k < 3; ++k) {
        const float x0 = left + static_cast<float>(k) * (chart + joint), end = x0 + chart;
        float x = x0;
        for (const AcceptBar& b : d.view.bars) {
            const float kept = px(b.kept);
            if (k != 1) d.canvas.fill({x, base - kept, bar, kept}, d.theme.role(Role::accepted).alpha(0.8F));
            if (k != 0) dotted(d, {x, base - (k == 1 ? 0 : kept) - px(b.owed()), bar, px(b.owed())});
            if (k == 2) d.canvas.line({x - 1, base - px(b.p)}, {x + bar + 1, base - px(b.p)}, {d.theme.role(Role::target), 2});
            x += step;
        }
        d.canvas.line({x0 - 2, base + 0.5F}, {end, base + 0.5F}, d.theme.hairline());
        d.muted({x0 + chart / 2, y + 652}, captions[k], Align::center);
        if (k < 2) d.canvas.print({end + joint / 2 - 2, base - 20}, k == 0 ? "+" : "=", Font::text_bold, 20, d.theme.ink, Align::center);
    }
    const auto bars = each_said(d.view.bars, [&](const AcceptBar& b) {
        return accept_says("proof.bar"_t, "token"_v = bar_words(d.input, b), "kept"_v = b.kept, "replaced"_v = b.owed(), "target"_v = b.p);
    });
    d.canvas.tell(accept_says("proof.told"_t, "bars"_v = bars), {left, y + 572, right - left, 60});
}

} // namespace

// What the beat is not about steps back.
void draw_accept_books(const AcceptDraw& d, float y) {
    draw_accept_strips(d, y);
    draw_accept_proof(d, y);
    const float top = y + 548, h = 112;
    if (d.input.beat == kBooksBeat || d.input.beat == kResidualBeat)
        dim(d.ui, {d.grid.left + kProof - 23, top, d.grid.right - d.grid.left - kProof + 23, h});
    if (d.input.beat == kBalanceBeat) dim(d.ui, {d.grid.left, top, kStrips + 8, h});
}

namespace {

// A number in a part of a strip, where it fits.
struct StripPart {
    double share;
    Message words;
    Role role;
    float strength;
};
void draw_strip(const AcceptDraw& d, Rect strip, const std::vector<StripPart>& parts) {
    for (const StripPart& part : parts) {
        const Rect at{strip.x, strip.y, strip.w * static_cast<float>(part.share), strip.h};
        const ui::Color edge = d.theme.role(part.role);
        const float dots = part.role == Role::residual ? 2 : 0;
        strip.x += at.w;
        ui::thing(d.ui, at, part.words);
        if (at.w < 0.5F) continue;
        d.canvas.fill(at, edge.alpha(part.strength));
        if (at.w >= 3) d.canvas.outline(at.inset(0.5F, 0.5F), {edge, 1, dots, dots});
        const std::string fits =
            ui::fitting(d.canvas, std::vector<std::string>{part.words.words(), probability(part.share)}, Font::text, 14, at.w - 16);
        if (d.canvas.printed_width(fits, Font::text, 14) <= at.w - 16)
            d.canvas.print({at.x + 8, at.y + 15.5F}, fits, Font::text, 14, d.theme.ink);
    }
}

// What stands below the chart, and its numbers in a line.
void part_heading(const AcceptDraw& d, const Message& heading, const Message& numbers) {
    const float y = d.grid.y + 440, used = d.canvas.text_width(heading, Font::text_bold, 15) + 16;
    d.bold({d.grid.left, y}, heading);
    ui::fitted_text(d.canvas, {d.grid.right, y}, numbers, Font::text, 14, d.theme.muted, d.grid.right - d.grid.left - used, Align::right);
}

} // namespace

// The target's mass by whether the draft can name the token, and below it what comes out: both end with the same piece.
void draw_accept_reach(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const AcceptReach& reach = d.view.reach;
    const float y = g.y, names = g.left + 72, w = g.right - names;
    part_heading(d, accept_says("strip.title"_t),
                 accept_says("strip.sum"_t, "letter"_v = d.letter(ModelSide::target), "named"_v = reach.named, "ids"_v = reach.ids,
                             "never"_v = reach.never));
    const auto part = [](auto id, double p, Role role, float strength) { return StripPart{p, accept_says(id, "p"_v = p), role, strength}; };
    const StripPart never = part("strip.part:never"_t, reach.never, Role::residual, 0.4F);
    d.muted({g.left, y + 468}, accept_says("strip.target"_t));
    draw_strip(d, {names, y + 452, w, 22}, {part("strip.part:nameable"_t, 1 - reach.never, Role::target, 0.25F), never});
    d.muted({g.left, y + 498}, accept_says("strip.output"_t));
    draw_strip(d, {names, y + 482, w, 22},
               {part("strip.part:kept"_t, d.view.kept, Role::accepted, 0.55F),
                part("strip.part:replaced"_t, std::max(0.0, d.view.lost() - reach.never), Role::residual, 0.15F), never});
}

// The guesses of the round side by side: how likely each rule keeps one there, and what both make of it with the run's dice.
void draw_accept_rules(const AcceptDraw& d) {
    const AcceptGrid& g = d.grid;
    const std::vector<PlaceByRules>& places = d.view.places;
    const auto by_token = static_cast<std::size_t>(d.view.stay(&PlaceByRules::by_token)),
               by_match = static_cast<std::size_t>(d.view.stay(&PlaceByRules::by_match));
    const float y = g.y, names = g.left + 108, room = g.right - names;
    part_heading(d, accept_says("rules.title"_t),
                 accept_says("rules.sum"_t, "of"_v = places.size(), "token"_v = by_token, "match"_v = by_match));
    d.muted({g.left, y + 464}, accept_says("rules.guess"_t));
    d.muted({g.left, y + 486}, accept_says("rules.token"_t));
    d.muted({g.left, y + 508}, accept_says("rules.match"_t));
    const float w = std::clamp(room / static_cast<float>(places.size()), 64.0F, 150.0F); // a number, its mark, and air
    const std::size_t fit = std::min(places.size(), static_cast<std::size_t>(room / w + 0.01F));
    const auto verdict = [](std::size_t i, std::size_t stay) {
        return i < stay    ? accept_says("rules.verdict:stays"_t)
               : i == stay ? accept_says("rules.verdict:goes"_t)
                           : accept_says("rules.verdict:unseen"_t);
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        const PlaceByRules& place = places[i];
        const Message told = accept_says("rules.place"_t, "place"_v = i + 1, "guess"_v = token_said(*d.input.trace, place.guess),
                                         "kept"_v = place.kept, "by_token"_v = verdict(i, by_token), "matched"_v = place.matched,
                                         "own"_v = token_said(*d.input.trace, place.own), "by_match"_v = verdict(i, by_match));
        if (i >= fit) {
            d.canvas.tell(told, {names, y + 448, room, 66});
            continue;
        }
        const Rect cell{names + w * static_cast<float>(i), y + 448, w, 66};
        if (d.view.source.position->index == static_cast<int>(i)) d.canvas.fill(cell, d.theme.raised.alpha(0.75F), 6);
        ui::thing(d.ui, cell, told);
        const auto label = [&](int token, Vec2 at) {
            const std::string fitted = ui::fit_token(d.canvas, label_of(*d.input.trace, token), 14, cell.right() - at.x - 6);
            ui::token_text(d.canvas, at, fitted, 14, d.theme.ink);
        };
        label(place.guess, {cell.x + 8, y + 464});
        const auto row = [&](float at, double chance, std::size_t stay) {
            d.digits({cell.x + 8, at}, probability(chance), i > stay ? d.theme.muted : d.theme.ink);
            if (i > stay) return; // nobody asks any more
            ui::icon(d.canvas, i < stay ? ui::Icon::check : ui::Icon::cross, {cell.x + 53, at - 5}, 12,
                     d.theme.role(i < stay ? Role::accepted : Role::rejected));
        };
        row(y + 486, place.kept, by_token);
        row(y + 508, place.matched, by_match);
        if (i == by_match && w >= 96) label(place.own, {cell.x + 66, y + 508});
    }
    if (fit < places.size()) d.canvas.print({g.right, y + 464}, "…", Font::text, 14, d.theme.muted, Align::right);
}

namespace {

// One row for each bar: what was kept and what was resampled, and what the target gives as a mark. The longest fills its row.
void draw_flip_rows(const AcceptDraw& d, Rect r, std::size_t rows, float row_h) {
    const FlipCounts& counts = d.state.now.counts;
    const bool any = counts.flips > 0;
    const auto share = [&](const std::vector<int>& of, std::size_t i) { return any ? static_cast<double>(of[i]) / counts.flips : 0; };
    double longest = 1e-9;
    for (std::size_t i = 0; i < d.view.bars.size(); ++i)
        longest = std::max({longest, d.view.bars[i].p, share(counts.kept, i) + share(counts.resampled, i)});
    const float from = r.x + 72;
    const auto px = [&](double p) { return static_cast<float>(p / longest) * (r.right() - 52 - from); };
    for (std::size_t i = 0; i < d.view.bars.size(); ++i) {
        const AcceptBar& bar = d.view.bars[i];
        const float y = r.y + row_h * static_cast<float>(i);
        d.canvas.tell(accept_says("flips.row"_t, "token"_v = bar_words(d.input, bar), "thrown"_v = any, "kept"_v = any ? counts.kept[i] : 0,
                                  "resampled"_v = any ? counts.resampled[i] : 0, "p"_v = bar.p),
                      {r.x, y, r.w, row_h});
        if (i >= rows) continue;
        d.label(bar, {r.x, y + 12}, 14, 64);
        const float kept = px(share(counts.kept, i)), mark = from + px(bar.p);
        d.canvas.fill({from, y, kept, 14}, d.theme.role(Role::accepted).alpha(0.85F));
        dotted(d, {from + kept, y, px(share(counts.resampled, i)), 14});
        d.canvas.line({mark, y - 3}, {mark, y + 17}, {d.theme.role(Role::target), 3});
        d.digits({r.right(), y + 12}, any ? ui::integer(counts.total(i)) : probability(bar.p), any ? d.theme.ink : d.theme.muted,
                 Align::right);
    }
}

// Of all coins together.
void draw_flip_test(const AcceptDraw& d, Vec2 at, float right) {
    const FlipCounts& counts = d.state.now.counts;
    const DistributionTest test = test_flips(d.view, counts);
    const auto p = test.degrees > 0 ? std::optional(test.p_value) : std::nullopt;
    const auto flips = "flips"_v = counts.flips;
    const Message heading = accept_says("flips.heading"_t, flips, "fits"_v = p && *p >= 0.01, "off"_v = p && *p < 0.01);
    ui::fitted_text(d.canvas, at, heading, Font::text_bold, 15, d.theme.ink, right - at.x);
    d.digits({at.x, at.y + 24}, p ? "χ² p = " + probability(*p) : accept_says("flips.few"_t).words(), d.theme.muted);
    d.digits({right, at.y + 24}, "TV = " + ui::fraction(test.total_variation, 3), d.theme.muted, Align::right);
    d.canvas.tell(accept_says("flips.told"_t, flips, "kept"_v = counts.kept_total(), "resampled"_v = counts.flips - counts.kept_total(),
                              "bound"_v = d.view.at_least, "tv"_v = test.total_variation, "p"_v = p),
                  {at.x, at.y + 9, right - at.x, 20});
}

} // namespace

void draw_accept_flips(const AcceptDraw& d, Rect r) {
    if (r.w <= 0) return;
    const float x = r.x + 24, right = r.right() - 24;
    if (d.view.bars.empty()) {
        d.bold({x, r.y + 32}, accept_says("flips.title"_t));
        ui::paragraph(d.canvas, {x, r.y + 64}, right - x, accept_says("flips.empty"_t), {.color = d.theme.muted});
        return;
    }
    const FlipCounts& counts = d.state.now.counts;
    const bool any = counts.flips > 0;
    if (any) {
        draw_flip_test(d, {x, r.y + 32}, right);
    } else {
        ui::fitted_text(d.canvas, {x, r.y + 32}, accept_says("flips.none"_t), Font::text_bold, 15, d.theme.ink, right - x);
        d.muted({x, r.y + 56}, accept_says("flips.how"_t));
    }
    const std::size_t n = d.view.bars.size();
    const float pitch = std::min(24.0F, (r.h - 76 - 40) / static_cast<float>(n)), row_h = std::max(pitch, 20.0F);
    const std::size_t rows = pitch >= 20 ? n : std::min(n, static_cast<std::size_t>(std::max(1.0F, (r.h - 116) / 20)));
    draw_flip_rows(d, {x, r.y + 76, right - x, r.h - 116}, rows, row_h);
    const float y = r.y + 76 + row_h * static_cast<float>(rows) + 12;
    float at = x;
    const auto counted = [&](ui::Icon icon, Role role, const Message& words) {
        ui::icon(d.canvas, icon, {at + 6, y - 4}, 12, d.theme.role(role));
        d.muted({at + 18, y}, words);
        at += 18 + d.canvas.text_width(words, Font::text, 14) + 16;
    };
    if (any) {
        const auto bound = "bound"_v = d.view.at_least;
        counted(ui::Icon::check, Role::accepted, accept_says("flips.kept"_t, bound, "n"_v = counts.kept_total()));
        counted(ui::Icon::redo, Role::residual, accept_says("flips.resampled"_t, bound, "n"_v = counts.flips - counts.kept_total()));
    }
    d.canvas.line({at + 2, y - 12}, {at + 2, y + 2}, {d.theme.role(Role::target), 3});
    ui::fitted_text(d.canvas, {at + 12, y}, any ? accept_says("flips.expected"_t) : accept_says("flips.gives"_t), Font::text, 14,
                    d.theme.muted, right - at - 12);
}

} // namespace speclens
