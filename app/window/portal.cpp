#include "app/window/portal.h"

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace speclens {
namespace {

constexpr const char *kName = "org.freedesktop.portal.Desktop", *kPath = "/org/freedesktop/portal/desktop",
                     *kChooser = "org.freedesktop.portal.FileChooser", *kRequest = "org.freedesktop.portal.Request";

// What is used of sd-bus (libsystemd), with its own signatures: sd_bus and the like are opaque.
struct Bus;
struct BusMessage;
using Handler = int (*)(BusMessage*, void*, void*);
struct Library {
    int (*open)(Bus**) = nullptr;
    Bus* (*unref)(Bus*) = nullptr;
    int (*unique_name)(Bus*, const char**) = nullptr;
    int (*match)(Bus*, void**, const char*, const char*, const char*, const char*, Handler, void*) = nullptr;
    int (*new_call)(Bus*, BusMessage**, const char*, const char*, const char*, const char*) = nullptr;
    int (*append)(BusMessage*, const char*, ...) = nullptr;
    int (*open_container)(BusMessage*, char, const char*) = nullptr;
    int (*close_container)(BusMessage*) = nullptr;
    int (*call)(Bus*, BusMessage*, std::uint64_t, void*, BusMessage**) = nullptr;
    BusMessage* (*message_unref)(BusMessage*) = nullptr;
    int (*read)(BusMessage*, const char*, ...) = nullptr;
    int (*enter)(BusMessage*, char, const char*) = nullptr;
    int (*leave)(BusMessage*) = nullptr;
    int (*skip)(BusMessage*, const char*) = nullptr;
    int (*process)(Bus*, BusMessage**) = nullptr;
    int (*fd)(Bus*) = nullptr;
    int (*flush)(Bus*) = nullptr;
    bool whole = false;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name)); // NOLINT: dlsym returns functions so
    return function != nullptr;
}

Library load() {
    Library l;
    void* file = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!file) return l;
    l.whole = find(file, "sd_bus_open_user", l.open) && find(file, "sd_bus_flush_close_unref", l.unref) &&
              find(file, "sd_bus_get_unique_name", l.unique_name) && find(file, "sd_bus_match_signal", l.match) &&
              find(file, "sd_bus_message_new_method_call", l.new_call) && find(file, "sd_bus_message_append", l.append) &&
              find(file, "sd_bus_message_open_container", l.open_container) &&
              find(file, "sd_bus_message_close_container", l.close_container) && find(file, "sd_bus_call", l.call) &&
              find(file, "sd_bus_message_unref", l.message_unref) && find(file, "sd_bus_message_read", l.read) &&
              find(file, "sd_bus_message_enter_container", l.enter) && find(file, "sd_bus_message_exit_container", l.leave) &&
              find(file, "sd_bus_message_skip", l.skip) && find(file, "sd_bus_process", l.process) && find(file, "sd_bus_get_fd", l.fd) &&
              find(file, "sd_bus_flush", l.flush);
    return l;
}

const Library& library() {
    static const Library kLoaded = load();
    return kLoaded;
}

bool bus_there() {
    if (std::getenv("DBUS_SESSION_BUS_ADDRESS")) return true;
    const char* run = std::getenv("XDG_RUNTIME_DIR");
    return run && access((std::string(run) + "/bus").c_str(), R_OK | W_OK) == 0;
}

// What the bus starts when it is asked for it.
bool portal_installed() {
    const char* set = std::getenv("XDG_DATA_DIRS");
    std::string_view folders = set && *set ? set : "/usr/local/share:/usr/share";
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        const std::string file = std::string(folders.substr(0, end)) + "/dbus-1/services/" + kName + ".service";
        if (access(file.c_str(), R_OK) == 0) return true;
        folders.remove_prefix(std::min(folders.size(), end + 1));
    }
    return false;
}

struct Close {
    void operator()(Bus* bus) const { library().unref(bus); }
    void operator()(BusMessage* message) const { library().message_unref(message); }
};
using BusHandle = std::unique_ptr<Bus, Close>;
using MessageHandle = std::unique_ptr<BusMessage, Close>;

// Its answer: 0 and what was chosen, or another number where nothing was.
struct Response {
    bool there = false;
    std::uint32_t code = 2;
    std::string uri;
};

int receive(BusMessage* message, void* to, void*) {
    const Library& l = library();
    auto& response = *static_cast<Response*>(to);
    response.there = true;
    if (l.read(message, "u", &response.code) < 0 || l.enter(message, 'a', "{sv}") < 0) return 0;
    while (l.enter(message, 'e', "sv") > 0) {
        const char *key = nullptr, *uri = nullptr;
        if (l.read(message, "s", &key) < 0) return 0;
        if (std::string_view(key) != "uris") {
            (void)l.skip(message, "v");
        } else if (l.enter(message, 'v', "as") > 0 && l.enter(message, 'a', "s") > 0) {
            if (l.read(message, "s", &uri) > 0) response.uri = uri;
            return 0; // of several the first
        }
        (void)l.leave(message);
    }
    return 0;
}

bool append_filters(BusMessage* message, const FileQuestion& question) {
    const Library& l = library();
    bool fine = l.open_container(message, 'e', "sv") >= 0 && l.append(message, "s", "filters") >= 0 &&
                l.open_container(message, 'v', "a(sa(us))") >= 0 && l.open_container(message, 'a', "(sa(us))") >= 0;
    const auto add = [&](const std::string& name, const std::vector<std::string>& patterns) {
        fine = fine && l.open_container(message, 'r', "sa(us)") >= 0 && l.append(message, "s", name.c_str()) >= 0 &&
               l.open_container(message, 'a', "(us)") >= 0;
        for (const std::string& pattern : patterns) fine = fine && l.append(message, "(us)", 0U, pattern.c_str()) >= 0;
        fine = fine && l.close_container(message) >= 0 && l.close_container(message) >= 0;
    };
    add(question.known, file_patterns(question.what));
    add(question.every, {"*"});
    for (int i = 0; i < 3; ++i) fine = fine && l.close_container(message) >= 0;
    return fine;
}

MessageHandle asked_message(Bus* bus, const FileQuestion& question, const std::string& token) {
    const Library& l = library();
    const bool save = question.what == FileQuestion::For::save;
    BusMessage* made = nullptr;
    if (l.new_call(bus, &made, kName, kPath, kChooser, save ? "SaveFile" : "OpenFile") < 0) return nullptr;
    MessageHandle message(made);
    bool fine = l.append(made, "ss", "", question.title.c_str()) >= 0 && l.open_container(made, 'a', "{sv}") >= 0 &&
                l.append(made, "{sv}", "handle_token", "s", token.c_str()) >= 0;
    if (save) {
        const std::string name = std::filesystem::path(question.start).filename().string();
        fine = fine && l.append(made, "{sv}", "current_name", "s", name.c_str()) >= 0;
    } else {
        fine = fine && append_filters(made, question);
    }
    fine = fine && l.close_container(made) >= 0;
    return fine ? std::move(message) : nullptr;
}

// ":1.42" and a token make the path at which the portal answers.
std::string request_path(Bus* bus, const std::string& token) {
    const char* name = nullptr;
    if (library().unique_name(bus, &name) < 0 || !name) return "";
    std::string sender = name[0] == ':' ? name + 1 : name;
    std::ranges::replace(sender, '.', '_');
    return std::string(kPath) + "/request/" + sender + "/" + token;
}

void close_request(Bus* bus, const std::string& path) {
    BusMessage *made = nullptr, *answer = nullptr;
    constexpr std::uint64_t kMicroseconds = 500'000;
    if (library().new_call(bus, &made, kName, path.c_str(), kRequest, "Close") < 0) return;
    const MessageHandle message(made);
    if (library().call(bus, made, kMicroseconds, nullptr, &answer) >= 0) library().message_unref(answer);
}

} // namespace

bool portal_there() { return bus_there() && portal_installed() && library().whole; }

FileAnswer ask_portal(const FileQuestion& question, int closing) {
    const FileAnswer none{"", "the desktop portal showed no dialog"};
    const Library& l = library();
    Bus* opened = nullptr;
    if (!l.whole || l.open(&opened) < 0) return none;
    const BusHandle bus(opened);
    const std::string token = "speclens" + std::to_string(getpid());
    const std::string path = request_path(opened, token);
    Response response;
    if (path.empty() || l.match(opened, nullptr, kName, path.c_str(), kRequest, "Response", receive, &response) < 0) return none;
    const MessageHandle message = asked_message(opened, question, token);
    BusMessage* answer = nullptr;
    if (!message || l.call(opened, message.get(), 0, nullptr, &answer) < 0) return none;
    l.message_unref(answer);
    while (!response.there) {
        const int done = l.process(opened, nullptr);
        if (done < 0) return none;
        if (done > 0) continue;
        (void)l.flush(opened);
        std::array<pollfd, 2> wait = {pollfd{l.fd(opened), POLLIN, 0}, pollfd{closing, POLLIN, 0}};
        if (poll(wait.data(), wait.size(), -1) > 0 && wait[1].revents != 0) {
            close_request(opened, path);
            return {};
        }
    }
    if (response.code == 1) return {}; // closed without a choice
    if (response.code != 0) return none;
    const std::string file = path_of_uri(response.uri);
    if (file.empty()) return {"", response.uri + " is no file of this machine"};
    return {file, ""};
}

std::string path_of_uri(const std::string& uri) {
    constexpr std::string_view kFile = "file://";
    if (!uri.starts_with(kFile)) return "";
    const std::size_t slash = uri.find('/', kFile.size()); // behind the name of a host, which is mostly left out
    if (slash == std::string::npos) return "";
    std::string path;
    for (std::size_t i = slash; i < uri.size(); ++i) {
        const auto digit = [&](std::size_t at) { return at < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[at])) != 0; };
        if (uri[i] == '%' && digit(i + 1) && digit(i + 2)) {
            path += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            path += uri[i];
        }
    }
    return path;
}

} // namespace speclens
