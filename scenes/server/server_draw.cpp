// The picture of a server: a curve over time, the six names, the places, and the last answer.
#include "scenes/server/server_draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/shared/head_scene.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/language/language.h"
#include "ui/plot.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

void part_title(const ServerDraw& d, Rect r, const std::string& words, const std::string& detail = "") {
    ui::Canvas& canvas = d.ui.canvas;
    ui::fitted_text(canvas, {r.x, r.y + 14}, words, Font::text_bold, 15, d.ui.theme.ink, r.w);
    const float after = canvas.text_width(words, Font::text_bold, 15) + 12;
    if (!detail.empty() && r.w - after > 60)
        ui::fitted_text(canvas, {r.x + after, r.y + 14}, detail, Font::text, 14, d.ui.theme.muted, r.w - after);
}

void part_slot(const ServerDraw& d, Rect r, const std::string& words) {
    ui::slot(d.ui.canvas, d.ui.theme, {r.x, r.y + 26, r.w, std::max(28.0F, std::min(80.0F, r.h - 30))}, words);
}

std::string nothing_drafted(const ServerModel& m) {
    return m.plain ? std::string("this server drafts nothing") : std::string("nothing was drafted: ") + span_words(m.span);
}

// The acceptance length of every second; seconds without a round leave a gap.
void draw_curve(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    part_title(d, r, "acceptance length", "between two readings");
    if (m.points.size() < 2) {
        part_slot(d, r, m.view->watch.empty() ? "this server tells no counters" : "two readings, please");
        return;
    }
    if (m.plain) {
        part_slot(d, r, "no drafts: one token a pass of the target");
        return;
    }
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect plot{r.x + 30, r.y + 34, r.w - 40, r.h - 62};
    const double last = m.points.back().seconds, first = std::max(0.0, last - std::max(30.0, static_cast<double>(plot.w) / 8));
    const double top = std::ceil(m.most_acceptance_length + 0.2);
    const ui::Scale x{first, std::max(last, first + 1), plot.x, plot.right()}, y{1, std::max(2.0, top), plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(1, y.hi, plot.h > 110 ? 4 : 2),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(canvas, theme, x, plot.bottom(), ui::ticks(first, x.hi, 5), {.unit = " s"});
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
    part_title(d, r, "one run, six “acceptances”", span_words(m.span));
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    if (m.counts.empty()) {
        part_slot(d, r, nothing_drafted(m));
        return;
    }
    const float pitch = std::min(34.0F, (r.h - 30) / static_cast<float>(m.names.size()));
    const bool formulas = r.w > 500;
    for (std::size_t i = 0; i < m.names.size(); ++i) {
        const float y = r.y + 30 + pitch * static_cast<float>(i) + pitch * 0.5F + 5;
        const AcceptanceName& name = m.names[i];
        canvas.text({r.x + 52, y}, name.value ? ui::number(*name.value, *name.value >= 1.5 ? 2 : 3) : "–", Font::mono, 15, theme.ink,
                    Align::right);
        const float label = r.x + 66, formula = r.x + 66 + 220;
        ui::fitted_text(canvas, {label, y}, name.name, Font::text, 15, theme.ink, formulas ? 214 : r.right() - label);
        if (formulas) ui::fitted_text(canvas, {formula, y}, name.formula, Font::text, 14, theme.muted, r.right() - formula);
    }
}

// Two bars a place: kept of all rounds, and of the rounds that got so far.
void draw_places(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    part_title(d, r, "kept at each place", "bar: all rounds · dot: once there");
    const std::size_t n = m.places.unconditional.size();
    if (n == 0) {
        part_slot(d, r, m.counts.empty() ? nothing_drafted(m) : "no counters by place");
        return;
    }
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const Rect plot{r.x + 34, r.y + 34, r.w - 42, r.h - 62};
    const ui::Scale y{0, 1, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, 1, plot.h > 110 ? 4 : 2), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
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
        if (i % every == 0) canvas.text({middle, plot.bottom() + 20}, std::to_string(i + 1), Font::mono, 14, theme.muted, Align::center);
        ui::tooltip(d.ui, {middle - step / 2, plot.y, step, plot.h},
                    "place " + std::to_string(i + 1) + ": kept in " + ui::probability(of_all) + " of all rounds, " +
                        (std::isnan(once) ? "never reached" : ui::probability(once) + " once all before it were"));
    }
}

// The answer as running text: kept guesses, the target's token after a rejection or as a bonus, and without
// any mark where it is open who wrote it.
void draw_answer(const ServerDraw& d, Rect r) {
    const ServerModel& m = d.model;
    const ServedText* served = m.view->served.get();
    std::string detail;
    if (m.view->asking)
        detail = "answering …";
    else if (served)
        detail = m.plain ? "nothing was guessed: every token is the target's" : provenance_words(served->provenance);
    part_title(d, r, "the last answer", detail);
    if (!served || served->pieces.empty()) {
        part_slot(d, r, m.view->asking ? "waiting for the first token" : "send the prompt: M");
        return;
    }
    ui::Canvas& canvas = d.ui.canvas;
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
        std::string words = "no server yet: type an address below, or serve this engine";
        if (view.state == ServerView::State::probing)
            words = "looking for " + view.address + " …";
        else if (view.state == ServerView::State::failed)
            words = view.problem;
        ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y + 8, area.w, std::min(120.0F, area.h - 16)}, words);
        if (view.state == ServerView::State::failed && !view.remedy.empty() && area.h > 190)
            ui::paragraph(d.ui.canvas, {area.x, area.y + 160}, area.w, view.remedy,
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
    if (r.w <= 0) return;
    const ServerModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    float y = r.y + 32;
    const auto line = [&](const std::string& words, Font font, ui::Color color) {
        if (y > r.bottom() - 4) return;
        ui::fitted_text(canvas, {x, y}, words, font, 15, color, w);
        y += 26;
    };
    const auto say = [&](const std::string& words, ui::Color color) {
        if (words.empty() || y + 16 > r.bottom()) return;
        const int room = std::max(1, static_cast<int>((r.bottom() - y) / 20));
        y = ui::paragraph(canvas, {x, y}, w, words, {.size = 14, .color = color, .max_lines = std::min(4, room)}) + 24;
    };
    if (!m.attached() && !m.lost()) {
        line("A server of yours", Font::text_bold, theme.ink);
        say("vLLM, SGLang and llama-server are understood; vLLM's usual port is 8000, SGLang's 30000, "
            "llama-server's 9931 (8080 before).",
            theme.muted);
        say("“Serve this engine” puts the models of this window behind such an address.", theme.muted);
        return;
    }
    line(m.server() + (m.model().empty() ? "" : ", " + m.model()), Font::text_bold, theme.ink);
    if (!m.view->problem.empty()) say(m.view->problem + (m.view->remedy.empty() ? "" : ". " + m.view->remedy), theme.role(Role::rejected));
    if (!m.view->watch.empty()) {
        const ServerReading& now = m.view->watch.last();
        const auto whole = [](const std::optional<double>& v) { return v ? ui::integer(std::llround(*v)) : std::string("–"); };
        line(whole(now.running) + " running, " + whole(now.waiting) + " waiting" +
                 (now.cache_share ? ", cache " + ui::percent(*now.cache_share) : ""),
             Font::text, theme.ink);
        const auto spent = [](const Spent& s) { return s.mean_ms() ? ui::milliseconds(*s.mean_ms()) + " ms" : std::string("–"); };
        line("first token " + spent(now.first_token) + ", then " + spent(now.between_tokens) + " each (means)", Font::text, theme.muted);
        if (now.reported_length)
            line("acceptance length, by its own average: " + ui::number(*now.reported_length, 2), Font::text, theme.ink);
    }
    for (const std::string& finding : m.findings) say("· " + ui::language().label(capital(finding) + "."), theme.ink);
    for (const std::string& missing : m.view->facts.missing) say("· " + capital(missing) + ".", theme.muted);
    if (m.view->served)
        for (const std::string& note : m.view->served->notes) say("· " + capital(note) + ".", theme.muted);
}

void draw_server_controls(const ServerDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const ServerModel& m = d.model;
    ControlRow row(r);
    if (m.attached() || m.view->state == ServerView::State::probing) {
        const std::string spans[] = {"since its start", "last 10 s", "last request"};
        if (row.room() > ui::segmented_width(ui.canvas, spans)) {
            const Rect at = row.place(ui::segmented_width(ui.canvas, spans));
            ui::field_label(ui, at, "Counted");
            if (const auto pick = ui::segmented(ui, "span", {at.x, at.y}, spans, static_cast<int>(m.span)))
                d.state.span = static_cast<ServerSpan>(*pick);
        }
        const std::string why = why_not_ask(d.input, m);
        const float ask = ui::button_width(ui.canvas, "Send the prompt", {.shortcut = "M"});
        if (row.room() > ask && ui::button(ui, "ask", row.place(ask), "Send the prompt", {.shortcut = "M", .disabled = why}))
            d.out.emplace_back(ServerOrder(AskServer{request_like(*d.input.settings)}));
        const float edit = ui::button_width(ui.canvas, "Prompt…");
        if (row.room() > edit && ui::button(ui, "prompt", row.place(edit), "Prompt…")) d.out.emplace_back(EditPrompt{});
        const float leave = ui::button_width(ui.canvas, "Leave");
        if (row.room() > leave && ui::button(ui, "leave", row.place(leave), "Leave")) d.out.emplace_back(ServerOrder(DetachServer{}));
        return;
    }
    if (!d.state.typed && d.state.address.empty()) d.state.address = m.view->address.empty() ? "http://127.0.0.1:8000" : m.view->address;
    const float attach = ui::button_width(ui.canvas, "Attach"), serve = ui::button_width(ui.canvas, "Serve this engine");
    const Rect field = row.place(std::max(120.0F, std::min(320.0F, row.room() - attach - serve - 48)));
    ui::field_label(ui, field, "Address of a server");
    const ui::TextFieldResult typed =
        ui::text_field(ui, "address", field, d.state.address, {.mono = true, .max_bytes = 500, .placeholder = "http://127.0.0.1:8000"});
    ui::tooltip(ui, field, "Where the server listens: http://, host and port");
    if (typed.changed) d.state.typed = true;
    if ((row.room() > attach && ui::button(ui, "attach", row.place(attach), "Attach", {.tooltip = "Watch the server at this address"})) ||
        typed.submitted)
        d.out.emplace_back(ServerOrder(AttachServer{d.state.address}));
    if (row.room() >= serve && ui::button(ui, "serve", row.place(serve), "Serve this engine",
                                          {.tooltip = "Open an address of its own on this machine, and watch it"}))
        d.out.emplace_back(ServerOrder(ServeHere{}));
}

} // namespace speclens
