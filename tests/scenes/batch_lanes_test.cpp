// The map of failures where batches were decoded: measured cells, the lanes of the batch, and what is said of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/published/published_words.h"
#include "scenes/failures/batch_lanes.h"
#include "scenes/failures/published_load.h"
#include "scenes/failures/roofline.h"
#include "tests/scenes/failures_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/numbers_bench.h"
#include "ui/format.h"

namespace speclens {
namespace {

BatchLane lane(int text, int drafted, int accepted) {
    return {.text = text, .did = BatchLane::Did::decoded, .rows = 1 + drafted, .accepted = accepted, .tokens = accepted + 1};
}

// Twelve rounds of so many texts with K drafts each, of which every text keeps another number.
std::vector<BatchRound> made_rounds(int texts, int k) {
    std::vector<BatchRound> rounds;
    for (int i = 0; i < 12; ++i) {
        BatchRound& round = rounds.emplace_back();
        for (int text = 0; text < texts; ++text) round.lanes.push_back(lane(text, k, (text * 3 + i * 2) % (k + 1)));
        if (i == 5) round.lanes.back() = {.text = texts - 1, .did = BatchLane::Did::read, .rows = 17};
        if (i == 7 && texts > 1) round.lanes.erase(round.lanes.begin()); // a seat that nobody has
        for (const BatchLane& of : round.lanes) round.rows += of.rows;
        round.passes = 1;
        round.draft_ms = 1.5;
        round.pass_ms = 0.3 * round.rows;
    }
    return rounds;
}

SweepCell made_cell(const std::string& drafter, int k, int texts, double speed_up) {
    SweepCell cell;
    cell.method = {.drafter = k > 0 ? drafter : "none", .rule = "token", .k = k};
    cell.concurrency = texts;
    SweepSlice slice;
    slice.ms = 1000;
    slice.draft_ms = 200;
    slice.pass_ms = 700;
    slice.tokens = std::lround(1000 * speed_up);
    slice.rounds = 100;
    slice.text_rounds = 100L * texts;
    slice.rows = 100L * texts * (k + 1);
    cell.slices = {slice, slice};
    for (const SweepSlice& turn : cell.slices) cell.sum.add(turn);
    cell.speed_up = SweepInterval{speed_up, speed_up - 0.04, speed_up + 0.04};
    cell.compared = cell.equal = 3;
    cell.rounds = made_rounds(texts, k);
    return cell;
}

std::shared_ptr<Sweep> made_load(const std::string& drafter, const std::vector<int>& many = {1, 4, 16}) {
    auto load = std::make_shared<Sweep>();
    for (const int texts : many)
        for (const int k : {0, 2, 4}) load->cells.push_back(made_cell(drafter, k, texts, texts == 1 ? 1.5 : texts == 4 ? 1.02 : 0.7));
    load->crossings.resize(3);
    load->complete = true;
    return load;
}

struct Batches : Loaded {
    explicit Batches(ui::Rect screen = {0, 0, 1600, 1000}) : Loaded(true, screen) {
        published.load = made_load("small");
        show();
    }
};

// The title of the marked cell and how sure it is.
void expect_measured(SceneBench& bench, int texts, int k, std::optional<double> times) {
    const ToldFrame told = told_of(bench);
    const Said title = test::only_said(told, "failures.map.title:measured"),
               under = test::only_said(told, "failures.map.subtitle:measured");
    EXPECT_EQ(test::whole(title, "texts"), texts);
    EXPECT_EQ(test::whole(title, "k"), k);
    EXPECT_EQ(test::maybe<double>(title, "times"), times);
    EXPECT_EQ(test::whole(under, "equal"), 3);
    EXPECT_EQ(test::whole(under, "compared"), 3);
    if (times) {
        EXPECT_EQ(test::real(under, "times"), *times);
        EXPECT_EQ(test::real(under, "low"), *times - 0.04);
        EXPECT_EQ(test::real(under, "high"), *times + 0.04);
        EXPECT_FALSE(test::maybe<std::vector<Said>>(under, "doubt"));
        EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), "LIVE");
    }
}

// All of a measured cell: in its row, why it pays or not, its rounds seat by seat.
void expect_batch(const ToldFrame& told, const FailuresModel& m) {
    const LoadCell& marked = m.marked();
    ASSERT_NE(marked.measured, nullptr);
    for (int row = 0; row < kLoadRows; ++row)
        for (int column = 0; column < kLoadColumns; ++column) {
            const LoadCell& cell = m.cell(row, column);
            const Said all = test::all_said(told, "failures.load.row")[static_cast<std::size_t>(row)];
            const Said one = test::list(all, "cells")[static_cast<std::size_t>(column)];
            EXPECT_EQ(test::real(one, "times"), cell.speedup);
            EXPECT_EQ(test::whole(one, "perhaps"), cell.in_doubt());
            EXPECT_EQ(test::maybe<double>(one, "low"), cell.measured ? std::optional(cell.measured->speed_up->low) : std::nullopt);
            EXPECT_EQ(test::maybe<double>(one, "high"), cell.measured ? std::optional(cell.measured->speed_up->high) : std::nullopt);
        }
    const Said why = failure_reason(m).said, text = test::inner(why, "text");
    EXPECT_EQ(test::only_said(told, why.id()), why);
    EXPECT_EQ(text.id(), "failures.reason.measured");
    EXPECT_EQ(test::whole(text, "texts"), marked.requests);
    EXPECT_EQ(test::whole(text, "k"), marked.k);
    EXPECT_EQ(test::real(text, "rows"), marked.requests * (marked.k + 1));
    EXPECT_NEAR(test::real(text, "tokens"), static_cast<double>(marked.measured->sum.tokens) / (200.0 * marked.requests), 1e-12);
    EXPECT_EQ(test::real(text, "drafting"), 0.2);
    EXPECT_EQ(test::real(text, "passes"), 0.7);
    EXPECT_EQ(test::real(text, "rate"), marked.measured->sum.tokens_per_second());
    EXPECT_EQ(test::real(text, "times"), marked.speedup);
    EXPECT_EQ(test::real(text, "low"), marked.measured->speed_up->low);
    EXPECT_EQ(test::real(text, "high"), marked.measured->speed_up->high);
    EXPECT_EQ(test::whole(text, "doubt"), marked.in_doubt());
    EXPECT_EQ(test::whole(test::only_said(told, "failures.lanes.under"), "texts"), marked.requests);
    const BatchLanes lanes = batch_lanes(*marked.measured);
    const Said sum = test::only_said(told, "failures.lanes.sum");
    EXPECT_EQ(test::whole(sum, "refused"), lanes.refused);
    EXPECT_EQ(test::whole(sum, "rows"), lanes.rows);
    EXPECT_EQ(test::real(sum, "share"), static_cast<double>(lanes.refused) / lanes.rows);
    EXPECT_EQ(test::whole(sum, "prompt"), 17);
    const std::vector<Said> rounds = test::all_said(told, "failures.lanes.round");
    ASSERT_EQ(rounds.size(), 12U) << "also those that have no column";
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        EXPECT_EQ(test::whole(rounds[i], "round"), static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(test::whole(rounds[i], "rows"), lanes.rounds[i].rows);
        EXPECT_EQ(test::real(rounds[i], "ms"), lanes.rounds[i].ms);
        const std::vector<Said> seats = test::list(rounds[i], "seats");
        ASSERT_EQ(seats.size(), lanes.rounds[i].seats.size());
        for (std::size_t seat = 0; seat < seats.size(); ++seat) {
            const bool taken = lanes.rounds[i].seats[seat] != nullptr;
            EXPECT_EQ(taken, i != 7 || seat != 0 || marked.requests == 1);
            if (!taken) {
                EXPECT_EQ(seats[seat].id(), "failures.lanes.seat:free");
                continue;
            }
            const BatchLane& lane = *lanes.rounds[i].seats[seat];
            const bool decoded = lane.did == BatchLane::Did::decoded;
            EXPECT_EQ(seats[seat].id(), decoded ? "failures.lanes.seat:decoded" : "failures.lanes.seat:prompt");
            EXPECT_EQ(test::whole(seats[seat], decoded ? "kept" : "rows"), decoded ? lane.accepted : 17);
            if (decoded) {
                EXPECT_EQ(test::whole(seats[seat], "guesses"), lane.drafted());
            }
        }
    }
}

TEST(BatchLanes, ATextKeepsItsSeatAndANewOneTakesAFreeOne) {
    SweepCell cell;
    cell.rounds.resize(3);
    cell.rounds[0].lanes = {lane(0, 2, 1), lane(1, 2, 0)};
    cell.rounds[1].lanes = {lane(1, 2, 2), {.text = 2, .did = BatchLane::Did::read, .rows = 9}};
    cell.rounds[2].lanes = {lane(1, 2, 2), lane(2, 0, 0)};
    const BatchLanes lanes = batch_lanes(cell);
    ASSERT_EQ(lanes.seats, 2);
    const auto text_at = [&](std::size_t round, std::size_t seat) { return lanes.rounds[round].seats[seat]->text; };
    EXPECT_EQ(text_at(0, 0), 0);
    EXPECT_EQ(text_at(1, 0), 2) << "in the seat that text 0 left";
    EXPECT_EQ(text_at(1, 1), 1);
    EXPECT_EQ(text_at(2, 0), 2);
    EXPECT_EQ(lanes.rows, 3 + 3 + 3 + 9 + 3 + 1);
    EXPECT_EQ(lanes.refused, 1 + 2);
    EXPECT_EQ(lanes.prompt, 9);
}

TEST(FailuresLoad, MeasuredCellsTakeThePlaceOfSimulatedOnes) {
    Batches live;
    const FailuresModel m = failures_model(live.input(), {});
    ASSERT_TRUE(m.has_measured());
    int measured = 0;
    for (const LoadCell& cell : m.cells) {
        if (!cell.measured) continue;
        ++measured;
        EXPECT_EQ(cell.requests, cell.measured->concurrency);
        EXPECT_EQ(cell.k, cell.measured->method.k);
        EXPECT_DOUBLE_EQ(cell.speedup, cell.measured->speed_up->value);
        EXPECT_EQ(cell.pays(), cell.requests == 1);
        EXPECT_EQ(cell.loses(), cell.requests == 16) << "1.02 with an interval that holds 1 is neither";
    }
    EXPECT_EQ(measured, 6);
}

TEST(FailuresLoad, ALoadOfAnotherDrafterIsNotTheRuns) {
    Batches live;
    live.published.load = made_load("lookup");
    live.show();
    EXPECT_FALSE(failures_model(live.input(), {}).has_measured());
}

TEST(FailuresLoad, ShowsTheBatchOfTheMarkedCell) {
    Batches live;
    EXPECT_TRUE(live.bench->shows("1 text at once, 4 guesses: 1.50×, measured")) << live.bench->words;
    expect_measured(*live.bench, 1, 4, 1.5);
    EXPECT_TRUE(says(told_of(*live.bench), "failures.lanes.title"));
    EXPECT_TRUE(live.bench->shows("LIVE"));
    live.bench->key(ui::Key::down); // two requests were not decoded
    live.bench->settle();
    EXPECT_FALSE(says(told_of(*live.bench), "failures.lanes.title"));
    EXPECT_TRUE(live.bench->shows("SIM"));
}

// Whoever asked for batches of eight sees one at once.
TEST(FailuresLoad, OpensOnAMeasuredCell) {
    Batches live;
    const std::shared_ptr<Sweep> load = made_load("small", {8});
    live.published.load = load;
    live.show();
    expect_measured(*live.bench, 8, 4, 0.7);
    EXPECT_TRUE(live.bench->shows("8 texts at once, 4 guesses each: 0.70×, measured")) << live.bench->words;
    EXPECT_TRUE(says(told_of(*live.bench), "failures.lanes.title"));
    FailuresState chosen;
    chosen.row = 0;
    EXPECT_EQ(failures_model(live.input(), chosen).row, 0) << "what the user chose stays";
    for (SweepCell& cell : load->cells)
        if (cell.method.k == 4) cell.method.k = 6; // then the nearest to the run's four
    live.show();
    EXPECT_EQ(failures_model(live.input(), {}).guesses(), 2);
}

// A batch whose turns lie apart is no measurement.
TEST(FailuresLoad, AFigureInDoubtStandsInNoTitleAndWinsNothing) {
    Batches live;
    const std::shared_ptr<Sweep> load = made_load("small");
    for (SweepCell& cell : load->cells) cell.speed_up->high = 1.2 * cell.speed_up->value, cell.in_doubt = true;
    live.published.load = load;
    live.show();
    expect_measured(*live.bench, 1, 4, {});
    const auto doubt = [&] {
        const Said under = test::only_said(told_of(*live.bench), "failures.map.subtitle:measured");
        EXPECT_EQ(test::real(under, "times"), 1.5);
        return test::inner(under, "doubt");
    };
    EXPECT_EQ(doubt().id(), "speedup.doubt.spread");
    EXPECT_NEAR(test::real(doubt(), "apart"), 0.2, 0.005);
    EXPECT_TRUE(live.bench->shows("~1.50× in doubt, because repeats lie up to 20")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("~1.5")) << live.bench->words;
    const FailuresModel m = failures_model(live.input(), {});
    EXPECT_EQ(m.best(0), -1) << "what is in doubt is not the best";
    EXPECT_TRUE(m.doubtful());
    expect_batch(told_of(*live.bench), m);
    const Said why = test::only_said(told_of(*live.bench), "failures.reason.doubtful_batch");
    EXPECT_EQ(test::inner(why, "doubt").id(), "speedup.doubt.spread");
    EXPECT_NE(message(test::inner(why, "text")).find("~1.50× plain batched decoding"), std::string::npos);
    load->busy_cores = 2.03; // a batch that was decoded beside a busy program is no measurement of this machine
    live.show();
    EXPECT_EQ(doubt().id(), "shared.doubt.busy");
    EXPECT_EQ(test::real(doubt(), "cores"), 2.03);
}

TEST(FailuresLoad, TheBestOfAMeasuredRowIsAMeasuredOne) {
    Batches live;
    FailuresModel m = failures_model(live.input(), {});
    for (LoadCell& cell : m.cells)
        if (!cell.measured && cell.requests == 1) cell.speedup = 9;
    EXPECT_EQ(m.best_k(0), 2) << "simulated ones are no rivals";
    EXPECT_EQ(m.few(), 0);
    EXPECT_EQ(kRequests[m.many()], 16) << "nor is a row that nobody measured";
    EXPECT_EQ(m.best_k(m.many()), 0);
    const Story story = failures_story(live.input(), m, nullptr);
    EXPECT_EQ(story.text.said.id(), "failures.map.text:falls");
    EXPECT_EQ(test::whole(story.text.said, "alone"), 2);
    EXPECT_EQ(test::whole(story.text.said, "few"), 1);
    EXPECT_EQ(test::whole(story.text.said, "busy"), 0);
    EXPECT_EQ(test::whole(story.text.said, "many"), 16);
    EXPECT_NE(story.text.find("the best K is 2 for one request and none for 16"), std::string::npos) << story.text;
}

TEST(FailuresLoad, HatchesOnlyWhatIsSimulated) {
    Batches live;
    EXPECT_TRUE(live.bench->shows("framed: measured; hatched: simulated; underlined: slower")) << live.bench->words;
    Loaded alone(true);
    EXPECT_TRUE(alone.bench->shows("underlined: slower")) << alone.bench->words;
    EXPECT_FALSE(alone.bench->shows("hatched: s")) << alone.bench->words;
}

// Beside the map, with the panel of details and without it: what others published, and this machine's roofline.
TEST(FailuresLoad, PublishedCurvesAndTheRooflineStandBesideTheMap) {
    for (const Size& s : {kSizes[0], kSizes[1]})
        for (const bool measured : {true, false}) {
            Batches live({0, 0, s.w, s.h});
            live.bench->controller.figures =
                std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
            auto passes = std::make_shared<PassTimes>(bend());
            passes->weight_bytes = 5e7, passes->multiply_adds = 2.5e7, passes->bandwidth_gbs = 50, passes->product_rate = 200;
            live.published.passes = passes;
            if (!measured) live.published.load.reset();
            live.show();
            for (const char* shown : {"PUBLISHED", "K = 7", "adaptive", "EAGLE-3", "From bytes to arithmetic"})
                EXPECT_TRUE(live.bench->shows(shown)) << s.name << ", " << shown << "\n" << live.bench->words;
            look(*live.bench, std::string("beside the map ") + s.name, false);
        }
}

// What others published, and where this machine's passes stand, with all numbers.
TEST(FailuresLoad, TellsPublishedFiguresAndTheRooflineInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const bool measured : {true, false}) {
            const test::Speaking speaking(language);
            SCOPED_TRACE(std::string(language) + (measured ? " measured" : " simulated"));
            Batches live;
            live.bench->controller.figures = test::shipped_figures();
            auto passes = std::make_shared<PassTimes>(bend());
            passes->weight_bytes = 5e7, passes->multiply_adds = 2.5e7, passes->bandwidth_gbs = 50, passes->product_rate = 200;
            live.published.passes = passes;
            if (!measured) live.published.load.reset();
            live.show();
            const SceneInput input = live.input();
            const FailuresModel m = failures_model(input, {});
            const ToldFrame told = told_of(*live.bench);
            const Roofline roof = *roofline(input, m);
            const Said roofs = test::only_said(told, "failures.roofline.roofs");
            EXPECT_EQ(test::real(roofs, "bandwidth"), 50);
            EXPECT_EQ(test::real(roofs, "peak"), 200);
            EXPECT_EQ(test::real(roofs, "knee"), 4);
            const auto expect_point = [](const Said& said, const RooflinePoint& at) {
                EXPECT_EQ(test::real(said, "rows"), at.rows);
                EXPECT_EQ(test::real(said, "intensity"), at.intensity);
                EXPECT_EQ(test::real(said, "rate"), at.rate);
            };
            const std::vector<Said> timed = test::list(test::only_said(told, "failures.roofline.passes"), "passes");
            ASSERT_EQ(timed.size(), roof.passes.size());
            for (std::size_t i = 0; i < timed.size(); ++i) expect_point(timed[i], roof.passes[i]);
            const std::vector<Said> marked = test::all_said(told, "failures.roofline.at");
            ASSERT_EQ(marked.size(), 2U);
            for (const auto& [said, at, guesses] : {std::tuple{marked[0], *roof.plain, 0}, {marked[1], *roof.marked, 1}}) {
                expect_point(said, at);
                EXPECT_EQ(test::whole(said, "guesses"), guesses);
                EXPECT_EQ(test::whole(said, "memory"), roof.bound_by_memory(at));
                EXPECT_EQ(test::whole(said, "simulated"), !measured);
            }
            const PublishedLoad load = published_load(input.figures);
            ASSERT_EQ(load.curves.size(), 2U);
            const std::vector<Said> cited = test::all_said(told, "failures.published.cited");
            const auto expect_source = [&](const Said& said, const PublishedFigure& figure) {
                EXPECT_EQ(test::inner(said, "claim"), claim_said(figure));
                EXPECT_EQ(test::list(said, "conditions"), conditions_said(figure));
                EXPECT_EQ(test::inner(said, "source"), citation_said(figure, input.figures->source_of(figure)));
                return test::inner(said, "what");
            };
            for (const PublishedLoad::Curve& curve : load.curves) {
                const auto found =
                    std::ranges::find_if(cited, [&](const Said& one) { return test::inner(one, "claim") == claim_said(*curve.figure); });
                ASSERT_NE(found, cited.end()) << curve.figure->id;
                const Said said = expect_source(*found, *curve.figure);
                EXPECT_EQ(said.id(), "failures.published.curve");
                EXPECT_EQ(test::words(test::inner(said, "curve"), "method"), "DSpark");
                EXPECT_EQ(test::english(test::inner(said, "curve"), "variant"), curve.figure->variant);
                const std::vector<Said> points = test::list(said, "points");
                ASSERT_EQ(points.size(), curve.points.size());
                for (std::size_t i = 0; i < points.size(); ++i) {
                    EXPECT_EQ(test::real(points[i], "requests"), curve.points[i].first);
                    EXPECT_EQ(test::real(points[i], "times"), curve.points[i].second);
                }
            }
            EXPECT_EQ(load.curves[0].points.front().first, 4);
            EXPECT_NEAR(load.curves[0].points.front().second, 2.54, 0.005);
            EXPECT_EQ(load.curves[0].points.back().first, 256);
            EXPECT_NEAR(load.curves[0].points.back().second, 0.88, 0.005);
            bool eagle = false;
            for (const PublishedFigure* figure : load.figures) {
                const Said whole = figure_words(*input.figures, *figure).said, said = expect_source(whole, *figure);
                EXPECT_GE(std::ranges::count(cited, whole), 1) << figure->id;
                EXPECT_EQ(said.id(), "failures.published.figure");
                EXPECT_EQ(test::inner(said, "value"), value_said(*figure));
                const Said method = test::inner(said, "method");
                EXPECT_EQ(test::maybe<std::int64_t>(method, "requests"), figure->batch);
                eagle = eagle || (test::words(method, "method") == "EAGLE-3" && figure->batch == 64 && figure->values.front() == 1.38);
            }
            EXPECT_TRUE(eagle);
            const std::string point =
                ui::speed_up(load.curves[0].points.front().second) + (std::string_view(language) == "de" ? " mit 4" : " with 4");
            const bool german = std::string_view(language) == "de";
            const std::string figure = german ? "EAGLE-3, 64 Anfragen, 1,38×: " : "EAGLE-3, 64 requests, 1.38×: ";
            const RooflinePoint& at = *roof.marked;
            const std::string rate = ui::number(at.rate, 0), intensity = ui::number(at.intensity, 1), wide = ui::number(at.rows, 1);
            const bool memory = roof.bound_by_memory(at);
            const std::string side = german ? "Mit Vorschlägen: " + wide + " Zeilen je Durchlauf, " + intensity + " je Byte, " + rate +
                                                  "e9 je Sekunde: " + (memory ? "der Speicher" : "das Rechnen") + " entscheidet" +
                                                  (measured ? "\n" : " (simuliert)\n")
                                            : "With guesses: " + wide + " rows a pass, " + intensity + " per byte, " + rate +
                                                  "e9 a second: " + (memory ? "memory" : "arithmetic") + " decides" +
                                                  (measured ? "\n" : " (simulated)\n");
            for (const std::string& line : {point, figure, side})
                EXPECT_NE(in_words(told).find(line), std::string::npos) << line << "\n" << in_words(told);
        }
}

TEST(FailuresLoad, DecodesBatchesOfTheRunsDrafterOnDemand) {
    Loaded empty(false);
    empty.bench->key(ui::Key::b);
    for (const Command& command : empty.sent) EXPECT_FALSE(std::holds_alternative<MeasureLoad>(command)) << "the map comes first";
    Loaded live(true);
    live.bench->key(ui::Key::b);
    ASSERT_FALSE(live.sent.empty());
    const auto* asked = std::get_if<MeasureLoad>(&live.sent.back());
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->base.drafter, "small");
}

TEST(FailuresLoad, TellsItInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const int row : {0, 2, 4}) {
            const test::Speaking speaking(language);
            SCOPED_TRACE(std::string(language) + " " + std::to_string(row));
            Batches live;
            for (int i = 0; i < row; ++i) live.bench->key(ui::Key::down);
            FailuresState state;
            state.row = row;
            const FailuresModel m = failures_model(live.input(), state);
            const ToldFrame told = told_of(*live.bench);
            expect_batch(told, m);
            constexpr const char* kWhy[] = {"pays", "", "even_measured", "", "loses"};
            EXPECT_TRUE(says(told, std::string("failures.reason.") + kWhy[row]));
            const bool german = std::string_view(language) == "de";
            const std::string words = in_words(told);
            const BatchLanes lanes = batch_lanes(*m.marked().measured);
            const std::string share = ui::percent(static_cast<double>(lanes.refused) / lanes.rows);
            const std::string sum = german ? std::to_string(lanes.refused) + " von " + std::to_string(lanes.rows) + " Zeilen (" + share +
                                                 ") abgelehnte Vorschläge, 17 Prompt\n"
                                           : std::to_string(lanes.refused) + " rows of " + std::to_string(lanes.rows) + " (" + share +
                                                 ") were refused guesses, 17 prompt\n";
            EXPECT_NE(words.find(sum), std::string::npos) << sum << "\n" << words;
            const std::string spent = german ? "Vorschlagen " + ui::percent(0.2) + " der Zeit, Durchläufe " + ui::percent(0.7) + ". "
                                             : "drafting took " + ui::percent(0.2) + " of the time, passes " + ui::percent(0.7) + ". ";
            EXPECT_NE(words.find(spent), std::string::npos) << spent << "\n" << words;
            const std::string range = "90 %: " + ui::number(m.marked().measured->speed_up->low, 2) + (german ? " bis " : " to ") +
                                      ui::number(m.marked().measured->speed_up->high, 2) + " ×";
            EXPECT_NE(words.find(range), std::string::npos) << range << "\n" << words;
            const BatchLane& seat = *lanes.rounds[0].seats[0];
            const std::string round = (german ? "Runde 1, " : "Round 1, ") + std::to_string(lanes.rounds[0].rows) +
                                      (german ? " Zeilen, " : " rows, ") + ui::number(lanes.rounds[0].ms, 1) +
                                      (german ? " ms: " + std::to_string(seat.accepted) + " von 4 behalten"
                                              : " ms: kept " + std::to_string(seat.accepted) + " of 4");
            EXPECT_NE(words.find(round), std::string::npos) << round << "\n" << words;
            const std::string in_row = (german ? " gemessen (" : " measured (") + ui::number(m.marked().measured->speed_up->low, 2) +
                                       (german ? " bis " : " to ") + ui::number(m.marked().measured->speed_up->high, 2) + ")";
            EXPECT_NE(words.find(in_row), std::string::npos) << in_row << "\n" << words;
        }
}

// While the mouse is on it.
TEST(FailuresLoad, ACellSaysWhatItIs) {
    for (const char* language : {"en", "de"})
        for (const bool doubt : {false, true}) {
            const test::Speaking speaking(language);
            const bool german = std::string_view(language) == "de";
            SCOPED_TRACE(std::string(language) + (doubt ? " in doubt" : ""));
            Batches live;
            if (doubt) {
                const std::shared_ptr<Sweep> load = made_load("small");
                for (SweepCell& cell : load->cells) cell.in_doubt = true;
                load->busy_cores = 2.03;
                live.published.load = load;
                live.show();
            }
            const std::string shown = (doubt ? "~" : "") + ui::number(1.5, 1);
            const std::vector<ui::RecordedText> texts = live.bench->texts;
            std::vector<std::string> tips;
            for (const ui::RecordedText& text : texts)
                if (text.text == shown) tips.push_back(live.bench->tip_at(text.box.center()));
            const std::string mark = doubt ? "~" : "";
            const std::string wanted = german ? "1 Anfrage, 2 Vorschläge: " + mark + "1,50×, gemessen; 90 %: 1,46 bis 1,54" +
                                                    (doubt ? "; unsicher: andere Programme belegten 2,0 Kerne" : "")
                                              : "1 request, 2 guesses: " + mark + "1.50×, measured; 90 %: 1.46 to 1.54" +
                                                    (doubt ? "; in doubt: other programs kept 2.0 cores busy" : "");
            EXPECT_EQ(std::ranges::count(tips, wanted), 1) << wanted << "\n" << (tips.empty() ? "no tip" : tips.front());
        }
    Loaded alone(true);
    const double times = failures_model(alone.input(), {}).cell(0, 3).speedup;
    const std::vector<ui::RecordedText> texts = alone.bench->texts;
    EXPECT_TRUE(std::ranges::any_of(texts, [&](const ui::RecordedText& text) {
        return (text.text == ui::number(times, 1) || text.text == ui::number(times, 2)) &&
               alone.bench->tip_at(text.box.center()) == "1 request, 4 guesses: " + ui::speed_up(times);
    })) << "neither measured nor simulated where nothing was measured";
}

TEST(FailuresLoad, SaysEveryNumberThatIsDrawn) {
    Batches live;
    live.bench->controller.figures = test::shipped_figures();
    live.show();
    EXPECT_GT(test::expect_drawn_numbers_told("failures", live.input()), 2U);
}

TEST(FailuresLoad, NothingCollidesBesideMeasuredCells) {
    for (const Size& s : kSizes) {
        Batches live({0, 0, s.w, s.h});
        for (int row = 0; row <= kMostBusy; ++row) {
            look(*live.bench, std::string("failures load ") + s.name + " row " + std::to_string(row), s.w < 1000);
            live.bench->key(ui::Key::down);
            live.bench->settle();
        }
    }
}

} // namespace
} // namespace speclens
