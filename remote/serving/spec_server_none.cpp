// Of a build without connections: nothing is served, and whoever asks for it is told.
#include "engine/models/models.h"
#include "kernels/error.h"
#include "remote/serving/spec_server.h"

namespace speclens {

struct SpecServer::State {};

SpecServer::SpecServer(std::shared_ptr<const Models>, ServeSettings) {}
SpecServer::~SpecServer() = default;

int SpecServer::bind() {
    throw Error("nothing can be served from here: this program opens no connections", "Serve with the program for the desktop.",
                Exit::network);
}

void SpecServer::serve() {}
void SpecServer::stop() {}

std::string SpecServer::metrics() const { return ""; }

std::string SpecServer::batching() const { return ""; }

} // namespace speclens
