#include <cstdlib>

#include "engine/fetch/fetch.h"
#include "kernels/error.h"

namespace speclens {

std::filesystem::path fetched_folder() {
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    if (data && *data) return std::filesystem::path(data) / "speclens" / "models";
    if (home && *home) return std::filesystem::path(home) / ".local" / "share" / "speclens" / "models";
    throw Error("neither XDG_DATA_HOME nor HOME is set: no place for models", "Set one of them.");
}

} // namespace speclens
