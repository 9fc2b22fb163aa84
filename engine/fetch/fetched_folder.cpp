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

bool is_fetched(const Fetchable& what) {
    std::error_code ignored;
    try {
        for (const Fetchable* one : with_draft(what))
            if (!std::filesystem::exists(fetched_folder() / one->file, ignored)) return false;
        return true;
    } catch (const Error&) { // no home, so nothing was fetched to it
        return false;
    }
}

} // namespace speclens
