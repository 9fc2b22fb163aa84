#include "remote/serving/page_server.h"

#include <httplib.h>

#include "kernels/error.h"

namespace speclens {

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
    // Not SO_REUSEPORT, the library's way: a second server would take every other request of the first.
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
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

int PageServer::bind() {
    State& s = *state_;
    int port = s.port;
    if (port == 0)
        port = s.server.bind_to_any_port(s.host);
    else if (!s.server.bind_to_port(s.host, port))
        port = -1;
    if (port < 0)
        throw Error("nothing can listen at " + s.host + ", port " + std::to_string(s.port), "Is it taken? Try --port 0, any free one.",
                    Exit::network);
    return port;
}

void PageServer::serve() { state_->server.listen_after_bind(); }

void PageServer::stop() { state_->server.stop(); }

} // namespace speclens
