#include <chrono>

#include "app/frame/frame.h"
#include "app/frame/frame_source.h"
#include "app/frontend/frame_cost.h"
#include "engine/base/quantile.h"
#include "ui/fonts.h"
#include "ui/headless.h"

namespace speclens::cli {

std::optional<double> frame_ms(std::shared_ptr<const Trace> trace, const RunSettings& settings, const std::function<void()>& before_each) {
    using Clock = std::chrono::steady_clock;
    constexpr int kFrames = 60, kWarmUps = 5, kWidth = 1600, kHeight = 1000;
    const ui::FontSet fonts;
    ui::HeadlessFrame pixels(fonts);
    const std::unique_ptr<Scene> scene = find_scene("loop")->make();
    const EngineStatus status;
    FrameSource source;
    FrameUi kept;
    FrameInput input;
    input.scene_name = "loop";
    input.active = scene.get();
    const ui::Theme& theme = ui::theme(input.theme);
    ui::WidgetState widgets;
    ui::Input nothing;
    std::vector<double> times;
    for (int i = -kWarmUps; i < kFrames; ++i) {
        before_each();
        const std::size_t cursor = 1 + static_cast<std::size_t>(i + kWarmUps) % trace->size();
        const auto start = Clock::now();
        source.update(trace, cursor);
        source.fill(input.scene);
        input.scene.settings = &settings;
        input.scene.status = &status;
        input.hash = source.hash();
        nothing.time = 1 + i / 60.0;
        ui::Ui ui(pixels.begin(kWidth, kHeight, 1, theme.bg), nothing, theme, widgets, {0, 0, kWidth, kHeight});
        (void)compose(input, kept, ui);
        if (i >= 0) times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        (void)pixels.end(); // closes the frame; the window gives this part to the graphics driver
    }
    return median(times);
}

} // namespace speclens::cli
