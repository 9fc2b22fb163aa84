// One file of assets/published to plain figures, every field checked. What concerns several figures (ids,
// conflicts, points) is checked by Published::load.
#pragma once

#include "engine/published/published.h"

namespace speclens {

[[nodiscard]] std::vector<PublishedSource> read_published_sources(const std::filesystem::path& file);
// Conflicts as the file states them: on one side only.
[[nodiscard]] std::vector<PublishedFigure> read_published_figures(const std::filesystem::path& file);

extern const char* const kPublishedRemedy;

} // namespace speclens
