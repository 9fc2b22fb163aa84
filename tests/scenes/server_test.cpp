// Scene S17: a server, from a snapshot; and the session that makes such snapshots from a real one.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "kernels/error.h"
#include "remote/client/server_session.h"
#include "scenes/server/server_draw.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/eventually.h"
#include "tests/shared/listening.h"
#include "tests/shared/temp_folder.h"
#include "ui/format.h"

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
};

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
    for (const char* words : {"This server drafts nothing: every token is the target's", "no drafts: one token a pass of the target",
                              "nothing was guessed: every token is the target's"})
        EXPECT_TRUE(shown.bench->shows(words)) << words << "\n" << shown.bench->words;
    EXPECT_FALSE(shown.bench->shows("Nothing was drafted yet"));
    EXPECT_FALSE(shown.bench->shows("is not known"));
    const SceneInput input = input_of(view.get());
    EXPECT_EQ(server_description(input, server_model(input, {})).find("is not known"), std::string::npos);
}

TEST(ServerScene, ShowsCountsNamesPlacesAndTheAnswer) {
    auto view = watched();
    view->served = std::make_shared<const ServedText>(some_answer());
    Shown shown(view);
    SceneBench& bench = *shown.bench;
    for (const char* words : {"REMOTE", "Acceptance length 3.00", "Qwen3-8B", "vLLM 0.32.0", "mean acceptance length",
                              "1 + accepted ÷ rounds", "2 running, 1 waiting", "moon", "the server lists its rounds"})
        EXPECT_TRUE(bench.shows(words)) << words;
    bench.key(ui::Key::w); // from the request on to the counts since the start
    bench.settle();
    EXPECT_TRUE(bench.shows("since its start: " + ui::integer(1120) + " rounds")) << bench.words;
    bench.key(ui::Key::w);
    bench.settle();
    EXPECT_TRUE(bench.shows("last 10 s: 100 rounds"));
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
    EXPECT_TRUE(shown.bench->shows("no server yet"));
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
    EXPECT_TRUE(shown.bench->shows("No server answers"));
}

TEST(ServerScene, KeepsWhatAServerToldThatIsGone) {
    auto view = watched();
    view->state = ServerView::State::failed;
    view->problem = "nobody listens at http://127.0.0.1:8000";
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        Shown shown(view, screen);
        for (const char* words : {"Acceptance length 3.40", "no longer answers", "nobody listens", "mean acceptance length"})
            EXPECT_TRUE(shown.bench->shows(words)) << words;
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
    bare->facts.missing = {"no /metrics: no figures of the whole server (--enable-metrics)"};
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

TEST(ServerScene, SaysTheSameInWords) {
    auto view = watched();
    view->served = std::make_shared<const ServedText>(some_answer());
    const std::string words = server_description(input_of(view.get()), server_model(input_of(view.get()), {}));
    for (const char* part :
         {"Data: REMOTE", "mean acceptance length (1 + accepted ÷ rounds): 3.000", "place 2: kept in 1.00", "The[ moon][ is]\nbright"})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
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
