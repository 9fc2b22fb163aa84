#include "tests/web/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

extern char** environ; // NOLINT: POSIX names it

namespace speclens::test {

using Json = nlohmann::json;

struct Browser::State {
    pid_t driver = 0; // that was started here
    std::unique_ptr<httplib::Client> client;
    std::string session;

    Json ask(const char* method, const std::string& path, const Json& body = Json::object()) {
        const std::string address = session.empty() ? path : "/session/" + session + path;
        const auto send = [&] {
            if (std::string_view(method) == "POST")
                return client->Post(address, body.dump(), "application/json");
            return std::string_view(method) == "DELETE" ? client->Delete(address) : client->Get(address);
        };
        const httplib::Result answer = send();
        if (!answer) throw std::runtime_error("chromedriver does not answer " + path);
        const Json told = Json::parse(answer->body, nullptr, false);
        if (answer->status != 200) throw std::runtime_error(path + ": " + answer->body.substr(0, 800));
        return told.at("value");
    }
};

namespace {

int free_port() {
    httplib::Server probe;
    return probe.bind_to_any_port("127.0.0.1");
}

pid_t start_driver(int port) {
    const std::string option = "--port=" + std::to_string(port);
    std::string program = "chromedriver", quiet = "--silent", words = option;
    char* arguments[] = {program.data(), words.data(), quiet.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw std::runtime_error("chromedriver cannot be started: apt-get install chromium chromium-driver");
    return child;
}

} // namespace

Browser::Browser(int width, int height) : state_(std::make_unique<State>()) {
    State& s = *state_;
    const char* running = std::getenv("SPECLENS_WEBDRIVER");
    const int port = running != nullptr ? std::atoi(running) : free_port();
    if (running == nullptr) s.driver = start_driver(port);
    s.client = std::make_unique<httplib::Client>("127.0.0.1", port);
    s.client->set_read_timeout(std::chrono::seconds(120));
    for (int i = 0; i < 600 && !s.client->Get("/status"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    // Pictures by the processor, which every machine has; no sandbox for root and in a container.
    const Json options = {{"args",
                           {"--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle",
                            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                            "--force-device-scale-factor=1", "--lang=en-US"}}};
    const Json made = s.ask(
        "POST", "/session",
        {{"capabilities", {{"alwaysMatch", {{"browserName", "chrome"}, {"goog:chromeOptions", options}}}}}});
    s.session = made.at("sessionId").get<std::string>();
    s.ask("POST", "/timeouts", {{"script", 60000}, {"pageLoad", 120000}});
    resize(width, height);
}

Browser::~Browser() {
    try {
        if (!state_->session.empty()) state_->ask("DELETE", "");
    } catch (const std::exception&) { // it is gone already
    }
    if (state_->driver > 0) {
        kill(state_->driver, SIGTERM);
        waitpid(state_->driver, nullptr, 0);
    }
}

void Browser::open(const std::string& address) {
    state_->ask("POST", "/url", {{"url", address}});
}

void Browser::reload() {
    state_->ask("POST", "/refresh");
}

void Browser::resize(int width, int height) {
    state_->ask(
        "POST", "/goog/cdp/execute",
        {{"cmd", "Emulation.setDeviceMetricsOverride"},
         {"params", {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}}}});
}

Json Browser::value(const std::string& expression) {
    return state_->ask("POST", "/execute/sync",
                       {{"script", "return (" + expression + ");"}, {"args", Json::array()}});
}

void Browser::execute(const std::string& statements) {
    state_->ask("POST", "/execute/sync", {{"script", statements}, {"args", Json::array()}});
}

bool Browser::becomes(const std::string& expression) {
    for (int i = 0; i < 1200; ++i) {
        if (value("!!(" + expression + ")") == true) return true;
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
    state_->ask("POST", "/actions", {{"actions", {{{"type", "key"}, {"id", "keys"}, {"actions", actions}}}}});
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
    state_->ask("POST", "/actions", {{"actions", {{{"type", "key"}, {"id", "keys"}, {"actions", actions}}}}});
}

void Browser::drag(int from_x, int from_y, int to_x, int to_y, bool touch) {
    const auto move = [](int x, int y, int ms) {
        return Json{{"type", "pointerMove"}, {"duration", ms}, {"x", x}, {"y", y}};
    };
    const Json pause = {{"type", "pause"}, {"duration", 100}};
    const Json actions = {move(from_x, from_y, 0), pause, {{"type", "pointerDown"}, {"button", 0}}, pause,
                          move(to_x, to_y, 200),   pause, {{"type", "pointerUp"}, {"button", 0}}};
    state_->ask("POST", "/actions",
                {{"actions",
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
                            {move(x, y, apart, 0), {{"type", "pointerDown"}, {"button", 0}}, pause, move(to_x, to_y, to_apart, 300), pause,
                             {{"type", "pointerUp"}, {"button", 0}}}}});
    }
    state_->ask("POST", "/actions", {{"actions", fingers}});
}

Browser::Look Browser::look(const std::string& save_as) {
    const std::string png = state_->ask("GET", "/screenshot").get<std::string>();
    if (const char* folder = std::getenv("SPECLENS_SCREENSHOTS"); folder != nullptr && !save_as.empty())
        std::ofstream(std::string(folder) + "/" + save_as + ".base64") << png;
    // The browser itself reads the picture.
    const Json told = state_->ask("POST", "/execute/async", {{"args", {png}}, {"script", R"(
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
