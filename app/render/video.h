// Films for slides and talks: frames go to an encoder of the distribution (ffmpeg), which is looked for on PATH when it is wanted.
// Nothing of it is needed to build or to run the program.
#pragma once

#include <filesystem>
#include <memory>

#include "ui/raster.h"

namespace speclens {

// The encoder's program; empty: none is installed.
[[nodiscard]] std::filesystem::path video_encoder();

class VideoFile {
  public:
    // `file` ends in .mp4 or .webm. Throws Error where there is no encoder or it does not start.
    VideoFile(std::filesystem::path file, int width, int height);
    VideoFile(const VideoFile&) = delete;
    VideoFile& operator=(const VideoFile&) = delete;
    ~VideoFile(); // stops the encoder and removes the unfinished file unless finish() was called

    void show(const ui::Image& image, int ms); // of the size that was said
    void finish();                             // Throws Error, with what the encoder says, where it failed

  private:
    struct Encoder;
    [[noreturn]] void fail();
    std::unique_ptr<Encoder> encoder_;
};

} // namespace speclens
