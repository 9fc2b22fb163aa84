// A file out of its makers' repository on Hugging Face, over HTTPS: "/REPOSITORY/resolve/REVISION/FILE".
#pragma once

#include <string>

#include "engine/fetch/fetching.h"
#include "engine/fetch/part_file.h"

namespace speclens {

// "https://huggingface.co", or what HF_ENDPOINT names, as for Hugging Face's own programs. Throws Error (usage) where that is no address
// of https.
[[nodiscard]] std::string makers_origin();

// Goes on behind what `part` holds, by a request for the rest, and asks again where a line breaks that brought something. Redirects are
// followed by hand, five at most, and only to https; each new host is told. `ca`: HttpSettings::ca. Throws Cancelled, or Error:
// Exit::network (nobody answers, or not with the file), Exit::mismatch (a file of another size, a page in its place, a redirect to
// where nothing is encrypted), Exit::model (the disk); `part` holds what came.
void fetch_from_makers(const Fetching& job, const std::string& ca, PartFile& part);

} // namespace speclens
