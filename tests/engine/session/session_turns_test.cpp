// A session without a thread, as where there are none: the same trace, and nothing happens but in its caller's turns.
#include <gtest/gtest.h>

#include "engine/session/session.h"
#include "tests/shared/session_bench.h"

namespace speclens {
namespace {

void work_to_the_end(Session& session) {
    while (session.work_for(1)) {
    }
}

TEST(SessionTurns, ATurnWithoutTimeIsOnePhase) {
    int told = 0;
    Session session(
        {.target = table_file()}, on_table(), [&] { ++told; }, {}, Session::Worker::caller);
    EXPECT_EQ(session.published().trace, nullptr) << "nobody worked yet";
    EXPECT_TRUE(session.work_for(0)) << "the models";
    const auto trace = session.published().trace;
    ASSERT_TRUE(trace);
    session.gate().set(kUnlimitedPhases);
    EXPECT_EQ(trace->size(), 1u);
    EXPECT_TRUE(session.work_for(0));
    EXPECT_EQ(trace->size(), 2u);
    work_to_the_end(session);
    EXPECT_EQ(session.published().status.state, EngineStatus::State::stopped);
    EXPECT_GT(told, 2);
    EXPECT_FALSE(session.work_for(1)) << "nothing is to be done";
}

TEST(SessionTurns, TheTraceIsThatOfAThread) {
    Session turns({.target = table_file()}, on_table(), {}, {}, Session::Worker::caller), thread({.target = table_file()}, on_table());
    work_to_the_end(turns);
    ASSERT_TRUE(eventually([&] { return thread.published().trace != nullptr; }));
    for (Session* session : {&turns, &thread}) session->gate().set(kUnlimitedPhases);
    work_to_the_end(turns);
    ASSERT_TRUE(eventually([&] { return thread.published().status.state == EngineStatus::State::stopped; }));
    const auto mine = turns.published().trace, its = thread.published().trace;
    EXPECT_EQ(mine->hash(mine->size()), its->hash(its->size()));
}

TEST(SessionTurns, ObeysInTheNextTurn) {
    Session session({.target = table_file()}, on_table(), {}, {}, Session::Worker::caller);
    work_to_the_end(session);
    const auto first = session.published().trace;
    session.send(Restart{on_table(), 1});
    EXPECT_EQ(session.published().trace, first);
    work_to_the_end(session);
    EXPECT_NE(session.published().trace, first);
    EXPECT_EQ(session.published().trace->size(), 2u);
}

TEST(SessionTurns, AnErrorIsTold) {
    Session session({.target = "no/such/model"}, on_table(), {}, {}, Session::Worker::caller);
    work_to_the_end(session);
    EXPECT_EQ(session.published().status.state, EngineStatus::State::failed);
    EXPECT_FALSE(session.published().status.error.empty());
}

} // namespace
} // namespace speclens
