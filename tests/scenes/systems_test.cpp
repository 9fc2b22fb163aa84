// Scene S15: cache rows of a run, bytes and times on a wire, and the two controllers.
//
// What stood in the description that was written by hand, and which message has it now (TellsEveryNumberInBothLanguages here and in
// block_tables_test.cpp):
//
//     "If every guess stays with .80 whatever is sent: ids alone: 20 bytes, wire 0.200 ms, 2.20×"
//                                                        lane.row {payload} {alpha} {draft} {bytes} {wire} {verify} {speed_up}
//     "This run, a round, measured: sent …, received …, away … ms; drafted ahead …, wasted …"
//                                                        lane.measured {draft} {sent} {received} {ms} {server} {ahead} {wasted}
//     "Controllers: article 1.82×, ends at K = 1; …"     controllers.told {high} {low} {last} {speed_up}
//     "Round 3 (marked): 9 rows before, 6 written, 2 kept, 4 rewound; pages of 16: 1 held, 0 given back"
//                                                        cache.round {round} {marked} {before} {written} {kept} {rewound} {slots} {held}
//     {given_back}
//     "A batch of 4 texts in 13 blocks; K = 4: drafts took … blocks a round, counted; K ÷ 16 for each text says …"
//                                                        pool.batch {texts} {blocks} {drafts}: use.under {k} {took} {rows} {estimated}
//     "Round 9 of 40: … of … held in the pass, … after it; for drafts … (K ÷ 16: …), copied …, shared … tokens"
//                                                        pool.round {round} {of} {held} {drafts} {rows} {estimated} {copied} {shared}:
//     pool.under {used} {blocks} {after}
//     "A: drafted 4, kept 2; 1 block shared with B; blocks 3 (given back)"
//                                                        text.row {letter} {did} {shared} {blocks}: text.doing, text.shared {blocks}
//                                                        {with},
//     text.block {block} {given_back}
//     "K chosen as it goes, small, 12 texts on 8 seats:" way.told {drafter} {texts} {seats}
//     "expected gain: ~1.26× (repeats …), the best fixed K, 2.3 drafts a round, 2.10 tokens, of a kept and … 80 %"
//                                                        way.row {way} {doubt} {times} {best} {drafts} {tokens} {auc}
//     "3 draft workers on …: 40 tokens, 12.5 a second; passes at once 1.20"   worker.pool {workers} {target} {tokens} {rate} {passes}
//     "A lookup, K = 4: 7 rounds, … of … kept, … B; … of … ahead wasted; waits; … tokens; a round away … ms, the server's own … ms,
//     asked again … times; failed: …"                    worker.row {worker} {k} {did} {tokens} {away} {server} {again} {failed}:
//     worker.did {rounds} {kept} {drafted} {bytes} {ahead} {wasted} {waits}
//     "Published, DSpark … over a fixed K: 0.93× (4), … (arXiv:…)"            audit.told {name} {points} {citation}: audit.listed
//
// Nobody told of these before: the rows of each text (text.row {before} {kept} {refused}), squares (pool.block), blocks in use by round
// (use.told), pages of the shown round (pages.told), K by the clock (clock.told), and how long the target has no pass (passes.told).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "app/frame/frame_layout.h"
#include "engine/base/json.h"
#include "engine/published/published_words.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "scenes/speedup/speedup_draw.h"
#include "scenes/systems/adaptive_draw.h"
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
#include "tests/shared/heads_bench.h"
#include "tests/shared/micro.h"
#include "tests/shared/told_numbers.h"
#include "ui/format.h"

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
    const auto told = [&] { return systems_story(input, m).text.said; };
    EXPECT_EQ(told(), systems_says.beat("waste:nothing"_t, "written"_v = 3, "kept"_v = 3).text.said);
    m.kept = 2;
    EXPECT_EQ(told(), systems_says.beat("waste:rows"_t, "written"_v = 3, "kept"_v = 2).text.said);
    m.tier = "REMOTE";
    EXPECT_EQ(told(), systems_says.beat("waste:server"_t, "written"_v = 3, "kept"_v = 2).text.said);
    m.tier = "TABLE";
    EXPECT_EQ(told(), systems_says.beat("waste:table"_t, "written"_v = 3, "kept"_v = 2).text.said);
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
        input.trace = trace;
        input.view = input.whole = &view;
        input.cursor = input.available = trace->size();
        input.beat = 2;
        const SystemsModel m = systems_model(input, SystemsState{});
        EXPECT_EQ(m.measured.any(), trace == &remote);
        const ToldFrame told = told_of("systems", input);
        EXPECT_EQ(says(told, "systems.lane.measured"), trace == &remote);
        if (trace == &local) continue;
        EXPECT_EQ(test::only_said(told, "systems.lane.measured"),
                  systems_says("lane.measured"_t, "draft"_v = m.measured_draft_ms, "sent"_v = 1500.0, "received"_v = 20000.0, "ms"_v = 12.5,
                               "server"_v = std::optional(8.5), "ahead"_v = 4 * m.measured.rounds, "wasted"_v = m.measured.wasted())
                      .said);
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
                const auto sent = "sent"_v = bytes_words(1500);
                const auto received = "received"_v = bytes_words(20000);
                const auto ms = "ms"_v = 12.5;
                EXPECT_EQ(bench.shows(systems_says("wire.title:measured"_t, sent, received, ms)) ||
                              bench.shows(systems_says("wire.short_title:measured"_t, sent, received, ms)),
                          beat == kWireBeat)
                    << s.name << bench.words;
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
    EXPECT_EQ(worker_words(film.workers[0]).said,
              systems_says("worker.did"_t, "rounds"_v = 1, "kept"_v = 0, "drafted"_v = 4, "bytes"_v = bytes_words(900), "ahead"_v = 0,
                           "wasted"_v = 0, "waits"_v = true)
                  .said);
    EXPECT_EQ(worker_words(film.workers[1]).said,
              systems_says("worker.did"_t, "rounds"_v = 1, "kept"_v = 1, "drafted"_v = 4, "bytes"_v = bytes_words(900), "ahead"_v = 5,
                           "wasted"_v = 3, "waits"_v = false)
                  .said);
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
            const PoolFilm& film = *load->pool;
            const Message title = systems_says("workers.title"_t, "workers"_v = film.workers.size(), "rate"_v = film.tokens_per_second(),
                                               "passes"_v = film.at_once());
            EXPECT_TRUE(bench.shows(title.substr(0, title.find(':')))) << bench.words;
            EXPECT_EQ(test::only_said(told_of(bench), "systems.workers.title"), title.said);
            if (s.w < 1000) continue; // shortened there
            EXPECT_TRUE(bench.shows("REMOTE"));
            for (const auto& [letter, drafter] : {std::pair{"A", "lookup"}, {"B", "small"}, {"C", "small"}}) {
                const Message name = systems_says("worker.name"_t, "letter"_v = letter, "drafter"_v = drafter);
                EXPECT_TRUE(bench.shows(name)) << name << bench.words;
            }
            EXPECT_TRUE(bench.shows(systems_says("worker.failed"_t, "why"_v = "the server does not answer"))) << bench.words;
            if (rounds == 1 && s.w == 1600) { // a round where the mouse is
                const ui::Vec2 name = bench.find(systems_says("worker.name"_t, "letter"_v = "A", "drafter"_v = "lookup"));
                const auto row = std::ranges::find_if(bench.texts, [&](const ui::RecordedText& text) { return text.box.contains(name); });
                EXPECT_EQ(bench.tip_at({row->box.x + 34, row->baseline + 13}),
                          systems_says("worker.round"_t, "drafted"_v = 4, "kept"_v = 0, "sent"_v = bytes_words(700),
                                       "received"_v = bytes_words(200), "ms"_v = 18.0, "again"_v = false)
                              .words());
            }
            const Said pool = test::only_said(told_of(bench), "systems.worker.pool");
            EXPECT_EQ(test::whole(pool, "workers"), 3);
            EXPECT_EQ(test::words(pool, "target"), "a model at http://127.0.0.1:8000");
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
        const Message title = systems_title(window.input(), systems_model(window.input(), {})).title;
        EXPECT_TRUE(bench.shows(title)) << bench.words;
        EXPECT_EQ(test::whole(title.said, "workers"), 4);
        EXPECT_TRUE(bench.shows("SIM")) << "until some decoded here\n" << bench.words;
        const Said subtitle = test::only_said(told_of(bench), "systems.subtitle.no_pool");
        EXPECT_EQ(test::inner(subtitle, "to_come").text, elsewhere ? "subtitle.ask" : "subtitle.here");
        bench.key(ui::Key::b);
        ASSERT_EQ(window.sent.size(), elsewhere ? 1u : 0u);
        if (!elsewhere) continue;
        const auto* asked = std::get_if<MeasureLoad>(&window.sent.back());
        ASSERT_TRUE(asked);
        EXPECT_EQ(asked->texts, std::vector<int>{4});
        window.beat(kTablesBeat);
        EXPECT_TRUE(bench.shows(systems_says("subtitle.elsewhere"_t))) << bench.words;
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
    EXPECT_TRUE(bench.shows("–150 ")) << bench.words;
    const Said drawn = test::only_said(told_of(bench), "systems.cache.under:part");
    EXPECT_GT(test::whole(drawn, "from"), 1);
    EXPECT_EQ(test::whole(drawn, "to"), 150);
    EXPECT_EQ(test::whole(drawn, "of"), 150);
    const Said pages = test::only_said(told_of(bench), "systems.pages.under:part");
    EXPECT_LT(test::whole(pages, "shown"), test::whole(pages, "held"));
    EXPECT_TRUE(bench.shows(std::to_string(test::whole(pages, "held")) + " ")) << bench.words;
    look(bench, "a long run", false);
    for (const ui::RecordedText& text : bench.texts)
        EXPECT_FALSE(text.text.ends_with("…") && text.text.starts_with(std::to_string(test::whole(pages, "held")) + " ")) << text.text;
    bench.show(trace, fold(*trace, trace->size()).round_list[1].end_event);
    bench.settle();
    EXPECT_TRUE(bench.shows(systems_says("pages.under:short"_t, "held"_v = 1, "given_back"_v = 0))) << bench.words;
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
    const SceneInput input = stored.bench->controller.frame(0).scene;
    const StageTitle title = systems_title(input, systems_model(input, {}));
    EXPECT_EQ(title.title.said.id(), "systems.wire.title:simulated");
    EXPECT_EQ(title.short_title.said.id(), "systems.wire.short_title:simulated");
    for (const Said& said : {title.title.said, title.short_title.said}) {
        EXPECT_NEAR(test::real(said, "ids"), 2.20, 5e-3);
        EXPECT_NEAR(test::real(said, "token"), 2.18, 5e-3);
        EXPECT_NEAR(test::real(said, "blocks"), 2.11, 5e-3);
    }
    EXPECT_TRUE(stored.bench->shows(title.title) || stored.bench->shows(title.short_title)) << stored.bench->words;
    EXPECT_TRUE(stored.bench->shows(systems_says("lane.under:simulated"_t)));
    const ToldFrame told = told_of(*stored.bench);
    EXPECT_TRUE(says(told, "systems.wire.text:simulated"));
    const std::vector<Said> lanes = test::all_said(told, "systems.lane.row");
    ASSERT_EQ(lanes.size(), 3U);
    for (const Said& lane : lanes) EXPECT_EQ(test::real(lane, "alpha"), .8);
}

Said rows_title(int round, int written, int kept) {
    return systems_says("slots.title:rows"_t, "round"_v = round, "written"_v = written, "kept"_v = kept).said;
}

// The largest words on a wall are about what is being told: the cache, the wire, who chooses K.
TEST(SystemsScene, HasATitleForEveryBeat) {
    Stored stored;
    const auto title = [&](int beat) {
        stored.bench->controller.perform({SceneCommand{SetBeat{beat}}}, 0);
        const SceneInput input = stored.bench->controller.frame(0).scene;
        return systems_title(input, systems_model(input, {})).title.said;
    };
    const SystemsModel m = systems_model(stored.bench->controller.frame(0).scene, {});
    const CacheRound& round = m.rounds[m.shown];
    EXPECT_EQ(title(0), rows_title(round.round + 1, round.written, round.kept));
    EXPECT_EQ(title(1), systems_says("waste.title:rows"_t, "lost"_v = m.written - m.kept, "written"_v = m.written).said);
    EXPECT_EQ(title(2).text, "wire.title:simulated");
    EXPECT_EQ(title(3).text, "round_trip.title");
    EXPECT_NEAR(test::real(title(3), "most"), 30.3, .05);
    const Said ends = title(4);
    EXPECT_EQ(ends.text, "controller.title");
    EXPECT_EQ(test::whole(ends, "formula_k"), m.controllers.formula.back());
    EXPECT_EQ(test::whole(ends, "article_k"), m.controllers.article.back());
    EXPECT_EQ(test::real(ends, "formula"), m.controllers.formula_speedup);
    EXPECT_EQ(test::real(ends, "article"), m.controllers.article_speedup);
    for (int beat = 0; beat <= kChoosersBeat; ++beat) { // the others draw something else
        EXPECT_EQ(systems_says.focus(beat, "cache"_part), beat <= 1 || beat == kTablesBeat) << beat;
        EXPECT_EQ(systems_says.focus(beat, "pages"_part), beat == 0 || beat == kTablesBeat) << beat;
        EXPECT_EQ(systems_says.focus(beat, "wire"_part), beat == kWireBeat || beat == 3) << beat;
        EXPECT_EQ(systems_says.focus(beat, "controllers"_part), beat == kControllerBeat || beat == kChoosersBeat) << beat;
    }
}

TEST(Systems, NamesRowsByWhoHasThem) {
    SceneInput input;
    SystemsModel m;
    const auto title = [&] { return systems_title(input, m).title.said; };
    EXPECT_EQ(title(), systems_says("slots.title:no_rounds"_t).said);
    m.rounds = {{1, 4, 5, 3}};
    m.written = 51;
    m.kept = 39;
    EXPECT_EQ(title(), rows_title(2, 5, 3));
    m.tier = "REMOTE";
    EXPECT_EQ(title(), systems_says("slots.title:server"_t, "round"_v = 2, "written"_v = 5, "kept"_v = 3).said);
    m.tier = "TABLE";
    EXPECT_EQ(title(), systems_says("slots.title:table"_t, "round"_v = 2, "written"_v = 5, "kept"_v = 3).said);
    input.beat = 1;
    EXPECT_EQ(title(), systems_says("waste.title:table"_t, "lost"_v = 12, "written"_v = 51).said);
    m.tier = "REMOTE";
    EXPECT_EQ(title(), systems_says("waste.title:server"_t, "lost"_v = 12, "written"_v = 51).said);
    m.tier = "";
    EXPECT_EQ(title(), systems_says("waste.title:rows"_t, "lost"_v = 12, "written"_v = 51).said);
    m.kept = 51;
    EXPECT_EQ(title(), systems_says("waste.title:rows"_t, "lost"_v = 0, "written"_v = 51).said);
    EXPECT_EQ(systems_title(input, m).title.find("51"), std::string::npos) << "none is named where none is lost";
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
        EXPECT_TRUE(stored.bench->shows(systems_says("controllers.title"_t))) << height;
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
        EXPECT_TRUE(bench.shows(systems_says("pages.title"_t, "round"_v = round.round + 1, "slots"_v = 16))) << bench.words;
        EXPECT_TRUE(bench.shows(systems_says("cache.title"_t, "marked"_v = std::optional(round.round + 1)))) << bench.words;
        bool named = false; // below its bar
        for (const ui::RecordedText& text : bench.texts) named = named || (text.text == number && text.font == ui::Font::mono_medium);
        EXPECT_TRUE(named) << "round " << number;
        std::vector<std::int64_t> marked;
        for (const Said& one : test::all_said(told_of(bench), "systems.cache.round"))
            if (test::whole(one, "marked") != 0) marked.push_back(test::whole(one, "round"));
        EXPECT_EQ(marked, std::vector<std::int64_t>{round.round + 1});
    }
}

// Where the mouse is: a page, and whether it was held, taken or given back.
TEST(SystemsScene, APageSaysWhatBecameOfIt) {
    const std::shared_ptr<const Trace> trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl");
    const RunView whole = fold(*trace, trace->size());
    SceneBench bench("systems");
    std::set<std::string> kinds;
    for (const RoundSummary& round : whole.round_list) {
        if (!round.commit) continue;
        bench.show(trace, round.first_event + 1);
        const SystemsModel m = systems_model(bench.controller.frame(0).scene, {});
        const Pages pages = pages_of(m.rounds[m.shown], m.page);
        const std::string title = systems_says("pages.title"_t, "round"_v = round.round + 1, "slots"_v = m.page);
        const auto head = std::ranges::find(bench.texts, title, &ui::RecordedText::text);
        ASSERT_NE(head, bench.texts.end()) << bench.words;
        constexpr float kPage = 16 * 13 + 9; // two beside each other
        const ui::Vec2 first{head->box.x + 5, head->baseline - 14 + 48 + 5};
        for (int page = 0; page < std::min(2, pages.during); ++page) {
            const auto number = "page"_v = page + 1;
            const Message wanted = page >= pages.after    ? systems_says("pages.page:given_back"_t, number)
                                   : page >= pages.before ? systems_says("pages.page:taken"_t, number)
                                                          : systems_says("pages.page:held"_t, number);
            EXPECT_EQ(bench.tip_at({first.x + kPage * static_cast<float>(page), first.y}), wanted.words()) << title;
            kinds.insert(wanted.said.id());
        }
    }
    EXPECT_GE(kinds.size(), 2U) << "held, and taken where the text grows into it";
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
    const auto k = [&] { return test::whole(test::only_said(told_of(*stored.bench), "systems.subtitle.simulated"), "k"); };
    EXPECT_EQ(k(), 5);
    EXPECT_TRUE(stored.bench->shows("K = 5"));
    stored.bench->key(ui::Key::up);
    stored.bench->settle();
    EXPECT_EQ(k(), 6);
    EXPECT_TRUE(stored.bench->shows("K = 6"));
    EXPECT_TRUE(stored.bench->shows("SIM"));
    EXPECT_TRUE(stored.bench->shows(systems_says("controllers.title"_t)));
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
    EXPECT_TRUE(stored.bench->shows(shared_says("figures.none"_t)));
    stored.bench->controller.figures = figures;
    stored.bench->settle();
    EXPECT_TRUE(
        stored.bench->shows(systems_says("audits.title:figures"_t, "few"_v = 4L, "slower"_v = 0.93, "many"_v = 256L, "faster"_v = 1.697)))
        << stored.bench->words;
    EXPECT_TRUE(stored.bench->shows("PUBLISHED"));
    EXPECT_TRUE(stored.bench->shows("number 52362"));
    EXPECT_TRUE(stored.bench->shows(systems_says("audit.colon"_t)));
    EXPECT_TRUE(stored.bench->shows(systems_says("audit.gain"_t, "percent"_v = 10.3))) << "of what, and which way";
    // The claims are those of the figures, and each figure has its place.
    const ToldFrame told = told_of(*stored.bench);
    for (const auto& [id, claim] : {std::pair{"adaptive-dspark-gain", systems_says("audit.claim:dspark"_t)},
                                    {"adaptive-dflash2-gain", systems_says("audit.claim:dflash2"_t)},
                                    {"adaptive-zero-overhead", systems_says("audit.claim:zero"_t)},
                                    {"adaptive-recipe-k3", systems_says("audit.claim:recipe"_t)}}) {
        const PublishedFigure* figure = figures->find(id);
        ASSERT_TRUE(figure) << id;
        EXPECT_EQ(figure->claim, claim.words());
        EXPECT_TRUE(says(told, claim.said.id())) << id;
        std::vector<Said> values;
        for (std::size_t i = 0; i < figure->positions.size(); ++i) {
            const auto requests = "requests"_v = std::lround(figure->positions[i]);
            const auto value = "value"_v = figure->values[i];
            values.push_back((figure->unit == "x" ? systems_says("audit.value:times"_t, requests, value)
                                                  : systems_says("audit.value:percent"_t, requests, value))
                                 .said);
        }
        if (values.empty()) continue;
        EXPECT_TRUE(
            std::ranges::count(test::all_said(told, "systems.audit.values"), systems_says("audit.values"_t, "values"_v = values).said) == 1)
            << id;
    }
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
    const auto told = [&] { return told_of(*window.bench); };
    const Said winner = test::only_said(told(), "systems.choosers.title:batches");
    EXPECT_NEAR(test::real(winner, "gain"), 1.35, 5e-3);
    EXPECT_NEAR(test::real(winner, "article"), 1.20, 5e-3);
    EXPECT_EQ(test::whole(winner, "k"), 3);
    EXPECT_NEAR(test::real(winner, "fixed"), 1.30, 5e-3);
    EXPECT_TRUE(window.bench->shows(message(winner))) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("~"));
    auto busy = std::make_shared<AdaptiveResult>(*load->adaptive);
    busy->busy_cores = 2.03;
    load->adaptive = busy;
    window.show();
    const auto doubt = [&] { return test::inner(test::only_said(told(), "systems.subtitle.batches"), "doubt"); };
    EXPECT_EQ(doubt().id(), "shared.doubt.busy");
    EXPECT_EQ(test::real(doubt(), "cores"), 2.03);
    EXPECT_TRUE(window.bench->shows(message(doubt()))) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("~1.35×")) << window.bench->words;
    EXPECT_FALSE(says(told(), "systems.choosers.title:batches"));
    auto apart = std::make_shared<AdaptiveResult>(*busy);
    apart->busy_cores = 0;
    apart->ways[3].rates = {1000, 1600};
    load->adaptive = apart;
    window.show();
    EXPECT_TRUE(window.bench->shows(systems_says("choosers.title:no_batches"_t))) << window.bench->words;
    EXPECT_EQ(doubt().id(), "speedup.doubt.spread");
    EXPECT_NEAR(test::real(doubt(), "apart"), .26, 5e-3);
    EXPECT_TRUE(window.bench->shows(message(doubt()))) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("~1.26×")) << window.bench->words;
    EXPECT_FALSE(says(told(), "systems.choosers.title:batches"));
    for (const Said& row : test::all_said(told(), "systems.way.row")) {
        const bool gain = test::inner(row, "way").text == "way.name:gain";
        if (gain) {
            EXPECT_NEAR(test::real(row, "times"), 1.26, 5e-3);
        }
        EXPECT_EQ(std::ranges::find(row.values, "doubt", &SaidValue::name)->there(), gain) << test::inner(row, "way").text;
    }
}

// Whatever the beat draws. Of the blocks of a batch block_tables_test.cpp does so.
TEST(SystemsScene, TellsEveryNumberInBothLanguages) {
    const auto figures =
        std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    const auto load = std::make_shared<Sweep>();
    AdaptiveResult chosen = *made_choosers()->adaptive;
    chosen.busy_cores = 2.03;
    AdaptiveWay& gain = chosen.ways[3];
    gain.rounds = {{100, 3, 4.4}, {180, 9, 2.6}, {250, 12, 1.4}};
    gain.tokens_per_round = 2.13, gain.auc = .81;
    load->adaptive = std::make_shared<const AdaptiveResult>(chosen);
    load->pool = std::make_shared<const PoolFilm>(some_workers(1));
    const auto n = [](std::int64_t count) { return std::to_string(count); };
    const auto with = [](double number, int decimals) { return ui::number(number, decimals); };
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        RunWindow window;
        window.settings.max_tokens = 20;
        window.open("systems", {"none", "small", "lookup"});
        window.bench->controller.figures = figures;
        window.published.load = load;
        window.published.trace = test::run_elsewhere(window.run->trace());
        window.show();
        for (int beat = 0; beat < kSystemsBeats; ++beat) {
            window.beat(beat);
            SCOPED_TRACE(std::string(language) + ", beat " + std::to_string(beat));
            const ToldFrame told = told_of(*window.bench);
            const SystemsModel m = systems_model(window.input(), {});
            ASSERT_FALSE(m.rounds.empty());
            for (std::size_t i = 0; i < m.rounds.size(); ++i) {
                const CacheRound& round = m.rounds[i];
                const Pages pages = pages_of(round, 16);
                test::expect_told(told,
                                  systems_says("cache.round"_t, "round"_v = round.round + 1, "marked"_v = i == m.shown,
                                               "before"_v = round.before, "written"_v = round.written, "kept"_v = round.kept,
                                               "rewound"_v = round.written - round.kept, "slots"_v = 16, "held"_v = pages.during,
                                               "given_back"_v = pages.during - pages.after),
                                  {n(round.round + 1), n(round.before), n(round.written), n(round.kept), n(round.written - round.kept),
                                   "16", n(pages.during), n(pages.during - pages.after)});
            }
            for (const auto& [payload, name] : {std::pair{Payload::ids, systems_says("lane.payload:ids"_t)},
                                                {Payload::scalars, systems_says("lane.payload:scalars"_t)},
                                                {Payload::rows, systems_says("lane.payload:rows"_t)}}) {
                const double bytes = wire_bytes(m.wire, payload), ms = wire_ms(m.wire, payload), times = wire_speedup(m.wire, payload);
                test::expect_told(told,
                                  systems_says("lane.row"_t, "payload"_v = name, "alpha"_v = m.wire.alpha,
                                               "draft"_v = m.wire.k * m.wire.draft_ms, "wire"_v = ms, "bytes"_v = bytes,
                                               "verify"_v = m.wire.verify_ms, "speed_up"_v = times),
                                  {name, with(m.wire.k * m.wire.draft_ms, 1), with(bytes, 0), with(ms, 3), with(m.wire.verify_ms, 1),
                                   ui::speed_up(times), ui::probability(m.wire.alpha)});
            }
            test::expect_told(told,
                              systems_says("lane.measured"_t, "draft"_v = m.measured_draft_ms, "sent"_v = 1500.0, "received"_v = 20000.0,
                                           "ms"_v = 12.5, "server"_v = std::optional(8.5), "ahead"_v = 4 * m.measured.rounds,
                                           "wasted"_v = m.measured.ahead - m.measured.taken),
                              {with(m.measured_draft_ms, 1), with(1500, 0), with(20000, 0), with(12.5, 3), with(8.5, 3),
                               n(4 * m.measured.rounds), n(m.measured.ahead - m.measured.taken)});
            const ControllerRun& run = m.controllers;
            ASSERT_EQ(run.formula.size(), 600U);
            const auto ends = [&](auto id, const std::vector<int>& k, double times) {
                test::expect_told(
                    told, systems_says(id, "high"_v = k[199], "low"_v = k[399], "last"_v = k[599], "speed_up"_v = times),
                    {n(k[199]), ui::fraction(.9, 1), n(k[399]), ui::fraction(.6, 1), n(k[599]), ui::fraction(.8, 1), ui::speed_up(times)});
            };
            ends("controllers.told:formula"_t, run.formula, run.formula_speedup);
            ends("controllers.told:article"_t, run.article, run.article_speedup);

            test::expect_told(told, systems_says("way.told"_t, "drafter"_v = "small", "texts"_v = 12, "seats"_v = 8), {"small", "12", "8"});
            for (const AdaptiveWay& way : chosen.ways) {
                const bool rounds = &way == &gain;
                const auto row = std::ranges::find_if(told, [&](const ui::ToldMessage& one) {
                    return one.message.said.id() == "systems.way.row" && test::inner(one.message.said, "way") == way_words(way).said;
                });
                ASSERT_NE(row, told.end()) << way_words(way);
                const Said& said = row->message.said;
                EXPECT_NEAR(test::real(said, "times"), chosen.speed_up(way).value, 1e-12);
                EXPECT_EQ(test::real(said, "rate"), way.rate());
                EXPECT_EQ(test::whole(said, "best"), way.chooser == Chooser::fixed && way.k == 3);
                EXPECT_EQ(test::real(test::inner(said, "doubt"), "cores"), 2.03);
                EXPECT_EQ(test::maybe<double>(said, "drafts"), rounds ? std::optional(mean_k(way)) : std::nullopt);
                EXPECT_EQ(test::maybe<double>(said, "tokens"), rounds ? std::optional(2.13) : std::nullopt);
                EXPECT_EQ(test::maybe<double>(said, "auc"), rounds ? std::optional(.81) : std::nullopt);
                std::vector<std::string> numbers = {way_words(way), "~" + ui::speed_up(chosen.speed_up(way).value), with(2.03, 1),
                                                    with(way.rate(), 0)};
                if (rounds)
                    for (const std::string& number : {with(mean_k(way), 1), with(2.13, 2), ui::percent(.81)}) numbers.push_back(number);
                test::expect_told(told, row->message, numbers);
            }
            EXPECT_NEAR(mean_k(gain), (3 * 4.4 + 9 * 2.6 + 12 * 1.4) / 24, 1e-12);
            test::expect_told(told,
                              systems_says("clock.told"_t, "way"_v = way_words(gain), "rounds"_v = 3, "least"_v = 1, "most"_v = 4,
                                           "last"_v = 1, "ms"_v = 250.0, "texts"_v = 12),
                              {way_words(gain), "1", "4", "3", "1", "250", "12"});

            const PoolFilm& film = *load->pool;
            test::expect_told(told,
                              systems_says("worker.pool"_t, "workers"_v = 3, "target"_v = film.target, "tokens"_v = film.tokens(),
                                           "rate"_v = film.tokens_per_second(), "passes"_v = film.at_once()),
                              {"3", film.target, n(film.tokens()), with(film.tokens_per_second(), 1), with(film.at_once(), 2)});
            for (int i = 0; i < 3; ++i) { // one round each, in which so many of four were kept
                const PoolWorker& worker = film.workers[static_cast<std::size_t>(i)];
                const std::string letter(1, static_cast<char>('A' + i));
                const Message error = systems_says("worker.failed"_t, "why"_v = "the server does not answer");
                std::vector<std::string> numbers = {letter, worker.drafter, "4", "1", n(i), "4", bytes_words(900)};
                if (i == 1) numbers.insert(numbers.end(), {"3", "5"});
                for (const std::string& number : {n(i + 1), with(18, 1), with(10, 1)}) numbers.push_back(number);
                if (i == 2) numbers.push_back(error);
                const Message name = systems_says("worker.name"_t, "letter"_v = letter, "drafter"_v = worker.drafter);
                test::expect_told(told,
                                  systems_says("worker.row"_t, "worker"_v = name, "k"_v = 4, "did"_v = worker_words(worker),
                                               "tokens"_v = i + 1, "away"_v = 18.0, "server"_v = std::optional(10.0), "again"_v = 0,
                                               "failed"_v = i == 2 ? error : Message()),
                                  numbers);
            }
            // Of 42 ms none is under way until the first worker asks.
            test::expect_told(told, systems_says("passes.told"_t, "most"_v = 3, "idle"_v = 8 / 42.0), {"3", ui::percent(8 / 42.0)});

            int published = 0;
            for (const Audit& audit : audits(figures.get())) {
                std::vector<Said> points;
                std::vector<std::string> numbers = {audit.name};
                for (std::size_t i = 0; i < audit.figure->values.size(); ++i) {
                    points.push_back(systems_says("audit.point"_t, "times"_v = audit.figure->values[i],
                                                  "requests"_v = std::lround(audit.figure->positions[i]))
                                         .said);
                    numbers.push_back(message(points.back()));
                    EXPECT_TRUE(numbers.back().ends_with(" " + n(std::lround(audit.figure->positions[i])))) << numbers.back();
                }
                const Said citation = citation_said(*audit.figure, figures->source_of(*audit.figure));
                numbers.push_back(message(citation));
                if (beat == kAuditsBeat)
                    test::expect_told(
                        told, systems_says("audit.told"_t, "name"_v = audit.name, "points"_v = points, "citation"_v = citation), numbers);
                ++published;
            }
            EXPECT_EQ(published, 2);
            EXPECT_EQ(says(told, "systems.audit.told"), beat == kAuditsBeat);

            const CacheRound& shown = m.rounds[m.shown];
            const Pages pages = pages_of(shown, 16);
            if (beat < kTablesBeat)
                test::expect_told(
                    told,
                    systems_says("pages.told"_t, "round"_v = shown.round + 1, "before"_v = pages.before,
                                 "taken"_v = pages.during - pages.before, "given_back"_v = pages.during - pages.after,
                                 "empty"_v = pages.empty),
                    {n(shown.round + 1), n(pages.before), n(pages.during - pages.before), n(pages.during - pages.after), n(pages.empty)});
            test::expect_told(told,
                              systems_says("details.cache"_t, "written"_v = m.written, "rounds"_v = m.rounds.size(), "kept"_v = m.kept,
                                           "rewound"_v = 1 - static_cast<double>(m.kept) / m.written, "slots"_v = 16,
                                           "pages"_v = m.given_back),
                              {n(m.written), n(std::ssize(m.rounds)), n(m.kept), ui::percent(1 - static_cast<double>(m.kept) / m.written),
                               "16", n(m.given_back)});
            test::expect_told(told,
                              systems_says("details.measured"_t, "sent"_v = bytes_words(1500), "received"_v = bytes_words(20000),
                                           "ms"_v = 12.5, "ahead"_v = m.measured.ahead, "wasted"_v = m.measured.wasted()),
                              {bytes_words(1500), bytes_words(20000), with(12.5, 1), n(m.measured.ahead), n(m.measured.wasted())});
            const auto sent = [&](const Message& name, Payload payload) {
                const Message bytes = bytes_words(wire_bytes(m.wire, payload));
                test::expect_told(told, systems_says("details.sent"_t, "payload"_v = name, "bytes"_v = bytes), {name, bytes});
            };
            sent(systems_says("lane.payload:ids"_t), Payload::ids);
            sent(systems_says("lane.payload:scalars"_t), Payload::scalars);
            sent(systems_says("lane.payload:rows"_t), Payload::rows);
        }
    }
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
