// Details and controls of the Domino scene: what the correction moved, how large it was, and the what-ifs.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/domino/domino_draw.h"
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

// ‖δ‖ of every position, as bars over one another's scale.
void sizes(const DominoDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::optional<double> here = correction_size(d.model, d.column(d.model.selected));
    ui::fitted_text(canvas, {r.x, r.y + 12},
                    "L2 size of δ less its mean" + (here ? ": " + ui::number(*here, 1) + " at position " +
                                                               std::to_string(d.model.selected + 1)
                                                         : std::string(", by position")),
                    Font::text, 14, theme.muted, r.w);
    const int n = static_cast<int>(d.model.columns.size());
    double most = 1e-9;
    for (const DominoColumn& c : d.model.columns)
        most = std::max(most, correction_size(d.model, c).value_or(0));
    const float step = r.w / static_cast<float>(n), w = std::max(3.0F, step - 6), top = r.y + 22,
                h = r.h - 42;
    for (int i = 0; i < n; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = r.x + step * static_cast<float>(i);
        const std::optional<double> size = correction_size(d.model, c);
        const float tall = size ? std::max(2.0F, h * static_cast<float>(*size / most)) : 1.0F;
        const bool chosen = i == d.model.selected;
        canvas.fill({x, top + h - tall, w, tall}, chosen ? theme.ink : theme.muted.alpha(0.6F), 1);
        const bool every = step >= 24;
        if (every || i % 2 == 0)
            canvas.text({x + w / 2, r.bottom() - 4}, std::to_string(i + 1), Font::mono, 14,
                        chosen ? theme.ink : theme.muted, Align::center);
        ui::tooltip(d.ui, {x, top, w, h + 16},
                    size ? "position " + std::to_string(i + 1) + ": " + ui::number(*size, 1) +
                               " logits; with its mean " +
                               ui::number(c.lens()->number("delta l2").value_or(0), 1)
                         : "position " + std::to_string(i + 1) + ": not corrected");
    }
}

void mover_row(const DominoDraw& d, const Lens::Mover& m, float x, float right, float y,
               const ui::Scale& scale, bool marked) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (marked) canvas.fill({x - 12, y - 17, right - x + 24, 24}, theme.raised, 4);
    ui::token_text(canvas, {x, y}, ui::fit_token(canvas, label_of(*d.input.trace, m.token), 15, 92), 15,
                   theme.ink);
    const float a = scale(std::exp(m.base_logp)), b = scale(std::exp(m.final_logp)), middle = y - 5;
    const ui::Color hue = theme.role(Role::draft);
    if (std::abs(b - a) >= 14) {
        const float way = b > a ? 1.0F : -1.0F;
        ui::arrow(canvas, {a + way * 5, middle}, {b - way * 5, middle}, {theme.muted, 1.5F}, 5);
    }
    canvas.disc({b, middle}, 4, hue);
    canvas.ring({a, middle}, 5, {hue, 1.5F});
    canvas.text({right, y}, ui::signed_number(m.gain(), 1), Font::mono, 14, theme.ink, Align::right);
    ui::tooltip(d.ui, {x - 12, y - 17, right - x + 24, 24},
                quoted(*d.input.trace, m.token) + ": base logit " + ui::number(m.base_logit, 2) + ", final " +
                    ui::number(m.final_logit, 2) + ", δ " + ui::signed_number(m.delta(), 2) +
                    "; less what all tokens share " + ui::signed_number(m.gain(), 2) + "; probability " +
                    fine_probability(std::exp(m.base_logp)) + " to " +
                    fine_probability(std::exp(m.final_logp)));
}

} // namespace

void draw_domino_movers(const DominoDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, right = r.right() - 24;
    const DominoColumn& c = d.column(d.model.selected);
    const Lens* lens = c.lens();
    ui::fitted_text(canvas, {x, r.y + 32}, "Top movers at position " + std::to_string(d.model.selected + 1),
                    Font::text_bold, 15, theme.ink, right - x);
    const float sizes_h = r.h >= 360 ? 106.0F : r.h >= 250 ? 84.0F : 0.0F;
    float end = r.y + 130; // of the list
    if (!lens || lens->movers.empty()) {
        const std::string why =
            !d.model.lens
                ? "This run recorded no lens. Start it again in the window, or record it with run --lens."
            : !d.model.head_on ? "The head is off: it moves nothing. Switch it on with H."
            : !c.corrected && d.model.columns.size() == 1
                ? "The one guess is drafted from its base law alone. With a larger K the head corrects those "
                  "behind it."
            : !c.corrected ? "This position is drafted from its base law alone: the head corrects later "
                             "ones. Step on with the down key."
                           : "Nothing was recorded here.";
        ui::paragraph(canvas, {x, r.y + 64}, right - x, why, {.color = theme.muted});
    } else {
        canvas.ring({x + 5, r.y + 54}, 5, {theme.role(Role::draft), 1.5F});
        canvas.text({x + 16, r.y + 59}, "base", Font::text, 14, theme.muted);
        canvas.disc({x + 65, r.y + 54}, 4, theme.role(Role::draft));
        canvas.text({x + 75, r.y + 59}, "final probability", Font::text, 14, theme.muted);
        canvas.text({right, r.y + 59}, "δ log p", Font::text, 14, theme.muted, Align::right);
        double most = 0.1;
        for (const Lens::Mover& m : lens->movers)
            most = std::max({most, std::exp(m.base_logp), std::exp(m.final_logp)});
        const float axis = r.bottom() - (sizes_h > 0 ? sizes_h + 44 : 28.0F);
        const int rows = std::min(static_cast<int>(lens->movers.size()),
                                  std::max(1, static_cast<int>((axis - r.y - 70) / 24)));
        const ui::Scale scale{0, most, x + 108, right - 62};
        const ui::Ticks marks = ui::ticks(0, most, 3);
        float y = r.y + 84;
        const float low = y + 24 * static_cast<float>(rows - 1) + 10;
        for (const double at : marks.values)
            canvas.line({scale(at), r.y + 70}, {scale(at), low}, theme.hairline());
        for (int i = 0; i < rows; ++i, y += 24) {
            const Lens::Mover& m = lens->movers[static_cast<std::size_t>(i)];
            mover_row(d, m, x, right, y, scale, m.token == c.draft->token);
        }
        end = low + 22;
        for (const double at : marks.values)
            canvas.text({scale(at), low + 16}, ui::tick_label(at, marks.decimals), Font::mono, 14,
                        theme.muted, Align::center);
    }
    if (sizes_h > 0 && d.model.lens && d.model.head_on) {
        const float h = std::clamp(r.bottom() - end - 30, sizes_h, 180.0F), y = r.bottom() - h - 8;
        canvas.line({x, y - 8.5F}, {right, y - 8.5F}, theme.hairline());
        sizes(d, {x, y, right - x, h});
    }
}

void draw_domino_controls(const DominoDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const std::string off = no_models(d.input);
    const std::array<std::string, 2> states = {"on", "off"};
    Rect at = row.place(ui::segmented_width(ui.canvas, states));
    ui::field_label(ui, at, "Head");
    if (const auto pick = ui::segmented(ui, "head", {at.x, at.y}, states, d.model.head_on ? 0 : 1, off);
        pick && (*pick == 0) != d.model.head_on)
        d.out.push_back(switch_head(d.input, d.model));

    guess_stepper(ui, d.model, "Position", row, d.out);

    const DominoColumn& c = d.column(d.model.selected);
    at = row.place(184);
    ui::field_label(ui, at, "Force d" + std::to_string(d.model.selected + 1));
    std::vector<ui::Choice> tokens;
    std::vector<int> ids;
    int chosen = -1;
    const auto offer = [&](int id, double p) {
        if (std::ranges::find(ids, id) != ids.end()) return;
        if (id == c.draft->token) chosen = static_cast<int>(ids.size());
        ids.push_back(id);
        tokens.push_back({quoted(*d.input.trace, id), fine_probability(p), ""});
    };
    for (const Top::Entry& entry : c.final.entries) {
        if (ids.size() == 10) break;
        offer(entry.id, std::exp(entry.logp));
    }
    offer(c.draft->token, listed(c.final, c.draft->token).value_or(0));
    if (c.base_choice >= 0) offer(c.base_choice, listed(c.final, c.base_choice).value_or(0));
    if (const auto pick =
            ui::dropdown(ui, "force", at, tokens, chosen,
                         {.tooltip = "Replays this round with another guess here", .disabled = off});
        pick && *pick != chosen)
        d.out.push_back(force_token(d.model, d.model.selected, ids[static_cast<std::size_t>(*pick)]));

    const std::optional<Position> rescue = next_rescue(*d.input.whole, d.model.cycle->cycle);
    at = row.place(std::min(164.0F, row.room()));
    ui::field_label(ui, at, "Saved by the head");
    if (ui::button(ui, "rescue", at, at.w >= 160 ? "Next such round" : "Next round",
                   {.shortcut = "Y",
                    .disabled = !rescue                                   ? "No round of this run so far"
                                : rescue->cycle == d.model.cycle->cycle ? "This round is the only one so far"
                                                                        : ""}))
        for (const CycleSummary& cycle : d.input.whole->cycles)
            if (cycle.cycle == rescue->cycle) {
                d.out.push_back(SetCursor{cycle.end_event});
                d.out.push_back(Select{*rescue});
            }
    if (row.room() < 150) return;
    row.x = std::max(row.x + 8, row.right - 172);
    at = row.place(172);
    ui::field_label(ui, at, "Same block, same dice");
    const std::string done = !off.empty() ? off : d.model.replayed ? "Replayed: the row shows it" : "";
    DrafterOptions options =
        d.input.settings ? round_settings(d.input, d.model.cycle->cycle).options : DrafterOptions{};
    options.correction = !d.model.head_on;
    if (ui::button(ui, "replay", at, d.model.head_on ? "Replay head off" : "Replay head on",
                   {.disabled = done}))
        d.out.push_back(Command{FetchTwin{d.model.cycle->cycle, options}});
}

} // namespace speclens
