// The controller's answers to what a frame asked for.
#include <algorithm>
#include <utility>

#include "app/frame/controller.h"
#include "app/frame/file_kind.h"
#include "app/frame/model_choices.h"
#include "app/views/lecture.h"
#include "engine/lab/race_json.h"
#include "engine/length/costs_file.h"
#include "engine/models/model_names.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

constexpr double kReadWord = 0.25; // seconds per word of a story, at speed 1

} // namespace

// Whoever types to a model that is tuned for chats means a question, until they have asked this window something as text.
bool Controller::asks_as_chat() const {
    const Prompt& now = wished().prompt;
    return now.chat || (common_.status.chats && !own_prompt_ && now.parts.empty() && now.token_ids.empty());
}

void Controller::open_popup(Popup popup) {
    keys_.clear(); // it covers the scene
    chrome.popup = popup;
    chrome.menu = -1;
    chrome.opened_now = true;
    chrome.row = 0;
    chrome.query.clear();
    chrome.problem.clear();
    if (popup == Popup::prompt) {
        chrome.prompt = wished().prompt.text;
        chrome.system = wished().prompt.system;
        chrome.chat = chrome.chat_at_first = asks_as_chat();
    }
    if (popup == Popup::models || popup == Popup::palette || popup == Popup::prompt) models_ = model_choices();
    if (popup == Popup::open_file) files_.refresh();
    if (popup == Popup::export_frame) chrome.query = files_.export_name(scene_name_);
}

void Controller::open_file(const std::string& path, double now) {
    if (is_link(path) && read.link) return show_view(read.link(path), now);
    if (is_lecture_file(path) && read.lecture) {
        begin_lecture(read.lecture(path), now);
        return show_step(now);
    }
    if (common_.has_engine() && looks_like_model(path)) return open_model(path, now);
    if (is_race_file(path)) {
        show_race(std::make_shared<const RaceView>(load_race(path)));
        return common_.say(frame_says("notice.opened"_t, "path"_v = path), now);
    }
    // A run is text; of anything else it says more what it is than where its first line is wrong.
    std::error_code ignored;
    if (const std::string kind = file_kind(path); !kind.empty() && !std::filesystem::is_directory(path, ignored))
        throw Error(std::filesystem::path(path).filename().string() + " is " + kind + ", not a run",
                    "Open a run or race that Ctrl+S kept, a lecture, a model (.gguf, or a folder) or a link.");
    std::string notice;
    const std::shared_ptr<const Trace> trace = load_trace(path, &notice);
    if (!trace->header()) throw Error(path + " holds no run", "Choose a file saved with Ctrl+S or by speclens run.");
    if (in_race()) open_scene("loop"); // a race shows none
    show_saved(trace, repeated(settings_of(*trace->header()), *trace));
    common_.say(notice.empty() ? frame_says("notice.opened"_t, "path"_v = path) : notice, now);
    if (run_.in_other_precision()) made_with(trace->header()->precision);
    if (run_.by_other_kernels()) made_by_other_kernels(*trace->header());
}

namespace {

// The same run with K auto, chosen anew.
RunSettings with_auto_length(RunSettings settings) {
    if (!settings.k_auto) settings.k = kMostAuto;
    settings.k_auto = true;
    settings.k_rounds.clear();
    settings.k_costs.reset();
    return settings;
}

} // namespace

void Controller::use_costs(const std::string& path, double now) {
    chrome.problem.clear();
    try {
        RunSettings next = with_auto_length(wished());
        next.k_costs = costs_in(path, common_.status.model, next.drafter);
        if (!next.k_costs)
            throw Error(path + (std::filesystem::exists(path) ? " has no costs of " + next.drafter : " is no file"),
                        "Measure them: the command line keeps them with --k auto --k-costs FILE.");
        change_run(next, now);
        common_.say(frame_says("notice.costs"_t, "path"_v = path), now);
    } catch (const Error& error) { // the dialog says it
        Problem problem = problem_of(error.kind(), error.what(), error.remedy());
        chrome.problem = std::move(problem.what);
        chrome.remedy = std::move(problem.remedy);
    } catch (const std::filesystem::filesystem_error& error) {
        chrome.problem = problem_of(ErrorKind::other, path + ": " + error.code().message(), "").what;
        chrome.remedy = frame_says("remedy.file"_t);
    }
}

void Controller::measure_costs(double now) {
    if (in_race()) return common_.say(frame_says("notice.leave_race"_t), now);
    chrome.problem.clear();
    undo_.keep(version());
    begin_run(with_auto_length(wished()), true);
    common_.say(frame_says("notice.costs_measured"_t), now);
}

void Controller::chose(const std::string& path, double now) {
    if (const auto command = files_.chosen(path)) perform({*command}, now);
}

void Controller::save(double now) {
    const RaceView* race = in_race() ? race_.shown().get() : nullptr;
    if (race && !race->lanes_finished())
        return common_.say(race->ended_early ? frame_says("notice.race_stopped"_t) : frame_says("notice.race_runs"_t), now);
    guarded([&] { race ? files_.save(*race, now) : files_.save(cursor_.source.trace(), now); });
}

// What leads nowhere is shared without a link: a saved run, a forked one.
void Controller::share(double now) {
    if (!share_round) return;
    const FrameInput shown = frame(now);
    SharedRound round{.trace = cursor_.source.shared(),
                      .round = in_race() ? 0 : chosen_round(shown.scene)->round,
                      .race = in_race() ? race_.shown() : nullptr,
                      .settings = *shown.scene.settings,
                      .status = common_.status,
                      .theme = ui::theme_name(theme),
                      .letters_article = letters_article_};
    round.status.plain_ms_per_token = shown.scene.plain.ms_per_token;
    try {
        round.link = to_text(link(), links_to_);
    } catch (const Error&) {
    }
    share_round(std::move(round), files_.share_folder());
}

void Controller::observe_share(double done, double now) { common_.say(frame_says("notice.sharing"_t, "done"_v = done), now); }

void Controller::shared(const SharedFiles& files, double now) {
    std::string names;
    for (const std::filesystem::path* file : {&files.loop, &files.film, &files.card, &files.link, &files.frame})
        if (!file->empty()) names += (names.empty() ? "" : ", ") + file->filename().string();
    if (downloads) names = files.loop.filename().string() + ", " + files.card.filename().string();
    if (!files.link.empty()) clipboard = files.link_text;
    const Message words = frame_says("notice.shared"_t, "folder"_v = downloads ? "" : files.card.parent_path().string(), "files"_v = names,
                                     "link"_v = !files.link.empty(), "no_film"_v = downloads ? "" : files.no_film,
                                     "no_encoder"_v = !downloads && files.no_encoder);
    common_.say(words, now + 8); // a path takes longer to read
    spoken += words + "\n";
}

void Controller::perform(const std::vector<FrameCommand>& commands, double now) {
    struct Visitor {
        Controller& c;
        double now;
        Player& player;
        void operator()(const Command& command) const { c.ask(command, now); }
        void operator()(const Go& go) const { c.move(go.move, now); }
        void operator()(const SetCursor& set) const {
            c.arrival_.due = c.arrival_.example_due = c.arrival_.unmoved = player.playing = false;
            c.place_.reset();
            c.common_.did(Deed::scrubbed);
            c.cursor_.go_to(set.cursor, now, false);
        }
        void operator()(const SetBeat& set) const {
            const int beats = c.beats(now);
            player.playing = false;
            c.place_.reset(); // a run that is not over would lead back to its beat
            c.beats_[c.scene_name_] = std::clamp(set.beat, 0, std::max(0, beats - 1));
            c.arrival_.example_due = true;
            c.show_example(now);
        }
        void operator()(const Select& select) const {
            c.common_.did(Deed::selected);
            c.arrival_.example_due = c.arrival_.unmoved = false;
            // A column of another round: show that round first.
            const RoundSummary* shown = c.cursor_.source.view().current();
            if (select.position && (!shown || shown->round != select.position->round)) c.cursor_.show_round(select.position->round, now);
            c.cursor_.selected = select.position;
        }
        void operator()(const OpenScene& open) const { c.open_scene(open.name); }
        void operator()(const SetRaceClock& set) const { c.race_.set_clock(set.ms); }
        void operator()(const ToggleRaceClock&) const { c.race_.toggle_clock(now); }
        void operator()(const ToggleStepped&) const { c.race_.toggle_stepped(); }
        void operator()(const FocusLane& focus) const { c.race_.focus(focus.lane); }
        void operator()(const ToggleLane& toggle) const { c.race_.toggle_lane(toggle.drafter, now); }
        void operator()(const OpenLane& open) const { c.open_lane(open.lane); }
        void operator()(const PickRacePrompt& pick) const {
            if (pick.row < 0 || pick.row >= static_cast<int>(c.prompts().size())) return;
            const GalleryPrompt& prompt = c.prompts()[static_cast<std::size_t>(pick.row)];
            RunSettings settings = c.wished();
            settings.prompt = prompt_of(prompt, true, settings.prompt.thinking);
            c.restart(std::move(settings));
        }
        void operator()(const EditPrompt&) const { c.open_popup(Popup::prompt); }
        void operator()(const EditLengths&) const { c.open_popup(Popup::lengths); }
        void operator()(const NextStep&) const { c.action(Action::next_step, 0, now); }
        void operator()(const OnBuiltIn& there) const { c.open_built_in(there.drafter, now); }
        void operator()(const ShowDetails&) const {
            c.chrome.layout.details = true;
            if (c.chrome.density == Density::single) c.chrome.layout.region = Region::details;
        }
        void operator()(const ServerOrder& order) const {
            if (!c.common_.port.server) return;
            if (std::holds_alternative<ServeHere>(order)) {
                const RunSettings& s = c.served_.emplace(c.wished());
                c.common_.say(frame_says("notice.serves"_t, "run"_v = run_words(s.drafter, s.k, s.sampling.temperature,
                                                                                s.drafts().temperature, s.rule, s.k_auto)),
                              now);
            }
            c.common_.port.server(order);
        }
        void operator()(const StoryTold& told) const {
            player.told = told.text;
            player.next = std::max(player.next, now + kReadWord * told.words / player.speed);
        }
        void operator()(const ToggleLetters&) const { c.letters_article_ = !c.letters_article_; }
        void operator()(const SceneCommand& command) const { std::visit(*this, command); }
        void operator()(const PickAction& pick) const { c.action(pick.action, pick.number, now); }
        void operator()(const OpenFile& open) const {
            c.guarded([&] { c.open_file(open.path, now); });
            if (c.chrome.popup != Popup::open_file) return;
            // The dialog says it, and stays until it is answered.
            c.chrome.problem = std::exchange(c.common_.banner, {});
            c.chrome.remedy = std::exchange(c.common_.remedy, {});
            if (c.chrome.problem.empty()) c.chrome.popup = Popup::none;
        }
        void operator()(const ExportFile& file) const {
            c.guarded([&] {
                if (!c.export_frame) return;
                c.export_frame(file.path);
                c.common_.say(frame_says("notice.exported"_t, "path"_v = file.path), now);
            });
        }
        void operator()(const CopyText& copy) const {
            c.clipboard = copy.text;
            c.common_.say(frame_says("notice.copied"_t), now);
        }
        void operator()(const DismissBanner&) const { c.common_.dismiss(); }
        void operator()(const AnswerOffer& answer) const { c.answer_offer(answer.yes, now); }
        void operator()(const PickModel& pick) const { c.open_model(pick.word, now); }
        void operator()(const CancelFetch&) const {
            if (c.common_.port.cancel_fetch) c.common_.port.cancel_fetch();
        }
        void operator()(const BrowseFiles&) const { c.files_.browse(); }
        void operator()(const UseCosts& use) const { c.use_costs(use.path, now); }
        void operator()(const AskPrompt& asked) const {
            if (!c.in_race() && !c.scene().shows_run()) c.open_scene("loop"); // it has no place for the answer
            c.change_run(asked.settings, now);
            if (c.lecture_.open()) c.common_.say(frame_says("notice.own_prompt"_t), now);
        }
        void operator()(const MeasureCosts&) const { c.measure_costs(now); }
        void operator()(const PressKey& press) const { c.keys_.push_back({.key = press.key}); }
    };
    for (const FrameCommand& command : commands) std::visit(Visitor{*this, now, common_.player}, command);
}

} // namespace speclens
