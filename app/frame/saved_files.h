// Runs and races that were saved with Ctrl+S: what the Open dialog lists.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ui/stories/message.h"

namespace speclens {

struct SavedFile {
    std::string path;
    std::string label; // the prompt
    Message detail;    // "domino, K = 7, T = 0 · 22 Nov 13:10"
};

// Newest first, 100 at most. Of every file only its beginning is read; what is neither run nor race is left
// out, and a folder that cannot be read is an empty one.
[[nodiscard]] std::vector<SavedFile> saved_files(const std::filesystem::path& folder);

} // namespace speclens
