// The setting of a run that docs/adding.md shows: one line, and the table, traces and readers have it.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/run/run_setting.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"

namespace speclens {
namespace {

TEST(AddingASettingOfARun, TakesOneLine) {
    const RunSetting* setting = find_run_setting("rest");
    ASSERT_NE(setting, nullptr);
    RunSettings run;
    EXPECT_EQ(run.rest, 0);
    EXPECT_TRUE(is_default(*setting, run));
    take_text(*setting, "--rest", "3", run);
    EXPECT_EQ(run.rest, 3);
    EXPECT_EQ(text_of(*setting, run), "3");
    EXPECT_EQ(readers_of(*setting), "every drafter but none");
    Header header;
    take_settings(run, header);
    Trace trace([](int) { return std::string(); });
    trace.append(header);
    std::istringstream saved(TraceWriter(trace).line(trace[0]) + "\n");
    EXPECT_EQ(settings_of(*read_trace(saved, "memory")->header()).rest, 3);
}

} // namespace
} // namespace speclens
