// Firefox by its own protocol, Marionette: what geckodriver would speak to it, which Debian does not have.
// Both sides send the length of a JSON array in digits, a colon, the array: [0, number, command, parameters]
// there, [1, number, error or null, result] back.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "engine/base/json.h"
#include "tests/shared/temp_folder.h"
#include "tests/web/child.h"
#include "tests/web/driver.h"

namespace speclens::test {

namespace {

// A file descriptor that is closed with it.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }
    void open(int number) {
        close();
        number_ = number;
    }
    [[nodiscard]] int number() const { return number_; }

  private:
    int number_;
};

// What is sent over a connection to this machine, and what comes back.
class Wire {
  public:
    void connect(int port) {
        socket_.open(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{.tv_sec = 150, .tv_usec = 0};
        setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
            throw std::runtime_error("Firefox cannot be reached");
    }
    void send(const Json& message) {
        const std::string text = message.dump();
        const std::string all = std::to_string(text.size()) + ":" + text;
        for (std::size_t at = 0; at < all.size();) {
            const ssize_t sent = ::send(socket_.number(), all.data() + at, all.size() - at, MSG_NOSIGNAL);
            if (sent <= 0) throw std::runtime_error("Firefox is gone");
            at += static_cast<std::size_t>(sent);
        }
    }
    Json receive() {
        std::size_t colon = 0;
        while ((colon = arrived_.find(':')) == std::string::npos) more();
        const std::size_t length = std::stoul(arrived_.substr(0, colon));
        while (arrived_.size() < colon + 1 + length) more();
        const Json message = Json::parse(arrived_.substr(colon + 1, length));
        arrived_.erase(0, colon + 1 + length);
        return message;
    }

  private:
    void more() {
        std::array<char, 65536> piece{};
        const ssize_t got = recv(socket_.number(), piece.data(), piece.size(), 0);
        if (got <= 0) throw std::runtime_error("Firefox does not answer");
        arrived_.append(piece.data(), static_cast<std::size_t>(got));
    }
    Descriptor socket_;
    std::string arrived_;
};

// A screen that nobody sees: without one, --headless, Firefox has no WebGL.
class Screen {
  public:
    Screen() {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
        const Descriptor reading(ends[0]);
        Descriptor writing(ends[1]);
        server_ =
            Child({"Xvfb", "-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"}, own_environment(), writing.number());
        writing.close();
        for (char digit = 0; read(reading.number(), &digit, 1) == 1 && digit != '\n';) name_ += digit;
        if (name_ == ":") throw std::runtime_error("Xvfb does not start: apt-get install xvfb");
    }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    Child server_;
    std::string name_ = ":";
};

class Firefox : public Driver {
  public:
    Firefox() {
        const std::string program = firefox_program();
        if (program.empty()) throw std::runtime_error("Firefox cannot be started: apt-get install firefox-esr");
        std::filesystem::create_directory(folder_ / "chrome");
        // As narrow as a phone.
        std::ofstream(folder_ / "chrome/userChrome.css") << ":root { min-width: 0 !important; }\n";
        std::ofstream(folder_ / "user.js") << R"(user_pref("marionette.port", 0);
user_pref("toolkit.legacyUserProfileCustomizations.stylesheets", true);
user_pref("dom.w3c_touch_events.enabled", 1);
user_pref("intl.accept_languages", "en-US");
user_pref("browser.download.folderList", 2);
user_pref("browser.download.dir", ")" << folder_.path().string()
                                           << R"(");
)";
        const char* path = std::getenv("PATH");
        process_ = Child({program, "--marionette", "--no-remote", "--profile", folder_.path().string()},
                         {std::string("PATH=") + (path == nullptr ? "" : path), "HOME=" + folder_.path().string(),
                          "DISPLAY=" + screen_.name(), "LIBGL_ALWAYS_SOFTWARE=1"});
        wire_.connect(port());
        const Json hello = wire_.receive();
        if (hello.value("marionetteProtocol", 0) != 3) throw std::runtime_error("Firefox says " + hello.dump());
        ask({"", "", "WebDriver:NewSession"}, {{"capabilities", {{"alwaysMatch", Json::object()}}}});
    }
    ~Firefox() override {
        try {
            ask({"", "", "Marionette:Quit"}, {{"flags", {"eForceQuit"}}});
        } catch (const std::exception&) { // it is gone already
        }
        (void)process_.ended(10000);
    }
    Firefox(const Firefox&) = delete;
    Firefox& operator=(const Firefox&) = delete;

    Json ask(const Command& command, const Json& body) override {
        wire_.send({0, ++asked_, command.name, body});
        const Json answer = wire_.receive();
        if (!answer.at(2).is_null()) throw std::runtime_error(std::string(command.name) + ": " + answer.at(2).dump().substr(0, 800));
        const Json& result = answer.at(3);
        return result.is_object() && result.contains("value") ? result.at("value") : result;
    }

    void resize(int width, int height) override {
        const auto told = [&](const std::string& expression) {
            return ask({"", "", "WebDriver:ExecuteScript"}, {{"script", "return " + expression}, {"args", Json::array()}});
        };
        for (int i = 0; i < 100; ++i) {
            const Json around = told("[outerWidth - innerWidth, outerHeight - innerHeight]");
            ask({"", "", "WebDriver:SetWindowRect"},
                {{"width", width + around.at(0).get<int>()}, {"height", height + around.at(1).get<int>()}});
            if (told("[innerWidth, innerHeight]") == Json({width, height})) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        throw std::runtime_error("Firefox's window does not become as large as it is asked to");
    }

  private:
    // Firefox writes the one that it chose into its folder.
    int port() {
        for (int i = 0; i < 1200 && !process_.ended(); ++i) {
            int number = 0;
            if (std::ifstream(folder_ / "MarionetteActivePort") >> number) return number;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        throw std::runtime_error("Firefox does not start");
    }

    TempFolder folder_;
    Screen screen_;
    Child process_;
    Wire wire_;
    int asked_ = 0;
};

} // namespace

std::string firefox_program() {
    const std::string debian = in_path("firefox-esr");
    return debian.empty() ? in_path("firefox") : debian;
}

std::unique_ptr<Driver> start_firefox() { return std::make_unique<Firefox>(); }

} // namespace speclens::test
