// The pictures of S12: the distributions of one position, and what every rule keeps against how far it leads away.
#include "scenes/relaxed/relaxed_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/point_labels.h"
#include "scenes/shared/run_controls.h"
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

struct DistributionBar {
    Role role;
    const char* name;
    const Distribution* distribution;
};

std::string row_label(const RelaxedDraw& d, int id) { return id < 0 ? std::string("other") : label_of(*d.input.trace, id); }

void legend(const RelaxedDraw& d, float x, float y, std::span<const DistributionBar> bars) {
    for (const DistributionBar& bar : bars) {
        d.ui.canvas.fill({x, y - 9, 10, 10}, d.ui.theme.role(bar.role), 2);
        d.ui.canvas.text({x + 16, y}, bar.name, Font::text, 14, d.ui.theme.muted);
        x += 28 + d.ui.canvas.text_width(bar.name, Font::text, 14);
    }
}

// Indices of the largest entries, the drafted token always among them, the lump last.
std::vector<std::size_t> rows_of(const JudgedPosition& position, const Distribution& written, std::size_t most) {
    std::vector<std::size_t> rows(position.ids.size() - 1);
    std::iota(rows.begin(), rows.end(), 0);
    const auto size = [&](std::size_t i) {
        return position.ids[i] == position.drafted
                   ? 2.0
                   : std::max({position.distributions.p[i], position.distributions.q[i], written.empty() ? 0 : written[i]});
    };
    std::ranges::stable_sort(rows, std::greater<>(), size);
    rows.resize(std::min(rows.size(), most));
    std::ranges::stable_sort(rows, std::greater<>(), [&](std::size_t i) { return position.distributions.p[i]; });
    return rows;
}

} // namespace

void draw_relaxed_distributions(const RelaxedDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RelaxedModel& m = d.model;
    const JudgedPosition& position = *m.position();
    std::vector<DistributionBar> bars = {{Role::target, "target", &position.distributions.p},
                                         {Role::draft, "draft", &position.distributions.q}};
    if (position.counts()) bars.push_back({Role::accepted, "written", &m.relaxed.distribution});
    ui::fitted_text(canvas, {area.x, area.y + 14},
                    "One position: round " + std::to_string(position.at.round + 1) + ", guess " + std::to_string(position.at.index + 1),
                    Font::text_bold, 15, theme.ink, area.w);
    legend(d, area.x, area.y + 36, bars);
    // Whose numbers stand at the right of a row, the one above the other as there.
    canvas.text({area.right(), area.y + 31}, "target", Font::text, 14, theme.muted, Align::right);
    canvas.text({area.right(), area.y + 46}, "written", Font::text, 14, theme.ink, Align::right);

    constexpr float kRow = 38, kMeters = 64;
    const float top = area.y + 54, name = 104, numbers = 56;
    const auto most = static_cast<std::size_t>(std::clamp((area.h - 54 - kMeters) / kRow, 2.0F, 9.0F));
    const std::vector<std::size_t> rows = rows_of(position, m.relaxed.distribution, most);
    float y = top;
    for (const std::size_t i : rows) {
        if (position.ids[i] == position.drafted) canvas.fill({area.x - 8, y - 3, area.w + 16, kRow - 2}, theme.raised, 4);
        ui::token_text(canvas, {area.x, y + 20}, ui::fit_token(canvas, row_label(d, position.ids[i]), 15, name - 12), 15, theme.ink);
        float line = y + 3;
        for (const DistributionBar& bar : bars) {
            ui::bar(canvas, theme, {area.x + name, line, area.w - name - numbers, 7}, (*bar.distribution)[i], bar.role);
            line += 9;
        }
        const TokenNumbers here = numbers_of(m, i);
        canvas.text({area.right(), y + 14}, here.target, Font::mono, 14, theme.muted, Align::right);
        canvas.text({area.right(), y + 29}, here.written, Font::mono, 14, theme.ink, Align::right);
        ui::tooltip(d.ui, {area.x - 8, y - 3, area.w + 16, kRow - 2},
                    "target " + here.target + ", draft " + here.draft + ", written " + here.written);
        y += kRow;
    }
    y += 12;
    const auto line = [&](const std::string& words) {
        ui::fitted_text(canvas, {area.x, y + 8}, words, Font::text, 15, theme.ink, area.w);
        y += 24;
    };
    if (position.counts() && m.exact()) {
        line("A guess stays here: " + ui::probability(m.strict.kept));
        line("What is written follows the target");
    } else if (position.counts()) {
        line("A guess stays here: " + ui::probability(m.strict.kept) + " lossless, " + ui::probability(m.relaxed.kept) + " now");
        line("Written differs from the target by " + ui::probability(distance_told(m.relaxed.distribution, position.distributions.p)));
    } else {
        line("The recorded heads leave out " + ui::probability(position.unlisted) + " of a distribution here:");
        line("too much to say whether a guess stays");
    }
}

namespace {

// "chow", "lenience": as the list beside the chart has them.
std::string short_rule(const RuleInfo& rule) {
    const std::string name = rule.name;
    return name.starts_with("cascade_") ? name.substr(8) : name;
}

// One of the chart's marks: a rule with its numbers, or an end of the curves.
struct ChartPoint {
    std::string name;
    Vec2 at;
    bool strong = false; // the chosen rule and the ends
};

// Marks that coincide share a name, broken into lines of a width that fits beside a mark.
std::string shared_name(const ui::Canvas& canvas, const std::vector<ChartPoint>& points, const std::vector<std::size_t>& group,
                        float width) {
    std::string words, line;
    for (std::size_t k = 0; k < group.size(); ++k) {
        const std::string name = points[group[k]].name + (k + 1 < group.size() ? "," : "");
        if (!line.empty() && canvas.text_width(line + " " + name, Font::text, 14) > width) {
            words += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + name;
    }
    return words + line;
}

// A curve is no place for words.
void block_curve(PointLabels& labels, const std::vector<Vec2>& curve) {
    constexpr float kApart = 6;
    for (std::size_t i = 1; i < curve.size(); ++i) {
        const Vec2 from = curve[i - 1], by{curve[i].x - from.x, curve[i].y - from.y};
        const int steps = static_cast<int>(std::hypot(by.x, by.y) / kApart) + 1;
        for (int step = 0; step <= steps; ++step) {
            const float part = static_cast<float>(step) / static_cast<float>(steps);
            labels.block({from.x + part * by.x - 2, from.y + part * by.y - 2, 4, 4});
        }
    }
}

void name_points(const RelaxedDraw& d, Rect plot, const Rect& caption, const std::vector<ChartPoint>& points,
                 const std::vector<Vec2>& curve) {
    std::vector<Vec2> places, anchors;
    for (const ChartPoint& point : points) places.push_back(point.at);
    const auto groups = coinciding(places, 9);
    for (const std::vector<std::size_t>& group : groups) anchors.push_back(places[group[0]]);
    PointLabels labels(d.ui.canvas, plot, anchors);
    labels.block(caption);
    for (const Vec2 at : places) labels.block({at.x - 7, at.y - 7, 14, 14});
    block_curve(labels, curve);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const bool strong = std::ranges::any_of(groups[g], [&](std::size_t i) { return points[i].strong; });
        labels.name(anchors[g], shared_name(d.ui.canvas, points, groups[g], 168), Font::text, strong ? d.ui.theme.ink : d.ui.theme.muted,
                    d.ui.theme.bg.alpha(0.85F));
    }
}

} // namespace

void draw_relaxed_chart(const RelaxedDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RelaxedModel& m = d.model;
    ui::fitted_text(canvas, {area.x, area.y + 14}, "The price of keeping more", Font::text_bold, 15, theme.ink, area.w);
    if (m.counted == 0) {
        ui::paragraph(canvas, {area.x, area.y + 40}, area.w, left_out_words(d.input, m), {.color = theme.muted});
        return;
    }
    const std::string means = means_over(m);
    const std::vector<std::string> line_words =
        m.exact() ? std::vector{means}
                  : std::vector{means + "; line: what the chosen rule can be set to", means + "; line: the chosen rule", means};
    ui::fitted_text(canvas, {area.x, area.y + 34}, ui::fitting(canvas, line_words, Font::text, 14, area.w), Font::text, 14, theme.muted,
                    area.w);
    float head = 54;
    if (!m.all_count()) {
        ui::fitted_text(canvas, {area.x, area.y + 54},
                        std::to_string(static_cast<int>(m.positions->size()) - m.counted) +
                            " left out, where the models are less sure; --trace-top all records them",
                        Font::text, 14, theme.muted, area.w);
        head += 20;
    }
    const Rect plot{area.x + 46, area.y + head, area.w - 46 - 16, area.h - head - 46};
    double low = m.lossless.kept, high = m.draft_alone.distance;
    for (const RelaxedCurve& curve : *m.curves)
        for (const TradeOff& point : curve.points) {
            low = std::min(low, point.kept);
            high = std::max(high, point.distance);
        }
    low = std::max(0.0, std::floor(low * 20 - 0.4) / 20);
    const ui::Scale x{low, 1 + (1 - low) * 0.03, plot.x, plot.right()};
    const ui::Scale y{0, std::max(high * 1.1, 0.02), plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, y.hi, area.h > 260 ? 5 : 3),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(canvas, theme, x, plot.bottom(), ui::ticks(low, 1, plot.w > 300 ? 6 : 4), {});
    canvas.text({plot.center().x, plot.bottom() + 40}, "chance that a guess stays", Font::text, 14, theme.muted, Align::center);
    const Rect caption{plot.x + 2, plot.y - 2, canvas.text_width("distance from the target", Font::text, 14) + 8, 18};
    canvas.fill(caption, theme.bg); // no line of the grid through it
    canvas.text({plot.x + 6, plot.y + 12}, "distance from the target", Font::text, 14, theme.muted);
    const auto at = [&](const TradeOff& point) { return Vec2{x(point.kept), y(point.distance)}; };

    const auto datum = [](const TradeOff& point) { return ui::PlotDatum{.x = point.kept, .y = point.distance}; };
    for (const RelaxedCurve& curve : *m.curves)
        ui::plotted(canvas, plot, curve.rule == m.rule ? ui::PlotMark::line : ui::PlotMark::points, short_rule(*curve.rule),
                    curve.rule == m.rule ? std::span(curve.points) : std::span(&curve.here, 1), datum);
    ui::plotted(canvas, plot, ui::PlotMark::points, "lossless", std::span(&m.lossless, 1), datum);
    ui::plotted(canvas, plot, ui::PlotMark::points, "draft unchecked", std::span(&m.draft_alone, 1), datum);
    canvas.push_clip({plot.x - 6, plot.y - 6, plot.w + 12, plot.h + 12});
    std::vector<Vec2> line; // of the chosen rule: curves of all cross, and no name tells them apart
    for (const RelaxedCurve& curve : *m.curves) {
        if (curve.rule != m.rule) continue;
        for (const TradeOff& point : curve.points) line.push_back(at(point));
        canvas.polyline(line, {theme.ink, 2.5F});
    }
    canvas.pop_clip();
    // The ends and the chosen rule first: they are named where there is room for few.
    std::vector<ChartPoint> points{{"lossless", at(m.lossless), true}, {"draft unchecked", at(m.draft_alone), true}};
    for (const bool chosen : {true, false})
        for (const RelaxedCurve& curve : *m.curves)
            if ((curve.rule == m.rule) == chosen)
                points.push_back({short_rule(*curve.rule) + (m.own == curve.rule ? " (this run)" : ""), at(curve.here), chosen});
    name_points(d, {plot.x, plot.y, area.right() - plot.x, plot.h}, caption, points, line);
    for (const RelaxedCurve& curve : *m.curves) { // where each stands, to be chosen
        const Vec2 here = at(curve.here);
        const ui::Touch touch = ui::touch(d.ui, d.ui.id(std::string("curve ") + curve.rule->name), {here.x - 10, here.y - 10, 20, 20});
        const bool chosen = curve.rule == m.rule;
        canvas.disc(here, chosen ? 7.0F : 4.0F, theme.bg);
        canvas.disc(here, chosen ? 6.0F : 3.0F, chosen ? theme.ink : theme.muted);
        if (touch.focused) ui::focus_ring(canvas, theme, {here.x - 8, here.y - 8, 16, 16});
        ui::tooltip(d.ui, {here.x - 10, here.y - 10, 20, 20},
                    std::string(curve.rule->title) + ": stays " + ui::probability(curve.here.kept) + ", distance " +
                        ui::probability(curve.here.distance));
        if (touch.clicked) d.state.rule = curve.rule->name;
    }
    for (const auto& [point, role] : {std::pair(m.lossless, Role::target), {m.draft_alone, Role::draft}})
        canvas.fill({at(point).x - 5, at(point).y - 5, 10, 10}, theme.role(role), 2);
}

void draw_relaxed_details(const RelaxedDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RelaxedModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(canvas, {x, r.y + 32}, "Every rule on this run", Font::text_bold, 15, theme.ink, w);
    const float columns[] = {x + w - 124, x + w - 64, x + w};
    const char* heads[] = {"tok/round", "stays", "dist."};
    for (int c = 0; c < 3; ++c) canvas.text({columns[c], r.y + 56}, heads[c], Font::text, 14, theme.muted, Align::right);
    const Study* study = measured_rules(d.input);
    const SeededRounds token = measured_rounds(study, "token", d.state);
    float y = r.y + 66;
    const auto row = [&](const std::string& name, const std::string& id, const TradeOff& point, bool chosen) {
        if (y + 24 > r.bottom() - 8) return;
        const Rect box{x - 8, y, w + 16, 24};
        const bool relaxes = id == kExactRule || (find_rule(id) && !find_rule(id)->lossless());
        if (relaxes && choosable(d.ui, "row " + id, box, chosen)) d.state.rule = id;
        ui::fitted_text(canvas, {x, y + 17}, name, Font::text, 14, chosen ? theme.ink : theme.muted, w - 208);
        const SeededRounds rounds = measured_rounds(study, id, d.state);
        const bool told = id == "token" || !too_close(rounds, token);
        canvas.text({columns[0], y + 17}, rounds.seeds.empty() ? "–" : with_chance(rounds), Font::mono, 14,
                    rounds.seeds.empty() || told ? theme.ink : theme.muted, Align::right);
        const auto mean = [&](double value) { return m.counted > 0 ? ui::probability(value) : std::string("–"); };
        // Block verification keeps more than a sum over single guesses tells.
        canvas.text({columns[1], y + 17}, id == "block" ? "–" : mean(point.kept), Font::mono, 14, theme.ink, Align::right);
        canvas.text({columns[2], y + 17}, mean(point.distance), Font::mono, 14, theme.ink, Align::right);
        y += 24;
    };
    row("token (lossless)", kExactRule, m.lossless, m.exact());
    if (!measured_rounds(study, "block", d.state).seeds.empty()) row("block (lossless)", "block", m.lossless, false);
    for (const RelaxedCurve& curve : *m.curves) {
        const std::string name = short_rule(*curve.rule);
        row(name + (curve.rule == m.own        ? ", this run"
                    : name != curve.rule->name ? " cascade"
                                               : ""),
            curve.rule->name, curve.here, curve.rule == m.rule);
    }
    if (y + 24 < r.bottom())
        ui::paragraph(canvas, {x, y + 24}, w, tokens_source_words(d.input, d.state),
                      {.size = 14, .color = theme.muted, .max_lines = 1 + std::min(2, static_cast<int>((r.bottom() - y - 25) / 20))});
}

void draw_relaxed_controls(const RelaxedDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const RelaxedModel& m = d.model;
    ControlRow row(r);
    Rect at = row.place(std::min(196.0F, row.room()));
    ui::field_label(ui, at, "Rule");
    std::vector<ui::Choice> choices;
    int chosen = 0;
    std::vector<const RuleInfo*> rules = {find_rule(kExactRule)};
    rules.insert(rules.end(), relaxed_rules().begin(), relaxed_rules().end());
    for (const RuleInfo* rule : rules) {
        if (rule == m.rule) chosen = static_cast<int>(choices.size());
        choices.push_back({rule->title, "", ""});
    }
    if (const auto pick = ui::dropdown(ui, "rule", at, choices, chosen); pick && *pick != chosen)
        d.state.rule = rules[static_cast<std::size_t>(*pick)]->name;
    for (const RuleParameter& parameter : m.rule->parameters) {
        if (row.room() < 120) return;
        at = row.place(std::min(150.0F, row.room()));
        const double value = m.params.*parameter.value;
        ui::field_label(ui, at, std::string(parameter.name) + " " + ui::number(value, 2));
        const double low = std::max(parameter.low, -parameter.most_useful);
        if (const auto to = ui::slider(ui, parameter.name, {at.x, at.y + 8, at.w, 20}, value, low, parameter.most_useful, {.step = 0.01}))
            d.state.params.*parameter.value = *to;
    }
    const std::string verifiers[] = {"token", "block"};
    const float segments = ui::segmented_width(ui.canvas, verifiers);
    if (m.rule->takes_verifier && row.room() > segments) {
        at = row.place(segments);
        ui::field_label(ui, at, "Judged by");
        if (const auto pick = ui::segmented(ui, "verifier", {at.x, at.y}, verifiers, m.params.block ? 1 : 0))
            d.state.params.block = *pick == 1;
    }
    if (row.room() >= 96 && d.input.settings) {
        at = row.place(std::min(112.0F, row.room()));
        ui::field_label(ui, at, "The run");
        const DrafterInfo* drafter = find_drafter(d.input.settings->drafter);
        const std::string off = !no_models(d.input).empty() ? no_models(d.input)
                                : drafter && drafter->tree  ? "This drafter proposes trees; these rules judge chains"
                                                            : "";
        if (ui::button(ui, "use", at, "Judge so", {.shortcut = "U", .tooltip = "Run again under this rule", .disabled = off}))
            use_relaxed_rule(d);
    }
    measure_button(d.input, ui, {"measure", "This prompt", "M"}, relaxed_study(d.input, d.state), row, d.out);
}

void use_relaxed_rule(const RelaxedDraw& d) {
    if (!d.input.settings) return;
    RunSettings settings = *d.input.settings;
    const DrafterInfo* drafter = find_drafter(settings.drafter);
    if (!no_models(d.input).empty() || !drafter || drafter->tree) return;
    if (settings.sampling.temperature == 0) settings.sampling.temperature = 1;
    settings.rule = d.model.rule->name;
    settings.rule_params = d.model.params;
    d.out.push_back(Command{Restart{std::move(settings)}});
}

} // namespace speclens
