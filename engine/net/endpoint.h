// Where a server listens, from what people type.
#pragma once

#include <string>

namespace speclens {

struct Endpoint {
    std::string origin;    // "http://127.0.0.1:8000"
    std::string base;      // path in front of /metrics and /v1, without a slash at its end; usually empty
    bool secure = false;   // https
    bool loopback = false; // this machine

    [[nodiscard]] std::string shown() const { return origin + base; }
};
// "127.0.0.1:8000", "http://host:30000/v1", "https://host/path/metrics"; a missing scheme is http, a missing
// port 8000 (80 and 443 where a scheme was typed). Throws Error (usage).
[[nodiscard]] Endpoint parse_endpoint(const std::string& text);
// Whether `text` looks like a URL rather than the name of a file.
[[nodiscard]] bool looks_like_endpoint(const std::string& text);

} // namespace speclens
