#include "app/render/video.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/frontend/frontend.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

extern char** environ;

namespace speclens {
namespace {

namespace fs = std::filesystem;

constexpr int kFramesPerSecond = 1000 / kVideoTick;

// Of what `-h` says of it: whole pictures in, one film out, sizes made even as most players want them.
std::vector<std::string> arguments(const fs::path& encoder, const fs::path& file, const std::string& ending, int width, int height) {
    // clang-format off
    std::vector<std::string> list = {encoder.string(), "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
                                     "-f", "rawvideo", "-pixel_format", "rgba",
                                     "-video_size", std::to_string(width) + "x" + std::to_string(height),
                                     "-framerate", std::to_string(kFramesPerSecond), "-i", "pipe:0", "-an",
                                     "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"};
    // clang-format on
    // Encoders are the default ones of the format, whichever this ffmpeg was built with.
    const std::vector<std::string> own = ending == ".webm" ? std::vector<std::string>{"-crf", "24", "-b:v", "0", "-f", "webm"}
                                                           : std::vector<std::string>{"-crf", "18", "-movflags", "+faststart", "-f", "mp4"};
    list.insert(list.end(), own.begin(), own.end());
    list.push_back(file.string());
    return list;
}

std::string said_on(int file) {
    std::string words;
    std::array<char, 512> piece{};
    ::lseek(file, 0, SEEK_SET);
    for (ssize_t got = 0; words.size() < 2000 && (got = ::read(file, piece.data(), piece.size())) > 0;)
        words.append(piece.data(), static_cast<std::size_t>(got));
    while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
    return words.substr(words.rfind('\n') == std::string::npos ? 0 : words.rfind('\n') + 1); // the last line says why
}

} // namespace

fs::path video_encoder() {
    const char* path = std::getenv("PATH");
    std::string_view left = path ? path : "";
    while (!left.empty()) {
        const std::size_t end = left.find(':');
        const fs::path program = fs::path(left.substr(0, end)) / "ffmpeg";
        if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0) return program;
        left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 1);
    }
    return {};
}

void check_video(const fs::path& file) {
    if (!video_encoder().empty()) return;
    throw Error(file.string() + ": no encoder for films is installed (ffmpeg is not on PATH)",
                "Install ffmpeg (apt install ffmpeg, dnf install ffmpeg-free, pacman -S ffmpeg), or write FILE.gif, which needs nothing.",
                Exit::failed);
}

struct VideoFile::Encoder {
    fs::path file, temporary;
    int width = 0, height = 0;
    pid_t process = -1;
    int frames = -1;            // our end of the socket that it reads pictures from
    std::FILE* words = nullptr; // what it says of errors
    long shown_ms = 0, written = 0;

    // How it ended, as waitpid() tells.
    int end() {
        if (frames >= 0) ::close(std::exchange(frames, -1));
        int status = -1;
        if (process > 0)
            while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
            }
        process = -1;
        return status;
    }
    ~Encoder() {
        if (process > 0) ::kill(process, SIGTERM);
        (void)end();
        if (words) std::fclose(words);
        std::error_code ignored;
        if (!temporary.empty()) fs::remove(temporary, ignored);
    }
};

VideoFile::VideoFile(fs::path file, int width, int height) : encoder_(std::make_unique<Encoder>()) {
    check_video(file);
    Encoder& e = *encoder_;
    e.file = behind_links(file);
    e.width = width;
    e.height = height;
    const auto unwritable = [&](const char* doing) {
        throw Error(e.file.string() + ": " + doing + ": " + std::strerror(errno), "Is there room, and may you write there?", Exit::failed);
    };
    std::FILE* place = create_beside(e.file, e.temporary);
    if (!place) unwritable("cannot be written");
    std::fclose(place); // the encoder writes it anew
    e.words = std::tmpfile();
    std::array<int, 2> ends{};
    if (!e.words || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) unwritable("the encoder cannot be started");
    e.frames = ends[0];
    const fs::path program = video_encoder();
    std::vector<std::string> list = arguments(program, e.temporary, e.file.extension().string(), width, height);
    std::vector<char*> argv;
    for (std::string& word : list) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ::fileno(e.words), STDERR_FILENO);
    const int problem = ::posix_spawn(&e.process, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (problem != 0) {
        e.process = -1;
        throw Error(program.string() + " does not start: " + std::strerror(problem), "Does it run by itself?", Exit::failed);
    }
}

VideoFile::~VideoFile() = default;

void VideoFile::fail() {
    const fs::path file = encoder_->file;
    (void)encoder_->end();
    const std::string said = said_on(::fileno(encoder_->words));
    throw Error(file.string() + ": the encoder gave up" + (said.empty() ? "" : ": " + said),
                "Is there room on the disk? Another ending (.mp4, .webm) takes another encoder; .gif needs none.", Exit::failed);
}

// As many frames as the clock has room for: rounding does not add up.
void VideoFile::show(const ui::Image& image, int ms) {
    Encoder& e = *encoder_;
    CHECK(image.width == e.width && image.height == e.height, "a film has pictures of one size");
    e.shown_ms += ms;
    for (; e.written * kVideoTick < e.shown_ms; ++e.written)
        for (std::size_t sent = 0; sent < image.rgba.size();) {
            const ssize_t got = ::send(e.frames, image.rgba.data() + sent, image.rgba.size() - sent, MSG_NOSIGNAL);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) fail();
            sent += static_cast<std::size_t>(got);
        }
}

void VideoFile::finish() {
    Encoder& e = *encoder_;
    const int status = e.end();
    std::error_code problem;
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && fs::file_size(e.temporary, problem) > 0 && !problem;
    if (!whole) fail();
    fs::rename(e.temporary, e.file, problem);
    if (problem) throw Error(e.file.string() + ": cannot be written: " + problem.message(), "May you write there?", Exit::failed);
    e.temporary.clear();
}

} // namespace speclens
