// The bands of the loop picture from the draft chips down to the outcome chips.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
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

void row_name(const LoopDraw& d, float y, const std::string& name, const std::string& detail) {
    const float room = d.grid.left - d.grid.gutter - 12;
    ui::fitted_text(d.ui.canvas, {d.grid.gutter, y}, name, Font::text_bold, 15, d.ui.theme.ink, room);
    if (!detail.empty())
        ui::fitted_text(d.ui.canvas, {d.grid.gutter, y + 20}, detail, Font::text, 14, d.ui.theme.muted, room);
}

void small(const LoopDraw& d, float x, float y, std::string_view words, Align align = Align::center) {
    ui::fitted_text(d.ui.canvas, {x, y}, words, Font::text, 14, d.ui.theme.muted, d.grid.width, align);
}

const LoopColumn& column(const LoopDraw& d, int i) {
    return d.model.columns[static_cast<std::size_t>(i)];
}
int drafts(const LoopDraw& d) {
    return static_cast<int>(d.model.columns.size());
}

int levels(const LoopModel& model) {
    int deepest = 0;
    if (model.cycle)
        for (const DraftSlot& slot : model.cycle->drafts) deepest = std::max(deepest, slot.depth);
    return deepest;
}

std::string verify_words(const LoopModel& model, int length) {
    const int n = model.drafted;
    const std::string rows = number_word(n + 1) + (n == 0 ? " row" : " rows");
    if (n == 0) return length == 0 ? "the target reads the pending token: one row" : length == 1 ? rows : "";
    const std::string what = n == 1 ? "the guess" : n == 2 ? "both" : "all " + number_word(n);
    if (length == 0) return "the target reads " + what + " at once and returns " + rows;
    return length == 1 ? "reads " + what + ", returns " + rows : rows;
}

} // namespace

void draw_loop_columns(const LoopDraw& d, std::vector<SceneCommand>& out) {
    const LoopGrid& g = d.grid;
    const float around = (g.pitch - g.width) * 2 / 3;
    if (g.count < g.total)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.y + 98},
                        std::to_string(g.first + 1) + "–" + std::to_string(g.first + g.count) + " of " +
                            std::to_string(g.total),
                        Font::mono, 14, d.ui.theme.muted, g.left - g.gutter - 8);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect band{g.x(i) - around, g.y + 80, g.width + 2 * around, 384};
        const bool selected = i == d.model.selected && d.model.cycle;
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("column " + std::to_string(i)), band);
        if (selected)
            d.ui.canvas.fill(band, d.ui.theme.raised.alpha(0.75F), 6);
        else if (touched.hovered && d.model.cycle)
            d.ui.canvas.fill(band, d.ui.theme.raised.alpha(0.35F), 6);
        if (touched.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, band);
        if (touched.clicked && d.model.cycle) out.push_back(Select{Position{d.model.cycle->cycle, i}});
        std::string number = std::to_string(i + 1);
        if (i == drafts(d) && g.roomy()) number += drafts(d) == 0 ? " · target" : " · bonus";
        if (d.model.tree && i < drafts(d) && column(d, i).parent >= 0) // the guess that it follows
            number = std::to_string(column(d, i).parent + 1) + " › " + number;
        d.ui.canvas.text({g.middle(i), g.y + 98}, number, i == drafts(d) ? Font::text : Font::mono, 14,
                         selected ? d.ui.theme.ink : d.ui.theme.muted, Align::center);
    }
}

void draw_draft_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    const float y = g.y + 108;
    const std::string drafter = d.model.header ? d.model.header->drafter : "";
    const bool lookup = drafter == "lookup";
    const bool corrected = d.model.head; // one pass, then a head from left to right
    const bool block = !corrected && (drafter == "dflash" || drafter == "domino" || drafter == "dspark");
    const bool alone = lookup || block || drafter == "medusa"; // no guess sees another
    std::string passes = d.model.asked == 0     ? std::string("none")
                         : d.model.drafted == 0 ? std::string("none yet")
                         : lookup               ? "copied"
                         : block                ? "1 pass for all"
                         : drafter == "medusa"  ? counted(d.model.drafted, "head")
                         : corrected            ? "1 pass + head"
                         : d.model.tree         ? counted(levels(d.model), "level")
                                                : counted(d.model.drafted, "pass");
    if (d.model.drafting_over && d.model.drafted == 0) passes = "none";
    row_name(d, y + 15, "Draft", passes);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), y, g.width, 36};
        if (i == drafts(d)) {
            small(d, g.middle(i), y + 23, "no guess");
            if (d.model.cycle && d.model.cycle->verify)
                d.ui.canvas.line({g.middle(i), y + 37}, {g.middle(i), y + 59}, {theme.line, 1.5F});
            continue;
        }
        const LoopColumn& c = column(d, i);
        if (!c.draft) {
            ui::slot(d.ui.canvas, theme, box, g.roomy() ? "guess " + std::to_string(i + 1) : "");
            continue;
        }
        const bool newest = d.model.phase == Phase::draft && i == d.model.drafted - 1;
        ui::ChipStyle style{.role = Role::draft};
        if (newest) style.alpha = std::min(1.0F, d.input.t * 2);
        ui::chip(d.ui.canvas, theme, box, label_of(*d.input.trace, c.draft->token), style);
        const float gap = g.pitch - g.width;
        const bool followed = i + 1 < drafts(d) && (!column(d, i + 1).draft || column(d, i + 1).parent == i);
        if (followed && i + 1 < g.first + g.count && !alone)
            ui::arrow(d.ui.canvas, {box.right() + 1, y + 18}, {box.right() + gap - 1, y + 18},
                      {theme.muted, 1.5F}, 5);
        if (d.model.cycle->verify)
            d.ui.canvas.line({g.middle(i), y + 37}, {g.middle(i), y + 59},
                             {theme.role(Role::draft), 1.5F, 3, 3});
        std::string tip = quoted(*d.input.trace, c.draft->token) + ", id " + std::to_string(c.draft->token);
        if (c.draft->u) tip += ", drawn by coin " + ui::probability(*c.draft->u);
        if (!c.draft->extra.empty()) tip += ", " + c.draft->extra;
        ui::tooltip(d.ui, box, tip);
    }
}

void draw_verify_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    const Verified* verify = d.model.cycle ? d.model.cycle->verify : nullptr;
    row_name(d, g.y + 183, "Verify", verify ? "1 pass" : "not yet");
    Rect bar{g.left, g.y + 168, g.right - g.left, 36};
    if (drafts(d) == 0) bar.w = std::min(560.0F, g.limit - g.left);
    const float whole = bar.w;
    if (!verify) {
        ui::slot(d.ui.canvas, theme, bar,
                 d.model.drafted > 0 ? "one target pass will check all of them" : "one target pass");
        return;
    }
    bar.w *= d.motion(Phase::verify);
    d.ui.canvas.fill(bar, theme.role(Role::target), 4);
    if (bar.w < whole - 1) return;
    const ui::Color on = theme.on(Role::target);
    const std::string ms = d.model.timed() ? d.model.ms(verify->ms) + " ms" : std::string();
    const float ms_width = ms.empty() ? 0 : d.ui.canvas.text_width(ms, Font::mono_medium, 15) + 12;
    d.ui.canvas.fill({bar.x + 12.8F, bar.y + 12.8F, 10.4F, 10.4F}, on);
    for (int length = 0; length < 3; ++length) {
        const std::string words = verify_words(d.model, length);
        if (d.ui.canvas.text_width(words, Font::text_bold, 15) > bar.w - 36 - ms_width - 24) continue;
        d.ui.canvas.text({bar.x + 36, bar.y + 23}, words, Font::text_bold, 15, on);
        break;
    }
    if (ms_width > 0 && ms_width + 30 < bar.w)
        d.ui.canvas.text({bar.right() - 12, bar.y + 23}, ms, Font::mono_medium, 15, on, Align::right);
}

void draw_law_rows(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const ui::Theme& theme = d.ui.theme;
    if (drafts(d) > 0) small(d, g.gutter, g.y + 239, "draft said", Align::left);
    small(d, g.gutter, g.y + 263, "target says", Align::left);
    const float bar_width = g.width - (g.roomy() ? 48.0F : 36.0F);
    const auto value_row = [&](int i, float y, std::optional<double> value, Role role, bool gone,
                               float grow) {
        const Rect bar{g.x(i), y, bar_width, 12};
        const bool unread = !value && role == Role::target && gone;
        if (unread)
            d.ui.canvas.hatch(bar, theme.role(Role::discarded), 5);
        else
            ui::bar(d.ui.canvas, theme, bar, value ? *value * grow : 0, role, gone ? 0.4F : 1);
        const std::string number = value ? ui::probability(*value) : std::string("–");
        d.ui.canvas.text({g.x(i) + g.width, y + 11}, number, Font::mono, 14,
                         gone || !value ? theme.muted : theme.ink, Align::right);
    };
    for (int i = g.first; i < g.first + g.count; ++i) {
        if (i == drafts(d)) {
            const bool bonus = d.model.own && d.model.rejected < 0;
            if (bonus) {
                const std::string none =
                    ui::fitting(d.ui.canvas, {"no guess here", "no guess"}, Font::text, 14, g.width);
                small(d, g.x(i), g.y + 239, drafts(d) == 0 ? "" : none, Align::left);
                value_row(i, g.y + 252, std::exp(d.model.own->p), Role::target, false,
                          d.motion(Phase::resample));
            } else if (drafts(d) > 0) {
                const int n = drafts(d);
                if (d.model.tree) {
                    small(d, g.middle(i), g.y + 239, g.roomy() ? "used where a" : "after the");
                    small(d, g.middle(i), g.y + 259, g.roomy() ? "branch ends" : "last kept");
                    continue;
                }
                small(d, g.middle(i), g.y + 239,
                      g.roomy() ? "row " + std::to_string(n + 1) + ": used if" : "if all");
                small(d, g.middle(i), g.y + 259,
                      n == 1      ? "it passes"
                      : g.roomy() ? (n == 2 ? "both" : "all " + number_word(n)) + " pass"
                                  : "pass");
            }
            continue;
        }
        const LoopColumn& c = column(d, i);
        if (!c.draft) continue;
        const bool gone = c.fate == Fate::discarded;
        const bool newest = d.model.phase == Phase::accept && i == d.model.newest;
        const std::optional<double> q = !c.q && d.model.greedy ? std::optional<double>(0.0) : c.q;
        value_row(i, g.y + 228, q, Role::draft, gone, 1);
        value_row(i, g.y + 252, c.p, Role::target, gone, newest ? d.motion(Phase::accept) : 1);
    }
}

namespace {

// "left sign right" below the gauge of a column, in two lines where one has no room, or one of `notes` as the
// second line: the first that fits.
void compared(const LoopDraw& d, int i, const std::string& left, const std::string& sign,
              const std::string& right, const std::vector<std::string>& notes = {}) {
    const LoopGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    std::string first = left + " " + sign + " " + right, second;
    Font font = Font::text;
    const auto fits = [&](const std::string& words, Font by) {
        return canvas.text_width(words, by, 14) <= g.width;
    };
    for (const std::string& note : notes)
        if (second.empty() && fits(note, Font::text)) second = note;
    if (!fits(first, Font::mono)) {
        if (second.empty()) second = sign + " " + right, font = Font::mono;
        first = left;
    }
    const float y = g.y + (second.empty() ? 334.0F : 330.0F);
    canvas.text({g.middle(i), y}, first, Font::mono, 14, d.ui.theme.ink, Align::center);
    if (!second.empty()) canvas.text({g.middle(i), y + 18}, second, font, 14, d.ui.theme.ink, Align::center);
}

// Of a coin that was not thrown, the longest wording first.
const std::vector<std::string> kSetWords = {"coin set by you", "set by you", "set"};

// Why a guess stays whose own coin failed, the longest wording first; the coin that keeps it may not have
// been seen yet.
std::vector<std::string> rescue_words(const LoopModel& model) {
    int last = -1;
    for (int i = 0; i < static_cast<int>(model.columns.size()); ++i) {
        const LoopColumn& c = model.columns[static_cast<std::size_t>(i)];
        if (c.fate == Fate::accepted) last = c.rescued() ? -1 : i;
    }
    if (last < 0) return {"kept by a later coin", "by a later coin", "by a later"};
    const std::string by = "guess " + std::to_string(last + 1);
    return {"kept: " + by + " passed", by + " passed", "by " + by};
}

// Greedy, match and typical throw no coin: the guess is compared with one token of the target, or with a
// limit.
void draw_comparison(const LoopDraw& d, int i, const LoopColumn& c) {
    const LoopGrid& g = d.grid;
    if (c.check->limit) {
        const Rect bar{g.x(i), g.y + 296, g.width, 16};
        ui::gauge(d.ui.canvas, d.ui.theme, bar, {.accept = std::exp(c.check->p), .coin = *c.check->limit});
        compared(d, i, compared_probability(std::exp(c.check->p)), c.check->accepted ? ">" : "≤",
                 compared_probability(*c.check->limit));
        return;
    }
    int wanted = c.draft->token;
    const auto beside = [&](const LoopColumn& other) {
        return other.parent == c.parent && other.fate == Fate::accepted;
    };
    if (!c.check->accepted) {
        const Top& law = c.check->raw_top.empty() ? c.check->top : c.check->raw_top;
        if (const auto kept = std::ranges::find_if(d.model.columns, beside); kept != d.model.columns.end())
            wanted = kept->draft->token; // in a tree: the guess beside it that the target wanted
        else if (d.model.own)
            wanted = d.model.own->token;
        else if (d.model.rule == RuleKind::greedy && !law.empty())
            wanted = law.entries[0].id;
        else
            wanted = -1;
    }
    const Rect box{g.x(i), g.y + 292, g.width, 28};
    if (wanted < 0)
        ui::slot(d.ui.canvas, d.ui.theme, box, "its own draw");
    else
        ui::chip(d.ui.canvas, d.ui.theme, box, label_of(*d.input.trace, wanted), {.role = Role::target});
    d.ui.canvas.text({g.middle(i), g.y + 338}, c.check->accepted ? "same token" : "differs", Font::text, 14,
                     d.ui.theme.ink, Align::center);
}

} // namespace

void draw_coin_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const bool coins = throws_coins(d.model.rule);
    if (drafts(d) == 0) return;
    row_name(d, g.y + 307, coins ? "Coin" : "Compare", coin_caption(d.model));
    if (d.model.rule == RuleKind::certain)
        ui::fitted_text(d.ui.canvas, {g.gutter, g.y + 347}, "d counts as 1", Font::text, 14, d.ui.theme.muted,
                        g.left - g.gutter - 12);
    for (int i = g.first; i < g.first + g.count && i < drafts(d); ++i) {
        const LoopColumn& c = column(d, i);
        if (!c.draft) continue;
        const Rect box{g.x(i), g.y + 296, g.width, 16};
        if (!c.check) {
            ui::gauge(d.ui.canvas, d.ui.theme, box, {.judged = false});
            small(d, g.middle(i), g.y + 334,
                  c.fate == Fate::discarded                                       ? "not judged"
                  : d.model.drafting_over && !d.model.tree && i == d.model.judged ? "next"
                                                                                  : "later");
            continue;
        }
        if (!coins) {
            draw_comparison(d, i, c);
            continue;
        }
        const bool newest = d.model.phase == Phase::accept && i == d.model.newest;
        ui::Gauge gauge{.accept = std::min(1.0, c.check->threshold)};
        if (c.check->u)
            gauge.coin = *c.check->u * static_cast<double>(newest ? d.motion(Phase::accept) : 1.0F);
        ui::gauge(d.ui.canvas, d.ui.theme, box, gauge);
        const std::string threshold = compared_probability(std::min(1.0, c.check->threshold));
        if (!c.check->u) {
            d.ui.canvas.text({g.middle(i), g.y + 334}, threshold, Font::mono, 14, d.ui.theme.ink,
                             Align::center);
            continue;
        }
        const std::string u = compared_probability(*c.check->u),
                          sign = *c.check->u < c.check->threshold ? "<" : "≥";
        compared(d, i, u, sign, threshold,
                 c.check->set  ? kSetWords
                 : c.rescued() ? rescue_words(d.model)
                               : std::vector<std::string>{});
    }
}

void draw_outcome_row(const LoopDraw& d) {
    const LoopGrid& g = d.grid;
    const float y = g.y + 356;
    row_name(d, y + 15, "Outcome",
             d.model.judged > 0 ? "+" + std::to_string(d.model.accepted) + " accepted" : "");
    for (int i = g.first; i < g.first + g.count; ++i) {
        const Rect box{g.x(i), y, g.width, 36};
        if (i == drafts(d)) {
            if (d.model.own && d.model.rejected < 0) {
                const bool bonus = d.model.own->from == Resampled::From::bonus;
                ui::ChipStyle style{.role = d.model.own_dropped ? Role::discarded
                                            : bonus             ? Role::bonus
                                                                : Role::target};
                style.solid = d.model.phase == Phase::resample;
                if (d.model.phase == Phase::resample) style.alpha = std::min(1.0F, d.input.t * 2);
                ui::chip(d.ui.canvas, d.ui.theme, box, label_of(*d.input.trace, d.model.own->token), style);
            } else {
                ui::slot(d.ui.canvas, d.ui.theme, box,
                         d.model.rejected >= 0 ? "no bonus"
                         : drafts(d) > 0       ? "bonus"
                                               : "token");
            }
            continue;
        }
        const LoopColumn& c = column(d, i);
        if (c.fate == Fate::empty || c.fate == Fate::drafted) {
            ui::slot(d.ui.canvas, d.ui.theme, box, c.draft && g.roomy() ? "open" : "");
            continue;
        }
        ui::ChipStyle style{.role = c.fate == Fate::accepted   ? Role::accepted
                                    : c.fate == Fate::rejected ? Role::rejected
                                                               : Role::discarded};
        if (d.model.phase == Phase::accept && i == d.model.newest) {
            style.alpha = std::min(1.0F, d.input.t * 2);
            style.strike = std::clamp(d.input.t * 2 - 1, 0.0F, 1.0F);
        }
        ui::chip(d.ui.canvas, d.ui.theme, box, label_of(*d.input.trace, c.draft->token), style);
    }
}

} // namespace speclens
