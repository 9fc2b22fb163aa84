#include "app/frame/frame.h"

#include <algorithm>

#include "app/frame/frame_source.h"
#include "app/frame/term_canvas.h"
#include "engine/doctor/variants.h"
#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/shown_work.h"
#include "scenes/shared/story.h"
#include "ui/format.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

void ground(const FrameDraw& d) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const FrameLayout& l = d.layout;
    c.fill({0, 0, d.ui.screen.w, d.ui.screen.h}, t.bg);
    const auto panel = [&](Rect r) {
        if (r.w > 0) c.fill(r, t.panel);
    };
    panel(l.menu);
    panel(l.rail);
    panel(l.timeline);
    if (l.density == Density::full || l.strip) panel(l.story);
    if (l.density == Density::full) {
        panel(l.details);
        panel(l.controls);
    }
}

void dividers(const FrameDraw& d) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Stroke line = d.ui.theme.hairline();
    const FrameLayout& l = d.layout;
    const auto below = [&](Rect r) {
        if (r.w > 0) c.line({r.x, r.bottom() - 0.5F}, {r.right(), r.bottom() - 0.5F}, line);
    };
    const auto above = [&](Rect r) {
        if (r.w > 0) c.line({r.x, r.y + 0.5F}, {r.right(), r.y + 0.5F}, line);
    };
    below(l.menu);
    if (l.rail.w > 0) c.line({l.rail.right() - 0.5F, l.rail.y}, {l.rail.right() - 0.5F, l.rail.bottom()}, line);
    above(l.ribbon);
    above(l.timeline);
    above(l.status);
    if (l.density == Density::full && l.story.w > 0) {
        c.line({l.story.x + 0.5F, l.story.y}, {l.story.x + 0.5F, l.details.bottom()}, line);
        below(l.story);
        above(l.controls);
    }
    if (l.strip) above(l.story);
}

// Drawers lie on the stage; their ground is drawn before the scene fills them.
void drawers(const FrameDraw& d) {
    if (d.layout.density != Density::compact) return;
    for (const Rect& r : {d.layout.details, d.layout.controls}) {
        if (r.w <= 0) continue;
        d.ui.canvas.fill(r, d.ui.theme.panel);
        d.ui.canvas.outline(r, d.ui.theme.hairline());
    }
}

// In the place of the title: what happened and what to try, on a second line where both are too long for one.
bool draw_banner(const FrameDraw& d, std::string_view name, Rect bar, const Problem& problem) {
    constexpr float kSize = 14, kLine = 18, kLeast = 120; // px
    const ui::Theme& t = d.ui.theme;
    ui::Canvas& c = d.ui.canvas;
    const ui::Color color = t.role(ui::Role::rejected);
    c.fill(bar, t.panel, 6);
    c.fill(bar, color.alpha(t.tint_amount), 6);
    c.outline(bar, {color, std::max(1.5F, t.edge_width)}, 6);
    ui::icon(c, ui::Icon::cross, {bar.x + 22, bar.center().y}, 14, color);
    bool clicked = false;
    float right = bar.right() - 12;
    if (!problem.action.empty()) {
        const float width = ui::button_width(c, problem.action);
        right -= width;
        clicked = ui::button(d.ui, name, {right, bar.y + 6, width, 32}, problem.action);
        right -= 16;
    }
    const float x = bar.x + 40, w = right - x, behind = 12;
    const std::string head = ui::fit(c, problem.what, ui::Font::text_bold, kSize, w);
    const float used = c.printed_width(head, ui::Font::text_bold, kSize) + behind;
    // The remedy begins behind the head where it has room and goes on below.
    const std::string& remedy = problem.remedy;
    std::string_view beside;
    if (const auto lines = ui::wrap(c, remedy, ui::Font::text, kSize, std::max(1.0F, w - used)); w - used > kLeast && !lines.empty())
        beside = lines[0];
    const std::size_t from = std::min(remedy.size(), remedy.find_first_not_of(' ', beside.size()));
    const std::string below = ui::fit_printed(c, remedy.substr(from), ui::Font::text, kSize, w);
    const float base = ui::baseline(bar.y, bar.h, kSize) - (below.empty() ? 0 : kLine / 2);
    c.print({x, base}, head, ui::Font::text_bold, kSize, t.ink);
    if (!beside.empty()) c.print({x + used, base}, beside, ui::Font::text, kSize, t.ink);
    if (!below.empty()) c.print({x, base + kLine}, below, ui::Font::text, kSize, t.ink);
    if (head != problem.what || below != remedy.substr(from)) ui::tooltip(d.ui, bar, problem.what + "\n" + remedy);
    return clicked;
}

// A question with its two answers, in the place of the banner and as high as its words need.
void draw_offer(const FrameDraw& d, Rect bar) {
    constexpr float kSize = 14, kLine = 18, kButton = 32, kBetween = 8;
    const ui::Theme& t = d.ui.theme;
    ui::Canvas& c = d.ui.canvas;
    const float buttons = ui::button_width(c, frame_says("buttons.not_now"_t)) + kBetween + ui::button_width(c, d.input.offer.yes);
    const float x = bar.x + 16, room = std::max(1.0F, bar.right() - 12 - buttons - 2 * kBetween - x);
    const Message& words = d.input.offer.words;
    const ui::ParagraphStyle style{.size = kSize, .color = t.ink, .leading = kLine};
    const auto lines = static_cast<float>(ui::paragraph_lines(c, room, words, style));
    bar.h = std::max(bar.h, kLine * lines + kBetween);
    c.fill(bar, t.raised, 6);
    c.outline(bar, {t.ink, std::max(1.5F, t.edge_width)}, 6);
    float right = bar.right() - 12;
    const auto answer = [&](const char* id, const Message& label, ui::ButtonKind kind, bool yes) {
        const float w = ui::button_width(c, label);
        right -= w;
        if (ui::button(d.ui, id, {right, bar.y + 6, w, kButton}, label, {.kind = kind})) d.out.emplace_back(AnswerOffer{yes});
        right -= kBetween;
    };
    answer("no", frame_says("buttons.not_now"_t), ui::ButtonKind::normal, false);
    answer("yes", d.input.offer.yes, ui::ButtonKind::primary, true);
    ui::paragraph(c, {x, ui::baseline(bar.y, bar.h, kSize) - kLine / 2 * (lines - 1)}, room, words, style);
}

struct JobCard {
    Message words;
    double done = 0, total = 0;
    Message stop; // its button
};

// Over the lower edge of the stage, on a ground of its own: some scenes have much to show without a model. True: stop.
bool draw_job(const FrameDraw& d, std::string_view id, Rect card, const JobCard& job) {
    d.ui.canvas.fill(card, d.ui.theme.raised, 6);
    d.ui.canvas.outline(card, {d.ui.theme.line, 1}, 6);
    const float button = ui::button_width(d.ui.canvas, job.stop);
    ui::progress(d.ui, {card.x + 16, card.y + 14, card.w - 48 - button, 32}, job.done, job.total, job.words);
    return ui::button(d.ui, id, {card.right() - 8 - button, card.y + 8, button, 36}, job.stop);
}

// Whether the engine loads, or reads a long prompt, and what is fetched beside it.
struct Jobs {
    bool loading = false, reading = false;
    const FetchView* fetch = nullptr; // null: nothing is fetched
    [[nodiscard]] int cards() const { return (loading || reading ? 1 : 0) + (fetch ? 1 : 0); }
};
Jobs jobs_of(const FrameDraw& d) {
    const EngineStatus* status = d.input.engine ? d.input.scene.status : nullptr;
    const bool failed = !d.input.banner.empty() || d.input.scene.view->failed;
    Jobs jobs;
    jobs.loading = status && status->state == EngineStatus::State::loading;
    jobs.reading = status && status->state == EngineStatus::State::running && !failed && status->job.total > 0;
    if (d.input.fetch && !d.input.fetch->over) jobs.fetch = d.input.fetch;
    return jobs;
}
constexpr float kJobCard = 52, kJobGap = 8;

// The lowest card; the next ones stand above it.
Rect first_job_card(Rect stage) { return {stage.x + 12, stage.bottom() - kJobCard - kJobGap, stage.w - 24, kJobCard}; }
// What lies under the cards does not take the mouse.
bool under_jobs(const FrameDraw& d) {
    const int cards = jobs_of(d).cards();
    if (cards == 0) return false;
    Rect all = first_job_card(d.layout.stage_clip);
    const float above = static_cast<float>(cards - 1) * (kJobCard + kJobGap);
    all.y -= above, all.h += above;
    return d.ui.mouse_in(all);
}

// "fetching Qwen2.5-Coder 1.5B, 0.4 of 1.0 GB · over a slow line"
Message of_megabytes(const Message& what, double done, double total, const std::string& note = "") {
    const bool large = total >= 1000;
    const auto line = [&](auto id) {
        return frame_says(id, "what"_v = what, "done"_v = large ? done / 1000 : done, "total"_v = large ? total / 1000 : total,
                          "note"_v = note);
    };
    if (total <= 0) return frame_says("job.line:begins"_t, "what"_v = what, "note"_v = note);
    return large ? line("job.line:gigabytes"_t) : line("job.line:megabytes"_t);
}

void draw_jobs(const FrameDraw& d, Rect stage) {
    Rect card = first_job_card(stage);
    const EngineStatus* status = d.input.scene.status;
    const Jobs jobs = jobs_of(d);
    const bool loading = jobs.loading;
    if (loading || jobs.reading) {
        const JobCard job{job_line(status->job), status->job.done, status->job.total,
                          loading ? frame_says("buttons.cancel"_t) : shared_says("words.stop"_t)};
        if (draw_job(d, loading ? "cancel loading" : "stop reading", card, job)) d.pick(loading ? Action::cancel_loading : Action::cancel);
        card.y -= card.h + kJobGap;
    }
    if (const FetchView* fetch = jobs.fetch) {
        const auto model = "model"_v = fetch->title;
        const Message what = fetch->checking ? frame_says("job.checking"_t, model) : frame_says("job.fetching"_t, model);
        if (draw_job(
                d, "cancel fetching", card,
                {of_megabytes(what, fetch->done, fetch->total, fetch->note), fetch->done, fetch->total, frame_says("buttons.cancel"_t)}))
            d.out.emplace_back(CancelFetch{});
    }
}

void draw_state_of_engine(const FrameDraw& d) {
    const EngineStatus* status = d.input.scene.status;
    const Rect stage = d.layout.stage_clip;
    if (stage.w <= 0) return;
    const Rect region{stage.x + 12, stage.y + 6, stage.w - 12 - kBadgeRoom, 44};
    if (!d.input.banner.empty()) {
        if (draw_banner(d, "window banner", region, {d.input.banner, d.input.remedy, frame_says("buttons.dismiss"_t)}))
            d.out.push_back(DismissBanner{});
    } else if (!d.input.offer.words.empty()) {
        draw_offer(d, region);
    } else if (status && status->state == EngineStatus::State::failed) {
        const bool prompt = status->error_kind == ErrorKind::prompt_too_long; // the same prompt would fail again
        Problem problem = problem_of(status->error_kind, status->error, status->remedy);
        problem.action = prompt ? shared_says("run.edit"_t) : frame_says("buttons.again"_t);
        if (draw_banner(d, "engine banner", region, problem)) d.pick(prompt ? Action::edit_prompt : Action::restart);
    } else if (d.input.scene.view->failed) {
        const Failed& run = *d.input.scene.view->failed;
        (void)draw_banner(d, "run banner", region, problem_of(ErrorKind::other, run.what, run.remedy));
    }
    draw_jobs(d, stage);
}

// Where there is no status bar: below the badge, at the end of the line that says what the picture is of. Axes, scales, legends
// and tokens are never covered. What is said now, else what goes on.
void draw_message(const FrameDraw& d) {
    const bool said = !d.state.message.empty() && d.ui.input.time < d.state.message_until;
    const Message& words = said ? d.state.message : d.input.work;
    if (d.layout.status.w > 0 || words.empty()) return;
    const Rect at = d.layout.stage_clip;
    if (at.w <= 0) return;
    const float w = std::min(at.w - 48, d.ui.canvas.text_width(words, ui::Font::text, 14) + 32);
    constexpr float kHeight = 24; // of that line: pictures begin right below it
    const Rect pill{at.right() - 24 - w, at.y + 37, w, kHeight};
    d.ui.canvas.fill(pill, d.ui.theme.ink, kHeight / 2);
    ui::fitted_text(d.ui.canvas, {pill.center().x, pill.y + 17}, words, ui::Font::text, 14, d.ui.theme.bg, w - 24, ui::Align::center);
    if (said) d.ui.wake(d.state.message_until);
}

// What a stroke of the pen was drawn on.
std::string picture_of(const FrameInput& input, const Rect& screen) {
    return input.scene_name + " " + std::to_string(input.scene.beat) + " " + std::to_string(input.scene.cursor) + " " +
           std::to_string(screen.w) + "x" + std::to_string(screen.h);
}

} // namespace

Problem problem_of(ErrorKind kind, const std::string& what, const std::string& remedy) {
    const auto told = "what"_v = what;
    const auto tried = "remedy"_v = remedy;
    const auto of = [&](auto id) { return Problem{frame_says(id), frame_says("remedy.of:kind"_t, told, tried)}; };
    switch (kind) {
    case ErrorKind::out_of_memory: return of("problem.of:memory"_t);
    case ErrorKind::prompt_too_long: return of("problem.of:prompt"_t);
    case ErrorKind::unknown_token: return of("problem.of:token"_t);
    case ErrorKind::cancelled: return of("problem.of:cancelled"_t);
    case ErrorKind::other: break;
    }
    return {frame_says("problem.of:other"_t, told), frame_says("remedy.of:other"_t, tried)};
}

Message job_line(const EngineJob& job) {
    const Message what = job_words(job);
    const bool reads = job.what == EngineJob::What::reading, costs = job.what == EngineJob::What::costs;
    if (job.total <= 0 || (!reads && !costs)) return of_megabytes(what, job.done, job.total);
    const auto line = [&](auto id) {
        return frame_says(id, "what"_v = what, "done"_v = static_cast<int>(job.done), "total"_v = static_cast<int>(job.total));
    };
    return reads ? line("job.line:tokens"_t) : line("job.line:rounds"_t);
}

bool measuring(const Answers& answers, const EngineStatus* status) {
    if (answers.training && !answers.training->complete) return true;
    if (status && (!status->timed_model.empty() || status->work.total > 0)) return true;
    return std::ranges::any_of(answers.studies, [](const auto& s) { return !s.second->complete(); });
}

Message why_not(const FrameInput& input, Action action) {
    const bool race = input.scene_name == "race";
    const bool run = race ? input.scene.race != nullptr : input.scene.trace->size() > 0;
    const bool models = input.scene.status && !input.scene.status->ready_drafters.empty();
    switch (action) {
    case Action::undo: return input.can_undo ? "" : frame_says("off.nothing_changed"_t);
    case Action::redo: return input.can_redo ? "" : frame_says("off.nothing_taken_back"_t);
    case Action::edit_prompt:
    case Action::race_prompt:
    case Action::reroll:
    case Action::restart:
    case Action::longer:
    case Action::shorter:
    case Action::hotter:
    case Action::colder: return models || (action == Action::restart && input.engine) ? "" : frame_says("off.no_models"_t);
    case Action::likeliest: {
        if (!models) return frame_says("off.no_models"_t);
        const RunSettings* now = race ? (input.scene.race ? &input.scene.race->settings.base : nullptr) : input.scene.settings;
        if (!now) return shared_says("run.none"_t);
        if (now->sampling.temperature == 0) return frame_says("off.greedy"_t);
        const DrafterInfo* who = race ? nullptr : find_drafter(now->drafter);
        if (who && !who->draws) return frame_says("off.draws_none"_t);
        return who && who->tree && now->rule == "tree_topk" ? frame_says("off.chosen"_t) : "";
    }
    case Action::fewer_ids:
        if (!models) return frame_says("off.no_models"_t);
        if (race) return frame_says("off.open_run"_t);
        if (!input.scene.settings || !reads_setting(input.scene.settings->drafter, Setting::fr_spec)) return frame_says("off.ranks_few"_t);
        return run && input.scene.view->header->tier == "TABLE" ? frame_says("off.table"_t) : "";
    case Action::share: {
        if (race) return input.scene.race && input.scene.race->lanes_finished() ? "" : frame_says("off.race_runs"_t);
        const RoundSummary* round = chosen_round(input.scene);
        return round && round->complete() ? "" : frame_says("off.no_round_over"_t);
    }
    case Action::fork:
        if (race) return frame_says("off.open_lane"_t);
        if (!models) return frame_says("off.no_models"_t);
        return input.scene.view->current() ? "" : frame_says("off.no_round"_t);
    case Action::play:
    case Action::first:
    case Action::last: return run || (input.active && input.active->beats(input.scene) > 0) ? "" : shared_says("run.none"_t);
    case Action::save_trace:
    case Action::to_rejection:
    case Action::to_verify:
    case Action::round: return run ? "" : shared_says("run.none"_t);
    case Action::cancel:
        if (race && input.scene.race && !input.scene.race->ended_early && !input.scene.race->finished()) return {};
        if (measuring(input.scene, input.scene.status)) return {};
        return input.scene.status && input.scene.status->state == EngineStatus::State::running ? "" : frame_says("off.nothing_runs"_t);
    case Action::examine_head: {
        const RunSettings* now = input.scene.settings;
        if (!models || !now) return frame_says("off.no_models"_t);
        return has_variants(network_of(now->drafter)) && drafter_ready(input.scene, now->drafter) ? "" : frame_says("off.no_head"_t);
    }
    case Action::cancel_loading:
        return input.scene.status && input.scene.status->state == EngineStatus::State::loading ? "" : frame_says("off.nothing_loads"_t);
    case Action::copy_link:
    case Action::copy_command:
        return run || input.scene_name == "numbers" || input.scene_name == "training" ? "" : shared_says("run.none"_t);
    case Action::quiz: return input.quiz && !input.quiz->empty() ? "" : frame_says("off.no_quiz"_t);
    case Action::glossary: return input.glossary && !input.glossary->empty() ? "" : frame_says("off.no_glossary"_t);
    case Action::open_lecture: return input.read && !input.read->lectures.empty() ? "" : frame_says("off.no_lectures"_t);
    case Action::try_live:
        if (!input.lecture) return frame_says("off.no_lecture"_t);
        return input.lecture->found || input.lecture->tried ? "" : frame_says("off.live"_t);
    case Action::next_step:
    case Action::previous_step:
    case Action::to_step:
    case Action::leave_lecture:
    case Action::notes:
        if (!input.lecture) return frame_says("off.no_lecture"_t);
        if (input.lecture->away(input.scene_name)) return {};
        if (action == Action::next_step && input.lecture->step + 1 == input.lecture->steps()) return frame_says("off.last_step"_t);
        return action == Action::previous_step && input.lecture->step == 0 ? shared_says("run.first_step"_t) : "";
    case Action::open_model:
    case Action::get_model:
        if (!input.engine) return frame_says("off.no_engine_start"_t);
        if (action == Action::get_model && input.fetch) return frame_says("off.under_way"_t);
        return input.scene.status && input.scene.status->state == EngineStatus::State::loading ? frame_says("off.loading"_t) : "";
    case Action::run_ahead: return input.engine ? "" : frame_says("off.no_engine"_t);
    case Action::details:
    case Action::controls:
        if (input.active && input.active->whole_window()) return frame_says("off.no_drawers"_t);
        if (input.density == Density::compact) return {};
        return input.density == Density::single ? frame_says("off.regions"_t) : frame_says("off.large"_t);
    case Action::present: return input.too_small_to_present ? frame_says("off.too_small"_t) : "";
    default: return {};
    }
}

namespace {

// Seen from a window that does not present: while it does, F5 ends that.
bool too_small_to_present(const FrameInput& input, const FrameUi& state, ui::Rect screen) {
    if (state.layout.presenter || !input.active) return false;
    const ui::Vec2 whole{screen.w * input.zoom, screen.h * input.zoom};
    const float larger = presenter_scale(whole);
    const float chosen = input.zoom_fits ? 1 : input.zoom;
    return !can_present({whole.x / chosen / larger, whole.y / chosen / larger});
}

} // namespace

namespace {

// A word of the field under the mouse, where nothing else has a word to say there.
void explain_term(const FrameInput& input, const TermCanvas& canvas, ui::Rect controls, ui::Ui& ui) {
    if (!input.glossary) return;
    const TermCanvas::Found found = canvas.found(*input.glossary, controls.contains(ui.input.mouse));
    if (!found.words.empty()) ui::tooltip(ui, found.at, found.words);
}

} // namespace

std::vector<FrameCommand> compose(const FrameInput& given, FrameUi& state, ui::Ui& whole) {
    std::vector<FrameCommand> out;
    TermCanvas canvas(whole.canvas, whole.input.mouse);
    ui::Ui ui(canvas, whole.input, whole.theme, whole.state, whole.screen);
    ui.clipboard = whole.clipboard;
    ui.target = whole.target;
    ui.reduced_motion = whole.reduced_motion;
    FrameInput input = given;
    if (!begin_overlay(state.overlay, ui, picture_of(given, ui.screen))) return out;
    state.layout.run = !input.active || input.active->shows_run();
    state.layout.counts = input.lecture.has_value();
    const FrameLayout layout = frame_layout({ui.screen.w, ui.screen.h}, state.layout, input.active && input.active->whole_window());
    input.density = state.density = layout.density;
    input.too_small_to_present = state.too_small_to_present = too_small_to_present(given, state, ui.screen);
    SceneInput& scene = input.scene;
    std::map<ui::Id, ui::Rect> places; // of the tokens of this frame's picture
    scene.places = &places;
    scene.stage = layout.stage;
    scene.stage_clip = layout.stage_clip;
    scene.story = layout.story;
    scene.details = layout.details;
    scene.controls = layout.controls;
    scene.banner = !input.banner.empty() || !input.offer.words.empty() || scene.view->failed ||
                   (scene.status && scene.status->state == EngineStatus::State::failed);
    scene.strip = layout.strip;
    scene.presenter = layout.density == Density::presenter;
    const FrameDraw d{input, state, layout, ui, out};
    // From its first frame on what is typed is for the dialog: it may have been opened blindly.
    if (state.popup != Popup::none) ui.state.top_layer = std::max(ui.state.top_layer, 1);

    if (state.opening.open && !ui.input.dropped.empty()) { // whoever drops a file knows what to do
        state.opening = {};
        state.introduced = true;
    }
    if (state.opening.open) {
        draw_opening(d);
        ui.finish();
        return out;
    }
    ground(d);
    if (layout.menu.w > 0) draw_menu_bar(d);
    draw_rail(d);
    drawers(d);
    cover_notes(d);
    ui.came.reset(); // chrome stays where it is
    ui.pans = layout.density == Density::single;
    const bool covered = ui.covered;
    ui.covered = covered || under_jobs(d);
    if (input.active)
        for (SceneCommand& command : input.active->draw(scene, ui)) out.push_back(std::move(command));
    ui.covered = covered;
    ui.pans = false;
    pan_stage(d);
    draw_ribbon(d);
    draw_timeline(d);
    draw_status(d);
    dividers(d);
    draw_state_of_engine(d);
    draw_message(d);
    draw_notes(d);
    draw_overlay(state.overlay, ui);
    if (state.menu >= 0) draw_open_menu(d);
    if (state.popup != Popup::none) draw_popup(d);
    for (const std::string& path : ui.input.dropped) {
        if (state.popup == Popup::open_file || state.popup == Popup::models) state.popup = Popup::none; // answered
        out.emplace_back(OpenFile{path});
    }
    for (const KeyedAction& keyed : take_actions(ui, input.lecture.has_value())) d.pick(keyed.action, keyed.number);
    move_between_regions(d);
    if (!input.banner.empty() && ui.take_key(ui::Key::escape)) out.emplace_back(DismissBanner{});
    if (!input.offer.words.empty() && ui.take_key(ui::Key::escape)) out.emplace_back(AnswerOffer{false});
    if (state.layout.presenter && state.popup == Popup::none && ui.take_key(ui::Key::escape)) d.pick(Action::present);
    // Last of all: whatever else Escape closes goes first.
    if (state.popup == Popup::none && state.menu < 0 && why_not(input, Action::cancel).empty() && ui.take_key(ui::Key::escape))
        d.pick(Action::cancel);
    explain_term(given, canvas, layout.controls, ui);
    ui.finish();
    whole.tip = ui.tip;
    whole.order = ui.order;
    return out;
}

} // namespace speclens
