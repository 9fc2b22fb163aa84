// The drawing side of a build without it (-DSPEC_APP=OFF): everything says so.
#include "app/frontend/frame_cost.h"
#include "app/frontend/frontend.h"
#include "app/frontend/share.h"
#include "app/frontend/window_keys.h"
#include "kernels/error.h"

namespace speclens {

namespace {

[[noreturn]] void absent() {
    throw Error("this build has no window and no renderer", "Build with -DSPEC_APP=ON, or use: speclens run", Exit::display);
}

} // namespace

void open_window(const WindowRequest&) { absent(); }
std::string language_of_window(const std::optional<std::string>&, bool) {
    return "en"; // there is no window to speak
}
void speak(const std::string&) {}
std::vector<std::string> texts_to_translate(const std::string&) { absent(); }
void render_frame(const FrameRequest&, const FrameRun&, const std::filesystem::path&) { absent(); }
std::string part_words(const FrameRequest&) { return ""; }
int frame_beats(const FrameRequest&, const FrameRun&) { absent(); }
double frame_motion(const FrameRequest&, const FrameRun&) { absent(); }
void render_animation(const std::vector<AnimationFrame>&, const FrameRun&, const std::filesystem::path&) { absent(); }
int shared_round(const FrameRequest&, const FrameRun&) { absent(); }
FramePlace frame_place(const FrameRequest&, const FrameRun&) { absent(); }
SharedFiles share_round(const SharedRound&, const std::filesystem::path&, const std::function<void(double)>&) { absent(); }
std::string frame_title(const FrameRequest&, const FrameRun&) { absent(); }
std::string frame_picture(const FrameRequest&, const FrameRun&) { absent(); }
void check_video(const std::filesystem::path&) { absent(); }
std::vector<Command> frame_wants(const FrameRequest&, const FrameRun&) { return {}; }
std::string describe_frame(const FrameRequest&, const FrameRun&) { absent(); }
std::string frame_messages(const FrameRequest&, const FrameRun&) { absent(); }
std::vector<PlotFiles> frame_plots(const FrameRequest&, const FrameRun&) { absent(); }
std::vector<double> race_stop_times(const RaceView&) { absent(); }
std::optional<std::pair<int, int>> shown_position(const FrameRequest&, const Trace&) { return std::nullopt; }
std::vector<SceneName> scene_names() { return {}; }
std::string scene_called(const std::string& word) { return word; }
std::string font_report() { return "not needed: this build draws nothing"; }
std::string display_report() { return "not needed: this build has no window"; }

std::optional<double> cli::frame_ms(std::shared_ptr<const Trace>, const RunSettings&, const std::function<void()>&) { return std::nullopt; }
std::vector<std::pair<std::string, std::string>> cli::window_keys() { return {}; }

} // namespace speclens
