// Someone who presses anything: random keys, clicks, drags, words and window sizes over a live engine.
// Whatever comes, frames go on being drawn, numbers stay numbers, no text lies over another, and nothing
// throws. SPEC_RANDOM_USE=N plays N people instead of a few; the failing one's seed is in the message.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <regex>
#include <thread>

#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "engine/session/session.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

class RandomUser {
  public:
    RandomUser(unsigned seed, bool live) : dice_(seed), bench_(scene(), port(live), screen()) {
        Controller& controller = bench_.controller;
        controller.gallery = load_gallery(assets_folder() / "prompts" / "gallery.jsonl");
        controller.glossary = load_glossary(assets_folder() / "glossary.json");
        controller.quiz = load_quiz(assets_folder() / "quiz.json");
        controller.figures = std::make_shared<const Published>(Published::load(assets_folder() / "published"));
        controller.ablations = std::make_shared<const Ablations>(load_ablations(assets_folder() / "models" / "ablations.json"));
        if (live)
            session_.emplace(ModelPaths{}, RunSettings{});
        else
            bench_.show(fixtures::toy_run(fixtures::toys()[pick(fixtures::toys().size())]), 1);
    }

    void act() {
        if (session_) {
            if (chance(0.2)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            const Snapshot now = session_->published();
            if (std::exchange(revision_, now.revision) != now.revision) bench_.controller.observe(now, bench_.time);
        }
        const std::size_t kind = pick(100);
        if (kind < 45)
            press_key();
        else if (kind < 75)
            bench_.click(chance(0.7) ? on_text() : anywhere());
        else if (kind < 83)
            bench_.drag(chance(0.5) ? on_text() : anywhere(), anywhere());
        else if (kind < 88)
            turn_wheel();
        else if (kind < 94)
            type();
        else if (kind < 97)
            bench_.resize(screen());
        else
            bench_.controller.theme = static_cast<ui::ThemeKind>(pick(3));
        bench_.time += chance(0.5) ? 0.01 : 2.0;
        bench_.frame();
        bench_.controller.orders.clear();
        bench_.controller.spoken.clear();
    }

    // What is wrong with the picture; empty: nothing.
    [[nodiscard]] std::string complaint() const {
        static const std::regex kNoNumber(R"((^|[^\w.])[-−]?(nan|inf)([^\w]|$))");
        for (const ui::RecordedText& text : bench_.texts) {
            for (const float x : {text.box.x, text.box.y, text.box.w, text.box.h, text.size})
                if (!std::isfinite(x)) return "no place on the screen for \"" + text.text + "\"";
            if (std::regex_search(text.text, kNoNumber)) return "no number in \"" + text.text + "\"";
        }
        const std::string over = overlap_of(bench_.texts);
        return over.empty() ? "" : "one text over another: " + over;
    }
    [[nodiscard]] const std::string& last() const { return last_; }

  private:
    EnginePort port(bool live) {
        if (!live) return {};
        return {.send =
                    [this](Command c) {
                        if (session_) session_->send(std::move(c));
                    },
                .set_budget =
                    [this](std::int64_t n) {
                        if (session_) session_->gate().set(n);
                    },
                .add_budget =
                    [this](std::int64_t n) {
                        if (session_) session_->gate().add(n);
                    },
                .cancel_loading =
                    [this] {
                        if (session_) session_->cancel_loading();
                    }};
    }
    std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice_); }
    bool chance(double p) { return std::bernoulli_distribution(p)(dice_); }
    std::string scene() { return scene_list()[pick(scene_list().size())].name; }
    ui::Rect screen() {
        constexpr ui::Vec2 kSizes[] = {{1600, 1000}, {1280, 720}, {1920, 1080}, {1100, 700}, {800, 500}, {480, 320}};
        const ui::Vec2 size = kSizes[pick(std::size(kSizes))];
        return {0, 0, size.x, size.y};
    }
    ui::Vec2 anywhere() {
        const ui::Rect s = bench_.screen();
        return {static_cast<float>(pick(1000)) / 1000 * s.w, static_cast<float>(pick(1000)) / 1000 * s.h};
    }
    ui::Vec2 on_text() {
        if (bench_.texts.empty()) return anywhere();
        const ui::RecordedText& text = bench_.texts[pick(bench_.texts.size())];
        last_ = "near \"" + text.text + "\"";
        return text.box.center();
    }
    void press_key() {
        const auto key = static_cast<ui::Key>(1 + pick(static_cast<std::size_t>(ui::Key::grave)));
        const ui::Mods mods{.shift = chance(0.2), .ctrl = chance(0.25)};
        last_ = "key " + std::to_string(static_cast<int>(key)) + (mods.ctrl ? " ctrl" : "") + (mods.shift ? " shift" : "");
        bench_.key(key, mods);
    }
    void turn_wheel() {
        bench_.mouse = anywhere();
        ui::Input input;
        input.wheel = static_cast<float>(pick(9)) - 4;
        bench_.frame(input);
    }
    void type() {
        constexpr const char* kWords[] = {"fox",  "0", "-1", "999999999999",       "1e308", "0.5", "é漢🙂",
                                          "\"}{", "/", " ",  "the sum of 2 and 3", "NaN"};
        ui::Input input;
        input.typed = kWords[pick(std::size(kWords))];
        last_ = "typed " + input.typed;
        bench_.frame(input);
    }

    std::mt19937 dice_;
    std::optional<Session> session_;
    std::uint64_t revision_ = 0;
    SceneBench bench_;
    std::string last_;
};

void play(bool live, unsigned people, int acts) {
    const test::TempFolder home; // what is saved and exported stays here
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"}) setenv(name, home.path().c_str(), 1);
    if (const char* wish = std::getenv("SPEC_RANDOM_USE")) people = static_cast<unsigned>(std::atoi(wish));
    for (unsigned seed = 1; seed <= people; ++seed) {
        RandomUser user(seed, live);
        for (int i = 0; i < acts; ++i) {
            ASSERT_NO_THROW(user.act()) << "person " << seed << ", act " << i << ", " << user.last();
            ASSERT_EQ(user.complaint(), "") << "person " << seed << ", act " << i << ", " << user.last();
        }
    }
}

TEST(RandomUse, OfARecordingNeverBreaksTheFrame) { play(false, 12, 120); }

TEST(RandomUse, OfALiveEngineNeverBreaksTheFrame) { play(true, 4, 120); }

} // namespace
} // namespace speclens
