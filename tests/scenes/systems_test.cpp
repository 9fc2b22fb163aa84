// Scene S15: cache rows of a run, bytes and times on a wire, and the two controllers.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "app/frame/frame_layout.h"
#include "engine/base/json.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "scenes/speedup/speedup_draw.h"
#include "scenes/systems/audits_draw.h"
#include "scenes/systems/simulated_pool.h"
#include "scenes/systems/systems_draw.h"
#include "scenes/systems/workers_draw.h"
#include "tests/scenes/run_elsewhere.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

TEST(Systems, BytesAndTimesOfARound) {
    SimulatedWire wire; // K = 5, 151 936 ids, 25 Gbit/s, .2 ms
    EXPECT_DOUBLE_EQ(wire_bytes(wire, Payload::ids), 20);
    EXPECT_DOUBLE_EQ(wire_bytes(wire, Payload::rows), 20 + 5 * 4 * 151936.0);
    EXPECT_NEAR(wire_bytes(wire, Payload::scalars), 40 + (1 - std::pow(0.8, 5)) * 4 * 151936, 1e-6);
    EXPECT_NEAR(wire_ms(wire, Payload::ids), 0.2, 1e-4);
    EXPECT_NEAR(wire_ms(wire, Payload::rows), 0.2 + 3038740 * 8 / 25e9 * 1e3, 1e-3);
    wire.round_trip_ms = 0.5;
    wire.gigabits = 1e9;
    wire.k = 4;
    EXPECT_NEAR(wire_speedup(wire, Payload::ids), 2.1457, 1e-4) << "the public oracle's value";
}

// The published controller, step by step, as the public oracle has it.
TEST(Systems, TheArticlesControllerDoesWhatIsPrinted) {
    std::ifstream in(SPEC_SOURCE_DIR "/tests/engine/golden/oracles_public.json");
    const Json file = Json::parse(in);
    int steps = 0;
    for (const auto& one : file["analytic"]) {
        if (one["f"] != "seed_controller_trace") continue;
        ArticleController controller(one["start"].get<int>(), one["min_k"].get<int>(), one["max_k"].get<int>());
        for (const auto& update : one["updates_accepted_proposed_Kafter"]) {
            ASSERT_EQ(controller.update(update[0].get<int>(), update[1].get<int>()), update[2].get<int>()) << "update " << steps;
            ++steps;
        }
    }
    EXPECT_GE(steps, 50);
}

TEST(Systems, TellsOfWasteOnlyWhereThereIsSome) {
    SceneInput input;
    input.beat = 1;
    SystemsModel m;
    m.rounds = {{0, 4, 3, 3}};
    m.written = m.kept = 3;
    const auto has = [&](const char* words) { return systems_story(input, m).text.find(words) != std::string::npos; };
    EXPECT_TRUE(has("nothing was wasted"));
    EXPECT_FALSE(has("work for nothing"));
    m.kept = 2;
    EXPECT_TRUE(has("work for nothing"));
    m.tier = "REMOTE";
    EXPECT_TRUE(has("only ids are cut back"));
    m.tier = "TABLE";
    EXPECT_TRUE(has("A table has no cache"));
}

// A run whose target is a server: a round of it is drawn beside the simulated ones, and said to be measured.
TEST(Systems, ShowsWhatARoundOfThisRunCostOnTheWay) {
    const auto run = test::finished(test::micro_models(1), test::greedy("small", 3));
    const Trace& local = run->trace();
    const std::shared_ptr<const Trace> elsewhere = test::run_elsewhere(local);
    const Trace& remote = *elsewhere;
    for (const Trace* trace : {&local, &remote}) {
        const RunView view = fold(*trace, trace->size());
        SceneInput input;
        input.whole = &view;
        input.cursor = trace->size();
        input.beat = 2;
        const SystemsModel m = systems_model(input, SystemsState{});
        EXPECT_EQ(m.measured.any(), trace == &remote);
        const std::string words = systems_description(input, m);
        EXPECT_EQ(words.find("sent 1500 bytes, received 20000, away 12.500 ms") != std::string::npos, trace == &remote) << words;
        if (trace == &local) continue;
        EXPECT_EQ(m.measured.ahead, 4 * m.measured.rounds);
        EXPECT_EQ(m.measured.wasted(), m.measured.ahead - m.measured.taken);
        EXPECT_DOUBLE_EQ(m.measured.per_round(m.measured.ms - m.measured.server_ms), 4);
    }
}

TEST(SystemsScene, TellsWhatARoundOfThisRunCostOnTheWay) {
    const auto local = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl");
    Golden golden;
    for (const Size& s : kSizes)
        for (const int ahead : {0, 4}) {
            SceneBench bench("systems", EnginePort{}, {0, 0, s.w, s.h});
            const auto run = test::run_elsewhere(*local, ahead);
            bench.show(run, run->size());
            for (const int beat : {kWireBeat, kWireBeat + 1}) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.settle();
                const std::string what = std::to_string(ahead) + " ahead, beat " + std::to_string(beat);
                look(bench, std::string(s.name) + " " + what, s.w < 1000);
                EXPECT_EQ(bench.shows("B there, 20 kB back, 12.5 ms"), beat == kWireBeat) << s.name << bench.words;
                if (s.w != 1600 && s.w != 1280) continue;
                steady_frame(bench);
                add_regions(golden, bench, scene_regions(layout_of(bench)), s.name, "elsewhere", what);
            }
        }
    expect_golden("systems-elsewhere", golden.text());
}

// Three workers: one in the middle of a pass, one that failed; rounds of 30 ms, a third of it the target's own.
PoolFilm some_workers(int rounds) {
    PoolFilm film;
    film.target = "a model at http://127.0.0.1:8000";
    for (int i = 0; i < 3; ++i) {
        PoolWorker worker;
        worker.drafter = i == 0 ? "lookup" : "small";
        worker.k = 4;
        for (int n = 0; n < rounds; ++n) {
            const double from = 30.0 * n + 5 * i;
            WorkerRound round;
            round.from_ms = from, round.asked_ms = from + 8, round.answered_ms = from + 26, round.judged_ms = from + 28;
            round.drafted = 4, round.accepted = (n + i) % 5, round.tokens = round.accepted + 1;
            round.wire = {.rounds = 1,
                          .sent = 700,
                          .received = 200,
                          .ms = 18,
                          .server_ms = 10,
                          .answered = 1,
                          .ahead = i == 1 ? 5 : 0,
                          .taken = i == 1 ? 2 : 0};
            worker.rounds.push_back(round);
        }
        worker.state = i == 0 ? PoolWorker::State::waiting : i == 1 ? PoolWorker::State::done : PoolWorker::State::failed;
        worker.since_ms = 30.0 * rounds;
        if (i == 2) worker.error = "the server does not answer";
        film.workers.push_back(worker);
    }
    film.ms = 30.0 * rounds + 12;
    return film;
}

TEST(Systems, CountsThePassesThatATargetHasAtOnce) {
    PoolFilm film = some_workers(1);
    const std::vector<PoolStep> steps = passes_at_once(film);
    std::vector<std::pair<double, int>> got;
    for (const PoolStep& step : steps) got.emplace_back(step.ms, step.passes);
    // Workers ask at 8, 13, 18; answers at 26, 31, 36; the first one asks again at 30.
    EXPECT_EQ(got, (std::vector<std::pair<double, int>>{{0, 0}, {8, 1}, {13, 2}, {18, 3}, {26, 2}, {30, 3}, {31, 2}, {36, 1}}));
    EXPECT_DOUBLE_EQ(film.at_once(), 3 * 18 / 42.0);
    EXPECT_EQ(passes_at_once(PoolFilm{}).size(), 1u);
    EXPECT_EQ(worker_words(film.workers[0]), "1 round, 0 of 4 kept, 900 B; waits");
    EXPECT_EQ(worker_words(film.workers[1]), "1 round, 1 of 4 kept, 900 B; 3 of 5 ahead wasted");
    EXPECT_EQ(pool_span(film, 900).from, 0);
    film = some_workers(100);
    const PoolSpan span = pool_span(film, 960); // twenty rounds of 48 pixels
    EXPECT_DOUBLE_EQ(span.to, film.ms);
    EXPECT_NEAR(span.to - span.from, film.ms / 5, 1e-6);
}

// Drafting takes turns, a pass takes whatever has arrived, and nobody drafts while his guesses are judged.
TEST(Systems, SimulatesDraftWorkersThatShareATarget) {
    const SimulatedWire costs{.round_trip_ms = 2, .draft_ms = 1, .verify_ms = 15, .k = 3, .alpha = .7};
    const double way = wire_ms(costs, Payload::ids) / 2;
    const PoolFilm alone = simulated_pool(costs, 1, 7);
    ASSERT_EQ(alone.workers.size(), 1U);
    const double round = 3 * costs.draft_ms + 2 * way + costs.verify_ms; // nobody to wait for
    EXPECT_NEAR(alone.ms, round * static_cast<double>(alone.workers[0].rounds.size()), 1e-9);
    EXPECT_NEAR(alone.at_once(), (2 * way + costs.verify_ms) / round, 1e-9);
    for (const int workers : {2, 4, 16}) {
        const PoolFilm film = simulated_pool(costs, workers, 7);
        std::vector<std::pair<double, double>> drafting, passes;
        for (const PoolWorker& worker : film.workers) {
            double before = 0;
            EXPECT_EQ(worker.rounds.size(), alone.workers[0].rounds.size());
            for (const WorkerRound& one : worker.rounds) {
                EXPECT_GE(one.from_ms, before);
                EXPECT_NEAR(one.asked_ms - one.from_ms, 3, 1e-9);
                EXPECT_GE(one.answered_ms - one.asked_ms, 2 * way + costs.verify_ms - 1e-9);
                EXPECT_EQ(one.tokens, one.accepted + 1);
                before = one.answered_ms;
                drafting.emplace_back(one.from_ms, one.asked_ms);
                passes.emplace_back(one.answered_ms - way - costs.verify_ms, one.answered_ms - way);
            }
        }
        std::ranges::sort(drafting);
        for (std::size_t i = 1; i < drafting.size(); ++i) EXPECT_GE(drafting[i].first, drafting[i - 1].second - 1e-9) << workers;
        std::ranges::sort(passes);
        for (std::size_t i = 1; i < passes.size(); ++i) // shared, or one behind the other
            EXPECT_TRUE(std::abs(passes[i].first - passes[i - 1].first) < 1e-9 || passes[i].first >= passes[i - 1].second - 1e-9)
                << workers;
        EXPECT_GT(film.tokens_per_second(), alone.tokens_per_second()) << workers;
        EXPECT_EQ(film.workers[0].tokens(), alone.workers[0].tokens()) << "the same dice, whoever shares the target";
    }
    EXPECT_NE(simulated_pool(costs, 2, 7).tokens(), simulated_pool(costs, 2, 8).tokens());
}

TEST(SystemsScene, ShowsDraftWorkersAsLanes) {
    for (const Size& s : kSizes)
        for (const int rounds : {0, 1, 7, 90}) {
            RunWindow window;
            window.settings.max_tokens = 20;
            window.open("systems", {"none", "small", "lookup"}, {0, 0, s.w, s.h});
            auto load = std::make_shared<Sweep>();
            load->pool = std::make_shared<const PoolFilm>(some_workers(rounds));
            window.published.load = load;
            window.published.trace = test::run_elsewhere(window.run->trace());
            window.show();
            window.beat(kWorkersBeat);
            SceneBench& bench = *window.bench;
            look(bench, std::string(s.name) + " " + std::to_string(rounds), s.w < 1000);
            EXPECT_TRUE(bench.shows("3 draft workers on one target")) << bench.words;
            if (s.w < 1000) continue; // shortened there
            EXPECT_TRUE(bench.shows("REMOTE"));
            for (const char* name : {"A lookup", "B small", "C small"}) EXPECT_TRUE(bench.shows(name)) << name << bench.words;
            EXPECT_TRUE(bench.shows("failed: the server does not answer")) << bench.words;
            const std::string words = systems_description(window.input(), systems_model(window.input(), {}));
            EXPECT_NE(words.find("3 draft workers on a model at http://127.0.0.1:8000"), std::string::npos) << words;
        }
}

TEST(SystemsScene, AsksForDraftWorkersWhereTheTargetIsElsewhere) {
    for (const bool elsewhere : {false, true}) {
        RunWindow window;
        window.settings.max_tokens = 20;
        window.open("systems", {"none", "small", "lookup"});
        if (elsewhere) window.published.trace = test::run_elsewhere(window.run->trace());
        window.show();
        window.beat(kWorkersBeat);
        window.sent.clear();
        SceneBench& bench = *window.bench;
        EXPECT_TRUE(bench.shows("4 draft workers on one target")) << bench.words;
        EXPECT_TRUE(bench.shows("SIM")) << "until some decoded here\n" << bench.words;
        EXPECT_EQ(bench.shows("the target is here"), !elsewhere) << bench.words;
        bench.key(ui::Key::b);
        ASSERT_EQ(window.sent.size(), elsewhere ? 1u : 0u);
        if (!elsewhere) continue;
        const auto* asked = std::get_if<MeasureLoad>(&window.sent.back());
        ASSERT_TRUE(asked);
        EXPECT_EQ(asked->texts, std::vector<int>{4});
        window.beat(kTablesBeat);
        EXPECT_TRUE(bench.shows("keeps its own blocks")) << bench.words;
    }
}

TEST(Systems, TheFormulasControllerFindsTheFastestK) {
    const SimulatedWire costs{.round_trip_ms = 0.5, .draft_ms = 2, .verify_ms = 15};
    const ControllerRun run = run_controllers(costs, 3000, 7);
    ASSERT_EQ(run.formula.size(), 3000u);
    // .9 -> 8, .6 -> 3, .8 -> 5 are the fastest; 2 % of slack leave a neighbour or two.
    EXPECT_NEAR(run.formula[990], 8, 2);
    EXPECT_NEAR(run.formula[1990], 3, 1);
    EXPECT_NEAR(run.formula[2990], 5, 1);
    EXPECT_GT(run.formula_speedup, run.article_speedup * 1.05);
    EXPECT_EQ(run.article[2990], 1) << "accepted over proposed never reads .8 again";
    EXPECT_EQ(run_controllers(costs, 300, 7).article, run_controllers(costs, 300, 7).article);
}

struct Stored {
    std::shared_ptr<const Models> models = test::micro_models(1);
    std::unique_ptr<speclens::Run> run;
    std::unique_ptr<SceneBench> bench;
    explicit Stored(ui::Rect screen = {0, 0, 1600, 1000}) {
        RunSettings settings;
        settings.prompt.token_ids = {5, 6, 7, 8, 9};
        settings.max_tokens = 24;
        settings.sampling.temperature = 1;
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        bench = std::make_unique<SceneBench>("systems", EnginePort{}, screen);
        bench->show(run->shared_trace(), run->trace().size());
        bench->settle();
    }
};

// Guesses that are all refused are news, too: they count for the warm-up.
TEST(Systems, TheFormulasControllerGivesUpOnGuessesThatNeverStay) {
    FormulaController formula;
    const auto next = [&] {
        formula.saw(0, formula.k());
        return formula.decide([](int k) { return 2 * k + 15.5; });
    };
    for (int round = 0; round < 10; ++round) EXPECT_EQ(next(), 5) << "round " << round << " of the warm-up";
    EXPECT_EQ(next(), 1) << "ten refusals, a little faded";
    EXPECT_EQ(formula.alpha(), 0);
}

TEST(Systems, RowsKeptAreTheTextAndTheRestIsRewound) {
    Stored stored;
    const SystemsModel m = systems_model(stored.bench->controller.frame(0).scene, {});
    ASSERT_FALSE(m.rounds.empty());
    const RunView view = fold(stored.run->trace(), stored.run->trace().size());
    EXPECT_EQ(static_cast<int>(m.rounds.size()), view.rounds);
    EXPECT_EQ(m.kept, view.output_tokens) << "every committed token leaves one row, but the last, and the pending one came before";
    for (const CacheRound& round : m.rounds) EXPECT_GE(round.rewound(), 0);
}

TEST(Systems, SaysWhatOfALongRunIsDrawn) {
    const auto trace = fixtures::toy_run({.name = "long", .cycles = 150, .noise = 0});
    SceneBench bench("systems");
    bench.show(trace, trace->size());
    bench.settle();
    EXPECT_TRUE(bench.shows("–150 of 150; solid: kept")) << bench.words;
    EXPECT_TRUE(bench.shows("pages held, the last ")) << bench.words;
    look(bench, "a long run", false);
    for (const ui::RecordedText& text : bench.texts)
        EXPECT_FALSE(text.text.ends_with("…") && text.text.find("held") != std::string::npos) << text.text;
    bench.show(trace, fold(*trace, trace->size()).round_list[1].end_event);
    bench.settle();
    EXPECT_TRUE(bench.shows("1 page held, 0 given back")) << bench.words;
}

TEST(Systems, PagesAreHeldFromTheirFirstRowToTheirLast) {
    // 14 rows, 5 written, 1 kept: the second page came with row 17 and goes with it.
    Pages pages = pages_of({.round = 0, .before = 14, .written = 5, .kept = 1}, 16);
    EXPECT_EQ(pages.before, 1);
    EXPECT_EQ(pages.during, 2);
    EXPECT_EQ(pages.after, 1);
    EXPECT_EQ(pages.given_back(), 1);
    EXPECT_EQ(pages.empty, 1);
    pages = pages_of({.round = 0, .before = 14, .written = 5, .kept = 3}, 16); // one row beyond the border stays
    EXPECT_EQ(pages.given_back(), 0);
    EXPECT_EQ(pages.empty, 15);
    pages = pages_of({.round = 0, .before = 16, .written = 0, .kept = 0}, 16);
    EXPECT_EQ(pages.during, 1);
    EXPECT_EQ(pages.empty, 0);
    EXPECT_EQ(pages_of({.round = 0, .before = 30, .written = 9, .kept = 1}, 4).given_back(), 2);
}

// The three speed-ups have one acceptance, which their rules do not: sample matching keeps no more than the
// token rule, block verification no less.
TEST(SystemsScene, SaysThatTheSpeedUpsAssumeOneAcceptance) {
    Stored stored;
    stored.bench->controller.perform({SceneCommand{SetBeat{2}}}, 0);
    stored.bench->settle();
    EXPECT_TRUE(stored.bench->shows("all kept alike: ids 2.20×, token rule 2.18×, blocks 2.11×")) << stored.bench->words;
    EXPECT_TRUE(stored.bench->shows("if all three keep alike"));
    const SceneInput input = stored.bench->controller.frame(0).scene;
    const std::string words = systems_description(input, systems_model(input, {}));
    for (const char* part : {"If every guess stays with .80 whatever is sent:", "so compare the bytes, not the order"})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
}

// The largest words on a wall are about what is being told: the cache, the wire, who chooses K.
TEST(SystemsScene, HasATitleForEveryBeat) {
    Stored stored;
    const auto title = [&](int beat) {
        stored.bench->controller.perform({SceneCommand{SetBeat{beat}}}, 0);
        const SceneInput input = stored.bench->controller.frame(0).scene;
        return systems_title(input, systems_model(input, {})).title;
    };
    const SystemsModel m = systems_model(stored.bench->controller.frame(0).scene, {});
    const CacheRound& round = m.rounds[m.shown];
    EXPECT_TRUE(title(0).starts_with("Round " + std::to_string(round.round + 1) + " wrote "));
    EXPECT_TRUE(title(0).ends_with(" and kept " + std::to_string(round.kept)));
    EXPECT_TRUE(title(1).ends_with("for nothing")) << title(1);
    EXPECT_TRUE(title(2).starts_with("Over this wire")) << title(2);
    EXPECT_EQ(title(3), "Sending ids pays up to a round trip of 30.3 ms");
    EXPECT_TRUE(title(4).starts_with("K ends at ")) << title(4);
    for (int beat = 0; beat < kSystemsBeats; ++beat) {
        bool told = false;
        for (const SystemsPart part : {SystemsPart::cache, SystemsPart::wire, SystemsPart::controllers, SystemsPart::tables,
                                       SystemsPart::choosers, SystemsPart::audits, SystemsPart::workers})
            told = told || is_about(beat, part);
        EXPECT_TRUE(told) << beat;
    }
}

TEST(Systems, NamesRowsByWhoHasThem) {
    SceneInput input;
    SystemsModel m;
    EXPECT_EQ(systems_title(input, m).title, "Cache rows are written, and taken back") << "no round";
    m.rounds = {{1, 4, 5, 3}};
    m.written = 51;
    m.kept = 39;
    EXPECT_EQ(systems_title(input, m).title, "Round 2 wrote 5 rows and kept 3");
    m.tier = "REMOTE";
    EXPECT_EQ(systems_title(input, m).title, "Round 2 sent 5 ids for checking and kept 3");
    m.tier = "TABLE";
    EXPECT_EQ(systems_title(input, m).title, "In round 2 a model would write 5 rows and keep 3");
    input.beat = 1;
    EXPECT_EQ(systems_title(input, m).title, "A model: 12 of 51 rows for nothing");
    m.tier = "REMOTE";
    EXPECT_EQ(systems_title(input, m).title, "12 of 51 ids sent for nothing");
    m.tier = "";
    EXPECT_EQ(systems_title(input, m).title, "12 of 51 rows written for nothing");
    m.kept = 51;
    EXPECT_EQ(systems_title(input, m).title, "No rows written for nothing");
}

TEST(Systems, TheLongestRoundTripLeavesNoSpeedUp) {
    for (const Payload payload : kPayloads) {
        SimulatedWire wire;
        wire.round_trip_ms = longest_round_trip(wire, payload);
        EXPECT_NEAR(wire_speedup(wire, payload), 1, 1e-9);
    }
    EXPECT_LT(longest_round_trip({.verify_ms = 1}, Payload::ids), 0) << "it does not pay at one place either";
}

// A window too low for three charts shows the controllers where they are told of.
TEST(SystemsScene, ShowsTheControllersOnTheirBeat) {
    for (const float height : {720.0F, 640.0F}) {
        Stored stored({0, 0, 1280, height});
        stored.bench->controller.perform({SceneCommand{SetBeat{kControllerBeat}}}, 0);
        stored.bench->settle();
        EXPECT_TRUE(stored.bench->shows("Who chooses K?")) << height;
        look(*stored.bench, "systems " + std::to_string(height), false);
    }
}

// What the timeline frames is what the chart marks and the pages are about.
TEST(SystemsScene, IsAboutTheRoundThatTheCursorIsIn) {
    const std::shared_ptr<const Trace> trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "lookup.jsonl");
    const RunView whole = fold(*trace, trace->size());
    for (const RoundSummary& round : whole.round_list) {
        if (!round.commit) continue;
        SceneBench bench("systems");
        bench.show(trace, round.first_event + 1);
        const std::string number = std::to_string(round.round + 1);
        EXPECT_TRUE(bench.shows("Round " + number + " in pages of 16")) << bench.words;
        EXPECT_TRUE(bench.shows("marked: round " + number)) << bench.words;
        bool named = false; // below its bar
        for (const ui::RecordedText& text : bench.texts) named = named || (text.text == number && text.font == ui::Font::mono_medium);
        EXPECT_TRUE(named) << "round " << number;
        const SceneInput input = bench.controller.frame(0).scene;
        const std::string words = systems_description(input, systems_model(input, {}));
        EXPECT_NE(words.find("Round " + number + " (marked)"), std::string::npos) << words;
    }
}

TEST(Systems, TheChartScrollsToTheRound) {
    for (const std::size_t rounds : {1, 5, 6, 40})
        for (std::size_t shown = 0; shown < rounds; ++shown) {
            const RoundWindow window = rounds_around(shown, rounds, 5);
            EXPECT_EQ(window.end - window.first, std::min<std::size_t>(rounds, 5));
            EXPECT_LE(window.first, shown);
            EXPECT_LT(shown, window.end);
            EXPECT_LE(window.end, rounds);
        }
}

// A row is written or not: nobody writes .2 of one.
TEST(SystemsScene, CountsRowsInWholeNumbers) {
    RunSettings plain;
    plain.prompt.token_ids = {5, 6, 7, 8, 9};
    plain.drafter = "none";
    plain.max_tokens = 12;
    speclens::Run run(test::micro_models(1), plain);
    run.finish();
    SceneBench bench("systems");
    bench.show(run.shared_trace(), run.trace().size());
    // On the stage: the timeline's axis may well say .5 ms.
    const float bottom = frame_layout({bench.screen().w, bench.screen().h}).stage.bottom();
    for (const ui::RecordedText& text : bench.texts)
        EXPECT_FALSE(text.text.size() == 2 && text.text.front() == '.' && text.box.y < bottom) << text.text;
}

TEST(SystemsScene, KeysChangeTheDraftLengthOnTheWire) {
    Stored stored;
    EXPECT_TRUE(stored.bench->shows("K = 5"));
    stored.bench->key(ui::Key::up);
    stored.bench->settle();
    EXPECT_TRUE(stored.bench->shows("K = 6"));
    EXPECT_TRUE(stored.bench->shows("SIM"));
    EXPECT_TRUE(stored.bench->shows("Who chooses K?"));
}

TEST(SystemsScene, ShowsWhatAuditsFound) {
    const auto figures =
        std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    const std::vector<Audit> all = audits(figures.get());
    ASSERT_EQ(all.size(), 2u);
    const AuditEnds ends = ends_of(all.front());
    EXPECT_EQ(ends.first_at, 4);
    EXPECT_LT(ends.first, 1) << "with few requests a fixed K is faster";
    EXPECT_EQ(ends.last_at, 256);
    EXPECT_GT(ends.last, 1.5);
    const PublishedFigure *adaptive = figures->find("adaptive-dspark-adaptive"), *fixed = figures->find("adaptive-dspark-fixed");
    ASSERT_TRUE(adaptive && fixed);
    for (std::size_t i = 0; i < adaptive->values.size(); ++i)
        EXPECT_NEAR(all.front().figure->values[i], adaptive->values[i] / fixed->values[i], 6e-4) << "derived from the same table";
    EXPECT_TRUE(audits(nullptr).empty());

    Stored stored;
    stored.bench->controller.perform({SceneCommand{SetBeat{kAuditsBeat}}}, 0);
    stored.bench->settle();
    EXPECT_TRUE(stored.bench->shows("the published figures are not at hand"));
    stored.bench->controller.figures = figures;
    stored.bench->settle();
    EXPECT_TRUE(stored.bench->shows("Chosen lengths: 0.93× with 4 requests at a time, 1.70× with 256")) << stored.bench->words;
    EXPECT_TRUE(stored.bench->shows("PUBLISHED"));
    EXPECT_TRUE(stored.bench->shows("number 52362"));
    EXPECT_TRUE(stored.bench->shows("before a colon: requests at a time"));
    EXPECT_TRUE(stored.bench->shows("10.3 % more speed")) << "of what, and which way";
}

std::shared_ptr<Sweep> made_choosers() {
    auto result = std::make_shared<AdaptiveResult>();
    result->drafter = "small", result->seats = 8, result->texts = 12, result->complete = true;
    result->ways = {{.chooser = Chooser::fixed, .k = 0, .rates = {1000, 1010}},
                    {.chooser = Chooser::fixed, .k = 3, .rates = {1300, 1313}},
                    {.chooser = Chooser::article, .rates = {1200, 1212}},
                    {.chooser = Chooser::gain, .rates = {1350, 1363}},
                    {.chooser = Chooser::oracle, .k = 3, .rates = {1500}}};
    auto load = std::make_shared<Sweep>();
    load->adaptive = result;
    return load;
}

// Repeats that lie apart name no winner.
TEST(SystemsScene, AChoiceInDoubtStandsInNoTitle) {
    const std::shared_ptr<Sweep> load = made_choosers();
    RunWindow window;
    window.settings.max_tokens = 30;
    window.open("systems", {"none", "small", "lookup"});
    window.published.load = load;
    window.show();
    window.beat(kChoosersBeat);
    EXPECT_TRUE(window.bench->shows("K by expected gain 1.35×, by the article 1.20×; the best fixed K = 3: 1.30×")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("~"));
    auto busy = std::make_shared<AdaptiveResult>(*load->adaptive);
    busy->busy_cores = 2.03;
    load->adaptive = busy;
    window.show();
    EXPECT_TRUE(window.bench->shows("in doubt, because other programs kept 2.0 cores busy")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("~1.35×")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("K by expected gain"));
    auto apart = std::make_shared<AdaptiveResult>(*busy);
    apart->busy_cores = 0;
    apart->ways[3].rates = {1000, 1600};
    load->adaptive = apart;
    window.show();
    EXPECT_TRUE(window.bench->shows("Who chooses K best, here?")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("in doubt, because repeats lie up to 26 % apart")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("~1.26×")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("K by expected gain"));
    EXPECT_NE(systems_description(window.input(), systems_model(window.input(), {})).find("expected gain: ~1.26×"), std::string::npos);
}

TEST(SystemsScene, NothingCollidesWhereEverythingIsShown) {
    const auto figures =
        std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    for (const Size& s : kSizes) {
        Stored stored({0, 0, s.w, s.h});
        stored.bench->controller.figures = figures;
        for (int beat = 0; beat < kSystemsBeats; ++beat) {
            stored.bench->controller.perform({SceneCommand{SetBeat{beat}}}, 0);
            stored.bench->settle();
            look(*stored.bench, std::string("systems ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
        }
    }
}

} // namespace
} // namespace speclens
