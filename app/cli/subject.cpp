#include "app/cli/subject.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/frontend/frontend.h"
#include "engine/advice/advice_measurement.h"
#include "engine/drafters/drafter.h"
#include "engine/lab/fault_study.h"
#include "engine/lab/pass_pair.h"
#include "engine/lab/race_json.h"
#include "engine/lab/stepped_race.h"
#include "engine/run/gallery.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "remote/client/server_session.h"

namespace speclens::cli {

namespace {

constexpr const char* kRace = "race";
constexpr const char* kServer = "server";
constexpr const char* kFailures = "failures"; // the scene that shows batches
constexpr std::size_t kServed = 16;     // prompts that our own server answers for a picture
constexpr double kReadingSeconds = 0.2; // between two readings of it

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
    stop_if_interrupted();
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

Ready ready(const Models& models) {
    return [&models](const std::string& drafter) { return models.why_not(drafter).empty(); };
}

// A race runs every one that was named, another scene the first.
std::vector<std::string> drafters_on_screen(const Options& options, const std::string& scene,
                                            const std::string& drafter) {
    if (scene != kRace || options.drafters.empty()) return {drafter};
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) names.push_back(choice.name);
    return names;
}

// Relaxed rules are judged by whole distributions. Those of a small vocabulary cost a moment, of a large one minutes.
bool wants_whole_distributions(const Options& options, const std::string& scene, const Models& models) {
    constexpr std::int64_t kMostEntries = 4096 * 128; // of all distributions on one side
    return scene == "relaxed" && !options.has("--trace-top") &&
           std::int64_t{models.vocab()} * options.max_tokens.value_or(64) <= kMostEntries;
}

Subject live_subject(const Options& options, const std::string& scene, std::shared_ptr<const Models> models) {
    Subject subject;
    subject.models = std::move(models);
    const std::string own = own_drafter(options, scene, ready(*subject.models));
    const std::string drafter = !own.empty() ? own : chosen_drafter(options, *subject.models);
    check_drafter_options(options, drafters_on_screen(options, scene, drafter), subject.models->layers());
    subject.settings = scene_settings(options, scene, drafter);
    if (wants_whole_distributions(options, scene, *subject.models)) subject.settings.trace_top = -1;
    if (options.timing) warm_up(subject.models, subject.settings);
    Run run(subject.models, subject.settings);
    run.on_reading([](int, int) { stop_if_interrupted(); });
    while (run.step()) stop_if_interrupted();
    subject.trace = run.shared_trace();
    const Header& header = *subject.trace->header();
    EngineStatus& status = subject.status;
    status.state = EngineStatus::State::stopped;
    status.backend = header.backend;
    status.model = header.model;
    status.draft_model = subject.models->draft_name();
    status.precision = header.precision;
    status.notice = header.notice;
    status.memory_bytes = run.memory_bytes();
    status.ready_drafters = subject.models->ready_drafters();
    if (options.timing && subject.models->target && !subject.models->scorer) {
        time_repeats(subject.models, subject.settings, *subject.times);
        subject.times->time(*subject.trace);
    }
    status.plain_ms_per_token = subject.trace->plain_ms();
    return subject;
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
    Race race(subject.models, settings, subject.times.get());
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

// A server to look at: the one of --attach, else our own engine behind an address, which answers a few
// ready-made prompts so that there is something to count.
void server_for(const Options& options, Subject& subject) {
    using State = ServerView::State;
    const bool own = options.attach.empty();
    if (own && (!options.timing || !subject.models->tokenizer)) return; // its curve is time; it takes text
    const auto models = [&](const std::atomic<bool>&) { return subject.models; };
    ServerSession session(models, subject.settings, server_key(options), {},
                          own ? kReadingSeconds : 1);
    if (own)
        session.send(ServeHere{});
    else
        session.send(AttachServer{options.attach});
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
            return !view.asking && view.asked.prompt == requests[i].prompt &&
                   (view.served || !view.problem.empty());
        });
        // Spread over some readings, so that there is a curve.
        if (own) (void)server_when(session, kReadingSeconds, [](const ServerView&) { return false; });
    }
    const std::size_t seen = session.view()->watch.size();
    subject.server = server_when(
        session, 3, [&](const ServerView& view) { return view.watch.empty() || view.watch.size() > seen; });
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

// The full distributions of the position that the frame shows; none for a saved trace, or when nothing was judged.
std::shared_ptr<const DistributionPair> distributions_of(const FrameRequest& request, const Subject& subject) {
    if (!subject.models) return nullptr;
    const auto position = shown_position(request, *subject.trace);
    if (!position) return nullptr;
    return std::make_shared<const DistributionPair>(
        full_distributions(subject.models, subject.settings, *subject.trace, position->first, position->second));
}

MedusaView trained_for(const TrainHeads& asked, const std::shared_ptr<const Models>& models) {
    MedusaTraining training(models, usual_medusa_plan(asked, models->chat));
    ProgressBar bar;
    while (training.step()) {
        stop_if_interrupted();
        const MedusaView& view = training.view();
        if (view.curve.empty())
            bar.show("the target writes", view.texts_done, view.texts, "answers");
        else
            bar.show("training", view.curve.back().step, view.plan.steps, "steps");
    }
    return training.view();
}

std::shared_ptr<const Advice> advice_for(const AskAdvice& asked, const Subject& subject) {
    AdvicePlan plan;
    plan.base = asked.base;
    plan.seconds = asked.seconds;
    plan.prompts = mixed_prompts(
        load_gallery(held_out_file(assets_folder(), !subject.models->bundle.empty(), subject.models->target_name())));
    AdviceMeasurement measurement(subject.models, std::move(plan));
    ProgressBar bar;
    while (measurement.step()) {
        stop_if_interrupted();
        bar.show("measuring for advice", std::round(100 * measurement.done()), 100, "%");
    }
    return measurement.advice();
}

// Batches of the frame's drafter with its K.
std::shared_ptr<const Sweep> load_for(const Options& options, const Subject& subject) {
    if (!subject.models || !subject.models->target)
        throw Error("--concurrency decodes batches here, and nothing is loaded that could", "Leave --session out, or give a checkpoint.",
                    Exit::usage);
    MeasureLoad measure;
    measure.base = subject.settings;
    measure.texts = options.concurrency;
    std::ranges::sort(measure.texts);
    measure.seconds = options.for_seconds.value_or(measure.seconds);
    SweepMeasurement measurement(subject.models, sweep_plan(*subject.models, measure));
    ProgressBar bar;
    while (measurement.step()) {
        stop_if_interrupted();
        bar.show(measurement.doing(), std::round(100 * measurement.done()), 100, "%");
    }
    return std::make_shared<const Sweep>(measurement.sweep());
}

void time_passes(const MeasurePasses& asked, const std::shared_ptr<const Models>& models, Answers& answers) {
    PassPair pair(models, asked, [] { return !interrupted(); });
    ProgressBar bar;
    do {
        stop_if_interrupted();
        bar.show("timing passes", std::round(100 * pair.done()), 100, "%");
    } while (pair.step());
    if (asked.forms)
        answers.passes_forms = pair.forms();
    else
        answers.passes = pair.own(), answers.passes_beside = pair.beside();
}

void answer(const speclens::Command& command, const Subject& subject, Answers& answers) {
    if (const auto* twin = std::get_if<FetchReplay>(&command)) {
        (twin->force_draft ? answers.other_guess : answers.twin) =
            std::make_shared<const Replay>(replay_twin(subject.models, subject.settings, *subject.trace, *twin));
    } else if (const auto* guest = std::get_if<FetchOtherDrafterRound>(&command)) {
        answers.guest = std::make_shared<const OtherDrafterRound>(guess_as(subject.models, subject.settings, *subject.trace, *guest));
    } else if (const auto* guesses = std::get_if<CompareDrafters>(&command)) {
        answers.guesses = std::make_shared<const DrafterComparison>(guess_all(subject.models, subject.settings, *subject.trace, *guesses));
    } else if (const auto* asked = std::get_if<MeasurePasses>(&command); asked && subject.models->target) {
        time_passes(*asked, subject.models, answers);
    } else if (const auto* ask = std::get_if<AskAdvice>(&command); ask && subject.models->target) {
        answers.advice = advice_for(*ask, subject);
    } else if (const auto* heads = std::get_if<TrainHeads>(&command); heads && subject.models->target) {
        answers.training = std::make_shared<const MedusaView>(trained_for(*heads, subject.models));
    } else if (const auto* plan = std::get_if<RunStudy>(&command)) {
        Study study{plan->name, static_cast<int>(plan->runs.size()), {}};
        for (const RunSettings& settings : plan->runs) {
            stop_if_interrupted();
            study.points.push_back(point_of_study(subject.models, settings, plan->name, subject.times.get()));
        }
        if (subject.models->target && !subject.models->scorer) time_study(study, *subject.times);
        answers.studies[plan->name] = std::make_shared<const Study>(std::move(study));
    }
}

// Where nobody chose a place, a head's first look is at a round where it has a guess.
void answer_all(FrameRequest& request, const Subject& subject) {
    Answers& answers = request.answers;
    const auto ask = [&] {
        for (const speclens::Command& command :
             frame_wants(request, subject.trace, subject.settings, subject.status))
            answer(command, subject, answers);
    };
    ask();
    const bool free = request.cursor == 0;
    for (const CycleSummary& cycle : fold(*subject.trace, subject.trace->size()).cycles) {
        if (!free || !answers.guest || answers.guest->trace || cycle.cycle > 8) break;
        if (!cycle.complete()) continue;
        request.cursor = cycle.end_event;
        ask();
    }
    if (answers.guest) ask(); // its picture has wishes of its own
}

} // namespace

Subject subject_of(const Options& options, const std::string& scene, std::shared_ptr<const Models> models) {
    if (!options.session.empty()) return saved_subject(options.session, scene);
    return live_subject(options, scene, models ? std::move(models) : load(options));
}

void complete(const Options& options, const std::string& scene, Subject& subject) {
    if (scene == kRace) race_for(options, subject);
    if (scene == kServer && subject.models) server_for(options, subject);
}

bool has_own_run(const Options& options, const std::string& scene, const Subject& subject) {
    return subject.models && !own_drafter(options, scene, ready(*subject.models)).empty();
}

FrameRequest request_for(const Options& options, const SceneWord& word, const Subject& subject) {
    const bool batches = !options.concurrency.empty() && word.scene == kFailures;
    if (!options.concurrency.empty() && !batches && options.all.empty())
        throw Error("--concurrency does nothing for the scene " + word.scene, "Batches are shown in the scene failures.", Exit::usage);
    FrameRequest request = request_of(options, word, subject);
    if (batches) request.answers.load = load_for(options, subject);
    if (!subject.models) return request;
    request.answers.distributions = distributions_of(request, subject);
    answer_all(request, subject);
    return request;
}

void render_one(const Options& options, const SceneWord& word, const Subject& subject,
                const std::filesystem::path& file) {
    const FrameRequest request = request_for(options, word, subject);
    render_frame(request, subject.trace, subject.settings, subject.status, file);
    if (const std::string part = part_words(request); !part.empty()) say(part);
}

} // namespace speclens::cli
