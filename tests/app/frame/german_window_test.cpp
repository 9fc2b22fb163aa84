// What a window says in German once its engine has answered: scenes with everything measured, alone and for a room, a race, a
// lecture, menus, dialogs, the palette and the messages of its actions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "app/frame/popups.h"
#include "engine/drafters/drafter_info.h"
#include "engine/fetch/fetchable.h"
#include "engine/models/models.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/run/replay.h"
#include "tests/scenes/room.h"
#include "tests/scenes/run_elsewhere.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/scenes/view_bench.h"
#include "tests/shared/in_german.h"
#include "tests/shared/made_advice.h"
#include "tests/shared/made_diagnosis.h"
#include "tests/shared/pass_times.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/toy_race.h"

namespace speclens {
namespace {

using german::kAssets;

// ---- a scene whose engine answers whatever it is asked, with made figures ----

Study made_study(const RunStudy& asked) {
    Study done{asked.name, static_cast<int>(asked.runs.size()), {}};
    int number = 0;
    for (const RunSettings& run : asked.runs) {
        StudyPoint point;
        point.settings = run;
        point.rounds = 40;
        point.timed = 39;
        point.verify_ms = 1 + 0.05 * run.k;
        if (run.drafter == "medusa") point.problem = Models().why_not("skip");
        int reached = 40;
        point.tokens = 40;
        for (int i = 0; run.drafter != kNoDrafter && i < run.k; ++i) {
            point.judged.push_back(reached);
            reached = reached * (7 - number % 3) / 8;
            point.kept.push_back(reached);
            point.tokens += reached;
        }
        if (run.drafter != kNoDrafter) point.draft_ms = 0.2 + 0.1 * run.k, point.head_ms = 0.1;
        for (int i = 0; i < 12; ++i) point.output.push_back(i == 8 && number % 4 == 3 ? 7 : i);
        done.points.push_back(std::move(point));
        ++number;
    }
    return done;
}

// A batch of so many texts that decoded twelve rounds.
SweepCell made_cell(const std::string& drafter, int k, int texts, double speed_up) {
    SweepCell cell;
    cell.method = {.drafter = k > 0 ? drafter : kNoDrafter, .rule = "token", .k = k};
    cell.concurrency = texts;
    SweepSlice slice;
    slice.ms = 1000, slice.draft_ms = 200, slice.pass_ms = 700;
    slice.tokens = std::lround(1000 * speed_up);
    slice.rounds = 100, slice.text_rounds = 100L * texts, slice.rows = 100L * texts * (k + 1);
    cell.slices = {slice};
    cell.sum = slice;
    cell.speed_up = SweepInterval{speed_up, speed_up - 0.04, speed_up + 0.04};
    cell.compared = cell.equal = 3;
    for (int i = 0; i < 12; ++i) {
        BatchRound& round = cell.rounds.emplace_back();
        for (int text = 0; text < texts; ++text) {
            const int kept = (text * 3 + i * 2) % (k + 1);
            round.lanes.push_back({.text = text, .did = BatchLane::Did::decoded, .rows = 1 + k, .accepted = kept, .tokens = kept + 1});
        }
        round.rows = texts * (k + 1), round.passes = 1;
        round.draft_ms = 1.5, round.pass_ms = 0.3 * round.rows;
    }
    return cell;
}

std::shared_ptr<const Sweep> made_load(const std::string& drafter) {
    auto load = std::make_shared<Sweep>();
    for (const int texts : {1, 4, 16})
        for (const int k : {0, 2, 4}) load->cells.push_back(made_cell(drafter, k, texts, texts == 1 ? 1.5 : texts == 4 ? 1.02 : 0.7));
    load->crossings.resize(3);
    load->complete = true;
    return load;
}

std::shared_ptr<const HeadTrainingView> made_training(const TrainHeads& asked) {
    HeadTrainingView view;
    view.plan = default_head_plan(asked);
    view.texts = view.texts_done = 300;
    view.states = 7501, view.held_states = 1766;
    view.text_seconds = 2.84;
    view.shipped = {{0.72, 0.60, 0.53, 0.47}, 2.37, {500, 360, 216, 114}, {360, 216, 114, 54}};
    for (const int step : {0, asked.steps / 2, asked.steps}) {
        const double share = step / (2.0 * asked.steps);
        view.curve.push_back({step,
                              step / 120.0,
                              step > 0 ? 4.0 : 0,
                              {{share, share / 2, share / 3, share / 3}, 1 + share, {900, 300, 80, 20}, {300, 80, 20, 4}}});
    }
    view.complete = true;
    return std::make_shared<const HeadTrainingView>(view);
}

struct Answering : RunWindow {
    Answering(const std::string& scene, RunSettings of, ui::Rect screen = {0, 0, 1600, 1000}) {
        settings = std::move(of);
        settings.prompt.token_ids = {5, 6, 7, 8, 9};
        open(scene, {"none", "small", "small_tree", "lookup", "skip", "eagle3", "dflash", "domino", "medusa", "mtp"}, screen);
        bench->controller.figures = std::make_shared<const Published>(Published::load(kAssets / "published"));
        published.status.model = "micro target";
        show();
    }
    // Until it asks for nothing more.
    void answer() {
        for (std::size_t turn = 0; turn < 8 && !sent.empty(); ++turn) {
            for (const Command& command : std::exchange(sent, {})) std::visit([this](const auto& asked) { answer(asked); }, command);
            show();
        }
        sent.clear();
    }
    [[nodiscard]] bool shows_own_run() const { return published.trace == run->shared_trace(); }
    void answer(const RunStudy& asked) { published.studies[asked.name] = std::make_shared<const Study>(made_study(asked)); }
    void answer(const MeasurePasses& asked) {
        published.passes = std::make_shared<const PassTimes>(test::passes_in_cache());
        published.passes_beside = std::make_shared<const PassTimes>(test::passes_of_a_shape());
        if (asked.forms)
            published.passes_forms = std::make_shared<const std::vector<PassTimes>>(
                std::vector{test::passes_in_form(DType::q8_0, 0.53), test::passes_in_form(DType::q4_0, 0.28)});
    }
    void answer(const AskAdvice&) { published.advice = std::make_shared<const Advice>(test::made_advice()); }
    void answer(const MeasureLoad& asked) { published.load = made_load(asked.base.drafter); }
    void answer(const TrainHeads& asked) { published.training = made_training(asked); }
    void answer(const ExamineHead& asked) { published.diagnosis = std::make_shared<const Diagnosis>(test::made_diagnosis(asked.drafter)); }
    void answer(const FetchReplay& asked) {
        auto replay = std::make_shared<const Replay>(replay_round(models, settings, run->trace(), asked));
        (asked.force_draft ? published.other_draft : published.replayed) = std::move(replay);
    }
    void answer(const FetchOtherDrafterRound& asked) {
        published.other_round = std::make_shared<const OtherDrafterRound>(draft_as(models, settings, run->trace(), asked));
    }
    void answer(const CompareDrafters& asked) {
        auto guesses = std::make_shared<DrafterComparison>(empty_comparison(*models, run->trace(), asked));
        while (!guesses->complete()) guesses->rows.push_back(compare_next(models, settings, run->trace(), *guesses));
        double ms = 0;
        for (ComparisonRow& row : guesses->rows) row.draft_ms = ms += 0.25;
        published.comparison = std::move(guesses);
    }
    template <class T>
    void answer(const T&) {} // begins or ends something
};

// A run that the scene is about.
std::vector<RunSettings> runs_for(const std::string& scene) {
    RunSettings run;
    run.k = 4;
    run.max_tokens = 40;
    run.sampling.temperature = 1;
    run.internals = true;
    const bool head = scene == "eagle3" || scene == "dflash" || scene == "domino" || scene == "mtp";
    if (head) run.drafter = scene;
    if (scene == "lossless") run.sampling.temperature = 0, run.rule = "greedy";
    if (scene != "trees") return {run};
    RunSettings tree = run, block = run;
    tree.drafter = "small_tree", tree.rule = "tree_kseq";
    block.rule = "block";
    return {tree, block};
}

const char* const kKeys = "MCBWNH"; // what scenes measure, draw, decode and replay with
ui::Key letter(char c) { return static_cast<ui::Key>(static_cast<int>(ui::Key::a) + c - 'A'); }

using InGermanMeasured = InGerman;

TEST_F(InGermanMeasured, ScenesSayNothingInEnglish) {
    for (const std::string& scene : every_scene()) {
        if (scene == "race" || scene == "server" || scene == "numbers") continue; // nothing is measured there
        for (const RunSettings& run : runs_for(scene)) {
            where = scene + " " + run.drafter;
            Answering window(scene, run);
            const int beats = std::max(1, window.bench->controller.frame(0).active->beats(window.input()));
            for (const bool measured : {false, true}) {
                for (int beat = 0; beat < beats; ++beat) {
                    where = scene + " " + run.drafter + " beat " + std::to_string(beat) + (measured ? ", measured" : ", measuring");
                    window.beat(beat);
                    for (const char* key = kKeys; *key && !measured; ++key) {
                        window.bench->key(letter(*key));
                        window.answer();
                    }
                    window.answer();
                    look(*window.bench, where, false);
                }
            }
            for (const ui::Vec2 size : {ui::Vec2{1280, 720}, ui::Vec2{1100, 700}}) {
                window.bench->resize({0, 0, size.x, size.y});
                for (int beat = 0; beat < beats; ++beat) {
                    where = scene + " beat " + std::to_string(beat) + ", " + std::to_string(static_cast<int>(size.x));
                    window.beat(beat);
                }
            }
            present(*window.bench);
            for (int beat = 0; beat < beats; ++beat) {
                where = scene + " presented, beat " + std::to_string(beat);
                window.beat(beat);
                look(*window.bench, where, false);
            }
        }
    }
}

TEST_F(InGermanMeasured, RacesSayNothingInEnglish) {
    auto waiting = toy_race(false);
    waiting->lanes[2].problem = Models().why_not("skip");
    waiting->lanes[2].trace = nullptr, waiting->lanes[2].finished = false;
    waiting->lanes[3].trace = nullptr, waiting->lanes[3].finished = false;
    waiting->running = 3;
    for (const ui::Vec2 size : {ui::Vec2{1600, 1000}, ui::Vec2{1280, 720}})
        for (const std::shared_ptr<RaceView>& race : {std::shared_ptr<RaceView>(), waiting, toy_race(), toy_race(true, "TABLE")})
            for (const bool presenter : {false, true}) {
                RaceBench race_bench({0, 0, size.x, size.y});
                where = "race";
                race_bench.observe(race);
                if (presenter) present(race_bench.bench, size);
                for (const bool rounds : {false, true}) {
                    for (const double ms : {0.0, 1.0, 33.6, 200.0}) {
                        where = "race at " + std::to_string(ms) + (presenter ? ", presented" : "");
                        race_bench.bench.controller.perform({SceneCommand{SetRaceClock{ms}}}, race_bench.bench.time);
                        race_bench.bench.settle();
                        look(race_bench.bench, where, false);
                    }
                    if (!rounds) race_bench.bench.key(ui::Key::s);
                }
            }
}

// ---- around the scene ----

constexpr ui::Rect kWindows[] = {{0, 0, 1600, 1000}, {0, 0, 1280, 720}};

// A window with everything beside it, and an engine that only listens.
struct Whole {
    LiveBench live;
    SceneBench& bench = live.bench;
    std::vector<SavedFile> saved;

    explicit Whole(const std::string& scene, ui::Rect screen = kWindows[0]) : live(scene) {
        bench.resize(screen);
        Controller& window = bench.controller;
        static const WindowAssets assets = load_window_assets(kAssets, "de");
        window.gallery = assets.gallery, window.general = assets.general;
        window.glossary = assets.glossary, window.quiz = assets.quiz;
        window.figures = assets.figures, window.ablations = assets.ablations;
        window.read.lectures = {{"Billig vorschlagen, exakt prüfen", "first-lesson.lec.toml"}};
        Snapshot now;
        now.trace = fixtures::mixed();
        now.settings.k = 4;
        now.settings.sampling.temperature = 1;
        now.prompt_room = [](const RunSettings& s) { return PromptRoom{static_cast<int>(s.prompt.text.size()), 300}; };
        now.status.built_in = true;
        now.status.model = "tiny";
        now.status.memory_bytes = 5'000'000;
        live.observe(now);
        window.perform({SceneCommand{SetCursor{now.trace->size() / 2}}}, bench.time);
        bench.settle();
    }
    void act(Action action) {
        bench.controller.perform({PickAction{action}}, bench.time);
        bench.settle();
    }
    void close() {
        bench.controller.chrome.popup = Popup::none;
        bench.controller.chrome.menu = -1;
        bench.settle();
    }
};

using InGermanWindow = InGerman;

TEST_F(InGermanWindow, MenusAndTheirReasons) {
    for (const ui::Rect screen : kWindows)
        for (const char* scene : {"loop", "race"}) {
            Whole window(scene, screen);
            for (int menu = 0; menu < std::ssize(menu_names()); ++menu) {
                where = std::string("menu ") + menu_names()[static_cast<std::size_t>(menu)];
                window.bench.controller.chrome.menu = menu;
                window.bench.settle();
                look(window.bench, where, false);
            }
            window.close();
        }
    where = "why an action is off";
    SceneBench empty("loop"), race("race");
    Whole window("loop");
    for (SceneBench* bench : {&empty, &race, &window.bench})
        for (const ActionInfo& info : action_list()) hear(why_not(bench->controller.frame(bench->time), info.action));
}

TEST_F(InGermanWindow, HowKIsChosen) {
    for (const char* drafter : {"small", "dflash", "small_tree", "lookup"}) {
        RunSettings run = test::greedy(drafter, 8);
        run.k_auto = true;
        run.k_costs = DraftCosts{.pass = {{1, 1}, {17, 1.8}}, .draft = {{1, 0.3}, {16, 4.8}}};
        run.rule = judging_rule(run.rule, drafter);
        run.max_tokens = 60;
        Answering window("loop", run);
        SceneBench& bench = *window.bench;
        bench.controller.perform({PickAction{Action::draft_lengths}}, bench.time);
        for (std::size_t cursor = 1; cursor < window.published.trace->size(); cursor += 9) {
            where = std::string("lengths of ") + drafter + " at " + std::to_string(cursor);
            bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
            bench.settle();
            ASSERT_EQ(bench.controller.chrome.popup, Popup::lengths);
            look(bench, where, false);
        }
    }
}

TEST_F(InGermanWindow, Dialogs) {
    const test::TempFolder home;
    ::setenv("XDG_DATA_HOME", home.path().c_str(), 1);
    for (const ui::Rect screen : kWindows) {
        Whole window("loop", screen);
        SceneBench& bench = window.bench;
        const auto shown = [&](const std::string& what) {
            where = what;
            bench.settle();
            EXPECT_NE(bench.controller.chrome.popup, Popup::none) << what;
            if (bench.controller.chrome.popup != Popup::keys) look(bench, where, false);
        };
        const auto type = [&](const std::string& words) {
            bench.controller.chrome.query = words;
            bench.settle();
        };
        for (const auto& [action, name] : std::initializer_list<std::pair<Action, const char*>>{{Action::edit_prompt, "prompt"},
                                                                                                {Action::open_file, "open"},
                                                                                                {Action::open_model, "models"},
                                                                                                {Action::export_frame, "export"},
                                                                                                {Action::fork, "fork"},
                                                                                                {Action::draft_lengths, "lengths"},
                                                                                                {Action::glossary, "glossary"},
                                                                                                {Action::keys, "keys"}}) {
            where = name;
            window.act(action);
            shown(name);
            window.close();
        }
        where = "prompt";
        window.act(Action::edit_prompt);
        for (const std::string& prompt : {std::string("Why is the sky blue?"), std::string(400, 'x'), std::string()}) {
            bench.controller.chrome.prompt = prompt;
            shown("prompt of " + std::to_string(prompt.size()));
        }
        bench.controller.chrome.chat = true;
        shown("prompt of a chat");
        window.close();
        where = "paths";
        window.act(Action::open_file);
        for (const char* words : {"/nowhere.jsonl", "speclens://loop", "zzz"}) type(words), shown(std::string("open ") + words);
        window.close();
        window.act(Action::open_model);
        for (const char* words : {"/nowhere.gguf", "zzz"}) type(words), shown(std::string("models ") + words);
        window.close();
        window.act(Action::glossary);
        for (int row = 0; row < std::ssize(bench.controller.glossary); ++row) bench.controller.chrome.row = row, shown("glossary");
        window.close();
        window.act(Action::quiz);
        for (std::size_t i = 0; i < bench.controller.quiz.size(); ++i) {
            shown("quiz");
            bench.key(ui::Key::a, {.shift = true});
            if (i % 2 == 0) bench.key(ui::Key::b, {.shift = true});
            shown("quiz, hands");
            bench.key(i % 3 == 0 ? ui::Key::a : ui::Key::b);
            shown("quiz, answered");
            bench.key(ui::Key::enter);
        }
        window.close();
        window.act(Action::palette);
        for (const char* words : {"", ">", "@", "#", ":", "?", "setting", "seed", "seed 7", "k 400", "drafter", "rule", "model", "lesson",
                                  "lektion", "speclens://loop", "zzzz"})
            type(words), shown(std::string("palette ") + words);
        where = "every row of the palette";
        for (const char* words : {">", "@", "?", "s", "r", "t", ":", "setting", "drafter", "rule"})
            for (const PaletteRow& row : palette_rows(bench.controller.frame(bench.time), words)) hear(row.label), hear(row.detail);
        for (const PaletteRow& row : fork_rows(bench.controller.frame(bench.time))) hear(row.label), hear(row.detail);
    }
    ::unsetenv("XDG_DATA_HOME");
}

TEST_F(InGermanWindow, KeysOfEveryScene) {
    for (const std::string& scene : every_scene()) {
        where = "scene " + scene;
        Whole window(scene);
        where = "keys of " + scene;
        window.act(Action::keys); // they scroll
    }
}

// Whatever is picked says something, in a line that is read from the state: it stands there for seconds only.
TEST_F(InGermanWindow, MessagesOfActions) {
    const std::set<Action> others = {Action::language, Action::quit, Action::description, Action::screenshot, Action::save_trace};
    for (const char* scene : {"loop", "race", "speedup"})
        for (const ActionInfo& info : action_list()) {
            if (others.contains(info.action)) continue;
            Whole window(scene);
            where = "message of " + info.label.id() + " in " + scene;
            window.act(info.action);
            hear(window.bench.controller.chrome.message);
            window.close();
            for (const Action back : {Action::undo, Action::redo}) {
                window.act(back);
                hear(window.bench.controller.chrome.message);
            }
            const FrameInput now = window.bench.controller.frame(window.bench.time);
            for (const Message& words : {now.banner, now.remedy, now.offer.words, now.offer.yes}) hear(words);
        }
}

TEST_F(InGermanWindow, FetchedModelsAndJobs) {
    for (const ui::Rect screen : kWindows) {
        Whole window("loop", screen);
        FetchView view{.name = "smollm2", .title = fetchables().front().title};
        view.done = 12.4, view.total = 92.9;
        where = "a model is fetched";
        window.bench.controller.observe_fetch(std::make_shared<const FetchView>(view), window.bench.time);
        window.bench.settle();
        view.over = true;
        window.bench.controller.observe_fetch(std::make_shared<const FetchView>(view), window.bench.time);
        window.bench.settle();
        look(window.bench, where, false);
        Snapshot loading;
        loading.status.state = EngineStatus::State::loading;
        loading.status.job = {EngineJob::What::models, "", 3, 12};
        where = "models are loaded";
        SceneBench bench(
            "loop",
            {.send = [](const Command&) {}, .set_budget = [](std::int64_t) {}, .add_budget = [](std::int64_t) {}, .cancel_loading = [] {}},
            screen);
        bench.controller.observe(loading, bench.time);
        bench.settle();
    }
}

TEST_F(InGermanWindow, ALecture) {
    for (const ui::Rect screen : kWindows)
        for (const bool presenter : {false, true}) {
            Whole window("loop", screen);
            if (presenter) present(window.bench, {screen.w, screen.h});
            LectureView lecture = three_steps();
            lecture.steps[0].title = lecture.steps[1].title = lecture.steps[2].title = "Schritt";
            lecture.steps[0].notes = lecture.steps[2].notes = "Notiz";
            where = "a lecture";
            window.bench.controller.begin_lecture(std::move(lecture), window.bench.time);
            window.bench.settle();
            window.act(Action::notes);
            for (int step = 0; step < 3; ++step) {
                look(window.bench, where, false);
                window.act(Action::next_step);
            }
            window.bench.controller.perform({SceneCommand{OpenScene{"numbers"}}}, window.bench.time);
            window.bench.settle();
            look(window.bench, "away from the lecture", false);
        }
}

TEST_F(InGermanWindow, TheOpening) {
    for (const ui::Rect screen : kWindows) {
        Whole window("loop", screen);
        where = "the opening";
        window.act(Action::opening);
        for (int i = 0; i < 40; ++i) window.bench.frame();
        look(window.bench, where, false);
    }
}

// What stands where the pointer rests.
TEST_F(InGermanWindow, TooltipsOfControls) {
    for (const std::string& scene : every_scene()) {
        where = "tooltips of " + scene;
        Whole window(scene);
        for (const ui::Stop& stop : std::vector<ui::Stop>(window.bench.stops))
            if (stop.seen.w > 0 && stop.seen.h > 0) (void)window.bench.tip_at(stop.seen.center());
    }
}

} // namespace
} // namespace speclens
