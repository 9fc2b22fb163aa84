// Whoever mashes the keys of the real window, resizes it and drags across it: nothing throws, nothing hangs, and under a sanitizer
// nothing is found. SPEC_MASH_SECONDS=600 goes on for ten minutes instead of a few seconds, SPEC_MASH_SEED begins with other dice.
#include <gtest/gtest.h>

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include "app/window/shell.h"
#include "scenes/shared/scene.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens {
namespace {

class Masher {
  public:
    explicit Masher(unsigned seed) : dice_(seed) {}

    [[nodiscard]] std::string scene() { return scene_list()[pick(scene_list().size())].name; }

    void act(InputQueue& queue) {
        const std::size_t kind = pick(100);
        if (kind < 50)
            press(queue);
        else if (kind < 70)
            click(queue, place());
        else if (kind < 85)
            drag(queue);
        else if (kind < 90)
            queue.push({.kind = RawEvent::Kind::wheel, .wheel = static_cast<float>(pick(9)) - 4});
        else if (kind < 95)
            type(queue);
        else
            resize();
        ++acts_;
    }
    [[nodiscard]] int acts() const { return acts_; }

  private:
    std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice_); }
    bool chance(double p) { return std::bernoulli_distribution(p)(dice_); }
    ui::Vec2 place() { return {static_cast<float>(pick(1600)), static_cast<float>(pick(1000))}; }

    void press(InputQueue& queue) {
        const auto key = static_cast<ui::Key>(1 + pick(static_cast<std::size_t>(ui::Key::grave)));
        ui::KeyPress press{.key = key, .shift = chance(0.2), .ctrl = chance(0.2)};
        for (std::size_t times = chance(0.2) ? 1 + pick(12) : 1; times > 0; --times) // held down
            queue.push({.kind = RawEvent::Kind::key, .key = press});
    }
    void click(InputQueue& queue, ui::Vec2 at) {
        queue.push({.kind = RawEvent::Kind::move, .at = at});
        queue.push({.kind = RawEvent::Kind::button, .down = true});
        queue.push({.kind = RawEvent::Kind::button, .down = false});
    }
    void drag(InputQueue& queue) {
        ui::Vec2 at = place();
        const ui::Vec2 to = place();
        queue.push({.kind = RawEvent::Kind::move, .at = at});
        queue.push({.kind = RawEvent::Kind::button, .down = true});
        for (int step = 0; step < 6; ++step) {
            at = {at.x + (to.x - at.x) / 3, at.y + (to.y - at.y) / 3};
            queue.push({.kind = RawEvent::Kind::move, .at = at});
        }
        queue.push({.kind = RawEvent::Kind::button, .down = false});
    }
    void type(InputQueue& queue) {
        constexpr const char* kWords[] = {"fox", "0", "-1", "999999999999", "1e308", "é漢🙂", "\"}{", "/", " ", "NaN"};
        queue.push({.kind = RawEvent::Kind::text, .text = kWords[pick(std::size(kWords))]});
    }
    // By the window system, as at its frame: the size comes back as an event.
    void resize() {
        constexpr std::pair<int, int> kSizes[] = {{1600, 1000}, {1280, 720}, {1024, 768}, {1100, 700}, {800, 500}, {480, 320}, {61, 47}};
        const auto [w, h] = kSizes[pick(std::size(kSizes))];
        if (GLFWwindow* window = glfwGetCurrentContext()) glfwSetWindowSize(window, w, h);
    }

    std::mt19937 dice_;
    int acts_ = 0;
};

double wished(const char* name, double usual) {
    const char* wish = std::getenv(name);
    return wish ? std::atof(wish) : usual;
}

TEST(Window, StandsMashedKeysResizesAndDrags) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    const test::TempFolder home; // what is saved, exported and remembered stays here, and nothing is fetched
    const test::Variable data("XDG_DATA_HOME", home.path().string()), config("XDG_CONFIG_HOME", home.path().string()),
        own("HOME", home.path().string()), offline("PIP_NO_INDEX", "1");
    const double length = wished("SPEC_MASH_SECONDS", 8);
    const auto first = static_cast<unsigned>(wished("SPEC_MASH_SEED", 1));
    double spent = 0;
    int acts = 0, windows = 0;
    for (unsigned seed = first; spent < length; ++seed) { // one that was closed is opened again
        Masher masher(seed);
        WindowRequest request;
        request.view.scene = masher.scene();
        request.presenter = seed % 5 == 0;
        request.introduces = seed % 7 == 0;
        double now = 0;
        ASSERT_NO_THROW((void)run_window(request,
                                         [&](InputQueue& queue, Controller&, int, double seconds) {
                                             now = seconds;
                                             if (queue.empty()) masher.act(queue);
                                             return spent + seconds < length && seconds < 30; // another scene and other dice after that
                                         }))
            << "seed " << seed << ", after " << masher.acts() << " acts in " << request.view.scene;
        spent += std::max(now, 0.1), acts += masher.acts(), ++windows;
    }
    EXPECT_GT(acts, 0);
    std::printf("[ REPORT   ] %d keys, clicks, drags and sizes in %d windows over %.0f s\n", acts, windows, spent);
}

} // namespace
} // namespace speclens
