// Going to a frame that has a name or was there before: links, lectures, and what is taken back.
#include <algorithm>
#include <functional>
#include <utility>

#include "app/frame/controller.h"
#include "app/frame/model_choices.h"
#include "engine/drafters/drafter_info.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/run/fitting.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "scenes/race/race_model.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

bool forked(const Trace& trace) {
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (std::holds_alternative<Commanded>(trace[i])) return true;
    return false;
}

std::vector<std::string> drafters_of(const SceneView& view) {
    if (find_scene(view.scene) != find_scene("race")) return {view.settings.drafter};
    std::vector<std::string> names;
    for (const RaceEntry& lane : view.race.lanes) names.push_back(lane.drafter);
    return names;
}

} // namespace

void Controller::show_view(const SceneView& view, double now, Shows shows) {
    if (!suits_model(view, now)) return;
    if (awaits_heads(
            drafters_of(view), [this, view, shows](double then) { show_view(view, then, shows); }, now))
        return;
    const bool tiny = view.model.empty() ? common_.status.built_in : view.model == kBuiltInModel;
    const std::optional<Precision> made = view.precision ? view.precision : tiny ? std::optional(Precision::f32) : std::nullopt;
    if (find_scene(view.scene) == find_scene("race")) race_.view(view.race);
    open_scene(view.scene);
    recorded_of_.clear();
    place_ = view.place;
    place_shows_ = shows;
    beats_[scene_name_] = std::max(0, view.place.beat - 1);
    if (!in_race() && (run_.saved() || !(run_.settings() == view.settings) || forked(cursor_.source.trace()))) restart(view.settings);
    if (made && common_.has_engine() && *made != common_.status.precision) made_with(*made);
    tick(now);
}

Link Controller::link(LinkFor asked) const {
    Link link;
    const auto command = "command"_v = asked == LinkFor::command;
    link.scene = scene_name_;
    const auto beat = beats_.find(scene_name_);
    const bool has_beats = scenes_.at(scene_name_)->beats(scene_input(0)) > 0;
    if (has_beats) link.beat = (beat == beats_.end() ? 0 : beat->second) + 1;
    if (in_race()) {
        if (race_.saved()) throw Error(frame_says("problem.no_link:race"_t, command), frame_says("remedy.share_race"_t));
        LinkOptions named = folders;
        const auto run = [](const RaceLane& lane) { return lane.trace != nullptr; };
        const auto& race = race_.shown();
        if (race)
            if (const auto lane = std::ranges::find_if(race->lanes, run); lane != race->lanes.end())
                add_precision(*lane->trace->header(), named);
        if (race)
            for (const RaceLane& lane : race->lanes)
                if (run(lane)) add_drafter(*lane.trace->header(), named);
        link.options = options_of(race ? race->settings : race_.wish(), named);
        if (const auto step = race_.step()) link.at = *step;
        return link;
    }
    if (run_.saved()) throw Error(frame_says("problem.no_link:run"_t, command), frame_says("remedy.share_run"_t));
    if (forked(cursor_.source.trace())) throw Error(frame_says("problem.no_link:fork"_t, command), frame_says("remedy.share_fork"_t));
    LinkOptions named = folders;
    if (const Header* header = cursor_.source.trace().header()) {
        if (!header->fingerprint.empty()) named.emplace_back("fingerprint", header->fingerprint);
        add_precision(*header, named);
        add_drafter(*header, named);
    }
    link.options = options_of(repeated(run_.settings(), cursor_.source.trace()), named);
    link.at = cursor_.at();
    if (cursor_.selected) link.selected = {cursor_.selected->round, cursor_.selected->index};
    return link;
}

// ---- taking back ----

RunVersion Controller::version() const {
    RunVersion version = undo_.version(run_.settings());
    if (arrival_.due) return version; // nobody chose the place
    version.place.at = cursor_.at();
    if (cursor_.selected) version.place.selected = {cursor_.selected->round, cursor_.selected->index};
    return version;
}

Message Controller::next_words(bool forward) const {
    const auto said = [&](const Message& change) { return frame_says("notice.next"_t, "forward"_v = forward, "change"_v = change); };
    if (in_race()) {
        const RaceSettings* to = race_.next(forward);
        return to ? said(change_words(race_.wish(), *to)) : "";
    }
    const RunVersion* to = undo_.next(forward);
    return to ? said(change_words(version(), *to)) : "";
}

// A scene with changes of its own comes first. Who presses on does not always see that they are all taken
// back, so what would change the run is said once before it is done.
void Controller::take_back(bool forward, double now) {
    if (scene().can_take_back(forward)) {
        scene().take_back(forward);
        scene_took_back_ = true;
        return common_.say(frame_says("notice.own_controls"_t, "forward"_v = forward), now);
    }
    const Message words = next_words(forward);
    if (!std::exchange(scene_took_back_, false)) return take_back_settings(forward, now);
    common_.say(frame_says("notice.once_more"_t, "next"_v = words), now);
}

void Controller::take_back_settings(bool forward, double now) {
    const Message words = next_words(forward);
    if (words.empty()) return;
    if (in_race()) {
        race_.take_back(forward);
        return common_.say(words, now);
    }
    RunVersion to = undo_.take(forward, version());
    begin_run(std::move(to.settings));
    for (Fork& fork : to.forks) begin_branch(std::move(fork));
    if (to.place.at > 0) {
        place_ = to.place;
        const auto beat = beats_.find(scene_name_);
        if (beat != beats_.end()) place_->beat = beat->second + 1; // the story stays where it is
    }
    common_.say(words, now);
}

// ---- lecture ----

void Controller::begin_lecture(LectureView lecture, double now) {
    for (const auto& step : lecture.steps)
        for (const std::string& drafter : drafters_of(step.view)) (void)comes_later(drafter); // by the time its step is opened
    const bool found = played_elsewhere(lecture.steps.front());
    lecture_.begin(std::move(lecture), found, now);
    scenes_.clear(); // its steps begin from what was planned, not from what was set before
    race_.from_the_start();
    beats_[scene_name_] = std::max(0, lecture_.step().view.place.beat - 1);
    asked_.clear();
    back_.reset();
    if (!found || !place_) return;
    place_ = FramePlace{.beat = place_->beat}; // of the window's first run
    place_shows_ = shows_called(lecture_.step().find).value_or(Shows::nothing);
}

void Controller::lecture_step(int step, double now) {
    const bool raced = in_race();
    if (wanted_view_ && wanted_view_->model == offered_) withdraw_offer(); // who turned the page goes on without it
    (void)lecture_.go_to(
        step, [this](const LectureView::Step& one) { return played_elsewhere(one); }, now);
    show_step(now);
    if (raced && !in_race()) race_.leave();
    // What a step before asked for would go before this one's run.
    std::erase_if(step_studies_, [this](const auto& asked) {
        if (asked.second == find_scene(scene_name_)) return false;
        ahead_.forget(asked.first);
        common_.send(EndStudy{asked.first});
        return true;
    });
    if (lecture_.place()->away(scene_name_)) lecture_.could_not_be_shown(scene_name_); // the next goes on from there
    if (!played_elsewhere(lecture_.step())) chrome.message.clear();                    // status bar and presenter name the step
}

bool Controller::played_elsewhere(const LectureView::Step& step) const {
    return common_.has_engine() && !step.view.model.empty() && step.view.model != model_word();
}

// One place of one run, which was not kept: nothing else can stand for it.
bool Controller::needs_own_model(const LectureView::Step& step) const {
    const bool race = find_scene(step.view.scene) == find_scene("race");
    return played_elsewhere(step) && step.find.empty() && step.view.place.at > 0 && !race;
}

// Whatever the loaded model can do is played on it, at a round that shows the same; what it lacks, from the run that was kept. A real
// model that the step was written on is offered beside that.
void Controller::show_step(double now) {
    const LectureView::Step& step = lecture_.step();
    const Shows shows = shows_called(step.find).value_or(Shows::nothing);
    lecture_.plays_elsewhere(played_elsewhere(step));
    if (!played_elsewhere(step)) return show_view(step.view, now, step.view.place.at == 0 ? shows : Shows::nothing);
    const auto lacks = [this](const std::string& drafter) { return !common_.status.ready_drafters.empty() && !common_.can_run(drafter); };
    if (!step.recorded.empty() && !step.needs.empty() && lacks(step.needs)) return guarded([&] { show_recorded(step, now); });
    if (needs_own_model(step)) return show_view(step.view, now);
    SceneView view = step.view;
    view.model = model_word();
    view.precision.reset();
    view.place = {.beat = view.place.beat};
    // What the built-in model was asked may be answered by another in a language that the room does not read.
    const bool of_tiny = step.view.model == kBuiltInModel && view.settings.prompt.token_ids.empty();
    if (const std::string own = opening_view(view.model, assets_folder()).prompt; !own.empty() && of_tiny)
        view.settings.prompt.text = view.race.base.prompt.text = own;
    if (lacks(view.settings.drafter)) {
        const std::string by_default = default_drafter([&](const std::string& drafter) { return !lacks(drafter); });
        view.settings = with_draft_length(with_drafter(view.settings, by_default), view.settings.k);
    }
    std::erase_if(view.race.lanes, [&](const RaceEntry& lane) { return lacks(lane.drafter); });
    if (view.race.lanes.size() < 2) view.race.lanes.clear(); // the usual ones
    chrome.message.clear();
    show_view(view, now, shows);
    offer_own_model(step.view, now);
}

void Controller::try_live(double now) {
    if (back_ && recorded_of_.empty()) {
        returning_ = true;
        wanted_view_ = SceneView{.scene = lecture_.step().view.scene, .model = back_->word};
        return open_model(back_->path, now, true);
    }
    if (common_.status.state == EngineStatus::State::loading) return common_.say(frame_says("notice.loading"_t), now);
    const SceneView& step = lecture_.step().view;
    const auto beat = beats_.find(scene_name_);
    const std::filesystem::path file = loaded_from_.empty() ? started_with.target : loaded_from_;
    back_ = WayBack{model_word(), is_known_model(model_word()) ? model_word() : file.string(), lecture_.at(), {}};
    back_->place = {.beat = beat == beats_.end() ? 0 : beat->second + 1, .at = cursor_.at()};
    if (cursor_.selected) back_->place.selected = {cursor_.selected->round, cursor_.selected->index};
    const std::string from = common_.status.model;
    wanted_view_ = step;
    open_model(step.model, now, true);
    common_.say(frame_says("notice.beside"_t, "model"_v = model_title(step.model), "from"_v = from), now);
}

// The model is there that a link or a step of the lecture asked for.
void Controller::show_wanted(double now) {
    const SceneView wanted = *std::exchange(wanted_view_, {});
    if (std::exchange(returning_, false) && back_) {
        const WayBack back = *std::exchange(back_, {});
        show_step(now);
        if (in_race() || back.step != lecture_.at()) return;
        place_ = back.place;
        place_shows_ = Shows::nothing;
        return tick(now);
    }
    if (lecture_.open() && lecture_.step().view.model == wanted.model && lecture_.step().view.scene == wanted.scene) return show_step(now);
    show_view(wanted, now);
}

void Controller::show_recorded(const LectureView::Step& step, double now) {
    const std::shared_ptr<const Trace> trace = load_trace(step.recorded);
    if (!trace->header())
        throw Error(step.recorded.filename().string() + " holds no run", "Open the lecture on the model that it was written on.");
    open_scene(step.view.scene);
    show_saved(trace, repeated(settings_of(*trace->header()), *trace));
    recorded_of_ = model_title(step.view.model);
    if (!back_) common_.say(frame_says("notice.try_live"_t, "model"_v = recorded_of_), now);
    place_ = step.view.place;
    beats_[scene_name_] = std::max(0, step.view.place.beat - 1);
    tick(now);
}

// Before a run that is not seen; elsewhere the run goes first.
void Controller::put_work_first(bool first) {
    if (common_.port.put_work_first && std::exchange(work_first_, first) != first) common_.port.put_work_first(first);
}

void Controller::ask_ahead(double now) {
    if (!common_.has_engine()) return;
    // A step of a lecture is turned to for what it tells of; a head's scene shows a round of its run beside that.
    const int first_rounds = find_drafter(find_scene(scene_name_)->name) ? 2 : 0;
    const bool step = lecture_.open() && !lecture_.place()->away(scene_name_) && !in_race();
    const bool unseen = in_race() || !scene().shows_run(), none = run_.saved() || run_.due();
    if (!step || none) put_work_first(unseen);
    if (none || (place_ && !step)) return;
    if (in_race() && (!race_.shown() || !(race_.shown()->ended_early || race_.shown()->finished()))) return;
    const SceneInput in = scene_input(now);
    const bool over = in.whole->stopped, begun = over || in.whole->rounds >= first_rounds;
    if (!(over || step)) ahead_of_ = 0; // whoever comes back to the step has its work first again
    if (!(over || step) || !in.status || in.status->ready_drafters.empty()) return;
    // A scene computes what it lacks from all of these; most frames change none.
    std::size_t key = std::hash<std::string>{}(scene_name_);
    for (const auto& [name, study] : in.studies) key = key * 31 + (study->complete() ? 0 : study->points.size() + 1);
    for (const std::size_t part :
         {std::hash<const void*>{}(in.trace), std::hash<const void*>{}(in.passes.get()), std::hash<std::string>{}(in.status->timed_model),
          in.studies.size(), in.status->ready_drafters.size(), static_cast<std::size_t>(in.beat), static_cast<std::size_t>(lecture_.at()),
          static_cast<std::size_t>(begun), over ? in.whole->events : 0})
        key = key * 31 + part;
    if (std::exchange(ahead_of_, key) == key) return;
    if (step) put_work_first(unseen || (begun && AskAhead::unmeasured(scene(), in)));
    const auto send = [this](std::vector<Command> asks, const SceneInfo* told_in) {
        for (Command& ask : asks) {
            if (const auto* study = std::get_if<RunStudy>(&ask); study && lecture_.open()) step_studies_[study->name] = told_in;
            common_.send(std::move(ask));
        }
    };
    if (!in_race()) send(ahead_.due(scene(), in, in.beat + (over || unseen ? 1 : 0), step && (unseen || begun)), find_scene(scene_name_));
    if (const SceneView* next = over ? lecture_.next() : nullptr) {
        const SceneInfo* info = find_scene(next->scene);
        if (info && info != find_scene("race"))
            send(ahead_.due_next(*info->make(), in, std::max(0, next->place.beat - 1), next->settings, info == find_scene(scene_name_)),
                 info);
    }
}

} // namespace speclens
