#include "remote/serving/client_connection.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace speclens {
namespace {

struct Address {
    std::string host;
    int port = -1;
    bool operator==(const Address&) const = default;
};

using Ask = int (*)(int, sockaddr*, socklen_t*); // getpeername, getsockname

Address address_of(int socket, Ask ask) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* const any = reinterpret_cast<sockaddr*>(&storage);
    if (ask(socket, any, &size) != 0) return {};
    char text[INET6_ADDRSTRLEN] = "";
    if (storage.ss_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(&storage);
        (void)inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
        return {text, ntohs(v4->sin_port)};
    }
    if (storage.ss_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
        (void)inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
        return {text, ntohs(v6->sin6_port)};
    }
    return {};
}

} // namespace

ClientConnection::ClientConnection(const httplib::Request& request) {
    const Address wanted{request.remote_addr, request.remote_port};
    DIR* const all = opendir("/proc/self/fd");
    if (!all) return;
    while (const dirent* const entry = readdir(all)) {
        if (entry->d_name[0] == '.') continue;
        const int socket = std::atoi(entry->d_name);
        // The other end of a connection within this process has the same two addresses the other way round.
        if (address_of(socket, getpeername) != wanted || address_of(socket, getsockname).port != request.local_port) continue;
        socket_ = socket;
        break;
    }
    closedir(all);
}

bool ClientConnection::closed() const {
    if (socket_ < 0) return false;
    char byte = 0;
    const auto got = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

} // namespace speclens
