#include "engine/net/received_bytes.h"

#ifdef __linux__
// The kernel's own structure: that of <netinet/tcp.h> ends before the count, and both cannot be included at once.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#endif

namespace speclens {

#ifdef __linux__
namespace {

// What the kernel tells up to `end`, a byte of the structure; zeros where it tells less. It copies as much as it knows, and says
// how much that was.
tcp_info tcp_info_of(int socket, std::size_t end) {
    tcp_info info{};
    socklen_t size = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= end ? info : tcp_info{};
}

} // namespace

std::uint64_t received_bytes(int socket) {
    return tcp_info_of(socket, offsetof(tcp_info, tcpi_bytes_received) + sizeof(tcp_info::tcpi_bytes_received)).tcpi_bytes_received;
}

std::uint64_t sent_bytes(int socket) {
    const tcp_info info = tcp_info_of(socket, offsetof(tcp_info, tcpi_bytes_retrans) + sizeof(tcp_info::tcpi_bytes_retrans));
    return info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
}
#else
std::uint64_t received_bytes(int) { return 0; }

std::uint64_t sent_bytes(int) { return 0; }
#endif

} // namespace speclens
