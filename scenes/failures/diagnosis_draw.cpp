// The picture of the diagnosis game: the waiting room, the figures of one set-up, and the causes to choose
// from.
#include <algorithm>

#include "scenes/failures/failures_model.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

void figure(ui::Ui& ui, Rect at, const Message& label, const std::string& printed) {
    ui::fitted_text(ui.canvas, {at.x, at.y + 14}, label, Font::text, 14, ui.theme.muted, at.w);
    cell(ui, {at.x, at.y + 40}, printed, at.w, {ui.theme.ink, 22, Font::mono});
}

void figures(ui::Ui& ui, Rect r, const DiagnosisModel& m) {
    const Dashboard& d = m.now().broken;
    const float w = r.w / 2, h = 54;
    const auto ms = [](double value) { return value > 0 ? ui::milliseconds(value) + " ms" : std::string("–"); };
    figure(ui, {r.x, r.y, w - 16, h}, shared_says("words.tokens_per_round"_t), ui::number(d.tokens_per_round(), 2));
    figure(ui, {r.x + w, r.y, w - 16, h}, failures_says("set_up.times"_t),
           d.speedup > 0 ? (d.doubt ? "~" : "") + ui::speed_up(d.speedup) : "–");
    figure(ui, {r.x, r.y + h, w - 16, h}, failures_says("set_up.draft"_t), ms(d.draft_ms));
    figure(ui, {r.x + w, r.y + h, w - 16, h}, failures_says("set_up.verify"_t), ms(d.verify_ms));
    const Rect chart{r.x, r.y + 2 * h + 30, r.w, r.h - 2 * h - 30};
    ui::fitted_text(ui.canvas, {r.x, chart.y - 8}, failures_says("set_up.positions"_t, "share"_v = d.rounds_with_guesses()), Font::text, 14,
                    ui.theme.muted, r.w);
    const AcceptanceSeries series{case_name(m.shown), d.judged, d.kept};
    if (chart.h > 72)
        draw_acceptance(ui, chart, std::span(&series, 1));
    else
        tell_acceptance(ui, chart, series);
}

// One cause as a line: its words, and after the answer whether it was right.
void judged_cause(ui::Ui& ui, Rect at, const Message& words, bool right) {
    const ui::Color color = ui.theme.role(right ? Role::accepted : Role::rejected);
    ui.canvas.outline(at, {color, 1.5F}, 4);
    ui::icon(ui.canvas, right ? ui::Icon::check : ui::Icon::cross, {at.x + 18, at.center().y}, 14, color);
    ui::fitted_text(ui.canvas, {at.x + 36, ui::baseline(at.y, at.h, 15)}, words, Font::text, 15, ui.theme.ink, at.w - 48);
}

void causes(ui::Ui& ui, Rect r, const DiagnosisModel& m, DiagnosisState& state) {
    const DiagnosisCase& c = m.now();
    const Message heading = c.answer < 0 ? failures_says("causes.heading:ask"_t)
                            : c.right()  ? failures_says("causes.heading:right"_t)
                                         : failures_says("causes.heading:wrong"_t);
    ui::fitted_text(ui.canvas, {r.x, r.y + 14}, heading, Font::text_bold, 15, ui.theme.ink, r.w);
    float y = r.y + 26;
    if (c.answer >= 0) {
        if (!c.right()) {
            judged_cause(ui, {r.x, y, r.w, 36}, m.patients[static_cast<std::size_t>(c.answer)].cause, false);
            y += 42;
        }
        judged_cause(ui, {r.x, y, r.w, 36}, m.ill().cause, true);
        y += 42;
        ui::paragraph(ui.canvas, {r.x, y + 22}, r.w, diagnosis_verdict(m),
                      {.size = 15, .color = ui.theme.ink, .max_lines = std::max(1, static_cast<int>((r.bottom() - y - 8) / 24))});
        return;
    }
    const float pitch = std::min(44.0F, (r.bottom() - y) / static_cast<float>(m.patients.size()));
    for (std::size_t i = 0; i < m.patients.size(); ++i) {
        const Rect at{r.x, y + pitch * static_cast<float>(i), r.w, std::min(36.0F, pitch - 4)};
        const std::string number = std::to_string(i + 1);
        const bool typed = i < 9 && ui.take_key(static_cast<ui::Key>(static_cast<int>(ui::Key::d1) + static_cast<int>(i)));
        if (!ui::button(ui, "cause " + number, at, m.patients[i].cause, {.shortcut = number}) && !typed) continue;
        state.answers.resize(std::max(state.answers.size(), m.cases.size()), -1);
        state.answers[static_cast<std::size_t>(m.shown)] = static_cast<int>(i);
    }
}

} // namespace

void draw_diagnosis(ui::Ui& ui, Rect area, const DiagnosisModel& m, DiagnosisState& state) {
    if (!m.patients.empty())
        ui.canvas.tell(failures_says("causes.all"_t, "causes"_v = each_said(m.patients, [](const Patient& one) { return one.cause; })),
                       area);
    if (m.cases.empty()) {
        const Message why = m.patients.empty() ? failures_says("causes.slot:no_models"_t)
                            : m.measuring      ? failures_says("game.subtitle:running"_t)
                                               : failures_says("causes.slot:first"_t);
        ui::slot(ui.canvas, ui.theme, {area.x, area.y + 8, area.w, std::min(180.0F, area.h - 16)}, why);
        return;
    }
    for (int i = 0; i < static_cast<int>(m.cases.size()); ++i) {
        const DiagnosisCase& c = m.cases[static_cast<std::size_t>(i)];
        const Rect at{area.x + 64 * static_cast<float>(i), area.y, 56, 32};
        const std::string name(1, static_cast<char>('A' + i));
        if (ui::button(ui, "case " + name, at, failures_says("set_up.letter"_t, "letter"_v = name),
                       {.icon = c.answer < 0 ? ui::Icon::none
                                : c.right()  ? ui::Icon::check
                                             : ui::Icon::cross,
                        .selected = i == m.shown}))
            state.shown = i;
        ui.canvas.tell(case_words(m, i), at);
        if (i != m.shown) tell_acceptance(ui, at, {case_name(i), c.broken.judged, c.broken.kept});
    }
    const float top = area.y + 48, gap = 40, left = area.w * 0.48F;
    figures(ui, {area.x, top, left, area.bottom() - top}, m);
    causes(ui, {area.x + left + gap, top, area.w - left - gap, area.bottom() - top}, m, state);
}

} // namespace speclens
