// Scene S17: a server, from a snapshot; and the session that makes such snapshots from a real one.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "kernels/error.h"
#include "remote/client/server_session.h"
#include "scenes/server/server_model.h"
#include "scenes/shared/in_words.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/eventually.h"
#include "tests/shared/in_german.h"
#include "tests/shared/listening.h"
#include "tests/shared/said_values.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/told_numbers.h"

namespace speclens {
namespace {

ServedText some_answer() {
    ServedText served;
    served.pieces = {
        {"The", 5, -1, Author::first}, {" moon", 9, 0, Author::draft}, {" is", 9, 0, Author::draft}, {"\nbright", 9, 0, Author::target}};
    served.rounds = {{3, 2}};
    served.provenance = Provenance::exact;
    served.counts = counts_of_histogram({0, 0, 1, 0}, 3);
    served.tokens = 4;
    return served;
}

// A server watched for a while: ten rounds a second, of three drafts.
std::shared_ptr<ServerView> watched(int seconds = 12) {
    auto view = std::make_shared<ServerView>();
    view->state = ServerView::State::attached;
    view->address = "http://127.0.0.1:8000";
    view->facts.kind = ServerKind::vllm;
    view->facts.version = "0.32.0";
    view->facts.models = {"Qwen3-8B"};
    view->facts.metrics = true;
    ServerReading reading;
    reading.kind = ServerKind::vllm;
    reading.counts = SpecCounts{1000, 3000, 1500, {700, 500, 300}};
    reading.generated = 2500;
    reading.running = 2;
    reading.waiting = 1;
    reading.cache_share = 0.25;
    for (int second = 0; second <= seconds; ++second) {
        view->watch.add(second, reading);
        *reading.counts = *reading.counts + SpecCounts{10, 30, 24, {9, 8, 7}};
        *reading.generated += 34;
    }
    return view;
}

SceneInput input_of(const ServerView* view) {
    SceneInput input;
    input.server = view;
    return input;
}

struct Shown {
    std::vector<ServerOrder> orders;
    std::unique_ptr<SceneBench> bench;
    explicit Shown(std::shared_ptr<const ServerView> view, ui::Rect screen = {0, 0, 1600, 1000}) {
        EnginePort port;
        port.server = [this](ServerOrder order) { orders.push_back(std::move(order)); };
        bench = std::make_unique<SceneBench>("server", port, screen);
        if (view) bench->controller.observe_server(std::move(view));
        bench->settle();
    }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told() {
        const auto frame = bench->controller.frame(0);
        return frame.active->told(frame.scene);
    }
    [[nodiscard]] std::vector<Said> all(const std::string& text) { // that have this id, in order
        std::vector<Said> found;
        for (const ui::ToldMessage& one : told())
            if (one.message.said.text == text) found.push_back(one.message.said);
        return found;
    }
    [[nodiscard]] Said said(const std::string& text) {
        const std::vector<Said> found = all(text);
        EXPECT_FALSE(found.empty()) << "nothing says " << text;
        return found.empty() ? Said() : found.front();
    }
};

std::vector<Said> points_of(const ServerView& view) { return server_points(server_model(input_of(&view), {})); }
Said point_of(const ServerView& view, const std::string& text) {
    std::string all;
    for (const Said& point : points_of(view)) {
        if (point.text == text) return point;
        all += point.id() + "\n";
    }
    ADD_FAILURE() << text << " is none of\n" << all;
    return {};
}

} // namespace

TEST(ServerModelTest, ChoosesTheNarrowestSpanThatHasCounts) {
    auto view = watched();
    const SceneInput input = input_of(view.get());
    const ServerModel recent = server_model(input, {});
    EXPECT_EQ(recent.span, ServerSpan::recent);
    EXPECT_DOUBLE_EQ(*recent.counts.rounds, 100);
    EXPECT_DOUBLE_EQ(recent.counts.accepted, 240);
    EXPECT_EQ(recent.points.size(), 12u);
    EXPECT_DOUBLE_EQ(recent.points[3].acceptance_length, 3.4);
    EXPECT_DOUBLE_EQ(recent.points[3].tokens_per_second, 34);
    ServerState state;
    state.span = ServerSpan::start;
    EXPECT_DOUBLE_EQ(*server_model(input, state).counts.rounds, 1120);
    view->served = std::make_shared<const ServedText>(some_answer());
    const ServerModel request = server_model(input, {});
    EXPECT_EQ(request.span, ServerSpan::request);
    EXPECT_DOUBLE_EQ(request.counts.accepted, 2);
    const ServerModel none = server_model(SceneInput(), {});
    EXPECT_FALSE(none.attached());
    EXPECT_TRUE(none.counts.empty());
}

// A bonus follows a round that kept all its guesses; after a rejection the target's token is a new draw.
TEST(ServerModelTest, TellsABonusFromATokenAfterARejection) {
    ServedText served;
    served.rounds = {{3, 2}, {3, 3}, {0, 0}, {-1, 2}};
    const auto role = [&](Author author, int round) { return role_of(served, ServedPiece{"x", 1, round, author}); };
    EXPECT_EQ(role(Author::target, 0), ui::Role::residual);
    EXPECT_EQ(role(Author::target, 1), ui::Role::bonus);
    EXPECT_EQ(role(Author::target, 2), ui::Role::target) << "nothing was drafted";
    EXPECT_EQ(role(Author::target, 3), ui::Role::target) << "how many were drafted is not told";
    EXPECT_EQ(role(Author::target, -1), ui::Role::target);
    EXPECT_EQ(role(Author::first, -1), ui::Role::target);
    EXPECT_EQ(role(Author::draft, 0), ui::Role::accepted);
    EXPECT_FALSE(role(Author::unknown, -1));
}

TEST(ServerScene, SaysThatAServerDraftsNothing) {
    auto view = watched(0);
    view->watch = Watch();
    ServerReading reading;
    reading.kind = ServerKind::vllm;
    reading.counts = SpecCounts{};
    for (int second = 0; second < 4; ++second) {
        reading.generated = 40 + second;
        view->watch.add(second, reading);
    }
    ServedText served;
    served.pieces = {{"The", 5, -1, Author::unknown}, {" moon", 9, -1, Author::unknown}};
    view->served = std::make_shared<const ServedText>(served);
    Shown shown(view);
    for (const char* text : {"title.plain", "curve.plain", "how.plain", "words.nothing:ever"}) EXPECT_FALSE(shown.said(text).empty());
    for (const char* text : {"title.nothing_yet", "how.aggregate"}) EXPECT_TRUE(shown.all(text).empty()) << text;
    EXPECT_EQ(test::inner(shown.said("answer.told"), "how").text, "how.plain");
    EXPECT_EQ(test::whole(shown.said("answer.told"), "guessed"), 0);
}

TEST(ServerScene, ShowsCountsNamesPlacesAndTheAnswer) {
    auto view = watched();
    view->served = std::make_shared<const ServedText>(some_answer());
    Shown shown(view);
    SceneBench& bench = *shown.bench;
    for (const char* words : {"REMOTE", "Acceptance length 3.00", "1 + accepted ÷ rounds", "moon"})
        EXPECT_TRUE(bench.shows(words)) << words;
    EXPECT_EQ(test::real(shown.said("title.length"), "length"), 3);
    EXPECT_DOUBLE_EQ(test::real(shown.said("title.length"), "kept"), 2.0 / 3);
    const Said server = shown.said("details.server"), now = shown.said("details.now"), subtitle = shown.said("subtitle.attached");
    EXPECT_EQ(test::words(server, "server"), "vLLM 0.32.0");
    EXPECT_EQ(test::words(server, "model"), "Qwen3-8B");
    EXPECT_EQ(test::real(now, "running"), 2);
    EXPECT_EQ(test::real(now, "waiting"), 1);
    EXPECT_EQ(test::real(now, "cache"), 0.25);
    EXPECT_EQ(test::words(subtitle, "address"), "http://127.0.0.1:8000");
    EXPECT_EQ(test::inner(subtitle, "span").text, "span.request");
    EXPECT_EQ(test::inner(shown.said("answer.told"), "how").text, "how.exact");
    EXPECT_EQ(test::words(shown.said("answer.told"), "text"), "The[ moon][ is]\nbright");
    const auto span = [&] { return test::inner(shown.said("subtitle.attached"), "span"); };
    const auto rounds = [&] { return test::real(test::inner(shown.said("subtitle.attached"), "totals"), "rounds"); };
    bench.key(ui::Key::w); // from the request on to the counts since the start
    bench.settle();
    EXPECT_EQ(span().text, "span.start");
    EXPECT_EQ(rounds(), 1120);
    bench.key(ui::Key::w);
    bench.settle();
    EXPECT_EQ(span().text, "span.recent");
    EXPECT_EQ(test::whole(span(), "seconds"), 10);
    EXPECT_EQ(rounds(), 100);
    bench.key(ui::Key::m);
    bench.settle();
    ASSERT_EQ(shown.orders.size(), 1u);
    EXPECT_EQ(std::get<AskServer>(shown.orders[0]).request.prompt, RunSettings().prompt.text);
    bench.click(bench.find("Leave"));
    ASSERT_EQ(shown.orders.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<DetachServer>(shown.orders[1]));
}

TEST(ServerScene, AttachesAndServes) {
    Shown shown(nullptr);
    EXPECT_FALSE(shown.said("stage.none").empty());
    shown.bench->key(ui::Key::m); // nobody to ask
    shown.bench->settle();
    EXPECT_TRUE(shown.orders.empty());
    shown.bench->click(shown.bench->find("Attach"));
    shown.bench->click(shown.bench->find("Serve this engine"));
    ASSERT_EQ(shown.orders.size(), 2u);
    EXPECT_EQ(std::get<AttachServer>(shown.orders[0]).address, "http://127.0.0.1:8000");
    EXPECT_TRUE(std::holds_alternative<ServeHere>(shown.orders[1]));
    auto failed = std::make_shared<ServerView>();
    failed->state = ServerView::State::failed;
    failed->address = "http://10.0.0.9:8000";
    failed->problem = "nobody listens at http://10.0.0.9:8000";
    failed->remedy = "Is the server up?";
    shown.bench->controller.observe_server(failed);
    shown.bench->settle();
    EXPECT_TRUE(shown.bench->shows("nobody listens at http://10.0.0.9:8000"));
    EXPECT_TRUE(shown.bench->shows("Is the server up?"));
    EXPECT_EQ(test::whole(shown.said("title.none"), "failed"), 1);
}

TEST(ServerScene, KeepsWhatAServerToldThatIsGone) {
    auto view = watched();
    view->state = ServerView::State::failed;
    view->problem = "nobody listens at http://127.0.0.1:8000";
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        Shown shown(view, screen);
        EXPECT_TRUE(shown.bench->shows("nobody listens"));
        EXPECT_TRUE(shown.bench->shows("no longer answers")) << "beside the badge";
        EXPECT_EQ(test::real(shown.said("title.length"), "length"), 3.4);
        EXPECT_EQ(shown.all("names.row").size(), 6U);
        EXPECT_EQ(test::words(shown.said("details.problem"), "problem"), view->problem);
        look(*shown.bench, "a lost server", false);
    }
    Shown shown(view);
    shown.bench->click(shown.bench->find("Attach")); // again
    EXPECT_EQ(std::get<AttachServer>(shown.orders.at(0)).address, "http://127.0.0.1:8000");
}

TEST(ServerScene, FitsEverySizeInEveryState) {
    auto bare = watched(0);
    bare->watch = Watch();
    bare->facts.kind = ServerKind::sglang;
    bare->facts.missing = {no_metrics(ServerKind::sglang, NoMetrics::closed)};
    auto wide = watched();
    ServerReading reading = wide->watch.last();
    reading.counts->accepted_at.assign(40, 1); // more places than fit
    wide->watch.add(99, reading);
    auto answered = watched();
    ServedText served = some_answer();
    for (int i = 0; i < 400; ++i) served.pieces.push_back({" word", 1, 0, i % 3 ? Author::draft : Author::unknown});
    served.provenance = Provenance::aggregate;
    answered->served = std::make_shared<const ServedText>(served);
    answered->problem = "the server refuses with status 400: the context is too long for what was asked";
    auto probing = std::make_shared<ServerView>();
    probing->state = ServerView::State::probing;
    probing->address = "http://a-rather-long-name-of-a-machine.in-some-data-centre.example.org:30000/with/a/path";
    for (const Size& size : kSizes)
        for (const auto& view : {std::shared_ptr<ServerView>(), bare, wide, answered, probing, watched()})
            for (int beat = 0; beat < kServerBeats; beat += 4) {
                Shown shown(view, {0, 0, size.w, size.h});
                shown.beat(beat);
                look(*shown.bench, std::string("server ") + size.name, size.w < 1000);
            }
}

// ---- the frame in words, and as data ----

namespace {

using test::kChance;
using test::kCount;
using test::kPercent;
using test::ToldNumber;

// Every number that the description of this scene told when it was written by hand, where each is said now.
std::vector<ToldNumber> numbers_of(const ServerModel& m) {
    std::vector<ToldNumber> list = {{"title.length", "length", *acceptance_length(m.counts), 2},
                                    {"title.length", "kept", m.counts.accepted / m.counts.drafted, kPercent},
                                    {"words.totals", "rounds", *m.counts.rounds, 0},
                                    {"words.totals", "drafted", m.counts.drafted, 0},
                                    {"words.totals", "accepted", m.counts.accepted, 0}};
    for (const AcceptanceName& name : m.names) list.push_back({"names.row", "value", *name.value, 3});
    for (std::size_t i = 0; i < m.places.unconditional.size(); ++i) {
        list.push_back({"place.told", "place", static_cast<double>(i + 1), kCount});
        list.push_back({"place.told", "kept", m.places.unconditional[i], kChance});
        list.push_back({"place.told", "once", m.places.conditional[i], kChance});
    }
    return list;
}

} // namespace

TEST(ServerScene, TellsEveryNumberInWordsAndAsDataInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const bool answered : {false, true}) {
            const test::Speaking speaking(language);
            auto view = watched();
            // 40 places: more than have a bar.
            SpecCounts many{1000, 40000, 0, {}};
            for (int i = 0; i < 40; ++i) many.accepted_at.push_back(900 - 20 * i), many.accepted += 900 - 20 * i;
            ServedText served = some_answer();
            served.counts = many;
            if (answered) view->served = std::make_shared<const ServedText>(served);
            Shown shown(view);
            const ServerModel m = server_model(input_of(view.get()), {});
            const std::vector<ui::ToldMessage> told = shown.told();
            const Json json = Json::parse(words_json("server", 0, told));
            const std::string words = in_words(told);
            const std::vector<ToldNumber> numbers = numbers_of(m);
            EXPECT_EQ(numbers.size(), answered ? 131U : 20U);
            EXPECT_EQ(json["language"], language);
            for (const ToldNumber& number : numbers) {
                EXPECT_TRUE(test::tells(json, "server", number))
                    << language << ": " << number.id << " {" << number.value << "} = " << number.number;
                EXPECT_NE(words.find(test::written(number)), std::string::npos)
                    << language << ": " << number.id << " " << test::written(number) << "\n"
                    << words;
            }
        }
}

// Each message's values belong together: a name with its formula and its value, a place with its two shares.
TEST(ServerScene, TellsEachNameAndPlaceWithItsOwnNumbers) {
    Shown shown(watched());
    const std::vector<Said> rows = shown.all("names.row"), places = shown.all("place.told");
    const double value[] = {0.8, 3.4, 2.4, 0.9, 0.7, 2.4 / 3.4};
    const char* const of[] = {"rate", "length", "kept", "some", "all", "share"};
    ASSERT_EQ(rows.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_DOUBLE_EQ(test::real(rows[i], "value"), value[i]);
        EXPECT_EQ(test::inner(rows[i], "name").text, std::string("name.") + of[i]);
        EXPECT_EQ(test::inner(rows[i], "used_by").text, std::string("used_by.") + of[i]);
        EXPECT_EQ(test::inner(rows[i], "formula").text, i < 5 ? std::string("formula.") + of[i] : "formula.share:rounds");
    }
    const double kept[] = {0.9, 0.8, 0.7}, once[] = {0.9, 8.0 / 9, 7.0 / 8};
    ASSERT_EQ(places.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(test::whole(places[i], "place"), i + 1);
        EXPECT_DOUBLE_EQ(test::real(places[i], "kept"), kept[i]);
        EXPECT_DOUBLE_EQ(test::real(places[i], "once"), once[i]);
    }
    const Said curve = shown.said("curve.told");
    EXPECT_DOUBLE_EQ(test::real(curve, "most"), 3.4);
    const std::vector<Said> points = test::list(curve, "points");
    ASSERT_EQ(points.size(), 12U);
    EXPECT_DOUBLE_EQ(test::real(points[3], "seconds"), 4);
    EXPECT_DOUBLE_EQ(test::real(points[3], "length"), 3.4);
}

// What remote/reading finds stands beside the picture, each with its values.
TEST(ServerScene, ShowsWhatTheCountsSayOfTheWholeText) {
    auto view = watched(0);
    view->watch = Watch();
    ServerReading reading;
    reading.kind = ServerKind::vllm;
    reading.generated = 16993, reading.answers = 80;
    reading.counts = SpecCounts{1986, 1986, 1226, {1226}};
    reading.counts->text = written_text(reading);
    reading.other_counters = {"vllm:my_draft_hits_total", "vllm:my_spec_misses_total"};
    view->watch.add(0, reading);
    view->facts.missing = what_is_missing(reading);
    const TextShares text = text_shares(*reading.counts);
    const Said passes = point_of(*view, "text.passes:split"), per_pass = point_of(*view, "text.per_pass"),
               plain = point_of(*view, "finding.plain");
    EXPECT_EQ(test::real(passes, "tokens"), 16993);
    EXPECT_EQ(test::real(passes, "rounds"), 1986);
    EXPECT_EQ(test::real(test::inner(passes, "passes"), "low"), text.passes->low);
    EXPECT_EQ(test::real(test::inner(passes, "passes"), "high"), text.passes->high);
    EXPECT_EQ(test::real(test::inner(passes, "plain"), "low"), text.plain->low);
    EXPECT_EQ(test::real(test::inner(passes, "plain"), "high"), text.plain->high);
    EXPECT_EQ(test::real(test::inner(per_pass, "per_pass"), "high"), text.per_pass->high);
    EXPECT_EQ(test::real(test::inner(per_pass, "share"), "high"), 100 * text.share->high);
    EXPECT_EQ(test::real(plain, "plain"), text.plain->low);
    EXPECT_EQ(test::real(plain, "most"), text.most_speed_up->high);
    EXPECT_EQ(test::words(point_of(*view, "missing.beside"), "names"), "vllm:my_draft_hits_total, vllm:my_spec_misses_total");
    Shown shown(view);
    EXPECT_EQ(shown.all("details.point").size(), points_of(*view).size());
    const Said share = shown.all("names.row").at(5);
    EXPECT_EQ(test::real(share, "value"), text.share->high);
    EXPECT_EQ(test::real(share, "low"), text.share->low) << "at least that";
    EXPECT_EQ(test::real(shown.said("names.at_least"), "low"), text.share->low);
    EXPECT_TRUE(shown.bench->shows("at least 0.067")) << shown.bench->words;
}

TEST(ServerScene, ShowsALengthThatFallsADraftTreeAndADiffusionModel) {
    auto view = watched(0);
    view->watch = Watch();
    ServerReading reading;
    reading.kind = ServerKind::sglang;
    reading.drafting = DraftSettings{8, 5, 4};
    reading.counts = SpecCounts{0, 0, 0, {}};
    for (int minute = 0; minute <= 300; ++minute) {
        view->watch.add(60 * minute, reading);
        *reading.counts = *reading.counts + SpecCounts{100, 700, minute < 150 ? 200.0 : 120.0, {}};
    }
    const Said drift = point_of(*view, "finding.drift"), drafting = point_of(*view, "details.drafting");
    EXPECT_NEAR(test::real(drift, "first"), 3, 1e-9);
    EXPECT_NEAR(test::real(drift, "last"), 2.2, 1e-9);
    EXPECT_NEAR(test::real(drift, "hours"), 5, 0.05);
    EXPECT_NEAR(test::real(drift, "percent"), -100 * 0.8 / 3, 1e-6);
    EXPECT_NEAR(test::real(drift, "last_k"), 7, 1e-9);
    EXPECT_EQ(test::whole(drift, "fell"), 1);
    EXPECT_EQ(test::whole(drift, "same_k"), 1);
    EXPECT_EQ(test::whole(drift, "fault"), 1);
    EXPECT_EQ(test::whole(drafting, "tree"), 1);
    EXPECT_EQ(test::real(drafting, "nodes"), 7);
    EXPECT_EQ(test::real(drafting, "depth"), 5);
    EXPECT_EQ(test::real(drafting, "topk"), 4);
    auto steps = watched(0);
    steps->watch = Watch();
    ServerReading diffusion;
    diffusion.kind = ServerKind::vllm;
    diffusion.diffusion = DiffusionCounts{1600, 51200, 4120};
    for (int second = 0; second < 3; ++second) steps->watch.add(second, diffusion);
    steps->facts.missing = what_is_missing(diffusion);
    Shown shown(steps);
    EXPECT_DOUBLE_EQ(test::real(shown.said("title.diffusion"), "tokens"), 2.575);
    EXPECT_EQ(shown.all("words.nothing:diffusion").size(), 3U) << "in place of curve, names and places";
    EXPECT_DOUBLE_EQ(test::real(point_of(*steps, "missing.diffusion"), "tokens"), 2.575);
    EXPECT_DOUBLE_EQ(test::real(point_of(*steps, "missing.diffusion"), "steps"), 51200.0 / 4120);
}

// No text of this scene is English that is looked up, and what remote/reading and remote/client find has German words.
using InGermanServer = InGerman;

TEST_F(InGermanServer, SaysNothingInEnglishInAnyState) {
    auto answered = watched();
    ServedText served = some_answer();
    served.notes = {server_said("rule.rejection"_t, "cuts"_v = 9, "differ"_v = 5),
                    server_said("note.unwritten"_t, "kept"_v = 3, "unwritten"_v = 2)};
    answered->served = std::make_shared<const ServedText>(served);
    auto probing = std::make_shared<ServerView>();
    probing->state = ServerView::State::probing;
    probing->address = "http://127.0.0.1:8000";
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}})
        for (const auto& view : {std::shared_ptr<ServerView>(), answered, probing, watched()})
            for (int beat = 0; beat < kServerBeats; ++beat) {
                where = "server beat " + std::to_string(beat);
                Shown shown(view, screen);
                shown.beat(beat);
                look(*shown.bench, where, false);
            }
}

namespace {

std::shared_ptr<const ServerView> when(const ServerSession& session, const std::function<bool(const ServerView&)>& ready) {
    EXPECT_TRUE(eventually([&] { return ready(*session.view()); }));
    return session.view();
}

} // namespace

TEST(ServerSessionTest, ServesAsksWatchesAndLeaves) {
    using State = ServerView::State;
    RunSettings settings;
    settings.drafter = "domino";
    settings.k = 7;
    std::atomic<int> changes{0};
    ServerSession session(
        load_from({}), settings, "", [&] { ++changes; }, 0.1);
    EXPECT_EQ(session.view()->state, State::detached);
    session.send(ServeHere{});
    const auto attached = when(session, [](const ServerView& v) { return v.state == State::attached; });
    EXPECT_TRUE(attached->own);
    EXPECT_TRUE(attached->facts.version.starts_with("SpecLens"));
    RequestSettings request;
    request.prompt = "What is the capital of Japan?";
    session.send(AskServer{request});
    const auto answered = when(session, [](const ServerView& v) { return v.served && !v.asking; });
    EXPECT_EQ(answered->served->text(), "The capital of Japan is Tokyo.");
    EXPECT_EQ(answered->served->provenance, Provenance::exact);
    const auto counted = when(session, [](const ServerView& v) { return v.watch.size() > 2 && v.watch.last().counts->rounds > 0; });
    EXPECT_DOUBLE_EQ(counted->watch.last().counts->accepted, answered->served->counts->accepted);
    session.send(DetachServer{});
    when(session, [](const ServerView& v) { return v.state == State::detached; });
    EXPECT_GT(changes.load(), 4);
}

TEST(ServerSessionTest, AttachesToAServerThatGoesAway) {
    using State = ServerView::State;
    ServerSession session({}, {}, "", {}, 0.05);
    {
        const test::Listening server(RunSettings{});
        session.send(AttachServer{server.endpoint.origin});
        const auto attached = when(session, [](const ServerView& v) { return v.state == State::attached && v.watch.size() > 1; });
        EXPECT_FALSE(attached->own);
    }
    const auto gone = when(session, [](const ServerView& v) { return v.state == State::failed; });
    EXPECT_NE(gone->problem.find("nobody listens"), std::string::npos) << gone->problem;
    session.send(AttachServer{"not an address"});
    const auto wrong = when(session, [](const ServerView& v) { return v.problem.find("no address") != std::string::npos; });
    EXPECT_EQ(wrong->state, State::failed);
    EXPECT_FALSE(wrong->remedy.empty());
}

// The end may come just as the thread has looked for orders and is about to sleep, for an hour.
TEST(ServerSessionTest, EndsAtAnyMomentOfItsThread) {
    for (int i = 0; i < 20000; ++i) {
        const ServerSession session({}, {}, "");
        const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(i % 8000 * 10);
        while (std::chrono::steady_clock::now() < end) {
        }
    }
}

TEST(ServerSessionTest, AModelFolderThatCannotBeReadIsAMessage) {
    const std::filesystem::path loop = test::fresh_folder() / "loop";
    std::filesystem::create_symlink(loop, loop);
    ServerSession session(load_from({.target = loop}), {}, "");
    session.send(ServeHere{});
    const auto failed = when(session, [](const ServerView& v) { return v.state == ServerView::State::failed; });
    EXPECT_NE(failed->problem.find("loop"), std::string::npos) << failed->problem;
    EXPECT_FALSE(failed->remedy.empty());
}

TEST(ServerSessionTest, WithoutModelsSaysSo) {
    ServerSession session({}, {}, "");
    session.send(ServeHere{});
    const auto failed = when(session, [](const ServerView& v) { return v.state == ServerView::State::failed; });
    EXPECT_NE(failed->problem.find("no model"), std::string::npos) << failed->problem;
    EXPECT_FALSE(failed->remedy.empty());
}

TEST(ServerSessionTest, EndsInTheMiddleOfAnAnswer) {
    using State = ServerView::State;
    RunSettings settings;
    settings.drafter = "none";
    ServerSession session(load_from({}), settings, "");
    session.send(ServeHere{});
    when(session, [](const ServerView& v) { return v.state == State::attached; });
    RequestSettings endless;
    endless.prompt = "Tell me a story.";
    endless.temperature = 2;
    endless.max_tokens = 100000;
    session.send(AskServer{endless});
    when(session, [](const ServerView& v) { return v.served != nullptr; });
    session.send(ServeHere{}); // and another one at once
    when(session, [](const ServerView& v) { return v.state == State::attached && !v.asking && !v.served; });
}

} // namespace speclens
