#include "remote/client/received_bytes.h"

#ifdef __linux__
// The kernel's own structure: that of <netinet/tcp.h> ends before the count, and both cannot be included at once.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#endif

namespace speclens {

std::uint64_t received_bytes([[maybe_unused]] int socket) {
#ifdef __linux__
    tcp_info info{};
    socklen_t size = sizeof info;
    // The kernel copies as much as it knows, and says how much that was.
    constexpr std::size_t kEnd = offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= kEnd) return info.tcpi_bytes_received;
#endif
    return 0;
}

} // namespace speclens
