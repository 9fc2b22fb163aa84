// The pictures of S15: rows of the cache by round, a round on the wire, and two controllers of K.
#include "scenes/systems/systems_draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// Rows are counted, so there is nothing between two of them.
ui::Ticks row_ticks(int most) {
    ui::Ticks marks = ui::ticks(0, most, 3);
    std::erase_if(marks.values, [](double value) { return value != std::floor(value); });
    marks.decimals = 0;
    return marks;
}

// What the beat is about has a bar beside its heading; the headings of the others stand back.
void systems_head(const SystemsDraw& d, bool about, Rect r, const Message& title, const std::vector<Message>& ways) {
    if (about) d.ui.canvas.fill({r.x - 12, r.y, 3, 40}, d.ui.theme.ink, 1);
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 14}, title, Font::text_bold, 15, about ? d.ui.theme.ink : d.ui.theme.muted, r.w);
    one_of(d.ui, {r.x, r.y + 34}, r.w, ways, d.ui.theme.muted);
}

Message cache_round_words(const SystemsModel& m, std::size_t i) {
    const CacheRound& round = m.rounds[i];
    const Pages pages = pages_of(round, m.page);
    return systems_says("cache.round"_t, "round"_v = round.round + 1, "marked"_v = i == m.shown, "before"_v = round.before,
                        "written"_v = round.written, "kept"_v = round.kept, "rewound"_v = round.rewound(), "slots"_v = m.page,
                        "held"_v = pages.during, "given_back"_v = pages.given_back());
}

Message payload_words(Payload payload) {
    switch (payload) {
    case Payload::ids: return systems_says("lane.payload:ids"_t);
    case Payload::scalars: return systems_says("lane.payload:scalars"_t);
    case Payload::rows: break;
    }
    return systems_says("lane.payload:rows"_t);
}

Message lane_words(const SimulatedWire& wire, Payload payload) {
    return systems_says("lane.row"_t, "payload"_v = payload_words(payload), "alpha"_v = wire.alpha, "draft"_v = wire.k * wire.draft_ms,
                        "wire"_v = wire_ms(wire, payload), "bytes"_v = wire_bytes(wire, payload), "verify"_v = wire.verify_ms,
                        "speed_up"_v = wire_speedup(wire, payload));
}

// Where each third of the rounds ended.
Message controller_words(auto id, const std::vector<int>& k, double speed_up) {
    const std::size_t third = k.size() / 3;
    return systems_says(id, "high"_v = k[third - 1], "low"_v = k[2 * third - 1], "last"_v = k.back(), "speed_up"_v = speed_up);
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
    systems_head(d, systems_says.focus(d.input.beat, "cache"_part), area,
                 systems_says("cache.title"_t, "marked"_v = m.rounds.empty() ? std::nullopt : std::optional(m.rounds[m.shown].round + 1)),
                 {part ? systems_says("cache.under:part"_t, "from"_v = in_view.first + 1, "to"_v = in_view.end, "of"_v = m.rounds.size())
                       : systems_says("cache.under:whole"_t),
                  systems_says("cache.under:short"_t)});
    if (m.rounds.empty()) {
        ui::slot(canvas, theme, {area.x, area.y + 50, area.w, std::min(120.0F, area.h - 60)}, systems_says("cache.none"_t));
        return;
    }
    int most = 1;
    for (std::size_t i = in_view.first; i < in_view.end; ++i) most = std::max(most, m.rounds[i].written);
    const ui::Scale y{0, most * 1.05, plot.bottom(), plot.y};
    const float pitch = std::min(34.0F, plot.w / static_cast<float>(in_view.end - in_view.first));
    const auto left = [&](std::size_t i) { return plot.x + pitch * static_cast<float>(i - in_view.first); };
    canvas.fill({left(m.shown), plot.y - 4, pitch, plot.h + 4 + 24}, theme.raised, 4);
    ui::axis_y(canvas, theme, y, plot.x, row_ticks(most), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    const auto series = [&](const Message& name, const auto& rows) {
        ui::plotted(canvas, plot, ui::PlotMark::bars, name, m.rounds,
                    [&](const CacheRound& round) { return ui::PlotDatum{.x = round.round + 1.0, .y = static_cast<double>(rows(round))}; });
    };
    series(systems_says("cache.written"_t), [](const CacheRound& round) { return round.written; });
    series(systems_says("key.kept"_t), [](const CacheRound& round) { return round.kept; });
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
            canvas.print({x + w / 2, plot.bottom() + 18}, std::to_string(round.round + 1), i == m.shown ? Font::mono_medium : Font::mono,
                         14, i == m.shown ? theme.ink : theme.muted, Align::center);
        ui::tooltip(d.ui, {x, plot.y, w, plot.h}, cache_round_words(m, i));
    }
}

// A slot of a page, by the row in it.
enum class SlotRow : std::uint8_t { before, kept, rewound, empty };
static void draw_slot(const SystemsDraw& d, Rect box, SlotRow row) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (row == SlotRow::before) return canvas.fill(box, theme.role(Role::target).alpha(0.55F), 1);
    if (row == SlotRow::kept) return canvas.fill(box, theme.role(Role::accepted), 1);
    const ui::Color edge = row == SlotRow::rewound ? theme.role(Role::rejected) : theme.line;
    if (row == SlotRow::rewound) canvas.hatch(box, edge, 4);
    canvas.outline(box, {edge, 1}, 1);
}

void draw_pages(const SystemsDraw& d, Rect area) {
    const SystemsModel& m = d.model;
    if (m.rounds.empty() || area.h < 96) return;
    ui::Canvas& canvas = d.ui.canvas;
    const CacheRound& round = m.rounds[m.shown];
    const Pages pages = pages_of(round, m.page);
    constexpr float kSlot = 11, kGap = 2, kPageGap = 9, kLine = kSlot + 9;
    const float width = static_cast<float>(m.page) * (kSlot + kGap) + kPageGap, top = area.y + 48;
    const int across = std::max(1, static_cast<int>((area.w + kPageGap) / width)),
              down = std::max(1, static_cast<int>((area.bottom() - top) / kLine));
    const int hidden = pages.during > across * down ? pages.during - across * down : 0; // full ones, at the front
    const auto held = "held"_v = pages.during;
    const auto back = "given_back"_v = pages.given_back();
    const auto empty = "empty"_v = pages.empty;
    systems_head(d, systems_says.focus(d.input.beat, "pages"_part), area,
                 systems_says("pages.title"_t, "round"_v = round.round + 1, "slots"_v = m.page),
                 {hidden > 0 ? systems_says("pages.under:part"_t, held, "shown"_v = pages.during - hidden, back, empty)
                             : systems_says("pages.under:whole"_t, held, back, empty),
                  systems_says("pages.under:short"_t, held, back), systems_says("pages.under:held"_t, held)});
    canvas.tell(systems_says("pages.told"_t, "round"_v = round.round + 1, "before"_v = pages.before,
                             "taken"_v = pages.during - pages.before, back, empty),
                area);
    for (int page = hidden; page < pages.during; ++page) {
        const int at = page - hidden;
        const float x0 = area.x + static_cast<float>(at % across) * width, y = top + static_cast<float>(at / across) * kLine;
        for (int slot = 0; slot < m.page; ++slot) {
            const int row = page * m.page + slot;
            const Rect box{x0 + static_cast<float>(slot) * (kSlot + kGap), y, kSlot, kSlot};
            if (box.right() > area.right() + 1) break; // a page wider than the place
            draw_slot(d, box,
                      row < round.before                   ? SlotRow::before
                      : row < round.before + round.kept    ? SlotRow::kept
                      : row < round.before + round.written ? SlotRow::rewound
                                                           : SlotRow::empty);
        }
        const auto number = "page"_v = page + 1;
        ui::tooltip(d.ui, {x0, y, width - kPageGap, kSlot},
                    page >= pages.after    ? systems_says("pages.page:given_back"_t, number)
                    : page >= pages.before ? systems_says("pages.page:taken"_t, number)
                                           : systems_says("pages.page:held"_t, number));
    }
    const int lines = (pages.during - hidden + across - 1) / across;
    const std::pair<Message, SlotRow> key[] = {{systems_says("key.before"_t), SlotRow::before},
                                               {systems_says("key.kept"_t), SlotRow::kept},
                                               {systems_says("key.rewound"_t), SlotRow::rewound},
                                               {systems_says("key.empty"_t), SlotRow::empty}};
    if (const float y = top + static_cast<float>(lines) * kLine + 14; y < area.bottom())
        marks_key(d.ui, {area.x, y}, area.right(), key, [&](Rect box, SlotRow row) { draw_slot(d, box, row); });
}

Message bytes_words(double bytes) {
    return bytes < 10000 ? systems_says("words.bytes:few"_t, "bytes"_v = bytes) : systems_says("words.bytes:many"_t, "kb"_v = bytes / 1000);
}

// A mean round of this run's over the network: what the server tells as its own stands apart from the way.
static void draw_measured_lane(const SystemsDraw& d, const ui::Scale& x, Rect r) {
    const WireTotals& measured = d.model.measured;
    const double draft = d.model.measured_draft_ms, away = measured.per_round(measured.ms),
                 server = measured.knows_server() ? std::min(away, measured.per_round(measured.server_ms)) : 0;
    std::vector<ui::Segment> segments{{.start = 0, .length = draft, .role = Role::draft, .label = systems_says("lane.draft"_t)},
                                      {.start = draft,
                                       .length = away - server,
                                       .role = Role::residual,
                                       .label = server > 0 ? systems_says("lane.wire"_t) : systems_says("lane.wire_and_pass"_t),
                                       .value = ui::number(away - server, 2)}};
    if (server > 0)
        segments.push_back(
            {.start = draft + away - server, .length = server, .role = Role::target, .label = systems_says("lane.verify"_t)});
    cell(d.ui, {r.x, r.y + 17}, systems_says("lane.run"_t), 100, {d.ui.theme.ink, 14, Font::text_bold});
    ui::gantt_lane(d.ui.canvas, d.ui.theme, x, r.y, r.h, segments);
    const double bytes = measured.per_round(static_cast<double>(measured.sent + measured.received));
    d.ui.canvas.print({r.right(), r.y + 17}, bytes_words(bytes), Font::mono, 14, d.ui.theme.ink, Align::right);
}

void draw_wire(const SystemsDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const SimulatedWire& wire = d.model.wire;
    const WireTotals& measured = d.model.measured;
    systems_head(d, systems_says.focus(d.input.beat, "wire"_part), area, systems_says("lane.title"_t),
                 {measured.any() ? systems_says("lane.under:measured"_t) : systems_says("lane.under:simulated"_t)});
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
            {.start = 0, .length = draft, .role = Role::draft, .label = systems_says("lane.draft"_t)},
            {.start = draft, .length = net, .role = Role::residual, .label = systems_says("lane.wire"_t), .value = ui::number(net, 2)},
            {.start = draft + net, .length = wire.verify_ms, .role = Role::target, .label = systems_says("lane.verify"_t)}};
        cell(d.ui, {area.x, y + 17}, payload_words(payload), 100, {theme.ink});
        ui::gantt_lane(canvas, theme, x, y, 24, segments);
        canvas.print({area.right(), y + 17}, ui::speed_up(wire_speedup(wire, payload)), Font::mono, 14, theme.ink, Align::right);
        y += 34;
    }
}

void draw_controllers(const SystemsDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const ControllerRun& run = d.model.controllers;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    systems_head(d, systems_says.focus(d.input.beat, "controllers"_part), area, systems_says("controllers.title"_t),
                 {systems_says("controllers.under:long"_t), systems_says("controllers.under:short"_t)});
    const Message formula = systems_says("controllers.formula"_t, "speed_up"_v = run.formula_speedup),
                  article = systems_says("controllers.article"_t, "speed_up"_v = run.article_speedup);
    const float legend = 12 + std::max(canvas.text_width(formula, Font::mono, 14), canvas.text_width(article, Font::mono, 14));
    const Rect plot{area.x + 30, area.y + 48, area.w - 30 - legend, area.h - 48 - 24};
    if (plot.h < 40) return;
    const ui::Scale x{0, static_cast<double>(run.alpha.size()), plot.x, plot.right()}, y{0, 10.5, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, 10, 3), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(canvas, theme, x, plot.bottom(), ui::ticks(0, static_cast<double>(run.alpha.size()), 4),
               {.unit = systems_says("controllers.unit"_t)});
    const auto line = [&](const std::vector<int>& k, const Message& name, const ui::Stroke& stroke) {
        ui::plotted_by_place(canvas, plot, ui::PlotMark::line, name, std::vector<double>(k.begin(), k.end()));
        std::vector<Vec2> points;
        for (std::size_t i = 0; i < k.size(); ++i) {
            if (i > 0 && k[i] == k[i - 1] && i + 1 < k.size()) continue;
            if (i > 0) points.push_back({x(static_cast<double>(i)), y(k[i - 1])});
            points.push_back({x(static_cast<double>(i)), y(k[i])});
        }
        canvas.polyline(points, stroke);
    };
    line(run.article, systems_says("controllers.series:article"_t), {theme.muted, 1.5F});
    line(run.formula, systems_says("controllers.series:formula"_t), {theme.ink, 2.5F});
    // Each at the end of its line, pushed apart.
    const float formula_y = run.formula.empty() ? plot.y + 16 : y(run.formula.back()) + 5;
    float article_y = run.article.empty() ? plot.y + 38 : y(run.article.back()) + 5;
    if (std::abs(article_y - formula_y) < 20) article_y = formula_y + (article_y < formula_y ? -20.0F : 20.0F);
    canvas.text({area.right(), formula_y}, formula, Font::mono, 14, theme.ink, Align::right);
    canvas.text({area.right(), article_y}, article, Font::mono, 14, theme.muted, Align::right);
}

void tell_run(const SystemsDraw& d) {
    const SystemsModel& m = d.model;
    const auto tell = [&](const Message& message) { d.ui.canvas.tell(message, d.input.stage); };
    for (std::size_t i = 0; i < m.rounds.size(); ++i) tell(cache_round_words(m, i));
    const WireTotals& t = m.measured;
    if (t.any())
        tell(systems_says("lane.measured"_t, "draft"_v = m.measured_draft_ms, "sent"_v = t.per_round(static_cast<double>(t.sent)),
                          "received"_v = t.per_round(static_cast<double>(t.received)), "ms"_v = t.per_round(t.ms),
                          "server"_v = t.knows_server() ? std::optional(t.per_round(t.server_ms)) : std::nullopt, "ahead"_v = t.ahead,
                          "wasted"_v = t.wasted()));
    for (const Payload payload : kPayloads) tell(lane_words(m.wire, payload));
    tell(controller_words("controllers.told:formula"_t, m.controllers.formula, m.controllers.formula_speedup));
    tell(controller_words("controllers.told:article"_t, m.controllers.article, m.controllers.article_speedup));
}

void draw_systems_details(const SystemsDraw& d) {
    const Rect r = d.input.details;
    const SystemsModel& m = d.model;
    const WireTotals& t = m.measured;
    const ui::Color muted = d.ui.theme.muted;
    DetailsColumn column(d.ui, r);
    column.title(systems_says("details.title"_t));
    for (const Payload payload : kPayloads) {
        const Message name = payload_words(payload), bytes = bytes_words(wire_bytes(m.wire, payload));
        column.pair(name, bytes, systems_says("details.sent"_t, "payload"_v = name, "bytes"_v = bytes));
    }
    column.paragraph(systems_says("details.which"_t), muted, 4);
    const auto part = [&](const Message& title, const Message& words) {
        if (column.y + 60 > r.bottom()) return column.tell(words); // no title alone
        part_head(d.ui, {r.x + 24, column.y, r.w - 48, 40}, title);
        column.y += 40;
        column.paragraph(words, muted, 3);
    };
    if (t.any())
        part(systems_says("details.measured_title"_t),
             systems_says("details.measured"_t, "sent"_v = bytes_words(t.per_round(static_cast<double>(t.sent))),
                          "received"_v = bytes_words(t.per_round(static_cast<double>(t.received))), "ms"_v = t.per_round(t.ms),
                          "ahead"_v = t.ahead, "wasted"_v = t.wasted()));
    if (!m.rounds.empty())
        part(systems_says("details.cache_title"_t),
             systems_says("details.cache"_t, "written"_v = m.written, "rounds"_v = m.rounds.size(), "kept"_v = m.kept,
                          "rewound"_v = m.written > 0 ? 1 - static_cast<double>(m.kept) / m.written : 0, "slots"_v = m.page,
                          "pages"_v = m.given_back));
}

// Of the block tables: decode a batch, and go through its rounds.
static void draw_film_controls(const SystemsDraw& d, ControlRow& row) {
    if (row.room() < 112) return;
    const ui::ButtonOptions options{.shortcut = "B",
                                    .tooltip = is_elsewhere(d.input) ? systems_says("controls.decode_about:workers"_t)
                                                                     : systems_says("controls.decode_about:texts"_t),
                                    .disabled = batch_refused(d.input)};
    if (ui::button(d.ui, "film", row.place(112), systems_says("controls.decode"_t), options))
        d.out.push_back(Command{batch_asked(d.input, d.state)});
    if (d.input.beat == kWorkersBeat) {
        const ControlWords words{"workers", systems_says("controls.workers"_t), systems_says("controls.workers_about"_t)};
        const Message count = systems_says("controls.count"_t, "n"_v = d.state.workers);
        if (const auto to = stepper(d.ui, row, words, count, d.state.workers - 1, kMostWorkers, 104)) d.state.workers = *to + 1;
    }
    if (!d.model.film || d.input.beat != kTablesBeat) return;
    const auto rounds = static_cast<int>(d.model.film->rounds.size()), shown = static_cast<int>(d.model.film_round);
    const ControlWords words{"film_round", systems_says("controls.round"_t), systems_says("controls.round_about"_t)};
    const Message at = systems_says("controls.at"_t, "at"_v = shown + 1, "of"_v = rounds);
    if (const auto to = stepper(d.ui, row, words, at, shown, rounds, 168)) d.state.film_round = *to;
}

void draw_systems_controls(const SystemsDraw& d) {
    ui::Ui& ui = d.ui;
    SimulatedWire& wire = d.state.wire;
    ControlRow row(d.input.controls);
    if (d.input.beat == kAuditsBeat) return; // figures of others
    const bool workers = d.input.beat == kWorkersBeat;
    if (workers || d.input.beat == kTablesBeat || d.input.beat == kChoosersBeat) draw_film_controls(d, row);
    if (d.input.beat == kTablesBeat || d.input.beat == kChoosersBeat || (workers && d.model.pool)) return; // nothing of it is simulated
    const auto slider = [&](const char* id, const Message& label, double& value, double low, double high, double step) {
        if (row.room() < 112) return;
        const Rect at = row.place(std::min(140.0F, row.room()));
        ui::field_label(ui, at, label);
        ui::tooltip(ui, at, systems_says("controls.wire_about"_t));
        if (const auto to = ui::slider(ui, id, {at.x, at.y + 8, at.w, 20}, value, low, high, {.step = step})) value = *to;
    };
    slider("trip", systems_says("controls.round_trip"_t, "ms"_v = wire.round_trip_ms), wire.round_trip_ms, 0, 20, 0.1);
    slider("width", systems_says("controls.width"_t, "gigabits"_v = wire.gigabits), wire.gigabits, 1, 100, 1);
    slider("alpha", shared_says("words.guess_stays"_t, "alpha"_v = wire.alpha), wire.alpha, 0, 0.99, 0.01);
    const double shown = d.model.wire.draft_ms;
    double guess = shown;
    slider("draft", systems_says("controls.guess"_t, "ms"_v = guess), guess, 0.1,
           d.model.own_times ? std::max(10.0, d.model.wire.verify_ms) : 10, 0.1);
    if (guess != shown) wire.draft_ms = guess, d.state.draft_by_hand = true;
    const auto counted = [&](const char* id, const Message& label, const Message& about, int shown_number, int at, int count) {
        return stepper(ui, row, {id, label, about}, systems_says("controls.count"_t, "n"_v = shown_number), at, count, 104);
    };
    if (const auto k = counted("k", systems_says("controls.k"_t), {}, wire.k, wire.k - 1, kMostGuesses)) wire.k = *k + 1;
    if (d.model.rounds.empty()) return;
    constexpr int kLeastPower = 2, kPowers = 4; // pages of 4 to 32 slots
    const int power = std::bit_width(static_cast<unsigned>(d.state.page)) - 1;
    if (const auto to = counted("page", systems_says("controls.page"_t), systems_says("controls.page_about"_t), d.state.page,
                                power - kLeastPower, kPowers))
        d.state.page = 1 << (*to + kLeastPower);
}

} // namespace speclens
