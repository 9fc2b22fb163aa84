// Controls and details of the accept-rule scene: where the laws come from, and the histogram of thrown coins.
#include <algorithm>
#include <array>

#include "scenes/accept/accept_draw.h"
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

std::string position_words(const Position& position, const CycleView& view) {
    const bool here = view.current() && view.current()->cycle == position.cycle;
    const std::string index = std::to_string(position.index + 1);
    return here ? "position " + index : "round " + std::to_string(position.cycle + 1) + ", " + index;
}

std::string flips_heading(const FlipCounts& counts, const FlipTest& test) {
    const std::string n = ui::integer(counts.flips) + (counts.flips == 1 ? " flip" : " flips");
    if (!test.enough) return n;
    return test.chi2_p >= 0.01 ? n + " land on the target" : n + ": unusually far off";
}

} // namespace

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
    if (const auto pick = ui::dropdown(ui, "load", at, loads, chosen,
                                       {.disabled = loads.empty() ? off : std::string_view()}))
        out.push_back(Select{positions[static_cast<std::size_t>(*pick)]});

    at = place(84);
    ui::field_label(ui, at, "Laws");
    const std::array<ui::Choice, 2> kinds = {ui::Choice{"used", "after temperature and filters", ""},
                                             ui::Choice{"raw", "temperature 1, unfiltered", ""}};
    if (const auto pick = ui::dropdown(ui, "laws", at, kinds, d.view.source.raw ? 1 : 0, {.disabled = off}))
        change([&](AcceptEdit& e) {
            e.raw = *pick == 1, e.bars.clear(), e.target_t.reset(), e.draft_t.reset();
        });

    const std::array<std::string, 2> drafts = {"sampled", "one-hot"};
    at = place(ui::segmented_width(ui.canvas, drafts));
    ui::field_label(ui, at, "Draft");
    if (const auto pick = ui::segmented(ui, "draft", {at.x, at.y}, drafts, d.state.edit.one_hot ? 1 : 0, off))
        change([&](AcceptEdit& e) { e.one_hot = *pick == 1, e.bars.clear(); });

    const std::string_view no_t = none ? off
                                  : !d.view.source.full
                                      ? "Needs the full rows of this position: live runs only"
                                      : "";
    const auto temperature = [&](const char* name, const char* label, double now) {
        at = place(100);
        ui::field_label(ui, at, label);
        return ui::stepper(ui, name, at, now,
                           {.low = 0.1, .high = 2, .step = 0.1, .decimals = 1, .disabled = no_t});
    };
    const double target_t = d.view.source.target_t, draft_t = d.view.source.draft_t;
    if (r.w >= 820) {
        if (const auto t = temperature("target t", "Target T", target_t))
            change(
                [&](AcceptEdit& e) { e.target_t = *t, e.draft_t = draft_t, e.raw = false, e.bars.clear(); });
        if (const auto t = temperature("draft t", "Draft T", draft_t))
            change(
                [&](AcceptEdit& e) { e.draft_t = *t, e.target_t = target_t, e.raw = false, e.bars.clear(); });
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
    if (at.w >= 60 && ui::button(ui, "many", at, at.w >= 104 ? "× 1 000" : "× 1000",
                                 {.shortcut = at.w >= 104 ? "M" : "", .disabled = off}))
        d.wish.flips = 1000;
}

void draw_accept_flips(const AcceptDraw& d, Rect r) {
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, right = r.right() - 24;
    if (d.view.bars.empty()) {
        canvas.text({x, r.y + 32}, "Coins", Font::text_bold, 15, theme.ink);
        ui::paragraph(canvas, {x, r.y + 64}, right - x,
                      "Thrown coins are counted here once two laws are loaded.", {.color = theme.muted});
        return;
    }
    const FlipCounts& counts = d.state.counts;
    const bool any = counts.flips > 0;
    const FlipTest test = test_flips(d.view, counts);
    ui::fitted_text(canvas, {x, r.y + 32}, any ? flips_heading(counts, test) : "Throw the coins and count",
                    Font::text_bold, 15, theme.ink, right - x);
    if (any) {
        canvas.text({x, r.y + 56}, test.enough ? "χ² p = " + ui::probability(test.chi2_p) : "too few for χ²",
                    Font::mono, 14, theme.muted);
        canvas.text({right, r.y + 56}, "TV = " + ui::number(test.tv, 3).substr(test.tv < 1 ? 1 : 0),
                    Font::mono, 14, theme.muted, Align::right);
    } else {
        canvas.text({x, r.y + 56}, "C throws one, M a thousand; blue: the target", Font::text, 14,
                    theme.muted);
    }

    // Bars share one scale with the expected marks; the longest fills the row.
    const std::size_t n = d.view.bars.size();
    const float pitch = std::min(24.0F, (r.h - 76 - 40) / static_cast<float>(n));
    const std::size_t rows =
        pitch >= 20 ? n : std::min(n, static_cast<std::size_t>(std::max(1.0F, (r.h - 116) / 20)));
    const float row_h = pitch >= 20 ? pitch : 20;
    double longest = 1e-9;
    for (std::size_t i = 0; i < n; ++i)
        longest = std::max(
            {longest, d.view.bars[i].p, any ? static_cast<double>(counts.total(i)) / counts.flips : 0.0});
    const float from = x + 72, room = right - 52 - from;
    const auto px = [&](double share) { return static_cast<float>(share / longest) * room; };
    for (std::size_t i = 0; i < rows; ++i) {
        const AcceptBar& bar = d.view.bars[i];
        const float y = r.y + 76 + row_h * static_cast<float>(i);
        if (bar.id < 0)
            canvas.text({x, y + 12}, "other", Font::text, 14, theme.muted);
        else
            ui::token_text(canvas, {x, y + 12}, ui::fit_token(canvas, bar_label(d.input, bar), 14, 64), 14,
                           theme.ink);
        if (any) {
            const float kept = px(static_cast<double>(counts.kept[i]) / counts.flips);
            const float added = px(static_cast<double>(counts.resampled[i]) / counts.flips);
            canvas.fill({from, y, kept, 14}, theme.role(Role::accepted).alpha(0.85F));
            if (added > 0) {
                canvas.fill({from + kept, y, added, 14}, theme.role(Role::residual).alpha(0.35F));
                if (added > 2)
                    canvas.outline({from + kept + 0.5F, y + 0.5F, added - 1, 13},
                                   {theme.role(Role::residual), 1, 2, 2});
            }
        }
        const float mark = from + px(bar.p);
        canvas.line({mark, y - 3}, {mark, y + 17}, {theme.role(Role::target), 3});
        canvas.text({right, y + 12}, any ? ui::integer(counts.total(i)) : ui::probability(bar.p), Font::mono,
                    14, any ? theme.ink : theme.muted, Align::right);
    }
    const float y = r.y + 76 + row_h * static_cast<float>(rows) + 12;
    float at = x;
    if (any) {
        ui::icon(canvas, ui::Icon::check, {at + 6, y - 4}, 12, theme.role(Role::accepted));
        const std::string kept = (d.view.at_least ? "≥ " : "") + ui::integer(counts.kept_total()) + " kept";
        canvas.text({at + 18, y}, kept, Font::text, 14, theme.muted);
        at += 18 + canvas.text_width(kept, Font::text, 14) + 16;
        ui::icon(canvas, ui::Icon::redo, {at + 6, y - 4}, 12, theme.role(Role::residual));
        const std::string added =
            (d.view.at_least ? "≤ " : "") + ui::integer(counts.flips - counts.kept_total()) + " resampled";
        canvas.text({at + 18, y}, added, Font::text, 14, theme.muted);
        at += 18 + canvas.text_width(added, Font::text, 14) + 16;
    }
    canvas.line({at + 2, y - 12}, {at + 2, y + 2}, {theme.role(Role::target), 3});
    ui::fitted_text(canvas, {at + 12, y}, any ? "expected" : "what the target gives each token", Font::text,
                    14, theme.muted, right - at - 12);
}

} // namespace speclens
