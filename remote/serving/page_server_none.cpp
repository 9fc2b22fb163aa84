// Of a build without connections (spec_server_none.cpp).
#include "kernels/error.h"
#include "remote/serving/page_server.h"

namespace speclens {
namespace {

[[noreturn]] void refuse() {
    throw Error("nothing can be served from here: this program opens no connections", "Serve with the program for the desktop.",
                Exit::network);
}

} // namespace

struct PageServer::State {};

PageServer::PageServer(const std::filesystem::path&, std::string, int) {}
PageServer::~PageServer() = default;
int PageServer::bind() { refuse(); }
void PageServer::serve() {}
void PageServer::stop() {}

struct WordsServer::State {
    std::string address;
};

WordsServer::WordsServer() { refuse(); }
WordsServer::~WordsServer() = default;
const std::string& WordsServer::address() const { return state_->address; }
void WordsServer::show(const std::string&) {}

} // namespace speclens
