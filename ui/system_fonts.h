// Fonts of the system, for scripts that the window's own fonts have no glyphs for. Asks fontconfig, which is looked for
// when the first such character appears; on a system without it there are none. Knows no ImGui.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace speclens::ui {

struct FontFile {
    std::string path;
    int index = 0; // of the face in a collection (.ttc)
};
// Files with an outline for this character, the system's first choice first; empty: there is none.
using FindFonts = std::function<std::vector<FontFile>(char32_t code_point)>;
[[nodiscard]] std::vector<FontFile> system_fonts_for(char32_t code_point);

} // namespace speclens::ui
