// Talking HTTP to somebody else's server, within bounds: time, size, and the user's patience.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/net/endpoint.h"

namespace speclens {

struct HttpSettings {
    std::string key;                                        // sent as "Authorization: Bearer KEY"; empty: none
    double connect_seconds = 3;                             // to each address of the server
    double silence_seconds = 10;                            // the longest wait for the next byte
    double until = std::numeric_limits<double>::infinity(); // seconds of the steady clock, behind which every answer is late
    std::size_t most_bytes = 16'000'000;                    // of one answer, and of its header
    const std::atomic<bool>* cancelled = nullptr;           // checked every 50 ms; may be null
    // A file of certificates (PEM) that a secure server is judged by. Empty: the system's, or those of SSL_CERT_FILE and SSL_CERT_DIR.
    std::string ca = {};
};
struct HttpAnswer {
    int status = 0;
    std::string body;
    // Bytes that went and came, with both headers where the system counts them (a secure connection: encrypted), else the bodies'.
    std::int64_t sent = 0, received = 0;
    [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

// All throw Error (exit network) when nobody listens, the certificate is wrong, the answer is too slow or
// too large, and Error (exit interrupted) when cancelled; every status is an answer. `path` begins with '/'
// and follows the endpoint's base. Silences bound what drips, too: after connect_seconds and two of them (and
// a second for each 10 kB of the request) the header has to be whole, and three later the body.
[[nodiscard]] HttpAnswer http_get(const Endpoint& endpoint, const std::string& path, const HttpSettings& settings = {});
// `body` is JSON. What comes back with a good status is handed on as it arrives, not kept; false ends it. It
// may go on for ever, as long as something of it arrives in every two silences.
[[nodiscard]] HttpAnswer http_post(const Endpoint& endpoint, const std::string& path, const std::string& body, const HttpSettings& settings,
                                   const std::function<bool(std::string_view)>& arrived);

struct HttpHead {
    int status = 0;
    std::function<std::string(const std::string& name)> field; // of the header; empty: it has none
};
// A file: its bytes are handed on as http_post does. `path` may have a query, and is sent as it is. No redirect is followed: `head` sees
// the status and the header of the answer first, and false from it ends the connection without an error.
void http_download(const Endpoint& endpoint, const std::string& path, const std::vector<std::pair<std::string, std::string>>& fields,
                   const HttpSettings& settings, const std::function<bool(const HttpHead&)>& head,
                   const std::function<bool(std::string_view)>& arrived);

} // namespace speclens
