#include "app/frame/controller.h"

#include <algorithm>
#include <utility>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "engine/model/precision.h"
#include "kernels/error.h"
#include "scenes/shared/run_controls.h"
#include "ui/stories/story_book.h"

namespace speclens {
namespace {

// What a change brings with it that was not asked for.
Message rule_words(const RunSettings& from, const RunSettings& to) {
    const bool chosen = from.drafter == to.drafter && from.sampling.temperature == to.sampling.temperature;
    if (chosen || from.rule == to.rule || to.rule == "greedy") return {};
    const DrafterInfo* who = find_drafter(to.drafter);
    const bool tree = who && who->tree;
    return frame_says("notice.rule"_t, "rule"_v = to.rule, "tree"_v = tree, "again"_v = !tree && to.rule == "token");
}

} // namespace

Controller::Controller(EnginePort port, const RunSettings& settings, const std::string& scene)
    : common_{std::move(port), chrome}, run_(common_, settings), cursor_(common_), race_(common_, settings), lecture_(spoken),
      files_(common_) {
    (void)stories(); // read before the first frame, which must not touch the disk
    open_scene(find_scene(scene) ? scene : scene_list().front().name);
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
    awaited_ = {};
    chrome.layout.pan = {};
    common_.player.playing = false;
    if (in_race()) {
        race_.follow(run_.settings());
        return race_.enter();
    }
    if (arrival_.unmoved && run_.live() && !run_.saved()) arrival_.due = true; // each scene has its own first look
}

// ---- engine ----

void Controller::observe(const Snapshot& published, double now) {
    const std::vector<std::string> before = std::exchange(common_.status, published.status).ready_drafters;
    prompt_room_ = published.prompt_room;
    work_.observe(published.status.work, now);
    observe_opening(published);
    race_.observe(published);
    if (!before.empty()) race_.drafters_came(before);
    if (in_race()) race_.enter(); // the models may have come just now
    if (run_.observe(published, now)) {
        if (common_.port.put_work_first) common_.port.put_work_first(work_first_); // there was nobody to tell before the first run
        cursor_.stand(run_.live(), std::min<std::size_t>(1, run_.live()->size()));
        arrival_.due = arrival_.unmoved = true;
        arrival_.example_due = !arrival_.round;
    }
    tick(now);
    heads_may_have_come(now);
    if (wanted_view_ && run_.live() && wanted_view_->model == model_word()) show_wanted(now);
}

void Controller::show_saved(std::shared_ptr<const Trace> trace, const RunSettings& settings, bool growing) {
    run_.open(std::move(trace), settings, growing);
    undo_.began();
    cursor_.stand(run_.saved(), 0);
    cursor_.go_to(telling_cursor(cursor_.source.whole()).cursor, 0, false);
    common_.player.playing = false;
    arrival_.due = growing;
    arrival_.example_due = true;
    recorded_of_.clear();
}

void Controller::show_race(std::shared_ptr<const RaceView> race) {
    race_.open(std::move(race));
    open_scene("race");
}

void Controller::saved_is_over(const std::string& notice, double now) {
    run_.is_over();
    if (!notice.empty()) common_.say(problem_of(ErrorKind::other, notice, "").what, now);
}

void Controller::saved_is_broken(const std::string& what, const std::string& remedy) {
    run_.is_over();
    common_.complain(problem_of(ErrorKind::other, what, remedy));
}

Preferences Controller::preferences() const {
    return {theme, zoom, reduced_motion, letters_article_, chrome.introduced, language_, links_to_};
}

void Controller::prefer(const Preferences& preferences) {
    theme = preferences.theme;
    zoom = preferences.zoom > 0 ? std::clamp(preferences.zoom, 0.7F, 3.0F) : 0;
    reduced_motion = preferences.reduced_motion;
    letters_article_ = preferences.swapped_letters;
    chrome.introduced = preferences.introduced;
    language_ = preferences.language;
    links_to_ = preferences.links_to;
}

// ---- the run and the race ----

void Controller::restart(RunSettings settings) {
    scene_took_back_ = false;
    if (in_race()) return race_.change(std::move(settings));
    if (!(settings == run_.settings()) || undo_.forked()) undo_.keep(version());
    begin_run(std::move(settings));
}

void Controller::change_run(RunSettings settings, double now) {
    common_.did(Deed::changed_run); // and not where a link, a lecture or taking back begins one
    Message words = rule_words(wished(), settings);
    SceneInput shown;
    run_.fill(shown);
    const bool measuring = std::ranges::any_of(shown.studies, [](const auto& s) { return !s.second->complete(); });
    if (measuring && !in_race() && !(settings == wished())) words = frame_says("notice.measured_before"_t, "rule"_v = words);
    const bool other = !in_race() && run_.in_other_precision();
    const std::shared_ptr<const Trace> by_others = !in_race() && run_.by_other_kernels() ? run_.saved() : nullptr;
    const Precision saved = other ? run_.saved()->header()->precision : Precision::f32;
    restart(std::move(settings));
    if (other) made_with(saved);
    if (by_others) made_by_other_kernels(*by_others->header());
    if (!words.empty()) common_.say(words, now);
}

void Controller::begin_run(RunSettings settings, bool measure) {
    if (!common_.has_engine()) return;
    common_.dismiss();
    recorded_of_.clear();
    own_prompt_ = settings.prompt.text != run_.settings().prompt.text && settings.prompt.token_ids.empty() && !knows(settings.prompt.text);
    undo_.began();
    arrival_.round.reset();
    arrival_.draft.reset();
    run_.begin(std::move(settings), measure);
}

// From a round of the run on screen, or of the one that was just asked for.
void Controller::begin_branch(Fork fork) {
    undo_.branched(run_.settings(), fork);
    arrival_.due = true;
    arrival_.round = fork.round;
    arrival_.from = run_.live();
    arrival_.draft.reset();
    if (fork.force_draft) arrival_.draft = Position{fork.round, fork.force_draft->first};
    if (fork.force_coin) arrival_.draft = Position{fork.round, fork.force_coin->first};
    run_.branch(std::move(fork));
}

void Controller::fork_run(const Fork& fork, double now) {
    if (!common_.has_engine()) return;
    if (run_.saved()) return common_.say(frame_says("notice.saved_fork"_t), now);
    scene_took_back_ = false;
    undo_.keep(version());
    common_.did(Deed::forked);
    common_.say(frame_says("notice.branch"_t, "round"_v = fork.round + 1), now);
    begin_branch(fork);
}

void Controller::made_with(Precision precision) {
    complain(frame_says("problem.precision"_t, "then"_v = products_words(precision), "here"_v = products_words(common_.status.precision)),
             frame_says("remedy.precision"_t, "name"_v = name_of(precision)));
}

void Controller::made_by_other_kernels(const Header& run) {
    if (run.weights != common_.status.weights)
        return complain(frame_says("problem.weights"_t, "then"_v = run.weights, "here"_v = common_.status.weights),
                        frame_says("remedy.weights"_t));
    complain(frame_says("problem.kernels"_t), frame_says("remedy.kernels"_t));
}

void Controller::race_prompt(double now) {
    if (in_race()) return common_.say(frame_says("notice.in_race"_t), now);
    race_.view_prompt_of(run_.settings());
    open_scene("race");
}

void Controller::open_lane(int lane) {
    const auto& race = race_.shown();
    if (!race || lane < 0 || lane >= static_cast<int>(race->lanes.size())) return;
    RunSettings settings = race->lanes[static_cast<std::size_t>(lane)].settings;
    settings.trace_top = run_.settings().trace_top;
    settings.timing = run_.settings().timing;
    open_scene("loop");
    restart(std::move(settings));
}

void Controller::ask(const Command& command, double now) {
    if (const auto* run = std::get_if<Restart>(&command)) return change_run(run->settings, now);
    if (const auto* race = std::get_if<StartRace>(&command)) return race_.start(race->settings);
    if (const auto* fork = std::get_if<Fork>(&command)) return fork_run(*fork, now);
    if (const auto* study = std::get_if<RunStudy>(&command)) asked_in_[scene_name_].insert(study->name);
    if (std::holds_alternative<MeasurePasses>(command)) asked_in_[scene_name_].insert("");
    if (common_.has_engine()) run_.ask(command, now);
}

// ---- time ----

void Controller::tick(double now) {
    const std::shared_ptr<const Trace> shown = run_.shown();
    cursor_.grow(shown);
    if (arrival_.due) arrive(now);
    if (place_) settle_place(now);
    if (arrival_.example_due) show_example(now);
    if (cursor_.seeking()) cursor_.follow_seek(ended(), now);
    if (in_race()) race_.tick(now);
    offer_real_model();
    ask_ahead(now);
    if (common_.player.playing && !in_race() && now >= common_.player.next) play_on(now);
    cursor_.grow(shown);
}

double Controller::next_change(double now) const {
    const Player& player = common_.player;
    if (!keys_.empty() || !cursor_.moving(now, reduced_motion).empty()) return 0;
    const double work = work_.next_change(now);
    if (!player.playing) return work;
    const double next = in_race() ? 0 : std::max(0.0, player.next - now);
    return work < 0 ? next : std::min(next, work);
}

void Controller::guarded(const std::function<void()>& work) {
    common_.dismiss(); // what was tried before
    try {
        work();
    } catch (const Error& error) {
        complain(error);
    } catch (const std::filesystem::filesystem_error& error) { // its own words name the file twice
        complain(problem_of(ErrorKind::other, error.path1().string() + ": " + error.code().message(), "").what,
                 frame_says("remedy.path"_t));
    } catch (const std::exception& error) {
        complain(problem_of(ErrorKind::other, error.what(), "").what, frame_says("remedy.again"_t));
    }
}

// ---- frame ----

std::vector<ui::KeyPress> Controller::take_keys(const ui::WidgetState& widgets) {
    if (widgets.top_layer > 0 || widgets.text_focus) return {};
    return std::exchange(keys_, {});
}

SceneInput Controller::scene_input(double now) const {
    SceneInput in;
    cursor_.source.fill(in);
    run_.fill(in);
    race_.fill(in, in_race());
    in.server = server_.get();
    in.settings = &wished();
    in.selected = cursor_.selected;
    in.deeds = common_.deeds;
    if (const auto asked = asked_in_.find(scene_name_); asked != asked_in_.end()) in.asked = &asked->second;
    in.letters_article = letters_article_;
    in.reduced_motion = reduced_motion;
    in.lecture = lecture_.open();
    const bool last = in.lecture && !lecture_.next() && !lecture_.place()->away(scene_name_);
    if (!last) in.next = &scene_beside(scene_name_, 1);
    if (run_.saved() && !in_race()) in.recorded_of = recorded_of_;
    in.playing = common_.player.playing;
    in.told = common_.player.told;
    in.moving = cursor_.moving(now, reduced_motion);
    const auto beat = beats_.find(scene_name_);
    in.beat = beat == beats_.end() ? 0 : beat->second;
    in.figures = figures.get();
    in.ablations = ablations.get();
    in.gallery = &prompts();
    return in;
}

void Controller::change_zoom(int by) {
    const float now = zoom_now();
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
    in.saved = &files_.list();
    in.read = &read;
    in.prompt_room = prompt_room_ ? &prompt_room_ : nullptr;
    in.playing = common_.player.playing;
    in.speed = common_.player.speed;
    in.engine = common_.has_engine();
    in.run_ahead = common_.run_ahead;
    in.can_undo = scene().can_take_back(false) || !next_words(false).empty();
    in.can_redo = scene().can_take_back(true) || !next_words(true).empty();
    in.served = served();
    in.hash = cursor_.source.hash();
    in.altered = cursor_.source.altered();
    in.density = chrome.density;
    in.zoom = scale();
    in.zoom_fits = zoom == 0;
    in.theme = theme;
    in.banner = common_.banner;
    in.remedy = common_.remedy;
    in.offer = offer_;
    in.can_browse = static_cast<bool>(common_.port.browse);
    in.models = &models_;
    in.model = model_word();
    in.fetch = fetch_.get();
    in.work = work_.words(now);
    in.lecture = lecture_.place();
    if (in.lecture) in.lecture->tried = back_ && recorded_of_.empty();
    return in;
}

} // namespace speclens
