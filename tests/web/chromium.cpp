// Chromium by way of chromedriver. SPECLENS_WEBDRIVER=PORT names one that runs already; else it is started.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <httplib.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "engine/base/json.h"
#include "tests/web/child.h"
#include "tests/web/driver.h"

namespace speclens::test {

namespace {

// A port that nobody listens on. Not by way of httplib's server: that keeps what it bound.
int free_port() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound =
        bind(probe, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0 && getsockname(probe, reinterpret_cast<sockaddr*>(&at), &size) == 0;
    close(probe);
    if (!bound) throw std::runtime_error("no port is free");
    return ntohs(at.sin_port);
}

class Chromium : public Driver {
  public:
    Chromium() {
        const char* running = std::getenv("SPECLENS_WEBDRIVER");
        const int port = running != nullptr ? std::atoi(running) : free_port();
        if (running == nullptr) driver_ = Child({"chromedriver", "--port=" + std::to_string(port), "--silent"}, own_environment());
        client_ = std::make_unique<httplib::Client>("127.0.0.1", port);
        client_->set_read_timeout(std::chrono::seconds(120));
        for (int i = 0; i < 600 && !client_->Get("/status"); ++i) {
            if (running == nullptr && driver_.ended())
                throw std::runtime_error("chromedriver cannot be started: apt-get install chromium-driver");
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        // Pictures by the processor, which every machine has; no sandbox for root and in a container.
        const Json options = {{"args",
                               {"--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
                                "--enable-unsafe-swiftshader", "--hide-scrollbars", "--force-device-scale-factor=1", "--lang=en-US"}}};
        const Json made = ask({"POST", "/session", ""},
                              {{"capabilities", {{"alwaysMatch", {{"browserName", "chrome"}, {"goog:chromeOptions", options}}}}}});
        session_ = made.at("sessionId").get<std::string>();
    }
    ~Chromium() override {
        try {
            if (!session_.empty()) ask({"DELETE", "", ""}, Json::object());
        } catch (const std::exception&) { // it is gone already
        }
    }
    Chromium(const Chromium&) = delete;
    Chromium& operator=(const Chromium&) = delete;

    Json ask(const Command& command, const Json& body) override {
        const std::string address = session_.empty() ? command.path : "/session/" + session_ + command.path;
        const std::string_view method = command.method;
        const auto send = [&] {
            if (method == "POST") return client_->Post(address, body.dump(), "application/json");
            return method == "DELETE" ? client_->Delete(address) : client_->Get(address);
        };
        const httplib::Result answer = send();
        if (!answer) throw std::runtime_error(std::string("chromedriver does not answer ") + command.path);
        const Json told = Json::parse_or_discard(answer->body);
        if (answer->status != 200) throw std::runtime_error(std::string(command.path) + ": " + answer->body.substr(0, 800));
        return told.at("value");
    }

    void resize(int width, int height) override {
        ask({"POST", "/goog/cdp/execute", ""},
            {{"cmd", "Emulation.setDeviceMetricsOverride"},
             {"params", {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}}}});
    }

  private:
    Child driver_;
    std::unique_ptr<httplib::Client> client_;
    std::string session_;
};

} // namespace

std::unique_ptr<Driver> start_chromium() { return std::make_unique<Chromium>(); }

} // namespace speclens::test
