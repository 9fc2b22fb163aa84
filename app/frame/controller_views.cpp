// Going to a frame that has a name or was there before: links, lectures, and what is taken back.
#include <algorithm>
#include <functional>
#include <utility>

#include "app/frame/controller.h"
#include "engine/models/model_names.h"
#include "engine/run/saved_settings.h"
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

void Controller::show_view(const SceneView& view, double now) {
    if (!suits_model(view)) return;
    if (awaits_heads(
            drafters_of(view), [this, view](double then) { show_view(view, then); }, now))
        return;
    const bool tiny = view.model.empty() ? common_.status.built_in : view.model == kBuiltInModel;
    const std::optional<Precision> made = view.precision ? view.precision : tiny ? std::optional(Precision::f32) : std::nullopt;
    if (find_scene(view.scene) == find_scene("race")) race_.view(view.race);
    open_scene(view.scene);
    place_ = view.place;
    beats_[scene_name_] = std::max(0, view.place.beat - 1);
    if (!in_race() && (run_.saved() || !(run_.settings() == view.settings) || forked(cursor_.source.trace()))) restart(view.settings);
    if (made && common_.has_engine() && *made != common_.status.precision) made_with(*made);
    tick(now);
}

Link Controller::link() const {
    Link link;
    link.scene = scene_name_;
    const auto beat = beats_.find(scene_name_);
    const bool has_beats = scenes_.at(scene_name_)->beats(scene_input(0)) > 0;
    if (has_beats) link.beat = (beat == beats_.end() ? 0 : beat->second) + 1;
    if (in_race()) {
        if (race_.saved()) throw Error("a saved race has no link", "Share its file, or run it again first.");
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
    if (run_.saved()) throw Error("a saved run has no link", "Share its file, or start it again first (Shift+R).");
    if (forked(cursor_.source.trace())) throw Error("a forked run has no link", "Save it (Ctrl+S) and share the file.");
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

std::string Controller::next_words(bool forward) const {
    const std::string lead = forward ? "Again: " : "Back to ";
    if (in_race()) {
        const RaceSettings* to = race_.next(forward);
        return to ? lead + change_words(race_.wish(), *to) : "";
    }
    const RunVersion* to = undo_.next(forward);
    return to ? lead + change_words(version(), *to) : "";
}

// A scene with changes of its own comes first. Who presses on does not always see that they are all taken
// back, so what would change the run is said once before it is done.
void Controller::take_back(bool forward, double now) {
    if (scene().can_take_back(forward)) {
        scene().take_back(forward);
        scene_took_back_ = true;
        return common_.say(forward ? "Made again: what was set on this scene's own controls; the run stays as it is"
                                   : "Taken back: what was set last on this scene's own controls; the run stays as it is",
                           now);
    }
    const std::string words = next_words(forward);
    if (!std::exchange(scene_took_back_, false)) return take_back_settings(forward, now);
    common_.say("Nothing more of this scene; once more: " + words, now);
}

void Controller::take_back_settings(bool forward, double now) {
    const std::string words = next_words(forward);
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
    lecture_.begin(std::move(lecture), now);
    scenes_.clear(); // its steps begin from what was planned, not from what was set before
    race_.from_the_start();
    beats_[scene_name_] = std::max(0, lecture_.view().place.beat - 1);
}

void Controller::lecture_step(int step, double now) {
    show_view(lecture_.go_to(step, now), now);
    chrome.message.clear(); // status bar and presenter name the step
}

void Controller::ask_ahead(double now) {
    if (!common_.has_engine() || run_.saved() || run_.due() || place_) return;
    if (in_race() && (!race_.shown() || !(race_.shown()->ended_early || race_.shown()->finished()))) return;
    const SceneInput in = scene_input(now);
    if (!in.whole->stopped || !in.status || in.status->ready_drafters.empty()) return;
    // A scene computes what it lacks from all of these; most frames change none.
    std::size_t key = std::hash<std::string>{}(scene_name_);
    for (const std::size_t part : {std::hash<const void*>{}(in.trace), std::hash<const void*>{}(in.passes.get()),
                                   std::hash<std::string>{}(in.status->timed_model), in.studies.size(), in.status->ready_drafters.size(),
                                   static_cast<std::size_t>(in.beat), static_cast<std::size_t>(lecture_.at()), in.whole->events})
        key = key * 31 + part;
    if (std::exchange(ahead_of_, key) == key) return;
    std::vector<Command> asks = in_race() ? std::vector<Command>{} : ahead_.due(scene(), in, in.beat + 1);
    if (const SceneView* next = lecture_.next()) {
        const SceneInfo* info = find_scene(next->scene);
        if (info && info != find_scene("race"))
            for (Command& ask :
                 ahead_.due_next(*info->make(), in, std::max(0, next->place.beat - 1), next->settings, info == find_scene(scene_name_)))
                asks.push_back(std::move(ask));
    }
    for (Command& ask : asks) common_.send(std::move(ask));
}

} // namespace speclens
