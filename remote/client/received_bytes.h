// What came over a TCP connection so far, whoever read it.
#pragma once

#include <cstdint>

namespace speclens {

// Bytes; 0 where the system does not tell: no TCP socket, or a kernel older than the count (Linux 4.2).
[[nodiscard]] std::uint64_t received_bytes(int socket);

} // namespace speclens
