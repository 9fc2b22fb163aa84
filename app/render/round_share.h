// A round or a race, drawn picture by picture into the files that are shared, so that a window goes on meanwhile.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "app/frame/frame.h"
#include "app/frame/frame_source.h"
#include "app/frontend/share.h"
#include "app/render/video.h"
#include "scenes/race/race_model.h"
#include "ui/fonts.h"
#include "ui/headless.h"
#include "ui/pictures/gif.h"

namespace speclens {

inline constexpr int kLoopMs = 6000; // of a loop, whatever the round
inline constexpr int kLoopWidth = 1280, kLoopHeight = 720;
inline constexpr int kCardWidth = 1200, kCardHeight = 630;

// A picture of the loop: so many events of the trace, the last of them so far on its way, for so long. All of them take kLoopMs,
// the last one a second more than the others.
struct LoopShot {
    std::size_t cursor = 0;
    float moving = 1;
    int ms = 0; // a multiple of 10, at least 20
};
[[nodiscard]] std::vector<LoopShot> loop_shots(const Trace& trace, const RoundSummary& round);
// Of a race: its clock, from the start to the end, in so many pictures.
[[nodiscard]] std::vector<LoopShot> race_shots();
[[nodiscard]] double race_clock_at(const LoopShot& shot, double end); // of the race that ends there

// Of the run, or of some lane; null: nothing has run.
[[nodiscard]] const Header* shared_header(const SharedRound& shared);
// The card on a canvas of its size: what came of it, the prompt, its tokens or lanes, the run and the link.
void draw_share_card(ui::Canvas& canvas, const ui::Theme& theme, const SharedRound& shared, const RunView& whole,
                     const RoundSummary& round);
void draw_race_card(ui::Canvas& canvas, const ui::Theme& theme, const SharedRound& shared, const RaceModel& race);
// Below every picture of the loop, where the window has a story that nobody could read as fast: prompt, day, link.
void draw_share_strip(ui::Canvas& canvas, const ui::Theme& theme, const SharedRound& shared, ui::Rect strip);

class RoundShare {
  public:
    // Makes the folder. `fonts` must outlive it. Throws Error.
    RoundShare(SharedRound round, std::filesystem::path folder, const ui::FontSet& fonts);
    ~RoundShare();
    RoundShare(const RoundShare&) = delete;
    RoundShare& operator=(const RoundShare&) = delete;

    bool step();                       // draws or writes one thing; false once everything is there. Throws Error
    [[nodiscard]] double done() const; // 0 to 1
    [[nodiscard]] const SharedFiles& files() const { return files_; }

  private:
    void begin_film();
    void write_end();
    void set_up(FrameInput& input) const;
    [[nodiscard]] ui::Image picture(const LoopShot& shot);
    void draw_card();
    template <typename Work>
    void film(const Work& work); // whose failure leaves the other files alone

    SharedRound round_;
    std::filesystem::path folder_;
    ui::HeadlessFrame pixels_;
    FrameSource source_;
    std::unique_ptr<Scene> scene_;
    RunView whole_;
    const RoundSummary* told_ = nullptr; // in whole_; null: a race
    double race_end_ = 0;                // on its clock
    std::vector<LoopShot> shots_;
    std::size_t at_ = 0; // shots drawn, then one for each file
    ui::GifEncoder loop_;
    std::unique_ptr<VideoFile> film_;
    SharedFiles files_;
};

} // namespace speclens
