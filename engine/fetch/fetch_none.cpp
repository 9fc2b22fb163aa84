// Of a build without connections: nothing is fetched, and whoever asks is told.
#include "engine/fetch/fetch.h"
#include "kernels/error.h"

namespace speclens {

std::vector<Fetched> fetch_models(const std::vector<const Fetchable*>& what, const std::filesystem::path&, const FetchSettings&,
                                  const Progress&, const std::function<void(const std::string&)>&) {
    throw Error(what.back()->title + " cannot be fetched here: this program opens no connections", "Open its file instead.", Exit::network);
}

} // namespace speclens
