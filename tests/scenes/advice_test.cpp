// Scene S18: a made advice on every beat and at every size, what is measured and what is done with it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <variant>

#include "engine/base/json_read.h"
#include "scenes/advice/advice_model.h"
#include "scenes/shared/in_words.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/made_advice.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_numbers.h"
#include "ui/format.h"

namespace speclens {
namespace {

using test::made_advice;
using test::Speaking;
using test::tells;
using test::written;

struct Window {
    std::vector<Command> sent;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    explicit Window(std::optional<Advice> advice, ui::Rect screen = {0, 0, 1600, 1000}) {
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("advice", port, screen);
        published.trace = fixtures::mixed();
        published.status.state = EngineStatus::State::stopped;
        published.status.model = "bundle S";
        published.status.ready_drafters = {"none", "small", "eagle3", "medusa", "lookup"};
        if (advice) published.advice = std::make_shared<const Advice>(std::move(*advice));
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    template <typename T>
    [[nodiscard]] const T* last_sent() const {
        return sent.empty() ? nullptr : std::get_if<T>(&sent.back());
    }
};

TEST(AdviceScene, AsksBeforeItAnswers) {
    Window window(std::nullopt);
    EXPECT_TRUE(window.bench->shows("Does speculation pay on this machine?")) << window.bench->words;
    window.bench->key(ui::Key::m);
    const auto* ask = window.last_sent<AskAdvice>();
    ASSERT_NE(ask, nullptr);
    EXPECT_GT(ask->seconds, 10);
}

TEST(AdviceScene, TellsTheVerdictWithItsInterval) {
    Window window(made_advice());
    window.beat(1);
    const AdviceModel m = advice_model(window.input(), {});
    ASSERT_TRUE(m.measured());
    EXPECT_EQ(m.best.size(), 4U);
    EXPECT_EQ(m.best.front()->drafter, "eagle3");
    EXPECT_EQ(m.marked, m.best.front());
    EXPECT_EQ(m.lengths.size(), 7U);
    const AdviceCell& best = *m.verdict.best;
    EXPECT_TRUE(window.bench->shows("eagle3, K = " + std::to_string(best.k) + ": ")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("Use eagle3 with K = " + std::to_string(best.k))) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("eagle3 by draft length"));
}

TEST(AdviceScene, AsksForABetBeforeItShowsTheAnswer) {
    Window window(made_advice());
    EXPECT_TRUE(window.bench->shows("Which of 4 drafters pays here?")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("×")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("by draft length"));
    EXPECT_EQ(window.input().beat, kBetBeat);
    const SceneInput input = window.input();
    EXPECT_EQ(find_scene("advice")->make()->describe(input).find("Plain decoding: "), std::string::npos);
    window.bench->click(window.bench->find("medusa"));
    EXPECT_TRUE(window.bench->shows("your bet"));
    window.beat(1);
    EXPECT_TRUE(window.bench->shows(" · your bet")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("by draft length"));
}

TEST(AdviceScene, EveryBeatHasAPictureOfItsOwn) {
    Window window(made_advice());
    std::vector<std::uint64_t> pictures;
    for (const int beat : {1, kWhyBeat, kChangeBeat}) {
        window.beat(beat);
        for (const std::uint64_t other : pictures) EXPECT_NE(window.bench->picture, other) << beat;
        pictures.push_back(window.bench->picture);
    }
    window.beat(kWhyBeat);
    EXPECT_TRUE(window.bench->shows("The same tokens, twice"));
    EXPECT_TRUE(window.bench->shows("saved "));
    window.beat(kChangeBeat);
    EXPECT_TRUE(window.bench->shows("breaks even"));
    EXPECT_TRUE(window.bench->shows("If plain decoding were slower or faster"));
}

TEST(AdviceScene, ArrowsMarkAnotherDrafterAndUndoComesBack) {
    Window window(made_advice());
    window.beat(1);
    window.bench->key(ui::Key::down);
    EXPECT_TRUE(window.bench->shows("small by draft length")) << window.bench->words;
    window.bench->key(ui::Key::z, {.ctrl = true});
    EXPECT_TRUE(window.bench->shows("eagle3 by draft length")) << window.bench->words;
}

TEST(AdviceScene, TheAdviceCanBeTaken) {
    Window window(made_advice());
    window.beat(1);
    const AdviceModel m = advice_model(window.input(), {});
    const Command command = run_marked(window.input(), m);
    const auto* restart = std::get_if<Restart>(&command);
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "eagle3");
    EXPECT_EQ(restart->settings.k, m.best.front()->k);
}

TEST(AdviceScene, InDoubtNothingIsToldAsIfItWereSure) {
    Advice busy = made_advice();
    busy.busy_cores = 1.4;
    Window window(busy);
    window.beat(1);
    EXPECT_TRUE(window.bench->shows("Timing in doubt: no verdict"));
    EXPECT_TRUE(window.bench->shows("other programs kept 1.4 cores busy"));
    EXPECT_TRUE(window.bench->shows("~"));
    EXPECT_FALSE(window.bench->shows("Use eagle3 with K")) << window.bench->words;
}

TEST(AdviceScene, ARunThatWasSavedHasNothingToMeasure) {
    SceneBench bench("advice");
    bench.show(fixtures::mixed());
    EXPECT_TRUE(bench.shows("No models are loaded: this run was saved earlier")) << bench.words;
}

TEST(AdviceScene, TheCurveCrossesOneWhereItBreaksEven) {
    const Advice advice = made_advice();
    const AdviceCell& cell = *advice.cell("small", 4);
    const CellBreakEven even = break_even_of(cell, advice.plain_ms);
    ASSERT_TRUE(even.most_plain_rate.has_value());
    const std::vector<PlainRatePoint> points = by_plain_rate(cell, advice.plain_ms);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_LT(points[i].speed_up, points[i - 1].speed_up);
        EXPECT_EQ(points[i].speed_up<1, points[i].rate> * even.most_plain_rate) << points[i].rate;
    }
}

TEST(AdviceScene, NothingCollidesOnAnyBeatAtAnySize) {
    for (const Size& s : kSizes)
        for (int beat = 0; beat < kAdviceBeats; ++beat) {
            Window window(made_advice(), {0, 0, s.w, s.h});
            window.beat(beat);
            look(*window.bench, std::string("advice beat ") + std::to_string(beat) + " " + s.name, s.w < 1000);
        }
}

// ---- the frame in words, and as data ----

// Every number that the description of this scene told when it was written by hand, where each is said now.
std::vector<test::ToldNumber> numbers_of(const AdviceModel& m) {
    std::vector<test::ToldNumber> list;
    const Advice& advice = *m.advice;
    list.push_back({"subtitle.measured", "prompts", double(advice.prompts), -1});
    list.push_back({"subtitle.measured", "shortest", double(advice.shortest), -1});
    list.push_back({"subtitle.measured", "longest", double(advice.longest), -1});
    list.push_back({"subtitle.measured", "temperature", advice.temperature, 1});
    list.push_back({"ranking.plain", "ms", advice.plain_ms, 3});
    for (const AdviceCell* cell : m.best) {
        list.push_back({"words.choice", "k", double(cell->k), -1});
        list.push_back({"words.figure", "speed_up", cell->speed_up, 2});
        list.push_back({"ranking.bar", "low", cell->low, 2});
        list.push_back({"ranking.bar", "high", cell->high, 2});
        list.push_back({"ranking.bar", "tokens", cell->tokens_per_round, 2});
        list.push_back({"ranking.bar", "draft", cell->draft_ms, 3});
        list.push_back({"ranking.bar", "verify", cell->verify_ms, 3});
        list.push_back({"ranking.bar", "other", cell->other_ms, 3});
    }
    const AdviceCell& best = *m.verdict.best;
    const CellBreakEven even = break_even_of(best, advice.plain_ms);
    for (const Said& finding : advice_findings(advice))
        for (const SaidValue& value : finding.values) {
            const std::string id(finding.text);
            if (const auto* whole = std::get_if<std::int64_t>(&value.is)) list.push_back({id, std::string(value.name), double(*whole), -1});
            if (const auto* real = std::get_if<double>(&value.is))
                list.push_back({id, std::string(value.name), *real, value.name == "passes" ? 1 : 2});
        }
    list.push_back({"break_even.round", "even", even.tokens, 2});
    list.push_back({"break_even.round", "kept", *even.alpha, test::kChance});
    list.push_back({"break_even.round", "tokens", best.tokens_per_round, 2});
    list.push_back({"break_even.pays:below", "rate", 1000 / advice.plain_ms, 0});
    list.push_back({"break_even.pays:below", "most", *even.most_plain_rate, 0});
    list.push_back({"sentence.range:two", "low", best.low, 2});
    list.push_back({"sentence.range:two", "high", best.high, 2});
    list.push_back({"sentence.choice", "k", double(best.k), -1});
    list.push_back({"sentence.use", "rate", *even.most_plain_rate, 0});
    return list;
}

TEST(AdviceScene, TellsEveryNumberInWordsAndAsDataInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Window window(made_advice());
        for (const int beat : {1, kWhyBeat, kChangeBeat}) {
            window.beat(beat);
            const SceneInput input = window.input();
            const AdviceModel m = advice_model(input, {});
            const std::unique_ptr<Scene> scene = find_scene("advice")->make();
            const std::vector<ui::ToldMessage> told = scene->told(input);
            const Json json = Json::parse(words_json("advice", input.beat, told));
            const std::string words = scene->describe(input), where = std::string(language) + " beat " + std::to_string(beat);
            EXPECT_EQ(json["schema"], "speclens-words/1");
            EXPECT_EQ(json["language"], language);
            const std::vector<test::ToldNumber> numbers = numbers_of(m);
            EXPECT_GT(numbers.size(), 40U);
            for (const test::ToldNumber& number : numbers) {
                EXPECT_TRUE(tells(json, "advice", number))
                    << where << ": advice." << number.id << " {" << number.value << "} = " << number.number;
                EXPECT_NE(words.find(written(number)), std::string::npos) << where << ": " << number.id << " " << written(number) << "\n"
                                                                          << words;
            }
            for (const AdviceCell* cell : m.lengths) { // a picture of their own in one beat, told beside it in the others
                const std::string id = beat == 1 ? "lengths.bar" : "lengths.figure";
                EXPECT_TRUE(tells(json, "advice", {id, "k", double(cell->k), -1})) << where;
                EXPECT_TRUE(tells(json, "advice", {"words.figure", "speed_up", cell->speed_up, 2})) << where;
            }
        }
    }
}

// Each message's values belong together: those of a row are one drafter's.
TEST(AdviceScene, TellsEachDrafterWithItsOwnNumbers) {
    Window window(made_advice());
    window.beat(1);
    const SceneInput input = window.input();
    const AdviceModel m = advice_model(input, {});
    const std::vector<ui::ToldMessage> told = find_scene("advice")->make()->told(input);
    std::vector<Said> rows, lengths;
    for (const ui::ToldMessage& one : told) {
        if (one.message.said.id() == "advice.ranking.bar") rows.push_back(one.message.said);
        if (one.message.said.id() == "advice.lengths.bar") lengths.push_back(one.message.said);
    }
    ASSERT_EQ(rows.size(), m.best.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const AdviceCell& cell = *m.best[i];
        EXPECT_EQ(test::words(test::inner(rows[i], "choice"), "drafter"), cell.drafter);
        EXPECT_EQ(test::whole(test::inner(rows[i], "choice"), "k"), cell.k);
        EXPECT_EQ(test::real(test::inner(rows[i], "figure"), "speed_up"), cell.speed_up);
        EXPECT_EQ(test::whole(test::inner(rows[i], "figure"), "in_doubt"), 0);
        EXPECT_EQ(test::whole(rows[i], "marked"), i == 0);
        EXPECT_EQ(test::real(rows[i], "low"), cell.low);
        EXPECT_EQ(test::real(rows[i], "high"), cell.high);
        EXPECT_EQ(test::real(rows[i], "tokens"), cell.tokens_per_round);
        EXPECT_EQ(test::real(rows[i], "draft"), cell.draft_ms);
        EXPECT_EQ(test::real(rows[i], "verify"), cell.verify_ms);
        EXPECT_EQ(test::real(rows[i], "other"), cell.other_ms);
        EXPECT_EQ(test::whole(rows[i], "worked_out"), cell.worked_out);
    }
    ASSERT_EQ(lengths.size(), m.lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const AdviceCell& cell = *m.lengths[i];
        EXPECT_EQ(test::whole(lengths[i], "k"), cell.k);
        EXPECT_EQ(test::real(test::inner(lengths[i], "figure"), "speed_up"), cell.speed_up);
        EXPECT_EQ(test::real(lengths[i], "low"), cell.low);
        EXPECT_EQ(test::real(lengths[i], "high"), cell.high);
        EXPECT_EQ(test::real(lengths[i], "tokens"), cell.tokens_per_round);
        EXPECT_EQ(test::real(lengths[i], "round"), cell.round_ms());
    }
}

// What a beat says of its own, id and every value.
TEST(AdviceScene, SaysWhyAndWhatWouldChangeIt) {
    Window window(made_advice());
    const auto said = [&](const std::string& id) {
        for (const ui::ToldMessage& one : find_scene("advice")->make()->told(window.input()))
            if (one.message.said.id() == "advice." + id) return one.message.said;
        ADD_FAILURE() << "nothing says " << id;
        return Said();
    };
    window.beat(kWhyBeat);
    const AdviceModel m = advice_model(window.input(), {});
    const AdviceCell& c = *m.marked;
    const double pass = m.advice->plain_ms, plain = c.tokens_per_round * pass;
    const Said why = said("why.text:measured");
    EXPECT_EQ(test::words(test::inner(why, "choice"), "drafter"), c.drafter);
    EXPECT_EQ(test::real(why, "tokens"), c.tokens_per_round);
    EXPECT_EQ(test::real(why, "round"), c.round_ms());
    EXPECT_EQ(test::real(why, "plain"), plain);
    EXPECT_EQ(test::real(why, "drafting"), c.draft_ms / c.round_ms());
    EXPECT_EQ(test::real(why, "checking"), c.verify_ms / c.round_ms());
    EXPECT_EQ(test::real(said("why.title"), "passes"), c.round_ms() / pass);
    EXPECT_EQ(test::real(said("round.lane"), "draft"), c.draft_ms);
    EXPECT_EQ(test::real(said("round.lane"), "verify"), c.verify_ms);
    EXPECT_EQ(test::real(said("round.lane"), "other"), c.other_ms);
    EXPECT_EQ(test::real(said("round.plain_lane"), "pass"), pass);
    EXPECT_EQ(test::real(said("round.plain_lane"), "plain"), plain);
    EXPECT_EQ(test::real(said("round.saved"), "ms"), plain - c.round_ms());
    EXPECT_EQ(test::real(said("round.saved"), "plain"), plain);
    EXPECT_EQ(test::real(said("round.saved"), "round"), c.round_ms());
    EXPECT_EQ(test::real(test::inner(said("round.saved"), "figure"), "speed_up"), plain / c.round_ms());
    const AdviceDrafter& places = *m.advice->drafter(c.drafter);
    const std::vector<Said> kept = test::list(said("round.places"), "places");
    ASSERT_EQ(kept.size(), places.kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(test::real(kept[i], "kept"), double(places.kept[i]) / places.judged[i]);
    window.beat(kChangeBeat);
    const CellBreakEven even = break_even_of(c, pass);
    const Said change = said("change.text:measured");
    EXPECT_EQ(test::real(change, "even"), even.tokens);
    EXPECT_EQ(test::real(change, "kept"), *even.alpha);
    EXPECT_EQ(test::real(change, "tokens"), c.tokens_per_round);
    EXPECT_EQ(test::real(change, "rate"), *even.most_plain_rate);
    EXPECT_EQ(test::whole(change, "dear_check"), 0);
    EXPECT_EQ(test::real(said("curve.even_line"), "rate"), *even.most_plain_rate);
    const std::vector<Said> points = test::list(said("curve.line"), "points");
    ASSERT_EQ(points.size(), 7U) << "the doublings";
    EXPECT_DOUBLE_EQ(test::real(points[3], "rate"), 1000 / pass);
    EXPECT_DOUBLE_EQ(test::real(points[3], "speed_up"), c.speed_up);
}

// The same numbers, so many times as fast: a verdict is a case of its own, with its own values.
TEST(AdviceScene, SaysEachVerdictInItsOwnCase) {
    struct Made {
        double times;
        AdviceVerdict::Kind kind;
        const char *title, *text;
    };
    using Kind = AdviceVerdict::Kind;
    for (const Made& made : {Made{1, Kind::speculate, "title.pays", ""}, Made{0.3, Kind::plain, "title.plain", "verdict.text:plain"},
                             Made{0.47, Kind::none, "title.open", "verdict.text:open"}}) {
        Advice advice = made_advice();
        for (AdviceCell& cell : advice.cells) cell.speed_up *= made.times, cell.low *= made.times, cell.high *= made.times;
        Window window(advice);
        window.beat(1);
        const SceneInput input = window.input();
        const AdviceModel m = advice_model(input, {});
        ASSERT_EQ(m.verdict.kind, made.kind) << made.times;
        std::map<std::string, Said> said;
        for (const ui::ToldMessage& one : find_scene("advice")->make()->told(input)) said[one.message.said.id()] = one.message.said;
        const Said title = said[std::string("advice.") + made.title];
        const bool pays = made.kind == Kind::speculate;
        const Said range = test::inner(title, pays ? "range" : "best");
        EXPECT_EQ(test::real(range, "low"), m.best.front()->low);
        EXPECT_EQ(test::real(range, "high"), m.best.front()->high);
        const auto others = std::ssize(m.verdict.as_fast);
        const std::string text = !pays ? made.text : others > 1 ? "verdict.text:several" : "verdict.text:clear";
        ASSERT_TRUE(said.contains("advice." + text)) << text;
        EXPECT_EQ(test::inner(said["advice." + text], "verdict"), verdict_said(*m.advice));
        if (pays && others > 1) {
            EXPECT_EQ(test::whole(said["advice." + text], "others"), others);
        }
        if (made.kind == Kind::plain) {
            EXPECT_EQ(test::inner(said["advice." + text], "best"), choice_words(*m.best.front()).said);
        }
    }
    AdviceModel under_way;
    under_way.under_way = true;
    for (const int done : {0, 7}) {
        under_way.done = done;
        const Said subtitle = advice_title(under_way, kBetBeat).subtitle.said;
        EXPECT_EQ(subtitle.id(), "advice.subtitle.under_way");
        EXPECT_EQ(test::whole(subtitle, "first"), done == 0);
        EXPECT_EQ(test::real(subtitle, "done"), done);
    }
}

// ---- a server that is attached ----

// Suffix decoding drafts in an eighth of its passes; a pass takes 10 ms without a draft and 15 ms with one.
std::shared_ptr<ServerView> attached() {
    auto view = std::make_shared<ServerView>();
    view->state = ServerView::State::attached;
    view->address = "http://127.0.0.1:8000";
    ServerReading reading;
    reading.counts = SpecCounts{1986, 1986, 1226, {1226}};
    reading.generated = 16993, reading.answers = 80;
    reading.counts->text = written_text(reading);
    view->watch.add(0, reading);
    view->token_ms.assign(6, (10 * (16993 - 80 - 1986 - 1226) + 15 * 1986) / (16993.0 - 80));
    return view;
}

TEST(AdviceScene, TellsWhatTheServerThatIsAttachedGains) {
    for (const bool measured : {false, true}) {
        Window window(measured ? std::optional(made_advice()) : std::nullopt);
        window.bench->controller.observe_server(attached());
        window.beat(kWhyBeat);
        const auto said = [&](const std::string& id) {
            const auto frame = window.bench->controller.frame(0);
            for (const ui::ToldMessage& one : frame.active->told(frame.scene))
                if (one.message.said.id() == "advice." + id) return one;
            ADD_FAILURE() << "nothing says " << id;
            return ui::ToldMessage();
        };
        const ServedAdvice served = advice_model(window.input(), {}).served.value_or(ServedAdvice());
        EXPECT_TRUE(served.passes_told);
        const Said plain = said("served.plain").message.said, share = said("served.share").message.said;
        EXPECT_EQ(test::real(plain, "plain"), served.text.plain->low);
        EXPECT_EQ(test::real(plain, "per_round"), served.plain_per_round);
        EXPECT_EQ(test::real(share, "share"), served.text.share->high);
        EXPECT_EQ(test::real(share, "most"), served.text.most_speed_up->high);
        EXPECT_EQ(said("served.plain").how, ui::Canvas::Told::drawn);
        EXPECT_EQ(said("sentence.none").message.said.values.at(0).name, "reason");
        EXPECT_FALSE(served.round_passes_range) << "nobody said how fast it is without drafts";
        EXPECT_EQ(test::words(said("details.server").message.said, "address"), "http://127.0.0.1:8000");
    }
}

// SGLang's settings tell a tree, whether its drafts are counted as nodes or as depth; of other servers the counts do.
TEST(AdviceScene, CallsATreeOfTheServerOneAndNamesNoLength) {
    struct Counted {
        double drafted;
        DraftShape shape;
    };
    const DraftShape told{DraftShape::Kind::tree, 5, 31};
    for (const Counted& counted : {Counted{3100, told}, {500, told}, {3100, {}}}) {
        auto view = attached();
        ServerReading reading;
        reading.counts = SpecCounts{100, counted.drafted, 220, {90, 70, 40, 15, 5}};
        reading.counts->shape = counted.shape;
        view->watch = Watch();
        view->watch.add(0, reading);
        Window window(std::nullopt);
        window.bench->controller.observe_server(view);
        window.bench->settle();
        AdviceState state;
        state.plain_rate = 100;
        const ServedAdvice served = advice_model(window.input(), state).served.value_or(ServedAdvice());
        EXPECT_EQ(served.shape, told) << counted.drafted;
        EXPECT_EQ(served.k, 0);
        EXPECT_FALSE(served.best_k || served.alpha || served.draft_token_passes);
        const auto frame = window.bench->controller.frame(0);
        int trees = 0;
        for (const ui::ToldMessage& one : frame.active->told(frame.scene)) trees += one.message.said.id() == "advice.served.drafts:tree";
        EXPECT_EQ(trees, 1);
    }
}

TEST(AdviceScene, TakesThePlainSpeedOfTheServerAndSaysWhatARoundCosts) {
    Window window(std::nullopt);
    window.bench->controller.observe_server(attached());
    window.bench->settle();
    AdviceState state;
    state.plain_rate = 100; // 10 ms a token
    const ServedAdvice served = advice_model(window.input(), state).served.value_or(ServedAdvice());
    ASSERT_TRUE(served.round_passes_range);
    EXPECT_LE(served.round_passes_range->low, 1.5);
    EXPECT_GE(served.round_passes_range->high, 1.5);
    const ui::Vec2 at = window.bench->find("not told");
    window.bench->click(window.bench->find("+", {at.x, at.y - 20, 120, 40})); // from nothing to what it answers with now
    const auto frame = window.bench->controller.frame(0);
    std::vector<Said> said;
    for (const ui::ToldMessage& one : frame.active->told(frame.scene)) said.push_back(one.message.said);
    const auto speed = std::ranges::find(said, "served.speed", &Said::text),
               rate = std::ranges::find(said, "controls.plain_rate", &Said::text);
    ASSERT_NE(speed, said.end());
    ASSERT_NE(rate, said.end());
    EXPECT_EQ(test::real(*rate, "rate"), std::round(served.rate));
    EXPECT_EQ(test::real(*speed, "plain"), std::round(served.rate));
    EXPECT_EQ(test::whole(*speed, "told"), 1);
    for (const char* text : {"served.round_range:middle", "served.round_range:open"})
        if (const auto round = std::ranges::find(said, text, &Said::text); round != said.end()) {
            EXPECT_GE(test::real(*round, "high"), test::real(*round, "low"));
        }
    // Our own engine behind an address decodes plainly as fast as was measured here.
    Window own(made_advice());
    auto here = attached();
    here->own = true;
    own.bench->controller.observe_server(here);
    EXPECT_EQ(advice_model(own.input(), {}).served.value_or(ServedAdvice()).plain_rate, 100.0);
    here = attached();
    own.bench->controller.observe_server(here);
    EXPECT_FALSE(advice_model(own.input(), {}).served.value_or(ServedAdvice()).plain_rate);
    here = attached();
    here->state = ServerView::State::failed;
    own.bench->controller.observe_server(here);
    EXPECT_FALSE(advice_model(own.input(), {}).served) << "gone";
}

TEST(AdviceScene, NothingCollidesBesideAServer) {
    for (const Size& s : kSizes)
        for (int beat = 0; beat < kAdviceBeats; ++beat) {
            Window window(made_advice(), {0, 0, s.w, s.h});
            window.bench->controller.observe_server(attached());
            window.beat(beat);
            look(*window.bench, std::string("advice beside a server, beat ") + std::to_string(beat) + " " + s.name, s.w < 1000);
        }
}

// The best drafter's refusals were mostly for its next choice.
Advice advice_to_go_wider() {
    Advice advice = made_advice();
    for (AdviceCell& cell : advice.cells) {
        cell.ranks.rounds = 1000, cell.ranks.last_judged = 300, cell.ranks.last_kept = 200;
        cell.ranks.places = {{.refused = 500, .listed = 500, .ranks = {0, 400, 50, 50}, .next = 400},
                             {.refused = 300, .listed = 300, .ranks = {0, 200, 50, 50}, .next = 200}};
    }
    return advice;
}

TEST(AdviceScene, SaysWhetherToGoWiderOrDeeper) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        for (const Size& s : kSizes)
            for (const int beat : {1, kWhyBeat}) {
                Window window(advice_to_go_wider(), {0, 0, s.w, s.h});
                window.beat(beat);
                look(*window.bench, std::string("advice, wider, ") + language + " " + s.name, s.w < 1000);
                const std::vector<ui::ToldMessage> told = find_scene("advice")->make()->told(window.input());
                const auto finding = std::ranges::find_if(
                    told, [](const ui::ToldMessage& one) { return one.message.said.id() == "advice.finding.one_more:wider"; });
                ASSERT_NE(finding, told.end());
                EXPECT_DOUBLE_EQ(test::real(finding->message.said, "wider"), 0.4);
                EXPECT_DOUBLE_EQ(test::real(finding->message.said, "deeper"), 0.2 * (200.0 / 300));
                EXPECT_DOUBLE_EQ(test::real(finding->message.said, "next"), 600.0 / 800);
                EXPECT_EQ(test::whole(finding->message.said, "place"), 1);
            }
    }
}

TEST(AdviceScene, SaysInWordsWhatThePictureShows) {
    Window window(made_advice());
    window.beat(1);
    const std::string words = find_scene("advice")->make()->describe(window.input());
    for (const char* part : {"Plain decoding: 10.000 ms a token", "eagle3 by draft length", "(marked)", "Use eagle3 with K", "Data: LIVE"})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
}

// No text of this scene is English that is looked up: what it draws is finished.
TEST(AdviceScene, DrawsOnlyMessages) {
    const test::Speaking speaking("de");
    Window window(made_advice());
    for (int beat = 0; beat < kAdviceBeats; ++beat) {
        window.beat(beat);
        const std::string words = find_scene("advice")->make()->describe(window.input());
        for (const char* english : {" tokens ", "plain", "draft ", "Measure", "Drafters", " guess"})
            EXPECT_EQ(words.find(english), std::string::npos) << english << "\n" << words;
    }
}

} // namespace
} // namespace speclens
