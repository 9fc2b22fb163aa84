// The picture of the loop: bands from the draft chips down to the outcome chips. The target's own token with the distribution
// it was drawn from, and the clock card below them: loop_own.cpp, loop_clock.cpp.
#include "scenes/loop/loop_draw.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "scenes/loop/loop_bands.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr float kLoopClock = 604; // with the clock card; 648 for its full height

// Parts of the motion that a verdict brings: the coin falls, then the guess goes where it belongs; a refused one is struck
// above its place and drops.
constexpr float kCoinFalls = 0.4F, kGoes = 0.75F, kStruck = 0.88F;

void row_name(const LoopDraw& d, float y, const Message& name, const Message& detail) {
    const float room = d.grid.left - d.grid.gutter - 12;
    ui::fitted_text(d.ui.canvas, {d.grid.gutter, y}, name, Font::text_bold, 15, d.ui.theme.ink, room);
    if (!detail.empty()) ui::fitted_text(d.ui.canvas, {d.grid.gutter, y + 20}, detail, Font::text, 14, d.ui.theme.muted, room);
}

void small(const LoopDraw& d, float x, float y, const Message& words, Align align = Align::center) {
    ui::fitted_text(d.ui.canvas, {x, y}, words, Font::text, 14, d.ui.theme.muted, d.grid.width, align);
}

const LoopColumn& column(const LoopDraw& d, int i) { return d.model.columns[static_cast<std::size_t>(i)]; }
int drafts(const LoopDraw& d) { return static_cast<int>(d.model.columns.size()); }

int levels(const LoopModel& model) {
    int deepest = 0;
    if (model.round)
        for (const DraftSlot& slot : model.round->drafts) deepest = std::max(deepest, slot.depth);
    return deepest;
}

// What the bar of the pass says, the longest wording first.
std::vector<Message> verify_words(const LoopModel& model) {
    const int n = model.drafted;
    const auto rows = "rows"_v = n + 1;
    const Message least = loop_says("verify_row.rows"_t, rows);
    if (n == 0) return {loop_says("verify_row.pending"_t), least};
    const auto what = "guesses"_v = n == 2 ? loop_says("verify_row.guesses:two"_t) : loop_says("verify_row.guesses:any"_t, "n"_v = n);
    return {loop_says("verify_row.reads"_t, what, rows), loop_says("verify_row.reads_short"_t, what, rows), least};
}

// Raised column, numbers, clicks.
void draw_loop_columns(const LoopDraw& d, std::vector<SceneCommand>& out) {
    const LoopGrid& g = d.grid;
    const float around = (g.pitch - g.width) * 2 / 3;
    if (g.count < g.total)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.rows.number},
                        loop_says("columns.shown"_t, "first"_v = g.first + 1, "last"_v = g.first + g.count, "of"_v = g.total), Font::mono,
                        14, d.ui.theme.muted, g.left - g.gutter - 8);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect band{g.x(i) - around, g.rows.number - 18, g.width + 2 * around, g.rows.bottom - g.rows.number + 18};
        const bool selected = i == d.model.selected && d.model.round;
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("column " + std::to_string(i)), band);
        if (selected)
            d.ui.canvas.fill(band, d.ui.theme.raised.alpha(0.75F), 6);
        else if (touched.hovered && d.model.round)
            d.ui.canvas.fill(band, d.ui.theme.raised.alpha(0.35F), 6);
        if (touched.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, band);
        if (touched.clicked && d.model.round) out.push_back(Select{Position{d.model.round->round, i}});
        const ui::Color color = selected ? d.ui.theme.ink : d.ui.theme.muted;
        const ui::Vec2 at{g.middle(i), g.rows.number};
        std::string number = std::to_string(i + 1);
        if (i == drafts(d) && g.roomy()) {
            d.ui.canvas.text(at, loop_says("columns.own"_t, "n"_v = i + 1, "bonus"_v = i > 0), Font::text, 14, color, Align::center);
            continue;
        }
        if (d.model.tree && i < drafts(d) && column(d, i).parent >= 0) // the guess that it follows
            number = std::to_string(column(d, i).parent + 1) + " › " + number;
        d.ui.canvas.print(at, number, i == drafts(d) ? Font::text : Font::mono, 14, color, Align::center);
    }
    for (int i = 0; i < drafts(d); ++i) // those that are not seen, too
        if (!g.visible(i) && column(d, i).draft) d.ui.canvas.tell(guess_words(d.input, d.model, i), d.input.stage);
}

namespace {

// Of two chained drafters: who drafted; else how it was done.
Message by_whom(const LoopDraw& d, const Message& passes) {
    const std::string run = d.model.header ? d.model.header->drafter : "";
    if (d.model.drafted == 0) return passes;
    const DrafterInfo* first = part_of(run, column(d, 0).draft->by);
    const DrafterInfo* last = part_of(run, column(d, d.model.drafted - 1).draft->by);
    if (!first || !last) return passes;
    return first == last ? loop_says("draft_row.by"_t, "drafter"_v = std::string(first->name)) : loop_says("draft_row.both"_t);
}

} // namespace

void draw_draft_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    const float y = g.rows.draft, lines = y + g.rows.chip + 1, verify = g.rows.verify;
    const DrafterInfo* info = d.model.drafter;
    const bool at_once = info && info->at_once() && !info->tree;
    const bool copied = info && info->copies();
    const bool corrected = d.model.head; // one pass, then a head from left to right
    const bool block = !corrected && at_once && info->block;
    const bool alone = at_once && !corrected; // no guess sees another
    const auto n = "n"_v = d.model.drafted;
    const bool over = d.model.asked == 0 || (d.model.drafting_over && d.model.drafted == 0);
    const Message passes = over                   ? loop_says("draft_row.none"_t)
                           : d.model.drafted == 0 ? loop_says("draft_row.none_yet"_t)
                           : copied               ? loop_says("draft_row.copied"_t)
                           : block                ? loop_says("draft_row.block"_t)
                           : corrected            ? loop_says("draft_row.corrected"_t)
                           : at_once              ? loop_says("draft_row.heads"_t, n)
                           : d.model.tree         ? loop_says("draft_row.levels"_t, "n"_v = levels(d.model))
                                                  : loop_says("draft_row.passes"_t, n);
    row_name(d, y + 15, loop_says("draft_row.name"_t), by_whom(d, passes));
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), y, g.width, g.rows.chip};
        if (i == drafts(d)) {
            small(d, g.middle(i), y + 23, loop_says("words.no_guess"_t));
            if (d.model.round && d.model.round->verify)
                d.ui.canvas.line({g.middle(i), lines}, {g.middle(i), verify - 1}, {theme.line, 1.5F});
            continue;
        }
        const LoopColumn& c = column(d, i);
        if (!c.draft) {
            ui::slot(d.ui.canvas, theme, box, g.roomy() ? loop_says("draft_row.guess"_t, "n"_v = i + 1) : Message());
            continue;
        }
        const float come = d.moved(c.draft); // from the token that it was guessed behind
        const Rect behind{box.x - g.pitch * 0.6F, box.y, box.w, box.h};
        ui::chip(d.ui.canvas, theme, d.on_the_way(behind, box, come), label_of(*d.input.trace, c.draft->token),
                 {.role = Role::draft, .alpha = d.seen(come)});
        const float gap = g.pitch - g.width;
        const bool followed = i + 1 < drafts(d) && (!column(d, i + 1).draft || column(d, i + 1).parent == i);
        if (followed && i + 1 < g.first + g.count && !alone)
            ui::arrow(d.ui.canvas, {box.right() + 1, box.center().y}, {box.right() + gap - 1, box.center().y}, {theme.muted, 1.5F}, 5);
        if (d.model.round->verify) d.ui.canvas.line({g.middle(i), lines}, {g.middle(i), verify - 1}, {theme.role(Role::draft), 1.5F, 3, 3});
        ui::thing(d.ui, box, guess_words(d.input, d.model, i));
    }
}

void draw_verify_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    const Verified* verify = d.model.round ? d.model.round->verify : nullptr;
    row_name(d, g.rows.verify + 15, loop_says("verify_row.name"_t),
             verify ? loop_says("verify_row.pass"_t) : loop_says("verify_row.not_yet"_t));
    Rect bar{g.left, g.rows.verify, g.right - g.left, g.rows.chip};
    if (drafts(d) == 0) bar.w = std::min(560.0F, g.limit - g.left);
    const float whole = bar.w;
    if (!verify) {
        ui::slot(d.ui.canvas, theme, bar, loop_says("verify_row.to_come"_t, "all"_v = d.model.drafted > 0));
        return;
    }
    const Message took = d.model.timed() ? d.model.ms(d.model.round->verify_ms) : Message();
    d.ui.canvas.tell(loop_says("verify_row.told"_t, "rows"_v = verify->rows, "took"_v = took), bar);
    const float swept = d.moved(verify);
    bar.w *= d.grown(swept);
    d.ui.canvas.fill(bar, theme.role(Role::target).alpha(d.seen(swept)), 4);
    if (bar.w < whole - 1) return;
    const ui::Color on = theme.on(Role::target);
    const std::string ms = took.empty() ? "" : took.words() + " ms";
    const float ms_width = ms.empty() ? 0 : d.ui.canvas.printed_width(ms, Font::mono_medium, 15) + 12;
    d.ui.canvas.fill({bar.x + 12.8F, bar.center().y - 5.2F, 10.4F, 10.4F}, on);
    for (const Message& words : verify_words(d.model)) {
        if (d.ui.canvas.text_width(words, Font::text_bold, 15) > bar.w - 36 - ms_width - 24) continue;
        d.ui.canvas.text({bar.x + 36, bar.center().y + 5}, words, Font::text_bold, 15, on);
        break;
    }
    if (ms_width > 0 && ms_width + 30 < bar.w)
        d.ui.canvas.print({bar.right() - 12, bar.center().y + 5}, ms, Font::mono_medium, 15, on, Align::right);
}

// Below the column of the bonus, in two lines: when its row counts.
void draw_bonus_row(const LoopDraw& d, int n) {
    const LoopGrid& g = d.grid;
    const auto lines = [&](const Message& first, const Message& second) {
        small(d, g.middle(n), g.rows.said + 11, first);
        small(d, g.middle(n), g.rows.said + 31, second);
    };
    const bool roomy = g.roomy();
    if (d.model.tree) return lines(loop_says("bonus_row.branch"_t, "roomy"_v = roomy), loop_says("bonus_row.ends"_t, "roomy"_v = roomy));
    const Message pass = n == 1   ? loop_says("bonus_row.pass:one"_t)
                         : !roomy ? loop_says("bonus_row.pass:short"_t)
                         : n == 2 ? loop_says("bonus_row.pass:two"_t)
                                  : loop_says("bonus_row.pass:all"_t, "n"_v = n);
    lines(loop_says("bonus_row.used"_t, "row"_v = roomy ? n + 1 : 0), pass);
}

void draw_distribution_rows(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    if (drafts(d) > 0) small(d, g.gutter, g.rows.said + 11, loop_says("words.draft_said"_t), Align::left);
    small(d, g.gutter, g.rows.says + 11, loop_says("words.target_says"_t), Align::left);
    const float bar_width = g.width - (g.roomy() ? 48.0F : 36.0F);
    const auto value_row = [&](int i, float y, std::optional<double> value, Role role, bool gone, float grow) {
        const Rect bar{g.x(i), y, bar_width, 12};
        const bool unread = !value && role == Role::target && gone;
        if (unread)
            d.ui.canvas.hatch(bar, theme.role(Role::discarded), 5);
        else
            ui::bar(d.ui.canvas, theme, bar, value ? *value * grow : 0, role, gone ? 0.4F : 1);
        const std::string number = value ? ui::probability(*value) : std::string("–");
        d.ui.canvas.print({g.x(i) + g.width, y + 11}, number, Font::mono, 14, gone || !value ? theme.muted : theme.ink, Align::right);
    };
    for (int i = g.first; i < g.first + g.count; ++i) {
        if (i == drafts(d)) {
            const bool bonus = d.model.own && d.model.rejected < 0;
            if (bonus) {
                if (i > 0)
                    one_of(d.ui, {g.x(i), g.rows.said + 11}, g.width, {loop_says("words.no_guess_here"_t), loop_says("words.no_guess"_t)},
                           theme.muted);
                value_row(i, g.rows.says, std::exp(d.model.own->p), Role::target, false, d.grown(d.moved(d.model.own)));
            } else if (i > 0) {
                draw_bonus_row(d, i);
            }
            continue;
        }
        const LoopColumn& c = column(d, i);
        if (!c.draft) continue;
        const bool gone = c.fate == Fate::discarded;
        const std::optional<double> q = !c.q && d.model.greedy ? std::optional<double>(0.0) : c.q;
        value_row(i, g.rows.said, q, Role::draft, gone, 1);
        value_row(i, g.rows.says, c.p, Role::target, gone, d.grown(d.moved(c.check)));
    }
}

// "left sign right" below the gauge of a column, in two lines where one has no room, or one of `notes` as the
// second line: the first that fits.
void compared(const LoopDraw& d, int i, const std::string& left, const std::string& sign, const std::string& right,
              const std::vector<Message>& notes = {}) {
    const LoopGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const std::string line = left + " " + sign + " " + right;
    const auto note =
        std::ranges::find_if(notes, [&](const Message& words) { return canvas.text_width(words, Font::text, 14) <= g.width; });
    const bool noted = note != notes.end(), whole = canvas.printed_width(line, Font::mono, 14) <= g.width;
    const float y = g.rows.words + (whole && !noted ? 0.0F : -4.0F);
    canvas.print({g.middle(i), y}, whole ? line : left, Font::mono, 14, d.ui.theme.ink, Align::center);
    if (noted)
        canvas.text({g.middle(i), y + 18}, *note, Font::text, 14, d.ui.theme.ink, Align::center);
    else if (!whole)
        canvas.print({g.middle(i), y + 18}, sign + " " + right, Font::mono, 14, d.ui.theme.ink, Align::center);
}

// Of a coin that was not thrown, and of a guess that stays though its own coin failed: the longest wording first. The
// coin that keeps it may not have been seen yet.
std::vector<Message> coin_notes(const LoopModel& model, const LoopColumn& c) {
    const auto ways = [](auto whole, auto shorter, auto least, const auto&... values) {
        return std::vector<Message>{loop_says(whole, values...), loop_says(shorter, values...), loop_says(least, values...)};
    };
    if (c.check->set) return ways("coin_row.set:whole"_t, "coin_row.set:short"_t, "coin_row.set:least"_t);
    if (!c.rescued()) return {};
    int last = -1;
    for (int i = 0; i < static_cast<int>(model.columns.size()); ++i) {
        const LoopColumn& other = model.columns[static_cast<std::size_t>(i)];
        if (other.fate == Fate::accepted) last = other.rescued() ? -1 : i;
    }
    if (last < 0) return ways("coin_row.later_coin:whole"_t, "coin_row.later_coin:short"_t, "coin_row.later_coin:least"_t);
    return ways("coin_row.kept_by:whole"_t, "coin_row.kept_by:short"_t, "coin_row.kept_by:least"_t, "guess"_v = last + 1);
}

// Greedy, match and typical throw no coin: the guess is compared with one token of the target, or with a
// limit.
void draw_comparison(const LoopDraw& d, int i, const LoopColumn& c) {
    const LoopGrid& g = d.grid;
    if (c.check->typical_threshold) {
        const Rect bar{g.x(i), g.rows.coin, g.width, 16};
        ui::gauge(d.ui.canvas, d.ui.theme, bar, {.accept = std::exp(c.check->p), .coin = *c.check->typical_threshold});
        compared(d, i, beside_a_sign(std::exp(c.check->p)), c.check->accepted ? ">" : "≤", beside_a_sign(*c.check->typical_threshold));
        return;
    }
    int wanted = c.draft->token;
    const auto beside = [&](const LoopColumn& other) { return other.parent == c.parent && other.fate == Fate::accepted; };
    if (!c.check->accepted) {
        const TopEntries& distribution = c.check->raw_top.empty() ? c.check->top : c.check->raw_top;
        if (const auto kept = std::ranges::find_if(d.model.columns, beside); kept != d.model.columns.end())
            wanted = kept->draft->token; // in a tree: the guess beside it that the target wanted
        else if (d.model.own)
            wanted = d.model.own->token;
        else if (d.model.rule == RuleKind::greedy && !distribution.empty())
            wanted = distribution.entries[0].id;
        else
            wanted = -1;
    }
    const Rect box{g.x(i), g.rows.coin - 4, g.width, 28};
    if (wanted < 0)
        ui::slot(d.ui.canvas, d.ui.theme, box, loop_says("coin_row.own_draw"_t));
    else
        ui::chip(d.ui.canvas, d.ui.theme, box, label_of(*d.input.trace, wanted), {.role = Role::target});
    d.ui.canvas.text({g.middle(i), g.rows.words + 4}, loop_says("coin_row.same"_t, "same"_v = c.check->accepted), Font::text, 14,
                     d.ui.theme.ink, Align::center);
}

void draw_coin_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const bool coins = throws_coins(d.model.rule);
    if (drafts(d) == 0) return;
    const float room = g.left - g.gutter - 12;
    std::vector<Message> captions = {coin_caption(d.model)};
    if (d.model.rule == RuleKind::token) captions.push_back(loop_says("coin.ratio"_t)); // in a narrow gutter
    row_name(d, g.rows.coin + 11, loop_says("coin_row.name"_t, "coins"_v = coins),
             ui::fitting(d.ui.canvas, captions, Font::text, 14, room));
    if (d.model.rule == RuleKind::certain)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.rows.coin + 51}, loop_says("coin_row.certain"_t), Font::text, 14, d.ui.theme.muted, room);
    for (int i = g.first; i < g.first + g.count && i < drafts(d); ++i) {
        const LoopColumn& c = column(d, i);
        if (!c.draft) continue;
        const Rect box{g.x(i), g.rows.coin, g.width, 16};
        if (!c.check) {
            ui::gauge(d.ui.canvas, d.ui.theme, box, {.judged = false});
            small(d, g.middle(i), g.rows.words,
                  c.fate == Fate::discarded                                       ? loop_says("coin_row.unjudged"_t)
                  : d.model.drafting_over && !d.model.tree && i == d.model.judged ? loop_says("coin_row.next"_t)
                                                                                  : loop_says("coin_row.later"_t));
            continue;
        }
        if (!coins) {
            draw_comparison(d, i, c);
            continue;
        }
        ui::Gauge gauge{.accept = std::min(1.0, c.check->threshold)};
        const float t = d.moved(c.check);
        if (c.check->u && (t >= 1 || d.input.reduced_motion)) gauge.coin = *c.check->u;
        ui::gauge(d.ui.canvas, d.ui.theme, box, gauge);
        if (c.check->u && !gauge.coin) { // it falls where it lands; the words tell it only then
            const float fall = 30 * (1 - eased(t, 0, kCoinFalls)),
                        x = box.x + box.w * static_cast<float>(std::clamp(*c.check->u, 0.0, 1.0));
            ui::coin_marker(d.ui.canvas, d.ui.theme, x, box.y - 5 - fall, box.bottom() + 5 - fall);
            if (t < kCoinFalls) continue;
        }
        const std::string threshold = beside_a_sign(std::min(1.0, c.check->threshold));
        if (!c.check->u)
            d.ui.canvas.print({g.middle(i), g.rows.words}, threshold, Font::mono, 14, d.ui.theme.ink, Align::center);
        else
            compared(d, i, beside_a_sign(*c.check->u), *c.check->u < c.check->threshold ? "<" : "≥", threshold, coin_notes(d.model, c));
    }
}

// What settles a guess: its own verdict, or where none was given the refusal that ended the round.
const Checked* verdict_of(const LoopDraw& d, const LoopColumn& c) {
    if (c.check || c.fate != Fate::discarded || d.model.tree || d.model.rejected < 0) return c.check;
    return column(d, d.model.rejected).check;
}

// A guess comes down from its place in the draft row once the coin has fallen.
void draw_outcome_chip(const LoopDraw& d, int i, Rect box) {
    const LoopColumn& c = column(d, i);
    const Rect from{box.x, d.grid.rows.draft, box.w, box.h};
    const float t = d.moved(verdict_of(d, c));
    ui::ChipStyle style{.role = c.fate == Fate::accepted ? Role::accepted : c.fate == Fate::rejected ? Role::rejected : Role::discarded};
    Rect at = box;
    if (d.input.reduced_motion) {
        style.alpha = t;
    } else if (t < 1) {
        if (t < kCoinFalls) return;
        Rect above = box;
        above.y -= 14;
        if (c.fate == Fate::accepted) at = between(from, box, eased(t, kCoinFalls, 1));
        if (c.fate == Fate::discarded) at = between(from, box, eased(t, kGoes, 1));
        if (c.fate == Fate::rejected) {
            at = t < kStruck ? between(from, above, eased(t, kCoinFalls, kGoes)) : between(above, box, eased(t, kStruck, 1));
            style.strike = std::clamp((t - kGoes) / (kStruck - kGoes), 0.0F, 1.0F);
        }
    }
    ui::chip(d.ui.canvas, d.ui.theme, at, label_of(*d.input.trace, c.draft->token), style);
    if (c.fate == Fate::accepted) d.tell_place(i, at);
}

void draw_outcome_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const float y = g.rows.outcome;
    row_name(d, y + 15, loop_says("outcome_row.name"_t),
             d.model.judged > 0 ? loop_says("outcome_row.accepted"_t, "n"_v = d.model.accepted) : Message());
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), y, g.width, g.rows.chip};
        if (i == drafts(d)) {
            if (d.model.own && d.model.rejected < 0) {
                const bool bonus = d.model.own->from == TargetToken::From::bonus;
                draw_own_chip(d, box, d.model.own_dropped ? Role::discarded : bonus ? Role::bonus : Role::target, 64);
            } else {
                ui::slot(d.ui.canvas, d.ui.theme, box,
                         d.model.rejected >= 0 ? loop_says("outcome_row.no_bonus"_t)
                         : drafts(d) > 0       ? loop_says("outcome_row.bonus"_t)
                                               : loop_says("outcome_row.token"_t));
            }
            continue;
        }
        const LoopColumn& c = column(d, i);
        if (c.fate == Fate::empty || c.fate == Fate::drafted) {
            ui::slot(d.ui.canvas, d.ui.theme, box, c.draft && g.roomy() ? loop_says("outcome_row.open"_t) : Message());
            continue;
        }
        draw_outcome_chip(d, i, box);
    }
}

// As far apart as the eye likes them; on a low stage, a presenter's, as near as they can be told apart.
// clang-format off
constexpr LoopRows kAiry{.number = 98, .draft = 108, .verify = 168, .said = 228, .says = 252, .coin = 296, .words = 334,
                         .outcome = 356, .own = 420, .bottom = 464, .chip = 36};
constexpr LoopRows kClose{.number = 86, .draft = 93, .verify = 135, .said = 177, .says = 199, .coin = 227, .words = 262,
                          .outcome = 284, .own = 334, .bottom = 382, .chip = 32};
// clang-format on
LoopRows loop_rows(ui::Rect stage) {
    LoopRows rows = stage.h < kAiry.bottom + 8 ? kClose : kAiry;
    for (float* y :
         {&rows.number, &rows.draft, &rows.verify, &rows.said, &rows.says, &rows.coin, &rows.words, &rows.outcome, &rows.own, &rows.bottom})
        *y += stage.y;
    return rows;
}

} // namespace

float loop_chip_width(const ui::Canvas& canvas, const SceneInput& input, const LoopModel& model) {
    float widest = 0;
    const auto fit = [&](int token) { widest = std::max(widest, ui::chip_width(canvas, label_of(*input.trace, token), 36)); };
    if (model.selected < static_cast<int>(model.columns.size()))
        if (const Drafted* draft = model.columns[static_cast<std::size_t>(model.selected)].draft) fit(draft->token);
    if (model.own) fit(model.own->token);
    return widest;
}

LoopGrid loop_grid(ui::Rect stage, const LoopModel& model, float chip) {
    // Below this a comparison like ".42 < 1.00" no longer stands on one line.
    constexpr float kNarrowest = 92, kOfMany = 124, kWidestOfMany = 168;
    constexpr float kMost = 280; // beyond it a bar is so long that its number no longer belongs to it
    LoopGrid grid;
    grid.rows = loop_rows(stage);
    grid.gutter = stage.x + 24;
    grid.left = stage.x + 128;
    grid.limit = stage.right() - 36;
    grid.total = static_cast<int>(model.columns.size()) + 1;
    const float room = grid.limit - grid.left + 12;
    grid.count = grid.total;
    if (room / static_cast<float>(grid.total) < kNarrowest) { // some of them, wide enough for whole words
        const float least = std::clamp(chip + 12, kOfMany, kWidestOfMany);
        grid.count = std::clamp(static_cast<int>(room / least), 1, grid.total);
    }
    grid.pitch = std::clamp(std::floor(room / static_cast<float>(grid.count) / 4) * 4, 84.0F, kMost);
    grid.width = grid.pitch - (grid.pitch >= 110 ? 12.0F : 8.0F);
    if (grid.count < grid.total) grid.first = std::clamp(model.selected - grid.count / 2, 0, grid.total - grid.count);
    grid.right = grid.x(grid.first + grid.count - 1) + grid.width;
    return grid;
}

void draw_loop(const SceneInput& input, const LoopModel& model, ui::Ui& ui, std::vector<SceneCommand>& out) {
    const LoopGrid grid = loop_grid(input.stage, model, loop_chip_width(ui.canvas, input, model));
    const LoopDraw d{input, model, grid, ui};
    const bool clock = input.stage.h >= kLoopClock;
    const Message subtitle = loop_subtitle(input, model, clock ? Message() : saving_words(model));
    draw_titled(input, ui, {loop_title(model), subtitle, tier_of(model.header), ""}, [&] {
        draw_loop_columns(d, out);
        draw_draft_row(d);
        draw_verify_row(d);
        draw_distribution_rows(d);
        draw_coin_row(d);
        draw_outcome_row(d);
        draw_own_row(d);
        if (clock) draw_loop_clock(d, input.stage);
        if (model.timed()) ui.canvas.tell(clock_words(model), input.stage);
        ui.canvas.tell(model.run_speed, input.stage);
    });
}

} // namespace speclens
