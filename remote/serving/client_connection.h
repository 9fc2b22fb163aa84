// The connection of a request, to see whether its client is still there while nothing is sent. The library tells that since 0.18
// only, and of older ones only where something is written; so it is found among the sockets of this process, once for a request.
#pragma once

#include <httplib.h>

namespace speclens {

class ClientConnection {
  public:
    explicit ClientConnection(const httplib::Request& request); // on its thread, which keeps the connection open
    [[nodiscard]] bool closed() const;                          // by the other side; false where it was not found

  private:
    int socket_ = -1;
};

} // namespace speclens
