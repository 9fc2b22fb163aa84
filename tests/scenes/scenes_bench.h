// A window without a window: the controller, the frame and a recorder. Feeds input frames, returns texts and
// commands.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "app/frame/controller.h"
#include "ui/canvas_record.h"
#include "ui/fonts.h"

namespace speclens {

inline const ui::FontSet& scene_fonts() {
    static const ui::FontSet kLoaded;
    return kLoaded;
}

// DejaVu, whose widths have been the same for years: what lines break where, and what is shortened, does not
// depend on which version of Inter a distribution has.
inline const ui::FontSet& steady_fonts() {
    static const ui::FontSet kLoaded({"/usr/share/fonts/truetype/dejavu"});
    return kLoaded;
}

class SceneBench {
  public:
    // Called with every frame of every bench, and what is explained at its mouse.
    static inline std::function<void(const ui::RecordCanvas&, const Message& tip)> heard = {};
    const ui::FontSet* fonts = &scene_fonts();

    explicit SceneBench(const std::string& scene, EnginePort port = {}, ui::Rect screen = {0, 0, 1600, 1000})
        : controller(std::move(port), RunSettings{}, scene), screen_(screen) {}

    void show(std::shared_ptr<const Trace> trace, std::size_t cursor = 0) {
        RunSettings settings;
        if (const Header* h = trace->header()) {
            settings.drafter = h->drafter;
            settings.rule = h->rule;
            settings.k = h->k;
            settings.sampling = h->sampling;
        }
        controller.show_saved(std::move(trace), settings);
        if (cursor > 0) controller.perform({SceneCommand{SetCursor{cursor}}}, time);
        frame();
    }

    // One frame; what the user asked for is carried out and kept in `commands`.
    void frame(ui::Input input = {}) {
        input.mouse = mouse;
        input.down = down;
        input.time = time;
        controller.tick(time);
        for (const ui::KeyPress& key : controller.take_keys(widgets)) input.keys.push_back(key);
        ui::RecordCanvas canvas(*fonts, screen_);
        ui::Ui ui(canvas, input, ui::theme(controller.theme), widgets, screen_);
        commands = compose(controller.frame(time), controller.chrome, ui);
        const Message tip_said = ui.tip;
        tip = tip_said;
        stops = ui.order;
        words = canvas.visible_text();
        texts = canvas.texts();
        clipped = canvas.clipped_texts();
        shapes = canvas.shapes();
        picture = canvas.picture();
        EXPECT_EQ(canvas.open_clips(), 0);
        if (heard) heard(canvas, tip_said);
        all.insert(all.end(), commands.begin(), commands.end());
        controller.perform(commands, time);
        time += 0.5; // motion is over at the next frame
    }
    void resize(ui::Rect screen) {
        screen_ = screen;
        controller.window = {screen.w, screen.h};
    }
    [[nodiscard]] ui::Rect screen() const { return screen_; }
    void settle() {
        frame();
        frame();
    }

    void press(ui::Vec2 at) {
        mouse = at;
        frame();
        down = true;
        ui::Input input;
        input.pressed = true;
        frame(input);
    }
    void release() {
        down = false;
        ui::Input input;
        input.released = true;
        frame(input);
    }
    void click(ui::Vec2 at) {
        press(at);
        release();
        frame();
    }
    void drag(ui::Vec2 from, ui::Vec2 to) {
        press(from);
        mouse = to;
        frame();
        release();
        frame();
    }
    void key(ui::Key key, ui::Mods mods = {}) {
        ui::Input input;
        input.shift = mods.shift;
        input.ctrl = mods.ctrl;
        input.alt = mods.alt;
        input.keys = {{.key = key, .shift = mods.shift, .ctrl = mods.ctrl, .alt = mods.alt}};
        frame(input);
        settle();
    }
    // What stands there after a moment of rest.
    [[nodiscard]] std::string tip_at(ui::Vec2 at) {
        mouse = at;
        frame();
        frame(); // half a second later
        return tip;
    }
    // Middle of the first text that reads exactly so, within an area when one is given.
    [[nodiscard]] ui::Vec2 find(const std::string& text, ui::Rect area = {0, 0, 1e6F, 1e6F}) const {
        for (const ui::RecordedText& item : texts)
            if (item.text == text && area.contains(item.box.center())) return item.box.center();
        ADD_FAILURE() << "no text \"" << text << "\" in:\n" << words;
        return {};
    }
    [[nodiscard]] bool shows(const std::string& text) const { return words.find(text) != std::string::npos; }
    [[nodiscard]] std::size_t cursor() { return controller.frame(time).scene.cursor; }

    Controller controller;
    ui::WidgetState widgets;
    ui::Vec2 mouse{-1, -1};
    bool down = false;
    double time = 10;
    std::string words;
    std::string tip;             // what is explained at the mouse
    std::vector<ui::Stop> stops; // of Tab, with what is seen of each
    std::vector<ui::RecordedText> texts, clipped;
    int shapes = 0;
    std::uint64_t picture = 0; // RecordCanvas::picture()
    std::vector<FrameCommand> commands, all;

  private:
    ui::Rect screen_;
};

} // namespace speclens
