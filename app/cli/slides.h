// Frames with their words as one HTML page that is whole in itself: no program, no other file, no connection. It opens from a mail.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/view.h"
#include "kernels/error.h"

namespace speclens::cli {

struct Slide {
    std::string title;
    std::string notes;   // below the picture; may be empty
    std::string words;   // of the picture, in English
    std::string link;    // empty: none leads there
    std::string made;    // as made_words() has it
    std::string picture; // the bytes of a PNG
};

inline constexpr std::size_t kMostPageBytes = 3'000'000; // what a mail takes without trouble

// In the language of the pictures; the words are English. Arrows, Page Up and Down, Home and End turn it, a finger pushes it on, and
// without scripts the links below each picture do. Throws Error (usage) where it would have more than kMostPageBytes.
[[nodiscard]] std::string slides_page(const std::string& title, const std::string& about, const std::vector<Slide>& slides);

// Of places first … last so many at most, evenly, with both ends.
[[nodiscard]] std::vector<int> slide_places(int first, int last, int most);

// Where a picture came from, as its badge says, of which models, and where and when it was made; empty: no run is behind it.
[[nodiscard]] std::string made_words(const FrameRequest& request, const Trace* trace);
[[nodiscard]] std::string escaped(const std::string& text); // for HTML
[[nodiscard]] std::string base64(const std::string& bytes);

// `speclens render … -o FILE.html`: the beats of a scene, or its steps, or a lecture.
[[nodiscard]] Exit render_slides(const Options& options);

} // namespace speclens::cli
