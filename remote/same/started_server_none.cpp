// Of a build without connections: no server is started either.
#include "kernels/error.h"
#include "remote/same/started_server.h"

namespace speclens {

struct StartedServer::State {
    Endpoint endpoint;
    std::string command;
};

StartedServer::StartedServer(const std::string&, int) {
    throw Error("no server can be started from here: this program opens no connections", "Use the program for the desktop.", Exit::network);
}
StartedServer::~StartedServer() = default;
const Endpoint& StartedServer::endpoint() const { return state_->endpoint; }
const std::string& StartedServer::command() const { return state_->command; }
bool StartedServer::ended() { return true; }
std::string StartedServer::last_words() const { return ""; }

} // namespace speclens
