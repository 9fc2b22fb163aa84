// A browser without a screen, driven by WebDriver's commands as anybody would use it: opens, presses keys,
// drags, looks.
#pragma once

#include <memory>
#include <string>

#include "engine/base/json.h"

namespace speclens::test {

class Driver;

class Browser {
  public:
    enum class Kind { chromium, firefox };
    [[nodiscard]] static bool has_firefox();
    // Throws std::runtime_error where it does not start.
    Browser(Kind kind, int width, int height);
    ~Browser();
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;

    void open(const std::string& address);
    void reload();
    void resize(int width, int height); // of what the page sees
    // The value of a JavaScript expression.
    [[nodiscard]] Json value(const std::string& expression);
    void execute(const std::string& statements);
    // Looks again and again until the expression is true; false after half a minute or so.
    [[nodiscard]] bool becomes(const std::string& expression);
    void press(const std::string& keys); // characters; WebDriver's code points for others: "\uE014" is right
    void press_with_control(const std::string& key, bool shift = false);
    // Two fingers come down beside each other around a place, and move apart and together to another one.
    void two_fingers(int x, int y, int apart, int to_x, int to_y, int to_apart);
    void drag(int from_x, int from_y, int to_x, int to_y, bool touch = false);
    // How many colours the picture of the page has, and how many pixels are not of the commonest one, in
    // percent.
    struct Look {
        int colours = 0;
        double drawn = 0;
    };
    [[nodiscard]] Look look(const std::string& save_as = "");

  private:
    std::unique_ptr<Driver> driver_;
};

} // namespace speclens::test
