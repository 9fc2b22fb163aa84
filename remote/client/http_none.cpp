// Of a build without connections: nobody is asked anything, and whoever wants to is told.
#include "kernels/error.h"
#include "remote/client/http.h"

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

} // namespace speclens
