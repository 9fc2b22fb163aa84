#include "app/frame/controller.h"

#include <algorithm>
#include <utility>

#include "engine/drafters/drafter.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "scenes/race/race_model.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr double kPlayStep = 0.55;      // least seconds per step at speed 1

// What a change brings with it that was not asked for.
std::string rule_words(const RunSettings& from, const RunSettings& to) {
    const bool chosen = from.drafter == to.drafter && from.sampling.temperature == to.sampling.temperature;
    if (chosen || from.rule == to.rule || to.rule == "greedy") return "";
    const DrafterInfo* who = find_drafter(to.drafter);
    return "rule: " + to.rule + (who && who->tree ? ", a tree needs it" : to.rule == "token" ? " again" : "");
}

} // namespace

Controller::Controller(EnginePort port, const RunSettings& settings, const std::string& scene)
    : port_(std::move(port)), settings_(settings) {
    source_.update(empty_trace(), 0);
    race_wish_.base = settings;
    open_scene(find_scene(scene) ? scene : scene_list().front().name);
    if (!has_engine()) status_.state = EngineStatus::State::stopped;
}

Scene& Controller::scene() {
    std::unique_ptr<Scene>& made = scenes_[scene_name_];
    if (!made) made = find_scene(scene_name_)->make();
    return *made;
}

void Controller::open_scene(const std::string& name) {
    const SceneInfo* info = find_scene(name);
    if (!info) return;
    scene_name_ = info->name;
    keys_.clear();
    scene_took_back_ = false;
    place_.reset(); // of the scene before
    chrome.layout.pan = {};
    playing_ = false;
    if (in_race()) return enter_race();
    if (unmoved_ && live_ && !saved_) arriving_ = true; // each scene has its own first look
}

bool Controller::ended() const {
    if (source_.whole().stopped || source_.whole().failed) return true;
    return saved_ ? !growing_ : !has_engine();
}

// ---- engine ----

void Controller::observe(const Snapshot& published, double now) {
    status_ = published.status;
    answers_ = published;
    earlier_ = published.earlier;
    prompt_room_ = published.prompt_room;
    saved_status_.ready_drafters = status_.ready_drafters;
    observe_opening(published);
    observe_race(published);
    if (status_.state == EngineStatus::State::failed) {
        restarts_ = 0;
        // The run that was asked about is still the engine's.
        for (Command& question : std::exchange(questions_, {})) port_.send(std::move(question));
    }
    const auto begun = static_cast<int>(published.runs - std::exchange(runs_seen_, published.runs));
    if (published.trace && published.trace != live_) {
        const bool first = !live_;
        live_ = published.trace;
        questions_.clear(); // of the run before; scenes ask again
        // The controls show the newest wish, not a run that another restart will replace at once.
        restarts_ = std::max(0, restarts_ - std::max(1, begun));
        if (restarts_ == 0 && !saved_) {
            settings_ = published.settings;
            keep_to_limit(now);
        }
        if (!saved_) {
            source_.update(live_, 0);
            cursor_ = 1;
            selected_.reset();
            arriving_ = unmoved_ = true;
            example_due_ = !arrive_cycle_;
            seek_ = Seek::none;
            // Later runs get their budget with the command that starts them.
            if (first && port_.set_budget) port_.set_budget(run_ahead_ ? Gate::kUnlimited : kFirstSteps);
        }
    }
    tick(now);
    if (wanted_view_ && live_ && wanted_view_->model == model_word()) show_view(*std::exchange(wanted_view_, {}), now);
}

// The run may guess fewer in a row than were asked for: that is all its drafter can do.
void Controller::keep_to_limit(double now) {
    const Header* run = live_->header();
    if (!run || run->drafter != settings_.drafter || settings_.options.tree_depth > 0) return;
    if (run->k <= 0 || run->k >= settings_.k) return;
    most_in_a_row_[run->drafter] = settings_.k = run->k;
    (void)at_limit(now);
}

bool Controller::at_limit(double now) {
    const auto most = most_in_a_row_.find(settings_.drafter);
    if (most == most_in_a_row_.end() || settings_.k < most->second) return false;
    say(settings_.drafter + " guesses at most " + counted(most->second, "token") + " in a row", now);
    return true;
}

void Controller::show_saved(std::shared_ptr<const Trace> trace, const RunSettings& settings, bool growing) {
    saved_ = std::move(trace);
    forks_.clear();
    growing_ = growing;
    settings_ = settings;
    saved_status_.state = EngineStatus::State::stopped;
    source_.update(saved_, 0);
    cursor_ = telling_cursor(source_.whole()).cursor;
    selected_.reset();
    playing_ = false;
    arriving_ = growing;
    example_due_ = true;
}

void Controller::saved_is_over(const std::string& notice, double now) {
    growing_ = false;
    if (!notice.empty()) say(notice, now);
}

void Controller::saved_is_broken(const std::string& what, const std::string& remedy) {
    growing_ = false;
    complain(what, remedy);
}

void Controller::complain(const std::string& what, const std::string& remedy) {
    banner_ = what;
    remedy_ = remedy;
}

Preferences Controller::preferences() const {
    return {theme, zoom, reduced_motion, letters_article_, chrome.introduced};
}

void Controller::prefer(const Preferences& preferences) {
    theme = preferences.theme;
    zoom = preferences.zoom > 0 ? std::clamp(preferences.zoom, 0.7F, 3.0F) : 0;
    reduced_motion = preferences.reduced_motion;
    letters_article_ = preferences.swapped_letters;
    chrome.introduced = preferences.introduced;
}

void Controller::restart(RunSettings settings) {
    scene_took_back_ = false;
    const bool changed = !(settings == wished());
    if (in_race() && changed && !race_wish_.lanes.empty()) race_history_.keep(race_wish_);
    if (!in_race() && (changed || !forks_.empty())) run_history_.keep(version());
    begin_run(std::move(settings));
}

void Controller::change_run(RunSettings settings, double now) {
    std::string words = rule_words(wished(), settings);
    const bool measuring = std::ranges::any_of(answers_.studies, [](const auto& s) { return !s.second->complete(); });
    if (measuring && !in_race() && !(settings == wished()))
        words +=
            std::string(words.empty() ? "" : " · ") + "the measurement under way is of the settings before";
    const bool other = !in_race() && saved_in_other_precision();
    const Precision saved = other ? saved_->header()->precision : Precision::f32;
    restart(std::move(settings));
    if (other) made_with(saved);
    if (!words.empty()) say(words, now);
}

void Controller::begin_run(RunSettings settings) {
    if (in_race()) return wish_race(std::move(settings));
    if (!port_.send) return;
    dismiss();
    own_prompt_ = settings.prompt != settings_.prompt && settings.token_ids.empty() && !knows(settings.prompt);
    settings.lens = true; // scenes show it; lanes of a race and most saved runs have none
    settings_ = settings;
    saved_ = nullptr;
    growing_ = false;
    forks_.clear();
    did(Deed::changed_run);
    arrive_cycle_.reset();
    arrive_guess_.reset();
    ++restarts_;
    port_.send(Restart{std::move(settings), run_ahead_ ? Gate::kUnlimited : kFirstSteps});
}

// From a round of the run on screen, or of the one that was just asked for.
void Controller::begin_branch(Fork fork) {
    if (forks_.empty()) root_ = settings_;
    forks_.push_back(fork);
    arriving_ = true;
    arrive_cycle_ = fork.cycle;
    arrive_from_ = live_;
    arrive_guess_.reset();
    if (fork.force_draft) arrive_guess_ = Position{fork.cycle, fork.force_draft->first};
    if (fork.force_coin) arrive_guess_ = Position{fork.cycle, fork.force_coin->first};
    ++restarts_;
    fork.budget = run_ahead_ ? Gate::kUnlimited : 40;
    port_.send(std::move(fork));
}

// Shows the first event worth seeing as soon as it is there; until then the end of what is there.
void Controller::arrive(double now) {
    const CycleView& whole = source_.whole();
    if (arrive_cycle_) {
        if (live_ == arrive_from_) return; // the branch is not there yet
        for (const CycleSummary& cycle : whole.cycles) {
            if (cycle.cycle != *arrive_cycle_) continue;
            if (!cycle.complete() && !whole.stopped) break;
            arriving_ = unmoved_ = false;
            arrive_cycle_.reset();
            go_to(cycle.complete() ? cycle.end_event - 1 : cycle.end_event, now, false);
            selected_ = std::exchange(arrive_guess_, {});
            return;
        }
        if (!whole.stopped) return go_to(source_.trace().size(), now, false);
        arrive_cycle_.reset();
    }
    const MostInstructive telling = scene().from_the_beginning() ? opening_cursor(whole) : telling_cursor(whole);
    if (telling.settled || (!run_ahead_ && whole.events >= 2) || whole.cycles.size() > 24) arriving_ = false;
    go_to(telling.cursor, now, false);
}

// ---- time ----

void Controller::tick(double now) {
    const std::shared_ptr<const Trace> shown = saved_ ? saved_ : live_ ? live_ : source_.shared();
    source_.update(shown, cursor_);
    if (arriving_) arrive(now);
    if (place_) settle_place(now);
    if (example_due_) show_example(now);
    if (seek_ != Seek::none) {
        if (const auto at = found(seek_)) {
            const Seek sought = std::exchange(seek_, Seek::none);
            if (port_.set_budget && !run_ahead_ && sought != Seek::step) port_.set_budget(0);
            go_to(*at, now, true);
            if (sought == Seek::rejection) {
                did(Deed::found_rejection);
                // Every scene shows the guess that was asked for, also one that would choose another.
                const Checked& check = std::get<Checked>(source_.trace()[*at - 1]);
                selected_ = Position{check.cycle, check.index};
            }
        } else if (ended()) {
            // What is not there is no place to go to; a step goes as far as it can.
            if (seek_ == Seek::rejection)
                say("No further rejection in this run", now);
            else
                go_to(source_.trace().size(), now, false);
            seek_ = Seek::none;
        }
    }
    tick_race(now);
    offer_real_model();
    ask_ahead(now);
    if (playing_ && !in_race() && now >= next_play_) {
        play_on(now);
    }
    source_.update(shown, cursor_);
}

void Controller::play_on(double now) {
    next_play_ = now + kPlayStep / speed_;
    if (const int count = beats(now); count > 0) {
        if (beats_[scene_name_] + 1 >= count)
            playing_ = false;
        else
            step_beat(1);
    } else if (cursor_ >= source_.trace().size() && ended()) {
        playing_ = false;
    } else {
        step_forward(now);
    }
}

int Controller::beats(double now) {
    return scene().beats(scene_input(now));
}

double Controller::next_change(double now) const {
    if (!keys_.empty()) return 0;
    if (!moving(now).empty()) return 0;
    if (playing_ && in_race()) return 0;
    if (playing_) return std::max(0.0, next_play_ - now);
    return -1;
}

// ---- frame ----

std::vector<ui::KeyPress> Controller::take_keys(const ui::WidgetState& widgets) {
    if (widgets.top_layer > 0 || widgets.text_focus) return {};
    return std::exchange(keys_, {});
}

void Controller::dismiss() {
    banner_.clear();
    remedy_.clear();
}

void Controller::say(const std::string& words, double now) {
    chrome.message = words;
    chrome.message_until = now + 4;
}

SceneInput Controller::scene_input(double now) const {
    SceneInput in;
    source_.fill(in);
    static_cast<Answers&>(in) = answers_;
    if (saved_) in.forget_run();
    in.earlier = saved_ ? nullptr : earlier_.get();
    in.server = server_.get();
    in.settings = &wished();
    in.status = saved_ ? &saved_status_ : &status_;
    in.selected = selected_;
    in.deeds = deeds_;
    in.letters_article = letters_article_;
    in.reduced_motion = reduced_motion;
    in.next = &scene_beside(scene_name_, 1);
    in.lecture = !lecture_.steps.empty();
    in.playing = playing_;
    in.told = told_;
    in.moving = moving(now);
    const auto beat = beats_.find(scene_name_);
    in.beat = beat == beats_.end() ? 0 : beat->second;
    in.race = race().get();
    in.race_ms = race_clock();
    in.race_rounds = race_by_rounds();
    in.race_lane = race_lane_ >= 0 ? race_lane_ : kRaceLanes - 1;
    in.race_pace = playing_ && in_race() && !race_by_rounds() ? race_pace() : 0;
    in.figures = figures.get();
    in.ablations = ablations.get();
    in.gallery = &prompts();
    return in;
}

void Controller::change_zoom(int by) {
    const float now = zoom > 0 ? zoom : window_scale(window);
    const float step = now < 1.5F || (by < 0 && now < 1.55F) ? 0.1F : 0.25F;
    zoom = std::clamp(now + static_cast<float>(by) * step, 0.7F, 3.0F);
}

float Controller::scale() {
    if (!chrome.layout.presenter) return zoom > 0 ? zoom : window_scale(window);
    return (zoom > 0 ? zoom : 1) * presenter_scale(window); // it fills the window by itself
}

FrameInput Controller::frame(double now) {
    FrameInput in;
    in.scene = scene_input(now);
    in.scene_name = scene_name_;
    in.active = &scene();
    in.gallery = &prompts();
    in.glossary = &glossary;
    in.quiz = &quiz;
    in.saved = &saved_files_;
    in.read = &read;
    in.prompt_room = prompt_room_ ? &prompt_room_ : nullptr;
    in.playing = playing_;
    in.speed = speed_;
    in.engine = has_engine();
    in.run_ahead = run_ahead_;
    in.can_undo = scene().can_take_back(false) || !next_words(false).empty();
    in.can_redo = scene().can_take_back(true) || !next_words(true).empty();
    in.served = served();
    in.hash = source_.hash();
    in.altered = source_.altered();
    in.density = chrome.density;
    in.zoom = scale();
    in.zoom_fits = zoom == 0;
    in.theme = theme;
    in.banner = banner_;
    in.remedy = remedy_;
    in.offer = offer_;
    in.can_browse = static_cast<bool>(port_.browse);
    in.models = &models_;
    in.model = model_word();
    in.fetch = fetch_.get();
    if (!lecture_.steps.empty()) in.lecture = LecturePlace{&lecture_, lecture_at_};
    return in;
}

} // namespace speclens
