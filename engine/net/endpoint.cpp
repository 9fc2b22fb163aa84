#include "engine/net/endpoint.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "kernels/error.h"

namespace speclens {
namespace {

[[noreturn]] void bad_endpoint(const std::string& text, const std::string& why) {
    throw Error("'" + text + "' is no address of a server: " + why, "For example http://127.0.0.1:8000.", Exit::usage);
}

// 127.0.0.0/8; a name may begin alike.
bool is_loopback(const std::string& host) {
    return host.starts_with("127.") && std::ranges::count(host, '.') == 3 &&
           std::ranges::all_of(host, [](unsigned char c) { return c == '.' || std::isdigit(c); });
}

bool whole_port(const std::string& text) {
    return !text.empty() && text.size() <= 5 && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }) &&
           std::stoi(text) >= 1 && std::stoi(text) <= 65535;
}

bool host_byte(unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']'; }

} // namespace

Endpoint parse_endpoint(const std::string& text) {
    std::string rest = text, scheme = "http";
    const std::size_t colon = rest.find("://");
    const bool typed = colon != std::string::npos;
    if (typed) {
        scheme = rest.substr(0, colon);
        std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        rest.erase(0, colon + 3);
    }
    if (scheme != "http" && scheme != "https") bad_endpoint(text, "the scheme is '" + scheme + "', not http or https");
    Endpoint out;
    out.secure = scheme == "https";
    const std::size_t slash = rest.find('/');
    std::string host = rest.substr(0, slash), path = slash == std::string::npos ? "" : rest.substr(slash);
    if (host.find('@') != std::string::npos)
        bad_endpoint(text.substr(0, colon == std::string::npos ? 0 : colon + 3) + "…",
                     "names and passwords do not belong there; --key-from NAME takes a key from the environment");
    if (path.find_first_of("?# ") != std::string::npos) bad_endpoint(text, "its path has a query or a space");
    const bool bracket = !host.empty() && host.front() == '[';
    const std::size_t end = bracket ? host.find(']') : 0;
    if (bracket && end == std::string::npos) bad_endpoint(text, "a bracket is not closed");
    const std::size_t port_at = host.find(':', end);
    std::string port = port_at == std::string::npos ? "" : host.substr(port_at + 1);
    host = host.substr(0, port_at);
    if (host.empty()) bad_endpoint(text, "it has no host");
    if (!std::all_of(host.begin(), host.end(), host_byte)) bad_endpoint(text, "the host has a character that no host has");
    if (port_at != std::string::npos && !whole_port(port)) bad_endpoint(text, "the port is '" + port + "'");
    if (port.empty()) port = !typed ? "8000" : out.secure ? "443" : "80";
    // What people copy from a browser or a client's settings.
    while (!path.empty() && path.back() == '/') path.pop_back();
    for (const char* known : {"/metrics", "/v1", "/v1/models", "/health"})
        if (path.size() >= std::string(known).size() && path.ends_with(known)) {
            path.erase(path.size() - std::string(known).size());
            break;
        }
    out.origin = scheme + "://" + host + ":" + port;
    out.base = path;
    out.loopback = host == "localhost" || host == "[::1]" || is_loopback(host);
    return out;
}

bool looks_like_endpoint(const std::string& text) {
    if (text.find("://") != std::string::npos) return true;
    std::error_code ignored; // a name that no file can have, or a folder that is closed to us
    if (std::filesystem::exists(text, ignored)) return false;
    const std::string head = text.substr(0, text.find('/'));
    const std::size_t colon = head.rfind(':');
    return colon != std::string::npos && whole_port(head.substr(colon + 1));
}

} // namespace speclens
