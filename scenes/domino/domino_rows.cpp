// The middle bands of the Domino picture: base laws, the head with its states, final laws.
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

constexpr float kValueRoom = 40; // of a probability or a correction, in mono

// "+3.5"; empty: unknown
std::string correction_words(const DominoColumn& c, int token) {
    const std::optional<double> delta = correction_of(c, token);
    return delta ? ui::signed_number(*delta, 1) : "";
}

// One law: rows of token, bar and probability, in the final law behind what the head added.
void law_rows(const DominoDraw& d, int i, float y, bool final) {
    const DominoColumn& c = d.column(i);
    const Top& law = final ? c.final : c.base;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = d.grid.x(i), w = d.grid.width;
    const int best = law.entries.empty() ? -1 : law.entries.front().id;
    if (law.empty()) {
        canvas.text({x, y + 13}, i == d.grid.first ? "no rows recorded" : "–", Font::text, 14, theme.muted);
        return;
    }
    for (const int id : domino_tokens(c, d.grid.rows)) {
        const std::optional<double> p = listed(law, id);
        const ui::Color ink = id == best ? theme.ink : theme.muted;
        const bool refused =
            !final && c.changed && id == best && c.check && c.check->accepted && d.model.greedy;
        const std::string added = final ? correction_words(c, id) : "";
        const float taken = 6 + kValueRoom + (refused ? 24.0F : canvas.text_width(added, Font::mono, 14));
        const std::string label = ui::fit_token(canvas, label_of(*d.input.trace, id), 15, w - taken);
        ui::token_text(canvas, {x, y + 13}, label, 15, ink);
        canvas.text({x + w - kValueRoom, y + 13}, added, Font::mono, 14, theme.muted, Align::right);
        if (refused) ui::icon(canvas, ui::Icon::cross, {x + w - 50, y + 8}, 11, theme.role(Role::rejected));
        canvas.text({x + w, y + 13},
                    p               ? ui::probability(*p)
                    : law.rest <= 0 ? "0"
                                    : "<.01",
                    Font::mono, 14, ink, Align::right);
        const float length = std::max(2.0F, w * static_cast<float>(p.value_or(0)));
        if (final)
            canvas.fill({x, y + 17, length, 4}, theme.role(Role::draft), 1);
        else
            canvas.outline({x, y + 17, length, 4}, {theme.role(Role::draft), 1});
        y += 23;
    }
}

// States, gates and the low-rank strip.
void draw_states(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    domino_row_name(d, g.state + 12, "State S", g.tall ? "gates z, r" : "", 64);
    if (!d.model.head_on) return;
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = g.x(i), w = g.width;
        const Lens* lens = c.lens();
        const std::string name = "S" + std::to_string(i + 1);
        canvas.text({x, g.state - 5}, name, Font::text_bold, 14, theme.ink);
        const std::optional<double> branch =
            d.model.forced >= 0 ? state_cosine(d.model, d.before, i) : std::nullopt;
        if (lens && lens->strip("state")) {
            canvas.text({x + w, g.state - 5},
                        branch ? "cos " + ui::number(*branch, 2)
                               : "z " + ui::probability(lens->number("mean z").value_or(0)) + "  r " +
                                     ui::probability(lens->number("mean r").value_or(0)),
                        Font::mono, 14, theme.muted, Align::right);
            if (branch)
                ui::tooltip(d.ui, {x, g.state - 18, w, 16},
                            "Cosine between this state and the one before the guess was forced, both pooled");
            domino_strip(d, i, "state", {x, g.state, w, 14}, ui::HeatKind::signed_values);
            domino_strip(d, i, "z", {x, g.state + 16, w, 5}, ui::HeatKind::gate);
            domino_strip(d, i, "r", {x, g.state + 23, w, 5}, ui::HeatKind::gate);
        } else {
            ui::slot(canvas, theme, {x, g.state, w, 28}, i == g.first ? "no lens was recorded" : "");
        }
        const Rect gru{x - 42, g.state - 5, 36, 24};
        canvas.fill(gru, theme.bg, 4);
        canvas.outline(gru, {theme.muted, 1.5F}, 4);
        canvas.text({gru.center().x, gru.y + 17}, "GRU", Font::text, 14, theme.ink, Align::center);
        canvas.line({gru.right(), g.state + 7}, {x, g.state + 7}, {theme.muted, 1.5F});
        if (i > g.first) canvas.line({x - 48, g.state + 7}, {gru.x, g.state + 7}, {theme.muted, 1.5F});
        if (!c.corrected) continue;
        if (g.tall && lens && lens->strip("low rank")) {
            const std::string into = "H" + std::to_string(i + 1) + ", " + name;
            canvas.text({x, g.mixed + 11}, into, Font::text, 14, theme.muted);
            const float at = x + canvas.text_width(into, Font::text, 14) + 8;
            ui::arrow(canvas, {at, g.mixed + 6}, {at + 22, g.mixed + 6}, {theme.muted, 1.5F}, 6);
            domino_strip(d, i, "low rank", {at + 28, g.mixed, x + w - at - 28, 12},
                         ui::HeatKind::signed_values);
        }
    }
    if (g.tall) {
        const Lens* lens = d.column(static_cast<int>(d.model.columns.size()) - 1).lens();
        const Lens::Strip* mixed = lens ? lens->strip("low rank") : nullptr;
        if (mixed)
            ui::fitted_text(canvas, {g.gutter, g.mixed + 11}, "rank " + std::to_string(mixed->values),
                            Font::text, 14, theme.muted, 80);
    }
}

} // namespace

std::vector<int> domino_tokens(const DominoColumn& column, int rows) {
    std::vector<int> ids;
    for (const Top::Entry& entry : column.base.entries) {
        if (static_cast<int>(ids.size()) == rows) break;
        ids.push_back(entry.id);
    }
    const auto keep = [&](int id, std::size_t from_end) { // at the end, which is the least likely row
        if (id < 0 || std::ranges::find(ids, id) != ids.end()) return;
        if (static_cast<int>(ids.size()) < rows) return ids.push_back(id);
        if (ids.size() > from_end) ids[ids.size() - 1 - from_end] = id;
    };
    const int best = column.final.entries.empty() ? -1 : column.final.entries.front().id;
    keep(best, 0);
    if (column.draft && rows > 2) keep(column.draft->token, best == ids.back() ? 1 : 0);
    return ids;
}

std::optional<double> correction_of(const DominoColumn& column, int token) {
    if (!column.corrected) return {};
    if (const Lens* lens = column.lens())
        for (const Lens::Mover& mover : lens->movers)
            if (mover.token == token) return mover.gain();
    const auto logp = [&](const Top& law) -> std::optional<double> {
        for (const Top::Entry& entry : law.entries)
            if (entry.id == token) return entry.logp;
        return {};
    };
    const std::optional<double> base = logp(column.base), final = logp(column.final);
    if (!base || !final) return {};
    return *final - *base;
}

std::optional<double> correction_size(const DominoModel& model, const DominoColumn& column) {
    const Lens* lens = column.lens();
    const std::optional<double> all = lens ? lens->number("delta l2") : std::nullopt;
    if (!all) return {};
    const double mean = lens->number("delta mean").value_or(0);
    return std::sqrt(std::max(0.0, *all * *all - mean * mean * model.header->vocab));
}

const Lens::Mover* largest_mover(const DominoColumn& column) {
    const Lens* lens = column.lens();
    return lens && !lens->movers.empty() ? &lens->movers.front() : nullptr;
}

void draw_domino_base(const DominoDraw& d) {
    const bool kept = d.model.forced >= 0 && d.before.cycle == d.model.cycle->cycle;
    domino_row_name(d, d.grid.base + 13, "Base", kept ? "frozen" : "parallel", 100);
    for (int i = d.grid.first; i < d.grid.first + d.grid.count; ++i) law_rows(d, i, d.grid.base, false);
}

void draw_domino_head(const DominoDraw& d) {
    const DominoGrid& g = d.grid;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (g.head_shown) draw_states(d);
    if (!d.model.head_on) {
        const float top = g.head_shown ? g.state - 12 : g.delta - 15;
        return ui::slot(canvas, theme, {g.x(g.first), top, g.right() - g.x(g.first), g.draft - top - 10},
                        "the head is off: no state, no correction, the base laws are final");
    }
    domino_row_name(d, g.delta, "+ δ", "", 80);
    for (int i = g.first; i < g.first + g.count; ++i) {
        const DominoColumn& c = d.column(i);
        const float x = g.x(i), w = g.width;
        if (!c.corrected) {
            ui::fitted_text(canvas, {x, g.delta},
                            i == 0 && w < 230 ? "never corrected"
                            : i == 0          ? "the first guess is never corrected"
                                              : "not corrected",
                            Font::text, 14, theme.muted, w);
            continue;
        }
        // heads of the two columns of numbers below
        const Rect heads{x + w - 2 * kValueRoom, g.delta - 12, 2 * kValueRoom, 16};
        canvas.text({x + w - kValueRoom, g.delta}, "δ", Font::text, 14, theme.muted, Align::right);
        canvas.text({x + w, g.delta}, "p", Font::text, 14, theme.muted, Align::right);
        ui::tooltip(d.ui, heads,
                    "What the head adds to the logit of each token, less what all tokens share, and the "
                    "probability that follows");
    }
}

void draw_domino_final(const DominoDraw& d) {
    if (!d.model.head_on) return;
    domino_row_name(d, d.grid.final + 13, "= Final", "causal", 80);
    for (int i = d.grid.first; i < d.grid.first + d.grid.count; ++i) law_rows(d, i, d.grid.final, true);
}

} // namespace speclens
