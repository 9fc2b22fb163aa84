// Going to a frame that has a name or was there before: links, lectures, and what is taken back.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "app/frame/controller.h"
#include "kernels/error.h"
#include "scenes/race/race_model.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

std::string clock_words(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%d:%02d", static_cast<int>(seconds) / 60,
                  static_cast<int>(seconds) % 60);
    return text;
}

// What `to` has that `from` has not.
std::string change_words(const RunSettings& from, const RunSettings& to) {
    std::string words;
    const auto add = [&](bool differs, const std::string& what) {
        if (differs) words += (words.empty() ? "" : ", ") + what;
    };
    add(from.prompt != to.prompt || from.token_ids != to.token_ids || from.system != to.system ||
            from.chat != to.chat,
        "the other prompt");
    add(from.drafter != to.drafter, "drafter " + to.drafter);
    add(from.rule != to.rule, "rule " + to.rule);
    add(from.k != to.k, "K = " + std::to_string(to.k));
    char temperature[32];
    std::snprintf(temperature, sizeof temperature, "T = %.3g", to.sampling.temperature);
    add(from.sampling.temperature != to.sampling.temperature, temperature);
    add(from.draft_sampling != to.draft_sampling,
        likeliest_drafts(to) ? "the likeliest drafts"
        : !to.draft_sampling ? "drawn drafts"
                             : "drafts at T = " + temperature_words(to.drafts().temperature));
    add(from.seed != to.seed, "seed " + std::to_string(to.seed));
    return words.empty() ? "the other options" : words;
}

std::string change_words(const RunVersion& from, const RunVersion& to) {
    const auto fork = [](const RunVersion& v) {
        return "the fork at round " + std::to_string(v.forks.back().cycle + 1);
    };
    if (to.forks.size() > from.forks.size()) return fork(to);
    if (from.forks.size() > to.forks.size() && from.settings == to.settings)
        return "the run before " + fork(from);
    return change_words(from.settings, to.settings);
}

std::string change_words(const RaceSettings& from, const RaceSettings& to) {
    if (!(from.base == to.base)) return change_words(from.base, to.base);
    std::string lanes;
    for (const RaceEntry& lane : to.lanes) lanes += (lanes.empty() ? "" : ", ") + lane.drafter;
    return "the lanes " + lanes;
}

// What a model has where nobody says depends on the device, but for the built-in one.
void add_precision(LinkOptions& named, const Header& header) {
    if (!header.fingerprint.empty() || header.precision != Precision::f32)
        named.emplace_back("precision", name_of(header.precision));
}

bool forked(const Trace& trace) {
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (std::holds_alternative<Commanded>(trace[i])) return true;
    return false;
}

} // namespace

void Controller::show_view(const SceneView& view, double now) {
    if (!suits_model(view)) return;
    const bool tiny = view.model.empty() ? status_.built_in : view.model == kBuiltInModel;
    const std::optional<Precision> made = view.precision ? view.precision : tiny ? std::optional(Precision::f32) : std::nullopt;
    if (find_scene(view.scene) == find_scene("race")) view_race(view.race);
    open_scene(view.scene);
    place_ = view.place;
    beats_[scene_name_] = std::max(0, view.place.beat - 1);
    if (!in_race() && (saved_ || !(settings_ == view.settings) || forked(source_.trace())))
        restart(view.settings);
    if (made && has_engine() && *made != status_.precision) made_with(*made);
    tick(now);
}

// A place is gone to once the run is there and long enough, or has come to its end.
void Controller::settle_place(double now) {
    if (in_race()) {
        if (!race()) return;
        if (!in_steps() || place_->at == 0) return place_.reset();
        if (!race()->lanes_over()) {
            if (port_.send && race_ms_ < 0) port_.send(StepRace{Stride::end});
            race_ms_ = 0; // asked once
            return;
        }
        race_ms_ = std::min(race_end(*race()), static_cast<double>(place_->at));
        return place_.reset();
    }
    const CycleView& whole = source_.whole();
    if (restarts_ > 0 || !whole.header) return;
    const FramePlace place = *place_;
    if (place.at > 0 ? whole.events < place.at && !ended() : !ended()) return;
    place_.reset();
    const int beats = scene().beats(scene_input(now));
    if (beats > 0) beats_[scene_name_] = std::clamp(place.beat - 1, 0, beats - 1);
    const auto first = scene().first_look(whole);
    example_due_ = beats > 0 && place.at == 0 && !place.selected;
    if (place.at > 0)
        go_to(place.at, now, false);
    else if (beats == 0 && place.beat > 0)
        go_to(telling_step(whole, place.beat), now, false);
    else if (beats > 0 && place.beat > 0 && first)
        go_to(*first, now, false);
    else
        return; // where the window looks by itself
    arriving_ = unmoved_ = false;
    if (place.selected) selected_ = Position{place.selected->first, place.selected->second};
}

Link Controller::link() const {
    Link link;
    link.scene = scene_name_;
    const auto beat = beats_.find(scene_name_);
    const bool told_in_beats = scenes_.at(scene_name_)->beats(scene_input(0)) > 0;
    if (told_in_beats) link.beat = (beat == beats_.end() ? 0 : beat->second) + 1;
    if (in_race()) {
        if (saved_race_) throw Error("a saved race has no link", "Share its file, or run it again first.");
        LinkOptions named = folders;
        const auto run = [](const RaceLane& lane) { return lane.trace != nullptr; };
        if (race())
            if (const auto lane = std::ranges::find_if(race()->lanes, run); lane != race()->lanes.end())
                add_precision(named, *lane->trace->header());
        link.options = options_of(race() ? race()->settings : race_wish_, named);
        if (in_steps() && race_ms_ >= 0) link.at = static_cast<std::size_t>(race_ms_);
        return link;
    }
    if (saved_) throw Error("a saved run has no link", "Share its file, or start it again first (Shift+R).");
    if (forked(source_.trace()))
        throw Error("a forked run has no link", "Save it (Ctrl+S) and share the file.");
    LinkOptions named = folders;
    if (const Header* header = source_.trace().header()) {
        if (!header->fingerprint.empty()) named.emplace_back("fingerprint", header->fingerprint);
        add_precision(named, *header);
    }
    link.options = options_of(settings_, named);
    link.at = cursor_;
    if (selected_) link.selected = {selected_->cycle, selected_->index};
    return link;
}

// ---- taking back ----

RunVersion Controller::version() const {
    RunVersion version{forks_.empty() ? settings_ : root_, forks_};
    if (arriving_) return version; // nobody chose the place
    version.place.at = cursor_;
    if (selected_) version.place.selected = {selected_->cycle, selected_->index};
    return version;
}

void Controller::fork_run(Fork fork, double now) {
    scene_took_back_ = false;
    run_history_.keep(version());
    did(Deed::forked);
    say("On a new branch from round " + std::to_string(fork.cycle + 1), now);
    begin_branch(std::move(fork));
}

std::string Controller::next_words(bool forward) const {
    const std::string lead = forward ? "Again: " : "Back to ";
    if (in_race()) {
        const RaceSettings* to = race_history_.next(forward);
        return to ? lead + change_words(race_wish_, *to) : "";
    }
    const RunVersion* to = run_history_.next(forward);
    return to ? lead + change_words(version(), *to) : "";
}

// A scene with changes of its own comes first. Who presses on does not always see that they are all taken
// back, so what would change the run is said once before it is done.
void Controller::take_back(bool forward, double now) {
    if (scene().can_take_back(forward)) {
        scene().take_back(forward);
        scene_took_back_ = true;
        return say(forward
                       ? "Made again: what was set on this scene's own controls; the run stays as it is"
                       : "Taken back: what was set last on this scene's own controls; the run stays as it is",
                   now);
    }
    const std::string words = next_words(forward);
    if (!std::exchange(scene_took_back_, false)) return take_back_settings(forward, now);
    say("Nothing more of this scene; once more: " + words, now);
}

void Controller::take_back_settings(bool forward, double now) {
    const std::string words = next_words(forward);
    if (words.empty()) return;
    if (in_race()) {
        RaceSettings to = race_history_.take(forward, race_wish_);
        to.stepped = race_wish_.stepped;
        start_race(std::move(to));
        return say(words, now);
    }
    RunVersion to = run_history_.take(forward, version());
    begin_run(std::move(to.settings));
    for (Fork& fork : to.forks) begin_branch(std::move(fork));
    if (to.place.at > 0) {
        place_ = to.place;
        const auto beat = beats_.find(scene_name_);
        if (beat != beats_.end()) place_->beat = beat->second + 1; // the story stays where it is
    }
    say(words, now);
}

// ---- lecture ----

void Controller::begin_lecture(LectureView lecture, double now) {
    lecture_ = std::move(lecture);
    lecture_at_ = 0;
    scenes_.clear(); // its steps begin from what was planned, not from what was set before
    race_rounds_ = false;
    lecture_began_ = now;
    beats_[scene_name_] = std::max(0, lecture_.steps[0].view.place.beat - 1);
    tell_step(now);
}

void Controller::lecture_step(int step, double now) {
    lecture_at_ = std::clamp(step, 0, static_cast<int>(lecture_.steps.size()) - 1);
    const LectureView::Step& shown = lecture_.steps[static_cast<std::size_t>(lecture_at_)];
    show_view(shown.view, now);
    chrome.message.clear(); // status bar and presenter name the step
    tell_step(now);
}

void Controller::ask_ahead(double now) {
    if (!has_engine() || saved_ || restarts_ > 0 || place_) return;
    if (in_race() && (!race() || !(race()->cut || race()->finished()))) return;
    const SceneInput in = scene_input(now);
    if (!in.whole->stopped || !in.status || in.status->ready_drafters.empty()) return;
    // A scene computes what it lacks from all of these; most frames change none.
    std::size_t key = std::hash<std::string>{}(scene_name_);
    for (const std::size_t part : {std::hash<const void*>{}(in.trace), std::hash<const void*>{}(in.passes.get()),
                                   std::hash<std::string>{}(in.status->timed_model), in.studies.size(),
                                   static_cast<std::size_t>(in.beat), static_cast<std::size_t>(lecture_at_), in.whole->events})
        key = key * 31 + part;
    if (std::exchange(ahead_of_, key) == key) return;
    std::vector<Command> asks = in_race() ? std::vector<Command>{} : ahead_.due(scene(), in, in.beat + 1);
    const auto next = static_cast<std::size_t>(lecture_at_) + 1;
    if (next < lecture_.steps.size()) {
        const SceneView& view = lecture_.steps[next].view;
        const SceneInfo* info = find_scene(view.scene);
        if (info && info != find_scene("race"))
            for (Command& ask : ahead_.due_next(*info->make(), in, std::max(0, view.place.beat - 1), view.settings,
                                                info == find_scene(scene_name_)))
                asks.push_back(std::move(ask));
    }
    for (Command& ask : asks) port_.send(std::move(ask));
}

// To the terminal, which the room does not see: what to say, and the time.
void Controller::tell_step(double now) {
    double planned = 0;
    for (int i = 0; i < lecture_at_; ++i) planned += 60 * lecture_.steps[static_cast<std::size_t>(i)].minutes;
    const LectureView::Step& step = lecture_.steps[static_cast<std::size_t>(lecture_at_)];
    std::string words = "\n" + std::to_string(lecture_at_ + 1) + " of " +
                        std::to_string(lecture_.steps.size()) + "  " + step.title + "   at " +
                        clock_words(now - lecture_began_);
    if (planned > 0 || step.minutes > 0) words += ", planned " + clock_words(planned);
    words += "\n";
    if (!step.notes.empty()) words += step.notes + (step.notes.back() == '\n' ? "" : "\n");
    told += words;
}

} // namespace speclens
