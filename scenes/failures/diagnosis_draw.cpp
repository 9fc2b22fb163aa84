// The picture of the diagnosis game: the waiting room, the figures of one set-up, and the causes to choose
// from.
#include <algorithm>

#include "scenes/failures/diagnosis_model.h"
#include "scenes/shared/measure_charts.h"
#include "ui/format.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using ui::Role;

void figure(ui::Ui& ui, Rect at, const char* label, const std::string& value) {
    ui::fitted_text(ui.canvas, {at.x, at.y + 14}, label, Font::text, 14, ui.theme.muted, at.w);
    ui::fitted_text(ui.canvas, {at.x, at.y + 40}, value, Font::mono, 22, ui.theme.ink, at.w);
}

void figures(ui::Ui& ui, Rect r, const DiagnosisCase& c) {
    const Dashboard& d = c.broken;
    const float w = r.w / 2, h = 54;
    const auto ms = [](double value) { return value > 0 ? ui::milliseconds(value) + " ms" : std::string("–"); };
    figure(ui, {r.x, r.y, w - 16, h}, "tokens per round", ui::number(d.tokens_per_round(), 2));
    figure(ui, {r.x + w, r.y, w - 16, h}, "speed-up", d.speedup > 0 ? (d.doubt ? "~" : "") + ui::speed_up(d.speedup) : "–");
    figure(ui, {r.x, r.y + h, w - 16, h}, "draft, a round", ms(d.draft_ms));
    figure(ui, {r.x + w, r.y + h, w - 16, h}, "verify, a round", ms(d.verify_ms));
    const float top = r.y + 2 * h + 8;
    ui::fitted_text(ui.canvas, {r.x, top + 14},
                    "guesses that stay, by position; rounds with a guess: " + ui::probability(d.rounds_with_guesses()), Font::text, 14,
                    ui.theme.muted, r.w);
    const AcceptanceSeries series[] = {{"set-up", d.judged, d.kept}};
    if (r.bottom() - top - 24 > 70) draw_acceptance(ui, {r.x, top + 22, r.w, r.bottom() - top - 22}, series);
}

// One cause as a line: its words, and after the answer whether it was right.
void judged_cause(ui::Ui& ui, Rect at, const std::string& words, bool right) {
    const ui::Color color = ui.theme.role(right ? Role::accepted : Role::rejected);
    ui.canvas.outline(at, {color, 1.5F}, 4);
    ui::icon(ui.canvas, right ? ui::Icon::check : ui::Icon::cross, {at.x + 18, at.center().y}, 14, color);
    ui::fitted_text(ui.canvas, {at.x + 36, ui::baseline(at.y, at.h, 15)}, words, Font::text, 15, ui.theme.ink, at.w - 48);
}

void causes(ui::Ui& ui, Rect r, const DiagnosisModel& m, DiagnosisState& state) {
    const DiagnosisCase& c = m.now();
    std::string_view heading = "What is the cause?";
    if (c.answer >= 0) heading = c.right() ? "Right" : "Something else";
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
    if (m.cases.empty()) {
        std::string_view why = "run the set-ups first: M";
        if (m.patients.empty())
            why = "no models are loaded";
        else if (m.measuring)
            why = "running the set-ups …";
        ui::slot(ui.canvas, ui.theme, {area.x, area.y + 8, area.w, std::min(180.0F, area.h - 16)}, why);
        return;
    }
    for (int i = 0; i < static_cast<int>(m.cases.size()); ++i) {
        const DiagnosisCase& c = m.cases[static_cast<std::size_t>(i)];
        const Rect at{area.x + 64 * static_cast<float>(i), area.y, 56, 32};
        const std::string name(1, static_cast<char>('A' + i));
        if (ui::button(ui, "case " + name, at, name,
                       {.icon = c.answer < 0 ? ui::Icon::none
                                : c.right()  ? ui::Icon::check
                                             : ui::Icon::cross,
                        .selected = i == m.shown}))
            state.shown = i;
    }
    const float top = area.y + 48, gap = 40, left = area.w * 0.48F;
    figures(ui, {area.x, top, left, area.bottom() - top}, m.now());
    causes(ui, {area.x + left + gap, top, area.w - left - gap, area.bottom() - top}, m, state);
}

} // namespace speclens
