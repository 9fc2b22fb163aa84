// The quiz: one question with its choices, what was right and why, and the scene that shows it.

#include "app/frame/popups.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr float kLine = 24, kPad = 12;

float choice_height(const FrameDraw& d, float width, const std::string& words) {
    return static_cast<float>(ui::paragraph_lines(d.ui.canvas, width - 108, words, {})) * kLine + 2 * kPad;
}

// "Question 3 of 24", and how a room votes or voted.
Message heading_of(const QuizRound& round, const QuizQuestion& q) {
    const auto at = "at"_v = round.at() + 1;
    const auto of = "of"_v = round.questions();
    if (round.given() < 0) return frame_says("question.at:open"_t, at, of);
    return frame_says("question.at:answered"_t, at, of, "hands"_v = round.hands(),
                      "right"_v = round.hands() > 0 ? round.hands(q.answer) : 0);
}

// One choice; whether it was taken.
bool draw_choice(const FrameDraw& d, Rect box, int index, const QuizQuestion& q) {
    const QuizRound& round = d.state.quiz;
    const int given = round.given();
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const bool open = given < 0;
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("choice " + std::to_string(index)), box, {.focusable = open, .grow = false});
    if (touched.hovered && open) c.fill(box, t.raised, 6);
    const bool right = index == q.answer, taken = index == given;
    const bool marked = !open && (right || taken);
    c.outline(box, {marked ? (right ? t.role(ui::Role::accepted) : t.role(ui::Role::rejected)) : t.line, marked ? 2.0F : t.edge_width}, 6);
    if (touched.focused) ui::focus_ring(c, t, box, 6);
    const std::string letter(1, static_cast<char>('A' + index));
    c.text({box.x + 16, box.y + kPad + 17}, letter, Font::mono, 15, t.muted);
    ui::paragraph(c, {box.x + 44, box.y + kPad + 17}, box.w - 108, q.choices[static_cast<std::size_t>(index)],
                  {.color = open || marked ? t.ink : t.muted});
    if (const int hands = round.hands(), here = hands > 0 ? round.hands(index) : 0; hands > 0) {
        const float share = static_cast<float>(here) / static_cast<float>(hands);
        c.fill({box.x + 8, box.bottom() - 6, (box.w - 16) * share, 3}, t.muted, 1.5F);
        c.text({box.right() - (marked ? 36 : 16), box.y + kPad + 17}, std::to_string(here), Font::mono, 15, t.ink, ui::Align::right);
    }
    if (marked)
        c.text({box.right() - 16, box.y + kPad + 17}, right ? "✓" : "✕", Font::text_bold, 17,
               right ? t.role(ui::Role::accepted) : t.role(ui::Role::rejected), ui::Align::right);
    return open && touched.clicked;
}

} // namespace

float quiz_height(const FrameDraw& d, float width) {
    if (!d.input.quiz || d.input.quiz->empty() || !d.state.quiz.running()) return 0;
    const QuizQuestion& q = (*d.input.quiz)[d.state.quiz.at()];
    const float w = width - 48;
    float h = 64 + static_cast<float>(ui::paragraph_lines(d.ui.canvas, w, q.question, {.size = 17})) * 24 + 8;
    for (const std::string& choice : q.choices) h += choice_height(d, w, choice) + 8;
    // Room for the reason from the beginning, so that nothing moves when it appears.
    return h + static_cast<float>(ui::paragraph_lines(d.ui.canvas, w, q.why, {})) * kLine + 20 + 60;
}

void draw_quiz(const FrameDraw& d, Rect box, bool& close) {
    if (!d.input.quiz || d.input.quiz->empty() || !d.state.quiz.running()) return;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    QuizRound& round = d.state.quiz;
    const QuizQuestion& q = (*d.input.quiz)[round.at()];
    const float x = box.x + 24, w = box.w - 48;
    ui::fitted_text(c, {x, box.y + 32}, heading_of(round, q), Font::text, 14, t.muted, w - 110);
    if (round.answered() > 0)
        c.text({box.right() - 24, box.y + 32},
               frame_says("question.right"_t, "right"_v = round.right(*d.input.quiz), "of"_v = round.answered()), Font::text, 14, t.muted,
               ui::Align::right);
    const float below = box.bottom() - 60;
    const Rect view{box.x, box.y + 44, box.w, below - box.y - 44};
    const float up = ui::begin_scroll(d.ui, "quiz", view, quiz_height(d, box.w) - 104);
    float y = ui::paragraph(c, {x, box.y + 68 - up}, w, q.question, {.font = Font::text_bold, .size = 17, .color = t.ink, .leading = 24});
    y += 2;
    const int given = round.given();
    for (int i = 0; i < static_cast<int>(q.choices.size()); ++i) {
        const float h = choice_height(d, w, q.choices[static_cast<std::size_t>(i)]);
        const auto key = static_cast<ui::Key>(static_cast<int>(ui::Key::a) + i);
        const auto digit = static_cast<ui::Key>(static_cast<int>(ui::Key::d1) + i);
        while (d.ui.take_key(key, {.shift = true})) round.add_hand(i); // as many as within one frame
        if (draw_choice(d, {x, y - 14, w, h}, i, q) || d.ui.take_key(key) || d.ui.take_key(digit)) round.answer(i);
        y += h + 8;
    }
    if (given >= 0) ui::paragraph(c, {x, y + 6}, w, q.why, {.color = t.ink});
    ui::end_scroll(d.ui);
    const SceneInfo* scene = find_scene(q.scene);
    if (given >= 0 && scene &&
        ui::button(d.ui, "show", {x, below + 8, 220, 36}, frame_says("term.show"_t, "scene"_v = message(scene->title)),
                   {.icon = ui::Icon::play})) {
        d.out.push_back(SceneCommand{OpenScene{q.scene}});
        if (q.beat > 0) d.out.push_back(SceneCommand{SetBeat{q.beat - 1}});
        close = true;
    }
    if (ui::button(d.ui, "next", {box.right() - 24 - 120, below + 8, 120, 36},
                   given >= 0 ? frame_says("question.next"_t) : frame_says("question.skip"_t),
                   {.kind = given >= 0 ? ui::ButtonKind::primary : ui::ButtonKind::normal}) ||
        d.ui.take_key(ui::Key::enter) || d.ui.take_key(ui::Key::right) || d.ui.take_key(ui::Key::page_down))
        round.go(1);
    if (d.ui.take_key(ui::Key::backspace)) round.no_hands();
    if (d.ui.take_key(ui::Key::left) || d.ui.take_key(ui::Key::page_up)) round.go(-1);
}

} // namespace speclens
