// Of a build without connections: nothing is fetched, and whoever asks is told.
#include "engine/fetch/fetch.h"
#include "kernels/error.h"

namespace speclens {

Fetched fetch_model(const Fetchable& what, const std::filesystem::path&, const Progress&, const std::function<void(const std::string&)>&) {
    throw Error(what.title + " cannot be fetched here: this program opens no connections", "Open its file instead.", Exit::network);
}

} // namespace speclens
