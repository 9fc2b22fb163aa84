// How smoothly the window moves: tokens on their way, drawn as often as the machine can, no engine at work. Figures are printed and never
// tested; docs/results/timing.md has those that were measured.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "app/window/shell.h"

namespace speclens {
namespace {

TEST(Window, ReportsHowSmoothlyItMoves) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    WindowRequest request;
    request.session = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl";
    int first = 0, last = 0;
    double began = 0, ended = 0;
    const ShellReport report = run_window(request, [&](InputQueue& queue, Controller& controller, int frame, double seconds) {
        if (frame < 5) return true;
        if (first == 0) first = frame, began = seconds;
        // Steps that come faster than a chip moves: something is on its way in every frame.
        if (frame % 4 == 0) queue.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::right}});
        if (controller.frame(seconds).scene.cursor + 1 >= controller.frame(seconds).scene.trace->size())
            queue.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::home}});
        last = frame, ended = seconds;
        return seconds - began < 3;
    });
    EXPECT_GT(last, first);
    std::printf("[ REPORT   ] %s: %.0f frames a second in motion, frame built in %.2f ms, first picture after %.2f s\n", report.gl.c_str(),
                (last - first) / (ended - began), report.frame_ms, report.first_frame_s);
}

} // namespace
} // namespace speclens
