// The pictures of S12: the distributions of one position, and what every rule keeps against how far it leads away.
#include "scenes/relaxed/relaxed_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <ranges>
#include <tuple>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/point_labels.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr SaidOf<"relaxed"> kSaid; // of a list: its words are nobody's alone

struct DistributionBar {
    Role role;
    Message name;
    const Distribution* distribution;
};

double largest(const RelaxedModel& m, std::size_t entry) {
    const DistributionsOfBoth& both = m.position()->distributions;
    return std::max({both.p[entry], both.q[entry], m.relaxed.distribution.empty() ? 0 : m.relaxed.distribution[entry]});
}

// Indices of the largest entries, the drafted token always among them, without the lump.
std::vector<std::size_t> rows_of(const RelaxedModel& m, std::size_t most) {
    const JudgedPosition& position = *m.position();
    std::vector<std::size_t> rows(position.ids.size() - 1);
    std::iota(rows.begin(), rows.end(), 0);
    std::ranges::stable_sort(rows, std::greater<>(),
                             [&](std::size_t i) { return position.ids[i] == position.drafted ? 2.0 : largest(m, i); });
    rows.resize(std::min(rows.size(), most));
    std::ranges::stable_sort(rows, std::greater<>(), [&](std::size_t i) { return position.distributions.p[i]; });
    return rows;
}

// Of one entry of the position that is shown; none: the recorded heads do not say.
struct TokenNumbers {
    std::optional<double> target, draft, written;
};
TokenNumbers numbers_of(const RelaxedModel& m, std::size_t entry) {
    const DistributionsOfBoth& both = m.position()->distributions;
    const auto number = [&](const Distribution& of, const Distribution& head) {
        return !of.empty() && (head[entry] > 0 || head.back() < 0.005) ? std::optional(of[entry]) : std::nullopt;
    };
    return {number(both.p, both.p), number(both.q, both.q), number(m.relaxed.distribution, both.p)};
}

Message entry_words(const RelaxedDraw& d, std::size_t entry) {
    const JudgedPosition& position = *d.model.position();
    const int id = position.ids[entry];
    const TokenNumbers here = numbers_of(d.model, entry);
    return relaxed_says("position.row"_t, "token"_v = id < 0 ? relaxed_says("position.other"_t) : token_said(*d.input.trace, id),
                        "drafted"_v = id == position.drafted, "target"_v = here.target, "draft"_v = here.draft, "written"_v = here.written);
}

} // namespace

void draw_relaxed_distributions(const RelaxedDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RelaxedModel& m = d.model;
    const JudgedPosition& position = *m.position();
    const Message target = relaxed_says("position.target"_t), written = relaxed_says("position.written"_t);
    std::vector<DistributionBar> bars = {{Role::target, target, &position.distributions.p},
                                         {Role::draft, relaxed_says("position.draft"_t), &position.distributions.q}};
    if (position.counts()) bars.push_back({Role::accepted, written, &m.relaxed.distribution});
    part_head(d.ui, area, relaxed_says("position.title"_t, "round"_v = position.at.round + 1, "guess"_v = position.at.index + 1));
    const auto named = std::views::transform(bars, [](const DistributionBar& bar) { return std::pair(bar.name, bar.role); });
    marks_key(
        d.ui, {area.x, area.y + 36}, area.right(), named, [&](Rect box, Role role) { canvas.fill(box, theme.role(role), 2); }, kSmallKey);
    // Whose numbers stand at the right of a row, the one above the other as there.
    canvas.text({area.right(), area.y + 31}, target, Font::text, 14, theme.muted, Align::right);
    canvas.text({area.right(), area.y + 46}, written, Font::text, 14, theme.ink, Align::right);

    constexpr float kRow = 38, kMeters = 64;
    const float top = area.y + 54, name = 104, numbers = 56;
    const auto most = static_cast<std::size_t>(std::clamp((area.h - 54 - kMeters) / kRow, 2.0F, 9.0F));
    const std::vector<std::size_t> rows = rows_of(m, most);
    float y = top;
    for (const std::size_t i : rows) {
        const Rect box{area.x - 8, y - 3, area.w + 16, kRow - 2};
        if (position.ids[i] == position.drafted) canvas.fill(box, theme.raised, 4);
        ui::token_text(canvas, {area.x, y + 20}, ui::fit_token(canvas, label_of(*d.input.trace, position.ids[i]), 15, name - 12), 15,
                       theme.ink);
        float line = y + 3;
        for (const DistributionBar& bar : bars) {
            ui::bar(canvas, theme, {area.x + name, line, area.w - name - numbers, 7}, (*bar.distribution)[i], bar.role);
            line += 9;
        }
        const TokenNumbers here = numbers_of(m, i);
        canvas.print({area.right(), y + 14}, distribution_number(here.target), Font::mono, 14, theme.muted, Align::right);
        canvas.print({area.right(), y + 29}, distribution_number(here.written), Font::mono, 14, theme.ink, Align::right);
        ui::thing(d.ui, box, entry_words(d, i));
        y += kRow;
    }
    for (const DistributionBar& bar : bars)
        ui::plotted(canvas, {area.x + name, top, area.w - name - numbers, y - top}, ui::PlotMark::rows, bar.name, rows, [&](std::size_t i) {
            return ui::PlotDatum{.x = (*bar.distribution)[i], .label = label_of(*d.input.trace, position.ids[i])};
        });
    for (std::size_t i = 0; i < position.ids.size(); ++i) // those without a row of their own
        if (std::ranges::find(rows, i) == rows.end() && largest(m, i) >= 0.01) canvas.tell(entry_words(d, i), area);
    y += 12;
    const auto line = [&](const Message& words) {
        ui::fitted_text(canvas, {area.x, y + 8}, words, Font::text, 15, theme.ink, area.w);
        y += 24;
    };
    if (!position.counts()) {
        line(relaxed_says("position.left_out"_t, "left_out"_v = position.unlisted));
        line(relaxed_says("position.untold"_t));
        return;
    }
    const auto relaxed = [&](double value) { return m.exact() ? std::nullopt : std::optional(value); };
    line(relaxed_says("position.stays"_t, "kept"_v = m.strict.kept, "now"_v = relaxed(m.relaxed.kept)));
    line(relaxed_says("position.differs"_t, "distance"_v = relaxed(distance_told(m.relaxed.distribution, position.distributions.p))));
}

namespace {

// "chow", "lenience (this run)"
Message mark_name(const RelaxedModel& m, const RuleInfo& rule) {
    return relaxed_says("chart.name"_t, "rule"_v = rule.title, "own"_v = m.own == &rule);
}

// What a mark of the chart tells: where it stands, and where the rule stands with the first of its numbers at either end.
Message curve_words(const RelaxedModel& m, const RelaxedCurve& curve) {
    const TradeOff &from = curve.points.front(), &to = curve.points.back();
    return relaxed_says("chart.rule"_t, "rule"_v = curve.rule->title, "own"_v = curve.rule == m.own, "chosen"_v = curve.rule == m.rule,
                        "kept"_v = curve.here.kept, "distance"_v = curve.here.distance, "from_kept"_v = from.kept,
                        "from_distance"_v = from.distance, "to_kept"_v = to.kept, "to_distance"_v = to.distance);
}

// One of the chart's marks: a rule with its numbers, or an end of the curves.
struct ChartPoint {
    Message name;
    Vec2 at;
    bool strong = false; // the chosen rule and the ends
};

// Marks that coincide share a name, broken into lines of a width that fits beside a mark.
Message shared_name(const ui::Canvas& canvas, const std::vector<ChartPoint>& points, const std::vector<std::size_t>& group, float width) {
    std::string words, line;
    std::vector<Said> names;
    for (const std::size_t i : group) {
        names.push_back(points[i].name.said);
        const std::string name = points[i].name.words() + (names.size() < group.size() ? "," : "");
        if (!line.empty() && canvas.printed_width(line + " " + name, Font::text, 14) > width) {
            words += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + name;
    }
    return {words + line, kSaid("chart.names"_t, "points"_v = names)};
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
    const Message title = relaxed_says("chart.title"_t);
    if (m.counted == 0) {
        part_head(d.ui, area, title);
        ui::paragraph(canvas, {area.x, area.y + 40}, area.w, left_out_words(d.input, m), {.color = theme.muted});
        return;
    }
    const auto means = "means"_v = means_over(m);
    std::vector<Message> ways;
    if (!m.exact()) ways = {relaxed_says("chart.under:long"_t, means), relaxed_says("chart.under:short"_t, means)};
    ways.push_back(relaxed_says("chart.under:exact"_t, means));
    part_head(d.ui, area, title, ways);
    float head = 54;
    if (m.all_count()) {
        canvas.tell(relaxed_says("chart.kept"_t, means, "stayed"_v = m.stayed), area); // else the title says so
    } else {
        ui::fitted_text(canvas, {area.x, area.y + 54},
                        relaxed_says("chart.left_out"_t, "left_out"_v = static_cast<int>(m.positions->size()) - m.counted), Font::text, 14,
                        theme.muted, area.w);
        canvas.tell(left_out_words(d.input, m), area);
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
    canvas.text({plot.center().x, plot.bottom() + 40}, relaxed_says("chart.stays"_t), Font::text, 14, theme.muted, Align::center);
    const Message distance = relaxed_says("chart.distance"_t);
    const Rect caption{plot.x + 2, plot.y - 2, canvas.text_width(distance, Font::text, 14) + 8, 18};
    canvas.fill(caption, theme.bg); // no line of the grid through it
    canvas.text({plot.x + 6, plot.y + 12}, distance, Font::text, 14, theme.muted);
    const auto at = [&](const TradeOff& point) { return Vec2{x(point.kept), y(point.distance)}; };

    const auto datum = [](const TradeOff& point) { return ui::PlotDatum{.x = point.kept, .y = point.distance}; };
    for (const RelaxedCurve& curve : *m.curves)
        ui::plotted(canvas, plot, curve.rule == m.rule ? ui::PlotMark::line : ui::PlotMark::points, mark_name(m, *curve.rule),
                    curve.rule == m.rule ? std::span(curve.points) : std::span(&curve.here, 1), datum);
    const std::tuple<Message, const TradeOff&, Role> ends[] = {{relaxed_says("chart.end:lossless"_t), m.lossless, Role::target},
                                                               {relaxed_says("chart.end:unchecked"_t), m.draft_alone, Role::draft}};
    for (const auto& [name, point, role] : ends) ui::plotted(canvas, plot, ui::PlotMark::points, name, std::span(&point, 1), datum);
    canvas.push_clip({plot.x - 6, plot.y - 6, plot.w + 12, plot.h + 12});
    std::vector<Vec2> line; // of the chosen rule: curves of all cross, and no name tells them apart
    for (const RelaxedCurve& curve : *m.curves) {
        if (curve.rule != m.rule) continue;
        for (const TradeOff& point : curve.points) line.push_back(at(point));
        canvas.polyline(line, {theme.ink, 2.5F});
    }
    canvas.pop_clip();
    // The ends and the chosen rule first: they are named where there is room for few.
    std::vector<ChartPoint> points;
    for (const auto& [name, point, role] : ends) points.push_back({name, at(point), true});
    for (const bool chosen : {true, false})
        for (const RelaxedCurve& curve : *m.curves)
            if ((curve.rule == m.rule) == chosen) points.push_back({mark_name(m, *curve.rule), at(curve.here), chosen});
    name_points(d, {plot.x, plot.y, area.right() - plot.x, plot.h}, caption, points, line);
    for (const RelaxedCurve& curve : *m.curves) { // where each stands, to be chosen
        const Vec2 here = at(curve.here);
        const ui::Touch touch = ui::touch(d.ui, d.ui.id(std::string("curve ") + curve.rule->name), {here.x - 10, here.y - 10, 20, 20});
        const bool chosen = curve.rule == m.rule;
        canvas.disc(here, chosen ? 7.0F : 4.0F, theme.bg);
        canvas.disc(here, chosen ? 6.0F : 3.0F, chosen ? theme.ink : theme.muted);
        if (touch.focused) ui::focus_ring(canvas, theme, {here.x - 8, here.y - 8, 16, 16});
        ui::thing(d.ui, {here.x - 10, here.y - 10, 20, 20}, curve_words(m, curve));
        if (touch.clicked) d.state.rule = curve.rule->name;
    }
    for (const auto& [name, point, role] : ends) {
        const Rect mark{at(point).x - 5, at(point).y - 5, 10, 10};
        canvas.fill(mark, theme.role(role), 2);
        canvas.tell(relaxed_says("chart.end_told"_t, "end"_v = name, "kept"_v = point.kept, "distance"_v = point.distance), mark);
    }
}

void draw_relaxed_details(const RelaxedDraw& d) {
    const Rect r = d.input.details;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const RelaxedModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    DetailsColumn column(d.ui, r);
    column.title(relaxed_says("rules.title"_t));
    const float columns[] = {x + w - 124, x + w - 64, x + w};
    const Message heads[] = {relaxed_says("rules.tokens"_t), relaxed_says("rules.stays"_t), relaxed_says("rules.distance"_t)};
    for (int c = 0; c < 3; ++c) canvas.text({columns[c], r.y + 56}, heads[c], Font::text, 14, theme.muted, Align::right);
    const Study* study = measured_rules(d.input);
    const SeededRounds token = measured_rounds(study, "token", d.state);
    float y = r.y + 66;
    const auto row = [&](const Message& name, const std::string& id, const TradeOff& point) {
        const SeededRounds rounds = measured_rounds(study, id, d.state);
        const bool chosen = id == m.rule->name, measured = !rounds.seeds.empty(),
                   close = measured && id != "token" && too_close(rounds, token);
        const auto mean = [&](double value) { return m.counted > 0 ? std::optional(value) : std::nullopt; };
        // Block verification keeps more than a sum over single guesses tells.
        const auto kept = id == "block" ? std::nullopt : mean(point.kept), distance = mean(point.distance);
        int count = 0;
        for (const SeededRounds::Seed& seed : rounds.seeds) count += seed.rounds;
        const Message tokens = measured ? with_chance(rounds) : Message();
        const Message words = relaxed_says(
            "rules.row"_t, "rule"_v = name, "chosen"_v = chosen, "kept"_v = kept, "distance"_v = distance,
            "measured"_v =
                measured ? relaxed_says("rules.measured"_t, "tokens"_v = tokens, "rounds"_v = count, "close"_v = close) : Message());
        if (y + 24 > r.bottom() - 8) return column.tell(words);
        const Rect box{x - 8, y, w + 16, 24};
        const bool relaxes = id == kExactRule || (find_rule(id) && !find_rule(id)->lossless());
        if (relaxes && choosable(d.ui, "row " + id, box, chosen)) d.state.rule = id;
        cell(d.ui, {x, y + 17}, name, w - 208, {chosen ? theme.ink : theme.muted});
        const std::pair<std::string, ui::Color> cells[] = {{measured ? tokens.words() : "–", close ? theme.muted : theme.ink},
                                                           {distribution_number(kept), theme.ink},
                                                           {distribution_number(distance), theme.ink}};
        for (int c = 0; c < 3; ++c) canvas.print({columns[c], y + 17}, cells[c].first, Font::mono, 14, cells[c].second, Align::right);
        canvas.tell(words, box, ui::Canvas::Told::drawn);
        y += 24;
    };
    row(relaxed_says("rules.rule:token"_t), kExactRule, m.lossless);
    if (!measured_rounds(study, "block", d.state).seeds.empty()) row(relaxed_says("rules.rule:block"_t), "block", m.lossless);
    for (const RelaxedCurve& curve : *m.curves)
        row(relaxed_says("rules.rule:relaxed"_t, "rule"_v = curve.rule->title, "own"_v = curve.rule == m.own,
                         "cascade"_v = curve.rule != m.own && curve.rule->is_cascade()),
            curve.rule->name, curve.here);
    column.y = y + 24;
    column.paragraph(tokens_source_words(d.input, d.state), theme.muted, 3);
}

namespace {

// Why the run cannot be judged by the rule of the scene; empty: it can.
Message why_not_judge(const RelaxedDraw& d) {
    if (const Message none = no_models(d.input); !none.empty()) return none;
    const DrafterInfo* drafter = find_drafter(d.input.settings->drafter);
    return drafter && !drafter->tree ? Message() : relaxed_says("controls.judges_chains"_t);
}

} // namespace

void draw_relaxed_controls(const RelaxedDraw& d) {
    ui::Ui& ui = d.ui;
    const RelaxedModel& m = d.model;
    ControlRow row(d.input.controls);
    std::vector<const RuleInfo*> rules = {find_rule(kExactRule)};
    rules.insert(rules.end(), relaxed_rules().begin(), relaxed_rules().end());
    std::vector<Message> choices;
    for (const RuleInfo* rule : rules) choices.push_back(relaxed_says("controls.choice"_t, "rule"_v = rule->title));
    const ControlWords which{"rule", relaxed_says("controls.rule"_t), relaxed_says("controls.rule_about"_t)};
    if (const auto pick = dropdown(ui, row, which, choices, static_cast<int>(std::ranges::find(rules, m.rule) - rules.begin()), 196))
        d.state.rule = rules[static_cast<std::size_t>(*pick)]->name;
    for (const RuleParameter& parameter : m.rule->parameters) {
        if (row.room() < 120) return;
        const Rect at = row.place(std::min(150.0F, row.room()));
        const double value = m.params.*parameter.value;
        ui::field_label(ui, at, relaxed_says("controls.parameter"_t, "name"_v = parameter.title, "value"_v = value));
        const double low = std::max(parameter.low, -parameter.most_useful);
        if (const auto to = ui::slider(ui, parameter.name, {at.x, at.y + 8, at.w, 20}, value, low, parameter.most_useful, {.step = 0.01}))
            d.state.params.*parameter.value = *to;
    }
    const Message verifiers[] = {relaxed_says("controls.verifier:token"_t), relaxed_says("controls.verifier:block"_t)};
    if (m.rule->takes_verifier && row.room() > ui::segmented_width(ui.canvas, verifiers))
        if (const auto pick = segmented(ui, row, {"verifier", relaxed_says("controls.judged"_t), relaxed_says("controls.judged_about"_t)},
                                        verifiers, m.params.block ? 1 : 0))
            d.state.params.block = *pick == 1;
    if (row.room() >= 96 && d.input.settings) {
        const Rect at = row.place(std::min(112.0F, row.room()));
        ui::field_label(ui, at, relaxed_says("controls.run"_t));
        if (ui::button(ui, "use", at, relaxed_says("controls.use"_t),
                       {.shortcut = "U", .tooltip = relaxed_says("controls.use_about"_t), .disabled = why_not_judge(d)}))
            use_relaxed_rule(d);
    }
    measure_button(d.input, ui, {"measure", relaxed_says("controls.measure"_t), "M"}, relaxed_study(d.input, d.state), row, d.out);
}

void use_relaxed_rule(const RelaxedDraw& d) {
    if (!d.input.settings || !why_not_judge(d).empty()) return;
    RunSettings settings = *d.input.settings;
    if (settings.sampling.temperature == 0) settings.sampling.temperature = 1;
    settings.rule = d.model.rule->name;
    settings.rule_params = d.model.params;
    d.out.push_back(Command{Restart{std::move(settings)}});
}

} // namespace speclens
