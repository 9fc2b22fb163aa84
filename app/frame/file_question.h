// What a file dialog of the desktop is asked for.
#pragma once

#include <cstdint>
#include <string>

namespace speclens {

struct FileQuestion {
    enum class For : std::uint8_t { open, model, save } what = For::open;
    std::string title;                  // in the language of the window
    std::string start;                  // folder or file to begin at; may be empty
    std::string known = {}, every = {}; // what a list calls the files that are read, and all files; in that language
};

} // namespace speclens
