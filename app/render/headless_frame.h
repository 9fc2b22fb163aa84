// A whole frame to a file, for the command line and for the window's own export and screenshot.
#pragma once

#include <filesystem>
#include <functional>

#include "app/frame/frame.h"
#include "ui/headless.h"

namespace speclens {

// .png or .svg by the ending; width and height in device pixels. Popups are left out. Throws Error.
void draw_to_file(const FrameInput& input, const FrameUi& kept, int width, int height, const std::filesystem::path& file);

// The same as pixels, in a frame of the caller's.
[[nodiscard]] ui::Image draw_image(const FrameInput& input, const FrameUi& kept, int width, int height, ui::HeadlessFrame& frame);
// The same on a part of the picture, in logical px; `more` is drawn over it.
[[nodiscard]] ui::Image draw_image(const FrameInput& input, const FrameUi& kept, int width, int height, ui::HeadlessFrame& frame,
                                   ui::Rect screen, const std::function<void(ui::Canvas&)>& more);

// In words, in the language of the pictures.
[[nodiscard]] std::string frame_words(const FrameInput& input);

// "dark", "light", "contrast"; throws Error (usage) for anything else.
[[nodiscard]] ui::ThemeKind theme_named(const std::string& name);

} // namespace speclens
