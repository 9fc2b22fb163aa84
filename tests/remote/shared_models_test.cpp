// The engine of a window and a server of its models: one copy of the weights, two threads, turns.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "engine/models/turns.h"
#include "engine/run/run.h"
#include "engine/session/session.h"
#include "remote/client/server_session.h"
#include "tests/shared/session_bench.h"

namespace speclens {
namespace {

TEST(Turns, AreOnesOwnAndComeToEverybody) {
    Turns turns;
    int inside = 0, most = 0;
    std::atomic<bool> over{false};
    std::thread restless([&] {
        while (!over) { // never pauses: who asks beside it gets a turn all the same
            const std::lock_guard turn(turns);
            most = std::max(most, ++inside);
            --inside;
        }
    });
    for (int i = 0; i < 1000; ++i) {
        const std::lock_guard turn(turns);
        most = std::max(most, ++inside);
        --inside;
    }
    over = true;
    restless.join();
    EXPECT_EQ(most, 1);
}

RunSettings greedy(const std::string& prompt, const std::string& drafter) {
    RunSettings settings;
    settings.prompt.text = prompt;
    settings.prompt.chat = true;
    settings.drafter = drafter;
    settings.sampling.temperature = 0;
    settings.max_tokens = 24;
    return settings;
}

TEST(SharedModels, ARunAndAServerComputeWithTheSameWeights) {
    const RunSettings own = greedy("What is the capital of Japan?", "domino");
    const RunSettings other = greedy("Write a short poem about the moon.", "small");
    Session engine({}, own);
    ASSERT_TRUE(eventually([&] { return engine.models() != nullptr; }));
    const std::shared_ptr<const Models> models = engine.models();
    std::string own_text, other_text;
    std::uint64_t own_hash = 0;
    {
        const std::lock_guard turn(*models->turns); // of a test that computes with them too
        speclens::Run first(models, own), second(models, other);
        first.finish();
        second.finish();
        own_text = first.output_text();
        own_hash = first.trace().hash(first.trace().size());
        other_text = second.output_text();
    }

    std::atomic<int> asked{0};
    ServerSession server(
        [&](const std::atomic<bool>&) {
            ++asked;
            return engine.models();
        },
        other, "");
    server.send(ServeHere{});
    ASSERT_TRUE(eventually([&] { return server.view()->state == ServerView::State::attached; })) << server.view()->problem;
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(engine.models(), models) << "no second copy was loaded";
    for (int i = 0; i < 4; ++i) {
        server.send(AskServer{request_like(other)});
        const std::uint64_t before = engine.published().runs;
        engine.send(Restart{own, kUnlimitedPhases});
        ASSERT_TRUE(eventually([&] {
            const Snapshot now = engine.published();
            return now.runs > before && now.status.state == EngineStatus::State::stopped;
        }));
        ASSERT_TRUE(eventually([&] { return server.view()->served && !server.view()->asking; }));
        const Snapshot now = engine.published();
        EXPECT_EQ(now.trace->hash(now.trace->size()), own_hash) << i;
        EXPECT_EQ(server.view()->served->text(), other_text) << i;
    }
    EXPECT_FALSE(own_text.empty());
}

// The server ends while the engine goes on, and gives back what it had of the models.
TEST(SharedModels, AServerThatEndsLeavesTheEngineItsModels) {
    const RunSettings own = greedy("What is the capital of Japan?", "domino");
    Session engine({}, own);
    ASSERT_TRUE(eventually([&] { return engine.models() != nullptr; }));
    for (int i = 0; i < 3; ++i) {
        ServerSession server([&](const std::atomic<bool>&) { return engine.models(); }, own, "");
        server.send(ServeHere{});
        ASSERT_TRUE(eventually([&] { return server.view()->state == ServerView::State::attached; }));
        server.send(AskServer{request_like(own)});
        engine.send(Restart{own, kUnlimitedPhases});
        ASSERT_TRUE(eventually([&] { return server.view()->asking || server.view()->served; }));
    }
    ASSERT_TRUE(eventually([&] { return engine.published().status.state == EngineStatus::State::stopped; }));
}

} // namespace
} // namespace speclens
