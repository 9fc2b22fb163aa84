#include "scenes/shared/head_scene.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/speedup_model.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

void draw_nothing(const SceneInput& input, ui::Ui& ui, const HeadFrame& scene, std::vector<SceneCommand>& out) {
    const ui::Rect r = input.details;
    if (r.w > 0) {
        float y = r.y + 32;
        if (!scene.details_title.empty()) {
            ui.canvas.text({r.x + 24, y}, scene.details_title, ui::Font::text_bold, 15, ui.theme.ink);
            y += 32;
        }
        const auto what = "what"_v = scene.details;
        const Message words = scene.model.empty != HeadModel::Empty::other_drafter || scene.model.coming
                                  ? shared_says("head.details:later"_t, what)
                                  : shared_says("head.details:other"_t, what, "drafter"_v = scene.title);
        ui::paragraph(ui.canvas, {r.x + 24, y}, r.w - 48, words, {.color = ui.theme.muted});
    }
    draw_run_controls(input, ui, out);
}

bool measures(const Story& story) {
    const auto* command = story.on_task.empty() ? nullptr : std::get_if<Command>(&story.on_task.front());
    return command && std::holds_alternative<RunStudy>(*command);
}

Message drafting_words(const std::string& drafter) {
    return shared_says("head.drafts"_t, "drafter"_v = drafter == kNoDrafter ? "" : drafter);
}

// Beside the picture of a round that this head did not draft in the run: what it is, and how it would.
void draw_other_round(const SceneInput& input, const SceneInput& seen, ui::Ui& ui, const HeadFrame& scene, std::vector<SceneCommand>& out) {
    const Message change = shared_says("head.run_with"_t, "drafter"_v = scene.title);
    Story story = scene.story;
    if (!measures(story)) story.on_task = {draft_with(*input.settings, scene.drafter)};
    if (ui.take_key(ui::Key::u)) out.push_back(draft_with(*input.settings, scene.drafter));
    draw_story(seen, ui, story, out);
    draw_run_controls(input, ui, out);
    const ui::Rect r = input.details;
    if (r.w <= 0) return;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(ui.canvas, {x, r.y + 32}, shared_says("head.other_round"_t), ui::Font::text_bold, 15, ui.theme.ink, w);
    const Message words =
        shared_says("head.guest"_t, "drafts"_v = drafting_words(scene.model.instead_of), "drafter"_v = scene.title,
                    "round"_v = scene.model.round->round + 1, "k"_v = seen.settings->k != input.settings->k ? seen.settings->k : 0);
    const float end = ui::paragraph(ui.canvas, {x, r.y + 64}, w, words, {.color = ui.theme.muted});
    const ui::ButtonOptions options{.kind = ui::ButtonKind::primary, .shortcut = "U"};
    if (end + 40 > r.bottom()) return;
    if (ui::button(ui, "switch", {x, end + 4, ui::button_width(ui.canvas, change, options), 36}, change, options))
        out.push_back(draft_with(*input.settings, scene.drafter));
}

} // namespace

bool find_round(HeadModel& model, const SceneInput& input, const char* drafter) {
    using Empty = HeadModel::Empty;
    model.header = input.whole->header;
    model.empty = !model.header ? Empty::no_run : model.header->drafter != drafter ? Empty::other_drafter : Empty::no;
    if (model.empty == Empty::other_drafter) {
        model.no_other_round = no_other_round(input, drafter);
        model.coming = OtherRound(input, drafter).wish().has_value();
    }
    if (model.empty != Empty::no) return false;
    model.greedy = model.header->sampling.temperature == 0;
    model.round = shown_round(input);
    if (model.guesses() == 0) {
        model.empty = Empty::no_round;
        return false;
    }
    model.anchor = anchor_of(*input.whole, *model.round);
    model.draft_ms = model.round->draft_ms;
    model.verify_ms = model.round->verify_ms;
    for (int i = 1; i < model.guesses(); ++i) model.further_ms += model.slot(i).ms / (model.guesses() - 1);
    const Internals& first = model.slot(0).draft->internals;
    model.internals = !first.empty();
    for (const Internals::Strip& strip : first.strips)
        if (strip.tap()) model.taps.push_back(&strip);
    model.instead_of = instead_of(input);
    return true;
}

void choose_guess(HeadModel& model, const SceneInput& input, int usual) {
    model.chosen = input.selected && input.selected->round == model.round->round;
    model.selected = std::clamp(model.chosen ? input.selected->index : usual, 0, model.guesses() - 1);
}

Message head_conditions(const SceneInput& seen, const HeadModel& m, HeadGuess guess) {
    const bool step = guess == HeadGuess::step;
    return shared_says("head.conditions"_t,
                       "instead_of"_v = m.instead_of == kNoDrafter ? shared_says("words.plain"_t) : Message(m.instead_of),
                       "round"_v = m.round->round + 1, "step"_v = step, "at"_v = m.selected + 1, "of"_v = m.guesses(), "k"_v = m.header->k,
                       "greedy"_v = m.greedy, "temperature"_v = m.header->sampling.temperature, "seed"_v = m.header->seed,
                       "anchor"_v = step ? Message() : word(seen, m.anchor));
}

Message other_drafter_words(const HeadModel& m, const std::string& title, const Message& where) {
    const Message drafts = drafting_words(m.header->drafter);
    if (!m.no_other_round.empty())
        return shared_says("head.no_guest"_t, "drafts"_v = drafts, "drafter"_v = title, "why"_v = m.no_other_round);
    if (m.coming) return shared_says("head.coming"_t, "drafts"_v = drafts, "drafter"_v = title);
    return shared_says("head.elsewhere"_t, "drafts"_v = drafts, "drafter"_v = title, "what"_v = where);
}

void stand_in(Story& story, const HeadModel& m, const std::string& title) {
    if (m.instead_of.empty()) return;
    story.what_if.clear();
    if (measures(story)) return;
    story.task = shared_says("head.task"_t, "drafter"_v = title);
    story.task_done = false;
    story.on_task.clear(); // the run itself knows its settings
}

void draw_head_scene(const SceneInput& input, const SceneInput& seen, ui::Ui& ui, const HeadFrame& scene,
                     const std::function<void()>& stage, std::vector<SceneCommand>& out) {
    const HeadModel::Empty empty = scene.model.empty;
    if (input.stage.w > 0) {
        ui.push_clip(input.stage_clip);
        draw_stage_title(seen, ui, scene.heading);
        if (empty == HeadModel::Empty::no)
            stage();
        else
            draw_other_drafter(input, ui, {scene.drafter, scene.title, scene.empty_words, empty == HeadModel::Empty::other_drafter}, out);
        ui.pop_clip();
    }
    if (empty == HeadModel::Empty::other_drafter)
        for (const ui::Key key : {ui::Key::left, ui::Key::right}) (void)ui.take_key(key); // no beat to see
    if (!scene.model.instead_of.empty()) return draw_other_round(input, seen, ui, scene, out);
    draw_story(input, ui, scene.story, out);
    if (empty != HeadModel::Empty::no) draw_nothing(input, ui, scene, out);
}

KeyRows working_keys(ShownHead shown, const std::string& title, KeyRows own) {
    const KeyRows change{{"U", shared_says("head.draft_with"_t, "drafter"_v = title)}};
    if (shown.other_round) { // what does not begin a branch of the run
        std::erase_if(own, [](const auto& row) { return row.first != "↑ ↓" && row.first != "M" && row.first != "C"; });
        own.push_back(change.front());
        return own;
    }
    if (shown.empty == HeadModel::Empty::no) return own;
    return shown.empty == HeadModel::Empty::other_drafter ? change : KeyRows{};
}

void take_guess_keys(ui::Ui& ui, const HeadModel& model, std::vector<SceneCommand>& out) {
    if (model.guesses() == 0) return;
    const auto choose = [&](int i) { out.push_back(Select{Position{model.round->round, std::clamp(i, 0, model.guesses() - 1)}}); };
    if (ui.take_key(ui::Key::up)) choose(model.selected - 1);
    if (ui.take_key(ui::Key::down)) choose(model.selected + 1);
}

Message fate_words(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return shared_says("guess.fate:kept"_t);
    case DraftSlot::State::rejected: return shared_says("guess.fate:refused"_t);
    case DraftSlot::State::discarded: return shared_says("guess.fate:behind"_t);
    case DraftSlot::State::drafted: break;
    }
    return shared_says("guess.fate:open"_t);
}

std::vector<Said> shares_said(const SceneInput& input, const TopEntries& top, std::span<const int> ids) {
    return each_said(ids, [&](int id) { return shared_says("guess.share"_t, "token"_v = word(input, id), "p"_v = listed(top, id)); });
}

std::vector<Said> shares_said(const SceneInput& input, const TopEntries& top, std::size_t most) {
    std::vector<int> ids;
    for (const TopEntries::Entry& entry : top.entries)
        if (ids.size() < most) ids.push_back(entry.id);
    return shares_said(input, top, ids);
}

Message guessed_words(const SceneInput& input, const DraftSlot& slot, std::vector<Said> distribution, bool verdict) {
    return shared_says("guess.told"_t, "distribution"_v = std::move(distribution), "token"_v = word(input, slot.draft->token),
                       "id"_v = slot.draft->token, "fate"_v = verdict ? fate_words(slot.state) : Message());
}

std::vector<float> shared_widths(const std::vector<float>& wanted, float least, float room) {
    std::vector<float> widest = wanted, widths;
    std::ranges::sort(widest, std::greater<>());
    float left = room, level = 0; // what those get whose words need less
    for (std::size_t i = 0; i < widest.size(); ++i) {
        level = left / static_cast<float>(widest.size() - i);
        if (widest[i] <= level) break;
        left -= widest[i];
    }
    if (level >= least) {
        for (const float w : wanted) widths.push_back(std::max(w, level));
        return widths;
    }
    float beyond = 0;
    for (const float w : wanted) beyond += std::max(0.0F, w - least);
    const float rest = std::max(0.0F, room - least * static_cast<float>(wanted.size()));
    for (const float w : wanted) widths.push_back(least + std::max(0.0F, w - least) * rest / std::max(1.0F, beyond));
    return widths;
}

GuessColumns guess_columns(ui::Rect stage, const HeadModel& model, ColumnSizes sizes, const std::function<float(int)>& wanted) {
    GuessColumns g;
    g.gutter = stage.x + 24;
    float x = stage.x + 136;
    const float room = stage.right() - 24 - x + sizes.gap;
    const int total = std::max(1, model.guesses());
    g.count = std::clamp(static_cast<int>(room / sizes.least), 1, total);
    if (g.count < total && sizes.of_some > 0) g.count = std::max(1, static_cast<int>(room / sizes.of_some));
    const float pitch = std::min(sizes.most, std::floor(room / static_cast<float>(g.count)));
    g.first = std::clamp(model.selected - g.count / 2, 0, total - g.count);
    std::vector<float> words;
    for (int i = g.first; i < g.first + g.count; ++i) words.push_back(wanted ? wanted(i) + sizes.gap : pitch);
    const float least = std::min(pitch, 0.8F * sizes.least);
    for (const float one : shared_widths(words, least, pitch * static_cast<float>(g.count))) {
        g.lefts.push_back(x);
        g.widths.push_back(std::floor(one) - sizes.gap);
        x += std::floor(one);
    }
    return g;
}

void row_name(ui::Ui& ui, const GuessColumns& columns, float y, const Message& words, const Message& detail) {
    ui::fitted_text(ui.canvas, {columns.gutter, y}, words, ui::Font::text_bold, 15, ui.theme.ink, 102);
    if (!detail.empty()) ui::fitted_text(ui.canvas, {columns.gutter, y + 18}, detail, ui::Font::text, 14, ui.theme.muted, 102);
}

void columns_shown(ui::Ui& ui, const GuessColumns& columns, float y, int guesses) {
    if (columns.count >= guesses) return;
    ui::fitted_text(
        ui.canvas, {columns.gutter, y},
        shared_says("guess.columns"_t, "first"_v = columns.first + 1, "last"_v = columns.first + columns.count, "of"_v = guesses),
        ui::Font::mono, 14, ui.theme.muted, columns.left() - columns.gutter - 12);
}

bool guess_band(ui::Ui& ui, const HeadModel& model, int i, ui::Rect band, std::vector<SceneCommand>& out) {
    const bool selected = i == model.selected;
    if (choosable(ui, "guess " + std::to_string(i), band, selected, kGuessColumn)) out.push_back(Select{Position{model.round->round, i}});
    return selected;
}

void draw_token_share(const SceneInput& input, ui::Ui& ui, ui::Vec2 at, float width, int id, std::optional<double> p, const ShareRow& row) {
    ui::Canvas& canvas = ui.canvas;
    const std::string label = ui::fit_token(canvas, label_of(*input.trace, id), 15, width - row.right - row.left);
    ui::token_text(canvas, {at.x + row.left, at.y + 13}, label, 15, row.ink);
    canvas.print({at.x + width, at.y + 13}, p ? ui::probability(*p) : shared_says("guess.below"_t).words(), ui::Font::mono, 14, row.ink,
                 ui::Align::right);
    const ui::Rect bar{at.x, at.y + 17, std::max(2.0F, row.whole * static_cast<float>(p.value_or(0))), 4};
    if (row.hollow)
        canvas.outline(bar, {ui.theme.role(ui::Role::draft), 1}, 1);
    else
        canvas.fill(bar, ui.theme.role(ui::Role::draft), 1);
}

void draw_shares(const SceneInput& input, ui::Ui& ui, ui::Vec2 at, float width, const TopEntries& top, int rows) {
    if (top.entries.empty())
        return ui.canvas.print({at.x, at.y + 13}, shared_says("guess.no_rows"_t).words(), ui::Font::text, 14, ui.theme.muted);
    for (int e = 0; e < rows && e < static_cast<int>(top.entries.size()); ++e, at.y += 23) {
        const TopEntries::Entry& entry = top.entries[static_cast<std::size_t>(e)];
        draw_token_share(input, ui, at, width, entry.id, std::exp(entry.logp), {e == 0 ? ui.theme.ink : ui.theme.muted, width});
    }
}

void plot_shares(const SceneInput& input, ui::Ui& ui, ui::Rect plot, const Message& name, const TopEntries& top) {
    ui::plotted(ui.canvas, plot, ui::PlotMark::rows, name, top.entries, [&](const TopEntries::Entry& entry) {
        return ui::PlotDatum{.x = std::exp(entry.logp), .label = label_of(*input.trace, entry.id)};
    });
}

void draw_guess(const SceneInput& input, ui::Ui& ui, const DraftSlot& slot, ui::Rect draft, ui::Rect verdict, bool selected) {
    const std::string label = label_of(*input.trace, slot.draft->token);
    ui::chip(ui.canvas, ui.theme, draft, label, {.role = ui::Role::draft, .selected = selected});
    if (verdict.w <= 0) return;
    if (slot.state == DraftSlot::State::drafted) return ui::slot(ui.canvas, ui.theme, verdict, {});
    ui::chip(ui.canvas, ui.theme, verdict, label, {.role = role_of(slot.state)});
}

void part_box(ui::Ui& ui, ui::Rect box, ui::Role whose) {
    ui.canvas.fill(box, ui.theme.panel, 4);
    ui.canvas.outline(box, {ui.theme.role(whose), 1.5F}, 4);
}

void goes_on(ui::Ui& ui, const GuessColumns& columns, int i, float from, float to) {
    if (i + 1 >= columns.first + columns.count) return;
    const float right = columns.x(i) + columns.width(i), turn = right + 16;
    const ui::Stroke stroke{ui.theme.role(ui::Role::draft), 1.5F, 4, 3};
    ui.canvas.line({right + 2, from}, {turn, from}, stroke);
    ui.canvas.line({turn, from}, {turn, to}, stroke);
    ui::arrow(ui.canvas, {turn, to}, {columns.x(i + 1) - 2, to}, {ui.theme.role(ui::Role::draft), 1.5F}, 6);
}

Message passes_words(const HeadModel& m) {
    if (!m.timed()) return shared_says("head.clock:none"_t);
    return shared_says("head.clock:told"_t, "draft"_v = m.draft_ms, "passes"_v = m.guesses(), "verify"_v = m.verify_ms,
                       "further"_v = if_measured(m.further_ms));
}

void draw_passes(ui::Ui& ui, ui::Rect lane, const HeadModel& m) {
    std::vector<ui::Segment> parts;
    double at = 0;
    for (int i = 0; i < m.guesses(); ++i) {
        parts.push_back({at, m.slot(i).ms, ui::Role::draft, std::to_string(i + 1), "", 1, false, true});
        at += m.slot(i).ms;
    }
    parts.push_back({m.draft_ms, m.verify_ms, ui::Role::target, shared_says("head.clock:verify"_t), ui::number(m.verify_ms, 2)});
    const ui::Scale scale{0, m.draft_ms + m.verify_ms, lane.x, lane.right()};
    ui::gantt_lane(ui.canvas, ui.theme, scale, lane.y, lane.h, parts, 1.5F, ui.input.mouse);
}

void draw_kept_details(ui::Ui& ui, ui::Rect r, const Message& title, const AcceptanceSeries& series, float below) {
    const float x = r.x + 24, w = r.w - 48, foot = r.bottom() - below;
    ui::fitted_text(ui.canvas, {x, r.y + 32}, title, ui::Font::text_bold, 15, ui.theme.ink, w);
    if (series.judged.empty()) {
        ui::paragraph(ui.canvas, {x, r.y + 64}, w, shared_says("head.details:none"_t), {.color = ui.theme.muted});
        return;
    }
    if (r.h > 150)
        draw_acceptance(ui, {x, r.y + 48, w, foot - 44 - r.y - 48}, std::span(&series, 1));
    else
        tell_acceptance(ui, r, series);
    ui::fitted_text(ui.canvas, {x, foot - 20}, shared_says("head.details:under"_t, "rounds"_v = series.judged[0]), ui::Font::text, 14,
                    ui.theme.muted, w);
}

void guess_stepper(ui::Ui& ui, const HeadModel& model, const Message& label, ControlRow& row, std::vector<SceneCommand>& out) {
    const ui::Rect at = row.place(140);
    ui::field_label(ui, at, label);
    if (const auto to = ui::stepper(ui, "guess", at, model.selected + 1,
                                    {.low = 1,
                                     .high = static_cast<double>(model.guesses()),
                                     .text = shared_says("guess.at"_t, "at"_v = model.selected + 1, "of"_v = model.guesses()),
                                     .tooltip = shared_says("guess.keys"_t)}))
        out.push_back(Select{Position{model.round->round, static_cast<int>(*to) - 1}});
}

void guesses_slider(const SceneInput& input, ui::Ui& ui, const HeadModel& model, int most, ControlRow& row,
                    std::vector<SceneCommand>& out) {
    const ui::Rect at = row.place(220);
    const int k = input.settings ? input.settings->k : model.guesses();
    ui::field_label(ui, at, shared_says("guess.k"_t, "k"_v = k));
    const auto to = ui::slider(ui, "gamma", {at.x, at.y + 8, at.w, 20}, k, 1, most, {.step = 1, .disabled = no_models(input)});
    if (!to || !input.settings) return;
    if (const int wanted = std::clamp(static_cast<int>(*to + 0.5), 1, most); wanted != k)
        out.push_back(Command{Restart{with_draft_length(*input.settings, wanted)}});
}

void measure_button(const SceneInput& input, ui::Ui& ui, const MeasureButton& button, const RunStudy& study, ControlRow& row,
                    std::vector<SceneCommand>& out) {
    const Study* now = study_named(input, study.name);
    Message why = no_models(input);
    if (why.empty() && study.runs.empty() && study.name == kSpeedupStudy) why = untimed_passes(input);
    if (why.empty() && study.runs.empty()) why = shared_says("words.no_drafter"_t);
    const bool measures = now && !now->complete();
    const ui::Rect at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    if (measures) {
        const auto done = static_cast<double>(now->points.size()), all = static_cast<double>(now->planned);
        ui::field_label(ui, at, shared_says("words.measured_runs"_t, "done"_v = now->points.size(), "runs"_v = now->planned));
        ui.canvas.fill({at.x, at.bottom() + 4, at.w, 3}, ui.theme.line, 1.5F);
        ui.canvas.fill({at.x, at.bottom() + 4, at.w * static_cast<float>(done / std::max(1.0, all)), 3}, ui.theme.ink, 1.5F);
        if (ui::button(ui, button.id, at, shared_says("words.stop"_t), {.shortcut = "Esc", .tooltip = shared_says("words.stop_about"_t)}))
            out.push_back(Command{Cancel{}});
        return;
    }
    ui::field_label(ui, at, button.label);
    if (ui::button(ui, button.id, at, shared_says("words.measure"_t),
                   {.shortcut = button.key, .tooltip = shared_says("words.measure_about"_t), .disabled = why}))
        out.push_back(Command{study});
}

Message no_models(const SceneInput& input) { return models_loaded(input) ? Message() : shared_says("words.no_models"_t); }

bool shows_or_will(const SceneInput& input, const HeadModel& model, const std::string& drafter) {
    return model.empty == HeadModel::Empty::no || (input.settings && input.settings->drafter == drafter && drafter_ready(input, drafter));
}

} // namespace speclens
