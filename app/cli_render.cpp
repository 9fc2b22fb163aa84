// `speclens render`, `speclens describe` and the window: a run or a saved trace, handed to the drawing side.
#include <algorithm>
#include <cstdlib>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "app/cli_commands.h"
#include "app/cli_measure.h"
#include "app/cli_output.h"
#include "app/cli_setup.h"
#include "app/cli_values.h"
#include "app/frontend.h"
#include "engine/drafter.h"
#include "engine/race_json.h"
#include "engine/saved_settings.h"
#include "engine/stepped_race.h"
#include "engine/trace_json.h"
#include "kernels/error.h"
#include "remote/server_session.h"

namespace speclens::cli {

namespace {

constexpr const char* kRace = "race";
constexpr const char* kServer = "server";
constexpr std::size_t kServed = 16;       // prompts that our own server answers for a picture
constexpr double kReadingSeconds = 0.2;   // between two readings of it

// What a frame is drawn from.
struct Subject {
    std::shared_ptr<const Models> models; // null for a saved trace
    std::shared_ptr<const RaceView> race; // where the scene needs one
    std::shared_ptr<const Trace> trace;
    RunSettings settings;
    EngineStatus status;
    std::shared_ptr<const ServerView> server; // where the scene shows one
};

Subject saved_race(const std::filesystem::path& file, const std::string& scene) {
    if (scene != kRace)
        throw Error(file.string() + " holds a race, which only the scene race shows",
                    "For example: speclens render race.", Exit::usage);
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
    if (!notice.empty()) say(notice);
    const Header* header = subject.trace->header();
    if (!header)
        throw Error(file.string() + ": no run in this trace", "Save one with: speclens run --json FILE");
    subject.settings = settings_of(*header);
    subject.status.backend = header->backend;
    subject.status.model = header->model;
    subject.status.draft_model = header->drafter_model;
    subject.status.notice = header->notice;
    subject.status.state = EngineStatus::State::stopped;
    return subject;
}

// The drafter that a scene is drawn with where no other one was asked for: a scene that is made for one
// drafter has its name, the scene of trees needs a tree. Empty: any will do, or this one is not loaded.
std::string own_drafter(const Options& options, const std::string& scene, const Models& models) {
    if (!options.drafters.empty()) return "";
    const std::string drafter = scene == "trees" && !options.has("--rule") ? "small_tree"
                                : find_drafter(scene)                      ? scene
                                                                           : "";
    return !drafter.empty() && models.why_not(drafter).empty() ? drafter : "";
}

Subject live_subject(const Options& options, const std::string& scene, std::shared_ptr<const Models> models) {
    Subject subject;
    subject.models = std::move(models);
    const std::string own_one = own_drafter(options, scene, *subject.models);
    const std::string drafter = !own_one.empty() ? own_one : chosen_drafter(options, *subject.models);
    const bool own = !own_one.empty() && own_one == scene; // a head: greedy, on a prompt that shows it
    check_drafter_options(options, {drafter}, subject.models->layers());
    subject.settings = run_settings(options, drafter, own ? 0 : kWalkTemperature);
    if (own && !options.prompt && options.token_ids.empty() && options.model.empty()) {
        subject.settings.prompt = kHeadPrompt;
        subject.settings.chat = true;
    }
    subject.settings.lens = true; // scenes show it
    if (options.timing) warm_up(subject.models, subject.settings);
    Run run(subject.models, subject.settings);
    while (run.step()) stop_if_interrupted();
    subject.trace = run.shared_trace();
    const Header& header = *subject.trace->header();
    EngineStatus& status = subject.status;
    status.state = EngineStatus::State::stopped;
    status.backend = header.backend;
    status.model = header.model;
    status.draft_model = subject.models->draft_name();
    status.notice = header.notice;
    status.memory_bytes = run.memory_bytes();
    status.ready_drafters = subject.models->ready_drafters();
    if (options.timing) status.plain_ms_per_token = plain_ms_per_token(subject.models, subject.settings, 24);
    return subject;
}

Subject subject_of(const Options& options, const std::string& scene) {
    return options.session.empty() ? live_subject(options, scene, load(options))
                                   : saved_subject(options.session, scene);
}

std::string scene_of(const std::string& word) {
    return split(word, ':')[0];
}

// Phase by phase to the end, so that a beat is a step.
std::shared_ptr<const RaceView> stepped_race(const std::shared_ptr<const Models>& models,
                                             const RaceSettings& settings) {
    SteppedRace race(models, settings);
    do {
        stop_if_interrupted();
        race.finish();
        race.ask(Stride::phase);
    } while (!race.view().lanes_finished());
    return std::make_shared<const RaceView>(race.view());
}

// A saved trace holds one run: there is nothing to race against.
void race_for(const Options& options, Subject& subject) {
    if (subject.race) return;
    if (!subject.models)
        throw Error("a saved run has one lane only", "Give a saved race, or leave the file out.",
                    Exit::usage);
    RaceSettings settings = race_settings(options, subject.models->tokenizer != nullptr);
    if (settings.lanes.empty()) settings.lanes = race_entries(usual_racers(*subject.models), settings.base);
    if (settings.stepped) {
        subject.race = stepped_race(subject.models, settings);
        return;
    }
    Race race(subject.models, settings);
    ProgressBar bar;
    while (race.step()) {
        stop_if_interrupted();
        bar.show("racing", race.view().prompts_done, race.view().prompts, "prompts");
    }
    subject.race = std::make_shared<const RaceView>(race.view());
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

// A server to look at: the one of --attach, else our own engine behind an address, which answers a few ready-made
// prompts so that there is something to count.
void server_for(const Options& options, Subject& subject) {
    using State = ServerView::State;
    const bool own = options.attach.empty();
    if (own && (!options.timing || !subject.models->tokenizer)) return; // its curve is time; it takes text
    ServerSession session(model_paths(options), subject.settings, server_key(options), {}, own ? kReadingSeconds : 1);
    if (own) session.send(ServeHere{});
    else session.send(AttachServer{options.attach});
    const auto attached = server_when(session, 30, [](const ServerView& view) {
        return view.state == State::attached || view.state == State::failed;
    });
    if (attached->state != State::attached)
        throw Error(attached->problem.empty() ? options.attach + " does not answer" : attached->problem,
                    attached->remedy, Exit::network);
    std::vector<RequestSettings> requests;
    if (own)
        for (const GalleryPrompt& prompt : race_settings(options, true).prompts) {
            if (requests.size() == kServed) break;
            RunSettings ready_made;
            ready_made.prompt = prompt.prompt;
            ready_made.system = prompt.system;
            ready_made.chat = prompt.chat;
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

FrameRequest request_of(const Options& options, const std::string& word, const Subject& subject) {
    const std::vector<std::string> parts = split(word, ':');
    FrameRequest request;
    request.scene = parts[0];
    if (parts.size() > 2)
        throw Error("'" + word + "' is not SCENE or SCENE:BEAT", "For example loop or loop:3.", Exit::usage);
    if (parts.size() == 2) request.beat = static_cast<int>(whole("BEAT", parts[1], 0, 100000));
    request.width = options.width;
    request.height = options.height;
    request.theme = options.theme;
    request.zoom = options.zoom;
    request.presenter = options.presenter;
    request.plain_ms_per_token = subject.status.plain_ms_per_token;
    request.race = subject.race;
    request.server = subject.server;
    if (request.race && request.beat >= 0) { // ends of rounds, from 1
        const std::vector<double> stops = race_stop_times(*request.race);
        request.race_ms = stops[std::min(stops.size() - 1, static_cast<std::size_t>(request.beat))];
    }
    return request;
}

void check_scene(const std::string& word) {
    const std::string name = scene_of(word);
    std::vector<std::string> known;
    for (const SceneName& scene : scene_names()) known.push_back(scene.name);
    if (known.empty()) return; // a build without scenes says so itself
    if (std::find(known.begin(), known.end(), name) == known.end()) unknown_name("scene", name, known);
}

void check_race_options(const Options& options, const std::string& scene) {
    for (const char* option : {"--stepped", "--json"})
        if (options.has(option) && scene != kRace)
            throw Error(std::string(option) + " does nothing for the scene '" + scene + "'",
                        "It is an option of the scene race.", Exit::usage);
    for (const char* option : {"--attach", "--key-from"})
        if (options.has(option) && scene != kServer && options.all.empty())
            throw Error(std::string(option) + " does nothing for the scene '" + scene + "'",
                        "It is an option of the scene server.", Exit::usage);
}

void keep_race(const Options& options, const Subject& subject) {
    if (options.json.empty()) return;
    ResultFile file(options.json);
    file.write(race_json(*subject.race));
    file.commit();
}

// The full laws of the position that the frame shows; absent for a saved trace, or when nothing was judged.
std::optional<LawPair> laws_of(const FrameRequest& request, const Subject& subject) {
    if (!subject.models) return std::nullopt;
    const auto position = shown_position(request, *subject.trace);
    if (!position) return std::nullopt;
    return full_laws(subject.models, subject.settings, *subject.trace, position->first, position->second);
}

// What the frame asks to be replayed or measured; nothing for a saved trace.
struct Answers {
    std::optional<Twin> twin, other_guess;
    std::optional<Guesses> guesses;
    Studies studies;
    std::optional<PassTimes> passes;
};
Answers answers_of(const FrameRequest& request, const Subject& subject) {
    Answers answers;
    if (!subject.models) return answers;
    for (const speclens::Command& command :
         frame_wants(request, subject.trace, subject.settings, subject.status)) {
        if (const auto* twin = std::get_if<FetchTwin>(&command)) {
            (twin->force_draft ? answers.other_guess : answers.twin) =
                replay_twin(subject.models, subject.settings, *subject.trace, *twin);
        } else if (const auto* guesses = std::get_if<FetchGuesses>(&command)) {
            answers.guesses = guess_all(subject.models, subject.settings, *subject.trace, *guesses);
        } else if (std::holds_alternative<MeasurePasses>(command) && subject.models->target) {
            answers.passes = measure_passes(*subject.models, window_passes(*subject.models));
        } else if (const auto* plan = std::get_if<RunStudy>(&command)) {
            Study study{plan->name, static_cast<int>(plan->runs.size()), {}};
            for (const RunSettings& settings : plan->runs) {
                stop_if_interrupted();
                study.points.push_back(study_point(subject.models, settings));
            }
            answers.studies[plan->name] = std::make_shared<const Study>(std::move(study));
        }
    }
    return answers;
}

// A frame with everything it asks for; the request points into the rest.
struct Asked {
    FrameRequest request;
    std::optional<LawPair> laws;
    Answers answers;
    Asked(const Options& options, const std::string& word, const Subject& subject)
        : request(request_of(options, word, subject)), laws(laws_of(request, subject)),
          answers(answers_of(request, subject)) {
        request.twin = answers.twin ? &*answers.twin : nullptr;
        request.other_guess = answers.other_guess ? &*answers.other_guess : nullptr;
        request.guesses = answers.guesses ? &*answers.guesses : nullptr;
        request.studies = &answers.studies;
        request.passes = answers.passes ? &*answers.passes : nullptr;
    }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    [[nodiscard]] const LawPair* law_pair() const { return laws ? &*laws : nullptr; }
};

void render_one(const Options& options, const std::string& word, const Subject& subject,
                const std::filesystem::path& file) {
    const Asked asked(options, word, subject);
    render_frame(asked.request, subject.trace, subject.settings, subject.status, asked.law_pair(), file);
}

} // namespace

Exit command_render(const Options& options) {
    if (options.all.empty()) {
        const std::string ending = options.output.extension().string();
        if (ending != ".png" && ending != ".svg")
            throw Error("-o " + options.output.string() + ": the ending must be .png or .svg",
                        "For example -o loop.png.", Exit::usage);
        check_scene(options.words[0]);
        const std::string scene = scene_of(options.words[0]);
        check_race_options(options, scene);
        Subject subject = subject_of(options, scene);
        if (scene == kRace) race_for(options, subject);
        if (scene == kServer && subject.models) server_for(options, subject);
        keep_race(options, subject);
        render_one(options, options.words[0], subject, options.output);
        return Exit::ok;
    }
    std::error_code failure;
    std::filesystem::create_directories(options.all, failure);
    if (failure)
        throw Error(options.all.string() + ": " + failure.message(), "Give a folder that can be made.");
    Subject subject = subject_of(options, "");
    for (const SceneName& scene : scene_names()) {
        if (scene.name == kRace) {
            if (!subject.models) continue;
            race_for(options, subject);
        }
        if (scene.name == kServer && subject.models) server_for(options, subject);
        const std::filesystem::path file = options.all / (scene.name + ".png");
        if (subject.models && !own_drafter(options, scene.name, *subject.models).empty())
            render_one(options, scene.name, live_subject(options, scene.name, subject.models), file);
        else
            render_one(options, scene.name, subject, file);
        print(file.string() + "\n");
        flush();
    }
    return Exit::ok;
}

Exit command_describe(const Options& options) {
    check_scene(options.words[0]);
    const std::string scene = scene_of(options.words[0]);
    check_race_options(options, scene);
    Subject subject = subject_of(options, scene);
    if (scene == kRace) race_for(options, subject);
    if (scene == kServer && subject.models) server_for(options, subject);
    keep_race(options, subject);
    const Asked asked(options, options.words[0], subject);
    if (options.json != "-")
        print(
            describe_frame(asked.request, subject.trace, subject.settings, subject.status, asked.law_pair()) +
            "\n");
    return Exit::ok;
}

Exit command_window(const Options& options) {
    WindowRequest request;
    request.models = model_paths(options);
    const bool own_model = !options.model.empty() && request.models.draft.empty();
    const std::string drafter =
        options.drafters.empty() ? (own_model ? "lookup" : "small") : options.drafters[0].name;
    request.settings = run_settings(options, drafter, kWalkTemperature);
    request.settings.lens = true;
    request.scene = options.attach.empty() ? kRace : kServer;
    request.attach = options.attach;
    request.server_key = server_key(options);
    if (!options.words.empty()) {
        request.scene = "loop"; // a saved run is one lane
        request.session = options.words[0];
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(request.session, ignored))
            throw Error(request.session.string() + ": no such file",
                        "Save a trace with: speclens run --json FILE");
    }
    request.race = race_settings(options, options.token_ids.empty());
    request.theme = options.theme;
    request.presenter = options.presenter;
    request.zoom = options.zoom;
    request.width = options.width;
    request.height = options.height;
    open_window(request);
    return Exit::ok;
}

} // namespace speclens::cli
