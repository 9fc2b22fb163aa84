// A run that arrives in a pipe is shown while it does; what is no run, or breaks off, is said.
#include <gtest/gtest.h>

#include <chrono>
#include <fcntl.h>
#include <unistd.h>

#include "engine/model/model.h"
#include "engine/run/run_view.h"
#include "engine/run/trace_follower.h"
#include "kernels/error.h"
#include "tests/shared/eventually.h"

namespace speclens {
namespace {

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
    ~Pipe() {
        close_write();
        close(ends[0]);
    }
    void say(const std::string& text) const { EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size())); }
    void close_write() {
        if (ends[1] >= 0) close(ends[1]);
        ends[1] = -1;
    }
};

// The lines of a recorded run.
std::vector<std::string> lines_of_a_run() {
    const auto trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl");
    TraceWriter writer(*trace);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < trace->size(); ++i) lines.push_back(writer.line((*trace)[i]) + "\n");
    return lines;
}

TEST(TraceFollower, ShowsWhatHasArrived) {
    const std::vector<std::string> lines = lines_of_a_run();
    ASSERT_GT(lines.size(), 10U);
    Pipe pipe;
    pipe.say(lines[0]);
    std::atomic<int> grown{0};
    const TraceFollower follower(pipe.ends[0], "a pipe", [&] { ++grown; });
    ASSERT_TRUE(follower.trace()->header());
    EXPECT_EQ(follower.trace()->size(), 1U);
    pipe.say(lines[1] + lines[2].substr(0, 7));
    ASSERT_TRUE(eventually([&] { return follower.trace()->size() == 2; }));
    EXPECT_GT(grown, 0);
    EXPECT_FALSE(follower.end());
    pipe.say(lines[2].substr(7));
    ASSERT_TRUE(eventually([&] { return follower.trace()->size() == 3; }));
    for (std::size_t i = 3; i < lines.size(); ++i) pipe.say(lines[i]);
    pipe.close_write();
    ASSERT_TRUE(eventually([&] { return follower.end().has_value(); }));
    EXPECT_EQ(follower.trace()->size(), lines.size());
    EXPECT_EQ(follower.end()->what, "");
    EXPECT_EQ(follower.end()->notice, "");
    EXPECT_TRUE(fold(*follower.trace(), lines.size()).stopped);
}

TEST(TraceFollower, KeepsWhatCameBeforeABrokenLine) {
    const std::vector<std::string> lines = lines_of_a_run();
    {
        Pipe pipe;
        pipe.say(lines[0] + lines[1]);
        const TraceFollower follower(pipe.ends[0], "a pipe", [] {});
        pipe.say("{\"kind\":\"dance\"}\n" + lines[2]);
        ASSERT_TRUE(eventually([&] { return follower.end().has_value(); }));
        EXPECT_NE(follower.end()->what.find("a pipe, line 3"), std::string::npos) << follower.end()->what;
        EXPECT_NE(follower.end()->remedy, "");
        EXPECT_EQ(follower.trace()->size(), 2U);
    }
    { // all of it in the first piece
        Pipe pipe;
        pipe.say(lines[0] + lines[1] + "{\"kind\":\"dance\"}\n");
        int grown = 0;
        const TraceFollower follower(pipe.ends[0], "a pipe", [&] { ++grown; });
        EXPECT_TRUE(follower.end().has_value());
        EXPECT_EQ(grown, 1) << "somebody has to look";
    }
    Pipe killed;
    killed.say(lines[0] + lines[1] + lines[2].substr(0, 9));
    const TraceFollower follower(killed.ends[0], "a pipe", [] {});
    killed.close_write();
    ASSERT_TRUE(eventually([&] { return follower.end().has_value(); }));
    EXPECT_EQ(follower.end()->what, "");
    EXPECT_NE(follower.end()->notice.find("line 3"), std::string::npos) << follower.end()->notice;
    EXPECT_EQ(follower.trace()->size(), 2U);
}

TEST(TraceFollower, SaysThatNoRunArrived) {
    Pipe empty;
    empty.close_write();
    EXPECT_THROW(TraceFollower(empty.ends[0], "a pipe", [] {}), Error);
    Pipe other;
    other.say("hello\n");
    EXPECT_THROW(TraceFollower(other.ends[0], "a pipe", [] {}), Error);
    const std::atomic<bool> stop{true};
    Pipe silent;
    EXPECT_THROW(TraceFollower(
                     silent.ends[0], "a pipe", [] {}, &stop),
                 Cancelled);
    Pipe closing; // the window is closed while more may come
    closing.say(lines_of_a_run()[0]);
    const auto began = std::chrono::steady_clock::now();
    {
        const TraceFollower follower(closing.ends[0], "a pipe", [] {});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

} // namespace
} // namespace speclens
