// Of a build without connections (spec_server_none.cpp).
#include "kernels/error.h"
#include "remote/serving/page_server.h"

namespace speclens {

struct PageServer::State {};

PageServer::PageServer(const std::filesystem::path&, std::string, int) {}
PageServer::~PageServer() = default;

int PageServer::bind() {
    throw Error("nothing can be served from here: this program opens no connections", "Serve with the program for the desktop.",
                Exit::network);
}

void PageServer::serve() {}
void PageServer::stop() {}

} // namespace speclens
