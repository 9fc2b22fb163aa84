// What came and went over a TCP connection so far, whoever read it.
#pragma once

#include <cstdint>

namespace speclens {

// Bytes; 0 where the system does not tell: no TCP socket, or a kernel older than the count (Linux 4.2).
[[nodiscard]] std::uint64_t received_bytes(int socket);
// What was sent, each byte once; 0 as above (Linux 4.19).
[[nodiscard]] std::uint64_t sent_bytes(int socket);

} // namespace speclens
