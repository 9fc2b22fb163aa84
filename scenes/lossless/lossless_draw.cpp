// The pictures of S4: texts drawn against their exact distribution, the distance as it shrinks or does not, and the
// proof of one position as bars.
#include "scenes/lossless/lossless_draw.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
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
using ui::Vec2;

std::string text_label(const std::vector<int>& text) {
    std::string label;
    for (const int id : text) label += static_cast<char>('a' + id);
    return label;
}

// "No residual": the title of a rule with a mistake as far as its colon.
std::string rule_words(const std::string& name) {
    for (const RuleInfo* rule : lossless_rules())
        if (name == rule->name && !rule->lossless()) return std::string(rule->title).substr(0, std::string(rule->title).find(':'));
    return "no mistake";
}

} // namespace

void draw_lossless_texts(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const LosslessCount& count = *d.model.count;
    part_head(d.ui, r, "Texts of three tokens", {"bars: drawn (C: 1 000 more); lines: exact"});
    const Rect plot{r.x + 34, r.y + 50, r.w - 34, r.h - 50 - 26};
    double high = 0;
    for (const auto& [text, p] : exact_texts()) {
        high = std::max(high, p);
        if (const auto found = count.texts.find(text); found != count.texts.end() && count.drawn > 0)
            high = std::max(high, static_cast<double>(found->second) / static_cast<double>(count.drawn));
    }
    const ui::Scale y{0, std::min(1.0, high * 1.08), plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, y.hi, r.h > 220 ? 5 : 3), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    const float column = plot.w / static_cast<float>(exact_texts().size());
    int i = 0;
    for (const auto& [text, p] : exact_texts()) {
        const float x = plot.x + column * static_cast<float>(i);
        const auto found = count.texts.find(text);
        const double share =
            count.drawn > 0 && found != count.texts.end() ? static_cast<double>(found->second) / static_cast<double>(count.drawn) : 0;
        canvas.fill({x + 2, y(share), column - 4, plot.bottom() - y(share)}, theme.role(Role::accepted).alpha(0.85F), 1);
        canvas.line({x + 1, y(p)}, {x + column - 1, y(p)}, {theme.role(Role::target), 2.5F});
        const bool labelled = column >= 24 || i % 3 == 0;
        if (labelled) canvas.text({x + column / 2, plot.bottom() + 18}, text_label(text), Font::mono, 14, theme.muted, Align::center);
        ui::tooltip(d.ui, {x, plot.y, column, plot.h},
                    text_label(text) + ": drawn " + ui::probability(share) + ", exact " + ui::probability(p));
        ++i;
    }
}

void draw_lossless_looks(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, "Distance from the exact distribution",
              {"dashed: what chance alone would show; ✕: caught", "dashed: by chance alone; ✕: caught"});
    float names = 0; // at the ends of the lines
    if (r.w >= 380)
        for (const RuleInfo* rule : lossless_rules())
            names = std::max(names, std::ceil(canvas.text_width(rule_words(rule->name), Font::text_bold, 14)));
    names = std::min(names, r.w * 0.52F);
    const Rect plot{r.x + 50, r.y + 50, r.w - 50 - 12 - names, r.h - 50 - 44};
    long most = 1000;
    for (const auto& [name, count] : d.state.counts) most = std::max(most, count.drawn);
    const double decades = std::log10(static_cast<double>(most)), low = std::log10(expected_distance(most) / 2);
    const ui::Scale x{1, std::max(3.0, decades) + 0.05, plot.x, plot.right()}, y{low, 0, plot.bottom(), plot.y};
    for (int power = 0; power > low; --power) {
        canvas.line({plot.x, y(power)}, {plot.right(), y(power)}, theme.hairline());
        canvas.text({plot.x - 8, y(power) + 5},
                    power == 0    ? "1"
                    : power == -1 ? ".1"
                    : power == -2 ? ".01"
                                  : ".001",
                    Font::mono, 14, theme.muted, Align::right);
    }
    // Every power of ten that has room beside the next one.
    float next = 1e9;
    for (int power = static_cast<int>(x.hi); power >= 1; --power) {
        const std::string words = ui::integer(std::lround(std::pow(10, power)));
        const float half = canvas.text_width(words, Font::mono, 14) / 2;
        if (x(power) + half + 8 > next) continue;
        canvas.text({x(power), plot.bottom() + 20}, words, Font::mono, 14, theme.muted, Align::center);
        next = x(power) - half;
    }
    canvas.text({plot.right() - 2, plot.y + 18}, "distance, log", Font::text, 14, theme.muted, Align::right);
    canvas.text({plot.center().x, plot.bottom() + 40}, "texts drawn", Font::text, 14, theme.muted, Align::center);
    canvas.push_clip({plot.x, plot.y - 6, plot.w + 6, plot.h + 6});
    std::vector<Vec2> noise;
    for (double at = 1; at <= x.hi; at += 0.25) noise.push_back({x(at), y(std::log10(expected_distance(std::lround(std::pow(10, at)))))});
    canvas.polyline(noise, {theme.muted, 1.5F, 5, 4});
    struct End {
        Vec2 at;
        std::string words;
        bool chosen;
    };
    std::vector<End> ends;
    std::vector<Vec2> crosses; // two that would lie on each other stand side by side
    for (const auto& [name, count] : d.state.counts) {
        const bool chosen = name == d.model.rule->name;
        std::vector<Vec2> line;
        for (const LosslessCount::Look& look : count.looks)
            line.push_back({x(std::log10(look.drawn)), y(std::log10(std::max(look.distance, 1e-6)))});
        canvas.polyline(line, {chosen ? theme.ink : theme.muted.alpha(0.6F), chosen ? 2.5F : 1.0F});
        for (std::size_t i = 0; i < line.size(); ++i)
            if (count.looks[i].drawn == count.caught) {
                Vec2 at = line[i];
                const auto hides = [&](Vec2 other) { return std::abs(other.x - at.x) < 11 && std::abs(other.y - at.y) < 11; };
                while (std::ranges::any_of(crosses, hides)) at.x += 12;
                crosses.push_back(at);
                ui::icon(canvas, ui::Icon::cross, at, 12, theme.role(Role::rejected));
            }
        if (!line.empty()) ends.push_back({line.back(), rule_words(name), chosen});
    }
    canvas.pop_clip();
    if (names == 0) return;
    // Names where the lines end, pushed apart.
    std::ranges::sort(ends, {}, [](const End& end) { return end.at.y; });
    float free = plot.y;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const float below = 18.0F * static_cast<float>(ends.size() - 1 - i), // for those still to come
            base = std::min(std::max(ends[i].at.y + 5, free + 12), plot.bottom() - below), left = plot.right() + 12;
        canvas.line({ends[i].at.x + 3, ends[i].at.y}, {left - 4, base - 5}, {theme.muted.alpha(0.6F), 1, 1, 3});
        ui::fitted_text(canvas, {left, base}, ends[i].words, ends[i].chosen ? Font::text_bold : Font::text, 14,
                        ends[i].chosen ? theme.ink : theme.muted, r.right() - left);
        free = base + 6;
    }
}

void draw_lossless_proof(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({r.x, r.y - 9.5F}, {r.right(), r.y - 9.5F}, theme.hairline());
    ui::fitted_text(canvas, {r.x, r.y + 16}, "The first position: kept drafts + replacements", Font::text_bold, 15, theme.ink, r.w * 0.6F);
    const std::pair<Role, const char*> marks[] = {{Role::accepted, "kept"}, {Role::residual, "replaced"}};
    float key = r.right() - 250;
    for (const auto& [role, words] : marks) {
        canvas.fill({key, r.y + 6, 10, 10}, theme.role(role), 2);
        canvas.text({key + 16, r.y + 16}, words, Font::text, 14, theme.muted);
        key += 84;
    }
    canvas.line({key + 4, r.y + 4}, {key + 4, r.y + 18}, {theme.role(Role::target), 2.5F});
    canvas.text({key + 12, r.y + 16}, "target", Font::text, 14, theme.muted);
    const std::vector<ProofRow> rows = proof_rows(*d.model.rule);
    const float left = r.x + 40, numbers = 220, width = r.w - 40 - numbers;
    double most = 0.1;
    for (const ProofRow& row : rows) most = std::max({most, row.target, row.kept + row.replaced});
    const ui::Scale x{0, most * 1.05, left, left + width};
    const float pitch = std::clamp((r.h - 32) / static_cast<float>(std::max<std::size_t>(1, rows.size())), 30.0F, 80.0F), bar = pitch - 14;
    float y = r.y + 32;
    for (std::size_t v = 0; v < rows.size(); ++v) {
        const ProofRow& row = rows[v];
        canvas.text({r.x, y + bar / 2 + 9}, std::string(1, static_cast<char>('a' + v)), Font::mono, 15, theme.ink);
        canvas.fill({left, y + 4, x(row.kept) - left, bar}, theme.role(Role::accepted), 2);
        canvas.fill({x(row.kept), y + 4, x.length(row.replaced), bar}, theme.role(Role::residual), 2);
        canvas.line({x(row.target), y}, {x(row.target), y + bar + 8}, {theme.role(Role::target), 2.5F});
        const double sum = row.kept + row.replaced;
        const bool same = std::abs(sum - row.target) < 5e-4;
        canvas.text({r.right(), y + bar / 2 + 9},
                    ui::probability(row.kept) + " + " + ui::probability(row.replaced) + (same ? " = " : " ≠ ") +
                        ui::probability(row.target),
                    Font::mono, 14, same ? theme.ink : theme.role(Role::rejected), Align::right);
        y += pitch;
    }
}

void draw_lossless_details(const LosslessDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(canvas, {x, r.y + 32}, "How long each mistake hides", Font::text_bold, 15, theme.ink, w);
    float y = r.y + 44;
    for (int i = 0; i < static_cast<int>(lossless_rules().size()); ++i) {
        const RuleInfo& rule = *lossless_rules()[static_cast<std::size_t>(i)];
        const auto found = d.state.counts.find(rule.name);
        const LosslessCount* count = found == d.state.counts.end() ? nullptr : &found->second;
        const Rect box{x - 8, y, w + 16, 24};
        const ui::Touch touch = ui::touch(d.ui, d.ui.id(std::string("rule ") + rule.name), box);
        if (touch.hovered || i == d.state.rule) canvas.fill(box, theme.raised, 4);
        if (touch.focused) ui::focus_ring(canvas, theme, box);
        if (touch.clicked) d.state.rule = i;
        const std::string verdict = !count || count->drawn == 0 ? std::string("not drawn")
                                    : count->caught > 0         ? "caught at " + ui::integer(count->caught)
                                                                : "not in " + ui::integer(count->drawn);
        ui::fitted_text(canvas, {x, y + 17}, i == 0 ? "no mistake" : rule.title, Font::text, 14,
                        i == d.state.rule ? theme.ink : theme.muted, w - canvas.text_width(verdict, Font::mono, 14) - 12);
        canvas.text({x + w, y + 17}, verdict, Font::mono, 14, count && count->caught > 0 ? theme.role(Role::rejected) : theme.ink,
                    Align::right);
        y += 25;
    }
    y += 30;
    if (y + 44 > r.bottom()) return;
    const std::vector<GreedyRow> rows = greedy_rows(d.input);
    ui::fitted_text(canvas, {x, y}, "Greedy, on the loaded models", Font::text_bold, 15, theme.ink, w);
    if (rows.empty()) {
        ui::paragraph(canvas, {x, y + 24}, w, "Measure to compare every drafter's text with plain decoding, token by token.",
                      {.size = 14, .color = theme.muted, .max_lines = 2});
        return;
    }
    y += 8;
    // Those that need a look first; the others, of which there may be many, together.
    std::string same, verdict;
    for (const GreedyRow& row : rows) {
        if (same_text(row)) {
            same += (same.empty() ? "" : ", ") + row.drafter;
            verdict = greedy_verdict(row);
            continue;
        }
        if (y + 22 > r.bottom() - 4) return;
        ui::fitted_text(canvas, {x, y + 17}, row.drafter, Font::text, 14, theme.muted, 120);
        ui::fitted_text(canvas, {x + w, y + 17}, greedy_verdict(row), Font::mono, 14, theme.role(Role::rejected), w - 130, Align::right);
        y += 22;
    }
    if (same.empty() || y + 42 > r.bottom() - 4) return;
    ui::fitted_text(canvas, {x, y + 17}, verdict, Font::mono, 14, theme.ink, w);
    ui::paragraph(canvas, {x, y + 39}, w, same,
                  {.size = 14, .color = theme.muted, .max_lines = std::max(1, static_cast<int>((r.bottom() - y - 24) / 20))});
}

void draw_lossless_greedy(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<GreedyRow> rows = greedy_rows(d.input);
    if (rows.empty()) {
        ui::slot(canvas, theme, {r.x, r.y, r.w, std::min(112.0F, r.h)},
                 "what every drafter wrote will appear here, held against plain decoding (M)");
        return;
    }
    const int columns = r.w >= 700 ? 2 : 1, lines = (static_cast<int>(rows.size()) + columns - 1) / columns;
    const float gap = 40, w = (r.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                pitch = std::min(44.0F, r.h / static_cast<float>(std::max(1, lines)));
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const GreedyRow& row = rows[static_cast<std::size_t>(i)];
        const float x = r.x + (w + gap) * static_cast<float>(i / lines), y = r.y + pitch * static_cast<float>(i % lines) + pitch / 2;
        const bool same = same_text(row);
        const ui::Color hue = theme.role(same ? Role::accepted : Role::rejected);
        ui::icon(canvas, same ? ui::Icon::check : ui::Icon::cross, {x + 8, y}, 13, hue);
        ui::fitted_text(canvas, {x + 26, y + 5}, row.drafter, Font::text, 15, theme.ink, w - 26 - 190);
        ui::fitted_text(canvas, {x + w, y + 5}, greedy_verdict(row), Font::mono, 14, same ? theme.muted : hue, 180, Align::right);
    }
}

void more_texts(const LosslessDraw& d, long count) {
    const std::uint64_t seed = d.input.settings ? d.input.settings->seed : 7;
    draw_texts(*d.model.rule, seed, count, d.state.counts[d.model.rule->name]);
}

void draw_lossless_controls(const LosslessDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    Rect at = row.place(std::min(256.0F, row.room()));
    ui::field_label(ui, at, "Mistake");
    std::vector<ui::Choice> choices;
    for (const RuleInfo* rule : lossless_rules())
        choices.push_back({rule == lossless_rules().front() ? "none: the token rule" : rule->title, "", ""});
    if (const auto pick = ui::dropdown(ui, "mistake", at, choices, d.state.rule)) d.state.rule = *pick;
    const std::pair<const char*, long> amounts[] = {{"+ 100", 100}, {"+ 1 000", 1000}, {"+ 10 000", 10000}};
    for (const auto& [label, count] : amounts) {
        if (row.room() < 96) return;
        at = row.place(96, 8);
        if (count == 100) ui::field_label(ui, at, "Draw texts");
        if (ui::button(ui, label, at, label, {.tooltip = count == 1000 ? "Draw a thousand texts (C)" : "Draw so many texts more"}))
            more_texts(d, count);
    }
    if (row.room() < 88) return;
    row.x += 8;
    at = row.place(88);
    if (ui::button(ui, "clear", at, "Clear", {.disabled = d.model.count->drawn == 0 ? "Nothing was drawn" : ""}))
        d.state.counts[d.model.rule->name] = {};
    measure_button(d.input, ui, {"measure", "Greedy texts", "M"}, greedy_study(d.input), row, d.out);
}

} // namespace speclens
