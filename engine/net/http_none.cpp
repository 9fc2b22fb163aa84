// Of a build without connections: nobody is asked anything, and whoever wants to is told.
#include "engine/net/http.h"
#include "kernels/error.h"

namespace speclens {
namespace {

[[noreturn]] void no_connections(const Endpoint& endpoint) {
    throw Error(endpoint.shown() + " cannot be asked from here: this program opens no connections",
                "Attach to servers with the program for the desktop.", Exit::network);
}

} // namespace

HttpAnswer http_get(const Endpoint& endpoint, const std::string&, const HttpSettings&) { no_connections(endpoint); }

HttpAnswer http_post(const Endpoint& endpoint, const std::string&, const std::string&, const HttpSettings&,
                     const std::function<bool(std::string_view)>&) {
    no_connections(endpoint);
}

void http_download(const Endpoint& endpoint, const std::string&, const std::vector<std::pair<std::string, std::string>>&,
                   const HttpSettings&, const std::function<bool(const HttpHead&)>&, const std::function<bool(std::string_view)>&) {
    no_connections(endpoint);
}

} // namespace speclens
