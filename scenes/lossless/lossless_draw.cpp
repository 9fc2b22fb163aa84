// The pictures of S4: texts drawn against their exact distribution, the distance as it shrinks or does not, the proof of one position as
// bars, and greedy texts held against plain decoding.
#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/lossless/lossless_model.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr SaidOf<"lossless"> kSaid; // of a list: its words are nobody's alone

Message text_words(const LosslessModel::Text& text) {
    return lossless_says("texts.bar"_t, "text"_v = text.letters, "drawn"_v = text.drawn, "exact"_v = text.exact);
}

bool adds_up(const ProofRow& row) { return std::abs(row.off()) < 5e-4; }
Message proof_words(auto id, std::size_t v, const ProofRow& row) {
    return lossless_says(id, "token"_v = std::string(1, static_cast<char>('a' + v)), "kept"_v = row.kept, "replaced"_v = row.replaced,
                         "same"_v = adds_up(row), "target"_v = row.target, "draft"_v = row.draft);
}

// "No residual", "no mistake"
Message rule_name(const RuleInfo& rule, bool brief = false) {
    const auto mistake = "mistake"_v = mistake_words(rule);
    return brief ? lossless_says("looks.brief"_t, mistake) : lossless_says("looks.name"_t, mistake);
}

Message greedy_verdict(const GreedyText& row) {
    if (!row.problem.empty()) return lossless_says("greedy.verdict:failed"_t);
    return row.same() ? lossless_says("greedy.verdict:same"_t, "tokens"_v = row.written.size())
                      : lossless_says("greedy.verdict:differs"_t, "place"_v = row.differs_at + 1);
}

void greedy_row(const LosslessDraw& d, Vec2 at, float w, const GreedyText& row, float size, ui::Color ink, ui::Color hue) {
    const Message verdict = greedy_verdict(row);
    pair_row(d.ui, at, w, row.drafter, verdict,
             lossless_says("greedy.row"_t, "drafter"_v = row.drafter, "verdict"_v = verdict, "problem"_v = row.problem), {size, ink, hue});
}

void draw_texts_drawn(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, lossless_says("texts.title"_t), {lossless_says("texts.under"_t)});
    const Rect plot{r.x + 34, r.y + 50, r.w - 34, r.h - 50 - 26};
    double high = 0;
    for (const LosslessModel::Text& text : d.model.texts) high = std::max({high, text.exact, text.drawn.value_or(0)});
    const ui::Scale y{0, std::min(1.0, high * 1.08), plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, y.hi, r.h > 220 ? 5 : 3), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    const float column = plot.w / static_cast<float>(d.model.texts.size());
    for (std::size_t i = 0; i < d.model.texts.size(); ++i) {
        const LosslessModel::Text& text = d.model.texts[i];
        const float x = plot.x + column * static_cast<float>(i), top = y(text.drawn.value_or(0));
        canvas.fill({x + 2, top, column - 4, plot.bottom() - top}, theme.role(Role::accepted).alpha(0.85F), 1);
        canvas.line({x + 1, y(text.exact)}, {x + column - 1, y(text.exact)}, {theme.role(Role::target), 2.5F});
        if (column >= 24 || i % 3 == 0)
            canvas.print({x + column / 2, plot.bottom() + 18}, text.letters, Font::mono, 14, theme.muted, Align::center);
        ui::tooltip(d.ui, {x, plot.y, column, plot.h}, text_words(text));
    }
    const auto numbers = [&](const Message& name, const auto& share) {
        ui::plotted(canvas, plot, ui::PlotMark::rows, name, d.model.texts,
                    [&](const LosslessModel::Text& text) { return ui::PlotDatum{.x = share(text), .label = text.letters}; });
    };
    if (d.model.count->drawn > 0) numbers(lossless_says("texts.drawn"_t), [](const auto& text) { return text.drawn.value_or(0); });
    numbers(lossless_says("texts.exact"_t), [](const auto& text) { return text.exact; });
}

void draw_looks(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, lossless_says("looks.title"_t), {lossless_says("looks.under:long"_t), lossless_says("looks.under:short"_t)});
    float names = 0; // at the ends of the lines
    if (r.w >= 380)
        for (const RuleInfo* rule : lossless_rules())
            names = std::max(names, std::ceil(canvas.text_width(rule_name(*rule, true), Font::text_bold, 14)));
    names = std::min(names, r.w * 0.52F);
    const Rect plot{r.x + 50, r.y + 50, r.w - 50 - 12 - names, r.h - 50 - 44};
    long most = 1000;
    for (const auto& [name, count] : d.state.counts) most = std::max(most, count.drawn);
    const double decades = std::log10(static_cast<double>(most)), low = std::log10(expected_distance(most) / 2);
    const ui::Scale x{1, std::max(3.0, decades) + 0.05, plot.x, plot.right()}, y{low, 0, plot.bottom(), plot.y};
    for (int power = 0; power > low; --power) {
        canvas.line({plot.x, y(power)}, {plot.right(), y(power)}, theme.hairline());
        canvas.print({plot.x - 8, y(power) + 5}, ui::fraction(std::pow(10, power), -power), Font::mono, 14, theme.muted, Align::right);
    }
    // Every power of ten that has room beside the next one.
    float next = 1e9;
    for (int power = static_cast<int>(x.hi); power >= 1; --power) {
        const std::string words = ui::integer(std::lround(std::pow(10, power)));
        const float half = canvas.printed_width(words, Font::mono, 14) / 2;
        if (x(power) + half + 8 > next) continue;
        canvas.print({x(power), plot.bottom() + 20}, words, Font::mono, 14, theme.muted, Align::center);
        next = x(power) - half;
    }
    canvas.text({plot.right() - 2, plot.y + 18}, lossless_says("looks.distance"_t), Font::text, 14, theme.muted, Align::right);
    canvas.text({plot.center().x, plot.bottom() + 40}, lossless_says("looks.drawn"_t), Font::text, 14, theme.muted, Align::center);
    canvas.push_clip({plot.x, plot.y - 6, plot.w + 6, plot.h + 6});
    std::vector<Vec2> noise;
    for (double at = 1; at <= x.hi; at += 0.25) noise.push_back({x(at), y(std::log10(expected_distance(std::lround(std::pow(10, at)))))});
    canvas.polyline(noise, {theme.muted, 1.5F, 5, 4});
    ui::plotted(canvas, plot, ui::PlotMark::line, lossless_says("looks.noise"_t), std::array{10L, 100L, 1000L, 10000L, 100000L},
                [](long drawn) { return ui::PlotDatum{.x = static_cast<double>(drawn), .y = expected_distance(drawn)}; });
    std::vector<std::pair<Vec2, const RuleInfo*>> ends;
    std::vector<Vec2> crosses; // two that would lie on each other stand side by side
    for (const auto& [name, count] : d.state.counts) {
        if (count.looks.empty()) continue;
        const RuleInfo* rule = *std::ranges::find(lossless_rules(), name, &RuleInfo::name);
        std::vector<Vec2> line;
        std::vector<Said> points; // told: at powers of ten, and where it ends
        for (const auto& [drawn, distance, p_value] : count.looks) {
            if (line.size() % 4 == 0 || drawn == count.looks.back().drawn)
                points.push_back(kSaid("looks.at"_t, "distance"_v = distance, "drawn"_v = drawn, "noise"_v = expected_distance(drawn)));
            line.push_back({x(std::log10(drawn)), y(std::log10(std::max(distance, 1e-6)))});
        }
        canvas.polyline(line, {rule == d.model.rule ? theme.ink : theme.muted.alpha(0.6F), rule == d.model.rule ? 2.5F : 1.0F});
        canvas.tell(lossless_says("looks.curve"_t, "name"_v = rule_name(*rule), "points"_v = points), plot);
        ui::plotted(canvas, plot, ui::PlotMark::line, rule_name(*rule), count.looks, [](const LosslessCount::Look& look) {
            return ui::PlotDatum{.x = static_cast<double>(look.drawn), .y = look.distance};
        });
        ends.emplace_back(line.back(), rule);
        const auto caught = std::ranges::find(count.looks, count.caught, &LosslessCount::Look::drawn);
        if (caught == count.looks.end()) continue;
        Vec2 at = line[static_cast<std::size_t>(caught - count.looks.begin())];
        const auto hides = [&](Vec2 other) { return std::abs(other.x - at.x) < 11 && std::abs(other.y - at.y) < 11; };
        while (std::ranges::any_of(crosses, hides)) at.x += 12;
        crosses.push_back(at);
        ui::icon(canvas, ui::Icon::cross, at, 12, theme.role(Role::rejected));
    }
    canvas.pop_clip();
    if (names == 0) return;
    // Names where the lines end, pushed apart.
    std::ranges::sort(ends, {}, [](const auto& end) { return end.first.y; });
    float free = plot.y, below = 18.0F * static_cast<float>(ends.size()); // for those still to come
    for (const auto& [at, rule] : ends) {
        below -= 18;
        const float base = std::min(std::max(at.y + 5, free + 12), plot.bottom() - below), left = plot.right() + 12;
        const bool chosen = rule == d.model.rule;
        canvas.line({at.x + 3, at.y}, {left - 4, base - 5}, {theme.muted.alpha(0.6F), 1, 1, 3});
        ui::fitted_text(canvas, {left, base}, rule_name(*rule, true), chosen ? Font::text_bold : Font::text, 14,
                        chosen ? theme.ink : theme.muted, r.right() - left);
        free = base + 6;
    }
}

void draw_proof(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::vector<ProofRow>& rows = d.model.proof;
    canvas.line({r.x, r.y - 9.5F}, {r.right(), r.y - 9.5F}, theme.hairline());
    part_head(d.ui, {r.x, r.y + 2, r.w * 0.6F, r.h}, lossless_says("bars.title"_t));
    const std::pair<Message, Role> bars[] = {{lossless_says("bars.kept"_t), Role::accepted},
                                             {lossless_says("bars.replaced"_t), Role::residual}};
    const float key = marks_key(
        d.ui, {r.right() - 250, r.y + 16}, r.right(), bars, [&](Rect box, Role role) { canvas.fill(box, theme.role(role), 2); }, kSmallKey);
    canvas.line({key + 4, r.y + 4}, {key + 4, r.y + 18}, {theme.role(Role::target), 2.5F});
    canvas.text({key + 12, r.y + 16}, lossless_says("bars.target"_t), Font::text, 14, theme.muted);
    const float left = r.x + 40, numbers = 220, width = r.w - 40 - numbers;
    double most = 0.1;
    for (const ProofRow& row : rows) most = std::max({most, row.target, row.kept + row.replaced});
    const ui::Scale x{0, most * 1.05, left, left + width};
    const float pitch = std::clamp((r.h - 32) / static_cast<float>(std::max<std::size_t>(1, rows.size())), 30.0F, 80.0F), bar = pitch - 14;
    float y = r.y + 32;
    for (std::size_t v = 0; v < rows.size(); ++v, y += pitch) {
        const ProofRow& row = rows[v];
        canvas.print({r.x, y + bar / 2 + 9}, std::string(1, static_cast<char>('a' + v)), Font::mono, 15, theme.ink);
        canvas.fill({left, y + 4, x(row.kept) - left, bar}, theme.role(Role::accepted), 2);
        canvas.fill({x(row.kept), y + 4, x.length(row.replaced), bar}, theme.role(Role::residual), 2);
        canvas.line({x(row.target), y}, {x(row.target), y + bar + 8}, {theme.role(Role::target), 2.5F});
        canvas.print({r.right(), y + bar / 2 + 9}, proof_words("bars.sum"_t, v, row), Font::mono, 14,
                     adds_up(row) ? theme.ink : theme.role(Role::rejected), Align::right);
    }
    const auto plot = [&](const Message& name, double ProofRow::*value) {
        ui::plotted(
            canvas, {left, r.y + 32, width, r.h - 32}, ui::PlotMark::rows, name, rows,
            [&, letter = 'a'](const ProofRow& row) mutable { return ui::PlotDatum{.x = row.*value, .label = std::string(1, letter++)}; });
    };
    plot(lossless_says("bars.kept"_t), &ProofRow::kept);
    plot(lossless_says("bars.replaced"_t), &ProofRow::replaced);
    plot(lossless_says("bars.target"_t), &ProofRow::target);
}

void draw_greedy(const LosslessDraw& d, Rect r) {
    const ui::Theme& theme = d.ui.theme;
    const std::vector<GreedyText>& rows = d.model.greedy;
    if (rows.empty()) return ui::slot(d.ui.canvas, theme, {r.x, r.y, r.w, std::min(112.0F, r.h)}, lossless_says("greedy.awaited"_t));
    const int columns = r.w >= 700 ? 2 : 1, lines = (static_cast<int>(rows.size()) + columns - 1) / columns;
    const float gap = 40, w = (r.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                pitch = std::min(44.0F, r.h / static_cast<float>(std::max(1, lines)));
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const GreedyText& row = rows[static_cast<std::size_t>(i)];
        const float x = r.x + (w + gap) * static_cast<float>(i / lines), y = r.y + pitch * static_cast<float>(i % lines) + pitch / 2;
        const ui::Color hue = theme.role(row.same() ? Role::accepted : Role::rejected);
        ui::icon(d.ui.canvas, row.same() ? ui::Icon::check : ui::Icon::cross, {x + 8, y}, 13, hue);
        greedy_row(d, {x + 26, y + 5}, w - 26, row, 15, theme.ink, row.same() ? theme.muted : hue);
    }
}

// A few tokens of a text around the first one that is another.
void draw_text_row(const LosslessDraw& d, Rect r, const Message& name, const std::vector<int>& text, int differs_at, Role role) {
    ui::Canvas& canvas = d.ui.canvas;
    const float base = ui::baseline(r.y, r.h, 15);
    cell(d.ui, {r.x, base}, name, 148, {d.ui.theme.ink, 15, Font::text_bold});
    constexpr int kBefore = 4;
    const int from = std::max(0, differs_at - kBefore);
    if (from > 0) canvas.print({r.x + 160, base}, "…", Font::text, 15, d.ui.theme.muted);
    float x = r.x + (from > 0 ? 180 : 160);
    std::vector<Said> tokens;
    for (int i = from; i < std::ssize(text); ++i) {
        const int token = text[static_cast<std::size_t>(i)];
        const std::string label = label_of(*d.input.trace, token);
        const Rect chip{x, r.y, ui::chip_width(canvas, label, r.h), r.h};
        if (chip.right() > r.right()) break;
        const bool other = differs_at >= 0 && i >= differs_at;
        ui::chip(canvas, d.ui.theme, chip, label, {.role = other ? role : Role::target, .solid = i == differs_at, .strike = 0});
        tokens.push_back(token_said(*d.input.trace, token).said);
        x += chip.w + 8;
    }
    canvas.tell(lossless_says("fault.tokens"_t, "name"_v = name, "from"_v = from + 1, "tokens"_v = tokens), r, ui::Canvas::Told::drawn);
}

void draw_fault(const LosslessDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const GreedyText* text = d.model.faulty(d.input.beat);
    constexpr float kRow = 36, kPitch = 56;
    if (!text || !text->problem.empty())
        return ui::slot(canvas, theme, {r.x, r.y, r.w, 2 * kPitch},
                        lossless_says("fault.slot"_t, "problem"_v = text ? text->problem : ToldReason()));
    draw_text_row(d, {r.x, r.y, r.w, kRow}, shared_says("words.plain"_t), text->plain, text->differs_at, Role::target);
    draw_text_row(d, {r.x, r.y + kPitch, r.w, kRow}, lossless_says("fault.text:faulty"_t), text->written, text->differs_at, Role::rejected);
    const float y = r.y + 2 * kPitch + 28;
    if (text->differs_at < 0 || y + 72 > r.bottom()) return;
    part_head(d.ui, {r.x, y - 14, r.w, 72}, lossless_says("fault.both"_t, "place"_v = text->differs_at + 1));
    const std::pair<int, std::optional<double>> both[] = {{text->plain_token(), text->plain_p}, {text->written_token(), text->written_p}};
    float top = y + 16;
    for (const auto& [token, p] : both) {
        const Rect bar{r.x + 160, top + 4, std::min(480.0F, r.w - 160 - 120), 16};
        ui::token_text(canvas, {r.x, top + 17}, ui::fit_token(canvas, label_of(*d.input.trace, token), 15, 148), 15, theme.ink);
        ui::bar(canvas, theme, bar, p.value_or(0), Role::target);
        canvas.print({bar.right() + 12, top + 17}, lossless_says("fault.chance"_t, "p"_v = p), Font::mono, 14, theme.ink);
        canvas.tell(lossless_says("fault.bar"_t, "token"_v = token_said(*d.input.trace, token), "p"_v = p), bar);
        top += 30;
    }
}

// What is drawn and not written, whichever part of it the beat shows: a description is whole.
void tell_all(const LosslessDraw& d) {
    const auto tell = [&](const Message& message) { d.ui.canvas.tell(message, d.input.stage); };
    for (const LosslessModel::Text& text : d.model.texts) tell(text_words(text));
    for (std::size_t v = 0; v < d.model.proof.size(); ++v) tell(proof_words("bars.row"_t, v, d.model.proof[v]));
    for (const int beat : {kLosslessTieBeat, kLosslessCacheBeat})
        if (beat != d.input.beat && d.model.faulty(beat))
            tell(lossless_says("fault.found"_t, "rounding"_v = beat == kLosslessTieBeat,
                               "found"_v = found_words(d.input, d.model.faulty(beat))));
}

} // namespace

void draw_lossless_stage(const LosslessDraw& d) {
    constexpr float kProof = 128;
    const Rect stage = d.input.stage;
    const int beat = d.input.beat;
    const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8, gap = 36;
    const Rect whole{x, top + 8, w, bottom - top - 8};
    tell_all(d);
    if (fault_of(beat) != PlantedFault::none) return draw_fault(d, whole);
    if (beat == kLosslessGreedyBeat) return draw_greedy(d, whole);
    if (beat == kLosslessProofBeat && d.input.presenter) return draw_proof(d, whole);
    const bool proof = !d.input.presenter && bottom - top > kProof + 220;
    const float h = bottom - top - (proof ? kProof + 20 : 0), left = (w - gap) * 0.5F;
    draw_texts_drawn(d, {x, top, left, h});
    draw_looks(d, {x + left + gap, top, w - left - gap, h});
    if (proof) draw_proof(d, {x, bottom - kProof, w, kProof});
}

void draw_lossless_details(const LosslessDraw& d) {
    const Rect r = d.input.details;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    DetailsColumn column(d.ui, r);
    column.title(lossless_says("details.title"_t));
    float y = r.y + 44;
    for (int i = 0; i < static_cast<int>(lossless_rules().size()); ++i, y += 25) {
        const RuleInfo& rule = *lossless_rules()[static_cast<std::size_t>(i)];
        const long drawn = d.state.counts.at(rule.name).drawn, caught = d.state.counts.at(rule.name).caught;
        if (choosable(d.ui, std::string("rule ") + rule.name, {x - 8, y, w + 16, 24}, i == d.state.rule)) d.state.rule = i;
        const Message name = rule_name(rule), verdict = caught > 0  ? lossless_says("details.verdict:caught"_t, "at"_v = caught)
                                                        : drawn > 0 ? lossless_says("details.verdict:hides"_t, "drawn"_v = drawn)
                                                                    : lossless_says("details.verdict:open"_t);
        const Message row = lossless_says("details.row"_t, "name"_v = name, "chosen"_v = i == d.state.rule, "verdict"_v = verdict,
                                          "caught"_v = caught, "drawn"_v = drawn);
        pair_row(d.ui, {x, y + 17}, w, name, verdict, row,
                 {14, i == d.state.rule ? theme.ink : theme.muted, caught > 0 ? theme.role(Role::rejected) : theme.ink});
    }
    y += 30;
    if (y + 44 > r.bottom()) return;
    part_head(d.ui, {x, y - 14, w, 44}, lossless_says("greedy.title"_t));
    column.y = y + 24;
    if (d.model.greedy.empty()) return column.paragraph(lossless_says("greedy.unmeasured"_t), theme.muted, 2);
    y += 8;
    // Those that need a look first; the others, of which there may be many, together.
    std::vector<Said> names;
    Message verdict;
    for (const GreedyText& row : d.model.greedy) {
        if (row.same()) {
            names.push_back(kSaid("greedy.name"_t, "drafter"_v = row.drafter));
            verdict = greedy_verdict(row);
            continue;
        }
        if (y + 22 > r.bottom() - 4) return;
        greedy_row(d, {x, y + 17}, w, row, 14, theme.muted, theme.role(Role::rejected));
        y += 22;
    }
    if (names.empty() || y + 42 > r.bottom() - 4) return;
    ui::fitted_text(d.ui.canvas, {x, y + 17}, verdict, Font::mono, 14, theme.ink, w);
    column.y = y + 39;
    column.paragraph(lossless_says("greedy.names"_t, "drafters"_v = names), theme.muted,
                     std::max(1, static_cast<int>((r.bottom() - y - 24) / 20)));
}

void more_texts(const SceneInput& input, const RuleInfo& rule, long count, LosslessState& state) {
    draw_texts(rule, input.settings ? input.settings->seed : 7, count, state.counts[rule.name]);
}

void draw_lossless_controls(const LosslessDraw& d) {
    ui::Ui& ui = d.ui;
    ControlRow row(d.input.controls);
    std::vector<Message> choices;
    for (const RuleInfo* rule : lossless_rules()) choices.push_back(lossless_says("controls.choice"_t, "mistake"_v = mistake_words(*rule)));
    const ControlWords mistake{"mistake", lossless_says("controls.mistake"_t), lossless_says("controls.mistake_about"_t)};
    if (const auto pick = dropdown(ui, row, mistake, choices, d.state.rule, 256)) d.state.rule = *pick;
    for (const long count : {100L, 1000L, 10000L}) {
        if (row.room() < 96) return;
        const Rect at = row.place(96, 8);
        if (count == 100) ui::field_label(ui, at, lossless_says("controls.draw"_t));
        if (ui::button(ui, "+" + std::to_string(count), at, lossless_says("controls.more"_t, "texts"_v = count),
                       {.tooltip = lossless_says("controls.more_about"_t, "key"_v = count == 1000)}))
            more_texts(d.input, *d.model.rule, count, d.state);
    }
    if (row.room() < 88) return;
    row.x += 8;
    const ui::ButtonOptions clears{.disabled = d.model.count->drawn > 0 ? Message() : lossless_says("controls.nothing_drawn"_t)};
    if (ui::button(ui, "clear", row.place(88), lossless_says("controls.clear"_t), clears)) d.state.counts[d.model.rule->name] = {};
    measure_button(d.input, ui, {"measure", lossless_says("controls.greedy"_t), "M"}, lossless_study(d.input, kLosslessGreedyBeat), row,
                   d.out);
}

} // namespace speclens
