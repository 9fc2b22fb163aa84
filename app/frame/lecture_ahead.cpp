#include "app/frame/lecture_ahead.h"

#include <algorithm>
#include <variant>

#include "app/frame/frame_layout.h"

namespace speclens {
namespace {

// A surface that shows nothing: the scene is asked, not seen.
class Unseen final : public ui::Canvas {
  public:
    void fill(ui::Rect, ui::Color, float) override {}
    void outline(ui::Rect, const ui::Stroke&, float) override {}
    void line(ui::Vec2, ui::Vec2, const ui::Stroke&) override {}
    void polyline(std::span<const ui::Vec2>, const ui::Stroke&, bool) override {}
    void fill_convex(std::span<const ui::Vec2>, ui::Color) override {}
    void disc(ui::Vec2, float, ui::Color) override {}
    void ring(ui::Vec2, float, const ui::Stroke&) override {}
    void hatch(ui::Rect, ui::Color, float, float) override {}
    void text(ui::Vec2, std::string_view, ui::Font, float, ui::Color, ui::Align) override {}
    [[nodiscard]] float text_width(std::string_view utf8, ui::Font, float size) const override {
        return static_cast<float>(utf8.size()) * size / 2;
    }
    void push_clip(ui::Rect) override {}
    void pop_clip() override {}
};

} // namespace

std::vector<Command> measurements_of(const SceneInfo& scene, SceneInput input, int beat) {
    const ui::Rect screen{0, 0, 1600, 1000};
    const std::unique_ptr<Scene> asked = scene.make();
    const FrameLayout layout = frame_layout({screen.w, screen.h}, {}, asked->whole_window());
    input.still = true;
    input.beat = std::clamp(beat, 0, std::max(0, asked->beats(input) - 1));
    input.stage = input.stage_clip = layout.stage;
    input.story = layout.story;
    input.details = layout.details;
    input.controls = layout.controls;
    Unseen canvas;
    const ui::Input nothing;
    ui::WidgetState widgets;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, screen);
    std::vector<Command> measured;
    for (const SceneCommand& command : asked->draw(input, ui))
        if (const auto* sent = std::get_if<Command>(&command);
            sent && (std::holds_alternative<MeasurePasses>(*sent) || std::holds_alternative<RunStudy>(*sent)))
            measured.push_back(*sent);
    return measured;
}

} // namespace speclens
