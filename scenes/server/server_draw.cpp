// The picture of a server: a curve over time, the six names, the places, and the last answer.
#include <algorithm>
#include <cmath>
#include <span>

#include "scenes/server/server_model.h"
#include "scenes/shared/head_scene.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

void part_title(const ServerDraw& d, Rect r, const Message& words, const Message& detail) {
    ui::Canvas& canvas = d.ui.canvas;
    ui::fitted_text(canvas, {r.x, r.y + 14}, words, Font::text_bold, 15, d.ui.theme.ink, r.w);
    const float after = canvas.text_width(words, Font::text_bold, 15) + 12;
    if (!detail.empty() && r.w - after > 60)
        ui::fitted_text(canvas, {r.x + after, r.y + 14}, detail, Font::text, 14, d.ui.theme.muted, r.w - after);
}

void part_slot(const ServerDraw& d, Rect r, const Message& words) {
    ui::slot(d.ui.canvas, d.ui.theme, {r.x, r.y + 26, r.w, std::max(28.0F, std::min(80.0F, r.h - 30))}, words);
}

Message nothing_drafted(const ServerModel& m) {
    if (m.diffusion()) return server_says("words.nothing:diffusion"_t);
    return m.plain ? server_says("words.nothing:ever"_t) : server_says("words.nothing:now"_t, "span"_v = span_words(m.span));
}

// The curve at its last points.
Message curve_words(const ServerModel& m) {
    std::vector<Said> told;
    for (const ServerPoint& point : std::span(m.points).last(std::min<std::size_t>(m.points.size(), 12)))
        told.push_back(server_said("curve.point"_t, "length"_v = point.acceptance_length, "seconds"_v = point.seconds));
    return server_says("curve.told"_t, "most"_v = m.most_acceptance_length, "points"_v = told);
}

// The acceptance length of every second; seconds without a round leave a gap.
void draw_curve(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    part_title(d, r, server_says("curve.title"_t), server_says("curve.under"_t));
    if (m.diffusion()) return part_slot(d, r, nothing_drafted(m));
    if (m.points.size() < 2) return part_slot(d, r, m.view->watch.empty() ? server_says("curve.none"_t) : server_says("curve.wait"_t));
    if (m.plain) return part_slot(d, r, server_says("curve.plain"_t));
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect plot{r.x + 30, r.y + 34, r.w - 40, r.h - 62};
    canvas.tell(curve_words(m), plot);
    const double last = m.points.back().seconds, first = std::max(0.0, last - std::max(30.0, static_cast<double>(plot.w) / 8));
    const double top = std::ceil(m.most_acceptance_length + 0.2);
    const ui::Scale x{first, std::max(last, first + 1), plot.x, plot.right()}, y{1, std::max(2.0, top), plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(1, y.hi, plot.h > 110 ? 4 : 2),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(canvas, theme, x, plot.bottom(), ui::ticks(first, x.hi, 5), {.unit = " s"});
    ui::plotted(canvas, plot, ui::PlotMark::line, "", m.points, [](const ServerPoint& point) {
        return ui::PlotDatum{.x = point.seconds, .y = point.acceptance_length > 0 ? point.acceptance_length : ui::PlotDatum::kNone};
    });
    const ServerPoint* before = nullptr;
    for (const ServerPoint& point : m.points) {
        if (point.seconds < first || point.acceptance_length <= 0) {
            before = nullptr;
            continue;
        }
        const Vec2 at{x(point.seconds), y(point.acceptance_length)};
        if (before) canvas.line({x(before->seconds), y(before->acceptance_length)}, at, {theme.ink, 1.5F});
        canvas.disc(at, 2.5F, theme.ink);
        before = &point;
    }
}

void draw_names(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    part_title(d, r, server_says("names.title"_t), span_words(m.span));
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (m.counts.empty()) return part_slot(d, r, nothing_drafted(m));
    const float pitch = std::min(34.0F, (r.h - 30) / static_cast<float>(m.names.size()));
    const bool formulas = r.w > 500;
    for (std::size_t i = 0; i < m.names.size(); ++i) {
        const float y = r.y + 30 + pitch * static_cast<float>(i) + pitch * 0.5F + 5;
        const AcceptanceName& name = m.names[i];
        canvas.print({r.x + 52, y}, name.value ? ui::number(*name.value, *name.value >= 1.5 ? 2 : 3) : "–", Font::mono, 15, theme.ink,
                     Align::right);
        const float label = r.x + 66, formula = r.x + 66 + 220;
        ui::fitted_text(canvas, {label, y}, message(name.name), Font::text, 15, theme.ink, formulas ? 214 : r.right() - label);
        if (formulas) ui::fitted_text(canvas, {formula, y}, message(name.formula), Font::text, 14, theme.muted, r.right() - formula);
        if (name.low && pitch > 22) // of the last one alone
            ui::fitted_text(canvas, {label, y + 18}, server_says("names.at_least"_t, "low"_v = *name.low), Font::text, 14, theme.muted,
                            214);
        ui::thing(d.ui, {r.x, y - pitch * 0.5F - 5, r.w, pitch},
                  server_says("names.row"_t, "name"_v = name.name, "formula"_v = name.formula, "value"_v = name.value, "low"_v = name.low,
                              "used_by"_v = name.used_by));
    }
}

Message place_words(const PositionAcceptance& places, std::size_t i) {
    const double once = places.conditional[i];
    return server_says("place.told"_t, "place"_v = i + 1, "kept"_v = places.unconditional[i],
                       "once"_v = std::isnan(once) ? std::nullopt : std::optional(once));
}

// Two bars a place: kept of all rounds, and of the rounds that got so far.
void draw_places(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    part_title(d, r, server_says("place.title"_t), server_says("place.under"_t));
    const std::size_t n = m.places.unconditional.size();
    if (n == 0) return part_slot(d, r, m.counts.empty() ? nothing_drafted(m) : server_says("place.none"_t));
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect plot{r.x + 34, r.y + 34, r.w - 42, r.h - 62};
    const ui::Scale y{0, 1, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, 1, plot.h > 110 ? 4 : 2), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::plotted_by_place(canvas, plot, ui::PlotMark::bars, server_says("place.all"_t), m.places.unconditional);
    ui::plotted_by_place(canvas, plot, ui::PlotMark::points, server_says("place.once"_t), m.places.conditional);
    const std::size_t shown = std::min<std::size_t>(n, 32);
    const float step = plot.w / static_cast<float>(shown), width = std::min(36.0F, step * 0.55F);
    const std::size_t every = step >= 22 ? 1 : step >= 11 ? 2 : 4;
    for (std::size_t i = 0; i < shown; ++i) {
        const float middle = plot.x + step * (static_cast<float>(i) + 0.5F);
        const double of_all = std::clamp(m.places.unconditional[i], 0.0, 1.0), once = m.places.conditional[i];
        canvas.fill({middle - width / 2, y(of_all), width, plot.bottom() - y(of_all)}, theme.role(Role::accepted).alpha(0.55F), 2);
        if (!std::isnan(once)) {
            canvas.disc({middle, y(std::clamp(once, 0.0, 1.0))}, 4.5F, theme.bg);
            canvas.disc({middle, y(std::clamp(once, 0.0, 1.0))}, 3.5F, theme.ink);
        }
        if (i % every == 0) canvas.print({middle, plot.bottom() + 20}, std::to_string(i + 1), Font::mono, 14, theme.muted, Align::center);
        ui::thing(d.ui, {middle - step / 2, plot.y, step, plot.h}, place_words(m.places, i));
    }
    for (std::size_t i = shown; i < n; ++i) canvas.tell(place_words(m.places, i), plot); // for which there is no room
}

// What was guessed stands in brackets.
Message answer_words(const ServerModel& m, const ServedText& served) {
    std::string text;
    bool guessed = false;
    for (const ServedPiece& piece : served.pieces) {
        guessed = guessed || piece.author == Author::draft;
        text += piece.author == Author::draft ? "[" + piece.text + "]" : piece.text;
    }
    return server_says("answer.told"_t, "how"_v = provenance_words(m), "text"_v = text, "guessed"_v = guessed);
}

// The answer as running text: kept guesses, the target's token after a rejection or as a bonus, and without
// any mark where it is open who wrote it.
void draw_answer(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    const ServedText* served = m.view->served.get();
    Message detail;
    if (m.view->asking)
        detail = server_says("answer.coming"_t);
    else if (served)
        detail = provenance_words(m);
    part_title(d, r, server_says("answer.title"_t), detail);
    if (!served || served->pieces.empty())
        return part_slot(d, r, m.view->asking ? server_says("answer.wait"_t) : server_says("answer.send"_t));
    ui::Canvas& canvas = d.ui.canvas;
    canvas.tell(answer_words(m, *served), r);
    const float top = r.y + 46, pitch = 32;
    float x = r.x, y = top;
    for (const ServedPiece& piece : served->pieces) {
        std::string_view rest = piece.text;
        const auto mark = [&](std::string_view bytes) {
            if (bytes.empty()) return;
            const float w = ui::running_width(canvas, bytes);
            if (x + w > r.right() && x > r.x) x = r.x, y += pitch;
            if (y > r.bottom() - 8) return;
            std::optional<Role> role = role_of(*served, piece);
            if (!role && m.plain) role = Role::target;
            (void)ui::running_token(canvas, d.ui.theme, {x, y}, bytes, role);
            x += w;
        };
        for (std::size_t line = rest.find('\n'); line != std::string_view::npos; line = rest.find('\n')) {
            mark(rest.substr(0, line));
            rest.remove_prefix(line + 1);
            x = r.x;
            y += pitch;
        }
        mark(rest);
        if (y > r.bottom() - 8) break;
    }
}

} // namespace

void draw_server_stage(const ServerDraw& d, Rect area) {
    const ServerView& view = *d.model.view;
    if (!d.model.attached() && !d.model.lost()) {
        Message words = server_says("stage.none"_t);
        if (view.state == ServerView::State::probing)
            words = looking_words(view);
        else if (view.state == ServerView::State::failed)
            words = message(as_it_is(view.problem));
        ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y + 8, area.w, std::min(120.0F, area.h - 16)}, words);
        if (view.state == ServerView::State::failed && !view.remedy.empty() && area.h > 190)
            ui::paragraph(d.ui.canvas, {area.x, area.y + 160}, area.w, message(as_it_is(view.remedy)),
                          {.size = 15, .color = d.ui.theme.muted, .max_lines = 3});
        return;
    }
    const float gap = 36;
    if (area.h < 330) { // one row: the names and the answer
        const float half = (area.w - gap) / 2;
        draw_names(d, {area.x, area.y, half, area.h});
        draw_answer(d, {area.x + half + gap, area.y, half, area.h});
        return;
    }
    // The formulas of the names need their room.
    const float upper = std::min(260.0F, (area.h - 24) * 0.46F), left = (area.w - gap) * (area.w > 1100 ? 0.5F : 0.43F),
                lower = area.h - upper - 24;
    const float x = area.x + left + gap, right = area.right() - x, y = area.y + upper + 24;
    draw_curve(d, {area.x, area.y, left, upper});
    draw_names(d, {x, area.y, right, upper});
    draw_places(d, {area.x, y, left, lower});
    draw_answer(d, {x, y, right, lower});
}

void draw_server_details(const ServerDraw& d) {
    const Rect r = d.input.details;
    const ServerModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    float y = r.y + 32;
    const auto line = [&](const Message& words, Font font, ui::Color color) {
        if (y > r.bottom() - 4) return canvas.tell(words, r); // no room: a description is whole
        ui::fitted_text(canvas, {x, y}, words, font, 15, color, w);
        y += 26;
    };
    const auto say = [&](const Message& words, ui::Color color) {
        if (y + 16 > r.bottom()) return canvas.tell(words, r);
        const int room = std::max(1, static_cast<int>((r.bottom() - y) / 20));
        y = ui::paragraph(canvas, {x, y}, w, words, {.size = 14, .color = color, .max_lines = std::min(4, room)}) + 24;
    };
    if (!m.attached() && !m.lost()) {
        line(server_says("details.title"_t), Font::text_bold, theme.ink);
        say(server_says("details.which"_t), theme.muted);
        say(server_says("details.serve"_t), theme.muted);
        return;
    }
    line(server_says("details.server"_t, "server"_v = m.server(), "model"_v = m.model()), Font::text_bold, theme.ink);
    if (!m.view->problem.empty())
        say(server_says("details.problem"_t, "problem"_v = m.view->problem, "remedy"_v = m.view->remedy), theme.role(Role::rejected));
    if (!m.view->watch.empty()) {
        const ServerReading& now = m.view->watch.last();
        line(server_says("details.now"_t, "running"_v = now.running, "waiting"_v = now.waiting, "cache"_v = now.cache_share), Font::text,
             theme.ink);
        line(server_says("details.spent"_t, "first"_v = now.first_token.mean_ms(), "between"_v = now.between_tokens.mean_ms()), Font::text,
             theme.muted);
        if (now.reported_length) line(server_says("details.average"_t, "length"_v = *now.reported_length), Font::text, theme.ink);
    }
    for (const Said& point : server_points(m)) say(server_says("details.point"_t, "point"_v = point), theme.ink);
}

void draw_server_controls(const ServerDraw& d) {
    ui::Ui& ui = d.ui;
    const ServerModel& m = d.model;
    ControlRow row(d.input.controls);
    const auto pressed = [&](const char* id, const Message& label, const ui::ButtonOptions& options = {}) {
        const float width = ui::button_width(ui.canvas, label, options);
        return row.room() > width && ui::button(ui, id, row.place(width), label, options);
    };
    if (m.attached() || m.view->state == ServerView::State::probing) {
        const Message spans[] = {span_words(ServerSpan::start), span_words(ServerSpan::recent), span_words(ServerSpan::request)};
        if (row.room() > ui::segmented_width(ui.canvas, spans)) {
            const Rect at = row.place(ui::segmented_width(ui.canvas, spans));
            ui::field_label(ui, at, server_says("controls.counted"_t));
            if (const auto pick = ui::segmented(ui, "span", {at.x, at.y}, spans, static_cast<int>(m.span)))
                d.state.span = static_cast<ServerSpan>(*pick);
        }
        if (pressed("ask", server_says("controls.ask"_t), {.shortcut = "M", .disabled = why_not_ask(d.input, m)}))
            d.out.emplace_back(ServerOrder(AskServer{request_like(*d.input.settings)}));
        if (pressed("prompt", server_says("controls.prompt"_t))) d.out.emplace_back(EditPrompt{});
        if (pressed("leave", server_says("controls.leave"_t))) d.out.emplace_back(ServerOrder(DetachServer{}));
        return;
    }
    if (!d.state.typed && d.state.address.empty()) d.state.address = m.view->address.empty() ? "http://127.0.0.1:8000" : m.view->address;
    const Message attach = server_says("controls.attach"_t), serve = server_says("controls.serve"_t);
    const float buttons = ui::button_width(ui.canvas, attach) + ui::button_width(ui.canvas, serve);
    const Rect field = row.place(std::max(120.0F, std::min(320.0F, row.room() - buttons - 48)));
    ui::field_label(ui, field, server_says("controls.address"_t));
    const ui::TextFieldResult typed =
        ui::text_field(ui, "address", field, d.state.address, {.mono = true, .max_bytes = 500, .placeholder = "http://127.0.0.1:8000"});
    ui::tooltip(ui, field, server_says("controls.address_about"_t));
    if (typed.changed) d.state.typed = true;
    if (pressed("attach", attach, {.tooltip = server_says("controls.attach_about"_t)}) || typed.submitted)
        d.out.emplace_back(ServerOrder(AttachServer{d.state.address}));
    if (pressed("serve", serve, {.tooltip = server_says("controls.serve_about"_t)})) d.out.emplace_back(ServerOrder(ServeHere{}));
}

} // namespace speclens
