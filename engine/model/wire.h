// What a pass that is made elsewhere costs on the way there and back.
#pragma once

#include <cstdint>

namespace speclens {

struct Wire {
    std::int64_t sent = 0, received = 0; // bytes of request and answer; with their headers where the system counts them (Linux)
    double ms = 0;                       // from connecting to the last byte of the answer
    double server_ms = 0;                // the server's part of `ms`, by its own word; 0: it does not say
    int retries = 0;                     // the line broke, and it was asked again
    bool operator==(const Wire&) const = default;
};

} // namespace speclens
