#include "app/cli/subject.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/frontend/share.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/race_json.h"
#include "engine/run/gallery.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "remote/client/server_session.h"

namespace speclens::cli {

namespace {

constexpr const char* kRace = "race";
constexpr const char* kServer = "server";
constexpr const char *kFailures = "failures", *kSystems = "systems"; // the scenes that show batches
constexpr std::size_t kServed = 16;                                  // prompts that our own server answers for a picture
constexpr double kReadingSeconds = 0.2;                              // between two readings of it

Subject saved_race(const std::filesystem::path& file, const std::string& scene) {
    if (scene != kRace)
        throw Error(file.string() + " holds a race, which only the scene race shows", "For example: speclens render race.", Exit::usage);
    Subject subject;
    subject.race = std::make_shared<const RaceView>(load_race(file));
    subject.status.backend = subject.race->backend;
    subject.status.model = subject.race->model;
    subject.status.state = EngineStatus::State::stopped;
    return subject;
}

Subject saved_subject(const std::filesystem::path& file, const std::string& scene) {
    if (is_race_file(file)) return saved_race(file, scene);
    Subject subject;
    std::string notice;
    subject.trace = load_trace(file, &notice);
    stop_if_interrupted();
    if (!notice.empty()) say(notice);
    const Header* header = subject.trace->header();
    if (!header) throw Error(file.string() + ": no run in this trace", "Save one with: speclens run --json FILE");
    subject.settings = repeated(settings_of(*header), *subject.trace);
    subject.status.backend = header->backend;
    subject.status.model = header->model;
    subject.status.draft_model = header->drafter_model;
    subject.status.notice = header->notice;
    subject.status.state = EngineStatus::State::stopped;
    return subject;
}

Ready ready(const Models& models) {
    return [&models](const std::string& drafter) { return models.why_not(drafter).empty(); };
}

// A race runs every one that was named, another scene the first.
std::vector<std::string> drafters_on_screen(const Options& options, const std::string& scene, const std::string& drafter) {
    if (scene != kRace || options.drafters.empty()) return {drafter};
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) names.push_back(choice.name);
    return names;
}

// Relaxed rules are judged by whole distributions. Those of a small vocabulary cost a moment, of a large one minutes.
bool wants_whole_distributions(const Options& options, const std::string& scene, const Models& models) {
    constexpr std::int64_t kMostEntries = 4096 * 128; // of all distributions on one side
    return scene == "relaxed" && !options.has("--trace-top") &&
           std::int64_t{models.vocab()} * options.max_tokens().value_or(64) <= kMostEntries;
}

Subject live_subject(const Options& options, const std::string& scene, std::shared_ptr<const Models> models) {
    Subject subject;
    subject.models = std::move(models);
    const std::string own = own_drafter(options, scene, ready(*subject.models));
    const std::string drafter = !own.empty() ? own : chosen_drafter(options, *subject.models);
    check_drafter_options(options, drafters_on_screen(options, scene, drafter), subject.models->layers());
    subject.settings = scene_settings(options, scene, drafter);
    if (wants_whole_distributions(options, scene, *subject.models)) subject.settings.trace_top = -1;
    std::vector<RunSettings> runs{subject.settings};
    if (scene == kRace && options.run.k_auto)
        for (const std::string& racer :
             options.drafters.empty() ? default_racers(*subject.models) : drafters_on_screen(options, scene, drafter))
            runs.push_back(run_settings(options, racer, 0));
    settle_costs(options, subject.models, runs);
    if (options.run.timing) warm_up(subject.models, subject.settings);
    subject.engine = std::make_shared<TerminalEngine>(subject.models);
    subject.engine->answer(Restart{subject.settings, kUnlimitedPhases});
    subject.trace = subject.engine->shown().trace;
    subject.status = subject.engine->shown().status;
    return subject;
}

// A saved trace holds one run: there is nothing to race against.
void race_for(const Options& options, Subject& subject) {
    if (subject.race) return;
    if (!subject.models) throw Error("a saved run has one lane only", "Give a saved race, or leave the file out.", Exit::usage);
    RaceSettings settings = race_settings(options, subject.models->tokenizer != nullptr);
    if (settings.lanes.empty()) settings.lanes = race_entries(default_racers(*subject.models), settings.base);
    TerminalEngine& engine = *subject.engine;
    engine.answer(StartRace{settings});
    if (settings.stepped) // phase by phase to the end, so that a beat is a step
        while (!engine.shown().stepped->lanes_finished()) engine.answer(StepRace{});
    subject.race = settings.stepped ? engine.shown().stepped : engine.shown().race;
}

// Waits until `ready` says so; the last view in any case.
std::shared_ptr<const ServerView> server_when(const ServerSession& session, double seconds,
                                              const std::function<bool(const ServerView&)>& ready) {
    const double end = now_ms() + 1000 * seconds;
    while (now_ms() < end && !ready(*session.view())) {
        stop_if_interrupted();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return session.view();
}

// A server to look at: the one of --attach, else our own engine behind an address, which answers a few
// ready-made prompts so that there is something to count.
void server_for(const Options& options, Subject& subject) {
    using State = ServerView::State;
    const bool own = options.attach.empty();
    if (own && (!options.run.timing || !subject.models->tokenizer)) return; // its curve is time; it takes text
    const auto models = [&](const std::atomic<bool>&) { return subject.models; };
    ServerSession session(models, subject.settings, server_key(options), {}, own ? kReadingSeconds : 1);
    if (own)
        session.send(ServeHere{});
    else
        session.send(AttachServer{options.attach});
    const auto attached =
        server_when(session, 30, [](const ServerView& view) { return view.state == State::attached || view.state == State::failed; });
    if (attached->state != State::attached)
        throw Error(attached->problem.empty() ? options.attach + " does not answer" : attached->problem, attached->remedy, Exit::network);
    std::vector<RequestSettings> requests;
    if (own)
        for (const GalleryPrompt& prompt : race_settings(options, true).prompts) {
            if (requests.size() == kServed) break;
            RunSettings ready_made;
            ready_made.prompt = prompt_of(prompt, false);
            ready_made.sampling.temperature = 0;
            requests.push_back(request_like(ready_made));
        }
    if (own || options.prompt) requests.push_back(request_like(subject.settings));
    ProgressBar bar;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        bar.show("asking", static_cast<double>(i), static_cast<double>(requests.size()), "prompts");
        session.send(AskServer{requests[i]});
        (void)server_when(session, 120, [&](const ServerView& view) {
            return !view.asking && view.asked.prompt == requests[i].prompt && (view.served || !view.problem.empty());
        });
        // Spread over some readings, so that there is a curve.
        if (own) (void)server_when(session, kReadingSeconds, [](const ServerView&) { return false; });
    }
    const std::size_t seen = session.view()->watch.size();
    subject.server = server_when(session, 3, [&](const ServerView& view) { return view.watch.empty() || view.watch.size() > seen; });
}

FrameRequest request_of(const Options& options, const SceneWord& word, const Subject& subject) {
    FrameRequest request;
    request.scene = word.scene;
    request.beat = word.beat;
    if (options.link) {
        request.cursor = options.link->at;
        request.selected = options.link->selected;
    }
    request.width = options.width;
    request.height = options.height;
    request.theme = options.theme;
    request.zoom = options.zoom;
    request.presenter = options.presenter;
    request.plain_ms_per_token = subject.status.plain_ms_per_token;
    request.race = subject.race;
    request.server = subject.server;
    if (request.race && request.cursor > 0) {
        request.race_ms = request.race->settings.stepped ? static_cast<double>(request.cursor) : -1;
        request.cursor = 0;
    } else if (request.race && request.beat > 0) { // ends of rounds, from 1
        const std::vector<double> stops = race_stop_times(*request.race);
        request.race_ms = stops[std::min(stops.size() - 1, static_cast<std::size_t>(request.beat))];
    }
    return request;
}

// Batches of the frame's drafter with its K; before a target elsewhere so many draft workers, as the largest number says.
MeasureLoad load_of(const Options& options, const Subject& subject) {
    if (!subject.models || (!subject.models->target && !subject.models->scorer))
        throw Error("--concurrency decodes batches here, and nothing is loaded that could", "Leave --session out, or give a checkpoint.",
                    Exit::usage);
    MeasureLoad measure;
    measure.base = subject.settings;
    measure.texts = options.concurrency;
    std::ranges::sort(measure.texts);
    measure.seconds = options.for_seconds.value_or(measure.seconds);
    return measure;
}

template <typename... C>
bool is_one_of(const speclens::Command& command) {
    return (std::holds_alternative<C>(command) || ...);
}

// What a picture asks for by itself; batches, races and distributions are there where they are wanted. Nothing is timed or
// trained where there are no passes.
bool is_answered(const speclens::Command& command, const Models& models) {
    return is_one_of<FetchReplay, FetchOtherDrafterRound, CompareDrafters, RunStudy>(command) ||
           (models.target && is_one_of<MeasurePasses, AskAdvice, TrainHeads>(command));
}

// Where nobody chose a place, a head's first look is at a round where it has a draft token.
void answer_all(FrameRequest& request, const Subject& subject) {
    const Answers& answers = request.answers;
    const auto ask = [&] {
        for (const speclens::Command& command : frame_wants(request, subject))
            if (is_answered(command, *subject.models)) subject.engine->answer(command);
        request.answers = subject.engine->shown();
    };
    ask();
    const bool free = request.cursor == 0;
    for (const RoundSummary& round : fold(*subject.trace, subject.trace->size()).round_list) {
        if (!free || !answers.other_round || answers.other_round->trace || round.round > 8) break;
        if (!round.complete()) continue;
        request.cursor = round.end_event;
        ask();
    }
    if (answers.other_round) ask(); // its picture has wishes of its own
}

void check_race_options(const Options& options, const std::string& scene) {
    const bool as_data = options.command == Command::describe;
    for (const char* option : {"--stepped", "--json"})
        if (options.has(option) && scene != "race" && !(as_data && option == std::string_view("--json")))
            throw Error(std::string(option) + " does nothing for the scene '" + scene + "'", "It is an option of the scene race.",
                        Exit::usage);
    for (const char* option : {"--attach", "--key-from"})
        if (options.has(option) && scene != "server" && scene != "advice" && options.all.empty())
            throw Error(std::string(option) + " does nothing for the scene '" + scene + "'",
                        "It is an option of the scenes server and advice.", Exit::usage);
}

void keep_race(const Options& options, const Subject& subject) {
    if (options.json.empty() || !subject.race) return;
    ResultFile file(options.json);
    file.write(race_json(*subject.race));
    file.commit();
}

} // namespace

Subject subject_of(const Options& options, const std::string& scene, std::shared_ptr<const Models> models) {
    if (!options.session.empty()) return saved_subject(options.session, scene);
    return live_subject(options, scene, models ? std::move(models) : load(options));
}

Subject asked_subject(const Options& options, const std::string& scene) {
    check_race_options(options, scene);
    Subject subject = subject_of(options, scene);
    complete(options, scene, subject);
    keep_race(options, subject);
    return subject;
}

ManyFrames many_frames(const Options& options, const SceneWord& word, const std::string& what) {
    if (word.beat >= 0 || (options.link && (options.link->at > 0 || options.link->selected)))
        throw Error(what + " shows many places of a scene: it takes no beat of its own", "Say which: --frames 2:6, or all.", Exit::usage);
    ManyFrames many{.subject = asked_subject(options, word.scene)};
    FrameRequest any;
    any.scene = word.scene;
    any.race = many.subject.race;
    many.count = frame_beats(any, many.subject);
    many.first = std::max(1, options.first_frame);
    many.last = options.last_frame > 0 ? options.last_frame : many.count;
    if (many.first > many.count || many.last > many.count)
        throw Error("--frames: the scene has " + std::to_string(many.count) + " here", "Give numbers from 1 to that, or all.", Exit::usage);
    return many;
}

LinkOptions folders_of(const Options& options) { return {{"model", loaded_model(options)}}; }

std::string link_to(const Options& options, const FrameRequest& request, const Subject& subject) {
    if (!subject.models) return "";
    LinkOptions named = folders_of(options);
    if (const Header* header = subject.trace->header()) {
        if (!header->fingerprint.empty()) named.emplace_back("fingerprint", header->fingerprint);
        add_precision(*header, named);
        if (!subject.race) add_drafter(*header, named);
    }
    if (subject.race)
        for (const RaceLane& lane : subject.race->lanes)
            if (lane.trace && lane.trace->header()) add_drafter(*lane.trace->header(), named);
    const FramePlace place = frame_place(request, subject);
    Link link{.scene = request.scene, .beat = place.beat, .at = place.at, .selected = place.selected, .options = {}};
    link.options = subject.race ? options_of(subject.race->settings, named) : options_of(repeated(subject.settings, *subject.trace), named);
    if (!subject.models->tokenizer) // it took no text, and takes none from a link
        std::erase_if(link.options,
                      [](const auto& option) { return option.first == "prompt" || option.first == "system" || option.first == "chat"; });
    return to_text(link, options.links_to);
}

void complete(const Options& options, const std::string& scene, Subject& subject) {
    if (scene == kRace) race_for(options, subject);
    const bool beside = scene == "advice" && !options.attach.empty();
    if ((scene == kServer || beside) && subject.models) server_for(options, subject);
}

bool has_own_run(const Options& options, const std::string& scene, const Subject& subject) {
    return subject.models && !own_drafter(options, scene, ready(*subject.models)).empty();
}

FrameRequest request_for(const Options& options, const SceneWord& word, const Subject& subject) {
    const bool batches = !options.concurrency.empty() && (word.scene == kFailures || word.scene == kSystems);
    if (!options.concurrency.empty() && !batches && options.all.empty())
        throw Error("--concurrency does nothing for the scene " + word.scene, "Batches are shown in the scenes failures and systems.",
                    Exit::usage);
    FrameRequest request = request_of(options, word, subject);
    const std::optional<MeasureLoad> load = batches ? std::optional(load_of(options, subject)) : std::nullopt;
    if (!subject.models) return request;
    TerminalEngine& engine = *subject.engine;
    engine.engine().forget_answers(); // of another frame
    if (load) engine.answer(*load);
    if (const auto at = shown_position(request, *subject.trace)) engine.answer(FetchDistributions{at->first, at->second});
    request.answers = engine.shown();
    answer_all(request, subject);
    return request;
}

void draw(const FrameRequest& request, const Subject& subject, const std::filesystem::path& file) {
    render_frame(request, subject, file);
    if (const std::string part = part_words(request); !part.empty()) say(part);
}

std::string in_words(const FrameRequest& request, const Subject& subject) { return describe_frame(request, subject); }

} // namespace speclens::cli
