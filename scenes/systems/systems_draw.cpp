// The pictures of S15: rows of the cache by round, a round on the wire, and two controllers of K.
#include "scenes/systems/systems_draw.h"

#include "scenes/shared/cycle_pick.h"
#include "scenes/systems/block_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "scenes/shared/head_scene.h"
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

// Rows are counted, so there is nothing between two of them.
ui::Ticks row_ticks(int most) {
    ui::Ticks marks = ui::ticks(0, most, 3);
    std::erase_if(marks.values, [](double value) { return value != std::floor(value); });
    marks.decimals = 0;
    return marks;
}

// What the beat is about has a bar beside its heading; the headings of the others stand back.
void systems_head(const SystemsDraw& d, SystemsPart part, Rect r, const std::string& title, const std::vector<std::string>& words) {
    const bool about = is_about(d.input.beat, part);
    if (about) d.ui.canvas.fill({r.x - 12, r.y, 3, 40}, d.ui.theme.ink, 1);
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 14}, title, Font::text_bold, 15, about ? d.ui.theme.ink : d.ui.theme.muted, r.w);
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 34}, ui::fitting(d.ui.canvas, words, Font::text, 14, r.w), Font::text, 14, d.ui.theme.muted,
                    r.w);
}

// "rounds 1–19 of 21"
std::string counted_part(const RoundWindow& window, std::size_t rounds) {
    return "rounds " + std::to_string(window.first + 1) + "–" + std::to_string(window.end) + " of " + std::to_string(rounds);
}

} // namespace

void draw_cache(const SystemsDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const SystemsModel& m = d.model;
    const Rect plot{area.x + 30, area.y + 50, area.w - 30, area.h - 50 - 28};
    const auto fits = static_cast<std::size_t>(std::max(4.0F, plot.w / 22));
    const RoundWindow in_view = rounds_around(m.shown, m.rounds.size(), fits);
    const bool part = in_view.end - in_view.first < m.rounds.size();
    systems_head(d, SystemsPart::cache, area,
                 "Cache rows by round" +
                     (m.rounds.empty() ? std::string() : "; marked: round " + std::to_string(m.rounds[m.shown].round + 1)),
                 {(part ? counted_part(in_view, m.rounds.size()) : std::string("this run")) +
                      "; solid: kept, hatched: " + (part ? "rewound" : "written and rewound"),
                  "solid: kept, hatched: rewound"});
    if (m.rounds.empty()) {
        ui::slot(canvas, theme, {area.x, area.y + 50, area.w, std::min(120.0F, area.h - 60)}, "no finished round in this run");
        return;
    }
    int most = 1;
    for (std::size_t i = in_view.first; i < in_view.end; ++i) most = std::max(most, m.rounds[i].written);
    const ui::Scale y{0, most * 1.05, plot.bottom(), plot.y};
    const float pitch = std::min(34.0F, plot.w / static_cast<float>(in_view.end - in_view.first));
    const auto left = [&](std::size_t i) { return plot.x + pitch * static_cast<float>(i - in_view.first); };
    canvas.fill({left(m.shown), plot.y - 4, pitch, plot.h + 4 + 24}, theme.raised, 4);
    ui::axis_y(canvas, theme, y, plot.x, row_ticks(most), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    const auto series = [&](const char* name, const auto& rows) {
        ui::plotted(canvas, plot, ui::PlotMark::bars, name, m.rounds,
                    [&](const CacheRound& round) { return ui::PlotDatum{.x = round.round + 1.0, .y = static_cast<double>(rows(round))}; });
    };
    series("written", [](const CacheRound& round) { return round.written; });
    series("kept", [](const CacheRound& round) { return round.kept; });
    // Every second number where three digits have no room beside each other.
    const bool crowded = canvas.text_width(std::to_string(m.rounds[in_view.end - 1].round + 1), Font::mono, 14) + 2 > pitch;
    for (std::size_t i = in_view.first; i < in_view.end; ++i) {
        const CacheRound& round = m.rounds[i];
        const float x = left(i) + 2, w = pitch - 4;
        canvas.fill({x, y(round.kept), w, plot.bottom() - y(round.kept)}, theme.role(Role::accepted).alpha(round.seen ? 1.0F : 0.35F), 1);
        const Rect lost{x, y(round.written), w, y(round.kept) - y(round.written)};
        canvas.hatch(lost, theme.role(Role::rejected).alpha(round.seen ? 1.0F : 0.35F), 5);
        canvas.outline(lost, {theme.role(Role::rejected).alpha(round.seen ? 1.0F : 0.35F), 1}, 1);
        if (pitch > 20 && (!crowded || (in_view.end - 1 - i) % 2 == 0))
            canvas.text({x + w / 2, plot.bottom() + 18}, std::to_string(round.round + 1), i == m.shown ? Font::mono_medium : Font::mono, 14,
                        i == m.shown ? theme.ink : theme.muted, Align::center);
        ui::tooltip(d.ui, {x, plot.y, w, plot.h},
                    "round " + std::to_string(round.round + 1) + ": " + std::to_string(round.before) + " rows before, " +
                        std::to_string(round.written) + " written, " + std::to_string(round.kept) + " kept");
    }
}

// What the squares of a page mean, where a line has room for it.
void draw_page_key(const SystemsDraw& d, ui::Vec2 at, float right) {
    const ui::Theme& theme = d.ui.theme;
    ui::Canvas& canvas = d.ui.canvas;
    const struct {
        const char* words;
        ui::Color fill;
        bool hatched;
    } kinds[] = {{"before", theme.role(Role::target).alpha(0.55F), false},
                 {"kept", theme.role(Role::accepted), false},
                 {"rewound", theme.role(Role::rejected), true},
                 {"empty", theme.line, true}};
    constexpr float kSwatch = 11, kWord = 16, kGap = 14;
    float w = -kGap;
    for (const auto& kind : kinds) w += kWord + canvas.text_width(kind.words, Font::text, 14) + kGap;
    if (at.x + w > right) return;
    for (const auto& kind : kinds) {
        const Rect box{at.x, at.y - 10, kSwatch, kSwatch};
        if (!kind.hatched) canvas.fill(box, kind.fill, 1);
        if (kind.hatched) canvas.outline(box, {kind.fill, 1}, 1);
        if (kind.hatched && kind.words[0] == 'r') canvas.hatch(box, kind.fill, 4);
        canvas.text({at.x + kWord, at.y}, kind.words, Font::text, 14, theme.muted);
        at.x += kWord + canvas.text_width(kind.words, Font::text, 14) + kGap;
    }
}

void draw_pages(const SystemsDraw& d, Rect area) {
    const SystemsModel& m = d.model;
    if (m.rounds.empty() || area.h < 96) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const CacheRound& round = m.rounds[m.shown];
    const Pages pages = pages_of(round, m.page);
    constexpr float kSlot = 11, kGap = 2, kPageGap = 9, kLine = kSlot + 9;
    const float width = static_cast<float>(m.page) * (kSlot + kGap) + kPageGap, top = area.y + 48;
    const int across = std::max(1, static_cast<int>((area.w + kPageGap) / width)),
              down = std::max(1, static_cast<int>((area.bottom() - top) / kLine));
    const int hidden = pages.during > across * down ? pages.during - across * down : 0; // full ones, at the front
    systems_head(d, SystemsPart::pages, area, "Round " + std::to_string(round.round + 1) + " in pages of " + std::to_string(m.page),
                 {counted(pages.during, "page") + " held, " +
                      (hidden > 0 ? "the last " + std::to_string(pages.during - hidden) + " shown, " : std::string()) +
                      std::to_string(pages.given_back()) + " given back, " +
                      (hidden > 0 ? std::to_string(pages.empty) + " empty after it" : counted(pages.empty, "slot") + " empty after it"),
                  counted(pages.during, "page") + " held, " + std::to_string(pages.given_back()) + " given back",
                  counted(pages.during, "page") + " held"});
    for (int page = hidden; page < pages.during; ++page) {
        const int at = page - hidden;
        const float x0 = area.x + static_cast<float>(at % across) * width, y = top + static_cast<float>(at / across) * kLine;
        for (int slot = 0; slot < m.page; ++slot) {
            const int row = page * m.page + slot;
            const Rect box{x0 + static_cast<float>(slot) * (kSlot + kGap), y, kSlot, kSlot};
            if (box.right() > area.right() + 1) break; // a page wider than the place
            if (row < round.before)
                canvas.fill(box, theme.role(Role::target).alpha(0.55F), 1);
            else if (row < round.before + round.kept)
                canvas.fill(box, theme.role(Role::accepted), 1);
            else if (row < round.before + round.written)
                canvas.hatch(box, theme.role(Role::rejected), 4);
            const bool rewound = row >= round.before + round.kept && row < round.before + round.written;
            if (row >= round.before + round.kept) canvas.outline(box, {rewound ? theme.role(Role::rejected) : theme.line, 1}, 1);
        }
        std::string when = ": held before this round";
        if (page >= pages.after)
            when = ": given back after this round";
        else if (page >= pages.before)
            when = ": taken in this round";
        ui::tooltip(d.ui, {x0, y, width - kPageGap, kSlot}, "page " + std::to_string(page + 1) + when);
    }
    const int lines = (pages.during - hidden + across - 1) / across;
    if (const float key = top + static_cast<float>(lines) * kLine + 14; key < area.bottom()) draw_page_key(d, {area.x, key}, area.right());
}

std::string bytes_words(double bytes) {
    return bytes < 10000 ? ui::integer(std::lround(bytes)) + " B" : ui::integer(std::lround(bytes / 1000)) + " kB";
}

// A mean round of this run's over the network: what the server tells as its own stands apart from the way.
static void draw_measured_lane(const SystemsDraw& d, const ui::Scale& x, Rect r) {
    const WireTotals& measured = d.model.measured;
    const double draft = d.model.measured_draft_ms, away = measured.per_round(measured.ms),
                 server = measured.knows_server() ? std::min(away, measured.per_round(measured.server_ms)) : 0;
    const std::string way = server > 0 ? "wire" : "wire and pass";
    std::vector<ui::Segment> segments{
        {.start = 0, .length = draft, .role = Role::draft, .label = "draft"},
        {.start = draft, .length = away - server, .role = Role::residual, .label = way, .value = ui::number(away - server, 2)}};
    if (server > 0) segments.push_back({.start = draft + away - server, .length = server, .role = Role::target, .label = "verify"});
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 17}, "this run", Font::text_bold, 14, d.ui.theme.ink, 100);
    ui::gantt_lane(d.ui.canvas, d.ui.theme, x, r.y, r.h, segments);
    const double bytes = measured.per_round(static_cast<double>(measured.sent + measured.received));
    d.ui.canvas.text({r.right(), r.y + 17}, bytes_words(bytes), Font::mono, 14, d.ui.theme.ink, Align::right);
}

void draw_wire(const SystemsDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const SimulatedWire& wire = d.model.wire;
    const WireTotals& measured = d.model.measured;
    systems_head(d, SystemsPart::wire, area, "A round with a wire in between, ms",
                 {measured.any() ? "first: this run, measured; the others simulated, as if all keep alike"
                                 : "if all three keep alike, what is sent decides"});
    double most = measured.any() ? d.model.measured_draft_ms + measured.per_round(measured.ms) : 0;
    for (const Payload payload : kPayloads) most = std::max(most, wire.k * wire.draft_ms + wire.verify_ms + wire_ms(wire, payload));
    const float left = area.x + 108, number = 60;
    const ui::Scale x{0, most, left, area.right() - number};
    float y = area.y + 54;
    if (measured.any()) {
        draw_measured_lane(d, x, {area.x, y, area.w, 24});
        y += 34;
    }
    for (const Payload payload : kPayloads) {
        if (y + 30 > area.bottom()) break;
        const double draft = wire.k * wire.draft_ms, net = wire_ms(wire, payload);
        const ui::Segment segments[] = {
            {.start = 0, .length = draft, .role = Role::draft, .label = "draft"},
            {.start = draft, .length = net, .role = Role::residual, .label = "wire", .value = ui::number(net, 2)},
            {.start = draft + net, .length = wire.verify_ms, .role = Role::target, .label = "verify"}};
        ui::fitted_text(canvas, {area.x, y + 17}, payload_words(payload), Font::text, 14, theme.ink, 100);
        ui::gantt_lane(canvas, theme, x, y, 24, segments);
        canvas.text({area.right(), y + 17}, ui::speed_up(wire_speedup(wire, payload)), Font::mono, 14, theme.ink, Align::right);
        y += 34;
    }
}

void draw_controllers(const SystemsDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const ControllerRun& run = d.model.controllers;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    systems_head(d, SystemsPart::controllers, area, "Who chooses K?",
                 {"K by round, thin: as an article prints it, thick: by the formula; a guess stays with .9, then .6, then .8",
                  "K by round, thin: as an article prints it, thick: by the formula"});
    const std::string formula = "formula " + ui::speed_up(run.formula_speedup), article = "article " + ui::speed_up(run.article_speedup);
    const float legend = 12 + std::max(canvas.text_width(formula, Font::mono, 14), canvas.text_width(article, Font::mono, 14));
    const Rect plot{area.x + 30, area.y + 48, area.w - 30 - legend, area.h - 48 - 24};
    if (plot.h < 40) return;
    const ui::Scale x{0, static_cast<double>(run.alpha.size()), plot.x, plot.right()}, y{0, 10.5, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, 10, 3), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(canvas, theme, x, plot.bottom(), ui::ticks(0, static_cast<double>(run.alpha.size()), 4), {.unit = "round"});
    const auto line = [&](const std::vector<int>& k, const char* name, const ui::Stroke& stroke) {
        ui::plotted_by_place(canvas, plot, ui::PlotMark::line, name, std::vector<double>(k.begin(), k.end()));
        std::vector<Vec2> points;
        for (std::size_t i = 0; i < k.size(); ++i) {
            if (i > 0 && k[i] == k[i - 1] && i + 1 < k.size()) continue;
            if (i > 0) points.push_back({x(static_cast<double>(i)), y(k[i - 1])});
            points.push_back({x(static_cast<double>(i)), y(k[i])});
        }
        canvas.polyline(points, stroke);
    };
    line(run.article, "article", {theme.muted, 1.5F});
    line(run.formula, "formula", {theme.ink, 2.5F});
    // Each at the end of its line, pushed apart.
    const float formula_y = run.formula.empty() ? plot.y + 16 : y(run.formula.back()) + 5;
    float article_y = run.article.empty() ? plot.y + 38 : y(run.article.back()) + 5;
    if (std::abs(article_y - formula_y) < 20) article_y = formula_y + (article_y < formula_y ? -20.0F : 20.0F);
    canvas.text({area.right(), formula_y}, formula, Font::mono, 14, theme.ink, Align::right);
    canvas.text({area.right(), article_y}, article, Font::mono, 14, theme.muted, Align::right);
}

// Where it ends.
static float draw_measured_details(const SystemsDraw& d, Rect r) {
    const WireTotals& measured = d.model.measured;
    const auto mean = [&](std::int64_t bytes) { return bytes_words(measured.per_round(static_cast<double>(bytes))); };
    ui::fitted_text(d.ui.canvas, {r.x, r.y}, "A round of this run, measured", Font::text_bold, 15, d.ui.theme.ink, r.w);
    std::string words = "Sent " + mean(measured.sent) + ", received " + mean(measured.received) + ", " +
                        ui::number(measured.per_round(measured.ms), 1) + " ms away.";
    if (measured.ahead > 0)
        words += " Drafted ahead: " + ui::integer(measured.ahead) + " tokens, " + ui::integer(measured.wasted()) + " of them wasted.";
    return ui::paragraph(d.ui.canvas, {r.x, r.y + 26}, r.w, words, {.size = 14, .color = d.ui.theme.muted, .max_lines = 3}) + 40;
}

void draw_systems_details(const SystemsDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const SystemsModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(canvas, {x, r.y + 32}, "What is sent in a round", Font::text_bold, 15, theme.ink, w);
    float y = r.y + 60;
    for (const Payload payload : kPayloads) {
        const double bytes = wire_bytes(m.wire, payload);
        ui::fitted_text(canvas, {x, y}, payload_words(payload), Font::text, 14, theme.muted, w - 100);
        canvas.text({x + w, y}, bytes_words(bytes), Font::mono, 14, theme.ink, Align::right);
        y += 24;
    }
    y = ui::paragraph(canvas, {x, y + 10}, w,
                      "Ids are enough for greedy, sample match and copied drafts. The token rule needs q of "
                      "every guess, and one row where it rejects; block verification needs all rows.",
                      {.size = 14, .color = theme.muted, .max_lines = 4});
    y += 40;
    if (m.measured.any()) y = draw_measured_details(d, {x, y, w, r.bottom() - y});
    if (m.rounds.empty() || y + 40 > r.bottom()) return;
    ui::fitted_text(canvas, {x, y}, "The cache of this run", Font::text_bold, 15, theme.ink, w);
    ui::paragraph(canvas, {x, y + 26}, w,
                  ui::integer(m.written) + " rows written in " + counted(static_cast<int>(m.rounds.size()), "round") + ", " +
                      ui::integer(m.kept) + " kept, " + ui::percent(m.written > 0 ? 1 - static_cast<double>(m.kept) / m.written : 0) +
                      " rewound. In pages of " + std::to_string(m.page) + ", " + counted(m.given_back, "page") + " went back.",
                  {.size = 14, .color = theme.muted, .max_lines = 3});
}

// Of the block tables: decode a batch, and go through its rounds.
static void draw_film_controls(const SystemsDraw& d, ControlRow& row) {
    ui::Ui& ui = d.ui;
    if (row.room() < 112) return;
    Rect at = row.place(112);
    const std::string why = batch_refused(d.input);
    const char* const tip = is_elsewhere(d.input) ? "Draft workers decode a text each, and ask one target"
                                                  : "Decodes several texts at once: with few blocks, and with K chosen in every way";
    if (ui::button(ui, "film", at, "Decode", {.shortcut = "B", .tooltip = tip, .disabled = why}))
        d.out.push_back(Command{batch_asked(d.input, d.state)});
    if (d.input.beat == kWorkersBeat && row.room() >= 104) {
        at = row.place(104);
        ui::field_label(ui, at, "Workers");
        const ui::StepperOptions options{.low = 1, .high = kMostWorkers, .tooltip = "How many draft workers share the target"};
        if (const auto to = ui::stepper(ui, "workers", at, d.state.workers, options)) d.state.workers = static_cast<int>(*to);
    }
    if (!d.model.film || d.input.beat != kTablesBeat || row.room() < 168) return;
    at = row.place(168);
    ui::field_label(ui, at, "Round");
    const auto rounds = static_cast<int>(d.model.film->rounds.size()), shown = static_cast<int>(d.model.film_round);
    const std::string text = std::to_string(shown + 1) + " of " + std::to_string(rounds);
    const ui::StepperOptions options{.low = 0, .high = rounds - 1.0, .text = text, .tooltip = "The round that is shown"};
    if (const auto to = ui::stepper(ui, "film_round", at, shown, options)) d.state.film_round = static_cast<int>(*to);
}

void draw_systems_controls(const SystemsDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    SimulatedWire& wire = d.state.wire;
    ControlRow row(r);
    if (d.input.beat == kAuditsBeat) return; // figures of others
    const bool workers = d.input.beat == kWorkersBeat;
    if (workers || d.input.beat == kTablesBeat || d.input.beat == kChoosersBeat) draw_film_controls(d, row);
    if (d.input.beat == kTablesBeat || d.input.beat == kChoosersBeat || (workers && d.model.pool)) return; // nothing of it is simulated
    const auto slider = [&](const char* id, const std::string& label, double& value, double low, double high, double step) {
        if (row.room() < 112) return;
        const Rect at = row.place(std::min(140.0F, row.room()));
        ui::field_label(ui, at, label);
        ui::tooltip(ui, at, "Of the wire in the picture; drag, or use the arrow keys");
        if (const auto to = ui::slider(ui, id, {at.x, at.y + 8, at.w, 20}, value, low, high, {.step = step})) value = *to;
    };
    slider("trip", "Round trip: " + ui::number(wire.round_trip_ms, 1) + " ms", wire.round_trip_ms, 0, 20, 0.1);
    slider("width", ui::number(wire.gigabits, 0) + " Gbit/s", wire.gigabits, 1, 100, 1);
    slider("alpha", "A guess stays: " + ui::probability(wire.alpha), wire.alpha, 0, 0.99, 0.01);
    const double shown = d.model.wire.draft_ms;
    double guess = shown;
    slider("draft", "A guess: " + ui::number(guess, 1) + " ms", guess, 0.1, d.model.own_times ? std::max(10.0, d.model.wire.verify_ms) : 10,
           0.1);
    if (guess != shown) wire.draft_ms = guess, d.state.draft_by_hand = true;
    if (row.room() < 104) return;
    Rect at = row.place(104);
    ui::field_label(ui, at, "Guesses K");
    if (const auto k = ui::stepper(ui, "k", at, wire.k, {.low = 1, .high = 10})) wire.k = static_cast<int>(*k);
    if (row.room() < 104 || d.model.rounds.empty()) return;
    at = row.place(104);
    ui::field_label(ui, at, "Page, slots");
    const int power = std::bit_width(static_cast<unsigned>(d.state.page)) - 1;
    if (const auto to =
            ui::stepper(ui, "page", at, power,
                        {.low = 2, .high = 5, .text = std::to_string(d.state.page), .tooltip = "How many rows of the cache make a page"}))
        d.state.page = 1 << static_cast<int>(*to);
}

} // namespace speclens
