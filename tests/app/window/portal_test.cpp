// The desktop portal, played on a session bus of its own.
#include "app/window/portal.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/shared/eventually.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens {
namespace {

template <class Function>
Function function(const char* name) {
    void* library = dlopen("libsystemd.so.0", RTLD_NOW);
    return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr; // NOLINT: dlsym returns functions so
}

// A bus that only this test is on.
class Daemon {
  public:
    Daemon() {
        FILE* words = popen("dbus-daemon --session --fork --print-address=1 --print-pid=1 2>/dev/null", "r");
        if (!words) return;
        std::array<char, 512> line{};
        if (std::fgets(line.data(), line.size(), words)) address = std::string(line.data());
        if (std::fgets(line.data(), line.size(), words)) pid_ = std::atoi(line.data());
        pclose(words);
        while (!address.empty() && address.back() == '\n') address.pop_back();
    }
    ~Daemon() {
        if (pid_ > 1) kill(pid_, SIGTERM);
    }
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    std::string address;

  private:
    int pid_ = 0;
};

// Answers every OpenFile at once, or never.
class Portal {
  public:
    explicit Portal(std::uint32_t code, std::string uri, bool answers = true) : code_(code), uri_(std::move(uri)), answers_(answers) {
        (void)open_(&bus_);
        EXPECT_GE(request_(bus_, "org.freedesktop.portal.Desktop", 0), 0);
        (void)filter_(bus_, nullptr, &Portal::received, this);
        thread_ = std::thread([this] {
            while (!over_) {
                if (process_(bus_, nullptr) > 0) continue;
                (void)wait_(bus_, 20'000);
            }
        });
    }
    ~Portal() {
        over_ = true;
        thread_.join();
        unref_(bus_);
    }
    Portal(const Portal&) = delete;
    Portal& operator=(const Portal&) = delete;
    std::atomic<int> asked = 0, closed = 0;

  private:
    static int received(void* message, void* self, void*) {
        auto& portal = *static_cast<Portal*>(self);
        const auto is = [&](const char* interface, const char* member) { return portal.is_(message, interface, member) > 0; };
        if (is("org.freedesktop.portal.Request", "Close")) {
            ++portal.closed;
            return portal.reply_(message, "");
        }
        if (!is("org.freedesktop.portal.FileChooser", "OpenFile")) return 0;
        ++portal.asked;
        const char *parent = nullptr, *title = nullptr, *key = nullptr, *token = nullptr;
        (void)portal.read_(message, "ss", &parent, &title);
        (void)portal.enter_(message, 'a', "{sv}");
        (void)portal.read_(message, "{sv}", &key, "s", &token);
        std::string sender = portal.sender_(message) + 1;
        for (char& c : sender)
            if (c == '.') c = '_';
        const std::string path = "/org/freedesktop/portal/desktop/request/" + sender + "/" + (token ? token : "");
        (void)portal.reply_(message, "o", path.c_str());
        if (portal.answers_)
            (void)portal.emit_(portal.bus_, path.c_str(), "org.freedesktop.portal.Request", "Response", "ua{sv}", portal.code_, 2U,
                               "choices", "s", "none", "uris", "as", 1U, portal.uri_.c_str());
        return 1;
    }

    using Handler = int (*)(void*, void*, void*);
    int (*open_)(void**) = function<int (*)(void**)>("sd_bus_open_user");
    int (*request_)(void*, const char*, std::uint64_t) = function<int (*)(void*, const char*, std::uint64_t)>("sd_bus_request_name");
    int (*filter_)(void*, void**, Handler, void*) = function<int (*)(void*, void**, Handler, void*)>("sd_bus_add_filter");
    int (*process_)(void*, void**) = function<int (*)(void*, void**)>("sd_bus_process");
    int (*wait_)(void*, std::uint64_t) = function<int (*)(void*, std::uint64_t)>("sd_bus_wait");
    void* (*unref_)(void*) = function<void* (*)(void*)>("sd_bus_flush_close_unref");
    int (*is_)(void*, const char*, const char*) = function<int (*)(void*, const char*, const char*)>("sd_bus_message_is_method_call");
    int (*read_)(void*, const char*, ...) = function<int (*)(void*, const char*, ...)>("sd_bus_message_read");
    int (*enter_)(void*, char, const char*) = function<int (*)(void*, char, const char*)>("sd_bus_message_enter_container");
    const char* (*sender_)(void*) = function<const char* (*)(void*)>("sd_bus_message_get_sender");
    int (*reply_)(void*, const char*, ...) = function<int (*)(void*, const char*, ...)>("sd_bus_reply_method_return");
    int (*emit_)(void*, const char*, const char*, const char*, const char*,
                 ...) = function<int (*)(void*, const char*, const char*, const char*, const char*, ...)>("sd_bus_emit_signal");
    void* bus_ = nullptr;
    std::uint32_t code_;
    std::string uri_;
    bool answers_;
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

// The bus, and a portal that it could start.
struct Desktop {
    test::TempFolder folder;
    Daemon daemon;
    test::Variable address{"DBUS_SESSION_BUS_ADDRESS", daemon.address}, data{"XDG_DATA_DIRS", folder.path().string()},
        path{"PATH", folder.path().string()}; // no program
    Desktop() {
        const auto services = folder.path() / "dbus-1" / "services";
        std::filesystem::create_directories(services);
        std::ofstream(services / "org.freedesktop.portal.Desktop.service") << "[D-BUS Service]\n";
    }
    [[nodiscard]] bool there() const { return !daemon.address.empty() && portal_there(); }
};

FileAnswer answered() {
    std::atomic<int> told = 0;
    FileDialog dialog({FileQuestion::For::open, "Open a run", "/here/"}, [&] { ++told; });
    EXPECT_TRUE(eventually([&] { return told > 0; }));
    return dialog.answer().value_or(FileAnswer{"", "none"});
}

TEST(PortalTest, ReturnsWhatWasChosen) {
    const Desktop desktop;
    if (!desktop.there()) GTEST_SKIP() << "no dbus-daemon or no libsystemd";
    EXPECT_TRUE(FileDialog::possible());
    EXPECT_EQ(FileDialog::program(), "");
    const Portal portal(0, "file:///a%20folder/%C3%A4.jsonl");
    const FileAnswer answer = answered();
    EXPECT_EQ(answer.path, "/a folder/ä.jsonl") << answer.problem;
    EXPECT_EQ(answer.problem, "");
    EXPECT_EQ(portal.asked, 1);
}

TEST(PortalTest, KnowsAClosedDialogFromOneThatNeverCame) {
    const Desktop desktop;
    if (!desktop.there()) GTEST_SKIP() << "no dbus-daemon or no libsystemd";
    {
        const Portal portal(1, "");
        const FileAnswer answer = answered();
        EXPECT_EQ(answer.path + answer.problem, "");
    }
    {
        const Portal portal(0, "https://somewhere/else");
        EXPECT_NE(answered().problem.find("no file of this machine"), std::string::npos);
    }
    EXPECT_NE(answered().problem, "") << "nobody has the name on the bus";
}

TEST(PortalTest, GoesWithTheWindow) {
    const Desktop desktop;
    if (!desktop.there()) GTEST_SKIP() << "no dbus-daemon or no libsystemd";
    const Portal portal(0, "", false);
    std::atomic<int> told = 0;
    {
        FileDialog dialog({}, [&] { ++told; });
        EXPECT_TRUE(eventually([&] { return portal.asked > 0; }));
        EXPECT_FALSE(dialog.answer()) << "nobody has chosen yet";
    }
    EXPECT_EQ(told, 0) << "nobody is there to be told";
    EXPECT_TRUE(eventually([&] { return portal.closed > 0; })) << "the dialog does not stay behind";
}

TEST(PortalTest, ReadsPathsOfThisMachine) {
    EXPECT_EQ(path_of_uri("file:///a/b.jsonl"), "/a/b.jsonl");
    EXPECT_EQ(path_of_uri("file://host/a%2Fb%2"), "/a/b%2");
    EXPECT_EQ(path_of_uri("ftp://host/a"), "");
    EXPECT_EQ(path_of_uri("file:nothing"), "");
}

} // namespace
} // namespace speclens
