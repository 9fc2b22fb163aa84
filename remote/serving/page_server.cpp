#include "remote/serving/page_server.h"

#include <fcntl.h>
#include <httplib.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "kernels/error.h"

namespace speclens {
namespace {

// Not SO_REUSEPORT, the library's way: a second server would take every other request of the first.
void take_port_alone(httplib::Server& server) {
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        fcntl(socket, F_SETFD, FD_CLOEXEC); // a browser that is started here would hold it
    });
}

int bind_to(httplib::Server& server, const std::string& host, int port) {
    const int bound = port == 0 ? server.bind_to_any_port(host) : server.bind_to_port(host, port) ? port : -1;
    if (bound < 0)
        throw Error("nothing can listen at " + host + ", port " + std::to_string(port), "Is it taken? Try --port 0, any free one.",
                    Exit::network);
    return bound;
}

// A line that stays what it was is left alone, so that only what is new is read out.
constexpr const char* kWordsPage = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>SpecLens</title>
<style>:root { color-scheme: light dark } body { max-width: 48em; margin: 2em auto; padding: 0 1em; font: 1.1em/1.5 sans-serif }
p { margin: 0; min-height: .8em; overflow-wrap: anywhere }</style>
<main aria-live="polite" aria-relevant="additions text"></main><div role="alert"></div>
<script>
const main = document.querySelector('main'), source = new EventSource('words');
let told = {};
source.onmessage = event => {
  told = JSON.parse(event.data);
  document.documentElement.lang = told.language;
  document.title = told.title;
  const lines = told.text.split('\n');
  while (main.children.length > lines.length) main.lastChild.remove();
  lines.forEach((line, i) => {
    const place = main.children[i] || main.appendChild(document.createElement('p'));
    if (place.textContent !== line) place.textContent = line;
  });
};
source.addEventListener('closed', () => {
  source.close();
  document.querySelector('div').textContent = told.closed;
});
</script>
)";

std::string unguessable() {
    std::array<unsigned char, 16> bytes{};
    if (getentropy(bytes.data(), bytes.size()) != 0) throw Error("the system gives no random numbers", "Try again.", Exit::network);
    std::string text;
    for (const unsigned char byte : bytes) text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    return text;
}

} // namespace

struct PageServer::State {
    std::string host;
    int port = 0;
    httplib::Server server;
};

PageServer::PageServer(const std::filesystem::path& folder, std::string host, int port) : state_(std::make_unique<State>()) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(folder / "index.html", ignored))
        throw Error(folder.string() + " has no index.html", "Name the folder of a page.", Exit::model);
    state_->host = std::move(host);
    state_->port = port;
    httplib::Server& server = state_->server;
    take_port_alone(server);
    server.set_file_extension_and_mimetype_mapping("wasm", "application/wasm");
    // A name of JavaScript that the library does not compress: with Brotli it takes seconds, every time that a worker asks.
    server.set_file_extension_and_mimetype_mapping("js", "application/x-javascript");
    server.set_file_extension_and_mimetype_mapping("gz", "application/gzip"); // the page unpacks them itself
    server.set_mount_point("/", folder.string());
    server.set_default_headers({{"Cross-Origin-Opener-Policy", "same-origin"},
                                {"Cross-Origin-Embedder-Policy", "require-corp"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-cache"},
                                {"X-Content-Type-Options", "nosniff"}});
}

PageServer::~PageServer() { stop(); }

int PageServer::bind() { return bind_to(state_->server, state_->host, state_->port); }

void PageServer::serve() { state_->server.listen_after_bind(); }

void PageServer::stop() { state_->server.stop(); }

struct WordsServer::State {
    httplib::Server server;
    std::string address;
    std::mutex mutex;
    std::condition_variable changed;
    std::string words; // from here to `over`: of the mutex
    std::uint64_t number = 0;
    bool over = false;
    int readers = 0;
    std::thread thread;

    void count(int more) {
        const std::lock_guard held(mutex);
        readers += more;
        changed.notify_all();
    }

    // The next words, or after a second nothing, which a reader that has gone cannot be sent.
    bool tell(std::uint64_t& told, httplib::DataSink& sink) {
        std::unique_lock held(mutex);
        changed.wait_for(held, std::chrono::seconds(1), [&] { return over || number != told; });
        const std::string event = over ? "event: closed\ndata:\n\n" : number != told ? "data: " + words + "\n\n" : ":\n\n";
        told = number;
        const bool ends = over;
        held.unlock();
        const bool sent = sink.write(event.data(), event.size());
        if (ends) sink.done();
        return sent;
    }
};

WordsServer::WordsServer() : state_(std::make_unique<State>()) {
    State& s = *state_;
    const std::string path = "/" + unguessable() + "/";
    take_port_alone(s.server);
    s.server.set_keep_alive_max_count(1); // a connection at rest would be waited for at the end
    s.server.set_keep_alive_timeout(1);
    s.server.set_default_headers({{"Cache-Control", "no-store"},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"X-Content-Type-Options", "nosniff"},
                                  {"Content-Security-Policy", "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; "
                                                              "style-src 'unsafe-inline'; frame-ancestors 'none'"}});
    s.server.Get(path, [](const httplib::Request&, httplib::Response& response) { response.set_content(kWordsPage, "text/html"); });
    s.server.Get(path + "words", [&s](const httplib::Request&, httplib::Response& response) {
        s.count(1);
        response.set_chunked_content_provider(
            "text/event-stream", [&s, told = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable { return s.tell(told, sink); },
            [&s](bool) { s.count(-1); });
    });
    s.address = "http://127.0.0.1:" + std::to_string(bind_to(s.server, "127.0.0.1", 0)) + path;
    s.thread = std::thread([&s] { s.server.listen_after_bind(); });
    while (!s.server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1)); // else stop() has nothing to stop
}

WordsServer::~WordsServer() {
    State& s = *state_;
    {
        std::unique_lock held(s.mutex);
        s.over = true;
        s.changed.notify_all();
        // Between two events a reader is not told by a server that has stopped; one that reads nothing is not waited for.
        s.changed.wait_for(held, std::chrono::seconds(2), [&] { return s.readers == 0; });
    }
    s.server.stop();
    s.thread.join();
}

const std::string& WordsServer::address() const { return state_->address; }

void WordsServer::show(const std::string& words) {
    const std::lock_guard held(state_->mutex);
    if (words == state_->words) return;
    state_->words = words;
    ++state_->number;
    state_->changed.notify_all();
}

} // namespace speclens
