// A lecture for the window, as pictures with a handout, and in words.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/subject.h"
#include "app/frontend/frontend.h"
#include "app/views/lecture.h"
#include "kernels/error.h"

namespace speclens::cli {

// The file of that name here, or among the lectures that came with the program. Throws Error when there is
// none.
[[nodiscard]] std::filesystem::path find_lecture(const std::string& word);
// What a link asks for, with the models, backend and threads of `options`. Throws Error for a link that needs other models;
// where `other` is given, it takes the link's model instead, as links name it.
[[nodiscard]] Options options_of_link(const Options& options, const Link& link, std::string* other = nullptr);
[[nodiscard]] ViewReader view_reader(const Options& options); // for a window with these options
// Models, backend and threads are those of `options`, everything else of the links. The view of a step says of which model it is,
// and what of it another one needs. Throws Error for a link that names a place or an address.
[[nodiscard]] LectureView lecture_view(const Options& options, const std::filesystem::path& file);

// Every step with its run; models are loaded once. What a step shows is measured once, so that everything that is made of it agrees.
// Throws Error. `rounds`: where a step is of a round, with every place of that up to the step's own.
using EachStep = std::function<void(std::size_t step, const FrameRequest& request, const Subject& subject)>;
void each_step(const Options& options, const Lecture& lecture, const EachStep& each, bool rounds = false);

// Into the folder of --all: 01-bottleneck.png …, and handout.html with what a page says of each and every picture in words.
[[nodiscard]] Exit render_lecture(const Options& options);
[[nodiscard]] Exit describe_lecture(const Options& options);

} // namespace speclens::cli
