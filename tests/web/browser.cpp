#include "tests/web/browser.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/base/json.h"
#include "tests/web/driver.h"

namespace speclens::test {

namespace {

constexpr Command kOpen{"POST", "/url", "WebDriver:Navigate"};
constexpr Command kReload{"POST", "/refresh", "WebDriver:Refresh"};
constexpr Command kExecute{"POST", "/execute/sync", "WebDriver:ExecuteScript"};
constexpr Command kExecuteLater{"POST", "/execute/async", "WebDriver:ExecuteAsyncScript"};
constexpr Command kAct{"POST", "/actions", "WebDriver:PerformActions"};
constexpr Command kPicture{"GET", "/screenshot", "WebDriver:TakeScreenshot"};
constexpr Command kWait{"POST", "/timeouts", "WebDriver:SetTimeouts"};

} // namespace

bool Browser::has_firefox() { return !firefox_program().empty(); }

Browser::Browser(Kind kind, int width, int height) : driver_(kind == Kind::firefox ? start_firefox() : start_chromium()) {
    driver_->ask(kWait, {{"script", 60000}, {"pageLoad", 120000}});
    resize(width, height);
}

Browser::~Browser() = default;

void Browser::open(const std::string& address) { driver_->ask(kOpen, {{"url", address}}); }

void Browser::reload() { driver_->ask(kReload, Json::object()); }

void Browser::resize(int width, int height) { driver_->resize(width, height); }

Json Browser::value(const std::string& expression) {
    return driver_->ask(kExecute, {{"script", "return (" + expression + ");"}, {"args", Json::array()}});
}

void Browser::execute(const std::string& statements) { driver_->ask(kExecute, {{"script", statements}, {"args", Json::array()}}); }

bool Browser::becomes(const std::string& expression) {
    for (int i = 0; i < 1200; ++i) {
        try {
            if (value("!!(" + expression + ")") == true) return true;
        } catch (const std::runtime_error&) { // a page that loads itself once more answers nothing
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

void Browser::press(const std::string& keys) {
    Json actions = Json::array();
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t end = i + 1;
        while (end < keys.size() && (static_cast<unsigned char>(keys[end]) & 0xC0) == 0x80) ++end;
        const std::string key = keys.substr(i, end - i);
        actions.push_back({{"type", "keyDown"}, {"value", key}});
        actions.push_back({{"type", "keyUp"}, {"value", key}});
        i = end;
    }
    driver_->ask(kAct, {{"actions", {{{"type", "key"}, {"id", "keys"}, {"actions", actions}}}}});
}

void Browser::press_with_control(const std::string& key, bool shift) {
    std::vector<std::string> held = {"\uE009"};
    if (shift) held.push_back("\uE008");
    Json actions = Json::array();
    const auto all = [&](const char* change) {
        for (const std::string& one : held) actions.push_back({{"type", change}, {"value", one}});
    };
    held.push_back(key);
    all("keyDown");
    std::ranges::reverse(held);
    all("keyUp");
    driver_->ask(kAct, {{"actions", {{{"type", "key"}, {"id", "keys"}, {"actions", actions}}}}});
}

void Browser::drag(int from_x, int from_y, int to_x, int to_y, bool touch) {
    const auto move = [](int x, int y, int ms) { return Json{{"type", "pointerMove"}, {"duration", ms}, {"x", x}, {"y", y}}; };
    const Json pause = {{"type", "pause"}, {"duration", 100}};
    const Json actions = {move(from_x, from_y, 0), pause, {{"type", "pointerDown"}, {"button", 0}}, pause,
                          move(to_x, to_y, 200),   pause, {{"type", "pointerUp"}, {"button", 0}}};
    driver_->ask(kAct, {{"actions",
                         {{{"type", "pointer"},
                           {"id", touch ? "finger" : "mouse"},
                           {"parameters", {{"pointerType", touch ? "touch" : "mouse"}}},
                           {"actions", actions}}}}});
}

void Browser::two_fingers(int x, int y, int apart, int to_x, int to_y, int to_apart) {
    Json fingers = Json::array();
    for (const int side : {-1, 1}) {
        const auto move = [&](int at_x, int at_y, int distance, int ms) {
            return Json{{"type", "pointerMove"}, {"duration", ms}, {"x", at_x + side * distance / 2}, {"y", at_y}};
        };
        const Json pause = {{"type", "pause"}, {"duration", 100}};
        fingers.push_back({{"type", "pointer"},
                           {"id", side < 0 ? "left" : "right"},
                           {"parameters", {{"pointerType", "touch"}}},
                           {"actions",
                            {move(x, y, apart, 0),
                             {{"type", "pointerDown"}, {"button", 0}},
                             pause,
                             move(to_x, to_y, to_apart, 300),
                             pause,
                             {{"type", "pointerUp"}, {"button", 0}}}}});
    }
    driver_->ask(kAct, {{"actions", fingers}});
}

Browser::Look Browser::look(const std::string& save_as) {
    const std::string png = driver_->ask(kPicture, {{"full", false}}).get<std::string>();
    if (const char* folder = std::getenv("SPECLENS_SCREENSHOTS"); folder != nullptr && !save_as.empty())
        std::ofstream(std::string(folder) + "/" + save_as + ".base64") << png;
    // The browser itself reads the picture.
    const Json told = driver_->ask(kExecuteLater, {{"args", {png}}, {"script", R"(
        const done = arguments[arguments.length - 1], image = new Image();
        image.onload = () => {
            const canvas = document.createElement('canvas');
            canvas.width = image.width, canvas.height = image.height;
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            const data = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer), counts = new Map();
            for (const pixel of data) counts.set(pixel, (counts.get(pixel) || 0) + 1);
            done([counts.size, 100 * (1 - Math.max(...counts.values()) / data.length)]);
        };
        image.src = 'data:image/png;base64,' + arguments[0];)"}});
    return {told.at(0).get<int>(), told.at(1).get<double>()};
}

} // namespace speclens::test
